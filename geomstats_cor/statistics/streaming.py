"""Means and variances of more matrices than memory holds."""

import functools
import inspect
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sklearn.base import BaseEstimator

from .._progress import Bar
from .._types import Array, ArrayLike
from ..data.culprits import naming_culprits
from ..data.labels import few
from ..data.naming import in_order, names_of, one_stack, with_names
from ..exceptions import ParameterError, ShapeError
from ..metrics import require_metric
from ..space import equipped
from ..validation import as_arrays
from .mean import _call, _require_weights
from .moments import Moments
from .quasi_newton_mean import curved_mean
from .sources import as_source, summarise_block

if TYPE_CHECKING:
    from ..space import FullRankCorrelationMatrices


@dataclass(frozen=True)
class MeanOfChunks:
    """Fréchet mean and variance of matrices that came in chunks.

    What `frechet_mean_of_chunks` returns.

    Parameters
    ----------
    mean : array or data frame, shape=[n, n]
        Fréchet mean.
    variance : float
        Fréchet variance about it.
    weight : float
        Sum of the weights.
    count : int
        Number of matrices.
    passes : int
        Number of passes over the chunks.

    Examples
    --------
    >>> from geomstats_cor import FullRankCorrelationMatrices, frechet_mean_of_chunks
    >>> space = FullRankCorrelationMatrices(3, equip="olm")
    >>> blocks = [space.random_point(10, rng=i) for i in range(5)]
    >>> result = frechet_mean_of_chunks(blocks, space, progress=False)
    >>> result.mean.shape, result.weight, result.count, result.passes
    ((3, 3), 50.0, 50, 1)
    """

    mean: Any
    variance: float
    weight: float
    count: int
    passes: int


def frechet_mean_of_chunks(
    chunks: Array,
    space: Any,
    weights: ArrayLike = None,
    chunk_size: int | None = None,
    progress: bool = True,
) -> Any:
    r"""Return the Fréchet mean and variance of matrices that come in chunks.

    .. math:: M = \operatorname{argmin}_C \sum_i w_i d(C, C_i)^2 , \qquad
              \frac{\sum_i w_i d(M, C_i)^2}{\sum_i w_i} .

    One pass for a flat metric [CGL1983]_. For the poly-hyperbolic metric a few passes,
    six to ten as a rule: each computes the gradient and the diagonal of the Hessian of
    the variance at the last iterate, and a quasi-Newton step with the memory of the
    last passes follows [N1980]_, until the gradient vanishes to rounding.

    Parameters
    ----------
    chunks : array, path, iterable, callable, or of dask
        - an array [N, n, n], memory-mapped ones included, which is read in pieces;
        - condensed rows, data frames, a list of matrices, or a `CorrelationStack`;
        - the path of a `.npy` file, which is mapped into memory; no other format;
        - an iterable of blocks [k, n, n] or of pairs (points, weights). An iterator
          that is used up by one pass is enough for a flat metric only;
        - a function without arguments that returns such an iterable;
        - a dask array [N, n, n], or a list of delayed blocks or pairs: the workers
          reduce their blocks, and states alone travel.
    space : FullRankCorrelationMatrices or str
        Manifold, equipped with one of the metrics of this library; or the key or the
        class of a metric, or the metric of a space. Delayed blocks of dask, whose size
        is not known, need a space or a metric.
    weights : array-like, shape=[N]
        Weights of the matrices of an array or a file, not negative, of positive sum;
        equal if None.
    chunk_size : int
        Number of matrices that are mapped at a time; a few megabytes if None.
    progress : bool
        Show a progress bar for each pass, if tqdm is installed. dask has its own.

    Returns
    -------
    result : MeanOfChunks
        Mean, variance, weight, and numbers of matrices and passes.

    References
    ----------
    .. [CGL1983] T. F. Chan, G. H. Golub and R. J. LeVeque. Algorithms for computing the
       sample variance. Am. Stat. 37, 1983.
    .. [N1980] J. Nocedal. Updating quasi-Newton matrices with limited storage. Math.
       Comp. 35, 1980.

    Examples
    --------
    >>> import numpy as np
    >>> from geomstats_cor import (
    ...     FullRankCorrelationMatrices,
    ...     frechet_mean,
    ...     frechet_mean_of_chunks,
    ... )
    >>> space = FullRankCorrelationMatrices(3, equip="olm")
    >>> blocks = [space.random_point(10, rng=i) for i in range(5)]
    >>> result = frechet_mean_of_chunks(blocks, space, progress=False)
    >>> bool(np.allclose(result.mean, frechet_mean(np.concatenate(blocks), space)))
    True
    """
    source = as_source(chunks, weights, chunk_size)
    if isinstance(space, str) or inspect.isclass(space):
        space = equipped(space, source.size(), "chunks")
    space = getattr(space, "_space", space)
    metric = require_metric(space)
    bar = Bar(progress)
    if metric.image_space.metric.is_flat:
        summarise = functools.partial(_coordinate_moments, space)
        moments = source.reduce(summarise, Moments.merge, bar)
        _require_some(moments)
        return MeanOfChunks(
            with_names(metric.from_coords(moments.mean), source.variables),
            moments.variance,
            moments.weight,
            moments.count,
            1,
        )
    if not source.is_repeatable:
        raise ParameterError(
            "chunks is an iterator, which one pass uses up, but the mean under a "
            "curved metric takes several: pass a list, an array, a path, or a function "
            "that returns a new iterator each time."
        )

    def statistics_at(base: Any) -> Any:
        summarise = functools.partial(_tangent_moments, space, base)
        moments = source.reduce(summarise, _merge_each, bar)
        _require_some(moments and moments[0])
        return moments

    image_metric = metric.image_space.metric
    mean, variance, moments, passes = _call(
        curved_mean, space, statistics_at, image_metric
    )
    mean = with_names(metric.diffeo.inverse(mean), source.variables)
    return MeanOfChunks(mean, variance, moments.weight, moments.count, passes)


