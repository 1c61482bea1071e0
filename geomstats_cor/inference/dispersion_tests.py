"""Tests of equal dispersion of groups about their Fréchet means."""

from typing import Any

import numpy as np
from scipy import stats

from .._types import Array, ArrayLike
from ..validation import require_choice
from .calibration import carry_out
from .explained import DistanceStatistic
from .rearrangements import Relabellings
from .samples import Groups


class LeveneStatistic(DistanceStatistic):
    """The F of a one-way analysis of variance of distances to the means of groups.

    Parameters
    ----------
    squared_dists : numpy.ndarray, shape=[N]
        Squared distances to the means of the groups.
    design : Relabellings
        Groups.
    """

    name = "Levene's F"

    def __init__(self, squared_dists: Array, design: Any) -> None:
        dists = np.sqrt(squared_dists)
        super().__init__((dists - dists.mean())[:, None], design)


class FrechetVarianceStatistic:
    """The statistic of Dubey and Müller for equal Fréchet variances.

    Parameters
    ----------
    squared_dists : numpy.ndarray, shape=[N]
        Squared distances to the means of the groups.
    design : Relabellings
        Groups.
    """

    name = "Dubey-Müller"

    def __init__(self, squared_dists: Array, design: Any) -> None:
        self.design, self.squared_dists = design, squared_dists

    def __call__(self, weights: Array) -> Any:
        """Return the statistics [b] of weights [b, k, N]."""
        variances, spreads = variances_and_spreads(weights, self.squared_dists)
        return weighted_spread(variances, spreads, self.design.sizes)

    def reported(self, value: Any) -> Any:
        """Return the statistic itself."""
        return value

    def asymptotic(self, value: Any) -> Any:
        """Return the p-value of the chi-squared distribution."""
        dof = self.design.hypothesis_dof
        return float(stats.chi2.sf(value, dof)), (dof,)


def variances_and_spreads(weights: Array, squared_dists: Array) -> Array:
    """Return mean and variance of squared distances in each group.

    Parameters
    ----------
    weights : numpy.ndarray, shape=[b, k, N]
        Indicators of groups.
    squared_dists : numpy.ndarray, shape=[..., N]
        Squared distances, the same for all groups or [b, k, N].

    Returns
    -------
    variances, spreads : numpy.ndarray, shape=[b, k]
        Fréchet variances, and the variances of squared distances, not less than what
        rounding makes of zero.
    """
    sizes = np.sum(weights, axis=-1)
    variances = np.sum(weights * squared_dists, axis=-1) / sizes
    deviations = squared_dists - variances[..., None]
    spreads = np.sum(weights * deviations**2, axis=-1) / sizes
    floor = np.finfo(float).eps * np.max(variances, axis=-1, keepdims=True) ** 2
    return variances, np.maximum(spreads, np.maximum(floor, np.finfo(float).tiny))


def weighted_spread(variances: Array, spreads: Array, sizes: Array) -> Array:
    r"""Return :math:`\sum_g a_g (V_g - \bar V)^2`, with :math:`a_g = n_g / \sigma_g^2`.

    Parameters
    ----------
    variances, spreads : numpy.ndarray, shape=[b, k]
        Fréchet variances and variances of squared distances.
    sizes : numpy.ndarray, shape=[k]
        Sizes of the groups.

    Returns
    -------
    statistic : numpy.ndarray, shape=[b]
        The statistic :math:`N U / \sum_g \lambda_g / \sigma_g^2` of Dubey and Müller.
    """
    precisions = sizes / spreads
    center = np.average(variances, axis=-1, weights=precisions)
    return np.sum(precisions * (variances - center[..., None]) ** 2, axis=-1)


def equal_dispersions_test(
    points: ArrayLike,
    labels: ArrayLike,
    space: Any,
    statistic: str = "levene",
    calibration: str = "permutation",
    n_permutations: int = 9999,
    rng: Any = None,
    alpha: float = 0.05,
    frames: Any = None,
    progress: bool = True,
) -> Any:
    r"""Test whether groups are equally dispersed about their Fréchet means.

    With :math:`d_{gi}` the distance of a matrix from the mean of its group, multiplied
    by :math:`\sqrt{n_g / (n_g - 1)}` because that mean was fitted to :math:`n_g`
    matrices, the statistics are:

    - "levene": the F of a one-way analysis of variance of the distances, as in PERMDISP
      [A2006]_. Robust against a few matrices far away.
    - "frechet-variance": the statistic of [DM2019]_,
      :math:`\sum_g a_g (V_g - \bar V)^2`, where :math:`V_g` is the mean of
      :math:`d_{gi}^2`, :math:`\sigma_g^2` its variance, :math:`a_g = n_g / \sigma_g^2`
      and :math:`\bar V` the mean of :math:`V_g` with weights :math:`a_g`.

    The means of the groups may differ. Distances are those of the manifold, for curved
    metrics, too. What the calibrations assume of independent matrices:

    - "permutation" of the distances: under the hypothesis they have the same
      distribution in each group. That the means were fitted makes the test approximate:
      with ten matrices in a group it rejects about 6 % of true hypotheses at the level
      of 5 %.
    - "asymptotic": "levene" takes :math:`F(k - 1, N - k)`; "frechet-variance" takes
      :math:`\chi^2_{k - 1}`, which allows distances of different distributions but
      equal mean square, and needs groups of fifty matrices or more.

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
    statistic : {"levene", "frechet-variance"}
        Statistic.
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
    .. [A2006] M. J. Anderson. Distance-based tests for homogeneity of multivariate
       dispersions. Biometrics 62, 2006.
    .. [DM2019] P. Dubey and H.-G. Müller. Fréchet analysis of variance for random
       objects. Biometrika 106, 2019.

    Examples
    --------
    >>> from geomstats_cor import FullRankCorrelationMatrices, equal_dispersions_test
    >>> space = FullRankCorrelationMatrices(3, equip="phcm")
    >>> points = space.random_point(20, rng=0)
    >>> test = equal_dispersions_test(points, [0] * 8 + [1] * 12, space, rng=0)
    >>> test.groups
    (0, 1)
    """
    require_choice("statistic", statistic, STATISTICS)
    # Two matrices are equally far from their mean, which says nothing of a spread.
    groups = Groups(points, labels, space, least=3, frames=frames)
    sizes = groups.sizes[groups.labels]
    design = Relabellings(groups.labels)
    return carry_out(
        STATISTICS[statistic](groups.squared_dists * (sizes / (sizes - 1)), design),
        design,
        "equal dispersions",
        calibration,
        {
            "n_permutations": n_permutations,
            "rng": rng,
            "alpha": alpha,
            "progress": progress,
        },
        **groups.answers(),
    )


STATISTICS = {"levene": LeveneStatistic, "frechet-variance": FrechetVarianceStatistic}
