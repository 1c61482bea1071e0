"""The one door: names, paths, options."""

import importlib
import sys

import numpy as np
import pytest

from cornet_nn import datasets
from cornet_nn.datasets import load, names, options
from geomstats_cor.exceptions import DataError, DataWarning, ParameterError

from .files import covariance_folder, hdm05_folder, ntu_folder

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


@pytest.mark.parametrize("name", datasets._MOVED)
def test_modules_have_their_former_names(name, monkeypatch):
    former = f"cornet_nn.datasets.{name}"
    monkeypatch.delitem(sys.modules, former, raising=False)
    with pytest.warns(DeprecationWarning, match=f"{former} is now cornet_nn"):
        module = importlib.import_module(former)
    assert module.__name__ == f"cornet_nn.datasets.{datasets._MOVED[name]}"


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
    with pytest.raises(ParameterError, match="errors: expected one of 'skip', 'raise'"):
        load("connectomes", errors="ignore")
    with pytest.raises(ParameterError, match="mnist is none of"):
        options("mnist")


@pytest.mark.parametrize("name", ["hdm05", "fpha", "ntu120"])
def test_every_step_is_an_option(name):
    steps = {"center", "bone_lengths", "view", "neighbors", "levels", "shrinkage"}
    steps |= {"ridge", "representation", "power", "correlation", "frame_shrinkage"}
    assert steps <= set(options(name))


def test_every_loader_tells_which_items_it_left_out(tmp_path, rng):
    quiet = {"cache": False, "progress": False}
    damage = b"damaged"

    np.save(tmp_path / "stack.npy", np.array([np.eye(3), np.full((3, 3), np.nan)] * 2))
    np.save(tmp_path / "stack_labels.npy", np.array(["x", "y", "z", "y"]))
    np.save(tmp_path / "stack_split.npy", np.array([0, 0, 1, 1]))
    with pytest.warns(DataWarning, match="2 of 4 items"):
        data = load(tmp_path / "stack.npy", **quiet)
    assert data.left_out.labels.tolist() == [1, 1]
    assert data.left_out.test.tolist() == [False, True]

    folder = hdm05_folder(tmp_path / "motions", rng)
    spoilt = sorted(folder.rglob("*.amc"))[3]
    spoilt.write_bytes(damage)
    with pytest.warns(DataWarning, match="1 of 8 items"):
        data = load(folder, **quiet)
    assert [data.classes[label] for label in data.left_out.labels] == ["clap"]
    assert data.left_out.groups.tolist() == ["tr"]
    assert data.test.sum() + data.left_out.test.sum() == 4

    folder = covariance_folder(tmp_path / "matrices", rng)
    (folder / "0_20_0.npy").write_bytes(damage)
    with pytest.warns(DataWarning, match="1 of 12 items"):
        data = load(folder, **quiet)
    assert data.left_out.labels.tolist() == [0] and data.left_out.test is not None

    folder = ntu_folder(tmp_path / "bodies", rng)
    (folder / "S001C001P001R001A106.skeleton").write_bytes(damage)
    with pytest.warns(DataWarning, match="1 of 8 items"):
        data = load(folder, **quiet)
    assert [data.classes[label] for label in data.left_out.labels] == ["A106"]
    assert data.left_out.test.tolist() == [True]

    (tmp_path / "radar").mkdir()
    for number in range(4):
        signal = rng.standard_normal(50) * 1j
        np.save(tmp_path / f"radar/{number}_{number % 2}.npy", signal)
    (tmp_path / "radar/3_1.npy").write_bytes(damage)
    with pytest.warns(DataWarning, match="1 of 4 items"):
        data = load(tmp_path / "radar", **quiet)
    assert data.left_out.labels.tolist() == [1] and data.left_out.test is None


def test_warnings_point_at_the_line_of_the_user(tmp_path):
    samples = np.stack([np.eye(3), np.full((3, 3), np.nan), np.eye(3)])
    np.savez(tmp_path / "data.npz", C=samples, y=np.arange(3))
    with pytest.warns(DataWarning, match="1 of 3 items") as caught:
        load(tmp_path / "data.npz")
    assert [record.filename for record in caught] == [__file__]
