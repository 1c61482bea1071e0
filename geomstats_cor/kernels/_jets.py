"""Polynomials and exponentials of truncated Taylor series of matrices.

A jet is the tuple of Taylor coefficients of a curve of matrices. The exponential of a
jet gives the exponential, its differential and its second derivative by one piece of
code.
"""

import math

from ._arrays import constant, eye_like, namespace
from ._gradients import detached, is_readable

_DEGREE = 12
_RADIUS = 0.3  # radius ** 12 / 13! is the rounding unit of float64
_TAYLOR = (0.0, *(1.0 / math.factorial(k) for k in range(1, _DEGREE + 1)))


def expm1_jet(jet):
    """Return the jet of exp(x(t)) - I, by scaling and squaring.

    Squaring the difference from the identity keeps the digits of small entries.
    """
    xp = namespace(*jet)
    if not is_readable(jet[0]):
        return _expm1_jet_by_blocks(jet)
    norms = xp.max(xp.sum(xp.abs(detached(jet[0])), axis=-2), axis=-1)
    norms = xp.where(xp.isfinite(norms), norms, 0.0)
    largest = float(xp.max(norms)) if math.prod(norms.shape) else 0.0
    halvings = max(0, math.ceil(math.log2(max(largest, 1e-300) / _RADIUS)))
    result = jet_polynomial(tuple(0.5**halvings * x for x in jet), _TAYLOR)
    for _ in range(halvings):
        square = jet_product(result, result)
        result = tuple(2.0 * r + s for r, s in zip(result, square, strict=True))
    return result


def _expm1_jet_by_blocks(jet):
    """Return the same from the exponential of a block triangular Toeplitz matrix.

    Dearer, but the number of squarings is torch's affair.
    """
    xp = namespace(*jet)
    size, order = jet[0].shape[-1], len(jet)
    jet = xp.broadcast_arrays(*jet)
    null = xp.zeros_like(jet[0])
    rows = [
        xp.concat([jet[i - j] if i >= j else null for j in range(order)], axis=-1)
        for i in range(order)
    ]
    exponential = xp.linalg.matrix_exp(xp.concat(rows, axis=-2))
    first, *others = (
        exponential[..., i * size : (i + 1) * size, :size] for i in range(order)
    )
    return (first - eye_like(first), *others)


def jet_polynomial(jet, coefficients):
    """Evaluate a polynomial by the scheme of Paterson and Stockmeyer."""
    width = max(1, math.isqrt(len(coefficients)))
    padded = (*coefficients, *(0.0,) * (-len(coefficients) % width))
    table = constant(
        [padded[i : i + width] for i in range(0, len(padded), width)], jet[0]
    )
    powers = [jet]
    while len(powers) < width:
        powers.append(jet_product(powers[-1], jet))
    blocks = _combinations(table, powers)
    total = tuple(block[-1, ...] for block in blocks)
    for row in reversed(range(table.shape[0] - 1)):
        product = jet_product(powers[-1], total)
        total = tuple(b[row, ...] + p for b, p in zip(blocks, product, strict=True))
    return total


def _combinations(table, powers):
    """Return all sums c_0 I + c_1 x + c_2 x^2 + ..., by one product."""
    xp = namespace(table)
    blocks = []
    for order, term in enumerate(powers[0]):
        identity = eye_like(term) if order == 0 else xp.zeros_like(eye_like(term))
        columns = [identity + 0.0 * term, *(power[order] for power in powers[:-1])]
        # A vector that stands for all points of a stack meets them in the second power.
        columns = xp.broadcast_arrays(*columns)
        blocks.append(xp.tensordot(table, xp.stack(columns), axes=1))
    return blocks


def jet_product(a, b):
    """Return the product of two jets, truncated to the same order."""
    return tuple(
        sum(a[i] @ b[order - i] for i in range(order + 1)) for order in range(len(a))
    )
