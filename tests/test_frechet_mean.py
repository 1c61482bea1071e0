"""Fréchet means: minimisers to rounding accuracy, with the symmetries of the metric."""

import numpy as np
import pytest
import scipy.optimize
from kernels.matrices import random_correlation, random_hollow, scaled_to_unit_diagonal
from sklearn.base import clone
from strategies import KEYS, equipped

from geomstats_cor import (
    FrechetMean,
    FullRankCorrelationMatrices,
    frechet_mean,
    frechet_variance,
)
from geomstats_cor.datasets import load_connectomes

every_metric = pytest.mark.parametrize("key", KEYS)

pytestmark = pytest.mark.filterwarnings("error")


def gradient_norm(space, mean, points, weights=None):
    """Return the length of the average of the logarithms, null at the mean."""
    logarithms = space.metric.log(points, mean)
    gradient = np.average(logarithms, axis=0, weights=weights)
    return space.metric.norm(gradient, mean)


class TestMinimiser:
    @every_metric
    @pytest.mark.parametrize("n", [2, 3, 6])
    def test_gradient_vanishes(self, double, rng, key, n):
        space = equipped(n, key)
        points = random_correlation(rng, n, 20.0, (9,))
        mean = double.apply(frechet_mean, points, space)
        assert space.belongs(mean)
        assert gradient_norm(space, mean, points) <= 1e-12

    @every_metric
    def test_gradient_vanishes_with_weights_and_parameters(self, double, rng, key):
        parameters = {
            "olm": dict(alpha=1.0, beta=0.5, gamma=-0.1),
            "lsm": dict(alpha=1.0, delta=0.5, zeta=-0.1),
            "phcm": dict(weights=[0.3, 2.0, 1.0]),
        }
        space = equipped(4, key, **parameters.get(key, {}))
        points = random_correlation(rng, 4, 20.0, (9,))
        weights = rng.uniform(size=9)
        mean = double.numbers(frechet_mean(double(points), space, double(weights)))
        assert gradient_norm(space, mean, points, weights) <= 1e-12

    @every_metric
    def test_float32_is_as_good_as_it_gets(self, library, rng, key):
        space = equipped(4, key)
        points = random_correlation(rng, 4, 10.0, (9,))
        expected = frechet_mean(points, space)
        single = points.astype(np.float32)
        if library == "torch":
            single = pytest.importorskip("torch").as_tensor(single)
        mean = frechet_mean(single, space)
        assert mean.dtype == single.dtype
        np.testing.assert_allclose(np.asarray(mean), expected, atol=1e-5)

    @every_metric
    def test_no_neighbour_is_better(self, rng, key):
        space = equipped(4, key)
        points = random_correlation(rng, 4, 20.0, (7,))
        mean = frechet_mean(points, space)
        directions = space.metric.normalize(random_hollow(rng, 4, (50,)), mean)
        for size in (1e-3, 0.1, 1.0):
            neighbours = space.metric.exp(size * directions, mean)
            variances = np.mean(
                space.metric.squared_dist(neighbours[:, None], points), axis=-1
            )
            least = np.mean(space.metric.squared_dist(mean, points))
            # By convexity the variance grows at least like the squared distance.
            assert np.all(variances >= least + 0.99 * size**2)

    @pytest.mark.parametrize("n", [3, 4])
    def test_is_what_an_optimiser_finds(self, rng, n):
        space = equipped(n, "phcm")
        points = random_correlation(rng, n, 20.0, (6,))
        weights = rng.uniform(size=6)

        def variance(coords):
            point = space.metric.from_coords(coords)
            return weights @ space.metric.squared_dist(point, points)

        start = np.zeros(space.dim)
        found = scipy.optimize.minimize(variance, start, options=dict(gtol=1e-9)).x
        mean = frechet_mean(points, space, weights)
        np.testing.assert_allclose(space.metric.from_coords(found), mean, atol=1e-6)

    @every_metric
    @pytest.mark.parametrize("condition", [1e4, 1e8])
    def test_of_points_far_apart(self, double, rng, key, condition):
        space = equipped(5, key)
        points = random_correlation(rng, 5, condition, (6,))
        mean = double.apply(frechet_mean, points, space)
        assert space.belongs(mean)
        spread = np.max(space.metric.dist(mean, points))
        error = gradient_norm(space, mean, points) / spread
        assert error <= 1e-15 * max(condition, np.linalg.cond(mean))

    @every_metric
    def test_of_points_next_to_each_other(self, double, rng, key):
        space = equipped(4, key)
        center = random_correlation(rng, 4)
        points = space.metric.exp(1e-7 * random_hollow(rng, 4, (5,)), center)
        mean = double.apply(frechet_mean, points, space)
        # To first order the mean is the average.
        np.testing.assert_allclose(mean, points.mean(axis=0), atol=1e-12)

    def test_of_many_points(self, double, rng):
        # Rounding of a long sum must not pass for a rise of it.
        space = equipped(4, "phcm")
        points, weights = (
            random_correlation(rng, 4, 100.0, (3000,)),
            rng.uniform(size=3000),
        )
        mean = double.numbers(frechet_mean(double(points), space, double(weights)))
        assert gradient_norm(space, mean, points, weights) <= 1e-12


