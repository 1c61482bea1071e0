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
    plus_diagonal,
    positive_solver,
    solve_positive,
    symmetric_product,
    symmetrize,
)
from ._gradients import Opaque, StatedGradient
from ._iteration import report_unfinished
from ._tangent_spaces import moving_symmetric
from .cholesky import has_full_rank

_MAX_ITERATIONS = 60
_USUAL_ITERATIONS = 8  # more than that may mean that there is no solution
_REUSES = 3  # steps with a factorisation, after the one it was made for
_CLOSE = 1e-3  # a residual from where whole Newton steps converge


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
    """Return the scaling, by Newton's method on the objective itself.

    The Hessian is the matrix and a diagonal one, so that an old factorisation serves
    for as long as its steps halve the residual. NaN where the iteration shows that the
    matrix is not positive definite; some of those have a positive scaling, too.
    """
    xp = namespace(matrix)
    weights = xp.abs(matrix)
    scaling = 1.0 / xp.sqrt(diagonal(matrix))
    scaling = scaling * xp.sqrt(
        matrix.shape[-1] / xp.sum(_row_sums(matrix, scaling), axis=-1, keepdims=True)
    )
    residual, error = _residual(matrix, scaling)
    done = ~(error < xp.inf)
    for count in range(_MAX_ITERATIONS):
        if count == _USUAL_ITERATIONS:
            done = done | ~has_full_rank(matrix)
        solve = positive_solver(plus_diagonal(matrix, scaling**-2))
        step = solve(residual / scaling) / scaling
        step = step * _majoriser_step(step, residual)[..., None]
        scaling = scaling * (1.0 + xp.where(done[..., None], 0.0, step))
        previous, (residual, error) = error, _residual(matrix, scaling)
        # Rounding in the row sums bounds what any step can reach.
        noise = 4.0 * eps(matrix) * xp.max(_row_sums(weights, scaling), axis=-1)
        close = (error < _CLOSE) | (error <= 4.0 * noise)
        done = done | (close & (error >= 0.25 * previous)) | ~(error < xp.inf)
        for _ in range(_REUSES):
            exact = done | (error <= noise)
            step = solve(residual / scaling)
            trial = scaling + xp.where(done[..., None], 0.0, step)
            if bool(xp.all(exact)):
                return trial
            better = _residual(matrix, trial)
            halved = (better[1] < 0.5 * error) & xp.all(trial > 0.0, axis=-1)
            scaling = xp.where(halved[..., None], trial, scaling)
            residual = xp.where(halved[..., None], better[0], residual)
            error = xp.where(halved, better[1], error)
            if not bool(xp.all(halved | exact)):
                break
        done = done | (error <= noise)
        if bool(xp.all(done)):
            return scaling
    report_unfinished("log-scaling", error, done, matrix)
    return scaling


def _checked_scaling(matrix):
    """Return the scaling, and NaN for all that is not positive definite."""
    xp = namespace(matrix)
    regular = has_full_rank(matrix)
    if not bool(xp.all(regular)):
        matrix = xp.where(regular[..., None, None], matrix, eye_like(matrix))
    return xp.where(regular[..., None], newton_scaling(matrix), xp.nan)


_solve_scaling = Opaque("log_scaling", _checked_scaling, lambda x: x[..., 0])


def _residual(matrix, scaling):
    """Return 1 - X C x, and its largest entry."""
    xp = namespace(matrix)
    residual = 1.0 - _row_sums(matrix, scaling)
    return residual, xp.max(xp.abs(residual), axis=-1)


def _row_sums(matrix, scaling):
    """Return the row sums of X C X; C is symmetric, and rows are faster from the left."""
    return scaling * (scaling[..., None, :] @ matrix)[..., 0, :]


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
