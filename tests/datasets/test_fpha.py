"""FPHA from raw hands with the official split, and from feature files."""

import numpy as np
import pytest
import torch

from cornet_nn.datasets import FPHA, SequenceMatrices, load
from cornet_nn.datasets.sequences import reference_lengths
from geomstats_cor.exceptions import DataError, DataWarning, ParameterError

from .files import SPLIT, distributed_fpha_folder, fpha_folder, smooth_walk, write_hand

QUIET = {"cache": False, "progress": False}
SIDES = ("left", "right", "bottom")


def hand_of(file):
    return np.loadtxt(file)[:, 1:].reshape(-1, 21, 3)


def test_hands_with_the_split(tmp_path, rng):
    folder = fpha_folder(tmp_path, rng)
    data = load("fpha", directory=folder, **QUIET)
    assert data.inputs.shape == (8, 9, 28, 28) and data.kind == "covariance"
    assert data.labels.tolist() == [0, 0, 1, 1] * 2
    assert data.classes == ("pour_milk", "open_letter")
    assert data.test.tolist() == [False] * 4 + [True] * 4
    assert data.groups.tolist() == ["Subject_1"] * 4 + ["Subject_2"] * 4

    paths = [
        f"Subject_{s}/{a}/{r}" for s in (1, 2) for a in data.classes for r in (1, 2)
    ]
    hands = [hand_of(folder / path / "skeleton.txt") for path in paths]
    matrices = SequenceMatrices(
        FPHA,
        center="first",
        view="first",
        neighbors=SIDES,
        lengths=reference_lengths(hands, FPHA),
    )
    for number in (0, 5):
        np.testing.assert_allclose(
            data.inputs[number], matrices(hands[number]), rtol=1e-10
        )
    assert load(folder, **QUIET).name == "fpha"


def test_global_covariances(tmp_path, rng):
    data = load(
        "fpha",
        directory=fpha_folder(tmp_path, rng),
        representation="covariance",
        levels=1,
        center=None,
        **QUIET,
    )
    assert data.inputs.shape == (8, 63, 63)


def test_steps_that_the_paper_leaves_open(tmp_path, rng):
    folder = fpha_folder(tmp_path, rng, frames=3)
    # Three frames are too few for a pyramid of two levels, unless they are resampled.
    with pytest.raises(DataError, match="none of 8 items can be used"):
        load("fpha", directory=folder, **QUIET)
    steps = {"root": False, "frames": 200, "augmented": True}
    data = load("fpha", directory=folder, **steps, **QUIET)
    assert data.inputs.shape == (8, 9, 29, 29)
    steps |= {"representation": "covariance", "levels": 1}
    data = load("fpha", directory=folder, **steps, **QUIET)
    assert data.inputs.shape == (8, 61, 61)


def test_bad_hands_are_named(tmp_path, rng):
    folder = fpha_folder(tmp_path, rng)
    places = [folder / f"Subject_1/pour_milk/{r}/skeleton.txt" for r in (1, 2)]
    places += [folder / f"Subject_1/open_letter/{r}/skeleton.txt" for r in (1, 2)]
    places += [folder / f"Subject_2/pour_milk/{r}/skeleton.txt" for r in (1, 2)]
    places[0].unlink()
    places[1].write_text("")
    write_hand(places[2], np.repeat(smooth_walk(rng, 1, 21), 7, axis=0))
    np.savetxt(places[3], rng.standard_normal((7, 60)))
    write_hand(places[4], smooth_walk(rng, 1, 21))
    text = places[5].read_text().splitlines()
    places[5].write_text("\n".join([*text[:3], "3 nan" + " 1.0" * 62, *text[4:]]))
    with pytest.warns(DataWarning, match="6 of 8 items left out"):
        data = load("fpha", directory=folder, **QUIET)
    reasons = [
        "Subject_1/pour_milk/1 is missing: there is no file",
        "Subject_1/pour_milk/2 is empty",
        "Subject_1/open_letter/1 is constant",
        "Subject_1/open_letter/2 has 60 columns: expected 64",
        "Subject_2/pour_milk/1 has 1 frames",
        "Subject_2/pour_milk/2 has a NaN or an infinity in frame 3",
    ]
    for problem, reason in zip(data.problems, reasons, strict=True):
        assert problem.startswith(reason)
    assert data.left_out.labels.tolist() == [0, 0, 1, 1, 0, 0]
    assert data.left_out.test.tolist() == [False] * 4 + [True] * 2
    assert data.left_out.groups.tolist() == ["Subject_1"] * 4 + ["Subject_2"] * 2
    # The classes are those of the split, and the items keep theirs.
    assert data.classes == ("pour_milk", "open_letter")
    assert data.labels.tolist() == [1, 1] and data.test.all()
    with pytest.warns(DataWarning, match="5 of 8 items left out"):
        load("fpha", directory=folder, ridge=1e-6, **QUIET)
    with pytest.raises(DataError, match="open_letter/1 is constant"):
        load("fpha", directory=folder, errors="raise", **QUIET)


