"""Principal geodesic analysis."""

from typing import Any

import numpy as np
from sklearn.base import ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.decomposition import PCA
from sklearn.utils.validation import check_array, check_is_fitted

from .._types import Array, ArrayLike
from ..exceptions import ParameterError, ShapeError
from ..statistics.mean import frechet_mean
from ..validation import require_integer
from ._points import PointsEstimator
from .interpolation import as_times


class PrincipalGeodesicAnalysis(
    ClassNamePrefixFeaturesOutMixin, TransformerMixin, PointsEstimator
):
    r"""Principal components of the logarithms at the Fréchet mean.

    .. math:: v_k = \operatorname{argmax} \Big\{
              \sum_i \langle v, \log_M C_i \rangle^2 :
              |v| = 1, \; v \perp v_1, \dots, v_{k - 1} \Big\} .

    For the flat metrics this is principal component analysis in isometric coordinates:
    the first k components span the totally geodesic subspace through the mean that
    explains most of the Fréchet variance. For the poly-hyperbolic metric it is tangent
    PGA [F2004]_: variances are those of the logarithms, and geodesics through the mean
    are exact, while distances between other points are distorted by curvature.

    Parameters
    ----------
    n_components : int or float or "mle" or None
        As in :class:`sklearn.decomposition.PCA`: a number of components, or the
        fraction of variance to explain; all of them if None.
    metric : str or type or FullRankCorrelationMatrices
        Key of `METRICS`, class of metric, or an equipped space.
    on_bad : {"raise", "repair", "repair_each"}
        What to do with bad matrices; see `ToCoords`.

    Attributes
    ----------
    mean_ : array, shape=[n, n]
        Fréchet mean.
    components_ : array, shape=[k, d]
        Unit tangent vectors at the mean, in the coordinates of `metric.log_coords`.
    explained_variance_, explained_variance_ratio_ : array, shape=[k]
        Variance along each component, and its part of the Fréchet variance.
    space_ : FullRankCorrelationMatrices
        Equipped space.
    n_features_in_ : int
        Number of strict lower entries that `fit` was given.
    min_eigenvalue_ : float
        Smallest eigenvalue that all matrices are given, with on_bad="repair": 0.05 if
        `fit` met a bad matrix, otherwise that of its worst matrix if less.

    References
    ----------
    .. [F2004] P. T. Fletcher, C. Lu, S. M. Pizer and S. Joshi. Principal geodesic
       analysis for the study of nonlinear statistics of shape. IEEE Trans. Med. Imaging
       23, 2004.

    Examples
    --------
    Matrices on a geodesic have one component:

    >>> import numpy as np
    >>> from geomstats_cor import FullRankCorrelationMatrices
    >>> from geomstats_cor.learning import PrincipalGeodesicAnalysis
    >>> space = FullRankCorrelationMatrices(4, equip="phcm")
    >>> path = space.metric.geodesic(*space.random_point(2, rng=0))
    >>> points = path(np.linspace(0.0, 1.0, 9))
    >>> pga = PrincipalGeodesicAnalysis(n_components=2, metric="phcm").fit(points)
    >>> pga.explained_variance_ratio_.round(6)
    array([1., 0.])
    >>> pga.transform(points).shape, pga.inverse_transform([[0.0, 0.0]]).shape
    ((9, 2), (1, 4, 4))
    """

    def __init__(
        self, n_components: Any = None, metric: Any = "olm", on_bad: str = "raise"
    ) -> None:
        self.n_components = n_components
        self.metric = metric
        self.on_bad = on_bad

    def fit(self, X: ArrayLike, y: Any = None) -> Any:
        """Find the mean and the principal geodesics.

        Parameters
        ----------
        X : array-like, shape=[N, n, n] or [N, n (n - 1) / 2]
            Correlation matrices, or their strict lower entries row by row.
        y : None
            Ignored, for the sake of pipelines.

        Returns
        -------
        self : PrincipalGeodesicAnalysis
            The estimator.
        """
        points, _ = self._read_points(X)
        if len(points) < 2:
            raise ShapeError("X has 1 sample: there is no variance of one matrix.")
        self.mean_ = frechet_mean(points, self.space_)
        coords = self.space_.metric.log_coords(points, self.mean_)
        with np.errstate(invalid="ignore"):  # no variance has no parts
            pca = PCA(self.n_components, svd_solver="full").fit(coords)
        self.components_ = pca.components_
        self.explained_variance_ = pca.explained_variance_
        self.explained_variance_ratio_ = np.nan_to_num(pca.explained_variance_ratio_)
        self._n_features_out = len(pca.components_)
        return self

    def transform(self, X: ArrayLike) -> Array:
        r"""Return the components :math:`\langle v_k, \log_M C \rangle` of matrices.

        Parameters
        ----------
        X : array-like, shape=[N, n, n] or [N, n (n - 1) / 2]
            Correlation matrices, or their strict lower entries row by row.

        Returns
        -------
        scores : array, shape=[N, k]
            Components of the logarithms at the mean.
        """
        check_is_fitted(self)
        points, _ = self._read_points(X, reset=False)
        return self.space_.metric.log_coords(points, self.mean_) @ self.components_.T

    def inverse_transform(self, X: ArrayLike) -> Array:
        r"""Return the matrices :math:`\exp_M(\sum_k s_k v_k)`: the reconstruction.

        Parameters
        ----------
        X : array-like, shape=[N, k]
            Components along the principal geodesics.

        Returns
        -------
        points : array, shape=[N, n, n] or [N, n (n - 1) / 2]
            Correlation matrices, in the form that `fit` was given.
        """
        check_is_fitted(self)
        scores = check_array(X, dtype=[np.float64, np.float32])
        coords = scores @ self.components_
        return self._write_points(self.space_.metric.exp_coords(coords, self.mean_))

    def geodesic(self, component: int, times: ArrayLike) -> Array:
        r"""Return points :math:`\exp_M(t \sigma_k v_k)` of a principal geodesic.

        Parameters
        ----------
        component : int
            Number of the geodesic, from 0.
        times : array-like, shape=[t]
            Where, in standard deviations from the mean.

        Returns
        -------
        points : array, shape=[t, n, n]
            Correlation matrices; a `CorrelationStack` if variables have names.
        """
        deviation = self._deviation(component)
        times = as_times("times", times, self.mean_)[:, None]
        coords = times * deviation * self.components_[component]
        path = self.space_.metric.exp_coords(coords, self.mean_)
        return self.with_names(path, times[:, 0].tolist())

    def component_matrix(self, component: int) -> Array:
        r"""Return how correlations change along a component, at the mean.

        .. math:: V_k = \frac{d}{dt} \exp_M(t \sigma_k v_k) \Big|_{t = 0} .

        Parameters
        ----------
        component : int
            Number of the component, from 0.

        Returns
        -------
        matrix : array, shape=[n, n], or pandas.DataFrame
            Tangent vector: change of each correlation per standard deviation, with
            the names of the variables if `fit` saw them.
        """
        deviation = self._deviation(component)
        end = self.space_.metric.exp_coords(self.components_[component], self.mean_)
        return self.with_names(deviation * self.space_.metric.log(end, self.mean_))

    def _deviation(self, component):
        """Return the standard deviation along a component, if there is that one."""
        check_is_fitted(self)
        require_integer("component", component)
        if component >= len(self.components_):
            raise ParameterError(
                f"component: expected a number below {len(self.components_)}, got "
                f"{component}."
            )
        return np.sqrt(self.explained_variance_[component])
