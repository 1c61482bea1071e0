r"""The Cholesky map onto unit lower triangular matrices.

.. math:: \Theta(C) = \operatorname{Diag}(L)^{-1} L, \qquad C = L L^\top.

The Euclidean-Cholesky and the poly-hyperbolic-Cholesky metric both use it: a row
of :math:`\Theta(C) - I` is a point of Euclidean space for the first, and for the second
the space coordinates of a point of the hyperboloid.

References
----------
.. [T2022] Y. Thanwerdas and X. Pennec. Theoretically and computationally convenient
   geometries on full-rank correlation matrices. SIAM J. Matrix Anal. Appl. 43, 2022.
"""

import math

from ._array import (
    diagonal,
    extremes,
    eye_like,
    fill_diagonal,
    flagged_cholesky,
    inverse_lower,
    namespace,
    row_dot,
    set_diagonal,
    solve_unit_lower,
    strictly_lower,
    symmetrize,
)
from ._autodiff import (
    StatedGradient,
    detached,
    is_readable,
    total_differential,
)
from ._batching import batched
from ._precision import in_own_precision
from ._projections import moving_hollow, moving_strictly_lower
from ._tolerances import rank_tolerance
from ._triangles import (
    lower_part_of_product,
    lower_product,
    lower_product_adjoint_left,
    lower_right_quotient,
    lower_times_upper,
    whitened,
)
from .correlation import cor


@in_own_precision
def theta(correlation):
    r"""Return the Cholesky factor, its rows divided by their diagonal entries.

    .. math:: \Theta(C) = \operatorname{Diag}(L)^{-1} L , \qquad C = L L^\top .

    Parameters
    ----------
    correlation : array, shape=[..., n, n]
        Full-rank correlation matrix.

    Returns
    -------
    unit_lower : array, shape=[..., n, n]
        Unit lower triangular matrix; NaN where `correlation` is not positive definite.

    Examples
    --------
    >>> import numpy as np
    >>> from geomstats_cor.kernels import theta
    >>> theta(np.array([[1.0, 0.6], [0.6, 1.0]])).round(12)
    array([[1.  , 0.  ],
           [0.75, 1.  ]])
    """
    return theta_map(correlation)


@in_own_precision
def strict_theta(correlation):
    r"""Return :math:`\Theta(C) - I`, whose rows are points of hyperboloids.

    .. math:: y_i = (L_{i1}, \dots, L_{i, i - 1}) / L_{ii} , \qquad C = L L^\top .

    Parameters
    ----------
    correlation : array, shape=[..., n, n]
        Full-rank correlation matrix.

    Returns
    -------
    rows : array, shape=[..., n, n]
        Strictly lower triangular matrix; NaN where `correlation` is not positive
        definite.

    Examples
    --------
    >>> import numpy as np
    >>> from geomstats_cor.kernels import strict_theta
    >>> strict_theta(np.array([[1.0, 0.6], [0.6, 1.0]])).round(12)
    array([[0.  , 0.  ],
           [0.75, 0.  ]])
    """
    unit_lower = theta_map(correlation)
    return unit_lower - eye_like(unit_lower)


@in_own_precision
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

    Examples
    --------
    >>> import numpy as np
    >>> from geomstats_cor.kernels import theta_inverse
    >>> theta_inverse(np.array([[1.0, 0.0], [0.75, 1.0]])).round(12)
    array([[1. , 0.6],
           [0.6, 1. ]])
    """
    return theta_inverse_map(unit_lower)


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
    return set_diagonal(rows @ rows.mT, 1.0)


@in_own_precision
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

    Examples
    --------
    For two variables, :math:`\Theta` is the function :math:`r (1 - r^2)^{-1/2}`, of
    derivative :math:`(1 - r^2)^{-3/2}`:

    >>> import numpy as np
    >>> from geomstats_cor.kernels import theta_differential
    >>> tangent_vec = np.array([[0.0, 1.0], [1.0, 0.0]])
    >>> correlation = np.array([[1.0, 0.6], [0.6, 1.0]])
    >>> theta_differential(tangent_vec, correlation).round(6)
    array([[0.      , 0.      ],
           [1.953125, 0.      ]])
    >>> (1 - 0.6**2) ** -1.5
    1.953125
    """
    return theta_differential_at(tangent_vec, theta(correlation))


