"""The manifold: who belongs to it, projections onto it, and what acts on it."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from kernels.matrices import (
    equicorrelation,
    random_correlation,
    random_hollow,
    random_spd,
    random_symmetric,
    scaled_to_unit_diagonal,
)
from strategies import correlations, properties, slack

import geomstats_cor.exceptions as ex
from geomstats_cor import FullRankCorrelationMatrices

pytestmark = pytest.mark.filterwarnings("error")


def manifold(n):
    return FullRankCorrelationMatrices(n, equip=False)


def rank_deficient(rng, n, rank, batch):
    factors = rng.standard_normal((*batch, n, rank))
    return scaled_to_unit_diagonal(factors @ factors.mT)


class TestBelongs:
    def test_correlation_matrices_do(self, arrays, rng):
        points = random_correlation(rng, 5, 100.0, (2, 3))
        answer = manifold(5).belongs(arrays(points))
        assert answer.shape == (2, 3)
        assert bool(answer.all())

    @pytest.mark.parametrize("n", [3, 8, 30])
    def test_matrices_of_lower_rank_do_not(self, arrays, rng, n):
        for rank in (1, n // 2, n - 1):
            points = rank_deficient(rng, n, rank, (100,))
            assert not bool(manifold(n).belongs(arrays(points)).any())

    @pytest.mark.parametrize("n", [3, 8, 30])
    def test_condition_of_ten_thousand_million(self, rng, n):
        points = random_correlation(rng, n, 1e10, (20,))
        assert np.linalg.cond(points).max() > 1e9
        assert np.all(manifold(n).belongs(points))
        # In single precision nobody can tell them from singular matrices.
        assert not np.any(manifold(n).belongs(points.astype(np.float32)))
        assert np.all(manifold(n).belongs(random_correlation(rng, n, 1e4).astype("f4")))

    @pytest.mark.parametrize(
        "change",
        [
            lambda c: equicorrelation(4, -0.4),
            lambda c: c + np.triu(np.full((4, 4), 1e-4), 1),
            lambda c: c * (1.0 + 1e-4),
            lambda c: c[:3, :3],
            lambda c: c[0],
            lambda c: np.where(np.eye(4), c, np.nan),
            lambda c: np.where(np.eye(4), c, np.inf),
            lambda c: np.full((4, 4), np.nan),
            lambda c: -c,
        ],
        ids=[
            "indefinite",
            "not symmetric",
            "diagonal",
            "size",
            "vector",
            "NaN",
            "infinity",
            "all NaN",
            "negative",
        ],
    )
    def test_others_do_not(self, arrays, rng, change):
        point = random_correlation(rng, 4)
        assert not bool(manifold(4).belongs(arrays(change(point))))

    def test_each_matrix_is_judged_by_itself(self, arrays, rng):
        points = random_correlation(rng, 4, 10.0, (3,))
        points[1] = np.nan
        answer = manifold(4).belongs(arrays(points))
        assert answer.tolist() == [True, False, True]

    def test_tolerance(self, double, rng):
        point = random_correlation(rng, 4)
        point[0, 1] += 1e-9
        assert not bool(manifold(4).belongs(double(point)))
        assert bool(manifold(4).belongs(double(point), atol=1e-8))

    def test_lists(self):
        assert bool(manifold(2).belongs([[1, 0], [0, 1]]))
        assert not bool(manifold(2).belongs([[1, 2], [2, 1]]))


class TestTangentVectors:
    def test_are_symmetric_and_hollow(self, arrays, rng):
        space = manifold(4)
        vectors = random_hollow(rng, 4, (3,))
        assert space.is_tangent(arrays(vectors)).tolist() == [True] * 3
        assert bool(space.is_tangent(arrays(1e6 * vectors)).all())
        for entry in ((0, 0), (0, 1)):
            wrong = vectors.copy()
            wrong[1][entry] += 1e-3
            answer = space.is_tangent(arrays(wrong))
            assert answer.tolist() == [True, False, True]
            assert space.is_tangent(arrays(wrong), atol=1e-2).tolist() == [True] * 3
        assert not bool(space.is_tangent(arrays(np.zeros((3, 3)))))

    def test_projection_is_orthogonal(self, arrays, rng):
        space = manifold(4)
        matrix, vector = rng.standard_normal((4, 4)), random_hollow(rng, 4)
        projected = arrays.apply(space.to_tangent, matrix)
        assert bool(space.is_tangent(arrays(projected)))
        residual = np.sum((arrays.rounded(matrix) - projected) * vector)
        assert abs(residual) <= 100 * arrays.eps
        again = arrays.apply(space.to_tangent, projected)
        np.testing.assert_array_equal(again, projected)

    def test_base_points_give_the_batch_shape(self, double, rng):
        space = manifold(3)
        points = double(random_correlation(rng, 3, 10.0, (2, 5)))
        vector = double(random_hollow(rng, 3))
        assert space.to_tangent(vector, points).shape == (2, 5, 3, 3)
        assert space.is_tangent(vector, points).shape == (2, 5)
        with pytest.raises(ex.ShapeError, match="do not broadcast"):
            space.to_tangent(double(random_hollow(rng, 3, (3,))), points)

    @pytest.mark.parametrize("count, batch", [(1, ()), (4, ()), (1, (2, 3)), (4, (4,))])
    def test_are_drawn_for_base_points(self, arrays, rng, count, batch):
        space = manifold(3)
        point = arrays(random_correlation(rng, 3, 10.0, batch))
        vectors = space.random_tangent_vec(point, n_samples=count, rng=1)
        expected = batch if count == 1 else (count,)
        assert arrays.numbers(vectors).shape == (*expected, 3, 3)
        assert bool(space.is_tangent(vectors).all())
        again = space.random_tangent_vec(point, n_samples=count, rng=1)
        np.testing.assert_array_equal(arrays.numbers(again), arrays.numbers(vectors))

    def test_level_set(self, double, rng):
        space = manifold(3)
        matrix = random_symmetric(rng, 3)
        diagonal = np.diagonal(matrix)
        np.testing.assert_allclose(double.apply(space.submersion, matrix), diagonal - 1)
        actual = double.apply(space.tangent_submersion, matrix)
        np.testing.assert_allclose(actual, diagonal)


class TestProjection:
    def test_leaves_members_alone(self, arrays, rng):
        points = random_correlation(rng, 5, 100.0, (4,))
        projected = arrays.apply(manifold(5).projection, points)
        np.testing.assert_allclose(projected, points, atol=4 * arrays.eps)

    def test_makes_members_of_anything(self, arrays, rng):
        matrices = np.stack(
            [
                rng.standard_normal((5, 5)),
                equicorrelation(5, -0.9),
                np.ones((5, 5)),
                np.zeros((5, 5)),
                -np.eye(5),
                1e3 * random_symmetric(rng, 5),
            ]
        )
        space = manifold(5)
        projected = space.projection(arrays(matrices))
        assert arrays.numbers(projected).shape == (6, 5, 5)
        assert bool(space.belongs(projected).all())
        again = arrays.numbers(space.projection(projected))
        np.testing.assert_allclose(again, arrays.numbers(projected), atol=1e-6)

    def test_scales_covariance_matrices(self, arrays, rng):
        covariance = random_spd(rng, 4, 10.0)
        projected = arrays.apply(manifold(4).projection, covariance)
        expected = scaled_to_unit_diagonal(covariance)
        np.testing.assert_allclose(projected, expected, atol=4 * arrays.eps)

    def test_regularization_makes_equations_exact(self, arrays, rng):
        points = random_correlation(rng, 4, 10.0, (10,))
        off_by = points + 1e-4 * rng.standard_normal((10, 4, 4))
        regular = arrays.apply(manifold(4).regularize, off_by)
        np.testing.assert_array_equal(regular, regular.mT)
        np.testing.assert_array_equal(np.diagonal(regular, axis1=1, axis2=2), 1.0)
        np.testing.assert_allclose(regular, points, atol=1e-3)


class TestFromCovariance:
    def test_is_the_correlation_of_samples(self, arrays, rng):
        samples = rng.standard_normal((50, 4)) @ rng.standard_normal((4, 4))
        covariance = np.cov(samples, rowvar=False)
        actual = arrays.apply(FullRankCorrelationMatrices.from_covariance, covariance)
        expected = np.corrcoef(samples, rowvar=False)
        np.testing.assert_allclose(actual, expected, atol=4 * arrays.eps)
        np.testing.assert_array_equal(np.diagonal(actual), 1.0)

    def test_does_not_depend_on_units(self, double, rng):
        point = random_correlation(rng, 4)
        units = 10.0 ** np.array([-3.0, 0.0, 2.0, 5.0])
        scaled = manifold(4).diag_action(double(units), double(point))
        np.testing.assert_allclose(
            double.numbers(scaled), np.diag(units) @ point @ np.diag(units), rtol=1e-14
        )
        back = double.numbers(FullRankCorrelationMatrices.from_covariance(scaled))
        np.testing.assert_allclose(back, point, rtol=1e-14)

    def test_names_a_constant_variable(self, double, rng):
        covariances = random_spd(rng, 3, 10.0, (2,))
        covariances[1, 2] = covariances[1, :, 2] = 0.0
        with pytest.raises(ex.NotPositiveDefiniteError, match=r"point\[1\].*variance"):
            FullRankCorrelationMatrices.from_covariance(double(covariances))

    def test_wants_square_matrices(self, double, rng):
        samples = double(rng.standard_normal((50, 4)))
        with pytest.raises(ex.ShapeError, match=r"\(50, 4\).*numpy.cov"):
            FullRankCorrelationMatrices.from_covariance(samples)


class TestCorInversion:
    @properties
    @given(data=st.data())
    def test_is_an_involution(self, data):
        space = manifold(data.draw(st.integers(2, 7)))
        point = data.draw(correlations(space.n))
        inverse = space.cor_inversion(point)
        expected = scaled_to_unit_diagonal(np.linalg.inv(point))
        np.testing.assert_allclose(inverse, expected, atol=slack(point))
        back = space.cor_inversion(inverse)
        np.testing.assert_allclose(back, point, atol=slack(point, inverse))

    def test_in_each_precision(self, arrays, rng):
        points = random_correlation(rng, 4, 10.0, (3,))
        actual = arrays.apply(manifold(4).cor_inversion, points)
        expected = scaled_to_unit_diagonal(np.linalg.inv(points))
        np.testing.assert_allclose(actual, expected, atol=100 * arrays.eps)

    def test_names_a_matrix_without_inverse(self, double, rng):
        points = random_correlation(rng, 4, 10.0, (3,))
        points[2] = 1.0
        with pytest.raises(ex.NotPositiveDefiniteError, match=r"point\[2\]"):
            manifold(4).cor_inversion(double(points))

    def test_partial_correlations_are_those_of_residuals(self, arrays, rng):
        samples = rng.standard_normal((40, 4)) @ rng.standard_normal((4, 4))
        samples = samples - samples.mean(axis=0)
        point = np.corrcoef(samples, rowvar=False)
        partial = arrays.apply(manifold(4).partial_correlations, point)
        for i, j in itertools.combinations(range(4), 2):
            others = np.delete(samples, [i, j], axis=1)
            fitted = others @ np.linalg.lstsq(others, samples[:, [i, j]])[0]
            residuals = samples[:, [i, j]] - fitted
            expected = np.corrcoef(residuals, rowvar=False)[0, 1]
            assert abs(partial[i, j] - expected) <= 1e3 * arrays.eps
        np.testing.assert_array_equal(np.diagonal(partial), 1.0)
        np.testing.assert_allclose(partial, partial.T, atol=2 * arrays.eps)


class TestPermutations:
    def test_act_as_a_group(self, arrays, rng):
        space = manifold(5)
        point = arrays(random_correlation(rng, 5))
        first, then = rng.permutation(5), rng.permutation(5)
        twice = space.permutation_action(then, space.permutation_action(first, point))
        once = space.permutation_action(first[then], point)
        np.testing.assert_array_equal(arrays.numbers(twice), arrays.numbers(once))
        same = space.permutation_action(range(5), point)
        np.testing.assert_array_equal(arrays.numbers(same), arrays.numbers(point))
        back = space.permutation_action(
            np.argsort(first), space.permutation_action(first, point)
        )
        np.testing.assert_array_equal(arrays.numbers(back), arrays.numbers(point))

    def test_reorder_variables(self, double, rng):
        samples = rng.standard_normal((20, 4))
        order = [2, 0, 3, 1]
        point = np.corrcoef(samples, rowvar=False)
        actual = manifold(4).permutation_action(order, double(point))
        expected = np.corrcoef(samples[:, order], rowvar=False)
        np.testing.assert_allclose(double.numbers(actual), expected, atol=1e-15)

    def test_with_signs_act_as_a_group(self, arrays, rng):
        space = manifold(5)
        points = arrays(random_correlation(rng, 5, 10.0, (2,)))
        first, then = rng.permutation(5), rng.permutation(5)
        signs, flips = rng.choice([-1, 1], (2, 5))
        act = space.signed_permutation_action
        twice = act(then, flips, act(first, signs, points))
        once = act(first[then], flips * signs[then], points)
        np.testing.assert_array_equal(arrays.numbers(twice), arrays.numbers(once))

    def test_with_signs_change_variables(self, double, rng):
        samples = rng.standard_normal((20, 4))
        order, signs = [2, 0, 3, 1], [1, -1, -1, 1]
        point = np.corrcoef(samples, rowvar=False)
        actual = manifold(4).signed_permutation_action(order, signs, double(point))
        expected = np.corrcoef(samples[:, order] * signs, rowvar=False)
        np.testing.assert_allclose(double.numbers(actual), expected, atol=1e-15)


class TestNearestSafePoint:
    @pytest.mark.parametrize("wanted", [1e-5, 0.01, 0.5])
    def test_has_exactly_the_smallest_eigenvalue_wanted(self, double, rng, wanted):
        points = np.stack(
            [
                equicorrelation(6, -0.9),
                np.ones((6, 6)),
                rank_deficient(rng, 6, 3, ()),
                random_correlation(rng, 6, 1e9),
            ]
        )
        safe = manifold(6).nearest_safe_point(double(points), min_eigenvalue=wanted)
        result = double.numbers(safe.point)
        smallest = np.linalg.eigvalsh(result)[:, 0]
        np.testing.assert_allclose(smallest, wanted, atol=1e-14)
        np.testing.assert_allclose(
            double.numbers(safe.smallest_eigenvalue),
            np.linalg.eigvalsh(points)[:, 0],
            atol=1e-14,
        )
        # On the segment to the identity, and no further than needed.
        s = double.numbers(safe.shrinkage)[:, None, None]
        np.testing.assert_allclose(
            result, (1.0 - s) * points + s * np.eye(6), atol=1e-15
        )
        assert np.all((s > 0.0) & (s < 1.0))

    def test_leaves_safe_points_alone(self, arrays, rng):
        points = random_correlation(rng, 5, 10.0, (3,))
        points = 0.5 * (points + points.mT)
        safe = manifold(5).nearest_safe_point(arrays(points), min_eigenvalue=1e-3)
        np.testing.assert_array_equal(arrays.numbers(safe.shrinkage), np.zeros(3))
        np.testing.assert_array_equal(
            arrays.numbers(safe.point), arrays.rounded(points)
        )

    def test_default_belongs_and_can_be_measured(self, arrays, rng):
        space = FullRankCorrelationMatrices(6, equip="olm")
        points = arrays(rank_deficient(rng, 6, 2, (20,)))
        safe = space.nearest_safe_point(points)
        assert bool(space.belongs(safe.point).all())
        distances = arrays.numbers(space.metric.dist(safe.point, np.eye(6).tolist()))
        assert np.all(np.isfinite(distances))
        smallest = np.linalg.eigvalsh(arrays.numbers(safe.point))[:, 0]
        np.testing.assert_allclose(smallest, arrays.eps**0.5, rtol=1e-2)

    def test_wants_a_unit_diagonal(self, double, rng):
        with pytest.raises(ex.NotUnitDiagonalError, match="from_covariance"):
            manifold(4).nearest_safe_point(double(random_spd(rng, 4, 10.0)))


def test_a_space_says_what_it_is():
    assert repr(FullRankCorrelationMatrices(4, equip="olm")) == (
        "FullRankCorrelationMatrices(4, equip=OffLogMetric)"
    )
    bare = FullRankCorrelationMatrices(3, equip=False)
    assert repr(bare) == "FullRankCorrelationMatrices(3, equip=False)"
