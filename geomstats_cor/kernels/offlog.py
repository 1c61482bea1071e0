r"""The diagonal of the off-log metric, and the maps built on it.

For a symmetric :math:`S` there is exactly one diagonal matrix :math:`\mathcal D(S)`
such that :math:`\exp(S + \mathcal D(S))` has unit diagonal: the minimiser of the
strictly convex :math:`\operatorname{tr} \exp(S + D) - \operatorname{tr} D`. Then

.. math:: \operatorname{Log}^\circ(C) = \operatorname{off}(\log C), \qquad
          \operatorname{Exp}^\circ(H) = \exp(H + \mathcal D(H)).

References
----------
.. [AH2021] I. Archakov and P. R. Hansen. A new parametrization of correlation matrices.
   Econometrica 89, 2021.
.. [T2024] Y. Thanwerdas. Permutation-invariant log-Euclidean geometries on full-rank
   correlation matrices. SIAM J. Matrix Anal. Appl. 45, 2024.
"""

import functools
import math

from ._arrays import (
    constant,
    diagonal,
    diagonal_matrix,
    eps,
    namespace,
    off_diagonal,
    solve_positive,
)
from ._gradients import Opaque, StatedGradient, is_readable
from ._iteration import report_unfinished
from ._quadrature import nodes_for_exponential, positive_half
from ._tangent_spaces import moving_hollow, moving_symmetric
from .correlation import cor
from .symmetric import (
    exp_at,
    exp_differential_at,
    log_at,
    log_differential_at,
    positive_spectrum,
    spectral,
    sym_exp_second_differential,
    sym_log,
    sym_log_differential,
)

_MAX_ITERATIONS = 200
_BLIND_RULE = positive_half(24)  # all digits for condition numbers up to 1e16
_HESSIAN_TOLERANCE = 1e-3  # enough for a Newton step; the differential wants all digits


def off_log(correlation):
    r"""Return :math:`\operatorname{Log}^\circ(C) = \operatorname{off}(\log C)`.

    Parameters
    ----------
    correlation : array, shape=[..., n, n]
        Full-rank correlation matrix.

    Returns
    -------
    hollow : array, shape=[..., n, n]
        Symmetric hollow matrix; NaN where `correlation` is not positive definite.
    """
    return off_diagonal(sym_log(moving_hollow(correlation)))


def off_log_differential(tangent_vec, correlation):
    r"""Return the differential of :math:`\operatorname{Log}^\circ`.

    Parameters
    ----------
    tangent_vec : array, shape=[..., n, n]
        Symmetric hollow matrix.
    correlation : array, shape=[..., n, n]
        Full-rank correlation matrix.

    Returns
    -------
    moved : array, shape=[..., n, n]
        Symmetric hollow matrix.
    """
    tangent_vec, correlation = moving_hollow(tangent_vec), moving_hollow(correlation)
    return off_diagonal(sym_log_differential(tangent_vec, correlation))


def off_log_and_differential(tangent_vec, correlation):
    r"""Return :math:`\operatorname{Log}^\circ(C)` and its differential together.

    Parameters
    ----------
    tangent_vec : array, shape=[..., n, n]
        Symmetric hollow matrix.
    correlation : array, shape=[..., n, n]
        Full-rank correlation matrix.

    Returns
    -------
    hollow : array, shape=[..., n, n]
        Symmetric hollow matrix; NaN where `correlation` is not positive definite.
    moved : array, shape=[..., n, n]
        Symmetric hollow matrix.
    """
    tangent_vec, correlation = moving_hollow(tangent_vec), moving_hollow(correlation)
    values, vectors = positive_spectrum(correlation)
    hollow = log_at(correlation, values, vectors)
    moved = log_differential_at(tangent_vec, correlation, values, vectors)
    return off_diagonal(hollow), off_diagonal(moved)


def off_log_diagonal(matrix):
    r"""Return the diagonal of :math:`\mathcal D(S)`.

    Newton's method on the logarithm :math:`\log c` of the diagonal
    :math:`c = \operatorname{diag} \exp(S + D)`, where the Hessian is
    :math:`J_{il} = \int_0^1 (e^{tS})_{il} (e^{(1-t)S})_{il} dt`. By the Golden-Thompson
    inequality the step :math:`-\log c` lowers the objective by at least
    :math:`\sum (c - 1 - \log c)`; a Newton step that gains less than a quarter of that
    is replaced by it, so the method converges from everywhere.

    Parameters
    ----------
    matrix : array, shape=[..., n, n]
        Symmetric matrix, hollow or not.

    Returns
    -------
    diag : array, shape=[..., n]
        Diagonal of the unique :math:`D` such that :math:`\exp(S + D)` is a correlation
        matrix.
    """
    matrix = moving_symmetric(matrix)
    hollow = off_diagonal(matrix)
    return _diagonal(hollow, *_solve_diagonal(hollow)) - diagonal(matrix)


