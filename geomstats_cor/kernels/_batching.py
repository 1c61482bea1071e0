"""Large batches in pieces that stay in the cache of the processor."""

import math

from ._array import namespace
from ._convergence import ReportsOfPieces

_PIECE_BYTES = 3 * 2**20


def in_pieces(function, axes, *arrays, held=1):
    """Apply a function of a batch to a few members at a time.

    Iterations read the same matrices again and again, from main memory if there are
    many; a piece also ends as soon as its own matrices are done, and what is computed
    on the way takes up the memory of one piece alone. Batches that broadcast against
    each other are not cut.

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
    xp = namespace(first)
    batch = tuple(first.shape[: first.ndim - axes[0]])
    entries = 0
    for x, own in zip(arrays, axes, strict=True):
        shape = tuple(x.shape)
        entries = max(entries, math.prod(shape[len(shape) - own :]))
        if shape[: len(shape) - own] != batch:
            return function(*arrays)
    bytes_each = held * entries * (8 if first.dtype == xp.float64 else 4)
    number, count = math.prod(batch), max(1, _PIECE_BYTES // max(1, bytes_each))
    if number <= count and len(batch) <= 1:
        return function(*arrays)
    # With a single axis for the batch, products of matrices are cheaper to call.
    flat = [x.reshape((number, *x.shape[len(batch) :])) for x in arrays]
    with ReportsOfPieces(batch) as reports:
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


def _joined(function, arrays, number, count, call):
    """Call a function of pieces, and write its results into wholes."""
    wholes = None
    for start in range(0, number, count):
        piece = slice(start, min(start + count, number))
        parts = call(start, function, *(x[piece, ...] for x in arrays))
        single = not isinstance(parts, tuple)
        parts = (parts,) if single else parts
        wholes = wholes or tuple(_room_for(part, number) for part in parts)
        for whole, part in zip(wholes, parts, strict=True):
            if part is not None:
                whole[piece, ...] = part
    return wholes[0] if single else wholes


def _room_for(part, number):
    """Return an array for a whole batch, given what comes out for a piece."""
    if part is None:
        return None
    shape = (number, *part.shape[1:])
    return namespace(part).empty(shape, dtype=part.dtype, device=part.device)
