"""The gradient policy: derivatives that are stated, not traced.

Automatic differentiation cannot see through an eigendecomposition whose eigenvalues
coincide, and should not see through the iterations of a solver. A map of that kind is
given here as a value with its tangent (how a motion of the input moves the output) and
its cotangent (the adjoint of that). Both are written with differentiable functions, so
derivatives of every order follow, in reverse and forward mode, under `torch.func` and
under `torch.compile`. numpy arrays get the value, and torch is not imported for them.
"""

import functools
import importlib

from ._arrays import is_torch


def stated_gradient(tangent, cotangent):
    """Give a function of arrays the derivatives that torch is to use.

    Parameters
    ----------
    tangent : callable
        Takes the tangents of the arguments (None where there is none) and the
        arguments, returns the tangent of the value.
    cotangent : callable
        Takes the cotangent of the value, flags that tell which arguments want a
        cotangent, and the arguments, returns the cotangents of the arguments.

    Returns
    -------
    decorator : callable
        Decorator for the function.
    """

    def decorate(value):
        @functools.wraps(value)
        def function(*arguments):
            if not is_torch(arguments[0]):
                return value(*arguments)
            return _torch().apply(function, arguments)

        function.value, function.tangent, function.cotangent = value, tangent, cotangent
        return function

    return decorate


def opaque(name, outputs):
    """Make a function of one array a black box: no transform looks inside.

    Under `torch.vmap` it sees all matrices at once, under `torch.compile` it is one
    node, and it is never differentiated: a `stated_gradient` does that.

    Parameters
    ----------
    name : str
        Name of the operator.
    outputs : callable
        Takes the argument, returns arrays of the shapes of the results.

    Returns
    -------
    decorator : callable
        Decorator for the function.
    """

    def decorate(function):
        @functools.wraps(function)
        def call(array):
            if not is_torch(array):
                return function(array)
            return _torch().call_operator(name, function, outputs, array)

        return call

    return decorate


def detached(array):
    """Return an array without its history; the array itself in numpy."""
    return array.detach() if is_torch(array) else array


def is_readable(array):
    """Tell whether the numbers in an array can steer the program.

    They cannot while torch traces it, or maps over it.
    """
    if not is_torch(array):
        return True
    return _torch().is_readable(array)


def _torch():
    return importlib.import_module("._gradients_torch", __package__)
