r"""Products and quotients of lower triangular matrices, and their adjoints.

Of a product of large triangles, only the blocks that count are computed, and of a
quotient only the rows or columns up to the diagonal: a third or half of the work is
left. The adjoints, such as :math:`A^\top B`, are full matrices of which only
the lower triangle is wanted here, and that depends on lower triangles alone. What small
matrices have above the diagonal means nothing.

A function of triangles has a differential, which takes lower triangles as directions,
and the adjoint of that, which is the same formula with upper triangles as directions.
Upper triangles are given here by their transposes, so the formula is written once, for
directions of either kind: `LOWER` or `ADJOINT`.
"""

from dataclasses import dataclass

import numpy as np

from ._arrays import namespace, solve_unit_lower
from ._gradients import is_plain

_WHOLE_UP_TO = 128  # below, cutting costs as much as it saves
_BLOCK, _MOST_BLOCKS = 100, 10


def lower_product(a, b):
    """Return the product of lower triangular matrices."""
    if not _is_cut(a, b):
        return a @ b
    result = _null(a, b)
    for rows, columns in _lower_pairs(result):
        inner = slice(columns.start, rows.stop)
        _multiply(a[..., rows, inner], b[..., inner, columns], result, rows, columns)
    return result


def lower_product_adjoint_left(a, b):
    r"""Return the lower triangle of :math:`A^\top B`."""
    if not _is_cut(a, b):
        return a.mT @ b
    result = _null(a, b)
    for rows in _blocks(result):
        until, since = slice(rows.stop), slice(rows.start, None)
        _multiply(a[..., since, rows].mT, b[..., since, until], result, rows, until)
    return result


def lower_product_adjoint_right(a, b):
    r"""Return the lower triangle of :math:`A B^\top`."""
    if not _is_cut(a, b):
        return a @ b.mT
    result = _null(a, b)
    for columns in _blocks(result):
        until, since = slice(columns.stop), slice(columns.start, None)
        factors = a[..., since, until], b[..., columns, until].mT
        _multiply(*factors, result, since, columns)
    return result


def lower_times_upper(a, b):
    r"""Return :math:`A B^\top`, all of it."""
    if not _is_cut(a, b):
        return a @ b.mT
    result = _null(a, b)
    for block in _blocks(result):
        until, since, after = (
            slice(block.stop),
            slice(block.start, None),
            slice(block.stop, None),
        )
        left, right = a[..., :, until], b[..., :, until].mT
        _multiply(left[..., block, :], right[..., :, since], result, block, since)
        _multiply(left[..., after, :], right[..., :, block], result, after, block)
    return result


def lower_part_of_product(a, b):
    """Return the lower triangle of the product of any matrix and a lower one."""
    if not _is_cut(a, b):
        return a @ b
    result = _null(a, b)
    for rows, columns in _lower_pairs(result):
        inner = slice(columns.start, None)
        _multiply(a[..., rows, inner], b[..., inner, columns], result, rows, columns)
    return result


def lower_quotient(strict, b):
    r"""Return :math:`(I + N)^{-1} B`.

    Here and below, the strictly lower part of :math:`N` alone is read.
    """
    return _by_columns(solve_unit_lower, strict, b)


def lower_right_quotient(strict, b):
    r"""Return :math:`B (I + N)^{-1}`."""
    return _by_rows(_solve_from_the_right, strict, b)


def commuting_quotient(strict, b):
    r"""Return :math:`(I + N)^{-1} B` from the cheaper side, where B commutes with N."""
    if strict.shape[-1] > _WHOLE_UP_TO:
        return lower_quotient(strict, b)
    return lower_right_quotient(strict, b)


def lower_quotient_adjoint(strict, b):
    r"""Return the lower triangle of :math:`(I + N)^{-\top} B`."""
    return _by_columns(_transposed(_solve_from_the_right), strict, b)


def lower_right_quotient_adjoint(strict, b):
    r"""Return the lower triangle of :math:`B (I + N)^{-\top}`."""
    return _by_rows(_transposed(solve_unit_lower), strict, b)


def _solve_from_the_right(strict, b):
    return solve_unit_lower(strict, b, left=False)


def _transposed(solve):
    return lambda strict, b: solve(strict, b.mT).mT


def _by_columns(solve, strict, b):
    """Solve for a few columns at a time, which begin at their diagonal entries."""
    if not _is_cut(strict, b):
        return solve(strict, b)
    result = _null(strict, b)
    for columns in _blocks(result):
        since = slice(columns.start, None)
        block = solve(strict[..., since, since], b[..., since, columns])
        result[..., since, columns] = block
    return result


def _by_rows(solve, strict, b):
    """Solve for a few rows at a time, which end at their diagonal entries."""
    if not _is_cut(strict, b):
        return solve(strict, b)
    result = _null(strict, b)
    for rows in _blocks(result):
        until = slice(rows.stop)
        block = solve(strict[..., until, until], b[..., rows, until])
        result[..., rows, until] = block
    return result


def _multiply(a, b, result, rows, columns):
    """Write a product into a block of a result."""
    namespace(a).matmul(a, b, out=result[..., rows, columns])


def _is_cut(a, b):
    # What is recorded, mapped or compiled does not write into parts of arrays.
    return a.shape[-1] > _WHOLE_UP_TO and is_plain(a) and is_plain(b)


def _blocks(matrix):
    """Return ranges of rows of about the same length."""
    size = matrix.shape[-1]
    count = min(max(2, size // _BLOCK), _MOST_BLOCKS)
    ends = [size * k // count for k in range(count + 1)]
    return [slice(*pair) for pair in zip(ends, ends[1:], strict=False)]


def _lower_pairs(matrix):
    """Return the ranges of rows and columns of the blocks up to the diagonal."""
    blocks = _blocks(matrix)
    return [(r, c) for k, r in enumerate(blocks) for c in blocks[: k + 1]]


def _null(a, b):
    """Return null matrices for a result."""
    batch = np.broadcast_shapes(a.shape[:-2], b.shape[:-2])
    shape = (*batch, *b.shape[-2:])
    return namespace(b).zeros(shape, dtype=b.dtype, device=b.device)


@dataclass(frozen=True)
class Directions:
    """How lower triangular matrices X act on directions M of one kind.

    Parameters
    ----------
    before, after : callable
        Take X and M, or M and X, and return the product X M or M X.
    quotient, right_quotient : callable
        Take X and M, and return the inverse of I + X before or after M.
    """

    before: callable
    after: callable
    quotient: callable
    right_quotient: callable

    def between(self, strict, vector):
        """Return a direction with the inverse of I + N on both sides."""
        return self.right_quotient(strict, self.quotient(strict, vector))


LOWER = Directions(lower_product, lower_product, lower_quotient, lower_right_quotient)
ADJOINT = Directions(
    lambda lower, vector: lower_product_adjoint_right(vector, lower),
    lambda vector, lower: lower_product_adjoint_left(lower, vector),
    lower_right_quotient_adjoint,
    lower_quotient_adjoint,
)
