"""The LKJ law of random points, and how samples are asked for."""

import geomstats.backend as gs
import numpy as np
import pytest
from scipy import stats
from scipy.special import betaln

from geomstats_cor import FullRankCorrelationMatrices

SAMPLES = 4000
SIGNIFICANCE = 1e-3  # the seeds are fixed: a failure is a change of the law

pytestmark = pytest.mark.filterwarnings("error")


def manifold(n):
    return FullRankCorrelationMatrices(n, equip=False)


def draw(n, eta, count=SAMPLES, seed=7):
    return manifold(n).random_point(count, eta=eta, rng=seed, like=np.empty(0))


def log_normaliser(n, eta):
    """Return the logarithm of the integral of det(C)^(eta - 1), after the authors."""
    k = np.arange(1, n)
    half = eta + 0.5 * (n - k - 1)
    powers = np.sum((2.0 * eta - 2.0 + n - k) * (n - k)) * np.log(2.0)
    return powers + np.sum((n - k) * betaln(half, half))


class TestLaw:
    @pytest.mark.parametrize("n", [2, 3, 5])
    @pytest.mark.parametrize("eta", [0.5, 1.0, 4.0])
    def test_every_correlation_is_a_beta_variable(self, n, eta):
        points = draw(n, eta)
        shape = eta - 1.0 + 0.5 * n
        marginal = stats.beta(shape, shape, loc=-1.0, scale=2.0)
        for i, j in zip(*np.tril_indices(n, -1), strict=True):
            assert stats.kstest(points[:, i, j], marginal.cdf).pvalue > SIGNIFICANCE

    @pytest.mark.parametrize("n", [2, 3, 5])
    @pytest.mark.parametrize("eta", [0.5, 1.0, 4.0])
    def test_log_determinant_has_the_moments_of_the_density(self, n, eta):
        # Derivatives of the logarithm of the normaliser are cumulants of log det.
        log_dets = np.linalg.slogdet(draw(n, eta))[1]
        step = 1e-3
        around = [log_normaliser(n, eta + k * step) for k in (-1, 0, 1)]
        mean = (around[2] - around[0]) / (2.0 * step)
        variance = (around[2] - 2.0 * around[1] + around[0]) / step**2
        error = abs(log_dets.mean() - mean)
        assert error <= 4.0 * np.sqrt(variance / SAMPLES)
        np.testing.assert_allclose(log_dets.var(), variance, rtol=0.2)

    @pytest.mark.parametrize("eta", [1.0, 2.0])
    def test_is_what_rejection_gives(self, rng, eta):
        # Uniform in the cube, kept if positive definite, with odds det^(eta - 1).
        entries = rng.uniform(-1.0, 1.0, (60000, 3))
        x, y, z = entries.T
        dets = 1.0 - x**2 - y**2 - z**2 + 2.0 * x * y * z
        kept = entries[rng.uniform(size=len(dets)) < np.maximum(dets, 0.0) ** (eta - 1)]
        kept = kept if eta > 1.0 else entries[dets > 0.0]
        points = draw(3, eta)
        drawn = points[:, [1, 2, 2], [0, 0, 1]]

        def features(rows):
            x, y, z = rows.T
            det = 1.0 - x**2 - y**2 - z**2 + 2.0 * x * y * z
            return [x, z, det, x * y * z, x + y - z]

        for actual, expected in zip(features(drawn), features(kept), strict=True):
            assert stats.ks_2samp(actual, expected).pvalue > SIGNIFICANCE

    def test_concentrates_with_eta(self):
        assert np.max(np.abs(draw(4, 1e6) - np.eye(4))) < 0.01

    def test_of_geomstats_on_request(self):
        # The variables are exchangeable, and the logarithm is bounded.
        points = manifold(3).random_point(500, bound=0.1, rng=1, like=np.empty(0))
        assert np.all(manifold(3).belongs(points))
        assert 0.03 < np.max(np.abs(points - np.eye(3))) < 0.2


class TestSamples:
    @pytest.mark.parametrize("count, shape", [(1, ()), (2, (2,)), (7, (7,))])
    def test_count(self, arrays, count, shape):
        space = manifold(4)
        points = space.random_point(count, rng=0, like=arrays(np.ones(1)))
        assert arrays.numbers(points).shape == (*shape, 4, 4)
        if arrays.precision == "float64":
            assert bool(space.belongs(points).all())

    def test_seed(self):
        space = manifold(4)
        first, again, other = (space.random_point(3, rng=seed) for seed in (5, 5, 6))
        np.testing.assert_array_equal(np.asarray(first), np.asarray(again))
        assert not np.any(np.isclose(np.asarray(first)[:, 1, 0], other[:, 1, 0]))

    def test_generator_moves_on(self):
        space, rng = manifold(4), np.random.default_rng(5)
        first, then = space.random_point(rng=rng), space.random_point(rng=rng)
        assert not np.allclose(np.asarray(first), np.asarray(then))
        np.testing.assert_array_equal(
            np.asarray(first), np.asarray(space.random_point(rng=5))
        )

    def test_state_of_geomstats(self):
        space = manifold(4)
        drawn = []
        for seed in (3, 3, 4):
            gs.random.seed(seed)
            drawn.append(np.asarray(space.random_point()))
        np.testing.assert_array_equal(drawn[0], drawn[1])
        assert not np.allclose(drawn[0], drawn[2])

    def test_same_numbers_in_every_library(self, arrays):
        points = manifold(4).random_point(3, rng=5, like=arrays(np.ones(1)))
        expected = manifold(4).random_point(3, rng=5, like=np.empty(0))
        np.testing.assert_allclose(arrays.numbers(points), expected, atol=arrays.eps)
