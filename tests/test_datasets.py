"""The data sets are what they say they are."""

import numpy as np

from geomstats_cor.datasets import load_connectomes


def test_connectomes_are_full_rank_correlation_matrices():
    correlations, labels, ids = load_connectomes()

    assert correlations.shape == (86, 28, 28)
    assert correlations.dtype == np.float64
    np.testing.assert_array_equal(correlations, np.swapaxes(correlations, -1, -2))
    np.testing.assert_array_equal(np.diagonal(correlations, axis1=-2, axis2=-1), 1.0)
    assert np.linalg.eigvalsh(correlations)[:, 0].min() > 2e-3
    assert np.bincount(labels).tolist() == [46, 40]
    assert len(set(ids.tolist())) == 86


def test_connectomes_are_the_challenge_entries_unscaled():
    from geomstats.datasets.utils import load_connectomes as load_raw

    upper = np.asarray(load_raw(as_vectors=True)[0])
    correlations = load_connectomes().correlations

    np.testing.assert_array_equal(correlations[:, 0, 1:], upper[:, :27])
    np.testing.assert_array_equal(correlations[:, 27, 26], upper[:, -1])
