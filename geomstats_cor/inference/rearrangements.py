r"""Permutation tests: the rearrangements that a hypothesis allows, and exact p-values.

A rearrangement is a matrix :math:`W` of weights with orthogonal rows, and statistics
are functions of stacks of such matrices, [b, r, N]: indicators of the :math:`r = k`
groups where labels are exchangeable, one row of signs where errors are symmetric.
Matrix products with them serve many rearrangements at once.
"""

import itertools
import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from .._callers import warn_user
from .._progress import steps
from .._types import Array
from ..exceptions import CoarseTestWarning
from ..kernels._batching import members_in_memory
from ..validation import require_integer, require_number


class Relabellings:
    """The ways to deal observations out to groups of given sizes.

    Parameters
    ----------
    labels : numpy.ndarray of int, shape=[N]
        Group of each observation, 0 to k - 1.

    Attributes
    ----------
    observed : numpy.ndarray, shape=[k, N]
        Indicators of the groups as they are.
    hypothesis_dof, error_dof : int
        Degrees of freedom between and within groups, k - 1 and N - k.
    count : int
        Number of distinct relabellings.
    """

    def __init__(self, labels: Array) -> None:
        self._labels = labels.astype(np.int16)
        self.sizes = np.bincount(labels)
        self.observed = self.weights(self._labels)
        self.hypothesis_dof = len(self.sizes) - 1
        self.error_dof = len(labels) - len(self.sizes)
        self.count = math.factorial(len(labels)) // math.prod(
            math.factorial(int(size)) for size in self.sizes
        )

    def weights(self, labels: Any) -> Any:
        """Return the indicators [..., k, N] of groups given by labels [..., N]."""
        groups = np.arange(len(self.sizes), dtype=labels.dtype)
        return (labels[..., None, :] == groups[:, None]).astype(float)

    def draw(self, number: Any, rng: Any) -> Any:
        """Return random labels, shape [number, N]."""
        labels = np.broadcast_to(self._labels, (number, len(self._labels)))
        return rng.permuted(labels, axis=-1)

    def everything(self) -> Any:
        """Return all distinct sequences of labels, shape [count, N]."""
        return _deals(tuple(self.sizes.tolist()))


class SignFlips:
    """The ways to reflect observations at the origin.

    Parameters
    ----------
    number : int
        Number N of observations.

    Attributes
    ----------
    observed : numpy.ndarray, shape=[1, N]
        Ones.
    hypothesis_dof, error_dof : int
        Degrees of freedom, 1 and N - 1.
    count : int
        Number of reflections.
    """

    def __init__(self, number: int) -> None:
        self.observed = np.ones((1, number))
        self.hypothesis_dof, self.error_dof = 1, number - 1
        self.count = 2**number

    def weights(self, bits: Any) -> Any:
        """Return the signs [..., 1, N] that bits [..., N] stand for."""
        return 1.0 - 2.0 * bits[..., None, :]

    def draw(self, number: Any, rng: Any) -> Any:
        """Return random bits, shape [number, N]."""
        shape = (number, self.observed.shape[-1])
        return rng.integers(0, 2, shape, dtype=np.int8)

    def everything(self) -> Any:
        """Return all sequences of bits, shape [count, N]."""
        size = self.observed.shape[-1]
        return (np.arange(self.count)[:, None] >> np.arange(size)) & 1


def _deals(sizes):
    """Return all sequences [M, N] in which group g occurs sizes[g] times."""
    if len(sizes) == 1:
        return np.zeros((1, sizes[0]), dtype=np.int16)
    others = _deals(sizes[1:]) + np.int16(1)
    total, size = sum(sizes), sizes[0]
    chosen = np.array(list(itertools.combinations(range(total), size)))
    free = np.ones((len(chosen), total), dtype=bool)
    np.put_along_axis(free, chosen, False, axis=-1)
    places = np.nonzero(free)[1].reshape(len(chosen), 1, total - size)
    deals = np.zeros((len(chosen), len(others), total), dtype=np.int16)
    np.put_along_axis(deals, places, others, axis=-1)
    return deals.reshape(-1, total)


@dataclass(frozen=True)
class NullDistribution:
    """Statistics of rearranged data.

    Attributes
    ----------
    values : numpy.ndarray, shape=[B]
        Statistics.
    exhaustive : bool
        Whether they are those of all distinct rearrangements, the observed included.
    """

    values: np.ndarray
    exhaustive: bool

    def p_value(self, observed: Any) -> Any:
        r"""Return the exact p-value of an observed statistic.

        It is :math:`(1 + \#\{T^* \ge T\}) / (1 + B)` for a random draw, the share of
        :math:`T^* \ge T` for all rearrangements. Values that differ by rounding only
        are equal.
        """
        sizes = np.abs(np.append(self.values, observed))
        scale = np.max(sizes, where=np.isfinite(sizes), initial=0.0)
        slack = 2.0**10 * np.finfo(float).eps * scale
        count = int(np.sum(self.values >= observed - slack))
        if self.exhaustive:
            return count / len(self.values)
        return (1 + count) / (1 + len(self.values))

    def smallest_p_value(self) -> Any:
        """Return the smallest p-value that any arrangement of the data can have."""
        if self.exhaustive:
            return self.p_value(np.max(self.values))
        return 1 / (1 + len(self.values))


def null_distribution(
    statistic: Callable,
    rearrangements: Any,
    n_permutations: int,
    rng: Any,
    alpha: float,
    progress: bool = True,
) -> Any:
    """Return the statistics of rearranged data, all of them if they are few.

    Parameters
    ----------
    statistic : callable
        Maps weights [b, r, N] to statistics [b].
    rearrangements : Relabellings or SignFlips
        Rearrangements.
    n_permutations : int
        Number of random rearrangements; if there are no more distinct ones than that,
        each of them is taken once.
    rng : numpy.random.Generator
        Generator.
    alpha : float
        Level of the test; a warning says so if no p-value can be that small.
    progress : bool
        Whether to show a progress bar.

    Returns
    -------
    null : NullDistribution
        Distribution under the hypothesis.
    """
    require_integer("n_permutations", n_permutations, 1)
    require_number("alpha", alpha, 0.0, 1.0)
    exhaustive = rearrangements.count <= n_permutations
    if exhaustive:
        chosen = rearrangements.everything()
    else:
        chosen = rearrangements.draw(n_permutations, rng)
    step = members_in_memory(rearrangements.observed.size)
    values = []
    with steps(len(chosen), "permutations", progress) as advance:
        for i in range(0, len(chosen), step):
            values.append(statistic(rearrangements.weights(chosen[i : i + step])))
            advance(len(values[-1]))
    null = NullDistribution(np.concatenate(values), exhaustive)
    warn_if_coarse(null, alpha)
    return null


def warn_if_coarse(null: Any, alpha: float) -> None:
    """Warn if no p-value can be as small as a level.

    Parameters
    ----------
    null : NullDistribution
        Statistics of rearranged data.
    alpha : float
        Level.
    """
    smallest = null.smallest_p_value()
    if smallest <= alpha:
        return
    if null.exhaustive:
        remedy = "the sample has too few distinct permutations for this level"
    else:
        remedy = f"use n_permutations >= {math.ceil(1 / alpha) - 1}"
    warn_user(
        f"no p-value below {smallest:.3g} can occur, so a test at the level {alpha:g} "
        f"never rejects: {remedy}.",
        CoarseTestWarning,
    )
