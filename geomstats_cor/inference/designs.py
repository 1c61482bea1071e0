"""Covariates as the columns of a linear model.

A covariate is a term: one column if it is continuous, one for each level but the first
if it is categorical.
"""

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from .._types import Array, ArrayLike
from ..data.labels import in_order_of, index_as_names, is_table, order_of
from ..exceptions import NotFiniteError, ParameterError, ShapeError
from ..validation import plain

_LISTED = 5


@dataclass(frozen=True)
class Term:
    """A covariate and how its values become columns.

    Parameters
    ----------
    name : str
        Name of the covariate.
    levels : tuple
        Levels of a categorical covariate, the reference first; empty if continuous.
    center : float
        Mean of a continuous covariate.
    """

    name: str
    levels: tuple = ()
    center: float = 0.0

    @property
    def columns(self) -> Any:
        """Return the names of the columns."""
        if not self.levels:
            return (self.name,)
        return tuple(f"{self.name}[{level}]" for level in self.levels[1:])

    def code(self, values: Array, rows: Array) -> Any:
        """Return the columns [N, q] of values [N], with rows named in messages."""
        if not self.levels:
            return _as_floats(self.name, values)[:, None] - self.center
        values = np.asarray(values).tolist()
        strangers = [i for i, v in enumerate(values) if v not in self.levels]
        if strangers:
            known = ", ".join(map(repr, self.levels[:_LISTED]))
            raise ParameterError(
                f"covariate {self.name!r}: expected one of the levels of fit, {known}, "
                f"got {values[strangers[0]]!r} for {rows[strangers[0]]}."
            )
        return np.array(
            [[float(v == level) for level in self.levels[1:]] for v in values]
        ).reshape(len(values), len(self.levels) - 1)


@dataclass(frozen=True)
class Design:
    """The matrix of a linear model, with an intercept, and its terms.

    Parameters
    ----------
    terms : tuple of Term
        Terms, in the order of the covariates.
    matrix : numpy.ndarray, shape=[N, 1 + p]
        Columns: the intercept, then those of the terms.
    subjects : tuple or None
        Names of the rows, if the covariates have some.
    """

    terms: tuple
    matrix: np.ndarray = field(repr=False)
    subjects: tuple | None = None

    @property
    def names(self) -> Any:
        """Return the names of the terms."""
        return tuple(term.name for term in self.terms)

    @property
    def columns(self) -> Any:
        """Return the names of the columns, the intercept included."""
        return ("intercept", *(c for term in self.terms for c in term.columns))

    def places(self, name: Any) -> Any:
        """Return the positions of the columns of a term."""
        start = 1
        for term in self.terms:
            stop = start + len(term.columns)
            if term.name == name:
                return np.arange(start, stop)
            start = stop
        raise ParameterError(
            f"term: expected one of {', '.join(map(repr, self.names))}, got {name!r}."
        )

    def rows(self, X: Array) -> Any:
        """Return the matrix [M, 1 + p] of new covariates."""
        values, subjects = named_columns(X)
        _require_same_names(values, self.names)
        count = len(next(iter(values.values())))
        rows = _row_names(count, subjects)
        for name in self.names:
            _require_known(name, values[name], rows)
        parts = [term.code(values[term.name], rows) for term in self.terms]
        return np.hstack([np.ones((count, 1)), *parts])


