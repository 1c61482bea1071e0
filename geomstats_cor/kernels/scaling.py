r"""The scaling of the log-scaled metric, and the maps built on it.

For a symmetric positive definite :math:`\Sigma` there is exactly one :math:`x > 0` with
:math:`x_i (\Sigma x)_i = 1`: the minimiser of the strictly convex, self-concordant
:math:`x^\top \Sigma x / 2 - \sum_i \log x_i`. Written as a diagonal matrix
:math:`\mathcal D^\star`, it gives :math:`\mathcal D^\star \Sigma \mathcal D^\star` unit
row sums, and

.. math:: \operatorname{Log}^\star(C) = \log(\mathcal D^\star C \mathcal D^\star),
          \qquad \operatorname{Exp}^\star(R) = \operatorname{Cor}(\exp R).

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
    constant,
    diagonal,
    eps,
    eye_like,
    namespace,
    solve_positive,
    symmetrize,
)
from ._gradients import Opaque, StatedGradient
from ._iteration import report_unfinished
from ._tangent_spaces import moving_hollow, moving_row0, moving_symmetric
from .cholesky import correlation_of_rows, full_rank_factor
from .correlation import cor_differential, cor_second_differential
from .isometries import center
from .symmetric import (
    exp_at,
    exp_differential_at,
    log_at,
    log_differential_at,
    positive_spectrum,
    spectral,
    spectrum,
    sym_exp,
    sym_exp_differential,
    sym_exp_second_differential,
)

_MAX_ITERATIONS = 60
_CLOSE = 1e-3  # a residual from where Newton steps converge quadratically
_LOSS = 4e4  # rounding units: a round trip that loses more is worth a warning
_ILL_SCALED = 2e3  # rounding units that entries of C lose in eigenvalues of X C X


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
    return _scaling(matrix, _solve_scaling(matrix))


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
    return _congruence(log_scaling(matrix), matrix)


def log_scaled(correlation):
    r"""Return :math:`\operatorname{Log}^\star(C)`.

    Parameters
    ----------
    correlation : array, shape=[..., n, n]
        Full-rank correlation matrix.

    Returns
    -------
    null_row_sums : array, shape=[..., n, n]
        Symmetric matrix with null row sums; NaN where `correlation` is not positive
        definite.
    """
    return center(log_at(*_balanced(moving_hollow(correlation))[1:]))


def log_scaled_differential(tangent_vec, correlation):
    r"""Return the differential of :math:`\operatorname{Log}^\star`.

    With :math:`\Sigma = X C X` and :math:`X = \mathcal D^\star(C)`,

    .. math:: d_C \operatorname{Log}^\star(V)
              = d_\Sigma \log\left(X V X - (Y \Sigma + \Sigma Y)\right), \qquad
              Y = \operatorname{diag}\left((I + \Sigma)^{-1} X V X 1\right).

    Parameters
    ----------
    tangent_vec : array, shape=[..., n, n]
        Symmetric hollow matrix.
    correlation : array, shape=[..., n, n]
        Full-rank correlation matrix.

    Returns
    -------
    moved : array, shape=[..., n, n]
        Symmetric matrix with null row sums.
    """
    return log_scaled_and_differential(tangent_vec, correlation)[1]


def log_scaled_and_differential(tangent_vec, correlation):
    r"""Return :math:`\operatorname{Log}^\star(C)` and its differential together.

    Parameters
    ----------
    tangent_vec : array, shape=[..., n, n]
        Symmetric hollow matrix.
    correlation : array, shape=[..., n, n]
        Full-rank correlation matrix.

    Returns
    -------
    null_row_sums : array, shape=[..., n, n]
        Symmetric matrix with null row sums; NaN where `correlation` is not positive
        definite.
    moved : array, shape=[..., n, n]
        Symmetric matrix with null row sums.
    """
    tangent_vec, correlation = moving_hollow(tangent_vec), moving_hollow(correlation)
    scaling, balanced, values, vectors = _balanced(correlation)
    response = _relative_response(scaling, tangent_vec, balanced)
    response = (response[..., :, None] + response[..., None, :]) * balanced
    moved = log_differential_at(
        _congruence(scaling, tangent_vec) - response, balanced, values, vectors
    )
    return center(log_at(balanced, values, vectors)), center(moved)


def exp_scaled(null_row_sums):
    r"""Return :math:`\operatorname{Exp}^\star(R) = \operatorname{Cor}(\exp R)`.

    As the products of the normalised rows of :math:`\exp(R / 2)`, which keep the digits
    of rows that :math:`\exp(R)` would drown.

    Parameters
    ----------
    null_row_sums : array, shape=[..., n, n]
        Symmetric matrix with null row sums.

    Returns
    -------
    correlation : array, shape=[..., n, n]
        Full-rank correlation matrix.
    """
    half = sym_exp(0.5 * moving_row0(null_row_sums))
    return correlation_of_rows(half)


def exp_scaled_differential(vector, null_row_sums):
    r"""Return the differential of :math:`\operatorname{Exp}^\star`.

    Parameters
    ----------
    vector : array, shape=[..., n, n]
        Symmetric matrix with null row sums.
    null_row_sums : array, shape=[..., n, n]
        Symmetric matrix with null row sums, the base point.

    Returns
    -------
    tangent_vec : array, shape=[..., n, n]
        Symmetric hollow matrix.
    """
    vector, null_row_sums = moving_row0(vector), moving_row0(null_row_sums)
    values, vectors = spectrum(null_row_sums)
    moved = exp_differential_at(vector, null_row_sums, values, vectors)
    return cor_differential(moved, exp_at(null_row_sums, values, vectors))


def exp_scaled_second_differential(vector, null_row_sums):
    r"""Return the second derivative of :math:`\operatorname{Exp}^\star(R + t Y)`.

    Parameters
    ----------
    vector : array, shape=[..., n, n]
        Symmetric matrix :math:`Y` with null row sums.
    null_row_sums : array, shape=[..., n, n]
        Symmetric matrix :math:`R` with null row sums.

    Returns
    -------
    curved : array, shape=[..., n, n]
        Symmetric hollow matrix.
    """
    vector, null_row_sums = moving_row0(vector), moving_row0(null_row_sums)
    first = sym_exp_differential(vector, null_row_sums)
    second = sym_exp_second_differential(vector, null_row_sums)
    return cor_second_differential(first, second, sym_exp(null_row_sums))


def _balanced(correlation):
    """Return the scaling x, the matrix X C X and its spectrum."""
    scaling, values, vectors = _balanced_spectrum(correlation)
    scaling = _scaling(correlation, scaling)
    return scaling, _congruence(scaling, correlation), values, vectors


def _stable_spectrum(correlation):
    """Return the scaling x and the spectrum of X C X.

    The scaling can make the condition number much worse than that of the correlation
    matrix itself. Singular values of X L, with C = L L', do not suffer from it.
    """
    xp = namespace(correlation)
    scaling = _newton_scaling(correlation)
    balanced = _congruence(scaling, correlation)
    known = xp.isfinite(scaling[..., 0])[..., None, None]
    mended = xp.where(known, balanced, eye_like(balanced))
    values, vectors = positive_spectrum(mended)
    loss = values[..., -1] / xp.min(scaling, axis=-1) ** 2
    if not bool(xp.all((loss < _ILL_SCALED) & xp.all(values > 0.0, axis=-1))):
        factor = full_rank_factor(correlation)
        regular = xp.isfinite(factor[..., :1, :1]) & known
        factor = xp.where(regular, scaling[..., :, None] * factor, eye_like(factor))
        vectors, roots, _ = xp.linalg.svd(factor)
        vectors, roots = xp.flip(vectors, axis=-1), xp.flip(roots, axis=-1)
        values = xp.where(regular[..., 0], roots**2, xp.nan)
        _report_loss(correlation, values, vectors)
    return scaling, xp.where(known[..., 0], values, xp.nan), vectors


def _report_loss(correlation, values, vectors):
    """Warn if the correlation matrix cannot be recovered from its logarithm."""
    xp = namespace(correlation)
    logarithm = center(spectral(xp.log(values), vectors))
    known = xp.isfinite(logarithm[..., 0, 0])
    logarithm = xp.where(known[..., None, None], logarithm, eye_like(logarithm))
    loss = xp.abs(exp_scaled(logarithm) - correlation)
    loss = xp.where(known, xp.max(loss, axis=(-2, -1)), 0.0)
    kept = loss <= _LOSS * eps(correlation)
    if not bool(xp.all(kept)):
        report_unfinished("log-scaled logarithm", loss, kept, correlation)


_balanced_spectrum = Opaque(
    "balanced_spectrum", _stable_spectrum, lambda x: (x[..., 0], x[..., 0], x)
)


def _congruence(scaling, matrix):
    return scaling[..., :, None] * matrix * scaling[..., None, :]


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
    return -scaling * _relative_response(scaling, vector, _congruence(scaling, matrix))


def _relative_response(scaling, vector, balanced):
    row_sums = namespace(vector).sum(_congruence(scaling, vector), axis=-1)
    return solve_positive(eye_like(balanced) + balanced, row_sums)


def _scaling_tangent(tangents, matrix, scaling):
    scaling = _scaling(matrix, scaling)
    balanced = _congruence(scaling, matrix)
    return -scaling * _relative_response(scaling, tangents[0], balanced)


def _scaling_cotangent(cotangent, needed, matrix, scaling):
    scaling = _scaling(matrix, scaling)
    balanced = _congruence(scaling, matrix)
    solved = solve_positive(eye_like(balanced) + balanced, scaling * cotangent)
    solved = scaling * solved
    return -symmetrize(solved[..., :, None] * scaling[..., None, :]), None


# The solution as a function of the matrix, by the implicit function theorem.
_scaling = StatedGradient(
    lambda matrix, scaling: namespace(scaling).asarray(scaling, copy=True),
    _scaling_tangent,
    _scaling_cotangent,
    plain=lambda matrix, scaling: scaling,
)


def _newton_scaling(matrix):
    """Return the scaling, by Newton's method."""
    xp = namespace(matrix)
    scale = 1.0 / xp.sqrt(diagonal(matrix))
    unit = _congruence(scale, matrix)
    identity = eye_like(unit)
    # Some matrices that are not positive definite have a positive scaling too.
    regular = xp.isfinite(full_rank_factor(unit)[..., :1, :1])
    unit = xp.where(regular, unit, identity)
    scale = xp.where(regular[..., 0], scale, xp.nan)
    scaling = xp.ones_like(scale)
    magnitude = None
    noise = xp.zeros_like(scaling[..., 0])
    previous = xp.full_like(noise, xp.inf)
    for _ in range(_MAX_ITERATIONS):
        scaling, residual = _radial_step(unit, scaling)
        error = xp.max(xp.abs(residual), axis=-1)
        if bool(xp.any(error < _CLOSE)):
            # Rounding in the row sums bounds what any step can reach.
            magnitude = xp.abs(unit) if magnitude is None else magnitude
            noise = 4.0 * eps(unit) * xp.max(_row_sums(magnitude, scaling), axis=-1)
        done = (error <= noise) | ((error < _CLOSE) & (error >= 0.25 * previous))
        if bool(xp.all(done)):
            return scale * scaling
        step = solve_positive(_congruence(scaling, unit) + identity, residual)
        length = _majoriser_step(step, xp.sum(residual * step, axis=-1))
        length = xp.where(done, 0.0, length)
        previous = xp.where(done, previous, error)
        scaling = scaling * (1.0 + length[..., None] * step)
    report_unfinished("log-scaling", error, done, matrix)
    return scale * scaling


