"""The five metrics on full-rank correlation matrices.

References
----------
.. [T2022] Y. Thanwerdas and X. Pennec. Theoretically and computationally convenient
   geometries on full-rank correlation matrices. SIAM J. Matrix Anal. Appl. 43, 2022.
.. [T2024] Y. Thanwerdas. Permutation-invariant log-Euclidean geometries on full-rank
   correlation matrices. SIAM J. Matrix Anal. Appl. 45, 2024.
.. [C2026] Z. Chen, X. Wu, B. Schölkopf and N. Sebe. Riemannian networks over full-rank
   correlation matrices. ICML 2026.
"""

from typing import TYPE_CHECKING, Any

from geomstats.geometry.lower_triangular_matrices import StrictlyLowerTriangularMatrices
from geomstats.geometry.positive_lower_triangular_matrices import PLTUnitDiagMatrices
from geomstats.geometry.symmetric_matrices import (
    NullRowSumsSymmetricMatrices,
    SymmetricHollowMatrices,
)

from .._types import Array
from ..diffeos import (
    EuclideanCholeskyDiffeo,
    LogEuclideanCholeskyDiffeo,
    LogScalingDiffeo,
    OffLogDiffeo,
    PolyHyperbolicCholeskyDiffeo,
)
from ..exceptions import ParameterError
from ..geometries import (
    HollowMetric,
    HyperbolicRowsMetric,
    NullRowSumsMetric,
    StrictlyLowerMetric,
    UnitLowerMetric,
)
from ..hyperplanes import BallHyperplanes, Hyperplanes
from .base import CorrelationMetric

if TYPE_CHECKING:
    from ..space import FullRankCorrelationMatrices


class EuclideanCholeskyMetric(CorrelationMetric):
    r"""The Euclidean-Cholesky metric (ECM), flat.

    Pullback of the Frobenius product by
    :math:`\Theta(C) = \operatorname{Diag}(L)^{-1} L`, where :math:`C = L L^\top`:

    .. math:: d(C, C') = |\Theta(C) - \Theta(C')|_F .

    Parameters
    ----------
    space : FullRankCorrelationMatrices
        Manifold.

    References
    ----------
    .. [T2022] Y. Thanwerdas and X. Pennec. Theoretically and computationally convenient
       geometries on full-rank correlation matrices. SIAM J. Matrix Anal. Appl. 43,
       2022.
    .. [C2026] Z. Chen, X. Wu, B. Schölkopf and N. Sebe. Riemannian networks over
       full-rank correlation matrices. ICML 2026.

    Examples
    --------
    >>> import numpy as np
    >>> from geomstats_cor import EuclideanCholeskyMetric, FullRankCorrelationMatrices
    >>> space = FullRankCorrelationMatrices(2, equip=EuclideanCholeskyMetric)
    >>> round(float(space.metric.dist([[1, 0.6], [0.6, 1]], np.eye(2))), 12)
    0.75
    """

    def __init__(self, space: "FullRankCorrelationMatrices") -> None:
        image_space = PLTUnitDiagMatrices(n=space.n, equip=False)
        image_space.equip_with_metric(UnitLowerMetric)
        super().__init__(space, EuclideanCholeskyDiffeo(), image_space)


class LogEuclideanCholeskyMetric(CorrelationMetric):
    r"""The log-Euclidean-Cholesky metric (LECM), flat.

    Pullback of the Frobenius product by :math:`\log \Theta(C)`, the logarithm of a unit
    lower triangular matrix:

    .. math:: d(C, C') = |\log \Theta(C) - \log \Theta(C')|_F .

    Parameters
    ----------
    space : FullRankCorrelationMatrices
        Manifold.

    References
    ----------
    .. [T2022] Y. Thanwerdas and X. Pennec. Theoretically and computationally convenient
       geometries on full-rank correlation matrices. SIAM J. Matrix Anal. Appl. 43,
       2022.
    .. [C2026] Z. Chen, X. Wu, B. Schölkopf and N. Sebe. Riemannian networks over
       full-rank correlation matrices. ICML 2026.

    Examples
    --------
    The Fréchet mean of two points is half way in the logarithms:

    >>> import numpy as np
    >>> from geomstats_cor import FullRankCorrelationMatrices, frechet_mean
    >>> space = FullRankCorrelationMatrices(3, equip="lecm")
    >>> points = space.random_point(2, rng=0)
    >>> mean = frechet_mean(points, space)
    >>> logarithms = space.metric.diffeo(points)
    >>> bool(np.allclose(space.metric.diffeo(mean), logarithms.mean(axis=0)))
    True
    """

    def __init__(self, space: "FullRankCorrelationMatrices") -> None:
        image_space = StrictlyLowerTriangularMatrices(n=space.n, equip=False)
        image_space.equip_with_metric(StrictlyLowerMetric)
        super().__init__(space, LogEuclideanCholeskyDiffeo(), image_space)


