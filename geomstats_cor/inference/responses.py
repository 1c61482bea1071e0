"""The vectors of a linear model, in memory or in blocks of dask.

What a model needs are reductions over rows: least squares, and sums of products of
columns of the design with coordinates. Both kinds of responses join what a function
makes of a block of rows, so that the same code serves both.
"""

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from .._types import Array
from ..exceptions import GeomstatsCorError
from .explained import with_few_columns

KINDS = ("coords", "edges", "products")


class LocalResponses:
    """Matrices in memory.

    Parameters
    ----------
    points : numpy.ndarray, shape=[N, n, n]
        Matrices.
    representation : MetricRepresentation or EntryRepresentation
        Representation.
    """

    def __init__(self, points: Array, representation: Any) -> None:
        self._points, self._representation = points, representation
        self.base = representation.mean(points)

    @functools.cached_property
    def coords(self) -> Any:
        """Coordinates [N, d] at the mean."""
        return self._representation.coords(self._points, self.base)

    @functools.cached_property
    def edges(self) -> Any:
        """Tangent vectors [N, d] at the mean, in units of correlation."""
        return self._representation.edges(self._points, self.base)

    @functools.cached_property
    def products(self) -> Any:
        """Vectors [N, min(N, d)] with the inner products of the coordinates."""
        return with_few_columns(self.coords)

    def reduce(
        self, function: Callable, merge: Callable, kind: str, *rows: Array
    ) -> Any:
        """Return what a function makes of the vectors [N, d] and arrays of N rows.

        Parameters
        ----------
        function : callable
            Takes vectors [k, d] and rows [k, ...].
        merge : callable
            Joins what the function makes of two blocks of rows: here there is one.
        kind : {"coords", "edges", "products"}
            Which vectors: "products" are any with the inner products of coordinates.
        *rows : numpy.ndarray, shape=[N, ...]
            Arrays with a row for each matrix.

        Returns
        -------
        result : object
            What it makes of all rows.
        """
        return function(getattr(self, kind), *rows)

    def each(self, function: Any, kind: Any, *rows: Any) -> Any:
        """Return what a function makes of each row, as an array of N rows."""
        return function(getattr(self, kind), *rows)


class DaskResponses:
    """Matrices in blocks of dask, which are read anew for each reduction.

    Parameters
    ----------
    points : dask.array.Array, shape=[N, n, n]
        Matrices, one block along the last two axes.
    representation : MetricRepresentation or EntryRepresentation
        Representation.
    """

    def __init__(self, points: Any, representation: Any) -> None:
        self._points, self._representation = points, representation
        self.base = representation.mean_of_blocks(points)

    def reduce(
        self, function: Callable, merge: Callable, kind: str, *rows: Array
    ) -> Any:
        """Return what a function makes of the blocks, joined in pairs on the workers.

        Parameters
        ----------
        function : callable
            Takes vectors [k, d] and rows [k, ...].
        merge : callable
            Joins what the function makes of two blocks of rows.
        kind : {"coords", "edges", "products"}
            Which vectors: "products" are the coordinates themselves.
        *rows : numpy.ndarray, shape=[N, ...]
            Arrays with a row for each matrix.

        Returns
        -------
        result : object
            What it makes of all rows.
        """
        import dask

        parts = self._parts(function, kind, rows)
        join = dask.delayed(merge, pure=False)
        while len(parts) > 1:
            pairs = [parts[i : i + 2] for i in range(0, len(parts), 2)]
            parts = [join(*pair) if len(pair) == 2 else pair[0] for pair in pairs]
        return parts[0].compute()

    def each(self, function: Any, kind: Any, *rows: Any) -> Any:
        """Return what a function makes of each row, as an array of N rows."""
        import dask

        return np.concatenate(dask.compute(*self._parts(function, kind, rows)))

    def _parts(self, function, kind, rows):
        import dask

        work = dask.delayed(
            functools.partial(
                _of_block, function, self._representation, self.base, kind
            ),
            pure=False,
        )
        starts = np.cumsum((0, *self._points.chunks[0]))
        blocks = self._points.to_delayed().ravel().tolist()
        return [
            work(block, index, *(array[start:stop] for array in rows))
            for index, (block, start, stop) in enumerate(
                zip(blocks, starts[:-1], starts[1:], strict=True)
            )
        ]


def _of_block(function, representation, base, kind, block, index, *rows):
    vectors = representation.edges if kind == "edges" else representation.coords
    try:
        return function(vectors(np.asarray(block, dtype=float), base), *rows)
    except GeomstatsCorError as error:
        raise type(error)(f"block {index} of y: {error}") from None
