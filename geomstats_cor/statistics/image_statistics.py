"""Statistics in the geometry of an image space.

A geometry inherits the class that knows its closed forms. Each part is optional: one
that a geometry does not have raises an error that says so.
"""

import math
from collections.abc import Callable
from typing import NoReturn

from .. import kernels
from .._types import Array
from ..exceptions import ParameterError
from ..kernels._array import constant, namespace, row_dot
from ..kernels._autodiff import is_plain
from ..kernels._batching import batched
from ..kernels._quotients import coth_excess, log_sinh_quotient
from ..kernels.hyperbolic_regression import hyperbolic_regression
from ..kernels.hyperbolic_shared_mean import hyperbolic_means
from ..kernels.hyperboloid import hyperbolic_pairwise_dist


class ImageStatistics:
    """The statistics of an image space, all of them optional.

    Examples
    --------
    >>> from geomstats_cor.statistics.image_statistics import ImageStatistics
    >>> ImageStatistics().mean(None, None)
    Traceback (most recent call last):
        ...
    geomstats_cor.exceptions.ParameterError: Fréchet means need the method `mean` of ...
    """

    def _missing(self, method: str, what: str) -> NoReturn:
        raise ParameterError(
            f"{what} need the method `{method}` of {type(self).__name__}, the metric "
            f"of the image space, which does not have it."
        )

    def stiffness(self, logs: Array) -> Array:
        r"""Return the diagonals of Hessians of half the squared distance.

        .. math:: \left( \nabla^2 \, \tfrac12 d(\cdot, P)^2 \right)_{kk} .

        Parameters
        ----------
        logs : array, shape=[..., d]
            Points, as coordinates of their logarithms at the point of the Hessian.

        Returns
        -------
        diagonals : array, shape=[..., d]
            Diagonals, in the orthonormal frame of `log_coords`.
        """
        self._missing("stiffness", "Fréchet means of streams")

    def hessian(self, logs: Array, weights: Array) -> Callable[[Array], Array]:
        r"""Return the product with a weighted sum of such Hessians, a function.

        .. math:: v \mapsto \sum_i w_i \, \nabla^2 \tfrac12 d(\cdot, P_i)^2 \, v .

        Parameters
        ----------
        logs : array, shape=[..., N, d]
            Points, as coordinates of their logarithms at the point of the Hessian.
        weights : array, shape=[..., N]
            Weights.

        Returns
        -------
        product : callable
            Maps vectors [..., d] to vectors [..., d].
        """
        self._missing("hessian", "Geometric medians")

    def mean(self, points: Array, weights: Array) -> Array:
        r"""Return the Fréchet mean of points.

        .. math:: \operatorname{argmin}_P \sum_i w_i d(P, P_i)^2 .

        Parameters
        ----------
        points : array, shape=[..., N, n, n]
            Points.
        weights : array, shape=[..., N]
            Weights, not negative, of sum one.

        Returns
        -------
        mean : array, shape=[..., n, n]
            Fréchet mean.
        """
        self._missing("mean", "Fréchet means")

    def regression(
        self, points: Array, design: Array, weights: Array
    ) -> tuple[Array, Array]:
        r"""Return the least squares geodesic through points of a stack.

        Minimises :math:`\sum_i w_i d(\exp_B(\sum_j Q_{ij} V_j), P_i)^2`.

        Parameters
        ----------
        points : array, shape=[N, n, n]
            Points.
        design : array, shape=[N, q]
            Covariates of weighted mean zero, orthonormal in the weighted product.
        weights : array, shape=[N]
            Weights of sum one.

        Returns
        -------
        base_point : array, shape=[n, n]
            Point :math:`B`.
        coefficients : array, shape=[q, d]
            Coordinates of the vectors :math:`V_j`, as those of `log_coords`.
        """
        self._missing("regression", "Geodesic regression")

    def kernel_lengths(self, points_a: Array, points_b: Array) -> Array:
        """Return the lengths between stacks that the kernel is a function of.

        Parameters
        ----------
        points_a : array, shape=[k, n, n]
            Points.
        points_b : array, shape=[l, n, n]
            Points.

        Returns
        -------
        lengths : array, shape=[k, l]
            Lengths.
        """
        self._missing("kernel_lengths", "Kernel methods")

    def kernel(self, lengths: Array, sigma: float) -> Array:
        """Return the values of a positive definite kernel.

        Parameters
        ----------
        lengths : array, shape=[...]
            What `kernel_lengths` returned.
        sigma : float
            Length scale, positive.

        Returns
        -------
        kernel : array, shape=[...]
            Values.
        """
        self._missing("kernel", "Kernel methods")

    def log_exp_jacobian(self, coords: Array) -> Array:
        r"""Return the logarithm of the factor by which exponentials stretch volumes.

        .. math:: \log \left| \det d_v \exp_P \right| .

        Parameters
        ----------
        coords : array, shape=[..., d]
            Vector :math:`v`, in the coordinates of `log_coords`.

        Returns
        -------
        stretch : array, shape=[...]
            Logarithm of the Jacobian; it does not depend on the base point.
        """
        self._missing("log_exp_jacobian", "Gaussian densities")


