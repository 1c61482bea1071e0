"""Geodesic balls and metric spheres in the elliptope."""

from typing import TYPE_CHECKING, Any

import numpy as np

from .._types import ArrayLike
from .elliptope import as_floats, entries, require_three
from .layers import Curves, Surface, axes_3d
from .palette import metric_color

if TYPE_CHECKING:
    from ..space import FullRankCorrelationMatrices


def sphere_surface(
    space: "FullRankCorrelationMatrices",
    center: ArrayLike,
    radius: float,
    resolution: int = 32,
) -> Any:
    r"""Return the points at one distance from a centre.

    .. math:: \{ X : d(C, X) = r \} .

    Parameters
    ----------
    space : FullRankCorrelationMatrices
        Manifold of 3 x 3 matrices, equipped with one of the five metrics.
    center : array-like, shape=[3, 3]
        Centre.
    radius : float
        Distance.
    resolution : int
        Number of parallels; there are twice as many meridians.

    Returns
    -------
    surface : Surface
        Vertices and triangles.

    Examples
    --------
    >>> import numpy as np
    >>> from geomstats_cor import FullRankCorrelationMatrices
    >>> from geomstats_cor.plotting import from_entries, sphere_surface
    >>> space = FullRankCorrelationMatrices(3, equip="lsm")
    >>> surface = sphere_surface(space, np.eye(3), 0.5, resolution=4)
    >>> dists = space.metric.dist(from_entries(surface.vertices), np.eye(3))
    >>> bool(np.allclose(dists, 0.5))
    True
    """
    vectors, faces = _sphere_mesh(resolution)
    ends = _exponentials(space, center, radius * vectors)
    return Surface(ends, faces, metric_color(space.metric), 0.35)


def sphere_wire(
    space: "FullRankCorrelationMatrices",
    center: ArrayLike,
    radius: float,
    lines: int = 8,
    steps: int = 96,
) -> Any:
    r"""Return meridians and parallels of the points at one distance from a centre.

    .. math:: \{ X : d(C, X) = r \} .

    Parameters
    ----------
    space : FullRankCorrelationMatrices
        Manifold of 3 x 3 matrices, equipped with one of the five metrics.
    center : array-like, shape=[3, 3]
        Centre.
    radius : float
        Distance.
    lines : int
        Number of parallels and of closed meridians.
    steps : int
        Number of steps on each.

    Returns
    -------
    curves : Curves
        Closed curves.

    Examples
    --------
    >>> import numpy as np
    >>> from geomstats_cor import FullRankCorrelationMatrices
    >>> from geomstats_cor.plotting import from_entries, sphere_wire
    >>> space = FullRankCorrelationMatrices(3, equip="lsm")
    >>> curves = sphere_wire(space, np.eye(3), 0.5, lines=3)
    >>> dists = space.metric.dist(from_entries(curves.paths[0]), np.eye(3))
    >>> len(curves.paths), bool(np.allclose(dists, 0.5))
    (6, True)
    """
    turn = np.linspace(0.0, 2.0 * np.pi, steps + 1)
    tilt = np.pi * np.arange(lines)[:, None] / lines
    meridians = _unit_vectors(turn, tilt)
    lift = np.pi * np.arange(1, lines + 1)[:, None] / (lines + 1)
    parallels = _unit_vectors(lift, turn)
    vectors = np.concatenate([meridians, parallels])
    ends = _exponentials(space, center, radius * vectors)
    return Curves(tuple(ends), metric_color(space.metric), 0.8, 0.9)


def _sphere_mesh(resolution):
    """Return unit vectors on parallels and meridians, and the triangles they span."""
    lift = np.linspace(0.0, np.pi, resolution + 1)[:, None]
    turn = np.linspace(0.0, 2.0 * np.pi, 2 * resolution, endpoint=False)
    vectors = _unit_vectors(lift, turn)
    index = np.arange(vectors[..., 0].size).reshape(vectors.shape[:2])
    beside = np.roll(index, -1, axis=1)
    upper = np.stack([index[:-1], index[1:], beside[1:]], axis=-1)
    lower = np.stack([index[:-1], beside[1:], beside[:-1]], axis=-1)
    # At the poles a parallel is one point: only one of the two triangles has an area.
    faces = np.concatenate([upper[:-1].reshape(-1, 3), lower[1:].reshape(-1, 3)])
    return vectors.reshape(-1, 3), faces


