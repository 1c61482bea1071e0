"""Which correlations a covariate goes with: simultaneous inference on edges.

References
----------
.. [BH1995] Y. Benjamini and Y. Hochberg. Controlling the false discovery rate. J. R.
   Stat. Soc. B 57, 1995.
.. [WY1993] P. H. Westfall and S. S. Young. Resampling-based multiple testing. Wiley,
   1993.
"""

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from .._types import Array, ArrayLike
from ..exceptions import ParameterError
from ..validation import require_choice
from .tables import as_matrix, named_matrices, pairs_of, pandas

CORRECTIONS = {"max-t": "p_max_t", "fdr": "p_fdr", "none": "p"}


@dataclass(frozen=True, repr=False)
class EdgeTest:
    r"""Effects on each correlation, with corrected p-values.

    An edge is a pair of variables. Arrays hold one number for each, in the order of
    strict lower entries, row by row: (1, 0), (2, 0), (2, 1), ...

    Parameters
    ----------
    term : str
        Covariate that was tested.
    columns : tuple of str
        Columns of the covariate: one if it is continuous or has two levels.
    effects : numpy.ndarray, shape=[q, d]
        Change of each correlation per unit of each column, at the mean.
    statistic : numpy.ndarray, shape=[d]
        Signed t for q = 1, F otherwise; of coefficients, their value.
    p : numpy.ndarray, shape=[d]
        Significance of each edge on its own, by permutation.
    p_max_t : numpy.ndarray, shape=[d]
        Significance among all edges: the share of permutations whose largest statistic
        is as large [WY1993]_. It controls the probability of any false edge.
    p_fdr : numpy.ndarray, shape=[d]
        Significance adjusted by Benjamini and Hochberg [BH1995]_. It controls the
        expected share of false edges among those reported.
    n : int
        Number of variables.
    variables : tuple or None
        Their names.
    n_permutations : int
        Number of permutations.
    max_null : numpy.ndarray, shape=[n_permutations]
        Largest absolute statistic of each permutation.

    References
    ----------
    .. [BH1995] Y. Benjamini and Y. Hochberg. Controlling the false discovery rate. J.
       R. Stat. Soc. B 57, 1995.
    .. [WY1993] P. H. Westfall and S. S. Young. Resampling-based multiple testing.
       Wiley, 1993.

    Examples
    --------
    >>> import numpy as np
    >>> from geomstats_cor import FullRankCorrelationMatrices
    >>> from geomstats_cor.inference import MultivariateGeodesicRegression
    >>> points = FullRankCorrelationMatrices(4).random_point(20, rng=0)
    >>> model = MultivariateGeodesicRegression().fit({"age": np.arange(20.0)}, points)
    >>> test = model.edge_test("age", n_permutations=99, rng=0)
    >>> test.table().shape
    (6, 7)
    """

    term: str
    columns: tuple
    effects: np.ndarray = field(compare=False)
    statistic: np.ndarray = field(compare=False)
    p: np.ndarray = field(compare=False)
    p_max_t: np.ndarray = field(compare=False)
    p_fdr: np.ndarray = field(compare=False)
    n: int
    variables: Any = None
    n_permutations: int = 0
    max_null: Any = field(default=None, compare=False)

    def __repr__(self):
        low, high = np.min(self.p_max_t), np.min(self.p_fdr)
        return (
            f"edges of {self.term}: {len(self.p)} edges, smallest corrected p = "
            f"{low:.4g} (max-T), {high:.4g} (FDR), {self.n_permutations} permutations"
        )

    def matrix(self, what: str = "effect") -> Array:
        """Return a quantity of the edges as a symmetric matrix.

        Parameters
        ----------
        what : {"effect", "statistic", "p", "p_max_t", "p_fdr"}
            Quantity. The diagonal is zero, of p-values one.

        Returns
        -------
        matrix : array or data frame, shape=[n, n], or several
            Matrix, a data frame if the variables have names; effects of q > 1 columns
            are an array [q, n, n], or a list of data frames.
        """
        choices = ("effect", "statistic", "p", "p_max_t", "p_fdr")
        require_choice("what", what, choices)
        if what == "effect":
            matrices = as_matrix(self.effects, self.n)
            return named_matrices(matrices, self.variables)
        diagonal = 1.0 if what.startswith("p") else 0.0
        matrix = as_matrix(getattr(self, what), self.n, diagonal)
        return named_matrices(matrix[None], self.variables)

    def table(self, alpha: float | None = None, correction: Any = "max-t") -> Any:
        """Return the edges as a data frame, the smallest p-values first.

        Parameters
        ----------
        alpha : float
            Largest corrected p-value to list; all edges if None.
        correction : {"max-t", "fdr", "none"}
            By which p-value to select.

        Returns
        -------
        table : pandas.DataFrame
            Columns `variable_i`, `variable_j`, `effect` (one for each column of a
            covariate with more than two levels), `statistic`, `p`, `p_max_t`, `p_fdr`.
        """
        require_choice("correction", correction, CORRECTIONS)
        first, second = pairs_of(self.n, self.variables)
        effects = (
            {"effect": self.effects[0]}
            if len(self.columns) == 1
            else {
                f"effect {column}": effect
                for column, effect in zip(self.columns, self.effects, strict=True)
            }
        )
        table = pandas().DataFrame(
            {
                "variable_i": first,
                "variable_j": second,
                **effects,
                "statistic": self.statistic,
                "p": self.p,
                "p_max_t": self.p_max_t,
                "p_fdr": self.p_fdr,
            }
        )
        order = np.lexsort((-np.abs(self.statistic), self.p_max_t))
        table = table.iloc[order].reset_index(drop=True)
        if alpha is None:
            return table
        kept = table[CORRECTIONS[correction]] <= alpha
        return table[kept].reset_index(drop=True)


