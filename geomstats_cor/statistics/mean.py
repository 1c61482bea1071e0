"""Fréchet means and variances of correlation matrices."""

from typing import TYPE_CHECKING, Any

from array_api_compat import array_namespace
from sklearn.base import BaseEstimator

from .._boundary import call_strictly
from .._types import Array, ArrayLike
from ..data.naming import labelled
from ..exceptions import ParameterError, ShapeError
from ..kernels._array import constant
from ..kernels._precision import in_own_precision
from ..space import equipped
from ..validation import (
    as_arrays,
    require_broadcast,
    require_stack,
)

if TYPE_CHECKING:
    from ..space import FullRankCorrelationMatrices


@labelled
@in_own_precision
def frechet_mean(
    points: ArrayLike, space: "FullRankCorrelationMatrices", weights: ArrayLike = None
) -> Array:
    r"""Return the Fréchet mean: the minimiser of :math:`\sum_i w_i d(C, C_i)^2`.

    It exists and is unique under each of the five metrics. Closed form for the flat
    ones; for the poly-hyperbolic metric, Newton's method to rounding accuracy.

    Parameters
    ----------
    points : array-like, shape=[..., N, n, n]
        Full-rank correlation matrices; the mean is over the last batch axis.
    space : FullRankCorrelationMatrices or str
        Manifold, equipped with one of the metrics of this library; or the key or the
        class of a metric, or the metric of a space.
    weights : array-like, shape=[..., N]
        Weights, not negative, of positive sum; equal if None.

    Returns
    -------
    mean : array, shape=[..., n, n]
        Fréchet mean.

    References
    ----------
    .. [K1977] H. Karcher. Riemannian center of mass and mollifier smoothing. Comm. Pure
       Appl. Math. 30, 1977.
    .. [T2022] Y. Thanwerdas and X. Pennec. Theoretically and computationally convenient
       geometries on full-rank correlation matrices. SIAM J. Matrix Anal. Appl. 43,
       2022.
    .. [T2024] Y. Thanwerdas. Permutation-invariant log-Euclidean geometries on
       full-rank correlation matrices. SIAM J. Matrix Anal. Appl. 45, 2024.

    Examples
    --------
    >>> import numpy as np
    >>> from geomstats_cor import FullRankCorrelationMatrices, frechet_mean
    >>> space = FullRankCorrelationMatrices(2, equip="ecm")
    >>> points = np.array([[[1, 0.6], [0.6, 1]], [[1, -0.6], [-0.6, 1]]])
    >>> frechet_mean(points, space)
    array([[1., 0.],
           [0., 1.]])
    """
    space, image, weights = _validated_sample(points, space, weights)
    metric = space.metric
    mean = metric.image_space.metric.mean
    return metric.diffeo.inverse(_call(mean, space, image, weights))


@labelled
@in_own_precision
def frechet_variance(
    points: ArrayLike,
    space: "FullRankCorrelationMatrices",
    mean: ArrayLike = None,
    weights: ArrayLike = None,
) -> Array:
    r"""Return the Fréchet variance :math:`\sum_i w_i d(M, C_i)^2 / \sum_i w_i`.

    Parameters
    ----------
    points : array-like, shape=[..., N, n, n]
        Full-rank correlation matrices; the sum is over the last batch axis.
    space : FullRankCorrelationMatrices
        Manifold, equipped with one of the metrics of this library.
    mean : array-like, shape=[..., n, n]
        Point :math:`M` about which to take the variance; the Fréchet mean, where it is
        least, if None.
    weights : array-like, shape=[..., N]
        Weights, not negative, of positive sum; equal if None.

    Returns
    -------
    variance : array, shape=[...]
        Fréchet variance, not corrected for the degrees of freedom of the mean.

    Examples
    --------
    >>> import numpy as np
    >>> from geomstats_cor import FullRankCorrelationMatrices, frechet_variance
    >>> space = FullRankCorrelationMatrices(2, equip="ecm")
    >>> points = np.array([[[1, 0.6], [0.6, 1]], [[1, -0.6], [-0.6, 1]]])
    >>> round(float(frechet_variance(points, space)), 12)
    0.5625
    """
    points, mean, weights = as_arrays(
        ("mean", "weights"), points=points, mean=mean, weights=weights
    )
    space, image, weights = _validated_sample(points, space, weights)
    metric = space.metric
    if mean is None:
        center = _call(metric.image_space.metric.mean, space, image, weights)
    else:
        (mean,) = metric._validated(point=mean)
        require_broadcast(points=points[..., 0, :, :], mean=mean)
        center = metric.diffeo(mean)
    squares = metric.image_space.metric.squared_dist(image, center[..., None, :, :])
    return array_namespace(squares).sum(weights * squares, axis=-1)


