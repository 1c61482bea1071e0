r"""Symmetric matrices with null row sums, Row0(n).

References
----------
.. [C2026] Z. Chen, X. Wu, B. Schölkopf and N. Sebe. Riemannian networks over full-rank
   correlation matrices. ICML 2026.
"""

import functools
import math

import numpy as np

from .._types import Array
from ._array import constant, diagonal_matrix, namespace, pair_sums
from ._precision import in_own_precision
from .packing import pack_lower, unpack_lower, unpack_strictly_lower

_ROOT_TWO = math.sqrt(2.0)


@in_own_precision
def center(matrix: Array) -> Array:
    r"""Project symmetric matrices orthogonally onto null row sums.

    .. math:: J X J , \qquad J = I - \tfrac1n 1 1^\top .

    Parameters
    ----------
    matrix : array, shape=[..., n, n]
        Symmetric matrix.

    Returns
    -------
    centered : array, shape=[..., n, n]
        Symmetric matrix with null row sums.

    Examples
    --------
    >>> import numpy as np
    >>> from geomstats_cor.kernels import center
    >>> center(np.eye(2))
    array([[ 0.5, -0.5],
           [-0.5,  0.5]])
    """
    xp = namespace(matrix)
    means = xp.mean(matrix, axis=-1)
    return matrix - pair_sums(means - 0.5 * xp.mean(means, axis=-1, keepdims=True))


@in_own_precision
def packed_to_row0(packed: Array) -> Array:
    r"""Return :math:`Z - \operatorname{Diag}(Z 1)` for symmetric hollow :math:`Z`.

    Parameters
    ----------
    packed : array, shape=[..., n (n - 1) / 2]
        Strict lower entries, row by row.

    Returns
    -------
    matrix : array, shape=[..., n, n]
        Symmetric matrix with null row sums and the same strict lower entries.

    Examples
    --------
    >>> import numpy as np
    >>> from geomstats_cor.kernels import packed_to_row0
    >>> packed_to_row0(np.array([1.0, 2.0, 3.0]))
    array([[-3.,  1.,  2.],
           [ 1., -4.,  3.],
           [ 2.,  3., -5.]])
    """
    lower = unpack_strictly_lower(packed)
    return null_row_sums(lower + lower.mT)


@in_own_precision
def helmert_coords(matrix: Array) -> Array:
    r"""Map null-row-sum matrices isometrically onto Euclidean space.

    With the Helmert matrix :math:`Q`, whose columns are an orthonormal basis of the
    vectors of sum zero, :math:`R = Q S Q^\top`, and the coordinates are the entries of
    :math:`S` with a factor :math:`\sqrt 2` off the diagonal.

    Parameters
    ----------
    matrix : array, shape=[..., n, n]
        Symmetric matrix with null row sums.

    Returns
    -------
    coords : array, shape=[..., n (n - 1) / 2]
        Orthonormal coordinates in the Frobenius product.

    Examples
    --------
    >>> import numpy as np
    >>> from geomstats_cor.kernels import helmert_coords
    >>> matrix = np.array([[3.0, -1.0, -2.0], [-1.0, 1.0, 0.0], [-2.0, 0.0, 2.0]])
    >>> coords = helmert_coords(matrix)
    >>> round(float(coords @ coords), 12), float(np.trace(matrix @ matrix))
    (24.0, 24.0)
    """
    basis = constant(helmert(matrix.shape[-1]), matrix)
    reduced = basis.mT @ matrix @ basis
    weights = _lower_weights(reduced.shape[-1], 1.0, _ROOT_TWO)
    return pack_lower(reduced, 0) * constant(weights, reduced)


@in_own_precision
def from_helmert_coords(coords: Array) -> Array:
    r"""Invert `helmert_coords`.

    The matrix is :math:`Q S Q^\top` with the Helmert matrix :math:`Q` and the
    coordinates as entries of the symmetric :math:`S`, divided by :math:`\sqrt 2` off
    the diagonal.

    Parameters
    ----------
    coords : array, shape=[..., n (n - 1) / 2]
        Orthonormal coordinates in the Frobenius product.

    Returns
    -------
    matrix : array, shape=[..., n, n]
        Symmetric matrix with null row sums.

    Examples
    --------
    >>> import numpy as np
    >>> from geomstats_cor.kernels import from_helmert_coords
    >>> coords = np.array([1.0, 2.0, 3.0])
    >>> matrix = from_helmert_coords(coords)
    >>> matrix.sum(axis=0).round(12) + 0.0
    array([0., 0., 0.])
    >>> round(float(np.trace(matrix @ matrix)), 12), float(coords @ coords)
    (14.0, 14.0)
    """
    reduced = _symmetric(coords, 1.0, 1.0 / _ROOT_TWO)
    basis = constant(helmert(reduced.shape[-1] + 1), coords)
    return basis @ reduced @ basis.mT


