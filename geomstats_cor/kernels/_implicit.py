"""The implicit function theorem: solutions of equations as functions of their data.

A solver finds x with F(data, x) = 0, and no derivative passes through its iterations.
The derivative of the solution is that of the equation, which each caller states as a
linear response and its adjoint.
"""

from collections.abc import Callable
from typing import Any

from ._array import namespace
from ._autodiff import StatedGradient


def implicit(
    position: int, response: Callable, adjoint: Callable, **options: Any
) -> StatedGradient:
    """Return the solution of an equation as a function of its data.

    Parameters
    ----------
    position : int
        Position of the solution among the arguments: the data come before it, and
        constants that belong to the solution may follow.
    response : callable
        Takes the tangents of the arguments and the arguments, returns the derivative of
        the solution along them: minus the inverse of the derivative of the equation in
        the solution, applied to that in the data.
    adjoint : callable
        Its adjoint: takes a cotangent of the solution, flags that tell which arguments
        need one, and the arguments, returns the cotangents of the arguments.
    **options
        Options of `StatedGradient`.

    Returns
    -------
    solution : StatedGradient
        Takes the data and the solution, returns the solution.
    """

    def copied(*arguments: Any) -> Any:
        # An autograd function must not return its own argument.
        solution = arguments[position]
        return namespace(solution).asarray(solution, copy=True)

    def plain(*arguments: Any) -> Any:
        return arguments[position]

    return StatedGradient(copied, response, adjoint, plain=plain, **options)
