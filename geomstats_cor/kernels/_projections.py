"""One rule for gradients: they lie in the space in which the input moves.

A correlation matrix moves in the symmetric matrices with null diagonal, a covariance
matrix in the symmetric matrices, a triangle in the strictly lower triangular ones. The
gradient G of a function f with respect to an input is the matrix of that space with

    df(V) = sum of the entries of G * V      for every V in the space,

whatever the function does with entries outside of it. A gradient with respect to a
correlation matrix, or to a tangent vector, is therefore symmetric with null diagonal;
each off-diagonal pair shares its derivative equally between its two entries.
"""

from collections.abc import Callable

from .._types import Array
from ._array import set_diagonal, strictly_lower, symmetrize
from ._autodiff import StatedGradient
from .null_row_sums import center


def hollow_part(x: Array) -> Array:
    """Project matrices orthogonally onto the symmetric hollow ones."""
    return set_diagonal(symmetrize(x), 0.0)


def row0_part(x: Array) -> Array:
    """Project matrices orthogonally onto the symmetric ones with null row sums."""
    return center(symmetrize(x))


def moving_in(project: Callable[[Array], Array]) -> StatedGradient:
    """Return the identity, whose derivative is an orthogonal projection."""
    return StatedGradient(
        lambda x: 1.0 * x,  # a view would have to have a view for a tangent
        lambda tangents, x: project(tangents[0]),
        lambda cotangent, needed, x: (project(cotangent),),
        plain=lambda x: x,
    )


moving_symmetric = moving_in(symmetrize)
moving_hollow = moving_in(hollow_part)
moving_strictly_lower = moving_in(strictly_lower)
moving_row0 = moving_in(row0_part)
