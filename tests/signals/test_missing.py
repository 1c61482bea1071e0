"""Missing values: pairwise correlations, and the EM algorithm."""

import numpy as np
import pandas as pd
import pytest

from geomstats_cor import correlations
from geomstats_cor import exceptions as ex
from geomstats_cor.data.missing import em_correlation, pairwise_correlation


@pytest.fixture
def signal(rng):
    """80 frames of 4 variables, a tenth of the values missing."""
    root = np.linalg.cholesky(np.where(np.eye(4) == 1.0, 1.0, 0.6))
    x = rng.standard_normal((80, 4)) @ root.T * [1.0, 5.0, 0.1, 1.0] + [0, 3, 0, 1e3]
    x[rng.random(x.shape) < 0.1] = np.nan
    return x


def test_pairwise_correlations_are_those_of_pandas(signal):
    expected = pd.DataFrame(signal).corr().to_numpy()
    np.testing.assert_allclose(pairwise_correlation(signal), expected, atol=1e-9)


def log_likelihood(signal, mean, covariance):
    total = 0.0
    for row in signal:
        here = np.isfinite(row)
        if here.any():
            x, block = (row - mean)[here], covariance[np.ix_(here, here)]
            total -= np.linalg.slogdet(block)[1] + x @ np.linalg.solve(block, x)
    return 0.5 * total


def test_em_is_the_most_likely(signal):
    from scipy.optimize import minimize

    x = (signal - np.nanmean(signal, axis=0)) / np.nanstd(signal, axis=0)
    lower = np.tril_indices(4)

    def loss(p):
        root = np.zeros((4, 4))
        root[lower] = p[4:]
        return -log_likelihood(x, p[:4], root @ root.T)

    start = np.concatenate([np.zeros(4), np.eye(4)[lower]])
    best = minimize(loss, start, method="BFGS", options=dict(gtol=1e-5)).x
    root = np.zeros((4, 4))
    root[lower] = best[4:]
    covariance = root @ root.T
    scale = np.sqrt(np.diag(covariance))
    expected = covariance / scale / scale[:, None]
    np.testing.assert_allclose(em_correlation(signal), expected, atol=1e-4)


def test_complete_signals_are_as_they_were(rng):
    signals = rng.standard_normal((3, 4, 30))
    expected = correlations(signals, "sample")
    for missing in ("pairwise", "em"):
        found = correlations(signals, "sample", missing=missing)
        np.testing.assert_array_equal(found, expected)
    complete = signals[0].T
    np.testing.assert_allclose(em_correlation(complete), expected.values[0], atol=1e-12)


class TestPairwiseRepair:
    def incomplete(self):
        rng = np.random.default_rng(3)
        x = rng.standard_normal((4, 8, 14)) + rng.standard_normal((4, 1, 14))
        x[1:][rng.random((3, 8, 14)) < 0.2] = np.nan
        return x

    def test_all_are_treated_alike(self):
        x = self.incomplete()
        pairwise = [pd.DataFrame(s.T).corr().to_numpy() for s in x]
        assert min(np.linalg.eigvalsh(p)[0] for p in pairwise) < -0.01
        stack = correlations(x, missing="pairwise", amount=0.1)
        # Nothing but the common shrinkage for a semidefinite matrix:
        expected = 0.9 * np.corrcoef(x[0]) + 0.1 * np.eye(8)
        np.testing.assert_allclose(stack.values[0], expected, atol=1e-12)
        assert np.linalg.eigvalsh(stack.values).min() >= 0.1 - 1e-9
        assert "moved to the nearest correlation matrix" in stack.note

    def test_frames_count_pairs(self):
        x = self.incomplete()
        present = np.isfinite(x[1]).astype(float)
        counts = (present @ present.T)[np.tril_indices(8, -1)]
        stack = correlations(x, missing="pairwise", amount=0.1)
        assert stack.frames[0] == 14
        assert stack.frames[1] == pytest.approx(counts.mean())

    def test_variables_that_are_never_together(self):
        x = self.incomplete()[:1].copy()
        x[0, 2, :7] = np.nan
        x[0, 5, 6:] = np.nan
        with pytest.raises(
            ex.ParameterError, match="recording 0 has 0 frames.*2 and 5"
        ):
            correlations(x, missing="pairwise")
        stack = correlations(x, missing="em", amount=0.1)
        assert np.linalg.eigvalsh(stack.values).min() > 0.0


def test_em_with_fewer_frames_than_variables(rng):
    x = rng.standard_normal((10, 25)) + rng.standard_normal((10, 1))
    x[rng.random(x.shape) < 0.15] = np.nan
    found = em_correlation(x, tolerance=1e-3)
    assert np.linalg.eigvalsh(found)[0] > -1e-10
    assert np.all(np.diag(found) == 1.0)


def test_em_that_stops_short_says_so(signal):
    with pytest.warns(ex.ConvergenceWarning, match="recording 7: the EM.*after 2"):
        em_correlation(signal, "recording 7", max_iterations=2)


def test_filters_refuse_missing_values(rng):
    x = rng.standard_normal((2, 3, 100))
    x[1, 0, 4] = np.nan
    with pytest.raises(
        ex.NotFiniteError, match="recording 1 has missing values, which"
    ):
        correlations(x, missing="em", bands=[(1, 2)], sampling_rate=10)