@in_own_precision
def theta_differential_at(tangent_vec, unit_lower):
    r"""Return the differential of :math:`\Theta`, given :math:`\Theta(C)`.

    .. math:: d_C \Theta(V) = K A_{1/2} - \tfrac12 \operatorname{Diag}(A)\, K, \qquad
              A = L^{-1} V L^{-\top}, \quad K = \Theta(C) .

    The Cholesky factor :math:`L` is :math:`K` with normalised rows, so that no
    factorisation is needed; :math:`A_{1/2}` keeps the strictly lower part and half the
    diagonal.

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

    Examples
    --------
    >>> import numpy as np
    >>> from geomstats_cor import kernels
    >>> tangent_vec = np.array([[0.0, 1.0], [1.0, 0.0]])
    >>> correlation = np.array([[1.0, 0.6], [0.6, 1.0]])
    >>> unit_lower = kernels.theta(correlation)
    >>> moved = kernels.theta_differential_at(tangent_vec, unit_lower)
    >>> bool(np.allclose(moved, kernels.theta_differential(tangent_vec, correlation)))
    True
    """
    return theta_differential_map(tangent_vec, unit_lower)


@in_own_precision
def theta_inverse_differential(vector, unit_lower):
    r"""Return the differential of :math:`\Theta^{-1}`.

    With :math:`L` the matrix :math:`K` with normalised rows, a row of :math:`L` moves
    by the part of the scaled row of :math:`\xi` that is orthogonal to it:

    .. math:: d_K \Theta^{-1}(\xi) = \dot L L^\top + L \dot L^\top , \qquad
              \dot L_i = \frac{\xi_i - \langle \xi_i, L_i \rangle L_i}{|K_i|} .

    Parameters
    ----------
    vector : array, shape=[..., n, n]
        Strictly lower triangular matrix :math:`\xi`.
    unit_lower : array, shape=[..., n, n]
        Unit lower triangular matrix :math:`K`.

    Returns
    -------
    tangent_vec : array, shape=[..., n, n]
        Symmetric hollow matrix.

    Examples
    --------
    For two variables, :math:`\Theta^{-1}` is the function :math:`k (1 + k^2)^{-1/2}`:

    >>> import numpy as np
    >>> from geomstats_cor.kernels import theta_inverse_differential
    >>> vector = np.array([[0.0, 0.0], [1.0, 0.0]])
    >>> unit_lower = np.array([[1.0, 0.0], [0.75, 1.0]])
    >>> theta_inverse_differential(vector, unit_lower).round(12)
    array([[0.   , 0.512],
           [0.512, 0.   ]])
    >>> round((1 + 0.75**2) ** -1.5, 12)
    0.512
    """
    return theta_inverse_differential_map(vector, unit_lower)


@in_own_precision
def theta_inverse_second_differential(vector, unit_lower):
    r"""Return the second derivative of :math:`\Theta^{-1}(K + t \xi)` at zero.

    With :math:`L` the matrix :math:`K` with normalised rows and
    :math:`s_i = \langle \xi_i, L_i \rangle`,

    .. math:: \ddot L L^\top + 2 \dot L \dot L^\top + L \ddot L^\top, \qquad
              \dot L_i = \frac{\xi_i - s_i L_i}{|K_i|} , \quad
              \ddot L_i = \frac{(3 s_i^2 - |\xi_i|^2) L_i - 2 s_i \xi_i}{|K_i|^2} .

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

    Examples
    --------
    For two variables, the second derivative of :math:`k (1 + k^2)^{-1/2}`:

    >>> import numpy as np
    >>> from geomstats_cor.kernels import theta_inverse_second_differential
    >>> vector = np.array([[0.0, 0.0], [1.0, 0.0]])
    >>> unit_lower = np.array([[1.0, 0.0], [0.75, 1.0]])
    >>> theta_inverse_second_differential(vector, unit_lower).round(12)
    array([[ 0.     , -0.73728],
           [-0.73728,  0.     ]])
    >>> round(-3 * 0.75 * (1 + 0.75**2) ** -2.5, 12)
    -0.73728
    """
    return _inverse_second_differential(vector, vector, unit_lower)


@batched(held=2)
def _inverse_value(unit_lower):
    factor, _ = _normalised_rows(unit_lower)
    return set_diagonal(lower_times_upper(factor, factor), 1.0)


def _theta_value(correlation):
    factor, definite = flagged_cholesky(correlation)
    factor /= _regular_pivots(factor, definite)[..., None]
    return factor


@batched(held=6)
def _differential(tangent_vec, unit_lower):
    # Symmetric, so that its lower triangle is enough.
    white = whitened(unit_lower, tangent_vec * _outer_lengths(unit_lower))
    half = 0.5 * diagonal(white)
    moved = lower_product(unit_lower, strictly_lower(white))
    # The diagonal of A acts from the right in the first term, from the left in the
    # second: only its differences remain.
    moved += unit_lower * (half[..., None, :] - half[..., :, None])
    return strictly_lower(moved)


