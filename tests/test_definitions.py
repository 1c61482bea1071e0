"""The metrics against their definitions, computed by other means.

Small correlation matrices have closed forms, products with parameters are written out,
hyperbolic distances come from arccosh with many digits, and hard matrices have
reference values of their own.
"""

import mpmath
import numpy as np
import pytest
import scipy.linalg
from hypothesis import given
from hypothesis import strategies as st
from kernels.matrices import (
    autoregressive,
    equicorrelation,
    off,
    random_correlation,
    random_hollow,
    random_row0,
)
from kernels.references import exact, rounded, symmetric_function
from strategies import (
    KEYS,
    correlations,
    equipped,
    parameters,
    properties,
    slack,
    spaces,
    tangent_vectors,
)

every_metric = pytest.mark.parametrize("key", KEYS)

pytestmark = [
    pytest.mark.filterwarnings("error"),
    # Close to singular matrices may be told of lost digits; the numbers decide here.
    pytest.mark.filterwarnings("ignore::geomstats_cor.exceptions.ConvergenceWarning"),
]


def hollow_product(x, y, alpha, beta, gamma):
    sums = np.sum(x) * np.sum(y)
    return alpha * np.trace(x @ y) + beta * np.sum(x @ y) + gamma * sums


def row0_product(x, y, alpha, delta, zeta):
    diagonals = np.diagonal(x) @ np.diagonal(y)
    traces = np.trace(x) * np.trace(y)
    return alpha * np.trace(x @ y) + delta * diagonals + zeta * traces


class TestTwoVariables:
    """With correlations rho and sigma, all five metrics are metrics of the line."""

    COORDINATES = {
        "ecm": lambda rho: rho / np.sqrt(1.0 - rho**2),
        "lecm": lambda rho: rho / np.sqrt(1.0 - rho**2),
        "olm": lambda rho: np.sqrt(2.0) * np.arctanh(rho),
        "lsm": lambda rho: 2.0 * np.arctanh(rho),
        "phcm": np.arctanh,
    }
    RHOS = np.array([-0.999, -0.6, -1e-9, 0.0, 0.3, 0.95])

    @every_metric
    def test_distance(self, double, key):
        metric = equipped(2, key).metric
        points = double(equicorrelation(2, self.RHOS[:, None, None]))
        position = self.COORDINATES[key](self.RHOS)
        actual = double.numbers(metric.dist(points[:, None], points))
        expected = np.abs(position[:, None] - position)
        np.testing.assert_allclose(actual, expected, rtol=1e-13, atol=1e-15)

    @every_metric
    def test_midpoint(self, double, key):
        metric = equipped(2, key).metric
        a, b = double(equicorrelation(2, 0.9)), double(equicorrelation(2, -0.2))
        middle = double.numbers(metric.geodesic(a, b)(0.5))[0, 1, 0]
        position = self.COORDINATES[key]
        expected = 0.5 * (position(0.9) + position(-0.2))
        np.testing.assert_allclose(position(middle), expected, rtol=1e-12)

    @every_metric
    def test_norm(self, double, key):
        metric = equipped(2, key).metric
        rho, step = 0.7, 1e-5
        vector = double(np.array([[0.0, 1.0], [1.0, 0.0]]))
        point = double(equicorrelation(2, np.array(rho)))
        position = self.COORDINATES[key]
        slope = (position(rho + step) - position(rho - step)) / (2.0 * step)
        np.testing.assert_allclose(float(metric.norm(vector, point)), slope, rtol=1e-8)


