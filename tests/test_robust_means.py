"""Geometric medians and trimmed means: their definitions, and their symmetries."""

import warnings

import numpy as np
import pytest
import scipy.optimize
from kernels.matrices import random_correlation
from sklearn.base import clone
from strategies import KEYS, equipped

from geomstats_cor import (
    GeometricMedian,
    TrimmedMean,
    frechet_mean,
    geometric_median,
    trimmed_mean,
)
from geomstats_cor.exceptions import (
    NotFiniteError,
    ParameterError,
    ShapeError,
)

every_metric = pytest.mark.parametrize("key", KEYS)

pytestmark = pytest.mark.filterwarnings("error")


def slope(space, median, points, weights=None):
    """Return the steepest descent of the sum of distances, null at a minimiser."""
    weights = np.ones(len(points)) if weights is None else weights
    weights = weights / weights.sum()
    logs = space.metric.log_coords(points, median)
    distances = np.linalg.norm(logs, axis=-1)
    away = distances > 1e-10
    pull = (weights[away] / distances[away]) @ logs[away]
    return max(0.0, np.linalg.norm(pull) - weights[~away].sum())


def along(space, rng, times):
    """Return points of a geodesic."""
    return space.metric.geodesic(*random_correlation(rng, space.n, 5.0, (2,)))(times)


class TestMedian:
    @every_metric
    @pytest.mark.parametrize("n", [2, 3, 6])
    def test_slope_vanishes(self, double, rng, key, n):
        space = equipped(n, key)
        points, weights = random_correlation(rng, n, 20.0, (9,)), rng.uniform(size=9)
        median = geometric_median(double(points), space, double(weights))
        median = double.numbers(median)
        assert space.belongs(median)
        assert slope(space, median, points, weights) <= 1e-12

    @pytest.mark.parametrize("key", ["olm", "lsm", "phcm"])
    def test_slope_vanishes_with_parameters(self, rng, key):
        parameters = {
            "olm": dict(alpha=1.0, beta=0.5, gamma=-0.1),
            "lsm": dict(alpha=1.0, delta=0.5, zeta=-0.1),
            "phcm": dict(weights=[0.3, 2.0, 1.0]),
        }
        space = equipped(4, key, **parameters[key])
        points = random_correlation(rng, 4, 20.0, (7,))
        assert slope(space, geometric_median(points, space), points) <= 1e-12

    @every_metric
    def test_is_what_an_optimiser_finds(self, rng, key):
        space = equipped(3, key)
        points, weights = random_correlation(rng, 3, 20.0, (6,)), rng.uniform(size=6)

        def total(coords):
            return weights @ space.metric.dist(space.metric.from_coords(coords), points)

        start = np.zeros(space.dim)
        found = scipy.optimize.minimize(total, start, options=dict(gtol=1e-8)).x
        median = geometric_median(points, space, weights)
        np.testing.assert_allclose(space.metric.from_coords(found), median, atol=1e-5)

    @every_metric
    def test_heavy_point_is_the_median(self, double, rng, key):
        space = equipped(4, key)
        points = random_correlation(rng, 4, 20.0, (5,))
        weights = np.array([1.0, 1.0, 4.5, 1.0, 1.0])
        median = geometric_median(double(points), space, double(weights))
        np.testing.assert_allclose(double.numbers(median), points[2], atol=1e-12)

    @every_metric
    def test_point_at_the_edge_of_being_the_median(self, rng, key):
        # A point is the median as long as its weight holds the pull of the others.
        space = equipped(3, key)
        center, *others = random_correlation(rng, 3, 5.0, (5,))
        others = np.array(others)
        logs = space.metric.log_coords(others, center)
        pull = np.linalg.norm(
            np.sum(logs / np.linalg.norm(logs, axis=-1, keepdims=True), axis=0)
        )
        points = np.concatenate([others, center[None]])
        for factor, is_center in ((1.0 + 1e-6, True), (1.0 - 1e-3, False)):
            weights = np.array([1.0] * 4 + [factor * pull])
            median = geometric_median(points, space, weights)
            distance = space.metric.dist(median, center)
            assert (distance <= 1e-12) == is_center
            assert slope(space, median, points, weights) <= 1e-10

    @every_metric
    def test_starts_well_on_a_point_that_is_not_the_median(self, rng, key):
        space = equipped(3, key)
        points = random_correlation(rng, 3, 20.0, (5,))
        points = np.concatenate([points, frechet_mean(points, space)[None]])
        weights = np.array([1.0] * 5 + [1e-3])
        median = geometric_median(points, space, weights)
        assert slope(space, median, points, weights) <= 1e-11

    @every_metric
    def test_on_a_geodesic_is_the_median_of_the_times(self, double, rng, key):
        space = equipped(4, key)
        times = np.array([0.0, 0.1, 0.3, 0.8, 1.5])
        for chosen in (times, times[:4]):
            points = along(space, rng, np.append(chosen, np.median(chosen)))
            median = double.apply(geometric_median, points[:-1], space)
            np.testing.assert_allclose(median, points[-1], atol=1e-10)

    @every_metric
    def test_almost_on_a_geodesic(self, rng, key):
        space = equipped(3, key)
        points = along(space, rng, np.array([0.0, 0.1, 0.3, 0.8, 1.1, 1.5]))
        for size in (1e-3, 1e-6, 1e-9):
            noise = size * rng.normal(size=(6, space.dim))
            noisy = space.metric.exp_coords(noise, points)
            median = geometric_median(noisy, space)
            sums = space.metric.dist_broadcast(
                np.concatenate([median[None], noisy]), noisy
            ).sum(axis=-1)
            assert sums[0] <= sums[1:].min() * (1.0 + 1e-13)

    @every_metric
    def test_duplicates_count(self, double, rng, key):
        space = equipped(4, key)
        points = random_correlation(rng, 4, 10.0, (4,))
        counts = [2, 0, 1, 3]
        median = geometric_median(
            double(points), space, double([float(c) for c in counts])
        )
        expected = geometric_median(np.repeat(points, counts, axis=0), space)
        np.testing.assert_allclose(double.numbers(median), expected, atol=1e-10)

    @every_metric
    def test_outliers_cannot_move_it_far(self, rng, key):
        space = equipped(4, key)
        coords = 0.1 * rng.normal(size=(9, space.dim))
        points = space.metric.from_coords(coords)
        median = geometric_median(points, space)
        coords[:3] += 1.0
        moved = geometric_median(space.metric.from_coords(coords), space)
        assert space.metric.dist(moved, median) <= 0.5

    @every_metric
    def test_float32(self, library, rng, key):
        space = equipped(4, key)
        points = random_correlation(rng, 4, 10.0, (9,))
        single = points.astype(np.float32)
        if library == "torch":
            single = pytest.importorskip("torch").as_tensor(single)
        median = geometric_median(single, space)
        assert median.dtype == single.dtype
        expected = geometric_median(points, space)
        np.testing.assert_allclose(np.asarray(median), expected, atol=1e-4)


