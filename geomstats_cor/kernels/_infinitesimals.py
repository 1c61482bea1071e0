"""Matrices with infinitesimal parts: functions of these contain their differentials.

A matrix x + s a + t b + s t c, with numbers s and t whose squares are zero, is the
tuple (x, a, b, c), in general one of length 1, 2 or 4; a part that is None is null. The
parts of f(x + s a + t b) are f(x), its differentials along a and along b, and its
second differential along both. All parts are lower triangular; those with the last
infinitesimal are directions of a stated kind, see `_lower`.
"""

import functools
import math

from ._arrays import eps, eye_like, namespace
from ._gradients import detached, is_readable
from ._in_place import accumulate
from ._lower import ADJOINT, LOWER, lower_product

_DEGREE = 12
_TAYLOR = tuple(1.0 / math.factorial(k) for k in range(1, _DEGREE + 1))


def product(a, b, kind=LOWER):
    """Return the product of two matrices with infinitesimal parts."""
    return tuple(_part_of_product(a, b, whole, kind) for whole in range(len(a)))


def _part_of_product(a, b, whole, kind):
    # The binary digits of an index tell which infinitesimals are in a part.
    last = len(a) // 2
    products = (
        (kind.after if part & last else kind.before if whole & last else lower_product)(
            a[part], b[whole ^ part]
        )
        for part in range(whole + 1)
        if part & whole == part and a[part] is not None and b[whole ^ part] is not None
    )
    total = next(products, None)
    for term in products:
        total = accumulate(total, 1.0, term)
    return total


def _used_up(parts, function):
    """Replace the parts of a list, the last first, and forget them one by one.

    No part of a product depends on later parts of the factors, so that one matrix has
    to be held beyond the factors, not as many as there are parts.
    """
    results = []
    for whole in reversed(range(len(parts))):
        results.append(function(parts, whole))
        parts[whole] = None
    return results[::-1]


def _times(a, b, kind):
    """Return the product of two matrices, the second of which is a list to use up."""
    return _used_up(b, lambda b, whole: _part_of_product(a, b, whole, kind))


def odd_polynomial(z, coefficients, kind=LOWER):
    """Return the sum of coefficients[k] z^(2 k + 1)."""
    square = product(z, z, kind)
    return _times(z, _polynomial(square, coefficients, kind), kind)


def expm1(x, kind=LOWER):
    """Return exp(x) - I, by scaling and squaring.

    Squaring the difference from the identity keeps the digits of small entries.
    """
    if not is_readable(x[0]):
        return _expm1_by_blocks(x, kind)
    halvings = _halvings(detached(x[0]))
    scale = 0.5**halvings
    x = tuple(part if part is None else scale * part for part in x)
    # The series without its constant term is a polynomial times x.
    result = _times(x, _polynomial(x, _TAYLOR, kind), kind)
    del x
    for _ in range(halvings):
        result = _used_up(result, functools.partial(_part_of_doubled, kind=kind))
    return result


def _part_of_doubled(x, whole, kind):
    """Return a part of 2 x + x^2: what x = exp(y) - I is for twice y."""
    return _add_parts(_part_of_product(x, x, whole, kind), x[whole], 2.0)


def _halvings(matrix):
    """Return how often to halve a matrix, so that the next term is below rounding."""
    xp = namespace(matrix)
    radius = (0.4 * eps(matrix) * math.factorial(_DEGREE + 1)) ** (1.0 / _DEGREE)
    norms = xp.max(xp.sum(xp.abs(matrix), axis=-2), axis=-1)
    norms = xp.where(xp.isfinite(norms), norms, 0.0)
    largest = float(xp.max(norms)) if math.prod(norms.shape) else 0.0
    return max(0, math.ceil(math.log2(max(largest, 1e-300) / radius)))


def _expm1_by_blocks(x, kind):
    """Return the same from the exponential of a block triangular matrix.

    Dearer, but the number of squarings is torch's affair.
    """
    xp = namespace(x[0])
    x = _seen_as_matrices(x, kind)
    size, count = x[0].shape[-1], len(x)
    null = xp.zeros_like(x[0])
    parts = xp.broadcast_arrays(*(null if part is None else part for part in x))
    rows = [
        xp.concat(
            [parts[i ^ j] if i & j == j else 0.0 * parts[0] for j in range(count)],
            axis=-1,
        )
        for i in range(count)
    ]
    exponential = xp.linalg.matrix_exp(xp.concat(rows, axis=-2))
    first, *others = (
        exponential[..., i * size : (i + 1) * size, :size] for i in range(count)
    )
    return _seen_as_matrices((first - eye_like(first), *others), kind)


def _seen_as_matrices(x, kind):
    """Transpose the parts that stand for their transposes."""
    last = len(x) // 2
    return tuple(
        part.mT if kind is ADJOINT and place & last and part is not None else part
        for place, part in enumerate(x)
    )


def _polynomial(x, coefficients, kind):
    """Return the sum of coefficients[k] x^k, by the scheme of Paterson and Stockmeyer.

    Blocks of coefficients are combined as they are needed, so that little is held.
    """
    width = max(1, math.isqrt(len(coefficients)))
    powers = [x]
    while len(powers) < width:
        powers.append(product(powers[-1], x, kind))
    starts = range(0, len(coefficients), width)
    blocks = [coefficients[start : start + width] for start in starts]
    total = _plus_combination([None for _ in x], blocks[-1], powers)
    for block in reversed(blocks[:-1]):
        total = _times(powers[-1], total, kind)
        total = _plus_combination(total, block, powers)
    return total


def _plus_combination(total, coefficients, powers):
    """Return the matrix plus c_0 I + c_1 x + c_2 x^2 + ..., as the list it was."""
    one = (eye_like(powers[0][0]), *(None for _ in powers[0][1:]))
    for coefficient, power in zip(coefficients, (one, *powers), strict=False):
        for place, part in enumerate(power):
            total[place] = _add_parts(total[place], part, coefficient)
    return total


def _add_parts(total, part, number):
    if part is None:
        return total
    return number * part if total is None else accumulate(total, number, part)
