"""Array namespaces, and the few operations the array API standard lacks.

Every kernel takes its namespace from its input, so a numpy array gives numpy and a
torch tensor gives torch on its own device and dtype. What the standard does not
define (triangular solves, a Cholesky factorisation that marks failures instead of
raising for the whole batch) is adapted here and nowhere else.
"""

import functools
import math
import warnings
from collections.abc import Callable
from typing import Any, cast

import array_api_compat.numpy
import numpy as np

from .._types import Array

_BLOCK = 64  # size of the triangles that numpy inverts whole
# Triangles that numpy inverts together, row by row; see benchmarks/second_ways.py.
_SMALL, _MANY = 16, 30
_NAMESPACES = {np.ndarray: array_api_compat.numpy, np.float64: array_api_compat.numpy}
_ARE_TORCH: dict[type, bool] = {}
_EPS: dict[Any, float] = {}


def namespace(*arrays: Any) -> Any:
    """Return the array API namespace of arrays of one library.

    The first array decides: a lookup by its type, which torch.compile can follow.
    """
    known = _NAMESPACES.get(type(arrays[0]))
    if known is None:
        known = array_api_compat.array_namespace(arrays[0])
        _NAMESPACES[type(arrays[0])] = known
    return known


def is_torch(array: Array) -> bool:
    """Tell whether an array is a torch tensor, without importing torch."""
    known = _ARE_TORCH.get(type(array))
    if known is None:
        known = namespace(array).__name__ == "array_api_compat.torch"
        _ARE_TORCH[type(array)] = known
    return known


def eps(x: Array) -> float:
    """Return the spacing of the dtype of an array at one."""
    known = _EPS.get(x.dtype)
    if known is None:
        known = _EPS[x.dtype] = float(namespace(x).finfo(x.dtype).eps)
    return known


def eye_like(x: Array) -> Array:
    """Return the identity matrix with the size, dtype and device of a matrix."""
    return namespace(x).eye(x.shape[-1], dtype=x.dtype, device=x.device)


def constant(values: Array, like: Array) -> Array:
    """Return small constants as an array of the namespace, dtype and device given."""
    xp = namespace(like)
    return xp.asarray(values, dtype=like.dtype, device=like.device)


def diagonal(x: Array) -> Array:
    """Return the diagonals [..., n] of matrices [..., n, n]."""
    return x.diagonal(0, -2, -1)


def as_rows(vectors: Array) -> Array:
    """Return vectors [..., n] as matrices [..., 1, n] of one row."""
    return vectors[..., None, :]


def as_columns(vectors: Array) -> Array:
    """Return vectors [..., n] as matrices [..., n, 1] of one column."""
    return vectors[..., None]


def congruence(vector: Array, matrix: Array) -> Array:
    """Return X M X, with X the diagonal matrix of a vector."""
    return as_columns(vector) * matrix * as_rows(vector)


def diagonal_matrix(vector: Array) -> Array:
    """Return the diagonal matrices [..., n, n] of vectors [..., n]."""
    xp = namespace(vector)
    n = vector.shape[-1]
    return vector[..., None] * xp.eye(n, dtype=vector.dtype, device=vector.device)


def symmetrize(x: Array) -> Array:
    """Return the symmetric part of matrices."""
    half = 0.5 * x
    return half + half.mT


def strictly_lower(x: Array) -> Array:
    """Return the strictly lower triangular part of matrices."""
    if is_torch(x):
        return x.tril(-1)
    return np.where(_below_diagonal(x.shape[-1]), x, x.dtype.type(0))


@functools.lru_cache(maxsize=8)
def _below_diagonal(size):
    # For small matrices, building this mask would take most of the time.
    return np.tri(size, k=-1, dtype=bool)


def with_diagonal(x: Array, value: Array | float) -> Array:
    """Return matrices whose diagonal is replaced by a number."""
    if is_torch(x):
        diag = x.new_full(x.shape[:-1], value)
        return x.diagonal_scatter(diag, dim1=-2, dim2=-1)
    return set_diagonal(np.array(x, dtype=x.dtype.newbyteorder("=")), value)


