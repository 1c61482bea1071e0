"""HDM05 from its motions, from trajectories and from covariance matrices."""

import numpy as np
import pytest

from cornet_nn.datasets import HDM05, SequenceMatrices, load
from cornet_nn.datasets.dataset import half_of_each_class
from cornet_nn.datasets.hdm05 import read_amc, read_asf
from cornet_nn.datasets.sequences import reference_lengths
from geomstats_cor.exceptions import DataError, DataWarning, ParameterError

from .files import covariance_folder, hdm05_folder, smooth_walk

QUIET = {"cache": False, "progress": False}


def joints_of(folder, amc):
    actor = amc.stem.split("_")[1]
    skeleton = read_asf(folder / "skeletons" / f"HDM_{actor}.asf")
    positions = skeleton.positions(read_amc(amc))
    return np.stack([positions[name] for name in HDM05.joints], axis=1)


def test_motions(tmp_path, rng):
    folder = hdm05_folder(tmp_path, rng)
    data = load("hdm05", directory=folder, **QUIET)
    assert data.inputs.shape == (8, 3, 28, 28) and data.kind == "covariance"
    assert data.classes == ("clap", "kick")
    assert data.labels.tolist() == [0, 0, 0, 0, 1, 1, 1, 1]
    assert data.groups.tolist() == ["bd", "bd", "tr", "tr"] * 2
    assert np.bincount(data.labels[data.test]).tolist() == [2, 2]

    files = sorted(folder.rglob("*.amc"))
    lengths = reference_lengths([joints_of(folder, files[0])], HDM05)
    matrices = SequenceMatrices(HDM05, center="frame", lengths=lengths, view="frame")
    for number in (0, 3, 6):
        expected = matrices(joints_of(folder, files[number]))
        np.testing.assert_allclose(data.inputs[number], expected, atol=1e-10)


def test_steps_can_be_chosen(tmp_path, rng):
    folder = hdm05_folder(tmp_path, rng)
    data = load(
        folder,
        representation="covariance",
        center=None,
        view=None,
        bone_lengths=False,
        levels=1,
        shrinkage=0.01,
        **QUIET,
    )
    assert data.name == "hdm05" and data.inputs.shape == (8, 93, 93)
    joints = joints_of(folder, sorted(folder.rglob("*.amc"))[0]).reshape(12, 93)
    raw = np.cov(joints.T, bias=True)
    expected = 0.99 * raw + 0.01 * np.trace(raw) / 93 * np.eye(93)
    np.testing.assert_allclose(data.inputs[0], expected, atol=1e-9)


def test_trajectories_are_the_same_as_motions(tmp_path, rng):
    folder = hdm05_folder(tmp_path / "motions", rng)
    expected = load("hdm05", directory=folder, **QUIET)
    flat = tmp_path / "flat"
    flat.mkdir()
    for number, amc in enumerate(sorted(folder.rglob("*.amc"))):
        joints = joints_of(folder, amc)
        if number % 2:
            np.save(flat / f"{amc.stem}.npy", joints)
        else:
            np.savetxt(flat / f"{amc.stem}.txt", joints.reshape(len(joints), -1))
    data = load(flat, **QUIET)
    assert data.name == "hdm05"
    assert sorted(data.labels.tolist()) == sorted(expected.labels.tolist())
    for matrices, label in zip(data.inputs, data.labels, strict=True):
        gaps = np.abs(expected.inputs - matrices).max(axis=(1, 2, 3))
        assert gaps.min() < 1e-6
        assert expected.labels[gaps.argmin()] == label


def test_trajectories_in_a_folder_for_each_class(tmp_path, rng):
    for motion in ("hop", "sit"):
        (tmp_path / motion).mkdir()
        for take in range(4):
            np.save(tmp_path / motion / f"take{take}.npy", smooth_walk(rng, 9, 31))
    data = load(tmp_path, **QUIET)
    assert data.classes == ("hop", "sit") and data.groups is None
    np.save(tmp_path / "stray.npy", smooth_walk(rng, 9, 31))
    with pytest.warns(DataWarning, match="stray.npy has no class in its name"):
        assert len(load("hdm05", directory=tmp_path, **QUIET)) == 8
    with pytest.raises(DataError, match="stray.npy has no class in its name"):
        load("hdm05", directory=tmp_path, errors="raise", **QUIET)


