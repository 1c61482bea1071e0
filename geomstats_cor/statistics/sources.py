"""Matrices that arrive in blocks: from arrays, files, iterables and dask.

A source goes through its blocks and folds what a function makes of each. Large blocks
are cut into pieces, so that the temporary arrays of the maps stay small.
"""

import itertools
import os
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import array_api_compat
import numpy as np

from .._types import ArrayLike
from ..data.culprits import naming_culprits
from ..data.labels import are_tables, is_stack, is_table
from ..data.naming import as_plain_stack, in_order, names_of, one_stack
from ..exceptions import (
    ArrayTypeError,
    DataError,
    GeomstatsCorError,
    ParameterError,
    ShapeError,
)
from ..kernels._batching import members_in_cache
from ..validation import as_arrays, require_number


def as_source(
    chunks: Any, weights: ArrayLike = None, chunk_size: int | None = None
) -> Any:
    """Return a source of blocks of matrices.

    Parameters
    ----------
    chunks : object
        See `frechet_mean_of_chunks`.
    weights : array-like, shape=[N]
        Weights of the matrices of an array or a file.
    chunk_size : int
        Number of matrices of a piece; a few megabytes if None.

    Returns
    -------
    source : Source or DaskSource
        Source.
    """
    if chunk_size is not None:
        require_number("chunk_size", chunk_size)
        if int(chunk_size) != chunk_size:
            raise ParameterError(f"chunk_size: expected an integer, got {chunk_size}.")
    if isinstance(chunks, (str, os.PathLike)):
        chunks = _mapped(chunks)
    if _is_dask(chunks) or _is_sequence_of_dask(chunks):
        from ._dask_source import DaskSource

        return DaskSource(chunks, weights, chunk_size)
    if _is_one_sample(chunks):
        plain = as_plain_stack(chunks, "chunks")
        if are_tables(chunks):
            return Source(lambda: [(chunks, weights)], True, len(plain), chunk_size)
        chunks = plain
    if array_api_compat.is_array_api_obj(chunks):
        if chunks.ndim < 1:
            raise ShapeError(
                "chunks: expected an array of shape [N, n, n], got a single number."
            )
        if weights is not None and _length(weights) != len(chunks):
            raise ShapeError(
                f"weights: expected shape [{len(chunks)}], got {np.shape(weights)}."
            )
        return Source(lambda: [(chunks, weights)], True, len(chunks), chunk_size)
    if weights is not None:
        raise ParameterError(
            "weights go with an array or a file; blocks of an iterable bring their own "
            "as pairs (points, weights)."
        )
    if callable(chunks):
        return Source(chunks, True, None, chunk_size)
    try:
        is_repeatable = iter(chunks) is not chunks
    except TypeError:
        raise ArrayTypeError(
            f"chunks: expected an array, the path of a .npy file, an iterable of "
            f"blocks, or a function that returns one, got a {type(chunks).__name__}."
        ) from None
    return Source(lambda: chunks, is_repeatable, None, chunk_size)


def _is_one_sample(chunks):
    """Tell whether an object is a sample in memory in a form other than an array."""
    if is_stack(chunks) or is_table(chunks):
        return True
    if array_api_compat.is_array_api_obj(chunks):
        return chunks.ndim == 2
    if not (isinstance(chunks, list) and chunks):
        return False
    first = chunks[0]
    if is_table(first):  # several matrices in a table are a block
        return getattr(getattr(first, "index", None), "nlevels", 1) == 1
    if isinstance(first, list):
        return not (isinstance(first[0], list) and isinstance(first[0][0], list))
    return array_api_compat.is_array_api_obj(first) and first.ndim <= 2


def _length(weights):
    """Return the number of weights; zero of what is no sequence."""
    try:
        return len(weights)
    except TypeError:
        return 0


def _mapped(path):
    """Return the array of a .npy file, mapped into memory."""
    try:
        array = np.load(path, mmap_mode="r")
    except (ValueError, EOFError):
        array = None
    if not isinstance(array, np.ndarray):
        raise DataError(
            f"{os.fspath(path)} is no .npy file of numbers: expected an array of shape "
            f"[N, n, n] as numpy.save writes it. Read other formats yourself, and pass "
            f"the blocks as an iterable."
        )
    return array


def _is_dask(x):
    return hasattr(x, "__dask_graph__")


