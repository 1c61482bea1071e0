"""Large batches, computed in blocks: the one place that says how large blocks are.

Blocks of kernels stay in the cache of the processor; what resampling computes at a time
stays in a small part of the memory.
"""

import functools
import math
from collections.abc import Callable
from typing import Any

from .._types import Array
from ._array import namespace
from ._convergence import ReportsOfBlocks

_CACHE_BYTES = 3 * 2**20
_MEMORY_BYTES = 2**25


def in_blocks(
    function: Callable, axes: tuple[int, ...], *arrays: Array, held: int = 1
) -> Any:
    """Apply a function of a batch to a few members at a time.

    Iterations read the same matrices many times, from main memory if there are many of
    them; a block also stops as soon as its own matrices have converged, and temporary
    arrays are as large as one block. Batches that broadcast against each other are not
    cut.

    Parameters
    ----------
    function : callable
        Takes the arrays, returns an array or a tuple of arrays [..., *] and None.
    axes : tuple of int
        Number of axes of each array that belong to a member: 2 for matrices.
    *arrays : array
        Batches.
    held : int
        How many arrays of the size of the largest the function works on at a time.

    Returns
    -------
    results : array or tuple of array
        What the function returns for the whole batch.
    """
    first = arrays[0]
    batch = tuple(first.shape[: first.ndim - axes[0]])
    entries = 0
    for x, own in zip(arrays, axes, strict=True):
        shape = tuple(x.shape)
        entries = max(entries, math.prod(shape[len(shape) - own :]))
        if shape[: len(shape) - own] != batch:
            return function(*arrays)
    number, count = math.prod(batch), members_in_cache(held * entries, first)
    if number <= count and len(batch) <= 1:
        return function(*arrays)
    # Matrix products have less overhead with a single batch axis.
    flat = [x.reshape((number, *x.shape[len(batch) :])) for x in arrays]
    with ReportsOfBlocks(batch) as reports:
        if number <= count:
            results = reports.call(0, function, *flat)
        else:
            results = _joined(function, flat, number, count, reports.call)
    if not isinstance(results, tuple):
        return results.reshape((*batch, *results.shape[1:]))
    return tuple(
        None if whole is None else whole.reshape((*batch, *whole.shape[1:]))
        for whole in results
    )


def blocks_of(matrices: Array, held: int = 1) -> list[Array]:
    """Return a batch of matrices in blocks of a few.

    Parameters
    ----------
    matrices : array, shape=[..., n, n]
        Batch.
    held : int
        How many arrays of the size of a block are in use at a time.

    Returns
    -------
    blocks : list of array, shape=[k, n, n]
        Blocks.
    """
    flat = matrices.reshape((-1, *matrices.shape[-2:]))
    count = members_in_cache(held * math.prod(flat.shape[1:]), flat)
    return [flat[start : start + count] for start in range(0, flat.shape[0], count)]


def members_in_cache(entries: int, like: Array = None) -> int:
    """Return how many members of a batch fit the cache, at least one.

    Parameters
    ----------
    entries : int
        Number of entries of a member.
    like : array
        Array of the dtype; float64 if None.

    Returns
    -------
    count : int
        Number of members.
    """
    is_double = like is None or like.dtype == namespace(like).float64
    return max(1, _CACHE_BYTES // max(1, entries * (8 if is_double else 4)))


def members_in_memory(entries: int) -> int:
    """Return how many members of a batch in float64 to compute at a time.

    Parameters
    ----------
    entries : int
        Number of entries of a member.

    Returns
    -------
    count : int
        Number of members, at least one.
    """
    return max(1, _MEMORY_BYTES // (8 * max(1, entries)))


def _joined(function, arrays, number, count, call):
    """Call a function of blocks, and write its results into whole arrays."""
    wholes: Any = None
    for start in range(0, number, count):
        block = slice(start, min(start + count, number))
        parts = call(start, function, *(x[block, ...] for x in arrays))
        single = not isinstance(parts, tuple)
        parts = (parts,) if single else parts
        wholes = wholes or tuple(_room_for(part, number) for part in parts)
        for whole, part in zip(wholes, parts, strict=True):
            if part is not None:
                whole[block, ...] = part
    return wholes[0] if single else wholes


def _room_for(part, number):
    """Allocate an array for a whole batch, given the result for a block."""
    if part is None:
        return None
    shape = (number, *part.shape[1:])
    return namespace(part).empty(shape, dtype=part.dtype, device=part.device)


def batched(held: int, axes: int = 2) -> Callable:
    """Return a decorator that applies a function to a few members of a batch at a time.

    The batch is not cut if derivatives are computed: each block would keep its own
    record.

    Parameters
    ----------
    held : int
        How many arrays of the size of its argument the function works on at a time.
    axes : int
        Number of axes of each array that belong to a member: 2 for matrices.

    Returns
    -------
    decorator : callable
        Decorator of functions of arrays, which return arrays of the same batch, one or
        a tuple; they may have options with names.
    """
    from ._autodiff import is_plain  # which cuts batches itself, and imports this

    def decorate(function: Callable) -> Callable:
        @functools.wraps(function)
        def wrapped(*arrays: Any, **options: Any) -> Any:
            if not all(map(is_plain, arrays)):
                return function(*arrays, **options)
            chosen = functools.partial(function, **options)
            return in_blocks(chosen, (axes,) * len(arrays), *arrays, held=held)

        return wrapped

    return decorate


def for_each(function: Callable, array: Array, other: Array, axes: int = 2) -> Array:
    """Return a function of each member of one batch and all members of another.

    Parameters
    ----------
    function : callable
        Takes members [j, 1, *] and members [1, l, *], returns an array [j, l].
    array : array, shape=[k, *]
        First batch, which is cut so that an array [j, l, *] fits the cache.
    other : array, shape=[l, *]
        Second batch.
    axes : int
        Number of axes of a member.

    Returns
    -------
    table : array, shape=[k, l]
        Values for all pairs.
    """
    from ._autodiff import is_plain

    member = (slice(None),) * axes
    columns = other[(None, slice(None), *member)]

    def rows(some: Array) -> Array:
        return function(some[(slice(None), None, *member)], columns)

    if not is_plain(other):
        return rows(array)
    return batched(held=max(1, other.shape[0]), axes=axes)(rows)(array)
