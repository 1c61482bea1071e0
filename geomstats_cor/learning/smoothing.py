"""Smoothing a time series of correlation matrices."""

from typing import Any

from array_api_compat import array_namespace

from .._types import Array, ArrayLike
from ..data.naming import labelled, one_stack
from ..exceptions import ParameterError
from ..statistics.mean import frechet_mean
from ..validation import require_number
from .interpolation import as_times, times_of


def _gaussian(u):
    return array_namespace(u).exp(-0.5 * u**2)


def _epanechnikov(u):
    xp = array_namespace(u)
    return xp.where(xp.abs(u) < 1.0, 1.0 - u**2, 0.0)


def _box(u):
    xp = array_namespace(u)
    return xp.where(xp.abs(u) <= 1.0, xp.ones_like(u), 0.0)


_KERNELS = {"gaussian": _gaussian, "epanechnikov": _epanechnikov, "box": _box}


@labelled(index=("at", "times"))
def smooth(
    points: ArrayLike,
    times: ArrayLike,
    space: Any,
    bandwidth: float,
    at: ArrayLike = None,
    kernel: Any = "gaussian",
) -> Array:
    r"""Return Fréchet means with weights that decay with the distance in time.

    The value at time :math:`t` minimises
    :math:`\sum_i k((t - t_i) / h) \, d(C, C_i)^2`.

    Parameters
    ----------
    points : array-like, shape=[N, n, n]
        Full-rank correlation matrices.
    times : array-like, shape=[N]
        Time of each, in any order.
    space : FullRankCorrelationMatrices or str
        Manifold, equipped with one of the metrics of this library; or the key or the
        class of a metric, or the metric of a space.
    bandwidth : float
        Bandwidth :math:`h`, positive, in the unit of the times.
    at : array-like, shape=[T]
        Times to answer for; those of the points if None.
    kernel : {"gaussian", "epanechnikov", "box"} or callable
        Kernel :math:`k`; a function of an array of numbers, not negative.

    Returns
    -------
    path : array, shape=[T, n, n]
        Correlation matrices.

    References
    ----------
    .. [D2010] B. C. Davis, P. T. Fletcher, E. Bullitt and S. Joshi. Population shape
       regression from random design data. Int. J. Comput. Vision 90, 2010.

    Examples
    --------
    >>> from geomstats_cor import FullRankCorrelationMatrices
    >>> from geomstats_cor.learning import smooth
    >>> space = FullRankCorrelationMatrices(2, equip="ecm")
    >>> points = [[[1, 0], [0, 1]], [[1, 0.6], [0.6, 1]]]
    >>> smooth(points, [0, 1], space, bandwidth=0.5, at=[0, 0.5])[:, 1, 0].round(4)
    array([0.089 , 0.3511])
    """
    points = one_stack(points)
    times = times_of(points, times)
    at = times if at is None else as_times("at", at, points)
    require_number("bandwidth", bandwidth)
    weights = _require_kernel(kernel)((at[:, None] - times) / bandwidth)
    total = array_namespace(weights).sum(weights, axis=-1)
    lonely = [float(t) for t in at[~(total > 0.0)]]
    if lonely:
        raise ParameterError(
            f"no point has a weight at time {lonely[0]:g}, one of {len(lonely)} such "
            f"times among {at.shape[0]}: use a larger bandwidth than {bandwidth:g}."
        )
    return frechet_mean(points, space, weights)


def _require_kernel(kernel):
    if callable(kernel):
        return kernel
    if not isinstance(kernel, str) or kernel not in _KERNELS:
        raise ParameterError(
            f"kernel is {kernel!r}: choose one of {', '.join(_KERNELS)}, or a function."
        )
    return _KERNELS[kernel]