class FlatStatistics(ImageStatistics):
    """Statistics of a Euclidean space: linear algebra in coordinates."""

    log_coords: Callable
    dist_broadcast: Callable

    def stiffness(self, logs: Array) -> Array:
        """Return ones: the Hessian is the identity."""
        return namespace(logs).ones_like(logs)

    def hessian(self, logs: Array, weights: Array) -> Callable[[Array], Array]:
        """Return the product with the sum of the weights."""
        total = namespace(weights).sum(weights, axis=-1)[..., None]
        return lambda vector: total * vector

    def mean(self, points: Array, weights: Array) -> Array:
        """Return the weighted average."""
        xp = namespace(points)
        flat = xp.reshape(points, (*points.shape[:-2], math.prod(points.shape[-2:])))
        mean = (weights[..., None, :] @ flat)[..., 0, :]
        return xp.reshape(mean, (*mean.shape[:-1], *points.shape[-2:]))

    def regression(
        self, points: Array, design: Array, weights: Array
    ) -> tuple[Array, Array]:
        """Return ordinary least squares in coordinates: averages, in closed form."""
        base_point = self.mean(points, weights)
        coords = self.log_coords(points, base_point)
        return base_point, (weights[:, None] * design).mT @ coords

    def kernel_lengths(self, points_a: Array, points_b: Array) -> Array:
        """Return the distances."""
        return self.dist_broadcast(points_a, points_b)

    def kernel(self, lengths: Array, sigma: float) -> Array:
        r"""Return the Gaussian :math:`\exp(-d^2 / (2 \sigma^2))`."""
        return namespace(lengths).exp(-0.5 * (lengths / sigma) ** 2)

    def log_exp_jacobian(self, coords: Array) -> Array:
        """Return zero: exponentials keep volumes."""
        return 0.0 * coords[..., 0]


