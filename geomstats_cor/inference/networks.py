"""Tests of networks: connected sets of edges that a covariate goes with together.

References
----------
.. [Z2010] A. Zalesky, A. Fornito and E. T. Bullmore. Network-based statistic:
   identifying differences in brain networks. NeuroImage 53, 2010.
"""

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from .tables import pairs_of, pandas

MEASURES = ("extent", "intensity")
TAILS = ("both", "positive", "negative")


@dataclass(frozen=True)
class Network:
    """A connected set of edges whose statistics exceed a threshold.

    Parameters
    ----------
    size : float
        Number of edges, or the sum of what their statistics exceed the threshold by.
    p_value : float
        Share of permutations whose largest network is as large: among all networks.
    edges : numpy.ndarray of int, shape=[m]
        Edges, in the order of strict lower entries.
    variables : tuple
        Names or numbers of the variables that the edges connect.

    Examples
    --------
    >>> import numpy as np
    >>> from geomstats_cor import FullRankCorrelationMatrices
    >>> from geomstats_cor.inference import MultivariateGeodesicRegression
    >>> points = FullRankCorrelationMatrices(5).random_point(20, rng=0)
    >>> model = MultivariateGeodesicRegression().fit({"age": np.arange(20.0)}, points)
    >>> test = model.network_test("age", threshold=1.0, n_permutations=99, rng=0)
    >>> type(test.networks[0]).__name__
    'Network'
    """

    size: float
    p_value: float
    edges: np.ndarray = field(repr=False, compare=False)
    variables: tuple


@dataclass(frozen=True, repr=False)
class NetworkTest:
    """Networks that a covariate goes with, the largest first.

    Parameters
    ----------
    term : str
        Covariate that was tested.
    threshold : float
        Statistic beyond which an edge counts.
    measure : {"extent", "intensity"}
        Size of a network.
    networks : tuple of Network
        Networks, the largest first.
    statistic : numpy.ndarray, shape=[d]
        Statistic of each edge.
    n : int
        Number of variables.
    variables : tuple or None
        Their names.
    n_permutations : int
        Number of permutations.
    max_null : numpy.ndarray, shape=[n_permutations]
        Size of the largest network of each permutation.

    References
    ----------
    .. [Z2010] A. Zalesky, A. Fornito and E. T. Bullmore. Network-based statistic:
       identifying differences in brain networks. NeuroImage 53, 2010.

    Examples
    --------
    >>> import numpy as np
    >>> from geomstats_cor import FullRankCorrelationMatrices
    >>> from geomstats_cor.inference import MultivariateGeodesicRegression
    >>> points = FullRankCorrelationMatrices(5).random_point(20, rng=0)
    >>> model = MultivariateGeodesicRegression().fit({"age": np.arange(20.0)}, points)
    >>> test = model.network_test("age", threshold=1.0, n_permutations=99, rng=0)
    >>> sorted(test.table().columns)[:3]
    ['network', 'p_network', 'statistic']
    """

    term: str
    threshold: float
    measure: str
    networks: tuple
    statistic: np.ndarray = field(compare=False)
    n: int
    variables: Any = None
    n_permutations: int = 0
    max_null: Any = field(default=None, compare=False)

    def __repr__(self):
        if not self.networks:
            return f"networks of {self.term}: none beyond {self.threshold:g}"
        first = self.networks[0]
        return (
            f"networks of {self.term}: {len(self.networks)} beyond "
            f"{self.threshold:.4g}, the largest of {len(first.edges)} edges and "
            f"{len(first.variables)} variables, p = {first.p_value:.4g}, "
            f"{self.n_permutations} permutations"
        )

    def table(self) -> Any:
        """Return the edges of the networks as a data frame.

        Returns
        -------
        table : pandas.DataFrame
            Columns `network` (0 is the largest), `variable_i`, `variable_j`,
            `statistic`, `p_network`.
        """
        first, second = pairs_of(self.n, self.variables)
        rows = [
            (number, first[e], second[e], self.statistic[e], network.p_value)
            for number, network in enumerate(self.networks)
            for e in network.edges
        ]
        names = ["network", "variable_i", "variable_j", "statistic", "p_network"]
        return pandas().DataFrame(rows, columns=names)


class NetworkSizes:
    """Sizes of the networks of statistics.

    Parameters
    ----------
    n : int
        Number of variables.
    threshold : float
        Statistic beyond which an edge counts.
    measure : {"extent", "intensity"}
        Size of a network.
    tail : {"both", "positive", "negative"}
        Which statistics count: by absolute value, or of one sign.
    """

    def __init__(self, n: int, threshold: float, measure: str, tail: str) -> None:
        self.n, self.threshold = n, threshold
        self.measure, self.tail = measure, tail
        self._rows, self._columns = np.tril_indices(n, -1)

    def networks(self, statistic: Any) -> Any:
        """Return pairs of a size and edges, the largest first."""
        excess = self._signed(statistic) - self.threshold
        edges = np.flatnonzero(excess > 0.0)
        if len(edges) == 0:
            return []
        rows, columns = self._rows[edges], self._columns[edges]
        graph = coo_array((np.ones(len(edges)), (rows, columns)), (self.n, self.n))
        _, labels = connected_components(graph, directed=False)
        found = np.unique(labels[rows], return_inverse=True)[1]
        amounts = np.ones(len(edges)) if self.measure == "extent" else excess[edges]
        sizes = np.bincount(found, weights=amounts)
        order = np.argsort(-sizes, kind="stable")
        return [(float(sizes[k]), edges[found == k]) for k in order]

    def largest(self, statistic: Any) -> Any:
        """Return the size of the largest network, zero if there is none."""
        networks = self.networks(statistic)
        return networks[0][0] if networks else 0.0

    def _signed(self, statistic):
        if self.tail == "both":
            return np.abs(statistic)
        return statistic if self.tail == "positive" else -statistic
