"""Tests of groups that allow for covariates, pairs and repeated measures."""

from typing import Any

from .._types import ArrayLike
from ..data.labels import in_order_of
from ..data.naming import subjects_of
from ..exceptions import ParameterError
from .designs import aligned_columns, named_columns
from .frames import as_labels
from .linear_model import MultivariateGeodesicRegression


def adjusted_means_test(
    points: ArrayLike,
    labels: ArrayLike,
    space: Any,
    covariates: Any = None,
    blocks: ArrayLike = None,
    n_permutations: int = 9999,
    rng: Any = None,
    alpha: float = 0.05,
    exchange: str = "auto",
    frames: Any = None,
    categorical: ArrayLike = (),
    progress: bool = True,
) -> Any:
    r"""Test whether groups have the same mean, given covariates.

    The test of the labels in `MultivariateGeodesicRegression`, by the permutations of
    Freedman and Lane [FL1983]_. Without covariates and blocks it is `equal_means_test`
    with the statistic "distance". With the subjects as blocks, and a label for each of
    their conditions or visits, it is the paired test: averages of subjects are part of
    the model, and labels are permuted within subjects. If the label is the same for all
    matrices of a subject, whole subjects are permuted.

    Parameters
    ----------
    points : array-like, shape=[N, n, n]
        Full-rank correlation matrices; or a dask array of them.
    labels : array-like, shape=[N]
        Label of the group of each matrix.
    space : FullRankCorrelationMatrices or str
        Equipped manifold, key or class of a metric, "entries" or "fisher-z".
    covariates : data frame, dict or array-like, shape=[N, p]
        Covariates to adjust for, without missing values.
    blocks : array-like, shape=[N]
        Label of the block of each matrix, such as the subject.
    n_permutations : int
        Number of random permutations.
    rng : int or numpy.random.Generator
        Seed or generator of the permutations.
    alpha : float
        Level at which the p-value will be read.
    exchange : {"auto", "within", "whole"}
        What to exchange if there are blocks.
    frames : int or array-like, shape=[N]
        Number of frames of each matrix, those of a `CorrelationStack` if None; an
        `UnequalFramesWarning` says so if the groups differ in it, given the covariates.
    categorical : sequence of str
        Covariates whose numbers are codes of levels.
    progress : bool
        Show a progress bar, if it takes more than a second.

    Returns
    -------
    result : SignificanceTest
        Outcome.

    References
    ----------
    .. [FL1983] D. Freedman and D. Lane. A nonstochastic interpretation of reported
       significance levels. J. Bus. Econ. Stat. 1, 1983.

    Examples
    --------
    Eight subjects before and after, exchanged within subjects:

    >>> import numpy as np
    >>> from geomstats_cor import FullRankCorrelationMatrices
    >>> from geomstats_cor.inference import adjusted_means_test
    >>> space = FullRankCorrelationMatrices(3, equip="olm")
    >>> before = space.random_point(8, rng=0)
    >>> after = space.metric.exp_coords(np.full(3, 0.1), before)
    >>> test = adjusted_means_test(
    ...     np.concatenate([before, after]),
    ...     ["before"] * 8 + ["after"] * 8,
    ...     space,
    ...     blocks=[*range(8), *range(8)],
    ... )
    >>> test.n_permutations, round(test.p_value, 4)
    (256, 0.0078)
    """
    values, index = ({}, None) if covariates is None else named_columns(covariates)
    if "labels" in values:
        raise ParameterError(
            "a covariate is named 'labels', as the groups are here: rename it."
        )
    values, subjects = aligned_columns(values, index, subjects_of(points))
    labels = as_labels(in_order_of("labels", labels, subjects))
    categorical = [categorical] if isinstance(categorical, str) else categorical
    model = MultivariateGeodesicRegression(space, ("labels", *categorical))
    terms = {"labels": labels, **values}
    model._fit(terms, points, blocks, None, subjects, frames, tested=("labels",))
    return model.test("labels", n_permutations, rng, alpha, exchange, progress)
