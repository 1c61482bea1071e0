r"""The scaling of the log-scaled metric.

For a symmetric positive definite :math:`\Sigma` there is exactly one :math:`x > 0` with
:math:`x_i (\Sigma x)_i = 1`: the minimiser of the strictly convex, self-concordant
:math:`x^\top \Sigma x / 2 - \sum_i \log x_i`. Written as a diagonal matrix
:math:`\mathcal D^\star`, it gives :math:`\mathcal D^\star \Sigma \mathcal D^\star` unit
row sums.

The equation has further roots of mixed signs, and Newton's method without damping may
converge to them: here, steps never leave the positive orthant.

References
----------
.. [T2024] Y. Thanwerdas. Permutation-invariant log-Euclidean geometries on full-rank
   correlation matrices. SIAM J. Matrix Anal. Appl. 45, 2024.
.. [MO1968] A. W. Marshall and I. Olkin. Scaling of matrices to achieve specified row
   and column sums. Numer. Math. 12, 1968.
"""

import math

import numpy as np

from .._types import Array
from ._array import (
    congruence,
    diagonal,
    eps,
    eye_like,
    namespace,
    plus_diagonal,
    positive_row_solver,
    solve_positive,
    symmetric_product,
    symmetrize,
)
from ._autodiff import Opaque, StatedGradient, total_differential
from ._conjugate_gradients import truncated_solution
from ._convergence import report_unfinished
from ._implicit import implicit
from ._precision import in_own_precision
from ._projections import moving_symmetric
from .cholesky import has_full_rank

_MAX_ITERATIONS = 60
_USUAL_ITERATIONS = 8  # with more, there may be no solution
_ROUGH_STEPS = 2  # their cost is that of one factorisation, and they save several
_CORRECTIONS = 2  # of a Newton step; an odd number fails more often
_CLOSE = 0.25  # a relative step from where whole Newton steps converge
_PROGRESS = 0.05  # a new factorisation pays off if an old one gains less
_FLOOR = 0.1  # of a single step; its square multiplies eigenvalues


@in_own_precision
def log_scaling(matrix: Array) -> Array:
    r"""Return the scaling :math:`x > 0` with :math:`x_i (\Sigma x)_i = 1`.

    Newton's method, :math:`(\Sigma + X^{-2}) y = x^{-1} - \Sigma x`. Each factorisation
    also serves to correct the step, by the same system for what is left of the equation
    itself; where that fails, a step length in closed form lowers the objective.

    Parameters
    ----------
    matrix : array, shape=[..., n, n]
        Symmetric positive definite matrix.

    Returns
    -------
    scaling : array, shape=[..., n]
        Positive vector; NaN where `matrix` is not positive definite.

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


@in_own_precision
def scaled_to_unit_row_sums(matrix: Array) -> Array:
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


@in_own_precision
def log_scaling_differential(vector: Array, matrix: Array) -> Array:
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


@in_own_precision
def one_step_scaling(correlation: Array) -> Array:
    r"""Return the scaling after one undamped Newton step from :math:`x = 1`.

    .. math:: x = 1 - (C + I)^{-1} (C 1 - 1) = 2 \, (C + I)^{-1} 1 .

    It is exact to first order about the identity. Elsewhere the step may leave the
    positive orthant: entries below 0.1 are set to 0.1. Derivatives are those of the
    step, and zero for such entries.

    Parameters
    ----------
    correlation : array, shape=[..., n, n]
        Full-rank correlation matrix.

    Returns
    -------
    scaling : array, shape=[..., n]
        Positive vector, which gives approximate unit row sums.

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


def _relative_response(scaling, vector, balanced):
    row_sums = namespace(vector).sum(congruence(scaling, vector), axis=-1)
    return solve_shifted(row_sums, balanced)


def _solve_shifted_tangent(tangents, right, balanced):
    def turned_matrix(turned):
        solved = solve_shifted(right, balanced)[..., None]
        return -(symmetrize(turned) @ solved)[..., 0]

    change = total_differential(tangents, lambda moved: moved, turned_matrix)
    return solve_shifted(change, balanced)


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
implicit_scaling = implicit(
    1, _scaling_tangent, _scaling_cotangent, axes=(1, 2, 1), spaces=(symmetrize,)
)


