"""Large batches in pieces that stay in the cache of the processor."""

import math

from ._arrays import namespace
from ._iteration import reports_of_pieces

_PIECE_BYTES = 3 * 2**20


def in_pieces(function, matrices):
    """Apply a function of a batch to a few matrices at a time.

    Iterations read the same matrices again and again, from main memory if there are
    many; a piece also ends as soon as its own matrices are done.

    Parameters
    ----------
    function : callable
        Takes matrices [..., n, n], returns an array or a tuple of arrays [..., *].
    matrices : array, shape=[..., n, n]
        Batch of matrices.

    Returns
    -------
    results : array or tuple of array
        What the function returns for the whole batch.
    """
    xp = namespace(matrices)
    batch, shape = matrices.shape[:-2], matrices.shape[-2:]
    number = math.prod(batch)
    bytes_each = math.prod(shape) * (8 if matrices.dtype == xp.float64 else 4)
    count = max(1, _PIECE_BYTES // max(1, bytes_each))
    if number <= count:
        return function(matrices)
    flat = xp.reshape(matrices, (number, *shape))
    with reports_of_pieces(tuple(batch)) as piece:
        results = [
            piece(start, function, flat[start : start + count])
            for start in range(0, number, count)
        ]
    if not isinstance(results[0], tuple):
        return _joined(results, batch)
    return tuple(_joined(parts, batch) for parts in zip(*results, strict=True))


def _joined(parts, batch):
    xp = namespace(parts[0])
    whole = xp.concat(parts, axis=0)
    return xp.reshape(whole, (*batch, *whole.shape[1:]))
