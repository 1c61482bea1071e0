"""Points of the elliptope: data, classes, and Fréchet means."""

from typing import Any

import numpy as np

from .._types import ArrayLike
from ..exceptions import ShapeError
from ..metrics import METRICS
from ..space import FullRankCorrelationMatrices
from ..statistics.mean import frechet_mean
from .elliptope import entries, require_three
from .layers import Markers, axes_3d
from .palette import (
    CLASS_MARKERS,
    METRIC_COLORS,
    METRIC_MARKERS,
    class_colors,
    metric_color,
    metric_key,
)


def class_markers(
    points: ArrayLike, labels: ArrayLike = None, colors: ArrayLike = None
) -> list:
    """Return a layer of markers per class, each with a colour and a shape of its own.

    Parameters
    ----------
    points : array-like, shape=[..., 3, 3]
        Correlation matrices.
    labels : array-like, shape=[...]
        Classes; one class without a name if None.
    colors : sequence of str
        Colours of the classes; those of `class_colors` if None.

    Returns
    -------
    layers : list of Markers
        Layers, in the order of the sorted classes.

    Examples
    --------
    >>> import numpy as np
    >>> from geomstats_cor.plotting import class_markers
    >>> layers = class_markers(np.tile(np.eye(3), (4, 1, 1)), ["a", "b", "a", "a"])
    >>> [len(layer.points) for layer in layers]
    [3, 1]
    """
    positions = entries(points).reshape(-1, 3)
    if labels is None:
        return [Markers(positions, class_colors(1)[0], size=14.0)]
    labels = np.reshape(labels, (-1,))
    if len(labels) != len(positions):
        raise ShapeError(
            f"there are {len(labels)} labels for {len(positions)} points: expected one "
            f"for each."
        )
    classes = np.unique(labels)
    colors = class_colors(len(classes)) if colors is None else colors
    return [
        Markers(
            positions[labels == name],
            colors[k % len(colors)],
            CLASS_MARKERS[k % len(CLASS_MARKERS)],
            14.0,
            f"class {name}",
        )
        for k, name in enumerate(classes)
    ]


def plot_points(
    points: ArrayLike, labels: ArrayLike = None, ax: Any = None, **style: Any
) -> list:
    """Draw correlation matrices as points, coloured by label.

    Parameters
    ----------
    points : array-like, shape=[..., 3, 3]
        Correlation matrices.
    labels : array-like, shape=[...]
        Classes.
    ax : mpl_toolkits.mplot3d.Axes3D
        Axes; those of a new figure if None.
    **style
        Keywords of `Axes3D.scatter`.

    Returns
    -------
    artists : list of Path3DCollection
        One collection per class.

    Examples
    --------
    >>> import matplotlib
    >>> matplotlib.use("Agg")
    >>> import matplotlib.pyplot as plt
    >>> from geomstats_cor import FullRankCorrelationMatrices
    >>> from geomstats_cor.plotting import plot_points
    >>> points = FullRankCorrelationMatrices(3, equip=False).random_point(4, rng=0)
    >>> len(plot_points(points, ["a", "b", "a", "b"]))
    2
    >>> plt.close("all")
    """
    layers = class_markers(points, labels)
    ax = axes_3d(ax)
    return [layer.draw(ax, **style) for layer in layers]


