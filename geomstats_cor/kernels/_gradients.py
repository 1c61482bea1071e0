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
import sys

from ._arrays import is_torch
from ._pieces import in_pieces


class StatedGradient:
    """A function of arrays with the derivatives that torch is to use.

    Parameters
    ----------
    value : callable
        The function. Numbers may follow its arrays.
    tangent : callable
        Takes the tangents of the arguments (None where there is none) and the
        arguments, returns the tangent of the value.
    cotangent : callable
        Takes the cotangent of the value, flags that tell which arguments want a
        cotangent, and the arguments, returns the cotangents of the arrays among them.
    plain : callable
        What to compute where no derivative is asked for, if that can be less than the
        value: the autograd function of torch must not return its own input.
    """

    def __init__(self, value, tangent, cotangent, plain=None):
        self.value, self.tangent, self.cotangent = value, tangent, cotangent
        self.plain = plain or value
        _policy.govern(self)

    def __call__(self, *arguments):
        if not is_torch(arguments[0]):
            return self.plain(*arguments)
        return _policy.torch().apply(self, arguments)


class Opaque:
    """A function of one array that no transform looks into.

    Under `torch.vmap` it sees all matrices at once, under `torch.compile` it is one
    node, and it is never differentiated: a `StatedGradient` does that.

    Parameters
    ----------
    name : str
        Name of the operator.
    function : callable
        The function.
    outputs : callable
        Takes the argument, returns arrays of the shapes of the results.
    """

    def __init__(self, name, function, outputs):
        self.name, self.outputs = name, outputs
        self.function = functools.partial(in_pieces, function)
        _policy.govern(self)

    def __call__(self, array):
        if not is_torch(array):
            return self.function(array)
        return _policy.torch().call(self, array)


def detached(array):
    """Return an array without its history; the array itself in numpy."""
    return array.detach() if is_torch(array) else array


def is_readable(array):
    """Tell whether the numbers in an array can steer the program.

    They cannot while torch traces it, or maps over it.
    """
    return not is_torch(array) or _policy.torch().is_readable(array)


def is_plain(array):
    """Tell whether nothing but the numbers computed from an array matters.

    No transform of torch is at work, and no derivative is asked for.
    """
    if not is_torch(array):
        return True
    return is_readable(array) and _policy.torch().wants_no_derivative((array,))


def prepare_torch():
    """Build what torch needs, if torch is there: torch.compile cannot do so itself."""
    if "torch" in sys.modules:
        _policy.torch()


class _Policy:
    """The functions that the policy governs, and its torch side, loaded when needed."""

    def __init__(self):
        self.functions, self.module = [], None

    def govern(self, function):
        self.functions.append(function)

    def torch(self):
        if self.module is None:
            self.module = importlib.import_module("._gradients_torch", __package__)
            self.module.build(self.functions)
        return self.module


_policy = _Policy()
