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

from ._array import (
    constant,
    diagonal,
    diagonal_matrix,
    is_torch,
    namespace,
    pair_sums,
    take_last,
)
from ._precision import in_own_precision

_ROOT_TWO = math.sqrt(2.0)


def pack_strictly_lower(matrix):
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
    return _pack_lower(matrix, -1)


def _pack_lower(matrix, offset):
    """Return the entries up to a diagonal, row by row."""
    size = matrix.shape[-1]
    # Factorisations come column by column; read so, they need not be copied.
    mirrored = is_torch(matrix) and _is_by_columns(matrix)
    index = _lower_entries(size, offset, mirrored)
    matrix = matrix.mT if mirrored else matrix
    return take_last(matrix.reshape((*matrix.shape[:-2], size * size)), index)


def _is_by_columns(tensor):
    return not tensor.is_contiguous() and tensor.mT.is_contiguous()


def unpack_strictly_lower(packed):
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
    size = (1 + math.isqrt(1 + 8 * packed.shape[-1])) // 2
    return _gather(packed, _lower_positions(size, -1))


def hollow_eigenvalues(size, alpha, beta, gamma):
    r"""Return the eigenvalues of a permutation-invariant product on Hol(n).

    Relative to the Frobenius product, those of

    .. math:: \alpha \operatorname{tr}(X Y) + \beta \operatorname{Sum}(X Y)
              + \gamma \operatorname{Sum}(X) \operatorname{Sum}(Y)

    are :math:`\alpha` on the rest, :math:`\alpha + \frac{n - 2}{2} \beta` on the
    standard and :math:`\alpha + (n - 1) (\beta + n \gamma)` on the trivial piece.

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

    References
    ----------
    .. [T2024] Y. Thanwerdas. Permutation-invariant log-Euclidean geometries on
       full-rank correlation matrices. SIAM J. Matrix Anal. Appl. 45, 2024.

    Examples
    --------
    The trivial piece holds the matrices with equal entries:

    >>> import numpy as np
    >>> from geomstats_cor.kernels import hollow_eigenvalues
    >>> hollow_eigenvalues(4, 1.0, 0.5, 0.25)
    (1.0, 1.5, 5.5)
    >>> equal = np.ones((4, 4)) - np.eye(4)
    >>> square = equal @ equal
    >>> product = np.trace(square) + 0.5 * square.sum() + 0.25 * equal.sum() ** 2
    >>> float(product / np.trace(square))
    5.5
    """
    return (
        alpha if size > 3 else None,
        alpha + 0.5 * (size - 2) * beta if size > 2 else None,
        alpha + (size - 1) * (beta + size * gamma),
    )


@in_own_precision
def scale_hollow(matrix, factors):
    r"""Multiply the three pieces of a symmetric hollow matrix by three numbers.

    With the row sums :math:`s = X 1`, their mean :math:`m` and :math:`t = s - m`, the
    trivial and the standard piece, which the rest completes to :math:`X`, are

    .. math:: \frac{m}{n - 1} (1 1^\top - I) , \qquad
              \frac{1}{n - 2} \operatorname{off}(t 1^\top + 1 t^\top) .

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

    References
    ----------
    .. [T2024] Y. Thanwerdas. Permutation-invariant log-Euclidean geometries on
       full-rank correlation matrices. SIAM J. Matrix Anal. Appl. 45, 2024.

    Examples
    --------
    >>> import numpy as np
    >>> from geomstats_cor.kernels import scale_hollow
    >>> matrix = np.array([[0.0, 1.0, 2.0], [1.0, 0.0, 3.0], [2.0, 3.0, 0.0]])
    >>> scale_hollow(matrix, (None, 0.0, 1.0)).round(12)
    array([[0., 2., 2.],
           [2., 0., 2.],
           [2., 2., 0.]])
    """
    rest, standard, trivial = filled(factors)
    if rest == standard == trivial:
        return matrix if rest == 1.0 else rest * matrix
    half = scaled_pieces(namespace(matrix).sum(matrix, axis=-1), factors)
    return rest * matrix + pair_sums(half) - diagonal_matrix(2.0 * half)


