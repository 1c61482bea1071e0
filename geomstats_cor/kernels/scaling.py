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

import numpy as np

from ._arrays import (
    constant,
    diagonal,
    eps,
    eye_like,
    namespace,
    plus_diagonal,
    positive_solver,
    row_dot,
    solve_positive,
    symmetric_product,
    symmetrize,
)
from ._conjugate_gradients import truncated_solution
from ._gradients import Opaque, StatedGradient
from ._iteration import report_unfinished
from ._tangent_spaces import moving_symmetric
from .cholesky import has_full_rank

_MAX_ITERATIONS = 60
_USUAL_ITERATIONS = 8  # more than that may mean that there is no solution
_ROUGH_STEPS = 2  # their cost is that of one factorisation, and they save several
_CLOSE = 0.25  # a relative step from where whole Newton steps converge
_PROGRESS = 0.05  # a new factorisation pays off if an old one gains less
_FLOOR = 0.1  # of a single step; its square multiplies eigenvalues


def log_scaling(matrix):
    r"""Return the scaling :math:`x > 0` with :math:`x_i (\Sigma x)_i = 1`.

    Newton's method, :math:`(\Sigma + X^{-2}) y = x^{-1} - \Sigma x`, with the step
    length that minimises a closed-form majoriser of the objective.

    Parameters
    ----------
    matrix : array, shape=[..., n, n]
        Symmetric positive definite matrix.

    Returns
    -------
    scaling : array, shape=[..., n]
        Positive vector; NaN where `matrix` is not positive definite.

    References
    ----------
    .. [MO1968] A. W. Marshall and I. Olkin. Scaling of matrices to achieve specified
       row and column sums. Numer. Math. 12, 1968.
    .. [T2024] Y. Thanwerdas. Permutation-invariant log-Euclidean geometries on
       full-rank correlation matrices. SIAM J. Matrix Anal. Appl. 45, 2024.

    Examples
    --------
    >>> import numpy as np
    >>> from geomstats_cor.kernels import log_scaling
    >>> log_scaling(np.diag([4.0, 1.0])).round(12)
    array([0.5, 1. ])
    >>> matrix = np.array([[2.0, 1.0], [1.0, 1.0]])
    >>> scaling = log_scaling(matrix)
    >>> (scaling * (matrix @ scaling)).round(12)
    array([1., 1.])
    """
    matrix = moving_symmetric(matrix)
    return implicit_scaling(matrix, _solve_scaling(matrix))


def scaled_to_unit_row_sums(matrix):
    r"""Return :math:`\mathcal D^\star(\Sigma) \, \Sigma \, \mathcal D^\star(\Sigma)`.

    The diagonal of :math:`\mathcal D^\star(\Sigma)` is that of `log_scaling`.

    Parameters
    ----------
    matrix : array, shape=[..., n, n]
        Symmetric positive definite matrix.

    Returns
    -------
    balanced : array, shape=[..., n, n]
        Symmetric positive definite matrix with unit row sums.

    References
    ----------
    .. [MO1968] A. W. Marshall and I. Olkin. Scaling of matrices to achieve specified
       row and column sums. Numer. Math. 12, 1968.
    .. [T2024] Y. Thanwerdas. Permutation-invariant log-Euclidean geometries on
       full-rank correlation matrices. SIAM J. Matrix Anal. Appl. 45, 2024.

    Examples
    --------
    >>> import numpy as np
    >>> from geomstats_cor.kernels import scaled_to_unit_row_sums
    >>> scaled_to_unit_row_sums(np.array([[1.0, 0.6], [0.6, 1.0]])).round(12)
    array([[0.625, 0.375],
           [0.375, 0.625]])
    """
    matrix = moving_symmetric(matrix)
    return congruence(log_scaling(matrix), matrix)


