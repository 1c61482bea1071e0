"""Radar: the simulation is what it says, and signals are read from their files."""

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from cornet_nn import TemporalCovariance
from cornet_nn.datasets import load
from cornet_nn.datasets.radar import CLASSES, window_covariance
from geomstats_cor.exceptions import DataError, DataWarning, ParameterError

from .files import radar_folder
from .test_autoregressive import burg


@pytest.fixture(scope="module")
def synthetic():
    return load("radar-synthetic", seed=0)


def complex_signals(dataset):
    return dataset.inputs[:, 0] + 1j * dataset.inputs[:, 1]


def test_synthetic_radar_is_named_so(synthetic):
    assert synthetic.synthetic
    assert "synthetic" in synthetic.name and "synthetic" in repr(synthetic)
    assert synthetic.inputs.shape == (3000, 2, 1000)
    assert np.bincount(synthetic.labels).tolist() == [1000, 1000, 1000]
    assert synthetic.kind == "signal" and synthetic.problems == ()


def test_reflections_of_a_class_lie_about_its_own(synthetic):
    signals = complex_signals(synthetic)
    for label, center in enumerate(CLASSES.values()):
        chosen = signals[synthetic.labels == label][:300]
        found = np.stack([burg(signal, 4) for signal in chosen])
        np.testing.assert_allclose(found.mean(axis=0), center, atol=0.03)
        assert (np.abs(found) < 1.0).all()


def test_the_classes_overlap_but_can_be_told_apart():
    data = load("radar-synthetic", representation="covariance", signals=1200)
    deviations = np.sqrt(np.diagonal(data.inputs, axis1=1, axis2=2))
    correlations = data.inputs / deviations[:, :, None] / deviations[:, None]
    features = correlations[:, *np.tril_indices(20, -1)]
    model = make_pipeline(StandardScaler(), LogisticRegression(C=0.01, max_iter=200))
    accuracy = cross_val_score(model, features, data.labels, cv=3).mean()
    assert 0.82 < accuracy < 0.97


def test_the_scale_says_nothing_about_the_class(synthetic):
    power = np.log((synthetic.inputs**2).mean(axis=(1, 2)))
    means = [power[synthetic.labels == label].mean() for label in range(3)]
    assert np.ptp(means) < 0.15
    assert power.std() > 0.8


def test_the_seed_decides():
    first, again, other = (
        load("radar-synthetic", signals=9, length=30, seed=seed) for seed in (1, 1, 2)
    )
    np.testing.assert_array_equal(first.inputs, again.inputs)
    np.testing.assert_array_equal(first.labels, again.labels)
    assert not np.allclose(first.inputs, other.inputs)


def test_wider_classes_overlap_more():
    narrow, wide = (
        load("radar-synthetic", signals=60, spread=spread) for spread in (0.0, 0.5)
    )

    def scatter(data):
        found = np.stack([burg(signal, 1) for signal in complex_signals(data)])
        return np.mean([found[data.labels == label].std() for label in range(3)])

    assert scatter(wide) > 3 * scatter(narrow)


def test_covariance_of_windows_is_as_defined(rng):
    signal = rng.standard_normal(64) + 1j * rng.standard_normal(64)
    starts = range(0, 64 - 20 + 1, 10)
    windows = np.array([signal[start : start + 20] for start in starts]).T
    expected = np.cov(windows).real
    np.testing.assert_allclose(window_covariance(signal), expected, atol=1e-12)


def test_signals_are_read_with_their_labels(tmp_path, rng):
    folder = radar_folder(tmp_path / "radar", rng)
    data = load("radar", directory=folder, cache=False, progress=False)
    assert data.kind == "signal" and not data.synthetic
    assert data.inputs.shape == (6, 2, 200)
    assert data.labels.tolist() == [0, 1, 2, 0, 1, 2]
    assert data.classes == ("0", "1", "2")
    signal = np.load(folder / "0003_0.npy")
    np.testing.assert_array_equal(complex_signals(data)[3], signal)

    import torch

    front_end = TemporalCovariance(2, dtype=torch.float64)
    assert front_end(torch.from_numpy(data.inputs)).shape == (6, 7, 20, 20)


def test_classical_covariances(tmp_path, rng):
    folder = radar_folder(tmp_path, rng, length=400)
    data = load(folder, cache=False, progress=False, representation="covariance")
    assert data.name == "radar" and data.kind == "covariance"
    assert data.inputs.shape == (6, 20, 20)
    signal = np.load(folder / "0001_1.npy")
    np.testing.assert_allclose(data.inputs[1], window_covariance(signal), atol=1e-12)
    smaller = load(
        folder,
        cache=False,
        progress=False,
        representation="covariance",
        window=8,
        hop=4,
    )
    np.testing.assert_allclose(smaller.inputs[1], window_covariance(signal, 8, 4))


def test_bad_signals_are_named(tmp_path, rng):
    radar_folder(tmp_path, rng, signals=6)
    (tmp_path / "damaged_0.npy").write_bytes(b"\x93NUMPY and nothing more")
    (tmp_path / "nothing_0.npy").write_bytes(b"")
    np.save(tmp_path / "empty_0.npy", np.zeros(0, dtype=complex))
    np.save(tmp_path / "constant_1.npy", np.full(200, 1.0 + 2j))
    np.save(tmp_path / "nan_1.npy", np.full(200, np.nan + 0j))
    np.save(tmp_path / "real_2.npy", rng.standard_normal(200))
    np.save(tmp_path / "short_2.npy", np.exp(1j * np.arange(150)))
    np.save(tmp_path / "object_2.npy", np.array([{}], dtype=object))
    with pytest.warns(DataWarning, match="8 of 14 items left out"):
        data = load("radar", directory=tmp_path, cache=False, progress=False)
    assert len(data) == 6 and np.isfinite(data.inputs).all()
    problems = "\n".join(data.problems)
    for name, reason in {
        "damaged_0": "cannot be read",
        "nothing_0": "cannot be read",
        "empty_0": "is empty",
        "constant_1": "is constant",
        "nan_1": "has a NaN",
        "real_2": "is float64 of shape (200,): expected a complex signal",
        "short_2": r"has shape (2, 150), and others (2, 200)",
        "object_2": "cannot be read",
    }.items():
        assert f"{name}.npy {reason}" in problems
    with pytest.raises(DataError, match="constant_1.npy is constant"):
        load("radar", directory=tmp_path, cache=False, progress=False, errors="raise")


def test_length_crops(tmp_path, rng):
    radar_folder(tmp_path, rng, signals=3, length=200)
    np.save(tmp_path / "long_0.npy", np.exp(1j * np.arange(300)))
    data = load("radar", directory=tmp_path, cache=False, progress=False, length=150)
    assert data.inputs.shape == (4, 2, 150)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            {"representation": "image"},
            "representation: expected one of 'signal', 'covariance',",
        ),
        ({"shrinkage": 0.1}, "shrinkage and ridge are for covariance matrices"),
        ({"signals": 2}, "signals is 2.*expected at least 3"),
        ({"spread": -1.0}, "spread -1.0: expected"),
        (
            {"representation": "covariance", "hop": 0},
            "hop 0: expected at least",
        ),
        ({"color": "red"}, "no option color: its options are seed, signals"),
    ],
)
def test_options_that_make_no_sense(options, message):
    with pytest.raises(ParameterError, match=message):
        load("radar-synthetic", **{"signals": 3, "length": 50} | options)