def scaled_pieces(row_sums, factors):
    """Return the vector h of which scaling adds h_i + h_j, beyond a factor on all."""
    xp = namespace(row_sums)
    size = row_sums.shape[-1]
    rest, standard, trivial = filled(factors)
    mean = xp.mean(row_sums, axis=-1, keepdims=True)
    half = (standard - rest) * (row_sums - mean) / max(size - 2, 1)
    return half + 0.5 * (trivial - rest) * mean / (size - 1)


def roots(eigenvalues):
    r"""Return the square roots :math:`\sqrt{\lambda}` of the eigenvalues of a product.

    Parameters
    ----------
    eigenvalues : tuple of float or None
        Eigenvalues of the product.

    Returns
    -------
    roots : tuple of float or None
        Their square roots; None where a piece is empty.

    Examples
    --------
    >>> from geomstats_cor.kernels import roots
    >>> roots((None, 4.0, 9.0))
    (None, 2.0, 3.0)
    """
    return tuple(None if value is None else math.sqrt(value) for value in eigenvalues)


@in_own_precision
def hollow_to_coords(matrix, eigenvalues):
    r"""Map symmetric hollow matrices isometrically onto Euclidean space.

    The coordinates are the strict lower entries of :math:`\sqrt 2 \, A^{1/2} X`, where
    :math:`\langle X, Y \rangle = \operatorname{tr}(X \, A Y)`.

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

    References
    ----------
    .. [T2024] Y. Thanwerdas. Permutation-invariant log-Euclidean geometries on
       full-rank correlation matrices. SIAM J. Matrix Anal. Appl. 45, 2024.

    Examples
    --------
    >>> import numpy as np
    >>> from geomstats_cor.kernels import hollow_eigenvalues, hollow_to_coords
    >>> matrix = np.array([[0.0, 3.0, 0.0], [3.0, 0.0, 4.0], [0.0, 4.0, 0.0]])
    >>> coords = hollow_to_coords(matrix, hollow_eigenvalues(3, 1.0, 0.0, 0.0))
    >>> round(float(coords @ coords), 12), float(np.trace(matrix @ matrix))
    (50.0, 50.0)
    """
    return _ROOT_TWO * pack_strictly_lower(scale_hollow(matrix, roots(eigenvalues)))


@in_own_precision
def hollow_from_coords(coords, eigenvalues):
    r"""Invert `hollow_to_coords`.

    The matrix is :math:`A^{-1/2} (L + L^\top) / \sqrt 2` with the coordinates as strict
    lower entries of :math:`L`, where
    :math:`\langle X, Y \rangle = \operatorname{tr}(X \, A Y)`.

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

    References
    ----------
    .. [T2024] Y. Thanwerdas. Permutation-invariant log-Euclidean geometries on
       full-rank correlation matrices. SIAM J. Matrix Anal. Appl. 45, 2024.

    Examples
    --------
    >>> import numpy as np
    >>> from geomstats_cor.kernels import hollow_eigenvalues, hollow_from_coords
    >>> coords = np.sqrt(2) * np.array([3.0, 0.0, 4.0])
    >>> hollow_from_coords(coords, hollow_eigenvalues(3, 1.0, 0.0, 0.0)).round(12)
    array([[0., 3., 0.],
           [3., 0., 4.],
           [0., 4., 0.]])
    """
    lower = unpack_strictly_lower(coords / _ROOT_TWO)
    return scale_hollow(lower + lower.mT, _inverse(roots(eigenvalues)))


