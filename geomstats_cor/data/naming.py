"""Names that go in come out: stacks in every form, and labelled answers.

Functions that take a stack of matrices are decorated by `labelled`. It reads condensed
rows, data frames and `CorrelationStack`, and gives the names back to the matrices that
the function returns. Arrays pass through untouched.
"""

import functools
import inspect
from collections.abc import Callable
from typing import Any

import numpy as np

from .._types import Array, ArrayLike
from ..exceptions import ShapeError
from ..validation import as_arrays, require_stack
from .labels import are_tables, in_order_of, is_range, is_stack, is_table, without_names

# Parameters of functions of a stack that have a value for each of its matrices.
_PER_MATRIX = {"weights", "times"}


def names_of(x: Any) -> list | None:
    """Return the names of the variables of a stack.

    Parameters
    ----------
    x : object
        A stack in any form.

    Returns
    -------
    names : list or None
        Names in the order of `without_names`; None if it has none.
    """
    if is_stack(x):
        return list(x.variables)
    if not are_tables(x):
        return None
    if not is_table(x):
        return list(x[0].columns) if is_table(x[0]) else None
    array, names = without_names("points", x)
    return names if array.ndim >= 2 else None


def index_of(x: Any) -> Any:
    """Return the names of the matrices of a labelled stack.

    Parameters
    ----------
    x : object
        A stack in any form.

    Returns
    -------
    index : pandas.Index or None
        Names; None if it has none.
    """
    if is_stack(x):
        return x.index
    if is_table(x) and getattr(getattr(x, "index", None), "nlevels", 1) > 1:
        return x.index.droplevel(-1).unique()
    return None


def subjects_of(x: Any) -> tuple | None:
    """Return the names of the matrices of a labelled stack, if they are not numbers.

    Parameters
    ----------
    x : object
        A stack in any form.

    Returns
    -------
    subjects : tuple or None
        Names; None if it has none, or numbers from zero.
    """
    index = index_of(x)
    return None if index is None or is_range(index) else tuple(index)


def as_plain_stack(
    x: ArrayLike, name: str = "points", variables: ArrayLike = None
) -> Array:
    """Return a stack in any form as a numpy array.

    Parameters
    ----------
    x : array-like, shape=[N, n, n] or [N, n (n - 1) / 2], or tables, or a stack
        Matrices.
    name : str
        Name of the argument in messages.
    variables : sequence of length n, or None
        Names of the variables in the order to use; their own if None.

    Returns
    -------
    values : numpy.ndarray, shape=[N, n, n]
        Matrices, in float64 or float32.
    """
    from .cleaning import as_stack

    if are_tables(x):
        array, _ = without_names(name, x, variables)
        if array.ndim == 2 and names_of(x) is not None:
            raise ShapeError(
                f"{name}: expected a stack, got a single table. Pass [{name}]."
            )
        return as_numpy(as_stack(array, name=name))
    return as_numpy(as_stack(expanded(x), name=name))


def as_numpy(x: Array) -> Array:
    """Return an array of any library in numpy, without its gradient.

    Parameters
    ----------
    x : array
        Array.

    Returns
    -------
    x : numpy.ndarray
        Its entries.
    """
    if hasattr(x, "detach"):
        x = x.detach().cpu().numpy()
    return np.asarray(x)


def with_names(result: Array, names: list | None, index: ArrayLike = None) -> Any:
    """Return matrices with the names of their variables.

    Parameters
    ----------
    result : array, shape=[n, n] or [N, n, n], or anything else
        What a function returned.
    names : list of length n, or None
        Names of the variables.
    index : sequence of length N
        Names of the matrices; numbers if None.

    Returns
    -------
    named : pandas.DataFrame or CorrelationStack or the result itself
        A data frame for one matrix, a stack for several; what is not a matrix of the
        variables, and everything if there are no names, is returned as it is.
    """
    shape = tuple(getattr(result, "shape", ()))
    if names is None or shape[-2:] != (len(names),) * 2 or len(shape) > 3:
        return result
    if len(shape) == 2:
        import pandas as pd

        return pd.DataFrame(as_numpy(result), names, names)
    from .stack import CorrelationStack

    return CorrelationStack(as_numpy(result), names, index)


