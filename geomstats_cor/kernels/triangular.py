r"""Logarithm and exponential of unit lower triangular matrices.

Write :math:`K = I + N` with :math:`N` strictly lower triangular. With the Cayley
transform :math:`Z = (2 I + N)^{-1} N`, the logarithm is

.. math:: \log K = 2 \operatorname{atanh}(Z)
          = 2 Z \sum_{k < n / 2} \frac{Z^{2k}}{2k + 1}
          = \int_{-1}^{1} (I - u^2 Z^2)^{-1} Z \, du .

The series is finite, since :math:`Z` is nilpotent, and its terms do not cancel. (The
textbook series :math:`\sum (-1)^{k-1} N^k / k` is finite too, but on AR(1) correlations
with parameter 0.9 and :math:`n = 100` it has no digit left.) The integral is cheaper:
the number of Gauss-Legendre nodes depends on the decay of the powers of :math:`Z`. The
series is used while torch traces or maps, when numbers cannot be read, and for small
numpy arrays, where counting the nodes costs more than it saves.

The exponential is a Taylor polynomial with scaling and squaring of the strict part, or
the finite series of a small matrix.
"""

import functools
import math

import numpy as np

from .._types import Array
from ._array import (
    constant,
    eps,
    eye_like,
    is_torch,
    namespace,
    strictly_lower,
)
from ._autodiff import (
    StatedGradient,
    detached,
    is_readable,
    total_differential,
)
from ._batching import batched
from ._dual_numbers import expm1, odd_polynomial
from ._precision import in_own_precision
from ._quadrature import gauss_legendre
from ._triangles import (
    ADJOINT,
    LOWER,
    commuting_quotient,
    lower_product,
    lower_quotient,
)

_HELD = 4  # matrices in memory at a time
# Size up to which numpy is faster with the whole series; see
# benchmarks/triangular_series.py.
_SERIES_UP_TO = 60
_UNPROBED_UP_TO = 9  # nodes; with fewer, counting them costs more than it saves
_PROBED_TOGETHER = 4  # terms
_QUICK = 0.25  # factor from term to term
_NEGLIGIBLE_AFTER = 40  # terms, for a fast decay


@in_own_precision
def log_unit_lower(unit_lower: Array) -> Array:
    r"""Return the logarithm of unit lower triangular matrices.

    .. math:: \log K = 2 \sum_{k < n / 2} \frac{Z^{2 k + 1}}{2 k + 1} , \qquad
              Z = (K + I)^{-1} (K - I) .

    Parameters
    ----------
    unit_lower : array, shape=[..., n, n]
        Unit lower triangular matrix :math:`K`.

    Returns
    -------
    logarithm : array, shape=[..., n, n]
        Strictly lower triangular matrix.

    Examples
    --------
    >>> import numpy as np
    >>> from geomstats_cor.kernels import log_unit_lower
    >>> unit_lower = np.array([[1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [0.5, 1.0, 1.0]])
    >>> log_unit_lower(unit_lower).round(12) + 0.0
    array([[0., 0., 0.],
           [1., 0., 0.],
           [0., 1., 0.]])
    """
    return _log(unit_lower)


@in_own_precision
def log_unit_lower_differential(vector: Array, unit_lower: Array) -> Array:
    r"""Return the differential of the logarithm at a unit lower triangular matrix.

    .. math:: d_K \log(\xi) = \int_0^1 (I + s N)^{-1} \xi (I + s N)^{-1} ds , \qquad
              N = K - I .

    Parameters
    ----------
    vector : array, shape=[..., n, n]
        Strictly lower triangular matrix :math:`\xi`.
    unit_lower : array, shape=[..., n, n]
        Unit lower triangular matrix :math:`K`.

    Returns
    -------
    moved : array, shape=[..., n, n]
        Strictly lower triangular matrix.

    Examples
    --------
    The logarithm of :math:`\exp((1 + t) X)` is :math:`(1 + t) X`:

    >>> import numpy as np
    >>> from geomstats_cor.kernels import (
    ...     exp_strictly_lower,
    ...     log_unit_lower_differential,
    ... )
    >>> strict = np.array([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]])
    >>> unit_lower = exp_strictly_lower(strict)
    >>> log_unit_lower_differential(strict @ unit_lower, unit_lower).round(12) + 0.0
    array([[0., 0., 0.],
           [1., 0., 0.],
           [0., 1., 0.]])
    """
    return _log_differential(vector, unit_lower)