def row0_eigenvalues(size, alpha, delta, zeta):
    r"""Return the eigenvalues of a permutation-invariant product on Row0(n).

    Relative to the Frobenius product, those of

    .. math:: \alpha \operatorname{tr}(X Y)
              + \delta \operatorname{tr}(\operatorname{Diag}(X) \operatorname{Diag}(Y))
              + \zeta \operatorname{tr}(X) \operatorname{tr}(Y)

    are :math:`\alpha` on the rest, :math:`\alpha + \frac{n - 2}{n} \delta` on the
    standard and :math:`\alpha + (n - 1) (\frac{\delta}{n} + \zeta)` on the trivial
    piece.

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

    References
    ----------
    .. [T2024] Y. Thanwerdas. Permutation-invariant log-Euclidean geometries on
       full-rank correlation matrices. SIAM J. Matrix Anal. Appl. 45, 2024.

    Examples
    --------
    The trivial piece holds the multiples of the centring matrix:

    >>> import numpy as np
    >>> from geomstats_cor.kernels import row0_eigenvalues
    >>> row0_eigenvalues(4, 1.0, 2.0, 0.5)
    (1.0, 2.0, 4.0)
    >>> centring = np.eye(4) - 0.25
    >>> square, diagonal = np.trace(centring @ centring), np.diag(centring)
    >>> product = square + 2.0 * diagonal @ diagonal + 0.5 * diagonal.sum() ** 2
    >>> float(product / square)
    4.0
    """
    return (
        alpha if size > 3 else None,
        alpha + (size - 2) / size * delta if size > 2 else None,
        alpha + (size - 1) * (delta / size + zeta),
    )


@in_own_precision
def scale_row0(matrix, factors):
    r"""Multiply the three pieces of a null-row-sum matrix by three numbers.

    With :math:`d = \operatorname{diag} X`, its mean :math:`m` and
    :math:`J = I - \frac1n 1 1^\top`, the trivial and the standard piece, which the rest
    completes to :math:`X`, are

    .. math:: \frac{n m}{n - 1} J , \qquad
              \frac{n}{n - 2} J \operatorname{diag}(d - m) J .

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

    References
    ----------
    .. [T2024] Y. Thanwerdas. Permutation-invariant log-Euclidean geometries on
       full-rank correlation matrices. SIAM J. Matrix Anal. Appl. 45, 2024.

    Examples
    --------
    >>> import numpy as np
    >>> from geomstats_cor.kernels import scale_row0
    >>> matrix = np.array([[3.0, -1.0, -2.0], [-1.0, 1.0, 0.0], [-2.0, 0.0, 2.0]])
    >>> scale_row0(matrix, (None, 0.0, 1.0)).round(12)
    array([[ 2., -1., -1.],
           [-1.,  2., -1.],
           [-1., -1.,  2.]])
    """
    rest, standard, trivial = filled(factors)
    if rest == standard == trivial:
        return matrix if rest == 1.0 else rest * matrix
    xp = namespace(matrix)
    size = matrix.shape[-1]
    diag = diagonal(matrix)
    mean = xp.mean(diag, axis=-1, keepdims=True)
    weights = (standard - rest) * (diag - mean) * (size / max(size - 2, 1))
    weights = weights + (trivial - rest) * mean * (size / (size - 1))
    return rest * matrix + center(diagonal_matrix(weights))


