"""Skeletons of NTU RGB+D 120: mutual actions, cross-setup.

References
----------
.. [L2019] J. Liu, A. Shahroudy, M. Perez, G. Wang, L.-Y. Duan and A. C. Kot. NTU RGB+D
   120: a large-scale benchmark for 3D human activity understanding. IEEE PAMI, 2019.
.. [C2021] Y. Chen, Z. Zhang, C. Yuan, B. Li, Y. Deng and W. Hu. Channel-wise topology
   refinement graph convolution for skeleton-based action recognition. ICCV 2021.
"""

import itertools
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from geomstats_cor.exceptions import DataError, ParameterError
from geomstats_cor.validation import require_choice

from .conversion import Conversion, matched
from .dataset import Dataset
from .sequences import sequence_dataset
from .skeletons import NTU, pair

MUTUAL_ACTIONS = (*range(50, 61), *range(106, 121))
_NAME = re.compile(r"S(\d{3})C\d{3}P(\d{3})R\d{3}A(\d{3})")
_JOINTS = 25
# A body has ten numbers of its own, the number of joints, and twelve numbers of each.
_OWN_NUMBERS, _JOINT_NUMBERS = 10, 12


def load_ntu120(
    directory: Path,
    conversion: Conversion,
    *,
    actions: str | Sequence[int] = "mutual",
    bodies: str = "separate",
    bone_lengths: bool = False,
    **steps: Any,
) -> Dataset:
    """Load the skeletons of NTU RGB+D 120, with the cross-setup split.

    Parameters
    ----------
    directory : pathlib.Path
        Folder with files `SsssCcccPpppRrrrAaaa.skeleton` anywhere below.
    conversion : Conversion
        How to convert.
    actions : str or sequence of int
        "mutual" for the 26 actions of two persons, 50 to 60 and 106 to 120; "all"; or
        numbers.
    bodies : str
        "separate" makes matrices of each of two bodies, "joined" of the joints of both
        together, "first" of the one that moves most. Two bodies are centred and aligned
        by the first, so that where the second stands is kept. A sequence in which the
        second body never appears is left out.
    bone_lengths : bool
        Whether to give all bones the lengths they have in the first sequence.
    **steps
        Steps of `SequenceMatrices`; by default centred by the first frame, as in
        [C2021]_, Gaussian embedding with left neighbours, two levels.

    Returns
    -------
    dataset : Dataset
        Matrices [6, 28, 28] by default; setups of odd number are for testing, and
        `groups` are the performers.
    """
    require_choice("bodies", bodies, ("separate", "joined", "first"))
    named, nameless = _selected(directory, actions)
    setups, performers, numbers = np.array(list(named.values())).T
    skeleton = NTU if bodies == "first" else pair(NTU, apart=bodies == "separate")
    return sequence_dataset(
        "ntu120",
        conversion,
        [(file.name, file) for file in named],
        read_bodies,
        skeleton,
        {"center": "first", "bone_lengths": bone_lengths, **steps},
        options={"number": skeleton.bodies},
        labels=[f"A{number:03}" for number in numbers],
        nameless=nameless,
        test=setups % 2 == 1,
        groups=performers,
    )


def load_ntu120_covariances(
    directory: Path,
    conversion: Conversion,
    *,
    actions: str | Sequence[int] = "mutual",
    **steps: Any,
) -> Dataset:
    """Load one covariance matrix of each sequence of NTU RGB+D 120.

    Parameters
    ----------
    directory : pathlib.Path
        Folder, as that of `load_ntu120`.
    conversion : Conversion
        How to convert.
    actions : str or sequence of int
        Actions.
    **steps
        Steps of `SequenceMatrices`; by default centred by the first frame.

    Returns
    -------
    dataset : Dataset
        Covariance matrices [150, 150] of the coordinates of two bodies.
    """
    return load_ntu120(
        directory,
        conversion,
        actions=actions,
        bodies="joined",
        **{"representation": "covariance", "levels": 1, **steps},
    )


def read_bodies(file, number=2):
    """Read the bodies that are in the most frames.

    Frames without a body are left out. Where a body is missing in some frames, its
    joints are interpolated in time.

    Parameters
    ----------
    file : pathlib.Path
        File .skeleton.
    number : int
        Number of bodies.

    Returns
    -------
    joints : array, shape=[T, 25 number, 3]
        Joints, those of the body that moves most first.
    """
    frames = _frames(file.read_text().split())
    frames = [frame for frame in frames if frame]
    if not frames:
        raise DataError("is empty: no frame has a body")
    tracks: dict = {}
    for time, frame in enumerate(frames):
        for body, joints in frame:
            tracks.setdefault(body, {})[time] = joints
    longest = sorted(tracks.values(), key=len, reverse=True)[:number]
    bodies = [_interpolated(track, len(frames)) for track in longest]
    bodies.sort(key=lambda joints: -joints.var(axis=0).sum())
    if len(bodies) < number:
        raise DataError("has one body: expected two (bodies='first' takes one)")
    return np.concatenate(bodies, axis=1)


def _frames(words):
    """Return the bodies of each frame, by identifier and joints [25, 3]."""
    rest = iter(words)

    def take(count):
        taken = list(itertools.islice(rest, count))
        if len(taken) < count:
            raise DataError("is cut short" if words else "is empty")
        return taken

    frames = []
    for _ in range(int(take(1)[0])):
        bodies = []
        for _ in range(int(take(1)[0])):
            identifier = take(_OWN_NUMBERS)[0]
            (joints,) = take(1)
            if int(joints) != _JOINTS:
                raise DataError(f"has a body of {joints} joints: expected {_JOINTS}")
            values = np.array(take(_JOINTS * _JOINT_NUMBERS), dtype=np.float64)
            bodies.append((identifier, values.reshape(_JOINTS, -1)[:, :3]))
        frames.append(bodies)
    return frames


def _interpolated(track, length):
    times = np.array(list(track))
    joints = np.stack(list(track.values())).reshape(len(times), -1)
    columns = [np.interp(np.arange(length), times, column) for column in joints.T]
    return np.stack(columns, axis=1).reshape(length, _JOINTS, 3)


def _selected(directory, actions):
    """Return setup, performer and action by file, and what is wrong with others."""
    known = {"mutual": MUTUAL_ACTIONS, "all": range(1, 121)}
    if isinstance(actions, str) and actions not in known:
        raise ParameterError(
            f"actions is {actions!r}: expected 'mutual', 'all' or numbers"
        )
    selected = set(known[actions] if isinstance(actions, str) else actions)
    named, nameless = matched(directory.rglob("*.skeleton"), _NAME)
    found = {file: tuple(map(int, match.groups())) for file, match in named.items()}
    found = {file: row for file, row in found.items() if row[-1] in selected}
    if not found:
        raise ParameterError(
            f"{directory} holds no files SsssCcccPpppRrrrAaaa.skeleton of these actions"
        )
    return found, nameless
