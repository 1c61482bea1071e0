"""Derivatives that are stated, not traced.

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
from collections.abc import Callable, Iterable
from typing import Any

from .._types import Array
from ._array import is_torch
from ._batching import in_blocks


class StatedGradient:
    """A function of arrays with explicit derivatives for torch.

    Parameters
    ----------
    value : callable
        The function. Numbers may follow its arrays.
    tangent : callable
        Takes the tangents of the arguments (None where there is none) and the
        arguments, returns the tangent of the value.
    cotangent : callable
        Takes the cotangent of the value, flags that tell which arguments need a
        cotangent, and the arguments, returns the cotangents of the arrays among them.
    plain : callable
        A cheaper version of the value for calls without derivatives. (A torch autograd
        function must not return its own input.)
    plain_cotangent : callable
        A faster cotangent for when it is not differentiated itself; see
        benchmarks/second_ways.py. It may read the numbers in the arrays, and need not
        be written with differentiable functions.
    axes : tuple of int
        Number of axes of the value and of each array that belong to one member of a
        batch. If they are given, a large batch is computed in blocks.
    spaces : tuple of callable or None
        Orthogonal projections onto the spaces in which the first arguments move:
        tangents are projected before, cotangents after.
    keeps_value : bool
        Whether tangent and cotangent also take the value, after the arrays among the
        arguments, instead of having to compute it again.
    held : int
        How many arrays of the size of the largest argument the derivatives work on at a
        time.
    held_by_value : int
        The same for the value, if it differs: a single product need not be cut before
        it outgrows the cache.
    """

    compiled: Any
    eager: Any

    def __init__(
        self,
        value: Callable,
        tangent: Callable,
        cotangent: Callable,
        plain: Callable | None = None,
        plain_cotangent: Callable | None = None,
        axes: tuple | None = None,
        spaces: tuple = (),
        keeps_value: bool = False,
        held: int = 3,
        held_by_value: int | None = None,
    ) -> None:
        self.keeps_value = keeps_value
        self.plain = plain or value
        self.value, self.axes, self.held = value, axes, held
        # The value without derivatives, and the value that autograd records, which must
        # not be one of the arguments.
        axes_of_arrays = axes and axes[1:]
        self.evaluate, self.evaluate_to_keep = (
            _cutting(function, axes_of_arrays, held_by_value or held)
            for function in (self.plain, value)
        )
        self.tangent = _projecting_tangents(tangent, spaces)
        self.cotangent = _projecting_cotangents(cotangent, spaces)
        self.plain_cotangent = plain_cotangent and _projecting_cotangents(
            plain_cotangent, spaces
        )
        _policy.govern(self)

    def __call__(self, *arguments: Any) -> Any:
        if is_torch(arguments[0]):
            return _policy.torch().apply(self, arguments)
        return self.evaluate(*arguments)

    def pull_back(self, cotangent: Any, needed: Any, *arguments: Any) -> Any:
        """Return the cotangents of the arrays."""
        if is_recorded(cotangent):
            return tuple(self.cotangent(cotangent, needed, *arguments))

        def function(cotangent, *arguments):
            arrays = cotangent, *arguments
            pulled = self.cotangent
            if self.plain_cotangent and all(is_readable(x) for x in arrays):
                pulled = self.plain_cotangent
            return tuple(pulled(cotangent, needed, *arguments))

        return _cutting(function, self.axes, self.held)(cotangent, *arguments)


def _cutting(function, axes, held):
    """Let a function of arrays and numbers work on a few members of a batch at a time.

    The axes are those of the arrays; without them, it is the function itself.
    """
    if axes is None:
        return function

    def cut(*arguments):
        arrays, numbers = arguments[: len(axes)], arguments[len(axes) :]
        if not all(is_readable(array) for array in arrays):
            return function(*arguments)
        return in_blocks(
            lambda *blocks: function(*blocks, *numbers), axes, *arrays, held=held
        )

    return cut


def _projecting_tangents(tangent, spaces):
    if not spaces:
        return tangent

    def projected(tangents, *arguments):
        return tangent(_projected(tangents, spaces), *arguments)

    return projected


def _projecting_cotangents(cotangent, spaces):
    if not spaces:
        return cotangent

    def projected(incoming, needed, *arguments):
        return _projected(cotangent(incoming, needed, *arguments), spaces)

    return projected


def _projected(vectors, spaces):
    spaces = (*spaces, *(None for _ in vectors[len(spaces) :]))
    return tuple(
        vector if space is None or vector is None else space(vector)
        for vector, space in zip(vectors, spaces, strict=True)
    )


class Opaque:
    """A function of arrays that is a single operator to all transforms of torch.

    Under `torch.vmap` it is called once with the whole batch, and under `torch.compile`
    it is one node. It has no derivative of its own: a `StatedGradient` provides it.

    Parameters
    ----------
    name : str
        Name of the operator.
    function : callable
        The function.
    outputs : callable
        Takes the arguments, returns arrays of the shapes of the results.
    axes : tuple of int
        Number of axes of each argument that belong to one member of a batch.
    held : int
        How many arrays of the size of the largest argument the function works on at a
        time.
    """

    def __init__(
        self,
        name: str,
        function: Callable,
        outputs: Callable,
        axes: tuple = (2,),
        held: int = 1,
    ) -> None:
        self.name, self.outputs, self.axes = name, outputs, axes
        self.function = functools.partial(in_blocks, function, axes, held=held)
        _policy.govern(self)

    def __call__(self, *arrays: Array) -> Any:
        if not is_torch(arrays[0]):
            return self.function(*arrays)
        return _policy.torch().call(self, arrays)


def total_differential(tangents: Iterable, *partials: Callable) -> Array:
    """Return the sum of partial differentials, each along the tangent of its argument.

    Parameters
    ----------
    tangents : iterable of array or None
        Tangents of the arguments; None where an argument does not move.
    *partials : callable
        Linear functions of the tangents.

    Returns
    -------
    tangent : array
        Tangent of the value.
    """
    pairs = zip(partials, tangents, strict=False)
    return sum(partial(tangent) for partial, tangent in pairs if tangent is not None)


def detached(array: Array) -> Array:
    """Return an array without its history; the array itself in numpy."""
    return array.detach() if is_torch(array) else array


def is_readable(array: Array) -> bool:
    """Tell whether Python code may branch on the numbers in an array.

    It may not while torch traces the program or maps over the array.
    """
    return not is_torch(array) or _policy.torch().is_readable(array)


def is_recorded(array: Array) -> bool:
    """Tell whether torch records operations on an array for differentiation."""
    return is_torch(array) and _policy.torch().is_recording()


def is_plain(array: Array) -> bool:
    """Tell whether neither transforms nor derivatives of torch are active."""
    if not is_torch(array):
        return True
    return is_readable(array) and _policy.torch().wants_no_derivative((array,))


def prepare_torch() -> None:
    """Register the functions with torch, if loaded: torch.compile cannot do it."""
    if "torch" in sys.modules:
        _policy.torch()


class _Policy:
    """The functions with stated derivatives, registered with torch on first use."""

    def __init__(self):
        self.functions, self.module = [], None

    def govern(self, function):
        self.functions.append(function)

    def torch(self):
        if self.module is None:
            self.module = importlib.import_module("._autodiff_torch", __package__)
            self.module.build(self.functions)
        return self.module


_policy = _Policy()
