"""The nearest correlation matrix, with a report of what moved."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from .._types import ArrayLike
from ..exceptions import (
    ArrayTypeError,
    ConvergenceError,
    NotFiniteError,
    NotSymmetricError,
    ParameterError,
    ShapeError,
)
from ..validation import plain, require_number
from ._nearest_solver import Prescribed, nearest
from .cleaning import as_stack
from .labels import are_tables, is_stack, without_names
from .naming import as_numpy, names_of, with_names


@dataclass(frozen=True)
class NearestReport:
    """What `nearest_correlation` did.

    Parameters
    ----------
    distance : numpy.ndarray, shape=[N]
        Frobenius distance between the given and the found matrix, the diagonal and
        missing entries left out.
    largest_change : numpy.ndarray, shape=[N]
        Largest change of an entry off the diagonal.
    smallest_eigenvalue : numpy.ndarray, shape=[N, 2]
        Smallest eigenvalue before and after; NaN before if entries are missing.
    steps : numpy.ndarray of int, shape=[N]
        Number of Newton steps.
    before, after : numpy.ndarray, shape=[N, n, n]
        Matrices.
    variables : list
        Names of the variables.

    Examples
    --------
    >>> from geomstats_cor import nearest_correlation
    >>> given = [[1, 0.9, 0.7], [0.9, 1, -0.9], [0.7, -0.9, 1]]
    >>> _, report = nearest_correlation(given)
    >>> print(report)
    1 of 1 matrices moved, by up to 0.346 in an entry and 0.822 in Frobenius norm.
    """

    distance: Any
    largest_change: Any
    smallest_eigenvalue: Any
    steps: Any
    before: Any = field(repr=False)
    after: Any = field(repr=False)
    variables: list = field(repr=False)

    def __str__(self):
        moved = int(np.sum(self.largest_change > 1e-9))
        if not moved:
            return f"none of {len(self.distance)} matrices moved."
        return (
            f"{moved} of {len(self.distance)} matrices moved, by up to "
            f"{self.largest_change.max():.3g} in an entry and "
            f"{self.distance.max():.3g} in Frobenius norm."
        )

    def moves(self, number: int = 10) -> Any:
        """Return the entries that moved most.

        Parameters
        ----------
        number : int
            How many.

        Returns
        -------
        table : pandas.DataFrame
            The matrix, both variables, the entry before and after, and its change;
            the largest change first.
        """
        import pandas as pd

        i, j = np.tril_indices(self.after.shape[-1], -1)
        before, after = self.before[:, i, j], self.after[:, i, j]
        change = np.nan_to_num(after - before)
        order = np.argsort(-np.abs(change), axis=None, kind="stable")[:number]
        matrix, pair = np.unravel_index(order, change.shape)
        kept = np.abs(change[matrix, pair]) > 0.0
        matrix, pair = matrix[kept], pair[kept]
        return pd.DataFrame(
            {
                "matrix": matrix,
                "variable": [self.variables[k] for k in i[pair]],
                "with": [self.variables[k] for k in j[pair]],
                "before": before[matrix, pair],
                "after": after[matrix, pair],
                "change": change[matrix, pair],
            }
        )


def nearest_correlation(
    matrices: ArrayLike,
    weights: ArrayLike = None,
    fixed: Any = None,
    min_eigenvalue: float = 1e-6,
    names: ArrayLike = None,
) -> tuple:
    r"""Return the correlation matrices nearest to symmetric matrices, and a report.

    .. math:: \min \Big\{ \sum_{ij} W_{ij} (X_{ij} - A_{ij})^2 :
              X_{ii} = 1, \; X_{ij} = A_{ij} \text{ where fixed}, \;
              X \succeq \delta I \Big\} .

    A semismooth Newton method on the dual, to rounding accuracy [QS2006]_; the same
    problem as Higham's alternating projections solve [H2002]_. To make a whole sample
    comparable, see `clean_points`: a matrix that was projected lies on the floor
    :math:`\delta`, others do not.

    Parameters
    ----------
    matrices : array-like, shape=[n, n], [N, n, n] or [N, n (n - 1) / 2], or tables
        Symmetric matrices, or their strict lower entries row by row, such as pairwise
        correlations, or with entries changed by hand.
    weights : array-like, shape=[n] or [n, n]
        Weights, not negative: of variables, :math:`W_{ij} = w_i w_j` with positive
        :math:`w`, or of entries. A missing entry (NaN) needs the weight zero. Equal if
        None.
    fixed : sequence of pairs, or array of bool, shape=[n, n]
        Entries to leave as they are: pairs of variables, by name or by number, or
        marks. None if None.
    min_eigenvalue : float
        Floor :math:`\delta` on the eigenvalues, in [0, 1). With 0 the result is
        singular as a rule.
    names : sequence of length n
        Names of the variables; those of tables if None.

    Returns
    -------
    points : array, shape=[n, n] or [N, n, n]
        Nearest correlation matrices; a data frame or a `CorrelationStack` if the
        matrices have names.
    report : NearestReport
        What moved, and by how much.

    References
    ----------
    .. [H2002] N. J. Higham. Computing the nearest correlation matrix - a problem from
       finance. IMA J. Numer. Anal. 22, 2002.
    .. [QS2006] H. Qi and D. Sun. A quadratically convergent Newton method for computing
       the nearest correlation matrix. SIAM J. Matrix Anal. Appl. 28, 2006.

    Examples
    --------
    >>> from geomstats_cor import nearest_correlation
    >>> given = [[1, 1, 0], [1, 1, 1], [0, 1, 1]]
    >>> point, _ = nearest_correlation(given, min_eigenvalue=0)
    >>> point.round(4)
    array([[1.    , 0.7607, 0.1573],
           [0.7607, 1.    , 0.7607],
           [0.1573, 0.7607, 1.    ]])
    >>> kept, report = nearest_correlation(given, fixed=[(0, 2)])
    >>> kept[0, 2].item(), kept[0, 1].round(4).item()
    (0.0, 0.7071)
    """
    index = matrices.index if is_stack(matrices) else None
    order = names_of(matrices) if names is None else list(names)
    stack, is_single = _read(matrices)
    count, n = stack.shape[:2]
    variables = list(range(n)) if order is None else order
    if len(variables) != n:
        raise ShapeError(f"names: expected {n} names, got {len(variables)}.")
    require_number("min_eigenvalue", min_eigenvalue, 0.0, 1.0, includes_low=True)
    weights = _read_weights(weights, n)
    marks = _read_fixed(fixed, variables)
    _require_entries(stack, weights, marks, variables)
    rows, columns = np.nonzero(np.tril(marks))
    prescribed = Prescribed(rows, columns)
    points, steps = np.empty_like(stack), np.zeros(count, dtype=int)
    for k, given in enumerate(stack):
        values = np.where(rows == columns, 1.0, given[rows, columns])
        point, steps[k], residual = nearest(
            np.nan_to_num(given), weights, prescribed, values, min_eigenvalue
        )
        if not residual <= 1e-7:
            raise ConvergenceError(
                f"matrices[{k}]: the iteration stopped {residual:.1g} short of the "
                f"prescribed entries. Probably no correlation matrix has the fixed "
                f"entries and all eigenvalues above {min_eigenvalue:g}: fix fewer of "
                f"them, or lower min_eigenvalue.",
                residual,
                (k,),
            )
        point[rows, columns] = point[columns, rows] = values
        points[k] = point
    report = _report(stack, points, steps, variables)
    result = points[0] if is_single else points
    return with_names(result, order, index), report


def _read(matrices):
    """Return a stack [N, n, n] in float64, and whether it was a single matrix."""
    if are_tables(matrices):
        array, _ = without_names("matrices", matrices)
    else:
        try:
            array = as_numpy(plain("matrices", matrices))
            if array.dtype.kind not in "biuf":
                raise TypeError
        except (TypeError, ValueError):
            raise ArrayTypeError(
                "matrices: expected real numbers of shape [n, n] or [N, n, n]."
            ) from None
    array = array.astype(np.float64)
    if array.ndim == 2 and array.shape[0] != array.shape[1]:
        array = as_stack(array, name="matrices")
    if array.ndim not in (2, 3) or array.shape[-1] != array.shape[-2]:
        raise ShapeError(
            f"matrices: expected shape [n, n] or [N, n, n], got {array.shape}."
        )
    if array.shape[-1] < 2:
        raise ShapeError("matrices: expected two variables at least.")
    return (array[None], True) if array.ndim == 2 else (array, False)


def _read_weights(weights, n):
    if weights is None:
        return np.ones(n)
    weights = np.asarray(plain("weights", weights), dtype=np.float64)
    if weights.shape not in ((n,), (n, n)):
        raise ShapeError(
            f"weights: expected shape [{n}] or [{n}, {n}], got {weights.shape}."
        )
    is_vector = weights.ndim == 1
    if not np.all(np.isfinite(weights) & (weights >= 0.0)) or not weights.any():
        raise ParameterError(
            "weights: expected finite numbers, not negative and not all zero."
        )
    if is_vector and weights.min() == 0.0:
        raise ParameterError(
            f"weights[{int(np.argmin(weights))}]: expected a positive weight of a "
            f"variable, got 0. Entries may have the weight zero: pass weights of "
            f"shape [{n}, {n}]."
        )
    if not is_vector and not np.array_equal(weights, weights.T):
        raise NotSymmetricError("weights: expected a symmetric matrix.")
    return weights


def _read_fixed(fixed, variables):
    """Return marks [n, n] of the prescribed entries, the diagonal among them."""
    n = len(variables)
    marks = np.eye(n, dtype=bool)
    if fixed is None:
        return marks
    given = np.asarray(fixed)
    if given.dtype == bool:
        if given.shape != (n, n) or not np.array_equal(given, given.T):
            raise ShapeError(
                f"fixed: expected symmetric marks of shape [{n}, {n}], got "
                f"{given.shape}."
            )
        return marks | given
    places = {name: i for i, name in enumerate(variables)}
    for pair in fixed:
        try:
            i, j = (places[name] for name in pair)
        except (KeyError, TypeError, ValueError):
            raise ParameterError(
                f"fixed: expected pairs of variables out of {variables[:5]}, got "
                f"{pair!r}."
            ) from None
        marks[i, j] = marks[j, i] = True
    return marks


def _require_entries(stack, weights, marks, variables):
    """Raise for asymmetry, infinities, and missing entries that count."""
    missing = np.isnan(stack)
    free = weights == 0.0 if weights.ndim == 2 else np.zeros(stack.shape[1:], bool)
    free = (free & ~marks) | np.eye(len(free), dtype=bool)
    bad = (missing & ~free) | np.isinf(stack)
    if bad.any():
        k, i, j = np.argwhere(bad)[0]
        raise NotFiniteError(
            f"matrices[{k}] has {stack[k, i, j]} between {variables[i]!r} and "
            f"{variables[j]!r}: give this entry the weight zero to have it filled in, "
            f"and do not fix it."
        )
    asymmetry = np.nan_to_num(np.abs(stack - stack.mT)).max(axis=(1, 2))
    k = int(np.argmax(asymmetry)) if len(asymmetry) else 0
    if len(asymmetry) and asymmetry[k] > 1e-8 * (1.0 + np.nanmax(np.abs(stack[k]))):
        raise NotSymmetricError(
            f"matrices[{k}] is not symmetric: entries differ from their mirror by up "
            f"to {asymmetry[k]:.3g}. Average it with its transpose."
        )
    wide = marks & ~np.eye(len(marks), dtype=bool) & ~(np.abs(stack) < 1.0)
    if wide.any():
        k, i, j = np.argwhere(wide)[0]
        raise ParameterError(
            f"fixed: matrices[{k}] has {stack[k, i, j]:g} between {variables[i]!r} and "
            f"{variables[j]!r}: expected a fixed entry in (-1, 1)."
        )


def _report(stack, points, steps, variables):
    change = np.nan_to_num(points - stack)
    change[:, range(len(variables)), range(len(variables))] = 0.0
    complete = ~np.isnan(stack).any(axis=(1, 2))
    before = np.full(len(stack), np.nan)
    if complete.any():
        before[complete] = np.linalg.eigvalsh(stack[complete])[:, 0]
    after = np.linalg.eigvalsh(points)[:, 0] if len(points) else before
    return NearestReport(
        np.linalg.norm(change, axis=(1, 2)),
        np.abs(change).max(axis=(1, 2), initial=0.0),
        np.stack([before, after], axis=-1),
        steps,
        stack,
        points,
        variables,
    )
