"""Steps that remove position, size and view from sequences of joints.

Sequences have the shape [T, joints, 3]. Every step takes away something that a
classifier could use: the effects are in the documentation of the data sets.

References
----------
.. [V2014] R. Vemulapalli, F. Arrate and R. Chellappa. Human action recognition by
   representing 3D skeletons as points in a Lie group. CVPR 2014.
"""

import numpy as np

from geomstats_cor.exceptions import DataError, ParameterError
from geomstats_cor.kernels._quotients import divide


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
    if by not in ("frame", "first"):
        raise ParameterError(f"centre by 'frame' or 'first', not {by!r}")
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
    >>> from cornet_nn.datasets.skeletons import FPHA
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
    if by not in ("frame", "first"):
        raise ParameterError(f"align the view by 'frame' or 'first', not {by!r}")
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
