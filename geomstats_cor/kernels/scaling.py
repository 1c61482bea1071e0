r"""The scaling of the log-scaled metric.

For a symmetric positive definite :math:`\Sigma` there is exactly one :math:`x > 0` with
:math:`x_i (\Sigma x)_i = 1`: the minimiser of the strictly convex, self-concordant
:math:`x^\top \Sigma x / 2 - \sum_i \log x_i`. Written as a diagonal matrix
:math:`\mathcal D^\star`, it gives :math:`\mathcal D^\star \Sigma \mathcal D^\star` unit
row sums.

The equation has further roots of mixed signs, and Newton's method without damping lands
on them: the step is chosen here so that it never leaves the positive orthant.

References
----------
.. [T2024] Y. Thanwerdas. Permutation-invariant log-Euclidean geometries on full-rank
   correlation matrices. SIAM J. Matrix Anal. Appl. 45, 2024.
.. [MO1968] A. W. Marshall and I. Olkin. Scaling of matrices to achieve specified row
   and column sums. Numer. Math. 12, 1968.
"""

from ._arrays import (
    diagonal,
    eps,
    eye_like,
    namespace,
    positive_solver,
    solve_positive,
    symmetric_product,
    symmetrize,
)
from ._gradients import Opaque, StatedGradient
from ._iteration import report_unfinished
from ._tangent_spaces import moving_symmetric
from .cholesky import full_rank_factor

_MAX_ITERATIONS = 60
_USUAL_ITERATIONS = 6  # then rounding may be what keeps the residual from being small
_CLOSE = 1e-3  # a residual from where whole Newton steps converge
_FLOOR = 0.1  # of a single step; its square multiplies eigenvalues


def log_scaling(matrix):
    r"""Return the scaling :math:`x > 0` with :math:`x_i (\Sigma x)_i = 1`.

    Newton's method in the scaled variable, :math:`(X \Sigma X + I) y = 1 - X \Sigma x`,
    with the step length that minimises a closed-form majoriser of the objective.

    Parameters
    ----------
    matrix : array, shape=[..., n, n]
        Symmetric positive definite matrix.

    Returns
    -------
    scaling : array, shape=[..., n]
        Positive vector; NaN where `matrix` is not positive definite.
    """
    matrix = moving_symmetric(matrix)
    return implicit_scaling(matrix, _solve_scaling(matrix))


def scaled_to_unit_row_sums(matrix):
    r"""Return :math:`\mathcal D^\star(\Sigma) \, \Sigma \, \mathcal D^\star(\Sigma)`.

    Parameters
    ----------
    matrix : array, shape=[..., n, n]
        Symmetric positive definite matrix.

    Returns
    -------
    balanced : array, shape=[..., n, n]
        Symmetric positive definite matrix with unit row sums.
    """
    matrix = moving_symmetric(matrix)
    return congruence(log_scaling(matrix), matrix)


def log_scaling_differential(vector, matrix):
    r"""Return the differential of the scaling :math:`x` at a positive definite matrix.

    .. math:: \dot x = -X (I + X \Sigma X)^{-1} X \dot\Sigma x .

    Parameters
    ----------
    vector : array, shape=[..., n, n]
        Symmetric matrix.
    matrix : array, shape=[..., n, n]
        Symmetric positive definite matrix.

    Returns
    -------
    moved : array, shape=[..., n]
        Derivative of the scaling along `vector`.
    """
    vector, matrix = moving_symmetric(vector), moving_symmetric(matrix)
    scaling = log_scaling(matrix)
    return -scaling * _relative_response(scaling, vector, congruence(scaling, matrix))


def one_step_scaling(correlation):
    r"""Return the scaling after one undamped Newton step from :math:`x = 1`.

    .. math:: x = 1 - (C + I)^{-1} (C 1 - 1) = 2 \, (C + I)^{-1} 1 .

    It is exact to first order about the identity. Elsewhere the step may leave the
    positive orthant: entries below the floor of 0.1 are put there. Derivatives are
    those of the step, and null where the floor holds.

    Parameters
    ----------
    correlation : array, shape=[..., n, n]
        Full-rank correlation matrix.

    Returns
    -------
    scaling : array, shape=[..., n]
        Positive vector, which gives approximate unit row sums.
    """
    xp = namespace(correlation)
    scaling = 2.0 * solve_shifted(xp.ones_like(correlation[..., 0]), correlation)
    return xp.where(scaling < _FLOOR, _FLOOR, scaling)


def congruence(scaling, matrix):
    """Return X M X, with X the diagonal matrix of a vector."""
    return scaling[..., :, None] * matrix * scaling[..., None, :]


def _relative_response(scaling, vector, balanced):
    row_sums = namespace(vector).sum(congruence(scaling, vector), axis=-1)
    return solve_shifted(row_sums, balanced)


