"""Quotients such as sinh(r) / r as smooth functions of the square of r.

Written in the square, they are analytic at zero, with analytic derivatives of every
order; near zero a power series replaces the quotient.
"""

import math

from ._arrays import namespace

_SERIES_BELOW = 1e-2
_SINH_SERIES = tuple(1.0 / math.factorial(2 * k + 1) for k in range(6))
_ASINH_SERIES = tuple(
    (-1) ** k * math.comb(2 * k, k) / (4**k * (2 * k + 1)) for k in range(9)
)


def sinh_quotient(square):
    """Return sinh(r) / r, given the square of r."""
    xp = namespace(square)
    return _by_series(square, _SINH_SERIES, lambda r: xp.sinh(r) / r)


def asinh_quotient(square):
    """Return asinh(r) / r, given the square of r."""
    xp = namespace(square)
    return _by_series(square, _ASINH_SERIES, lambda r: xp.asinh(r) / r)


def _by_series(square, coefficients, function):
    xp = namespace(square)
    small = square < _SERIES_BELOW
    inside = xp.where(small, square, 0.0)
    series = coefficients[-1]
    for coefficient in reversed(coefficients[:-1]):
        series = coefficient + inside * series
    return xp.where(small, series, function(xp.sqrt(xp.where(small, 1.0, square))))