def newton_scaling(matrix: Array) -> Array:
    """Return the scaling, by Newton's method on the objective itself.

    The Hessian is the matrix with 1 / x^2 added to its diagonal. NaN where the
    iteration shows that the matrix is not positive definite; some matrices that are not
    have a positive scaling, too.
    """
    # Vectors are rows [..., 1, n]: products with matrices need no other shape.
    with np.errstate(all="ignore"):
        return _iterate(matrix, _rough_scaling(matrix))[..., 0, :]


def _rough_scaling(matrix):
    """Return a positive vector near the scaling, without a factorisation.

    `_safe_length` holds for steps of truncated conjugate gradients as for Newton steps.
    """
    scaling = abs(diagonal(matrix)[..., None, :]) ** -0.5
    for _ in range(_ROUGH_STEPS):
        # Along its own ray the objective is minimal where the mean row sum is one.
        row_sums = scaling * (scaling @ matrix)
        mean = abs(row_sums.mean(axis=-1, keepdims=True))
        scaling = scaling / mean**0.5

        def hessian(vector, scaling=scaling):
            return vector + scaling * ((scaling * vector) @ matrix)

        step = truncated_solution(1.0 - row_sums / mean, hessian, _ROUGH_STEPS)
        scaling = scaling + scaling * (_safe_length(step) * step)
    return scaling


def _iterate(matrix, scaling):
    xp = namespace(matrix)
    product, noise, unsettled = scaling @ matrix, None, True
    for count in range(_MAX_ITERATIONS):
        if count == _USUAL_ITERATIONS:
            full_rank = has_full_rank(matrix)[..., None, None]
            scaling = xp.where(full_rank, scaling, xp.nan)
        newton = _Newton(matrix, scaling, product)
        if newton.distance > _CLOSE:
            scaling, product = newton.from_afar()
            continue
        noise = _noise(matrix, scaling) if noise is None else noise
        scaling, product, left = newton.to_the_end(noise)
        if left is None:
            return scaling
        unsettled = left & unsettled
        if not bool(xp.any(unsettled)):
            return scaling
    error = _row_largest(_excess(scaling, product))
    unsettled = (error > _rounding_units(matrix) * eps(error)) & unsettled
    report_unfinished("log-scaling", error[..., 0, 0], ~unsettled[..., 0, 0], matrix)
    return scaling


