"""Gauss-Legendre rules, and how many nodes an integrand needs."""

import functools
import math

import numpy as np

from ._arrays import namespace
from ._gradients import detached, is_readable

_BLIND_COUNT = 24  # all digits for condition numbers up to 1e16


@functools.cache
def gauss_legendre(count):
    """Return the nodes and weights of the Gauss-Legendre rule on [-1, 1], as pairs."""
    return tuple(
        (float(node), float(weight))
        for node, weight in np.transpose(np.polynomial.legendre.leggauss(count))
    )


# torch.compile cannot follow numpy into it.
_BLIND_RULE = gauss_legendre(_BLIND_COUNT)


def rule_for_spectrum(values, tolerance):
    """Return the nodes and weights that `nodes_for_spectrum` counts, as pairs."""
    count = nodes_for_spectrum(values, tolerance)
    return _BLIND_RULE if count == _BLIND_COUNT else gauss_legendre(count)


@functools.cache
def positive_half(count):
    """Return the positive nodes of an even rule, with weights that sum to one."""
    return tuple(pair for pair in gauss_legendre(count + count % 2) if pair[0] > 0.0)


@functools.cache
def _exponential_errors(count, spreads):
    # Relative error of the rule for the mean of cosh(x u / 2), u in [-1, 1].
    nodes, weights = np.transpose(positive_half(count))
    x = 0.5 * np.asarray(spreads)[:, None]
    exact = np.sinh(x[:, 0]) / x[:, 0]
    return np.abs((np.cosh(x * nodes) @ weights) / exact - 1.0)


def nodes_for_exponential(spread, tolerance):
    """Return an even number of nodes that integrates exponentials to a tolerance.

    The integrand is :math:`e^{x t}` on [0, 1] for every :math:`|x|` up to `spread`; the
    error is relative to each integral.
    """
    spreads = tuple(2.0 ** (k / 4) for k in range(-8, 29))
    reach = next((s for s in spreads if s >= spread), spreads[-1])
    tolerance = max(tolerance, 1e-15 * reach)  # nodes are rounded, too
    for count in range(4, 128, 2):
        if _exponential_errors(count, (reach,))[0] <= tolerance:
            return count
    return 128


def nodes_for_spectrum(values, tolerance):
    """Return the number of nodes for exponentials of the spread of eigenvalues.

    Parameters
    ----------
    values : array, shape=[..., n]
        Eigenvalues, in ascending or descending order.
    tolerance : float
        Relative error to stay below.
    """
    if not is_readable(values) or not math.prod(values.shape):
        return _BLIND_COUNT
    values = detached(values)
    xp = namespace(values)
    spread = xp.abs(values[..., -1] - values[..., 0])
    widest = float(xp.max(xp.where(xp.isfinite(spread), spread, 0.0)))
    return nodes_for_exponential(widest, tolerance)
