r"""Poincaré beta-concatenation, on tangent vectors at the origins of the balls.

With :math:`\beta_k = \mathrm B(k / 2, 1 / 2)`, vectors :math:`v_i` at the origins of
balls of dimensions :math:`n_i` become one at the origin of the ball of dimension
:math:`N = \sum_i n_i`:

.. math:: \beta_N \left( \beta_{n_1}^{-1} v_1, \dots, \beta_{n_m}^{-1} v_m \right) .

References
----------
.. [S2021] R. Shimizu, Y. Mukuta and T. Harada. Hyperbolic neural networks++.
   ICLR, 2021.
"""

import functools
import math

import numpy as np

from ._arrays import constant
from .isometries import pack_strictly_lower, unpack_strictly_lower


def beta_concat(rows):
    """Join the rows of a strictly lower triangular matrix into one tangent vector.

    Parameters
    ----------
    rows : array, shape=[..., n, n]
        Strictly lower triangular; row i is a tangent vector of dimension i, counted
        from zero, at the origin of a Poincaré ball.

    Returns
    -------
    tangent_vec : array, shape=[..., n (n - 1) / 2]
        Tangent vector at the origin of one ball.
    """
    return pack_strictly_lower(rows) * constant(_scales(rows.shape[-1]), rows)


def beta_split(tangent_vec):
    """Invert `beta_concat`.

    Parameters
    ----------
    tangent_vec : array, shape=[..., n (n - 1) / 2]
        Tangent vector at the origin of one ball.

    Returns
    -------
    rows : array, shape=[..., n, n]
        Strictly lower triangular, one tangent vector in each row.
    """
    size = (1 + math.isqrt(1 + 8 * tangent_vec.shape[-1])) // 2
    return unpack_strictly_lower(tangent_vec / constant(_scales(size), tangent_vec))


@functools.cache
def _scales(size):
    """Return beta_N / beta_i for the packed entries, where row i has i of them."""
    rows = np.tril_indices(size, -1)[0]
    logarithms = [_log_beta(k) for k in range(1, size)]
    return np.exp(_log_beta(len(rows)) - np.asarray(logarithms)[rows - 1])


def _log_beta(k):
    return math.lgamma(0.5 * k) + math.lgamma(0.5) - math.lgamma(0.5 * (k + 1))
