"""The diagonal of the off-log metric, by Newton's method; see `off_log_diagonal`."""

import math

import numpy as np

from .._types import Array
from ._array import constant, eigh, eps, namespace, plus_diagonal, solve_positive
from ._autodiff import Opaque
from ._convergence import report_unfinished
from ._quadrature import half_rule_for_spectrum
from .symmetric import spectral

_MAX_ITERATIONS = 200
_LOOSEST_HESSIAN = 1e-2  # for a Newton step; the differential needs all digits


def hadamard_mean(values: Array, vectors: Array, tolerance: float) -> Array:
    """Return the mean over [0, 1] of exp(t S) times exp((1 - t) S), entry by entry.

    It is J, the Hessian of tr exp(S + D) in the diagonal of D. The rule has nodes at
    both ends, where one of the factors is the identity and no product is needed; in the
    middle, the factors are the same.
    """
    xp = namespace(values)
    *inner, (_, end) = half_rule_for_spectrum(values, tolerance)
    total = 0.0
    for node, weight in inner:
        time = 0.5 * (1.0 + node)
        weight = math.sqrt(weight)
        term = spectral(weight * xp.exp(time * values), vectors)
        if node == 0.0:
            term *= term
        else:
            term *= spectral(weight * xp.exp((1.0 - time) * values), vectors)
        total = total + term
    return plus_diagonal(total, end * _exp_diagonal(values, vectors))


def _exp_diagonal(values, vectors):
    """Return the diagonal of the exponential."""
    growth = namespace(values).exp(values)
    return ((vectors * vectors) @ growth[..., None])[..., 0]


def _newton_diagonal(hollow):
    """Return the diagonal, and the spectral decomposition of the shifted matrix."""
    xp = namespace(hollow)
    size = hollow.shape[-1]
    trial = start = fallback = _first_guess(hollow)
    promised = xp.zeros_like(trial[..., 0])
    objective = previous = expected = xp.full_like(promised, xp.inf)
    for _ in range(_MAX_ITERATIONS):
        trial, values, vectors, diag = _level(hollow, trial)
        solution = trial, values, vectors
        error = xp.max(xp.abs(diag - 1.0), axis=-1)
        unit = _rounding(values)
        # Close to rounding, the error stagnates or was expected to be far smaller.
        stands = (error >= 0.25 * previous) | (expected <= unit)
        done = (error <= 4.0 * unit) | ((error <= 64.0 * unit) & stands)
        if bool(xp.all(done)):
            return solution
        # Near the solution, rounding errors exceed the changes of the objective.
        gain = objective - (size - xp.sum(trial, axis=-1))
        accepted = (gain >= 0.25 * promised) | (error < 0.1)
        log_diag = xp.log(diag)
        tolerance = _hessian_tolerance(xp.where(done, xp.inf, error), unit)
        hessian = hadamard_mean(values, vectors, tolerance)
        step = solve_positive(hessian, -diag * log_diag)
        use_step = accepted & xp.all(xp.isfinite(step), axis=-1)

        start = xp.where(accepted[..., None], trial, start)
        fallback = xp.where(accepted[..., None], -log_diag, fallback)
        decrease = xp.sum(diag - 1.0 - log_diag, axis=-1)
        objective = xp.where(accepted, size - xp.sum(trial, axis=-1), objective)
        # The decrease of a fallback step is guaranteed and need not be checked.
        promised = xp.where(use_step, decrease, -xp.inf)
        expected = xp.where(use_step, (tolerance + 0.1 * error) * error, xp.inf)
        previous = error
        move = xp.where(use_step[..., None], step, fallback)
        trial = start + xp.where(done[..., None], 0.0, move)
    exponential = spectral(xp.exp(values), vectors)
    report_unfinished("off-log diagonal", error, done, exponential)
    return solution


solve_diagonal = Opaque(
    "off_log_diagonal", _newton_diagonal, lambda x: (x[..., 0], x[..., 0], x)
)


def _first_guess(hollow):
    """Return a first guess of the diagonal, -log cosh of the lengths of rows.

    Exact for two variables, and up to third order in the matrix.
    """
    xp = namespace(hollow)
    with np.errstate(all="ignore"):
        length = xp.linalg.vector_norm(hollow, axis=-1)
        # The square of an entry may overflow where the entry does not.
        length = xp.clip(length, None, 0.5 * float(xp.finfo(length.dtype).max) ** 0.5)
        return math.log(2.0) - xp.logaddexp(length, -length)


def _level(hollow, trial):
    """Shift by the multiple of the identity that makes the mean of the diagonal one."""
    xp = namespace(hollow)
    values, vectors = eigh(plus_diagonal(hollow, trial))
    largest = values[..., -1:]
    diag = _exp_diagonal(values - largest, vectors)
    mean = xp.mean(diag, axis=-1, keepdims=True)
    level = largest + xp.log(mean)
    return trial - level, values - level, vectors, diag / mean


def _rounding(values):
    """Return the rounding error of the diagonal of an exponential."""
    spread = values[..., -1] - values[..., 0]
    return eps(values) * namespace(values).maximum(spread, constant(1.0, spread))


def _hessian_tolerance(error, unit):
    """Return the error of the Hessian that keeps Newton's method quadratic.

    The error of a step is that of the Hessian times the length of the step: it may be
    as large as rounding, or as the square of that length.
    """
    xp = namespace(error)
    needed = float(xp.min(xp.maximum(0.01 * error, unit / error)))
    return 10.0 ** math.floor(math.log10(min(_LOOSEST_HESSIAN, needed)))
