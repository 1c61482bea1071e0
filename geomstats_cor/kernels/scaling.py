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
    diagonal,
    eps,
    eye_like,
    namespace,
    off_diagonal,
    positive_solver,
    row_dot,
    solve_positive,
    symmetrize,
)
from ._gradients import Opaque, StatedGradient
from ._iteration import report_unfinished
from ._tangent_spaces import (
    hollow_part,
    moving_hollow,
    moving_row0,
    moving_symmetric,
    row0_part,
)
from .cholesky import correlation_of_rows, full_rank_factor
from .correlation import cor_second_differential
from .isometries import center
from .symmetric import (
    exp_at,
    exp_differential_at,
    exp_second_differential_at,
    log_differential_at,
    log_second_differential_at,
    positive_spectrum,
    spectral,
    spectrum,
)

_MAX_ITERATIONS = 60
_USUAL_ITERATIONS = 6  # then rounding may be what keeps the residual from being small
_CLOSE = 1e-3  # a residual from where whole Newton steps converge
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
    return _log_scaled_at(correlation, *_balanced_spectrum(correlation))


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
    solution = _balanced_spectrum(correlation)
    return _log_scaled_differential_at(tangent_vec, correlation, *solution)


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
    solution = _balanced_spectrum(correlation)
    image = _log_scaled_at(correlation, *solution)
    return image, _log_scaled_differential_at(tangent_vec, correlation, *solution)


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
    return _exp_scaled_at(null_row_sums, *spectrum(null_row_sums))


