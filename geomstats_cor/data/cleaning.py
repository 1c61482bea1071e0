"""Stacks of correlation matrices: reading them, and treating bad ones.

A stack is an array [N, n, n]. Its condensed form [N, n (n - 1) / 2] lists the strict
lower entries of each matrix row by row, (1, 0), (2, 0), (2, 1), (3, 0), ..., which is
the order of `kernels.pack_strictly_lower` and of nilearn's vectorised connectivity
matrices without their diagonal.

Bad matrices can be dropped or repaired. Repairing the bad ones alone would move them
away from their neighbours, and a test of groups would take that for a difference:
`on_bad="repair"` therefore applies one and the same map to all matrices of a stack.
"""

import math
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from array_api_compat import array_namespace

from .. import kernels
from .._callers import warn_user
from .._types import Array, ArrayLike
from ..exceptions import (
    BadMatricesError,
    CleaningWarning,
    ShapeError,
)
from ..kernels._array import diagonal, eye_like, flagged_cholesky, symmetrize
from ..kernels._autodiff import detached
from ..kernels._tolerances import input_tolerance, rank_tolerance
from ..space import FullRankCorrelationMatrices
from ..validation import as_arrays, plain, require_choice, require_number, require_stack
from .labels import are_tables
from .naming import as_numpy, names_of

_LISTED = 10

# Distances grow without bound towards the boundary of the manifold: a repaired matrix
# close to the boundary would outweigh all others in any statistic.
SAFE_EIGENVALUE = 0.05

ACTIONS = ("raise", "drop", "repair", "drop_and_repair", "repair_each")


class BadMatrix(NamedTuple):
    """A matrix of a stack that is not a full-rank correlation matrix.

    Parameters
    ----------
    index : int
        Its index in the stack.
    reason : str
        What is wrong with it.
    repairable : bool
        Whether on_bad="repair" makes a correlation matrix of it. A matrix with a NaN,
        an infinity, or a diagonal entry that is not positive is not repairable.
    """

    index: int  # type: ignore[assignment]  # hides tuple.index
    reason: str
    repairable: bool


