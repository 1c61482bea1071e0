"""Gaussian distributions: samples and densities belong together."""

import numpy as np
import pytest
import scipy.integrate
import scipy.stats
from kernels.matrices import random_correlation, random_spd
from strategies import KEYS, equipped, hollow

from geomstats_cor import frechet_mean
from geomstats_cor.exceptions import (
    NotPositiveDefiniteError,
    ParameterError,
    ShapeError,
)
from geomstats_cor.kernels import pack_strictly_lower
from geomstats_cor.learning import GaussianDistribution

every_metric = pytest.mark.parametrize("key", KEYS)


def law(rng, key, n, **parameters):
    space = equipped(n, key, **parameters)
    covariance = 0.2 * random_spd(rng, space.dim, 4.0)
    return GaussianDistribution(space, random_correlation(rng, n, 4.0), covariance)


class TestDensity:
    @every_metric
    def test_integrates_to_one(self, rng, key):
        distribution = law(rng, key, 2)

        def density(rho):
            point = np.array([[1.0, rho], [rho, 1.0]])
            return np.exp(distribution.logpdf(point, measure="entries"))

        total = scipy.integrate.quad(density, -1 + 1e-9, 1 - 1e-9, limit=200)[0]
        assert total == pytest.approx(1.0, abs=1e-6)

    @every_metric
    @pytest.mark.parametrize("n", [3, 4])
    def test_is_a_change_of_variables(self, rng, key, n):
        parameters = dict(weights=rng.uniform(0.3, 2.0, n - 1)) if key == "phcm" else {}
        distribution = law(rng, key, n, **parameters)
        metric, dim = distribution.space.metric, distribution.space.dim
        point = random_correlation(rng, n, 4.0)
        h = 1e-5
        steps = h * hollow(np.eye(dim))
        ahead = metric.log_coords(point + steps, distribution.mean)
        behind = metric.log_coords(point - steps, distribution.mean)
        jacobian = (ahead - behind) / (2 * h)
        coords = metric.log_coords(point, distribution.mean)
        normal = scipy.stats.multivariate_normal(cov=distribution.covariance)
        expected = normal.logpdf(coords) + np.linalg.slogdet(jacobian)[1]
        result = distribution.logpdf(point, measure="entries")
        assert result == pytest.approx(expected, abs=1e-7)
        volume = 0.5 * np.linalg.slogdet(metric.metric_matrix(point))[1]
        assert distribution.logpdf(point) == pytest.approx(expected - volume, abs=1e-7)

    def test_far_points_do_not_overflow(self):
        space = equipped(3, "phcm")
        wide = GaussianDistribution(space, np.eye(3), 1e4 * np.eye(3))
        point = space.metric.exp_coords(np.array([0.0, 8.0, 0.0]), np.eye(3))
        near = scipy.stats.norm(scale=100.0).logpdf([8.0, 0.0, 0.0]).sum()
        expected = near - np.log(np.sinh(8.0) / 8.0)
        assert wide.logpdf(point) == pytest.approx(expected, rel=1e-8)
        stretch = space.metric.image_space.metric.log_exp_jacobian(
            np.array([5.0, 3e3, 4e3])
        )
        assert stretch == pytest.approx(5e3 - np.log(1e4), rel=1e-14)

    def test_every_array_type(self, arrays, rng):
        distribution = law(rng, "phcm", 3)
        points = random_correlation(rng, 3, 4.0, (2, 4))
        same = GaussianDistribution(
            distribution.space,
            arrays(distribution.mean),
            arrays(distribution.covariance),
        )
        for measure in ("volume", "entries"):
            expected = distribution.logpdf(points, measure)
            result = arrays.numbers(same.logpdf(arrays(points), measure))
            np.testing.assert_allclose(result, expected, rtol=1e4 * arrays.eps)
        arrays.numbers(same.sample(3, rng=0))


