"""Probes of arrays: numpy and torch in one process, second derivatives."""

import numpy as np
import torch

from ..logarithms import logarithm, second_derivative_error
from .calls import attempt

_KINDS = {"numpy": np.asarray, "torch": torch.as_tensor}


def kinds_of_arrays(library, data):
    """Give matrices of both kinds to a logarithm, in one process."""
    function = logarithm(library)
    taken = []
    for kind, make in _KINDS.items():
        answer = attempt(function, make(data.points[:2, :4, :4]))
        if type(answer).__module__.split(".")[0] == kind:
            taken.append(kind)
    if library == "geomstats" and taken == [_backend()]:
        return "one kind, that of the backend"
    return " and ".join(taken)


def _backend():
    import geomstats.backend as gs

    return {"numpy": "numpy", "pytorch": "torch"}[gs.__name__.split(".")[-1]]


def second_derivatives(library, data):
    """Compare second derivatives of the logarithm with arithmetic of 80 digits."""
    del data
    error = attempt(second_derivative_error, logarithm(library))
    if isinstance(error, Exception):
        return f"no: raises {type(error).__name__}"
    return "exact" if error < 1e-10 else f"no: error {error:.0e}"
