"""Skeletons, and steps that remove position, size and view from their sequences.

Sequences have the shape [T, joints, 3]. Every step takes away something that a
classifier could use: the effects are in the documentation of the data sets.

References
----------
.. [V2014] R. Vemulapalli, F. Arrate and R. Chellappa. Human action recognition by
   representing 3D skeletons as points in a Lie group. CVPR 2014.
"""

import dataclasses

import numpy as np

from geomstats_cor.exceptions import DataError, ParameterError
from geomstats_cor.kernels._quotients import divide
from geomstats_cor.validation import require_choice


@dataclasses.dataclass(frozen=True)
class Skeleton:
    """The joints of a skeleton and the bones between them.

    Parameters
    ----------
    joints : tuple of str
        Names of the joints.
    parents : tuple of int
        Joint at the other end of the bone towards the root; -1 for a root.
    chains : tuple of tuple of int
        Chains of joints, such as limbs or fingers, from left to right.
    across : tuple of int
        Two joints from left to right, which view alignment turns along the first axis.
    upright : tuple of int or None
        Two joints, of which view alignment turns the second above the first; None where
        the second axis of the data is vertical and is kept.
    bodies : int
        Number of equal bodies, one after the other, each with its root. The first is
        centred and aligned; all move with it. Chains are those of the first.
    apart : bool
        Whether matrices are made of each body, and not of all joints together.

    Examples
    --------
    >>> from cornet_nn.datasets import FPHA, HDM05, NTU
    >>> len(HDM05.joints), len(FPHA.joints), len(NTU.joints)
    (31, 21, 25)
    >>> HDM05.joints[HDM05.neighbors("bottom")[HDM05.joints.index("ltibia")]]
    'lfemur'
    """

    joints: tuple
    parents: tuple
    chains: tuple
    across: tuple
    upright: tuple | None = None
    bodies: int = 1
    apart: bool = False

    @property
    def root(self):
        """Index of the (first) root."""
        return self.parents.index(-1)

    @property
    def body(self):
        """Skeleton of the first body alone."""
        size = len(self.joints) // self.bodies
        parts = dict(joints=self.joints[:size], parents=self.parents[:size])
        return dataclasses.replace(self, bodies=1, apart=False, **parts)

    @property
    def depths(self):
        """Number of bones between each joint and its root."""
        depths = []
        for joint in range(len(self.parents)):
            depth = 0
            while self.parents[joint] != -1:
                joint, depth = self.parents[joint], depth + 1
            depths.append(depth)
        return tuple(depths)

    def neighbors(self, side):
        """Return the index of the neighbour of each joint.

        Parameters
        ----------
        side : str or sequence of int
            "bottom" is the joint at the other end of the bone towards the root. "left"
            and "right" are the joint of the next chain on that side whose number of
            bones to the root is closest. A joint that has none is its own neighbour.
            Indices are returned as they are.

        Returns
        -------
        neighbors : tuple of int
            Index of the neighbour of each joint.
        """
        size = len(self.joints) // self.bodies
        if isinstance(side, str):
            found = self._beside(side, size)
        else:
            found = tuple(map(int, side))
            known = len(found) in (size, len(self.joints))
            if not known or not all(0 <= index < len(found) for index in found):
                raise ParameterError(
                    f"neighbors are an index from 0 to {size - 1} for each of {size} "
                    f"joints, not {found}"
                )
        copies = len(self.joints) // len(found)
        return tuple(index + size * body for body in range(copies) for index in found)

    def _beside(self, side, size):
        """Return the neighbours in one body."""
        require_choice("neighbors", side, ("left", "right", "bottom"))
        if side == "bottom":
            parents = enumerate(self.parents[:size])
            return tuple(joint if parent == -1 else parent for joint, parent in parents)
        chains = self.chains if side == "left" else self.chains[::-1]
        depths, neighbors = self.depths, list(range(size))
        for beside, chain in zip(chains, chains[1:], strict=False):
            for joint in chain:
                gaps = [abs(depths[other] - depths[joint]) for other in beside]
                neighbors[joint] = beside[int(np.argmin(gaps))]
        return tuple(neighbors)


