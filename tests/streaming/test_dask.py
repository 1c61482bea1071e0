"""Dask arrays and delayed blocks, on the workers of a real cluster."""

import numpy as np
import pytest
from kernels.matrices import random_correlation
from strategies import KEYS, equipped

from geomstats_cor import frechet_mean, frechet_mean_of_chunks
from geomstats_cor.exceptions import NotFiniteError, ParameterError, ShapeError

dask = pytest.importorskip("dask")
pytest.importorskip("dask.array")
distributed = pytest.importorskip("dask.distributed")

every_metric = pytest.mark.parametrize("key", KEYS)


@pytest.fixture(scope="module")
def cluster():
    """Two processes, one thread each."""
    with (
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, dashboard_address=None
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        client.wait_for_workers(2)
        yield client


@pytest.fixture
def points(rng):
    return random_correlation(rng, 4, 20.0, (60,))


@every_metric
def test_arrays_on_a_cluster(cluster, points, rng, key):
    space, weights = equipped(4, key), rng.uniform(size=60)
    # Blocks that cut through the matrices are joined.
    array = dask.array.from_array(points, chunks=(13, 3, 4))
    result = frechet_mean_of_chunks(array, space, weights=weights)
    local = frechet_mean_of_chunks(points, space, weights=weights, progress=False)
    np.testing.assert_allclose(result.mean, local.mean, atol=1e-12)
    np.testing.assert_allclose(result.variance, local.variance, rtol=1e-12)
    np.testing.assert_allclose(result.weight, weights.sum(), rtol=1e-14)
    assert (result.count, result.passes) == (60, local.passes)


def test_workers_do_the_work(cluster, points):
    space = equipped(4, "lsm")
    before = set(cluster.scheduler_info()["workers"])
    assert len(before) == 2
    blocks = [dask.delayed(_with_process)(part) for part in np.split(points, 12)]
    processes = {process for _, process in dask.compute(*blocks)}
    assert len(processes) == 2
    blocks = [block[0] for block in blocks]
    result = frechet_mean_of_chunks(blocks, space)
    np.testing.assert_allclose(result.mean, frechet_mean(points, space), atol=1e-12)


def _with_process(points):
    import os

    return points, os.getpid()


@every_metric
def test_delayed_blocks(points, rng, key):
    space, weights = equipped(4, key), rng.uniform(size=60)
    parts = zip(np.split(points, 20), np.split(weights, 20), strict=True)
    blocks = [dask.delayed(pair) for pair in parts]
    with dask.config.set(scheduler="synchronous"):
        result = frechet_mean_of_chunks(blocks, space)
    expected = frechet_mean(points, space, weights)
    np.testing.assert_allclose(result.mean, expected, atol=1e-12)


def test_other_collections(points):
    space = equipped(4, "olm")
    array = dask.array.from_array(points, chunks=(20, 4, 4))
    with dask.config.set(scheduler="synchronous"):
        for chunks in ([array[:30], array[30:]], dask.delayed(points)):
            result = frechet_mean_of_chunks(chunks, space)
            expected = frechet_mean(points, space)
            np.testing.assert_allclose(result.mean, expected, atol=1e-12)
        lazy = dask.array.from_array(np.arange(1.0, 61.0), chunks=7)
        result = frechet_mean_of_chunks(array, space, weights=lazy)
        expected = frechet_mean(points, space, np.arange(1.0, 61.0))
        np.testing.assert_allclose(result.mean, expected, atol=1e-12)


def test_errors_come_back_from_the_workers(cluster, points):
    bad = points.copy()
    bad[37, 0, 1] = bad[37, 1, 0] = np.nan
    array = dask.array.from_array(bad, chunks=(20, 4, 4))
    with pytest.raises(NotFiniteError, match=r"block 1, .*points\[17\]"):
        frechet_mean_of_chunks(array, equipped(4, "ecm"))


def test_bad_input(points):
    space = equipped(4, "ecm")
    array = dask.array.from_array(points, chunks=(20, 4, 4))
    with pytest.raises(ShapeError, match="stack of matrices"):
        frechet_mean_of_chunks(array[0], space)
    with pytest.raises(ShapeError, match="60 matrices"):
        frechet_mean_of_chunks(array, space, weights=np.ones(59))
    for block in ([dask.delayed(points)], dask.delayed(points)):
        with pytest.raises(ParameterError, match="brings its own"):
            frechet_mean_of_chunks(block, space, weights=np.ones(60))
