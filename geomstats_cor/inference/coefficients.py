r"""The coefficients of a linear classifier of coordinates, as a matrix of edges.

A linear decision in coordinates is, to first order at the reference point :math:`R` of
`ToCoords`, a linear function of the correlations:

.. math:: w^\top x(C) \approx \sum_{i > j} G_{ij} (C_{ij} - R_{ij}) .

The matrix :math:`G` of weights says what the classifier reads; an edge can have a
weight because it carries signal or because it cancels noise of others. The pattern, the
covariance of coordinates times the weights [H2014]_, in units of correlation, says how
the correlations differ along the decision.

References
----------
.. [H2014] S. Haufe, F. Meinecke, K. Görgen, S. Dähne, J.-D. Haynes, B. Blankertz and F.
   Bießmann. On the interpretation of weight vectors of linear models in multivariate
   neuroimaging. NeuroImage 87, 2014.
"""

from typing import Any

import numpy as np
from sklearn.base import clone

from .. import kernels
from .._progress import steps
from .._types import Array, ArrayLike
from ..data.sampling import as_generator
from ..exceptions import ParameterError, ShapeError
from ..kernels._batching import members_in_memory
from ..kernels._quotients import divide
from ..learning.coordinates import ToCoords
from ..validation import require_choice, require_integer
from .edges import EdgeNull, EdgeTest, adjust_fdr
from .exchangeability import BlockExchange, FreeExchange, admit_blocks
from .samples import as_numbers
from .tables import as_matrix, named_matrices
from .term_tests import warn_if_few

KINDS = ("weights", "pattern")


def coef_matrix(pipeline: Any, kind: str = "weights", X: ArrayLike = None) -> Array:
    r"""Return the coefficients of a linear model of coordinates as matrices.

    Parameters
    ----------
    pipeline : sklearn.pipeline.Pipeline
        Fitted pipeline that begins with `ToCoords` and ends with an estimator with
        `coef_`; between them, steps whose `transform` is affine, such as
        `StandardScaler`, `PCA` or `SelectKBest`.
    kind : {"weights", "pattern"}
        "weights": the symmetric matrix :math:`G` with :math:`\sum_{i > j} G_{ij}
        (C_{ij} - R_{ij})` the decision to first order. "pattern": how the correlations
        change along the decision, their covariance with it to first order: that of the
        data times the weights [H2014]_.
    X : array-like, shape=[N, n, n]
        Data for the covariance; for kind="pattern" only.

    Returns
    -------
    matrix : array or data frame, shape=[n, n], or k of them
        Symmetric matrix with null diagonal, a data frame if `fit` saw the names of the
        variables; for k > 1 decisions an array [k, n, n], or a list of data frames.

    References
    ----------
    .. [H2014] S. Haufe, F. Meinecke, K. Görgen, S. Dähne, J.-D. Haynes, B. Blankertz
       and F. Bießmann. On the interpretation of weight vectors of linear models in
       multivariate neuroimaging. NeuroImage 87, 2014.

    Examples
    --------
    >>> from sklearn.linear_model import LogisticRegression
    >>> from sklearn.pipeline import make_pipeline
    >>> from geomstats_cor.datasets import load_connectomes
    >>> from geomstats_cor.inference import coef_matrix
    >>> from geomstats_cor.learning import ToCoords
    >>> data = load_connectomes()
    >>> pipeline = make_pipeline(ToCoords("olm"), LogisticRegression(C=0.01))
    >>> pipeline = pipeline.fit(data.correlations, data.labels)
    >>> coef_matrix(pipeline).shape
    (28, 28)
    """
    require_choice("kind", kind, KINDS)
    if kind == "pattern" and X is None:
        raise ParameterError('kind="pattern" needs the data: pass X.')
    entries = _entries(pipeline, kind, X)
    first = _first(pipeline)
    return named_matrices(as_matrix(entries, first.space_.n), first._variables)