def without_roots(skeleton):
    """Return a skeleton without its roots, for neighbours of the joints that are left.

    Parameters
    ----------
    skeleton : Skeleton
        Skeleton.

    Returns
    -------
    skeleton : Skeleton
        Skeleton in which the joints next to a root are roots. It has no directions to
        align the view with.

    Examples
    --------
    >>> from cornet_nn.datasets import FPHA
    >>> len(without_roots(FPHA).joints)
    20
    """
    kept = [joint for joint, parent in enumerate(skeleton.parents) if parent != -1]
    index = {joint: number for number, joint in enumerate(kept)}
    return dataclasses.replace(
        skeleton,
        joints=tuple(skeleton.joints[joint] for joint in kept),
        parents=tuple(index.get(skeleton.parents[joint], -1) for joint in kept),
        chains=tuple(
            tuple(index[joint] for joint in chain if joint in index)
            for chain in skeleton.chains
        ),
        across=(),
        upright=None,
    )


def pair(skeleton, apart=False):
    """Return two copies of a skeleton as one, with the root of each."""
    size = len(skeleton.joints)
    second = tuple(-1 if p == -1 else p + size for p in skeleton.parents)
    return dataclasses.replace(
        skeleton,
        joints=tuple(f"{name} {body}" for body in (1, 2) for name in skeleton.joints),
        parents=skeleton.parents + second,
        bodies=2,
        apart=apart,
    )


def resampled(sequence, frames):
    """Give a sequence another number of frames, by linear interpolation in time.

    Parameters
    ----------
    sequence : array, shape=[T, ...]
        Sequence.
    frames : int
        Number of frames. The first and the last stay as they are.

    Returns
    -------
    sequence : array, shape=[frames, ...]
        Sequence.

    Examples
    --------
    >>> import numpy as np
    >>> resampled(np.array([0.0, 1.0, 4.0]), 5)
    array([0. , 0.5, 1. , 2.5, 4. ])
    """
    times = np.linspace(0.0, len(sequence) - 1.0, frames)
    before = np.minimum(times.astype(int), max(len(sequence) - 2, 0))
    after = np.minimum(before + 1, len(sequence) - 1)
    weights = (times - before).reshape(-1, *[1] * (sequence.ndim - 1))
    return (1.0 - weights) * sequence[before] + weights * sequence[after]


def centered(joints, root=0, by="frame"):
    """Subtract the position of the root.

    Parameters
    ----------
    joints : array, shape=[T, joints, 3]
        Sequence of joints.
    root : int
        Index of the root.
    by : str
        "frame" subtracts the root of each frame, and with it the path of the body;
        "first" that of the first frame, and with it the place where the body starts.

    Returns
    -------
    joints : array, shape=[T, joints, 3]
        Sequence of joints.

    Examples
    --------
    >>> import numpy as np
    >>> joints = np.arange(12.0).reshape(2, 2, 3)
    >>> centered(joints, by="frame")[1, 0], centered(joints, by="first")[1, 0]
    (array([0., 0., 0.]), array([6., 6., 6.]))
    """
    require_choice("center", by, ("frame", "first"))
    origin = joints[:, root] if by == "frame" else joints[:1, root]
    return joints - origin[:, None]


def bone_lengths(joints, skeleton):
    """Return the mean length of every bone of a sequence.

    Parameters
    ----------
    joints : array, shape=[T, joints, 3]
        Sequence of joints.
    skeleton : Skeleton
        Skeleton.

    Returns
    -------
    lengths : array, shape=[joints]
        Length of the bone from each joint to its parent; zero for a root.
    """
    parents = np.array(skeleton.neighbors("bottom"))
    return np.linalg.norm(joints - joints[:, parents], axis=-1).mean(axis=0)


def with_bone_lengths(joints, skeleton, lengths):
    """Give the bones other lengths, and keep the direction of each.

    Parameters
    ----------
    joints : array, shape=[T, joints, 3]
        Sequence of joints.
    skeleton : Skeleton
        Skeleton; its roots stay where they are.
    lengths : array, shape=[joints]
        Length of the bone from each joint to its parent.

    Returns
    -------
    joints : array, shape=[T, joints, 3]
        Sequence of joints. A bone that has no length in a frame gets none there.

    Examples
    --------
    >>> import numpy as np
    >>> from cornet_nn.datasets import FPHA
    >>> hand = np.random.default_rng(0).standard_normal((4, 21, 3))
    >>> resized = with_bone_lengths(hand, FPHA, np.full(21, 2.0))
    >>> bone_lengths(resized, FPHA)[:3].round(6)
    array([0., 2., 2.])
    """
    result = joints.copy()
    for joint in np.argsort(skeleton.depths, kind="stable"):
        parent = skeleton.parents[joint]
        if parent == -1:
            continue
        bone = joints[:, joint] - joints[:, parent]
        length = np.linalg.norm(bone, axis=-1, keepdims=True)
        direction = divide(bone, length)
        result[:, joint] = result[:, parent] + lengths[joint] * direction
    return result


