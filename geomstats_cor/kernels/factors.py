r"""Correlation matrices given by a factor, without ever being formed.

A factor of :math:`C` is a square matrix with :math:`C = F F^\top`, whose rows have
length one. Its condition number is the square root of that of :math:`C`: a factor in
single precision holds what :math:`C` itself, rounded to single precision, loses first,
namely that it is positive definite.

What is read from a factor belongs to :math:`F F^\top + \delta^2 I`, where
:math:`\delta` is the spacing of the dtype at one. The shift is below the rounding of
:math:`F`, it keeps all maps smooth, and bounds the condition number by
:math:`n / \delta^2`.
"""

from .._types import Array
from ._array import (
    as_columns,
    congruence,
    constant,
    diagonal,
    eps,
    eye_like,
    inverse_lower,
    namespace,
    row_dot,
    strictly_lower,
    symmetrize,
)
from ._autodiff import Opaque, StatedGradient, detached, is_recorded
from ._precision import in_own_precision
from ._projections import row0_part
from .divided_differences import (
    log_divided_differences,
)
from .log_scaled_maps import balanced_adjoint, balanced_motion
from .null_row_sums import center
from .scaling import implicit_scaling, newton_scaling
from .symmetric import (
    in_basis,
    log_differential_at,
    out_of_basis,
    spectral,
)

_MAX_ITERATIONS = 40
_SHARPNESS = 16  # of the bound on lengths: the power of the squared ratio


@in_own_precision
def unit_rows(matrix: Array) -> Array:
    r"""Return the rows :math:`a_i / |a_i|`, without overflow of squares.

    Parameters
    ----------
    matrix : array, shape=[..., n, m]
        Matrix without null rows.

    Returns
    -------
    rows : array, shape=[..., n, m]
        Rows of length one.

    Examples
    --------
    >>> import numpy as np
    >>> from geomstats_cor.kernels.factors import unit_rows
    >>> unit_rows(np.array([[3e200, 4e200]])).round(12)
    array([[0.6, 0.8]])
    """
    xp = namespace(matrix)
    # The result does not depend on this scale, so it is a constant for derivatives.
    matrix = matrix / xp.max(abs(detached(matrix)), axis=-1, keepdims=True)
    return matrix / xp.sqrt(row_dot(matrix, matrix))


@in_own_precision
def lower_factor(factor: Array, shift: float | None = None) -> Array:
    r"""Return the Cholesky factor of :math:`F F^\top + s^2 I`, by orthogonal maps.

    .. math:: \begin{pmatrix} F^\top \\ s I \end{pmatrix} = Q L^\top .

    Parameters
    ----------
    factor : array, shape=[..., n, n]
        Matrix :math:`F`.
    shift : float
        Number :math:`s > 0`; the spacing of the dtype at one if None.

    Returns
    -------
    lower : array, shape=[..., n, n]
        Lower triangular matrix with a positive diagonal.

    Examples
    --------
    >>> import numpy as np
    >>> from geomstats_cor.kernels.factors import lower_factor
    >>> root = np.array([[3.0, 1.0], [1.0, 3.0]]) / np.sqrt(10)
    >>> lower_factor(root).round(12) + 0.0
    array([[1. , 0. ],
           [0.6, 0.8]])
    """
    upper = _stacked_qr(factor, eps(factor) if shift is None else shift)[1]
    return (upper * _signs(diagonal(upper))[..., None]).mT


def unit_lower_of_factor(factor: Array, is_lower: bool = False) -> Array:
    r"""Return :math:`\Theta(F F^\top)`, the Cholesky factor with unit diagonal.

    Parameters
    ----------
    factor : array, shape=[..., n, n]
        Factor :math:`F`.
    is_lower : bool
        Whether it is lower triangular with a positive diagonal already.

    Returns
    -------
    unit_lower : array, shape=[..., n, n]
        Unit lower triangular matrix.

    Examples
    --------
    >>> import numpy as np
    >>> from geomstats_cor.kernels.factors import unit_lower_of_factor
    >>> lower = np.array([[1.0, 0.0], [0.6, 0.8]])
    >>> unit_lower_of_factor(lower, is_lower=True).round(12)
    array([[1.  , 0.  ],
           [0.75, 1.  ]])
    """
    lower = factor if is_lower else lower_factor(factor)
    return strictly_lower(lower / diagonal(lower)[..., None]) + eye_like(lower)


@in_own_precision
def log_of_factor(factor: Array) -> Array:
    r"""Return the logarithm of :math:`F F^\top + \delta^2 I`, by singular values.

    .. math:: U \operatorname{diag}(\log(\sigma_i^2 + \delta^2)) \, U^\top , \qquad
              F = U \operatorname{diag}(\sigma_i) V^\top .

    The derivative is exact at equal singular values, too: that of the logarithm of a
    symmetric matrix, along :math:`\dot F F^\top + F \dot F^\top`.

    Parameters
    ----------
    factor : array, shape=[..., n, m]
        Matrix :math:`F`.

    Returns
    -------
    logarithm : array, shape=[..., n, n]
        Symmetric matrix.

    Examples
    --------
    >>> import numpy as np
    >>> from geomstats_cor.kernels.factors import log_of_factor
    >>> log_of_factor(np.diag([1.0, 1e-6])).round(4) + 0.0
    array([[  0.   ,   0.   ],
           [  0.   , -27.631]])
    """
    return _log_of_factor_at(factor, *_singular_spectrum(detached(factor)))


