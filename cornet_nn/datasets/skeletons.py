"""Skeletons: joints, bones, and neighbours."""

import dataclasses

import numpy as np

from geomstats_cor.exceptions import ParameterError


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

    @property
    def root(self):
        """Index of the (first) root."""
        return self.parents.index(-1)

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
        own = range(len(self.joints))
        if not isinstance(side, str):
            if sorted({*own, *side}) != list(own) or len(side) != len(own):
                raise ParameterError(
                    f"neighbors are an index from 0 to {len(own) - 1} for each of "
                    f"{len(own)} joints, not {tuple(side)}"
                )
            return tuple(int(index) for index in side)
        if side == "bottom":
            return tuple(
                joint if parent == -1 else parent
                for joint, parent in zip(own, self.parents, strict=True)
            )
        if side not in ("left", "right"):
            raise ParameterError(
                f"neighbors are 'left', 'right', 'bottom' or indices, not {side!r}"
            )
        chains = self.chains if side == "left" else self.chains[::-1]
        depths, neighbors = self.depths, list(own)
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


def pair(skeleton):
    """Return two copies of a skeleton as one, with the root of each.

    Parameters
    ----------
    skeleton : Skeleton
        Skeleton.

    Returns
    -------
    pair : PairOfSkeletons
        Skeleton of twice as many joints.
    """
    size = len(skeleton.joints)
    return PairOfSkeletons(
        joints=tuple(f"{name} {body}" for body in (1, 2) for name in skeleton.joints),
        parents=skeleton.parents
        + tuple(-1 if p == -1 else p + size for p in skeleton.parents),
        chains=skeleton.chains,
        across=skeleton.across,
        upright=skeleton.upright,
    )


class PairOfSkeletons(Skeleton):
    """Two skeletons, of which the first is centred and aligned; both move with it."""

    def neighbors(self, side):
        """Return the index of the neighbour of each joint, in its own body."""
        if not isinstance(side, str) and len(side) == len(self.joints):
            return super().neighbors(side)
        size = len(self.joints) // 2
        single = Skeleton(
            self.joints[:size], self.parents[:size], self.chains, self.across
        )
        first = single.neighbors(side)
        return first + tuple(index + size for index in first)


def _skeleton(bones, chains, across, upright=None):
    """Make a skeleton from names: `bones` maps every joint to its parent."""
    joints = tuple(bones)
    index = {name: number for number, name in enumerate(joints)} | {None: -1}
    return Skeleton(
        joints=joints,
        parents=tuple(index[parent] for parent in bones.values()),
        chains=tuple(tuple(index[name] for name in chain) for chain in chains),
        across=tuple(index[name] for name in across),
        upright=None if upright is None else tuple(index[name] for name in upright),
    )


def _chained(root, *chains):
    """Return the bones of chains that hang one after the other from a joint."""
    bones = {}
    for chain in chains:
        bones |= dict(zip(chain, (root, *chain[:-1]), strict=True))
    return bones


_LEGS = [
    tuple(side + name for name in ("hipjoint", "femur", "tibia", "foot", "toes"))
    for side in "lr"
]
_SPINE = ("lowerback", "upperback", "thorax", "lowerneck", "upperneck", "head")
_ARMS = [
    tuple(
        side + name
        for name in ("clavicle", "humerus", "radius", "wrist", "hand", "fingers")
    )
    for side in "lr"
]

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

_FINGERS = ("thumb", "index", "middle", "ring", "pinky")

FPHA = _skeleton(
    {"wrist": None}
    | {f"{finger} mcp": "wrist" for finger in _FINGERS}
    | {
        f"{finger} {joint}": f"{finger} {below}"
        for finger in _FINGERS
        for joint, below in (("pip", "mcp"), ("dip", "pip"), ("tip", "dip"))
    },
    chains=[
        tuple(f"{finger} {joint}" for joint in ("mcp", "pip", "dip", "tip"))
        for finger in _FINGERS
    ],
    across=("index mcp", "pinky mcp"),
    upright=("wrist", "middle mcp"),
)

_NTU_BONES = {
    "spine base": None,
    "spine middle": "spine base",
    "neck": "spine shoulder",
    "head": "neck",
    "left shoulder": "spine shoulder",
    "left elbow": "left shoulder",
    "left wrist": "left elbow",
    "left hand": "left wrist",
    "right shoulder": "spine shoulder",
    "right elbow": "right shoulder",
    "right wrist": "right elbow",
    "right hand": "right wrist",
    "left hip": "spine base",
    "left knee": "left hip",
    "left ankle": "left knee",
    "left foot": "left ankle",
    "right hip": "spine base",
    "right knee": "right hip",
    "right ankle": "right knee",
    "right foot": "right ankle",
    "spine shoulder": "spine middle",
    "left hand tip": "left hand",
    "left thumb": "left wrist",
    "right hand tip": "right hand",
    "right thumb": "right wrist",
}

NTU = _skeleton(
    _NTU_BONES,
    chains=[
        *[
            tuple(f"{side} {joint}" for joint in joints)
            for side, joints in (
                ("left", ("shoulder", "elbow", "wrist", "hand", "hand tip", "thumb")),
                ("left", ("hip", "knee", "ankle", "foot")),
            )
        ],
        ("spine base", "spine middle", "spine shoulder", "neck", "head"),
        *[
            tuple(f"{side} {joint}" for joint in joints)
            for side, joints in (
                ("right", ("hip", "knee", "ankle", "foot")),
                ("right", ("shoulder", "elbow", "wrist", "hand", "hand tip", "thumb")),
            )
        ],
    ],
    across=("left hip", "right hip"),
)

SKELETONS = {"hdm05": HDM05, "fpha": FPHA, "ntu120": NTU}
