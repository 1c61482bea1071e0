"""Functions of batches that hold little memory besides their results."""

import functools

from ._autodiff import is_plain
from ._batching import in_pieces


def piecewise(held):
    """Let a function work on a few matrices at a time, if no derivative is asked for.

    Parameters
    ----------
    held : int
        How many arrays of the size of its argument the function works on at a time.

    Returns
    -------
    decorator : callable
        Decorator of functions of matrices [..., n, n], which return such matrices, one
        or a tuple; they may have options with names.
    """

    def decorate(function):
        @functools.wraps(function)
        def wrapped(*matrices, **options):
            if not all(map(is_plain, matrices)):
                return function(*matrices, **options)
            chosen = functools.partial(function, **options)
            return in_pieces(chosen, (2,) * len(matrices), *matrices, held=held)

        return wrapped

    return decorate