class OffLogMetric(CorrelationMetric):
    r"""The off-log metric (OLM), flat and permutation-invariant.

    Pullback by :math:`\operatorname{Log}^\circ(C) = \operatorname{off}(\log C)` of

    .. math:: \alpha \operatorname{tr}(X Y) + \beta \operatorname{Sum}(X Y)
              + \gamma \operatorname{Sum}(X) \operatorname{Sum}(Y) .

    The default is the Frobenius product for every :math:`n \ge 2`, which is also
    invariant under changes of signs. (geomstats 2.8 defaults to coefficients one.)
    Distances are

    .. math:: d(C, C')
              = |\operatorname{Log}^\circ(C) - \operatorname{Log}^\circ(C')| .

    Parameters
    ----------
    space : FullRankCorrelationMatrices
        Manifold.
    alpha, beta, gamma : float or None
        Coefficients of the product; None is zero. Whatever makes it positive definite
        is accepted: for :math:`n \ge 4` this is :math:`\alpha > 0`,
        :math:`2 \alpha + (n - 2) \beta > 0` and
        :math:`\alpha + (n - 1)(\beta + n \gamma) > 0`; for :math:`n = 3` the last two,
        and for :math:`n = 2` the last one decide alone.

    References
    ----------
    .. [T2024] Y. Thanwerdas. Permutation-invariant log-Euclidean geometries on
       full-rank correlation matrices. SIAM J. Matrix Anal. Appl. 45, 2024.
    .. [C2026] Z. Chen, X. Wu, B. Schölkopf and N. Sebe. Riemannian networks over
       full-rank correlation matrices. ICML 2026.

    Examples
    --------
    Distances do not depend on the order of the variables:

    >>> from geomstats_cor import FullRankCorrelationMatrices
    >>> space = FullRankCorrelationMatrices(4, equip="olm")
    >>> first, second = space.random_point(2, rng=0)
    >>> moved = [space.permutation_action([2, 0, 3, 1], x) for x in (first, second)]
    >>> dists = space.metric.dist(first, second), space.metric.dist(*moved)
    >>> round(float(dists[0] - dists[1]), 12) == 0.0
    True
    """

    def __init__(
        self,
        space: "FullRankCorrelationMatrices",
        alpha: float | None = 1.0,
        beta: float | None = 0.0,
        gamma: float | None = 0.0,
    ) -> None:
        image_space = SymmetricHollowMatrices(n=space.n, equip=False)
        image_space.equip_with_metric(
            HollowMetric,
            alpha=_or_zero(alpha),
            beta=_or_zero(beta),
            gamma=_or_zero(gamma),
        )
        super().__init__(space, OffLogDiffeo(), image_space)


class LogScaledMetric(CorrelationMetric):
    r"""The log-scaled metric (LSM), flat, permutation-invariant, inverse-consistent.

    Pullback by :math:`\operatorname{Log}^\star(C) = \log(\mathcal D^\star C \mathcal
    D^\star)`, where the scaling gives unit row sums, of

    .. math:: \alpha \operatorname{tr}(X Y)
              + \delta \operatorname{tr}(\operatorname{Diag}(X) \operatorname{Diag}(Y))
              + \zeta \operatorname{tr}(X) \operatorname{tr}(Y) .

    The default is the Frobenius product for every :math:`n \ge 2`. (geomstats 2.8
    defaults to coefficients one.) Distances are

    .. math:: d(C, C')
              = |\operatorname{Log}^\star(C) - \operatorname{Log}^\star(C')| .

    Parameters
    ----------
    space : FullRankCorrelationMatrices
        Manifold.
    alpha, delta, zeta : float or None
        Coefficients of the product; None is zero. Whatever makes it positive definite
        is accepted: for :math:`n \ge 4` this is :math:`\alpha > 0`,
        :math:`n \alpha + (n - 2) \delta > 0` and
        :math:`n \alpha + (n - 1)(\delta + n \zeta) > 0`; for :math:`n = 3` the last
        two, and for :math:`n = 2` the last one decide alone.

    References
    ----------
    .. [T2024] Y. Thanwerdas. Permutation-invariant log-Euclidean geometries on
       full-rank correlation matrices. SIAM J. Matrix Anal. Appl. 45, 2024.
    .. [C2026] Z. Chen, X. Wu, B. Schölkopf and N. Sebe. Riemannian networks over
       full-rank correlation matrices. ICML 2026.

    Examples
    --------
    The cor-inverse :math:`\operatorname{Cor}(C^{-1})` is the reflection at the
    identity:

    >>> import numpy as np
    >>> from geomstats_cor import FullRankCorrelationMatrices
    >>> space = FullRankCorrelationMatrices(4, equip="lsm")
    >>> point = space.random_point(rng=0)
    >>> inverse = space.cor_inversion(point)
    >>> path = space.metric.geodesic(point, end_point=inverse)
    >>> bool(np.allclose(path(0.5), np.eye(4)))
    True
    """

    def __init__(
        self,
        space: "FullRankCorrelationMatrices",
        alpha: float | None = 1.0,
        delta: float | None = 0.0,
        zeta: float | None = 0.0,
    ) -> None:
        image_space = NullRowSumsSymmetricMatrices(n=space.n, equip=False)
        image_space.equip_with_metric(
            NullRowSumsMetric,
            alpha=_or_zero(alpha),
            delta=_or_zero(delta),
            zeta=_or_zero(zeta),
        )
        super().__init__(space, LogScalingDiffeo(), image_space)


