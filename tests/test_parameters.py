"""Parameters of spaces, metrics, means and laws: what is accepted, and what is not."""

import numpy as np
import pytest
from kernels.matrices import random_correlation
from strategies import KEYS, equipped, hollow
from test_definitions import hollow_product, row0_product

import geomstats_cor.exceptions as ex
from geomstats_cor import (
    METRICS,
    FullRankCorrelationAffineQuotientMetric,
    FullRankCorrelationMatrices,
    OffLogMetric,
    frechet_mean,
    get_metric,
)


def row0_basis(n):
    """Return a basis of the symmetric matrices with null row sums."""
    basis = hollow(np.eye(n * (n - 1) // 2))
    return basis - basis.sum(axis=-1)[..., None] * np.eye(n)


PRODUCTS = {
    "olm": (hollow_product, lambda n: hollow(np.eye(n * (n - 1) // 2)), "beta gamma"),
    "lsm": (row0_product, row0_basis, "delta zeta"),
}


class TestProducts:
    @pytest.mark.parametrize("key", PRODUCTS)
    @pytest.mark.parametrize("n", [2, 3, 4, 5])
    def test_are_accepted_if_and_only_if_they_are_definite(self, rng, key, n):
        product, basis_of, names = PRODUCTS[key]
        basis = basis_of(n)
        verdicts = []
        for coefficients in rng.uniform(-1.0, 1.0, (60, 3)):
            names_and_values = zip(["alpha", *names.split()], coefficients, strict=True)
            parameters = {name: float(value) for name, value in names_and_values}
            gram = [[product(x, y, **parameters) for y in basis] for x in basis]
            smallest = np.linalg.eigvalsh(gram)[0]
            verdicts.append(smallest > 0.0)
            if verdicts[-1]:
                assert equipped(n, key, **parameters).metric is not None
            else:
                with pytest.raises(ex.ParameterError, match="must be positive") as info:
                    equipped(n, key, **parameters)
                for name, value in parameters.items():
                    assert f"{name} = {value:g}" in str(info.value)
        assert 5 <= sum(verdicts) <= 55  # both kinds were there

    @pytest.mark.parametrize("key", PRODUCTS)
    @pytest.mark.parametrize("n", [2, 3, 4])
    def test_degenerate_ones_are_refused(self, key, n):
        names = PRODUCTS[key][2].split()
        for alpha in (0.0, -1.0, np.nan, np.inf):
            with pytest.raises(ex.ParameterError, match="must be positive"):
                equipped(n, key, alpha=alpha, **dict.fromkeys(names, 0.0))

    @pytest.mark.parametrize("key", PRODUCTS)
    def test_negative_coefficients_have_an_effect(self, rng, key):
        # What is admissible is not dropped because it is negative.
        name = PRODUCTS[key][2].split()[0]
        a, b = random_correlation(rng, 4, 10.0, (2,))
        plain = equipped(4, key).metric.dist(a, b)
        assert equipped(4, key, **{name: -0.2}).metric.dist(a, b) < 0.999 * plain
        assert equipped(4, key, **{name: 0.2}).metric.dist(a, b) > 1.001 * plain


class TestWeightsOfRows:
    @pytest.mark.parametrize("n", [2, 4])
    def test_multiply_squared_distances(self, rng, n):
        a, b = random_correlation(rng, n, 10.0, (2,))
        ones = [equipped(n, "phcm", weights=w).metric for w in np.eye(n - 1) + 1e-12]
        rows = np.array([metric.squared_dist(a, b) for metric in ones])
        weights = rng.uniform(0.5, 2.0, n - 1)
        actual = equipped(n, "phcm", weights=weights).metric.squared_dist(a, b)
        np.testing.assert_allclose(actual, weights @ rows, rtol=1e-9)

    @pytest.mark.parametrize("weights", [[1.0], [1.0] * 4, []])
    def test_of_the_wrong_number(self, weights):
        match = rf"n - 1 = 3.*got {len(weights)} numbers"
        with pytest.raises(ex.ParameterError, match=match):
            equipped(4, "phcm", weights=weights)

    @pytest.mark.parametrize("bad", [0.0, -1.0, np.nan, np.inf])
    def test_that_are_not_positive(self, bad):
        with pytest.raises(ex.ParameterError, match="positive and finite.*1.0"):
            equipped(4, "phcm", weights=[1.0, bad, 1.0])


class TestWeightsOfMeans:
    @pytest.mark.parametrize("key", KEYS)
    @pytest.mark.parametrize(
        "weights", [[1.0, -1.0, 1.0], [0.0] * 3, [1.0, np.nan, 1.0], [1.0, np.inf, 1.0]]
    )
    def test_that_are_no_weights(self, double, rng, key, weights):
        points = double(random_correlation(rng, 3, 10.0, (3,)))
        with pytest.raises(ex.ParameterError, match="weights must be finite"):
            frechet_mean(points, equipped(3, key), weights=double(weights))

    @pytest.mark.parametrize("key", KEYS)
    def test_of_the_wrong_number(self, double, rng, key):
        points = double(random_correlation(rng, 3, 10.0, (3,)))
        for weights in ([1.0, 1.0], 1.0):
            with pytest.raises(ex.ShapeError, match="weights: expected .*3 points"):
                frechet_mean(points, equipped(3, key), weights=double(weights))

    @pytest.mark.parametrize("key", KEYS)
    def test_that_do_not_broadcast(self, double, rng, key):
        points = double(random_correlation(rng, 3, 10.0, (2, 4)))
        weights = double(np.ones((3, 4)))
        with pytest.raises(ex.ShapeError, match=r"points \(2,\), weights \(3,\)"):
            frechet_mean(points, equipped(3, key), weights)

    def test_of_a_space_without_one_of_the_metrics(self, rng):
        points = random_correlation(rng, 3, 10.0, (4,))
        for equip, name in ((True, "AffineQuotientMetric"), (False, "NoneType")):
            space = FullRankCorrelationMatrices(3, equip=equip)
            with pytest.raises(ex.ParameterError, match=f"{name}.*equip_with_metric"):
                frechet_mean(points, space)

    @pytest.mark.parametrize("key", KEYS)
    def test_of_nothing(self, double, key):
        with pytest.raises(ex.ShapeError, match="no mean of no matrices"):
            frechet_mean(double(np.empty((0, 3, 3))), equipped(3, key))


class TestSpace:
    @pytest.mark.parametrize("n", [1, 0, -3])
    def test_of_fewer_than_two_variables(self, n):
        with pytest.raises(ex.ParameterError, match=rf"n is {n}.*at least 2"):
            FullRankCorrelationMatrices(n)

    @pytest.mark.parametrize("n", [2.5, "3", None])
    def test_of_no_size(self, n):
        with pytest.raises(ex.ParameterError, match="n must be an integer"):
            FullRankCorrelationMatrices(n)

    def test_takes_integers_of_numpy(self):
        space = FullRankCorrelationMatrices(np.int64(3), equip=False)
        assert (space.n, space.dim, space.shape) == (3, 3, (3, 3))

    def test_is_equipped_by_key_class_or_default(self):
        for key, Metric in METRICS.items():
            assert type(FullRankCorrelationMatrices(3, equip=key).metric) is Metric
            assert type(FullRankCorrelationMatrices(3, equip=Metric).metric) is Metric
        default = FullRankCorrelationMatrices(3).metric
        assert type(default) is FullRankCorrelationAffineQuotientMetric
        assert not hasattr(FullRankCorrelationMatrices(3, equip=False), "metric")

    @pytest.mark.parametrize("value", [0.0, 1.0, -0.1, 2.0, np.nan])
    def test_smallest_eigenvalue_out_of_range(self, value):
        space = FullRankCorrelationMatrices(3, equip=False)
        with pytest.raises(ex.ParameterError, match="min_eigenvalue: expected .*0, 1"):
            space.nearest_safe_point(np.eye(3), min_eigenvalue=value)

    @pytest.mark.parametrize("eta", [0.0, -1.0, np.nan])
    def test_law_without_a_density(self, eta):
        with pytest.raises(ex.ParameterError, match="eta: expected a number"):
            FullRankCorrelationMatrices(3, equip=False).random_point(eta=eta)

    @pytest.mark.parametrize("order", [[0, 1], [0, 0, 1], [1, 2, 3], [[0, 1, 2]]])
    def test_order_that_is_no_permutation(self, order):
        space = FullRankCorrelationMatrices(3, equip=False)
        with pytest.raises(ex.ParameterError, match=r"0, \.\.\., 2 in some order"):
            space.permutation_action(order, np.eye(3))

    @pytest.mark.parametrize("signs", [[1, -1], [1, 0, 1], [1, 2, 1]])
    def test_signs_that_are_none(self, signs):
        space = FullRankCorrelationMatrices(3, equip=False)
        with pytest.raises(ex.ParameterError, match="3 numbers, each 1 or -1"):
            space.signed_permutation_action([0, 1, 2], signs, np.eye(3))

    def test_number_of_vectors_that_does_not_match(self, rng):
        space = FullRankCorrelationMatrices(3, equip=False)
        points = random_correlation(rng, 3, 10.0, (4,))
        with pytest.raises(ex.ShapeError, match=r"3 vectors.*\(4,\)"):
            space.random_tangent_vec(points, n_samples=3)


class TestKeys:
    @pytest.mark.parametrize("key", KEYS)
    def test_in_any_case(self, key):
        assert get_metric(key.upper()) is METRICS[key]

    @pytest.mark.parametrize("key", ["euclidean", "", None, 3, OffLogMetric])
    def test_that_are_unknown(self, key):
        with pytest.raises(ex.ParameterError, match="ecm, lecm, olm, lsm, phcm"):
            get_metric(key)
        if isinstance(key, str):
            with pytest.raises(ex.ParameterError, match=repr(key)):
                FullRankCorrelationMatrices(3, equip=key)


class TestErrors:
    def test_are_what_a_caller_would_catch(self):
        for name, error in vars(ex).items():
            if not isinstance(error, type) or error is ex.GeomstatsCorError:
                continue
            if name.startswith("_"):
                continue
            if issubclass(error, Warning):
                assert issubclass(error, UserWarning)
            else:
                assert issubclass(error, ex.GeomstatsCorError)
                assert issubclass(error, ValueError | TypeError | ArithmeticError)


def test_a_metric_that_is_already_made():
    metric = FullRankCorrelationMatrices(3, equip="olm").metric
    with pytest.raises(ex.ParameterError, match="belongs to another space"):
        FullRankCorrelationMatrices(3, equip=metric)
