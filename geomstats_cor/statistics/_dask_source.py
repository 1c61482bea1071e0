"""Blocks that live on the workers of dask, reduced there by a tree of merges."""

import functools
from collections.abc import Callable
from typing import Any

import dask
import dask.array
from dask.delayed import Delayed

from .._types import Array
from ..exceptions import ParameterError, ShapeError
from .sources import summarise_block

_BRANCHES = 8


class DaskSource:
    """The blocks of a dask array, or a sequence of delayed blocks.

    Parameters
    ----------
    chunks : dask.array.Array, shape=[N, n, n], Delayed, or sequence of these
        Blocks.
    weights : array-like or dask.array.Array, shape=[N]
        Weights of the matrices of an array.
    chunk_size : int
        Number of matrices of a piece of a block.
    """

    is_repeatable = True
    variables = None

    def __init__(
        self, chunks: Any, weights: Array = None, chunk_size: Any = None
    ) -> None:
        self._size = getattr(chunks, "shape", (None,))[-1]
        if isinstance(chunks, Delayed):
            chunks = [chunks]
        if isinstance(chunks, (list, tuple)):
            if weights is not None:
                raise ParameterError(
                    "weights go with an array; a delayed block brings its own as a "
                    "pair (points, weights)."
                )
            self._blocks = [dask.delayed(block) for block in chunks]
        else:
            self._blocks = _array_blocks(chunks, weights)
        self._chunk_size = chunk_size

    def size(self) -> int:
        """Return the size of the matrices.

        Returns
        -------
        n : int
            Size.
        """
        if self._size is None:
            raise ParameterError(
                "the size of delayed blocks is not known before they are computed: "
                "pass a space, FullRankCorrelationMatrices(n, equip=...)."
            )
        return self._size

    def reduce(self, summarise: Callable, merge: Callable, bar: Any) -> Any:
        """Fold what a function makes of the blocks, on the workers.

        Parameters
        ----------
        summarise, merge : callable
            See `Source.reduce`.
        bar : Bar
            Unused: dask has progress bars and dashboards of its own.

        Returns
        -------
        state : object
            State of all blocks.
        """
        work = dask.delayed(
            functools.partial(
                summarise_block,
                summarise=summarise,
                merge=merge,
                chunk_size=self._chunk_size,
            )
        )
        states = [work(block, index=i) for i, block in enumerate(self._blocks)]
        join = dask.delayed(functools.partial(_merge_all, merge))
        while len(states) > 1:
            groups = range(0, len(states), _BRANCHES)
            states = [join(states[i : i + _BRANCHES]) for i in groups]
        return states[0].compute()


def _merge_all(merge, states):
    return functools.reduce(merge, states)


def _array_blocks(array, weights):
    if array.ndim != 3:
        raise ShapeError(
            f"the dask array: expected a stack of matrices, shape [N, n, n], got "
            f"{array.shape}."
        )
    array = array.rechunk({1: -1, 2: -1})
    blocks = array.to_delayed().ravel().tolist()
    if weights is None:
        return blocks
    weights = dask.array.asarray(weights)
    if weights.shape != array.shape[:1]:
        raise ShapeError(
            f"weights has shape {weights.shape}, but there are {array.shape[0]} "
            f"matrices."
        )
    parts = weights.rechunk((array.chunks[0],)).to_delayed().ravel().tolist()
    pair = dask.delayed(lambda *both: both)
    return [pair(*both) for both in zip(blocks, parts, strict=True)]