def _solve_shifted_tangent(tangents, right, balanced):
    moved, turned = tangents
    result = 0.0 if moved is None else moved
    if turned is not None:
        solved = solve_shifted(right, balanced)
        result = result - (symmetrize(turned) @ solved[..., None])[..., 0]
    return solve_shifted(result, balanced)


def _solve_shifted_cotangent(cotangent, needed, right, balanced):
    moved = solve_shifted(cotangent, balanced)
    if not needed[1]:
        return moved, None
    return moved, -symmetric_product(moved, solve_shifted(right, balanced))


# The solution of (I + M) y = b, for a positive definite M.
solve_shifted = StatedGradient(
    lambda right, balanced: solve_positive(balanced + eye_like(balanced), right),
    _solve_shifted_tangent,
    _solve_shifted_cotangent,
    axes=(1, 1, 2),
)


def _scaling_tangent(tangents, matrix, scaling):
    scaling = implicit_scaling(matrix, scaling)
    balanced = congruence(scaling, matrix)
    return -scaling * _relative_response(scaling, tangents[0], balanced)


def _scaling_cotangent(cotangent, needed, matrix, scaling):
    scaling = implicit_scaling(matrix, scaling)
    solved = solve_shifted(scaling * cotangent, congruence(scaling, matrix))
    return -symmetric_product(scaling * solved, scaling), None


# The solution as a function of the matrix, by the implicit function theorem.
implicit_scaling = StatedGradient(
    lambda matrix, scaling: namespace(scaling).asarray(scaling, copy=True),
    _scaling_tangent,
    _scaling_cotangent,
    plain=lambda matrix, scaling: scaling,
    axes=(1, 2, 1),
    spaces=(symmetrize,),
)


def newton_scaling(matrix):
    """Return the scaling, by Newton's method."""
    xp = namespace(matrix)
    scale = 1.0 / xp.sqrt(diagonal(matrix))
    unit = congruence(scale, matrix)
    identity = eye_like(unit)
    # Some matrices that are not positive definite have a positive scaling too.
    regular = xp.isfinite(full_rank_factor(unit)[..., :1, :1])
    unit = xp.where(regular, unit, identity)
    scale = xp.where(regular[..., 0], scale, xp.nan)
    scaling, near = xp.ones_like(scale), False
    previous = xp.full_like(scaling[..., 0], xp.inf)
    done = previous < 0.0
    for count in range(_MAX_ITERATIONS):
        scaling, residual = _radial_step(unit, scaling)
        error = xp.max(xp.abs(residual), axis=-1)
        close = error < _CLOSE
        was_near, near = near, bool(xp.all(close | done))
        # Near the end the matrix hardly changes, and one factorisation serves.
        if not (near and was_near):
            solve = positive_solver(congruence(scaling, unit) + identity)
        step = solve(residual)
        if not near:
            step = step * _majoriser_step(step, residual)[..., None]
        scaling = scaling * (1.0 + xp.where(done[..., None], 0.0, step))
        if near or count > _USUAL_ITERATIONS or bool(xp.any(close)):
            # Rounding in the row sums bounds what any step can reach.
            noise = 4.0 * eps(unit) * xp.max(_row_sums(xp.abs(unit), scaling), axis=-1)
            stagnates = (close | (error <= 4.0 * noise)) & (error >= 0.25 * previous)
            done = done | (error <= noise) | stagnates
            if bool(xp.all(done)):
                return scale * scaling
        previous = error
    report_unfinished("log-scaling", error, done, matrix)
    return scale * scaling


_solve_scaling = Opaque("log_scaling", newton_scaling, lambda x: x[..., 0])


def _radial_step(unit, scaling):
    """Minimise the objective along the ray of the scaling, and return its residual."""
    xp = namespace(unit)
    sums = _row_sums(unit, scaling)
    factor = unit.shape[-1] / xp.sum(sums, axis=-1, keepdims=True)
    return xp.sqrt(factor) * scaling, 1.0 - factor * sums


def _row_sums(matrix, scaling):
    """Return the row sums of X C X."""
    return scaling * (matrix @ scaling[..., None])[..., 0]


def _majoriser_step(step, residual):
    """Return the step length that minimises a majoriser of the objective.

    Along the step y the objective is bounded by a function of the decrement s, of
    m = max(0, -min y) and of a = 1 - |y|^2 / s alone; its minimiser is
    2 / (p + sqrt(p^2 - 4 a m)) with p = 1 + m, and stays below 1 / m.
    """
    xp = namespace(step)
    tiny = float(xp.finfo(step.dtype).smallest_normal)
    decrement = xp.sum(residual * step, axis=-1) + tiny
    curved = 1.0 - xp.sum(step * step, axis=-1) / decrement
    inward = xp.max(xp.abs(step) - step, axis=-1) * 0.5
    slope = 1.0 + inward
    return 2.0 / (slope + xp.sqrt(slope * slope - 4.0 * curved * inward))