def exp_scaled_differential(vector, null_row_sums):
    r"""Return the differential of :math:`\operatorname{Exp}^\star`.

    With the normalised rows :math:`N = S e^{R / 2}`,

    .. math:: d_R \operatorname{Exp}^\star(Y)
              = P + P^\top - \operatorname{Diag}(P) C - C \operatorname{Diag}(P),
              \qquad P = S \, d_{R / 2} \exp(Y / 2) \, N^\top .

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
    return _exp_scaled_differential_at(vector, null_row_sums, *spectrum(null_row_sums))


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
    at = null_row_sums, *spectrum(null_row_sums)
    first = exp_differential_at(vector, *at)
    second = exp_second_differential_at(vector, vector, *at)
    return cor_second_differential(first, second, exp_at(*at))


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
    return _solve_shifted(row_sums, balanced)


def _solve_shifted_tangent(tangents, right, balanced):
    moved, turned = tangents
    result = 0.0 if moved is None else moved
    if turned is not None:
        solved = _solve_shifted(right, balanced)
        result = result - (symmetrize(turned) @ solved[..., None])[..., 0]
    return _solve_shifted(result, balanced)


def _solve_shifted_cotangent(cotangent, needed, right, balanced):
    moved = _solve_shifted(cotangent, balanced)
    if not needed[1]:
        return moved, None
    return moved, -_symmetric_product(moved, _solve_shifted(right, balanced))


# The solution of (I + M) y = b, for a positive definite M.
_solve_shifted = StatedGradient(
    lambda right, balanced: solve_positive(balanced + eye_like(balanced), right),
    _solve_shifted_tangent,
    _solve_shifted_cotangent,
    axes=(1, 1, 2),
)


def _symmetric_product(x, y):
    """Return the symmetric part of the outer product of vectors."""
    return symmetrize(x[..., :, None] * y[..., None, :])


def _sums(x):
    """Return the matrices x_i + x_j."""
    return x[..., :, None] + x[..., None, :]


def _row_products(x, y):
    """Return the diagonal of the product of symmetric matrices."""
    return namespace(x).sum(x * y, axis=-1)


def _scaling_tangent(tangents, matrix, scaling):
    scaling = _scaling(matrix, scaling)
    balanced = _congruence(scaling, matrix)
    return -scaling * _relative_response(scaling, tangents[0], balanced)


def _scaling_cotangent(cotangent, needed, matrix, scaling):
    scaling = _scaling(matrix, scaling)
    solved = _solve_shifted(scaling * cotangent, _congruence(scaling, matrix))
    return -_symmetric_product(scaling * solved, scaling), None


# The solution as a function of the matrix, by the implicit function theorem.
_scaling = StatedGradient(
    lambda matrix, scaling: namespace(scaling).asarray(scaling, copy=True),
    _scaling_tangent,
    _scaling_cotangent,
    plain=lambda matrix, scaling: scaling,
    axes=(1, 2, 1),
    spaces=(symmetrize,),
)


def _balanced(correlation, scaling):
    """Return the scaling x and the matrix X C X, as functions of C."""
    correlation = moving_hollow(correlation)
    scaling = _scaling(correlation, scaling)
    return scaling, _congruence(scaling, correlation)


def _balanced_motion(vector, balanced):
    """Return the motion of X C X, given X V X, and the relative one of x, negated."""
    response = _solve_shifted(namespace(vector).sum(vector, axis=-1), balanced)
    return vector - _sums(response) * balanced, response


def _balanced_adjoint(cotangent, balanced, extra=0.0):
    """Return the adjoint, given a cotangent of X C X, and half of one of log x."""
    right = 2.0 * (_row_products(cotangent, balanced) + extra)
    response = _solve_shifted(right, balanced)
    return cotangent - 0.5 * _sums(response), response


def _log_scaled_value(correlation, scaling, values, vectors):
    return center(spectral(namespace(values).log(values), vectors))


def _log_scaled_tangent(tangents, *at):
    return _log_scaled_differential_at(tangents[0], *at)


def _log_scaled_cotangent(cotangent, needed, correlation, scaling, *spectrum):
    scaling, balanced = _balanced(correlation, scaling)
    moved = log_differential_at(row0_part(cotangent), balanced, *spectrum)
    moved, _ = _balanced_adjoint(moved, balanced)
    return _congruence(scaling, moved), None, None, None


_log_scaled_at = StatedGradient(
    _log_scaled_value,
    _log_scaled_tangent,
    _log_scaled_cotangent,
    axes=(2, 2, 1, 1, 2),
    spaces=(hollow_part,),
)


def _log_differential_value(vector, correlation, scaling, *spectrum):
    scaling, balanced = _balanced(correlation, scaling)
    motion, _ = _balanced_motion(_congruence(scaling, vector), balanced)
    return center(log_differential_at(motion, balanced, *spectrum))


def _log_differential_tangent(tangents, vector, correlation, scaling, *spectrum):
    moved, turned, *_ = tangents
    result = 0.0
    if moved is not None:
        result = result + _log_scaled_differential_at(
            moved, correlation, scaling, *spectrum
        )
    if turned is not None:
        scaling, balanced = _balanced(correlation, scaling)
        scaled = _congruence(scaling, moving_hollow(vector))
        motion, response = _balanced_motion(scaled, balanced)
        turn, slowing = _balanced_motion(_congruence(scaling, turned), balanced)
        # How the motion along the vector changes, as the matrix turns.
        scaled = -_sums(slowing) * scaled - _sums(response) * turn
        bend, _ = _balanced_motion(scaled, balanced)
        at = balanced, *spectrum
        curved = log_second_differential_at(motion, turn, *at)
        result = result + center(curved + log_differential_at(bend, *at))
    return result


def _log_differential_cotangent(
    cotangent, needed, vector, correlation, scaling, *spectrum
):
    scaling, balanced = _balanced(correlation, scaling)
    at = balanced, *spectrum
    cotangent = row0_part(cotangent)
    pulled = log_differential_at(cotangent, *at)
    moved, response = _balanced_adjoint(pulled, balanced)
    turned = None
    if needed[1]:
        scaled = _congruence(scaling, moving_hollow(vector))
        motion, slowing = _balanced_motion(scaled, balanced)
        turned = log_second_differential_at(cotangent, motion, *at)
        turned = turned - _sums(slowing) * pulled
        turned = turned + _symmetric_product(response, slowing)
        extra = _row_products(scaled, moved)
        turned = _congruence(scaling, _balanced_adjoint(turned, balanced, extra)[0])
    return _congruence(scaling, moved), turned, None, None, None


_log_scaled_differential_at = StatedGradient(
    _log_differential_value,
    _log_differential_tangent,
    _log_differential_cotangent,
    axes=(2, 2, 2, 1, 1, 2),
    spaces=(hollow_part, hollow_part),
)


def _half(null_row_sums, values, vectors):
    """Return R / 2 and its spectrum."""
    return 0.5 * moving_row0(null_row_sums), 0.5 * values, vectors


def _rows(half):
    """Return the normalised rows of exp(R / 2), and the factors."""
    rows = exp_at(*half)
    scale = 1.0 / namespace(rows).linalg.vector_norm(rows, axis=-1, keepdims=True)
    return rows * scale, scale


def _moved_rows(vector, scale, half):
    """Return the differential of exp(R / 2), with rows scaled."""
    return scale * exp_differential_at(0.5 * vector, *half)


def _cosines(rows, others):
    """Return P + P' - Diag(P) C - C Diag(P), where P = A B' and C = B B'."""
    products = others @ rows.mT
    return products + products.mT - _sums(diagonal(products)) * (rows @ rows.mT)