def _require_some(moments):
    if moments is None or moments.count == 0:
        raise ShapeError("there are no matrices, and no mean of no matrices.")
    if moments.mean is None:
        raise ParameterError("weights must be finite, not negative, and not all zero.")


def _validated(space, points, weights):
    points, weights = as_arrays(("weights",), points=points, weights=weights)
    (points,) = space.metric._validated(points=points)
    if weights is not None and points.shape[0] > 0:
        _require_weights(weights, points)
    return points, weights


def _coordinate_moments(space, points, weights):
    """Return the moments of the coordinates of a piece."""
    points, weights = _validated(space, points, weights)
    metric = space.metric
    return Moments.of(
        metric.image_space.metric.to_coords(metric.diffeo(points)), weights
    )


def _tangent_moments(space, base, points, weights):
    """Return the moments of logarithms at a point, and of the stiffness there."""
    points, weights = _validated(space, points, weights)
    metric = space.metric.image_space.metric
    image = space.metric.diffeo(points)
    if base is None:
        base = space.metric.diffeo(space.metric.origin(like=points))
    logs = metric.log_coords(image, base)
    return Moments.of(logs, weights), Moments.of(metric.stiffness(logs), weights)


def _merge_each(states, others):
    return tuple(a.merge(b) for a, b in zip(states, others, strict=True))


def _flat(space):
    """Return an equipped space, or raise if its metric is curved."""
    if not require_metric(space).image_space.metric.is_flat:
        raise ParameterError(
            "the metric is curved: its mean takes several passes over the matrices, by "
            "frechet_mean_of_chunks."
        )
    return space


