"""Matrices with infinitesimal parts: functions of these contain their differentials.

A matrix x + s a + t b + s t c, with numbers s and t whose squares are zero, is the
tuple (x, a, b, c), in general one of length 1, 2 or 4; a part that is None is null. The
parts of f(x + s a + t b) are f(x), its differentials along a and along b, and its
second differential along both. All parts are lower triangular; those with the last
infinitesimal are directions of a stated kind, see `_triangles`.
"""

import functools
import math
from typing import Any

from .._types import Array
from ._array import eps, eye_like, namespace
from ._autodiff import detached, is_readable
from ._triangles import ADJOINT, LOWER, Directions, lower_product

_DEGREE = 12
_FINITE_UP_TO = 8  # size up to which a sum of powers has all digits
_TAYLOR = tuple(1.0 / math.factorial(k) for k in range(1, _DEGREE + 1))


def product(a: Array, b: Array, kind: Directions = LOWER) -> Any:
    """Return the product of two matrices with infinitesimal parts."""
    return tuple(_part_of_product(a, b, whole, kind) for whole in range(len(a)))


def _part_of_product(a, b, whole, kind):
    # The binary digits of an index say which infinitesimals a part contains.
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
        total = total + term
    return total


def _used_up(parts, function, since=0):
    """Replace the parts of a list in place, from the last to the first.

    No part of a product depends on later parts of the factors, so that one matrix has
    to be held beyond the factors, not as many as there are parts.
    """
    results = []
    for whole in reversed(range(since, len(parts))):
        results.append(function(parts, whole))
        parts[whole] = None
    return results[::-1]


def _times(a, b, kind, since=0):
    """Return the product of two matrices, the second of which is a list to use up."""
    return _used_up(b, lambda b, whole: _part_of_product(a, b, whole, kind), since)


def odd_polynomial(z: Any, coefficients: Any, kind: Directions = LOWER) -> Any:
    """Return the sum of coefficients[k] z^(2 k + 1), its last parts.

    These are, here and below, the parts with the last infinitesimal: the value, the
    differential, or the differential along the second direction and that along both.
    """
    powers = _powers(product(z, z, kind), coefficients, kind)
    polynomial = _polynomial(powers, coefficients, kind)
    return _times(z, polynomial, kind, since=len(z) // 2)


def expm1(x: Array, kind: Directions = LOWER) -> Any:
    """Return exp(x) - I, by scaling and squaring, its last parts.

    Squaring the difference from the identity keeps the digits of small entries. For
    small matrices the series is summed as it is: x^n = 0, and it is short.
    """
    needed, size = len(x) // 2, x[0].shape[-1]
    if size <= _FINITE_UP_TO:
        # Three terms at least: autograd then records x, even where it has no effect.
        series = _TAYLOR[: max(3, size - 1)]
        polynomial = _polynomial(_powers(x, series, kind), series, kind)
        return _times(x, polynomial, kind, since=needed)
    if not is_readable(x[0]):
        return _expm1_by_blocks(x, kind)
    powers = _powers(x, _TAYLOR, kind)
    order = len(x).bit_length() - 1
    halvings = _halvings([detached(power[0]) for power in powers], order)
    scale = 0.5**halvings
    for k in range(len(powers)):  # in place, to limit memory
        number = scale ** (k + 1)
        powers[k] = [part if part is None else number * part for part in powers[k]]
    x = powers[0]
    # The series without its constant term is a polynomial times x.
    polynomial = _polynomial(powers, _TAYLOR, kind)
    result = _times(x, polynomial, kind, since=0 if halvings else needed)
    del x, powers
    doubled = functools.partial(_part_of_doubled, kind=kind)
    for left in reversed(range(halvings)):
        result = _used_up(result, doubled, since=0 if left else needed)
    return result


def _part_of_doubled(x, whole, kind):
    """Return a part of 2 x + x^2: what x = exp(y) - I is for twice y."""
    return _add_parts(_part_of_product(x, x, whole, kind), x[whole], 2.0)


def _halvings(powers, order):
    r"""Return how often to halve x, so that the next term is below rounding.

    The norm of a matrix far from normal is a poor bound for those of its powers. With
    :math:`\alpha = \max(\|x^2\|^{1/2}, \|x^3\|^{1/3})`, every power but the first is at
    most :math:`\alpha^k` [AH2009]_, and in a differential the first power stands beside
    each direction at most once.

    Parameters
    ----------
    powers : list of array, shape=[..., n, n]
        x and its powers.
    order : int
        Order of the differential.

    References
    ----------
    .. [AH2009] A. H. Al-Mohy and N. J. Higham. A new scaling and squaring algorithm for
       the matrix exponential. SIAM J. Matrix Anal. Appl. 31, 2009.
    """
    xp = namespace(powers[0])
    norms = [xp.max(xp.sum(xp.abs(x), axis=-2), axis=-1) for x in powers]
    if not math.prod(norms[0].shape):
        return 0
    # Null matrices and those with NaN need no halving.
    first, second, third = (
        xp.log2(xp.where((1e-30 < x) & (x < math.inf), x, 1e-30)) for x in norms
    )
    alpha = xp.minimum(first, xp.maximum(second / 2, third / 3))
    # Relative to the leading term, which is x, a direction, or a product of two.
    degree = _DEGREE + 1 - max(1, order)
    term = float(xp.max((degree - order) * alpha + order * first))
    allowed = 0.4 * eps(powers[0]) * math.factorial(_DEGREE + 1 - order)
    return max(0, math.ceil((term - math.log2(allowed)) / degree))


def _expm1_by_blocks(x, kind):
    """Return the result of `expm1` from the exponential of a block triangular matrix.

    Slower, but torch chooses the number of squarings, which tracing cannot.
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
    parts = _seen_as_matrices((first - eye_like(first), *others), kind)
    return parts[count // 2 :]


def _seen_as_matrices(x, kind):
    """Transpose the parts that stand for their transposes."""
    last = len(x) // 2
    return tuple(
        part.mT if kind is ADJOINT and position & last and part is not None else part
        for position, part in enumerate(x)
    )


def _powers(x, coefficients, kind):
    """Return the first powers of x, as many as the polynomial needs."""
    powers = [x]
    while len(powers) < math.isqrt(len(coefficients)):
        powers.append(product(powers[-1], x, kind))
    return powers


def _polynomial(powers, coefficients, kind):
    """Return the sum of coefficients[k] x^k, by the scheme of Paterson and Stockmeyer.

    Blocks of coefficients are combined as they are needed, to limit memory.
    """
    starts = range(0, len(coefficients), len(powers))
    blocks = [coefficients[start : start + len(powers)] for start in starts]
    total = _plus_combination([None for _ in powers[0]], blocks[-1], powers)
    for block in reversed(blocks[:-1]):
        total = _times(powers[-1], total, kind)
        total = _plus_combination(total, block, powers)
    return total


def _plus_combination(total, coefficients, powers):
    """Return the matrix plus c_0 I + c_1 x + c_2 x^2 + ..., as the list it was."""
    one = (eye_like(powers[0][0]), *(None for _ in powers[0][1:]))
    for coefficient, power in zip(coefficients, (one, *powers), strict=False):
        for position, part in enumerate(power):
            total[position] = _add_parts(total[position], part, coefficient)
    return total


def _add_parts(total, part, number):
    if part is None:
        return total
    return number * part if total is None else total + number * part
