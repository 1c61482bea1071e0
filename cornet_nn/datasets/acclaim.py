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
            bone = bones[name]
            rotation, translation = self._moved(bone, motion.get(name), length)
            if name not in self.parents:
                frames[name] = rotation
                positions[name] = translation + np.array(bone.offset)
                continue
            parent = self.parents[name]
            frames[name] = frames[parent] @ rotation
            positions[name] = positions[parent] + frames[name] @ np.array(bone.offset)
        return positions

    def _from_the_root(self):
        """Return the names of the bones, each after its parent."""
        ordered = [bone.name for bone in self.bones if bone.name not in self.parents]
        for name in ordered:
            ordered += [child for child, of in self.parents.items() if of == name]
        return ordered

    def _moved(self, bone, values, length):
        angles, translation = np.zeros((length, 3)), np.zeros((length, 3))
        if values is not None:
            if values.shape[1] != len(bone.channels):
                raise DataError(
                    f"has {values.shape[1]} values for {bone.name}, which has the "
                    f"channels {' '.join(bone.channels)}"
                )
            for channel, column in zip(bone.channels, values.T, strict=True):
                if channel[0] == "r":
                    angles[:, bone.order.index(channel[1])] = column
                else:
                    translation[:, "xyz".index(channel[1])] = column
        own = Rotation.from_euler(bone.order, bone.axis, degrees=self.degrees)
        turned = Rotation.from_euler(bone.order, angles, degrees=self.degrees)
        own = own.as_matrix()
        return own @ turned.as_matrix() @ own.T, translation


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
            if len(words) > 1:
                rows.append(words[1:])
        elif sections:
            rows.append(words)
    missing = {"root", "bonedata", "hierarchy"} - set(sections)
    if missing:
        raise DataError(f"{path} has no section {', '.join(sorted(missing))}")
    try:
        units = {row[0]: row[1:] for row in sections.get("units", [])}
        bones = [_root(sections["root"])]
        bones += [_bone(block) for block in _blocks(sections["bonedata"])]
        parents = {}
        for block in _blocks(sections["hierarchy"]):
            for parent, *children in block:
                parents |= dict.fromkeys(children, parent)
        degrees = units.get("angle", ["deg"])[0].startswith("deg")
    except (KeyError, ValueError, IndexError) as error:
        raise DataError(f"{path} is not a skeleton: {error!r}") from error
    names = {bone.name for bone in bones}
    strange = (set(parents) | set(parents.values())) ^ names
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
    for words in _lines(path):
        if words[0].startswith(":"):
            continue
        if len(words) == 1 and words[0].isdigit():
            number += 1
        else:
            rows.setdefault(words[0], []).append(words[1:])
    if not number or not rows:
        raise DataError("is empty")
    for name, values in rows.items():
        widths = {len(row) for row in values}
        if len(values) != number or len(widths) != 1:
            raise DataError(
                f"is cut short: {number} frames, and {len(values)} lines of {name}"
            )
    try:
        return {
            name: np.array(values, dtype=np.float64) for name, values in rows.items()
        }
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
    return Bone(
        "root",
        tuple(map(float, values["position"])),
        tuple(map(float, values["orientation"])),
        values["axis"][0].lower(),
        tuple(channel.lower() for channel in values["order"]),
    )


def _bone(rows):
    values = {row[0]: row[1:] for row in rows}
    length = float(values["length"][0])
    channels = tuple(channel.lower() for channel in values.get("dof", ()))
    unknown = [channel for channel in channels if channel not in ("rx", "ry", "rz")]
    if unknown:
        raise ValueError(f"{values['name'][0]} has the channel {unknown[0]}")
    return Bone(
        values["name"][0],
        tuple(length * float(value) for value in values["direction"]),
        tuple(map(float, values["axis"][:3])),
        values["axis"][3].lower(),
        channels,
    )
