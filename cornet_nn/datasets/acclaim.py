"""Motion capture in the Acclaim format: .asf skeletons and .amc motions."""

from typing import NamedTuple

import numpy as np
from scipy.spatial.transform import Rotation

from geomstats_cor.exceptions import DataError


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
            raise DataError(f"moves {', '.join(unknown)}, which the skeleton has not")
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
