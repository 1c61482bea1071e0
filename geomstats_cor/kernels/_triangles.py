r"""Products and quotients of lower triangular matrices, and their adjoints.

Large numpy arrays are multiplied and divided by blocks, and blocks above the diagonal
are skipped, which leaves a third to a half of the work; see
benchmarks/second_ways.py. The adjoints, such as :math:`A^\top B`, are full matrices
of which only the lower triangle is needed here, and that depends on lower triangles
alone. Entries above the diagonal are unspecified in the adjoints.

A function of triangles has a differential, which takes lower triangles as directions,
and the adjoint of that, which is the same formula with upper triangles as directions.
Upper triangles are given here by their transposes, so the formula is written once, for
directions of either kind: `LOWER` or `ADJOINT`.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from .._types import Array
from ._array import (
    inverse_lower,
    is_torch,
    solve_commuting_unit_lower,
    solve_unit_lower,
    with_diagonal,
)

_WHOLE_UP_TO = 199
_MOST_BLOCKS = 10


def lower_product(a: Array, b: Array) -> Array:
    """Return the product of lower triangular matrices."""
    return _lower_product_by_blocks(a, b, lambda rows: rows.stop)


def lower_part_of_product(a: Array, b: Array) -> Array:
    """Return the lower triangle of the product of any matrix and a lower one."""
    return _lower_product_by_blocks(a, b, lambda rows: None)


def _lower_product_by_blocks(a, b, end):
    """Return the lower triangle of a product, given where rows of the first end."""
    blocks = _blocks(a)
    if blocks is None:
        return a @ b
    result = _lower_room(a, b, blocks)
    for rows, before, _ in _neighbours(blocks):
        for columns in (*before, rows):
            inner = slice(columns.start, end(rows))
            known = a[..., rows, inner], b[..., inner, columns]
            _multiply(*known, result, rows, columns)
    return result


def lower_product_adjoint_left(a: Array, b: Array) -> Array:
    r"""Return the lower triangle of :math:`A^\top B`."""
    blocks = _blocks(a)
    if blocks is None:
        return a.mT @ b
    result = _lower_room(a, b, blocks)
    for rows in blocks:
        until, since = slice(rows.stop), slice(rows.start, None)
        _multiply(a[..., since, rows].mT, b[..., since, until], result, rows, until)
    return result


def lower_product_adjoint_right(a: Array, b: Array) -> Array:
    r"""Return the lower triangle of :math:`A B^\top`."""
    blocks = _blocks(a)
    if blocks is None:
        return a @ b.mT
    result = _lower_room(a, b, blocks)
    for columns in blocks:
        until, since = slice(columns.stop), slice(columns.start, None)
        factors = a[..., since, until], b[..., columns, until].mT
        _multiply(*factors, result, since, columns)
    return result


def lower_times_upper(a: Array, b: Array) -> Array:
    r"""Return :math:`A B^\top`, all of it."""
    blocks = _blocks(a)
    if blocks is None:
        return a @ b.mT
    result = _room(a, b)
    for block in blocks:
        until, since, after = (
            slice(block.stop),
            slice(block.start, None),
            slice(block.stop, None),
        )
        left, right = a[..., :, until], b[..., :, until].mT
        _multiply(left[..., block, :], right[..., :, since], result, block, since)
        _multiply(left[..., after, :], right[..., :, block], result, after, block)
    return result


def lower_quotient(strict: Array, b: Array) -> Array:
    r"""Return :math:`(I + N)^{-1} B`.

    Here and below, the strictly lower part of :math:`N` alone is read, and large
    matrices are solved by substitution of blocks: what a block of rows or columns has
    to do with those solved before is a product.
    """
    blocks = _blocks(strict)
    if blocks is None:
        return solve_unit_lower(strict, b)
    result = _lower_room(strict, b, blocks)
    for rows, before, _ in _neighbours(blocks):
        for columns in before:
            inner = slice(columns.start, rows.start)
            known = strict[..., rows, inner], result[..., inner, columns]
            _multiply(*known, result, rows, columns)
        _solve(solve_unit_lower, strict, b, result, rows, slice(rows.stop), rows)
    return result


def lower_right_quotient(strict: Array, b: Array) -> Array:
    r"""Return :math:`B (I + N)^{-1}`."""
    blocks = _blocks(strict)
    if blocks is None:
        return _solve_from_the_right(strict, b)
    result = _lower_room(strict, b, blocks)
    for columns, _, after in reversed(_neighbours(blocks)):
        for rows in after:
            inner = slice(columns.stop, rows.stop)
            known = result[..., rows, inner], strict[..., inner, columns]
            _multiply(*known, result, rows, columns)
        since = slice(columns.start, None)
        _solve(_solve_from_the_right, strict, b, result, since, columns, columns)
    return result


def commuting_quotient(strict: Array, b: Array) -> Array:
    r"""Return :math:`(I + N)^{-1} B` from the cheaper side, where B commutes with N."""
    if _blocks(strict) is None:
        return solve_commuting_unit_lower(strict, b)
    return lower_quotient(strict, b)


def lower_quotient_adjoint(strict: Array, b: Array) -> Array:
    r"""Return the lower triangle of :math:`(I + N)^{-\top} B`."""
    blocks = _blocks(strict)
    if blocks is None:
        return _solve_transposed(strict, b)
    result = _lower_room(strict, b, blocks)
    for rows in reversed(blocks):
        until, after = slice(rows.stop), slice(rows.stop, None)
        known = strict[..., after, rows].mT, result[..., after, until]
        _multiply(*known, result, rows, until)
        _solve(_solve_transposed, strict, b, result, rows, until, rows)
    return result


def lower_right_quotient_adjoint(strict: Array, b: Array) -> Array:
    r"""Return the lower triangle of :math:`B (I + N)^{-\top}`."""
    blocks = _blocks(strict)
    if blocks is None:
        return _solve_transposed_from_the_right(strict, b)
    result = _lower_room(strict, b, blocks)
    for columns in blocks:
        before, since = slice(columns.start), slice(columns.start, None)
        known = result[..., since, before], strict[..., columns, before].mT
        _multiply(*known, result, since, columns)
        solve = _solve_transposed_from_the_right
        _solve(solve, strict, b, result, since, columns, columns)
    return result


def whitened(unit_lower: Array, symmetric: Array) -> Array:
    r"""Return the lower triangle of :math:`K^{-1} B K^{-\top}`, where K = I + N."""
    inverse = _inverse_for_both_sides(unit_lower)
    if inverse is None:
        half = solve_unit_lower(unit_lower, symmetric)
        return lower_right_quotient_adjoint(unit_lower, half)
    return inverse @ symmetric @ inverse.mT


def _inverse_for_both_sides(strict):
    """Return the inverse of I + N for numpy, which solves by inversion; else None."""
    if is_torch(strict) or strict.shape[-1] > _WHOLE_UP_TO:
        return None
    return inverse_lower(with_diagonal(strict, 1.0))


def _solve_from_the_right(strict, b):
    return solve_unit_lower(strict, b, left=False)


def _solve_transposed(strict, b):
    return _solve_from_the_right(strict, b.mT).mT


def _solve_transposed_from_the_right(strict, b):
    return solve_unit_lower(strict, b.mT).mT


def _solve(solve, strict, b, result, rows, columns, block):
    """Write the solution where the result holds its product with what is known."""
    rest = b[..., rows, columns] - result[..., rows, columns]
    result[..., rows, columns] = solve(strict[..., block, block], rest)


def _multiply(a, b, result, rows, columns):
    """Write a product into a block of a result."""
    np.matmul(a, b, out=result[..., rows, columns])


def _blocks(a):
    """Return ranges of about a hundred rows; None to multiply whole matrices."""
    size = a.shape[-1]
    if size <= _WHOLE_UP_TO or is_torch(a):
        return None
    count = min(max(2, 2 * size // _WHOLE_UP_TO), _MOST_BLOCKS)
    ends = [size * k // count for k in range(count + 1)]
    return [slice(*pair) for pair in zip(ends, ends[1:], strict=False)]


def _neighbours(blocks):
    """Return each range of rows with those before it and those after it."""
    return [(block, blocks[:k], blocks[k + 1 :]) for k, block in enumerate(blocks)]


def _room(a, b):
    """Return an array for a result, to be written."""
    batch = np.broadcast_shapes(a.shape[:-2], b.shape[:-2])
    return np.empty((*batch, *b.shape[-2:]), dtype=b.dtype)


def _lower_room(a, b, blocks):
    """Return an array for a lower result, null from the diagonal blocks on."""
    result = _room(a, b)
    for rows in blocks:
        result[..., rows, rows.start :] = 0
    return result


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

    before: Callable
    after: Callable
    quotient: Callable
    right_quotient: Callable

    def between(self, strict: Array, vector: Array) -> Array:
        """Return a direction with the inverse of I + N on both sides."""
        inverse = _inverse_for_both_sides(strict)
        if inverse is None:
            return self.right_quotient(strict, self.quotient(strict, vector))
        return self.after(self.before(inverse, vector), inverse)


LOWER = Directions(lower_product, lower_product, lower_quotient, lower_right_quotient)
ADJOINT = Directions(
    lambda lower, vector: lower_product_adjoint_right(vector, lower),
    lambda vector, lower: lower_product_adjoint_left(lower, vector),
    lower_right_quotient_adjoint,
    lower_quotient_adjoint,
)
