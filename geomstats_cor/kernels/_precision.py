"""Half precision in, half precision out, single precision in between.

Autocast is disabled: it would multiply matrices with three digits, and factorisations
need more.
"""

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from .._types import Array
from ._array import namespace

_NUMBERS = (float, int)


def in_own_precision(function: Callable) -> Callable:
    """Let a function of arrays accept half precision, and ignore autocast.

    Half and bfloat16 tensors, which torch cannot factorise, are computed with in
    float32, and the result is returned in their own type. Everything else passes
    untouched.

    Parameters
    ----------
    function : callable
        Function that takes arrays, and returns an array, a tuple of arrays, or a
        function of arrays.

    Returns
    -------
    function : callable
        The same function for more types.
    """

    @functools.wraps(function)
    def wrapped(*arguments, **keywords):
        for x in (*arguments, *keywords.values()):
            if type(x) is np.ndarray:  # no argument is a tensor
                return function(*arguments, **keywords)
        like, half = _first_and_half((*arguments, *keywords.values()))
        if like is None:
            return function(*arguments, **keywords)
        if is_autocast(like):
            with no_autocast(like):
                return wrapped(*arguments, **keywords)
        if half is not None:
            arguments = tuple(_to_single(x) for x in arguments)
            keywords = {name: _to_single(x) for name, x in keywords.items()}
        result = function(*arguments, **keywords)
        if callable(result):
            return _later(result, like, half)
        return result if half is None else _to_type(result, half)

    return wrapped


def is_autocast(tensor: Array) -> bool:
    """Tell whether autocast is active on the device of a tensor.

    Parameters
    ----------
    tensor : torch.Tensor
        Tensor.

    Returns
    -------
    is_autocast : bool
        Whether autocast would lower the precision of products with the tensor.
    """
    device = tensor.device.type
    return device != "meta" and namespace(tensor).is_autocast_enabled(device)


def no_autocast(tensor: Array) -> Any:
    """Return a context that disables autocast on the device of a tensor.

    Parameters
    ----------
    tensor : torch.Tensor
        Tensor.

    Returns
    -------
    context : torch.autocast
        Context manager.
    """
    return namespace(tensor).autocast(tensor.device.type, enabled=False)


def _later(function, like, half):
    """Return a function whose result has the precision of the call that made it."""

    @functools.wraps(function)
    def called(*arguments, **keywords):
        if is_autocast(like):
            with no_autocast(like):
                return called(*arguments, **keywords)
        result = function(*arguments, **keywords)
        return result if half is None else _to_type(result, half)

    return called


def _first_and_half(arguments):
    """Return the first floating tensor, and the dtype of the first of half precision.

    Both are None if there is none.
    """
    first = None
    for x in arguments:
        if _is_floating_tensor(x):
            first = x if first is None else first
            if x.dtype.itemsize == 2:
                return first, x.dtype
    return first, None


def _is_floating_tensor(x):
    if isinstance(x, _NUMBERS):  # torch.compile may pass symbols
        return False
    floating = getattr(getattr(x, "dtype", None), "is_floating_point", False)
    return floating and hasattr(type(x), "mT")


def _to_single(x):
    half = _is_floating_tensor(x) and x.dtype.itemsize == 2
    return x.to(namespace(x).float32) if half else x


def _to_type(result, dtype):
    if isinstance(result, tuple):
        return tuple(_to_type(x, dtype) for x in result)
    return result.to(dtype)