def coefficient_test(
    pipeline: Any,
    X: ArrayLike,
    y: ArrayLike,
    kind: str = "pattern",
    blocks: ArrayLike = None,
    n_permutations: int = 199,
    rng: Any = None,
    alpha: float = 0.05,
    pooled: bool = False,
    variables: ArrayLike = None,
    progress: bool = True,
) -> Any:
    """Test which coefficients of a classifier are larger than without any relation.

    The labels are permuted, the pipeline is fitted anew, and each coefficient is
    compared with its own null distribution, and the largest with the largest
    standardised one. The hypothesis is that the labels tell nothing of the matrices.

    Parameters
    ----------
    pipeline : sklearn.pipeline.Pipeline
        Pipeline as for `coef_matrix`, of a single decision: two classes, or a number.
        It is cloned, and need not be fitted.
    X : array-like, shape=[N, n, n]
        Correlation matrices.
    y : array-like, shape=[N]
        Classes or numbers.
    kind : {"pattern", "weights"}
        Which coefficients; see `coef_matrix`.
    blocks : array-like, shape=[N]
        Label of the block of each matrix; labels that are constant in blocks are
        permuted as blocks, others within blocks.
    n_permutations : int
        Number of random permutations, each of which fits the pipeline.
    rng : int or numpy.random.Generator
        Seed or generator of the permutations.
    alpha : float
        Level at which p-values will be read.
    pooled : bool
        Whether the p-value of an edge counts the standardised null coefficients of all.
    variables : sequence, length n
        Names of the variables.
    progress : bool
        Show a progress bar, if it takes more than a second.

    Returns
    -------
    result : EdgeTest
        Coefficients in `effects`, those over their standard deviation under
        permutations in `statistic`, and p-values.

    Examples
    --------
    >>> from sklearn.linear_model import LogisticRegression
    >>> from sklearn.pipeline import make_pipeline
    >>> from geomstats_cor import FullRankCorrelationMatrices
    >>> from geomstats_cor.inference import coefficient_test
    >>> from geomstats_cor.learning import ToCoords
    >>> points = FullRankCorrelationMatrices(3, equip="olm").random_point(12, rng=0)
    >>> pipeline = make_pipeline(ToCoords("olm"), LogisticRegression())
    >>> y = [0, 1] * 6
    >>> test = coefficient_test(pipeline, points, y, n_permutations=39, rng=0)
    >>> test.p.shape
    (3,)
    """
    from .named_samples import read_sample

    require_choice("kind", kind, KINDS)
    require_integer("n_permutations", n_permutations, 1)
    sample = read_sample(X, variables, name="X")
    X, y = sample.points, np.asarray(y)
    if y.shape != (len(X),):
        raise ShapeError(
            f"y: expected shape [{len(X)}], a label for each matrix, got {y.shape}."
        )
    exchange = _exchange(y, admit_blocks(blocks, len(X)))
    rng = as_generator(rng)

    def coefficients(labels):
        fitted = clone(pipeline).fit(X, labels)
        found = _entries(fitted, kind, X)
        if len(found) > 1:
            raise ParameterError(
                f"the classifier has {len(found)} decisions: test two classes at a "
                f"time."
            )
        return found[0]

    observed = coefficients(y)
    null = np.empty((n_permutations, len(observed)))
    with steps(n_permutations, "permutations", progress) as advance:
        for i, order in enumerate(exchange.draw(n_permutations, rng)):
            null[i] = coefficients(y[order])
            advance(1)
    # The data as they are count among the permutations, here as in the p-values.
    scale = np.sqrt(np.mean(np.vstack([null, observed]) ** 2, axis=0))
    counts = EdgeNull(divide(observed, scale), pooled)
    counts.add(divide(null, scale))
    own, among, largest = counts.p_values(False)
    warn_if_few(n_permutations, False, alpha, len(observed), pooled)
    return EdgeTest(
        term=f"classifier ({kind})",
        columns=("coefficient",),
        effects=observed[None],
        statistic=observed / scale,
        p=own,
        p_max_t=among,
        p_fdr=adjust_fdr(own),
        n=X.shape[-1],
        variables=sample.variables,
        n_permutations=n_permutations,
        max_null=largest,
    )


