"""The diffeomorphisms that begin with a Cholesky factor."""

import math

from .. import kernels
from ..kernels._array import eye_like, namespace
from ..kernels._autodiff import is_readable
from ..kernels._tolerances import rank_tolerance
from ..kernels.factors import (
    unit_lower_of_factor,
    unit_rows,
)
from ..validation import (
    first_index,
    warn_near_boundary,
)
from .base import CorrelationDiffeo, _strict_if_wanted


class EuclideanCholeskyDiffeo(CorrelationDiffeo):
    r"""The map onto unit lower triangular matrices, of the Euclidean-Cholesky metric.

    .. math:: \Theta(C) = \operatorname{Diag}(L)^{-1} L , \qquad C = L L^\top .

    Parameters
    ----------
    check : bool or "strict"
        See `CorrelationDiffeo`.

    References
    ----------
    .. [T2022] Y. Thanwerdas and X. Pennec. Theoretically and computationally convenient
       geometries on full-rank correlation matrices. SIAM J. Matrix Anal. Appl. 43,
       2022.

    Examples
    --------
    >>> import numpy as np
    >>> from geomstats_cor.diffeos import EuclideanCholeskyDiffeo
    >>> EuclideanCholeskyDiffeo()(np.array([[1.0, 0.6], [0.6, 1.0]])).round(12)
    array([[1.  , 0.  ],
           [0.75, 1.  ]])
    """

    is_strict_part_at_identity = True
    has_lower_factor = True

    def _map(self, base_point):
        return kernels.theta(base_point)

    def _inverse_map(self, image_point):
        return kernels.theta_inverse(image_point)

    def _factor(self, image_point):
        """Return the normalised rows, the Cholesky factor."""
        return unit_rows(image_point)

    def _image_of_factor(self, factor, is_lower):
        """Return the Cholesky factor, its rows divided by their diagonal entries."""
        return unit_lower_of_factor(factor, is_lower)

    def _largest_safe_coords(self, dtype_info):
        """Return the inverse spacing: a row that long has a pivot of the spacing."""
        return 1.0 / float(dtype_info.eps)

    def _differential(self, tangent_vec, base_point, image_point=None):
        unit_lower = kernels.theta(base_point) if image_point is None else image_point
        return kernels.theta_differential_at(tangent_vec, unit_lower)

    def _inverse_differential(self, image_tangent_vec, image_point):
        return kernels.theta_inverse_differential(image_tangent_vec, image_point)

    def _warn_if_singular(self, base_point, image_point):
        _warn_of_small_pivots(image_point)

    def inverse_second_tangent(self, image_tangent_vec, image_point):
        r"""Return the second derivative of :math:`\Theta^{-1}(X + t W)` at zero.

        Parameters
        ----------
        image_tangent_vec : array, shape=[..., n, n]
            Strictly lower triangular matrix :math:`W`.
        image_point : array, shape=[..., n, n]
            Unit lower triangular matrix :math:`X`.

        Returns
        -------
        curved : array, shape=[..., n, n]
            Symmetric hollow matrix.
        """
        return kernels.theta_inverse_second_differential(image_tangent_vec, image_point)


