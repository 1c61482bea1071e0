"""The metrics of the image spaces, which the five metrics pull back.

Four are flat: a linear space with an inner product. One is a product of hyperbolic
spaces, a row of a strictly lower triangular matrix each. They answer the same
questions, so that the pullback never has to ask which one it stands on.
"""

import abc
import math

from geomstats.geometry.riemannian_metric import RiemannianMetric

from . import kernels
from .exceptions import ParameterError
from .kernels._arrays import constant, eye_like, namespace, pairwise_distances
from .kernels._smooth import length


class ImageMetric(RiemannianMetric, abc.ABC):
    """A metric on the image space of a diffeomorphism.

    Parameters
    ----------
    space : Manifold
        Image space.

    Attributes
    ----------
    is_flat : bool
        Whether base points are of no consequence.
    """

    is_flat = False

    @abc.abstractmethod
    def to_coords(self, point):
        """Return coordinates [..., d] of points [..., n, n], null at the origin."""

    @abc.abstractmethod
    def from_coords(self, coords):
        """Return the points [..., n, n] with given coordinates [..., d]."""

    @abc.abstractmethod
    def log_coords(self, point, base_point):
        """Return the coordinates [..., d] of logarithms in an orthonormal frame."""

    @abc.abstractmethod
    def exp_coords(self, coords, base_point):
        """Return the exponential of the vectors with given coordinates."""

    @abc.abstractmethod
    def orthonormal(self, vector, base_point):
        """Return the components of tangent vectors in an orthonormal frame.

        They keep the shape [..., n, n]; Frobenius products of them are the products of
        the vectors.
        """

    @abc.abstractmethod
    def acceleration(self, velocity, base_point):
        """Return the second derivative of the geodesic with a given velocity."""

    @abc.abstractmethod
    def mean(self, points, weights):
        """Return the Fréchet mean over the axis -3, for weights that sum to one."""

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
        """Return the lengths [k, l] between stacks that the kernel is a function of."""

    @abc.abstractmethod
    def kernel(self, lengths, sigma):
        """Return the values of a positive definite kernel."""

    @abc.abstractmethod
    def log_exp_jacobian(self, coords):
        """Return the logarithm of the factor by which exponentials stretch volumes."""

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
            t = constant(t, velocity)
            moved = namespace(t).reshape(t, (-1, 1, 1)) * velocity[..., None, :, :]
            return self.exp(moved, initial_point[..., None, :, :])

        return path


class FlatMetric(ImageMetric):
    """A Euclidean inner product on a linear space of matrices.

    Parameters
    ----------
    space : Manifold
        Image space.
    """

    is_flat = True

    def exp(self, tangent_vec, base_point):
        """Return the end point of a straight line."""
        return base_point + tangent_vec

    def log(self, point, base_point):
        """Return the tangent vector from one point to another."""
        return point - base_point

    def log_coords(self, point, base_point):
        """Return differences of coordinates."""
        return self.to_coords(point) - self.to_coords(base_point)

    def exp_coords(self, coords, base_point):
        """Return the points whose coordinates differ by the given ones."""
        return self.from_coords(self.to_coords(base_point) + coords)

    def squared_dist(self, point_a, point_b):
        """Return the squared distance."""
        return self.squared_norm(point_b - point_a)

    def dist(self, point_a, point_b):
        """Return the distance."""
        return self.norm(point_b - point_a)

    def parallel_transport(
        self, tangent_vec, base_point, direction=None, end_point=None
    ):
        """Return the same vector, elsewhere."""
        return _broadcast(tangent_vec, base_point, direction, end_point)

    def curvature(self, tangent_vec_a, tangent_vec_b, tangent_vec_c, base_point=None):
        """Return zero."""
        return 0.0 * _broadcast(tangent_vec_a, tangent_vec_b, tangent_vec_c, base_point)

    def acceleration(self, velocity, base_point):
        """Return zero: geodesics are straight lines."""
        return 0.0 * _broadcast(velocity, base_point)

    def mean(self, points, weights):
        """Return the weighted average."""
        xp = namespace(points)
        flat = xp.reshape(points, (*points.shape[:-2], math.prod(points.shape[-2:])))
        mean = (weights[..., None, :] @ flat)[..., 0, :]
        return xp.reshape(mean, (*mean.shape[:-1], *points.shape[-2:]))

    def regression(self, points, design, weights):
        """Return ordinary least squares in coordinates: averages, in closed form."""
        base_point = self.mean(points, weights)
        coords = self.log_coords(points, base_point)
        return base_point, (weights[:, None] * design).mT @ coords

    def kernel_lengths(self, points_a, points_b):
        """Return the distances."""
        return pairwise_distances(self.to_coords(points_a), self.to_coords(points_b))

    def kernel(self, lengths, sigma):
        r"""Return the Gaussian :math:`\exp(-d^2 / (2 \sigma^2))`."""
        return namespace(lengths).exp(-0.5 * (lengths / sigma) ** 2)

    def log_exp_jacobian(self, coords):
        """Return zero: exponentials keep volumes."""
        return 0.0 * coords[..., 0]