class StreamingMean(BaseEstimator):
    r"""Fréchet mean and variance in one pass, as a state that merges with others.

    For the flat metrics: the mean and the scatter of isometric coordinates :math:`x`,

    .. math:: \bar x = \frac{w_a \bar x_a + w_b \bar x_b}{w_a + w_b} , \qquad
              S = S_a + S_b + \frac{w_a w_b}{w_a + w_b} |\bar x_a - \bar x_b|^2 ,

    updated without cancellation [CGL1983]_. Any division of the matrices into blocks
    and any order of merges gives the same result, up to rounding; a state can be
    pickled, sent and merged elsewhere. Under the poly-hyperbolic metric no such state
    exists; there `frechet_mean_of_chunks` takes a few passes.

    Parameters
    ----------
    space : FullRankCorrelationMatrices or str
        Manifold, equipped with one of the flat metrics of this library; or the key or
        the class of a metric, or the metric of a space.

    Attributes
    ----------
    estimate_ : array or data frame, shape=[n, n]
        Fréchet mean of the matrices so far.
    variance_ : float
        Fréchet variance about it.
    weight_ : float
        Sum of the weights so far.
    count_ : int
        Number of matrices so far.

    References
    ----------
    .. [CGL1983] T. F. Chan, G. H. Golub and R. J. LeVeque. Algorithms for computing the
       sample variance. Am. Stat. 37, 1983.

    Examples
    --------
    >>> from geomstats_cor import FullRankCorrelationMatrices, StreamingMean
    >>> space = FullRankCorrelationMatrices(3, equip="lsm")
    >>> first = StreamingMean(space).partial_fit(space.random_point(10, rng=0))
    >>> second = StreamingMean(space).partial_fit(space.random_point(20, rng=1))
    >>> first.merge(second).count_
    30
    """

    _moments = Moments()
    _space: Any = None
    _variables: list | None = None

    def __init__(self, space: "FullRankCorrelationMatrices") -> None:
        self.space = space

    def partial_fit(
        self, X: ArrayLike, y: Any = None, weights: ArrayLike = None
    ) -> Any:
        """Take matrices in.

        Parameters
        ----------
        X : array-like, shape=[N, n, n] or [N, n (n - 1) / 2], or tables, or a stack
            Full-rank correlation matrices; there may be none. Variables with names are
            brought into the order of the first call.
        y : None
            Ignored, for the sake of pipelines.
        weights : array-like, shape=[N]
            Weights, not negative; ones if None.

        Returns
        -------
        self : StreamingMean
            The estimator.
        """
        variables = names_of(X) if self._variables is None else self._variables
        points = one_stack(in_order(X, variables, "X"))
        space = _flat(equipped(self.space, points.shape[-1], "X"))
        block = points if weights is None else (points, weights)
        summarise = functools.partial(_coordinate_moments, space)
        with naming_culprits(X):
            found = summarise_block(block, summarise, Moments.merge)
        self._moments, self._space = self._moments.merge(found), space
        self._variables = variables
        return self

    def fit(self, X: ArrayLike, y: Any = None, weights: ArrayLike = None) -> Any:
        """Forget what was taken in, and take these matrices in.

        Parameters
        ----------
        X : array-like, shape=[N, n, n]
            Full-rank correlation matrices.
        y : None
            Ignored, for the sake of pipelines.
        weights : array-like, shape=[N]
            Weights, not negative; ones if None.

        Returns
        -------
        self : StreamingMean
            The estimator.
        """
        self._moments, self._variables = Moments(), None
        return self.partial_fit(X, weights=weights)

    def merge(self, other: Any) -> Any:
        """Return the state of the matrices of both.

        Parameters
        ----------
        other : StreamingMean
            State of other matrices, under the same metric.

        Returns
        -------
        merged : StreamingMean
            New state; the two are left as they are.
        """
        if not isinstance(other, StreamingMean):
            raise ParameterError(
                f"other: expected a StreamingMean, got a {type(other).__name__}."
            )
        merged = StreamingMean(self.space)
        merged._moments = self._moments.merge(other._moments)
        spaces = [s for s in (self._known_space(), other._known_space()) if s]
        if spaces:
            merged._space = _flat(spaces[0])
            if not merged._space.metric.is_same(_flat(spaces[-1]).metric):
                raise ParameterError(
                    "the states have different metrics or sizes: coordinates of one "
                    "mean nothing to the other."
                )
        orders = [s._variables for s in (self, other) if s._moments.count]
        if orders:
            merged._variables = orders[0]
            if orders[0] != orders[-1]:
                first, last = (few(order or ["no names"]) for order in orders)
                raise ParameterError(
                    f"the states have variables in different orders, {first} and "
                    f"{last}: bring the matrices into one order before partial_fit."
                )
        return merged

    def _known_space(self):
        """Return the equipped space, or None if only the key of a metric is known."""
        if isinstance(self.space, str) or inspect.isclass(self.space):
            return self._space
        return getattr(self.space, "_space", self.space)

    def __sklearn_is_fitted__(self):
        return self._moments.count > 0

    @property
    def estimate_(self) -> Any:
        """Fréchet mean of the matrices so far."""
        _require_some(self._moments)
        mean = self._space.metric.from_coords(self._moments.mean)
        return with_names(mean, self._variables)

    @property
    def variance_(self) -> Any:
        """Fréchet variance of the matrices so far."""
        _require_some(self._moments)
        return self._moments.variance

    @property
    def weight_(self) -> Any:
        """Sum of the weights so far."""
        return self._moments.weight

    @property
    def count_(self) -> Any:
        """Number of matrices so far."""
        return self._moments.count
