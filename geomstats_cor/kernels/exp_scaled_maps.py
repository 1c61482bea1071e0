r"""The exponential of the log-scaled metric, and its differentials.

.. math:: \operatorname{Exp}^\star(R) = \operatorname{Cor}(\exp R)

for symmetric matrices :math:`R` with null row sums, as the cosines between the rows of
:math:`\exp(R / 2)`.

References
----------
.. [T2024] Y. Thanwerdas. Permutation-invariant log-Euclidean geometries on full-rank
   correlation matrices. SIAM J. Matrix Anal. Appl. 45, 2024.
"""

from typing import Any

from .._types import Array
from ._array import diagonal, namespace, off_diagonal, pair_sums, row_dot, symmetrize
from ._autodiff import StatedGradient, total_differential
from ._precision import in_own_precision
from ._projections import hollow_part, moving_row0, row0_part
from .cholesky import correlation_of_rows
from .correlation import cor_second_differential
from .symmetric import (
    exp_at,
    exp_differential_at,
    exp_second_differential_at,
    spectral,
    spectrum,
)


@in_own_precision
def exp_scaled(null_row_sums: Array) -> Array:
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

    Examples
    --------
    >>> import numpy as np
    >>> from geomstats_cor.kernels import exp_scaled
    >>> exp_scaled(np.log(2) * np.array([[-1.0, 1.0], [1.0, -1.0]])).round(12)
    array([[1. , 0.6],
           [0.6, 1. ]])
    """
    return exp_scaled_at(null_row_sums, *spectrum(null_row_sums))


@in_own_precision
def exp_scaled_factor(null_row_sums: Array) -> Array:
    r"""Return the normalised rows of :math:`\exp(R / 2)`, a factor of the exponential.

    .. math:: \operatorname{Exp}^\star(R) = F F^\top .

    Parameters
    ----------
    null_row_sums : array, shape=[..., n, n]
        Symmetric matrix :math:`R` with null row sums.

    Returns
    -------
    factor : array, shape=[..., n, n]
        Matrix with rows of length one.

    Examples
    --------
    >>> import numpy as np
    >>> from geomstats_cor.kernels.exp_scaled_maps import exp_scaled_factor
    >>> factor = exp_scaled_factor(np.log(2) * np.array([[-1.0, 1.0], [1.0, -1.0]]))
    >>> (factor @ factor.T).round(12)
    array([[1. , 0.6],
           [0.6, 1. ]])
    """
    return _rows(_half(null_row_sums, *spectrum(null_row_sums)))[0]


@in_own_precision
def exp_scaled_differential(vector: Array, null_row_sums: Array) -> Array:
    r"""Return the differential of :math:`\operatorname{Exp}^\star`.

    With the normalised rows :math:`N = S e^{R / 2}`,

    .. math:: d_R \operatorname{Exp}^\star(Y)
              = P + P^\top - \operatorname{Diag}(P) C - C \operatorname{Diag}(P),
              \qquad P = S \, d_{R / 2} \exp(Y / 2) \, N^\top .

    Parameters
    ----------
    vector : array, shape=[..., n, n]
        Symmetric matrix :math:`Y` with null row sums.
    null_row_sums : array, shape=[..., n, n]
        Symmetric matrix :math:`R` with null row sums, the base point.

    Returns
    -------
    tangent_vec : array, shape=[..., n, n]
        Symmetric hollow matrix.

    Examples
    --------
    For two variables, the derivative :math:`1 - \tanh^2 h`:

    >>> import numpy as np
    >>> from geomstats_cor.kernels import exp_scaled_differential
    >>> vector = np.array([[-1.0, 1.0], [1.0, -1.0]])
    >>> exp_scaled_differential(vector, np.log(2) * vector).round(12)
    array([[0.  , 0.64],
           [0.64, 0.  ]])
    """
    return exp_scaled_differential_at(vector, null_row_sums, *spectrum(null_row_sums))


@in_own_precision
def exp_scaled_second_differential(vector: Array, null_row_sums: Array) -> Array:
    r"""Return the second derivative of :math:`\operatorname{Exp}^\star(R + t Y)`.

    .. math:: d^2_\Sigma \operatorname{Cor}(\dot\Sigma, \dot\Sigma)
              + d_\Sigma \operatorname{Cor}(\ddot\Sigma) , \qquad
              \Sigma = e^R , \quad \dot\Sigma = d_R \exp(Y) , \quad
              \ddot\Sigma = d^2_R \exp(Y, Y) .

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

    Examples
    --------
    For two variables, the second derivative
    :math:`-2 \tanh h \, (1 - \tanh^2 h)`:

    >>> import numpy as np
    >>> from geomstats_cor.kernels import exp_scaled_second_differential
    >>> vector = np.array([[-1.0, 1.0], [1.0, -1.0]])
    >>> exp_scaled_second_differential(vector, np.log(2) * vector).round(12)
    array([[ 0.   , -0.768],
           [-0.768,  0.   ]])
    """
    return exp_scaled_second_differential_at(
        vector, null_row_sums, *spectrum(null_row_sums)
    )


def exp_scaled_second_differential_at(
    vector: Array, null_row_sums: Array, values: Array, vectors: Array
) -> Any:
    """Return `exp_scaled_second_differential`, given the spectrum of R."""
    vector, null_row_sums = moving_row0(vector), moving_row0(null_row_sums)
    at = null_row_sums, values, vectors
    first = exp_differential_at(vector, *at)
    second = exp_second_differential_at(vector, vector, *at)
    return cor_second_differential(first, second, exp_at(*at))


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
    return products + products.mT - pair_sums(diagonal(products)) * (rows @ rows.mT)


def _exp_scaled_value(null_row_sums, values, vectors):
    return correlation_of_rows(spectral(namespace(values).exp(0.5 * values), vectors))


def _exp_scaled_tangent(tangents, *at):
    return exp_scaled_differential_at(tangents[0], *at)


def _exp_scaled_cotangent(cotangent, needed, *at):
    half = _half(*at)
    rows, scale = _rows(half)
    pulled = _pulled_rows(hollow_part(cotangent), rows)
    return exp_differential_at(symmetrize(scale * pulled), *half), None, None


def _pulled_rows(cotangent, rows):
    """Return half the adjoint of the motion of cosines, for normalised rows."""
    pulled = cotangent @ rows
    return pulled - row_dot(pulled, rows) * rows


exp_scaled_at = StatedGradient(
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
    return total_differential(
        tangents,
        lambda moved: exp_scaled_differential_at(moved, *at),
        lambda turned: _turned_exp_differential(turned, moving_row0(vector), *at),
    )


def _turned_exp_differential(turned, vector, *at):
    """Return how the differential along a vector changes as the image moves."""
    half = _half(*at)
    rows, scale = _rows(half)
    motion = _moved_rows(vector, scale, half)
    turn = _moved_rows(turned, scale, half)
    slope = row_dot(turn, rows)
    turn = turn - slope * rows
    bend = scale * exp_second_differential_at(0.5 * vector, 0.5 * turned, *half)
    bend = bend - slope * motion
    diag = row_dot(motion, rows)[..., 0]
    products = bend @ rows.mT + motion @ turn.mT
    turned_cosines = turn @ rows.mT
    turned_cosines = turned_cosines + turned_cosines.mT
    return off_diagonal(
        products
        + products.mT
        - pair_sums(diagonal(products)) * (rows @ rows.mT)
        - pair_sums(diag) * turned_cosines
    )


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
        # The cotangent of the normalised rows, projected orthogonally to them.
        normal = cotangent @ motion - row_dot(cotangent @ rows, rows) * motion
        normal = normal - diag * (cotangent @ rows) - cotangent @ (diag * rows)
        normal = normal - (row_dot(pulled, motion) + row_dot(normal, rows)) * rows
        turned = exp_differential_at(symmetrize(scale * normal), *half)
        turned = turned + exp_second_differential_at(0.5 * vector, scaled, *half)
    return moved, turned, None, None


exp_scaled_differential_at = StatedGradient(
    _exp_differential_value,
    _exp_differential_tangent,
    _exp_differential_cotangent,
    axes=(2, 2, 2, 1, 2),
    spaces=(row0_part, row0_part),
)
