"""The off-log diffeomorphism."""

import numpy as np

from .._types import Array
from ..kernels._array import namespace, off_diagonal
from ..kernels._projections import moving_hollow
from ..kernels.factors import log_of_factor, unit_rows
from ..kernels.off_log_maps import (
    off_exp_at,
    off_exp_differential_at,
    off_exp_factor,
    off_exp_second_differential_at,
    off_log_at,
    off_log_differential_at,
    off_log_inverse_differential_at,
    shifted_by,
    solve_diagonal,
    spectrum_of_log,
)
from ..kernels.symmetric import positive_spectrum
from .base import CorrelationDiffeo, Local, logarithmic_radius


class _AtPoint(Local):
    """The map at a point, given the spectrum of the point."""

    def __init__(self, point: Array) -> None:
        super().__init__(point)
        self._values, self._vectors = positive_spectrum(point)

    @property
    def factorisation(self) -> Array:
        """Eigenvalues, NaN where they are not positive."""
        return self._values

    def _compute_image(self) -> Array:
        return off_log_at(self.point, self._values, self._vectors)

    def push(self, vector: Array) -> Array:
        r"""Return :math:`\operatorname{off}(d_C \log(V))`."""
        return off_log_differential_at(vector, self.point, self._values, self._vectors)

    def pull(self, vector: Array) -> Array:
        r"""Return :math:`d_{\log C} \exp(W + \dot D)`, hollow by the choice of D."""
        return off_log_inverse_differential_at(
            vector, self.point, self._values, self._vectors
        )

    def second_pull(self, vector: Array) -> Array:
        r"""Return that of :math:`\operatorname{Exp}^\circ(H + t W)` at zero."""
        point = moving_hollow(self.point)
        logarithm = spectrum_of_log(point, self._values, self._vectors)
        return off_exp_second_differential_at(vector, *logarithm)


class _AtImage(Local):
    """The map at a hollow matrix H, given the spectrum of H + D(H)."""

    def __init__(self, image: Array) -> None:
        super().__init__(image=image)
        self._solution = solve_diagonal(off_diagonal(image))

    def _compute_point(self) -> Array:
        return off_exp_at(self.image, *self._solution)

    def _logarithm(self) -> tuple[Array, Array, Array]:
        return shifted_by(moving_hollow(self.image), *self._solution)

    def push(self, vector: Array) -> Array:
        r"""Return :math:`\operatorname{off}(d_C \log(V))`."""
        _, values, vectors = self._solution
        values = namespace(values).exp(values)
        return off_log_differential_at(vector, self.point, values, vectors)

    def pull(self, vector: Array) -> Array:
        r"""Return :math:`d_{\log C} \exp(W + \dot D)`, hollow by the choice of D."""
        return off_exp_differential_at(vector, *self._logarithm())

    def second_pull(self, vector: Array) -> Array:
        r"""Return that of :math:`\operatorname{Exp}^\circ(H + t W)` at zero."""
        return off_exp_second_differential_at(vector, *self._logarithm())


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

    def _at(self, base_point: Array) -> Local:
        return _AtPoint(base_point)

    def _at_image(self, image_point: Array) -> Local:
        return _AtImage(image_point)

    def factor_of_image(self, image_point: Array) -> Array:
        r"""Return :math:`\exp((H + \mathcal D(H)) / 2)`, a symmetric factor."""
        return unit_rows(off_exp_factor(image_point))

    def image_of_factor(self, factor: Array, is_lower: bool = False) -> Array:
        """Return the logarithm from singular values, without its diagonal."""
        return off_diagonal(log_of_factor(factor))

    def largest_safe_coords(self, dtype_info: np.finfo) -> float:
        """Return a length of logarithms whose exponentials are singular."""
        return logarithmic_radius(dtype_info)
