"""Stacks of correlation matrices: reading them, and finding every bad one.

A stack is an array [N, n, n]. Its condensed form [N, n (n - 1) / 2] lists the strict
lower entries of each matrix row by row, (1, 0), (2, 0), (2, 1), (3, 0), ..., which is
the order of `kernels.pack_strictly_lower` and of nilearn's vectorised connectivity
matrices without their diagonal.
"""

import math
import warnings
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from array_api_compat import array_namespace

from . import kernels
from .correlation_matrices import FullRankCorrelationMatrices
from .exceptions import (
    ArrayTypeError,
    BadMatricesError,
    MendedWarning,
    ParameterError,
    ShapeError,
)
from .kernels._arrays import diagonal, eye_like, flagged_cholesky, symmetrize
from .kernels._tolerances import input_tolerance, rank_tolerance
from .validation import as_arrays, require_stack

_LISTED = 20

# Distances grow without bound towards the boundary of the manifold: a mended matrix
# right at the boundary would outweigh all others in any statistic.
SAFE_EIGENVALUE = 0.05


class BadMatrix(NamedTuple):
    """A matrix of a stack that is not a full-rank correlation matrix.

    Parameters
    ----------
    index : int
        Its place in the stack.
    reason : str
        What is wrong with it.
    mendable : bool
        Whether on_bad="mend" makes a correlation matrix of it.
    """

    index: int
    reason: str
    mendable: bool


@dataclass(frozen=True)
class CleaningReport:
    """What `clean_points` found and did.

    Parameters
    ----------
    bad : tuple of BadMatrix
        Every bad matrix of the stack, in order.
    kept : numpy.ndarray of int
        Places in the given stack of the matrices of the result.
    dropped, mended : tuple of int
        Places in the given stack of what was left out, and of what was changed.
    shrinkage : numpy.ndarray, shape=[N]
        How far each matrix of the given stack was shrunk towards the identity.

    Examples
    --------
    >>> import warnings
    >>> from geomstats_cor import clean_points
    >>> points = [[[1, 0.5], [0.5, 1]], [[1, 2], [2, 1]]]
    >>> with warnings.catch_warnings():
    ...     warnings.simplefilter("ignore")
    ...     kept, report = clean_points(points, on_bad="drop")
    >>> print(report)
    1 dropped: [1] is not positive definite: its smallest eigenvalue is -1.
    >>> report.kept
    array([0])
    """

    bad: tuple
    kept: Any
    dropped: tuple = ()
    mended: tuple = ()
    shrinkage: Any = field(default=None, repr=False)

    def __str__(self):
        if not self.bad:
            return f"all {len(self.kept)} matrices are full-rank correlation matrices."
        if self.dropped:
            return f"{len(self.dropped)} dropped: {_listed(self.bad)}"
        shrunk = float(np.max(self.shrinkage))
        return (
            f"{len(self.mended)} mended, with a shrinkage of up to {shrunk:.3g} "
            f"towards the identity: {_listed(self.bad)}"
        )


def as_stack(X, complete=False, name="X"):
    """Return matrices [N, n, n] or their condensed form [N, n (n - 1) / 2] as a stack.

    The condensed form lists the strict lower entries row by row, (1, 0), (2, 0),
    (2, 1), (3, 0), ...; the diagonal of the matrices is one.

    Parameters
    ----------
    X : array-like, shape=[N, n, n] or [N, n (n - 1) / 2]
        Matrices, or their strict lower entries.
    complete : bool
        Complete rows that are too short for a triangle by zero correlations, instead
        of raising an error.
    name : str
        Name of the argument in error messages.

    Returns
    -------
    points : array, shape=[N, n, n]
        Matrices.

    Examples
    --------
    >>> from geomstats_cor import as_stack
    >>> as_stack([[0.5, 0.2, 0.1]])[0]
    array([[1. , 0.5, 0.2],
           [0.5, 1. , 0.1],
           [0.2, 0.1, 1. ]])
    """
    require_dense(X, name)
    require_one_size(X, name)
    (points,) = as_arrays(**{name: X})
    if points.ndim == 3 and points.shape[-1] == points.shape[-2]:
        return points
    if points.ndim != 2 or points.shape[-1] == 0:
        raise ShapeError(
            f"{name} has shape {tuple(points.shape)}: matrices [N, n, n] or their "
            f"strict lower entries [N, n (n - 1) / 2] are wanted; {name}[None] for a "
            f"single matrix."
        )
    missing = triangle_size(points.shape[-1]) - points.shape[-1]
    if missing and not complete:
        raise ShapeError(
            f"{name} has {points.shape[-1]} columns, but the strict lower triangle of "
            f"an n x n matrix has n (n - 1) / 2 = 1, 3, 6, 10, ... entries. A single "
            f"matrix is {name}[None]."
        )
    xp = array_namespace(points)
    padding = xp.zeros_like(points[:, :1])
    lower = kernels.unpack_strictly_lower(
        xp.concat([points] + missing * [padding], axis=-1)
    )
    return lower + lower.mT + eye_like(lower)


