"""Flat image spaces: a linear space with an inner product."""

import abc
import functools
import math

import numpy as np
from geomstats.geometry.manifold import Manifold

from .. import kernels
from .._types import Array
from ..exceptions import ParameterError
from ..kernels._array import constant, eye_like, namespace
from ..kernels._autodiff import is_readable
from ..kernels._batching import for_each
from ..kernels._quotients import length
from ..statistics.image_statistics import FlatStatistics
from .base import ImageMetric, _broadcast, _require_numbers
from .invariant_product import InvariantProduct

# Up to this size, conversions between coordinates and strict lower entries multiply by
# a matrix that is kept; see benchmarks/strict_parts.py.
_CONVERTED_BY_PRODUCT_UP_TO = 24


class FlatMetric(FlatStatistics, ImageMetric):
    """A Euclidean inner product on a linear space of matrices.

    .. math:: d(X, Y) = |x(X) - x(Y)| ,

    with the coordinates :math:`x` of `to_coords`. A subclass says what these are
    (`orthonormal`, `to_coords`, `from_coords`, `from_strict_part`), and all else
    follows.

    Parameters
    ----------
    space : Manifold
        Image space.

    Attributes
    ----------
    strict_eigenvalues : tuple of float or None
        Eigenvalues of the product as one on symmetric hollow matrices, carried over by
        the strict lower entries; None if they do not describe it.

    References
    ----------
    .. [C2026] Z. Chen, X. Wu, B. Schölkopf and N. Sebe. Riemannian networks over
       full-rank correlation matrices. ICML 2026.

    Examples
    --------
    >>> import numpy as np
    >>> from geomstats_cor import FullRankCorrelationMatrices
    >>> metric = FullRankCorrelationMatrices(3, equip="ecm").metric.image_space.metric
    >>> point = np.array([[1.0, 0.0, 0.0], [3.0, 1.0, 0.0], [0.0, 4.0, 1.0]])
    >>> metric.to_coords(point)
    array([3., 0., 4.])
    >>> float(metric.dist(point, np.eye(3)))
    5.0
    """

    is_flat = True
    strict_eigenvalues: tuple | None = None

    def strict_part(self, coords: Array) -> Array:
        """Return the packed strict lower entries of vectors with given coordinates.

        Parameters
        ----------
        coords : array, shape=[..., d]
            Coordinates.

        Returns
        -------
        packed : array, shape=[..., d]
            Strict lower entries, row by row.
        """
        return kernels.pack_strictly_lower(self.from_coords(coords))

    def from_strict_part(self, packed: Array) -> Array:
        """Return the coordinates of vectors with given packed strict lower entries.

        Parameters
        ----------
        packed : array, shape=[..., d]
            Strict lower entries, row by row.

        Returns
        -------
        coords : array, shape=[..., d]
            Coordinates.
        """
        self._missing("from_strict_part", "Layers with weights in closed form")

    def from_printed(self, values: Array) -> Array:
        """Return coordinates from components in the basis that [C2026]_ prints.

        Parameters
        ----------
        values : array, shape=[..., d]
            Components.

        Returns
        -------
        coords : array, shape=[..., d]
            Coordinates.

        References
        ----------
        .. [C2026] Z. Chen, X. Wu, B. Schölkopf and N. Sebe. Riemannian networks over
           full-rank correlation matrices. ICML 2026.
        """
        return values

    @abc.abstractmethod
    def to_coords(self, point: Array) -> Array:
        """Return orthonormal coordinates."""

    @abc.abstractmethod
    def from_coords(self, coords: Array) -> Array:
        """Return the matrix with given coordinates."""

    def exp(self, tangent_vec: Array, base_point: Array) -> Array:
        """Return the end point of a straight line."""
        return base_point + tangent_vec

    def log(self, point: Array, base_point: Array) -> Array:
        """Return the tangent vector from one point to another."""
        return point - base_point

    def log_coords(self, point: Array, base_point: Array) -> Array:
        """Return differences of coordinates."""
        return self.to_coords(point) - self.to_coords(base_point)

    def exp_coords(self, coords: Array, base_point: Array) -> Array:
        """Return the points whose coordinates differ by the given ones."""
        return self.from_coords(self.to_coords(base_point) + coords)

    def squared_dist(self, point_a: Array, point_b: Array) -> Array:
        """Return the squared distance."""
        return self.squared_norm(point_b - point_a)

    def dist(self, point_a: Array, point_b: Array) -> Array:
        """Return the distance."""
        return self.norm(point_b - point_a)

    def dist_broadcast(self, point_a: Array, point_b: Array) -> Array:
        """Return the distances between all points of two stacks, in coordinates."""

        def dists(a: Array, b: Array) -> Array:
            difference = a - b
            return length(namespace(a).sum(difference * difference, axis=-1))

        coords_a, coords_b = self.to_coords(point_a), self.to_coords(point_b)
        return for_each(dists, coords_a, coords_b, axes=1)

    def parallel_transport(
        self,
        tangent_vec: Array,
        base_point: Array,
        direction: Array = None,
        end_point: Array = None,
    ) -> Array:
        """Return the same vector, elsewhere."""
        return _broadcast(tangent_vec, base_point, direction, end_point)

    def curvature(
        self,
        tangent_vec_a: Array,
        tangent_vec_b: Array,
        tangent_vec_c: Array,
        base_point: Array = None,
    ) -> Array:
        """Return zero."""
        return 0.0 * _broadcast(tangent_vec_a, tangent_vec_b, tangent_vec_c, base_point)

    def acceleration(self, velocity: Array, base_point: Array) -> Array:
        """Return zero: geodesics are straight lines."""
        return 0.0 * _broadcast(velocity, base_point)


