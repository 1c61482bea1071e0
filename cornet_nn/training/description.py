"""What is written down of a run: parameters, data and environment."""

import contextlib
import hashlib
import importlib.metadata
import os
import platform
import re
import sys
from typing import Any

import numpy as np
import torch

from geomstats_cor import METRICS
from geomstats_cor.exceptions import ParameterError

# Classes and weights of a run take little memory.
_LARGEST_ARRAY = 1 << 24
_PACKAGES = "geomstats-cor torch skorch scikit-learn numpy scipy geomstats matplotlib"


def described(value: Any) -> Any:
    """Return a parameter as a value of JSON.

    Parameters
    ----------
    value : object
        Parameter of an estimator.

    Returns
    -------
    described : object
        Itself, if it is plain; {"pairs": ...} for a dictionary, {"array": ...} for an
        array, and {"object": ...} for what cannot be written down.
    """
    if isinstance(value, np.ndarray):
        listed = [described(item) for item in value.tolist()]
        return {"array": listed, "dtype": value.dtype.str}
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, os.PathLike | torch.device):
        value = str(value)
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, dict):
        pairs = [[described(key), described(item)] for key, item in value.items()]
        return {"pairs": pairs}
    if isinstance(value, type) and value in METRICS.values():
        return next(key for key, metric in METRICS.items() if metric is value)
    if hasattr(value, "__qualname__"):
        return {"object": f"{value.__module__}.{value.__qualname__}"}
    return {"object": re.sub(r" at 0x[0-9a-fA-F]+", "", repr(value))}


def described_parameters(estimator: Any, without: tuple[str, ...] = ()) -> dict:
    """Return the parameters of an estimator, but for some, as values of JSON."""
    parameters = estimator.get_params(deep=False).items()
    return {name: described(value) for name, value in parameters if name not in without}


def restored_parameters(stored: dict, given: dict) -> dict:
    """Return parameters from what `described` returned of them.

    Parameters
    ----------
    stored : dict
        Described parameters by name.
    given : dict
        Parameters that take the place of stored ones.

    Returns
    -------
    parameters : dict
        Parameters by name.
    """
    asked = {name: value for name, value in stored.items() if name not in given}
    lost = [f"{k} ({_lost(v)})" for k, v in asked.items() if _lost(v) is not None]
    if lost:
        raise ParameterError(
            f"the files of the run cannot hold some of its parameters: pass "
            f"{', '.join(lost)} to load it."
        )
    return {name: restored(value) for name, value in asked.items()} | given


def _lost(value: Any) -> str | None:
    """Return the description of what cannot be restored, or None."""
    if not isinstance(value, dict):
        return None
    if "object" in value:
        return value["object"]
    items = [x for pair in value.get("pairs", ()) for x in pair]
    parts = (_lost(item) for item in [*items, *value.get("array", ())])
    return next((part for part in parts if part is not None), None)


def restored(value: Any) -> Any:
    """Return what `described` returned the description of."""
    if not isinstance(value, dict):
        return value
    if "array" not in value:
        return dict(value["pairs"])
    items, dtype = value["array"], np.dtype(value["dtype"])
    if dtype.kind not in "biufUO" or dtype.itemsize * len(items) > _LARGEST_ARRAY:
        raise ParameterError(f"an array of {len(items)} {dtype.str[:20]} is no array.")
    if any(isinstance(item, list | dict) for item in items):
        raise ParameterError("an array of the run has items that are not plain.")
    return np.array(items, dtype=dtype)


def fingerprint(*arrays: np.ndarray) -> str:
    """Return a hash of shapes, types and entries.

    Parameters
    ----------
    *arrays : numpy.ndarray
        Arrays of numbers or strings.

    Returns
    -------
    fingerprint : str
        Hash.
    """
    digest = hashlib.sha256()
    for array in arrays:
        if array.dtype.kind == "O":
            array = np.array([repr(x) for x in array.ravel()]).reshape(array.shape)
        digest.update(f"{array.shape} {array.dtype.str}".encode())
        digest.update(np.ascontiguousarray(array).view(np.uint8).data)
    return digest.hexdigest()


def environment() -> dict:
    """Return versions and machine.

    Returns
    -------
    environment : dict
        Names and versions.
    """
    versions: dict[str, str | None] = dict.fromkeys(_PACKAGES.split())
    for package in versions:
        with contextlib.suppress(importlib.metadata.PackageNotFoundError):
            versions[package] = importlib.metadata.version(package)
    return {
        "python": sys.version.split()[0],
        "platform": platform.platform(),
        "machine": platform.machine(),
        "threads": torch.get_num_threads(),
        "packages": versions,
    }
