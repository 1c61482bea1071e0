"""Motion capture of HDM05: raw motions, joint trajectories, covariance matrices.

References
----------
.. [M2007] M. Müller, T. Röder, M. Clausen, B. Eberhardt, B. Krüger and A. Weber.
   Documentation mocap database HDM05. Universität Bonn, 2007.
.. [C2026] Z. Chen, X. Wu, B. Schölkopf and N. Sebe. Riemannian networks over full-rank
   correlation matrices. ICML 2026. Appendices "Datasets" and "Input data".
"""

import collections
import re
from pathlib import Path
from typing import Any

import numpy as np

from geomstats_cor.exceptions import DataError, ParameterError

from .acclaim import read_amc, read_asf
from .conversion import Conversion, matched, read_table
from .dataset import Dataset, half_of_each_class
from .matrices import covariances_from
from .sequences import sequence_dataset
from .skeletons import HDM05

_MOTION = re.compile(r"HDM_(?P<actor>[A-Za-z]+)_(?P<motion>.+)_(?P<take>\d+)_\d+")
_COVARIANCE = re.compile(r".+_\d+_(?P<label>\d+)")
_PAPER = {"center": "frame", "view": "frame"}


def load_hdm05(
    directory: Path,
    conversion: Conversion,
    *,
    seed: int = 0,
    minimum: int = 4,
    bone_lengths: bool = True,
    **steps: Any,
) -> Dataset:
    """Load the sequences of HDM05.

    Parameters
    ----------
    directory : pathlib.Path
        Folder with motions `HDM_{actor}_{class}_{take}_{rate}.amc` and the skeletons
        `HDM_{actor}.asf` anywhere below, or with joint trajectories of the same name,
        .npy [T, 31, 3] or [T, 93], or .txt of 93 columns. A trajectory of another name
        has the class of its folder.
    conversion : Conversion
        How to convert.
    seed : int
        Seed of the split: half of each class is for training.
    minimum : int
        Classes with fewer sequences are left out.
    bone_lengths : bool
        Whether to give all bones the lengths they have in the first sequence.
    **steps
        Steps of `SequenceMatrices`; those of the paper by default: centred and aligned
        by frame, Gaussian embedding with left neighbours, two levels.

    Returns
    -------
    dataset : Dataset
        Matrices [3, 28, 28] by default; `groups` are the actors, where files name them.
    """
    motions = sorted(directory.rglob("*.amc"))
    files = motions or sorted(
        file for end in ("npy", "txt") for file in directory.rglob(f"*.{end}")
    )
    if not files:
        raise ParameterError(f"{directory} holds neither .amc files nor trajectories")
    every = {file: _class_of(file, directory) for file in files}
    names = {file: str(file.relative_to(directory)) for file in files}
    nameless = [
        f"{names[file]} has no class in its name or folder"
        for file in files
        if every[file] is None
    ]
    classes = _frequent(every, minimum)
    if not classes:
        raise ParameterError(
            f"no class in {directory} has {minimum} sequences: use a smaller minimum"
        )
    asf = sorted(directory.rglob("*.asf")) if motions else []
    skeletons = {file.stem: file for file in asf}
    actors = [found["actor"] for f in classes if (found := _MOTION.fullmatch(f.stem))]
    labels = list(classes.values())
    return sequence_dataset(
        "hdm05",
        conversion,
        [(names[file], file) for file in classes],
        read_trajectory,
        HDM05,
        _PAPER | steps | dict(bone_lengths=bone_lengths),
        options={"skeletons": skeletons},
        files=[*classes, *skeletons.values()],
        labels=labels,
        nameless=nameless,
        # Of all files, so that those left out do not change the parts of the others.
        test=half_of_each_class(labels, seed),
        groups=np.array(actors) if len(actors) == len(labels) else None,
    )


def load_hdm05_covariances(
    directory: Path,
    conversion: Conversion,
    *,
    seed: int = 0,
    minimum: int = 2,
    shrinkage: float = 0.0,
    ridge: float = 0.0,
) -> Dataset:
    """Load covariance matrices of HDM05.

    Parameters
    ----------
    directory : pathlib.Path
        Folder of files `{id}_{frames}_{label}.npy`, each a matrix [93, 93] of which the
        real part is taken.
    conversion : Conversion
        How to convert.
    seed : int
        Seed of the split: half of each class is for training.
    minimum : int
        Classes with fewer matrices are left out.
    shrinkage : float
        Shrinkage of the matrices.
    ridge : float
        Ridge of the matrices.

    Returns
    -------
    dataset : Dataset
        Covariance matrices.
    """
    named, nameless = matched(directory.glob("*.npy"), _COVARIANCE)
    labels = {file: int(found["label"]) for file, found in named.items()}
    labels = _frequent(labels, minimum)
    if not labels:
        raise ParameterError(
            f"{directory} holds no files id_frames_label.npy, {minimum} for a class"
        )
    return conversion.run(
        "hdm05-covariances",
        read_covariance,
        [(file.name, file) for file in labels],
        {"shrinkage": shrinkage, "ridge": ridge},
    ).dataset(
        "hdm05-covariances",
        "covariance",
        list(labels.values()),
        nameless=nameless,
        test=half_of_each_class(list(labels.values()), seed),
    )


def read_trajectory(file, skeletons):
    """Read the joints of a motion.

    Parameters
    ----------
    file : pathlib.Path
        An .amc file, or a trajectory as .npy or .txt.
    skeletons : dict of pathlib.Path
        The .asf files by their names without ending.

    Returns
    -------
    joints : array, shape=[T, 31, 3] or [T, 93]
        Positions of the joints, in the order of `HDM05.joints`.
    """
    if file.suffix == ".npy":
        return np.load(file, allow_pickle=False)
    if file.suffix == ".txt":
        return read_table(file)
    if len(skeletons) == 1:
        (chosen,) = skeletons.values()
    else:
        name = "_".join(file.stem.split("_")[:2])
        chosen = skeletons.get(name)
        if chosen is None:
            raise DataError(f"has no skeleton {name}.asf")
    positions = read_asf(chosen).positions(read_amc(file))
    missing = [name for name in HDM05.joints if name not in positions]
    if missing:
        raise DataError(f"has no joint {', '.join(missing)} in {chosen.name}")
    return np.stack([positions[name] for name in HDM05.joints], axis=1)


def read_covariance(file, shrinkage, ridge):
    """Read a covariance matrix.

    Parameters
    ----------
    file : pathlib.Path
        An .npy file, real or complex.
    shrinkage : float
        Shrinkage.
    ridge : float
        Ridge.

    Returns
    -------
    covariance : array, shape=[n, n]
        Real matrix.
    """
    matrix = np.load(file, allow_pickle=False).real.astype(np.float64)
    return covariances_from(matrix, shrinkage, ridge)


def _class_of(file, directory):
    found = _MOTION.fullmatch(file.stem)
    if found:
        return found["motion"]
    return None if file.parent == directory else file.parent.name


def _frequent(classes, minimum):
    """Return the files of the classes that have at least so many."""
    sizes = collections.Counter(classes.values())
    enough = {name for name, size in sizes.items() if size >= minimum} - {None}
    return {file: name for file, name in classes.items() if name in enough}