class StrictlyLowerMetric(FlatMetric):
    r"""The Frobenius product :math:`\operatorname{tr}(X^\top Y)` on LT0(n).

    The coordinates of a strictly lower triangular matrix are its entries.

    Parameters
    ----------
    space : Manifold
        Image space.

    References
    ----------
    .. [T2022] Y. Thanwerdas and X. Pennec. Theoretically and computationally convenient
       geometries on full-rank correlation matrices. SIAM J. Matrix Anal. Appl. 43,
       2022.

    Examples
    --------
    >>> import numpy as np
    >>> from geomstats_cor import FullRankCorrelationMatrices
    >>> metric = FullRankCorrelationMatrices(3, equip="lecm").metric.image_space.metric
    >>> type(metric).__name__
    'StrictlyLowerMetric'
    >>> metric.from_coords(np.array([1.0, 2.0, 3.0]))
    array([[0., 0., 0.],
           [1., 0., 0.],
           [2., 3., 0.]])
    """

    parameters = ()
    strict_eigenvalues = (0.5, 0.5, 0.5)

    def strict_part(self, coords: Array) -> Array:
        """Return the coordinates themselves."""
        return coords

    def from_strict_part(self, packed: Array) -> Array:
        """Return the entries themselves."""
        return packed

    def orthonormal(self, vector: Array, base_point: Array = None) -> Array:
        """Return the vector itself."""
        return vector

    def to_coords(self, point: Array) -> Array:
        """Pack the strict lower entries."""
        return kernels.pack_strictly_lower(point)

    def from_coords(self, coords: Array) -> Array:
        """Unpack the strict lower entries."""
        return kernels.unpack_strictly_lower(coords)


