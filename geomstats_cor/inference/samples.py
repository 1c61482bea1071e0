"""Input validation for inference: stacks of matrices and labels."""

from typing import Any

import array_api_compat
import numpy as np

from .._types import Array, ArrayLike
from ..data.culprits import naming_culprits
from ..data.labels import few, in_order_of
from ..data.naming import names_of, one_stack, subjects_of, with_names
from ..exceptions import NotFiniteError, ParameterError, ShapeError
from ..kernels._array import namespace
from ..kernels._autodiff import detached
from ..space import equipped
from ..statistics.mean import frechet_mean
from .designs import is_missing
from .frames import as_labels, warn_if_frames_differ


class Groups:
    """A sample that labels divide into groups.

    Parameters
    ----------
    points : array-like, shape=[N, n, n]
        Full-rank correlation matrices.
    labels : array-like, shape=[N]
        Label of the group of each matrix: numbers or strings.
    space : FullRankCorrelationMatrices
        Manifold, equipped with one of the metrics of this library.
    least : int
        Number of matrices that each group must have.
    frames : int or array-like, shape=[N]
        Number of frames of each matrix; a warning tells if the groups differ in it.

    Attributes
    ----------
    names : tuple
        Labels of the groups, sorted.
    labels : numpy.ndarray of int, shape=[N]
        Position in `names` of the label of each matrix.
    sizes : numpy.ndarray of int, shape=[k]
        Number of matrices in each group.
    pooled_mean : array, shape=[n, n]
        Fréchet mean of all matrices.
    means : array, shape=[k, n, n]
        Fréchet means of the groups.
    squared_dists : numpy.ndarray, shape=[N]
        Squared distance of each matrix from the mean of its group.
    """

    def __init__(
        self,
        points: ArrayLike,
        labels: ArrayLike,
        space: Any,
        least: int = 2,
        frames: Any = None,
    ) -> None:
        subjects = subjects_of(points)
        labels = in_order_of("labels", labels, subjects)
        frames = getattr(points, "frames", None) if frames is None else frames
        frames = in_order_of("frames", frames, subjects)
        self.points, self.variables = one_stack(points, 2), names_of(points)
        self.space = space = equipped(space, self.points.shape[-1], "points")
        self.names, self.labels = _admit_labels(labels, len(self.points))
        self.sizes = np.bincount(self.labels)
        for name, size in zip(self.names, self.sizes, strict=True):
            if size < least:
                raise ShapeError(
                    f"group {name!r} has {size} of the matrices: at least {least} are "
                    f"needed in each group."
                )
        warn_if_frames_differ(frames, self.labels, self.names)
        # First of all matrices together, so that a bad one is named by its own index.
        with naming_culprits(points):
            self.pooled_mean = frechet_mean(self.points, space)
        xp = namespace(self.points)
        members = [np.flatnonzero(self.labels == g) for g in range(len(self.sizes))]
        self.means = xp.stack([frechet_mean(self.points[m], space) for m in members])
        self.squared_dists = as_numbers(
            space.metric.squared_dist(self.points, self.means[self.labels])
        )

    def answers(self) -> dict[str, Any]:
        """Return the groups, their means, with names, and their Fréchet variances."""
        sums = np.bincount(self.labels, weights=self.squared_dists)
        return {
            "groups": self.names,
            "means": with_names(self.means, self.variables, self.names),
            "dispersions": sums / self.sizes,
        }

    def coordinates(self) -> Any:
        """Return coordinates [N, d] at the pooled mean, of average zero."""
        coords = self.space.metric.log_coords(self.points, self.pooled_mean)
        return as_numbers(coords)


def _admit_labels(labels, number):
    if array_api_compat.is_array_api_obj(labels):
        labels = array_api_compat.to_device(detached(labels), "cpu")
    labels = as_labels(labels)
    if labels.shape != (number,):
        raise ShapeError(
            f"labels: expected shape [{number}], a label for each matrix, got "
            f"{labels.shape}."
        )
    missing = [i for i, label in enumerate(labels.tolist()) if is_missing(label)]
    if missing:
        raise NotFiniteError(
            f"labels has no group for {few(missing)}: a NaN, an infinity or None. "
            f"Leave out the matrices whose group is not known."
        )
    try:
        names, positions = np.unique(labels, return_inverse=True)
    except TypeError:
        raise ParameterError(
            "the labels cannot be sorted: use numbers alone or strings alone."
        ) from None
    if len(names) < 2:
        raise ParameterError(
            f"all labels are {names[0].item()!r}: at least two groups are needed. "
            f"mean_test compares one sample with a given mean."
        )
    return tuple(names.tolist()), positions


def as_numbers(x: Array) -> Array:
    """Return the entries of an array of any library, in numpy and float64.

    Parameters
    ----------
    x : array
        Array.

    Returns
    -------
    x : numpy.ndarray
        Its entries.
    """
    return np.asarray(array_api_compat.to_device(detached(x), "cpu"), dtype=float)
