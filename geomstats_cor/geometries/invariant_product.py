r"""Permutation-invariant inner products, on Hol(n) and Row0(n).

Under permutations of the variables, the symmetric hollow matrices Hol(n) and the
symmetric matrices with null row sums Row0(n) split in the same way into three
orthogonal subspaces, on each of which an invariant product is a multiple of the
Frobenius product (Schur's lemma):

- trivial, of dimension 1: matrices with equal entries off the diagonal;
- standard, of dimension n - 1: entries :math:`t_i + t_j` off the diagonal, with
  :math:`\sum_i t_i = 0`;
- the rest, of dimension :math:`n (n - 3) / 2`.

References
----------
.. [T2024] Y. Thanwerdas. Permutation-invariant log-Euclidean geometries on full-rank
   correlation matrices. SIAM J. Matrix Anal. Appl. 45, 2024.
"""

import dataclasses
import math
from collections.abc import Callable

from .._types import Array
from ..kernels._array import namespace, off_diagonal, pair_sums, take_last
from ..kernels._precision import in_own_precision
from ..kernels._quotients import length, norm, squared_length
from ..kernels.null_row_sums import from_helmert_coords, helmert_coords, null_row_sums
from ..kernels.packing import (
    hollow_row_sums,
    lower_indices,
    pack_strictly_lower,
    unpack_strictly_lower,
)

_ROOT_TWO = math.sqrt(2.0)


