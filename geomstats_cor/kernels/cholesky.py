r"""The Cholesky map onto unit lower triangular matrices.

.. math:: \Theta(C) = \operatorname{Diag}(L)^{-1} L, \qquad C = L L^\top.

Both the Euclidean-Cholesky and the poly-hyperbolic-Cholesky metric stand on it: a row
of :math:`\Theta(C) - I` is a point of Euclidean space for the first, and for the second
the space coordinates of a point of the hyperboloid.

References
----------
.. [T2022] Y. Thanwerdas and X. Pennec. Theoretically and computationally convenient
   geometries on full-rank correlation matrices. SIAM J. Matrix Anal. Appl. 43, 2022.
"""

from ._arrays import (
    diagonal,
    flagged_cholesky,
    inverse_lower,
    namespace,
    off_diagonal,
    row_dot,
    strictly_lower,
    whiten,
    with_diagonal,
)
from ._tangent_spaces import moving_hollow, moving_strictly_lower
from ._tolerances import rank_tolerance
from .correlation import cor


def theta(correlation):
    r"""Return :math:`\Theta(C) = \operatorname{Diag}(L)^{-1} L`.

    Parameters
    ----------
    correlation : array, shape=[..., n, n]
        Full-rank correlation matrix.

    Returns
    -------
    unit_lower : array, shape=[..., n, n]
        Unit lower triangular matrix; NaN where `correlation` is not positive definite.
    """
    factor, definite = flagged_cholesky(moving_hollow(correlation))
    return factor / _regular_pivots(factor, definite)[..., None]


def theta_inverse(unit_lower):
    r"""Return :math:`\Theta^{-1}(K) = \operatorname{Cor}(K K^\top)`.

    The rows of :math:`K` are normalised first, so no product of large entries occurs.

    Parameters
    ----------
    unit_lower : array, shape=[..., n, n]
        Unit lower triangular matrix.

    Returns
    -------
    correlation : array, shape=[..., n, n]
        Full-rank correlation matrix.
    """
    return correlation_of_rows(moving_strictly_lower(unit_lower))


def correlation_of_rows(matrix):
    r"""Return :math:`\operatorname{Cor}(A A^\top)`: the cosines between rows.

    Parameters
    ----------
    matrix : array, shape=[..., n, m]
        Matrix :math:`A`.

    Returns
    -------
    correlation : array, shape=[..., n, n]
        Correlation matrix.
    """
    rows, _ = _normalised_rows(matrix)
    return with_diagonal(rows @ rows.mT, 1.0)


def theta_differential(tangent_vec, correlation):
    r"""Return the differential of :math:`\Theta` at a correlation matrix.

    .. math:: d_C \Theta(V) = \Theta(C)\, A_{1/2}
              - \tfrac12 \operatorname{Diag}(A)\, \Theta(C), \qquad
              A = L^{-1} V L^{-\top},

    where :math:`A_{1/2}` keeps the strictly lower part and half the diagonal.

    Parameters
    ----------
    tangent_vec : array, shape=[..., n, n]
        Symmetric hollow matrix.
    correlation : array, shape=[..., n, n]
        Full-rank correlation matrix.

    Returns
    -------
    strictly_lower : array, shape=[..., n, n]
        Strictly lower triangular matrix.
    """
    return theta_differential_at(tangent_vec, theta(correlation))


def theta_differential_at(tangent_vec, unit_lower):
    r"""Return the differential of :math:`\Theta`, given :math:`\Theta(C)`.

    The Cholesky factor is :math:`\Theta(C)` with normalised rows, so that no
    factorisation is needed.

    Parameters
    ----------
    tangent_vec : array, shape=[..., n, n]
        Symmetric hollow matrix.
    unit_lower : array, shape=[..., n, n]
        Unit lower triangular matrix :math:`\Theta(C)`.

    Returns
    -------
    strictly_lower : array, shape=[..., n, n]
        Strictly lower triangular matrix.
    """
    unit_lower = moving_strictly_lower(unit_lower)
    factor, _ = _normalised_rows(unit_lower)
    whitened = whiten(factor, moving_hollow(tangent_vec))
    half = 0.5 * diagonal(whitened)
    moved = unit_lower @ strictly_lower(whitened)
    # The diagonal of A acts from the right in the first term, from the left in the
    # second: only its differences remain.
    moved = moved + unit_lower * (half[..., None, :] - half[..., :, None])
    return strictly_lower(moved)