def log_scaling_differential(vector, matrix):
    r"""Return the differential of the scaling :math:`x` at a positive definite matrix.

    .. math:: \dot x = -X (I + X \Sigma X)^{-1} X \dot\Sigma x .

    Parameters
    ----------
    vector : array, shape=[..., n, n]
        Symmetric matrix :math:`\dot\Sigma`.
    matrix : array, shape=[..., n, n]
        Symmetric positive definite matrix :math:`\Sigma`.

    Returns
    -------
    moved : array, shape=[..., n]
        Derivative of the scaling along `vector`.

    References
    ----------
    .. [T2024] Y. Thanwerdas. Permutation-invariant log-Euclidean geometries on
       full-rank correlation matrices. SIAM J. Matrix Anal. Appl. 45, 2024.

    Examples
    --------
    The scaling of a diagonal matrix is :math:`\Sigma_{ii}^{-1/2}`:

    >>> import numpy as np
    >>> from geomstats_cor.kernels import log_scaling_differential
    >>> moved = log_scaling_differential(np.diag([1.0, 0.0]), np.diag([4.0, 1.0]))
    >>> moved.round(12) + 0.0
    array([-0.0625,  0.    ])
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

    References
    ----------
    .. [C2026] Z. Chen, X. Wu, B. Schölkopf and N. Sebe. Riemannian networks over
       full-rank correlation matrices. ICML 2026.

    Examples
    --------
    >>> import numpy as np
    >>> from geomstats_cor.kernels import log_scaling, one_step_scaling
    >>> correlation = np.array([[1.0, 0.5], [0.5, 1.0]])
    >>> print(one_step_scaling(correlation), log_scaling(correlation).round(4))
    [0.8 0.8] [0.8165 0.8165]
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
    """Return the scaling, by Newton's method on the objective itself.

    The Hessian is the matrix with 1 / x^2 added to its diagonal. NaN where the
    iteration shows that the matrix is not positive definite; some matrices that are not
    have a positive scaling, too.
    """
    with np.errstate(all="ignore"):
        return _iterate(matrix, _rough_scaling(matrix))


def _iterate(matrix, scaling):
    xp = namespace(matrix)
    previous, done = xp.inf, False
    for count in range(_MAX_ITERATIONS):
        if count == _USUAL_ITERATIONS:
            scaling = xp.where(has_full_rank(matrix)[..., None], scaling, xp.nan)
        scaling, slope = _radial_step(matrix, scaling)
        solve = positive_solver(plus_diagonal(matrix, scaling**-2))
        step = solve(slope)
        relative = step / scaling
        error = xp.max(xp.abs(relative), axis=-1)
        if bool(xp.any(error > _CLOSE)):
            scaling = scaling + _majoriser_step(relative, scaling * slope) * step
            continue
        scaling, error, noise = _reuse(solve, matrix, scaling + step)
        # Where rounding leaves much, only stagnation tells that nothing is gained.
        stagnates = (error <= 16.0 * noise) & (error >= 0.25 * previous)
        done = done | ~(error > _small(noise)) | stagnates
        previous = error
        if bool(xp.all(done)):
            return scaling
    done = done | ~(error > 16.0 * eps(error))
    report_unfinished("log-scaling", error, done, matrix)
    return scaling


def _rough_scaling(matrix):
    """Return a positive vector on the way to the scaling, without a factorisation.

    Truncated conjugate gradients keep what the majoriser asks of a Newton step.
    """
    scaling = namespace(matrix).abs(diagonal(matrix)) ** -0.5
    for _ in range(_ROUGH_STEPS):
        scaling, slope = _radial_step(matrix, scaling)
        residual = scaling * slope

        def hessian(vector, scaling=scaling):
            return vector + scaling * _product(matrix, scaling * vector)

        step = truncated_solution(residual, hessian, _ROUGH_STEPS)
        scaling = scaling + scaling * (_majoriser_step(step, residual) * step)
    return scaling


def _checked_scaling(matrix):
    """Return the scaling, and NaN for all that is not positive definite."""
    xp = namespace(matrix)
    regular = has_full_rank(matrix)
    if bool(xp.all(regular)):
        return newton_scaling(matrix)
    mended = xp.where(regular[..., None, None], matrix, eye_like(matrix))
    return xp.where(regular[..., None], newton_scaling(mended), xp.nan)


_solve_scaling = Opaque("log_scaling", _checked_scaling, lambda x: x[..., 0], held=4)


def _radial_step(matrix, scaling):
    """Minimise the objective along the ray of the scaling, and return its slope."""
    xp = namespace(matrix)
    product = _product(matrix, scaling)
    length = xp.abs(matrix.shape[-1] / row_dot(scaling, product)) ** 0.5
    scaling = length * scaling
    return scaling, 1.0 / scaling - length * product


def _product(matrix, vector):
    """Return the product with a symmetric matrix: faster from the left for batches."""
    return (vector[..., None, :] @ matrix)[..., 0, :]


def _reuse(solve, matrix, scaling):
    """Iterate close to the solution with one factorisation, for as long as it pays.

    Returns the scaling, its residual, and what rounding in the row sums leaves of any
    residual.
    """
    xp = namespace(matrix)
    noise = scaling * _product(xp.abs(matrix), scaling)
    noise = eps(matrix) * xp.max(noise, axis=-1)
    small, goal = _small(noise), xp.inf
    while True:
        slope = 1.0 / scaling - _product(matrix, scaling)
        error = xp.max(xp.abs(scaling * slope), axis=-1)
        inexact = error > small
        if bool(xp.any(inexact & (error > goal))):
            return scaling, error, noise
        scaling = scaling + solve(slope)
        if not bool(xp.any(inexact)):
            return scaling, error, noise
        goal = _PROGRESS * error


def _small(noise):
    """Return the residual that is as good as none."""
    return namespace(noise).minimum(noise, constant(0.1 * eps(noise) ** 0.5, noise))


def _majoriser_step(step, residual):
    """Return the step length that minimises a majoriser of the objective.

    Along the step y the objective is bounded by a function of the decrement s, of
    m = max(0, -min y) and of |y|^2 alone; its minimiser is
    2 / (1 + m + sqrt((1 - m)^2 + 4 m |y|^2 / s)), and stays below 1 / m.
    """
    xp = namespace(step)
    tiny = float(xp.finfo(step.dtype).smallest_normal)
    curved = row_dot(step, step) / (row_dot(residual, step) + tiny)
    inward = 0.5 * xp.max(xp.abs(step) - step, axis=-1, keepdims=True)
    root = xp.sqrt((1.0 - inward) ** 2 + 4.0 * inward * curved)
    return 2.0 / (1.0 + inward + root)
