r"""Vectors that stand for correlation matrices: coordinates of a metric, or entries.

A representation turns matrices into vectors about a base point, in two forms. The
*coordinates* are orthonormal for the metric, and their norms are distances. The *edges*
are the same tangent vectors in units of correlation, one number for each pair of
variables: the differential of the coordinates at the base point relates the two, so
that an effect on coordinates is an effect on correlations to first order.
"""

from typing import Any

import numpy as np

from .. import kernels
from .._types import Array
from ..exceptions import ParameterError
from ..kernels._array import constant
from ..space import equipped
from ..statistics.mean import frechet_mean
from .samples import as_numbers


class MetricRepresentation:
    """Logarithms at the base point, under a metric of this library.

    Parameters
    ----------
    space : FullRankCorrelationMatrices
        Equipped space.
    """

    def __init__(self, space: Any) -> None:
        self.space = space
        self.is_flat = space.metric.image_space.metric.is_flat

    def mean(self, points: Array) -> Any:
        """Return the Fréchet mean [n, n] of matrices [N, n, n]."""
        return as_numbers(frechet_mean(points, self.space))

    def mean_of_blocks(self, points: Array) -> Any:
        """Return the Fréchet mean [n, n] of a dask array [N, n, n]."""
        from ..statistics.streaming import frechet_mean_of_chunks

        return as_numbers(
            frechet_mean_of_chunks(points, self.space, progress=False).mean
        )

    def coords(self, points: Array, base: Array) -> Any:
        """Return the coordinates [N, d] of the logarithms at a base point."""
        return as_numbers(self.space.metric.log_coords(points, base))

    def edges(self, points: Array, base: Array) -> Any:
        """Return the strict lower entries [N, d] of the logarithms at a base point."""
        logs = self.space.metric.log(points, base)
        return as_numbers(kernels.pack_strictly_lower(logs))

    def points(self, coords: Array, base: Array) -> Any:
        """Return the matrices [N, n, n] of coordinates [N, d]."""
        return self.space.metric.exp_coords(constant(coords, base), base)


class EntryRepresentation:
    r"""The correlations themselves, or their Fisher z, as if they were free numbers.

    A baseline: the vectors know nothing of positive definiteness, and the matrices that
    come back from them need not be correlation matrices.

    Parameters
    ----------
    is_fisher : bool
        Whether to take :math:`\operatorname{artanh}` of each correlation.
    """

    is_flat = True
    space = None

    def __init__(self, is_fisher: bool) -> None:
        self._is_fisher = is_fisher

    def _free(self, points):
        entries = kernels.pack_strictly_lower(as_numbers(points))
        if not self._is_fisher:
            return entries
        if np.any(np.abs(entries) >= 1.0):
            index = int(np.argmax(np.max(np.abs(entries), axis=-1)))
            raise ParameterError(
                f"matrix {index} has a correlation of size one or more, and no Fisher "
                f'z: use metric="entries" or shrink the matrices.'
            )
        return np.arctanh(entries)

    def _matrices(self, free):
        entries = np.tanh(free) if self._is_fisher else free
        lower = kernels.unpack_strictly_lower(entries)
        return lower + np.swapaxes(lower, -1, -2) + np.eye(lower.shape[-1])

    def mean(self, points: Array) -> Any:
        """Return the matrix [n, n] of average entries."""
        return self._matrices(np.mean(self._free(points), axis=0))

    def mean_of_blocks(self, points: Array) -> Any:
        """Return the matrix [n, n] of average entries of a dask array."""
        import dask

        add = dask.delayed(lambda block: np.sum(self._free(block), axis=0))
        sums = [add(block) for block in points.to_delayed().ravel().tolist()]
        total = dask.delayed(sum)(sums).compute()
        return self._matrices(total / points.shape[0])

    def coords(self, points: Array, base: Array) -> Any:
        """Return the differences [N, d] of entries from those of a base point."""
        return self._free(points) - self._free(base)

    def edges(self, points: Array, base: Array) -> Any:
        r"""Return these in units of correlation: times :math:`1 - r^2` for Fisher z."""
        coords = self.coords(points, base)
        if not self._is_fisher:
            return coords
        return coords * (1.0 - kernels.pack_strictly_lower(base) ** 2)

    def points(self, coords: Array, base: Array) -> Any:
        """Return the matrices [N, n, n] of coordinates [N, d]."""
        return self._matrices(self._free(base) + coords)


BASELINES = {"entries": False, "fisher-z": True}


def is_baseline(metric: Any) -> bool:
    """Tell whether a parameter `metric` stands for one of the baselines.

    Parameters
    ----------
    metric : str or type or FullRankCorrelationMatrices
        Parameter.

    Returns
    -------
    is_baseline : bool
        Whether it is "entries" or "fisher-z".
    """
    return isinstance(metric, str) and metric.lower() in BASELINES


def representation_of(metric: Any, n: int) -> Any:
    """Return the representation that a parameter `metric` stands for.

    Parameters
    ----------
    metric : str or type or FullRankCorrelationMatrices
        Key of `METRICS`, class of metric, equipped space, or "entries" or "fisher-z".
    n : int
        Size of the matrices.

    Returns
    -------
    representation : MetricRepresentation or EntryRepresentation
        Representation.
    """
    if is_baseline(metric):
        return EntryRepresentation(BASELINES[metric.lower()])
    return MetricRepresentation(equipped(metric, n, "y"))
