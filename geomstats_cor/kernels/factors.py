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

from ._arrays import (
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
from ._gradients import Opaque, StatedGradient, detached
from .scaling import newton_scaling
from .symmetric import log_differential_at, spectral

_MAX_ITERATIONS = 40
_SHARPNESS = 16  # of the bound on lengths: the power of the squared ratio


def unit_rows(matrix):
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


def lower_factor(factor, shift=None):
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


def unit_lower_of_factor(factor, is_lower=False):
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


def log_of_factor(factor):
    r"""Return the logarithm of :math:`F F^\top + \delta^2 I`, by singular values.

    .. math:: U \operatorname{diag}(\log(\sigma_i^2 + \delta^2)) \, U^\top , \qquad
              F = U \operatorname{diag}(\sigma_i) V^\top .

    The derivative is exact at equal singular values, too: that of the logarithm of a
    symmetric matrix, along :math:`\dot F F^\top + F \dot F^\top`.

    Parameters
    ----------
    factor : array, shape=[..., n, n]
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
    xp = namespace(factor)
    vectors, roots, _ = xp.linalg.svd(detached(factor))
    values = xp.flip(roots, axis=-1) ** 2 + eps(factor) ** 2
    return _log_of_factor_at(factor, values, xp.flip(vectors, axis=-1))


def _gram(factor):
    return factor @ factor.mT


def _log_value(factor, values, vectors):
    return spectral(namespace(values).log(values), vectors)


def _log_tangent(tangents, factor, *spectrum):
    moved = symmetrize(2.0 * tangents[0] @ factor.mT)
    return log_differential_at(moved, _gram(factor), *spectrum)


def _log_cotangent(cotangent, needed, factor, *spectrum):
    cotangent = symmetrize(cotangent)
    pulled = log_differential_at(cotangent, _gram(factor), *spectrum)
    return 2.0 * pulled @ factor, None, None


_log_of_factor_at = StatedGradient(
    _log_value, _log_tangent, _log_cotangent, axes=(2, 2, 1, 2)
)


def scaling_of_factor(factor):
    r"""Return the scaling :math:`x > 0` with :math:`x_i (F F^\top x)_i = 1`.

    Newton's method for the matrix, shifted by its rounding, gives a first guess. The
    same method in terms of the factor then solves each step as a least squares problem,

    .. math:: \left| A^\top (1 + y) \right|^2 + \left| y - 1 \right|^2 \to \min ,
              \qquad A = \operatorname{diag}(x) F .

    Parameters
    ----------
    factor : array, shape=[..., n, n]
        Matrix :math:`F` with rows of length one.

    Returns
    -------
    scaling : array, shape=[..., n]
        Positive vector.

    Examples
    --------
    >>> import numpy as np
    >>> from geomstats_cor.kernels.factors import scaling_of_factor
    >>> lower = np.array([[1.0, 0.0], [0.6, 0.8]])
    >>> scaling = scaling_of_factor(lower)
    >>> (scaling * (lower @ lower.T @ scaling)).round(12)
    array([1., 1.])
    """
    return _implicit_scaling(factor, _solve_scaling(factor))


def _newton_scaling(factor):
    xp = namespace(factor)
    size = factor.shape[-1]
    margin = 4.0 * size * eps(factor) * eye_like(factor)
    scaling = newton_scaling(_gram(factor) + margin)
    worst = xp.inf
    for _ in range(_MAX_ITERATIONS):
        scaled = scaling[..., None] * factor
        orthogonal, upper = _stacked_qr(scaled, 1.0)
        sums = xp.sum(scaled, axis=-2)
        right = xp.concat([-sums, xp.ones_like(sums)], axis=-1)[..., None]
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


def _solve_shifted(right, scaled):
    """Solve (I + A A') y = b."""
    inverse = inverse_lower(lower_factor(scaled, 1.0))
    return (inverse.mT @ (inverse @ right[..., None]))[..., 0]


def _scaling_tangent(tangents, factor, scaling):
    scaling = _implicit_scaling(factor, scaling)
    (moved, *_), column = tangents, scaling[..., None]
    right = moved @ (factor.mT @ column) + factor @ (moved.mT @ column)
    return -scaling * _solve_shifted((column * right)[..., 0], column * factor)


def _scaling_cotangent(cotangent, needed, factor, scaling):
    scaling = _implicit_scaling(factor, scaling)
    column = scaling[..., None]
    solved = _solve_shifted(scaling * cotangent, column * factor)
    solved = column * solved[..., None]
    pulled = solved @ (column.mT @ factor) + column @ (solved.mT @ factor)
    return -pulled, None


# The solution as a function of the factor, by the implicit function theorem.
_implicit_scaling = StatedGradient(
    lambda factor, scaling: namespace(scaling).asarray(scaling, copy=True),
    _scaling_tangent,
    _scaling_cotangent,
    plain=lambda factor, scaling: scaling,
    axes=(1, 2, 1),
)


def _stacked_qr(factor, shift):
    """Return Q and R of F' above a multiple of the identity."""
    xp = namespace(factor)
    identity = xp.broadcast_to(shift * eye_like(factor), factor.shape)
    return tuple(xp.linalg.qr(xp.concat([factor.mT, identity], axis=-2)))


def _signs(x):
    xp = namespace(x)
    return xp.where(x < 0.0, constant(-1.0, x), constant(1.0, x))


def bounded_length(vector, radius):
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
    square = xp.clip(row_dot(ratio, ratio), float(xp.finfo(vector.dtype).smallest_normal), None)
    power = _SHARPNESS * xp.log(square)
    shrinking = xp.logaddexp(power, xp.zeros_like(power)) / (2 * _SHARPNESS)
    return vector * xp.exp(-shrinking)
