"""Which rows a hypothesis allows to change places.

Independent matrices are exchangeable freely. Several matrices of one subject, such as
windows of a recording or visits, form a block: a covariate that varies between subjects
only is tested by exchanging whole blocks, one that varies within subjects by exchanging
the rows of each block among themselves.

References
----------
.. [W2014] A. M. Winkler, G. R. Ridgway, M. A. Webster, S. M. Smith and T. E. Nichols.
   Permutation inference for the general linear model. NeuroImage 92, 2014.
"""

import itertools
import math
from typing import Any

import numpy as np

from .._types import Array, ArrayLike
from ..exceptions import NotFiniteError, ParameterError, ShapeError
from ..validation import require_choice
from .designs import is_missing
from .frames import as_labels


class FreeExchange:
    """All permutations of independent rows.

    Parameters
    ----------
    number : int
        Number of rows.
    """

    kind = "free"

    def __init__(self, number: int) -> None:
        self.number = number
        self.count = math.factorial(number) if number < 20 else math.inf

    def draw(self, number: Any, rng: Any) -> Any:
        """Return random permutations, shape [number, N]."""
        rows = np.arange(self.number, dtype=np.int32)
        return rng.permuted(np.broadcast_to(rows, (number, self.number)), axis=-1)

    def everything(self) -> Any:
        """Return all permutations, shape [count, N]."""
        rows = itertools.permutations(range(self.number))
        return np.array(list(rows), dtype=np.int32)


class BlockExchange:
    """Permutations of rows within blocks, or of whole blocks of one size.

    Parameters
    ----------
    blocks : numpy.ndarray of int, shape=[N]
        Block of each row, 0 to m - 1.
    is_within : bool
        Whether the rows of a block change places, rather than blocks.
    """

    def __init__(self, blocks: Array, is_within: bool) -> None:
        self.number = len(blocks)
        self.kind = "within" if is_within else "whole"
        members = [np.flatnonzero(blocks == b) for b in range(np.max(blocks) + 1)]
        if is_within:
            # A set of rows [k, 1]: k items of one row each.
            self._sets = [rows[:, None] for rows in members]
        else:
            sizes = sorted({len(rows) for rows in members})
            self._sets = [
                np.stack([rows for rows in members if len(rows) == size])
                for size in sizes
            ]
        self._sets = [items for items in self._sets if len(items) > 1]
        self.count = math.prod(
            math.factorial(len(items)) if len(items) < 20 else math.inf
            for items in self._sets
        )
        if self.count == 1:
            raise ParameterError(
                "no block can be exchanged: "
                + (
                    "every block has a single row; pass blocks=None."
                    if is_within
                    else "no two have equally many rows. Make them equally long, or "
                    "replace each by its Fréchet mean and pass blocks=None."
                )
            )

    def draw(self, number: Any, rng: Any) -> Any:
        """Return random permutations, shape [number, N]."""
        rows = np.arange(self.number, dtype=np.int32)
        rows = np.broadcast_to(rows, (number, self.number)).copy()
        for items in self._sets:
            places = np.broadcast_to(np.arange(len(items)), (number, len(items)))
            moved = items[rng.permuted(places, axis=-1)]
            rows[:, items.ravel()] = moved.reshape(number, -1)
        return rows

    def everything(self) -> Any:
        """Return all permutations, shape [count, N]."""
        orders = [itertools.permutations(range(len(items))) for items in self._sets]
        result = []
        for choice in itertools.product(*orders):
            rows = np.arange(self.number, dtype=np.int32)
            for items, order in zip(self._sets, choice, strict=True):
                rows[items.ravel()] = items[list(order)].ravel()
            result.append(rows)
        return np.stack(result)


def admit_blocks(blocks: ArrayLike, number: int) -> Array:
    """Return blocks as integers from zero, or raise.

    Parameters
    ----------
    blocks : array-like, shape=[N], or None
        Label of the block of each row, such as the subject.
    number : int
        Number N of rows.

    Returns
    -------
    blocks : numpy.ndarray of int, shape=[N], or None
        Blocks.
    """
    if blocks is None:
        return None
    labels = as_labels(blocks, "blocks")
    if labels.shape != (number,):
        raise ShapeError(
            f"blocks: expected shape [{number}], a label for each matrix, got "
            f"{labels.shape}."
        )
    missing = [i for i, label in enumerate(labels.tolist()) if is_missing(label)]
    if missing:
        raise NotFiniteError(
            f"blocks has a missing label in row {missing[0]}: leave out the "
            f"matrices whose block is not known."
        )
    return np.unique(labels.astype(str), return_inverse=True)[1]


def exchange_for(columns: Array, blocks: Array, exchange: str = "auto") -> Any:
    """Return the permutations by which a term is tested.

    Parameters
    ----------
    columns : numpy.ndarray, shape=[N, q]
        Columns of the term.
    blocks : numpy.ndarray of int, shape=[N], or None
        Blocks.
    exchange : {"auto", "within", "whole"}
        What to exchange. "auto" exchanges whole blocks if the term is constant within
        each of them, rows within blocks otherwise.

    Returns
    -------
    exchange : FreeExchange or BlockExchange
        Permutations.
    """
    require_choice("exchange", exchange, ("auto", "within", "whole"))
    if blocks is None:
        if exchange != "auto":
            raise ParameterError(
                f"exchange is {exchange!r}, but there are no blocks: pass some to fit."
            )
        return FreeExchange(len(columns))
    varies = np.max(np.abs(within_blocks(columns, blocks))) > 1e-10
    if exchange == "whole" and varies:
        raise ParameterError(
            "the term varies within blocks, so that whole blocks cannot be exchanged: "
            'use exchange="within".'
        )
    return BlockExchange(blocks, varies if exchange == "auto" else exchange == "within")


def within_blocks(columns: Any, blocks: Any) -> Any:
    """Return columns [N, q] minus their average in each block."""
    sizes = np.bincount(blocks)[:, None]
    sums = np.zeros((len(sizes), columns.shape[1]))
    np.add.at(sums, blocks, columns)
    return columns - (sums / sizes)[blocks]