class TestTrimmedMean:
    @every_metric
    @pytest.mark.parametrize("fraction", [0.0, 0.15, 0.4])
    def test_is_the_mean_of_the_points_nearest_to_it(self, double, rng, key, fraction):
        space = equipped(4, key)
        points, weights = random_correlation(rng, 4, 20.0, (9,)), rng.uniform(size=9)
        mean = double.numbers(
            trimmed_mean(double(points), space, fraction, double(weights))
        )
        room = (1.0 - fraction) * weights.sum()
        kept = np.zeros(9)
        for i in np.argsort(space.metric.dist(points, mean)):
            kept[i] = min(weights[i], room)
            room -= kept[i]
        expected = frechet_mean(points, space, np.maximum(kept, 0.0))
        np.testing.assert_allclose(mean, expected, atol=1e-12)

    @every_metric
    def test_nothing_trimmed_is_the_mean(self, double, rng, key):
        space = equipped(4, key)
        points = random_correlation(rng, 4, 20.0, (6,))
        mean = double.apply(trimmed_mean, points, space, 0.0)
        np.testing.assert_allclose(mean, frechet_mean(points, space), atol=1e-12)

    @every_metric
    def test_outliers_are_left_out(self, double, rng, key):
        space = equipped(4, key)
        coords = 0.1 * rng.normal(size=(10, space.dim))
        coords[[1, 5]] += 1.0
        points = space.metric.from_coords(coords)
        mean = double.apply(trimmed_mean, points, space, 0.2)
        expected = frechet_mean(np.delete(points, [1, 5], axis=0), space)
        np.testing.assert_allclose(mean, expected, atol=1e-12)

    @every_metric
    def test_integer_weights_are_repetitions(self, rng, key):
        space = equipped(3, key)
        points = random_correlation(rng, 3, 10.0, (4,))
        counts = [2, 1, 1, 3]
        mean = trimmed_mean(points, space, 0.2, np.array(counts, dtype=float))
        expected = trimmed_mean(np.repeat(points, counts, axis=0), space, 0.2)
        np.testing.assert_allclose(mean, expected, atol=1e-10)

    @pytest.mark.parametrize("fraction", [-0.1, 1.0, float("nan")])
    def test_fraction_out_of_range(self, rng, fraction):
        points = random_correlation(rng, 3, 10.0, (4,))
        with pytest.raises(ParameterError, match="fraction"):
            trimmed_mean(points, equipped(3, "ecm"), fraction)


