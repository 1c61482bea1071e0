"""Means of chunks, from every kind of source, under every metric."""

import numpy as np
import pytest
from kernels.matrices import random_correlation
from strategies import KEYS, equipped

from geomstats_cor import (
    FullRankCorrelationMatrices,
    frechet_mean,
    frechet_mean_of_chunks,
    frechet_variance,
)
from geomstats_cor.datasets import load_connectomes
from geomstats_cor.exceptions import (
    ArrayTypeError,
    ConvergenceError,
    ConvergenceWarning,
    NotFiniteError,
    ParameterError,
    ShapeError,
)

every_metric = pytest.mark.parametrize("key", KEYS)

pytestmark = pytest.mark.filterwarnings("error")


def mean_of(chunks, space, **options):
    return frechet_mean_of_chunks(chunks, space, progress=False, **options)


def assert_result(result, points, space, weights=None):
    expected = frechet_mean(points, space, weights)
    np.testing.assert_allclose(np.asarray(result.mean), expected, atol=1e-12)
    variance = frechet_variance(points, space, weights=weights)
    np.testing.assert_allclose(result.variance, variance, rtol=1e-12)
    assert result.count == len(points)
    assert (result.passes == 1) == space.metric.image_space.metric.is_flat
    # The gradient vanishes: a test that does not know frechet_mean.
    logs = space.metric.log_coords(points, np.asarray(result.mean))
    gradient = np.average(logs, axis=0, weights=weights)
    assert np.linalg.norm(gradient) <= 1e-12


@pytest.fixture
def points(rng):
    return random_correlation(rng, 4, 20.0, (23,))


class TestSources:
    @every_metric
    @pytest.mark.parametrize("size", [1, 5, 23, None])
    def test_arrays(self, double, points, key, size):
        space = equipped(4, key)
        assert_result(mean_of(double(points), space, chunk_size=size), points, space)

    @every_metric
    def test_weights(self, double, points, rng, key):
        space, weights = equipped(4, key), rng.uniform(size=23)
        weights[3:9] = 0.0  # a chunk without weight
        result = mean_of(double(points), space, weights=double(weights), chunk_size=3)
        assert_result(result, points, space, weights)

    @every_metric
    def test_files(self, points, key, tmp_path):
        space, path = equipped(4, key), tmp_path / "points.npy"
        np.save(path, points)
        assert_result(mean_of(path, space, chunk_size=5), points, space)
        mapped = np.load(path, mmap_mode="r")
        assert_result(mean_of(mapped, space, chunk_size=5), points, space)

    @every_metric
    def test_iterables_of_blocks(self, points, rng, key):
        space, weights = equipped(4, key), rng.uniform(size=23)
        blocks = np.split(points, [2, 2, 13])  # one is empty
        assert_result(mean_of(blocks, space), points, space)
        assert_result(mean_of(lambda: iter(blocks), space), points, space)
        pairs = list(zip(blocks, np.split(weights, [2, 2, 13]), strict=True))
        assert_result(mean_of(pairs, space), points, space, weights)

    def test_iterators_are_enough_for_one_pass(self, points):
        space = equipped(4, "lsm")
        assert_result(mean_of(iter(np.split(points, [4])), space), points, space)

    def test_iterators_are_not_enough_for_several(self, points):
        blocks = iter([points])
        with pytest.raises(ParameterError, match="function that returns a new"):
            mean_of(blocks, equipped(4, "phcm"))
        assert next(blocks) is points

    def test_lists_of_numbers(self, points):
        space = equipped(4, "ecm")
        assert_result(mean_of([points.tolist()], space), points, space)


