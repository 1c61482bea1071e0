"""Blocks of dask answer what arrays in memory answer, also if a worker is lost."""

import os

import numpy as np
import pytest
from kernels.matrices import random_correlation
from strategies import KEYS, equipped

from geomstats_cor.distributed import coords_of_blocks, dist_pairwise_of_blocks
from geomstats_cor.exceptions import NotFiniteError, ParameterError, ShapeError
from geomstats_cor.inference import MultivariateGeodesicRegression
from geomstats_cor.learning import ToCoords

dask = pytest.importorskip("dask")
pytest.importorskip("dask.array")
pytest.importorskip("pandas")

every_metric = pytest.mark.parametrize("key", KEYS)
every_representation = pytest.mark.parametrize("key", (*KEYS, "entries", "fisher-z"))


@pytest.fixture(autouse=True)
def in_this_process():
    with dask.config.set(scheduler="synchronous"):
        yield


@pytest.fixture
def points(rng):
    return random_correlation(rng, 4, 20.0, (60,))


@pytest.fixture
def blocks(points):
    # Blocks that cut through the matrices are joined.
    return dask.array.from_array(points, chunks=(17, 3, 4))


@pytest.fixture
def covariates(rng):
    return {"age": rng.normal(size=60), "group": rng.permutation(["a", "b"] * 30)}


@every_metric
def test_coordinates(key, points, blocks):
    model, local = ToCoords(key).fit(blocks), ToCoords(key).fit(points)
    np.testing.assert_allclose(model.reference_, local.reference_, atol=1e-12)
    lazy = model.transform(blocks)
    assert isinstance(lazy, dask.array.Array) and lazy.shape == (60, 6)
    np.testing.assert_allclose(lazy.compute(), local.transform(points), atol=1e-12)
    # What was learnt from blocks serves arrays.
    np.testing.assert_allclose(model.transform(points), lazy.compute(), atol=1e-12)


@every_metric
def test_distances(key, points, blocks, tmp_path):
    metric = equipped(4, key).metric
    points[1] = points[0]  # and one that is close, where differences cancel
    points[2] = metric.exp_coords(np.full(6, 1e-7), points[0])
    blocks = dask.array.from_array(points, chunks=(17, 4, 4))
    expected = metric.dist_pairwise(points)
    dists = dist_pairwise_of_blocks(blocks, key)
    np.testing.assert_allclose(dists.compute(), expected, atol=1e-12)
    few = dist_pairwise_of_blocks(blocks[:20], key, blocks, folder=tmp_path)
    np.testing.assert_allclose(few.compute(), expected[:20], atol=1e-12)
    assert {f.name for f in tmp_path.iterdir()} >= {"points-0.npy", "others-3.npy"}


@every_representation
def test_regression_and_tests(key, points, blocks, covariates):
    local = MultivariateGeodesicRegression(key).fit(covariates, points)
    model = MultivariateGeodesicRegression(key).fit(covariates, blocks)
    np.testing.assert_allclose(model.coef_, local.coef_, atol=1e-12)
    np.testing.assert_allclose(model.r2_, local.r2_, rtol=1e-12)
    np.testing.assert_allclose(model.diagnostics(), local.diagnostics(), atol=1e-12)
    options = dict(n_permutations=39, rng=0, progress=False)
    tests = [m.test("group", **options) for m in (model, local)]
    np.testing.assert_allclose(tests[0].statistic, tests[1].statistic, rtol=1e-11)
    np.testing.assert_allclose(
        tests[0].null_distribution, tests[1].null_distribution, rtol=1e-11
    )
    edges = [m.edge_test("age", pooled=True, **options) for m in (model, local)]
    np.testing.assert_allclose(edges[0].effects, edges[1].effects, atol=1e-12)
    np.testing.assert_allclose(edges[0].max_null, edges[1].max_null, rtol=1e-11)
    with pytest.raises(ParameterError, match="residuals in memory"):
        model.bands(covariates)


def test_bad_blocks_are_named(points, covariates):
    points[40, 2, 1] = np.nan
    blocks = dask.array.from_array(points, chunks=(17, 4, 4))
    with pytest.raises(NotFiniteError, match="block from matrix 34 on"):
        coords_of_blocks(blocks, "olm").compute()
    with pytest.raises(NotFiniteError, match="block 2"):
        MultivariateGeodesicRegression().fit(covariates, blocks)


def test_bad_input(points, blocks):
    with pytest.raises(ParameterError, match="from_array"):
        coords_of_blocks(points, "olm")
    with pytest.raises(ShapeError, match=r"expected shape \[N, n, n\]"):
        coords_of_blocks(blocks[:, :3], "olm")
    with pytest.raises(ShapeError, match="unknown size"):
        dist_pairwise_of_blocks(blocks[blocks[:, 1, 0] > 0], "olm")
    with pytest.raises(ShapeError, match="reference"):
        coords_of_blocks(blocks, "olm", np.eye(3))
    with pytest.raises(ParameterError, match="clean them before"):
        ToCoords(on_bad="repair").fit(blocks)


def _or_die_once(block, marker):
    """Return a block; the first process to come here is killed."""
    try:
        os.close(os.open(marker, os.O_CREAT | os.O_EXCL))
    except FileExistsError:
        return block
    os._exit(1)


@pytest.mark.slow
def test_a_lost_worker_changes_nothing(points, covariates, tmp_path):
    distributed = pytest.importorskip("dask.distributed")
    marker = os.fspath(tmp_path / "died")
    parts = [
        dask.array.from_delayed(
            dask.delayed(_or_die_once, pure=True)(part, marker), part.shape, part.dtype
        )
        for part in np.split(points, 6)
    ]
    local = MultivariateGeodesicRegression().fit(covariates, points)
    with (
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, dashboard_address=None
        ) as cluster,
        distributed.Client(cluster),
        dask.config.set(scheduler="distributed"),
    ):
        blocks = dask.array.concatenate(parts)
        model = MultivariateGeodesicRegression().fit(covariates, blocks)
        test = model.test("age", n_permutations=39, rng=0, progress=False)
    assert os.path.exists(marker)
    np.testing.assert_allclose(model.coef_, local.coef_, atol=1e-12)
    expected = local.test("age", n_permutations=39, rng=0, progress=False)
    np.testing.assert_allclose(
        test.null_distribution, expected.null_distribution, rtol=1e-11
    )
