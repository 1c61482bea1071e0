"""Tests of Fréchet means: of several groups, and of one sample."""

from typing import Any

from .._types import ArrayLike
from ..data.culprits import naming_culprits
from ..data.naming import in_order, names_of, one_stack, with_names
from ..exceptions import ParameterError, ShapeError
from ..space import equipped
from ..statistics.mean import frechet_mean
from ..validation import as_arrays, require_choice
from .calibration import CALIBRATIONS, carry_out
from .explained import (
    DistanceStatistic,
    HotellingStatistic,
    ShrinkageStatistic,
    is_ample,
)
from .high_dimensional import ChenQinStatistic
from .rearrangements import Relabellings, SignFlips
from .samples import Groups, as_numbers

STATISTICS = {
    "distance": DistanceStatistic,
    "hotelling": HotellingStatistic,
    "chen-qin": ChenQinStatistic,
    "shrinkage": ShrinkageStatistic,
}


def equal_means_test(
    points: ArrayLike,
    labels: ArrayLike,
    space: Any,
    statistic: str = "distance",
    calibration: str = "permutation",
    n_permutations: int = 9999,
    rng: Any = None,
    alpha: float = 0.05,
    frames: Any = None,
    progress: bool = True,
) -> Any:
    r"""Test whether groups have the same Fréchet mean.

    The matrices become coordinates of their logarithms at the pooled Fréchet mean, in
    an orthonormal frame: isometric coordinates for a flat metric, the tangent space at
    the pooled mean for a curved one. With :math:`n_g` matrices of mean
    :math:`\bar x_g` in group :math:`g`, :math:`N` in all :math:`k` groups, and
    dimension :math:`d = n (n - 1) / 2`, the statistics are:

    - "distance": the pseudo-F of PERMANOVA [A2001]_,
      :math:`\frac{N - k}{k - 1} \frac{\sum_g n_g |\bar x_g - \bar x|^2}{\sum_g \sum_i
      |x_{gi} - \bar x_g|^2}`, which for two groups orders permutations as the distance
      of the means does. Any :math:`d`. Most powerful where the means differ along
      directions of large variance.
    - "hotelling": Hotelling's :math:`T^2` for two groups, Pillai's trace for more, as
      an F. It weighs directions by their variance, and is not changed by any linear
      change of coordinates. For :math:`N - k \ge 2 d` only.
    - "chen-qin": two groups, any :math:`d` [CQ2010]_.
    - "shrinkage": "distance" after whitening by the covariance matrix as Ledoit and
      Wolf shrink it [L2004]_. Any :math:`d`.
    - "auto": "hotelling" where :math:`N - k \ge 2 d`; otherwise "chen-qin" for two
      groups, "distance" for more.

    What the calibrations assume of independent matrices:

    - "permutation": under the hypothesis the groups have the same distribution. The
      p-value is then exact, for every metric, dimension and sample size:
      :math:`(1 + \#\{T^* \ge T\}) / (1 + B)`, or the share of all distinct permutations
      if these are no more than `n_permutations`. If dispersions differ, so that means
      alone are equal, it holds approximately for "distance", "hotelling" and
      "shrinkage" in groups of equal size, and for the studentised "chen-qin" in groups
      of any size.
    - "asymptotic", for flat metrics: "hotelling" is exact for normal coordinates of
      equal covariance and two groups, otherwise asymptotic in :math:`N`, also for
      unequal covariances if the groups have one size. "distance" takes Box's F with an
      estimated effective dimension, for equal covariances [B1954]_, [Z2020]_; it is
      exact for normal coordinates of a covariance that is a multiple of the identity,
      and approximate otherwise. "chen-qin" allows unequal covariances; its normal limit
      needs :math:`\operatorname{tr} \Sigma^4 = o(\operatorname{tr}^2 \Sigma^2)`, that
      is, no few directions that hold most of the variance; where they do, it rejects
      about 8 % of true hypotheses at the level of 5 %.

    Parameters
    ----------
    points : array-like, shape=[N, n, n]
        Full-rank correlation matrices.
    labels : array-like, shape=[N]
        Label of the group of each matrix; two groups or more, of two matrices or more.
    space : FullRankCorrelationMatrices or str
        Manifold, equipped with one of the metrics of this library; or the key or the
        class of a metric, or the metric of a space.
    statistic : {"distance", "hotelling", "chen-qin", "shrinkage", "auto"}
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
    .. [A2001] M. J. Anderson. A new method for non-parametric multivariate analysis of
       variance. Austral Ecology 26, 2001.
    .. [B1954] G. E. P. Box. Some theorems on quadratic forms applied in the study of
       analysis of variance problems I. Ann. Math. Statist. 25, 1954.
    .. [CQ2010] S. X. Chen and Y.-L. Qin. A two-sample test for high-dimensional data
       with applications to gene-set testing. Ann. Statist. 38, 2010.
    .. [L2004] O. Ledoit and M. Wolf. A well-conditioned estimator for large-dimensional
       covariance matrices. J. Multivariate Anal. 88, 2004.
    .. [Z2020] J.-T. Zhang, J. Guo, B. Zhou and M.-Y. Cheng. A simple two-sample test in
       high dimensions based on L2-norm. J. Amer. Statist. Assoc. 115, 2020.

    Examples
    --------
    >>> from geomstats_cor import FullRankCorrelationMatrices, equal_means_test
    >>> space = FullRankCorrelationMatrices(3, equip="olm")
    >>> points = space.random_point(10, rng=0)
    >>> labels = ["a"] * 4 + ["b"] * 6
    >>> equal_means_test(points, labels, space)
    equal means: pseudo-F = 2.11297, p = 0.119, 210 permutations (all)
    """
    require_choice("statistic", statistic, (*STATISTICS, "auto"))
    groups = Groups(points, labels, space, frames=frames)
    require_choice("calibration", calibration, CALIBRATIONS)
    if calibration == "asymptotic":
        require_flat(groups.space)
    design, coords = Relabellings(groups.labels), groups.coordinates()
    return carry_out(
        _statistic(statistic, coords, design),
        design,
        "equal means",
        calibration,
        {
            "n_permutations": n_permutations,
            "rng": rng,
            "alpha": alpha,
            "progress": progress,
        },
        **groups.answers(),
    )