class EdgeNull:
    """Counts of permuted statistics that reach the observed ones.

    Parameters
    ----------
    observed : numpy.ndarray, shape=[d]
        Statistics of the data as they are.
    pooled : bool
        Whether p-values of single edges count the permuted statistics of all edges.
    """

    def __init__(self, observed: Array, pooled: bool = False) -> None:
        self.sizes = np.abs(observed)
        # Statistics that differ by rounding only are equal.
        scale = np.max(self.sizes, where=np.isfinite(self.sizes), initial=0.0)
        self.reach = self.sizes - 2.0**10 * np.finfo(float).eps * scale
        self.pooled = pooled
        self._order = np.argsort(self.reach)
        self._counts = np.zeros(len(observed))
        self._largest: list = []
        self._number = 0

    def add(self, statistics: Any) -> None:
        """Take in statistics [b, d] of permuted data."""
        sizes = np.abs(statistics)
        self._number += len(sizes)
        self._largest.append(np.max(sizes, axis=-1))
        if self.pooled:
            places = np.searchsorted(self.reach[self._order], sizes.ravel(), "right")
            passed = np.bincount(places, minlength=len(self.reach) + 1)
            # An edge is reached by the values placed beyond it.
            beyond = np.cumsum(passed[::-1])[::-1][1:]
            self._counts[self._order] += beyond
        else:
            self._counts += np.sum(sizes >= self.reach, axis=0)

    def p_values(self, exhaustive: Any) -> Any:
        """Return p-values of edges on their own, and among all, and the null maxima."""
        largest = np.concatenate(self._largest)
        among = np.sum(largest[:, None] >= self.reach, axis=0)
        extra = 0 if exhaustive else 1
        trials = self._number * (len(self.reach) if self.pooled else 1)
        own = (extra + self._counts) / (extra + trials)
        return own, (extra + among) / (extra + self._number), largest


def adjust_fdr(p: ArrayLike) -> Array:
    r"""Return p-values adjusted by the method of Benjamini and Hochberg.

    .. math:: \tilde p_{(i)} = \min_{j \ge i} \min(1, m p_{(j)} / j) .

    Parameters
    ----------
    p : array-like, shape=[m]
        Values between zero and one.

    Returns
    -------
    adjusted : numpy.ndarray, shape=[m]
        Adjusted p-values.

    References
    ----------
    .. [BH1995] Y. Benjamini and Y. Hochberg. Controlling the false discovery rate. J.
       R. Stat. Soc. B 57, 1995.

    Examples
    --------
    >>> from geomstats_cor.inference import adjust_fdr
    >>> adjust_fdr([0.01, 0.04, 0.03, 0.5]).round(4)
    array([0.04  , 0.0533, 0.0533, 0.5   ])
    """
    p = np.asarray(p, dtype=float)
    if p.ndim != 1 or not np.all((p >= 0.0) & (p <= 1.0)):
        raise ParameterError("p: expected a list of numbers between zero and one.")
    order = np.argsort(p)[::-1]
    ranks = len(p) - np.arange(len(p))
    adjusted = np.empty_like(p)
    adjusted[order] = np.minimum(
        1.0, np.minimum.accumulate(p[order] * (len(p) / ranks))
    )
    return adjusted