class TestOffLogProduct:
    @properties
    @given(data=st.data())
    def test_distance_is_that_of_off_diagonal_logarithms(self, data):
        n = data.draw(st.integers(2, 7))
        given_parameters = data.draw(parameters("olm", n))
        a, b = data.draw(correlations(n)), data.draw(correlations(n))
        difference = off(scipy.linalg.logm(a) - scipy.linalg.logm(b))
        expected = hollow_product(difference, difference, **given_parameters)
        actual = equipped(n, "olm", **given_parameters).metric.squared_dist(a, b)
        assert abs(actual - expected) <= slack(a, b) * (1.0 + expected)

    @pytest.mark.parametrize("n", [2, 3, 4, 6])
    def test_coordinates_of_the_image_are_orthonormal(self, rng, n):
        given_parameters = dict(alpha=0.6, beta=-0.2, gamma=0.4)
        image_metric = equipped(n, "olm", **given_parameters).metric.image_space.metric
        x, y = random_hollow(rng, n, (2,))
        actual = image_metric.to_coords(x) @ image_metric.to_coords(y)
        expected = hollow_product(x, y, **given_parameters)
        np.testing.assert_allclose(actual, expected, rtol=1e-12)


class TestLogScaledProduct:
    @properties
    @given(data=st.data())
    def test_image_is_the_logarithm_of_a_scaling_with_unit_row_sums(self, data):
        space = data.draw(spaces("lsm"))
        point = data.draw(correlations(space.n))
        balanced = scipy.linalg.expm(space.metric.diffeo(point))
        tolerance = slack(point, balanced)
        np.testing.assert_allclose(balanced.sum(axis=-1), 1.0, atol=tolerance)
        scale = 1.0 / np.sqrt(np.diagonal(balanced))
        back = scale[:, None] * balanced * scale
        np.testing.assert_allclose(back, point, atol=tolerance)

    @pytest.mark.parametrize("n", [2, 3, 4, 6])
    def test_coordinates_of_the_image_are_orthonormal(self, rng, n):
        given_parameters = dict(alpha=0.6, delta=-0.2, zeta=0.4)
        image_metric = equipped(n, "lsm", **given_parameters).metric.image_space.metric
        x, y = random_row0(rng, n, (2,))
        actual = image_metric.to_coords(x) @ image_metric.to_coords(y)
        expected = row0_product(x, y, **given_parameters)
        np.testing.assert_allclose(actual, expected, rtol=1e-12)


class TestDefaultProduct:
    """The canonical products are Frobenius products, whatever the size."""

    @pytest.mark.parametrize("key, product", [("olm", "beta"), ("lsm", "delta")])
    @pytest.mark.parametrize("n", [2, 3, 4, 5])
    def test_is_the_frobenius_product(self, rng, key, product, n):
        a, b = random_correlation(rng, n, 10.0, batch=(2,))
        metric = equipped(n, key).metric
        expected = np.linalg.norm(metric.diffeo(a) - metric.diffeo(b))
        np.testing.assert_allclose(metric.dist(a, b), expected, rtol=1e-13)
        written_out = equipped(n, key, alpha=1.0, **{product: None}).metric
        np.testing.assert_allclose(written_out.dist(a, b), expected, rtol=1e-13)


