"""The log-scaling diffeomorphism."""

import numpy as np

from .._types import Array
from ..kernels._array import namespace
from ..kernels.exp_scaled_maps import (
    exp_scaled_at,
    exp_scaled_differential_at,
    exp_scaled_factor,
    exp_scaled_second_differential_at,
)
from ..kernels.factors import log_scaled_of_factor
from ..kernels.log_scaled_maps import (
    balanced_spectrum,
    log_scaled_at,
    log_scaled_differential_at,
)
from ..kernels.symmetric import spectrum
from .base import CorrelationDiffeo, Local, logarithmic_radius


class _LogScaledLocal(Local):
    r"""The map at a point, given the scaling x and the spectrum of :math:`X C X`.

    The matrix :math:`X C X` is the exponential of the image: both directions share its
    eigenvectors.
    """

    def __init__(
        self,
        scaling: Array,
        values: Array,
        logarithms: Array,
        vectors: Array,
        point: Array = None,
        image: Array = None,
    ) -> None:
        super().__init__(point, image)
        self._solution = scaling, values, vectors
        self._spectrum = logarithms, vectors

    @property
    def factorisation(self) -> Array:
        """Logarithms of the eigenvalues."""
        return self._spectrum[0]

    def _compute_point(self) -> Array:
        return exp_scaled_at(self.image, *self._spectrum)

    def _compute_image(self) -> Array:
        return log_scaled_at(self.point, *self._solution)

    def push(self, vector: Array) -> Array:
        r"""Return :math:`d_C \operatorname{Log}^\star(V)`."""
        return log_scaled_differential_at(vector, self.point, *self._solution)

    def pull(self, vector: Array) -> Array:
        r"""Return :math:`d_R \operatorname{Exp}^\star(W)`."""
        return exp_scaled_differential_at(vector, self.image, *self._spectrum)

    def second_pull(self, vector: Array) -> Array:
        r"""Return that of :math:`\operatorname{Exp}^\star(R + t W)` at zero."""
        return exp_scaled_second_differential_at(vector, self.image, *self._spectrum)


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

    def _at(self, base_point: Array) -> Local:
        scaling, values, vectors = balanced_spectrum(base_point)
        logarithms = namespace(values).log(values)
        return _LogScaledLocal(scaling, values, logarithms, vectors, point=base_point)

    def _at_image(self, image_point: Array) -> Local:
        logarithms, vectors = spectrum(image_point)
        xp = namespace(logarithms)
        # exp R = X C X, and C has a unit diagonal: the scaling is known.
        values = xp.exp(logarithms)
        scaling = xp.sqrt(((vectors * vectors) @ values[..., None])[..., 0])
        return _LogScaledLocal(scaling, values, logarithms, vectors, image=image_point)

    def factor_of_image(self, image_point: Array) -> Array:
        r"""Return the normalised rows of :math:`\exp(R / 2)`."""
        return exp_scaled_factor(image_point)

    def image_of_factor(self, factor: Array, is_lower: bool = False) -> Array:
        """Return the logarithm of the scaled matrix, from singular values."""
        return log_scaled_of_factor(factor)

    def largest_safe_coords(self, dtype_info: np.finfo) -> float:
        """Return a length of logarithms whose exponentials are singular."""
        return logarithmic_radius(dtype_info)
