r"""The map from covariance to correlation, and its differential.

.. math:: \operatorname{Cor}(\Sigma) = \Delta^{-1} \Sigma \Delta^{-1}, \qquad
          \Delta = \operatorname{Diag}(\Sigma)^{1/2}.
"""

from ._arrays import diagonal, namespace, off_diagonal, with_diagonal
from ._tangent_spaces import moving_symmetric


def cor(covariance):
    r"""Return the correlation matrix :math:`\operatorname{Cor}(\Sigma)`.

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
    >>> cor(np.array([[4.0, 1.0], [1.0, 1.0]]))
    array([[1. , 0.5],
           [0.5, 1. ]])
    """
    covariance = moving_symmetric(covariance)
    scale = _inverse_deviation(covariance)
    return with_diagonal(scale[..., :, None] * covariance * scale[..., None, :], 1.0)


def cor_differential(vector, covariance):
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
    """
    vector, covariance = moving_symmetric(vector), moving_symmetric(covariance)
    scale = _inverse_deviation(covariance)
    correlation = scale[..., :, None] * covariance * scale[..., None, :]
    scaled = scale[..., :, None] * vector * scale[..., None, :]
    half = 0.5 * diagonal(scaled)
    return off_diagonal(
        scaled - (half[..., :, None] + half[..., None, :]) * correlation
    )


def cor_second_differential(first, second, covariance):
    r"""Return the second derivative of Cor along a curve of covariance matrices.

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
    """
    first, second, covariance = map(moving_symmetric, (first, second, covariance))
    scale = _inverse_deviation(covariance)
    correlation, first, second = (
        scale[..., :, None] * x * scale[..., None, :]
        for x in (covariance, first, second)
    )
    # Derivatives of 1 / sqrt(variance), relative to its value.
    slope = -0.5 * diagonal(first)
    bend = 3.0 * slope**2 - 0.5 * diagonal(second)
    curved = second + 2.0 * (slope[..., :, None] + slope[..., None, :]) * first
    weights = bend[..., :, None] + bend[..., None, :]
    weights = weights + 2.0 * slope[..., :, None] * slope[..., None, :]
    return off_diagonal(curved + weights * correlation)


def _inverse_deviation(covariance):
    xp = namespace(covariance)
    return 1.0 / xp.sqrt(diagonal(covariance))