def set_diagonal(x: Array, value: Array | float) -> Array:
    """Replace the diagonal of matrices in place, and return them."""
    if is_torch(x):
        x.diagonal(dim1=-2, dim2=-1).fill_(value)
    else:
        np.einsum("...ii->...i", x)[...] = value
    return x


def off_diagonal(x: Array) -> Array:
    """Return matrices with the diagonal set to zero."""
    return with_diagonal(x, 0.0)


def fill_diagonal(matrix: Array, value: Array | float) -> None:
    """Replace the diagonals of matrices by a number or by vectors, in place."""
    if is_torch(matrix):
        matrix.diagonal(dim1=-2, dim2=-1)[...] = value
    else:
        np.einsum("...ii->...i", matrix)[...] = value


def plus_diagonal(matrix: Array, vector: Array) -> Array:
    """Return matrices with vectors added to their diagonals, in one pass."""
    if is_torch(matrix):
        total = matrix.clone()
        total.diagonal(dim1=-2, dim2=-1).add_(vector)
    else:
        total = matrix.astype(np.result_type(matrix, vector), order="C")
        np.einsum("...ii->...i", total)[...] += vector
    return total


def symmetric_product(x: Array, y: Array) -> Array:
    """Return the symmetric part of the outer product of vectors."""
    return symmetrize(x[..., :, None] * y[..., None, :])


def pair_sums(x: Array) -> Array:
    """Return the matrices x_i + x_j."""
    return as_columns(x) + as_rows(x)


def extremes(x: Array) -> tuple[float, float]:
    """Return the smallest and the largest entry as floats; NaN if an entry is NaN."""
    if is_torch(x):
        low, high = x.aminmax()
    else:
        low, high = np.minimum.reduce(x, axis=None), np.maximum.reduce(x, axis=None)
    return float(low), float(high)


def largest_entry(x: Array) -> float:
    """Return the largest entry as a float; NaN if an entry is NaN."""
    return float(x.amax() if is_torch(x) else np.maximum.reduce(x, axis=None))


def matrix_dot(x: Array, y: Array) -> Array:
    """Return the Frobenius products [...] of matrices [..., n, m]."""
    if is_torch(x):
        return (x * y).sum((-2, -1))
    if x.shape != y.shape:
        return np.einsum("...ij,...ij->...", x, y)
    flat = (*x.shape[:-2], x.shape[-2] * x.shape[-1])
    return np.vecdot(x.reshape(flat), y.reshape(flat))


def row_dot(x: Array, y: Array) -> Array:
    """Return the inner products of the last axes, with that axis kept."""
    if is_torch(x):
        return (x * y).sum(-1, keepdim=True)
    return np.vecdot(x, y)[..., None]


def take_last(x: Array, index: np.ndarray) -> Array:
    """Return the entries of the last axis with given indices, none of them negative."""
    if is_torch(x):
        index = namespace(x).asarray(index, device=x.device)
        return x.index_select(-1, index)
    return np.take(x, index, axis=-1)


def sum_by_index(values: Array, index: np.ndarray, size: int) -> Array:
    """Sum the entries [..., d] of the last axis by index, into [..., size]."""
    xp = namespace(values)
    shape = (*values.shape[:-1], size)
    sums = xp.zeros(shape, dtype=values.dtype, device=values.device)
    if is_torch(values):
        index = xp.asarray(index, device=values.device)
        return sums.scatter_add(-1, xp.broadcast_to(index, values.shape), values)
    np.add.at(sums, cast(Any, (..., index)), values)
    return sums


def eigh(x: Array) -> tuple[Array, Array]:
    """Return the eigenvalues and eigenvectors of symmetric matrices.

    Only the lower triangle is read.
    """
    if is_torch(x):
        # LAPACK stores columns: the transpose needs no copy, and the
        # reduction to tridiagonal form is faster for upper triangles.
        return namespace(x).linalg.eigh(x.mT, UPLO="U")
    return np.linalg.eigh(x)


