"""Tables whose rows and columns have names, such as the data frames of pandas.

A correlation matrix in a table names its variables. Two tables with the same variables
in different orders are brought into one order; tables of different variables raise.
Tables are recognised by their attributes, so that pandas is not imported.
"""

from typing import Any

import numpy as np

from ..exceptions import ArrayTypeError, ShapeError


def is_table(x: Any) -> bool:
    """Tell whether an object is a table with named columns.

    Parameters
    ----------
    x : object
        Object.

    Returns
    -------
    is_table : bool
        Whether it has columns, and converts to numpy.
    """
    return hasattr(x, "columns") and hasattr(x, "to_numpy")


def is_stack(x: Any) -> bool:
    """Tell whether an object is a `CorrelationStack`.

    Parameters
    ----------
    x : object
        Object.

    Returns
    -------
    is_stack : bool
        Whether it has values, variables and frames; its class is not imported.
    """
    return all(hasattr(x, name) for name in ("values", "variables", "frames"))


def are_tables(x: Any) -> bool:
    """Tell whether an object has names: a table, a list of tables, or a stack.

    Parameters
    ----------
    x : object
        Object.

    Returns
    -------
    are_tables : bool
        Whether names have to be compared.
    """
    if isinstance(x, list | tuple):
        return any(map(is_table, x))
    return is_table(x) or is_stack(x)


def without_names(name: str, x: Any, order: list | None = None) -> tuple:
    """Return tables as an array, with the variables in one order.

    Parameters
    ----------
    name : str
        Name of the argument in messages.
    x : table or sequence of tables or CorrelationStack
        A labelled stack; a matrix whose rows and columns have the same names; a list
        of such matrices; a table with an index of several levels, the last of which
        names the variables, as `df.rolling(60).corr()` returns it; or any other
        table, whose order is kept.
    order : list or None
        Names of the variables in the order to use; that of the first table if None.

    Returns
    -------
    array : numpy.ndarray, shape=[n, n] or [N, n, n] or that of the table
        Numbers.
    order : list or None
        Names of the variables; None if the table is not a matrix.
    """
    if is_stack(x):
        columns = list(x.variables)
        order = columns if order is None else order
        _require_same(name, columns, order)
        places = np.array(_positions(columns, order))
        return x.values[:, places[:, None], places], order
    if is_table(x):
        if _variables_of_blocks(name, x) is not None:
            return _blocks(name, x, order)
        if not _is_matrix(x):
            return _numbers(name, x), None
        return _matrix(name, x, order)
    strangers = [i for i, table in enumerate(x) if not is_table(table)]
    if strangers:
        raise ArrayTypeError(
            f"{name} mixes tables with named columns and {name}[{strangers[0]}], a "
            f"{type(x[strangers[0]]).__name__} without names: pass tables alone, or "
            f"arrays alone with the variables in one order."
        )
    matrices = []
    for i, table in enumerate(x):
        label = f"{name}[{i}]"
        if not _is_matrix(table):
            rows = list(getattr(table, "index", range(len(table))))
            raise ShapeError(
                f"{label} is a table of shape {tuple(table.shape)} whose rows "
                f"{few(rows)} are not named as its columns {few(table.columns)}: "
                f"expected a correlation matrix such as df.corr()."
            )
        matrix, order = _matrix(label, table, order)
        matrices.append(matrix)
    return np.stack(matrices), order


def _is_matrix(table):
    """Tell whether the rows of a table have the names of its columns, or none."""
    columns, index = list(table.columns), getattr(table, "index", None)
    if len(table) != len(columns):
        return False
    if index is None:  # polars has no names of rows
        return True
    rows = list(index)
    return rows == list(range(len(rows))) or set(rows) == set(columns)


def _matrix(name, table, order):
    """Return a matrix with its variables in the given order, and that order."""
    columns = list(table.columns)
    _require_distinct(name, columns)
    order = columns if order is None else order
    _require_same(name, columns, order)
    index: Any = getattr(table, "index", None)
    rows = columns if index is None else list(index)
    if set(rows) != set(columns):  # numbered rows are in the order of the columns
        rows = columns
    numbers = _numbers(name, table)
    return numbers[np.ix_(_positions(rows, order), _positions(columns, order))], order


def _variables_of_blocks(name, table):
    """Return the last level of the index if that names the columns, else None."""
    index: Any = getattr(table, "index", None)
    if getattr(index, "nlevels", 1) < 2:
        return None
    variables = list(index.get_level_values(-1))
    if not set(variables) & set(table.columns):
        return None
    if set(variables) != set(table.columns):
        raise ShapeError(
            f"{name} has the variables {few(set(variables))} in its rows, and "
            f"{few(table.columns)} in its columns: expected blocks [n, n] with the "
            f"same variables in both, as df.rolling(60).corr() returns them."
        )
    return variables


