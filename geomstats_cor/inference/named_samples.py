"""Samples whose variables and subjects may have names."""

from dataclasses import dataclass
from typing import Any

from .._types import ArrayLike
from ..data.cleaning import as_stack, clean_points
from ..data.culprits import naming_culprits
from ..data.labels import are_tables, is_range, without_names
from ..data.naming import subjects_of
from ..distributed import is_dask_array
from ..exceptions import ShapeError
from ..validation import plain
from .samples import as_numbers


@dataclass(frozen=True)
class NamedSample:
    """Matrices, the names of their variables, and the names of the subjects.

    Parameters
    ----------
    points : numpy.ndarray or dask.array.Array, shape=[N, n, n]
        Correlation matrices.
    variables : tuple or None
        Name of each of the n variables, if known.
    subjects : tuple or None
        Name of each of the N matrices, if known.
    """

    points: Any
    variables: tuple | None
    subjects: tuple | None

    @property
    def is_lazy(self) -> bool:
        """Tell whether the matrices are in blocks of dask."""
        return is_dask_array(self.points)


def read_sample(
    points: ArrayLike,
    variables: ArrayLike = None,
    subjects: ArrayLike = None,
    name: str = "y",
    check: bool = True,
) -> Any:
    """Return a sample with the names that it brings or is given.

    Parameters
    ----------
    points : array-like, shape=[N, n, n] or [N, n (n - 1) / 2]
        Correlation matrices, their strict lower entries row by row, a list of square
        data frames, a dask array, or a stack with `values`, `variables` and `index`.
    variables : sequence, length n
        Names of the variables; those of data frames if None.
    subjects : sequence, length N
        Names of the matrices; those that the object brings if None.
    name : str
        Name of the argument in messages.
    check : bool
        Whether to require full-rank correlation matrices. Those of a dask array are
        tested when their blocks are read.

    Returns
    -------
    sample : NamedSample
        Sample.
    """
    if hasattr(points, "variables") and hasattr(points, "values"):
        variables = points.variables if variables is None else variables
        if subjects is None and not is_range(points.index):
            subjects = tuple(points.index)
        points = points.values
    if are_tables(points):
        subjects = subjects_of(points) if subjects is None else subjects
        points, order = without_names(name, points)
        variables = order if variables is None else variables
    if is_dask_array(points):
        if points.ndim != 3 or points.shape[1] != points.shape[2]:
            raise ShapeError(
                f"{name}: expected a dask array of shape [N, n, n], got {points.shape}."
            )
        points = points.rechunk({1: -1, 2: -1})
    else:
        points = as_numbers(as_stack(plain(name, points), name=name))
        if len(points) < 2:
            raise ShapeError(
                f"{name}: expected at least 2 matrices, got {len(points)}."
            )
    variables = names_of(f"{name}: variables", variables, points.shape[-1])
    subjects = names_of(f"{name}: subjects", subjects, points.shape[0])
    if check and not is_dask_array(points):
        with naming_culprits(points, variables, subjects):
            clean_points(points, name=name)
    return NamedSample(points, variables, subjects)


def names_of(what: str, names: ArrayLike, number: int) -> tuple | None:
    """Return names as a tuple, or raise if there are too few, too many or doubles.

    Parameters
    ----------
    what : str
        What is named, for messages.
    names : sequence or None
        Names.
    number : int
        Number of names that are needed.

    Returns
    -------
    names : tuple or None
        Names.
    """
    if names is None:
        return None
    names = tuple(names)
    if len(names) != number:
        raise ShapeError(f"{what}: expected {number} names, got {len(names)}.")
    if len(set(names)) < number:
        twice = next(x for x in names if names.count(x) > 1)
        raise ShapeError(
            f"{what}: expected distinct names, got {twice!r} more than once: rename "
            f"them, so that they can be told apart."
        )
    return names
