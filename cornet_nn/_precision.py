"""Geometry in full precision, also where autocast is at work."""

import functools

import torch

from geomstats_cor.kernels._precision import is_autocast, no_autocast

_HALF = (torch.float16, torch.bfloat16)


def in_full_precision(forward):
    """Let the forward of a module ignore autocast, and widen what it made narrow.

    Parameters
    ----------
    forward : callable
        Method of a module that takes a tensor.

    Returns
    -------
    forward : callable
        The same method.
    """

    @functools.wraps(forward)
    def wrapped(self, x):
        if not is_autocast(x):
            return forward(self, x)
        with no_autocast(x):
            return forward(self, x.float() if x.dtype in _HALF else x)

    return wrapped