class TestPoints:
    @every_metric
    def test_one_point_is_its_own_mean(self, double, rng, key):
        point = random_correlation(rng, 4)
        mean = double.apply(frechet_mean, point[None], equipped(4, key))
        np.testing.assert_allclose(mean, point, atol=1e-13)

    @every_metric
    def test_equal_points_are_their_own_mean(self, double, rng, key):
        point = random_correlation(rng, 4)
        mean = double.apply(frechet_mean, np.stack([point] * 5), equipped(4, key))
        np.testing.assert_allclose(mean, point, atol=1e-13)

    @every_metric
    @pytest.mark.parametrize("condition", [10.0, 1e6])
    def test_two_points_have_their_midpoint(self, double, rng, key, condition):
        space = equipped(4, key)
        points = random_correlation(rng, 4, condition, (2,))
        mean = double.apply(frechet_mean, points, space)
        middle = space.metric.geodesic(*points)(0.5)[0]
        np.testing.assert_allclose(mean, middle, atol=1e-15 * condition + 1e-13)

    @every_metric
    def test_weights_of_two_points_are_times_of_the_geodesic(self, double, rng, key):
        space = equipped(4, key)
        points = random_correlation(rng, 4, 10.0, (2,))
        mean = frechet_mean(double(points), space, double([3.0, 1.0]))
        expected = space.metric.geodesic(*points)(0.25)[0]
        np.testing.assert_allclose(double.numbers(mean), expected, atol=1e-12)

    @every_metric
    def test_integer_weights_are_repetitions(self, double, rng, key):
        space = equipped(4, key)
        points = random_correlation(rng, 4, 10.0, (4,))
        counts = [2, 0, 1, 3]
        repeated = np.repeat(points, counts, axis=0)
        mean = frechet_mean(double(points), space, double([float(c) for c in counts]))
        expected = frechet_mean(repeated, space)
        np.testing.assert_allclose(double.numbers(mean), expected, atol=1e-12)

    @every_metric
    def test_order_is_of_no_consequence(self, rng, key):
        space = equipped(4, key)
        points = random_correlation(rng, 4, 10.0, (6,))
        mean = frechet_mean(points, space)
        shuffled = frechet_mean(rng.permutation(points), space)
        np.testing.assert_allclose(shuffled, mean, atol=1e-13)

    @every_metric
    def test_lists(self, rng, key):
        space = equipped(3, key)
        points, weights = random_correlation(rng, 3, 10.0, (4,)), rng.uniform(size=4)
        mean = frechet_mean(points.tolist(), space, weights.tolist())
        expected = frechet_mean(points, space, weights)
        np.testing.assert_allclose(np.asarray(mean), expected, rtol=1e-13)


class TestBatches:
    @every_metric
    def test_means_of_stacks(self, double, rng, key):
        space = equipped(3, key)
        points = random_correlation(rng, 3, 10.0, (2, 3, 5))
        weights = rng.uniform(size=(3, 5))
        means = double.numbers(frechet_mean(double(points), space, double(weights)))
        assert means.shape == (2, 3, 3, 3)
        for i, j in np.ndindex(2, 3):
            expected = frechet_mean(points[i, j], space, weights[j])
            np.testing.assert_allclose(means[i, j], expected, atol=1e-12)

    @every_metric
    def test_no_stacks(self, double, key):
        means = frechet_mean(double(np.empty((0, 5, 3, 3))), equipped(3, key))
        assert double.numbers(means).shape == (0, 3, 3)


