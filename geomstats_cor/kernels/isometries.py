r"""Linear isometries from the image spaces of the metrics onto Euclidean space.

- strictly lower triangular matrices LT0(n): the packed strict lower entries;
- symmetric hollow matrices Hol(n), with
  :math:`\alpha \operatorname{tr}(XY) + \beta \operatorname{Sum}(XY)
  + \gamma \operatorname{Sum}(X) \operatorname{Sum}(Y)`;
- symmetric matrices with null row sums Row0(n), with
  :math:`\alpha \operatorname{tr}(XY) + \delta \operatorname{tr}(\operatorname{Diag}(X)
  \operatorname{Diag}(Y)) + \zeta \operatorname{tr}(X) \operatorname{tr}(Y)`.

Under permutations, Hol(n) and Row0(n) both split into three orthogonal pieces: the
trivial one, the standard one, and the rest. A permutation-invariant product is a
positive number on each piece, relative to the Frobenius product: its eigenvalues,
always listed in the order (rest, standard, trivial), with None for a piece that is
empty (the rest for :math:`n \le 3`, the standard piece for :math:`n = 2`). The product,
its square root and the inverse of that are one function with different numbers.

References
----------
.. [T2024] Y. Thanwerdas. Permutation-invariant log-Euclidean geometries on full-rank
   correlation matrices. SIAM J. Matrix Anal. Appl. 45, 2024.
.. [C2026] Z. Chen, X. Wu, B. Schölkopf and N. Sebe. Riemannian networks over full-rank
   correlation matrices. ICML 2026.
"""

import functools
import math

import numpy as np

from ._arrays import (
    constant,
    device,
    diagonal,
    diagonal_matrix,
    is_torch,
    namespace,
    pair_sums,
)

_ROOT_TWO = math.sqrt(2.0)


def pack_strictly_lower(matrix):
    """Return the strict lower entries, row by row.

    Parameters
    ----------
    matrix : array, shape=[..., n, n]
        Matrix.

    Returns
    -------
    packed : array, shape=[..., n (n - 1) / 2]
        Entries (1, 0), (2, 0), (2, 1), (3, 0), ...
    """
    xp = namespace(matrix)
    size = matrix.shape[-1]
    # Factorisations come column by column; read so, they need not be copied.
    mirrored = is_torch(matrix) and matrix.mT.is_contiguous()
    index = _strictly_lower_entries(size, mirrored)
    index = xp.asarray(index, device=device(matrix))
    matrix = matrix.mT if mirrored else matrix
    entries = xp.reshape(matrix, (*matrix.shape[:-2], size * size))
    return xp.take(entries, index, axis=-1)


def unpack_strictly_lower(packed):
    """Return strictly lower triangular matrices from their packed entries.

    Parameters
    ----------
    packed : array, shape=[..., n (n - 1) / 2]
        Entries (1, 0), (2, 0), (2, 1), (3, 0), ...

    Returns
    -------
    matrix : array, shape=[..., n, n]
        Strictly lower triangular matrix.
    """
    size = (1 + math.isqrt(1 + 8 * packed.shape[-1])) // 2
    return _gather(packed, _lower_positions(size, -1))


def hollow_eigenvalues(size, alpha, beta, gamma):
    r"""Return the eigenvalues of a permutation-invariant product on Hol(n).

    Parameters
    ----------
    size : int
        Size n of the matrices.
    alpha, beta, gamma : float
        Coefficients of the product.

    Returns
    -------
    eigenvalues : tuple of float or None
        Numbers on the rest, the standard and the trivial piece; None where it is empty.
    """
    return (
        alpha if size > 3 else None,
        alpha + 0.5 * (size - 2) * beta if size > 2 else None,
        alpha + (size - 1) * (beta + size * gamma),
    )


def scale_hollow(matrix, factors):
    """Multiply the three pieces of a symmetric hollow matrix by three numbers.

    Parameters
    ----------
    matrix : array, shape=[..., n, n]
        Symmetric hollow matrix.
    factors : tuple of float or None
        Numbers for the rest, the standard and the trivial piece.

    Returns
    -------
    scaled : array, shape=[..., n, n]
        Symmetric hollow matrix.
    """
    rest, standard, trivial = _fill(factors)
    if rest == standard == trivial:
        return matrix if rest == 1.0 else rest * matrix
    xp = namespace(matrix)
    size = matrix.shape[-1]
    row_sums = xp.sum(matrix, axis=-1)
    mean = xp.mean(row_sums, axis=-1, keepdims=True)
    half = (standard - rest) * (row_sums - mean) / max(size - 2, 1)
    half = half + 0.5 * (trivial - rest) * mean / (size - 1)
    pieces = half[..., :, None] + half[..., None, :]
    return rest * matrix + pieces - diagonal_matrix(2.0 * half)


