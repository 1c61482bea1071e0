"""Products and quotients of lower triangular matrices, half of which is zero.

Cut in the middle, a product of lower triangular matrices is two smaller ones and one
full block; a third of the work is left of large matrices.
"""

import numpy as np
from array_api_compat import device

from ._arrays import namespace, solve_unit_lower
from ._gradients import is_readable

_WHOLE_UP_TO = 384  # below, cutting costs as much as it saves


def lower_product(a, b):
    """Return the product of lower triangular matrices."""
    if not _is_cut(a, b):
        return a @ b
    middle = a.shape[-1] // 2
    first, last = slice(None, middle), slice(middle, None)
    return _assembled(
        lower_product(a[..., first, first], b[..., first, first]),
        a[..., last, :] @ b[..., :, first],
        lower_product(a[..., last, last], b[..., last, last]),
    )


def lower_quotient(strict, b):
    r"""Return :math:`(I + N)^{-1} B` for a lower triangular matrix :math:`B`.

    Of :math:`N`, the strictly lower part alone is read.
    """
    if not _is_cut(strict, b):
        return solve_unit_lower(strict, b)
    middle = b.shape[-1] // 2
    first, last = slice(None, middle), slice(middle, None)
    above = lower_quotient(strict[..., first, first], b[..., first, first])
    rest = b[..., last, first] - strict[..., last, first] @ above
    return _assembled(
        above,
        solve_unit_lower(strict[..., last, last], rest),
        lower_quotient(strict[..., last, last], b[..., last, last]),
    )


def _is_cut(a, b):
    # What maps over arrays, or compiles, does not write into parts of them.
    return a.shape[-1] > _WHOLE_UP_TO and is_readable(a) and is_readable(b)


def _assembled(above, corner, below):
    """Return the matrix of two lower triangular blocks, and the corner below them."""
    xp = namespace(corner)
    middle, size = above.shape[-1], above.shape[-1] + below.shape[-1]
    batch = np.broadcast_shapes(above.shape[:-2], below.shape[:-2])
    whole = xp.zeros((*batch, size, size), dtype=corner.dtype, device=device(corner))
    whole[..., :middle, :middle] = above
    whole[..., middle:, :middle] = corner
    whole[..., middle:, middle:] = below
    return whole
