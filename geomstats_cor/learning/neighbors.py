"""Classification by the nearest neighbours."""

from typing import Any

import numpy as np
from sklearn.base import ClassifierMixin
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted

from .._types import Array, ArrayLike
from ..exceptions import ParameterError
from ..statistics.mean import frechet_mean
from ..validation import require_choice, require_integer
from ._points import PointsEstimator
from .distances import DISTANCES, pairwise_distances


class KNearestNeighbors(ClassifierMixin, PointsEstimator):
    r"""Assign correlation matrices to the class of most of their neighbours.

    .. math:: p_k(C) \propto \sum_{i \in N(C)} w_i \, [y_i = k] ,

    over the nearest matrices of `fit`, with weights one or :math:`1 / d(C, C_i)`.

    Parameters
    ----------
    n_neighbors : int
        Number of neighbours.
    metric : str or type or FullRankCorrelationMatrices
        Key of `METRICS`, class of metric, or an equipped space.
    distance : {"geodesic", "angle", "entries"}
        What is near; see `pairwise_distances`. Angles are at the Fréchet mean of the
        matrices of `fit`.
    weights : {"uniform", "distance"}
        Weights of the neighbours.
    on_bad : {"raise", "repair", "repair_each"}
        What to do with bad matrices; see `ToCoords`.

    Attributes
    ----------
    classes_ : array, shape=[k]
        Classes.
    points_ : array, shape=[N, n, n]
        Matrices of `fit`.
    reference_ : array, shape=[n, n], or None
        Reference point of angles.
    space_ : FullRankCorrelationMatrices
        Equipped space.
    n_features_in_ : int
        Number of strict lower entries that `fit` was given.
    min_eigenvalue_ : float
        Smallest eigenvalue that all matrices are given, with on_bad="repair": 0.05 if
        `fit` met a bad matrix, otherwise that of its worst matrix if less.

    Examples
    --------
    >>> from geomstats_cor.datasets import load_connectomes
    >>> from geomstats_cor.learning import KNearestNeighbors
    >>> data = load_connectomes()
    >>> model = KNearestNeighbors(n_neighbors=9, metric="lsm", distance="angle")
    >>> model.fit(data.correlations, data.labels).predict(data.correlations[:5]).shape
    (5,)
    """

    def __init__(
        self,
        n_neighbors: int = 5,
        metric: Any = "olm",
        distance: str = "geodesic",
        weights: str = "uniform",
        on_bad: str = "raise",
    ) -> None:
        self.n_neighbors = n_neighbors
        self.metric = metric
        self.distance = distance
        self.weights = weights
        self.on_bad = on_bad

    def fit(self, X: ArrayLike, y: ArrayLike) -> Any:
        """Keep the matrices.

        Parameters
        ----------
        X : array-like, shape=[N, n, n] or [N, n (n - 1) / 2]
            Correlation matrices, or their strict lower entries row by row.
        y : array-like, shape=[N]
            Classes.

        Returns
        -------
        self : KNearestNeighbors
            The estimator.
        """
        require_integer("n_neighbors", self.n_neighbors, 1)
        require_choice("distance", self.distance, DISTANCES)
        require_choice("weights", self.weights, ("uniform", "distance"))
        self.points_, y = self._read_points(X, y=y)
        check_classification_targets(y)
        if self.n_neighbors > len(self.points_):
            raise ParameterError(
                f"n_neighbors: expected at most the {len(self.points_)} samples of "
                f"fit, got {self.n_neighbors}."
            )
        self.classes_, self._members = np.unique(y, return_inverse=True)
        self.reference_ = None
        if self.distance == "angle":
            self.reference_ = frechet_mean(self.points_, self.space_)
        return self

    def kneighbors(self, X: ArrayLike) -> tuple:
        """Return the nearest matrices of `fit`.

        Parameters
        ----------
        X : array-like, shape=[M, n, n] or [M, n (n - 1) / 2]
            Correlation matrices, or their strict lower entries row by row.

        Returns
        -------
        distances : array, shape=[M, n_neighbors]
            Distances, increasing.
        indices : array of int, shape=[M, n_neighbors]
            Positions of the neighbours among the matrices of `fit`.
        """
        check_is_fitted(self)
        points, _ = self._read_points(X, reset=False)
        found = pairwise_distances(
            points, self.points_, self.space_, self.distance, self.reference_
        )
        order = np.argsort(found, axis=1, kind="stable")[:, : self.n_neighbors]
        return np.take_along_axis(found, order, axis=1), order

    def predict_proba(self, X: ArrayLike) -> Array:
        """Return the part of the neighbours that belongs to each class.

        Parameters
        ----------
        X : array-like, shape=[M, n, n] or [M, n (n - 1) / 2]
            Correlation matrices, or their strict lower entries row by row.

        Returns
        -------
        probabilities : array, shape=[M, k]
            Parts of sum one.
        """
        distances, indices = self.kneighbors(X)
        weights = np.ones_like(distances)
        if self.weights == "distance":
            equal = distances == 0.0
            with np.errstate(divide="ignore"):
                weights = 1.0 / distances
            # A matrix of `fit` itself outweighs all others.
            weights = np.where(np.any(equal, axis=1, keepdims=True), equal, weights)
        votes = np.zeros((len(distances), len(self.classes_)))
        for column in range(distances.shape[1]):
            rows = np.arange(len(votes)), self._members[indices[:, column]]
            votes[rows] += weights[:, column]
        return votes / votes.sum(axis=1, keepdims=True)

    def predict(self, X: ArrayLike) -> Array:
        """Return the class of most of the neighbours.

        Parameters
        ----------
        X : array-like, shape=[M, n, n] or [M, n (n - 1) / 2]
            Correlation matrices, or their strict lower entries row by row.

        Returns
        -------
        y : array, shape=[M]
            Classes; of equally many, the first in sorted order.
        """
        most = np.argmax(self.predict_proba(X), axis=1)
        return self.classes_[most]