class TestCurvature:
    @pytest.mark.parametrize("condition", [2.0, 1e4])
    def test_passes_are_few(self, rng, condition):
        space = equipped(6, "phcm")
        points = random_correlation(rng, 6, condition, (400,))
        result = mean_of(points, space, chunk_size=100)
        assert_result(result, points, space)
        assert result.passes <= 12

    def test_parameters(self, points):
        space = equipped(4, "phcm", weights=[0.3, 2.0, 1.0])
        assert_result(mean_of(points, space), points, space)

    def test_two_points_far_apart(self, rng):
        space = equipped(5, "phcm")
        points = random_correlation(rng, 5, 1e6, (2,))
        middle = space.metric.geodesic(*points)(0.5)[0]
        np.testing.assert_allclose(mean_of(points, space).mean, middle, atol=1e-9)

    @every_metric
    def test_one_point(self, points, key):
        result = mean_of(points[:1], equipped(4, key))
        np.testing.assert_allclose(result.mean, points[0], atol=1e-13)
        assert result.variance <= 1e-26

    def test_connectomes(self):
        points = load_connectomes().correlations
        space = FullRankCorrelationMatrices(28, equip="phcm")
        result = mean_of(points, space, chunk_size=20)
        expected = frechet_mean(points, space)
        np.testing.assert_allclose(result.mean, expected, atol=1e-12)

    def test_too_few_passes_are_told(self, points, monkeypatch):
        monkeypatch.setattr("geomstats_cor.statistics.quasi_newton_mean._MAX_PASSES", 2)
        with pytest.warns(ConvergenceWarning, match="2 passes"):
            mean_of(points, equipped(4, "phcm"))
        strict = FullRankCorrelationMatrices(4, equip="phcm", check="strict")
        with pytest.raises(ConvergenceError, match="2 passes"):
            mean_of(points, strict)


class TestProgress:
    def test_one_bar_for_each_pass(self, points, capsys):
        pytest.importorskip("tqdm")
        result = frechet_mean_of_chunks(points, equipped(4, "phcm"), chunk_size=5)
        shown = capsys.readouterr().err
        assert f"pass {result.passes}: 100%" in shown
        assert f"pass {result.passes + 1}" not in shown
        assert "23/23" in shown

    def test_silence(self, points, capsys):
        mean_of(points, equipped(4, "phcm"))
        assert capsys.readouterr().err == ""


class TestBadInput:
    @every_metric
    def test_nothing(self, points, key):
        space = equipped(4, key)
        for nothing in ([], points[:0], [points[:0], points[:0]]):
            with pytest.raises(ShapeError, match="no matrices"):
                mean_of(nothing, space)

    @every_metric
    def test_bad_matrices_are_named(self, points, key):
        space = equipped(4, key)
        bad = points.copy()
        bad[12, 0, 1] = bad[12, 1, 0] = np.nan
        with pytest.raises(NotFiniteError, match=r"from its matrix 10 on: points\[2\]"):
            mean_of(bad, space, chunk_size=5)

    @every_metric
    def test_blocks_of_mixed_sizes(self, points, rng, key):
        blocks = [points, random_correlation(rng, 5, 5.0, (3,))]
        with pytest.raises(ShapeError, match=r"block 1.*n = 4.*size 5"):
            mean_of(blocks, equipped(4, key))

    def test_weights(self, points):
        space = equipped(4, "ecm")
        with pytest.raises(ShapeError, match=r"weights: expected shape \[23\]"):
            mean_of(points, space, weights=np.ones(22))
        with pytest.raises(ParameterError, match="not negative"):
            mean_of(points, space, weights=-np.ones(23))
        with pytest.raises(ParameterError, match="not all zero"):
            mean_of(points, space, weights=np.zeros(23))
        with pytest.raises(ParameterError, match="pairs"):
            mean_of([points], space, weights=np.ones(23))
        with pytest.raises(ShapeError, match="block 0 has 23 matrices, but 2 weights"):
            mean_of([(points, np.ones(2))], space)

    def test_other_things(self, points):
        space = equipped(4, "ecm")
        with pytest.raises(ArrayTypeError, match="chunks: expected .*, got a int"):
            mean_of(3, space)
        with pytest.raises(ParameterError, match="chunk_size: expected .*, got 0"):
            mean_of(points, space, chunk_size=0)
        with pytest.raises(ParameterError, match="equip_with_metric"):
            mean_of(points, FullRankCorrelationMatrices(4))
