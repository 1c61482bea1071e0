"""One function that loads every data set."""

import dataclasses
import inspect
from pathlib import Path
from typing import Any

import numpy as np

from geomstats_cor._callers import warn_user
from geomstats_cor.exceptions import (
    DataError,
    DataWarning,
    GeomstatsCorError,
    ParameterError,
)
from geomstats_cor.validation import require_choice

from . import arrays, bundled, fpha, hdm05, ntu120, radar
from .conversion import Conversion, default_cache, described, listed
from .dataset import Dataset
from .sequences import SequenceMatrices

# Loaders, and the class whose parameters they take as steps, if they do.
_MADE: dict[str, tuple] = {
    "radar-synthetic": (radar.load_radar_synthetic, radar.SignalInput),
    "connectomes": (bundled.load_connectomes,),
    "emg": (bundled.load_emg,),
}
_FOLDERS: dict[str, tuple] = {
    "radar": (radar.load_radar, radar.SignalInput),
    "hdm05": (hdm05.load_hdm05, SequenceMatrices),
    "hdm05-covariances": (hdm05.load_hdm05_covariances,),
    "fpha": (fpha.load_fpha, SequenceMatrices),
    "fpha-features": (fpha.load_fpha_features,),
    "ntu120": (ntu120.load_ntu120, SequenceMatrices),
    "ntu120-covariances": (ntu120.load_ntu120_covariances, SequenceMatrices),
}
_FILES = dict.fromkeys((".npz", ".npy"), (arrays.load_arrays, SequenceMatrices))
_LOADERS = {**_MADE, **_FOLDERS, **_FILES}
# What tells the formats of folders apart, tried from the top.
_SIGNS = (
    ("Subject_*/*/*/skeleton.txt", "fpha"),
    (f"{fpha.POSES}/Subject_*/*/*/skeleton.txt", "fpha"),
    ("**/*.skeleton", "ntu120"),
    ("**/*.amc", "hdm05"),
    ("train/*_*.pt", "fpha-features"),
    ("HDM_*.npy", "hdm05"),
    ("HDM_*.txt", "hdm05"),
    ("*/*.npy", "hdm05"),
    ("*/*.txt", "hdm05"),
)


def names() -> tuple[str, ...]:
    """Return the names of the data sets.

    Returns
    -------
    names : tuple of str
        Names, those that need no download first.

    Examples
    --------
    >>> from cornet_nn.datasets import names
    >>> names()[:3]
    ('radar-synthetic', 'connectomes', 'emg')
    """
    return (*_MADE, *_FOLDERS)


def options(name: str) -> tuple[str, ...]:
    """Return the options of a data set.

    Parameters
    ----------
    name : str
        Name that `names` lists, or ".npz" or ".npy" for files.

    Returns
    -------
    options : tuple of str
        Names of the options that `load` takes for it.

    Examples
    --------
    >>> from cornet_nn.datasets import options
    >>> options("emg")
    ('window', 'hop', 'rest', 'shrinkage', 'ridge')
    """
    if name not in _LOADERS:
        raise ParameterError(f"{name} is none of {', '.join(_LOADERS)}")
    loader, *steps = _LOADERS[name]
    found = inspect.getfullargspec(loader).kwonlyargs
    found += [field.name for taken in steps for field in dataclasses.fields(taken)]
    return tuple(option for option in found if option != "lengths")