def roots(eigenvalues):
    """Return the square roots of the eigenvalues of a product.

    Parameters
    ----------
    eigenvalues : tuple of float or None
        Eigenvalues of the product.

    Returns
    -------
    roots : tuple of float or None
        Their square roots; None where a piece is empty.
    """
    return tuple(None if value is None else math.sqrt(value) for value in eigenvalues)


def hollow_to_coords(matrix, eigenvalues):
    """Map symmetric hollow matrices isometrically onto Euclidean space.

    Parameters
    ----------
    matrix : array, shape=[..., n, n]
        Symmetric hollow matrix.
    eigenvalues : tuple of float or None
        Eigenvalues of the product, see `hollow_eigenvalues`.

    Returns
    -------
    coords : array, shape=[..., n (n - 1) / 2]
        Orthonormal coordinates.
    """
    return _ROOT_TWO * pack_strictly_lower(scale_hollow(matrix, roots(eigenvalues)))


def hollow_from_coords(coords, eigenvalues):
    """Invert `hollow_to_coords`.

    Parameters
    ----------
    coords : array, shape=[..., n (n - 1) / 2]
        Orthonormal coordinates.
    eigenvalues : tuple of float or None
        Eigenvalues of the product, see `hollow_eigenvalues`.

    Returns
    -------
    matrix : array, shape=[..., n, n]
        Symmetric hollow matrix.
    """
    lower = unpack_strictly_lower(coords / _ROOT_TWO)
    return scale_hollow(lower + lower.mT, _inverse(roots(eigenvalues)))


def row0_eigenvalues(size, alpha, delta, zeta):
    r"""Return the eigenvalues of a permutation-invariant product on Row0(n).

    Parameters
    ----------
    size : int
        Size n of the matrices.
    alpha, delta, zeta : float
        Coefficients of the product.

    Returns
    -------
    eigenvalues : tuple of float or None
        Numbers on the rest, the standard and the trivial piece; None where it is empty.
    """
    return (
        alpha if size > 3 else None,
        alpha + (size - 2) / size * delta if size > 2 else None,
        alpha + (size - 1) * (delta / size + zeta),
    )


def scale_row0(matrix, factors):
    """Multiply the three pieces of a null-row-sum matrix by three numbers.

    Parameters
    ----------
    matrix : array, shape=[..., n, n]
        Symmetric matrix with null row sums.
    factors : tuple of float or None
        Numbers for the rest, the standard and the trivial piece.

    Returns
    -------
    scaled : array, shape=[..., n, n]
        Symmetric matrix with null row sums.
    """
    rest, standard, trivial = _fill(factors)
    if rest == standard == trivial:
        return matrix if rest == 1.0 else rest * matrix
    xp = namespace(matrix)
    size = matrix.shape[-1]
    diag = diagonal(matrix)
    mean = xp.mean(diag, axis=-1, keepdims=True)
    weights = (standard - rest) * (diag - mean) * (size / max(size - 2, 1))
    weights = weights + (trivial - rest) * mean * (size / (size - 1))
    return rest * matrix + center(diagonal_matrix(weights))


def row0_to_coords(matrix, eigenvalues):
    r"""Map null-row-sum matrices isometrically onto Euclidean space.

    With the Helmert matrix :math:`Q`, whose columns are an orthonormal basis of the
    vectors of sum zero, :math:`R = Q S Q^\top`, and the coordinates are the entries of
    the scaled :math:`S` with a factor :math:`\sqrt 2` off the diagonal.

    Parameters
    ----------
    matrix : array, shape=[..., n, n]
        Symmetric matrix with null row sums.
    eigenvalues : tuple of float or None
        Eigenvalues of the product, see `row0_eigenvalues`.

    Returns
    -------
    coords : array, shape=[..., n (n - 1) / 2]
        Orthonormal coordinates.
    """
    basis = constant(helmert(matrix.shape[-1]), matrix)
    reduced = basis.mT @ scale_row0(matrix, roots(eigenvalues)) @ basis
    rows, columns = np.tril_indices(reduced.shape[-1])
    weights = _lower_weights(reduced.shape[-1], 1.0, _ROOT_TWO)
    return reduced[..., rows, columns] * constant(weights, reduced)


