"""The one door: names, paths, options."""

import numpy as np
import pytest

from cornet_nn import datasets
from cornet_nn.datasets import load, names, options
from geomstats_cor.exceptions import DataError, DataWarning, ParameterError

NAMES = (
    "radar-synthetic",
    "connectomes",
    "emg",
    "radar",
    "hdm05",
    "hdm05-covariances",
    "fpha",
    "fpha-features",
    "ntu120",
    "ntu120-covariances",
)


def test_names_are_those_of_the_documentation():
    assert names() == NAMES


def test_public_names_are_documented():
    for name in datasets.__all__:
        assert getattr(datasets, name).__doc__, name


def test_what_cannot_be_found_is_said(tmp_path):
    with pytest.raises(
        ParameterError, match="nowhere.npz is neither .* radar-synthetic"
    ):
        load(tmp_path / "nowhere.npz")
    with pytest.raises(ParameterError, match="radarr is neither"):
        load("radarr")
    (tmp_path / "words.csv").write_text("1, 2")
    with pytest.raises(ParameterError, match="words.csv is neither an .npz or .npy"):
        load(tmp_path / "words.csv")
    with pytest.raises(DataError, match="is in none of the formats of radar, hdm05"):
        load(tmp_path)


def test_flat_folders_are_told_apart_by_their_arrays(tmp_path, rng):
    quiet = {"cache": False, "progress": False}
    for folder in (tmp_path / "signals", tmp_path / "matrices"):
        folder.mkdir()
        (folder / "0_0_0.npy").write_bytes(b"damaged")
    for number in range(4):
        np.save(tmp_path / f"signals/a_{number}_0.npy", rng.standard_normal(50) * 1j)
        np.save(tmp_path / f"matrices/a_{number}_0.npy", np.eye(4))
    with pytest.warns(DataWarning, match="0_0_0.npy cannot be read"):
        assert load(tmp_path / "signals", **quiet).name == "radar"
    with pytest.warns(DataWarning, match="0_0_0.npy cannot be read"):
        assert load(tmp_path / "matrices", **quiet).name == "hdm05-covariances"


def test_directories(tmp_path):
    with pytest.raises(ParameterError, match="fpha needs directory="):
        load("fpha")
    with pytest.raises(ParameterError, match="nowhere is not a folder"):
        load("fpha", directory=tmp_path / "nowhere")
    with pytest.raises(ParameterError, match="connectomes takes no directory"):
        load("connectomes", directory=tmp_path)


def test_options_are_checked():
    with pytest.raises(ParameterError, match="connectomes has no option shrinkage"):
        load("connectomes", shrinkage=0.1)
    with pytest.raises(ParameterError, match="errors is 'skip' or 'raise'"):
        load("connectomes", errors="ignore")
    with pytest.raises(ParameterError, match="mnist is none of"):
        options("mnist")


@pytest.mark.parametrize("name", ["hdm05", "fpha", "ntu120"])
def test_every_step_is_an_option(name):
    steps = {"center", "bone_lengths", "view", "neighbors", "levels", "shrinkage"}
    steps |= {"ridge", "representation", "power", "correlation", "frame_shrinkage"}
    assert steps <= set(options(name))
