"""Interpolation and extrapolation along geodesics."""

from typing import Any

import array_api_compat
import numpy as np
from array_api_compat import array_namespace

from .._types import Array, ArrayLike
from ..data.naming import labelled, one_stack
from ..exceptions import ArrayTypeError, ParameterError, ShapeError
from ..kernels._array import constant
from ..space import equipped
from ..validation import plain


@labelled(index=("at", "times"))
def interpolate(
    points: ArrayLike, times: ArrayLike, at: ArrayLike, space: Any
) -> Array:
    r"""Return the piecewise geodesic path through points at given times.

    .. math:: \exp_{C_i}\left(
              \frac{t - t_i}{t_{i + 1} - t_i} \log_{C_i} C_{i + 1}\right) ,
              \qquad t_i \le t < t_{i + 1} .

    Before the first and after the last point the path continues along the geodesic
    through the first and the last two points.

    Parameters
    ----------
    points : array-like, shape=[N, n, n]
        Full-rank correlation matrices, at least two.
    times : array-like, shape=[N]
        Time of each, increasing.
    at : array-like, shape=[T]
        Times to answer for, in any order.
    space : FullRankCorrelationMatrices or str
        Manifold, equipped with one of the metrics of this library; or the key or the
        class of a metric, or the metric of a space.

    Returns
    -------
    path : array, shape=[T, n, n]
        Correlation matrices.

    Examples
    --------
    >>> from geomstats_cor import FullRankCorrelationMatrices
    >>> from geomstats_cor.learning import interpolate
    >>> space = FullRankCorrelationMatrices(2, equip="ecm")
    >>> points = [[[1, 0], [0, 1]], [[1, 0.6], [0.6, 1]]]
    >>> interpolate(points, [2000, 2010], [2000, 2010, 2020], space)[:, 1, 0].round(4)
    array([0.    , 0.6   , 0.8321])
    """
    points = one_stack(points)
    metric = equipped(space, points.shape[-1], "points").metric
    metric.to_coords(points)  # validates those between which no time lies as well
    xp = array_namespace(points)
    times, at = times_of(points, times), as_times("at", at, points)
    if times.shape[0] < 2:
        raise ShapeError(
            f"points has {times.shape[0]} matrices: a path needs two at least."
        )
    if not bool(xp.all(times[1:] > times[:-1])):
        raise ParameterError("times must increase from each point to the next.")
    segment = xp.searchsorted(times, at, side="right") - 1
    segment = xp.clip(segment, 0, times.shape[0] - 2)
    start, end = xp.take(points, segment, axis=0), xp.take(points, segment + 1, axis=0)
    begin, finish = xp.take(times, segment), xp.take(times, segment + 1)
    fraction = (at - begin) / (finish - begin)
    steps = fraction[:, None] * metric.log_coords(end, start)
    return metric.exp_coords(steps, start)


def as_times(name: str, times: ArrayLike, points: Array) -> Array:
    """Return times as an array like the points, or raise.

    Parameters
    ----------
    name : str
        Name of the argument.
    times : array-like, shape=[T]
        Finite numbers, whole or not.
    points : array
        Array whose library, dtype and device to use.

    Returns
    -------
    times : array, shape=[T]
        Times.
    """
    times = plain(name, times)
    try:
        if not array_api_compat.is_torch_array(times):
            times = np.asarray(times)
            if times.dtype.kind not in "biufO":
                raise TypeError
            times = times.astype(float)
        times = constant(times, points)
    except (TypeError, ValueError, OverflowError, RuntimeError):
        raise ArrayTypeError(
            f"{name}: expected numbers of shape [T], got a {type(times).__name__} that "
            f"does not convert to them."
        ) from None
    if times.ndim != 1:
        raise ShapeError(f"{name}: expected shape [T], got {tuple(times.shape)}.")
    if not bool(array_namespace(times).all(array_namespace(times).isfinite(times))):
        raise ParameterError(f"{name} has a NaN or an infinity.")
    return times


def times_of(points: Array, times: ArrayLike) -> Array:
    """Return the times of the points of a stack, an array like theirs.

    Parameters
    ----------
    points : array, shape=[N, n, n]
        Points.
    times : array-like, shape=[N]
        Times, whole numbers or not.

    Returns
    -------
    times : array, shape=[N]
        Times.
    """
    times = as_times("times", times, points)
    if times.shape[0] != points.shape[0]:
        raise ShapeError(
            f"times: expected shape [{points.shape[0]}], one for each point, got "
            f"{tuple(times.shape)}."
        )
    return times