class TestVariance:
    @every_metric
    def test_is_the_mean_of_squared_distances(self, double, rng, key):
        space = equipped(4, key)
        points = random_correlation(rng, 4, 20.0, (2, 7))
        center, weights = random_correlation(rng, 4), rng.uniform(size=(2, 7))
        variance = frechet_variance(
            double(points), space, double(center), double(weights)
        )
        squares = space.metric.squared_dist(points, center)
        expected = np.average(squares, axis=-1, weights=weights)
        np.testing.assert_allclose(double.numbers(variance), expected, rtol=1e-12)

    @every_metric
    def test_is_least_at_the_mean(self, double, rng, key):
        space = equipped(4, key)
        points = random_correlation(rng, 4, 20.0, (7,))
        least = float(frechet_variance(double(points), space))
        mean = frechet_mean(points, space)
        np.testing.assert_allclose(least, frechet_variance(points, space, mean))
        center = random_correlation(rng, 4)
        # Curvature that is not positive leaves the parallel axis theorem an inequality.
        about = frechet_variance(points, space, center)
        excess = about - least - space.metric.squared_dist(center, mean)
        assert excess >= -1e-12 * about
        if space.metric.image_space.metric.is_flat:
            assert excess <= 1e-12 * about

    @every_metric
    def test_of_one_point_is_zero(self, double, rng, key):
        point = random_correlation(rng, 4, 20.0, (1,))
        variance = frechet_variance(double(point), equipped(4, key))
        assert 0.0 <= float(variance) <= 1e-28


class TestEquivariance:
    @pytest.mark.parametrize("key", ["olm", "lsm"])
    def test_under_permutations(self, rng, key):
        space = equipped(5, key)
        points = random_correlation(rng, 5, 100.0, (6,))
        order = rng.permutation(5)
        mean = frechet_mean(space.permutation_action(order, points), space)
        expected = space.permutation_action(order, frechet_mean(points, space))
        np.testing.assert_allclose(mean, expected, atol=1e-12)

    @pytest.mark.parametrize("key", ["ecm", "lecm", "olm", "phcm"])
    def test_under_signs(self, rng, key):
        space = equipped(5, key)
        points = random_correlation(rng, 5, 100.0, (6,))
        signs = np.array([1.0, -1.0, -1.0, 1.0, -1.0])
        mean = frechet_mean(space.diag_action(signs, points), space)
        expected = space.diag_action(signs, frechet_mean(points, space))
        np.testing.assert_allclose(mean, expected, atol=1e-12)

    def test_of_the_log_scaled_metric_under_cor_inversion(self, rng):
        space = equipped(5, "lsm")
        points = random_correlation(rng, 5, 100.0, (6,))
        mean = frechet_mean(space.cor_inversion(points), space)
        expected = space.cor_inversion(frechet_mean(points, space))
        np.testing.assert_allclose(mean, expected, atol=1e-11)

    @every_metric
    def test_parameters_of_the_product_are_of_no_consequence(self, rng, key):
        # All products that a metric offers have the same geodesics.
        others = {
            "olm": dict(alpha=0.5, beta=1.0, gamma=2.0),
            "lsm": dict(alpha=0.5, delta=1.0, zeta=2.0),
            "phcm": dict(weights=[0.1, 5.0, 1.0]),
        }
        points = random_correlation(rng, 4, 20.0, (6,))
        expected = frechet_mean(points, equipped(4, key))
        mean = frechet_mean(points, equipped(4, key, **others.get(key, {})))
        np.testing.assert_allclose(mean, expected, atol=1e-12)


class TestEstimator:
    @every_metric
    def test_fits_the_mean(self, double, rng, key):
        space = equipped(3, key)
        points, weights = random_correlation(rng, 3, 10.0, (5,)), rng.uniform(size=5)
        estimator = FrechetMean(space)
        assert estimator.fit(double(points)) is estimator
        expected = frechet_mean(points, space)
        np.testing.assert_allclose(double.numbers(estimator.estimate_), expected)
        estimator.fit(double(points), weights=double(weights))
        expected = frechet_mean(points, space, weights)
        np.testing.assert_allclose(double.numbers(estimator.estimate_), expected)

    def test_is_cloned_without_its_fit(self, rng):
        space = FullRankCorrelationMatrices(3, equip="lsm")
        estimator = FrechetMean(space).fit(random_correlation(rng, 3, 10.0, (5,)))
        copy = clone(estimator)
        assert not hasattr(copy, "estimate_")
        assert set(copy.get_params()) == {"space"}
        points = random_correlation(rng, 3, 10.0, (4,))
        np.testing.assert_allclose(
            copy.fit(points).estimate_, frechet_mean(points, space), rtol=1e-13
        )


@every_metric
def test_connectomes(key):
    correlations = load_connectomes().correlations
    space = FullRankCorrelationMatrices(28, equip=key)
    mean = frechet_mean(correlations, space)
    assert space.belongs(mean)
    assert gradient_norm(space, mean, correlations) <= 1e-10
    # Better than the arithmetic mean, and than single points.
    arithmetic = scaled_to_unit_diagonal(correlations.mean(axis=0))
    others = np.concatenate([arithmetic[None], correlations[:2]])
    variances = np.mean(space.metric.dist_broadcast(others, correlations) ** 2, axis=-1)
    assert np.all(variances > np.mean(space.metric.squared_dist(mean, correlations)))
