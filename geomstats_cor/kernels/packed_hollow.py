"""Symmetric hollow matrices, given by their packed strict lower entries.

A stack of many such matrices (the weights of a layer) never becomes a stack of square
matrices: row sums are all that a permutation-invariant product needs beyond the
entries themselves.
"""

import functools
import math

import numpy as np

from ._arrays import device, diagonal_matrix, namespace, sum_by_index
from ._smooth import length
from .isometries import unpack_strictly_lower


def hollow_row_sums(packed):
    """Return the row sums of symmetric hollow matrices.

    Parameters
    ----------
    packed : array, shape=[..., n (n - 1) / 2]
        Strict lower entries, row by row.

    Returns
    -------
    row_sums : array, shape=[..., n]
        Sums of the rows.
    """
    size = _size(packed)
    rows, columns = _rows_and_columns(size)
    by_rows = sum_by_index(packed, rows, size)
    return by_rows + sum_by_index(packed, columns, size)


def scale_packed_hollow(packed, factors):
    """Multiply the three pieces of symmetric hollow matrices by three numbers.

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
    """
    if is_uniform(factors):
        return packed if factors[-1] == 1.0 else factors[-1] * packed
    xp = namespace(packed)
    half = _scaled_pieces(hollow_row_sums(packed), factors)
    rows, columns = (
        xp.asarray(index, device=device(packed))
        for index in _rows_and_columns(_size(packed))
    )
    return (
        _rest(factors) * packed
        + xp.take(half, rows, axis=-1)
        + xp.take(half, columns, axis=-1)
    )


def _rest(factors):
    return factors[-1] if factors[0] is None else factors[0]


def _scaled_pieces(row_sums, factors):
    """Return the vector h of which scaling adds h_i + h_j, beyond a factor on all."""
    xp = namespace(row_sums)
    size = row_sums.shape[-1]
    rest, standard, trivial = (
        factors[-1] if factor is None else factor for factor in factors
    )
    mean = xp.mean(row_sums, axis=-1, keepdims=True)
    half = (standard - rest) * (row_sums - mean) / max(size - 2, 1)
    return half + 0.5 * (trivial - rest) * mean / (size - 1)


def packed_hollow_norm(packed, eigenvalues):
    """Return the lengths of symmetric hollow matrices in an invariant product.

    The derivative at the null matrix is zero.

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
    """
    xp = namespace(packed)
    if is_uniform(eigenvalues):
        norm = xp.linalg.vector_norm(packed, axis=-1)
        return math.sqrt(2.0 * eigenvalues[-1]) * norm
    row_sums = hollow_row_sums(packed)
    half = _scaled_pieces(row_sums, eigenvalues)
    square = _rest(eigenvalues) * xp.sum(packed * packed, axis=-1)
    return length(2.0 * (square + xp.sum(row_sums * half, axis=-1)))


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
    """
    xp = namespace(packed)
    lower = unpack_strictly_lower(packed)
    hollow = lower + lower.mT
    return hollow - diagonal_matrix(xp.sum(hollow, axis=-1))


def is_uniform(factors):
    """Tell whether all pieces that are not empty have the same number."""
    return all(factor is None or factor == factors[-1] for factor in factors)


def _size(packed):
    return (1 + math.isqrt(1 + 8 * packed.shape[-1])) // 2


@functools.cache
def _rows_and_columns(size):
    return np.tril_indices(size, -1)