def test_small_classes_are_left_out(tmp_path, rng):
    folder = hdm05_folder(tmp_path, rng)
    hdm05_folder(tmp_path / "more", rng, classes=("wave",), takes=3)
    for path in (tmp_path / "more").rglob("*.asf"):
        path.unlink()
    assert load("hdm05", directory=folder, **QUIET).classes == ("clap", "kick")
    data = load("hdm05", directory=folder, minimum=1, **QUIET)
    assert data.classes == ("clap", "kick", "wave")
    with pytest.raises(ParameterError, match="no class .* has 9 sequences"):
        load("hdm05", directory=folder, minimum=9, **QUIET)


def test_damaged_motions_are_named_and_leave_the_split_alone(tmp_path, rng):
    folder = hdm05_folder(tmp_path, rng, takes=6)
    files = sorted(folder.rglob("*.amc"))
    whole = load("hdm05", directory=folder, **QUIET)
    files[1].write_text("")
    files[2].write_text(files[2].read_text()[:4000])
    lines = files[4].read_text().splitlines()
    frames = [number for number, line in enumerate(lines) if line.isdigit()]
    files[4].write_text("\n".join(lines[: frames[1]]))
    files[7].write_text(files[7].read_text().replace("root ", "root nan ", 1))
    with pytest.warns(DataWarning, match="4 of 12 items left out"):
        data = load("hdm05", directory=folder, **QUIET)
    for file, reason in (
        (files[1], "is empty"),
        (files[2], "is cut short"),
        (files[4], "has 1 frames"),
        (files[7], "is cut short"),
    ):
        assert any(
            p.startswith(f"{file.relative_to(folder)} {reason}") for p in data.problems
        )
    kept = [number for number in range(12) if number not in (1, 2, 4, 7)]
    np.testing.assert_array_equal(data.test, whole.test[kept])
    np.testing.assert_array_equal(data.inputs, whole.inputs[kept])


def test_a_motion_without_its_skeleton_is_named(tmp_path, rng):
    folder = hdm05_folder(tmp_path, rng)
    odd = folder / "kick" / "HDM_xy_kick_009_120.amc"
    odd.write_text((folder / "kick" / "HDM_bd_kick_000_120.amc").read_text())
    with pytest.warns(DataWarning, match="has no skeleton HDM_xy.asf"):
        load("hdm05", directory=folder, **QUIET)


def test_half_of_each_class_is_for_training():
    labels = np.repeat([0, 1, 2], [10, 7, 1])
    test = half_of_each_class(labels, seed=3)
    assert np.bincount(labels[test], minlength=3).tolist() == [5, 3, 0]
    np.testing.assert_array_equal(test, half_of_each_class(labels, seed=3))
    assert not np.array_equal(test, half_of_each_class(labels, seed=4))


def test_covariance_files(tmp_path, rng):
    folder = covariance_folder(tmp_path, rng)
    data = load("hdm05-covariances", directory=folder, **QUIET)
    assert data.inputs.shape == (12, 5, 5) and data.inputs.dtype == np.float64
    assert data.classes == ("0", "1", "2")
    assert np.bincount(data.labels[data.test]).tolist() == [2, 2, 2]
    for file in folder.glob("*.npy"):
        label = int(file.stem.split("_")[2])
        matrix = np.load(file).real
        gaps = np.abs(data.inputs - matrix).max(axis=(1, 2))
        assert gaps.min() < 1e-14 and data.labels[gaps.argmin()] == label
    assert load(folder, **QUIET).name == "hdm05-covariances"
    other = load("hdm05-covariances", directory=folder, seed=1, **QUIET)
    assert not np.array_equal(other.test, data.test)


def test_bad_covariance_files_are_named(tmp_path, rng):
    folder = covariance_folder(tmp_path, rng)
    np.save(folder / "90_7_0.npy", np.ones((5, 5)))
    np.save(folder / "91_7_0.npy", np.eye(4))
    np.save(folder / "92_7_0.npy", np.ones(5))
    (folder / "93_7_0.npy").write_bytes(b"nothing")
    np.save(folder / "mean.npy", np.eye(5))
    with pytest.warns(DataWarning, match="5 of 17 items left out"):
        data = load("hdm05-covariances", directory=folder, **QUIET)
    text = "\n".join(data.problems)
    assert "90_7_0.npy is singular" in text
    assert "91_7_0.npy has shape (4, 4), and others (5, 5)" in text
    assert "92_7_0.npy has shape (5,), and is no square matrix" in text
    assert "93_7_0.npy cannot be read" in text
    assert "mean.npy: unexpected file name" in text
    with pytest.warns(DataWarning, match="4 of 17 items left out"):
        load("hdm05-covariances", directory=folder, shrinkage=1e-3, **QUIET)


def test_folders_without_files(tmp_path):
    for name in ("hdm05", "hdm05-covariances"):
        with pytest.raises(ParameterError, match="holds n"):
            load(name, directory=tmp_path, **QUIET)
