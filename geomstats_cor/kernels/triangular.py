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

import numpy as np

from ._arrays import (
    constant,
    eps,
    eye_like,
    inverse_lower,
    namespace,
    solve_lower,
    strictly_lower,
)
from ._gradients import detached, is_readable
from ._jets import expm1_jet, jet_polynomial, jet_product
from ._quadrature import gauss_legendre, positive_half
from ._tangent_spaces import moving_strictly_lower

_SERIES_UP_TO = 64


def log_unit_lower(unit_lower):
    r"""Return the logarithm of unit lower triangular matrices.

    Parameters
    ----------
    unit_lower : array, shape=[..., n, n]
        Unit lower triangular matrix :math:`K`.

    Returns
    -------
    logarithm : array, shape=[..., n, n]
        Strictly lower triangular matrix.
    """
    strict = strictly_lower(unit_lower)
    identity = eye_like(strict)
    cayley = strictly_lower(solve_lower(2.0 * identity + strict, strict))
    if strict.shape[-1] <= _SERIES_UP_TO or not is_readable(strict):
        return strictly_lower(_atanh_jet((cayley,))[0])
    square = cayley @ cayley
    logarithm = 0.0
    for node, weight in positive_half(_node_count(cayley, square)):
        resolved = solve_lower(identity - node**2 * square, cayley)
        logarithm = logarithm + 2.0 * weight * resolved
    return strictly_lower(logarithm)


def log_unit_lower_differential(vector, unit_lower):
    r"""Return the differential of the logarithm at a unit lower triangular matrix.

    .. math:: d_K \log(\xi) = \int_0^1 (I + s N)^{-1} \xi (I + s N)^{-1} ds .

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
    """
    vector = moving_strictly_lower(vector)
    strict = strictly_lower(unit_lower)
    identity = eye_like(strict)
    inverse = inverse_lower(2.0 * identity + strict)
    cayley = strictly_lower(inverse @ strict)
    if strict.shape[-1] <= _SERIES_UP_TO or not is_readable(strict):
        moved = 2.0 * inverse @ vector @ inverse
        return strictly_lower(_atanh_jet((cayley, moved))[1])
    count = _node_count(cayley, cayley @ cayley, slack=2)
    moved = 0.0
    for node, weight in gauss_legendre(count):
        resolvent = inverse_lower(identity + 0.5 * (1.0 + node) * strict)
        moved = moved + 0.5 * weight * (resolvent @ vector @ resolvent)
    return strictly_lower(moved)


def _atanh_jet(jet):
    """Return the jet of 2 atanh(z(t)) for nilpotent z."""
    order = max(1, jet[0].shape[-1] // 2)
    coefficients = tuple(2.0 / (2 * k + 1) for k in range(order))
    return jet_product(jet_polynomial(jet_product(jet, jet), coefficients), jet)


def exp_strictly_lower(strict):
    r"""Return the exponential of strictly lower triangular matrices.

    Parameters
    ----------
    strict : array, shape=[..., n, n]
        Strictly lower triangular matrix.

    Returns
    -------
    exponential : array, shape=[..., n, n]
        Unit lower triangular matrix.
    """
    strict = moving_strictly_lower(strict)
    return eye_like(strict) + expm1_jet((strict,))[0]


def exp_strictly_lower_differential(vector, strict):
    r"""Return the differential of the exponential at a strictly lower matrix.

    Parameters
    ----------
    vector : array, shape=[..., n, n]
        Strictly lower triangular matrix.
    strict : array, shape=[..., n, n]
        Strictly lower triangular matrix.

    Returns
    -------
    moved : array, shape=[..., n, n]
        Strictly lower triangular matrix.
    """
    vector, strict = moving_strictly_lower(vector), moving_strictly_lower(strict)
    return expm1_jet((strict, vector))[1]


def exp_strictly_lower_second_differential(vector, strict):
    r"""Return the second derivative of :math:`t \mapsto \exp(X + t \xi)` at zero.

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
    """
    vector, strict = moving_strictly_lower(vector), moving_strictly_lower(strict)
    zero = 0.0 * vector
    return 2.0 * expm1_jet((strict, vector, zero))[2]


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
        probe = square @ probe
        terms.append(float(xp.max(xp.linalg.vector_norm(probe, axis=-1) / reference)))
    return constant(terms + [0.0] * (order - len(terms)), cayley)


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
