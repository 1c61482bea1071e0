"""Trimmed means of correlation matrices."""

from typing import TYPE_CHECKING, Any

from array_api_compat import array_namespace
from sklearn.base import BaseEstimator

from .._types import Array, ArrayLike
from ..data.naming import labelled
from ..kernels._array import eps
from ..kernels._autodiff import detached
from ..kernels._convergence import warn_unfinished
from ..kernels._precision import in_own_precision
from ..validation import require_number
from ._median_solver import median
from .mean import _call, _validated_sample

if TYPE_CHECKING:
    from ..space import FullRankCorrelationMatrices

_MAX_TRIMMINGS = 200


@labelled
@in_own_precision
def trimmed_mean(
    points: ArrayLike,
    space: "FullRankCorrelationMatrices",
    fraction: float = 0.1,
    weights: ArrayLike = None,
) -> Array:
    r"""Return a Fréchet mean that leaves out the farthest points.

    With weights of sum one, the trimmed mean :math:`M` and the weights
    :math:`\omega` that are kept satisfy

    .. math:: M = \operatorname{argmin}_C \sum_i \omega_i d(C, C_i)^2 ,

    .. math:: \omega = \operatorname{argmin} \Big\{ \sum_i \omega_i d(M, C_i)^2 :
              0 \le \omega_i \le w_i, \, \sum_i \omega_i = 1 - f \Big\} :

    the mean of what is kept, which is what is nearest to the mean. Of the farthest
    points a fraction :math:`f` of the weight is dropped; the point at the edge keeps a
    part of its weight if need be. Of points at equal distances the first ones in the
    stack are kept.

    The two equations are solved in turn, beginning at the geometric median, until
    :math:`\omega` stays as it is. Each turn lowers the trimmed sum of squares, so that
    the turns end, at a minimum of it that need not be the lowest of all.

    Parameters
    ----------
    points : array-like, shape=[..., N, n, n]
        Full-rank correlation matrices; the mean is over the last batch axis.
    space : FullRankCorrelationMatrices or str
        Manifold, equipped with one of the metrics of this library; or the key or the
        class of a metric, or the metric of a space.
    fraction : float
        Fraction :math:`f` of the weight to drop, in [0, 1); below one half for a mean
        that represents most of the points.
    weights : array-like, shape=[..., N]
        Weights, not negative, of positive sum; equal if None.

    Returns
    -------
    mean : array, shape=[..., n, n]
        Trimmed mean.

    References
    ----------
    .. [G1991] A. Gordaliza. Best approximations to random variables based on trimming
       procedures. J. Approx. Theory 64, 1991.

    Examples
    --------
    >>> import numpy as np
    >>> from geomstats_cor import FullRankCorrelationMatrices, trimmed_mean
    >>> space = FullRankCorrelationMatrices(2, equip="ecm")
    >>> points = np.array([[[1, r], [r, 1]] for r in (-0.1, 0.0, 0.1, 0.999)])
    >>> trimmed_mean(points, space, fraction=0.25).round(12)
    array([[1., 0.],
           [0., 1.]])
    """
    require_number("fraction", fraction, 0.0, 1.0, includes_low=True)
    space, image, weights = _validated_sample(points, space, weights)
    metric = space.metric
    kept = _call(
        _kept_weights,
        space,
        metric.image_space.metric,
        detached(image),
        detached(weights),
        fraction,
    )
    mean = _call(metric.image_space.metric.mean, space, image, kept)
    return metric.diffeo.inverse(mean)


def _kept_weights(metric, points, weights, fraction):
    """Return the weights, of sum one, of the points that a trimmed mean keeps."""
    xp = array_namespace(points)
    batch = xp.broadcast_arrays(points[..., 0, 0], weights)[0].shape
    weights = xp.broadcast_to(weights, batch)
    center, kept = median(metric, points, weights), xp.zeros_like(weights)
    for _ in range(_MAX_TRIMMINGS):
        squares = metric.squared_dist(points, center[..., None, :, :])
        previous, kept = kept, _nearest(squares, weights, fraction)
        change = xp.max(xp.abs(kept - previous), axis=-1)
        if bool(xp.all(change == 0.0)):
            return kept
        center = metric.mean(points, kept)
    warn_unfinished("trimmed mean", change, change == 0.0, lambda index: 1.0)
    return kept


def _nearest(squares, weights, fraction):
    """Return the weights of sum one of the nearest points, and zeros."""
    xp = array_namespace(weights)
    order = xp.argsort(squares, axis=-1, stable=True)
    sorted_weights = xp.take_along_axis(weights, order, axis=-1)
    before = xp.cumulative_sum(sorted_weights, axis=-1) - sorted_weights
    room = xp.clip((1.0 - fraction) - before, min=0.0)
    kept = xp.minimum(sorted_weights, room)
    # A remainder of the size of rounding is no point at the edge.
    kept = xp.where(kept <= 4.0 * weights.shape[-1] * eps(weights), 0.0, kept)
    ranks = xp.argsort(order, axis=-1, stable=True)
    kept = xp.take_along_axis(kept, ranks, axis=-1)
    return kept / xp.sum(kept, axis=-1, keepdims=True)


class _Center(BaseEstimator):
    """An estimator of a centre; a subclass says which."""

    def fit(self, X: ArrayLike, y: Any = None, weights: ArrayLike = None) -> Any:
        """Compute the centre.

        Parameters
        ----------
        X : array-like, shape=[N, n, n]
            Full-rank correlation matrices.
        y : None
            Ignored, for the sake of pipelines.
        weights : array-like, shape=[N]
            Weights, not negative, of positive sum; equal if None.

        Returns
        -------
        self : estimator
            The estimator.
        """
        self.estimate_ = self._center(X, weights)
        return self


class TrimmedMean(_Center):
    r"""Trimmed mean as an estimator, in the manner of geomstats and scikit-learn.

    .. math:: \operatorname{argmin}_C \sum_i \omega_i d(C, C_i)^2 ,

    where :math:`\omega` leaves out a fraction of the weight, that of the farthest
    points. The function is `trimmed_mean`.

    Parameters
    ----------
    space : FullRankCorrelationMatrices
        Manifold, equipped with one of the metrics of this library.
    fraction : float
        Fraction of the weight to drop.

    Attributes
    ----------
    estimate_ : array, shape=[n, n]
        Trimmed mean.

    References
    ----------
    .. [G1991] A. Gordaliza. Best approximations to random variables based on trimming
       procedures. J. Approx. Theory 64, 1991.

    Examples
    --------
    >>> import numpy as np
    >>> from geomstats_cor import FullRankCorrelationMatrices, TrimmedMean
    >>> space = FullRankCorrelationMatrices(2, equip="ecm")
    >>> points = np.array([[[1, r], [r, 1]] for r in (-0.1, 0.0, 0.1, 0.999)])
    >>> TrimmedMean(space, fraction=0.25).fit(points).estimate_.round(12)
    array([[1., 0.],
           [0., 1.]])
    """

    def __init__(
        self, space: "FullRankCorrelationMatrices", fraction: Any = 0.1
    ) -> None:
        self.space = space
        self.fraction = fraction

    def _center(self, points, weights):
        return trimmed_mean(points, self.space, self.fraction, weights)