class TestSamples:
    @every_metric
    def test_have_the_moments(self, rng, key):
        distribution = law(rng, key, 3)
        metric = distribution.space.metric
        points = distribution.sample(20_000, rng=1)
        coords = metric.log_coords(points, distribution.mean)
        np.testing.assert_allclose(coords.mean(axis=0), 0.0, atol=0.03)
        covariance = np.cov(coords, rowvar=False)
        np.testing.assert_allclose(covariance, distribution.covariance, atol=0.03)

    def test_are_seeded(self, rng):
        distribution = law(rng, "olm", 3)
        once, again = (distribution.sample(4, rng=5) for _ in range(2))
        np.testing.assert_array_equal(once, again)
        assert distribution.sample(rng=0).shape == (1, 3, 3)

    def test_a_singular_covariance_has_samples_but_no_density(self, rng):
        space = equipped(3, "olm")
        points = random_correlation(rng, 3, 4.0, (3,))
        distribution = GaussianDistribution.fit(points, space)
        assert distribution.sample(4, rng=0).shape == (4, 3, 3)
        with pytest.raises(NotPositiveDefiniteError, match="shrinkage='ledoit-wolf'"):
            distribution.logpdf(points)


class TestFit:
    @every_metric
    def test_mean_and_covariance(self, double, rng, key):
        space = equipped(3, key)
        points = random_correlation(rng, 3, 9.0, (12,))
        fitted = GaussianDistribution.fit(double(points), space)
        mean = frechet_mean(points, space)
        np.testing.assert_allclose(double.numbers(fitted.mean), mean, atol=1e-12)
        coords = space.metric.log_coords(points, mean)
        covariance = np.cov(coords, rowvar=False)
        result = double.numbers(fitted.covariance)
        np.testing.assert_allclose(result, covariance, atol=1e-12)
        shrunk = GaussianDistribution.fit(double(points), space, shrinkage=0.3)
        expected = 0.7 * covariance + 0.1 * np.trace(covariance) * np.eye(3)
        result = double.numbers(shrunk.covariance)
        np.testing.assert_allclose(result, expected, atol=1e-12)

    def test_few_points_have_a_density_by_shrinkage(self, double, rng):
        points = double(random_correlation(rng, 5, 9.0, (6,)))
        space = equipped(5, "lsm")
        fitted = GaussianDistribution.fit(points, space, shrinkage="ledoit-wolf")
        assert np.all(np.isfinite(double.numbers(fitted.logpdf(points))))

    def test_the_fit_maximises_the_likelihood(self, rng):
        space = equipped(3, "olm")
        points = random_correlation(rng, 3, 9.0, (30,))
        fitted = GaussianDistribution.fit(points, space)
        covariance = fitted.covariance * 29 / 30
        best = GaussianDistribution(space, fitted.mean, covariance)
        for _ in range(10):
            other = GaussianDistribution(
                space,
                space.metric.exp_coords(0.05 * rng.standard_normal(3), fitted.mean),
                covariance + 0.02 * random_spd(rng, 3),
            )
            assert other.logpdf(points).sum() < best.logpdf(points).sum()


def test_errors(rng):
    space = equipped(3, "olm")
    points = random_correlation(rng, 3, 9.0, (4,))
    with pytest.raises(ShapeError, match=r"covariance: expected .*, got \(2, 2\)"):
        GaussianDistribution(space, np.eye(3), np.eye(2))
    with pytest.raises(ShapeError, match="has 1 matrices.*two at least"):
        GaussianDistribution.fit(points[:1], space)
    with pytest.raises(ParameterError, match="shrinkage: expected .*, got 2"):
        GaussianDistribution.fit(points, space, shrinkage=2)
    with pytest.raises(ParameterError, match="shrinkage: expected .*, got 'oas'"):
        GaussianDistribution.fit(points, space, shrinkage="oas")
    with pytest.raises(ParameterError, match="measure is 'haar'"):
        GaussianDistribution(space, np.eye(3), np.eye(3)).logpdf(points, "haar")


def test_condensed_entries_are_the_chart(rng):
    """The measure of entries is that of the condensed form."""
    distribution = law(rng, "ecm", 3)
    points = distribution.sample(200_000, rng=2)
    center, width = pack_strictly_lower(distribution.mean), 0.15
    inside = np.all(np.abs(pack_strictly_lower(points) - center) < width, axis=-1)
    grid = center + width * rng.uniform(-1.0, 1.0, size=(2000, 3))
    cube = hollow(grid) + np.eye(3)
    mass = np.mean(np.exp(distribution.logpdf(cube, "entries"))) * (2 * width) ** 3
    assert np.mean(inside) == pytest.approx(mass, rel=0.05)
