"""Every threshold of the library, as a multiple of the spacing of the dtype."""

import math

from .._types import Array
from ._array import eps


def rank_tolerance(x: Array) -> float:
    """Return the ratio of eigenvalues below which a matrix [..., n, n] is singular.

    Factorisations perturb eigenvalues by about this much of the largest one, so a
    smaller eigenvalue carries no information, not even its sign.
    """
    return 4.0 * math.sqrt(x.shape[-1]) * eps(x)


def input_tolerance(x: Array) -> float:
    """Return how far an input may stray from symmetry or a unit diagonal.

    Half the digits: rounding errors of the user's computations pass, and matrices of
    another kind do not.
    """
    return math.sqrt(eps(x))


def membership_tolerance(x: Array) -> float:
    """Return how far points [..., n, n] may stray from the manifold's equations."""
    return 16.0 * x.shape[-1] * eps(x)
