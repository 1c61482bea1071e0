"""Motion capture in the Acclaim format: .asf skeletons and .amc motions."""

import dataclasses

import numpy as np
from scipy.spatial.transform import Rotation

from geomstats_cor.exceptions import DataError


@dataclasses.dataclass(frozen=True)
class Bone:
    """A bone of an Acclaim skeleton, at rest.

    Attributes
    ----------
    name : str
        Name.
    offset : tuple of float
        Vector from its start to its end.
    axis : tuple of float
        Angles of its own frame, in the order of the rotations.
    order : str
        Order of the rotations about fixed axes, such as "xyz".
    channels : tuple of str
        What the motion has for it, such as ("rx", "rz").
    """

    name: str
    offset: tuple
    axis: tuple
    order: str
    channels: tuple

    def moved(self, values, length, degrees):
        """Return rotations and translations of the bone.

        Parameters
        ----------
        values : array, shape=[T, channels], or None
            Values of its channels; None if the motion has none for it.
        length : int
            Number of frames T.
        degrees : bool
            Whether angles are in degrees.

        Returns
        -------
        rotations : array, shape=[T, 3, 3]
            Rotations in the frame of the parent.
        translations : array, shape=[T, 3]
            Translations; those of all but the root are zero.
        """
        channels = self.channels if values is not None else ()
        values = np.zeros((length, 0)) if values is None else values
        if values.shape[1] != len(channels):
            raise DataError(
                f"has {values.shape[1]} values for {self.name}, which has the channels "
                f"{' '.join(channels)}"
            )
        moves = {"r": np.zeros((length, 3)), "t": np.zeros((length, 3))}
        for (kind, axis), column in zip(channels, values.T, strict=True):
            places = self.order if kind == "r" else "xyz"
            moves[kind][:, places.index(axis)] = column
        own, turned = (
            Rotation.from_euler(self.order, angles, degrees=degrees).as_matrix()
            for angles in (self.axis, moves["r"])
        )
        return own @ turned @ own.T, moves["t"]


@dataclasses.dataclass(frozen=True)
class AcclaimSkeleton:
    """A skeleton as an .asf file describes it.

    Attributes
    ----------
    bones : tuple of Bone
        The root and the bones, in the order of the file.
    parents : dict
        Name of the parent of every bone.
    degrees : bool
        Whether angles are in degrees.
    """

    bones: tuple
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
        bones = {bone.name: bone for bone in self.bones}
        unknown = sorted(set(motion) - set(bones))
        if unknown:
            raise DataError(f"moves {', '.join(unknown)}, which the skeleton has not")
        length = len(next(iter(motion.values()))) if motion else 0
        frames, positions = {}, {}
        for name in self._from_the_root():
            bone, parent = bones[name], self.parents.get(name)
            rotation, translation = bone.moved(motion.get(name), length, self.degrees)
            if parent is None:
                frames[name] = rotation
                positions[name] = translation + np.array(bone.offset)
            else:
                frames[name] = frames[parent] @ rotation
                positions[name] = positions[parent] + frames[name] @ bone.offset
        return positions

    def _from_the_root(self):
        """Return the names of the bones, each after its parent."""
        ordered = [bone.name for bone in self.bones if bone.name not in self.parents]
        for name in ordered:
            ordered += [child for child, of in self.parents.items() if of == name]
        return ordered


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
    sections = {}
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
        units = {row[0]: row[1:] for row in sections.get("units", [])}
        bones = [_root(sections["root"])]
        bones += [_bone(block) for block in _blocks(sections["bonedata"])]
        parents = {
            child: parent
            for block in _blocks(sections["hierarchy"])
            for parent, *children in block
            for child in children
        }
        degrees = units.get("angle", ["deg"])[0].startswith("deg")
    except (KeyError, ValueError, IndexError) as error:
        raise DataError(f"{path} is not a skeleton: {error!r}") from error
    strange = {*parents, *parents.values()} ^ {bone.name for bone in bones}
    if strange:
        raise DataError(
            f"{path}: {', '.join(sorted(strange))} is in the hierarchy or in the bone "
            f"data, and not in both"
        )
    return AcclaimSkeleton(tuple(bones), parents, degrees)


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
    rows, number = {}, 0
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
    block = None
    for row in rows:
        if row[0] == "begin":
            block = []
        elif row[0] == "end":
            yield block
        elif block is not None:
            block.append(row)


def _root(rows):
    values = {row[0]: row[1:] for row in rows}
    channels = tuple(channel.lower() for channel in values["order"])
    offset, axis = (tuple(map(float, values[k])) for k in ("position", "orientation"))
    return Bone("root", offset, axis, values["axis"][0].lower(), channels)


def _bone(rows):
    values = {row[0]: row[1:] for row in rows}
    name, length = values["name"][0], float(values["length"][0])
    channels = tuple(channel.lower() for channel in values.get("dof", ()))
    unknown = [channel for channel in channels if channel not in ("rx", "ry", "rz")]
    if unknown:
        raise ValueError(f"{name} has the channel {unknown[0]}")
    *axis, order = values["axis"]
    offset = tuple(length * float(value) for value in values["direction"])
    return Bone(name, offset, tuple(map(float, axis)), order.lower(), channels)
