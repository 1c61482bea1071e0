"""Classification by the closest mean."""

import numpy as np
from sklearn.base import ClassifierMixin
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted

from ..statistics.mean import frechet_mean
from ._points import PointsEstimator


class MinimumDistanceToMean(ClassifierMixin, PointsEstimator):
    r"""Assign correlation matrices to the class with the closest Fréchet mean.

    .. math:: \hat y(C) = \operatorname{argmin}_k d(C, M_k) .

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

    def __init__(self, metric="olm", on_bad="raise"):
        self.metric = metric
        self.on_bad = on_bad

    def fit(self, X, y):
        """Compute the Fréchet mean of each class.

        Parameters
        ----------
        X : array-like, shape=[N, n, n] or [N, n (n - 1) / 2]
            Correlation matrices, or their strict lower entries row by row.
        y : array-like, shape=[N]
            Classes.

        Returns
        -------
        self : MinimumDistanceToMean
            The estimator.
        """
        points, y = self._read_points(X, y=y)
        check_classification_targets(y)
        self.classes_, members = np.unique(y, return_inverse=True)
        weights = np.eye(len(self.classes_), dtype=points.dtype)[:, members]
        self.means_ = frechet_mean(points, self.space_, weights)
        return self

    def distances(self, X):
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

    def decision_function(self, X):
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

    def predict(self, X):
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
