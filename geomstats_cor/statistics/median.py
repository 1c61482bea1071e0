"""Geometric medians of correlation matrices."""

from typing import TYPE_CHECKING

from .._types import Array, ArrayLike
from ..data.naming import labelled
from ..kernels._autodiff import detached
from ..kernels._precision import in_own_precision
from ._median_solver import median
from .mean import _call, _validated_sample
from .trimmed import _Center

if TYPE_CHECKING:
    from ..space import FullRankCorrelationMatrices


@labelled
@in_own_precision
def geometric_median(
    points: ArrayLike, space: "FullRankCorrelationMatrices", weights: ArrayLike = None
) -> Array:
    r"""Return the geometric median: the minimiser of :math:`\sum_i w_i d(C, C_i)`.

    The sum of distances is convex under each of the five metrics, and the minimiser is
    unique unless the points lie on one geodesic. Then the minimisers are a segment of
    that geodesic, and its midpoint is returned, as `numpy.median` does with numbers.
    The median stays bounded as long as the points that run away have less than half
    of the weight.

    Newton's method to rounding accuracy. A point :math:`C_k` of the stack is the
    median, and is returned as it is, if the unit vectors from it towards the others
    satisfy :math:`|\sum_{i \neq k} w_i u_i| \le w_k`. Gradients do not flow through
    the result.

    Parameters
    ----------
    points : array-like, shape=[..., N, n, n]
        Full-rank correlation matrices; the median is over the last batch axis.
    space : FullRankCorrelationMatrices or str
        Manifold, equipped with one of the metrics of this library; or the key or the
        class of a metric, or the metric of a space.
    weights : array-like, shape=[..., N]
        Weights, not negative, of positive sum; equal if None.

    Returns
    -------
    median : array, shape=[..., n, n]
        Geometric median.

    References
    ----------
    .. [VZ2000] Y. Vardi and C.-H. Zhang. The multivariate L1-median and associated data
       depth. PNAS 97, 2000.
    .. [F2009] P. T. Fletcher, S. Venkatasubramanian and S. Joshi. The geometric median
       on Riemannian manifolds with application to robust atlas estimation. NeuroImage
       45, 2009.

    Examples
    --------
    >>> import numpy as np
    >>> from geomstats_cor import FullRankCorrelationMatrices, geometric_median
    >>> space = FullRankCorrelationMatrices(2, equip="ecm")
    >>> points = np.array([[[1, r], [r, 1]] for r in (0.0, 0.1, 0.999)])
    >>> geometric_median(points, space).round(12)
    array([[1. , 0.1],
           [0.1, 1. ]])
    """
    space, image, weights = _validated_sample(points, space, weights)
    metric = space.metric
    found = _call(
        median, space, metric.image_space.metric, detached(image), detached(weights)
    )
    return metric.diffeo.inverse(found)


class GeometricMedian(_Center):
    r"""Geometric median as an estimator, in the manner of geomstats and scikit-learn.

    .. math:: \operatorname{argmin}_C \sum_i w_i d(C, C_i) .

    The function is `geometric_median`.

    Parameters
    ----------
    space : FullRankCorrelationMatrices
        Manifold, equipped with one of the metrics of this library.

    Attributes
    ----------
    estimate_ : array, shape=[n, n]
        Geometric median.

    References
    ----------
    .. [VZ2000] Y. Vardi and C.-H. Zhang. The multivariate L1-median and associated data
       depth. PNAS 97, 2000.
    .. [F2009] P. T. Fletcher, S. Venkatasubramanian and S. Joshi. The geometric median
       on Riemannian manifolds with application to robust atlas estimation. NeuroImage
       45, 2009.

    Examples
    --------
    >>> import numpy as np
    >>> from geomstats_cor import FullRankCorrelationMatrices, GeometricMedian
    >>> space = FullRankCorrelationMatrices(2, equip="ecm")
    >>> points = np.array([[[1, r], [r, 1]] for r in (0.0, 0.1, 0.999)])
    >>> GeometricMedian(space).fit(points).estimate_.round(12)
    array([[1. , 0.1],
           [0.1, 1. ]])
    """

    def __init__(self, space: "FullRankCorrelationMatrices") -> None:
        self.space = space

    def _center(self, points, weights):
        return geometric_median(points, self.space, weights)
