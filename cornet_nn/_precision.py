"""Geometry in full precision, also where autocast is at work."""

import functools
import inspect

import torch

from geomstats_cor.exceptions import ArrayTypeError
from geomstats_cor.kernels._precision import is_autocast, no_autocast

_HALF = (torch.float16, torch.bfloat16)
_SEQUENCES = (list, tuple)


def in_full_precision(forward):
    """Let the forward of a module ignore autocast, and widen what it made narrow.

    Parameters
    ----------
    forward : callable
        Method of a module that takes a tensor, or a sequence of tensors.

    Returns
    -------
    forward : callable
        The same method.
    """
    _, name = inspect.signature(forward).parameters

    @functools.wraps(forward)
    def wrapped(self, *arguments, **keywords):
        if len(arguments) == 1 and not keywords:
            (x,) = arguments
        elif not arguments and list(keywords) == [name]:
            x = keywords[name]
        else:
            return forward(self, *arguments, **keywords)  # which says what is wrong
        tensors = x if isinstance(x, _SEQUENCES) else (x,)
        for tensor in tensors:
            _require_floating(tensor)
        if not (tensors and is_autocast(tensors[0])):
            return forward(self, x)
        with no_autocast(tensors[0]):
            return forward(self, _widened(x))

    return wrapped


def _require_floating(x):
    if not isinstance(x, torch.Tensor):
        raise ArrayTypeError(
            f"the input is a {type(x).__name__}: a tensor is wanted, as "
            f"torch.as_tensor(x) makes of it."
        )
    if not x.is_floating_point():
        raise ArrayTypeError(
            f"the input has dtype {str(x.dtype).removeprefix('torch.')}: float64 or "
            f"float32 is wanted, as x.float() is."
        )


def _widened(x):
    if not isinstance(x, torch.Tensor):
        return [_widened(tensor) for tensor in x]
    return x.float() if x.dtype in _HALF else x
