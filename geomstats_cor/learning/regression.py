"""Geodesic regression."""

from typing import Any

import numpy as np
from sklearn.base import RegressorMixin
from sklearn.utils.validation import (
    _check_sample_weight,
    check_consistent_length,
    check_is_fitted,
    validate_data,
)

from .. import kernels
from .._types import Array, ArrayLike
from ..data.culprits import naming_culprits
from ..data.labels import in_order_of
from ..data.naming import subjects_of
from ..exceptions import ParameterError, ShapeError
from ..space import equipped
from ..statistics.mean import frechet_mean
from ..validation import as_arrays, plain
from ._points import PointsEstimator


class GeodesicRegression(RegressorMixin, PointsEstimator):
    r"""Regress correlation matrices on covariates, such as time or age.

    .. math:: C(x) = \exp_B\Big(\sum_j (x_j - \bar x_j) V_j\Big) , \qquad
              (B, V) = \operatorname{argmin} \sum_i w_i d(C(x_i), C_i)^2 ,

    with :math:`\bar x` the mean of the covariates; for one covariate this is a geodesic
    [F2013]_. For a flat metric it is least squares in isometric coordinates, in closed
    form. For the poly-hyperbolic metric the tangent solution at the Fréchet mean is the
    start of a descent to a stationary point, to rounding accuracy.

    Parameters
    ----------
    metric : str or type or FullRankCorrelationMatrices
        Key of `METRICS`, class of metric, or an equipped space.
    on_bad : {"raise", "repair", "repair_each"}
        What to do with bad matrices among the targets; see `ToCoords`.

    Attributes
    ----------
    base_point_ : array, shape=[n, n]
        Point :math:`B`, the prediction at the mean covariates.
    coef_ : array, shape=[p, d]
        Vectors :math:`V_j`, in the coordinates of `metric.log_coords` at the base
        point. If covariates are linearly dependent, they are of least norm among those
        of the covariates scaled to unit deviation; that of a constant one is zero.
    covariate_mean_ : array, shape=[p]
        Mean of the covariates.
    space_ : FullRankCorrelationMatrices
        Equipped space.
    n_features_in_ : int
        Number of covariates.

    References
    ----------
    .. [F2013] P. T. Fletcher. Geodesic regression and the theory of least squares on
       Riemannian manifolds. Int. J. Comput. Vision 105, 2013.

    Examples
    --------
    >>> import numpy as np
    >>> from geomstats_cor import FullRankCorrelationMatrices
    >>> from geomstats_cor.learning import GeodesicRegression
    >>> space = FullRankCorrelationMatrices(3, equip="phcm")
    >>> start, end = space.random_point(2, rng=0)
    >>> time = np.linspace(0.0, 1.0, 6)
    >>> points = space.metric.geodesic(start, end)(time)
    >>> model = GeodesicRegression(metric="phcm").fit(time[:, None], points)
    >>> round(model.score(time[:, None], points), 12)
    1.0
    """

    def __init__(self, metric: Any = "olm", on_bad: str = "raise") -> None:
        self.metric = metric
        self.on_bad = on_bad

    def fit(self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike = None) -> Any:
        """Find the geodesic of least squares.

        Parameters
        ----------
        X : array-like, shape=[N, p]
            Covariates.
        y : array-like, shape=[N, n, n] or [N, n (n - 1) / 2]
            Correlation matrices, or their strict lower entries row by row.
        sample_weight : array-like, shape=[N]
            Weights, not negative, of positive sum; equal if None.

        Returns
        -------
        self : GeodesicRegression
            The estimator.
        """
        X = in_order_of("covariates", X, subjects_of(y))
        X = validate_data(self, plain("X", X), dtype=np.float64)
        points = self._read_targets(y, reset=True)
        check_consistent_length(X, points)
        weights = _normalised(sample_weight, X)
        self.space_ = equipped(self.metric, points.shape[-1])
        self.covariate_mean_ = weights @ X
        design, back = _orthonormal(X, self.covariate_mean_, weights)
        metric = self.space_.metric
        base_image, coefficients = metric.image_space.metric.regression(
            metric.diffeo(points), design, weights
        )
        self.base_point_ = metric.diffeo.inverse(base_image)
        self.coef_ = back @ coefficients
        return self

    def predict(self, X: ArrayLike) -> Array:
        """Return the matrices :math:`C(x)` of the model at covariates.

        Parameters
        ----------
        X : array-like, shape=[N, p]
            Covariates, in or beyond the range of those of `fit`.

        Returns
        -------
        y : array, shape=[N, n, n] or [N, n (n - 1) / 2]
            Correlation matrices, in the form that `fit` was given.
        """
        points = self._predict_points(X)
        if not self._is_condensed:
            return self.with_names(points)
        return kernels.pack_strictly_lower(points)[:, : self._n_targets]

    def score(
        self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike = None
    ) -> float:
        r"""Return :math:`R^2`, the part of the Fréchet variance that is explained.

        It is :math:`1 - \sum_i w_i d(C_i, \hat C_i)^2 / \sum_i w_i d(C_i, M)^2`, with
        :math:`M` the Fréchet mean of the given matrices.

        Parameters
        ----------
        X : array-like, shape=[N, p]
            Covariates.
        y : array-like, shape=[N, n, n] or [N, n (n - 1) / 2]
            Correlation matrices, or their strict lower entries row by row.
        sample_weight : array-like, shape=[N]
            Weights; equal if None.

        Returns
        -------
        score : float
            At most one.
        """
        X = in_order_of("covariates", X, subjects_of(y))
        predicted = self._predict_points(X)
        points = self._read_targets(y, reset=False)
        check_consistent_length(predicted, points)
        weights = _normalised(sample_weight, predicted)
        metric = self.space_.metric
        mean = frechet_mean(points, self.space_, weights)
        left = weights @ metric.squared_dist(points, predicted)
        total = weights @ metric.squared_dist(points, mean)
        if total == 0.0:
            return 1.0 if left == 0.0 else 0.0
        return float(1.0 - left / total)

    def _predict_points(self, X):
        check_is_fitted(self)
        X = validate_data(self, plain("X", X), reset=False, dtype=np.float64)
        coords = (X - self.covariate_mean_) @ self.coef_
        return self.space_.metric.exp_coords(coords, self.base_point_)

    def _read_targets(self, y, reset):
        if y is None:
            raise ValueError(
                f"{type(self).__name__} requires y to be passed, but the target y is "
                f"None: it is the stack of correlation matrices."
            )
        stack = self._read_stack(y, reset, "y")
        if stack is None:
            (stack,) = as_arrays(
                y=y if hasattr(y, "columns") else np.asarray(y).tolist()
            )
            stack = np.asarray(stack)
            if stack.ndim != 2:
                raise ShapeError(
                    f"y: expected shape [N, n, n], or strict lower entries "
                    f"[N, n (n - 1) / 2], got {stack.shape}."
                )
        if reset:
            self._is_condensed = stack.ndim == 2
            self._n_targets = stack.shape[-1]
        with naming_culprits(y):
            return self._clean(stack.astype(np.float64), reset, "y")

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.three_d_array = False  # the matrices are the targets
        tags.target_tags.required = True
        tags.target_tags.multi_output = True
        tags.target_tags.single_output = False
        return tags


def _normalised(sample_weight, X):
    weights = _check_sample_weight(
        plain("sample_weight", sample_weight),
        X,
        dtype=np.float64,
        ensure_non_negative=True,
    )
    if not np.sum(weights) > 0.0:
        raise ParameterError("sample_weight must not be all zero.")
    return weights / np.sum(weights)


def _orthonormal(X, mean, weights):
    """Return centred covariates made orthonormal, and the way back.

    Directions in which the covariates, each scaled to unit deviation, do not vary
    beyond rounding are left out.
    """
    tolerance = max(X.shape) * np.finfo(X.dtype).eps
    centered = X - mean
    root = np.sqrt(weights)[:, None]
    deviation = np.linalg.norm(root * centered, axis=0)
    constant = deviation <= tolerance * np.max(np.abs(X), axis=0)
    scale = np.where(constant, 0.0, 1.0 / np.where(constant, 1.0, deviation))
    _, sizes, axes = np.linalg.svd(root * centered * scale, full_matrices=False)
    varies = sizes > tolerance * np.max(sizes)
    back = scale[:, None] * axes[varies].T / sizes[varies]
    return centered @ back, back