def _validated_sample(points, space, weights):
    """Return the equipped space, the images of the points, and weights of sum one."""
    points, weights = as_arrays(("weights",), points=points, weights=weights)
    require_stack(points=points)
    space = equipped(space, points.shape[-1], "points")
    (points,) = space.metric._validated(points=points)
    weights = _normalised(weights, points)
    return space, space.metric.diffeo(points), weights


def _call(function, space, *arguments):
    """Call an iteration, which raises where it would warn if the space is strict."""
    if space.check == "strict":
        return call_strictly(function, *arguments)
    return function(*arguments)


def _normalised(weights, points):
    xp = array_namespace(points)
    count = points.shape[-3]
    if count == 0:
        raise ShapeError("points is empty: there is no mean of no matrices.")
    if weights is None:
        return constant([1.0 / count] * count, points)
    _require_weights(weights, points)
    total = xp.sum(weights, axis=-1, keepdims=True)
    if not bool(xp.all(total > 0.0)):
        raise ParameterError("weights must be finite, not negative, and not all zero.")
    return weights / total


def _require_weights(weights, points):
    """Raise unless there is a number, finite and not negative, for each point."""
    xp = array_namespace(weights)
    count = points.shape[-3]
    if weights.ndim < 1 or weights.shape[-1] != count:
        raise ShapeError(
            f"weights: expected shape [..., {count}], one for each of {count} points, "
            f"got {tuple(weights.shape)}."
        )
    # What stands before the axis of the points is a batch, for matrices and weights.
    require_broadcast(points=points[..., 0, :, :], weights=weights[..., None])
    if not bool(xp.all(xp.isfinite(weights) & (weights >= 0.0))):
        raise ParameterError("weights must be finite, not negative, and not all zero.")


class FrechetMean(BaseEstimator):
    r"""Fréchet mean as an estimator, in the manner of geomstats and scikit-learn.

    .. math:: \operatorname{argmin}_C \sum_i w_i d(C, C_i)^2 .

    The function is `frechet_mean`.

    Parameters
    ----------
    space : FullRankCorrelationMatrices
        Manifold, equipped with one of the metrics of this library.

    Attributes
    ----------
    estimate_ : array, shape=[n, n]
        Fréchet mean.

    References
    ----------
    .. [K1977] H. Karcher. Riemannian center of mass and mollifier smoothing. Comm. Pure
       Appl. Math. 30, 1977.

    Examples
    --------
    >>> from geomstats_cor import FrechetMean, FullRankCorrelationMatrices
    >>> space = FullRankCorrelationMatrices(3, equip="phcm")
    >>> mean = FrechetMean(space).fit(space.random_point(20, rng=0)).estimate_
    >>> bool(space.belongs(mean))
    True
    """

    def __init__(self, space: "FullRankCorrelationMatrices") -> None:
        self.space = space

    def fit(self, X: ArrayLike, y: Any = None, weights: ArrayLike = None) -> Any:
        """Compute the Fréchet mean.

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
        self : FrechetMean
            The estimator.
        """
        self.estimate_ = frechet_mean(X, self.space, weights)
        return self
