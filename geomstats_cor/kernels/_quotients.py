"""Quotients such as sinh(r) / r as smooth functions of the square of r.

Written in the square, they are analytic at zero, with analytic derivatives of every
order; near zero a power series replaces the quotient.
"""

import math
from fractions import Fraction

from .._types import Array
from ._array import namespace, row_dot
from ._autodiff import StatedGradient, is_plain

_SERIES_BELOW = 0.1


def _bernoulli_numbers(count):
    numbers = [Fraction(1)]
    for m in range(1, count):
        terms = (math.comb(m + 1, k) * number for k, number in enumerate(numbers))
        numbers.append(-sum(terms, Fraction(0)) / (m + 1))
    return numbers


_BERNOULLI = tuple(
    number / math.factorial(k) for k, number in enumerate(_bernoulli_numbers(38))
)
_SINH_SERIES = tuple(1.0 / math.factorial(2 * k + 1) for k in range(9))
_ASINH_SERIES = tuple(
    (-1) ** k * math.comb(2 * k, k) / (4**k * (2 * k + 1)) for k in range(17)
)
_COTH_SERIES = tuple(float(4**k * _BERNOULLI[2 * k]) for k in range(1, 19))
_CSCH_SERIES = tuple(float((4**k - 2) * _BERNOULLI[2 * k]) for k in range(1, 19))


def _tanh_series(terms):
    """Return the coefficients of tanh(r) / r, by tanh' = 1 - tanh^2."""
    series = [1.0]
    for k in range(1, terms):
        square = sum(series[i] * series[k - 1 - i] for i in range(k))
        series.append(-square / (2 * k + 1))
    return tuple(series)


_TANH_SERIES = _tanh_series(14)


def divide(
    numerator: Array, denominator: Array, otherwise: float | None = None
) -> Array:
    """Divide where the denominator is not zero.

    Elsewhere the result is `otherwise`, a constant, or by default the numerator: a null
    vector divided by its length stays null.
    """
    xp = namespace(denominator)
    null = denominator == 0.0
    quotient = numerator / xp.where(null, 1.0, denominator)
    return quotient if otherwise is None else xp.where(null, otherwise, quotient)


def length(square: Array) -> Array:
    """Return the square root of a squared length, with derivative zero at zero."""
    xp = namespace(square)
    if is_plain(square):
        return xp.sqrt(square)
    null = square == 0.0
    return xp.where(null, 0.0, xp.sqrt(xp.where(null, 1.0, square)))


def _direction(x):
    """Return vectors divided by their lengths, and null vectors as they are."""
    return divide(x, norm(x)[..., None], 0.0)


# The lengths of vectors [..., k]. Derivatives of all orders are zero at zero.
norm = StatedGradient(
    lambda x: namespace(x).linalg.vector_norm(x, axis=-1),
    lambda tangents, x: namespace(x).sum(tangents[0] * _direction(x), axis=-1),
    lambda cotangent, needed, x: (cotangent[..., None] * _direction(x),),
)


# The squares of these lengths, with the last axis kept, in a single pass.
squared_length = StatedGradient(
    lambda x: namespace(x).linalg.vector_norm(x, axis=-1, keepdims=True) ** 2,
    lambda tangents, x: 2.0 * row_dot(x, tangents[0]),
    lambda cotangent, needed, x: (2.0 * cotangent * x,),
)


def sinh_quotient(square: Array) -> Array:
    """Return sinh(r) / r, given the square of r."""
    return _sinh_quotient(square)


def sinh_quotient_derivative(square: Array) -> Array:
    """Return the derivative of `sinh_quotient`: (cosh(r) - sinh(r) / r) / (2 r^2)."""
    xp = namespace(square)
    return _by_series(
        square,
        _derivative(_SINH_SERIES),
        lambda s: 0.5 * (xp.cosh(xp.sqrt(s)) - sinh_quotient(s)) / s,
    )


def tanh_quotient(square: Array) -> Array:
    """Return tanh(r) / r, given the square of r."""
    xp = namespace(square)
    return _by_series(square, _TANH_SERIES, lambda s: xp.tanh(xp.sqrt(s)) / xp.sqrt(s))


def exp_minus_one(x: Array) -> Array:
    r"""Return :math:`e^x - 1`, with all digits of small numbers in compiled code, too.

    The code that torch.compile generates for its own function subtracts. Here,

    .. math:: e^x - 1 = \frac{2 t}{1 + |t|} \, e^{\max(x, 0)} , \qquad
              t = \tanh(x / 2) .
    """
    xp = namespace(x)
    t = xp.tanh(0.5 * x)
    return 2.0 * t / (1.0 + xp.abs(t)) * xp.exp(xp.clip(x, 0.0, None))


def log_sinh_quotient(square: Array) -> Array:
    """Return log(sinh(r) / r), given the square of r, without overflow."""
    xp = namespace(square)
    near = square < 1.0
    r = xp.sqrt(xp.where(near, 1.0, square))
    far = r + xp.log(-0.5 * xp.expm1(-2.0 * r) / r)
    return xp.where(near, xp.log(sinh_quotient(xp.where(near, square, 0.0))), far)


def asinh_quotient(square: Array) -> Array:
    """Return asinh(r) / r, given the square of r."""
    return _asinh_quotient(square)


def asinh_quotient_derivative(square: Array) -> Array:
    """Return the derivative of `asinh_quotient`, as `sinh_quotient_derivative` does."""
    xp = namespace(square)
    return _by_series(
        square,
        _derivative(_ASINH_SERIES),
        lambda s: 0.5 * (1.0 / xp.sqrt(1.0 + s) - asinh_quotient(s)) / s,
    )


def coth_excess(square: Array) -> Array:
    """Return (r coth(r) - 1) / r^2, given the square of r."""
    xp = namespace(square)

    def quotient(s):
        return (xp.sqrt(s) / xp.tanh(xp.sqrt(s)) - 1.0) / s

    return _by_series(square, _COTH_SERIES, quotient, below=1.0)


def csch_deficit(square: Array) -> Array:
    """Return (1 - r / sinh(r)) / r^2, given the square of r."""
    xp = namespace(square)

    def quotient(s):
        return (1.0 - xp.sqrt(s) / xp.sinh(xp.sqrt(s))) / s

    return _by_series(square, _CSCH_SERIES, quotient, below=1.0)


def _quotient(function, derivative):
    """Return f(r) / r as a function of the square of r, with f odd and f'(0) = 1.

    The quotient itself loses no digits; its derivatives would, and are stated.
    """

    def value(square):
        tiny = float(namespace(square).finfo(square.dtype).smallest_normal)
        r = namespace(square).sqrt(namespace(square).clip(square, min=tiny))
        return function(namespace(square), r) / r

    return StatedGradient(
        value,
        lambda tangents, square: derivative(square) * tangents[0],
        lambda cotangent, needed, square: (derivative(square) * cotangent,),
    )


_sinh_quotient = _quotient(lambda xp, r: xp.sinh(r), sinh_quotient_derivative)
_asinh_quotient = _quotient(lambda xp, r: xp.asinh(r), asinh_quotient_derivative)


def _derivative(coefficients):
    return tuple(k * c for k, c in enumerate(coefficients))[1:]


def _by_series(square, coefficients, function, below=_SERIES_BELOW):
    xp = namespace(square)
    small = square < below
    inside = xp.where(small, square, 0.0)
    series = coefficients[-1]
    for coefficient in reversed(coefficients[:-1]):
        series = coefficient + inside * series
    return xp.where(small, series, function(xp.where(small, 1.0, square)))
