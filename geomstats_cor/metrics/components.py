"""Components of tensors in the chart of strict lower entries.

The basis of tangent vectors is E_ij + E_ji for i > j, row by row; its d = n (n - 1) / 2
components are the strict lower entries of a matrix. Everything is derived from the
closed forms of a metric. A tensor with k indices has d^k components: this is
for small n.
"""

from collections.abc import Callable

import numpy as np
from array_api_compat import array_namespace

from .. import kernels
from .._boundary import operation, validated
from .._types import Array, ArrayLike
from ..conversion import as_arrays
from ..diffeos import Local
from ..exceptions import ShapeError
from ..kernels._array import constant
from ._pullback import Pullback


class Components(Pullback):
    """Components of the metric, the connection and the curvature of a metric."""

    normalize: Callable

    def _basis(self, point: Array) -> Array:
        """Return the basis of tangent vectors, shape=[d, 1, ..., 1, n, n].

        The axis of the basis is in front of the batch of the points.
        """
        dim = self.n * (self.n - 1) // 2
        lower = kernels.unpack_strictly_lower(constant(np.eye(dim), point))
        ones = (1,) * (point.ndim - 2)
        basis = lower + lower.mT
        return array_namespace(basis).reshape(basis, (dim, *ones, self.n, self.n))

    @operation(points=("base_point",))
    def metric_matrix(self, base_point: ArrayLike = None) -> Array:
        r"""Return the Gram matrix of the basis.

        .. math:: g_{ij} = \langle e_i, e_j \rangle .

        Parameters
        ----------
        base_point : array-like, shape=[..., n, n]
            Base point.

        Returns
        -------
        matrix : array, shape=[..., d, d]
            Symmetric positive definite matrix.
        """
        here, xp = self.diffeo.at(base_point), array_namespace(base_point)
        basis = here.push(self._basis(base_point))
        frame = self.geometry.orthonormal(basis, self._image(here))
        components = xp.reshape(frame, (*frame.shape[:-2], self.n**2))
        components = xp.moveaxis(components, 0, -2)
        return components @ components.mT

    @operation(points=("base_point",))
    def cometric_matrix(self, base_point: ArrayLike = None) -> Array:
        r"""Return the inverse :math:`g^{ij}` of the Gram matrix.

        Parameters
        ----------
        base_point : array-like, shape=[..., n, n]
            Base point.

        Returns
        -------
        matrix : array, shape=[..., d, d]
            Symmetric positive definite matrix.
        """
        matrix = self.metric_matrix(base_point)
        return array_namespace(matrix).linalg.inv(matrix)

    def inner_coproduct(
        self,
        cotangent_vec_a: ArrayLike,
        cotangent_vec_b: ArrayLike,
        base_point: ArrayLike = None,
    ) -> Array:
        """Return the inner product :math:`g^{ij} a_i b_j` of cotangent vectors.

        Parameters
        ----------
        cotangent_vec_a, cotangent_vec_b : array-like, shape=[..., d]
            Components of cotangent vectors in the dual basis.
        base_point : array-like, shape=[..., n, n]
            Base point.

        Returns
        -------
        inner_coproduct : array, shape=[...]
            Inner product.
        """
        covector_a, covector_b, point = as_arrays(
            cotangent_vec_a=cotangent_vec_a,
            cotangent_vec_b=cotangent_vec_b,
            base_point=base_point,
        )
        cometric = self.cometric_matrix(point)
        raised = (cometric @ covector_b[..., None])[..., 0]
        return array_namespace(raised).sum(covector_a * raised, axis=-1)

    def geodesic_equation(self, state: ArrayLike) -> Array:
        r"""Return the derivative :math:`(V, -\Gamma(V, V))` of a state.

        Parameters
        ----------
        state : array-like, shape=[..., 2, n, n]
            Position and velocity.

        Returns
        -------
        derivative : array, shape=[..., 2, n, n]
            Velocity and acceleration.
        """
        (state,) = as_arrays(state=state)
        if state.ndim < 3 or state.shape[-3] != 2:
            raise ShapeError(
                f"state: expected shape [..., 2, n, n], a position and a velocity, got "
                f"{tuple(state.shape)}."
            )
        velocity = state[..., 1, :, :]
        velocity, position = validated(
            self, ("velocity",), velocity=velocity, base_point=state[..., 0, :, :]
        )
        acceleration = self._acceleration(velocity, self.diffeo.at(position))
        return array_namespace(state).stack([velocity, acceleration], axis=-3)

    def _acceleration(self, velocity: Array, here: Local) -> Array:
        """Return the second derivative of the geodesic with a given velocity."""
        velocity = here.push(velocity)
        acceleration = here.second_pull(velocity)
        if self.geometry.is_flat:
            return acceleration
        return acceleration + here.pull(
            self.geometry.acceleration(velocity, here.image)
        )

    @operation(points=("base_point",))
    def christoffels(self, base_point: ArrayLike = None) -> Array:
        r"""Return the Christoffel symbols :math:`\Gamma^k_{ij}`.

        Parameters
        ----------
        base_point : array-like, shape=[..., n, n]
            Base point.

        Returns
        -------
        christoffels : array, shape=[..., d, d, d]
            Symbols, the contravariant index first.
        """
        basis = self._basis(base_point)
        here = self.diffeo.at(base_point)
        # The symbols are minus the accelerations, polarised.
        twice = self._acceleration(basis[:, None] - basis, here) - self._acceleration(
            basis[:, None] + basis, here
        )
        symbols = 0.25 * kernels.pack_strictly_lower(twice)
        return array_namespace(symbols).moveaxis(symbols, (0, 1), (-2, -1))

    @operation(points=("base_point",))
    def inner_product_derivative_matrix(self, base_point: ArrayLike = None) -> Array:
        r"""Return the derivatives :math:`\partial_k g_{ij}`, the index k last.

        Parameters
        ----------
        base_point : array-like, shape=[..., n, n]
            Base point.

        Returns
        -------
        derivatives : array, shape=[..., d, d, d]
            Derivatives of the metric matrix.
        """
        symbols, matrix = self.christoffels(base_point), self.metric_matrix(base_point)
        lowered = array_namespace(symbols).einsum(
            "...lki,...lj->...ijk", symbols, matrix
        )
        return lowered + array_namespace(lowered).moveaxis(lowered, -3, -2)

    @operation(points=("base_point",))
    def riemann_tensor(self, base_point: ArrayLike = None) -> Array:
        r"""Return :math:`R_{ijk}^l`, the components l of :math:`R(e_j, e_k) e_i`.

        Parameters
        ----------
        base_point : array-like, shape=[..., n, n]
            Base point.

        Returns
        -------
        riemann : array, shape=[..., d, d, d, d]
            Components, the contravariant index last.
        """
        here = self.diffeo.at(base_point)
        basis = self._basis(base_point)
        vectors = basis[:, None], basis, basis[:, None, None]
        riemann = kernels.pack_strictly_lower(self._curvature(here, *vectors))
        return array_namespace(riemann).moveaxis(riemann, (0, 1, 2), (-4, -3, -2))

    def _curvature(
        self, here: Local, vector_a: Array, vector_b: Array, vector_c: Array
    ) -> Array:
        """Return the curvature R(A, B) C at a factorised point."""
        a, b, c = (here.push(x) for x in (vector_a, vector_b, vector_c))
        return here.pull(self.geometry.curvature(a, b, c, self._image(here)))

    def _image(self, here: Local) -> Array:
        """Return the image of a point, or None where base points do not matter."""
        return None if self.geometry.is_flat else here.image

    @operation(points=("base_point",))
    def covariant_riemann_tensor(self, base_point: ArrayLike = None) -> Array:
        r"""Return :math:`R_{ijkl} = \langle R(e_k, e_l) e_j, e_i \rangle`.

        Parameters
        ----------
        base_point : array-like, shape=[..., n, n]
            Base point.

        Returns
        -------
        riemann : array, shape=[..., d, d, d, d]
            Covariant components.
        """
        riemann, matrix = (
            self.riemann_tensor(base_point),
            self.metric_matrix(base_point),
        )
        return array_namespace(riemann).einsum(
            "...im,...jklm->...ijkl", matrix, riemann
        )

    @operation(points=("base_point",))
    def ricci_tensor(self, base_point: ArrayLike = None) -> Array:
        r"""Return the Ricci tensor :math:`R_{ij} = R_{ikj}^k`, contracted.

        Parameters
        ----------
        base_point : array-like, shape=[..., n, n]
            Base point.

        Returns
        -------
        ricci : array, shape=[..., d, d]
            Symmetric matrix.
        """
        riemann = self.riemann_tensor(base_point)
        return array_namespace(riemann).einsum("...ijkj->...ik", riemann)

    @operation(points=("base_point",))
    def scalar_curvature(self, base_point: ArrayLike = None) -> Array:
        """Return the scalar curvature :math:`g^{ij} R_{ij}`.

        Parameters
        ----------
        base_point : array-like, shape=[..., n, n]
            Base point.

        Returns
        -------
        scalar_curvature : array, shape=[...]
            Scalar curvature.
        """
        cometric, ricci = (
            self.cometric_matrix(base_point),
            self.ricci_tensor(base_point),
        )
        return array_namespace(ricci).sum(cometric * ricci, axis=(-2, -1))

    @operation(
        vectors=("tangent_vec_a", "tangent_vec_b", "tangent_vec_c", "tangent_vec_d"),
        points=("base_point",),
    )
    def curvature_derivative(
        self,
        tangent_vec_a: ArrayLike,
        tangent_vec_b: ArrayLike,
        tangent_vec_c: ArrayLike,
        tangent_vec_d: ArrayLike,
        base_point: ArrayLike = None,
    ) -> Array:
        r"""Return zero: all five metrics are locally symmetric.

        .. math:: (\nabla_A R)(B, C) D = 0 .

        Parameters
        ----------
        tangent_vec_a, tangent_vec_b, tangent_vec_c, tangent_vec_d : array-like
            Tangent vectors at the base point, shape=[..., n, n].
        base_point : array-like, shape=[..., n, n]
            Base point.

        Returns
        -------
        derivative : array, shape=[..., n, n]
            Null matrix.
        """
        arrays = (
            tangent_vec_a,
            tangent_vec_b,
            tangent_vec_c,
            tangent_vec_d,
            self.diffeo.at(base_point).point,
        )
        return 0.0 * array_namespace(*arrays).broadcast_arrays(*arrays)[0]

    def normal_basis(self, basis: ArrayLike, base_point: ArrayLike = None) -> Array:
        """Divide the vectors of a basis by their lengths, :math:`e_i / |e_i|_P`.

        Parameters
        ----------
        basis : array-like, shape=[d, n, n]
            Tangent vectors at the base point.
        base_point : array-like, shape=[n, n]
            Base point.

        Returns
        -------
        basis : array, shape=[d, n, n]
            Tangent vectors of length one.
        """
        return self.normalize(basis, base_point)
