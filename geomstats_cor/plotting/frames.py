"""Frames and coordinate grids: what straight and parallel mean under a metric."""

from typing import TYPE_CHECKING, Any

import numpy as np

from .._types import ArrayLike
from ..space import equipped
from ..validation import as_arrays
from .elliptope import as_floats, entries, require_three
from .geodesics import geodesic_path
from .layers import Curves, axes_3d
from .palette import NEUTRAL_COLORS, metric_color

if TYPE_CHECKING:
    from ..space import FullRankCorrelationMatrices


def transported_frame(
    space: "FullRankCorrelationMatrices",
    start: ArrayLike,
    end: ArrayLike,
    count: int = 5,
) -> tuple:
    r"""Transport an orthonormal frame along a geodesic.

    .. math:: \langle \Pi_t e_i, \Pi_t e_j \rangle = \delta_{ij} .

    Parameters
    ----------
    space : FullRankCorrelationMatrices
        Manifold, equipped with one of the five metrics.
    start, end : array-like, shape=[n, n]
        End points of the geodesic.
    count : int
        Number of points on the geodesic, the end points included.

    Returns
    -------
    points : array, shape=[count, n, n]
        Points on the geodesic.
    frames : array, shape=[d, count, n, n]
        Vectors of the frame at each point, orthonormal there.

    Examples
    --------
    >>> import numpy as np
    >>> from geomstats_cor import FullRankCorrelationMatrices
    >>> from geomstats_cor.plotting import transported_frame
    >>> space = FullRankCorrelationMatrices(2, equip="olm")
    >>> points, frames = transported_frame(space, np.eye(2), [[1, 0.6], [0.6, 1]], 3)
    >>> space.metric.norm(frames[0], points).round(12)
    array([1., 1., 1.])
    """
    start, end = (as_floats(x) for x in as_arrays(start=start, end=end))
    space = equipped(space, start.shape[-1], "start")
    metric = space.metric
    points = geodesic_path(space, start, end, count - 1)
    frame = metric.log(metric.exp_coords(np.eye(space.dim), start), start)
    moved = metric.parallel_transport(frame[:, None], start, end_point=points)
    return points, moved


def grid_curves(
    space: "FullRankCorrelationMatrices",
    center: ArrayLike = None,
    extent: float = 1.0,
    lines: int = 3,
    steps: int = 60,
) -> tuple:
    r"""Return the coordinate grid of a metric, pulled back into the elliptope.

    .. math:: \exp_C(x e_1 + y e_2 + z e_3) .

    The coordinates are those of logarithms at the centre (`exp_coords`): measured by a
    flat metric, the cells are cubes.

    Parameters
    ----------
    space : FullRankCorrelationMatrices
        Manifold of 3 x 3 matrices, equipped with one of the five metrics.
    center : array-like, shape=[3, 3]
        Where the coordinates are null; the identity if None.
    extent : float
        Largest coordinate.
    lines : int
        Number of lines of the grid in each of two directions.
    steps : int
        Number of steps on a line.

    Returns
    -------
    curves : tuple of Curves, length 3
        Lines along each coordinate.

    Examples
    --------
    >>> from geomstats_cor import FullRankCorrelationMatrices
    >>> from geomstats_cor.plotting import grid_curves
    >>> curves = grid_curves(FullRankCorrelationMatrices(3, equip="olm"), lines=2)
    >>> [len(lines.paths) for lines in curves]
    [4, 4, 4]
    """
    space = require_three(space)
    center = np.eye(3) if center is None else as_floats(center)
    ticks = np.linspace(-extent, extent, lines)
    along = np.linspace(-extent, extent, steps + 1)
    first, second, third = np.meshgrid(ticks, ticks, along, indexing="ij")
    grid = np.stack([third, first, second], axis=-1).reshape(-1, steps + 1, 3)
    color = metric_color(space.metric)
    families = (np.roll(grid, axis, axis=-1) for axis in range(3))
    ends = (entries(space.metric.exp_coords(lines, center)) for lines in families)
    return tuple(Curves(tuple(paths), color, 0.9, 0.85) for paths in ends)


def plot_transported_frame(
    space: "FullRankCorrelationMatrices",
    start: ArrayLike,
    end: ArrayLike,
    count: int = 5,
    length: float = 0.3,
    ax: Any = None,
    **style: Any,
) -> list:
    """Draw a frame that is transported along a geodesic.

    Parameters
    ----------
    space : FullRankCorrelationMatrices
        Manifold of 3 x 3 matrices, equipped with one of the five metrics.
    start, end : array-like, shape=[3, 3]
        End points of the geodesic.
    count : int
        Number of points on the geodesic.
    length : float
        Length of the vectors under the metric.
    ax : mpl_toolkits.mplot3d.Axes3D
        Axes; those of a new figure if None.
    **style
        Keywords of `Axes3D.quiver`.

    Returns
    -------
    artists : list of Line3DCollection
        Arrows, one collection for each vector of the frame.

    Examples
    --------
    >>> import matplotlib
    >>> matplotlib.use("Agg")
    >>> import matplotlib.pyplot as plt
    >>> import numpy as np
    >>> from geomstats_cor import FullRankCorrelationMatrices
    >>> from geomstats_cor.plotting import from_entries, plot_transported_frame
    >>> space = FullRankCorrelationMatrices(3, equip="phcm")
    >>> end = from_entries([0.5, 0.2, 0.1])
    >>> len(plot_transported_frame(space, np.eye(3), end, count=3))
    3
    >>> plt.close("all")
    """
    space = require_three(space)
    points, frames = transported_frame(space, start, end, count)
    positions = entries(points)
    ax = axes_3d(ax)
    colors = NEUTRAL_COLORS[:3]
    return [
        ax.quiver(
            *positions.T,
            *(length * entries(frame)).T,
            **{"color": color, "label": f"vector {k + 1}"} | style,
        )
        for k, (frame, color) in enumerate(zip(frames, colors, strict=True))
    ]


def plot_coordinate_grid(
    space: "FullRankCorrelationMatrices",
    center: ArrayLike = None,
    extent: float = 1.0,
    lines: int = 3,
    ax: Any = None,
    **style: Any,
) -> list:
    """Draw the coordinate grid of a metric, pulled back into the elliptope.

    Parameters
    ----------
    space : FullRankCorrelationMatrices
        Manifold of 3 x 3 matrices, equipped with one of the five metrics.
    center : array-like, shape=[3, 3]
        Where the coordinates are null; the identity if None.
    extent : float
        Largest coordinate.
    lines : int
        Number of lines in each of two directions.
    ax : mpl_toolkits.mplot3d.Axes3D
        Axes; those of a new figure if None.
    **style
        Keywords of `Line3DCollection`.

    Returns
    -------
    artists : list of Line3DCollection
        Lines along each coordinate.

    Examples
    --------
    >>> import matplotlib
    >>> matplotlib.use("Agg")
    >>> import matplotlib.pyplot as plt
    >>> from geomstats_cor import FullRankCorrelationMatrices
    >>> from geomstats_cor.plotting import plot_coordinate_grid
    >>> space = FullRankCorrelationMatrices(3, equip="lecm")
    >>> len(plot_coordinate_grid(space, lines=2))
    3
    >>> plt.close("all")
    """
    curves = grid_curves(space, center, extent, lines)
    ax = axes_3d(ax)
    return [curve.draw(ax, **style) for curve in curves]