def _is_sequence_of_dask(x):
    return isinstance(x, (list, tuple)) and len(x) > 0 and all(map(_is_dask, x))


@dataclass
class Source:
    """Blocks in this process, one after the other.

    Parameters
    ----------
    blocks : callable
        Returns an iterable of blocks [k, n, n], or of pairs of a block and weights [k].
    is_repeatable : bool
        Whether the blocks can be gone through again.
    number : int or None
        Number of matrices, if known.
    chunk_size : int or None
        Number of matrices of a piece.
    variables : list or None
        Names of the variables; those of the first block that has some if None.
    """

    blocks: Any
    is_repeatable: bool
    number: int | None
    chunk_size: int | None
    variables: list | None = None

    def size(self) -> int:
        """Return the size of the matrices, from the first block.

        Returns
        -------
        n : int
            Size.
        """
        blocks = iter(self.blocks())
        first = next(blocks, None)
        if first is None:
            raise ShapeError("there are no matrices, and no mean of no matrices.")
        if not self.is_repeatable:
            every = itertools.chain([first], blocks)
            self.blocks = lambda: every
        points = first[0] if isinstance(first, tuple) else first
        return one_stack(in_order(points)).shape[-1]

    def reduce(self, summarise: Callable, merge: Callable, bar: Any) -> Any:
        """Fold what a function makes of the pieces.

        Parameters
        ----------
        summarise : callable
            Takes points [k, n, n] and weights [k] or None, returns a state.
        merge : callable
            Joins two states.
        bar : Bar
            Progress bar.

        Returns
        -------
        state : object
            State of all pieces; None if there are no blocks.
        """
        state = None
        with bar.over(self.number) as advance:
            for index, block in enumerate(self.blocks()):
                plain, size = self._in_order(block), self.chunk_size
                with naming_culprits(block[0] if isinstance(block, tuple) else block):
                    found = summarise_block(
                        plain, summarise, merge, size, index, advance
                    )
                state = found if state is None else merge(state, found)
        return state

    def _in_order(self, block):
        """Return a block without names, its variables in the order of the first."""
        points, *rest = block if isinstance(block, tuple) else (block,)
        if not are_tables(points):
            return block
        if self.variables is None:
            self.variables = names_of(points)
        return in_order(points, self.variables, "a block"), *(rest or [None])


def summarise_block(
    block: ArrayLike,
    summarise: Callable,
    merge: Callable,
    chunk_size: int | None = None,
    index: int = 0,
    advance: Callable = lambda number: None,
) -> Any:
    """Fold what a function makes of the pieces of a block.

    Parameters
    ----------
    block : array-like, shape=[k, n, n], or pair
        Block, or pair of a block and weights [k].
    summarise, merge : callable
        See `Source.reduce`.
    chunk_size : int
        Number of matrices of a piece; a few megabytes if None.
    index : int
        Number of the block, for error messages.
    advance : callable
        Is told the number of matrices of each piece.

    Returns
    -------
    state : object
        State of the block.
    """
    points, weights = block if isinstance(block, tuple) else (block, None)
    (points,) = as_arrays(**{f"block {index}": points})
    if points.ndim != 3:
        raise ShapeError(
            f"block {index}: expected a stack of matrices, shape [k, n, n], got "
            f"{tuple(points.shape)}."
        )
    if weights is not None and _length(weights) != len(points):
        raise ShapeError(
            f"block {index} has {len(points)} matrices, but {_length(weights)} weights."
        )
    size = chunk_size or piece_size(points.shape[-1])
    state = None
    for start in range(0, max(len(points), 1), size):
        piece = slice(start, start + size)
        try:
            found = summarise(
                _in_memory(points[piece]), None if weights is None else weights[piece]
            )
        except GeomstatsCorError as error:
            where = f"block {index}, from its matrix {start} on"
            raise type(error)(f"{where}: {error}") from None
        state = found if state is None else merge(state, found)
        advance(len(points[piece]))
    return state


def piece_size(n: int) -> int:
    """Return the number of matrices of a piece of a few megabytes.

    Parameters
    ----------
    n : int
        Size of the matrices.

    Returns
    -------
    number : int
        Number of matrices, at least one.
    """
    return members_in_cache(n * n)


def _in_memory(piece):
    """Return a piece of a memory-mapped array as an ordinary one."""
    return np.asarray(piece) if isinstance(piece, np.ndarray) else piece
