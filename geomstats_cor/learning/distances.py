"""Distances between matrices: geodesic, by angle, and between entries."""

from typing import Any

import numpy as np

from .._types import Array, ArrayLike
from ..data.culprits import naming_culprits
from ..data.naming import as_plain_stack, in_order, names_of
from ..kernels import pack_strictly_lower
from ..kernels._quotients import divide
from ..space import equipped
from ..statistics.mean import frechet_mean
from ..validation import require_choice

DISTANCES = ("geodesic", "angle", "entries")


def pairwise_distances(
    points_a: ArrayLike,
    points_b: ArrayLike,
    space: Any,
    distance: str = "geodesic",
    reference: ArrayLike = None,
    progress: bool = True,
) -> Array:
    r"""Return distances between all matrices of two stacks.

    With the coordinates :math:`x = x_R(C)` of logarithms at a reference point
    :math:`R`, the distance by angle is

    .. math:: \angle(C, C') = \arccos \frac{\langle x, x' \rangle}{|x| \, |x'|} .

    Noise lengthens logarithms in all directions. It makes a noisy matrix far from
    every other, and two noisy ones farther still, but it does not turn logarithms
    towards each other: with few frames, angles at the mean tell people apart where
    distances do not.

    Parameters
    ----------
    points_a : array-like, shape=[k, n, n]
        Full-rank correlation matrices.
    points_b : array-like, shape=[l, n, n]
        Full-rank correlation matrices.
    space : FullRankCorrelationMatrices or str
        Manifold, equipped with one of the metrics of this library; or the key or the
        class of a metric, or the metric of a space.
    distance : {"geodesic", "angle", "entries"}
        - "geodesic": the distance of the metric;
        - "angle": the angle of the logarithms at the reference point;
        - "entries": one minus the Pearson correlation of the strict lower entries, a
          baseline that knows no geometry.
    reference : array-like, shape=[n, n]
        Reference point of angles; the Fréchet mean of `points_b` if None.
    progress : bool
        Whether to show a bar if geodesic distances take more than a second.

    Returns
    -------
    distances : numpy.ndarray, shape=[k, l]
        Distances.

    Examples
    --------
    >>> from geomstats_cor.learning import pairwise_distances
    >>> points = [[[1, 0.6], [0.6, 1]], [[1, 0.3], [0.3, 1]], [[1, -0.6], [-0.6, 1]]]
    >>> pairwise_distances(points[:1], points, "ecm").round(3)
    array([[0.   , 0.436, 1.5  ]])
    >>> reference = [[1, 0], [0, 1]]
    >>> pairwise_distances(points[:1], points, "ecm", "angle", reference).round(3)
    array([[0.   , 0.   , 3.142]])
    """
    require_choice("distance", distance, DISTANCES)
    given_a, given_b = points_a, points_b
    points_a, points_b, names = _aligned(points_a, points_b)
    space = equipped(space, points_b.shape[-1], "points_b")
    with naming_culprits(given_a), naming_culprits(given_b):
        if distance == "geodesic":
            dist = space.metric.dist_broadcast
            return np.asarray(dist(points_a, points_b, progress=progress))
        return _distances(points_a, points_b, space, distance, reference, names)


def _distances(points_a, points_b, space, distance, reference, names):
    if distance == "entries":
        space.metric.to_coords(points_a), space.metric.to_coords(points_b)  # validates
        return _correlation_distance(points_a, points_b)
    if reference is None:
        reference = frechet_mean(points_b, space)
    reference = in_order(reference, names, "reference")
    coords = (space.metric.log_coords(x, reference) for x in (points_a, points_b))
    return _angles(*coords)


def _aligned(points_a, points_b):
    """Return two stacks as arrays with the same order of variables, and that order."""
    names = names_of(points_a)
    a = as_plain_stack(points_a, "points_a")
    b = as_plain_stack(points_b, "points_b", names)
    return a, b, names_of(points_b) if names is None else names


def _angles(a, b):
    """Return the angles between rows, exact where they are small, too."""
    a, b = _unit(a), _unit(b)
    cosine = np.clip(a @ b.T, -1.0, 1.0)
    # 2 arcsin(|a - b| / 2) keeps the digits that arccos loses near zero.
    near = cosine > 0.99
    angle = np.arccos(cosine)
    for i, j in np.argwhere(near):
        angle[i, j] = 2.0 * np.arcsin(
            0.5 * min(float(np.linalg.norm(a[i] - b[j])), 2.0)
        )
    return angle


def _unit(rows):
    """Return rows of length one; a row of zeros, at right angles to all, stays."""
    return divide(rows, np.linalg.norm(rows, axis=-1, keepdims=True))


def _correlation_distance(points_a, points_b):
    rows = [pack_strictly_lower(x) for x in (points_a, points_b)]
    a, b = (_unit(x - x.mean(axis=-1, keepdims=True)) for x in rows)
    return 1.0 - a @ b.T
