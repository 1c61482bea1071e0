r"""Logarithm and exponential of unit lower triangular matrices.

Write :math:`K = I + N` with :math:`N` strictly lower triangular. With the Cayley
transform :math:`Z = (2 I + N)^{-1} N`, the logarithm is

.. math:: \log K = 2 \operatorname{atanh}(Z)
          = 2 Z \sum_{k < n / 2} \frac{Z^{2k}}{2k + 1}
          = \int_{-1}^{1} (I - u^2 Z^2)^{-1} Z \, du .

The series is finite, since :math:`Z` is nilpotent, and its terms do not cancel. (The
textbook series :math:`\sum (-1)^{k-1} N^k / k` is finite too, but on AR(1) correlations
with parameter 0.9 and :math:`n = 100` it has no digit left.) For large matrices the
integral is cheaper: Gauss-Legendre nodes, as many as the decay of the powers of
:math:`Z` asks for.

The exponential is a Taylor polynomial with scaling and squaring of the strict part.
"""

import functools
import math
import operator

import numpy as np

from ._arrays import (
    add_multiple,
    constant,
    eps,
    eye_like,
    namespace,
    solve_unit_lower,
    strictly_lower,
)
from ._gradients import StatedGradient, detached, is_readable
from ._infinitesimals import expm1, odd_polynomial
from ._lower import lower_product, lower_quotient
from ._piecewise import piecewise
from ._quadrature import gauss_legendre, positive_half

_SERIES_UP_TO = 64


def log_unit_lower(unit_lower):
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

    References
    ----------
    .. [H2008] N. J. Higham. Functions of Matrices. SIAM, 2008.
    .. [T2022] Y. Thanwerdas and X. Pennec. Theoretically and computationally convenient
       geometries on full-rank correlation matrices. SIAM J. Matrix Anal. Appl. 43,
       2022.

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


def log_unit_lower_differential(vector, unit_lower):
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

    References
    ----------
    .. [H2008] N. J. Higham. Functions of Matrices. SIAM, 2008.

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
    return _log_differential(strictly_lower(vector), unit_lower)


def exp_strictly_lower(strict):
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

    References
    ----------
    .. [H2008] N. J. Higham. Functions of Matrices. SIAM, 2008.
    .. [T2022] Y. Thanwerdas and X. Pennec. Theoretically and computationally convenient
       geometries on full-rank correlation matrices. SIAM J. Matrix Anal. Appl. 43,
       2022.

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


def exp_strictly_lower_differential(vector, strict):
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

    References
    ----------
    .. [H2008] N. J. Higham. Functions of Matrices. SIAM, 2008.

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
    return _exp_differential(strictly_lower(vector), strict)


def exp_strictly_lower_second_differential(vector, strict):
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

    References
    ----------
    .. [H2008] N. J. Higham. Functions of Matrices. SIAM, 2008.

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
    vector = strictly_lower(vector)
    return _exp_second_differential(vector, vector, strict)


def _matrix_function(value, differential, second_differential):
    r"""Return a function of triangular matrices and its differential.

    The differentials accept any matrix as a direction, and are transposed with their
    arguments: :math:`\langle G, d_K f(\xi) \rangle = \langle \xi, d_{K^\top} f(G)
    \rangle`. All that is kept for the derivatives are the arguments.
    """

    def adjoint(cotangent, matrix):
        return _differential(cotangent.mT, matrix).mT

    def value_tangent(tangents, matrix):
        return _differential(strictly_lower(tangents[0]), matrix)

    def value_cotangent(cotangent, needed, matrix):
        return (strictly_lower(adjoint(strictly_lower(cotangent), matrix)),)

    def differential_tangent(tangents, vector, matrix):
        moved, turned = tangents
        result = 0.0
        if moved is not None:
            result = result + _differential(moved, matrix)
        if turned is not None:
            turned = strictly_lower(turned)
            result = result + second_differential(vector, turned, matrix)
        return result

    def differential_cotangent(cotangent, needed, vector, matrix):
        moved = turned = None
        if needed[0]:
            moved = adjoint(cotangent, matrix)
        if needed[1]:
            turned = second_differential(vector, cotangent.mT, matrix)
            turned = strictly_lower(turned.mT)
        return moved, turned

    _differential = StatedGradient(
        differential, differential_tangent, differential_cotangent
    )
    return StatedGradient(value, value_tangent, value_cotangent), _differential


@piecewise(held=4)
def _log_value(unit_lower):
    half = 0.5 * strictly_lower(unit_lower)
    cayley = lower_quotient(half, half)
    if not _is_integrated(half):
        return odd_polynomial((cayley,), _atanh_series(half))[0]
    square = lower_product(cayley, cayley)
    fourth = lower_product(square, square)
    cube = lower_product(square, cayley)

    def two_nodes(even, odd, linear, quadratic):
        denominator = add_multiple(linear * square, quadratic, fourth)
        numerator = add_multiple(even * cayley, odd, cube)
        return lower_quotient(denominator, numerator)

    return _sum(two_nodes, _paired_rule(_node_count(cayley, square)))


@piecewise(held=6)
def _log_differential_value(vector, unit_lower):
    half = 0.5 * strictly_lower(unit_lower)
    cayley = lower_quotient(half, half)
    moved = 0.5 * _between(half, vector)
    if not _is_integrated(half):
        return odd_polynomial((cayley, moved), _atanh_series(half))[1]
    square = lower_product(cayley, cayley)
    turned = cayley @ moved @ cayley

    def two_nodes(node, weight):
        term = 2.0 * weight * add_multiple(moved, node**2, turned)
        return _between(-(node**2) * square, term)

    return _sum(two_nodes, positive_half(_node_count(cayley, square, slack=2)))


