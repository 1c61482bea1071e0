"""Where the data sets of the paper are found, in the two forms its networks take.

A correlation network takes the channels of a sequence, an SPD network its global
covariance matrix. A form may be on disk in several ways: the first that is there is
taken.
"""

import functools
from dataclasses import dataclass
from pathlib import Path

SYNTHETIC = "Radar (synthetic)"

# A covariance of coordinates: a root that moves keeps all of them.
_GLOBAL = dict(representation="covariance", levels=1, center="first", view="first")

# Name of the data set in `cornet_nn.datasets`, its folder, and options of its loader.
_SOURCES = {
    ("Radar", "channels"): [("radar", "radar", {})],
    ("Radar", "covariance"): [("radar", "radar", dict(representation="covariance"))],
    (SYNTHETIC, "channels"): [("radar-synthetic", None, {})],
    (SYNTHETIC, "covariance"): [
        ("radar-synthetic", None, dict(representation="covariance"))
    ],
    ("HDM05", "channels"): [("hdm05", "hdm05", {})],
    ("HDM05", "covariance"): [
        ("hdm05-covariances", "hdm05-covariances", dict(shrinkage=1e-3)),
        ("hdm05", "hdm05", _GLOBAL),
    ],
    ("FPHA", "channels"): [
        ("fpha-features", "fpha-features", dict(shrinkage=1e-3)),
        ("fpha", "fpha", {}),
    ],
    ("FPHA", "covariance"): [("fpha", "fpha", _GLOBAL)],
    ("NTU120", "channels"): [("ntu120", "ntu120", {})],
    ("NTU120", "covariance"): [("ntu120-covariances", "ntu120", {})],
}


@dataclass(frozen=True)
class Absent:
    """A data set that is not on disk.

    Attributes
    ----------
    reason : str
        Which folder was looked for.
    """

    reason: str


@functools.lru_cache(maxsize=2)
def find_data(name, form, directory, quiet=False):
    """Load a data set of the paper, if it is there.

    Parameters
    ----------
    name : str
        Name of the data set in the paper, or `SYNTHETIC`.
    form : {"channels", "covariance"}
        What networks take.
    directory : Path or None
        Folder with a subfolder for each data set.
    quiet : bool
        Whether to show no progress.

    Returns
    -------
    dataset : cornet_nn.datasets.Dataset or Absent
        Data set.

    Examples
    --------
    >>> find_data("HDM05", "channels", None).reason
    'no data: pass --data with a folder hdm05'
    """
    from cornet_nn.datasets import load

    sources = _SOURCES[name, form]
    for source, folder, options in sources:
        if folder is None:
            return load(source, progress=not quiet, **options)
        if directory is not None and (Path(directory) / folder).is_dir():
            place = Path(directory) / folder
            return load(source, directory=place, progress=not quiet, **options)
    folders = " or ".join(folder for _, folder, _ in sources)
    if directory is None:
        return Absent(f"no data: pass --data with a folder {folders}")
    return Absent(f"no data: there is no folder {folders} in {directory}")
