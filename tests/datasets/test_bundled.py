"""Data that comes with geomstats."""

import numpy as np
import pytest

from cornet_nn.datasets import load
from geomstats_cor.datasets import load_connectomes
from geomstats_cor.exceptions import DataWarning, ParameterError


def test_connectomes_are_those_without_the_halving():
    data = load("connectomes")
    expected = load_connectomes()
    assert data.kind == "correlation" and not data.synthetic
    np.testing.assert_array_equal(data.inputs, expected.correlations)
    np.testing.assert_array_equal(data.labels, expected.labels)
    assert data.classes == ("control", "patient")
    assert np.linalg.eigvalsh(data.inputs)[:, 0].min() > 2e-3


@pytest.fixture(scope="module")
def table():
    from geomstats.datasets.utils import load_emg

    return load_emg()


@pytest.fixture
def read_once(table, monkeypatch):
    """Let the table be read once: that takes seconds."""
    monkeypatch.setattr("geomstats.datasets.utils.load_emg", lambda: table)


def test_covariances_of_electromyograms(table, read_once):
    data = load("emg", window=200, hop=200)
    assert data.kind == "covariance" and data.inputs.shape[1:] == (8, 8)
    assert data.classes == ("ok", "paper", "rest", "rock", "scissors")
    assert set(data.groups) == {"mg_s1", "mg_s2", "rr_s1", "rr_s2"}
    assert np.linalg.eigvalsh(data.inputs)[:, 0].min() > 0.0

    # The first piece with 200 samples of one gesture, found line by line.
    rows = table.iloc[:5000].to_dict("records")
    start = 0
    for row in range(1, 5000):
        before, here = rows[row - 1], rows[row]
        if before["label"] != here["label"] or here["time"] < before["time"]:
            start = row
        if row - start == 199:
            break
    samples = table.iloc[start : start + 200]
    expected = np.cov(samples[[f"c{k}" for k in range(8)]].to_numpy().T)
    np.testing.assert_allclose(data.inputs[0], expected, rtol=1e-10)
    assert data.classes[data.labels[0]] == samples["label"].iloc[0]

    without = load("emg", window=200, hop=200, rest=False)
    assert without.classes == ("ok", "paper", "rock", "scissors")
    assert len(without) == np.sum(data.labels != data.classes.index("rest"))


def test_windows_that_are_too_long_or_singular(read_once):
    with pytest.raises(ParameterError, match="no gesture lasts 100000 samples"):
        load("emg", window=100_000)
    with pytest.raises(ParameterError, match="window is 8 .* expected at least 9"):
        load("emg", window=8)


def test_a_channel_that_stands_still(table, monkeypatch):
    spoilt = table.iloc[:2000].copy()
    whole = len(_loaded(spoilt, monkeypatch))
    spoilt.loc[spoilt.index[:300], "c3"] = 128
    with pytest.warns(DataWarning, match="window at row 0 has a variance of zero"):
        data = _loaded(spoilt, monkeypatch)
    assert 0 < len(data) == whole - len(data.problems)
    assert len(_loaded(spoilt, monkeypatch, ridge=1e-3)) == whole


def _loaded(table, monkeypatch, **options):
    monkeypatch.setattr("geomstats.datasets.utils.load_emg", lambda: table)
    return load("emg", window=20, hop=20, **options)


def test_no_window_reaches_across_recordings(table, monkeypatch):
    # Two recordings of thirty samples, in which the clock starts anew.
    rows = table.iloc[:60].copy()
    rows["label"], rows["exp"], rows["time"] = "rest", "mg_s1", [*range(30)] * 2
    data = _loaded(rows, monkeypatch)
    channels = rows[[f"c{k}" for k in range(8)]].to_numpy(dtype=float)
    expected = [np.cov(channels[start : start + 20].T) for start in (0, 30)]
    np.testing.assert_allclose(data.inputs, expected, rtol=1e-10)
