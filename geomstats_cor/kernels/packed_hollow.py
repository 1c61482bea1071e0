"""Symmetric hollow matrices, given by their packed strict lower entries.

A stack of many such matrices (the weights of a layer) never becomes a stack of square
matrices: row sums are all that a permutation-invariant product needs beyond the
entries themselves.
"""

import functools
import math

import numpy as np

from ._arrays import (
    add_product,
    constant,
    diagonal,
    diagonal_matrix,
    namespace,
    pair_sums,
    sum_by_index,
    take_last,
)
from ._gradients import is_readable
from ._smooth import length, norm
from .isometries import (
    filled,
    pack_strictly_lower,
    row0_from_coords,
    scale_row0,
    scaled_pieces,
    unpack_strictly_lower,
)

# Sizes up to which a product with a matrix that is kept is cheaper than what it does.
_SUMMED_BY_PRODUCT_UP_TO = 48
_CONVERTED_BY_PRODUCT_UP_TO = 24


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


def row0_covector(matrix):
    r"""Return the adjoint of `packed_to_row0`.

    .. math:: x_{ij} = 2 X_{ij} - X_{ii} - X_{jj} , \quad i > j ,

    so that :math:`\operatorname{tr}(X R) = \sum_{i > j} x_{ij} R_{ij}` for symmetric
    :math:`R` with null row sums.

    Parameters
    ----------
    matrix : array, shape=[..., n, n]
        Symmetric matrix :math:`X`, of which the lower triangle is read.

    Returns
    -------
    covector : array, shape=[..., n (n - 1) / 2]
        The numbers :math:`x_{ij}`, row by row.
    """
    size, diag = matrix.shape[-1], diagonal(matrix)
    if size > _SUMMED_BY_PRODUCT_UP_TO:
        return 2.0 * pack_strictly_lower(matrix - pair_sums(0.5 * diag))
    # The same sums of pairs, packed from the start: no pass over the matrices.
    packed = pack_strictly_lower(matrix)
    sums = constant(_incidence(size), matrix).mT
    return add_product(packed, diag, sums, number=2.0, factor=-1.0)


def row0_covector_of_coords(coords, eigenvalues):
    r"""Return `row0_covector` of the image by a product of null-row-sum matrices.

    .. math:: x_{ij} = 2 Y_{ij} - Y_{ii} - Y_{jj} , \quad i > j , \qquad Y = A X ,

    where :math:`\langle X, Y \rangle = \operatorname{tr}(X \, A Y)` is the product, and
    :math:`X` is given by its coordinates.

    Parameters
    ----------
    coords : array, shape=[..., n (n - 1) / 2]
        Orthonormal coordinates of :math:`X`, see `row0_to_coords`.
    eigenvalues : tuple of float or None
        Eigenvalues of the product, see `row0_eigenvalues`.

    Returns
    -------
    covector : array, shape=[..., n (n - 1) / 2]
        The numbers :math:`x_{ij}`, row by row.
    """
    # What is traced cannot make the matrix, and gains nothing by it.
    if _size(coords) <= _CONVERTED_BY_PRODUCT_UP_TO and is_readable(coords):
        conversion = _conversion(coords.shape[-1], eigenvalues)
        return coords @ constant(conversion, coords)
    return _covector_of_coords(coords, eigenvalues)


def _covector_of_coords(coords, eigenvalues):
    matrix = row0_from_coords(coords, eigenvalues)
    return row0_covector(scale_row0(matrix, eigenvalues))


@functools.lru_cache(maxsize=16)
def _conversion(dim, eigenvalues):
    """Return the matrix that makes covectors of rows of coordinates."""
    return _covector_of_coords(np.eye(dim), eigenvalues)


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