class PolyHyperbolicCholeskyDiffeo(CorrelationDiffeo):
    r"""The map :math:`\Theta(C) - I` onto strictly lower triangular matrices.

    Its rows :math:`L_{ij} / L_{ii}`, :math:`j < i`, are the space coordinates of points
    of hyperboloids: the hemisphere of the row of :math:`L`, seen in another model.

    Parameters
    ----------
    check : bool or "strict"
        See `CorrelationDiffeo`.

    References
    ----------
    .. [T2022] Y. Thanwerdas and X. Pennec. Theoretically and computationally convenient
       geometries on full-rank correlation matrices. SIAM J. Matrix Anal. Appl. 43,
       2022.

    Examples
    --------
    >>> import numpy as np
    >>> from geomstats_cor.diffeos import PolyHyperbolicCholeskyDiffeo
    >>> PolyHyperbolicCholeskyDiffeo()(np.array([[1.0, 0.6], [0.6, 1.0]])).round(12)
    array([[0.  , 0.  ],
           [0.75, 0.  ]])
    """

    is_strict_part_at_identity = True
    has_lower_factor = True

    def _map(self, base_point):
        return kernels.strict_theta(base_point)

    def _inverse_map(self, image_point):
        return kernels.theta_inverse(image_point + eye_like(image_point))

    def _factor(self, image_point):
        """Return the normalised rows of I + X, the Cholesky factor."""
        return unit_rows(image_point + eye_like(image_point))

    def _image_of_factor(self, factor, is_lower):
        """Return the Cholesky factor, its rows divided by their diagonal entries."""
        return unit_lower_of_factor(factor, is_lower) - eye_like(factor)

    def _largest_safe_coords(self, dtype_info):
        r"""Return the length :math:`r` of a row whose pivot is the spacing.

        .. math:: \sinh(2 r) = 1 / \epsilon .
        """
        return 0.5 * math.asinh(1.0 / float(dtype_info.eps))

    def _differential(self, tangent_vec, base_point, image_point=None):
        if image_point is None:
            return kernels.theta_differential(tangent_vec, base_point)
        unit_lower = image_point + eye_like(image_point)
        return kernels.theta_differential_at(tangent_vec, unit_lower)

    def _inverse_differential(self, image_tangent_vec, image_point):
        unit_lower = image_point + eye_like(image_point)
        return kernels.theta_inverse_differential(image_tangent_vec, unit_lower)

    def _warn_if_singular(self, base_point, image_point):
        _warn_of_small_pivots(image_point + eye_like(image_point))

    def inverse_second_tangent(self, image_tangent_vec, image_point):
        r"""Return the second derivative of :math:`\Theta^{-1}(I + X + t W)` at zero.

        Parameters
        ----------
        image_tangent_vec : array, shape=[..., n, n]
            Strictly lower triangular matrix :math:`W`.
        image_point : array, shape=[..., n, n]
            Strictly lower triangular matrix :math:`X`.

        Returns
        -------
        curved : array, shape=[..., n, n]
            Symmetric hollow matrix.
        """
        unit_lower = image_point + eye_like(image_point)
        return kernels.theta_inverse_second_differential(image_tangent_vec, unit_lower)