def off_exp(matrix):
    r"""Return :math:`\operatorname{Exp}^\circ(H) = \exp(H + \mathcal D(H))`.

    Parameters
    ----------
    matrix : array, shape=[..., n, n]
        Symmetric matrix; its diagonal has no influence.

    Returns
    -------
    correlation : array, shape=[..., n, n]
        Full-rank correlation matrix.
    """
    return cor(exp_at(*_shifted(off_diagonal(moving_hollow(matrix)))))


def off_exp_differential(vector, hollow):
    r"""Return the differential of :math:`\operatorname{Exp}^\circ`.

    .. math:: d_H \operatorname{Exp}^\circ(W) = d_S \exp(W + \dot D), \qquad
              J \operatorname{diag}(\dot D) = -\operatorname{diag}(d_S \exp(W)),

    with :math:`S = H + \mathcal D(H)`.

    Parameters
    ----------
    vector : array, shape=[..., n, n]
        Symmetric hollow matrix :math:`W`.
    hollow : array, shape=[..., n, n]
        Symmetric hollow matrix :math:`H`, the base point.

    Returns
    -------
    tangent_vec : array, shape=[..., n, n]
        Symmetric hollow matrix.
    """
    return _differential_at(moving_hollow(vector), *_shifted(moving_hollow(hollow)))


def off_log_differential_inverse(vector, correlation):
    r"""Invert the differential of :math:`\operatorname{Log}^\circ`.

    The same map as `off_exp_differential`, from the other end: no diagonal is solved
    for.

    Parameters
    ----------
    vector : array, shape=[..., n, n]
        Symmetric hollow matrix.
    correlation : array, shape=[..., n, n]
        Full-rank correlation matrix, the base point.

    Returns
    -------
    tangent_vec : array, shape=[..., n, n]
        Symmetric hollow matrix.
    """
    vector, correlation = moving_hollow(vector), moving_hollow(correlation)
    values, vectors = positive_spectrum(correlation)
    logarithm = log_at(correlation, values, vectors)
    values = namespace(values).log(values)
    return _differential_at(vector, logarithm, values, vectors)


def off_log_diagonal_differential(vector, matrix):
    r"""Return the differential of :math:`\mathcal D`, as a diagonal.

    Parameters
    ----------
    vector : array, shape=[..., n, n]
        Symmetric matrix.
    matrix : array, shape=[..., n, n]
        Symmetric matrix, the base point.

    Returns
    -------
    moved : array, shape=[..., n]
        Diagonal of the derivative of :math:`\mathcal D` along `vector`.
    """
    return _diagonal_response(vector, *_shifted(off_diagonal(matrix)))


def off_exp_second_differential(vector, hollow):
    r"""Return the second derivative of :math:`\operatorname{Exp}^\circ(H + t W)`.

    Parameters
    ----------
    vector : array, shape=[..., n, n]
        Symmetric hollow matrix :math:`W`.
    hollow : array, shape=[..., n, n]
        Symmetric hollow matrix :math:`H`.

    Returns
    -------
    curved : array, shape=[..., n, n]
        Symmetric hollow matrix.
    """
    vector = moving_hollow(vector)
    matrix, values, vectors = _shifted(moving_hollow(hollow))
    moved = vector + diagonal_matrix(
        _diagonal_response(vector, matrix, values, vectors)
    )
    second = sym_exp_second_differential(moved, matrix)
    hessian = _diagonal_hessian(matrix, values, vectors)
    bend = diagonal_matrix(-solve_positive(hessian, diagonal(second)))
    return off_diagonal(second + exp_differential_at(bend, matrix, values, vectors))


def _shifted(hollow):
    """Return H + D(H), and its spectrum."""
    shift, values, vectors = _solve_diagonal(hollow)
    diag = _diagonal(hollow, shift, values, vectors)
    return hollow + diagonal_matrix(diag), values, vectors


def _differential_at(vector, matrix, values, vectors):
    """Return the differential of Exp° at a matrix H + D(H)."""
    response = _diagonal_response(vector, matrix, values, vectors)
    moved = vector + diagonal_matrix(response)
    return off_diagonal(exp_differential_at(moved, matrix, values, vectors))


def _diagonal_response(vector, matrix, values, vectors):
    """Return the motion of the diagonal: J d = -diag(d exp(V))."""
    moved = diagonal(exp_differential_at(vector, matrix, values, vectors))
    return -solve_positive(_diagonal_hessian(matrix, values, vectors), moved)


def _diagonal_hessian(matrix, values, vectors):
    """Return J, the Hessian of tr exp(S + D) in the diagonal of D, to all digits."""
    return _hadamard_mean(
        lambda time: exp_at(time * matrix, time * values, vectors),
        _rule(values, 64.0 * eps(values)),
    )