class StrictlyLowerMetric(FlatMetric):
    """The Frobenius product on strictly lower triangular matrices.

    Parameters
    ----------
    space : Manifold
        Image space.
    """

    def orthonormal(self, vector, base_point=None):
        """Return the vector itself."""
        return vector

    def to_coords(self, point):
        """Pack the strict lower entries."""
        return kernels.pack_strictly_lower(point)

    def from_coords(self, coords):
        """Unpack the strict lower entries."""
        return kernels.unpack_strictly_lower(coords)


class UnitLowerMetric(StrictlyLowerMetric):
    """The Frobenius product on the affine space of unit lower triangular matrices.

    Parameters
    ----------
    space : Manifold
        Image space.
    """

    def from_coords(self, coords):
        """Unpack the strict lower entries below a unit diagonal."""
        strict = super().from_coords(coords)
        return strict + eye_like(strict)


class HollowMetric(FlatMetric):
    r"""A permutation-invariant product on symmetric hollow matrices.

    .. math:: \alpha \operatorname{tr}(X Y) + \beta \operatorname{Sum}(X Y)
              + \gamma \operatorname{Sum}(X) \operatorname{Sum}(Y) .

    Parameters
    ----------
    space : Manifold
        Image space.
    alpha, beta, gamma : float
        Coefficients.
    """

    def __init__(self, space, alpha=1.0, beta=0.0, gamma=0.0):
        super().__init__(space)
        self.eigenvalues = _require_definite(
            kernels.hollow_eigenvalues(space.n, alpha, beta, gamma),
            ("alpha", "2 alpha + (n - 2) beta", "alpha + (n - 1) (beta + n gamma)"),
            dict(alpha=alpha, beta=beta, gamma=gamma),
        )

    def orthonormal(self, vector, base_point=None):
        """Return the image by the square root of the product."""
        return kernels.scale_hollow(vector, kernels.roots(self.eigenvalues))

    def to_coords(self, point):
        """Return orthonormal coordinates."""
        return kernels.hollow_to_coords(point, self.eigenvalues)

    def from_coords(self, coords):
        """Return the matrix with given coordinates."""
        return kernels.hollow_from_coords(coords, self.eigenvalues)


class NullRowSumsMetric(FlatMetric):
    r"""A permutation-invariant product on symmetric matrices with null row sums.

    .. math:: \alpha \operatorname{tr}(X Y)
              + \delta \operatorname{tr}(\operatorname{Diag}(X) \operatorname{Diag}(Y))
              + \zeta \operatorname{tr}(X) \operatorname{tr}(Y) .

    Parameters
    ----------
    space : Manifold
        Image space.
    alpha, delta, zeta : float
        Coefficients.
    """

    def __init__(self, space, alpha=1.0, delta=0.0, zeta=0.0):
        super().__init__(space)
        self.eigenvalues = _require_definite(
            kernels.row0_eigenvalues(space.n, alpha, delta, zeta),
            ("alpha", "n alpha + (n - 2) delta", "n alpha + (n - 1) (delta + n zeta)"),
            dict(alpha=alpha, delta=delta, zeta=zeta),
        )

    def orthonormal(self, vector, base_point=None):
        """Return the image by the square root of the product."""
        return kernels.scale_row0(vector, kernels.roots(self.eigenvalues))

    def to_coords(self, point):
        """Return orthonormal coordinates."""
        return kernels.row0_to_coords(point, self.eigenvalues)

    def from_coords(self, coords):
        """Return the matrix with given coordinates."""
        return kernels.row0_from_coords(coords, self.eigenvalues)


def _broadcast(x, *others):
    xp = namespace(x)
    arrays = [x, *(other for other in others if other is not None)]
    return xp.broadcast_arrays(*arrays)[0]


def _require_definite(eigenvalues, names, parameters):
    """Return the eigenvalues of a product, or raise if one is not positive."""
    for value, name in zip(eigenvalues, names, strict=True):
        if value is not None and not (math.isfinite(value) and value > 0.0):
            given = ", ".join(f"{k} = {v:g}" for k, v in parameters.items())
            raise ParameterError(
                f"{given} does not give an inner product: {name} must be positive."
            )
    return eigenvalues