@in_own_precision
def row0_from_printed(values: Array) -> Array:
    r"""Return null-row-sum matrices from their components in the basis of [C2026]_.

    .. math:: R = \begin{pmatrix} \widetilde R & -\widetilde R 1 \\
              -1^\top \widetilde R & 1^\top \widetilde R 1 \end{pmatrix} .

    The leading block :math:`\widetilde R` of size m - 1 has the components divided by
    :math:`\sqrt 6` off and by :math:`\sqrt 3` on its diagonal. The basis is not
    orthonormal.

    Parameters
    ----------
    values : array, shape=[..., m (m - 1) / 2]
        Components, for the lower triangle of the leading block, row by row.

    Returns
    -------
    matrix : array, shape=[..., m, m]
        Symmetric matrix with null row sums.

    References
    ----------
    .. [C2026] Z. Chen, X. Wu, B. Schölkopf and N. Sebe. Riemannian networks over
       full-rank correlation matrices. ICML 2026.

    Examples
    --------
    >>> import numpy as np
    >>> from geomstats_cor.kernels import row0_from_printed
    >>> row0_from_printed(np.sqrt([3.0, 6.0, 3.0])).round(12)
    array([[ 1.,  1., -2.],
           [ 1.,  1., -2.],
           [-2., -2.,  4.]])
    """
    xp = namespace(values)
    block = _symmetric(values, 1.0 / math.sqrt(3.0), 1.0 / math.sqrt(6.0))
    block = xp.concat([block, -xp.sum(block, axis=-2, keepdims=True)], axis=-2)
    return xp.concat([block, -xp.sum(block, axis=-1, keepdims=True)], axis=-1)


@functools.cache
def helmert(size: int) -> Array:
    r"""Return the Helmert matrix: an orthonormal basis of the vectors of sum zero.

    .. math:: Q_{\cdot j} = \frac{(1, \dots, 1, -j, 0, \dots, 0)}{\sqrt{j (j + 1)}}
              \quad (j \text{ ones}) , \qquad Q^\top Q = I , \quad 1^\top Q = 0 .

    Parameters
    ----------
    size : int
        Size n.

    Returns
    -------
    basis : numpy.ndarray, shape=[n, n - 1]
        Orthonormal columns, each of sum zero.

    Examples
    --------
    >>> import numpy as np
    >>> from geomstats_cor.kernels import helmert
    >>> basis = helmert(3)
    >>> basis.round(4)
    array([[ 0.7071,  0.4082],
           [-0.7071,  0.4082],
           [ 0.    , -0.8165]])
    >>> (basis.T @ basis).round(12) + 0.0
    array([[1., 0.],
           [0., 1.]])
    """
    order = np.arange(1, size)
    column = np.triu(np.ones((size, size - 1)))
    column[order, order - 1] = -order
    return column / np.sqrt(order * (order + 1.0))


def null_row_sums(hollow: Array) -> Array:
    """Return symmetric matrices with null row sums and given off-diagonal entries."""
    return hollow - diagonal_matrix(namespace(hollow).sum(hollow, axis=-1))


def _symmetric(packed, on_diagonal, off_diagonal):
    """Return symmetric matrices from packed entries and factors for these."""
    size = (math.isqrt(1 + 8 * packed.shape[-1]) - 1) // 2
    weights = _lower_weights(size, 0.5 * on_diagonal, off_diagonal)
    lower = unpack_lower(packed * constant(weights, packed), 0)
    return lower + lower.mT


@functools.cache
def _lower_weights(size, on_diagonal, off_diagonal):
    """Return a number for each packed entry of a lower triangle.

    The dtype is spelled out: torch.compile takes bare numbers for float32.
    """
    rows, columns = np.tril_indices(size)
    off = np.full(len(rows), off_diagonal, dtype=np.float64)
    return np.where(rows == columns, np.full_like(off, on_diagonal), off)