def theta_inverse_differential(vector, unit_lower):
    r"""Return the differential of :math:`\Theta^{-1}`.

    With :math:`L` the matrix :math:`K` with normalised rows, a row of :math:`L` moves
    by the part of the scaled row of `vector` that is orthogonal to it, and
    :math:`V = \dot L L^\top + L \dot L^\top`.

    Parameters
    ----------
    vector : array, shape=[..., n, n]
        Strictly lower triangular matrix.
    unit_lower : array, shape=[..., n, n]
        Unit lower triangular matrix.

    Returns
    -------
    tangent_vec : array, shape=[..., n, n]
        Symmetric hollow matrix.
    """
    factor, scale = _normalised_rows(moving_strictly_lower(unit_lower))
    scaled = moving_strictly_lower(vector) * scale
    moved = (scaled - row_dot(scaled, factor) * factor) @ factor.mT
    return off_diagonal(moved + moved.mT)


def theta_inverse_second_differential(vector, unit_lower):
    r"""Return the second derivative of :math:`\Theta^{-1}(K + t \xi)` at zero.

    Parameters
    ----------
    vector : array, shape=[..., n, n]
        Strictly lower triangular matrix :math:`\xi`.
    unit_lower : array, shape=[..., n, n]
        Unit lower triangular matrix :math:`K`.

    Returns
    -------
    curved : array, shape=[..., n, n]
        Symmetric hollow matrix.
    """
    factor, scale = _normalised_rows(moving_strictly_lower(unit_lower))
    scaled = moving_strictly_lower(vector) * scale
    slope = row_dot(scaled, factor)
    first = scaled - slope * factor
    second = (3.0 * slope**2 - row_dot(scaled, scaled)) * factor - 2.0 * slope * scaled
    half = second @ factor.mT + first @ first.mT
    return off_diagonal(half + half.mT)


def full_rank_factor(correlation):
    """Return the Cholesky factor of correlation matrices.

    Parameters
    ----------
    correlation : array, shape=[..., n, n]
        Full-rank correlation matrix.

    Returns
    -------
    factor : array, shape=[..., n, n]
        Lower triangular matrix; NaN where `correlation` is not positive definite, or so
        close to singular that rounding decides the sign of a pivot.
    """
    xp = namespace(correlation)
    factor, definite = flagged_cholesky(moving_hollow(correlation))
    regular = xp.isfinite(_regular_pivots(factor, definite)[..., :1])
    return xp.where(regular[..., None], factor, xp.nan)


def cor_inverse(correlation):
    r"""Return the cor-inverse :math:`\operatorname{Cor}(C^{-1})`.

    Parameters
    ----------
    correlation : array, shape=[..., n, n]
        Full-rank correlation matrix.

    Returns
    -------
    inverse : array, shape=[..., n, n]
        Full-rank correlation matrix; NaN where `correlation` is not positive definite.
    """
    factor = full_rank_factor(correlation)
    root = inverse_lower(factor)
    return cor(root.mT @ root)


def _regular_pivots(factor, definite):
    """Return the diagonal of a Cholesky factor, NaN if the smallest entry vanishes."""
    xp = namespace(factor)
    pivots = diagonal(factor)
    smallest = xp.min(pivots, axis=-1) ** 2
    regular = definite & (smallest > rank_tolerance(factor))
    return xp.where(regular[..., None], pivots, float("nan"))


def _normalised_rows(matrix):
    xp = namespace(matrix)
    scale = 1.0 / xp.linalg.vector_norm(matrix, axis=-1, keepdims=True)
    return matrix * scale, scale