def pair_names(variables: ArrayLike) -> list:
    """Return the names of the pairs of variables, in the order of condensed rows.

    Parameters
    ----------
    variables : sequence of length n
        Names of the variables.

    Returns
    -------
    names : list of str, length n (n - 1) / 2
        Names such as "Cz~Pz".
    """
    rows, columns = np.tril_indices(len(variables), -1)
    return [
        f"{variables[i]}~{variables[j]}" for i, j in zip(rows, columns, strict=True)
    ]


def labelled(function: Callable | None = None, *, index: tuple = ()) -> Callable:
    """Let a function of a stack read every form, and answer with names.

    Parameters
    ----------
    function : callable
        Function whose first parameter is a stack [N, n, n], and which returns a matrix
        [n, n], a stack, or anything else.
    index : tuple of str
        Parameters of the function that name the matrices of a stack that it returns:
        the first one that is given.

    Returns
    -------
    function : callable
        Takes condensed rows, data frames and `CorrelationStack` as well.
    """
    if function is None:
        return functools.partial(labelled, index=index)
    signature = inspect.signature(function)
    first = next(iter(signature.parameters))

    @functools.wraps(function)
    def wrapped(*arguments, **keywords):
        if arguments:
            points, arguments = arguments[0], arguments[1:]
        elif first in keywords:
            points = keywords.pop(first)
        else:
            return function(**keywords)
        if not are_tables(points):
            return function(expanded(points), *arguments, **keywords)
        names, subjects = names_of(points), subjects_of(points)
        if names is None:  # condensed rows in a table
            points = as_plain_stack(points, first)
        from .culprits import naming_culprits

        bound = signature.bind(points, *arguments, **keywords)
        given = bound.arguments
        for name in _PER_MATRIX & set(given):
            given[name] = in_order_of(name, given[name], subjects)
        with naming_culprits(points):
            result = function(*bound.args, **bound.kwargs)
        labels = next((given[k] for k in index if given.get(k) is not None), None)
        return with_names(result, names, labels)

    return wrapped


def expanded(points: Any) -> Any:
    """Return condensed rows as a stack; everything else is returned as it is.

    A square array is a single matrix if it has ones on its diagonal, which a caller
    that expects a stack refuses, and condensed rows otherwise.

    Parameters
    ----------
    points : object
        A stack in any form.

    Returns
    -------
    points : object
        A stack.
    """
    from .cleaning import as_stack

    if is_table(points):
        return points if names_of(points) is not None else as_plain_stack(points)
    shape = getattr(points, "shape", None)
    if shape is None and isinstance(points, list | tuple) and points:
        row = points[0]
        if isinstance(row, list | tuple) and row and np.ndim(row[0]) == 0:
            shape = (len(points), len(row))
    if shape is None or len(shape) != 2 or 0 in shape:
        return points
    if shape[0] == shape[1] and not _is_without_ones(points):
        return points
    return as_stack(points, name="points")


def in_order(x: ArrayLike, variables: ArrayLike = None, name: str = "points") -> Any:
    """Return matrices in any form as an array, with the variables in a given order.

    Parameters
    ----------
    x : array-like, shape=[..., n, n] or [N, n (n - 1) / 2], or tables, or a stack
        A matrix, or several.
    variables : sequence of length n, or None
        Names in the order to use. Matrices without names are taken to be in it; if
        None, those with names keep their own order.
    name : str
        Name of the argument in messages.

    Returns
    -------
    x : array-like, shape=[..., n, n]
        Matrices without names.
    """
    if are_tables(x):
        order = None if variables is None else list(variables)
        x, _ = without_names(name, x, order)
    return expanded(x)


def one_stack(points: ArrayLike, least: int = 0) -> Array:
    """Return a stack of matrices, or raise if it is none, or a batch of stacks.

    Parameters
    ----------
    points : array-like, shape=[N, n, n]
        Matrices.
    least : int
        Number of matrices that is needed.

    Returns
    -------
    points : array, shape=[N, n, n]
        Matrices.
    """
    (points,) = as_arrays(points=expanded(points))
    require_stack(points=points)
    if points.ndim > 3:
        raise ShapeError(
            f"points: expected one stack, shape [N, n, n], got {tuple(points.shape)}."
        )
    if points.shape[0] < least:
        raise ShapeError(
            f"points has {points.shape[0]} matrices: at least {least} are needed."
        )
    return points


def _is_without_ones(points):
    """Tell whether a diagonal entry is a number other than one."""
    try:
        return any(float(points[i][i]) != 1.0 for i in range(len(points)))
    except (IndexError, OverflowError, TypeError, ValueError):
        # Not numbers, or rows of different lengths: the caller's validation says so.
        return False
