r"""The map from covariance to correlation, and its differential.

.. math:: \operatorname{Cor}(\Sigma) = \Delta^{-1} \Sigma \Delta^{-1}, \qquad
          \Delta = \operatorname{Diag}(\Sigma)^{1/2}.
"""

from .._types import Array
from ._array import (
    congruence,
    diagonal,
    namespace,
    off_diagonal,
    pair_sums,
    with_diagonal,
)
from ._precision import in_own_precision
from ._projections import moving_symmetric


@in_own_precision
def cor(covariance: Array) -> Array:
    r"""Return the correlation matrix of a covariance matrix.

    .. math:: \operatorname{Cor}(\Sigma) = \Delta^{-1} \Sigma \Delta^{-1}, \qquad
              \Delta = \operatorname{Diag}(\Sigma)^{1/2} .

    Parameters
    ----------
    covariance : array, shape=[..., n, n]
        Symmetric positive definite matrix.

    Returns
    -------
    correlation : array, shape=[..., n, n]
        Correlation matrix; its diagonal is exactly one.

    Examples
    --------
    >>> import numpy as np
    >>> from geomstats_cor.kernels import cor
    >>> cor(np.array([[4.0, 1.0], [1.0, 1.0]]))
    array([[1. , 0.5],
           [0.5, 1. ]])
    """
    covariance = moving_symmetric(covariance)
    scale = _inverse_deviation(covariance)
    return with_diagonal(congruence(scale, covariance), 1.0)


@in_own_precision
def cor_differential(vector: Array, covariance: Array) -> Array:
    r"""Return the differential of Cor at a covariance matrix.

    .. math:: d_\Sigma \operatorname{Cor}(X) = \Delta^{-1} X \Delta^{-1}
              - \tfrac12 \left(\delta C + C \delta\right), \qquad
              \delta = \Delta^{-2} \operatorname{Diag}(X).

    Parameters
    ----------
    vector : array, shape=[..., n, n]
        Symmetric matrix.
    covariance : array, shape=[..., n, n]
        Symmetric positive definite matrix.

    Returns
    -------
    tangent_vec : array, shape=[..., n, n]
        Symmetric hollow matrix.

    Examples
    --------
    The length of :math:`\Sigma` has no influence on its correlations:

    >>> import numpy as np
    >>> from geomstats_cor.kernels import cor_differential
    >>> covariance = np.array([[4.0, 1.0], [1.0, 1.0]])
    >>> cor_differential(covariance, covariance)
    array([[0., 0.],
           [0., 0.]])
    >>> cor_differential(np.array([[0.0, 1.0], [1.0, 0.0]]), covariance)
    array([[0. , 0.5],
           [0.5, 0. ]])
    """
    vector, covariance = moving_symmetric(vector), moving_symmetric(covariance)
    scale = _inverse_deviation(covariance)
    correlation = congruence(scale, covariance)
    scaled = congruence(scale, vector)
    half = 0.5 * diagonal(scaled)
    return off_diagonal(scaled - pair_sums(half) * correlation)


@in_own_precision
def cor_second_differential(first: Array, second: Array, covariance: Array) -> Array:
    r"""Return the second derivative of Cor along a curve of covariance matrices.

    For a curve with derivatives :math:`X` and :math:`Y`, after division by deviations,
    :math:`\tilde X = \Delta^{-1} X \Delta^{-1}` and :math:`\tilde Y` likewise,

    .. math:: \operatorname{off}\left(\tilde Y
              + 2 (s 1^\top + 1 s^\top) \odot \tilde X
              + (b 1^\top + 1 b^\top + 2 s s^\top) \odot C\right) ,

    .. math:: s = -\tfrac12 \operatorname{diag} \tilde X , \qquad
              b = 3 s^2 - \tfrac12 \operatorname{diag} \tilde Y .

    Parameters
    ----------
    first, second : array, shape=[..., n, n]
        First and second derivative of the curve, symmetric matrices.
    covariance : array, shape=[..., n, n]
        Point of the curve, a symmetric positive definite matrix.

    Returns
    -------
    curved : array, shape=[..., n, n]
        Symmetric hollow matrix.

    Examples
    --------
    While one variance grows as :math:`1 + t`, the correlation is
    :math:`(1 + t)^{-1/2} / 2`:

    >>> import numpy as np
    >>> from geomstats_cor.kernels import cor_second_differential
    >>> first, second = np.diag([1.0, 0.0]), np.zeros((2, 2))
    >>> covariance = np.array([[1.0, 0.5], [0.5, 1.0]])
    >>> cor_second_differential(first, second, covariance)
    array([[0.   , 0.375],
           [0.375, 0.   ]])
    """
    first, second, covariance = map(moving_symmetric, (first, second, covariance))
    scale = _inverse_deviation(covariance)
    correlation, first, second = (
        congruence(scale, x) for x in (covariance, first, second)
    )
    # Derivatives of 1 / sqrt(variance), relative to its value.
    slope = -0.5 * diagonal(first)
    bend = 3.0 * slope**2 - 0.5 * diagonal(second)
    curved = second + 2.0 * pair_sums(slope) * first
    weights = pair_sums(bend)
    weights = weights + 2.0 * slope[..., :, None] * slope[..., None, :]
    return off_diagonal(curved + weights * correlation)


def _inverse_deviation(covariance):
    xp = namespace(covariance)
    return 1.0 / xp.sqrt(diagonal(covariance))
