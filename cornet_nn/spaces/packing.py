r"""Symmetric matrices as vectors.

.. math:: \operatorname{svec}(V) = (V_{11}, \sqrt2 V_{21}, V_{22}, \sqrt2 V_{31},
          \dots, V_{nn})

is an isometry from the Frobenius product of symmetric matrices to
:math:`\mathbb{R}^{n (n + 1) / 2}`.
"""

import math
from typing import Any

import torch
from torch import Tensor


def lower_indices(n: int, device: Any = None) -> Tensor:
    """Return rows and columns of the lower entries of a matrix, row by row.

    Parameters
    ----------
    n : int
        Size of the matrix.
    device : torch.device
        Device of the indices.

    Returns
    -------
    rows, columns : tensor of int, shape=[n (n + 1) / 2]
        Indices.
    """
    return torch.tril_indices(n, n, device=device)


def pack_lower(matrix: Tensor) -> Tensor:
    """Return the lower entries of matrices.

    Parameters
    ----------
    matrix : tensor, shape=[..., n, n]
        Matrices.

    Returns
    -------
    packed : tensor, shape=[..., n (n + 1) / 2]
        Lower entries, row by row.
    """
    n = matrix.shape[-1]
    rows, columns = lower_indices(n, matrix.device)
    # Its backward pass is faster than that of an index for rows and one for columns.
    return matrix.flatten(-2).index_select(-1, rows * n + columns)


def unpack_lower(packed: Tensor) -> Tensor:
    """Return the lower triangular matrices with given entries.

    Parameters
    ----------
    packed : tensor, shape=[..., n (n + 1) / 2]
        Lower entries, row by row.

    Returns
    -------
    lower : tensor, shape=[..., n, n]
        Lower triangular matrices.
    """
    n = math.isqrt(2 * packed.shape[-1])
    rows, columns = lower_indices(n, packed.device)
    flat = packed.new_zeros(*packed.shape[:-1], n * n)
    flat = flat.index_copy(-1, rows * n + columns, packed)
    return flat.unflatten(-1, (n, n))


def entry_scales(n: int, diagonal: float, off_diagonal: float, like: Tensor) -> Tensor:
    """Return a number for each lower entry, one value on the diagonal, one off it.

    Parameters
    ----------
    n : int
        Size of the matrices.
    diagonal, off_diagonal : float
        Values.
    like : tensor
        Tensor whose dtype and device the result has.

    Returns
    -------
    scales : tensor, shape=[n (n + 1) / 2]
        Values.
    """
    rows, columns = lower_indices(n, like.device)
    scales = like.new_full(rows.shape, off_diagonal)
    return scales.masked_fill(rows == columns, diagonal)


def svec(matrix: Tensor) -> Tensor:
    """Return symmetric matrices as vectors, isometrically.

    Parameters
    ----------
    matrix : tensor, shape=[..., n, n]
        Symmetric matrices; the lower triangle is read.

    Returns
    -------
    vector : tensor, shape=[..., n (n + 1) / 2]
        Vectors of the same lengths.

    Examples
    --------
    >>> import torch
    >>> svec(torch.tensor([[3.0, 4.0], [4.0, 3.0]])).square().sum().round()
    tensor(50.)
    """
    scales = entry_scales(matrix.shape[-1], 1.0, math.sqrt(2.0), matrix)
    return scales * pack_lower(matrix)


def unsvec(vector: Tensor) -> Tensor:
    """Invert `svec`.

    Parameters
    ----------
    vector : tensor, shape=[..., n (n + 1) / 2]
        Vectors.

    Returns
    -------
    matrix : tensor, shape=[..., n, n]
        Symmetric matrices.

    Examples
    --------
    >>> import torch
    >>> unsvec(torch.tensor([1.0, 0.0, 2.0]))
    tensor([[1., 0.],
            [0., 2.]])
    """
    n = math.isqrt(2 * vector.shape[-1])
    # Half of the diagonal, as it is added to itself.
    scales = entry_scales(n, 0.5, math.sqrt(0.5), vector)
    lower = unpack_lower(scales * vector)
    return lower + lower.mT
