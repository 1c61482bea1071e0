"""The metrics of the image spaces, which the five metrics pull back.

Four are flat: a linear space with an inner product. One is a product of hyperbolic
spaces, a row of a strictly lower triangular matrix each. They have
the same interface, so that the pullback does not depend on which one it is.
"""

import abc
import math
from collections.abc import Callable
from typing import Any

import numpy as np
from geomstats.geometry.riemannian_metric import RiemannianMetric

from .. import kernels
from .._types import Array, ArrayLike
from ..exceptions import ArrayTypeError, ParameterError
from ..kernels._array import constant, matrix_dot, namespace
from ..kernels._batching import for_each
from ..kernels._quotients import length
from ..kernels.factors import bounded_length
from ..statistics.image_statistics import ImageStatistics


class ImageMetric(ImageStatistics, RiemannianMetric, abc.ABC):
    """A metric on the image space of a diffeomorphism.

    The interface of the space from which a `CorrelationMetric` is pulled back. Three
    methods are required: `exp`, `log` and `orthonormal`, which gives the components of
    tangent vectors in an orthonormal frame; with its inverse, `from_orthonormal`,
    coordinates follow. The rest is optional, and raises an error that names what is
    missing. `FlatMetric` has it all.

    Parameters
    ----------
    space : Manifold
        Image space.

    Attributes
    ----------
    is_flat : bool
        Whether the metric is the same at every base point.
    parameters : tuple or None
        What two metrics of the same class may differ in; None if that is unknown.
    least_stretch : float
        Smallest length of the coordinates of a matrix of Frobenius norm one.

    Examples
    --------
    >>> import numpy as np
    >>> from geomstats_cor import FullRankCorrelationMatrices
    >>> metric = FullRankCorrelationMatrices(3, equip="phcm").metric
    >>> metric.image_space.metric.is_flat
    False
    >>> point = np.array([[1.0, 0.6, 0.0], [0.6, 1.0, 0.0], [0.0, 0.0, 1.0]])
    >>> images = metric.diffeo(point), metric.diffeo(np.eye(3))
    >>> round(float(metric.image_space.metric.dist(*images)), 4)
    0.6931
    >>> round(float(metric.dist(point, np.eye(3))), 4)
    0.6931
    """

    is_flat = False
    parameters: tuple | None = None
    least_stretch = 1.0

    def to_coords(self, point: Array) -> Array:
        """Return the coordinates of points, null at the origin.

        Parameters
        ----------
        point : array, shape=[..., n, n]
            Points.

        Returns
        -------
        coords : array, shape=[..., d]
            Coordinates, an isometry if the metric is flat; by default, the logarithm
            at the null matrix.
        """
        return self.log_coords(point, 0.0 * point)

    def from_coords(self, coords: Array) -> Array:
        """Return the points with given coordinates, the inverse of `to_coords`.

        Parameters
        ----------
        coords : array, shape=[..., d]
            Coordinates.

        Returns
        -------
        point : array, shape=[..., n, n]
            Points.
        """
        return self.exp_coords(coords, 0.0 * kernels.unpack_strictly_lower(coords))

    def log_coords(self, point: Array, base_point: Array) -> Array:
        """Return the coordinates of logarithms in an orthonormal frame.

        .. math:: |x_P(Q)| = d(P, Q) .

        Parameters
        ----------
        point : array, shape=[..., n, n]
            End point :math:`Q`.
        base_point : array, shape=[..., n, n]
            Base point :math:`P`.

        Returns
        -------
        coords : array, shape=[..., d]
            Coordinates.
        """
        vector = self.log(point, base_point)
        return kernels.pack_strictly_lower(self.orthonormal(vector, base_point))

    def exp_coords(self, coords: Array, base_point: Array) -> Array:
        """Return the exponential of vectors given by coordinates, see `log_coords`.

        Parameters
        ----------
        coords : array, shape=[..., d]
            Coordinates.
        base_point : array, shape=[..., n, n]
            Base point.

        Returns
        -------
        point : array, shape=[..., n, n]
            End point of the geodesic.
        """
        components = kernels.unpack_strictly_lower(coords)
        return self.exp(self.from_orthonormal(components, base_point), base_point)

    @abc.abstractmethod
    def orthonormal(self, vector: Array, base_point: Array = None) -> Array:
        r"""Return the components of tangent vectors in an orthonormal frame.

        .. math:: \langle A, B \rangle_P = \operatorname{tr}(a^\top b) .

        Parameters
        ----------
        vector : array, shape=[..., n, n]
            Tangent vector :math:`A`.
        base_point : array, shape=[..., n, n]
            Base point :math:`P`.

        Returns
        -------
        components : array, shape=[..., n, n]
            Components :math:`a`, in the shape of a matrix.
        """

    def from_orthonormal(self, components: Array, base_point: Array = None) -> Array:
        """Return the tangent vectors with given components, see `orthonormal`.

        Parameters
        ----------
        components : array, shape=[..., n, n]
            Components, in the shape of a matrix.
        base_point : array, shape=[..., n, n]
            Base point.

        Returns
        -------
        vector : array, shape=[..., n, n]
            Tangent vectors.
        """
        self._missing("from_orthonormal", "Exponentials of coordinates")

    @abc.abstractmethod
    def exp(self, tangent_vec: Array, base_point: Array) -> Array:
        """Return the end points of geodesics.

        Parameters
        ----------
        tangent_vec : array, shape=[..., n, n]
            Tangent vector.
        base_point : array, shape=[..., n, n]
            Base point.

        Returns
        -------
        end_point : array, shape=[..., n, n]
            End point.
        """

    @abc.abstractmethod
    def log(self, point: Array, base_point: Array) -> Array:
        """Return the initial velocities of the geodesics from one point to another.

        Parameters
        ----------
        point : array, shape=[..., n, n]
            End point.
        base_point : array, shape=[..., n, n]
            Base point.

        Returns
        -------
        tangent_vec : array, shape=[..., n, n]
            Tangent vector at the base point.
        """

    def squared_dist(self, point_a: Array, point_b: Array) -> Array:
        """Return the squared distance; by default, that of the logarithm.

        Parameters
        ----------
        point_a, point_b : array, shape=[..., n, n]
            Points.

        Returns
        -------
        squared_dist : array, shape=[...]
            Squared distance.
        """
        return self.squared_norm(self.log(point_b, point_a), point_a)

    def dist(self, point_a: Array, point_b: Array) -> Array:
        """Return the distance.

        Parameters
        ----------
        point_a, point_b : array, shape=[..., n, n]
            Points.

        Returns
        -------
        dist : array, shape=[...]
            Distance.
        """
        return length(self.squared_dist(point_a, point_b))

    def parallel_transport(
        self,
        tangent_vec: Array,
        base_point: Array,
        direction: Array = None,
        end_point: Array = None,
    ) -> Array:
        """Transport tangent vectors along geodesics; optional.

        Parameters
        ----------
        tangent_vec : array, shape=[..., n, n]
            Tangent vector at the base point.
        base_point : array, shape=[..., n, n]
            Base point.
        direction : array, shape=[..., n, n]
            Initial velocity of the geodesic.
        end_point : array, shape=[..., n, n]
            End point of the geodesic, instead of a direction.

        Returns
        -------
        transported : array, shape=[..., n, n]
            Tangent vector at the end point.
        """
        self._missing("parallel_transport", "Parallel transports")

    def curvature(
        self,
        tangent_vec_a: Array,
        tangent_vec_b: Array,
        tangent_vec_c: Array,
        base_point: Array = None,
    ) -> Array:
        """Return the curvature R(A, B) C; optional.

        Parameters
        ----------
        tangent_vec_a, tangent_vec_b, tangent_vec_c : array, shape=[..., n, n]
            Tangent vectors.
        base_point : array, shape=[..., n, n]
            Base point.

        Returns
        -------
        curvature : array, shape=[..., n, n]
            Tangent vector.
        """
        self._missing("curvature", "Curvatures")

    def acceleration(self, velocity: Array, base_point: Array) -> Array:
        r"""Return the second derivative of the geodesic with a given velocity.

        .. math:: \left. \frac{d^2}{dt^2} \right|_{t = 0} \exp_P(t V) .

        Parameters
        ----------
        velocity : array, shape=[..., n, n]
            Tangent vector :math:`V`.
        base_point : array, shape=[..., n, n]
            Base point :math:`P`.

        Returns
        -------
        acceleration : array, shape=[..., n, n]
            Second derivative of the entries.
        """
        self._missing("acceleration", "The geodesic equation and Christoffel symbols")

    def bounded_coords(self, coords: Array, radius: float) -> Array:
        """Bound coordinates smoothly, see `CorrelationMetric.bounded_coords`.

        Parameters
        ----------
        coords : array, shape=[..., d]
            Coordinates.
        radius : float
            Bound on the Frobenius norm of their matrices.

        Returns
        -------
        bounded : array, shape=[..., d]
            Coordinates of the same directions.
        """
        return bounded_length(coords, radius * self.least_stretch)

    def inner_product(
        self, tangent_vec_a: Array, tangent_vec_b: Array, base_point: Array = None
    ) -> Array:
        """Return the inner product of tangent vectors.

        Parameters
        ----------
        tangent_vec_a, tangent_vec_b : array, shape=[..., n, n]
            Tangent vectors.
        base_point : array, shape=[..., n, n]
            Base point.

        Returns
        -------
        inner_product : array, shape=[...]
            Inner product.
        """
        frame_a = self.orthonormal(tangent_vec_a, base_point)
        frame_b = self.orthonormal(tangent_vec_b, base_point)
        return matrix_dot(frame_a, frame_b)

    def squared_norm(self, vector: Array, base_point: Array = None) -> Array:
        """Return the squared length of tangent vectors.

        Parameters
        ----------
        vector : array, shape=[..., n, n]
            Tangent vector.
        base_point : array, shape=[..., n, n]
            Base point.

        Returns
        -------
        squared_norm : array, shape=[...]
            Squared length.
        """
        frame = self.orthonormal(vector, base_point)
        return matrix_dot(frame, frame)

    def norm(self, vector: Array, base_point: Array = None) -> Array:
        """Return the length of tangent vectors.

        Parameters
        ----------
        vector : array, shape=[..., n, n]
            Tangent vector.
        base_point : array, shape=[..., n, n]
            Base point.

        Returns
        -------
        norm : array, shape=[...]
            Length.
        """
        return length(self.squared_norm(vector, base_point))

    def dist_broadcast(self, point_a: Array, point_b: Array) -> Array:
        """Return the distances between all points of two batches.

        Parameters
        ----------
        point_a : array, shape=[k, n, n]
            Points.
        point_b : array, shape=[l, n, n]
            Points.

        Returns
        -------
        dist : array, shape=[k, l]
            Distances.
        """
        return for_each(self.dist, point_a, point_b)

    def geodesic(
        self,
        initial_point: Array,
        end_point: Array = None,
        initial_tangent_vec: Array = None,
    ) -> Callable[[Any], Array]:
        """Return the geodesic from a point, to a point or with a velocity.

        Parameters
        ----------
        initial_point : array, shape=[..., n, n]
            Initial point.
        end_point : array, shape=[..., n, n]
            End point, at time one.
        initial_tangent_vec : array, shape=[..., n, n]
            Velocity at time zero.

        Returns
        -------
        path : callable
            Maps times [k] to points [..., k, n, n].
        """
        velocity = initial_tangent_vec
        if velocity is None:
            velocity = self.log(end_point, initial_point)

        def path(t: ArrayLike) -> Array:
            t = _as_times(t, velocity)
            moved = namespace(t).reshape(t, (-1, 1, 1)) * velocity[..., None, :, :]
            return self.exp(moved, initial_point[..., None, :, :])

        return path


def _broadcast(x, *others):
    xp = namespace(x)
    arrays = [x, *(other for other in others if other is not None)]
    return xp.broadcast_arrays(*arrays)[0]


def _require_numbers(**parameters):
    """Raise unless the parameters of an inner product are numbers."""
    for name, value in parameters.items():
        try:
            math.isfinite(value)
        except (TypeError, ValueError):
            raise ParameterError(f"{name}: expected a number, got {value!r}.") from None


def _as_times(t, like):
    """Return times as an array like another, or raise."""
    try:
        if isinstance(t, np.ma.MaskedArray):
            raise TypeError
        return constant(t, like)
    except (TypeError, ValueError):
        raise ArrayTypeError(
            f"t: expected a number or an array of numbers, without a mask, got a "
            f"{type(t).__name__}."
        ) from None