def make_design(
    X: Any, number: int, categorical: ArrayLike = (), subjects: tuple | None = None
) -> Any:
    """Return the design of covariates.

    Parameters
    ----------
    X : data frame, dict or array-like, shape=[N, p]
        Covariates. Columns of numbers are continuous; strings, booleans and
        categories are categorical. The columns of an array are named x0, x1, ...
    number : int
        Number N of matrices.
    categorical : str or sequence of str
        Names of columns of numbers that are codes of levels.
    subjects : tuple or None
        Names of the matrices. A data frame with the same names in its index is brought
        into their order.

    Returns
    -------
    design : Design
        Design.
    """
    categorical = [categorical] if isinstance(categorical, str) else categorical
    values, index = named_columns(X)
    values, index = aligned_columns(values, index, subjects)
    count = len(next(iter(values.values())))
    if count != number:
        raise ShapeError(
            f"covariates: expected {number} rows, one for each matrix, got {count}."
        )
    strangers = [name for name in categorical if name not in values]
    if strangers:
        raise ParameterError(
            f"categorical names {strangers[0]!r}, which is no covariate: they "
            f"are {', '.join(map(repr, values))}."
        )
    rows = _row_names(count, index)
    terms, parts = [], [np.ones((count, 1))]
    for name, column in values.items():
        _require_known(name, column, rows)
        term = _term(name, column, name in categorical)
        terms.append(term)
        parts.append(term.code(column, rows))
    design = Design(tuple(terms), np.hstack(parts), index)
    _require_independent(design)
    return design


def named_columns(X: Any) -> tuple:
    """Return the values of covariates by their names.

    Parameters
    ----------
    X : data frame, dict or array-like, shape=[N, p]
        Covariates.

    Returns
    -------
    values : dict
        Values [N] of each covariate by its name.
    index : tuple or None
        Names of the rows, if they have some.
    """
    if isinstance(X, dict) or is_table(X):
        names = list(X) if isinstance(X, dict) else list(X.columns)
        if len(set(names)) < len(names):
            twice = next(c for c in names if names.count(c) > 1)
            raise ShapeError(f"covariates: several columns are named {twice!r}.")
        columns = {name: X[name] for name in names}
        index = index_as_names(X)
        if isinstance(X, dict):
            indices = map(index_as_names, columns.values())
            index = next((i for i in indices if i is not None), None)
            columns = {k: in_order_of(k, v, index) for k, v in columns.items()}
        values = {str(name): _values(name, v) for name, v in columns.items()}
    else:
        array = np.asarray(plain("covariates", X))
        array = array[:, None] if array.ndim == 1 else array
        if array.ndim != 2:
            raise ShapeError(
                f"covariates: expected shape [N, p], a column for each covariate, got "
                f"{array.shape}."
            )
        values = {f"x{j}": array[:, j] for j in range(array.shape[1])}
        index = None
    if not values:
        raise ShapeError("covariates: expected at least one column, got none.")
    lengths = {name: len(column) for name, column in values.items()}
    if len(set(lengths.values())) > 1:
        raise ShapeError(f"covariates have different lengths: {lengths}.")
    return values, index


def _values(name, column):
    """Return a column as an array; a category keeps the order of its levels."""
    array = np.asarray(plain(f"covariate {name!r}", column))
    if array.ndim != 1:
        raise ShapeError(
            f"covariate {name!r}: expected one value for each matrix, got shape "
            f"{array.shape}."
        )
    categories = getattr(getattr(column, "dtype", None), "categories", None)
    return array if categories is None else _Leveled(array, tuple(categories))


class _Leveled(np.ndarray):
    """Values of a categorical column, which knows its levels."""

    def __new__(cls, values, levels):
        new = np.asarray(values, dtype=object).view(cls)
        new.levels = levels
        return new

    def __array_finalize__(self, other):
        self.levels = getattr(other, "levels", ())


def aligned_columns(values: dict, index: tuple | None, subjects: Any) -> tuple:
    """Return covariates in the order of the matrices, if both have names.

    Parameters
    ----------
    values : dict
        Values [N] of each covariate by its name.
    index : tuple or None
        Names of the rows.
    subjects : sequence or None
        Names of the matrices.

    Returns
    -------
    values : dict
        Values in the order of the matrices.
    subjects : tuple or None
        Names of the rows, as they are now.
    """
    order = order_of("covariates", index, subjects)
    if order is not None:
        values = {name: column[order] for name, column in values.items()}
    return values, index if subjects is None else subjects


def _row_names(count, index):
    if index is None:
        return [f"row {i}" for i in range(count)]
    return [f"subject {name!r}" for name in index]


