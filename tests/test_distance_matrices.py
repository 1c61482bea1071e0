"""Matrices of distances, which are computed a few rows at a time."""

import numpy as np
import pytest
from kernels.matrices import random_correlation
from strategies import KEYS, equipped

every_metric = pytest.mark.parametrize("key", KEYS)


@every_metric
@pytest.mark.parametrize("entries", [1, 40, 2**18])
def test_blocks_are_of_no_consequence(double, rng, key, entries, monkeypatch):
    monkeypatch.setattr("geomstats_cor.kernels._batching._CACHE_BYTES", 8 * entries)
    metric = equipped(3, key).metric
    points, others = (
        random_correlation(rng, 3, 20.0, (7,)),
        random_correlation(rng, 3, 20.0, (4,)),
    )
    expected = metric.dist(points[:, None], others)
    found = double.apply(metric.dist_broadcast, points, others)
    np.testing.assert_allclose(found, expected, rtol=1e-12)
    pairwise = double.apply(metric.dist_pairwise, points)
    np.testing.assert_allclose(
        pairwise, metric.dist(points[:, None], points), rtol=1e-12
    )
    assert np.array_equal(np.diagonal(pairwise), np.zeros(7))
    assert double.apply(metric.diameter, points) == pairwise.max()


@every_metric
def test_no_points(double, rng, key):
    metric = equipped(3, key).metric
    points = random_correlation(rng, 3, 20.0, (4,))
    assert double.apply(metric.dist_broadcast, points[:0], points).shape == (0, 4)
    assert double.apply(metric.dist_broadcast, points, points[:0]).shape == (4, 0)
    assert double.apply(metric.dist_pairwise, points[:0]).shape == (0, 0)


@every_metric
def test_close_points_keep_their_digits(rng, key):
    # A formula with squared norms and products would lose half of them.
    metric = equipped(3, key).metric
    point = random_correlation(rng, 3, 5.0)
    near = metric.exp_coords(1e-7 * np.eye(3), point)
    found = metric.dist_broadcast(point[None], near)[0]
    np.testing.assert_allclose(found, 1e-7, rtol=1e-6)
