"""The product of hyperbolic spaces that the poly-hyperbolic metric pulls back."""

import math

from .. import kernels
from ..exceptions import ParameterError
from ..hyperplanes import BallHyperplanes
from ..kernels._array import constant, namespace, row_dot
from ..kernels._autodiff import is_plain
from ..kernels._piecewise import piecewise
from ..kernels._quotients import coth_excess, length, log_sinh_quotient
from ..kernels.factors import bounded_length
from ..kernels.hyperbolic_regression import hyperbolic_regression
from ..kernels.hyperbolic_shared_mean import hyperbolic_means
from ..kernels.hyperboloid import hyperbolic_pairwise_dist, scaled_origin_tangent
from .base import ImageMetric


class HyperbolicRowsMetric(ImageMetric):
    r"""A weighted product of hyperbolic spaces, one for each row but the first.

    Row :math:`i` of a strictly lower triangular matrix holds the space coordinates of a
    point of the hyperboloid of dimension :math:`i - 1`.

    Parameters
    ----------
    space : Manifold
        Image space.
    weights : sequence of float, length n - 1
        Positive weights of the factors; all one if None.
    """

    def __init__(self, space, weights=None):
        super().__init__(space)
        try:
            weights = (
                (1.0,) * (space.n - 1)
                if weights is None
                else tuple(map(float, weights))
            )
        except (TypeError, ValueError):
            weights = ()
        if len(weights) != space.n - 1:
            raise ParameterError(
                f"weights: expected a number for each of the n - 1 = {space.n - 1} "
                f"rows after the first, got {len(weights)} numbers."
            )
        if not all(math.isfinite(w) and w > 0.0 for w in weights):
            raise ParameterError(f"weights must be positive and finite, not {weights}.")
        self.weights = self.parameters = weights
        self.is_canonical = all(w == 1.0 for w in weights)

    def _row_weights(self, like):
        return constant((1.0, *self.weights), like)

    def _row_lengths(self, like):
        return namespace(like).sqrt(self._row_weights(like))[:, None]

    def orthonormal(self, vector, base_point):
        """Return the components in the frame transported from the origin."""
        rows = kernels.hyperbolic_orthonormal(vector, base_point)
        return rows if self.is_canonical else self._row_lengths(rows) * rows

    def exp(self, tangent_vec, base_point):
        """Return the end points of the geodesics of the rows."""
        return kernels.hyperbolic_exp(tangent_vec, base_point)

    def log(self, point, base_point):
        """Return the initial velocities of the geodesics of the rows."""
        return kernels.hyperbolic_log(point, base_point)

    def squared_dist(self, point_a, point_b):
        """Return the squared distance."""
        rows = kernels.hyperbolic_squared_dist(point_a, point_b)
        return namespace(rows).sum(self._row_weights(rows) * rows, axis=-1)

    def dist(self, point_a, point_b):
        """Return the distance."""
        return length(self.squared_dist(point_a, point_b))

    def parallel_transport(
        self, tangent_vec, base_point, direction=None, end_point=None
    ):
        """Transport rows along the geodesics of the rows."""
        if end_point is None:
            end_point = self.exp(direction, base_point)
        return kernels.hyperbolic_transport(tangent_vec, base_point, end_point)

    def curvature(self, tangent_vec_a, tangent_vec_b, tangent_vec_c, base_point=None):
        """Return the curvature of the rows; the weights drop out of it."""
        return kernels.hyperbolic_curvature(
            tangent_vec_a, tangent_vec_b, tangent_vec_c, base_point
        )

    def acceleration(self, velocity, base_point):
        r"""Return :math:`|u|^2 y` for each row, as the hyperboloid bends."""
        rows = kernels.hyperbolic_orthonormal(velocity, base_point)
        return row_dot(rows, rows) * base_point

    def to_coords(self, point):
        """Return the logarithm at the origin of the product of Poincaré balls."""
        return kernels.pack_strictly_lower(kernels.hyperboloid_to_origin_tangent(point))

    def scaled_coords(self, point, factors):
        """Return the same, with each row multiplied by a number.

        Parameters
        ----------
        point : array, shape=[..., n, n]
            Points.
        factors : array, shape=[n, 1]
            A number for each row.

        Returns
        -------
        coords : array, shape=[..., d]
            Coordinates of the rows, each times its number.
        """
        return kernels.pack_strictly_lower(scaled_origin_tangent(point, factors))

    def from_coords(self, coords):
        """Return the exponential at the origin of the product of Poincaré balls."""
        rows = kernels.unpack_strictly_lower(coords)
        return kernels.hyperboloid_from_origin_tangent(rows)

    def bounded_coords(self, coords, radius):
        """Bound the rows smoothly, each of them on its own."""
        rows = kernels.unpack_strictly_lower(coords)
        return kernels.pack_strictly_lower(bounded_length(rows, radius))

    def log_coords(self, point, base_point):
        """Return the logarithms of the rows in that frame."""
        return kernels.pack_strictly_lower(
            self.orthonormal(self.log(point, base_point), base_point)
        )

    def exp_coords(self, coords, base_point):
        """Return the exponentials of vectors given in that frame."""
        rows = kernels.unpack_strictly_lower(coords)
        rows = rows if self.is_canonical else rows / self._row_lengths(rows)
        vector = kernels.hyperbolic_from_orthonormal(rows, base_point)
        return self.exp(vector, base_point)

    def hyperplanes(self, metric):
        """Return the hyperplanes of the ball that joins all rows."""
        if not self.is_canonical:
            raise ParameterError(
                "a poly-hyperbolic metric with weights other than one has no "
                "hyperplanes in a single ball: equip the space with weights=None."
            )
        return BallHyperplanes(metric)

    def _bending(self, rows):
        r"""Return the excess and the squared distances of the rows of logarithms.

        The Hessian of half the squared distance to a point with logarithm :math:`v`,
        :math:`|v| = r`, is :math:`I + e (r^2 I - v v^\top)` on a row, with the excess
        :math:`e = (r \coth r - 1) / r^2`.
        """
        squares = row_dot(rows, rows)
        if not self.is_canonical:
            squares = squares / self._row_weights(rows)[:, None]
        return coth_excess(squares), squares

    def stiffness(self, logs):
        """Return the diagonals of Hessians of half the squared distance."""
        rows = kernels.unpack_strictly_lower(logs)
        excess, squares = self._bending(rows)
        across = self._row_weights(rows)[:, None] * squares - rows * rows
        excess = excess / self._row_weights(rows)[:, None]
        return kernels.pack_strictly_lower(1.0 + excess * across)

    def hessian(self, logs, weights):
        """Return the product with a weighted sum of such Hessians."""
        xp = namespace(logs)
        rows = kernels.unpack_strictly_lower(logs)
        excess, squares = self._bending(rows)
        weights = weights[..., None, None]
        excess = weights * excess
        shift = xp.sum(weights + excess * squares, axis=-3)
        excess = excess / self._row_weights(rows)[:, None]

        def product(vector):
            vector = kernels.unpack_strictly_lower(vector)
            along = excess * row_dot(rows, vector[..., None, :, :])
            bent = shift * vector - xp.sum(along * rows, axis=-3)
            return kernels.pack_strictly_lower(bent)

        return product

    def mean(self, points, weights):
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
        mean = piecewise(held=rows.shape[-1] ** 2)(
            lambda some: kernels.hyperbolic_mean(rows, some)
        )
        return mean(weights)

    def regression(self, points, design, weights):
        """Return the least squares geodesic of each row; their weights drop out."""
        rows = namespace(points).moveaxis(points, -3, -2)
        base_point, vectors = hyperbolic_regression(rows, design, weights)
        vectors = namespace(points).moveaxis(vectors, -2, -3)
        vectors = vectors if self.is_canonical else self._row_lengths(points) * vectors
        return base_point, kernels.pack_strictly_lower(vectors)

    def kernel_lengths(self, points_a, points_b):
        """Return the sums of the distances of the rows."""
        xp = namespace(points_a)
        rows_b = xp.moveaxis(points_b, -3, -2)
        lengths = self._row_lengths(points_b)[..., None]

        def from_each(point):
            rows = hyperbolic_pairwise_dist(xp.moveaxis(point, -3, -2), rows_b)
            return xp.sum(lengths * rows, axis=-3)

        number, size = points_b.shape[0], points_b.shape[-1]
        return piecewise(held=1 + number // size)(from_each)(points_a)

    def kernel(self, lengths, sigma):
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

    def log_exp_jacobian(self, coords):
        r"""Return :math:`\sum_k (k - 1) \log(\sinh(r_k) / r_k)`, k the dimension."""
        rows = kernels.unpack_strictly_lower(coords)
        rows = rows if self.is_canonical else rows / self._row_lengths(rows)
        spare = [max(k - 1, 0) for k in range(rows.shape[-1])]
        stretch = log_sinh_quotient(row_dot(rows, rows)[..., 0])
        return namespace(rows).sum(constant(spare, rows) * stretch, axis=-1)
