"""Components of tensors in the chart of strict lower entries.

The basis of tangent vectors is E_ij + E_ji for i > j, row by row; its d = n (n - 1) / 2
components are the strict lower entries of a matrix. Everything is derived from the
closed forms of a metric. A tensor with k indices has d^k components: this is
for small n.
"""

import numpy as np
from array_api_compat import array_namespace

from .. import kernels
from ..exceptions import ShapeError
from ..kernels._array import constant
from ..kernels._precision import in_own_precision
from ..validation import as_arrays


class TensorComponents:
    """Components of the metric, the connection and the curvature of a metric."""

    def _basis(self, like):
        """Return the basis of tangent vectors, shape=[d, n, n]."""
        lower = kernels.unpack_strictly_lower(constant(np.eye(self._space.dim), like))
        return lower + lower.mT

    @in_own_precision
    def metric_matrix(self, base_point=None):
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
        (point,) = self._admit_definite(base_point=base_point)
        point = point[..., None, :, :]
        frame = self._orthonormal(self._basis(point), point)
        components = array_namespace(frame).reshape(
            frame, (*frame.shape[:-2], self._space.n**2)
        )
        return components @ components.mT

    @in_own_precision
    def cometric_matrix(self, base_point=None):
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

    def inner_coproduct(self, cotangent_vec_a, cotangent_vec_b, base_point=None):
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

    def geodesic_equation(self, state):
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
        acceleration = self._acceleration(velocity, state[..., 0, :, :])
        return array_namespace(state).stack([velocity, acceleration], axis=-3)

    def _acceleration(self, velocity, point):
        """Return the second derivative of the geodesic with a given velocity."""
        velocity, point = self._admit(velocity=velocity, base_point=point)
        image, image_velocity = self.diffeo.map_and_tangent(velocity, point)
        bend = self.image_space.metric.acceleration(image_velocity, image)
        curved = self.diffeo.inverse_second_tangent(image_velocity, image)
        return curved + self.diffeo.inverse_tangent(bend, image, point)

    def christoffels(self, base_point=None):
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
        (point,) = self._admit_definite(base_point=base_point)
        basis = self._basis(point)
        point = point[..., None, None, :, :]
        # The symbols are minus the accelerations, polarised.
        twice = self._acceleration(basis[:, None] - basis, point) - self._acceleration(
            basis[:, None] + basis, point
        )
        symbols = 0.25 * kernels.pack_strictly_lower(twice)
        return array_namespace(symbols).moveaxis(symbols, -1, -3)

    @in_own_precision
    def inner_product_derivative_matrix(self, base_point=None):
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

    def riemann_tensor(self, base_point=None):
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
        (point,) = self._admit_definite(base_point=base_point)
        basis = self._basis(point)
        curvature = self.curvature(
            basis[:, None],
            basis,
            basis[:, None, None],
            point[..., None, None, None, :, :],
        )
        return kernels.pack_strictly_lower(curvature)

    @in_own_precision
    def covariant_riemann_tensor(self, base_point=None):
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

    @in_own_precision
    def ricci_tensor(self, base_point=None):
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

    def scalar_curvature(self, base_point=None):
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

    def curvature_derivative(
        self,
        tangent_vec_a,
        tangent_vec_b,
        tangent_vec_c,
        tangent_vec_d,
        base_point=None,
    ):
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
        arrays = self._admit_definite(
            tangent_vec_a=tangent_vec_a,
            tangent_vec_b=tangent_vec_b,
            tangent_vec_c=tangent_vec_c,
            tangent_vec_d=tangent_vec_d,
            base_point=base_point,
        )
        return 0.0 * array_namespace(*arrays).broadcast_arrays(*arrays)[0]

    def normal_basis(self, basis, base_point=None):
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