def triangle_size(count):
    """Return the least n (n - 1) / 2 that is not below a number of entries.

    Parameters
    ----------
    count : int
        Number of entries, positive.

    Returns
    -------
    size : int
        Number of entries of a strict triangle.
    """
    n = (1 + math.isqrt(8 * count - 7)) // 2 + 1
    return n * (n - 1) // 2


def require_dense(X, name="X"):
    """Raise if an argument is a sparse matrix.

    Parameters
    ----------
    X : object
        Argument.
    name : str
        Its name.
    """
    from scipy import sparse

    if sparse.issparse(X):
        raise ArrayTypeError(
            f"{name} is sparse: sparse data is not supported, as a correlation matrix "
            f"is dense. Use {name}.toarray()."
        )


def require_one_size(X, name="X"):
    """Raise if a sequence has matrices, or rows of entries, of different sizes.

    Parameters
    ----------
    X : object
        Argument.
    name : str
        Its name.
    """
    if not isinstance(X, list | tuple):
        return
    try:
        shapes = [tuple(np.shape(x)) for x in X]
    except ValueError:  # the rows of one matrix differ: converting it will tell
        return
    other = next((i for i, shape in enumerate(shapes) if shape != shapes[0]), None)
    if other is not None:
        raise ShapeError(
            f"{name} mixes sizes: {name}[0] has shape {shapes[0]}, {name}[{other}] has "
            f"shape {shapes[other]}. The matrices of a stack relate the same variables."
        )


def find_bad(points):
    """Return every matrix of a stack that is not a full-rank correlation matrix.

    Parameters
    ----------
    points : array-like, shape=[N, n, n]
        Matrices.

    Returns
    -------
    bad : tuple of BadMatrix
        The bad ones with the first reason that applies: a NaN or an infinity, not
        symmetric, a diagonal that is not one, not positive definite.

    Examples
    --------
    >>> for bad in find_bad([[[1, 0.5], [0.5, 1]], [[1, 2], [2, 1]]]):
    ...     print(bad.index, bad.reason)
    1 is not positive definite: its smallest eigenvalue is -1
    """
    (points,) = as_arrays(points=points)
    require_stack(points=points)
    xp = array_namespace(points)
    tolerance = input_tolerance(points)
    finite = xp.all(xp.isfinite(points), axis=(-2, -1))
    points = _where(finite, points, eye_like(points))
    size = 1.0 + xp.max(xp.abs(points), axis=(-2, -1))
    asymmetry = xp.max(xp.abs(points - points.mT), axis=(-2, -1))
    diag = diagonal(points)
    astray = xp.max(xp.abs(diag - 1.0), axis=-1)
    singular = _are_singular(symmetrize(points))
    scalable = xp.min(diag, axis=-1) > 0.0
    faults = (
        (~finite, lambda i: "has a NaN or an infinity"),
        (
            asymmetry > tolerance * size,
            lambda i: (
                f"is not symmetric: entries differ from their mirror by up to "
                f"{float(asymmetry[i]):.3g}"
            ),
        ),
        (
            astray > tolerance,
            lambda i: f"has a diagonal that is off one by up to {float(astray[i]):.3g}",
        ),
        (
            singular,
            lambda i: (
                f"is not positive definite: its smallest eigenvalue is "
                f"{float(xp.linalg.eigvalsh(points[i])[0]):.3g}"
            ),
        ),
    )
    reasons = {}
    for fault, reason in faults:
        for i in np.flatnonzero(fault.tolist()).tolist():
            reasons.setdefault(i, reason(i))
    mendable = finite & scalable
    return tuple(BadMatrix(i, reasons[i], bool(mendable[i])) for i in sorted(reasons))


