"""The diffeomorphisms that begin with a Cholesky factor."""

import math

import numpy as np

from .. import kernels
from .._types import Array
from ..kernels._array import eye_like, row_dot
from ..kernels._autodiff import is_readable
from ..kernels._tolerances import rank_tolerance
from ..kernels.cholesky import (
    theta_differential_map,
    theta_inverse_differential_map,
    theta_inverse_map,
    theta_map,
)
from ..kernels.factors import unit_lower_of_factor, unit_rows
from ..validation import first_index, warn_near_boundary
from .base import CorrelationDiffeo, Local


class CholeskyLocal(Local):
    r"""The map :math:`\Theta` at a point, given :math:`K = \Theta(C)`.

    Other maps of Cholesky factors extend it by a map of :math:`K`.

    Parameters
    ----------
    unit_lower : array, shape=[..., n, n]
        Unit lower triangular matrix :math:`K`.
    point, image : array, shape=[..., n, n]
        See `Local`.

    Examples
    --------
    >>> import numpy as np
    >>> from geomstats_cor.diffeos import CholeskyLocal
    >>> here = CholeskyLocal(np.array([[1.0, 0.0], [0.75, 1.0]]))
    >>> here.point.round(12)
    array([[1. , 0.6],
           [0.6, 1. ]])
    """

    def __init__(
        self, unit_lower: Array, point: Array = None, image: Array = None
    ) -> None:
        super().__init__(point, image)
        self.unit_lower = unit_lower

    @property
    def factorisation(self) -> Array:
        """The first diagonal entries, NaN where the Cholesky factor does not exist."""
        return self.unit_lower[..., 0, 0]

    def warn_if_singular(self) -> None:
        """Warn of rows so long that their pivot vanishes, without factorising."""
        unit_lower = self.unit_lower
        if is_readable(unit_lower):
            squares = row_dot(unit_lower, unit_lower)
            where = first_index(~(squares < 1.0 / rank_tolerance(unit_lower)))
            if where is not None:
                warn_near_boundary(where[:-2])

    def _compute_point(self) -> Array:
        return theta_inverse_map(self.unit_lower)

    def _compute_image(self) -> Array:
        return self.unit_lower

    def push(self, vector: Array) -> Array:
        r"""Return :math:`d_C \Theta(V)`."""
        return theta_differential_map(vector, self.unit_lower)

    def pull(self, vector: Array) -> Array:
        r"""Return :math:`d_K \Theta^{-1}(W)`."""
        return theta_inverse_differential_map(vector, self.unit_lower)

    def second_pull(self, vector: Array) -> Array:
        r"""Return the second derivative of :math:`\Theta^{-1}(K + t W)` at zero."""
        return kernels.theta_inverse_second_differential(vector, self.unit_lower)


class _StrictLocal(CholeskyLocal):
    r"""The map :math:`\Theta(C) - I`, which has the same differentials."""

    def _compute_image(self) -> Array:
        return self.unit_lower - eye_like(self.unit_lower)


class _LogLocal(CholeskyLocal):
    r"""The map :math:`\log \Theta(C)`: the logarithm after :math:`\Theta`."""

    def _compute_image(self) -> Array:
        return kernels.log_unit_lower(self.unit_lower)

    def push(self, vector: Array) -> Array:
        r"""Return :math:`d_K \log(d_C \Theta(V))`."""
        moved = super().push(vector)
        return kernels.log_unit_lower_differential(moved, self.unit_lower)

    def pull(self, vector: Array) -> Array:
        r"""Return :math:`d_K \Theta^{-1}(d_X \exp(W))`, where :math:`X = \log K`."""
        moved = kernels.exp_strictly_lower_differential(vector, self.image)
        return super().pull(moved)

    def second_pull(self, vector: Array) -> Array:
        r"""Return the second derivative of :math:`\Theta^{-1}(\exp(X + t W))`."""
        first = kernels.exp_strictly_lower_differential(vector, self.image)
        second = kernels.exp_strictly_lower_second_differential(vector, self.image)
        return super().second_pull(first) + super().pull(second)


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

    def _at(self, base_point: Array) -> Local:
        return CholeskyLocal(theta_map(base_point), point=base_point)

    def _at_image(self, image_point: Array) -> Local:
        return CholeskyLocal(image_point)

    def factor_of_image(self, image_point: Array) -> Array:
        """Return the normalised rows, the Cholesky factor."""
        return unit_rows(image_point)

    def image_of_factor(self, factor: Array, is_lower: bool = False) -> Array:
        """Return the Cholesky factor, its rows divided by their diagonal entries."""
        return unit_lower_of_factor(factor, is_lower)

    def largest_safe_coords(self, dtype_info: np.finfo) -> float:
        """Return the inverse spacing: a row that long has a pivot of the spacing."""
        return 1.0 / float(dtype_info.eps)


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

    def _at(self, base_point: Array) -> Local:
        return _StrictLocal(theta_map(base_point), point=base_point)

    def _at_image(self, image_point: Array) -> Local:
        return _StrictLocal(image_point + eye_like(image_point), image=image_point)

    def factor_of_image(self, image_point: Array) -> Array:
        """Return the normalised rows of I + X, the Cholesky factor."""
        return unit_rows(image_point + eye_like(image_point))

    def image_of_factor(self, factor: Array, is_lower: bool = False) -> Array:
        """Return the Cholesky factor, its rows divided by their diagonal entries."""
        return unit_lower_of_factor(factor, is_lower) - eye_like(factor)

    def largest_safe_coords(self, dtype_info: np.finfo) -> float:
        r"""Return the length :math:`r` of a row whose pivot is the spacing.

        .. math:: \sinh(2 r) = 1 / \epsilon .
        """
        return 0.5 * math.asinh(1.0 / float(dtype_info.eps))


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

    def _at(self, base_point: Array) -> Local:
        return _LogLocal(theta_map(base_point), point=base_point)

    def _at_image(self, image_point: Array) -> Local:
        return _LogLocal(kernels.exp_strictly_lower(image_point), image=image_point)

    def factor_of_image(self, image_point: Array) -> Array:
        r"""Return the normalised rows of :math:`\exp X`, the Cholesky factor."""
        return unit_rows(kernels.exp_strictly_lower(image_point))

    def image_of_factor(self, factor: Array, is_lower: bool = False) -> Array:
        """Return the logarithm of the Cholesky factor with unit diagonal.

        A factor that is lower triangular already is shifted, too: the shift bounds its
        inverse, without which the powers of a triangle overflow.
        """
        return kernels.log_unit_lower(unit_lower_of_factor(factor))

    def largest_safe_coords(self, dtype_info: np.finfo) -> float:
        r"""Return a length for which :math:`\exp` has finite cubes, for any n.

        A strictly lower triangular matrix of length r has powers of at most
        :math:`(r^2 / k)^{k / 2}`, and an exponential of about
        :math:`\exp(1.5 \, (r / \sqrt e)^{2/3})`.
        """
        return 0.9 * (math.log(float(dtype_info.max)) / 3.0) ** 1.5
