"""What is written down of a run: parameters, data and environment."""

import hashlib
import importlib.metadata
import platform
import re
import sys

import numpy as np
import torch

from geomstats_cor import METRICS

_PACKAGES = (
    "geomstats-cor",
    "torch",
    "skorch",
    "scikit-learn",
    "numpy",
    "scipy",
    "geomstats",
    "matplotlib",
)


def described(value):
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


def is_restorable(value):
    """Tell whether `restored` knows what a described parameter was.

    Parameters
    ----------
    value : object
        What `described` returned.

    Returns
    -------
    is_restorable : bool
        Whether nothing in it is a mere description.
    """
    if not isinstance(value, dict):
        return True
    if "object" in value:
        return False
    items = [x for pair in value.get("pairs", ()) for x in pair]
    return all(is_restorable(item) for item in [*items, *value.get("array", ())])


def restored(value):
    """Return a parameter from what `described` returned.

    Parameters
    ----------
    value : object
        What `described` returned.

    Returns
    -------
    value : object
        Parameter.
    """
    if not isinstance(value, dict):
        return value
    if "array" in value:
        return np.array(value["array"], dtype=value["dtype"])
    return dict(value["pairs"])


def fingerprint(*arrays):
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
        digest.update(np.ascontiguousarray(array).view(np.uint8))
    return digest.hexdigest()


def environment():
    """Return versions and machine.

    Returns
    -------
    environment : dict
        Names and versions.
    """
    versions = {}
    for package in _PACKAGES:
        try:
            versions[package] = importlib.metadata.version(package)
        except importlib.metadata.PackageNotFoundError:
            versions[package] = None
    return {
        "python": sys.version.split()[0],
        "platform": platform.platform(),
        "machine": platform.machine(),
        "threads": torch.get_num_threads(),
        "packages": versions,
    }
