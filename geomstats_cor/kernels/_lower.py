r"""Products and quotients of lower triangular matrices, and their adjoints.

Of a product of large triangles, only the blocks that count are computed: a third of the
work is left. The adjoints, such as :math:`A^\top B`, are full matrices of which only
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

# Below, cutting costs as much as it saves.
_WHOLE_PRODUCTS, _WHOLE_QUOTIENTS = 200, 400
_LARGEST_BLOCK = 256


def lower_product(a, b):
    """Return the product of lower triangular matrices."""
    if not _is_cut(a, b, _WHOLE_PRODUCTS):
        return a @ b
    result = _null(a, b)
    for rows, columns in _lower_pairs(result):
        inner = slice(columns.start, rows.stop)
        result[..., rows, columns] = a[..., rows, inner] @ b[..., inner, columns]
    return result


def lower_product_adjoint_left(a, b):
    r"""Return the lower triangle of :math:`A^\top B`."""
    if not _is_cut(a, b, _WHOLE_PRODUCTS):
        return a.mT @ b
    result = _null(a, b)
    for rows in _blocks(result):
        until, since = slice(rows.stop), slice(rows.start, None)
        result[..., rows, until] = a[..., since, rows].mT @ b[..., since, until]
    return result


def lower_product_adjoint_right(a, b):
    r"""Return the lower triangle of :math:`A B^\top`."""
    if not _is_cut(a, b, _WHOLE_PRODUCTS):
        return a @ b.mT
    result = _null(a, b)
    for columns in _blocks(result):
        until, since = slice(columns.stop), slice(columns.start, None)
        result[..., since, columns] = a[..., since, until] @ b[..., columns, until].mT
    return result


def lower_times_upper(a, b):
    r"""Return :math:`A B^\top`, all of it."""
    if not _is_cut(a, b, _WHOLE_PRODUCTS):
        return a @ b.mT
    result = _null(a, b)
    for block in _blocks(result):
        until, since, after = (
            slice(block.stop),
            slice(block.start, None),
            slice(block.stop, None),
        )
        result[..., block, since] = a[..., block, until] @ b[..., since, until].mT
        result[..., after, block] = a[..., after, until] @ b[..., block, until].mT
    return result


def lower_part_of_product(a, b):
    """Return the lower triangle of the product of any matrix and a lower one."""
    if not _is_cut(a, b, _WHOLE_PRODUCTS):
        return a @ b
    result = _null(a, b)
    for rows, columns in _lower_pairs(result):
        inner = slice(columns.start, None)
        result[..., rows, columns] = a[..., rows, inner] @ b[..., inner, columns]
    return result


def lower_quotient(strict, b):
    r"""Return :math:`(I + N)^{-1} B`.

    Here and below, the strictly lower part of :math:`N` alone is read.
    """
    if not _is_cut(strict, b, _WHOLE_QUOTIENTS):
        return solve_unit_lower(strict, b)
    result = _null(strict, b)
    for rows in _blocks(result):
        until, rest = slice(rows.stop), 1.0 * b[..., rows, : rows.stop]
        for columns in _blocks(result):
            if columns.start < rows.start:
                inner = slice(columns.start, rows.start)
                known = strict[..., rows, inner] @ result[..., inner, columns]
                rest[..., :, columns] -= known
        result[..., rows, until] = solve_unit_lower(strict[..., rows, rows], rest)
    return result


def lower_right_quotient(strict, b):
    r"""Return :math:`B (I + N)^{-1}`."""
    if not _is_cut(strict, b, _WHOLE_QUOTIENTS):
        return solve_unit_lower(strict, b, left=False)
    result = _null(strict, b)
    for rows, columns in reversed(_lower_pairs(result)):
        rest = b[..., rows, columns]
        if columns.start < rows.start:
            inner = slice(columns.stop, rows.stop)
            rest = rest - result[..., rows, inner] @ strict[..., inner, columns]
        block = strict[..., columns, columns]
        result[..., rows, columns] = solve_unit_lower(block, rest, left=False)
    return result


def lower_quotient_adjoint(strict, b):
    r"""Return the lower triangle of :math:`(I + N)^{-\top} B`."""
    if not _is_cut(strict, b, _WHOLE_QUOTIENTS):
        return solve_unit_lower(strict, b.mT, left=False).mT
    result = _null(strict, b)
    for rows in reversed(_blocks(result)):
        after, until = slice(rows.stop, None), slice(rows.stop)
        rest = b[..., rows, until]
        if rows.stop < b.shape[-1]:
            rest = rest - strict[..., after, rows].mT @ result[..., after, until]
        block = strict[..., rows, rows]
        result[..., rows, until] = solve_unit_lower(block, rest.mT, left=False).mT
    return result


def lower_right_quotient_adjoint(strict, b):
    r"""Return the lower triangle of :math:`B (I + N)^{-\top}`."""
    if not _is_cut(strict, b, _WHOLE_QUOTIENTS):
        return solve_unit_lower(strict, b.mT).mT
    result = _null(strict, b)
    for columns in _blocks(result):
        before, since = slice(columns.start), slice(columns.start, None)
        rest = b[..., since, columns]
        if columns.start:
            rest = rest - result[..., since, before] @ strict[..., columns, before].mT
        block = strict[..., columns, columns]
        result[..., since, columns] = solve_unit_lower(block, rest.mT).mT
    return result


def _is_cut(a, b, largest):
    # What is recorded, mapped or compiled does not write into parts of arrays.
    return a.shape[-1] > largest and is_plain(a) and is_plain(b)


def _blocks(matrix):
    """Return ranges of rows of about the same length."""
    size = matrix.shape[-1]
    count = max(3, -(-size // _LARGEST_BLOCK))
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
