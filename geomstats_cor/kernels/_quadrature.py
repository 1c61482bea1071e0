"""Gauss rules, and how many nodes an integrand needs."""

import functools
import math
from typing import Any

import numpy as np

from .._types import Array
from ._array import namespace
from ._autodiff import detached, is_readable

_REACHES = tuple(2.0 ** (k / 4) for k in range(-8, 29))
_BLIND_COUNT = 24  # all digits for condition numbers up to 1e16


@functools.cache
def gauss_legendre(count: int) -> Any:
    """Return the nodes and weights of the Gauss-Legendre rule on [-1, 1], as pairs."""
    return tuple(
        (float(node), float(weight))
        for node, weight in np.transpose(np.polynomial.legendre.leggauss(count))
    )


# torch.compile cannot follow numpy into it.
_BLIND_RULE = gauss_legendre(_BLIND_COUNT)


def rule_for_spectrum(values: Array, tolerance: float) -> Any:
    """Return the nodes and weights that `nodes_for_spectrum` counts, as pairs."""
    count = nodes_for_spectrum(values, tolerance)
    return _BLIND_RULE if count == _BLIND_COUNT else gauss_legendre(count)


@functools.cache
def gauss_lobatto(count: int) -> Any:
    """Return the nodes and weights of the Gauss-Lobatto rule on [-1, 1], as pairs."""
    polynomial = np.polynomial.Legendre.basis(count - 1)
    slope = polynomial.deriv()
    inner = slope.roots()
    inner = inner - slope(inner) / slope.deriv()(inner)
    nodes = np.concatenate([[-1.0], inner, [1.0]])
    nodes = 0.5 * (nodes - nodes[::-1])  # symmetric, the middle one exactly null
    weights = 2.0 / (count * (count - 1) * polynomial(nodes) ** 2)
    return tuple(zip(nodes.tolist(), weights.tolist(), strict=True))


@functools.cache
def half_rule(rule: Any, count: int) -> Any:
    """Return the nodes of a symmetric rule that are not negative.

    Their weights sum to one: the rule gives the mean of an even function.
    """
    return tuple(
        (node, weight if node > 0.0 else 0.5 * weight)
        for node, weight in rule(count)
        if node >= 0.0
    )


def half_rule_for_spectrum(values: Array, tolerance: float) -> Any:
    """Return the half of the Lobatto rule for exponentials of a spread of eigenvalues.

    Parameters
    ----------
    values : array, shape=[..., n]
        Eigenvalues, in ascending or descending order.
    tolerance : float
        Relative error to stay below.
    """
    count = _least_count(gauss_lobatto, range(3, 129), _reach(values), tolerance)
    return half_rule(gauss_lobatto, count)


def nodes_for_spectrum(values: Array, tolerance: float) -> Any:
    """Return the number of Gauss-Legendre nodes for a spread of eigenvalues.

    Parameters
    ----------
    values : array, shape=[..., n]
        Eigenvalues, in ascending or descending order.
    tolerance : float
        Relative error to stay below.
    """
    if not is_readable(values):
        return _BLIND_COUNT
    return _least_count(gauss_legendre, range(4, 129, 2), _reach(values), tolerance)


def _reach(values):
    """Return the largest spread of eigenvalues, rounded up to one of a few numbers."""
    if not math.prod(values.shape):
        return _REACHES[0]
    values = detached(values)
    xp = namespace(values)
    spread = xp.abs(values[..., -1] - values[..., 0])
    widest = float(xp.max(xp.where(xp.isfinite(spread), spread, 0.0)))
    return next((reach for reach in _REACHES if reach >= widest), _REACHES[-1])


@functools.cache
def _least_count(rule, counts, reach, tolerance):
    """Return the least number of nodes that integrates exponentials to a tolerance.

    The integrand is :math:`e^{x t}` on [0, 1] for every :math:`|x|` up to `reach`; the
    error is relative to each integral.
    """
    tolerance = max(tolerance, 1e-15 * reach)  # nodes are rounded, too
    errors = ((count, _exponential_error(rule, count, reach)) for count in counts)
    return next((count for count, error in errors if error <= tolerance), counts[-1])


def _exponential_error(rule, count, reach):
    """Return the relative error for the mean of cosh(x u / 2), u in [-1, 1]."""
    nodes, weights = np.transpose(half_rule(rule, count))
    exact = np.sinh(0.5 * reach) / (0.5 * reach)
    return abs(float(np.cosh(0.5 * reach * nodes) @ weights / exact) - 1.0)