def _exchange(y, blocks):
    if blocks is None:
        return FreeExchange(len(y))
    pairs = {(b, label) for b, label in zip(blocks.tolist(), y.tolist(), strict=True)}
    return BlockExchange(blocks, is_within=len(pairs) > len(set(blocks.tolist())))


def _first(pipeline):
    found = getattr(pipeline, "steps", None)
    if not found or not isinstance(found[0][1], ToCoords):
        raise ParameterError(
            "pipeline: expected make_pipeline(ToCoords(...), ..., classifier), got "
            f"{type(pipeline).__name__}."
        )
    return found[0][1]


def _entries(pipeline, kind, X):
    """Return the coefficients [k, d] of edges."""
    first = _first(pipeline)
    weights = _coordinate_weights(pipeline, first)
    metric, reference = first.space_.metric, first.reference_
    if kind == "weights":
        return _covectors(metric, reference, weights)
    coords = first.transform(X)
    coords = coords - coords.mean(axis=0)
    decisions = coords @ weights.T
    patterns = (decisions.T @ coords) / (len(coords) - 1)
    return _tangents(metric, reference, patterns)


def _coordinate_weights(pipeline, first):
    """Return the gradient [k, d] of the decisions in coordinates.

    The steps between are affine: their Jacobian is what they do to steps along the
    coefficients' own directions, pulled back one by one.
    """
    coef = getattr(pipeline.steps[-1][1], "coef_", None)
    if coef is None:
        raise ParameterError(
            f"the last step, {type(pipeline.steps[-1][1]).__name__}, has no coef_: use "
            f"a linear classifier, fitted."
        )
    weights = np.atleast_2d(np.asarray(coef, dtype=float))
    between = [step for _, step in pipeline.steps[1:-1] if step is not None]
    for step in reversed([s for s in between if s != "passthrough"]):
        weights = _pulled_back(step, weights)
    if weights.shape[1] != first.space_.dim:
        raise ParameterError(
            f"the steps of the pipeline end with {weights.shape[1]} weights for "
            f"{first.space_.dim} coordinates."
        )
    return weights


def _pulled_back(step, weights):
    """Return the weights before an affine step."""
    number = step.n_features_in_
    origin = step.transform(np.zeros((1, number)))
    probe = np.linspace(-1.0, 1.0, number)[None]
    result = np.empty((len(weights), number))
    size = members_in_memory(max(number, origin.shape[1]))
    for start in range(0, number, size):
        rows = np.eye(number)[start : start + size]
        result[:, start : start + size] = weights @ (step.transform(rows) - origin).T
    expected = (step.transform(probe) - origin) @ weights.T
    if not np.allclose(probe @ result.T, expected, rtol=1e-6, atol=1e-9):
        raise ParameterError(
            f"the step {type(step).__name__} is not affine, so that the coefficients "
            f"have no counterpart in correlations."
        )
    return result


def _tangents(metric, base, coords):
    """Return vectors given by coordinates in units of correlation."""
    lengths = np.linalg.norm(coords, axis=1, keepdims=True)
    # The logarithm of the exponential is the vector itself; unit length is safe.
    logs = metric.log(metric.exp_coords(divide(coords, lengths), base), base)
    return as_numbers(kernels.pack_strictly_lower(logs)) * lengths


def _covectors(metric, base, coords):
    """Return the derivatives of <v, .> along single correlations."""
    n = base.shape[-1]
    logs = as_matrix(_tangents(metric, base, coords), n)
    rows, columns = np.tril_indices(n, -1)
    result = np.empty((len(coords), len(rows)))
    size = members_in_memory(n * n)
    for start in range(0, len(rows), size):
        piece = slice(start, start + size)
        edge = np.zeros((len(rows[piece]), n, n))
        own = np.arange(len(edge))
        edge[own, rows[piece], columns[piece]] = 1.0
        edge[own, columns[piece], rows[piece]] = 1.0
        for k, log in enumerate(logs):
            result[k, piece] = as_numbers(metric.inner_product(edge, log, base))
    return result
