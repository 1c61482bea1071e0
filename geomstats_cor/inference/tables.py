"""Answers as data frames of pandas."""

from typing import Any

import numpy as np

from .._types import Array, ArrayLike


def pandas() -> Any:
    """Return the module, or raise an error that says how to install it.

    Returns
    -------
    pandas : module
        The module.
    """
    try:
        import pandas
    except ImportError as error:
        raise ImportError(
            "tables are data frames of pandas, which is not installed: "
            "pip install geomstats-cor[tables]"
        ) from error
    return pandas


def pairs_of(n: int, variables: ArrayLike = None) -> tuple:
    """Return the names of the pairs of variables, in the order of strict lower entries.

    Parameters
    ----------
    n : int
        Number of variables.
    variables : sequence or None
        Names; 0 to n - 1 if None.

    Returns
    -------
    first, second : list
        Names of the two variables of each pair.
    """
    names = range(n) if variables is None else variables
    rows, columns = np.tril_indices(n, -1)
    return [names[j] for j in columns], [names[i] for i in rows]


def as_matrix(entries: Array, n: int, diagonal: float = 0.0) -> Array:
    """Return the symmetric matrix of strict lower entries.

    Parameters
    ----------
    entries : numpy.ndarray, shape=[..., d]
        Strict lower entries, row by row.
    n : int
        Size of the matrix.
    diagonal : float
        Diagonal entries.

    Returns
    -------
    matrix : numpy.ndarray, shape=[..., n, n]
        Matrix.
    """
    matrix = np.zeros((*entries.shape[:-1], n, n), dtype=np.asarray(entries).dtype)
    rows, columns = np.tril_indices(n, -1)
    matrix[..., rows, columns] = matrix[..., columns, rows] = entries
    matrix[..., range(n), range(n)] = diagonal
    return matrix


def named_matrices(matrices: Array, variables: ArrayLike) -> Any:
    """Return matrices as data frames if their variables have names.

    Parameters
    ----------
    matrices : numpy.ndarray, shape=[k, n, n]
        Matrices.
    variables : sequence or None
        Names.

    Returns
    -------
    matrices : numpy.ndarray or pandas.DataFrame or list
        The matrix itself if k = 1; otherwise the array [k, n, n], or a list of k data
        frames.
    """
    if len(matrices) == 1:
        return named_matrix(matrices[0], variables)
    if variables is None:
        return matrices
    return [named_matrix(matrix, variables) for matrix in matrices]


def named_matrix(matrix: Array, variables: ArrayLike) -> Any:
    """Return a matrix as a data frame if its variables have names.

    Parameters
    ----------
    matrix : numpy.ndarray, shape=[n, n]
        Matrix.
    variables : sequence or None
        Names.

    Returns
    -------
    matrix : numpy.ndarray or pandas.DataFrame, shape=[n, n]
        Matrix.
    """
    if variables is None:
        return matrix
    return pandas().DataFrame(matrix, index=list(variables), columns=list(variables))
