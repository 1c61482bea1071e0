"""Symmetric hollow matrices, given by their packed strict lower entries.

A stack of many such matrices (the weights of a layer) never becomes a stack of square
matrices: row sums are all that a permutation-invariant product needs beyond the
entries themselves.
"""

import functools
import math

import numpy as np

from ._array import (
    constant,
    diagonal_matrix,
    namespace,
    sum_by_index,
    take_last,
)
from ._autodiff import is_readable
from ._precision import in_own_precision
from ._quotients import length, norm
from .isometries import (
    filled,
    pack_strictly_lower,
    row0_from_coords,
    row0_to_coords,
    scaled_pieces,
    unpack_strictly_lower,
)

# Sizes up to which a product with a matrix that is kept is cheaper than what it does.
_SUMMED_BY_PRODUCT_UP_TO = 48
_CONVERTED_BY_PRODUCT_UP_TO = 24


@in_own_precision
def hollow_row_sums(packed):
    """Return the row sums :math:`Z 1` of symmetric hollow matrices.

    Parameters
    ----------
    packed : array, shape=[..., n (n - 1) / 2]
        Strict lower entries, row by row.

    Returns
    -------
    row_sums : array, shape=[..., n]
        Sums of the rows.

    Examples
    --------
    >>> import numpy as np
    >>> from geomstats_cor.kernels import hollow_row_sums
    >>> hollow_row_sums(np.array([1.0, 2.0, 3.0]))
    array([3., 4., 5.])
    """
    size = _size(packed)
    if size <= _SUMMED_BY_PRODUCT_UP_TO:
        return packed @ constant(_incidence(size), packed)
    rows, columns = _rows_and_columns(size)
    by_rows = sum_by_index(packed, rows, size)
    return by_rows + sum_by_index(packed, columns, size)


@in_own_precision
def scale_packed_hollow(packed, factors):
    r"""Multiply the three pieces of symmetric hollow matrices by three numbers.

    The function `scale_hollow` on packed entries: with the row sums :math:`s = Z 1`,
    their mean :math:`m` and :math:`t = s - m`, entries of the trivial and the standard
    piece are

    .. math:: \frac{m}{n - 1} , \qquad \frac{t_i + t_j}{n - 2} .

    Parameters
    ----------
    packed : array, shape=[..., n (n - 1) / 2]
        Strict lower entries, row by row.
    factors : tuple of float or None
        Numbers for the rest, the standard and the trivial piece, see
        `hollow_eigenvalues`; None for an empty piece.

    Returns
    -------
    scaled : array, shape=[..., n (n - 1) / 2]
        Strict lower entries of the scaled matrices.

    References
    ----------
    .. [T2024] Y. Thanwerdas. Permutation-invariant log-Euclidean geometries on
       full-rank correlation matrices. SIAM J. Matrix Anal. Appl. 45, 2024.

    Examples
    --------
    >>> import numpy as np
    >>> from geomstats_cor.kernels import scale_packed_hollow
    >>> scale_packed_hollow(np.array([1.0, 2.0, 3.0]), (None, 0.0, 1.0)).round(12)
    array([2., 2., 2.])
    """
    if is_uniform(factors):
        return packed if factors[-1] == 1.0 else factors[-1] * packed
    half = scaled_pieces(hollow_row_sums(packed), factors)
    rows, columns = _rows_and_columns(_size(packed))
    rest, *_ = filled(factors)
    return rest * packed + take_last(half, rows) + take_last(half, columns)


@in_own_precision
def packed_hollow_norm(packed, eigenvalues):
    r"""Return the lengths of symmetric hollow matrices in an invariant product.

    .. math:: |Z| = \sqrt{\operatorname{tr}(Z \, A Z)} ,

    where :math:`A` multiplies the three pieces by the eigenvalues of the product. The
    derivative at the null matrix is zero.

    Parameters
    ----------
    packed : array, shape=[..., n (n - 1) / 2]
        Strict lower entries, row by row.
    eigenvalues : tuple of float or None
        Eigenvalues of the product, see `hollow_eigenvalues`.

    Returns
    -------
    norm : array, shape=[...]
        Lengths.

    References
    ----------
    .. [T2024] Y. Thanwerdas. Permutation-invariant log-Euclidean geometries on
       full-rank correlation matrices. SIAM J. Matrix Anal. Appl. 45, 2024.

    Examples
    --------
    >>> import numpy as np
    >>> from geomstats_cor.kernels import packed_hollow_norm
    >>> packed = np.array([3.0, 0.0, 4.0])
    >>> round(float(packed_hollow_norm(packed, (None, 2.0, 2.0))), 12)
    10.0
    """
    xp = namespace(packed)
    size = norm(packed)
    if is_uniform(eigenvalues):
        factor = math.sqrt(2.0 * eigenvalues[-1])
        return size if factor == 1.0 else factor * size
    alpha, beta, gamma = _coefficients(_size(packed), eigenvalues)
    row_sums = hollow_row_sums(packed)
    square = 2.0 * alpha * size**2 + beta * xp.sum(row_sums * row_sums, axis=-1)
    if gamma != 0.0:
        square = square + gamma * xp.sum(row_sums, axis=-1) ** 2
    return length(square)