def _unit_vectors(lift, turn):
    """Return unit vectors at an angle from the third axis, turned about it."""
    lift, turn = np.broadcast_arrays(lift, turn)
    return np.stack(
        [np.sin(lift) * np.cos(turn), np.sin(lift) * np.sin(turn), np.cos(lift)],
        axis=-1,
    )


def _exponentials(space, center, coords):
    space = require_three(space)
    return entries(space.metric.exp_coords(coords, as_floats(center)))


def plot_geodesic_ball(
    space: "FullRankCorrelationMatrices",
    center: ArrayLike,
    radius: float,
    resolution: int = 32,
    ax: Any = None,
    **style: Any,
) -> Any:
    r"""Draw the ball of the points closer to a centre than a radius, as a solid.

    .. math:: \{ X : d(C, X) \le r \} .

    Parameters
    ----------
    space : FullRankCorrelationMatrices
        Manifold of 3 x 3 matrices, equipped with one of the five metrics.
    center : array-like, shape=[3, 3]
        Centre.
    radius : float
        Radius.
    resolution : int
        Number of parallels.
    ax : mpl_toolkits.mplot3d.Axes3D
        Axes; those of a new figure if None.
    **style
        Keywords of `Poly3DCollection`.

    Returns
    -------
    artist : Poly3DCollection
        The surface of the ball.

    Examples
    --------
    >>> import matplotlib
    >>> matplotlib.use("Agg")
    >>> import matplotlib.pyplot as plt
    >>> import numpy as np
    >>> from geomstats_cor import FullRankCorrelationMatrices
    >>> from geomstats_cor.plotting import plot_geodesic_ball
    >>> space = FullRankCorrelationMatrices(3, equip="ecm")
    >>> artist = plot_geodesic_ball(space, np.eye(3), 0.5, resolution=8, alpha=0.2)
    >>> artist.get_alpha()
    0.2
    >>> plt.close("all")
    """
    surface = sphere_surface(space, center, radius, resolution)
    return surface.draw(axes_3d(ax), **{"alpha": 1.0} | style)


def plot_metric_sphere(
    space: "FullRankCorrelationMatrices",
    center: ArrayLike,
    radius: float,
    lines: int = 8,
    ax: Any = None,
    **style: Any,
) -> Any:
    r"""Draw the sphere of the points at one distance from a centre, as a wire.

    .. math:: \{ X : d(C, X) = r \} .

    Parameters
    ----------
    space : FullRankCorrelationMatrices
        Manifold of 3 x 3 matrices, equipped with one of the five metrics.
    center : array-like, shape=[3, 3]
        Centre.
    radius : float
        Distance.
    lines : int
        Number of parallels and of closed meridians.
    ax : mpl_toolkits.mplot3d.Axes3D
        Axes; those of a new figure if None.
    **style
        Keywords of `Line3DCollection`.

    Returns
    -------
    artist : Line3DCollection
        The curves.

    Examples
    --------
    >>> import matplotlib
    >>> matplotlib.use("Agg")
    >>> import matplotlib.pyplot as plt
    >>> import numpy as np
    >>> from geomstats_cor import FullRankCorrelationMatrices
    >>> from geomstats_cor.plotting import plot_metric_sphere
    >>> space = FullRankCorrelationMatrices(3, equip="ecm")
    >>> artist = plot_metric_sphere(space, np.eye(3), 0.5, lines=3, color="black")
    >>> artist.axes.get_xlabel()
    '$C_{21}$'
    >>> plt.close("all")
    """
    return sphere_wire(space, center, radius, lines).draw(axes_3d(ax), **style)