@batched(held=6)
def _adjoint(cotangent, unit_lower):
    """Return the hollow matrix H with <H, V> = <G, dTheta(V)> for the cotangent G."""
    unit_lower = moving_strictly_lower(unit_lower)
    cotangent = strictly_lower(cotangent)
    product = lower_product_adjoint_left(unit_lower, cotangent)
    half = 0.5 * (diagonal(product) - row_dot(cotangent, unit_lower)[..., 0])
    moved = strictly_lower(product)
    fill_diagonal(moved, half)
    moved = lower_right_quotient(unit_lower, moved).mT
    moved = solve_unit_lower(unit_lower, moved, left=False)
    return _hollow(moved * _outer_lengths(unit_lower))


@batched(held=6)
def _inverse_differential(vector, unit_lower):
    factor, scale = _normalised_rows(unit_lower)
    moved = lower_times_upper(_rows_differential(vector, factor, scale), factor)
    return set_diagonal(moved + moved.mT, 0.0)


@batched(held=6)
def _inverse_adjoint(cotangent, unit_lower):
    """Return the adjoint of the differential of the inverse, for hollow cotangents."""
    unit_lower = moving_strictly_lower(unit_lower)
    factor, scale = _normalised_rows(unit_lower)
    image = lower_part_of_product(cotangent, factor)
    return strictly_lower(2.0 * _rows_differential(image, factor, scale))


@batched(held=8)
def _inverse_second_differential(vector_a, vector_b, unit_lower):
    vector_a, vector_b, unit_lower = (
        moving_strictly_lower(x) for x in (vector_a, vector_b, unit_lower)
    )
    factor, scale = _normalised_rows(unit_lower)
    scaled_a, scaled_b = vector_a * scale, vector_b * scale
    slope_a, slope_b = row_dot(scaled_a, factor), row_dot(scaled_b, factor)
    second = (3.0 * slope_a * slope_b - row_dot(scaled_a, scaled_b)) * factor
    second = second - slope_a * scaled_b - slope_b * scaled_a
    first_a, first_b = scaled_a - slope_a * factor, scaled_b - slope_b * factor
    half = lower_times_upper(second, factor) + lower_times_upper(first_a, first_b)
    return set_diagonal(half + half.mT, 0.0)


@batched(held=8)
def _inverse_second_adjoint(vector, cotangent, unit_lower):
    """Return how `_inverse_adjoint` moves along a vector, for hollow cotangents.

    It is the adjoint of the second differential of the inverse, with the vector fixed.
    """
    vector = moving_strictly_lower(vector)
    unit_lower = moving_strictly_lower(unit_lower)
    factor, scale = _normalised_rows(unit_lower)
    slope = row_dot(vector, factor) * scale
    moved = _rows_differential(vector, factor, scale)
    image = lower_part_of_product(cotangent, factor)
    moved_image = lower_part_of_product(cotangent, moved)
    along = row_dot(image, factor)
    turned = row_dot(moved_image, factor) + row_dot(image, moved) - slope * along
    curved = moved_image - slope * image - turned * factor - along * moved
    return strictly_lower(2.0 * scale * curved)


def _rows_differential(vector, factor, scale):
    """Return how normalised rows move: by the part of a vector orthogonal to them."""
    scaled = vector * scale
    return scaled - row_dot(scaled, factor) * factor


def _outer_lengths(unit_lower):
    """Return what divides by the diagonal of the Cholesky factor on both sides."""
    lengths = _row_lengths(unit_lower)
    return lengths * lengths.mT


def _hollow(matrix):
    return set_diagonal(symmetrize(matrix), 0.0)


def _theta_differential_tangent(tangents, tangent_vec, unit_lower, image):
    def turned_differential(turned):
        turned = strictly_lower(turned)
        curved = _inverse_second_differential(image, turned, unit_lower)
        return -theta_differential_map(curved, unit_lower)

    return total_differential(
        tangents,
        lambda moved: theta_differential_map(_hollow(moved), unit_lower),
        turned_differential,
    )


def _theta_differential_cotangent(cotangent, needed, tangent_vec, unit_lower, image):
    moved = _adjoint(cotangent, unit_lower)
    turned = -_inverse_second_adjoint(image, moved, unit_lower) if needed[1] else None
    return moved, turned