@in_own_precision
def exp_strictly_lower(strict: Array) -> Array:
    r"""Return the exponential of strictly lower triangular matrices.

    .. math:: \exp X = \sum_{k < n} \frac{X^k}{k!} .

    Parameters
    ----------
    strict : array, shape=[..., n, n]
        Strictly lower triangular matrix.

    Returns
    -------
    exponential : array, shape=[..., n, n]
        Unit lower triangular matrix.

    Examples
    --------
    >>> import numpy as np
    >>> from geomstats_cor.kernels import exp_strictly_lower
    >>> strict = np.array([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]])
    >>> exp_strictly_lower(strict)
    array([[1. , 0. , 0. ],
           [1. , 1. , 0. ],
           [0.5, 1. , 1. ]])
    """
    return _exp(strict)


@in_own_precision
def exp_strictly_lower_differential(vector: Array, strict: Array) -> Array:
    r"""Return the differential of the exponential at a strictly lower matrix.

    .. math:: d_X \exp(\xi) = \int_0^1 e^{s X} \xi e^{(1 - s) X} ds .

    Parameters
    ----------
    vector : array, shape=[..., n, n]
        Strictly lower triangular matrix :math:`\xi`.
    strict : array, shape=[..., n, n]
        Strictly lower triangular matrix :math:`X`.

    Returns
    -------
    moved : array, shape=[..., n, n]
        Strictly lower triangular matrix.

    Examples
    --------
    In the direction of :math:`X` itself it is :math:`X \exp X`:

    >>> import numpy as np
    >>> from geomstats_cor.kernels import exp_strictly_lower_differential
    >>> strict = np.array([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]])
    >>> exp_strictly_lower_differential(strict, strict)
    array([[0., 0., 0.],
           [1., 0., 0.],
           [1., 1., 0.]])
    """
    return _exp_differential(vector, strict)


@in_own_precision
def exp_strictly_lower_second_differential(vector: Array, strict: Array) -> Array:
    r"""Return the second derivative of :math:`t \mapsto \exp(X + t \xi)` at zero.

    .. math:: 2 \int_{a, b \ge 0, \, a + b \le 1}
              e^{a X} \xi e^{b X} \xi e^{(1 - a - b) X} \, da \, db .

    Parameters
    ----------
    vector : array, shape=[..., n, n]
        Strictly lower triangular matrix :math:`\xi`.
    strict : array, shape=[..., n, n]
        Strictly lower triangular matrix :math:`X`.

    Returns
    -------
    curved : array, shape=[..., n, n]
        Strictly lower triangular matrix.

    Examples
    --------
    At the null matrix it is :math:`\xi^2`:

    >>> import numpy as np
    >>> from geomstats_cor.kernels import exp_strictly_lower_second_differential
    >>> vector = np.array([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]])
    >>> exp_strictly_lower_second_differential(vector, np.zeros((3, 3)))
    array([[0., 0., 0.],
           [0., 0., 0.],
           [1., 0., 0.]])
    """
    return _exp_second_differential(vector, vector, strict, kind=LOWER)[1]


def _matrix_function(value, differential, second_differential):
    r"""Return a function of triangular matrices and its differential.

    The differential and its adjoint are one formula, for directions of two kinds; so
    are the second differential and its adjoint in the second direction, which come with
    the differential in that direction. Only the strictly lower part of directions is
    read, and only the arguments are saved for derivatives.
    """

    def curved(*arguments, kind):
        return second_differential(*arguments, kind=kind)[1]

    def moved_value(tangents, matrix):
        return along(tangents[0], matrix)

    def pulled_value(cotangent, needed, matrix):
        return (across(cotangent, matrix),)

    def moved_differential(tangents, vector, matrix):
        return total_differential(
            tangents,
            lambda moved: along(moved, matrix),
            lambda turned: curved(vector, turned, matrix, kind=LOWER),
        )

    def pulled_differential(cotangent, needed, vector, matrix):
        if not needed[1]:
            return across(cotangent, matrix), None
        return second_differential(vector, cotangent, matrix, kind=ADJOINT)

    def moved_adjoint(tangents, covector, matrix):
        return total_differential(
            tangents,
            lambda moved: across(moved, matrix),
            lambda turned: curved(turned, covector, matrix, kind=ADJOINT),
        )

    def pulled_adjoint(cotangent, needed, covector, matrix):
        moved = along(cotangent, matrix) if needed[0] else None
        turned = None
        if needed[1]:
            turned = curved(cotangent, covector, matrix, kind=ADJOINT)
        return moved, turned

    along = StatedGradient(
        functools.partial(differential, kind=LOWER),
        moved_differential,
        pulled_differential,
    )
    across = StatedGradient(
        functools.partial(differential, kind=ADJOINT), moved_adjoint, pulled_adjoint
    )
    return StatedGradient(value, moved_value, pulled_value), along


