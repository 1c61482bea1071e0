"""Matrices of any size: heat maps, film strips, and entries along geodesics."""

from typing import Any

import numpy as np

from .._types import Array, ArrayLike
from ..data.labels import is_table
from ..data.naming import in_order, index_of, names_of, with_names
from ..exceptions import ParameterError, ShapeError
from ..metrics import METRICS
from ..space import FullRankCorrelationMatrices, equipped
from .elliptope import as_floats
from .geodesics import geodesic_path
from .layers import axes_2d
from .palette import METRIC_COLORS, metric_key

_MOST_NAMES = 10  # more would overlap
_MOST_LABELS = 16  # of variables along an axis
_HEAT = {"cmap": "RdBu_r", "vmin": -1.0, "vmax": 1.0}


def plot_matrix(
    point: ArrayLike, ax: Any = None, names: ArrayLike = None, **style: Any
) -> Any:
    """Draw a matrix as a heat map, red for positive and blue for negative entries.

    Parameters
    ----------
    point : array-like, shape=[n, n], or pandas.DataFrame
        Matrix.
    ax : matplotlib.axes.Axes
        Axes; those of a new figure if None.
    names : sequence of length n
        Names of the variables, written along the axes; those of a data frame if None.
        Of many, some are written.
    **style
        Keywords of `Axes.imshow`.

    Returns
    -------
    artist : AxesImage
        The heat map.

    Examples
    --------
    >>> import matplotlib
    >>> matplotlib.use("Agg")
    >>> import matplotlib.pyplot as plt
    >>> from geomstats_cor.plotting import plot_matrix
    >>> plot_matrix([[1, 0.6], [0.6, 1]]).get_clim()
    (-1.0, 1.0)
    >>> plt.close("all")
    """
    if names is None and is_table(point):
        names = list(point.columns)
    point = as_floats(point)
    n = len(point)
    if names is not None and len(names) != n:
        raise ShapeError(f"names: expected {n} names of variables, got {len(names)}.")
    style = {"extent": (0.5, n + 0.5, n + 0.5, 0.5)} | _HEAT | style
    ax = axes_2d(ax)
    image = ax.imshow(point, **style)
    most = 4 if names is None else _MOST_LABELS
    ticks = np.unique(np.linspace(1, n, min(n, most)).round())
    ax.set(xticks=ticks, yticks=ticks)
    if names is not None:
        shown = [str(names[int(tick) - 1]) for tick in ticks]
        ax.set_xticklabels(shown, rotation=90)
        ax.set_yticklabels(shown)
    return image


def plot_matrices(
    points: ArrayLike,
    titles: ArrayLike = None,
    axes: ArrayLike = None,
    columns: int | None = None,
    **style: Any,
) -> Array:
    """Draw matrices as heat maps with one colour scale.

    Parameters
    ----------
    points : array-like, shape=[k, n, n], or CorrelationStack
        Matrices.
    titles : sequence of str, length k
        Titles; the names of the matrices of a `CorrelationStack` if None.
    axes : sequence of matplotlib.axes.Axes, length k
        Axes; those of a new figure, with a colour bar, if None.
    columns : int
        Number of columns of a new figure; at most five if None.
    **style
        Keywords of `Axes.imshow`.

    Returns
    -------
    axes : numpy.ndarray of Axes, shape=[k]
        Axes.

    Examples
    --------
    >>> import matplotlib
    >>> matplotlib.use("Agg")
    >>> import matplotlib.pyplot as plt
    >>> import numpy as np
    >>> from geomstats_cor.plotting import plot_matrices
    >>> axes = plot_matrices([np.eye(2), [[1, 0.6], [0.6, 1]]], titles=["0", "0.6"])
    >>> [ax.get_title() for ax in axes]
    ['0', '0.6']
    >>> plt.close("all")
    """
    names = names_of(points)
    if titles is None and index_of(points) is not None:
        titles = [str(name) for name in index_of(points)]
    points = as_floats(in_order(points))
    if points.ndim != 3 or not len(points):
        raise ShapeError(
            f"points has shape {points.shape}: expected a stack [k, n, n] of matrices."
        )
    new = axes is None
    axes = _panels(len(points), columns) if new else np.ravel(axes)
    if len(axes) != len(points):
        raise ShapeError(f"there are {len(axes)} axes for {len(points)} matrices.")
    if titles is not None and len(titles) != len(points):
        raise ShapeError(f"there are {len(titles)} titles for {len(points)} matrices.")
    for k, ax in enumerate(axes):
        image = plot_matrix(points[k], ax=ax, names=names, **style)
        ax.set_title("" if titles is None else titles[k])
    if new:
        figure = axes[0].figure
        figure.colorbar(image, ax=list(axes), label="correlation", shrink=0.8)
        if names is None:
            figure.supxlabel("variable", size="medium")
            figure.supylabel("variable", size="medium")
    return axes


