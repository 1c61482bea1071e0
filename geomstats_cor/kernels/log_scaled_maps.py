r"""The logarithm of the log-scaled metric, and its differential.

.. math:: \operatorname{Log}^\star(C) = \log(\mathcal D^\star C \mathcal D^\star),

a symmetric matrix with null row sums, where the scaling :math:`\mathcal D^\star` gives
unit row sums.

References
----------
.. [T2024] Y. Thanwerdas. Permutation-invariant log-Euclidean geometries on full-rank
   correlation matrices. SIAM J. Matrix Anal. Appl. 45, 2024.
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
    off_diagonal,
    pair_sums,
    symmetric_product,
)
from ._autodiff import Opaque, StatedGradient, total_differential
from ._convergence import report_unfinished
from ._precision import in_own_precision
from ._projections import hollow_part, moving_hollow, row0_part
from ._tolerances import rank_tolerance
from .cholesky import full_rank_factor
from .exp_scaled_maps import exp_scaled
from .null_row_sums import center
from .scaling import (
    implicit_scaling,
    newton_scaling,
    one_step_scaling,
    solve_shifted,
)
from .symmetric import (
    are_positive,
    log_differential_at,
    log_second_differential_at,
    positive_spectrum,
    spectral,
    sym_log,
)

_LOSS = 4e4  # rounding units: a round trip that loses more is worth a warning
_ILL_SCALED = 7e2  # rounding units that entries of C lose in eigenvalues of X C X
_ILL_CONDITIONED = 1e4  # rounding units that the smallest of these eigenvalues loses
_DOUBTFUL = 1e4  # the same, where it is worth testing whether C can be recovered


@in_own_precision
def log_scaled(correlation: Array) -> Array:
    r"""Return :math:`\operatorname{Log}^\star(C)`, the image of the log-scaled metric.

    .. math:: \operatorname{Log}^\star(C)
              = \log(\mathcal D^\star(C) \, C \, \mathcal D^\star(C)) ,

    where the positive diagonal matrix :math:`\mathcal D^\star(C)` gives unit row sums.

    Parameters
    ----------
    correlation : array, shape=[..., n, n]
        Full-rank correlation matrix.

    Returns
    -------
    null_row_sums : array, shape=[..., n, n]
        Symmetric matrix with null row sums; NaN where `correlation` is not positive
        definite.

    Examples
    --------
    The cor-inverse changes the sign:

    >>> import numpy as np
    >>> from geomstats_cor.kernels import cor_inverse, log_scaled
    >>> correlation = np.array([[1.0, 0.6], [0.6, 1.0]])
    >>> log_scaled(correlation).round(4)
    array([[-0.6931,  0.6931],
           [ 0.6931, -0.6931]])
    >>> log_scaled(cor_inverse(correlation)).round(4)
    array([[ 0.6931, -0.6931],
           [-0.6931,  0.6931]])
    """
    return log_scaled_at(correlation, *balanced_spectrum(correlation))


@in_own_precision
def log_scaled_differential(tangent_vec: Array, correlation: Array) -> Array:
    r"""Return the differential of :math:`\operatorname{Log}^\star`.

    With :math:`\Sigma = X C X` and :math:`X = \mathcal D^\star(C)`,

    .. math:: d_C \operatorname{Log}^\star(V)
              = d_\Sigma \log\left(X V X - (Y \Sigma + \Sigma Y)\right), \qquad
              Y = \operatorname{diag}\left((I + \Sigma)^{-1} X V X 1\right).

    Parameters
    ----------
    tangent_vec : array, shape=[..., n, n]
        Symmetric hollow matrix :math:`V`.
    correlation : array, shape=[..., n, n]
        Full-rank correlation matrix :math:`C`.

    Returns
    -------
    moved : array, shape=[..., n, n]
        Symmetric matrix with null row sums.

    Examples
    --------
    For two variables, :math:`\operatorname{Log}^\star` has the entries
    :math:`\pm \operatorname{atanh} r`, of derivative :math:`\pm 1 / (1 - r^2)`:

    >>> import numpy as np
    >>> from geomstats_cor.kernels import log_scaled_differential
    >>> tangent_vec = np.array([[0.0, 1.0], [1.0, 0.0]])
    >>> correlation = np.array([[1.0, 0.6], [0.6, 1.0]])
    >>> log_scaled_differential(tangent_vec, correlation).round(4)
    array([[-1.5625,  1.5625],
           [ 1.5625, -1.5625]])
    """
    solution = balanced_spectrum(correlation)
    return log_scaled_differential_at(tangent_vec, correlation, *solution)


@in_own_precision
def log_scaled_and_differential(tangent_vec: Array, correlation: Array) -> tuple:
    r"""Return :math:`\operatorname{Log}^\star(C)` and its differential together.

    .. math:: \log \Sigma , \qquad
              d_\Sigma \log\left(X V X - (Y \Sigma + \Sigma Y)\right) , \qquad
              \Sigma = X C X , \quad X = \mathcal D^\star(C) ,

    with :math:`Y` as in `log_scaled_differential`.

    Parameters
    ----------
    tangent_vec : array, shape=[..., n, n]
        Symmetric hollow matrix :math:`V`.
    correlation : array, shape=[..., n, n]
        Full-rank correlation matrix :math:`C`.

    Returns
    -------
    null_row_sums : array, shape=[..., n, n]
        Symmetric matrix with null row sums; NaN where `correlation` is not positive
        definite.
    moved : array, shape=[..., n, n]
        Symmetric matrix with null row sums.

    Examples
    --------
    >>> import numpy as np
    >>> from geomstats_cor.kernels import log_scaled_and_differential
    >>> tangent_vec = np.array([[0.0, 1.0], [1.0, 0.0]])
    >>> correlation = np.array([[1.0, 0.6], [0.6, 1.0]])
    >>> null_row_sums, moved = log_scaled_and_differential(tangent_vec, correlation)
    >>> null_row_sums.round(4)
    array([[-0.6931,  0.6931],
           [ 0.6931, -0.6931]])
    >>> moved.round(4)
    array([[-1.5625,  1.5625],
           [ 1.5625, -1.5625]])
    """
    solution = balanced_spectrum(correlation)
    image = log_scaled_at(correlation, *solution)
    return image, log_scaled_differential_at(tangent_vec, correlation, *solution)


@in_own_precision
def one_step_log_scaled(correlation: Array) -> Array:
    r"""Return :math:`\log(X C X)` for the scaling of one Newton step, centred.

    The logarithm has null row sums only approximately; it is projected on the matrices
    that have, which leaves its inner products with them as they are.

    Parameters
    ----------
    correlation : array, shape=[..., n, n]
        Full-rank correlation matrix.

    Returns
    -------
    null_row_sums : array, shape=[..., n, n]
        Symmetric matrix with null row sums; NaN where `correlation` is not positive
        definite.

    Examples
    --------
    >>> import numpy as np
    >>> from geomstats_cor.kernels import log_scaled, one_step_log_scaled
    >>> correlation = np.array([[1.0, 0.5, 0.2], [0.5, 1.0, 0.1], [0.2, 0.1, 1.0]])
    >>> print(one_step_log_scaled(correlation).sum(axis=-1).round(12) + 0.0)
    [0. 0. 0.]
    >>> error = one_step_log_scaled(correlation) - log_scaled(correlation)
    >>> print(abs(error).max().round(3))
    0.049
    """
    correlation = moving_hollow(correlation)
    balanced = congruence(one_step_scaling(correlation), correlation)
    return center(sym_log(balanced))


def _stable_spectrum(correlation):
    """Return the scaling x and the spectrum of X C X.

    The scaling can make the condition number much worse than that of the correlation
    matrix itself. Singular values of X L, with C = L L', do not suffer from it.
    """
    xp = namespace(correlation)
    scaling = newton_scaling(correlation)
    if math.isfinite(float(scaling.sum())):
        return scaling, *_scaled_spectrum(correlation, scaling)
    known = xp.all(xp.isfinite(scaling), axis=-1, keepdims=True)
    values, vectors = _scaled_spectrum(
        xp.where(known[..., None], correlation, eye_like(correlation)),
        xp.where(known, scaling, 1.0),
    )
    return scaling, xp.where(known, values, xp.nan), vectors


def _scaled_spectrum(correlation, scaling):
    xp = namespace(correlation)
    values, vectors = positive_spectrum(congruence(scaling, correlation))
    if _is_harmless(scaling, values):
        return values, vectors
    least = xp.min(scaling, axis=-1) ** 2
    bound = xp.minimum(_ILL_SCALED * least, _ILL_CONDITIONED * values[..., 0])
    if bool(xp.all(values[..., -1] < bound)):
        return values, vectors
    return _accurate_spectrum(correlation, scaling, values, vectors)


def _is_harmless(scaling, values):
    """Tell whether no matrix of a batch is ill-scaled or ill-conditioned."""
    if not are_positive(values, 1.0 / _ILL_CONDITIONED):
        return False
    return float(values.max()) < _ILL_SCALED * float(scaling.min()) ** 2


def _accurate_spectrum(correlation, scaling, values, vectors):
    """Return the spectrum from singular values, or NaN where the rank is not full."""
    xp = namespace(correlation)
    loss = values[..., -1] / xp.min(scaling, axis=-1) ** 2
    positive = xp.all(values > 0.0, axis=-1)
    factor = full_rank_factor(correlation)
    regular = xp.isfinite(factor[..., :1, :1])
    identity = eye_like(factor)
    factor = xp.where(regular, scaling[..., :, None] * factor, identity)
    vectors = xp.where(regular, vectors, identity)
    values, vectors = _singular_spectrum(factor, vectors)
    values = xp.where(regular[..., 0], values, xp.nan)
    if not bool(xp.all((loss < _DOUBTFUL) & positive)):
        _report_loss(correlation, values, vectors)
    return values, vectors


def _singular_spectrum(factor, vectors):
    """Return the spectrum of F F', given eigenvectors with the rounding of F F'.

    One sweep of one-sided Jacobi rotations, all at a time: to first order, which is
    exact to rounding if the angles are small. Otherwise singular vectors of F.
    """
    xp = namespace(factor)
    columns = factor.mT @ vectors
    gram = columns.mT @ columns
    values = diagonal(gram)
    lengths = xp.sqrt(values)
    rounding = lengths[..., :, None] * (rank_tolerance(factor) * lengths[..., None, :])
    gram = off_diagonal(gram)
    with np.errstate(all="ignore"):
        angles = gram / (values[..., None, :] - values[..., :, None])
    angles = xp.where(xp.abs(gram) > rounding, angles, 0.0)
    if bool(xp.all(xp.abs(angles) <= eps(factor) ** 0.5)):
        return values, vectors + vectors @ angles
    vectors, roots, _ = xp.linalg.svd(factor)
    return xp.flip(roots, axis=-1) ** 2, xp.flip(vectors, axis=-1)


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


balanced_spectrum = Opaque(
    "balanced_spectrum", _stable_spectrum, lambda x: (x[..., 0], x[..., 0], x)
)


def _balanced(correlation, scaling):
    """Return the scaling x and the matrix X C X, as functions of C."""
    correlation = moving_hollow(correlation)
    scaling = implicit_scaling(correlation, scaling)
    return scaling, congruence(scaling, correlation)


def balanced_motion(vector: Array, balanced: Array) -> tuple[Array, Array]:
    """Return the motion of X C X, given X V X, and the relative one of x, negated."""
    response = solve_shifted(namespace(vector).sum(vector, axis=-1), balanced)
    return vector - pair_sums(response) * balanced, response


def balanced_adjoint(
    cotangent: Array, balanced: Array, extra: Array | float = 0.0
) -> tuple[Array, Array]:
    """Return the adjoint, given a cotangent of X C X, and half of one of log x."""
    right = 2.0 * (_row_products(cotangent, balanced) + extra)
    response = solve_shifted(right, balanced)
    return cotangent - 0.5 * pair_sums(response), response


def _row_products(x, y):
    """Return the diagonal of the product of symmetric matrices."""
    return namespace(x).sum(x * y, axis=-1)


def _log_scaled_value(correlation, scaling, values, vectors):
    return center(spectral(namespace(values).log(values), vectors))


def _log_scaled_tangent(tangents, *at):
    return log_scaled_differential_at(tangents[0], *at)


def _log_scaled_cotangent(cotangent, needed, correlation, scaling, *spectrum):
    scaling, balanced = _balanced(correlation, scaling)
    moved = log_differential_at(row0_part(cotangent), balanced, *spectrum)
    moved, _ = balanced_adjoint(moved, balanced)
    return congruence(scaling, moved), None, None, None


log_scaled_at = StatedGradient(
    _log_scaled_value,
    _log_scaled_tangent,
    _log_scaled_cotangent,
    axes=(2, 2, 1, 1, 2),
    spaces=(hollow_part,),
)


def _log_differential_value(vector, correlation, scaling, *spectrum):
    scaling, balanced = _balanced(correlation, scaling)
    motion, _ = balanced_motion(congruence(scaling, vector), balanced)
    return center(log_differential_at(motion, balanced, *spectrum))


def _log_differential_tangent(tangents, vector, correlation, scaling, *spectrum):
    def turned_differential(turned):
        along, balanced = _balanced(correlation, scaling)
        scaled = congruence(along, moving_hollow(vector))
        motion, response = balanced_motion(scaled, balanced)
        turn, slowing = balanced_motion(congruence(along, turned), balanced)
        # How the motion along the vector changes, as the matrix turns.
        scaled = -pair_sums(slowing) * scaled - pair_sums(response) * turn
        bend, _ = balanced_motion(scaled, balanced)
        at = balanced, *spectrum
        curved = log_second_differential_at(motion, turn, *at)
        return center(curved + log_differential_at(bend, *at))

    at = correlation, scaling, *spectrum
    return total_differential(
        tangents,
        lambda moved: log_scaled_differential_at(moved, *at),
        turned_differential,
    )


def _log_differential_cotangent(
    cotangent, needed, vector, correlation, scaling, *spectrum
):
    scaling, balanced = _balanced(correlation, scaling)
    at = balanced, *spectrum
    cotangent = row0_part(cotangent)
    pulled = log_differential_at(cotangent, *at)
    moved, response = balanced_adjoint(pulled, balanced)
    turned = None
    if needed[1]:
        scaled = congruence(scaling, moving_hollow(vector))
        motion, slowing = balanced_motion(scaled, balanced)
        turned = log_second_differential_at(cotangent, motion, *at)
        turned = turned - pair_sums(slowing) * pulled
        turned = turned + symmetric_product(response, slowing)
        extra = _row_products(scaled, moved)
        turned = congruence(scaling, balanced_adjoint(turned, balanced, extra)[0])
    return congruence(scaling, moved), turned, None, None, None


log_scaled_differential_at = StatedGradient(
    _log_differential_value,
    _log_differential_tangent,
    _log_differential_cotangent,
    axes=(2, 2, 2, 1, 1, 2),
    spaces=(hollow_part, hollow_part),
)