def _blocks(name, table, order):
    """Return the stack of the blocks of a table with an index of several levels."""
    columns = list(table.columns)
    _require_distinct(name, columns)
    order = columns if order is None else order
    _require_same(name, columns, order)
    variables = _variables_of_blocks(name, table)
    block, blocks = table.index.droplevel(-1).factorize()
    places = {variable: i for i, variable in enumerate(order)}
    row = np.array([places[variable] for variable in variables])
    size, count = len(order), len(blocks)
    filled = np.zeros((count, size), dtype=int)
    np.add.at(filled, (block, row), 1)
    if np.any(block < 0) or np.any(filled != 1):
        bad = int(np.flatnonzero(np.any(filled != 1, axis=1))[:1].sum())
        raise ShapeError(
            f"{name} has a block of rows, number {bad}, that does not hold each of the "
            f"{size} variables once: expected {size} rows for each matrix."
        )
    stack = np.empty((count, size, size))
    stack[block, row] = _numbers(name, table)[:, _positions(columns, order)]
    return stack, order


def _numbers(name, table):
    try:
        return np.asarray(table.to_numpy(), dtype=float)
    except (TypeError, ValueError):
        raise ArrayTypeError(
            f"{name} is a table that does not convert to numbers: drop or convert the "
            f"columns that are not numeric, and fill in missing values."
        ) from None


def _positions(names, order):
    places = {name: i for i, name in enumerate(names)}
    return [places[name] for name in order]


def _require_distinct(name, columns):
    if len(set(columns)) < len(columns):
        twice = next(c for c in columns if columns.count(c) > 1)
        raise ShapeError(
            f"{name} has several columns named {twice!r}: rename them, so that the "
            f"variables of the matrices can be matched."
        )


def _require_same(name, columns, order):
    if set(columns) != set(order):
        more = [c for c in columns if c not in set(order)]
        less = [c for c in order if c not in set(columns)]
        raise ShapeError(
            f"{name} has other variables than expected: it adds "
            f"{few(more)} and lacks {few(less)}. Select the common columns, as in "
            f"df.loc[names, names]."
        )


def few(names: Any, number: int = 5) -> str:
    """Return a list of names for a message, cut after a few of them.

    Parameters
    ----------
    names : iterable
        Names.
    number : int
        How many to list.

    Returns
    -------
    text : str
        The first names, and the number of the others.
    """
    names = [str(name) for name in names]
    rest = len(names) - number
    listed = ", ".join(names[:number])
    return f"[{listed}, and {rest} more]" if rest > 0 else f"[{listed}]"


def is_range(index: Any) -> bool:
    """Tell whether names are numbers from zero, that is, no names.

    Parameters
    ----------
    index : sequence
        Names.

    Returns
    -------
    is_range : bool
        Whether they are.
    """
    return list(index) == list(range(len(index)))


def index_as_names(values: Any) -> tuple | None:
    """Return the names of the rows of a table or a series.

    Parameters
    ----------
    values : object
        Values, such as labels or covariates.

    Returns
    -------
    names : tuple or None
        Names; None if it has none, or numbers from zero.
    """
    index = getattr(values, "index", None)
    if index is None or callable(index) or is_range(index):  # lists have a method
        return None
    return tuple(index)


def order_of(what: str, names: Any, subjects: Any) -> list | None:
    """Return positions that bring named rows into the order of the matrices.

    Parameters
    ----------
    what : str
        What the rows are, for messages.
    names : sequence or None
        Names of the rows.
    subjects : sequence or None
        Names of the matrices.

    Returns
    -------
    order : list of int, length N, or None
        Position of the row of each matrix; None if either has no names, or the order
        is the same.
    """
    if names is None or subjects is None:
        return None
    names, subjects = list(names), list(subjects)
    if names == subjects:
        return None
    places = {name: i for i, name in enumerate(names)}
    less = [s for s in subjects if s not in places]
    more = [s for s in names if s not in set(subjects)]
    if less or more:
        raise ShapeError(
            f"{what} are of other subjects than the matrices: they lack "
            f"{few(map(repr, less))} and add {few(map(repr, more))}. Select the common "
            f"ones, as in {what}.loc[subjects]; or, if rows and matrices are in one "
            f"order, pass them without names, as in {what}.reset_index(drop=True)."
        )
    if len(places) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise ShapeError(
            f"{what} have several rows for {twice!r}, so that rows and matrices cannot "
            f"be matched: keep one; or, if rows and matrices are in one order, pass "
            f"them without names, as in {what}.reset_index(drop=True)."
        )
    return [places[name] for name in subjects]


def in_order_of(what: str, values: Any, subjects: Any) -> Any:
    """Return values for each matrix in the order of the matrices, if both have names.

    Parameters
    ----------
    what : str
        What the values are, for messages.
    values : array-like, shape=[N] or [N, p]
        Labels, sites, numbers or covariates; a series or a data frame may have names.
    subjects : sequence or None
        Names of the matrices.

    Returns
    -------
    values : array-like, shape=[N] or [N, p]
        Values.
    """
    order = order_of(what, index_as_names(values), subjects)
    return values if order is None else values.iloc[order]
