"""One function that loads every data set."""

import inspect
from pathlib import Path

from geomstats_cor.exceptions import ParameterError

from . import arrays, bundled, radar
from .conversion import Conversion, default_cache

_MADE = {
    "radar-synthetic": radar.load_radar_synthetic,
    "connectomes": bundled.load_connectomes,
    "emg": bundled.load_emg,
}
_FOLDERS = {}
_FILES = {".npz": arrays.load_npz, ".npy": arrays.load_npy}


def names():
    """Return the names of the data sets.

    Returns
    -------
    names : tuple of str
        Names, those that need no download first.

    Examples
    --------
    >>> names()[:3]
    ('radar-synthetic', 'connectomes', 'emg')
    """
    return (*_MADE, *_FOLDERS)


def load(
    data,
    *,
    directory=None,
    cache=None,
    jobs=None,
    progress=True,
    errors="skip",
    **options,
):
    """Load a data set by its name or from a file or folder.

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
        Number of processes that convert, by default one for each core.
    progress : bool
        Whether to show a progress bar of the conversion.
    errors : str
        "skip" leaves out items that are damaged, empty, too short, constant, or have a
        NaN, and names them in a `DataWarning` and in `Dataset.problems`; "raise" raises
        a `DataError` that does.
    **options
        Options of the data set, which its loader documents.

    Returns
    -------
    dataset : Dataset
        Data set.

    Examples
    --------
    >>> load("connectomes")
    Dataset connectomes: 86 correlation [28, 28], 2 classes
    >>> load("radar-synthetic", signals=30, representation="covariance")
    Dataset (synthetic) radar-synthetic: 30 covariance [20, 20], 3 classes
    """
    conversion = Conversion(
        cache=_cache_directory(cache), jobs=jobs, progress=progress, errors=errors
    )
    if str(data) in _MADE:
        if directory is not None:
            raise ParameterError(f"{data} needs no directory, and takes none")
        return _call(_MADE[str(data)], str(data), options)
    path = Path(data)
    if path.is_file() and path.suffix in _FILES:
        return _call(_FILES[path.suffix], str(data), options, path, conversion)
    raise ParameterError(
        f"{data} is neither a file nor one of the data sets {', '.join(names())}"
    )


def _cache_directory(cache):
    if cache is False:
        return None
    return default_cache() if cache is None or cache is True else Path(cache)


def _call(loader, name, options, *arguments):
    parameters = inspect.signature(loader).parameters.values()
    known = [p.name for p in parameters if p.kind is p.KEYWORD_ONLY]
    unknown = sorted(set(options) - set(known))
    if unknown:
        raise ParameterError(
            f"{name} has no option {', '.join(unknown)}: its options are "
            f"{', '.join(known) or 'none'}"
        )
    return loader(*arguments, **options)