def cholesky(x: Array) -> Array:
    """Factor positive definite matrices; a matrix that is not one becomes NaN.

    Only the lower triangle is read.
    """
    factor, definite = flagged_cholesky(x)
    return namespace(x).where(definite[..., None, None], factor, float("nan"))


def flagged_cholesky(x: Array) -> tuple[Array, Array]:
    """Factor matrices, and tell which of them are positive definite.

    The factors of the others are meaningless.
    """
    if is_torch(x):
        factor, info = namespace(x).linalg.cholesky_ex(x)
        return factor, info.logical_not()
    try:
        return np.linalg.cholesky(x), np.ones(x.shape[:-2], dtype=bool)
    except np.linalg.LinAlgError:
        factor = _cholesky_each_on_its_own(x)
        return factor, np.isfinite(factor[..., 0, 0])


def _cholesky_each_on_its_own(x):
    # numpy raises for the whole batch: find the failures by the smallest eigenvalue;
    # a margin keeps the second attempt from raising on a nearly singular matrix.
    size = x.shape[-1]
    identity = np.eye(size, dtype=x.dtype)
    known = np.all(np.isfinite(x), axis=(-2, -1), keepdims=True)
    values = np.linalg.eigvalsh(np.where(known, x, -identity))
    margin = 4 * size * np.finfo(x.dtype).eps * np.abs(values).max(axis=-1)
    positive = (values[..., 0] > margin)[..., None, None]
    regularised = np.where(positive, x, identity)
    return np.where(positive, np.linalg.cholesky(regularised), np.nan)


def inverse_lower(lower: Array) -> Array:
    """Invert lower triangular matrices by substitution."""
    if is_torch(lower):
        xp = namespace(lower)
        return xp.linalg.solve_triangular(lower, eye_like(lower), upper=False)
    if lower.shape[-1] <= _BLOCK:
        return _inverse_lower_numpy(lower)
    return _solve_lower_numpy(lower, eye_like(lower))


def _solve_lower_numpy(lower, right):
    """Solve by block substitution: numpy has no batched triangular solver."""
    size = lower.shape[-1]
    if size <= _BLOCK:
        return _inverse_lower_numpy(lower) @ right
    middle = size // 2
    above = _solve_lower_numpy(lower[..., :middle, :middle], right[..., :middle, :])
    rest = right[..., middle:, :] - lower[..., middle:, :middle] @ above
    below = _solve_lower_numpy(lower[..., middle:, middle:], rest)
    return np.concat([above, below], axis=-2)


def _solve_lower_right_numpy(lower, left):
    size = lower.shape[-1]
    if size <= _BLOCK:
        return left @ _inverse_lower_numpy(lower)
    middle = size // 2
    after = _solve_lower_right_numpy(lower[..., middle:, middle:], left[..., middle:])
    rest = left[..., :middle] - after @ lower[..., middle:, :middle]
    before = _solve_lower_right_numpy(lower[..., :middle, :middle], rest)
    return np.concat([before, after], axis=-1)


def _inverse_lower_numpy(lower):
    size, count = lower.shape[-1], math.prod(lower.shape[:-2])
    if size <= _SMALL and count >= _MANY:
        return _inverse_by_rows(lower)
    from scipy import linalg

    lower = np.asarray(lower, dtype=lower.dtype.newbyteorder("="))
    if 0 in lower.shape:
        return lower
    with warnings.catch_warnings():
        # Substitution is accurate for graded triangles of any condition number.
        warnings.simplefilter("ignore", linalg.LinAlgWarning)
        return linalg.inv(lower, assume_a="lower triangular", check_finite=False)


def _inverse_by_rows(lower):
    """Invert many small triangles at once: a row follows from those above it."""
    pivots = diagonal(lower)[..., None]
    scaled = -lower / pivots
    inverse = diagonal_matrix(1.0 / pivots[..., 0])
    for i in range(1, lower.shape[-1]):
        row = slice(i, i + 1)
        np.matmul(scaled[..., row, :i], inverse[..., :i, :i], out=inverse[..., row, :i])
    return inverse