def row0_from_coords(coords, eigenvalues):
    """Invert `row0_to_coords`.

    Parameters
    ----------
    coords : array, shape=[..., n (n - 1) / 2]
        Orthonormal coordinates.
    eigenvalues : tuple of float or None
        Eigenvalues of the product, see `row0_eigenvalues`.

    Returns
    -------
    matrix : array, shape=[..., n, n]
        Symmetric matrix with null row sums.
    """
    size = (math.isqrt(1 + 8 * coords.shape[-1]) - 1) // 2
    weights = _lower_weights(size, 0.5, 1.0 / _ROOT_TWO)
    lower = _gather(coords * constant(weights, coords), _lower_positions(size, 0))
    basis = constant(helmert(size + 1), coords)
    matrix = basis @ (lower + lower.mT) @ basis.mT
    return scale_row0(matrix, _inverse(roots(eigenvalues)))


def row0_from_printed(values):
    r"""Return null-row-sum matrices from their components in the basis of [C2026].

    The leading block :math:`\widetilde R` of size m - 1 has the components divided by
    :math:`\sqrt 6` off and by :math:`\sqrt 3` on its diagonal; the last row and column
    make the row sums null. The basis is not orthonormal.

    Parameters
    ----------
    values : array, shape=[..., m (m - 1) / 2]
        Components, for the lower triangle of the leading block, row by row.

    Returns
    -------
    matrix : array, shape=[..., m, m]
        Symmetric matrix with null row sums.
    """
    xp = namespace(values)
    size = (math.isqrt(1 + 8 * values.shape[-1]) - 1) // 2
    weights = _lower_weights(size, 0.5 / math.sqrt(3.0), 1.0 / math.sqrt(6.0))
    lower = _gather(values * constant(weights, values), _lower_positions(size, 0))
    block = lower + lower.mT
    block = xp.concat([block, -xp.sum(block, axis=-2, keepdims=True)], axis=-2)
    return xp.concat([block, -xp.sum(block, axis=-1, keepdims=True)], axis=-1)


def center(matrix):
    """Project symmetric matrices orthogonally onto null row sums.

    Parameters
    ----------
    matrix : array, shape=[..., n, n]
        Symmetric matrix.

    Returns
    -------
    centered : array, shape=[..., n, n]
        Symmetric matrix with null row sums.
    """
    xp = namespace(matrix)
    means = xp.mean(matrix, axis=-1)
    return matrix - pair_sums(means - 0.5 * xp.mean(means, axis=-1, keepdims=True))


@functools.cache
def helmert(size):
    """Return the Helmert matrix: an orthonormal basis of the vectors of sum zero.

    Parameters
    ----------
    size : int
        Size n.

    Returns
    -------
    basis : numpy.ndarray, shape=[n, n - 1]
        Orthonormal columns, each of sum zero.
    """
    order = np.arange(1, size)
    column = np.triu(np.ones((size, size - 1)))
    column[order, order - 1] = -order
    return column / np.sqrt(order * (order + 1.0))


def _fill(factors):
    """Give an empty piece the number of the trivial one: it multiplies nothing."""
    return tuple(factors[-1] if factor is None else factor for factor in factors)


def _inverse(factors):
    return tuple(None if value is None else 1.0 / value for value in factors)


def _lower_weights(size, on_diagonal, off_diagonal):
    """Return a number for each packed entry of a lower triangle.

    The dtype is spelled out: torch.compile takes bare numbers for float32.
    """
    rows, columns = np.tril_indices(size)
    off = np.full(len(rows), off_diagonal, dtype=np.float64)
    return np.where(rows == columns, np.full_like(off, on_diagonal), off)


@functools.cache
def _strictly_lower_entries(size, mirrored):
    """Return where the strict lower entries stand in the flattened matrix.

    Or in that of its transpose.
    """
    rows, columns = np.tril_indices(size, -1)
    return columns * size + rows if mirrored else rows * size + columns


@functools.cache
def _lower_positions(size, offset):
    """Return where each entry of a lower triangle stands in its packed vector.

    Entries above it point one past the end, where `_gather` puts a zero.
    """
    rows, columns = np.tril_indices(size, offset)
    positions = np.full((size, size), len(rows))
    positions[rows, columns] = np.arange(len(rows))
    return positions.reshape(-1)


def _gather(packed, positions):
    xp = namespace(packed)
    zero = xp.zeros_like(packed[..., :1])
    if packed.shape[-1] == 0:
        zero = xp.zeros(
            (*packed.shape[:-1], 1), dtype=packed.dtype, device=device(packed)
        )
    size = math.isqrt(len(positions))
    index = xp.asarray(positions, device=device(packed))
    full = xp.take(xp.concat([packed, zero], axis=-1), index, axis=-1)
    return xp.reshape(full, (*packed.shape[:-1], size, size))
