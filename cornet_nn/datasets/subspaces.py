"""From a sequence to the subspaces that its segments span.

The paper gives the sizes of the input of Grassmann networks, [8, n, p], and not how it
is made. Here a sequence is cut into near-equal segments, and each gives the leading
left singular vectors of its frames as columns.
"""

import numpy as np

from geomstats_cor.exceptions import DataError, ParameterError


def segment_subspaces(frames, segments=8, dimension=10, center=False):
    """Return an orthonormal basis for each segment of a sequence.

    Parameters
    ----------
    frames : array, shape=[T, n]
        Sequence.
    segments : int
        Number of segments. They have near-equal lengths, and overlap if they would have
        fewer frames than dimensions otherwise.
    dimension : int
        Dimension p of the subspaces, less than n.
    center : bool
        Whether to subtract the mean of each segment first.

    Returns
    -------
    bases : array, shape=[segments, n, dimension]
        Leading left singular vectors, those of the largest singular value first.

    Examples
    --------
    >>> import numpy as np
    >>> walk = np.random.default_rng(0).standard_normal((100, 20))
    >>> segment_subspaces(walk, segments=8, dimension=4).shape
    (8, 20, 4)
    """
    length, n = frames.shape
    if segments < 1 or not 1 <= dimension < n:
        raise ParameterError(
            f"expected segments >= 1 and 1 <= dimension < {n}, the number of "
            f"coordinates of a frame, got {segments} and {dimension}"
        )
    # Centring takes one dimension away.
    needed = dimension + bool(center)
    if length < needed:
        raise DataError(
            f"has {length} frames: at least {needed} are needed for subspaces of "
            f"dimension {dimension}"
        )
    bases = []
    for number, part in enumerate(_windows(length, segments, needed)):
        segment = frames[part]
        if center:
            segment = segment - segment.mean(axis=0)
        left, values, _ = np.linalg.svd(segment.T, full_matrices=False)
        tolerance = max(segment.shape) * np.finfo(values.dtype).eps
        rank = int((values > tolerance * values[0]).sum())
        if rank < dimension:
            raise DataError(
                f"has rank {rank} in segment {number}: expected at least {dimension}, "
                f"the dimension of the subspaces. Use a smaller dimension or fewer "
                f"segments"
            )
        bases.append(left[:, :dimension])
    return np.stack(bases)


def _windows(length, segments, needed):
    """Return near-equal parts; parts of `needed` frames, overlapping, if shorter."""
    ends = np.linspace(0, length, segments + 1).round().astype(int)
    if np.diff(ends).min() >= needed:
        return [slice(a, b) for a, b in zip(ends, ends[1:], strict=False)]
    starts = np.linspace(0, length - needed, segments).round().astype(int)
    return [slice(start, start + needed) for start in starts]