def test_the_split_file(tmp_path, rng):
    folder = fpha_folder(tmp_path / "poses", rng)
    split, elsewhere = folder / SPLIT, tmp_path / SPLIT
    split.rename(elsewhere)
    assert len(load("fpha", directory=folder, **QUIET)) == 8
    mine = tmp_path / "mine.txt"
    elsewhere.rename(mine)
    with pytest.raises(ParameterError, match="give it with split="):
        load("fpha", directory=folder, **QUIET)
    assert len(load("fpha", directory=folder, split=mine, **QUIET)) == 8
    mine.write_text("Training 1\nSubject_1/pour_milk/1 zero\n")
    with pytest.raises(DataError, match="mine.txt, line 2"):
        load("fpha", directory=folder, split=mine, **QUIET)
    mine.write_text("Subject_1/pour_milk/1 0\n")
    with pytest.raises(DataError, match="mine.txt, line 1"):
        load("fpha", directory=folder, split=mine, **QUIET)


def test_the_layout_as_it_is_distributed(tmp_path, rng):
    folder = distributed_fpha_folder(tmp_path / "F-PHAB", rng)
    for place in (folder, folder / "Hand_pose_annotation_v1"):
        by_name = load("fpha", directory=place, **QUIET)
        by_folder = load(place, **QUIET)
        assert by_folder.name == "fpha" and len(by_folder) == len(by_name) == 8
        np.testing.assert_array_equal(by_folder.inputs, by_name.inputs)
        assert by_name.test.sum() == 4


def test_links(tmp_path, rng):
    folder = distributed_fpha_folder(tmp_path / "F-PHAB", rng)
    poses = folder / "Hand_pose_annotation_v1"
    # A link to either level, where the split file is beside the target,
    for name, target in (("upper", folder), ("lower", poses)):
        (tmp_path / name).symlink_to(target)
        assert len(load("fpha", directory=tmp_path / name, **QUIET)) == 8
        assert len(load(tmp_path / name, **QUIET)) == 8
    # or where it is beside the link, or a link itself.
    mine = tmp_path / "mine"
    mine.mkdir()
    (mine / "Hand_pose_annotation_v1").symlink_to(poses)
    (folder / SPLIT).rename(tmp_path / "split.txt")
    (mine / SPLIT).symlink_to(tmp_path / "split.txt")
    for place in (mine, mine / "Hand_pose_annotation_v1"):
        assert len(load("fpha", directory=place, **QUIET)) == 8
        assert len(load(place, **QUIET)) == 8


def test_errors_name_every_path_that_was_looked_for(tmp_path, rng):
    folder = distributed_fpha_folder(tmp_path / "F-PHAB", rng)
    poses = folder / "Hand_pose_annotation_v1"
    (folder / SPLIT).unlink()
    for place in (folder, poses):
        with pytest.raises(ParameterError, match="Paths tried: ") as caught:
            load("fpha", directory=place, **QUIET)
        for path in (folder / SPLIT, poses / SPLIT):
            assert str(path) in str(caught.value)
    with pytest.raises(ParameterError, match="Paths tried: ") as caught:
        load("fpha", directory=folder, split="mine.txt", **QUIET)
    assert str(folder / "mine.txt") in str(caught.value)

    empty = tmp_path / "empty"
    empty.mkdir()
    with pytest.raises(ParameterError, match="no hands of FPHA") as caught:
        load("fpha", directory=empty, **QUIET)
    for path in (empty, empty / "Hand_pose_annotation_v1"):
        assert str(path / "Subject_*") in str(caught.value)
    with pytest.raises(DataError, match="Hand_pose_annotation_v1/Subject_"):
        load(empty, **QUIET)


