"""Sums that take no more room than their first term, where nothing else looks at it."""

from ._array import add_multiple, is_torch
from ._autodiff import is_plain


def accumulate(total, number, term):
    """Return total + number * term, and give the room of the total away for it.

    A total of None is null.
    """
    if total is None:
        return number * term
    fits = total.shape[-term.ndim :] == term.shape
    if not (fits and is_plain(total) and is_plain(term)):
        return add_multiple(total, number, term)
    if is_torch(total):
        return total.add_(term, alpha=number)
    total += term if number == 1.0 else number * term
    return total


def rescale(matrix, number):
    """Return number * matrix, and give the room of the matrix away for it."""
    if not is_plain(matrix):
        return number * matrix
    matrix *= number
    return matrix
