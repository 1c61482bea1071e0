"""The log-scaling diffeomorphism."""

from .. import kernels
from ..kernels.exp_scaled_maps import exp_scaled_factor
from ..kernels.factors import (
    log_scaled_of_factor,
)
from ..kernels.log_scaled_maps import lower_log_scaled
from .base import CorrelationDiffeo, _logarithmic_radius, _strict_if_wanted


class LogScalingDiffeo(CorrelationDiffeo):
    r"""The map onto symmetric matrices with null row sums, of the log-scaled metric.

    .. math:: \operatorname{Log}^\star(C) = \log(\mathcal D^\star C \mathcal D^\star) ,
              \qquad \operatorname{Exp}^\star(R) = \operatorname{Cor}(\exp R) .

    Parameters
    ----------
    check : bool or "strict"
        See `CorrelationDiffeo`.

    References
    ----------
    .. [T2024] Y. Thanwerdas. Permutation-invariant log-Euclidean geometries on
       full-rank correlation matrices. SIAM J. Matrix Anal. Appl. 45, 2024.

    Examples
    --------
    >>> import numpy as np
    >>> from geomstats_cor.diffeos import LogScalingDiffeo
    >>> LogScalingDiffeo()(np.array([[1.0, 0.6], [0.6, 1.0]])).round(4)
    array([[-0.6931,  0.6931],
           [ 0.6931, -0.6931]])
    """

    is_strict_part_at_identity = True

    def _map(self, base_point):
        return kernels.log_scaled(base_point)

    def _lower_map(self, base_point):
        return lower_log_scaled(base_point)

    def _inverse_map(self, image_point):
        return kernels.exp_scaled(image_point)

    def _factor(self, image_point):
        r"""Return the normalised rows of :math:`\exp(R / 2)`."""
        return exp_scaled_factor(image_point)

    def _image_of_factor(self, factor, is_lower):
        """Return the logarithm of the scaled matrix, from singular values."""
        return log_scaled_of_factor(factor)

    def _largest_safe_coords(self, dtype_info):
        return _logarithmic_radius(dtype_info)

    def _differential(self, tangent_vec, base_point, image_point=None):
        return kernels.log_scaled_differential(tangent_vec, base_point)

    @_strict_if_wanted
    def map_and_tangent(self, tangent_vec, base_point):
        r"""Return :math:`\phi(C)` and :math:`d_C \phi(V)` by one decomposition.

        Parameters
        ----------
        tangent_vec : array, shape=[..., n, n]
            Symmetric hollow matrix.
        base_point : array, shape=[..., n, n]
            Full-rank correlation matrix.

        Returns
        -------
        image_point : array, shape=[..., n, n]
            Image of the point.
        image_tangent_vec : array, shape=[..., n, n]
            Tangent vector at the image.
        """
        images = kernels.log_scaled_and_differential(tangent_vec, base_point)
        return self._checked(base_point, images[0]), images[1]

    def _inverse_differential(self, image_tangent_vec, image_point):
        return kernels.exp_scaled_differential(image_tangent_vec, image_point)

    def inverse_second_tangent(self, image_tangent_vec, image_point):
        r"""Return the second derivative of :math:`\operatorname{Exp}^\star(X + t W)`.

        Parameters
        ----------
        image_tangent_vec : array, shape=[..., n, n]
            Symmetric matrix :math:`W` with null row sums.
        image_point : array, shape=[..., n, n]
            Symmetric matrix :math:`X` with null row sums.

        Returns
        -------
        curved : array, shape=[..., n, n]
            Symmetric hollow matrix.
        """
        return kernels.exp_scaled_second_differential(image_tangent_vec, image_point)