def test_broken_links_are_named(tmp_path, rng):
    gone = tmp_path / "gone"
    link = tmp_path / "fpha"
    link.symlink_to(gone)
    for arguments in (("fpha", link), (link, None)):
        with pytest.raises(ParameterError, match=f"broken link to {gone}"):
            load(arguments[0], directory=arguments[1], **QUIET)
    folder = tmp_path / "data"
    folder.mkdir()
    (folder / "Hand_pose_annotation_v1").symlink_to(gone)
    with pytest.raises(ParameterError, match=f"broken link to {gone}"):
        load("fpha", directory=folder, **QUIET)
    with pytest.raises(DataError, match=f"broken link to {gone}"):
        load(folder, **QUIET)
    folder = fpha_folder(tmp_path / "hands", rng)
    (folder / SPLIT).unlink()
    (folder / SPLIT).symlink_to(gone)
    with pytest.raises(ParameterError, match=f"broken link to {gone}"):
        load("fpha", directory=folder, **QUIET)


def test_a_split_that_names_missing_sequences(tmp_path, rng):
    folder = fpha_folder(tmp_path, rng)
    split = folder / SPLIT
    split.write_text(split.read_text() + "Subject_3/pour_milk/1 0\n")
    with pytest.warns(DataWarning, match="1 of 9 items left out"):
        data = load("fpha", directory=folder, **QUIET)
    missing = folder / "Subject_3/pour_milk/1/skeleton.txt"
    assert data.problems == (
        f"Subject_3/pour_milk/1 is missing: there is no file {missing}",
    )
    split.write_text("Training 1\nSubject_3/pour_milk/1 0\n")
    with pytest.raises(DataError, match="holds none of them") as caught:
        load("fpha", directory=folder, **QUIET)
    assert str(missing) in str(caught.value)
    split.write_text("Training 0\nTest 0\n")
    with pytest.raises(DataError, match="names no sequence"):
        load("fpha", directory=folder, **QUIET)


@pytest.fixture
def features(tmp_path, rng):
    for part, number in (("train", 4), ("val", 2)):
        (tmp_path / part).mkdir()
        for item in range(number):
            samples = torch.from_numpy(rng.standard_normal((9, 28, 60)))
            matrices = (samples @ samples.mT / 60).float()
            torch.save(
                {"covariance_matrices": matrices},
                tmp_path / part / f"clip{item}_{10 + item % 2}.pt",
            )
    return tmp_path


def test_feature_files(features):
    data = load("fpha-features", directory=features, **QUIET)
    assert data.inputs.shape == (6, 9, 28, 28)
    assert data.classes == ("10", "11") and data.labels.tolist() == [0, 1] * 3
    assert data.test.tolist() == [False] * 4 + [True] * 2
    stored = torch.load(features / "val" / "clip1_11.pt")["covariance_matrices"]
    np.testing.assert_allclose(data.inputs[5], stored.numpy(), atol=1e-6)
    assert load(features, **QUIET).name == "fpha-features"


class Harmful:
    """What a file could run, if it were trusted."""

    def __reduce__(self):
        return print, ("this must not run",)


def test_feature_files_are_not_trusted(features, capsys):
    torch.save({"covariance_matrices": Harmful()}, features / "val" / "bad_10.pt")
    torch.save({"other": torch.eye(2)}, features / "val" / "other_10.pt")
    (features / "val" / "cut_10.pt").write_bytes(b"PK\x03\x04")
    with pytest.warns(DataWarning, match="3 of 9 items left out"):
        data = load("fpha-features", directory=features, **QUIET)
    assert "this must not run" not in capsys.readouterr().out
    text = "\n".join(data.problems)
    assert "val/bad_10.pt cannot be read" in text
    assert "val/cut_10.pt cannot be read" in text
    assert "val/other_10.pt has no covariance_matrices" in text


def test_no_feature_files(tmp_path):
    with pytest.raises(ParameterError, match="holds no train/"):
        load("fpha-features", directory=tmp_path, **QUIET)