class HyperbolicStatistics(ImageStatistics):
    """Statistics of a product of hyperbolic spaces, row by row."""

    is_canonical: bool
    _row_weights: Callable
    _row_lengths: Callable

    def _bending(self, rows: Array) -> tuple[Array, Array]:
        r"""Return the excess and the squared distances of the rows of logarithms.

        The Hessian of half the squared distance to a point with logarithm :math:`v`,
        :math:`|v| = r`, is :math:`I + e (r^2 I - v v^\top)` on a row, with the excess
        :math:`e = (r \coth r - 1) / r^2`.
        """
        squares = row_dot(rows, rows)
        if not self.is_canonical:
            squares = squares / self._row_weights(rows)[:, None]
        return coth_excess(squares), squares

    def stiffness(self, logs: Array) -> Array:
        """Return the diagonals of Hessians of half the squared distance."""
        rows = kernels.unpack_strictly_lower(logs)
        excess, squares = self._bending(rows)
        across = self._row_weights(rows)[:, None] * squares - rows * rows
        excess = excess / self._row_weights(rows)[:, None]
        return kernels.pack_strictly_lower(1.0 + excess * across)

    def hessian(self, logs: Array, weights: Array) -> Callable[[Array], Array]:
        """Return the product with a weighted sum of such Hessians."""
        xp = namespace(logs)
        rows = kernels.unpack_strictly_lower(logs)
        excess, squares = self._bending(rows)
        weights = weights[..., None, None]
        excess = weights * excess
        shift = xp.sum(weights + excess * squares, axis=-3)
        excess = excess / self._row_weights(rows)[:, None]

        def product(vector: Array) -> Array:
            vector = kernels.unpack_strictly_lower(vector)
            along = excess * row_dot(rows, vector[..., None, :, :])
            bent = shift * vector - xp.sum(along * rows, axis=-3)
            return kernels.pack_strictly_lower(bent)

        return product

    def mean(self, points: Array, weights: Array) -> Array:
        """Return the Fréchet mean of each row; the weights of the rows drop out."""
        rows = namespace(points).moveaxis(points, -3, -2)
        weights = weights[..., None, :]
        if rows.ndim > 3:
            return kernels.hyperbolic_mean(rows, weights)
        if weights.ndim == 3 and is_plain(points) and is_plain(weights):
            # The first row has no entries, and its mean none.
            means = hyperbolic_means(rows[1:, ...], weights[:, 0, :])
            return namespace(points).concat([0.0 * means[:, :1, :], means], axis=1)
        # Many weights of the same points: a copy of the points for each would be large.
        mean = batched(held=rows.shape[-1] ** 2)(
            lambda some: kernels.hyperbolic_mean(rows, some)
        )
        return mean(weights)

    def regression(
        self, points: Array, design: Array, weights: Array
    ) -> tuple[Array, Array]:
        """Return the least squares geodesic of each row; their weights drop out."""
        rows = namespace(points).moveaxis(points, -3, -2)
        base_point, vectors = hyperbolic_regression(rows, design, weights)
        vectors = namespace(points).moveaxis(vectors, -2, -3)
        vectors = vectors if self.is_canonical else self._row_lengths(points) * vectors
        return base_point, kernels.pack_strictly_lower(vectors)

    def kernel_lengths(self, points_a: Array, points_b: Array) -> Array:
        """Return the sums of the distances of the rows."""
        xp = namespace(points_a)
        rows_b = xp.moveaxis(points_b, -3, -2)
        lengths = self._row_lengths(points_b)[..., None]

        def from_each(point: Array) -> Array:
            rows = hyperbolic_pairwise_dist(xp.moveaxis(point, -3, -2), rows_b)
            return xp.sum(lengths * rows, axis=-3)

        number, size = points_b.shape[0], points_b.shape[-1]
        return batched(held=1 + number // size)(from_each)(points_a)

    def kernel(self, lengths: Array, sigma: float) -> Array:
        r"""Return the Laplacian :math:`\exp(-\sum_i d_i / \sigma)`.

        The distance of hyperbolic space is of negative type [G1967]_, so that this is
        a product of positive definite kernels. The Gaussian of the distance is one for
        every :math:`\sigma` on flat spaces only [F2015]_.

        References
        ----------
        .. [G1967] R. Gangolli. Positive definite kernels on homogeneous spaces and
           certain stochastic processes related to Lévy's Brownian motion of several
           parameters. Ann. Inst. H. Poincaré 3, 1967.
        .. [F2015] A. Feragen, F. Lauze and S. Hauberg. Geodesic exponential kernels:
           when curvature and linearity conflict. CVPR, 2015.
        """
        return namespace(lengths).exp(-lengths / sigma)

    def log_exp_jacobian(self, coords: Array) -> Array:
        r"""Return :math:`\sum_k (k - 1) \log(\sinh(r_k) / r_k)`, k the dimension."""
        rows = kernels.unpack_strictly_lower(coords)
        rows = rows if self.is_canonical else rows / self._row_lengths(rows)
        spare = [max(k - 1, 0) for k in range(rows.shape[-1])]
        stretch = log_sinh_quotient(row_dot(rows, rows)[..., 0])
        return namespace(rows).sum(constant(spare, rows) * stretch, axis=-1)