class UnitLowerMetric(StrictlyLowerMetric):
    r"""The Frobenius product :math:`\operatorname{tr}(X^\top Y)` on LT1(n).

    The coordinates of a unit lower triangular matrix are its strict lower entries.

    Parameters
    ----------
    space : Manifold
        Image space.

    References
    ----------
    .. [T2022] Y. Thanwerdas and X. Pennec. Theoretically and computationally convenient
       geometries on full-rank correlation matrices. SIAM J. Matrix Anal. Appl. 43,
       2022.

    Examples
    --------
    >>> import numpy as np
    >>> from geomstats_cor import FullRankCorrelationMatrices
    >>> metric = FullRankCorrelationMatrices(3, equip="ecm").metric.image_space.metric
    >>> type(metric).__name__
    'UnitLowerMetric'
    >>> metric.from_coords(np.array([1.0, 2.0, 3.0]))
    array([[1., 0., 0.],
           [1., 1., 0.],
           [2., 3., 1.]])
    """

    def from_coords(self, coords: Array) -> Array:
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

    References
    ----------
    .. [T2024] Y. Thanwerdas. Permutation-invariant log-Euclidean geometries on
       full-rank correlation matrices. SIAM J. Matrix Anal. Appl. 45, 2024.

    Examples
    --------
    >>> import numpy as np
    >>> from geomstats.geometry.symmetric_matrices import SymmetricHollowMatrices
    >>> from geomstats_cor.geometries.flat import HollowMetric
    >>> space = SymmetricHollowMatrices(3, equip=False)
    >>> metric = HollowMetric(space, alpha=2.0, beta=1.0)
    >>> ones = np.ones((3, 3)) - np.eye(3)
    >>> round(float(metric.squared_norm(ones)), 12)
    24.0
    >>> float(2.0 * np.trace(ones @ ones) + (ones @ ones).sum())
    24.0
    """

    def __init__(
        self, space: Manifold, alpha: float = 1.0, beta: float = 0.0, gamma: float = 0.0
    ) -> None:
        super().__init__(space)
        _require_numbers(alpha=alpha, beta=beta, gamma=gamma)
        self.product = _require_definite(
            InvariantProduct.of_hollow(space.n, alpha, beta, gamma),
            ("alpha", "2 alpha + (n - 2) beta", "alpha + (n - 1) (beta + n gamma)"),
            dict(alpha=alpha, beta=beta, gamma=gamma),
        )
        self.parameters = self.strict_eigenvalues = self.product.eigenvalues
        self.least_stretch = math.sqrt(min(self.parameters))
        # The product on strict lower entries is twice that on matrices.
        self._strict_root = self.product.map(lambda value: math.sqrt(2.0 * value))

    def strict_part(self, coords: Array) -> Array:
        """Return the packed strict lower entries of vectors with given coordinates."""
        return self._strict_root.inverse().on_packed(coords)

    def from_strict_part(self, packed: Array) -> Array:
        """Return the coordinates of vectors with given packed strict lower entries."""
        return self._strict_root.on_packed(packed)

    def from_printed(self, values: Array) -> Array:
        """Return the components: the printed basis is an orthonormal one."""
        _require_frobenius(self.product)
        return values

    def orthonormal(self, vector: Array, base_point: Array = None) -> Array:
        """Return the image by the square root of the product."""
        return self.product.sqrt().on_hollow(vector)

    def to_coords(self, point: Array) -> Array:
        """Return orthonormal coordinates."""
        return self.product.hollow_to_coords(point)

    def from_coords(self, coords: Array) -> Array:
        """Return the matrix with given coordinates."""
        return self.product.hollow_from_coords(coords)


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

    References
    ----------
    .. [T2024] Y. Thanwerdas. Permutation-invariant log-Euclidean geometries on
       full-rank correlation matrices. SIAM J. Matrix Anal. Appl. 45, 2024.

    Examples
    --------
    >>> import numpy as np
    >>> from geomstats.geometry.symmetric_matrices import NullRowSumsSymmetricMatrices
    >>> from geomstats_cor.geometries.flat import NullRowSumsMetric
    >>> space = NullRowSumsSymmetricMatrices(3, equip=False)
    >>> metric = NullRowSumsMetric(space, alpha=2.0, zeta=1.0)
    >>> matrix = 3.0 * np.eye(3) - np.ones((3, 3))
    >>> round(float(metric.squared_norm(matrix)), 12)
    72.0
    >>> float(2.0 * np.trace(matrix @ matrix) + np.trace(matrix) ** 2)
    72.0
    """

    def __init__(
        self, space: Manifold, alpha: float = 1.0, delta: float = 0.0, zeta: float = 0.0
    ) -> None:
        super().__init__(space)
        _require_numbers(alpha=alpha, delta=delta, zeta=zeta)
        self.product = _require_definite(
            InvariantProduct.of_null_row_sums(space.n, alpha, delta, zeta),
            ("alpha", "n alpha + (n - 2) delta", "n alpha + (n - 1) (delta + n zeta)"),
            dict(alpha=alpha, delta=delta, zeta=zeta),
        )
        self.parameters = self.product.eigenvalues
        self.least_stretch = math.sqrt(min(self.parameters))
        self.strict_eigenvalues = InvariantProduct.of_hollow(
            space.n, alpha, alpha + delta, zeta
        ).eigenvalues

    def from_strict_part(self, packed: Array) -> Array:
        """Return the coordinates of vectors with given packed strict lower entries."""
        return _converted(_from_strict_part, packed, self.product)

    def strict_part(self, coords: Array) -> Array:
        """Return the packed strict lower entries of vectors with given coordinates."""
        return _converted(_strict_part, coords, self.product)

    def from_printed(self, values: Array) -> Array:
        """Return coordinates from components in a basis that is not orthonormal."""
        _require_frobenius(self.product)
        return self.to_coords(kernels.row0_from_printed(values))

    def orthonormal(self, vector: Array, base_point: Array = None) -> Array:
        """Return the image by the square root of the product."""
        return self.product.sqrt().on_null_row_sums(vector)

    def to_coords(self, point: Array) -> Array:
        """Return orthonormal coordinates."""
        return self.product.null_row_sums_to_coords(point)

    def from_coords(self, coords: Array) -> Array:
        """Return the matrix with given coordinates."""
        return self.product.null_row_sums_from_coords(coords)


def _strict_part(coords, product):
    return kernels.pack_strictly_lower(product.null_row_sums_from_coords(coords))


def _from_strict_part(packed, product):
    return product.null_row_sums_to_coords(kernels.packed_to_row0(packed))


def _converted(function, packed, product):
    """Apply a linear map: as a matrix if it is small and nothing is traced."""
    if product.n > _CONVERTED_BY_PRODUCT_UP_TO or not is_readable(packed):
        return function(packed, product)
    return packed @ constant(_matrix(function, packed.shape[-1], product), packed)


@functools.lru_cache(maxsize=32)
def _matrix(function, dim, product):
    return function(np.eye(dim), product)


def _require_definite(product, names, parameters):
    """Return a product, or raise if it is not positive definite."""
    # From the last: that of an empty subspace repeats the one after it.
    pairs = zip(reversed(product.eigenvalues), reversed(names), strict=True)
    for value, name in pairs:
        if not (math.isfinite(value) and value > 0.0):
            given = ", ".join(f"{k} = {v:g}" for k, v in parameters.items())
            raise ParameterError(
                f"{given} does not give an inner product: {name} must be positive."
            )
    return product


def _require_frobenius(product):
    """Raise unless a product is that of Frobenius."""
    if product.eigenvalues != (1.0, 1.0, 1.0):
        raise ParameterError(
            "the printed basis belongs to the Frobenius product, and the metric has "
            'another one: use basis="orthonormal".'
        )
