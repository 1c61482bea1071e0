"""Geodesics in the elliptope, alone and in fans."""

from typing import TYPE_CHECKING, Any

import numpy as np

from .._types import Array, ArrayLike
from ..space import equipped
from ..validation import as_arrays
from .elliptope import as_floats, entries, require_three
from .layers import Curves, axes_3d
from .palette import metric_color, metric_key

if TYPE_CHECKING:
    from ..space import FullRankCorrelationMatrices


def geodesic_path(
    space: "FullRankCorrelationMatrices",
    start: ArrayLike,
    end: ArrayLike,
    steps: int = 100,
) -> Array:
    r"""Return points of the geodesic between two matrices.

    .. math:: \exp_A(t \log_A B) , \qquad t = 0, \tfrac1k, \dots, 1 .

    Parameters
    ----------
    space : FullRankCorrelationMatrices or str
        Manifold, equipped with a metric; or the key of a metric.
    start, end : array-like, shape=[n, n]
        End points.
    steps : int
        Number of steps.

    Returns
    -------
    path : numpy.ndarray, shape=[steps + 1, n, n]
        Correlation matrices at equal distances.

    Examples
    --------
    >>> import numpy as np
    >>> from geomstats_cor import FullRankCorrelationMatrices
    >>> from geomstats_cor.plotting import geodesic_path
    >>> space = FullRankCorrelationMatrices(2, equip="olm")
    >>> path = geodesic_path(space, np.eye(2), [[1, 0.6], [0.6, 1]], steps=2)
    >>> path[:, 1, 0].round(4)
    array([0.    , 0.3333, 0.6   ])
    """
    times = np.linspace(0.0, 1.0, steps + 1)
    ends = [as_floats(x) for x in as_arrays(start=start, end=end)]
    return equipped(space, ends[0].shape[-1], "start").metric.geodesic(*ends)(times)


def directions(count: int) -> Array:
    """Return unit vectors of space, evenly spread on a spiral.

    Parameters
    ----------
    count : int
        Number of vectors.

    Returns
    -------
    directions : numpy.ndarray, shape=[count, 3]
        Unit vectors.
    """
    height = 1.0 - 2.0 * (np.arange(count) + 0.5) / count
    turn = np.pi * (3.0 - np.sqrt(5.0)) * np.arange(count)
    radius = np.sqrt(1.0 - height**2)
    return np.stack([radius * np.cos(turn), radius * np.sin(turn), height], axis=-1)


def fan_curves(
    space: "FullRankCorrelationMatrices",
    point: ArrayLike,
    radius: float = 1.0,
    count: int = 40,
    steps: int = 40,
) -> Any:
    r"""Return geodesics of one length from a point in directions evenly spread.

    .. math:: \exp_C(t r u_k) , \qquad 0 \le t \le 1 , \quad |u_k| = 1 .

    Parameters
    ----------
    space : FullRankCorrelationMatrices
        Manifold of 3 x 3 matrices, equipped with one of the five metrics.
    point : array-like, shape=[3, 3]
        Where the geodesics start.
    radius : float
        Length of the geodesics.
    count : int
        Number of geodesics.
    steps : int
        Number of steps on each.

    Returns
    -------
    curves : Curves
        Geodesics.

    Examples
    --------
    >>> import numpy as np
    >>> from geomstats_cor import FullRankCorrelationMatrices
    >>> from geomstats_cor.plotting import fan_curves, from_entries
    >>> space = FullRankCorrelationMatrices(3, equip="lecm")
    >>> curves = fan_curves(space, np.eye(3), radius=0.5, count=4)
    >>> ends = from_entries([path[-1] for path in curves.paths])
    >>> space.metric.dist(ends, np.eye(3)).round(6)
    array([0.5, 0.5, 0.5, 0.5])
    """
    space = require_three(space)
    lengths = np.linspace(0.0, radius, steps + 1)
    coords = directions(count)[:, None, :] * lengths[:, None]
    ends = space.metric.exp_coords(coords, as_floats(point))
    return Curves(tuple(entries(ends)), metric_color(space.metric), 0.9, 0.8)


def plot_geodesic(
    space: "FullRankCorrelationMatrices",
    start: ArrayLike,
    end: ArrayLike,
    steps: int = 100,
    ax: Any = None,
    **style: Any,
) -> Any:
    """Draw the geodesic between two matrices.

    Parameters
    ----------
    space : FullRankCorrelationMatrices
        Manifold of 3 x 3 matrices, equipped with a metric.
    start, end : array-like, shape=[3, 3]
        End points.
    steps : int
        Number of steps.
    ax : mpl_toolkits.mplot3d.Axes3D
        Axes; those of a new figure if None.
    **style
        Keywords of `Axes3D.plot`.

    Returns
    -------
    artist : Line3D
        The curve.

    Examples
    --------
    >>> import matplotlib
    >>> matplotlib.use("Agg")
    >>> import matplotlib.pyplot as plt
    >>> import numpy as np
    >>> from geomstats_cor import FullRankCorrelationMatrices
    >>> from geomstats_cor.plotting import from_entries, plot_geodesic
    >>> space = FullRankCorrelationMatrices(3, equip="olm")
    >>> curve = plot_geodesic(space, np.eye(3), from_entries([0.8, 0.2, 0.1]), steps=50)
    >>> len(curve.get_data_3d()[0])
    51
    >>> plt.close("all")
    """
    space = require_three(space)
    path = entries(geodesic_path(space, start, end, steps))
    metric = space.metric
    style = {"color": metric_color(metric), "label": metric_key(metric).upper()} | style
    return axes_3d(ax).plot(*path.T, **style)[0]


def plot_geodesic_fan(
    space: "FullRankCorrelationMatrices",
    point: ArrayLike,
    radius: float = 1.0,
    count: int = 40,
    steps: int = 40,
    ax: Any = None,
    **style: Any,
) -> Any:
    """Draw geodesics of one length from a point in directions evenly spread.

    Parameters
    ----------
    space : FullRankCorrelationMatrices
        Manifold of 3 x 3 matrices, equipped with one of the five metrics.
    point : array-like, shape=[3, 3]
        Where the geodesics start.
    radius : float
        Length of the geodesics.
    count : int
        Number of geodesics.
    steps : int
        Number of steps on each.
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
    >>> from geomstats_cor.plotting import plot_geodesic_fan
    >>> space = FullRankCorrelationMatrices(3, equip="phcm")
    >>> artist = plot_geodesic_fan(space, np.eye(3), radius=0.5, count=8)
    >>> artist.axes.get_zlabel()
    '$C_{32}$'
    >>> plt.close("all")
    """
    return fan_curves(space, point, radius, count, steps).draw(axes_3d(ax), **style)