@dataclasses.dataclass(frozen=True)
class InvariantProduct:
    r"""A permutation-invariant product, by its eigenvalues.

    .. math:: \langle X, Y \rangle = \operatorname{tr}(X \, A Y) ,

    where :math:`A` multiplies the three subspaces by three positive numbers. A product
    is also the operator :math:`A`; `sqrt` and `inverse` give its square root and its
    inverse.

    Parameters
    ----------
    n : int
        Size of the matrices.
    rest, standard, trivial : float
        Eigenvalues. That of an empty subspace (the rest for :math:`n \le 3`, the
        standard one for :math:`n = 2`) is replaced by the next one.

    References
    ----------
    .. [T2024] Y. Thanwerdas. Permutation-invariant log-Euclidean geometries on
       full-rank correlation matrices. SIAM J. Matrix Anal. Appl. 45, 2024.

    Examples
    --------
    >>> import numpy as np
    >>> from geomstats_cor.geometries import InvariantProduct
    >>> product = InvariantProduct.of_hollow(4, alpha=1.0, beta=0.5, gamma=0.25)
    >>> product
    InvariantProduct(n=4, rest=1.0, standard=1.5, trivial=5.5)
    >>> equal = np.ones((4, 4)) - np.eye(4)
    >>> float(np.trace(equal @ product.on_hollow(equal)))
    66.0
    >>> square = equal @ equal
    >>> float(np.trace(square) + 0.5 * square.sum() + 0.25 * equal.sum() ** 2)
    66.0
    """

    n: int
    rest: float
    standard: float
    trivial: float

    def __post_init__(self) -> None:
        if self.n < 3:
            object.__setattr__(self, "standard", self.trivial)
        if self.n < 4:
            object.__setattr__(self, "rest", self.standard)

    @classmethod
    def of_hollow(
        cls, n: int, alpha: float, beta: float, gamma: float
    ) -> "InvariantProduct":
        r"""Return a product on symmetric hollow matrices from its coefficients.

        .. math:: \alpha \operatorname{tr}(X Y) + \beta \operatorname{Sum}(X Y)
                  + \gamma \operatorname{Sum}(X) \operatorname{Sum}(Y)

        has the eigenvalues :math:`\alpha`, :math:`\alpha + \frac{n - 2}{2} \beta` and
        :math:`\alpha + (n - 1) (\beta + n \gamma)`.

        Parameters
        ----------
        n : int
            Size of the matrices.
        alpha, beta, gamma : float
            Coefficients.

        Returns
        -------
        product : InvariantProduct
            Product.
        """
        trivial = alpha + (n - 1) * (beta + n * gamma)
        return cls(n, alpha, alpha + 0.5 * (n - 2) * beta, trivial)

    @classmethod
    def of_null_row_sums(
        cls, n: int, alpha: float, delta: float, zeta: float
    ) -> "InvariantProduct":
        r"""Return a product on null-row-sum matrices from its coefficients.

        .. math:: \alpha \operatorname{tr}(X Y) + \delta \operatorname{tr}(
                  \operatorname{Diag}(X) \operatorname{Diag}(Y))
                  + \zeta \operatorname{tr}(X) \operatorname{tr}(Y)

        has the eigenvalues :math:`\alpha`, :math:`\alpha + \frac{n - 2}{n} \delta` and
        :math:`\alpha + (n - 1) (\frac{\delta}{n} + \zeta)`.

        Parameters
        ----------
        n : int
            Size of the matrices.
        alpha, delta, zeta : float
            Coefficients.

        Returns
        -------
        product : InvariantProduct
            Product.
        """
        trivial = alpha + (n - 1) * (delta / n + zeta)
        return cls(n, alpha, alpha + (n - 2) / n * delta, trivial)

    @property
    def eigenvalues(self) -> tuple[float, float, float]:
        """Eigenvalues on the rest, the standard and the trivial subspace."""
        return self.rest, self.standard, self.trivial

    def map(self, function: Callable[[float], float]) -> "InvariantProduct":
        """Return the operator with a function of the eigenvalues.

        Parameters
        ----------
        function : callable
            Function of a number.

        Returns
        -------
        product : InvariantProduct
            Operator.
        """
        return InvariantProduct(self.n, *map(function, self.eigenvalues))

    def sqrt(self) -> "InvariantProduct":
        r"""Return :math:`A^{1/2}`, an isometry into the Frobenius product.

        Returns
        -------
        product : InvariantProduct
            Operator.
        """
        return self.map(math.sqrt)

    def inverse(self) -> "InvariantProduct":
        """Return :math:`A^{-1}`.

        Returns
        -------
        product : InvariantProduct
            Operator.
        """
        return self.map(lambda value: 1.0 / value)

    @in_own_precision
    def on_hollow(self, matrix: Array) -> Array:
        r"""Apply :math:`A` to symmetric hollow matrices.

        With the row sums :math:`s = X 1`, their mean :math:`m` and :math:`t = s - m`,
        the trivial and the standard component of :math:`X` are

        .. math:: \frac{m}{n - 1} (1 1^\top - I) , \qquad
                  \frac{1}{n - 2} \operatorname{off}(t 1^\top + 1 t^\top) .

        Parameters
        ----------
        matrix : array, shape=[..., n, n]
            Symmetric hollow matrix.

        Returns
        -------
        image : array, shape=[..., n, n]
            Symmetric hollow matrix.
        """
        if self._is_scalar:
            return self._times(matrix)
        half = self._correction(namespace(matrix).sum(matrix, axis=-1))
        return self.rest * matrix + off_diagonal(pair_sums(half))

    @in_own_precision
    def on_packed(self, packed: Array) -> Array:
        """Apply :math:`A` to symmetric hollow matrices in packed form.

        Parameters
        ----------
        packed : array, shape=[..., n (n - 1) / 2]
            Strict lower entries, row by row.

        Returns
        -------
        image : array, shape=[..., n (n - 1) / 2]
            Strict lower entries of the image.
        """
        if self._is_scalar:
            return self._times(packed)
        half = self._correction(hollow_row_sums(packed))
        rows, columns = lower_indices(self.n, -1)
        return self.rest * packed + take_last(half, rows) + take_last(half, columns)

    @in_own_precision
    def on_null_row_sums(self, matrix: Array) -> Array:
        r"""Apply :math:`A` to symmetric matrices with null row sums.

        :math:`Z \mapsto Z - \operatorname{Diag}(Z 1)` carries the three subspaces of
        Hol(n) onto those of Row0(n), so :math:`A` acts on the hollow part.

        Parameters
        ----------
        matrix : array, shape=[..., n, n]
            Symmetric matrix with null row sums.

        Returns
        -------
        image : array, shape=[..., n, n]
            Symmetric matrix with null row sums.
        """
        if self._is_scalar:
            return self._times(matrix)
        return null_row_sums(self.on_hollow(off_diagonal(matrix)))

    @in_own_precision
    def packed_norm(self, packed: Array) -> Array:
        r"""Return the lengths of symmetric hollow matrices in packed form.

        .. math:: |Z| = \sqrt{\operatorname{tr}(Z \, A Z)} ,

        whose derivative at the null matrix is taken to be zero.

        Parameters
        ----------
        packed : array, shape=[..., n (n - 1) / 2]
            Strict lower entries, row by row.

        Returns
        -------
        norm : array, shape=[...]
            Lengths.
        """
        if self._is_scalar:
            factor = math.sqrt(2.0 * self.trivial)
            return norm(packed) if factor == 1.0 else factor * norm(packed)
        row_sums = hollow_row_sums(packed)
        half = self._correction(row_sums)
        square = self.rest * squared_length(packed)[..., 0]
        return length(2.0 * (square + namespace(packed).sum(half * row_sums, axis=-1)))

    @in_own_precision
    def hollow_to_coords(self, matrix: Array) -> Array:
        r"""Return orthonormal coordinates of symmetric hollow matrices.

        They are the strict lower entries of :math:`\sqrt 2 \, A^{1/2} X`.

        Parameters
        ----------
        matrix : array, shape=[..., n, n]
            Symmetric hollow matrix.

        Returns
        -------
        coords : array, shape=[..., n (n - 1) / 2]
            Coordinates.
        """
        return _ROOT_TWO * pack_strictly_lower(self.sqrt().on_hollow(matrix))

    @in_own_precision
    def hollow_from_coords(self, coords: Array) -> Array:
        """Invert `hollow_to_coords`.

        Parameters
        ----------
        coords : array, shape=[..., n (n - 1) / 2]
            Coordinates.

        Returns
        -------
        matrix : array, shape=[..., n, n]
            Symmetric hollow matrix.
        """
        lower = unpack_strictly_lower(coords / _ROOT_TWO)
        return self.sqrt().inverse().on_hollow(lower + lower.mT)

    def null_row_sums_to_coords(self, matrix: Array) -> Array:
        """Return orthonormal coordinates of symmetric matrices with null row sums.

        They are the Helmert coordinates of :math:`A^{1/2} X`, see
        `kernels.helmert_coords`.

        Parameters
        ----------
        matrix : array, shape=[..., n, n]
            Symmetric matrix with null row sums.

        Returns
        -------
        coords : array, shape=[..., n (n - 1) / 2]
            Coordinates.
        """
        return helmert_coords(self.sqrt().on_null_row_sums(matrix))

    def null_row_sums_from_coords(self, coords: Array) -> Array:
        """Invert `null_row_sums_to_coords`.

        Parameters
        ----------
        coords : array, shape=[..., n (n - 1) / 2]
            Coordinates.

        Returns
        -------
        matrix : array, shape=[..., n, n]
            Symmetric matrix with null row sums.
        """
        return self.sqrt().inverse().on_null_row_sums(from_helmert_coords(coords))

    @property
    def _is_scalar(self) -> bool:
        return self.rest == self.standard == self.trivial

    def _times(self, array: Array) -> Array:
        return array if self.trivial == 1.0 else self.trivial * array

    def _correction(self, row_sums: Array) -> Array:
        """Return h, where the image of Z has the entries rest * Z_ij + h_i + h_j."""
        mean = namespace(row_sums).mean(row_sums, axis=-1, keepdims=True)
        half = (self.standard - self.rest) * (row_sums - mean) / max(self.n - 2, 1)
        return half + 0.5 * (self.trivial - self.rest) * mean / (self.n - 1)