class TestPolyHyperbolic:
    @properties
    @given(data=st.data())
    def test_norm_is_that_of_the_moved_cholesky_factor(self, data):
        space = data.draw(spaces("phcm"))
        point = data.draw(correlations(space.n))
        vector = data.draw(tangent_vectors(space.metric, point))
        factor = np.linalg.cholesky(point)
        inverse = np.linalg.inv(factor)
        whitened = inverse @ vector @ inverse.T
        half = np.tril(whitened, -1) + 0.5 * np.diag(np.diagonal(whitened))
        moved = factor @ half / np.diagonal(factor)[:, None]
        weights = [0.0, *space.metric.image_space.metric.weights]
        expected = weights @ np.sum(moved**2, axis=-1)
        actual = space.metric.squared_norm(vector, point)
        assert abs(actual - expected) <= slack(point) * (1.0 + expected)

    @pytest.mark.parametrize("n", [2, 3, 5])
    @pytest.mark.parametrize("condition", [2.0, 1e3, 1e6])
    def test_distance_is_an_arccosh_of_rows(self, double, rng, n, condition):
        a, b = random_correlation(rng, n, condition, batch=(2,))
        weights = rng.uniform(0.5, 2.0, n - 1)
        with mpmath.workdps(40):
            x, y = (_exact_cholesky(matrix) for matrix in (a, b))
            terms = [
                weight
                * mpmath.acosh((1 - x[k, :k] @ y[k, :k]) / (x[k, k] * y[k, k])) ** 2
                for k, weight in enumerate(weights, start=1)
            ]
            expected = float(mpmath.sqrt(sum(terms)))
        metric = equipped(n, "phcm", weights=weights).metric
        actual = float(metric.dist(double(a), double(b)))
        np.testing.assert_allclose(actual, expected, rtol=slack(a, b))

    def test_distance_of_points_next_to_each_other(self, double, rng):
        # Here arccosh of an inner product in float64 has no correct digit left.
        metric = equipped(4, "phcm").metric
        point = random_correlation(rng, 4, 10.0)
        vector = 1e-9 * random_hollow(rng, 4)
        end = metric.exp(double(vector), double(point))
        expected = float(metric.norm(double(vector), double(point)))
        actual = float(metric.dist(double(point), end))
        np.testing.assert_allclose(actual, expected, rtol=1e-5)


class TestHardMatrices:
    @every_metric
    @pytest.mark.parametrize("n", [5, 20])
    def test_condition_number_of_a_million_million(self, double, rng, key, n):
        metric = equipped(n, key).metric
        point = random_correlation(rng, n, 1e12)
        image = metric.diffeo(double(point))
        back = double.numbers(metric.diffeo.inverse(image))
        np.testing.assert_allclose(back, point, atol=1e-12)

    @every_metric
    def test_autoregressive_process_close_to_a_unit_root(self, double, key):
        metric = equipped(60, key).metric
        point = autoregressive(60, 0.999)
        image = metric.diffeo(double(point))
        back = double.numbers(metric.diffeo.inverse(image))
        np.testing.assert_allclose(back, point, atol=5e-14)

    def test_log_scaling_has_positive_signs(self, double):
        # The equation of the scaling has roots of mixed signs, which a Newton
        # iteration without damping finds for this matrix.
        loadings = np.linspace(0.1, 0.95, 12)
        point = off(np.outer(loadings, loadings)) + np.eye(12)
        with mpmath.workdps(30):
            image = _exact_log_scaled(point)
        for delta_and_zeta in (0.0, 1.0):
            given_parameters = dict(
                alpha=1.0, delta=delta_and_zeta, zeta=delta_and_zeta
            )
            expected = np.sqrt(row0_product(image, image, **given_parameters))
            metric = equipped(12, "lsm", **given_parameters).metric
            actual = float(metric.dist(double(point), double(np.eye(12))))
            np.testing.assert_allclose(actual, expected, rtol=1e-10)
        assert round(actual, 2) == 21.59


def _exact_cholesky(matrix):
    factor = mpmath.cholesky(mpmath.matrix(exact(matrix).tolist()))
    return np.array(factor.tolist(), dtype=object)


def _exact_log_scaled(point):
    """Return log(D C D), with D > 0 such that D C D has unit row sums."""
    point = exact(point)
    scaling = exact(np.ones(len(point)))
    for _ in range(200):
        residual = point @ scaling - 1 / scaling
        if max(abs(r) for r in residual) < mpmath.mpf(10) ** -25:
            break
        hessian = point + np.diag(1 / scaling**2)
        step = mpmath.lu_solve(hessian.tolist(), mpmath.matrix((-residual).tolist()))
        step = np.array(list(step), dtype=object)
        # The objective is self-concordant, so the damped step stays positive.
        decrement = mpmath.sqrt(-(residual @ step))
        scaling = scaling + step / (1 + decrement if decrement > 0.25 else 1)
    assert all(entry > 0 for entry in scaling)
    balanced = scaling[:, None] * point * scaling
    return rounded(symmetric_function(mpmath.log, balanced))