def _singular_spectrum(factor):
    """Return s^2 + d^2 for singular values s, ascending, their vectors U, and U'F."""
    xp = namespace(factor)
    vectors, roots, rows = xp.linalg.svd(factor, full_matrices=False)
    values = xp.flip(roots, axis=-1) ** 2 + eps(factor) ** 2
    rows = xp.flip(as_columns(roots) * rows, axis=-2)
    return values, xp.flip(vectors, axis=-1), rows


def _gram(factor):
    return factor @ factor.mT


def _log_value(factor, values, vectors, rows):
    return spectral(namespace(values).log(values), vectors)


def _log_tangent(tangents, factor, values, vectors, rows):
    rotated = vectors.mT @ tangents[0] @ rows.mT
    rotated = log_divided_differences(values) * (rotated + rotated.mT)
    moved = out_of_basis(rotated, vectors)
    if not is_recorded(moved):
        return moved
    vector = symmetrize(2.0 * tangents[0] @ factor.mT)
    smooth = log_differential_at(vector, _gram(factor), values, vectors)
    return _replaced(smooth, moved)


def _log_cotangent(cotangent, needed, factor, values, vectors, rows):
    cotangent = symmetrize(cotangent)
    rotated = log_divided_differences(values) * in_basis(cotangent, vectors)
    pulled = 2.0 * vectors @ (rotated @ rows)
    if is_recorded(pulled):
        smooth = log_differential_at(cotangent, _gram(factor), values, vectors)
        pulled = _replaced(2.0 * smooth @ factor, pulled)
    return pulled, None, None, None


def _replaced(smooth, value):
    """Return a value with the derivatives of a smooth expression that equals it.

    With U'F from the singular values, S V', derivatives have an error of the condition
    number of the factor times the rounding; from a product, of its square.
    """
    return smooth + detached(value - smooth)


_log_of_factor_at = StatedGradient(
    _log_value, _log_tangent, _log_cotangent, axes=(2, 2, 1, 2, 2)
)


@in_own_precision
def log_scaled_of_factor(factor: Array) -> Array:
    r"""Return :math:`\operatorname{Log}^\star` of :math:`F F^\top + \delta^2 I`.

    With the scaling :math:`x` that gives unit row sums, and
    :math:`A = \operatorname{diag}(x) \begin{pmatrix} F & \delta I \end{pmatrix}`,

    .. math:: \log(A A^\top) = U \operatorname{diag}(\log \sigma_i^2) \, U^\top ,
              \qquad A = U \operatorname{diag}(\sigma_i) V^\top .

    Parameters
    ----------
    factor : array, shape=[..., n, n]
        Matrix :math:`F` with rows of length one.

    Returns
    -------
    null_row_sums : array, shape=[..., n, n]
        Symmetric matrix with null row sums.

    Examples
    --------
    >>> import numpy as np
    >>> from geomstats_cor.kernels.factors import log_scaled_of_factor
    >>> log_scaled_of_factor(np.array([[1.0, 0.0], [0.6, 0.8]])).round(4)
    array([[-0.6931,  0.6931],
           [ 0.6931, -0.6931]])
    """
    wide = _with_columns(factor, eps(factor))
    scaling = _solve_scaling(wide)
    spectrum = _singular_spectrum(as_columns(scaling) * detached(wide))
    return _log_scaled_at(wide, scaling, *spectrum)


def _newton_scaling(factor):
    """Return the scaling x of F F', with x_i (F F' x)_i = 1.

    Newton's method for the matrix, shifted by its rounding, gives a first guess. The
    same method in terms of A = diag(x) F then solves each step y as a least squares
    problem: |A' (1 + y)|^2 + |y - 1|^2 is minimal.
    """
    xp = namespace(factor)
    gram = _gram(factor)
    margin = 4.0 * gram.shape[-1] * eps(gram)
    scaling = newton_scaling(gram + margin * eye_like(gram))
    worst = xp.inf
    for _ in range(_MAX_ITERATIONS):
        scaled = scaling[..., None] * factor
        orthogonal, upper = _stacked_qr(scaled, 1.0)
        sums = xp.sum(scaled, axis=-2)
        right = xp.concat([-sums, xp.ones_like(scaling)], axis=-1)[..., None]
        inverse = inverse_lower(upper.mT).mT
        step = (inverse @ (orthogonal.mT @ right))[..., 0]
        backward = xp.clip(xp.min(step, axis=-1, keepdims=True), None, 0.0)
        scaling = scaling * (1.0 + step / (1.0 - backward))
        previous, worst = worst, float(xp.max(abs(step))) if step.shape[0] else 0.0
        # Whole steps square the error; at the level of rounding they stagnate.
        if not worst > eps(factor) ** 0.5 or 0.5 * previous < worst < 0.1:
            break
    return scaling