def plot_frechet_mean(
    points: ArrayLike,
    space: FullRankCorrelationMatrices,
    weights: ArrayLike = None,
    ax: Any = None,
    **style: Any,
) -> Any:
    r"""Draw the Fréchet mean of correlation matrices.

    .. math:: \operatorname{argmin}_C \sum_i w_i d(C, C_i)^2 .

    Parameters
    ----------
    points : array-like, shape=[k, 3, 3]
        Correlation matrices.
    space : FullRankCorrelationMatrices
        Manifold, equipped with one of the five metrics.
    weights : array-like, shape=[k]
        Weights.
    ax : mpl_toolkits.mplot3d.Axes3D
        Axes; those of a new figure if None.
    **style
        Keywords of `Axes3D.scatter`.

    Returns
    -------
    artist : Path3DCollection
        The mean.

    Examples
    --------
    >>> import matplotlib
    >>> matplotlib.use("Agg")
    >>> import matplotlib.pyplot as plt
    >>> from geomstats_cor import FullRankCorrelationMatrices
    >>> from geomstats_cor.plotting import plot_frechet_mean, plot_points
    >>> space = FullRankCorrelationMatrices(3, equip="olm")
    >>> points = space.random_point(4, rng=0)
    >>> cloud = plot_points(points)[0]
    >>> mean = plot_frechet_mean(points, space, ax=cloud.axes)
    >>> mean.axes is cloud.axes
    True
    >>> plt.close("all")
    """
    space = require_three(space)
    mean = entries(frechet_mean(points, space, weights))
    key = metric_key(space.metric)
    layer = Markers(
        mean[None],
        metric_color(space.metric),
        METRIC_MARKERS.get(key, "X"),
        70.0,
        f"{key.upper()} mean",
    )
    return layer.draw(axes_3d(ax), **{"edgecolors": "black", "zorder": 5} | style)


def mean_markers(
    points: ArrayLike, weights: ArrayLike = None, metrics: ArrayLike = None
) -> list:
    r"""Return a layer per metric with the Fréchet mean of correlation matrices.

    .. math:: \operatorname{argmin}_C \sum_i w_i d(C, C_i)^2 .

    Parameters
    ----------
    points : array-like, shape=[k, 3, 3]
        Correlation matrices.
    weights : array-like, shape=[k]
        Weights.
    metrics : sequence of str
        Keys of `METRICS`; all of them if None.

    Returns
    -------
    layers : list of Markers
        Layers.

    Examples
    --------
    >>> from geomstats_cor.plotting import from_entries, mean_markers
    >>> points = from_entries([[0.6, 0.0, 0.0], [-0.6, 0.0, 0.0]])
    >>> for layer in mean_markers(points, metrics=["ecm", "olm"]):
    ...     print(abs(layer.points.round(6)))
    [[0. 0. 0.]]
    [[0. 0. 0.]]
    """
    layers = []
    for key in METRICS if metrics is None else metrics:
        space = FullRankCorrelationMatrices(3, equip=key)
        mean = entries(frechet_mean(points, space, weights))
        layers.append(
            Markers(
                mean[None], METRIC_COLORS[key], METRIC_MARKERS[key], 70.0, key.upper()
            )
        )
    return layers


def plot_mean_comparison(
    points: ArrayLike,
    weights: ArrayLike = None,
    metrics: ArrayLike = None,
    ax: Any = None,
    **style: Any,
) -> list:
    """Draw the Fréchet means of the same matrices under several metrics.

    Parameters
    ----------
    points : array-like, shape=[k, 3, 3]
        Correlation matrices.
    weights : array-like, shape=[k]
        Weights.
    metrics : sequence of str
        Keys of `METRICS`; all of them if None.
    ax : mpl_toolkits.mplot3d.Axes3D
        Axes; those of a new figure if None.
    **style
        Keywords of `Axes3D.scatter`.

    Returns
    -------
    artists : list of Path3DCollection
        One mean per metric.

    Examples
    --------
    >>> import matplotlib
    >>> matplotlib.use("Agg")
    >>> import matplotlib.pyplot as plt
    >>> from geomstats_cor import FullRankCorrelationMatrices
    >>> from geomstats_cor.plotting import plot_mean_comparison
    >>> points = FullRankCorrelationMatrices(3, equip=False).random_point(4, rng=0)
    >>> artists = plot_mean_comparison(points, metrics=["olm", "lsm"])
    >>> len(artists)
    2
    >>> plt.close("all")
    """
    layers = mean_markers(points, weights, metrics)
    ax = axes_3d(ax)
    style = {"edgecolors": "black", "zorder": 5} | style
    return [layer.draw(ax, **style) for layer in layers]
