"""Hand actions of FPHA: raw skeletons, and feature files.

References
----------
.. [G2018] G. Garcia-Hernando, S. Yuan, S. Baek and T.-K. Kim. First-person hand action
   benchmark with RGB-D videos and 3D hand pose annotations. CVPR 2018.
.. [C2026] Z. Chen, X. Wu, B. Schölkopf and N. Sebe. Riemannian networks over full-rank
   correlation matrices. ICML 2026. Appendices "Datasets" and "Input data".
"""

import re
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import torch

from geomstats_cor.exceptions import DataError, ParameterError

from .._files import require_intact_archive
from .conversion import Conversion, described, matched, read_table
from .dataset import Dataset
from .matrices import covariances_from
from .sequences import sequence_dataset
from .skeletons import FPHA

_SPLIT = "data_split_action_recognition.txt"
POSES = "Hand_pose_annotation_v1"
_FEATURES = re.compile(r".+_(?P<label>\d+)")
# Turns of the hand are kept: aligning each frame by itself costs accuracy.
_DEFAULT = dict(center="first", view="first", neighbors=("left", "right", "bottom"))


def load_fpha(
    directory: Path,
    conversion: Conversion,
    *,
    split: str | Path | None = None,
    bone_lengths: bool = True,
    **steps: Any,
) -> Dataset:
    """Load the hand skeletons of FPHA, with the official split.

    Parameters
    ----------
    directory : pathlib.Path
        Folder with `Subject_k/action/repetition/skeleton.txt`, of 64 columns: the
        number of the frame and three coordinates of 21 joints. Or the folder above it,
        if it is called `Hand_pose_annotation_v1`, as it is distributed.
    conversion : Conversion
        How to convert.
    split : str or pathlib.Path
        File of the split, by default `data_split_action_recognition.txt` in the folder
        of the subjects or beside it, where links are followed as well: a line
        `Training 600`, lines `path label`, a line `Test 575`, lines `path label`.
    bone_lengths : bool
        Whether to give all bones the lengths they have in the first sequence.
    **steps
        Steps of `SequenceMatrices`; by default centred and aligned by the first frame,
        Gaussian embedding with three sets of neighbours, two levels.

    Returns
    -------
    dataset : Dataset
        Matrices [9, 28, 28] by default; `groups` are the subjects.
    """
    poses = _poses(directory)
    split_file = _split_file(directory, poses, split)
    paths, labels, test = read_split(split_file)
    files = [poses / path / "skeleton.txt" for path in paths]
    if not any(file.exists() for file in files):
        raise DataError(
            f"{split_file} names {len(files)} sequences, and {poses} holds none of "
            f"them. The first is expected at {files[0]}"
        )
    subjects, actions, _ = zip(*(path.split("/") for path in paths), strict=True)
    _, first = np.unique(labels, return_index=True)
    return sequence_dataset(
        "fpha",
        conversion,
        [*zip(paths, files, strict=True)],
        read_hand,
        FPHA,
        _DEFAULT | steps | dict(bone_lengths=bone_lengths),
        labels=labels,
        classes=[actions[number] for number in first],
        test=test,
        groups=np.array(subjects),
    )


def load_fpha_features(
    directory: Path, conversion: Conversion, *, shrinkage: float = 0, ridge: float = 0
) -> Dataset:
    """Load feature files of FPHA.

    Parameters
    ----------
    directory : pathlib.Path
        Folder with `train/*_{label}.pt` and `val/*_{label}.pt`: dictionaries with a
        tensor `covariance_matrices` [9, 28, 28].
    conversion : Conversion
        How to convert.
    shrinkage : float
        Shrinkage of the matrices.
    ridge : float
        Ridge of the matrices.

    Returns
    -------
    dataset : Dataset
        Covariance matrices; those of `val` are for testing.
    """
    parts = (directory / part for part in ("train", "val"))
    named, nameless = matched((f for p in parts for f in p.glob("*.pt")), _FEATURES)
    if not named:
        raise ParameterError(f"{directory} holds no train/*_label.pt or val/*_label.pt")
    return conversion.run(
        "fpha-features",
        read_features,
        [(str(file.relative_to(directory)), file) for file in named],
        {"shrinkage": shrinkage, "ridge": ridge},
    ).dataset(
        "fpha-features",
        "covariance",
        [match["label"] for match in named.values()],
        nameless=nameless,
        test=np.array([file.parent.name == "val" for file in named]),
    )


def read_split(path):
    """Read a file of the split.

    Parameters
    ----------
    path : pathlib.Path
        File.

    Returns
    -------
    paths : list of str
        Paths `Subject_k/action/repetition`.
    labels : list of int
        Labels.
    test : array of bool
        Whether a sequence is for testing.
    """
    paths, labels, test, part = [], [], [], None
    for number, line in enumerate(path.read_text().splitlines(), start=1):
        words = line.split()
        if not words:
            continue
        if words[0] in ("Training", "Test"):
            part = words[0]
            continue
        is_item = len(words) == 2 and words[0].count("/") == 2 and words[1].isdigit()
        if part is None or not is_item:
            raise DataError(
                f"{path}, line {number}: expected 'Subject_k/action/repetition label' "
                f"under 'Training' or 'Test', got {line!r}"
            )
        paths.append(words[0])
        labels.append(int(words[1]))
        test.append(part == "Test")
    if not paths:
        raise DataError(f"{path} names no sequence")
    return paths, labels, np.array(test, dtype=bool)


def read_hand(file):
    """Read the joints of a hand.

    Parameters
    ----------
    file : pathlib.Path
        File `skeleton.txt`.

    Returns
    -------
    joints : array, shape=[T, 63]
        Coordinates.
    """
    if not file.exists():
        raise DataError(f"is missing: there is no file {described(file)}")
    table = read_table(file)
    if table.shape[1] != 64:
        raise DataError(f"has {table.shape[1]} columns: expected 64")
    return table[:, 1:]


def read_features(file, shrinkage, ridge):
    """Read covariance matrices from a feature file, without running code from it.

    Parameters
    ----------
    file : pathlib.Path
        File .pt.
    shrinkage : float
        Shrinkage.
    ridge : float
        Ridge.

    Returns
    -------
    covariances : array, shape=[9, 28, 28]
        Covariance matrices.
    """
    with open(file, "rb") as opened:
        if zipfile.is_zipfile(opened):  # files before torch 1.6 are not
            require_intact_archive(opened)
        opened.seek(0)
        content = torch.load(opened, map_location="cpu", weights_only=True)
    if not isinstance(content, dict) or "covariance_matrices" not in content:
        raise DataError("has no covariance_matrices")
    matrices = torch.as_tensor(content["covariance_matrices"]).double().numpy()
    return covariances_from(matrices, shrinkage, ridge)


def _poses(directory):
    """Return the folder of the subjects: the one that is given, or the one in it."""
    folders = [directory, directory / POSES]
    for folder in folders:
        if next(folder.glob("Subject_*"), None) is not None:
            return folder
    tried = ", ".join(described(folder / "Subject_*") for folder in folders)
    raise ParameterError(f"no hands of FPHA are in {directory}. Paths tried: {tried}")


def _split_file(directory, poses, split):
    """Return the file of the split: beside a link, or beside what it links to."""
    folders = [directory, poses, poses.parent, poses.resolve(), poses.resolve().parent]
    name = _SPLIT if split is None else split
    files = list(dict.fromkeys(folder / name for folder in folders))
    for file in files:
        if file.is_file():
            return file
    raise ParameterError(
        f"the split of FPHA is missing: give it with split=. Paths tried: "
        f"{', '.join(map(described, files))}"
    )
