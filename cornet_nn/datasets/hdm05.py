"""Motion capture of HDM05: raw motions, joint trajectories, covariance matrices.

Raw motions are in the Acclaim format: .asf skeletons and .amc motions.

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
from typing import Any, NamedTuple

import numpy as np
from scipy.spatial.transform import Rotation

from geomstats_cor.exceptions import DataError, ParameterError

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


class Bone(NamedTuple):
    """A bone at rest: vector from its start to its end, and angles of its own frame.

    `order` is that of rotations about fixed axes, such as "xyz", and `channels` are
    what the motion has for the bone, such as ("rx", "rz").
    """

    offset: tuple
    axis: tuple
    order: str
    channels: tuple


class AcclaimSkeleton(NamedTuple):
    """A skeleton as an .asf file describes it: bones and their parents, by name.

    `degrees` says whether angles are in degrees.
    """

    bones: dict
    parents: dict
    degrees: bool = True

    def positions(self, motion):
        r"""Return the positions of the ends of the bones, by forward kinematics.

        With the frame :math:`C` of a bone, the rotation :math:`R` of the motion and the
        offset :math:`o` of the bone at rest,

        .. math:: G = G_{\text{parent}} \, C R C^\top , \qquad
                  p = p_{\text{parent}} + G o .

        Parameters
        ----------
        motion : dict of array, shape=[T, channels]
            Values of the channels of the bones; those of a bone that it leaves out are
            zero.

        Returns
        -------
        positions : dict of array, shape=[T, 3]
            Position of the root, and of the end of every bone.
        """
        unknown = sorted(set(motion) - set(self.bones))
        if unknown:
            raise DataError(
                f"moves {', '.join(unknown)}, which the skeleton does not have"
            )
        length = len(next(iter(motion.values()))) if motion else 0
        ordered = [name for name in self.bones if name not in self.parents]
        frames, positions = {}, {}
        # The list grows while it is read: the bones, each after its parent.
        for name in ordered:
            ordered += [child for child, of in self.parents.items() if of == name]
            rotation, translation = self._moved(name, motion.get(name), length)
            parent, offset = self.parents.get(name), np.array(self.bones[name].offset)
            if parent is None:
                frames[name], positions[name] = rotation, translation + offset
            else:
                frames[name] = frames[parent] @ rotation
                positions[name] = positions[parent] + frames[name] @ offset
        return positions

    def _moved(self, name, values, length):
        """Return rotations [T, 3, 3] in the frame of the parent, and translations."""
        bone = self.bones[name]
        channels = bone.channels if values is not None else ()
        values = np.zeros((length, 0)) if values is None else values
        if values.shape[1] != len(channels):
            raise DataError(
                f"has {values.shape[1]} values for {name}, which has the channels "
                f"{' '.join(channels)}"
            )
        moves = {"r": np.zeros((length, 3)), "t": np.zeros((length, 3))}
        for (kind, axis), column in zip(channels, values.T, strict=True):
            places = bone.order if kind == "r" else "xyz"
            moves[kind][:, places.index(axis)] = column
        own, turned = (
            Rotation.from_euler(bone.order, angles, degrees=self.degrees).as_matrix()
            for angles in (bone.axis, moves["r"])
        )
        return own @ turned @ own.T, moves["t"]


def read_asf(path):
    """Read the skeleton of an .asf file.

    Parameters
    ----------
    path : pathlib.Path
        File.

    Returns
    -------
    skeleton : AcclaimSkeleton
        Skeleton, in the unit of length of the file.
    """
    sections: dict[str, list] = {}
    for words in _lines(path):
        if words[0].startswith(":"):
            rows = sections.setdefault(words[0][1:].lower(), [])
            words = words[1:]
        if sections and words:
            rows.append(words)
    missing = {"root", "bonedata", "hierarchy"} - set(sections)
    if missing:
        raise DataError(f"{path} has no section {', '.join(sorted(missing))}")
    try:
        units = dict(_fields(sections.get("units", [])))
        bones = {"root": _root(dict(_fields(sections["root"])))}
        for block in _blocks(sections["bonedata"]):
            values = dict(_fields(block))
            bones[values["name"][0]] = _bone(values)
        parents = {
            child: parent
            for block in _blocks(sections["hierarchy"])
            for parent, *children in block
            for child in children
        }
        degrees = units.get("angle", ["deg"])[0].startswith("deg")
    except (KeyError, ValueError, IndexError) as error:
        raise DataError(f"{path} is not a skeleton: {error!r}") from error
    strange = {*parents, *parents.values()} ^ {*bones}
    if strange:
        raise DataError(
            f"{path}: {', '.join(sorted(strange))} is in the hierarchy or in the bone "
            f"data, and not in both"
        )
    return AcclaimSkeleton(bones, parents, degrees)


def read_amc(path):
    """Read the motion of an .amc file.

    Parameters
    ----------
    path : pathlib.Path
        File.

    Returns
    -------
    motion : dict of array, shape=[T, channels]
        Values of the channels of every bone.
    """
    rows: dict[str, list] = {}
    number = 0
    for name, *values in _lines(path):
        if name.isdigit() and not values:
            number += 1
        elif not name.startswith(":"):
            rows.setdefault(name, []).append(values)
    if not number or not rows:
        raise DataError("is empty")
    for name, values in rows.items():
        if len(values) != number or len({len(row) for row in values}) != 1:
            raise DataError(
                f"is cut short: {number} frames, and {len(values)} lines of {name}"
            )
    try:
        return {name: np.array(row, dtype=np.float64) for name, row in rows.items()}
    except ValueError as error:
        raise DataError(f"is damaged: {error}") from error


def _lines(path):
    for line in path.read_text(encoding="utf-8", errors="replace").splitlines():
        words = line.split("#")[0].split()
        if words:
            yield words


def _blocks(rows):
    block: list = []
    for row in rows:
        if row[0] == "begin":
            block = []
        elif row[0] == "end":
            yield block
        else:
            block.append(row)


def _fields(rows):
    return ((name, values) for name, *values in rows)


def _numbers(words):
    return tuple(map(float, words))


def _root(values):
    channels = tuple(channel.lower() for channel in values["order"])
    offset, axis = (_numbers(values[name]) for name in ("position", "orientation"))
    return Bone(offset, axis, values["axis"][0].lower(), channels)


def _bone(values):
    channels = tuple(channel.lower() for channel in values.get("dof", ()))
    unknown = [channel for channel in channels if channel not in ("rx", "ry", "rz")]
    if unknown:
        raise ValueError(f"{values['name'][0]} has the channel {unknown[0]}")
    *axis, order = values["axis"]
    length = float(values["length"][0])
    offset = tuple(length * value for value in _numbers(values["direction"]))
    return Bone(offset, _numbers(axis), order.lower(), channels)
