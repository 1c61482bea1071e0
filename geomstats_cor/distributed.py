"""Coordinates and distances of more matrices than memory holds, in blocks of dask.

Blocks are computed on demand, on whatever workers dask has. A worker that
is lost costs the blocks it held, which dask computes again.
"""

import functools
import os
import tempfile

import numpy as np

from .exceptions import GeomstatsCorError, ParameterError, ShapeError
from .kernels._batching import members_in_cache
from .space import equipped

__all__ = ["coords_of_blocks", "dist_pairwise_of_blocks"]


def is_dask_array(x):
    """Tell whether an object is an array of dask.

    Parameters
    ----------
    x : object
        Object.

    Returns
    -------
    is_dask_array : bool
        Whether it is.
    """
    return hasattr(x, "__dask_graph__") and hasattr(x, "chunks")


def coords_of_blocks(points, space, reference=None):
    r"""Return the coordinates of a dask array of matrices, block by block.

    .. math:: x(C) = \log_R C

    in an orthonormal frame, as `ToCoords` does it: their norms are distances from the
    reference point :math:`R`, and for a flat metric so are their differences.

    Parameters
    ----------
    points : dask.array.Array, shape=[N, n, n]
        Full-rank correlation matrices.
    space : FullRankCorrelationMatrices or str
        Equipped manifold, or key or class of a metric.
    reference : array-like, shape=[n, n]
        Reference point; the identity if None. The Fréchet mean is
        ``frechet_mean_of_chunks(points, space).mean``.

    Returns
    -------
    coords : dask.array.Array, shape=[N, n (n - 1) / 2]
        Coordinates, not yet computed.

    Examples
    --------
    >>> import dask.array
    >>> from geomstats_cor import FullRankCorrelationMatrices
    >>> from geomstats_cor.distributed import coords_of_blocks
    >>> space = FullRankCorrelationMatrices(4, equip="olm")
    >>> points = dask.array.from_array(space.random_point(60, rng=0), chunks=(20, 4, 4))
    >>> coords_of_blocks(points, space).shape
    (60, 6)
    """
    points, space = _admit(points, space)
    reference = np.eye(space.n) if reference is None else np.asarray(reference)
    if reference.shape != (space.n, space.n):
        raise ShapeError(
            f"reference: expected shape [{space.n}, {space.n}], got {reference.shape}."
        )
    # Evaluate once here: a bad reference is no fault of a block.
    space.metric.log_coords(np.eye(space.n), reference)
    return points.map_blocks(
        functools.partial(_block_coords, space, reference),
        dtype=np.float64,
        drop_axis=2,
        chunks=(points.chunks[0], (space.dim,)),
        meta=np.empty((0, 0)),
    )


def dist_pairwise_of_blocks(points, space, others=None, folder=None):
    """Return the distances of a dask array of matrices to each other, block by block.

    The coordinates of each matrix are computed once and written to files, a few
    gigabytes for 100,000 matrices of 100 x 100; a block of distances reads two of them.
    Nothing holds all coordinates or all distances, unless the result is computed as a
    whole: reduce it, or write it to a store.

    Parameters
    ----------
    points : dask.array.Array, shape=[N, n, n]
        Full-rank correlation matrices.
    space : FullRankCorrelationMatrices or str
        Equipped manifold, or key or class of a metric.
    others : dask.array.Array, shape=[M, n, n]
        Matrices to measure the distances to; the same if None.
    folder : str or path
        Where to put the files, seen by all workers; they stay there. If None, a
        temporary folder of this machine, which goes with the process.

    Returns
    -------
    dists : dask.array.Array, shape=[N, M]
        Distances, not yet computed.

    Examples
    --------
    >>> import dask.array
    >>> from geomstats_cor import FullRankCorrelationMatrices
    >>> from geomstats_cor.distributed import dist_pairwise_of_blocks
    >>> space = FullRankCorrelationMatrices(4, equip="olm")
    >>> points = dask.array.from_array(space.random_point(60, rng=0), chunks=(20, 4, 4))
    >>> dists = dist_pairwise_of_blocks(points, space)
    >>> float(dists.max(axis=0).min().compute()) > 0.0
    True
    """
    import dask
    import dask.array

    points, space = _admit(points, space)
    folder = _folder(folder)
    rows = _written(points, space, folder, "points")
    columns, sizes = rows, points.chunks[0]
    if others is not None:
        others, _ = _admit(others, space, "others")
        columns, sizes = _written(others, space, folder, "others"), others.chunks[0]
    work = dask.delayed(functools.partial(_block_dists, space, folder), pure=True)
    return dask.array.block(
        [
            [
                dask.array.from_delayed(work(a, b), (k, m), dtype=np.float64)
                for b, m in zip(columns, sizes, strict=True)
            ]
            for a, k in zip(rows, points.chunks[0], strict=True)
        ]
    )


