"""Large batches in pieces that stay in the cache of the processor."""

import math

from ._arrays import namespace

_PIECE_BYTES = 3 * 2**20


def in_pieces(function, matrices, held=1):
    """Apply a function of a batch to a few matrices at a time.

    Iterations read the same matrices again and again, from main memory if there are
    many; a piece also ends as soon as its own matrices are done.

    Parameters
    ----------
    function : callable
        Takes matrices [..., n, n], returns an array or a tuple of arrays [..., *].
    matrices : array, shape=[..., n, n]
        Batch of matrices.
    held : int
        How many arrays of the size of its argument the function works on at a time.

    Returns
    -------
    results : array or tuple of array
        What the function returns for the whole batch.
    """
    xp = namespace(matrices)
    batch, shape = matrices.shape[:-2], matrices.shape[-2:]
    number = math.prod(batch)
    bytes_each = held * math.prod(shape) * (8 if matrices.dtype == xp.float64 else 4)
    count = max(1, _PIECE_BYTES // max(1, bytes_each))
    if number <= count:
        return function(matrices)
    flat = xp.reshape(matrices, (number, *shape))
    results = [function(flat[i : i + count]) for i in range(0, number, count)]
    if not isinstance(results[0], tuple):
        return _joined(results, batch)
    return tuple(_joined(parts, batch) for parts in zip(*results, strict=True))


def _joined(parts, batch):
    xp = namespace(parts[0])
    whole = xp.concat(parts, axis=0)
    return xp.reshape(whole, (*batch, *whole.shape[1:]))
