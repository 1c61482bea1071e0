"""Confidence regions: their boundary, and the tests they invert."""

import numpy as np
import pytest
import scipy.stats
from strategies import KEYS, equipped

from geomstats_cor import confidence_region, frechet_mean, mean_test
from geomstats_cor.exceptions import ParameterError, ShapeError

from .samples import normal_sample

every_metric = pytest.mark.parametrize("key", KEYS)


@every_metric
class TestHotelling:
    def test_boundary_is_where_the_test_is_undecided(self, rng, key):
        space = equipped(3, key)
        points = normal_sample(space, rng, 15, mean=space.random_point(rng=2))
        region = confidence_region(points, space, level=0.9)
        boundary = region.boundary(20, rng=0)
        assert np.all(space.belongs(boundary))
        p_values = [
            mean_test(points, point, space, "hotelling", "asymptotic").p_value
            for point in boundary
        ]
        np.testing.assert_allclose(p_values, 0.1, rtol=1e-6)

    def test_contains_what_is_inside(self, rng, key):
        space = equipped(3, key)
        region = confidence_region(normal_sample(space, rng, 15), space)
        assert region.contains(region.mean)
        boundary = region.boundary(10, rng=0)
        coords = space.metric.log_coords(boundary, region.mean)
        inside = space.metric.exp_coords(0.99 * coords, region.mean)
        outside = space.metric.exp_coords(1.01 * coords, region.mean)
        assert region.contains(inside).tolist() == [True] * 10
        assert region.contains(outside).tolist() == [False] * 10
        both = np.stack([inside, outside])
        assert region.contains(both).tolist() == [[True] * 10, [False] * 10]

    def test_grows_with_the_level(self, rng, key):
        space = equipped(3, key)
        points = normal_sample(space, rng, 15)
        narrow, wide = (confidence_region(points, space, c) for c in (0.5, 0.99))
        assert np.all(wide.contains(narrow.boundary(10, rng=0)))
        assert not np.any(narrow.contains(wide.boundary(10, rng=0)))

    def test_arrays_of_any_library(self, arrays, rng, key):
        space = equipped(3, key)
        points = normal_sample(space, rng, 15)
        expected = confidence_region(arrays.rounded(points), space)
        region = confidence_region(arrays(points), space)
        boundary = arrays.numbers(region.boundary(5, rng=0))
        np.testing.assert_allclose(
            boundary, expected.boundary(5, rng=0), atol=1000 * arrays.eps
        )
        assert np.all(region.contains(arrays(0.5 * boundary + 0.5 * np.eye(3))))


def test_one_dimension_is_the_interval_of_student(rng):
    space = equipped(2, "ecm")
    points = normal_sample(space, rng, 12)
    region = confidence_region(points, space, level=0.9)
    ends = np.unique(space.metric.to_coords(region.boundary(20, rng=0)).round(12))
    x = space.metric.to_coords(points)[:, 0]
    expected = scipy.stats.ttest_1samp(x, 0.0).confidence_interval(0.9)
    np.testing.assert_allclose(ends, expected, atol=1e-10)


class TestBootstrap:
    @every_metric
    def test_is_a_ball_about_the_mean(self, rng, key):
        space = equipped(4, key)
        points = normal_sample(space, rng, 12)
        region = confidence_region(
            points, space, method="bootstrap", n_resamples=99, rng=0
        )
        np.testing.assert_allclose(region.mean, frechet_mean(points, space))
        boundary = region.boundary(10, rng=0)
        dists = space.metric.dist(boundary, region.mean)
        np.testing.assert_allclose(dists, region.radius, rtol=1e-9)
        assert region.contains(region.mean)

    @every_metric
    def test_radius_is_a_quantile_of_resampled_means(self, rng, key):
        space = equipped(3, key)
        points = normal_sample(space, rng, 10)
        region = confidence_region(
            points, space, 0.8, method="bootstrap", n_resamples=49, rng=4
        )
        counts = np.random.default_rng(4).multinomial(10, np.full(10, 0.1), 49)
        mean = frechet_mean(points, space)
        dists = [
            space.metric.dist(
                frechet_mean(np.repeat(points, count, axis=0), space), mean
            )
            for count in counts
        ]
        expected = np.sort(dists)[39] * np.sqrt(10 / 9)
        np.testing.assert_allclose(region.radius, expected, rtol=1e-8)

    def test_pieces_change_nothing(self, rng, monkeypatch):
        space = equipped(3, "phcm")
        points = normal_sample(space, rng, 8)
        arguments = dict(method="bootstrap", n_resamples=39, rng=1)
        whole = confidence_region(points, space, **arguments).radius
        monkeypatch.setattr(
            "geomstats_cor.kernels._batching._MEMORY_BYTES", 5 * 8 * 8 * 9
        )
        pieces = confidence_region(points, space, **arguments).radius
        np.testing.assert_allclose(pieces, whole, rtol=1e-12)


class TestBadInput:
    def test_too_few_matrices(self, rng):
        space = equipped(4, "olm")
        points = normal_sample(space, rng, 12)
        with pytest.raises(ParameterError, match='method="bootstrap"'):
            confidence_region(points, space)
        with pytest.raises(ShapeError, match="at least 2"):
            confidence_region(points[:1], space, method="bootstrap")

    @pytest.mark.parametrize("level", [0.0, 1.0, 95])
    def test_level(self, rng, level):
        space = equipped(3, "olm")
        with pytest.raises(ParameterError, match=r"level: .* in \(0, 1\)"):
            confidence_region(normal_sample(space, rng, 12), space, level)

    def test_too_few_resamples(self, rng):
        space = equipped(3, "olm")
        points = normal_sample(space, rng, 12)
        with pytest.raises(ParameterError, match="n_resamples >= 19"):
            confidence_region(points, space, method="bootstrap", n_resamples=18)

    def test_unknown_method(self, rng):
        space = equipped(3, "olm")
        with pytest.raises(ParameterError, match="'bootstrap'"):
            confidence_region(normal_sample(space, rng, 12), space, method="wald")