def _admit(points, space, name="points"):
    if not is_dask_array(points):
        raise ParameterError(
            f"{name}: expected a dask array, got a {type(points).__name__}. "
            f"dask.array.from_array(points, chunks=(1000, n, n)) makes one; in "
            f"memory, use the methods of the metric."
        )
    if points.ndim != 3 or points.shape[1] != points.shape[2]:
        raise ShapeError(f"{name}: expected shape [N, n, n], got {points.shape}.")
    if any(np.isnan(size) for size in points.shape):
        raise ShapeError(
            f"{name} has blocks of unknown size: call its compute_chunk_sizes()."
        )
    return points.rechunk({1: -1, 2: -1}), equipped(space, points.shape[-1], name)


def _block_coords(space, reference, block, block_info=None):
    return _named(
        block_info, lambda: space.metric.log_coords(np.asarray(block, float), reference)
    )


def _named(block_info, function):
    """Call a function, and name the block in its errors."""
    try:
        return function()
    except GeomstatsCorError as error:
        if not block_info:
            raise
        start = block_info[0]["array-location"][0][0]
        raise type(error)(f"in the block from matrix {start} on: {error}") from None


def _folder(folder):
    if folder is None:
        return _Temporary()
    os.makedirs(folder, exist_ok=True)
    return os.fspath(folder)


class _Temporary:
    """A temporary folder that lasts as long as the tasks that refer to it."""

    def __init__(self):
        self._directory = tempfile.TemporaryDirectory(prefix="dists")

    def __fspath__(self):
        return self._directory.name

    def __reduce__(self):
        return (str, (self._directory.name,))


def _written(points, space, folder, name):
    """Return tasks that write blocks of images, and answer with the names of files."""
    import dask

    work = dask.delayed(functools.partial(_write, space, folder), pure=True)
    blocks = points.to_delayed().ravel().tolist()
    return [work(block, f"{name}-{i}.npy") for i, block in enumerate(blocks)]


def _write(space, folder, block, name):
    metric = space.metric
    coords = metric.to_coords(np.asarray(block, dtype=float))
    path = os.path.join(os.fspath(folder), name)
    # A file that appears is complete, even if a worker is lost while it writes.
    partial = f"{path}.{os.getpid()}.part"
    with open(partial, "wb") as file:
        np.save(file, coords)
    os.replace(partial, path)
    return name


def _block_dists(space, folder, first, second):
    a, b = (np.load(os.path.join(os.fspath(folder), name)) for name in (first, second))
    metric = space.metric.image_space.metric
    if metric.is_flat:
        return _euclidean_dists(a, b)
    return metric.dist_broadcast(metric.from_coords(a), metric.from_coords(b))


def _euclidean_dists(a, b):
    """Return distances by a matrix product; anew where the difference lost digits."""
    center = np.mean(a, axis=0)
    a, b = a - center, b - center
    squares_a, squares_b = (np.sum(x * x, axis=-1) for x in (a, b))
    total = squares_a[:, None] + squares_b
    squares = total - 2.0 * (a @ b.T)
    i, j = np.nonzero(squares < 1e-3 * total)
    step = members_in_cache(2 * a.shape[-1])
    for start in range(0, len(i), step):
        rows, columns = i[start : start + step], j[start : start + step]
        squares[rows, columns] = np.sum((a[rows] - b[columns]) ** 2, axis=-1)
    return np.sqrt(squares)