def _inverse_differential_tangent(tangents, vector, unit_lower):
    second = _inverse_second_differential
    return total_differential(
        tangents,
        lambda x: theta_inverse_differential_map(strictly_lower(x), unit_lower),
        lambda x: second(vector, strictly_lower(x), unit_lower),
    )


def _inverse_differential_cotangent(cotangent, needed, vector, unit_lower):
    cotangent = _hollow(cotangent)
    moved = _inverse_adjoint(cotangent, unit_lower) if needed[0] else None
    turned = (
        _inverse_second_adjoint(vector, cotangent, unit_lower) if needed[1] else None
    )
    return moved, turned


# Diffeomorphisms call these: their boundary handles half precision and autocast. The
# differentials of Theta and of its inverse are inverse to each other, too, and
# derivatives of the one are written with those of the other.
theta_map = StatedGradient(
    _theta_value,
    lambda tangents, _, image: theta_differential_map(_hollow(tangents[0]), image),
    lambda cotangent, needed, _, image: (_adjoint(cotangent, image),),
    keeps_value=True,
)
theta_differential_map: StatedGradient = StatedGradient(
    _differential,
    _theta_differential_tangent,
    _theta_differential_cotangent,
    keeps_value=True,
)
theta_inverse_map = StatedGradient(
    _inverse_value,
    lambda tangents, unit_lower: theta_inverse_differential_map(
        strictly_lower(tangents[0]), unit_lower
    ),
    lambda cotangent, needed, unit_lower: (
        _inverse_adjoint(_hollow(cotangent), unit_lower),
    ),
)
theta_inverse_differential_map: StatedGradient = StatedGradient(
    _inverse_differential,
    _inverse_differential_tangent,
    _inverse_differential_cotangent,
)


@in_own_precision
def full_rank_factor(correlation):
    r"""Return the Cholesky factor of correlation matrices.

    .. math:: C = L L^\top .

    Parameters
    ----------
    correlation : array, shape=[..., n, n]
        Full-rank correlation matrix.

    Returns
    -------
    factor : array, shape=[..., n, n]
        Lower triangular matrix; NaN where `correlation` is not positive definite, or so
        close to singular that rounding decides the sign of a pivot.

    Examples
    --------
    >>> import numpy as np
    >>> from geomstats_cor.kernels import full_rank_factor
    >>> full_rank_factor(np.array([[1.0, 0.6], [0.6, 1.0]]))
    array([[1. , 0. ],
           [0.6, 0.8]])
    """
    xp = namespace(correlation)
    factor, definite = flagged_cholesky(moving_hollow(correlation))
    regular = xp.isfinite(_regular_pivots(factor, definite)[..., :1])
    return xp.where(regular[..., None], factor, xp.nan)


def has_full_rank(matrix):
    """Tell which symmetric matrices are positive definite beyond rounding.

    Parameters
    ----------
    matrix : array, shape=[..., n, n]
        Symmetric matrix.

    Returns
    -------
    has_full_rank : array of bool, shape=[...]
        Whether all squared pivots are positive relative to the diagonal.
    """
    xp = namespace(matrix)
    factor, definite = flagged_cholesky(matrix)
    smallest = xp.min(diagonal(factor) ** 2 / diagonal(matrix), axis=-1)
    return definite & (smallest > rank_tolerance(matrix))


@in_own_precision
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

    Examples
    --------
    >>> import numpy as np
    >>> from geomstats_cor.kernels import cor_inverse
    >>> cor_inverse(np.array([[1.0, 0.6], [0.6, 1.0]])).round(12)
    array([[ 1. , -0.6],
           [-0.6,  1. ]])
    """
    factor = full_rank_factor(correlation)
    root = inverse_lower(factor)
    return cor(root.mT @ root)


def _regular_pivots(factor, definite):
    """Return the diagonal of a Cholesky factor, NaN if the smallest entry vanishes."""
    pivots, least = diagonal(factor), math.sqrt(rank_tolerance(factor))
    xp = namespace(factor)
    if is_readable(factor) and 0 not in factor.shape:
        # Usually the smallest pivot of the whole batch is large enough.
        if bool(definite.all()) and extremes(detached(pivots))[0] > least:
            return 1.0 * pivots  # no view: the factor may be divided in place
    regular = definite & (xp.min(pivots, axis=-1) > least)
    return xp.where(regular[..., None], pivots, float("nan"))


def _row_lengths(matrix):
    # A norm of torch is slow on factorisations, which come column by column.
    return namespace(matrix).sqrt(row_dot(matrix, matrix))


def _normalised_rows(matrix):
    """Return rows of length one, and the numbers that make them so."""
    scale = 1.0 / _row_lengths(matrix)
    return matrix * scale, scale