def centers():
    return pytest.mark.parametrize("center", [geometric_median, trimmed_mean])


@centers()
class TestBoth:
    @every_metric
    def test_one_point(self, double, rng, key, center):
        point = random_correlation(rng, 4)
        found = double.apply(center, point[None], equipped(4, key))
        np.testing.assert_allclose(found, point, atol=1e-12)

    @every_metric
    def test_equal_points(self, double, rng, key, center):
        point = random_correlation(rng, 4)
        found = double.apply(center, np.stack([point] * 5), equipped(4, key))
        np.testing.assert_allclose(found, point, atol=1e-12)

    @every_metric
    def test_batches(self, double, rng, key, center):
        space = equipped(3, key)
        points = random_correlation(rng, 3, 10.0, (2, 3, 7))
        weights = rng.uniform(size=(3, 7))
        found = center(double(points), space, weights=double(weights))
        found = double.numbers(found)
        assert found.shape == (2, 3, 3, 3)
        for i, j in np.ndindex(2, 3):
            expected = center(points[i, j], space, weights=weights[j])
            np.testing.assert_allclose(found[i, j], expected, atol=1e-11)

    @pytest.mark.parametrize("key", ["olm", "lsm"])
    def test_equivariance_under_permutations(self, rng, key, center):
        space = equipped(5, key)
        points = random_correlation(rng, 5, 100.0, (6,))
        order = rng.permutation(5)
        found = center(space.permutation_action(order, points), space)
        expected = space.permutation_action(order, center(points, space))
        np.testing.assert_allclose(found, expected, atol=1e-11)

    def test_equivariance_under_cor_inversion(self, rng, center):
        space = equipped(5, "lsm")
        points = random_correlation(rng, 5, 100.0, (6,))
        found = center(space.cor_inversion(points), space)
        expected = space.cor_inversion(center(points, space))
        np.testing.assert_allclose(found, expected, atol=1e-10)

    @every_metric
    def test_order_is_of_no_consequence(self, rng, key, center):
        space = equipped(4, key)
        points = random_correlation(rng, 4, 10.0, (7,))
        shuffled = center(rng.permutation(points), space)
        np.testing.assert_allclose(shuffled, center(points, space), atol=1e-11)

    def test_bad_input(self, rng, center):
        space = equipped(3, "olm")
        points = random_correlation(rng, 3, 10.0, (4,))
        with pytest.raises(ShapeError, match="empty"):
            center(points[:0], space)
        with pytest.raises(NotFiniteError, match=r"points\[2\]"):
            center(np.where(np.arange(4)[:, None, None] == 2, np.nan, points), space)
        with pytest.raises(ShapeError, match="3 points|4 points"):
            center(points, space, weights=np.ones(3))
        with pytest.raises(ParameterError, match="not negative"):
            center(points, space, weights=np.array([1.0, -1.0, 1.0, 1.0]))
        with pytest.raises(ParameterError, match="not all zero"):
            center(points, space, weights=np.zeros(4))


@pytest.mark.parametrize(
    "estimator, expected",
    [
        (lambda space: GeometricMedian(space), geometric_median),
        (lambda space: TrimmedMean(space, 0.3), lambda x, s: trimmed_mean(x, s, 0.3)),
    ],
)
def test_estimators(rng, estimator, expected):
    space = equipped(3, "lecm")
    points = random_correlation(rng, 3, 10.0, (6,))
    fitted = estimator(space).fit(points)
    np.testing.assert_allclose(fitted.estimate_, expected(points, space))
    assert not hasattr(clone(fitted), "estimate_")


def test_a_strict_space_raises_where_others_warn(rng, monkeypatch):
    from geomstats_cor import FullRankCorrelationMatrices
    from geomstats_cor.exceptions import ConvergenceError, ConvergenceWarning
    from geomstats_cor.statistics import trimmed

    monkeypatch.setattr(trimmed, "_MAX_TRIMMINGS", 1)
    points = random_correlation(rng, 3, 10.0, (6,))
    with pytest.warns(ConvergenceWarning, match="trimmed mean"):
        trimmed_mean(points, equipped(3, "ecm"), 0.3)
    strict = FullRankCorrelationMatrices(3, equip="ecm", check="strict")
    with warnings.catch_warnings(), pytest.raises(ConvergenceError):
        trimmed_mean(points, strict, 0.3)