def mean_test(
    points: ArrayLike,
    mean: ArrayLike,
    space: Any,
    statistic: str = "distance",
    calibration: str = "permutation",
    n_permutations: int = 9999,
    rng: Any = None,
    alpha: float = 0.05,
    progress: bool = True,
) -> Any:
    r"""Test whether a sample comes from a distribution with a given Fréchet mean.

    At the Fréchet mean of a distribution, and nowhere else, the logarithms :math:`x_i`
    have expectation zero: the test is that of a null expectation of vectors, for curved
    metrics as for flat ones. With :math:`N` matrices of dimension :math:`d`, the
    statistics are:

    - "distance": :math:`(N - 1) N |\bar x|^2 / \sum_i |x_i - \bar x|^2`. Any :math:`d`.
    - "hotelling": Hotelling's :math:`T^2 = N \bar x^\top S^{-1} \bar x` as an F. For
      :math:`N - 1 \ge 2 d` only.
    - "chen-qin": :math:`\sum_{i \ne j} x_i^\top x_j`, studentised [CQ2010]_. Any
      :math:`d`.
    - "shrinkage": "distance" after whitening by the shrunk scatter [L2004]_.
    - "auto": "hotelling" where :math:`N - 1 \ge 2 d`, otherwise "chen-qin".

    What the calibrations assume of independent matrices:

    - "permutation", here of signs: under the hypothesis the distribution is symmetric
      about the mean: reflection there, :math:`\log \mapsto -\log`, does not change it.
      The p-value is then exact.
    - "asymptotic": "hotelling" is exact for normal logarithms, otherwise asymptotic in
      :math:`N`; "distance" takes Box's F with an estimated effective dimension;
      "chen-qin" takes the normal limit, under the conditions of `equal_means_test`.

    Parameters
    ----------
    points : array-like, shape=[N, n, n]
        Full-rank correlation matrices.
    mean : array-like, shape=[n, n]
        Hypothesised Fréchet mean.
    space : FullRankCorrelationMatrices or str
        Manifold, equipped with one of the metrics of this library; or the key or the
        class of a metric, or the metric of a space.
    statistic : {"distance", "hotelling", "chen-qin", "shrinkage", "auto"}
        Statistic.
    calibration : {"permutation", "asymptotic"}
        Where the p-value comes from.
    n_permutations : int
        Number of random changes of signs.
    rng : int or numpy.random.Generator
        Seed or generator of the signs.
    alpha : float
        Level at which the p-value will be read. A `CoarseTestWarning` says so if the
        changes of signs are too few to reach it.
    progress : bool
        Show a progress bar, if tqdm is installed and it takes more than a second.

    Returns
    -------
    result : SignificanceTest
        Outcome.

    References
    ----------
    .. [CQ2010] S. X. Chen and Y.-L. Qin. A two-sample test for high-dimensional data
       with applications to gene-set testing. Ann. Statist. 38, 2010.
    .. [L2004] O. Ledoit and M. Wolf. A well-conditioned estimator for large-dimensional
       covariance matrices. J. Multivariate Anal. 88, 2004.

    Examples
    --------
    >>> import numpy as np
    >>> from geomstats_cor import FullRankCorrelationMatrices, mean_test
    >>> space = FullRankCorrelationMatrices(3, equip="lsm")
    >>> points = space.random_point(40, rng=0)
    >>> test = mean_test(points, np.eye(3), space, "hotelling", "asymptotic")
    >>> test.dof
    (3, 37)
    """
    require_choice("statistic", statistic, (*STATISTICS, "auto"))
    given, variables = points, names_of(points)
    points, mean = _admit_mean(one_stack(points, 2), in_order(mean, variables, "mean"))
    space = equipped(space, points.shape[-1], "points")
    with naming_culprits(given):
        center = frechet_mean(points, space)
    coords = as_numbers(space.metric.log_coords(points, mean))
    squared_dists = as_numbers(space.metric.squared_dist(points, center))
    design = SignFlips(len(points))
    return carry_out(
        _statistic(statistic, coords, design),
        design,
        "given mean",
        calibration,
        {
            "n_permutations": n_permutations,
            "rng": rng,
            "alpha": alpha,
            "progress": progress,
        },
        means=with_names(center[None], variables),
        dispersions=squared_dists.mean(keepdims=True),
    )


def require_flat(space: Any) -> None:
    """Raise if the metric of a space is curved.

    Parameters
    ----------
    space : FullRankCorrelationMatrices
        Equipped manifold.
    """
    if not space.metric.image_space.metric.is_flat:
        raise ParameterError(
            "the metric is curved, and in the tangent space at the pooled mean only "
            'permutations are exact: use calibration="permutation".'
        )


def _admit_mean(points, mean):
    points, mean = as_arrays(points=points, mean=mean)
    if mean.ndim != 2:
        raise ShapeError(
            f"mean: expected a single matrix, shape [n, n], got {tuple(mean.shape)}."
        )
    return points, mean


def _statistic(key, coords, design):
    if key == "auto":
        few_groups = len(design.observed) <= 2
        key = "chen-qin" if few_groups else "distance"
        if is_ample(coords.shape[-1], design.error_dof):
            key = "hotelling"
    return STATISTICS[key](coords, design)
