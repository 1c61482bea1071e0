"""The matrix exponential of truncated Taylor series.

A jet is the tuple of Taylor coefficients of a curve of matrices. Exponentials of jets
give the exponential, its differential and its second derivative by one piece of code.
"""

import math

from ._arrays import namespace

_DEGREE = 12
_RADIUS = 0.3  # radius ** 12 / 13! is the rounding unit of float64


def expm1_jet(jet):
    """Return the Taylor coefficients of exp(x(t)) - I from those of x(t)."""
    xp = namespace(*jet)
    largest = 0.0
    if math.prod(jet[0].shape):
        norms = xp.max(xp.sum(xp.abs(jet[0]), axis=-2), axis=-1)
        largest = float(xp.max(xp.where(xp.isfinite(norms), norms, 0.0)))
    halvings = max(0, math.ceil(math.log2(max(largest, 1e-300) / _RADIUS)))
    scaled = tuple(term * 0.5**halvings for term in jet)
    result = _taylor_expm1(scaled)
    for _ in range(halvings):
        square = _jet_product(result, result)
        result = tuple(2.0 * r + s for r, s in zip(result, square, strict=True))
    return result


def _taylor_expm1(x):
    """Evaluate x + x^2/2 + ... + x^12/12! in four blocks of three terms."""
    x2 = _jet_product(x, x)
    x3 = _jet_product(x2, x)
    powers = (x, x2, x3)
    total = None
    for block in reversed(range(0, _DEGREE, 3)):
        coefficients = [1.0 / math.factorial(block + k) for k in (1, 2, 3)]
        low = tuple(
            sum(c * p for c, p in zip(coefficients, terms, strict=True))
            for terms in zip(*powers, strict=True)
        )
        if total is None:
            total = low
        else:
            product = _jet_product(x3, total)
            total = tuple(a + b for a, b in zip(low, product, strict=True))
    return total


def _jet_product(a, b):
    return tuple(
        sum(a[i] @ b[order - i] for i in range(order + 1)) for order in range(len(a))
    )