_solve_scaling = Opaque("log_scaling", _newton_scaling, lambda x: x[..., 0])


def _radial_step(unit, scaling):
    """Minimise the objective along the ray of the scaling, and return its residual."""
    xp = namespace(unit)
    sums = _row_sums(unit, scaling)
    factor = unit.shape[-1] / xp.sum(sums, axis=-1, keepdims=True)
    return xp.sqrt(factor) * scaling, 1.0 - factor * sums


def _row_sums(matrix, scaling):
    """Return the row sums of X C X."""
    return scaling * (matrix @ scaling[..., None])[..., 0]


def _majoriser_step(step, decrement):
    """Return the step length that minimises a majoriser of the objective.

    Along the step y the objective is bounded by a function of the decrement s, of
    m = max(0, -min y) and of a = s - |y|^2 alone; its minimiser is
    2 s / (p + sqrt(p^2 - 4 a m s)) with p = s (1 + m), and stays below 1 / m.
    """
    xp = namespace(step)
    decrement = xp.maximum(decrement, constant(0.0, decrement))
    inward = xp.maximum(-xp.min(step, axis=-1), constant(0.0, decrement))
    curved = decrement - xp.sum(step * step, axis=-1)
    slope = decrement * (1.0 + inward)
    root = slope * slope - 4.0 * curved * inward * decrement
    root = xp.sqrt(xp.maximum(root, constant(0.0, root)))
    denominator = slope + root
    still = denominator == 0.0
    return xp.where(still, 1.0, 2.0 * decrement / xp.where(still, 1.0, denominator))