def _coefficients(size, eigenvalues):
    """Return alpha, beta and gamma of `hollow_eigenvalues`, whose inverse this is."""
    rest, standard, trivial = filled(eigenvalues)
    beta = 2.0 * (standard - rest) / max(size - 2, 1)
    gamma = ((trivial - rest) / (size - 1) - beta) / size
    # Rounding is not to cost a pass.
    return rest, beta, gamma if abs(gamma) * size > 1e-15 * abs(beta) else 0.0


@in_own_precision
def packed_to_row0(packed):
    r"""Return :math:`Z - \operatorname{Diag}(Z 1)` for symmetric hollow :math:`Z`.

    Parameters
    ----------
    packed : array, shape=[..., n (n - 1) / 2]
        Strict lower entries, row by row.

    Returns
    -------
    matrix : array, shape=[..., n, n]
        Symmetric matrix with null row sums and the same strict lower entries.

    References
    ----------
    .. [C2026] Z. Chen, X. Wu, B. Schölkopf and N. Sebe. Riemannian networks over
       full-rank correlation matrices. ICML 2026.

    Examples
    --------
    >>> import numpy as np
    >>> from geomstats_cor.kernels import packed_to_row0
    >>> packed_to_row0(np.array([1.0, 2.0, 3.0]))
    array([[-3.,  1.,  2.],
           [ 1., -4.,  3.],
           [ 2.,  3., -5.]])
    """
    xp = namespace(packed)
    lower = unpack_strictly_lower(packed)
    hollow = lower + lower.mT
    return hollow - diagonal_matrix(xp.sum(hollow, axis=-1))


def row0_strict_part(coords, eigenvalues):
    """Return the strict lower entries of null-row-sum matrices.

    Parameters
    ----------
    coords : array, shape=[..., n (n - 1) / 2]
        Orthonormal coordinates, see `row0_to_coords`.
    eigenvalues : tuple of float or None
        Eigenvalues of the product, see `row0_eigenvalues`.

    Returns
    -------
    packed : array, shape=[..., n (n - 1) / 2]
        Strict lower entries, row by row.
    """
    return _converted(_strict_part, coords, eigenvalues)


def row0_from_strict_part(packed, eigenvalues):
    """Return the coordinates of null-row-sum matrices, see `row0_strict_part`.

    Parameters
    ----------
    packed : array, shape=[..., n (n - 1) / 2]
        Strict lower entries, row by row.
    eigenvalues : tuple of float or None
        Eigenvalues of the product.

    Returns
    -------
    coords : array, shape=[..., n (n - 1) / 2]
        Orthonormal coordinates.
    """
    return _converted(_from_strict_part, packed, eigenvalues)


def _strict_part(coords, eigenvalues):
    return pack_strictly_lower(row0_from_coords(coords, eigenvalues))


def _from_strict_part(packed, eigenvalues):
    return row0_to_coords(packed_to_row0(packed), eigenvalues)


def _converted(function, packed, eigenvalues):
    """Apply a linear map: as a matrix if it is small, and nothing is traced."""
    if _size(packed) > _CONVERTED_BY_PRODUCT_UP_TO or not is_readable(packed):
        return function(packed, eigenvalues)
    return packed @ constant(_matrix(function, packed.shape[-1], eigenvalues), packed)


@functools.lru_cache(maxsize=32)
def _matrix(function, dim, eigenvalues):
    return function(np.eye(dim), eigenvalues)


def is_uniform(factors):
    """Tell whether all pieces that are not empty have the same number."""
    rest, standard, trivial = factors
    return rest in (None, trivial) and standard in (None, trivial)


def _size(packed):
    return (1 + math.isqrt(1 + 8 * packed.shape[-1])) // 2


@functools.cache
def _incidence(size):
    """Return the matrix that sums rows of packed entries, shape=[d, n]."""
    rows, columns = _rows_and_columns(size)
    identity = np.eye(size)
    return identity[rows] + identity[columns]


@functools.cache
def _rows_and_columns(size):
    return np.tril_indices(size, -1)