@batched(held=_HELD)
def _log_value(unit_lower):
    half = 0.5 * strictly_lower(unit_lower)
    cayley = commuting_quotient(half, half)
    size = cayley.shape[-1]
    is_small = size <= _SERIES_UP_TO and not is_torch(cayley)
    if is_small or not is_readable(cayley):
        return odd_polynomial((cayley,), _atanh_series(size))[0]
    square = lower_product(cayley, cayley)
    (_, total), *rule = _odd_rule(_node_count(cayley, square))
    total = total * cayley
    for node, weight in rule:
        term = commuting_quotient(-(node**2) * square, cayley)
        total = total + weight * term
    return total


@batched(held=2 * _HELD)
def _log_differential_value(vector, unit_lower, kind):
    half = 0.5 * strictly_lower(unit_lower)
    moved = kind.between(half, 0.5 * strictly_lower(vector))
    cayley = commuting_quotient(half, half)
    del half
    if not is_readable(cayley):
        series = _atanh_series(cayley.shape[-1])
        return strictly_lower(odd_polynomial((cayley, moved), series, kind)[0])
    square = lower_product(cayley, cayley)
    count = _node_count(cayley, square, order=1)
    turned = kind.after(kind.before(cayley, moved), cayley)
    del cayley
    (_, total), *rule = _odd_rule(count)
    total = total * moved
    for node, weight in rule:
        numerator = moved + node**2 * turned
        term = kind.between(-(node**2) * square, numerator)
        total = total + weight * term
    return strictly_lower(total)


@batched(held=3 * _HELD)
def _log_second_differential(vector_a, vector_b, unit_lower, kind):
    """Return differentials along a direction of any kind: first, and second.

    The second is also along a lower direction, the one that is given first.
    """
    vector_a, vector_b = strictly_lower(vector_a), strictly_lower(vector_b)
    half = 0.5 * strictly_lower(unit_lower)
    cayley = commuting_quotient(half, half)
    if not is_readable(half):
        moved_a, moved_b = LOWER.between(half, vector_a), kind.between(half, vector_b)
        # C A C B C + C B C A C, from C A C and C B C, where C is the inverse of I + N/2
        curved = kind.before(vector_a, moved_b) + kind.after(vector_b, moved_a)
        curved = kind.quotient(half, curved)
        parts = (cayley, 0.5 * moved_a, 0.5 * moved_b, -0.25 * curved)
        parts = odd_polynomial(parts, _atanh_series(half.shape[-1]), kind)
        return tuple(map(strictly_lower, parts))
    count = _node_count(cayley, lower_product(cayley, cayley), order=2)
    del cayley
    first = second = 0.0
    for node, weight in gauss_legendre(count):
        scaled = (1.0 + node) * half
        quotient = kind.quotient(scaled, vector_b)
        term = kind.before(vector_a, quotient)
        first = first + 0.5 * weight * kind.right_quotient(scaled, quotient)
        del quotient
        other = kind.after(vector_b, lower_quotient(scaled, vector_a))
        term = kind.between(scaled, term + other)
        second = second - 0.25 * weight * (1.0 + node) * term
    return strictly_lower(first), strictly_lower(second)


