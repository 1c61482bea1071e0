"""Classification by the closest mean."""

from typing import Any

import numpy as np
from scipy.optimize import brentq
from scipy.special import softmax
from sklearn.base import ClassifierMixin
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import _check_sample_weight, check_is_fitted

from .._types import Array, ArrayLike
from ..exceptions import ParameterError
from ..statistics.mean import frechet_mean
from ..validation import plain
from ._points import PointsEstimator


class MinimumDistanceToMean(ClassifierMixin, PointsEstimator):
    r"""Assign correlation matrices to the class with the closest Fréchet mean.

    .. math:: \hat y(C) = \operatorname{argmin}_k d(C, M_k) , \qquad
              p_k(C) \propto \exp(-\beta \, d(C, M_k)^2) .

    The scale :math:`\beta` of the probabilities is learnt in `fit`, by the likelihood
    of the classes. The mean of its class is closer to a matrix of `fit` than to a new
    one; the distance is corrected to that of the mean of the others, which is exact
    for the flat metrics.

    Parameters
    ----------
    metric : str or type or FullRankCorrelationMatrices
        Key of `METRICS`, class of metric, or an equipped space.
    on_bad : {"raise", "repair", "repair_each"}
        What to do with bad matrices; see `ToCoords`.

    Attributes
    ----------
    classes_ : array, shape=[k]
        Classes.
    means_ : array, shape=[k, n, n]
        Fréchet mean of each class.
    scale_ : float
        Scale :math:`\beta` of the probabilities.
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
    >>> from geomstats_cor.datasets import load_connectomes
    >>> from geomstats_cor.learning import MinimumDistanceToMean
    >>> data = load_connectomes()
    >>> model = MinimumDistanceToMean(metric="olm").fit(data.correlations, data.labels)
    >>> model.predict(model.means_)
    array([0, 1])
    """

    def __init__(self, metric: Any = "olm", on_bad: str = "raise") -> None:
        self.metric = metric
        self.on_bad = on_bad

    def fit(self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike = None) -> Any:
        """Compute the Fréchet mean of each class, and the scale of probabilities.

        Parameters
        ----------
        X : array-like, shape=[N, n, n] or [N, n (n - 1) / 2]
            Correlation matrices, or their strict lower entries row by row.
        y : array-like, shape=[N]
            Classes.
        sample_weight : array-like, shape=[N]
            Weights, not negative, of positive sum in each class; equal if None. A
            whole number counts as so many equal matrices.

        Returns
        -------
        self : MinimumDistanceToMean
            The estimator.
        """
        points, y = self._read_points(X, y=y)
        check_classification_targets(y)
        self.classes_, members = np.unique(y, return_inverse=True)
        given = _check_sample_weight(
            plain("sample_weight", sample_weight),
            points,
            dtype=points.dtype,
            ensure_non_negative=True,
        )
        weights = given * np.eye(len(self.classes_), dtype=points.dtype)[:, members]
        totals = weights.sum(axis=1)
        if not np.all(totals > 0.0):
            empty = self.classes_[int(np.argmin(totals))].item()
            raise ParameterError(
                f"sample_weight: expected a positive weight in each class, got none in "
                f"class {empty!r}. Leave its matrices out."
            )
        self.means_ = frechet_mean(points, self.space_, weights)
        squares = self.space_.metric.dist(points[:, None], self.means_) ** 2
        self.scale_ = _probability_scale(squares, members, given, totals)
        return self

    def distances(self, X: ArrayLike) -> Array:
        """Return the distances :math:`d(C_i, M_k)` of matrices to the means.

        Parameters
        ----------
        X : array-like, shape=[N, n, n] or [N, n (n - 1) / 2]
            Correlation matrices, or their strict lower entries row by row.

        Returns
        -------
        distances : array, shape=[N, k]
            Distance to the mean of each class.
        """
        check_is_fitted(self)
        points, _ = self._read_points(X, reset=False)
        return self.space_.metric.dist(points[:, None], self.means_)

    def decision_function(self, X: ArrayLike) -> Array:
        r"""Return how much closer matrices are to one mean than to others.

        .. math:: -d(C_i, M_k)^2 , \qquad
                  d(C_i, M_0)^2 - d(C_i, M_1)^2 \text{ for two classes} .

        Parameters
        ----------
        X : array-like, shape=[N, n, n] or [N, n (n - 1) / 2]
            Correlation matrices, or their strict lower entries row by row.

        Returns
        -------
        decision : array, shape=[N, k] or [N]
            Negative squared distances; of two classes, the squared distance to the
            first minus that to the second.
        """
        squares = self.distances(X) ** 2
        return squares[:, 0] - squares[:, 1] if squares.shape[1] == 2 else -squares

    def predict(self, X: ArrayLike) -> Array:
        r"""Return the class of the closest mean.

        .. math:: \operatorname{argmin}_k d(C_i, M_k) .

        Parameters
        ----------
        X : array-like, shape=[N, n, n] or [N, n (n - 1) / 2]
            Correlation matrices, or their strict lower entries row by row.

        Returns
        -------
        y : array, shape=[N]
            Classes.
        """
        closest = np.argmin(self.distances(X), axis=1)
        return self.classes_[closest]

    def predict_proba(self, X: ArrayLike) -> Array:
        r"""Return the probabilities :math:`p_k` of the classes.

        Parameters
        ----------
        X : array-like, shape=[N, n, n] or [N, n (n - 1) / 2]
            Correlation matrices, or their strict lower entries row by row.

        Returns
        -------
        probabilities : array, shape=[N, k]
            Probabilities of sum one; the largest is that of the closest mean.
        """
        squares = self.distances(X) ** 2
        return softmax(-self.scale_ * squares, axis=1)


def _probability_scale(squares, members, weights, totals):
    """Return the scale of squared distances with the largest likelihood.

    Parameters
    ----------
    squares : array, shape=[N, k]
        Squared distances to the means.
    members : array of int, shape=[N]
        Class of each matrix.
    weights : array, shape=[N]
        Weight of each matrix.
    totals : array, shape=[k]
        Weight of each class.

    Returns
    -------
    scale : float
        Scale, not negative.
    """
    count = squares.shape[1]
    # One observation is taken out of the mean of its class; the only one cannot be.
    unit = min(1.0, float(np.mean(weights[weights > 0.0])))
    used = (weights > 0.0) & (totals[members] > 1.5 * unit)
    if count < 2 or not np.any(used):
        return 1.0
    squares, members, weights = squares[used].copy(), members[used], weights[used]
    total, rows = totals[members], np.arange(len(members))
    squares[rows, members] *= (total / (total - unit)) ** 2
    # Targets short of certainty keep the scale finite for separate classes (Platt).
    doubt = 1.0 / (np.sum(weights) / unit + 2.0)
    targets = np.full(squares.shape, doubt / (count - 1))
    targets[rows, members] = 1.0 - doubt
    unit_of_squares = float(np.mean(squares)) or 1.0
    squares = squares / unit_of_squares

    def slope(scale):
        surplus = targets - softmax(-scale * squares, axis=1)
        return np.sum(weights[:, None] * surplus * squares)

    if slope(0.0) >= 0.0:  # distances say nothing about the classes
        return 0.0
    high = 1.0
    while slope(high) < 0.0 and high < 1e12:
        high *= 4.0
    if not slope(high) >= 0.0:
        return high / unit_of_squares
    return brentq(slope, 0.0, high, xtol=1e-14, rtol=1e-14) / unit_of_squares