class PolyHyperbolicCholeskyMetric(CorrelationMetric):
    r"""The poly-hyperbolic-Cholesky metric (PHCM), of nonpositive curvature.

    A row of the Cholesky factor is a unit vector with a positive last entry: a point of
    a hemisphere, a model of hyperbolic space. The metric is the weighted product of
    these hyperbolic spaces,

    .. math:: d(C, C')^2 = \sum_{k = 2}^n \alpha_{k - 1} \operatorname{arccosh}\left(
              \frac{1 - \sum_{j < k} L_{kj} L'_{kj}}{L_{kk} L'_{kk}}\right)^2 .

    For :math:`n \ge 3` its sectional curvatures fill
    :math:`[-1 / \min_{i \ge 2} \alpha_i, 0]`.

    Parameters
    ----------
    space : FullRankCorrelationMatrices
        Manifold.
    weights : sequence of float, length n - 1
        Positive weights :math:`\alpha_1, \dots, \alpha_{n-1}` of the rows after the
        first; all one by default.

    References
    ----------
    .. [T2022] Y. Thanwerdas and X. Pennec. Theoretically and computationally convenient
       geometries on full-rank correlation matrices. SIAM J. Matrix Anal. Appl. 43,
       2022.
    .. [C2026] Z. Chen, X. Wu, B. Schölkopf and N. Sebe. Riemannian networks over
       full-rank correlation matrices. ICML 2026.

    Examples
    --------
    A correlation of :math:`0.6` is the row :math:`(0.6, 0.8)`, at the distance
    :math:`\operatorname{arccosh}(1 / 0.8) = \log 2` from the identity:

    >>> import numpy as np
    >>> from geomstats_cor import FullRankCorrelationMatrices
    >>> space = FullRankCorrelationMatrices(2, equip="phcm")
    >>> dist = space.metric.dist([[1, 0.6], [0.6, 1]], np.eye(2))
    >>> round(float(dist), 4), round(float(np.log(2)), 4)
    (0.6931, 0.6931)
    """

    def __init__(
        self, space: "FullRankCorrelationMatrices", weights: Array = None
    ) -> None:
        image_space = StrictlyLowerTriangularMatrices(n=space.n, equip=False)
        image_space.equip_with_metric(HyperbolicRowsMetric, weights=weights)
        super().__init__(space, PolyHyperbolicCholeskyDiffeo(), image_space)

    def hyperplanes(self) -> Hyperplanes:
        """Return the hyperplanes of the ball that joins all rows."""
        if not self.geometry.is_canonical:
            raise ParameterError(
                "a poly-hyperbolic metric with weights other than one has no "
                "hyperplanes in a single ball: equip the space with weights=None."
            )
        return BallHyperplanes(self)


#: The classes of the five metrics, by their short names.
METRICS = {
    "ecm": EuclideanCholeskyMetric,
    "lecm": LogEuclideanCholeskyMetric,
    "olm": OffLogMetric,
    "lsm": LogScaledMetric,
    "phcm": PolyHyperbolicCholeskyMetric,
}


def get_metric(key: str) -> Any:
    """Return the class of a metric by its short name.

    Parameters
    ----------
    key : {"ecm", "lecm", "olm", "lsm", "phcm"}
        Short name, in any case.

    Returns
    -------
    metric : type
        Class of the metric.

    Examples
    --------
    >>> from geomstats_cor import get_metric
    >>> get_metric("olm").__name__
    'OffLogMetric'
    """
    try:
        return METRICS[key.lower()]
    except (KeyError, AttributeError):
        raise ParameterError(
            f"there is no metric {key!r}: choose one of {', '.join(METRICS)}."
        ) from None


def _or_zero(parameter):
    return 0.0 if parameter is None else parameter


def _shown(x):
    """Return a short text for a value, or the name of its type."""
    text = repr(x)
    return text if len(text) <= 60 else f"a {type(x).__name__}"


def require_metric(space: "FullRankCorrelationMatrices") -> Any:
    """Return the metric of a space, or raise if it is not one of this library.

    Parameters
    ----------
    space : FullRankCorrelationMatrices
        Manifold.

    Returns
    -------
    metric : CorrelationMetric
        Metric.
    """
    metric = getattr(space, "metric", None)
    if not isinstance(metric, CorrelationMetric):
        if not (hasattr(space, "metric") or hasattr(space, "equip_with_metric")):
            raise ParameterError(
                f"space is {_shown(space)}: expected an equipped space, "
                f'FullRankCorrelationMatrices(n, equip="olm"), or the key of a metric, '
                f"one of {', '.join(METRICS)}."
            )
        raise ParameterError(
            f"the metric of the space is {type(metric).__name__}, not one of "
            f"{', '.join(METRICS)}: use space.equip_with_metric."
        )
    return metric
