"""Isometric coordinates as features."""

from typing import Any

import numpy as np
from sklearn.base import ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils.validation import check_array, check_is_fitted

from .._types import Array, ArrayLike
from ..distributed import coords_of_blocks, is_dask_array
from ..exceptions import ParameterError
from ..space import equipped
from ..statistics.mean import frechet_mean
from ..statistics.streaming import frechet_mean_of_chunks
from ..validation import require_choice
from ._points import PointsEstimator


class ToCoords(ClassNamePrefixFeaturesOutMixin, TransformerMixin, PointsEstimator):
    """Turn correlation matrices into vectors, by logarithms in an orthonormal frame.

    .. math:: |x(C)| = d(R, C) .

    The Euclidean norm of the features is the distance to the reference point :math:`R`.
    Under the four flat metrics Euclidean distances of features are distances of the
    matrices, whatever the reference; under the poly-hyperbolic metric they are to first
    order about the reference.

    Parameters
    ----------
    metric : str or type or FullRankCorrelationMatrices
        Key of `METRICS`, class of metric, or an equipped space.
    reference : {"mean", "identity"}
        Reference point: the Fréchet mean of the data of `fit`, or the identity.
    on_bad : {"raise", "repair", "repair_each"}
        What to do with matrices that are not full-rank correlation matrices. "raise"
        names them in an error. "repair" treats all matrices alike, as in
        `clean_points`: they are shrunk towards the identity until no eigenvalue is
        below `min_eigenvalue_`, which `fit` finds and the other methods use. It also
        completes a vector that is too short for a triangle by zero correlations.
        "repair_each" repairs the bad matrices alone, which sets them apart from the
        others.

    Attributes
    ----------
    reference_ : array, shape=[n, n]
        Reference point.
    space_ : FullRankCorrelationMatrices
        Equipped space.
    n_features_in_ : int
        Number of strict lower entries that `fit` was given.
    min_eigenvalue_ : float
        Smallest eigenvalue that all matrices are given, with on_bad="repair": 0.05 if
        `fit` met a bad matrix, otherwise that of its worst matrix if less.

    References
    ----------
    .. [B2012] A. Barachant, S. Bonnet, M. Congedo and C. Jutten. Multiclass
       brain-computer interface classification by Riemannian geometry. IEEE Trans.
       Biomed. Eng. 59, 2012.

    Examples
    --------
    >>> import numpy as np
    >>> from geomstats_cor import FullRankCorrelationMatrices
    >>> from geomstats_cor.learning import ToCoords
    >>> space = FullRankCorrelationMatrices(4, equip="lsm")
    >>> points = space.random_point(9, rng=0)
    >>> features = ToCoords(metric="lsm").fit_transform(points)
    >>> features.shape
    (9, 6)
    >>> dist = np.linalg.norm(features[0] - features[1])
    >>> bool(np.isclose(dist, space.metric.dist(points[0], points[1])))
    True
    """

    def __init__(
        self, metric: Any = "olm", reference: str = "mean", on_bad: str = "raise"
    ) -> None:
        self.metric = metric
        self.reference = reference
        self.on_bad = on_bad

    def fit(self, X: ArrayLike, y: Any = None) -> Any:
        """Find the reference point.

        Parameters
        ----------
        X : array-like, shape=[N, n, n] or [N, n (n - 1) / 2]
            Correlation matrices, or their strict lower entries row by row. A dask
            array [N, n, n] is read block by block, and `on_bad` must be "raise".
        y : None
            Ignored, for the sake of pipelines.

        Returns
        -------
        self : ToCoords
            The estimator.
        """
        require_choice("reference", self.reference, ("mean", "identity"))
        if is_dask_array(X):
            return self._fit_blocks(X)
        points, _ = self._read_points(X)
        self.reference_ = (
            frechet_mean(points, self.space_)
            if self.reference == "mean"
            else np.eye(points.shape[-1], dtype=points.dtype)
        )
        self._n_features_out = self.space_.dim
        return self

    def _fit_blocks(self, X):
        """Find the reference point of a dask array, block by block."""
        if self.on_bad != "raise":
            raise ParameterError(
                f"on_bad is {self.on_bad!r}, but the blocks of a dask array are tested "
                f"one by one: clean them before, as in X.map_blocks."
            )
        n = X.shape[-1]
        self.space_ = equipped(self.metric, n, "X")
        self.reference_ = np.eye(n)
        if self.reference == "mean":
            mean = frechet_mean_of_chunks(X, self.space_, progress=False).mean
            self.reference_ = np.asarray(mean)
        self._is_condensed, self._variables = False, None
        self.n_features_in_ = self._n_features_out = self.space_.dim
        return self

    def transform(self, X: ArrayLike) -> Array:
        r"""Return the coordinates of :math:`\log_R C` at the reference point.

        Parameters
        ----------
        X : array-like, shape=[N, n, n] or [N, n (n - 1) / 2]
            Correlation matrices, or their strict lower entries row by row; or a dask
            array [N, n, n].

        Returns
        -------
        coords : array, shape=[N, n (n - 1) / 2]
            Coordinates of the logarithms at the reference point; of a dask array, a
            dask array that is not yet computed.
        """
        check_is_fitted(self)
        if is_dask_array(X):
            return coords_of_blocks(X, self.space_, self.reference_)
        points, _ = self._read_points(X, reset=False)
        return self.space_.metric.log_coords(points, self.reference_)

    def inverse_transform(self, X: ArrayLike) -> Array:
        r"""Return the matrices :math:`\exp_R v` with given coordinates.

        Parameters
        ----------
        X : array-like, shape=[N, n (n - 1) / 2]
            Coordinates.

        Returns
        -------
        points : array, shape=[N, n, n] or [N, n (n - 1) / 2]
            Correlation matrices, in the form that `fit` was given.
        """
        check_is_fitted(self)
        coords = check_array(X, dtype=[np.float64, np.float32])
        return self._write_points(
            self.space_.metric.exp_coords(coords, self.reference_)
        )