class LogEuclideanCholeskyDiffeo(CorrelationDiffeo):
    r"""The map :math:`\log \Theta(C)` onto strictly lower triangular matrices.

    :math:`\Theta` is the map of `EuclideanCholeskyDiffeo`.

    Parameters
    ----------
    check : bool or "strict"
        See `CorrelationDiffeo`.

    References
    ----------
    .. [T2022] Y. Thanwerdas and X. Pennec. Theoretically and computationally convenient
       geometries on full-rank correlation matrices. SIAM J. Matrix Anal. Appl. 43,
       2022.

    Examples
    --------
    >>> import numpy as np
    >>> from geomstats_cor.diffeos import LogEuclideanCholeskyDiffeo
    >>> LogEuclideanCholeskyDiffeo()(np.array([[1.0, 0.6], [0.6, 1.0]])).round(12)
    array([[0.  , 0.  ],
           [0.75, 0.  ]])
    """

    is_strict_part_at_identity = True
    has_lower_factor = True

    def _map(self, base_point):
        return kernels.log_unit_lower(kernels.theta(base_point))

    def _inverse_map(self, image_point):
        return kernels.theta_inverse(kernels.exp_strictly_lower(image_point))

    def _factor(self, image_point):
        r"""Return the normalised rows of :math:`\exp X`, the Cholesky factor."""
        return unit_rows(kernels.exp_strictly_lower(image_point))

    def _image_of_factor(self, factor, is_lower):
        """Return the logarithm of the Cholesky factor with unit diagonal.

        Also a factor that is lower triangular already is shifted, which bounds its
        inverse: the powers of a triangle without that overflow.
        """
        return kernels.log_unit_lower(unit_lower_of_factor(factor))

    def _largest_safe_coords(self, dtype_info):
        r"""Return a length for which :math:`\exp` has finite cubes, for any n.

        A strictly lower triangular matrix of length r has powers of at most
        :math:`(r^2 / k)^{k / 2}`, and an exponential of about
        :math:`\exp(1.5 \, (r / \sqrt e)^{2/3})`.
        """
        return 0.9 * (math.log(float(dtype_info.max)) / 3.0) ** 1.5

    def _differential(self, tangent_vec, base_point, image_point=None):
        unit_lower = kernels.theta(base_point)
        moved = kernels.theta_differential_at(tangent_vec, unit_lower)
        return kernels.log_unit_lower_differential(moved, unit_lower)

    @_strict_if_wanted
    def map_and_tangent(self, tangent_vec, base_point):
        r"""Return :math:`\phi(C)` and :math:`d_C \phi(V)` by one factorisation.

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
        unit_lower = kernels.theta(base_point)
        moved = kernels.theta_differential_at(tangent_vec, unit_lower)
        image_point = self._checked(base_point, kernels.log_unit_lower(unit_lower))
        return image_point, kernels.log_unit_lower_differential(moved, unit_lower)

    def _inverse_differential(self, image_tangent_vec, image_point):
        moved = kernels.exp_strictly_lower_differential(image_tangent_vec, image_point)
        unit_lower = kernels.exp_strictly_lower(image_point)
        return kernels.theta_inverse_differential(moved, unit_lower)

    @_strict_if_wanted
    def inverse_tangent(self, image_tangent_vec, image_point=None, base_point=None):
        r"""Return :math:`(d_C \phi)^{-1}(W)`, the tangent vector with a given image.

        Parameters
        ----------
        image_tangent_vec : array, shape=[..., n, n]
            Tangent vector at the image.
        image_point : array, shape=[..., n, n]
            Image of the base point; may be left out if `base_point` is given.
        base_point : array, shape=[..., n, n]
            Base point; if it is given, it is factorised instead of an exponential.

        Returns
        -------
        tangent_vec : array, shape=[..., n, n]
            Symmetric hollow matrix.
        """
        if base_point is None:
            return super().inverse_tangent(image_tangent_vec, image_point)
        if image_point is None:
            _, inverse_tangent = self.map_and_inverse_tangent(base_point)
            return inverse_tangent(image_tangent_vec)
        unit_lower = self._checked(base_point, kernels.theta(base_point))
        moved = kernels.exp_strictly_lower_differential(image_tangent_vec, image_point)
        return kernels.theta_inverse_differential(moved, unit_lower)

    @_strict_if_wanted
    def map_and_inverse_tangent(self, base_point):
        r"""Return :math:`\phi(C)`, and the inverse of the differential there.

        .. math:: \log K , \qquad W \mapsto d_K \Theta^{-1}(d_{\log K} \exp(W)) , \qquad
                  K = \Theta(C) ,

        by one factorisation.

        Parameters
        ----------
        base_point : array, shape=[..., n, n]
            Full-rank correlation matrix.

        Returns
        -------
        image_point : array, shape=[..., n, n]
            Image of the point.
        inverse_tangent : callable
            Takes tangent vectors at the image, returns those at the point.
        """
        unit_lower = self._checked(base_point, kernels.theta(base_point))
        image_point = kernels.log_unit_lower(unit_lower)

        def inverse_tangent(image_tangent_vec):
            moved = kernels.exp_strictly_lower_differential(
                image_tangent_vec, image_point
            )
            return kernels.theta_inverse_differential(moved, unit_lower)

        return image_point, inverse_tangent

    def inverse_second_tangent(self, image_tangent_vec, image_point):
        r"""Return the second derivative of :math:`\Theta^{-1}(\exp(X + t W))` at zero.

        Parameters
        ----------
        image_tangent_vec : array, shape=[..., n, n]
            Strictly lower triangular matrix :math:`W`.
        image_point : array, shape=[..., n, n]
            Strictly lower triangular matrix :math:`X`.

        Returns
        -------
        curved : array, shape=[..., n, n]
            Symmetric hollow matrix.
        """
        unit_lower = kernels.exp_strictly_lower(image_point)
        first = kernels.exp_strictly_lower_differential(image_tangent_vec, image_point)
        second = kernels.exp_strictly_lower_second_differential(
            image_tangent_vec, image_point
        )
        curved = kernels.theta_inverse_second_differential(first, unit_lower)
        return curved + kernels.theta_inverse_differential(second, unit_lower)


def _warn_of_small_pivots(unit_lower):
    """Warn of rows whose pivot 1 / |row|^2 vanishes: cheaper than a factorisation."""
    if not is_readable(unit_lower):
        return
    xp = namespace(unit_lower)
    squares = xp.max(xp.sum(unit_lower * unit_lower, axis=-1), axis=-1)
    where = first_index(~(squares < 1.0 / rank_tolerance(unit_lower)))
    if where is not None:
        warn_near_boundary(where)