@dataclass(frozen=True)
class CleaningReport:
    """What `clean_points` found and did.

    Parameters
    ----------
    bad : tuple of BadMatrix
        Every bad matrix of the stack, in order.
    kept : numpy.ndarray of int
        Indices in the given stack of the matrices of the result.
    dropped, repaired : tuple of int
        Indices in the given stack of the matrices that were left out, and of those
        that were changed.
    shrinkage : numpy.ndarray, shape=[N]
        How far each matrix of the given stack was shrunk towards the identity.
    min_eigenvalue : float or None
        Smallest eigenvalue that was given to all matrices; None if they were not
        treated alike.

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
    repaired: tuple = ()
    shrinkage: Any = field(default=None, repr=False)
    min_eigenvalue: float | None = None

    def __str__(self):
        if not self.bad:
            return f"all {len(self.kept)} matrices are full-rank correlation matrices."
        parts = [f"{len(self.dropped)} dropped"] if self.dropped else []
        if self.min_eigenvalue is not None:
            parts.append(
                f"all {len(self.kept)} treated alike, shrunk towards the identity "
                f"until no eigenvalue is below {self.min_eigenvalue:g}, by up to "
                f"{float(np.max(self.shrinkage)):.3g}; {len(self.repaired)} changed"
            )
        elif self.repaired:
            parts.append(
                f"{len(self.repaired)} bad ones alone repaired, shrunk towards the "
                f"identity by up to {float(np.max(self.shrinkage)):.3g}, which can "
                f"look like a difference between groups"
            )
        return f"{', '.join(parts)}: {_listed(self.bad)}"


def as_stack(X: ArrayLike, complete: bool = False, name: str = "X") -> Array:
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
    return _read(X, complete, name, allows_ones=complete)


def _read(X, complete, name, allows_ones):
    """Read a stack; rows that hold ones are allowed as long as some row holds none."""
    require_one_size(X, name)
    (points,) = as_arrays(**{name: X})
    shape = tuple(points.shape)
    if points.ndim == 3 and shape[-1] == shape[-2]:
        return points
    if points.ndim != 2 or shape[-1] == 0:
        raise ShapeError(
            f"{name}: expected shape [N, n, n], or strict lower entries "
            f"[N, n (n - 1) / 2], got {shape}. A single matrix is {name}[None]."
        )
    _require_no_diagonal(points, name, allows_ones)
    missing = triangle_size(shape[-1]) - shape[-1]
    if missing and not complete:
        raise ShapeError(
            f"{name} has {shape[-1]} columns, but the strict lower triangle of "
            f"an n x n matrix has n (n - 1) / 2 = 1, 3, 6, 10, ... entries. A single "
            f"matrix is {name}[None]."
        )
    xp = array_namespace(points)
    padding = xp.zeros_like(points[:, :1])
    lower = kernels.unpack_strictly_lower(
        xp.concat([points] + missing * [padding], axis=-1)
    )
    return lower + lower.mT + eye_like(lower)


def _require_no_diagonal(rows, name, allows_some):
    """Raise if rows of strict lower entries hold ones, as rows of matrices do."""
    xp = array_namespace(rows)
    ones = rows == 1.0
    held = xp.any(ones, axis=-1)
    alike = rows.shape[0] > 1 and bool(xp.all(held))
    if alike or (not allows_some and bool(xp.any(held))):
        row = int(xp.argmax(xp.astype(held, xp.int8)))
        column = int(xp.argmax(xp.astype(ones[row], xp.int8)))
        raise ShapeError(
            f"{name}: expected strict lower entries [N, n (n - 1) / 2], without the "
            f"diagonal, but row {row} holds a 1 at column {column}. A single matrix "
            f"is {name}[None]; matrices one below the other are "
            f"{name}.reshape(-1, n, n); rows with the diagonal have to lose it."
        )


def triangle_size(count: int) -> int:
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


def require_dense(X: Any, name: str = "X") -> None:
    """Raise if an argument is sparse or masked.

    Parameters
    ----------
    X : object
        Argument.
    name : str
        Its name.
    """
    plain(name, X)


def require_one_size(X: Any, name: str = "X") -> None:
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
    plain(name, X)
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


def find_bad(points: ArrayLike) -> tuple:
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
    points, xp = detached(points), array_namespace(points)
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
    reasons: dict = {}
    for fault, reason in faults:
        for i in np.flatnonzero(fault.tolist()).tolist():
            reasons.setdefault(i, reason(i))
    repairable = finite & scalable
    return tuple(BadMatrix(i, reasons[i], bool(repairable[i])) for i in sorted(reasons))


def clean_points(
    points: ArrayLike,
    on_bad: str = "raise",
    min_eigenvalue: float = SAFE_EIGENVALUE,
    name: str = "points",
) -> tuple:
    r"""Raise for the bad matrices of a stack, drop them, or repair the stack.

    To repair a matrix is to take its symmetric part, to scale that to a unit diagonal,
    and to shrink the result towards the identity, :math:`(1 - s) C + s I`, with the
    smallest :math:`s \ge 0` for which no eigenvalue is below `min_eigenvalue`.

    Repairing is a treatment of the whole stack: as soon as one matrix is bad, this map
    is applied to all of them, so that bad and good ones stay comparable. A matrix with
    a NaN, an infinity or a diagonal that is not positive cannot be repaired, and raises
    an error unless it is dropped.

    Parameters
    ----------
    points : array-like, shape=[N, n, n] or [N, n (n - 1) / 2]
        Matrices, or their strict lower entries row by row.
    on_bad : {"raise", "drop", "repair", "drop_and_repair", "repair_each"}
        - "raise": name the bad matrices in an error.
        - "drop": leave them out. It is an error if nothing remains.
        - "repair": repair all matrices alike, as soon as one of them is bad.
        - "drop_and_repair": drop those that cannot be repaired, and repair the rest.
        - "repair_each": repair the bad matrices alone. They then differ from the
          others by the repair: of two groups of one population, recorded with 20 and
          24 frames, `equal_means_test` calls most different. Use it for pictures, not
          for statistics.

        All but the first warn, with the report.
    min_eigenvalue : float
        Smallest eigenvalue after a repair, by default 0.05: a repaired matrix close to
        the boundary of the manifold would be far from all others.
    name : str
        Name of the argument in messages.

    Returns
    -------
    points : array, shape=[M, n, n], or CorrelationStack
        Full-rank correlation matrices; with the labels of those that remain, if the
        given ones have names.
    report : CleaningReport
        What was found and done.

    Examples
    --------
    >>> import warnings
    >>> from geomstats_cor import clean_points
    >>> stack = [[[1, 0.97], [0.97, 1]], [[1, 2], [2, 1]]]
    >>> with warnings.catch_warnings():
    ...     warnings.simplefilter("ignore")
    ...     points, report = clean_points(stack, on_bad="repair")
    >>> points[:, 0, 1].round(3).tolist()
    [0.95, 0.95]
    >>> report.repaired, report.shrinkage.round(4).tolist()
    ((0, 1), [0.0206, 0.525])
    """
    on_bad = current_name(on_bad)
    require_choice("on_bad", on_bad, ACTIONS)
    require_number("min_eigenvalue", min_eigenvalue, 0.0, 1.0)
    given = points
    points = _read(points, False, name, allows_ones=on_bad != "raise")
    if are_tables(given) and names_of(given) is not None:
        from .culprits import naming_culprits
        from .stack import CorrelationStack

        with naming_culprits(given):
            points, report = clean_points(points, on_bad, min_eigenvalue, name)
        labels = CorrelationStack(given, note=getattr(given, "note", ""))[report.kept]
        note = labels.note if not report.bad else f"{labels.note} {report}".strip()
        return labels._with(values=as_numpy(points), note=note), report
    count, bad = points.shape[0], find_bad(points)
    if not bad:
        return points, CleaningReport((), np.arange(count), shrinkage=np.zeros(count))
    if on_bad == "raise":
        raise BadMatricesError(
            f"{name}: {len(bad)} of {count} are not full-rank correlation matrices: "
            f"{_listed(bad)} {_advice(bad)}",
            bad,
        )
    lost = tuple(m for m in bad if not m.repairable)
    dropped = {"drop": bad, "drop_and_repair": lost}.get(on_bad, ())
    if len(dropped) == count:
        raise BadMatricesError(
            f"{name}: all {count} would be dropped, and nothing would remain: "
            f"{_listed(dropped)} {_advice(bad)}",
            bad,
        )
    if lost and not dropped:
        raise BadMatricesError(
            f"{name}: {len(lost)} of {count} cannot be repaired, with a NaN, an "
            f"infinity or a diagonal that is not positive: {_listed(lost)} "
            f"{_advice(lost)}",
            lost,
        )
    dropped = tuple(m.index for m in dropped)
    kept = np.setdiff1d(np.arange(count), dropped)
    left = tuple(m.index for m in bad if m.index not in set(dropped))
    if dropped:
        points = points[kept.tolist()]
    shrinkage, floor = np.zeros(count), None
    if left and on_bad == "repair_each":
        marks = np.isin(kept, left)
        repaired, amounts = repair(points, min_eigenvalue)
        where = array_namespace(points).asarray(marks, device=points.device)
        points, shrinkage[kept] = (
            _where(where, repaired, points),
            np.where(marks, amounts, 0.0),
        )
    elif left:
        floor = float(min_eigenvalue)
        points, shrinkage[kept] = repair(points, floor)
        left = tuple(sorted({*left, *np.flatnonzero(shrinkage).tolist()}))
    report = CleaningReport(bad, kept, dropped, left, shrinkage, floor)
    warn_user(f"{name}: {report}", CleaningWarning)
    return points, report


def current_name(on_bad: str) -> str:
    """Return the name of an action, and warn if an old one was given.

    Parameters
    ----------
    on_bad : str
        Action, or the deprecated name "mend".

    Returns
    -------
    on_bad : str
        Action.
    """
    if not isinstance(on_bad, str) or on_bad != "mend":
        return on_bad
    warn_user(
        'on_bad="mend" is deprecated: it means on_bad="repair" now, which treats all '
        'matrices alike. What changed bad matrices alone is on_bad="repair_each".',
        DeprecationWarning,
    )
    return "repair"


def repair(points: Array, min_eigenvalue: float = SAFE_EIGENVALUE) -> tuple:
    """Apply the map of a repair to all matrices of a stack.

    Parameters
    ----------
    points : array, shape=[N, n, n]
        Finite matrices with positive diagonals.
    min_eigenvalue : float
        Smallest eigenvalue of the results.

    Returns
    -------
    points : array, shape=[N, n, n]
        Correlation matrices.
    shrinkage : numpy.ndarray, shape=[N]
        How far each was shrunk towards the identity.
    """
    space = FullRankCorrelationMatrices(points.shape[-1], equip=False)
    scaled = kernels.cor(symmetrize(points))
    safe = space.nearest_safe_point(scaled, min_eigenvalue)
    return safe.point, np.asarray(safe.shrinkage.tolist())


def _advice(bad):
    """Return what to do about bad matrices, the safe way first."""
    if not any(m.repairable for m in bad):
        return "geomstats_cor.clean_points(..., on_bad='drop') leaves them out."
    if all(m.repairable for m in bad):
        return (
            "geomstats_cor.clean_points(..., on_bad='repair') repairs the whole stack "
            "alike; on_bad='drop' leaves them out."
        )
    return (
        "geomstats_cor.clean_points(..., on_bad='drop_and_repair') leaves out those "
        "that cannot be repaired, and repairs the rest of the stack alike."
    )


def _are_singular(points):
    """Tell which symmetric matrices have no factor with pivots above rounding."""
    factor, definite = flagged_cholesky(points)
    pivots = array_namespace(points).min(diagonal(factor), axis=-1) ** 2
    return ~(definite & (pivots > rank_tolerance(points)))


def _where(marks, points, others):
    return array_namespace(points).where(marks[:, None, None], points, others)


def _listed(bad):
    """Name the first bad matrices with their reasons, and count the others."""
    named = "; ".join(f"[{m.index}] {m.reason}" for m in bad[:_LISTED])
    others = len(bad) - _LISTED
    return f"{named}; and {others} more." if others > 0 else f"{named}."