_solve_scaling = Opaque("scaling_of_factor", _newton_scaling, lambda x: x[..., 0])


def _log_scaled_value(factor, scaling, values, vectors, rows):
    return center(spectral(namespace(values).log(values), vectors))


def _log_scaled_tangent(tangents, factor, scaling, values, vectors, rows):
    xp = namespace(values)
    rotated = vectors.mT @ (as_columns(scaling) * tangents[0]) @ rows.mT
    rotated = rotated + rotated.mT
    squares = row_dot(rows, rows)
    ones = as_columns(xp.sum(vectors, axis=-2))
    response = vectors @ ((rotated @ ones) / (1.0 + squares))
    slowing = in_basis(response * eye_like(vectors), vectors) * squares.mT
    rotated = rotated - slowing - slowing.mT
    moved = out_of_basis(log_divided_differences(values) * rotated, vectors)
    if is_recorded(moved):
        vector = symmetrize(2.0 * tangents[0] @ factor.mT)
        scaling, balanced = _balanced(factor, scaling)
        motion, _ = balanced_motion(congruence(scaling, vector), balanced)
        smooth = log_differential_at(motion, balanced, values, vectors)
        moved = _replaced(smooth, moved)
    return center(moved)


def _log_scaled_cotangent(cotangent, needed, factor, scaling, values, vectors, rows):
    xp = namespace(values)
    cotangent = row0_part(cotangent)
    rotated = log_divided_differences(values) * in_basis(cotangent, vectors)
    squares = row_dot(rows, rows)
    # The diagonal of W A A' from eigenvalues: products with A would cancel.
    diag = row_dot(vectors @ (rotated * squares.mT), vectors)
    response = 2.0 * (vectors.mT @ diag) / (1.0 + squares)
    ones = xp.sum(vectors, axis=-2)[..., None, :]
    pulled = 2.0 * vectors @ (rotated @ rows)
    pulled = pulled - (vectors @ response) @ (ones @ rows) - response.mT @ rows
    pulled = as_columns(scaling) * pulled
    if is_recorded(pulled):
        scaling, balanced = _balanced(factor, scaling)
        smooth = log_differential_at(cotangent, balanced, values, vectors)
        smooth, _ = balanced_adjoint(smooth, balanced)
        pulled = _replaced(2.0 * congruence(scaling, smooth) @ factor, pulled)
    return pulled, None, None, None, None


def _balanced(factor, scaling):
    """Return the scaling x and the matrix X F F' X, as functions of F."""
    gram = _gram(factor)
    scaling = implicit_scaling(gram, scaling)
    return scaling, congruence(scaling, gram)


_log_scaled_at = StatedGradient(
    _log_scaled_value,
    _log_scaled_tangent,
    _log_scaled_cotangent,
    axes=(2, 2, 1, 1, 2, 2),
)


def _stacked_qr(factor, shift):
    """Return Q and R of F' above a multiple of the identity."""
    return tuple(namespace(factor).linalg.qr(_with_columns(factor, shift).mT))


def _with_columns(factor, shift):
    """Return F beside a multiple of the identity."""
    xp = namespace(factor)
    *batch, rows, _ = factor.shape
    identity = xp.eye(rows, dtype=factor.dtype, device=factor.device)
    identity = xp.broadcast_to(shift * identity, (*batch, rows, rows))
    return xp.concat([factor, identity], axis=-1)


def _signs(x):
    xp = namespace(x)
    return xp.where(x < 0.0, constant(-1.0, x), constant(1.0, x))


def bounded_length(vector: Array, radius: float) -> Array:
    r"""Bound the length of vectors smoothly.

    .. math:: x \left(1 + (|x| / r)^{32}\right)^{-1/32} .

    The map is infinitely differentiable and one to one. Lengths stay below :math:`r`,
    and vectors shorter than :math:`r / 3` are left as they are, to double precision;
    to single precision those shorter than :math:`r / 2`.

    Parameters
    ----------
    vector : array, shape=[..., d]
        Vectors.
    radius : float
        Bound :math:`r`.

    Returns
    -------
    bounded : array, shape=[..., d]
        Vectors of the same directions.

    Examples
    --------
    >>> import numpy as np
    >>> from geomstats_cor.kernels.factors import bounded_length
    >>> bounded_length(np.array([[3.0, 4.0], [3e5, 4e5]]), 20.0).round(12)
    array([[ 3.,  4.],
           [12., 16.]])
    """
    xp = namespace(vector)
    ratio = vector / radius
    # Below, the power is under the square of the rounding unit: the factor is one.
    least = eps(vector) ** (2.0 / _SHARPNESS)
    power = _SHARPNESS * xp.log(xp.clip(row_dot(ratio, ratio), least, None))
    shrinking = xp.logaddexp(power, xp.zeros_like(power)) / (2 * _SHARPNESS)
    return vector * xp.exp(-shrinking)