@piecewise(held=10)
def _log_second_differential(vector_a, vector_b, unit_lower):
    half = 0.5 * strictly_lower(unit_lower)
    cayley = lower_quotient(half, half)
    if not _is_integrated(half):
        moved_a, moved_b = _between(half, vector_a), _between(half, vector_b)
        # C A C B C + C B C A C, from C A C and C B C, where C is the inverse of I + N/2
        curved = solve_unit_lower(half, vector_a @ moved_b + vector_b @ moved_a)
        parts = (cayley, 0.5 * moved_a, 0.5 * moved_b, -0.25 * curved)
        return odd_polynomial(parts, _atanh_series(half))[3]

    def one_node(node, weight):
        scaled = (1.0 + node) * half
        term = vector_a @ solve_unit_lower(scaled, vector_b)
        term = term + vector_b @ solve_unit_lower(scaled, vector_a)
        return _between(scaled, -0.25 * weight * (1.0 + node) * term)

    rule = gauss_legendre(_node_count(cayley, cayley @ cayley, slack=4))
    return _sum(one_node, rule)


def _sum(function, rule):
    """Add up a function of nodes and weights, one node at a time."""
    return functools.reduce(operator.add, (function(*node) for node in rule))


def _between(strict, matrix):
    """Return B with the inverse of I + N on both sides."""
    return solve_unit_lower(strict, solve_unit_lower(strict, matrix), left=False)


def _is_integrated(matrix):
    """Tell whether the integral is cheaper than the series, and can be had."""
    return matrix.shape[-1] > _SERIES_UP_TO and is_readable(matrix)


def _atanh_series(matrix):
    return tuple(2.0 / (2 * k + 1) for k in range(max(1, matrix.shape[-1] // 2)))


@functools.cache
def _paired_rule(count):
    r"""Return the even Gauss rule for the logarithm, two nodes at a time.

    With :math:`a, b` the squares of two nodes and :math:`W = Z^2`,

    .. math:: \frac{v}{1 - a W} + \frac{w}{1 - b W} = \frac{(v + w) - (v b + w a) W}
              {1 - (a + b) W + a b W^2} .

    A large node is joined to a small one, so that no denominator is worse than before.
    """
    nodes = [(node**2, 2.0 * weight) for node, weight in positive_half(count)]
    nodes.sort()
    if len(nodes) % 2:
        nodes.insert(0, (0.0, 0.0))
    pairs = zip(nodes, reversed(nodes[len(nodes) // 2 :]), strict=False)
    return tuple((v + w, -(v * b + w * a), -(a + b), a * b) for (a, v), (b, w) in pairs)


@piecewise(held=4)
def _exp_value(strict):
    return expm1((strict,))[0] + eye_like(strict)


@piecewise(held=8)
def _exp_differential_value(vector, strict):
    return expm1((strict, vector))[1]


@piecewise(held=16)
def _exp_second_differential(vector_a, vector_b, strict):
    return expm1((strictly_lower(strict), vector_a, vector_b, None))[3]


def _node_count(cayley, square, slack=0):
    """Return how many Gauss nodes make the logarithm exact to rounding."""
    xp = namespace(cayley)
    cayley, square = detached(cayley), detached(square)
    exact = _exact_node_count(cayley.shape[-1])
    if not math.prod(cayley.shape[:-2]):
        return exact
    counts, errors = _rule_errors(exact)
    bounds = constant(errors, cayley) @ _series_terms(cayley, square, exact)
    enough = xp.astype(bounds <= eps(cayley), xp.int8)
    first = int(xp.argmax(enough)) if bool(xp.any(enough)) else len(counts) - 1
    return min(exact, counts[first] + slack)


def _exact_node_count(size):
    half = max(2, math.ceil((size - 1) / 2))
    return half + half % 2


def _series_terms(cayley, square, order):
    """Return the sizes of Z W^k relative to Z, as random vectors see them.

    The largest over the rows, each relative to its own size: a correlation matrix sees
    the rows of its triangle normalised, and large rows must not hide small ones. Terms
    after the first that no longer counts are left null.
    """
    xp = namespace(cayley)
    probes = np.random.default_rng(0).standard_normal((cayley.shape[-1], 4))
    probe = cayley @ constant(probes, cayley)
    tiny = float(xp.finfo(cayley.dtype).smallest_normal)
    reference = xp.linalg.vector_norm(probe, axis=-1) + tiny
    terms = [1.0]
    while len(terms) < order and terms[-1] > 0.01 * eps(cayley):
        probe = square @ (square @ probe)
        size = float(xp.max(xp.linalg.vector_norm(probe, axis=-1) / reference))
        # Every other term is measured, the one between is their geometric mean.
        terms += [math.sqrt(terms[-1] * size), size]
    return constant((terms + [0.0] * order)[:order], cayley)


@functools.cache
def _rule_errors(exact):
    """Return even node counts, and each rule's error on every term of the series."""
    counts = range(4, exact + 1, 2)
    orders = np.arange(exact)
    errors = np.zeros((len(counts), exact))
    for row, count in enumerate(counts):
        nodes, weights = np.transpose(positive_half(count))
        moments = nodes ** (2 * orders[count:, None]) @ weights
        errors[row, count:] = np.abs(moments - 1.0 / (2 * orders[count:] + 1))
    return counts, errors


_log, _log_differential = _matrix_function(
    _log_value, _log_differential_value, _log_second_differential
)
_exp, _exp_differential = _matrix_function(
    _exp_value, _exp_differential_value, _exp_second_differential
)