def _hadamard_mean(exponential, rule):
    """Return the mean over [0, 1] of exp(t S) times exp((1 - t) S), entry by entry."""
    total = 0.0
    for node, weight in rule:
        time = 0.5 * (1.0 + node)
        total = total + weight * exponential(time) * exponential(1.0 - time)
    return total


def _rule(values, tolerance):
    """Return a quadrature rule for exponentials of the spread of the spectrum."""
    if not is_readable(values):
        return _BLIND_RULE
    spread = values[..., -1] - values[..., 0]
    widest = float(namespace(values).max(spread)) if math.prod(spread.shape) else 0.0
    return positive_half(nodes_for_exponential(widest, tolerance))


def _diagonal_tangent(tangents, hollow, shift, values, vectors):
    matrix = hollow + diagonal_matrix(_diagonal(hollow, shift, values, vectors))
    return _diagonal_response(tangents[0], matrix, values, vectors)


def _diagonal_cotangent(cotangent, needed, hollow, shift, values, vectors):
    matrix = hollow + diagonal_matrix(_diagonal(hollow, shift, values, vectors))
    hessian = _diagonal_hessian(matrix, values, vectors)
    solved = diagonal_matrix(solve_positive(hessian, cotangent))
    return -exp_differential_at(solved, matrix, values, vectors), None, None, None


# The solution as a function of the matrix, by the implicit function theorem.
_diagonal = StatedGradient(
    lambda hollow, shift, values, vectors: namespace(shift).asarray(shift, copy=True),
    _diagonal_tangent,
    _diagonal_cotangent,
    plain=lambda hollow, shift, values, vectors: shift,
)


def _newton_diagonal(hollow):
    """Return the diagonal, and the spectral decomposition of the shifted matrix."""
    xp = namespace(hollow)
    size = hollow.shape[-1]
    trial = xp.zeros_like(diagonal(hollow))
    start = fallback = trial
    promised = xp.zeros_like(trial[..., 0])
    objective = previous = xp.full_like(promised, xp.inf)
    for _ in range(_MAX_ITERATIONS):
        trial, values, vectors, diag = _level(hollow, trial)
        error = xp.max(xp.abs(diag - 1.0), axis=-1)
        done = _is_solved(error, previous, values)
        if bool(xp.all(done)):
            return trial, values, vectors
        # In the quadratic region rounding blurs the objective, and is no guide.
        gain = objective - (size - xp.sum(trial, axis=-1))
        accepted = (gain >= 0.25 * promised) | (error < 0.1)
        log_diag = xp.log(diag)
        hessian = _hadamard_mean(
            functools.partial(_exponential, values, vectors),
            _rule(values, _HESSIAN_TOLERANCE),
        )
        step = solve_positive(hessian, -diag * log_diag)
        use_step = accepted & xp.all(xp.isfinite(step), axis=-1)

        start = xp.where(accepted[..., None], trial, start)
        fallback = xp.where(accepted[..., None], -log_diag, fallback)
        decrease = xp.sum(diag - 1.0 - log_diag, axis=-1)
        objective = xp.where(accepted, size - xp.sum(trial, axis=-1), objective)
        # A fallback step keeps its promise by theorem; nothing is asked of it.
        promised = xp.where(use_step, decrease, -xp.inf)
        previous = error
        move = xp.where(use_step[..., None], step, fallback)
        trial = start + xp.where(done[..., None], 0.0, move)
    exponential = spectral(xp.exp(values), vectors)
    report_unfinished("off-log diagonal", error, done, exponential)
    return trial, values, vectors


_solve_diagonal = Opaque(
    "off_log_diagonal", _newton_diagonal, lambda x: (x[..., 0], x[..., 0], x)
)


def _exponential(values, vectors, time):
    return spectral(namespace(values).exp(time * values), vectors)


def _level(hollow, trial):
    """Shift by the multiple of the identity that makes the mean of the diagonal one."""
    xp = namespace(hollow)
    values, vectors = xp.linalg.eigh(hollow + diagonal_matrix(trial))
    largest = values[..., -1:]
    weights = vectors * vectors
    diag = (weights @ xp.exp(values - largest)[..., None])[..., 0]
    level = largest + xp.log(xp.mean(diag, axis=-1, keepdims=True))
    values = values - level
    return trial - level, values, vectors, (weights @ xp.exp(values)[..., None])[..., 0]


def _is_solved(error, previous, values):
    """Tell whether the error is at the level of rounding, or stagnates close to it."""
    xp = namespace(error)
    spread = values[..., -1] - values[..., 0]
    unit = eps(error) * xp.maximum(spread, constant(1.0, spread))
    stagnates = (error <= 64.0 * unit) & (error >= 0.25 * previous)
    return (error <= 4.0 * unit) | stagnates
