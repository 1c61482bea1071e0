"""A positive definite kernel on correlation matrices."""

from typing import Any

import numpy as np
from sklearn.base import ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from .._types import Array, ArrayLike
from ..data.culprits import naming_culprits
from ..data.naming import expanded
from ..space import equipped
from ..validation import as_arrays, require_number, require_stack
from ._points import PointsEstimator


def kernel_matrix(
    points_a: ArrayLike, points_b: ArrayLike, space: Any, sigma: float
) -> Array:
    r"""Return the kernel between all points of two stacks, positive definite.

    The Gaussian :math:`\exp(-d^2 / (2 \sigma^2))` of the distance for a flat metric.
    For the poly-hyperbolic metric, where that is not positive definite, the Laplacian
    :math:`\exp(-\sum_i d_i / \sigma)` of the distances of the rows.

    Parameters
    ----------
    points_a : array-like, shape=[k, n, n]
        Points.
    points_b : array-like, shape=[l, n, n]
        Points.
    space : FullRankCorrelationMatrices or str
        Manifold, equipped with one of the metrics of this library; or the key or the
        class of a metric, or the metric of a space.
    sigma : float
        Length scale, positive.

    Returns
    -------
    kernel : array, shape=[k, l]
        Values of the kernel.

    References
    ----------
    .. [F2015] A. Feragen, F. Lauze and S. Hauberg. Geodesic exponential kernels: when
       curvature and linearity conflict. CVPR, 2015.

    Examples
    --------
    >>> from geomstats_cor import FullRankCorrelationMatrices
    >>> from geomstats_cor.learning import kernel_matrix
    >>> space = FullRankCorrelationMatrices(2, equip="ecm")
    >>> points = [[[1, 0.6], [0.6, 1]], [[1, 0], [0, 1]]]
    >>> kernel_matrix(points, points, space, sigma=0.75).round(4)
    array([[1.    , 0.6065],
           [0.6065, 1.    ]])
    """
    require_number("sigma", sigma)
    given_a, given_b = points_a, points_b
    points_a, points_b = as_arrays(
        points_a=expanded(points_a), points_b=expanded(points_b)
    )
    require_stack(points_a=points_a, points_b=points_b)
    metric = equipped(space, points_a.shape[-1], "points_a").metric
    with naming_culprits(given_a), naming_culprits(given_b):
        lengths = _lengths(points_a, points_b, metric)
    return metric.image_space.metric.kernel(lengths, sigma)


def _lengths(points_a, points_b, metric):
    images = [metric.diffeo(*metric._validated(points=x)) for x in (points_a, points_b)]
    return metric.image_space.metric.kernel_lengths(*images)


class ToKernel(ClassNamePrefixFeaturesOutMixin, TransformerMixin, PointsEstimator):
    r"""Turn correlation matrices into rows of a kernel matrix, for kernel machines.

    .. math:: x(C) = (k(C, C_1), \dots, k(C, C_N)) .

    The features of a matrix are the values of `kernel_matrix` between it and the
    matrices of `fit`: what scikit-learn calls a precomputed kernel.

    Parameters
    ----------
    metric : str or type or FullRankCorrelationMatrices
        Key of `METRICS`, class of metric, or an equipped space.
    sigma : float or "median"
        Length scale; the median length between the matrices of `fit` if "median".
    on_bad : {"raise", "repair", "repair_each"}
        What to do with bad matrices; see `ToCoords`.

    Attributes
    ----------
    points_ : array, shape=[N, n, n]
        Matrices of `fit`.
    sigma_ : float
        Length scale.
    space_ : FullRankCorrelationMatrices
        Equipped space.
    n_features_in_ : int
        Number of strict lower entries that `fit` was given.
    min_eigenvalue_ : float
        Smallest eigenvalue that all matrices are given, with on_bad="repair": 0.05 if
        `fit` met a bad matrix, otherwise that of its worst matrix if less.

    References
    ----------
    .. [F2015] A. Feragen, F. Lauze and S. Hauberg. Geodesic exponential kernels: when
       curvature and linearity conflict. CVPR, 2015.

    Examples
    --------
    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.svm import SVC
    >>> from geomstats_cor.datasets import load_connectomes
    >>> from geomstats_cor.learning import ToKernel
    >>> data = load_connectomes()
    >>> model = make_pipeline(ToKernel(metric="phcm"), SVC(kernel="precomputed"))
    >>> model.fit(data.correlations, data.labels).predict(data.correlations).shape
    (86,)
    """

    def __init__(
        self, metric: Any = "olm", sigma: Any = "median", on_bad: str = "raise"
    ) -> None:
        self.metric = metric
        self.sigma = sigma
        self.on_bad = on_bad

    def fit(self, X: ArrayLike, y: Any = None) -> Any:
        """Keep the matrices, and find the length scale.

        Parameters
        ----------
        X : array-like, shape=[N, n, n] or [N, n (n - 1) / 2]
            Correlation matrices, or their strict lower entries row by row.
        y : None
            Ignored, for the sake of pipelines.

        Returns
        -------
        self : ToKernel
            The estimator.
        """
        if not (isinstance(self.sigma, str) and self.sigma == "median"):
            require_number("sigma", self.sigma)
        self.points_, _ = self._read_points(X)
        self.sigma_ = self._median_length() if self.sigma == "median" else self.sigma
        self._n_features_out = len(self.points_)
        return self

    def _median_length(self):
        lengths = _lengths(self.points_, self.points_, self.space_.metric)
        pairs = lengths[np.tril_indices(len(lengths), -1)]
        apart = pairs[pairs > 0.0]
        return float(np.median(apart)) if len(apart) else 1.0

    def transform(self, X: ArrayLike) -> Array:
        """Return the kernel :math:`k(C, C_i)` between matrices and those of `fit`.

        Parameters
        ----------
        X : array-like, shape=[M, n, n] or [M, n (n - 1) / 2]
            Correlation matrices, or their strict lower entries row by row.

        Returns
        -------
        kernel : array, shape=[M, N]
            Values of the kernel.
        """
        check_is_fitted(self)
        points, _ = self._read_points(X, reset=False)
        return kernel_matrix(points, self.points_, self.space_, self.sigma_)
