r"""First divided differences of the exponential, the logarithm and powers.

.. math:: f^{[1]}(a, b) = \frac{f(a) - f(b)}{a - b} , \qquad f^{[1]}(a, a) = f'(a) ,

for all pairs of eigenvalues, in forms that need no threshold: they are exact at every
gap, a gap of zero included.
"""

import math

from .._types import Array
from ._array import constant, namespace
from ._precision import in_own_precision
from ._quotients import exp_minus_one


@in_own_precision
def exp_divided_differences(values: Array) -> Array:
    r"""Return the divided differences of the exponential.

    .. math:: \frac{e^a - e^b}{a - b} = e^{\max(a, b)} \frac{1 - e^{-d}}{d}, \qquad
              d = |a - b|.

    Parameters
    ----------
    values : array, shape=[..., n]
        Eigenvalues.

    Returns
    -------
    differences : array, shape=[..., n, n]
        Divided differences.

    Examples
    --------
    >>> import numpy as np
    >>> from geomstats_cor.kernels import exp_divided_differences
    >>> exp_divided_differences(np.array([0.0, np.log(2)])).round(4)
    array([[1.    , 1.4427],
           [1.4427, 2.    ]])
    """
    xp = namespace(values)
    gap = positive_gaps(values)
    growth = xp.exp(values)
    larger = xp.maximum(growth[..., :, None], growth[..., None, :])
    return -exp_minus_one(-gap) / gap * larger


@in_own_precision
def log_divided_differences(values: Array) -> Array:
    r"""Return the divided differences of the logarithm.

    .. math:: \frac{\log a - \log b}{a - b} = \frac{\log(1 + s)}{s b}, \qquad
              s = \frac{a - b}{b}, \quad a \ge b > 0.

    Parameters
    ----------
    values : array, shape=[..., n]
        Positive eigenvalues.

    Returns
    -------
    differences : array, shape=[..., n, n]
        Divided differences.

    Examples
    --------
    >>> import numpy as np
    >>> from geomstats_cor.kernels import log_divided_differences
    >>> log_divided_differences(np.array([1.0, 2.0])).round(4)
    array([[1.    , 0.6931],
           [0.6931, 0.5   ]])
    """
    xp = namespace(values)
    smaller, larger = _sorted_pairs(values)
    excess = _positive((larger - smaller) / smaller)
    return xp.log1p(excess) / excess / smaller


@in_own_precision
def power_divided_differences(values: Array, exponent: float) -> Array:
    r"""Return the divided differences of a real power.

    .. math:: \frac{a^p - b^p}{a - b}
              = b^{p - 1} \frac{(1 + s)^p - 1}{s}, \qquad
              s = \frac{a - b}{b}, \quad a \ge b > 0.

    Parameters
    ----------
    values : array, shape=[..., n]
        Positive eigenvalues.
    exponent : float
        Any real number.

    Returns
    -------
    differences : array, shape=[..., n, n]
        Divided differences.

    Examples
    --------
    >>> import numpy as np
    >>> from geomstats_cor.kernels import power_divided_differences
    >>> power_divided_differences(np.array([1.0, 2.0]), 2.0).round(12)
    array([[2., 3.],
           [3., 4.]])
    """
    xp = namespace(values)
    smaller, larger = _sorted_pairs(values)
    excess = _positive((larger - smaller) / smaller)
    relative = exp_minus_one(exponent * xp.log1p(excess)) / excess
    return xp.exp((exponent - 1.0) * xp.log(smaller)) * relative


def positive_gaps(values: Array) -> Array:
    """Return the distances |a - b| of all pairs, with `_positive` numbers for zeros."""
    return _positive(namespace(values).abs(values[..., :, None] - values[..., None, :]))


def _sorted_pairs(values):
    xp = namespace(values)
    rows, columns = values[..., :, None], values[..., None, :]
    return xp.minimum(rows, columns), xp.maximum(rows, columns)


def _positive(x):
    """Replace zeros by a number at which quotients of functions equal their limit.

    It is the square root of the smallest normal number, so that products with it do not
    underflow.
    """
    xp = namespace(x)
    smallest = math.sqrt(float(xp.finfo(x.dtype).smallest_normal))
    return xp.maximum(x, constant(smallest, x))