def _exp_scaled_value(null_row_sums, values, vectors):
    return correlation_of_rows(spectral(namespace(values).exp(0.5 * values), vectors))


def _exp_scaled_tangent(tangents, *at):
    return _exp_scaled_differential_at(tangents[0], *at)


def _exp_scaled_cotangent(cotangent, needed, *at):
    half = _half(*at)
    rows, scale = _rows(half)
    pulled = _pulled_rows(hollow_part(cotangent), rows)
    return exp_differential_at(symmetrize(scale * pulled), *half), None, None


def _pulled_rows(cotangent, rows):
    """Return half the adjoint of the motion of cosines, for normalised rows."""
    pulled = cotangent @ rows
    return pulled - row_dot(pulled, rows) * rows


_exp_scaled_at = StatedGradient(
    _exp_scaled_value,
    _exp_scaled_tangent,
    _exp_scaled_cotangent,
    axes=(2, 2, 1, 2),
    spaces=(row0_part,),
)


def _exp_differential_value(vector, *at):
    half = _half(*at)
    rows, scale = _rows(half)
    return off_diagonal(_cosines(rows, _moved_rows(vector, scale, half)))


def _exp_differential_tangent(tangents, vector, *at):
    moved, turned, *_ = tangents
    result = 0.0
    if moved is not None:
        result = result + _exp_scaled_differential_at(moved, *at)
    if turned is not None:
        half = _half(*at)
        vector = moving_row0(vector)
        rows, scale = _rows(half)
        motion = _moved_rows(vector, scale, half)
        turn = _moved_rows(turned, scale, half)
        slope = row_dot(turn, rows)
        turn = turn - slope * rows
        bend = scale * exp_second_differential_at(0.5 * vector, 0.5 * turned, *half)
        bend = bend - slope * motion
        diag = row_dot(motion, rows)[..., 0]
        cross = motion @ turn.mT
        products = bend @ rows.mT + cross
        turned_cosines = turn @ rows.mT
        turned_cosines = turned_cosines + turned_cosines.mT
        result = result + off_diagonal(
            products
            + products.mT
            - _sums(diagonal(products)) * (rows @ rows.mT)
            - _sums(diag) * turned_cosines
        )
    return result


def _exp_differential_cotangent(cotangent, needed, vector, *at):
    half = _half(*at)
    cotangent = hollow_part(cotangent)
    rows, scale = _rows(half)
    pulled = _pulled_rows(cotangent, rows)
    scaled = symmetrize(scale * pulled)
    moved = exp_differential_at(scaled, *half) if needed[0] else None
    turned = None
    if needed[1]:
        vector = moving_row0(vector)
        motion = _moved_rows(vector, scale, half)
        diag = row_dot(motion, rows)
        # The cotangent of the normalised rows, of which they see what is across.
        normal = cotangent @ motion - row_dot(cotangent @ rows, rows) * motion
        normal = normal - diag * (cotangent @ rows) - cotangent @ (diag * rows)
        normal = normal - (row_dot(pulled, motion) + row_dot(normal, rows)) * rows
        turned = exp_differential_at(symmetrize(scale * normal), *half)
        turned = turned + exp_second_differential_at(0.5 * vector, scaled, *half)
    return moved, turned, None, None


_exp_scaled_differential_at = StatedGradient(
    _exp_differential_value,
    _exp_differential_tangent,
    _exp_differential_cotangent,
    axes=(2, 2, 2, 1, 2),
    spaces=(row0_part, row0_part),
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
            solve = positive_solver(_congruence(scaling, unit) + identity)
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