@in_own_precision
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

    References
    ----------
    .. [T2024] Y. Thanwerdas. Permutation-invariant log-Euclidean geometries on
       full-rank correlation matrices. SIAM J. Matrix Anal. Appl. 45, 2024.

    Examples
    --------
    >>> import numpy as np
    >>> from geomstats_cor.kernels import row0_eigenvalues, row0_to_coords
    >>> matrix = np.array([[3.0, -1.0, -2.0], [-1.0, 1.0, 0.0], [-2.0, 0.0, 2.0]])
    >>> coords = row0_to_coords(matrix, row0_eigenvalues(3, 1.0, 0.0, 0.0))
    >>> round(float(coords @ coords), 12), float(np.trace(matrix @ matrix))
    (24.0, 24.0)
    """
    basis = constant(helmert(matrix.shape[-1]), matrix)
    reduced = basis.mT @ scale_row0(matrix, roots(eigenvalues)) @ basis
    weights = _lower_weights(reduced.shape[-1], 1.0, _ROOT_TWO)
    return _pack_lower(reduced, 0) * constant(weights, reduced)


@in_own_precision
def row0_from_coords(coords, eigenvalues):
    r"""Invert `row0_to_coords`.

    The matrix is :math:`A^{-1/2} (Q S Q^\top)` with the Helmert matrix :math:`Q`, the
    coordinates as entries of the symmetric :math:`S`, divided by :math:`\sqrt 2` off
    the diagonal, and :math:`\langle X, Y \rangle = \operatorname{tr}(X \, A Y)`.

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

    References
    ----------
    .. [T2024] Y. Thanwerdas. Permutation-invariant log-Euclidean geometries on
       full-rank correlation matrices. SIAM J. Matrix Anal. Appl. 45, 2024.

    Examples
    --------
    >>> import numpy as np
    >>> from geomstats_cor.kernels import row0_eigenvalues, row0_from_coords
    >>> coords = np.array([1.0, 2.0, 3.0])
    >>> matrix = row0_from_coords(coords, row0_eigenvalues(3, 1.0, 0.0, 0.0))
    >>> matrix.sum(axis=0).round(12) + 0.0
    array([0., 0., 0.])
    >>> round(float(np.trace(matrix @ matrix)), 12), float(coords @ coords)
    (14.0, 14.0)
    """
    size = (math.isqrt(1 + 8 * coords.shape[-1]) - 1) // 2
    weights = _lower_weights(size, 0.5, 1.0 / _ROOT_TWO)
    lower = _gather(coords * constant(weights, coords), _lower_positions(size, 0))
    basis = constant(helmert(size + 1), coords)
    matrix = basis @ (lower + lower.mT) @ basis.mT
    return scale_row0(matrix, _inverse(roots(eigenvalues)))


@in_own_precision
def row0_from_printed(values):
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
    size = (math.isqrt(1 + 8 * values.shape[-1]) - 1) // 2
    weights = _lower_weights(size, 0.5 / math.sqrt(3.0), 1.0 / math.sqrt(6.0))
    lower = _gather(values * constant(weights, values), _lower_positions(size, 0))
    block = lower + lower.mT
    block = xp.concat([block, -xp.sum(block, axis=-2, keepdims=True)], axis=-2)
    return xp.concat([block, -xp.sum(block, axis=-1, keepdims=True)], axis=-1)


@in_own_precision
def center(matrix):
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


@functools.cache
def helmert(size):
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

    References
    ----------
    .. [L1965] H. O. Lancaster. The Helmert matrices. Amer. Math. Monthly 72, 1965.

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


def filled(factors):
    """Give an empty piece the number of the trivial one: it multiplies nothing."""
    return tuple(factors[-1] if factor is None else factor for factor in factors)


def _inverse(factors):
    return tuple(None if value is None else 1.0 / value for value in factors)


@functools.cache
def _lower_weights(size, on_diagonal, off_diagonal):
    """Return a number for each packed entry of a lower triangle.

    The dtype is spelled out: torch.compile takes bare numbers for float32.
    """
    rows, columns = np.tril_indices(size)
    off = np.full(len(rows), off_diagonal, dtype=np.float64)
    return np.where(rows == columns, np.full_like(off, on_diagonal), off)


@functools.cache
def _lower_entries(size, offset, mirrored):
    """Return where entries up to a diagonal stand in the flattened matrix.

    Or in that of its transpose.
    """
    rows, columns = np.tril_indices(size, offset)
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
            (*packed.shape[:-1], 1), dtype=packed.dtype, device=packed.device
        )
    size = math.isqrt(len(positions))
    full = take_last(xp.concat([packed, zero], axis=-1), positions)
    return xp.reshape(full, (*packed.shape[:-1], size, size))