def _atanh_series(size):
    return tuple(2.0 / (2 * k + 1) for k in range(max(1, size // 2)))


@functools.cache
def _odd_rule(count):
    """Return the nodes of an odd Gauss rule that are not negative, for even functions.

    The first is zero, and costs nothing; the weights sum to two.
    """
    rule = gauss_legendre(count)[count // 2 :]
    return tuple(
        (u, (2.0 if k else 1.0) * weight) for k, (u, weight) in enumerate(rule)
    )


@batched(held=_HELD)
def _exp_value(strict):
    return expm1((strict,))[0] + eye_like(strict)


@batched(held=2 * _HELD)
def _exp_differential_value(vector, strict, kind):
    return strictly_lower(expm1((strict, strictly_lower(vector)), kind)[0])


@batched(held=4 * _HELD)
def _exp_second_differential(vector_a, vector_b, strict, kind):
    """Return first and second differentials, as `_log_second_differential`."""
    parts = map(strictly_lower, (strict, vector_a, vector_b))
    return tuple(map(strictly_lower, expm1((*parts, None), kind)))


def _node_count(cayley, square, order=0):
    """Return an odd number of Gauss nodes that is exact to rounding.

    Parameters
    ----------
    cayley, square : array, shape=[..., n, n]
        Z and its square W.
    order : int
        Order of the differential of the logarithm.
    """
    cayley, square = detached(cayley), detached(square)
    exact = _exact_node_count(cayley.shape[-1])
    if exact <= _UNPROBED_UP_TO or not math.prod(cayley.shape[:-2]):
        return exact
    terms, tolerance = _SeriesTerms(cayley, square), eps(cayley)
    bounds = terms.of_differential(order, exact)
    for count in range(3, exact, 2):
        # If the decay is fast, half of the terms suffice; a slow one may be noise.
        if len(terms) <= count // (2 if terms.decay <= _QUICK else 1):
            terms.measure()
            bounds = terms.of_differential(order, exact)
        if _rule_errors(count, len(bounds)) @ bounds <= tolerance:
            return count
    return exact


def _exact_node_count(size):
    return max(3, size // 2 + (size // 2 + 1) % 2)


@functools.cache
def _probes(size):
    return np.random.default_rng(0).standard_normal((4, size))


class _SeriesTerms:
    """The sizes of Z W^k relative to Z, estimated with random vectors.

    The largest over the rows, each relative to its own size: the rows of a triangle are
    normalised in the correlation matrix, so large rows must not hide small ones.
    """

    def __init__(self, cayley, square):
        xp = namespace(cayley)
        # Probes are rows: products with a few rows are faster than with columns.
        self.probes = constant(_probes(cayley.shape[-1]), cayley) @ cayley.mT
        self.square = square.mT
        tiny = float(xp.finfo(cayley.dtype).smallest_normal)
        self.reference = xp.max(xp.abs(self.probes), axis=-2) + tiny
        self.terms = [1.0]
        self.measure()

    def __len__(self):
        return len(self.terms)

    @property
    def decay(self):
        """Return the ratio of the last two terms."""
        return math.sqrt(self.terms[-1] / max(self.terms[-3], 1e-300))

    def measure(self):
        """Compute a few more terms."""
        xp = namespace(self.square)
        probes = [self.probes]
        for _ in range(_PROBED_TOGETHER):
            probes.append(probes[-1] @ self.square)
        self.probes = probes[-1]
        sizes = xp.max(xp.abs(xp.stack(probes[1:])), axis=-2)
        # Matrices with NaN need no nodes.
        relative = xp.nan_to_num(sizes / self.reference, nan=0.0, posinf=math.inf)
        relative = xp.reshape(relative, (_PROBED_TOGETHER, -1))
        self.terms += [float(term) for term in xp.max(relative, axis=-1)]

    def of_differential(self, order, number):
        """Return bounds of terms of a differential, relative to its directions.

        The differential of Z W^k is a sum of 2 k + 1 terms, each of which has the
        direction between two powers that add up to 2 k. Terms that a fast decay makes
        negligible are omitted.
        """
        decay = self.decay if self.decay <= _QUICK else 1.0
        if decay < 1.0:
            number = min(number, len(self) + _NEGLIGIBLE_AFTER)
        known = np.array(self.terms[:number])
        beyond = self.terms[-1] * decay ** np.arange(1, number - len(known) + 1)
        simple = terms = np.concatenate([known, beyond])
        for _ in range(order):
            splits = (terms[: k + 1] * simple[k::-1] for k in range(number))
            terms = [(2 * k + 1) * np.max(x) for k, x in enumerate(splits)]
            terms = np.array(terms)
        return terms


@functools.cache
def _rule_errors(count, number):
    """Return the errors of a rule on the terms of the series."""
    orders = np.arange(number)
    nodes, weights = np.transpose(_odd_rule(count))
    errors = 0.5 * nodes ** (2 * orders[:, None]) @ weights - 1.0 / (2 * orders + 1)
    return np.where(orders < count, 0.0, np.abs(errors))


_log, _log_differential = _matrix_function(
    _log_value, _log_differential_value, _log_second_differential
)
_exp, _exp_differential = _matrix_function(
    _exp_value, _exp_differential_value, _exp_second_differential
)
