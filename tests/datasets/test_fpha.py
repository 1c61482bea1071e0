"""FPHA from raw hands with the official split, and from feature files."""

import numpy as np
import pytest
import torch

from cornet_nn.datasets import FPHA, SequenceMatrices, load
from cornet_nn.datasets.sequences import reference_lengths
from geomstats_cor.exceptions import DataError, DataWarning, ParameterError

from .files import fpha_folder, smooth_walk, write_hand

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
        center="frame",
        view="frame",
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
        "Subject_1/pour_milk/1 cannot be read",
        "Subject_1/pour_milk/2 is empty",
        "Subject_1/open_letter/1 is constant",
        "Subject_1/open_letter/2 has 60 columns: 64 are wanted",
        "Subject_2/pour_milk/1 has 1 frames",
        "Subject_2/pour_milk/2 has a NaN or an infinity in frame 3",
    ]
    for problem, reason in zip(data.problems, reasons, strict=True):
        assert problem.startswith(reason)
    # The classes are those of the split, and the items keep theirs.
    assert data.classes == ("pour_milk", "open_letter")
    assert data.labels.tolist() == [1, 1] and data.test.all()
    with pytest.warns(DataWarning, match="5 of 8 items left out"):
        load("fpha", directory=folder, ridge=1e-6, **QUIET)
    with pytest.raises(DataError, match="open_letter/1 is constant"):
        load("fpha", directory=folder, errors="raise", **QUIET)


def test_the_split_file(tmp_path, rng):
    folder = fpha_folder(tmp_path / "poses", rng)
    split = folder / "data_split_action_recognition.txt"
    elsewhere = tmp_path / "data_split_action_recognition.txt"
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