def clean_points(points, on_bad="raise", min_eigenvalue=SAFE_EIGENVALUE, name="points"):
    r"""Raise for the bad matrices of a stack, drop them, or mend them.

    To mend a matrix is to take its symmetric part, to scale that to a unit diagonal,
    and to shrink the result towards the identity, :math:`(1 - s) C + s I`, until no
    eigenvalue is below `min_eigenvalue`. Good matrices are left as they are. A matrix
    with a NaN, an infinity or a diagonal that is not positive cannot be mended, and
    raises an error.

    Parameters
    ----------
    points : array-like, shape=[N, n, n] or [N, n (n - 1) / 2]
        Matrices, or their strict lower entries row by row.
    on_bad : {"raise", "drop", "mend"}
        What to do with the bad ones. Dropping and mending warn, with the report.
    min_eigenvalue : float
        Smallest eigenvalue of a mended matrix, by default 0.05: a mended matrix close
        to the boundary of the manifold would be far from all others.
    name : str
        Name of the argument in messages.

    Returns
    -------
    points : array, shape=[M, n, n]
        Full-rank correlation matrices.
    report : CleaningReport
        What was found and done.

    Examples
    --------
    >>> import warnings
    >>> from geomstats_cor import clean_points
    >>> stack = [[[1, 0.5], [0.5, 1]], [[1, 2], [2, 1]]]
    >>> with warnings.catch_warnings():
    ...     warnings.simplefilter("ignore")
    ...     points, report = clean_points(stack, on_bad="mend")
    >>> points[1].round(3).tolist()
    [[1.0, 0.95], [0.95, 1.0]]
    >>> report.mended, report.shrinkage.round(4).tolist()
    ((1,), [0.0, 0.525])
    """
    if on_bad not in ("raise", "drop", "mend"):
        raise ParameterError(
            f"on_bad is {on_bad!r}: choose one of 'raise', 'drop', 'mend'."
        )
    points = as_stack(points, name=name)
    count = points.shape[0]
    bad = find_bad(points)
    everything = np.arange(count)
    if not bad:
        return points, CleaningReport((), everything, shrinkage=np.zeros(count))
    if on_bad == "raise":
        raise BadMatricesError(
            f"{name}: {len(bad)} of {count} are not full-rank correlation matrices: "
            f"{_listed(bad)} geomstats_cor.clean_points can drop or mend them.",
            bad,
        )
    places = tuple(matrix.index for matrix in bad)
    if on_bad == "drop":
        kept = np.setdiff1d(everything, places)
        report = CleaningReport(bad, kept, dropped=places, shrinkage=np.zeros(count))
        points = points[kept.tolist()]
    else:
        points, shrinkage = _mend(points, bad, min_eigenvalue, name)
        report = CleaningReport(bad, everything, mended=places, shrinkage=shrinkage)
    warnings.warn(f"{name}: {report}", MendedWarning, stacklevel=2)
    return points, report


def _mend(points, bad, min_eigenvalue, name):
    """Return the stack with its bad matrices mended, and the shrinkage of each."""
    lost = tuple(matrix for matrix in bad if not matrix.mendable)
    if lost:
        raise BadMatricesError(
            f"{name}: {len(lost)} of {len(points)} are beyond mending, with a NaN, an "
            f"infinity or a diagonal that is not positive: {_listed(lost)} "
            f"clean_points(..., on_bad='drop') leaves them out.",
            lost,
        )
    xp = array_namespace(points)
    space = FullRankCorrelationMatrices(points.shape[-1], equip=False)
    marks = np.zeros(points.shape[0], dtype=bool)
    marks[[matrix.index for matrix in bad]] = True
    where = xp.asarray(marks, device=points.device)
    scaled = kernels.cor(symmetrize(_where(where, points, eye_like(points))))
    safe = space.nearest_safe_point(scaled, min_eigenvalue)
    shrinkage = np.where(marks, safe.shrinkage.tolist(), 0.0)
    return _where(where, safe.point, points), shrinkage


def _are_singular(points):
    """Tell which symmetric matrices have no factor with pivots above rounding."""
    factor, definite = flagged_cholesky(points)
    pivots = array_namespace(points).min(diagonal(factor), axis=-1) ** 2
    return ~(definite & (pivots > rank_tolerance(points)))


def _where(marks, points, others):
    return array_namespace(points).where(marks[:, None, None], points, others)


def _listed(bad):
    """Name the bad matrices: the first ones in words, the others by index."""
    named = "; ".join(f"[{m.index}] {m.reason}" for m in bad[:_LISTED])
    others = ", ".join(str(m.index) for m in bad[_LISTED:])
    return f"{named}; also {others}." if others else f"{named}."
