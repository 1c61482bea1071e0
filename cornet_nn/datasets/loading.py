"""One function that loads every data set."""

import inspect
from pathlib import Path

import numpy as np

from geomstats_cor._callers import warn_user
from geomstats_cor.exceptions import (
    DataError,
    DataWarning,
    GeomstatsCorError,
    ParameterError,
)

from . import arrays, bundled, fpha, hdm05, ntu120, radar
from .conversion import Conversion, default_cache, listed
from .sequences import STEPS
from .texts import described

_MADE = {
    "radar-synthetic": radar.load_radar_synthetic,
    "connectomes": bundled.load_connectomes,
    "emg": bundled.load_emg,
}
_FOLDERS = {
    "radar": radar.load_radar,
    "hdm05": hdm05.load_hdm05,
    "hdm05-covariances": hdm05.load_hdm05_covariances,
    "fpha": fpha.load_fpha,
    "fpha-features": fpha.load_fpha_features,
    "ntu120": ntu120.load_ntu120,
    "ntu120-covariances": ntu120.load_ntu120_covariances,
}
_FILES = {".npz": arrays.load_arrays, ".npy": arrays.load_arrays}
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


def names():
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


def options(name):
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
    loaders = {**_MADE, **_FOLDERS, **_FILES}
    if name not in loaders:
        raise ParameterError(f"{name} is none of {', '.join(loaders)}")
    parameters = inspect.signature(loaders[name]).parameters.values()
    own = tuple(p.name for p in parameters if p.kind is p.KEYWORD_ONLY)
    takes_steps = any(p.kind is p.VAR_KEYWORD for p in parameters)
    return own + STEPS if takes_steps else own


def load(
    data,
    *,
    directory=None,
    cache=None,
    jobs=None,
    progress=True,
    errors="skip",
    **chosen,
):
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
    if errors not in ("skip", "raise"):
        raise ParameterError(f"errors is 'skip' or 'raise', not {errors!r}")
    conversion = Conversion(_cache_directory(cache), jobs, progress)
    dataset = _loaded(data, directory, conversion, chosen)
    if dataset.problems:
        bad = len(dataset.problems)
        some = f"{dataset.name}: {bad} of {bad + len(dataset)} items"
        if errors == "raise":
            raise DataError(f"{some} cannot be used. {listed(dataset.problems)}")
        message = f"{some} left out. {listed(dataset.problems)}"
        warn_user(message, DataWarning)
    return dataset


def _loaded(data, directory, conversion, chosen):
    if str(data) in _FOLDERS:
        name, source = str(data), _folder(str(data), directory)
        return _call(_FOLDERS[name], name, chosen, source, conversion)
    if directory is not None:
        raise ParameterError(f"{data} takes no directory")
    if str(data) in _MADE:
        return _call(_MADE[str(data)], str(data), chosen)
    path = Path(data)
    if path.is_file() and path.suffix in _FILES:
        return _call(_FILES[path.suffix], path.suffix, chosen, path, conversion)
    if path.is_dir():
        name = _recognized(path)
        return _call(_FOLDERS[name], name, chosen, path, conversion)
    raise ParameterError(
        f"{described(path)} is neither an .npz or .npy file, nor a folder, nor one of "
        f"the data sets {', '.join(names())}"
    )


def _cache_directory(cache):
    if cache is False:
        return None
    return default_cache() if cache is None or cache is True else Path(cache)


def _folder(name, directory):
    if directory is None:
        raise ParameterError(
            f"{name} needs directory=, the folder of its files, which are not part of "
            f"this library. {', '.join(_MADE)} need none."
        )
    if not Path(directory).is_dir():
        raise ParameterError(f"{described(Path(directory))} is not a folder")
    return Path(directory)


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


def _call(loader, name, chosen, *arguments):
    unknown = sorted(set(chosen) - set(options(name)))
    if unknown:
        raise ParameterError(
            f"{name} has no option {', '.join(unknown)}: its options are "
            f"{', '.join(options(name)) or 'none'}"
        )
    try:
        return loader(*arguments, **chosen)
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
