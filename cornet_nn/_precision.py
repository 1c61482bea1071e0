"""Input types of layers, and geometry in full precision under autocast."""

import functools
import inspect

import torch

from geomstats_cor.exceptions import ArrayTypeError
from geomstats_cor.kernels._precision import is_autocast, no_autocast
from geomstats_cor.validation import is_plain_array, plain

_HALF = (torch.float16, torch.bfloat16)
_FULL = (torch.float32, torch.float64)
_SEQUENCES = (list, tuple)


def in_full_precision(forward=None, *, uses_parameters=True):
    """Let the forward of a module ignore autocast, and widen what it made narrow.

    Parameters
    ----------
    forward : callable
        Method of a module that takes a tensor, or a sequence of tensors.
    uses_parameters : bool
        Whether the input must have the dtype of the parameters of the module.

    Returns
    -------
    forward : callable
        The same method.
    """
    if forward is None:
        return functools.partial(in_full_precision, uses_parameters=uses_parameters)
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
        weight = next(self.parameters(), None) if uses_parameters else None
        for tensor in tensors:
            require_tensor(tensor, weight)
        if not (tensors and is_autocast(tensors[0])):
            return forward(self, x)
        with no_autocast(tensors[0]):
            return forward(self, _widened(x))

    return wrapped


def require_tensor(x, weight=None, name="the input"):
    """Raise unless an input is a dense floating-point tensor of the right precision.

    Parameters
    ----------
    x : object
        Input.
    weight : tensor
        Parameter of the layer, if it has any.
    name : str
        What the input is called in messages.
    """
    if not isinstance(x, torch.Tensor):
        remedy = "" if x is None else ": torch.as_tensor(x) converts it"
        raise ArrayTypeError(
            f"{name}: expected a torch tensor, got a {type(x).__name__}{remedy}."
        )
    if not is_plain_array(x):
        plain(name, x)
    if not x.is_floating_point():
        raise ArrayTypeError(
            f"{name}: expected dtype float64 or float32, got {_dtype(x)}: x.float() "
            f"converts it."
        )
    if weight is None or x.dtype == weight.dtype:
        return
    if x.dtype in _FULL and weight.dtype in _FULL:
        to = "float" if weight.dtype == torch.float32 else "double"
        other = "double" if to == "float" else "float"
        raise ArrayTypeError(
            f"{name}: expected {_dtype(weight)}, the dtype of the parameters, got "
            f"{_dtype(x)}. Convert the data by x.{to}(), or the network by "
            f"network.{other}()."
        )


def _dtype(x):
    return str(x.dtype).removeprefix("torch.")


def _widened(x):
    if not isinstance(x, torch.Tensor):
        return [_widened(tensor) for tensor in x]
    return x.float() if x.dtype in _HALF else x