def _require_known(name, column, rows):
    """Raise if values of a covariate are missing, and name the subjects."""
    missing = [i for i, value in enumerate(column.tolist()) if is_missing(value)]
    if missing:
        listed = ", ".join(rows[i] for i in missing[:_LISTED])
        others = len(missing) - _LISTED
        listed += f" and {others} more" if others > 0 else ""
        raise NotFiniteError(
            f"covariate {name!r} is missing for {listed}: leave these matrices out, or "
            f"impute the value; an imputed covariate carries no evidence of its own."
        )


def is_missing(value: Any) -> bool:
    """Tell whether a value is None, NaN, infinite or the missing value of pandas.

    Parameters
    ----------
    value : object
        Value of a covariate or a label.

    Returns
    -------
    is_missing : bool
        Whether it is.
    """
    if value is None:
        return True
    try:
        return bool(value != value) or value in (np.inf, -np.inf)
    except TypeError:  # the missing value of pandas has no truth
        return True


def _term(name, column, is_coded):
    kind = column.dtype.kind
    declared = getattr(column, "levels", ())
    if kind in "iuf" and not is_coded and not declared:
        center = float(np.mean(column))
        return Term(name, center=center)
    if kind in "cmMV":
        raise ParameterError(
            f"covariate {name!r} has the type {column.dtype}: expected numbers, "
            f"strings, booleans or categories. Turn dates into numbers, such as days."
        )
    present = set(column.tolist())
    if declared:
        levels = [level for level in declared if level in present]
    elif kind == "O" and all(_is_number(v) for v in present) and not is_coded:
        return Term(name, center=float(np.mean(column.astype(float))))
    else:
        try:
            levels = sorted(present)
        except TypeError:
            raise ParameterError(
                f"covariate {name!r} mixes numbers and strings: use one of them."
            ) from None
    if len(levels) < 2:
        raise ParameterError(
            f"covariate {name!r} is {levels[0]!r} for every matrix: drop it, a "
            f"constant has no effect."
        )
    return Term(name, tuple(levels))


def _is_number(value):
    return isinstance(value, int | float | np.number) and not isinstance(value, bool)


def _as_floats(name, values):
    try:
        return np.asarray(values, dtype=float)
    except (TypeError, ValueError):
        first = np.asarray(values).tolist()[0]
        raise ParameterError(
            f"covariate {name!r} was a number in fit, got {first!r}."
        ) from None


def _require_same_names(values, names):
    less = [name for name in names if name not in values]
    if less:
        raise ParameterError(
            f"covariates: expected {', '.join(map(repr, names))}, got "
            f"{', '.join(map(repr, values))}: {less[0]!r} is missing."
        )


def _require_independent(design):
    """Raise if a term adds no column that the terms before it do not span."""
    matrix, start = design.matrix, 1
    scale = np.linalg.norm(matrix, axis=0)
    for term in design.terms:
        stop = start + len(term.columns)
        if np.min(scale[start:stop]) <= 1e-12 * (1.0 + abs(term.center)):
            raise ParameterError(
                f"covariate {term.name!r} is {term.center:g} for every matrix: drop "
                f"it, a constant has no effect."
            )
        scaled = matrix[:, :stop] / scale[:stop]
        if np.linalg.matrix_rank(scaled, tol=1e-10 * len(scaled) ** 0.5) < stop:
            before = ", ".join(map(repr, design.names[: design.names.index(term.name)]))
            raise ParameterError(
                f"covariate {term.name!r} is a linear combination of the intercept and "
                f"{before or 'nothing else'}, or there are more columns than matrices "
                f"({stop} and {len(matrix)}): effects of {term.name!r} cannot be told "
                f"from theirs. Drop one of them."
            )
        start = stop
    if len(matrix) <= matrix.shape[1]:
        raise ShapeError(
            f"{len(matrix)} matrices do not suffice for {matrix.shape[1]} columns "
            f"({', '.join(design.columns)}): use fewer covariates."
        )