def load(
    data: str | Path,
    *,
    directory: str | Path | None = None,
    cache: str | Path | bool | None = None,
    jobs: int | None = None,
    progress: bool = True,
    errors: str = "skip",
    **chosen: Any,
) -> Dataset:
    """Load a data set by its name, or from a file or folder.

    Parameters
    ----------
    data : str or pathlib.Path
        A name that `names` lists, or the path of an .npz or .npy file or of a folder in
        one of the documented formats.
    directory : str or pathlib.Path
        Folder of the files, for a name that needs one.
    cache : str, pathlib.Path or False
        Directory where converted data is kept, by default that of the user; False
        keeps none.
    jobs : int
        Number of processes that convert, by default one for each core once ten
        seconds were not enough without.
    progress : bool
        Whether to show a progress bar of the conversion.
    errors : str
        "skip" leaves out items that are damaged, empty, too short, constant, or have a
        NaN, and names them in a `DataWarning` and in `Dataset.problems`; "raise" raises
        a `DataError` that does.
    **chosen
        Options of the data set, which `options` lists.

    Returns
    -------
    dataset : Dataset
        Data set.

    Examples
    --------
    >>> from cornet_nn.datasets import load
    >>> load("connectomes")
    Dataset connectomes: 86 correlation [28, 28], 2 classes
    >>> load("radar-synthetic", signals=30, representation="covariance")
    Dataset (synthetic) radar-synthetic: 30 covariance [20, 20], 3 classes
    """
    require_choice("errors", errors, ("skip", "raise"))
    kept = default_cache() if cache is None or cache is True else cache or None
    conversion = Conversion(kept and Path(kept), jobs, progress)
    name, arguments = _loader(data, directory)
    arguments += () if name in _MADE else (conversion,)
    dataset = _call(name, arguments, chosen)
    if dataset.problems:
        bad = len(dataset.problems)
        some = f"{dataset.name}: {bad} of {bad + len(dataset)} items"
        if errors == "raise":
            raise DataError(f"{some} cannot be used. {listed(dataset.problems)}")
        warn_user(f"{some} left out. {listed(dataset.problems)}", DataWarning)
    return dataset


def _loader(data, directory):
    """Return the name of a loader, and the path that it loads if it takes one."""
    name, path = str(data), Path(data)
    if name in _FOLDERS:
        if directory is None:
            raise ParameterError(
                f"{name} needs directory=, the folder of its files, which are not part "
                f"of this library. {', '.join(_MADE)} need none."
            )
        if not Path(directory).is_dir():
            raise ParameterError(f"{described(Path(directory))} is not a folder")
        return name, (Path(directory),)
    if directory is not None:
        raise ParameterError(f"{data} takes no directory")
    if name in _MADE:
        return name, ()
    if path.is_file() and path.suffix in _FILES:
        return path.suffix, (path,)
    if path.is_dir():
        return _recognized(path), (path,)
    raise ParameterError(
        f"{described(path)} is neither an .npz or .npy file, nor a folder, nor one of "
        f"the data sets {', '.join(names())}"
    )


def _recognized(path):
    for pattern, name in _SIGNS:
        if next(path.glob(pattern), None) is not None:
            return name
    for file in sorted(path.glob("*_*.npy")):
        try:
            axes = np.load(file, mmap_mode="r", allow_pickle=False).ndim
        except (OSError, ValueError, EOFError):
            continue
        return "radar" if axes == 1 else "hdm05-covariances"
    tried = ", ".join([*(pattern for pattern, _ in _SIGNS), "*_*.npy"])
    broken = [described(entry) for entry in path.iterdir() if not entry.exists()]
    raise DataError(
        f"{path} is in none of the formats of {', '.join(_FOLDERS)}. "
        f"Paths tried: {tried}{''.join(f'; {link}' for link in sorted(broken))}"
    )


def _call(name, arguments, chosen):
    unknown = sorted(set(chosen) - set(options(name)))
    if unknown:
        raise ParameterError(
            f"{name} has no option {', '.join(unknown)}: its options are "
            f"{', '.join(options(name)) or 'none'}"
        )
    try:
        return _LOADERS[name][0](*arguments, **chosen)
    except GeomstatsCorError:
        raise
    except (ArithmeticError, LookupError, MemoryError, TypeError, ValueError) as error:
        if not chosen:
            raise
        # A value of another type than the loader expects fails somewhere inside.
        words = ", ".join(f"{key}={value!r}" for key, value in chosen.items())
        raise ParameterError(
            f"{name} cannot be loaded with {words}: {error}"
        ) from error
