r"""The log-scaled metric as the networks of [C2026]_ train it.

Their :math:`\mathcal D^\star` is a single undamped Newton step from :math:`x = 1`, and
the derivative is that of the step. This is another map than
:math:`\operatorname{Log}^\star`: one to one near the identity, to first order the same,
but :math:`\operatorname{Cor} \circ \exp` is not its inverse.

References
----------
.. [C2026] Z. Chen, X. Wu, B. Schölkopf and N. Sebe. Riemannian networks over full-rank
   correlation matrices. ICML 2026. Appendix "Implementation details".
"""

from typing import TYPE_CHECKING

from .. import kernels
from .._types import Array
from ..diffeos import Local, LogScalingDiffeo
from ..exceptions import ParameterError
from ..kernels.cholesky import correlation_of_rows
from .named import LogScaledMetric

if TYPE_CHECKING:
    from ..space import FullRankCorrelationMatrices


class OneStepLogScalingDiffeo(LogScalingDiffeo):
    r"""The map :math:`\log(X C X)`, where X is one Newton step, projected on Row0(n).

    The inverse is that of the exact map. Differentials of a pair that is not inverse to
    each other mean nothing, and raise.
    """

    def _at(self, base_point: Array) -> Local:
        return _OneStepLocal(base_point, kernels.one_step_log_scaled(base_point))

    def _at_image(self, image_point: Array) -> Local:
        return _OneStepLocal(super()._at_image(image_point).point, image_point)

    def image_of_factor(self, factor: Array, is_lower: bool = False) -> Array:
        """Return the logarithm of the matrix scaled by one step, centred."""
        scaling = kernels.one_step_scaling(correlation_of_rows(factor))
        return kernels.center(kernels.log_of_factor(scaling[..., None] * factor))


class _OneStepLocal(Local):
    """A point and its image, without differentials."""

    def push(self, vector: Array) -> Array:
        """Raise: see `OneStepLogScalingDiffeo`."""
        raise _no_tangent_vectors()

    def pull(self, vector: Array) -> Array:
        """Raise: see `OneStepLogScalingDiffeo`."""
        raise _no_tangent_vectors()

    def second_pull(self, vector: Array) -> Array:
        """Raise: see `OneStepLogScalingDiffeo`."""
        raise _no_tangent_vectors()


def _no_tangent_vectors() -> ParameterError:
    return ParameterError(
        "OneStepLogScaledMetric is for the layers of networks: tangent vectors need "
        "the exact LogScaledMetric."
    )


class OneStepLogScaledMetric(LogScaledMetric):
    r"""The log-scaled metric with one Newton step for :math:`\mathcal D^\star`.

    For layers only: they use the image of a point and the point with given
    coordinates, and know the differential at the identity, where one step is exact.
    Whatever takes or returns tangent vectors raises: use `LogScaledMetric` there.
    The image is projected on matrices with null row sums, so logits are those of the
    formula of [C2026]_, whose covectors are such matrices.

    Two layers of a `CorNet` under this metric meet in coordinates, and one step is
    taken where matrices come in. With `fuse=False` it is taken between the layers, too,
    where it does not undo the map that made the matrix, as in [C2026]_.

    Parameters
    ----------
    space : FullRankCorrelationMatrices
        Manifold.
    alpha, delta, zeta : float or None
        Coefficients of the product, see `LogScaledMetric`.

    References
    ----------
    .. [C2026] Z. Chen, X. Wu, B. Schölkopf and N. Sebe. Riemannian networks over
       full-rank correlation matrices. ICML 2026.

    Examples
    --------
    >>> from geomstats_cor import FullRankCorrelationMatrices, OneStepLogScaledMetric
    >>> space = FullRankCorrelationMatrices(4, equip=OneStepLogScaledMetric)
    >>> space.metric.to_coords(space.random_point(5, rng=0)).shape
    (5, 6)
    """

    def __init__(
        self,
        space: "FullRankCorrelationMatrices",
        alpha: float | None = 1.0,
        delta: float | None = 0.0,
        zeta: float | None = 0.0,
    ) -> None:
        super().__init__(space, alpha, delta, zeta)
        self.diffeo = OneStepLogScalingDiffeo(check=space.check)