def _panels(count, columns):
    import matplotlib.pyplot as plt

    columns = min(count, 5 if columns is None else columns)
    rows = -(-count // columns)
    size = (1.9 * columns + 1.0, 2.0 * rows + 0.3)
    figure = plt.figure(figsize=size, layout="constrained")
    grid = figure.subplots(rows, columns, squeeze=False).ravel()
    for ax in grid[count:]:
        ax.remove()
    return grid[:count]


def plot_film_strip(
    space: FullRankCorrelationMatrices,
    start: ArrayLike,
    end: ArrayLike,
    count: int = 5,
    axes: ArrayLike = None,
    **style: Any,
) -> Array:
    """Draw matrices along a geodesic as heat maps.

    Parameters
    ----------
    space : FullRankCorrelationMatrices or str
        Manifold, equipped with a metric; or the key of one.
    start, end : array-like, shape=[n, n]
        End points.
    count : int
        Number of matrices, the end points among them; at least 2.
    axes : sequence of matplotlib.axes.Axes, length count
        Axes; those of a new figure if None.
    **style
        Keywords of `Axes.imshow`.

    Returns
    -------
    axes : numpy.ndarray of Axes, shape=[count]
        Axes.

    Examples
    --------
    >>> import matplotlib
    >>> matplotlib.use("Agg")
    >>> import matplotlib.pyplot as plt
    >>> import numpy as np
    >>> from geomstats_cor import FullRankCorrelationMatrices
    >>> from geomstats_cor.plotting import plot_film_strip
    >>> space = FullRankCorrelationMatrices(2, equip="olm")
    >>> plot_film_strip(space, np.eye(2), [[1, 0.6], [0.6, 1]], count=3).shape
    (3,)
    >>> plt.close("all")
    """
    if count < 2:
        raise ParameterError(f"count is {count}: a film strip has at least 2 pictures.")
    space = equipped(space, len(start), "start")
    path = geodesic_path(space, start, end, count - 1)
    times = np.linspace(0.0, 1.0, count)
    titles = [f"$t$ = {t:.2f}" for t in times]
    titles[0] = f"{metric_key(space.metric).upper()}, {titles[0]}"
    path = with_names(path, names_of([start]))
    return plot_matrices(path, titles, axes, columns=count, **style)


def plot_entries(
    start: ArrayLike,
    end: ArrayLike,
    metrics: ArrayLike = None,
    which: ArrayLike = None,
    steps: int = 60,
    ax: Any = None,
    **style: Any,
) -> dict:
    """Draw the entries along the geodesics between two matrices, metric by metric.

    Parameters
    ----------
    start, end : array-like, shape=[n, n]
        End points.
    metrics : sequence of str
        Keys of `METRICS`; all of them if None.
    which : sequence of (int, int)
        Rows and columns of the entries, counted from zero; all if None.
    steps : int
        Number of steps.
    ax : matplotlib.axes.Axes
        Axes; those of a new figure, with a legend, if None.
    **style
        Keywords of `Axes.plot`.

    Returns
    -------
    artists : dict of list of Line2D
        Lines of each metric.

    Examples
    --------
    >>> import matplotlib
    >>> matplotlib.use("Agg")
    >>> import matplotlib.pyplot as plt
    >>> import numpy as np
    >>> from geomstats_cor.plotting import plot_entries
    >>> lines = plot_entries(np.eye(2), [[1, 0.6], [0.6, 1]], metrics=["ecm", "olm"])
    >>> {key: line.get_ydata()[30].round(4).item() for key, (line,) in lines.items()}
    {'ecm': 0.3511, 'olm': 0.3333}
    >>> plt.close("all")
    """
    start = as_floats(start)
    n, times = len(start), np.linspace(0.0, 1.0, steps + 1)
    rows, columns = np.tril_indices(n, -1) if which is None else np.transpose(which)
    new, ax = ax is None, axes_2d(ax)
    artists = {}
    for key in METRICS if metrics is None else metrics:
        space = FullRankCorrelationMatrices(n, equip=key)
        path = geodesic_path(space, start, end, steps)
        drawn = {"color": METRIC_COLORS[key]} | style
        artists[key] = ax.plot(times, path[:, rows, columns], **drawn)
        artists[key][0].set_label(key.upper())
    if new:
        ax.set(xlabel="$t$", ylabel="correlation", xlim=(0.0, 1.0))
        if len(rows) <= _MOST_NAMES:
            _name_ends(ax, path[-1], rows, columns)
        ax.figure.legend(loc="outside upper center", ncols=len(artists))
    return artists


def _name_ends(ax, end, rows, columns):
    """Write the names of entries where their curves end."""
    for i, j in zip(rows, columns, strict=True):
        ax.annotate(
            f"$C_{{{i + 1},{j + 1}}}$",
            (1.0, end[i, j]),
            xytext=(4, 0),
            textcoords="offset points",
            va="center",
        )
