"""Paths in time: interpolation and smoothing."""

import numpy as np
import pytest
from kernels.matrices import random_correlation
from strategies import KEYS, equipped

from geomstats_cor import frechet_mean
from geomstats_cor.exceptions import ParameterError, ShapeError
from geomstats_cor.learning import interpolate, smooth

every_metric = pytest.mark.parametrize("key", KEYS)


class TestInterpolation:
    @every_metric
    def test_of_two_points_is_the_geodesic(self, arrays, rng, key):
        space = equipped(4, key)
        points = random_correlation(rng, 4, 5.0, (2,))
        at = np.array([0.5, -1.0, 0.0, 1.0, 1.75])
        path = arrays.apply(
            lambda x, t, at: interpolate(x, t, at, space),
            points,
            np.array([0.0, 1.0]),
            at,
        )
        expected = space.metric.geodesic(*points)(at)
        np.testing.assert_allclose(path, expected, atol=200 * arrays.eps)

    @every_metric
    def test_goes_through_the_points(self, rng, key):
        space = equipped(3, key)
        points = random_correlation(rng, 3, 20.0, (6,))
        times = np.cumsum(rng.uniform(0.1, 2.0, 6))
        np.testing.assert_allclose(
            interpolate(points, times, times, space), points, atol=1e-12
        )
        middle = (times[1:] + times[:-1]) / 2
        expected = [frechet_mean(points[i : i + 2], space) for i in range(5)]
        np.testing.assert_allclose(
            interpolate(points, times, middle, space), expected, atol=1e-12
        )
        ahead = interpolate(points, times, [2 * times[-1] - times[-2]], space)[0]
        beyond = space.metric.geodesic(points[-2], points[-1])(2.0)[0]
        np.testing.assert_allclose(ahead, beyond, atol=1e-12)

    def test_times_may_be_whole_numbers(self, arrays, rng):
        space = equipped(3, "olm")
        points = arrays(random_correlation(rng, 3, 5.0, (3,)))
        whole, times = np.array([1999, 2001, 2004]), [1999.0, 2001.0, 2004.0]
        for function in (
            lambda t, at: interpolate(points, t, at, space),
            lambda t, at: smooth(points, t, space, 1, at=at),
        ):
            np.testing.assert_array_equal(
                arrays.numbers(function(whole, [2000, 2003])),
                arrays.numbers(function(arrays(times), arrays([2000.0, 2003.0]))),
            )

    def test_errors(self, rng):
        space = equipped(3, "olm")
        points = random_correlation(rng, 3, 20.0, (3,))
        with pytest.raises(ParameterError, match="times must increase"):
            interpolate(points, [0.0, 2.0, 1.0], [0.5], space)
        with pytest.raises(ShapeError, match=r"expected shape \[3\].*, got \(2,\)"):
            interpolate(points, [0.0, 2.0], [0.5], space)
        with pytest.raises(ShapeError, match="two at least"):
            interpolate(points[:1], [0.0], [0.5], space)


class TestSmoothing:
    @every_metric
    def test_a_kernel_of_one_point_gives_the_points(self, arrays, rng, key):
        space = equipped(4, key)
        points = random_correlation(rng, 4, 5.0, (5,))
        times = np.array([0.0, 1.0, 3.0, 2.0, 7.0])
        path = arrays.apply(
            lambda x, t: smooth(x, t, space, 0.5, kernel="box"), points, times
        )
        np.testing.assert_allclose(path, points, atol=100 * arrays.eps)

    @every_metric
    def test_is_the_weighted_mean_at_each_time(self, rng, key):
        space = equipped(4, key)
        points = random_correlation(rng, 4, 20.0, (7,))
        times, at = rng.uniform(size=7), rng.uniform(size=4)
        kernels = {
            "gaussian": lambda u: np.exp(-0.5 * u**2),
            "epanechnikov": lambda u: np.maximum(0.0, 1.0 - u**2),
            "box": lambda u: 1.0 * (np.abs(u) <= 1.0),
        }
        for name, function in kernels.items():
            path = smooth(points, times, space, 0.6, at=at, kernel=name)
            same = smooth(points, times, space, 0.6, at=at, kernel=function)
            np.testing.assert_allclose(path, same, atol=1e-13)
            for t, point in zip(at, path, strict=True):
                weights = function((t - times) / 0.6)
                expected = frechet_mean(points, space, weights)
                np.testing.assert_allclose(point, expected, atol=1e-12)

    def test_pieces_make_the_whole(self, double, rng, monkeypatch):
        space = equipped(4, "phcm")
        points = random_correlation(rng, 4, 20.0, (7,))
        times = np.arange(7.0)
        whole = smooth(points, times, space, 1.0)
        monkeypatch.setattr("geomstats_cor.kernels._batching._CACHE_BYTES", 3000)
        pieces = double.apply(lambda x, t: smooth(x, t, space, 1.0), points, times)
        np.testing.assert_allclose(pieces, whole, atol=1e-13)

    @every_metric
    def test_a_wide_kernel_gives_the_mean(self, rng, key):
        space = equipped(3, key)
        points = random_correlation(rng, 3, 20.0, (7,))
        path = smooth(points, np.arange(7.0), space, 1e9)
        mean = frechet_mean(points, space)
        np.testing.assert_allclose(path, np.broadcast_to(mean, path.shape), atol=1e-12)

    def test_errors(self, rng):
        space = equipped(3, "olm")
        points = random_correlation(rng, 3, 20.0, (3,))
        times = [0.0, 1.0, 2.0]
        with pytest.raises(ParameterError, match="no point has a weight at time 9"):
            smooth(points, times, space, 1.0, at=[1.0, 9.0], kernel="box")
        with pytest.raises(ParameterError, match="bandwidth: expected .*, got 0"):
            smooth(points, times, space, 0)
        with pytest.raises(ParameterError, match="kernel is 'cubic'.*epanechnikov"):
            smooth(points, times, space, 1.0, kernel="cubic")
        with pytest.raises(ShapeError, match=r"expected shape \[3\].*, got \(2,\)"):
            smooth(points, times[:2], space, 1.0)
        with pytest.raises(ParameterError, match="times has a NaN"):
            smooth(points, [0.0, np.nan, 2.0], space, 1.0)
        with pytest.raises(ShapeError, match=r"at: expected .*, got \(1, 2\)"):
            smooth(points, times, space, 1.0, at=[[0.0, 1.0]])
