"""Errors about bad matrices say whose they are, and which variables are at fault."""

from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np

from .._types import Array, ArrayLike
from ..exceptions import (
    BadMatricesError,
    NotFiniteError,
    NotPositiveDefiniteError,
    NotSymmetricError,
    NotUnitDiagonalError,
)
from .cleaning import find_bad
from .naming import as_plain_stack, index_of, names_of

_LISTED = 5
_ERRORS = (
    BadMatricesError,
    NotFiniteError,
    NotPositiveDefiniteError,
    NotSymmetricError,
    NotUnitDiagonalError,
)


@contextmanager
def naming_culprits(
    points: ArrayLike, variables: ArrayLike = None, subjects: ArrayLike = None
) -> Iterator[None]:
    """Add the names of subjects and variables to errors about bad matrices.

    Parameters
    ----------
    points : array-like, shape=[N, n, n]
        Matrices in any form.
    variables : sequence of length n
        Names of the variables; those that the matrices bring if None.
    subjects : sequence of length N
        Names of the matrices; those that they bring if None.
    """
    try:
        yield
    except _ERRORS as error:
        subjects = index_of(points) if subjects is None else subjects
        variables = names_of(points) if variables is None else variables
        if subjects is not None and list(subjects) == list(range(len(subjects))):
            subjects = None  # numbers, which the error has
        if subjects is None and variables is None:
            raise
        stack = as_plain_stack(points)
        more = (error.bad,) if isinstance(error, BadMatricesError) else ()
        bad = [m.index for m in (more[0] if more else find_bad(stack))]
        remarks = _remarks(stack, bad, variables, subjects)
        if not remarks:
            raise
        raise type(error)(f"{error}{remarks}", *more) from None


def _remarks(points: Array, bad: list, variables: ArrayLike, subjects: ArrayLike):
    """Return the subjects of bad matrices, and the variables that are not finite."""
    remarks = ""
    if subjects is not None and bad:
        verb = "subject is" if len(bad) == 1 else "subjects are"
        remarks += f" The {verb} {_listed([subjects[i] for i in bad])}."
    rows = points[bad]
    identity = np.broadcast_to(np.eye(rows.shape[-1], dtype=bool), rows.shape)
    broken = np.flatnonzero(np.all(~np.isfinite(rows) | identity, axis=-1).any(0))
    if len(broken) and not np.all(np.isfinite(rows)):
        labels = [i if variables is None else variables[i] for i in broken.tolist()]
        remarks += (
            f" No correlation of the variables {_listed(labels)} is finite: a "
            f"recording that is constant there has none."
        )
    return remarks


def _listed(names):
    number = len(names) - _LISTED
    more = f" and {number} more" if number > 0 else ""
    return ", ".join(map(repr, names[:_LISTED])) + more
