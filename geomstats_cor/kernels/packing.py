"""Lower triangular matrices as vectors of their entries, row by row."""

import functools
import math

import numpy as np

from .._types import Array
from ._array import is_torch, namespace, sum_by_index, take_last
from ._precision import in_own_precision


def pack_strictly_lower(matrix: Array) -> Array:
    r"""Return the strict lower entries, row by row.

    .. math:: (X_{10}, X_{20}, X_{21}, X_{30}, \dots) .

    Parameters
    ----------
    matrix : array, shape=[..., n, n]
        Matrix.

    Returns
    -------
    packed : array, shape=[..., n (n - 1) / 2]
        Entries (1, 0), (2, 0), (2, 1), (3, 0), ...

    Examples
    --------
    >>> import numpy as np
    >>> from geomstats_cor.kernels import pack_strictly_lower
    >>> pack_strictly_lower(np.array([[1, 2, 4], [2, 1, 6], [4, 6, 1]]))
    array([2, 4, 6])
    """
    return pack_lower(matrix, -1)


def unpack_strictly_lower(packed: Array) -> Array:
    r"""Return strictly lower triangular matrices from their packed entries.

    .. math:: (v_1, v_2, v_3, \dots) \mapsto \begin{pmatrix}
              0 & & & \\ v_1 & 0 & & \\ v_2 & v_3 & 0 & \\ \vdots & & & \ddots
              \end{pmatrix} ,

    the inverse of `pack_strictly_lower` on these matrices.

    Parameters
    ----------
    packed : array, shape=[..., n (n - 1) / 2]
        Entries (1, 0), (2, 0), (2, 1), (3, 0), ...

    Returns
    -------
    matrix : array, shape=[..., n, n]
        Strictly lower triangular matrix.

    Examples
    --------
    >>> import numpy as np
    >>> from geomstats_cor.kernels import unpack_strictly_lower
    >>> unpack_strictly_lower(np.array([2, 4, 6]))
    array([[0, 0, 0],
           [2, 0, 0],
           [4, 6, 0]])
    """
    return unpack_lower(packed, -1)


@in_own_precision
def hollow_row_sums(packed: Array) -> Array:
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
    size = triangle_size(packed, -1)
    rows, columns = lower_indices(size, -1)
    by_rows = sum_by_index(packed, rows, size)
    return by_rows + sum_by_index(packed, columns, size)


def pack_lower(matrix: Array, offset: int) -> Array:
    """Return the entries on and below the diagonal with an offset, row by row."""
    size = matrix.shape[-1]
    rows, columns = lower_indices(size, offset)
    # Torch factorises into columns: indexing the transpose saves a copy.
    if is_torch(matrix) and not matrix.is_contiguous() and matrix.mT.is_contiguous():
        matrix, rows, columns = matrix.mT, columns, rows
    flat = matrix.reshape((*matrix.shape[:-2], size * size))
    return take_last(flat, rows * size + columns)


def unpack_lower(packed: Array, offset: int) -> Array:
    """Invert `pack_lower`, with zeros above that diagonal."""
    xp = namespace(packed)
    size = triangle_size(packed, offset)
    shape = (*packed.shape[:-1], 1)
    zero = xp.zeros(shape, dtype=packed.dtype, device=packed.device)
    full = take_last(xp.concat([packed, zero], axis=-1), _positions(size, offset))
    return xp.reshape(full, (*packed.shape[:-1], size, size))


def triangle_size(packed: Array, offset: int) -> int:
    """Return the size n of the matrices with given packed entries."""
    return (math.isqrt(1 + 8 * packed.shape[-1]) - 1) // 2 - offset


@functools.cache
def lower_indices(size: int, offset: int) -> tuple[np.ndarray, np.ndarray]:
    """Return rows and columns of the entries that `pack_lower` returns."""
    return np.tril_indices(size, offset)


@functools.cache
def _positions(size, offset):
    """Return the index of each entry of the matrix in its packed vector.

    Entries above the diagonal have the index one past the end, where
    `unpack_lower` appends a zero.
    """
    rows, columns = lower_indices(size, offset)
    positions = np.full((size, size), len(rows))
    positions[rows, columns] = np.arange(len(rows))
    return positions.reshape(-1)