def solve_lower(lower: Array, right: Array) -> Array:
    """Solve lower triangular systems, by substitution."""
    if is_torch(lower):
        xp = namespace(lower)
        return xp.linalg.solve_triangular(lower, right, upper=False)
    return _solve_lower_numpy(lower, right)


def solve_unit_lower(strict: Array, right: Array, left: bool = True) -> Array:
    r"""Return :math:`(I + N)^{-1} B`, or :math:`B (I + N)^{-1}` if `left` is not set.

    Only the strictly lower part of :math:`N` is read.
    """
    if is_torch(strict):
        solve = namespace(strict).linalg.solve_triangular
        if left:
            # Transposed, so that the result is contiguous by rows like other arrays.
            strict, right = strict.mT, right.mT
            solution = solve(strict, right, upper=True, left=False, unitriangular=True)
            return solution.mT
        return solve(strict, right, upper=False, left=False, unitriangular=True)
    lower = with_diagonal(strict, 1.0)
    if left:
        return _solve_lower_numpy(lower, right)
    return _solve_lower_right_numpy(lower, right)


def solve_commuting_unit_lower(strict: Array, right: Array) -> Array:
    r"""Return :math:`(I + N)^{-1} B`, where B commutes with the strictly lower N.

    The result is the same from either side. Tensors are returned in column order.
    """
    if is_torch(strict):
        xp = namespace(strict)
        # The faster side: by a quarter in float64 and by a half in float32.
        left = strict.dtype == xp.float64
        return xp.linalg.solve_triangular(
            strict, right, upper=False, left=left, unitriangular=True
        )
    return solve_unit_lower(strict, right, left=False)


def solve_positive(matrix: Array, vector: Array) -> Array:
    """Solve positive definite systems with one right-hand side [..., n] each.

    The solution is NaN where the matrix is singular.
    """
    if is_torch(matrix):
        xp = namespace(matrix)
        factor, definite = flagged_cholesky(matrix)
        half = xp.linalg.solve_triangular(factor, vector[..., None], upper=False)
        solution = xp.linalg.solve_triangular(factor.mT, half, upper=True)[..., 0]
        return xp.where(definite[..., None], solution, float("nan"))
    try:
        return np.linalg.solve(matrix, vector[..., None])[..., 0]
    except np.linalg.LinAlgError:
        regular = np.isfinite(_cholesky_each_on_its_own(matrix)[..., :1, :1])
        regularised = np.where(
            regular, matrix, np.eye(matrix.shape[-1], dtype=matrix.dtype)
        )
        solution = np.linalg.solve(regularised, vector[..., None])[..., 0]
        return np.where(regular[..., 0], solution, np.nan)


def positive_row_solver(matrix: Array) -> Callable[[Array], Array]:
    """Return the function that solves positive definite systems, factorised once.

    It takes and returns rows [..., 1, n]. Solutions are meaningless, or NaN, where the
    matrix is not positive definite. The matrix may be overwritten.
    """
    if not is_torch(matrix):
        return _positive_solver_numpy(matrix)
    xp = namespace(matrix)
    factor, _ = xp.linalg.cholesky_ex(matrix)
    solve, transpose = xp.linalg.solve_triangular, factor.mT

    def solve_rows(rows):
        half = solve(factor, rows.mT, upper=False)
        return solve(transpose, half, upper=True).mT

    return solve_rows


def _positive_solver_numpy(matrix):
    # numpy would invert the matrices, at several times the cost of this loop.
    from scipy.linalg import lapack

    size = matrix.shape[-1]
    factorise, substitute = lapack.get_lapack_funcs(("potrf", "potrs"), (matrix,))
    factors = [
        factorise(x.T, clean=False, overwrite_a=True)[0]
        for x in matrix.reshape(-1, size, size)
    ]

    def solve(vector):
        rows = zip(factors, vector.reshape(-1, size), strict=True)
        solutions = [substitute(factor, row)[0] for factor, row in rows]
        return np.asarray(solutions, dtype=vector.dtype).reshape(vector.shape)

    return solve
