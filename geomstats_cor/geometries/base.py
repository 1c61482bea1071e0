"""The metrics of the image spaces, which the five metrics pull back.

Four are flat: a linear space with an inner product. One is a product of hyperbolic
spaces, a row of a strictly lower triangular matrix each. They answer the same
questions, so that the pullback never has to ask which one it stands on.
"""

import abc
import math

import numpy as np
from geomstats.geometry.riemannian_metric import RiemannianMetric

from ..exceptions import ArrayTypeError, ParameterError
from ..kernels._array import constant, namespace
from ..kernels._batching import for_each
from ..kernels._quotients import length
from ..kernels.factors import bounded_length


class ImageMetric(RiemannianMetric, abc.ABC):
    """A metric on the image space of a diffeomorphism.

    What a `CorrelationMetric` asks of the space it is pulled back from. Abstract
    methods are what another metric has to answer; `FlatMetric` answers most of them.

    Parameters
    ----------
    space : Manifold
        Image space.

    Attributes
    ----------
    is_flat : bool
        Whether base points are of no consequence.
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
    parameters = None
    least_stretch = 1.0

    @abc.abstractmethod
    def to_coords(self, point):
        """Return the coordinates of points, null at the origin.

        Parameters
        ----------
        point : array, shape=[..., n, n]
            Points.

        Returns
        -------
        coords : array, shape=[..., d]
            Coordinates, an isometry if the metric is flat.
        """

    @abc.abstractmethod
    def from_coords(self, coords):
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

    @abc.abstractmethod
    def log_coords(self, point, base_point):
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

    @abc.abstractmethod
    def exp_coords(self, coords, base_point):
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

    @abc.abstractmethod
    def orthonormal(self, vector, base_point):
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

    @abc.abstractmethod
    def acceleration(self, velocity, base_point):
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

    @abc.abstractmethod
    def hyperplanes(self, metric):
        """Return the hyperplanes of a pullback of this metric.

        Parameters
        ----------
        metric : CorrelationMetric
            The pullback.

        Returns
        -------
        hyperplanes : Hyperplanes
            What neural layers ask of it.
        """

    @abc.abstractmethod
    def stiffness(self, logs):
        r"""Return the diagonals of Hessians of half the squared distance.

        .. math:: \left( \nabla^2 \, \tfrac12 d(\cdot, P)^2 \right)_{kk} .

        Parameters
        ----------
        logs : array, shape=[..., d]
            Points, as coordinates of their logarithms at the place of the Hessian.

        Returns
        -------
        diagonals : array, shape=[..., d]
            Diagonals, in the orthonormal frame of `log_coords`.
        """

    @abc.abstractmethod
    def hessian(self, logs, weights):
        r"""Return the product with a weighted sum of such Hessians, a function.

        .. math:: v \mapsto \sum_i w_i \, \nabla^2 \tfrac12 d(\cdot, P_i)^2 \, v .

        Parameters
        ----------
        logs : array, shape=[..., N, d]
            Points, as coordinates of their logarithms at the place of the Hessian.
        weights : array, shape=[..., N]
            Weights.

        Returns
        -------
        product : callable
            Maps vectors [..., d] to vectors [..., d].
        """

    @abc.abstractmethod
    def mean(self, points, weights):
        r"""Return the Fréchet mean of stacks of points.

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

    @abc.abstractmethod
    def regression(self, points, design, weights):
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

    @abc.abstractmethod
    def kernel_lengths(self, points_a, points_b):
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

    @abc.abstractmethod
    def kernel(self, lengths, sigma):
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

    @abc.abstractmethod
    def log_exp_jacobian(self, coords):
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

    def bounded_coords(self, coords, radius):
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

    def inner_product(self, tangent_vec_a, tangent_vec_b, base_point=None):
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
        return namespace(frame_a, frame_b).sum(frame_a * frame_b, axis=(-2, -1))

    def squared_norm(self, vector, base_point=None):
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
        return namespace(frame).sum(frame * frame, axis=(-2, -1))

    def norm(self, vector, base_point=None):
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

    def dist_broadcast(self, point_a, point_b):
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

    def geodesic(self, initial_point, end_point=None, initial_tangent_vec=None):
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

        def path(t):
            t = _as_times(t, velocity)
            moved = namespace(t).reshape(t, (-1, 1, 1)) * velocity[..., None, :, :]
            return self.exp(moved, initial_point[..., None, :, :])

        return path


def _broadcast(x, *others):
    xp = namespace(x)
    arrays = [x, *(other for other in others if other is not None)]
    return xp.broadcast_arrays(*arrays)[0]


def _least_root(eigenvalues):
    return math.sqrt(min(value for value in eigenvalues if value is not None))


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
