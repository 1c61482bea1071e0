"""The Fréchet analysis of variance: equal means and equal dispersions at once."""

from typing import Any

import numpy as np
from scipy import stats

from .._types import Array, ArrayLike
from ..validation import require_choice
from .calibration import CALIBRATIONS, carry_out
from .dispersion_tests import variances_and_spreads, weighted_spread
from .explained import with_few_columns
from .mean_tests import require_flat
from .rearrangements import Relabellings
from .samples import Groups


class FrechetAnovaStatistic:
    """The statistic of Dubey and Müller for equal means and variances.

    Parameters
    ----------
    coords : numpy.ndarray, shape=[N, d]
        Coordinates of average zero.
    design : Relabellings
        Groups.
    """

    name = "Fréchet ANOVA"

    def __init__(self, coords: Array, design: Any) -> None:
        self.design, self.coords = design, with_few_columns(coords)
        self.squares = np.sum(coords**2, axis=-1)

    def __call__(self, weights: Array) -> Any:
        """Return the statistics [b] of weights [b, k, N]."""
        sizes, number = self.design.sizes, len(self.squares)
        means = (weights @ self.coords) / sizes[:, None]
        norms = np.sum(means**2, axis=-1, keepdims=True)
        squared_dists = self.squares - 2.0 * (means @ self.coords.T) + norms
        variances, spreads = variances_and_spreads(weights, squared_dists)
        shares = sizes / number
        excess = np.mean(self.squares) - variances @ shares
        between = number * excess**2 / (spreads @ shares**2)
        return between + weighted_spread(variances, spreads, sizes)

    def reported(self, value: Any) -> Any:
        """Return the statistic itself."""
        return value

    def asymptotic(self, value: Any) -> Any:
        """Return the p-value of the chi-squared distribution."""
        dof = self.design.hypothesis_dof
        return float(stats.chi2.sf(value, dof)), (dof,)


def frechet_anova(
    points: ArrayLike,
    labels: ArrayLike,
    space: Any,
    calibration: str = "permutation",
    n_permutations: int = 9999,
    rng: Any = None,
    alpha: float = 0.05,
    frames: Any = None,
    progress: bool = True,
) -> Any:
    r"""Test whether groups have both the same Fréchet mean and the same variance.

    The statistic of [DM2019]_ adds to that of equal Fréchet variances :math:`V_g` a
    term for the means: with :math:`\lambda_g = n_g / N`, :math:`V` the variance of the
    pooled sample, and :math:`\sigma_g^2` the variance of squared distances in a group,

    .. math:: \sum_g \frac{n_g}{\sigma_g^2} (V_g - \bar V)^2
              + N \frac{(V - \sum_g \lambda_g V_g)^2}{\sum_g \lambda_g^2 \sigma_g^2} .

    It is computed in coordinates at the pooled mean. `equal_means_test` and
    `equal_dispersions_test` tell which of the two differs, and each has more power for
    its own.

    What the calibrations assume of independent matrices:

    - "permutation": under the hypothesis the groups have the same distribution. The
      p-value is then exact, for every metric.
    - "asymptotic", for flat metrics: :math:`\chi^2_{k - 1}`. The term for the means is
      of the order of the effective dimension over :math:`N`: where the dimension is not
      small against the number of matrices, the test rejects too often.

    Parameters
    ----------
    points : array-like, shape=[N, n, n]
        Full-rank correlation matrices.
    labels : array-like, shape=[N]
        Label of the group of each matrix; two groups or more, of three matrices or
        more.
    space : FullRankCorrelationMatrices or str
        Manifold, equipped with one of the metrics of this library; or the key or the
        class of a metric, or the metric of a space.
    calibration : {"permutation", "asymptotic"}
        Where the p-value comes from.
    n_permutations : int
        Number of random permutations.
    rng : int or numpy.random.Generator
        Seed or generator of the permutations.
    alpha : float
        Level at which the p-value will be read. A `CoarseTestWarning` says so if the
        permutations are too few to reach it.
    frames : int or array-like, shape=[N]
        Number of frames from which each matrix was estimated. An
        `UnequalFramesWarning` says so if the groups differ in it: matrices from fewer
        frames are more dispersed and biased, so that groups of one population differ.
    progress : bool
        Show a progress bar, if tqdm is installed and it takes more than a second.

    Returns
    -------
    result : SignificanceTest
        Outcome.

    References
    ----------
    .. [DM2019] P. Dubey and H.-G. Müller. Fréchet analysis of variance for random
       objects. Biometrika 106, 2019.

    Examples
    --------
    >>> from geomstats_cor import FullRankCorrelationMatrices, frechet_anova
    >>> space = FullRankCorrelationMatrices(3, equip="olm")
    >>> points, labels = space.random_point(20, rng=0), [0] * 8 + [1] * 12
    >>> test = frechet_anova(points, labels, space, n_permutations=99, rng=0)
    >>> test.hypothesis, bool(0.0 < test.p_value <= 1.0)
    ('equal means and dispersions', True)
    """
    groups = Groups(points, labels, space, least=3, frames=frames)
    require_choice("calibration", calibration, CALIBRATIONS)
    if calibration == "asymptotic":
        require_flat(groups.space)
    design = Relabellings(groups.labels)
    return carry_out(
        FrechetAnovaStatistic(groups.coordinates(), design),
        design,
        "equal means and dispersions",
        calibration,
        {
            "n_permutations": n_permutations,
            "rng": rng,
            "alpha": alpha,
            "progress": progress,
        },
        **groups.answers(),
    )