def aligned(joints, skeleton, by="frame"):
    """Turn sequences so that the body looks along the third axis.

    The second axis is the vertical of the data, or the direction `skeleton.upright` of
    a hand; the direction `skeleton.across` is turned into the plane of the first and
    the second axis.

    Parameters
    ----------
    joints : array, shape=[T, joints, 3]
        Sequence of joints.
    skeleton : Skeleton
        Skeleton.
    by : str
        "frame" turns each frame by itself, which removes turns of the body; "first"
        turns all frames as the first.

    Returns
    -------
    joints : array, shape=[T, joints, 3]
        Sequence of joints, rotated about the origin.
    """
    require_choice("view", by, ("frame", "first"))
    frames = joints if by == "frame" else joints[:1]
    left, right = skeleton.across
    across = frames[:, right] - frames[:, left]
    if skeleton.upright is None:
        up = np.broadcast_to([0.0, 1.0, 0.0], across.shape)
    else:
        low, high = skeleton.upright
        up = _directions(frames[:, high] - frames[:, low])
    first = _directions(across - (across * up).sum(-1, keepdims=True) * up)
    return joints @ np.stack([first, up, np.cross(first, up)], axis=-1)


def _directions(vectors):
    lengths = np.linalg.norm(vectors, axis=-1, keepdims=True)
    if not (lengths > 0.0).all():
        frame = int(np.argmin(lengths))
        raise DataError(f"has no direction to align the view with in frame {frame}")
    return vectors / lengths


def _skeleton(bones, chains, across, upright=None):
    """Make a skeleton from names: `bones` maps every joint to its parent."""
    index = {name: number for number, name in enumerate(bones)} | {None: -1}

    def places(names):
        return tuple(index[name] for name in names)

    return Skeleton(
        joints=tuple(bones),
        parents=places(bones.values()),
        chains=tuple(map(places, chains)),
        across=places(across),
        upright=None if upright is None else places(upright),
    )


def _chained(root, *chains):
    """Return the bones of chains that hang one after the other from a joint."""
    bones: dict[str, str] = {}
    for chain in chains:
        bones |= dict(zip(chain, (root, *chain[:-1]), strict=True))
    return bones


def _limb(side, names):
    return tuple(side + name for name in names.split())


_LEGS = [_limb(side, "hipjoint femur tibia foot toes") for side in "lr"]
_SPINE = _limb("", "lowerback upperback thorax lowerneck upperneck head")
_ARMS = [_limb(side, "clavicle humerus radius wrist hand fingers") for side in "lr"]
HDM05 = _skeleton(
    {"root": None}
    | _chained("root", *_LEGS, _SPINE)
    | _chained("thorax", _ARMS[0])
    | {"lthumb": "lwrist"}
    | _chained("thorax", _ARMS[1])
    | {"rthumb": "rwrist"},
    chains=(
        (*_ARMS[0], "lthumb"),
        _LEGS[0],
        ("root", *_SPINE),
        _LEGS[1],
        (*_ARMS[1], "rthumb"),
    ),
    across=("lhipjoint", "rhipjoint"),
)

_FINGERS = [
    _limb(f"{finger} ", "mcp pip dip tip")
    for finger in ("thumb", "index", "middle", "ring", "pinky")
]
FPHA = _skeleton(
    {"wrist": None}
    | {finger[0]: "wrist" for finger in _FINGERS}
    | {k: v for f in _FINGERS for k, v in _chained(f[0], f[1:]).items()},
    chains=_FINGERS,
    across=("index mcp", "pinky mcp"),
    upright=("wrist", "middle mcp"),
)

_LEFT, _RIGHT = (
    (_limb(side, "shoulder elbow wrist hand"), _limb(side, "hip knee ankle foot"))
    for side in ("left ", "right ")
)
NTU = _skeleton(
    {"spine base": None, "spine middle": "spine base"}
    | _chained("spine shoulder", ("neck", "head"), _LEFT[0], _RIGHT[0])
    | _chained("spine base", _LEFT[1], _RIGHT[1])
    | {"spine shoulder": "spine middle"}
    | {"left hand tip": "left hand", "left thumb": "left wrist"}
    | {"right hand tip": "right hand", "right thumb": "right wrist"},
    chains=(
        (*_LEFT[0], "left hand tip", "left thumb"),
        _LEFT[1],
        ("spine base", "spine middle", "spine shoulder", "neck", "head"),
        _RIGHT[1],
        (*_RIGHT[0], "right hand tip", "right thumb"),
    ),
    across=("left hip", "right hip"),
)

SKELETONS = {"hdm05": HDM05, "fpha": FPHA, "ntu120": NTU}
