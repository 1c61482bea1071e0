"""The product of hyperbolic spaces that the poly-hyperbolic metric pulls back."""

import math

from geomstats.geometry.manifold import Manifold

from .. import kernels
from .._types import Array
from ..exceptions import ParameterError
from ..kernels._array import constant, namespace, row_dot
from ..kernels._quotients import length
from ..kernels.factors import bounded_length
from ..statistics.image_statistics import HyperbolicStatistics
from .base import ImageMetric


class HyperbolicRowsMetric(HyperbolicStatistics, ImageMetric):
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

    def __init__(self, space: Manifold, weights: Array = None) -> None:
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

    def orthonormal(self, vector: Array, base_point: Array = None) -> Array:
        """Return the components in the frame transported from the origin."""
        rows = kernels.hyperbolic_orthonormal(vector, base_point)
        return rows if self.is_canonical else self._row_lengths(rows) * rows

    def from_orthonormal(self, components: Array, base_point: Array = None) -> Array:
        """Return the vectors with given components in that frame."""
        if not self.is_canonical:
            components = components / self._row_lengths(components)
        return kernels.hyperbolic_from_orthonormal(components, base_point)

    def exp(self, tangent_vec: Array, base_point: Array) -> Array:
        """Return the end points of the geodesics of the rows."""
        return kernels.hyperbolic_exp(tangent_vec, base_point)

    def log(self, point: Array, base_point: Array) -> Array:
        """Return the initial velocities of the geodesics of the rows."""
        return kernels.hyperbolic_log(point, base_point)

    def squared_dist(self, point_a: Array, point_b: Array) -> Array:
        """Return the squared distance."""
        rows = kernels.hyperbolic_squared_dist(point_a, point_b)
        rows = rows if self.is_canonical else self._row_weights(rows) * rows
        return namespace(rows).sum(rows, axis=-1)

    def dist(self, point_a: Array, point_b: Array) -> Array:
        """Return the distance."""
        return length(self.squared_dist(point_a, point_b))

    def parallel_transport(
        self,
        tangent_vec: Array,
        base_point: Array,
        direction: Array = None,
        end_point: Array = None,
    ) -> Array:
        """Transport rows along the geodesics of the rows."""
        if end_point is None:
            end_point = self.exp(direction, base_point)
        return kernels.hyperbolic_transport(tangent_vec, base_point, end_point)

    def curvature(
        self,
        tangent_vec_a: Array,
        tangent_vec_b: Array,
        tangent_vec_c: Array,
        base_point: Array = None,
    ) -> Array:
        """Return the curvature of the rows; the weights drop out of it."""
        return kernels.hyperbolic_curvature(
            tangent_vec_a, tangent_vec_b, tangent_vec_c, base_point
        )

    def acceleration(self, velocity: Array, base_point: Array) -> Array:
        r"""Return :math:`|u|^2 y` for each row, as the hyperboloid bends."""
        rows = kernels.hyperbolic_orthonormal(velocity, base_point)
        return row_dot(rows, rows) * base_point

    def to_coords(self, point: Array) -> Array:
        """Return the logarithm at the origin of the product of Poincaré balls."""
        return kernels.pack_strictly_lower(kernels.hyperboloid_to_origin_tangent(point))

    def from_coords(self, coords: Array) -> Array:
        """Return the exponential at the origin of the product of Poincaré balls."""
        rows = kernels.unpack_strictly_lower(coords)
        return kernels.hyperboloid_from_origin_tangent(rows)

    def bounded_coords(self, coords: Array, radius: float) -> Array:
        """Bound the rows smoothly, each of them on its own."""
        rows = kernels.unpack_strictly_lower(coords)
        return kernels.pack_strictly_lower(bounded_length(rows, radius))