class _Newton:
    """A Newton step, and corrections of it that use its factorisation once more.

    A correction is a step of the same Hessian H at the start x, for the equation
    y (C y) = 1 itself: from y by H^-1 (1 - y (C y)) / x.

    Parameters
    ----------
    matrix : array, shape=[..., n, n]
        Matrix C.
    start : array, shape=[..., 1, n]
        Scaling x.
    product : array, shape=[..., 1, n]
        Product C x.
    """

    def __init__(self, matrix, start, product):
        self.matrix, self.start, self.product = matrix, start, product
        hessian = plus_diagonal(matrix, start[..., 0, :] ** -2)
        self.solve = positive_row_solver(hessian)
        self.excess = _excess(start, product)
        self.back = self._step_back(self.excess)
        self.relative_back = self.back / start
        self.distance = _largest(self.relative_back)

    def _step_back(self, excess):
        """Return the negative of the step."""
        return self.solve(excess / self.start)

    def from_afar(self):
        """Return the scaling after the step, and its product with the matrix.

        Corrections save many factorisations, and may fail: if the Newton step of safe
        length lowers the objective more, it is taken as it is.
        """
        xp, start, product = namespace(self.matrix), self.start, self.product
        moved = self.back @ self.matrix
        bold, bold_product = start - self.back, product - moved
        for _ in range(_CORRECTIONS):
            bold = bold - self._step_back(_excess(bold, bold_product))
            bold_product = bold @ self.matrix
        if _are_near(bold, bold_product):
            return bold, bold_product
        length = _safe_length(-self.relative_back)
        safe, safe_product = start - length * self.back, product - length * moved
        # Nine tenths of the way to the boundary of the orthant, at most.
        inward = -xp.min(bold / start - 1.0, axis=-1, keepdims=True)
        length = 0.9 / xp.clip(inward, 0.9, None)
        bold = start + length * (bold - start)
        bold_product = product + length * (bold_product - product)
        better = _objective(bold, bold_product) < _objective(safe, safe_product)
        scaling = xp.where(better, bold, safe)
        return scaling, xp.where(better, bold_product, safe_product)

    def to_the_end(self, noise):
        """Correct the step until corrections gain too little.

        Returns the scaling, its product with the matrix, and where there is something
        left to be gained: None if there is nothing.
        """
        xp = namespace(self.matrix)
        small = xp.clip(noise, None, 0.1 * eps(noise) ** 0.5)
        scaling, back, excesses = self.start, self.back, [self.excess]
        worst = _largest(self.excess / small)
        while True:
            scaling = scaling - back
            product = scaling @ self.matrix
            excess = _excess(scaling, product)
            excesses.append(excess)
            previous, worst = worst, _largest(excess / small)
            if not worst > 1.0:
                return scaling, product, None
            if len(excesses) > _CORRECTIONS + 1 and worst > _PROGRESS * previous:
                break
            back = self._step_back(excess)
        # Where rounding errors are large, stagnation is the only sign of convergence.
        patience = 1 if self.distance < _PROGRESS else 2
        error, earlier = _row_largest(excess), _row_largest(excesses[-1 - patience])
        rounding = _rounding_units(self.matrix) * noise
        stagnates = (error <= rounding) & (error >= 0.25 * earlier)
        return scaling, product, (error > small) & ~stagnates


def _excess(scaling, product):
    """Return the row sums minus one."""
    return scaling * product - 1.0


def _are_near(scaling, product):
    """Tell that vectors are positive and near the solution, by row sums near one.

    The Newton decrement of a positive vector is at most the length of what its row sums
    lack: the scaled Hessian is the identity and a positive matrix more.
    """
    excess = _excess(scaling, product)
    square = (excess * excess).sum(axis=-1)
    return float(square.max()) < _CLOSE**2 and float(scaling.min()) > 0.0


def _noise(matrix, scaling):
    """Return the residual that rounding errors of the row sums cause."""
    row_sums = scaling * (scaling @ abs(matrix))
    return eps(matrix) * _row_largest(row_sums)


def _rounding_units(matrix):
    """Return a bound on the accumulated rounding error, in units of `_noise`."""
    return 16.0 + 0.25 * matrix.shape[-1]


def _row_largest(rows):
    return namespace(rows).max(abs(rows), axis=-1, keepdims=True)


def _largest(array):
    """Return the largest absolute value that is not NaN, as a number."""
    if 0 in array.shape:
        return 0.0
    array = abs(array)
    largest = float(array.max())
    if math.isnan(largest):
        xp = namespace(array)
        largest = float(xp.max(xp.where(xp.isnan(array), 0.0, array)))
    return largest


def _objective(scaling, product):
    xp = namespace(scaling)
    terms = 0.5 * scaling * product - xp.log(scaling)
    return xp.sum(terms, axis=-1, keepdims=True)


def _safe_length(relative):
    """Return a step length that lowers the objective and keeps the scaling positive.

    Along a relative Newton step y the objective is bounded by a convex function of the
    length that is minimal beyond 1 / (1 + m), with m = max(0, -min y).
    """
    xp = namespace(relative)
    return 1.0 / (1.0 - xp.clip(xp.min(relative, axis=-1, keepdims=True), None, 0.0))


def _checked_scaling(matrix):
    """Return the scaling, or NaN where the matrix is not positive definite."""
    xp = namespace(matrix)
    regular = has_full_rank(matrix)
    if bool(xp.all(regular)):
        return newton_scaling(matrix)
    regularised = xp.where(regular[..., None, None], matrix, eye_like(matrix))
    return xp.where(regular[..., None], newton_scaling(regularised), xp.nan)


_solve_scaling = Opaque("log_scaling", _checked_scaling, lambda x: x[..., 0])
