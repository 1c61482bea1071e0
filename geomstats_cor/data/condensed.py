"""Correlation matrices as vectors, for classes that take nothing else."""

from typing import Any

from .. import kernels
from .._types import Array, ArrayLike
from ..exceptions import ShapeError
from ..kernels._array import eye_like
from ..validation import as_arrays, require_matrices


class CondensedCorrelations:
    r"""The space with its points as vectors of the entries below the diagonal.

    .. math:: (C_{10}, C_{20}, C_{21}, C_{30}, \dots) \in \mathbb R^{n (n - 1) / 2} .

    scikit-learn takes features as vectors, and so do the classes of geomstats that
    derive from its neighbours and clusters. They run on this view of a space.

    Parameters
    ----------
    space : FullRankCorrelationMatrices
        Manifold, equipped with one of the metrics of this library.

    Attributes
    ----------
    metric : object
        Has the distance of the metric of the space, between vectors.

    Examples
    --------
    >>> from geomstats.learning.knn import KNearestNeighborsClassifier
    >>> from geomstats_cor import CondensedCorrelations, FullRankCorrelationMatrices
    >>> space = FullRankCorrelationMatrices(3, equip="olm")
    >>> points, labels = space.random_point(10, rng=0), [0, 1] * 5
    >>> view = CondensedCorrelations(space)
    >>> classifier = KNearestNeighborsClassifier(view, n_neighbors=1)
    >>> classifier.fit(view.condense(points), labels).predict(view.condense(points))
    array([0, 1, 0, 1, 0, 1, 0, 1, 0, 1])
    """

    point_ndim = 1

    def __init__(self, space: Any) -> None:
        self.space = space
        self.dim = space.dim
        self.shape = (space.dim,)
        self.metric = _CondensedMetric(self)

    def condense(self, points: ArrayLike) -> Array:
        """Return the entries of matrices below the diagonal, row by row.

        Parameters
        ----------
        points : array-like, shape=[..., n, n]
            Full-rank correlation matrices.

        Returns
        -------
        vectors : array, shape=[..., d]
            Entries, d = n (n - 1) / 2.
        """
        (points,) = as_arrays(points=points)
        require_matrices(self.space.n, points=points)
        return kernels.pack_strictly_lower(points)

    def expand(self, vectors: ArrayLike) -> Array:
        """Return the matrices with given entries below the diagonal.

        Parameters
        ----------
        vectors : array-like, shape=[..., d]
            Entries, d = n (n - 1) / 2.

        Returns
        -------
        points : array, shape=[..., n, n]
            Symmetric matrices with unit diagonal.
        """
        (vectors,) = as_arrays(vectors=vectors)
        if vectors.ndim < 1 or vectors.shape[-1] != self.dim:
            raise ShapeError(
                f"vectors: expected shape [..., {self.dim}] for n = {self.space.n}, "
                f"got {tuple(vectors.shape)}."
            )
        lower = kernels.unpack_strictly_lower(vectors)
        return lower + lower.mT + eye_like(lower)


class _CondensedMetric:
    def __init__(self, view):
        self._view = view

    def dist(self, point_a, point_b):
        """Return the distance between points that are given as vectors."""
        expand = self._view.expand
        return self._view.space.metric.dist(expand(point_a), expand(point_b))
