"""The off-log diffeomorphism."""

from .. import kernels
from ..kernels._array import off_diagonal
from ..kernels.factors import (
    log_of_factor,
    unit_rows,
)
from ..kernels.off_log_maps import off_exp_factor
from ..kernels.symmetric import lower_sym_log
from .base import CorrelationDiffeo, _logarithmic_radius, _strict_if_wanted


class OffLogDiffeo(CorrelationDiffeo):
    r"""The map onto symmetric hollow matrices, of the off-log metric.

    .. math:: \operatorname{Log}^\circ(C) = \operatorname{off}(\log C) , \qquad
              \operatorname{Exp}^\circ(H) = \exp(H + \mathcal D(H)) .

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
    >>> from geomstats_cor.diffeos import OffLogDiffeo
    >>> OffLogDiffeo()(np.array([[1.0, 0.6], [0.6, 1.0]])).round(4)
    array([[0.    , 0.6931],
           [0.6931, 0.    ]])
    """

    is_strict_part_at_identity = True

    def _map(self, base_point):
        return kernels.off_log(base_point)

    def _lower_map(self, base_point):
        return lower_sym_log(base_point)

    def _inverse_map(self, image_point):
        return kernels.off_exp(image_point)

    def _factor(self, image_point):
        r"""Return :math:`\exp((H + \mathcal D(H)) / 2)`, a symmetric factor."""
        return unit_rows(off_exp_factor(image_point))

    def _image_of_factor(self, factor, is_lower):
        """Return the logarithm from singular values, without its diagonal."""
        return off_diagonal(log_of_factor(factor))

    def _largest_safe_coords(self, dtype_info):
        return _logarithmic_radius(dtype_info)

    def _differential(self, tangent_vec, base_point, image_point=None):
        return kernels.off_log_differential(tangent_vec, base_point)

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
        images = kernels.off_log_and_differential(tangent_vec, base_point)
        return self._checked(base_point, images[0]), images[1]

    def _inverse_differential(self, image_tangent_vec, image_point):
        return kernels.off_exp_differential(image_tangent_vec, image_point)

    def inverse_tangent(self, image_tangent_vec, image_point=None, base_point=None):
        r"""Return :math:`(d_C \phi)^{-1}(W)`, the tangent vector with a given image.

        Parameters
        ----------
        image_tangent_vec : array, shape=[..., n, n]
            Tangent vector at the image.
        image_point : array, shape=[..., n, n]
            Image of the base point.
        base_point : array, shape=[..., n, n]
            Base point; if it is given, no diagonal has to be solved for.

        Returns
        -------
        tangent_vec : array, shape=[..., n, n]
            Symmetric hollow matrix.
        """
        if base_point is None:
            return super().inverse_tangent(image_tangent_vec, image_point)
        moved = kernels.off_log_differential_inverse(image_tangent_vec, base_point)
        return self._checked(base_point, moved)

    def inverse_second_tangent(self, image_tangent_vec, image_point):
        r"""Return the second derivative of :math:`\operatorname{Exp}^\circ(X + t W)`.

        Parameters
        ----------
        image_tangent_vec : array, shape=[..., n, n]
            Symmetric hollow matrix :math:`W`.
        image_point : array, shape=[..., n, n]
            Symmetric hollow matrix :math:`X`.

        Returns
        -------
        curved : array, shape=[..., n, n]
            Symmetric hollow matrix.
        """
        return kernels.off_exp_second_differential(image_tangent_vec, image_point)
