"""Tests of a term of a linear model: on all edges at once, on each, on networks."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import stats

from .._callers import warn_user
from .._progress import steps
from .._types import Array
from ..data.sampling import as_generator
from ..exceptions import CoarseTestWarning, ParameterError
from ..validation import require_choice, require_integer, require_number
from .edges import EdgeNull, EdgeTest, adjust_fdr
from .exchangeability import exchange_for
from .freedman_lane import FreedmanLane, permuted_statistics
from .networks import MEASURES, TAILS, Network, NetworkSizes, NetworkTest
from .rearrangements import NullDistribution, warn_if_coarse
from .results import SignificanceTest


@dataclass(frozen=True)
class FittedModel:
    """What tests need to know of a model.

    Parameters
    ----------
    design : Design
        Covariates.
    responses : LocalResponses or DaskResponses
        Vectors.
    blocks : numpy.ndarray of int, shape=[N], or None
        Blocks of exchangeability.
    n : int
        Number of variables.
    variables : tuple or None
        Their names.
    fit_of : callable
        Returns the fit of a kind of vectors.
    """

    design: Any
    responses: Any
    blocks: Any
    n: int
    variables: Any
    fit_of: Any


@dataclass(frozen=True)
class PermutationOptions:
    """How to permute.

    Parameters
    ----------
    n_permutations : int
        Number of random permutations.
    rng : int or numpy.random.Generator
        Seed or generator.
    alpha : float
        Level at which p-values will be read.
    exchange : {"auto", "within", "whole"}
        What to exchange if there are blocks.
    progress : bool
        Whether to show a progress bar.
    """

    n_permutations: int
    rng: Any
    alpha: float
    exchange: str
    progress: bool

    def permutations(self, exchange: Any) -> Any:
        """Return permutations [B, N], and whether they are all there are."""
        require_integer("n_permutations", self.n_permutations, 1)
        require_number("alpha", self.alpha, 0.0, 1.0)
        if exchange.count <= self.n_permutations:
            return exchange.everything(), True
        return exchange.draw(self.n_permutations, as_generator(self.rng)), False


def _statistics(model, term, kind, each, options):
    """Return the test, all statistics as an iterator, and whether it is exhaustive."""
    design = model.design
    places = design.places(term)
    columns = design.matrix[:, places]
    exchange = exchange_for(columns, model.blocks, options.exchange)
    test = FreedmanLane(design.matrix, places, exchange, model.blocks, term)
    permutations, exhaustive = options.permutations(exchange)

    def statistics():
        with steps(len(permutations), "permutations", options.progress) as advance:
            yield from permuted_statistics(
                test,
                model.responses,
                kind,
                model.fit_of(kind),
                permutations,
                each,
                advance,
            )

    return test, statistics(), exhaustive


def term_test(model: Any, term: str, options: Any) -> Any:
    """Test whether a term has an effect on the coordinates, given the others.

    Parameters
    ----------
    model : FittedModel
        Model.
    term : str
        Name of the term.
    options : PermutationOptions
        How to permute.

    Returns
    -------
    result : SignificanceTest
        Outcome.
    """
    test, statistics, exhaustive = _statistics(model, term, "products", False, options)
    observed = next(statistics)[0]
    null = NullDistribution(np.concatenate(list(statistics)), exhaustive)
    warn_if_coarse(null, options.alpha)
    return SignificanceTest(
        hypothesis=f"no effect of {term}",
        name="pseudo-F",
        calibration="permutation",
        statistic=float(test.reported(observed, each=False)),
        p_value=null.p_value(observed),
        dof=(test.hypothesis_dof, test.error_dof),
        n_permutations=len(null.values),
        exhaustive=exhaustive,
        null_distribution=test.reported(null.values, each=False),
    )


def edges_test(
    model: Any, term: str, options: Any, effects: Array, pooled: bool
) -> Any:
    """Test whether a term has an effect on each correlation, given the others.

    Parameters
    ----------
    model : FittedModel
        Model.
    term : str
        Name of the term.
    options : PermutationOptions
        How to permute.
    effects : numpy.ndarray, shape=[q, d]
        Effects, for the result.
    pooled : bool
        Whether p-values of single edges count the permuted statistics of all edges.

    Returns
    -------
    result : EdgeTest
        Outcome.
    """
    test, statistics, exhaustive = _statistics(model, term, "edges", True, options)
    observed = next(statistics)[0]
    null = EdgeNull(observed, pooled)
    for batch in statistics:
        null.add(batch)
    own, among, largest = null.p_values(exhaustive)
    warn_if_few(len(largest), exhaustive, options.alpha, len(observed), pooled)
    columns = model.design.places(term)
    return EdgeTest(
        term=term,
        columns=tuple(model.design.columns[j] for j in columns),
        effects=effects,
        statistic=test.reported(observed),
        p=own,
        p_max_t=among,
        p_fdr=adjust_fdr(own),
        n=model.n,
        variables=model.variables,
        n_permutations=len(largest),
        max_null=np.abs(test.reported(largest)),
    )


def warn_if_few(
    number: int, exhaustive: bool, alpha: float, edges: int, pooled: bool
) -> None:
    """Warn if permutations are too few for corrected p-values at a level.

    Parameters
    ----------
    number : int
        Number of permutations.
    exhaustive : bool
        Whether these are all.
    alpha : float
        Level.
    edges : int
        Number of edges.
    pooled : bool
        Whether single edges count the permuted statistics of all.
    """
    smallest = 1.0 / number if exhaustive else 1.0 / (number + 1)
    if smallest > alpha:
        warn_user(
            f"no corrected p-value below {smallest:.3g} can occur with {number} "
            f"permutations, so that no edge is significant at the level {alpha:g}: "
            + ("there are no more." if exhaustive else "use more of them."),
            CoarseTestWarning,
        )
    elif not pooled and smallest > alpha / edges:
        needed = int(np.ceil(smallest * edges / alpha))
        warn_user(
            f"p-values of single edges are at least {smallest:.3g}, so that the FDR "
            f"reports either no edge or at least {needed} of {edges} at the level "
            f"{alpha:g}: use more permutations, or pooled=True. p_max_t is not "
            f"concerned.",
            CoarseTestWarning,
        )


def networks_test(
    model: Any,
    term: str,
    options: Any,
    threshold: float | None,
    measure: str,
    tail: str,
) -> Any:
    """Test for connected sets of edges that a term has an effect on.

    Parameters
    ----------
    model : FittedModel
        Model.
    term : str
        Name of the term.
    options : PermutationOptions
        How to permute.
    threshold : float or None
        Statistic beyond which an edge counts; that of p = 0.001 if None.
    measure : {"extent", "intensity"}
        Size of a network.
    tail : {"both", "positive", "negative"}
        Which statistics count.

    Returns
    -------
    result : NetworkTest
        Outcome.
    """
    require_choice("measure", measure, MEASURES)
    require_choice("tail", tail, TAILS)
    test, statistics, exhaustive = _statistics(model, term, "edges", True, options)
    q, dof = test.hypothesis_dof, test.error_dof
    if q > 1 and tail != "both":
        raise ParameterError(
            f"tail is {tail!r}, but the term {term!r} has {q} columns, and an F has no "
            f'sign: use tail="both".'
        )
    if threshold is None:
        threshold = stats.f.isf(0.001, q, dof)
        threshold = float(np.sqrt(threshold) if q == 1 else threshold)
    require_number("threshold", threshold)
    observed = test.reported(next(statistics)[0])
    sizes = NetworkSizes(model.n, threshold, measure, tail)
    batches = (test.reported(batch) for batch in statistics)
    largest = np.array([sizes.largest(row) for batch in batches for row in batch])
    null = NullDistribution(largest, exhaustive)
    warn_if_coarse(null, options.alpha)
    names = range(model.n) if model.variables is None else model.variables
    rows, columns = np.tril_indices(model.n, -1)
    networks = tuple(
        Network(
            size,
            null.p_value(size),
            edges,
            tuple(names[i] for i in np.union1d(rows[edges], columns[edges])),
        )
        for size, edges in sizes.networks(observed)
    )
    return NetworkTest(
        term,
        threshold,
        measure,
        networks,
        observed,
        model.n,
        model.variables,
        len(largest),
        largest,
    )
