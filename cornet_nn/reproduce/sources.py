"""Where the data sets of the paper are found, in the forms its networks take.

A correlation network takes the channels of a sequence, an SPD network these or its
global covariance matrix, a Grassmann network subspaces of its segments. A form may be
on disk in several ways: the first that is there is taken, or rather the first that has
the options which the user gives.
"""

import functools
import json
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from cornet_nn.datasets import load
from cornet_nn.datasets import options as options_of
from cornet_nn.datasets.conversion import described
from cornet_nn.datasets.fpha import POSES
from geomstats_cor.exceptions import ParameterError

SYNTHETIC = "Radar (synthetic)"

# A covariance of coordinates: a root that moves keeps all of them.
_GLOBAL = dict(representation="covariance", levels=1, center="first", view="first")

_SUBSPACES = {**_GLOBAL, "representation": "subspace", "dimension": 10}
# The paper says 8, with which GrNet pools projectors of rank 8 to size 8: constants.
_OF_SIGNALS = dict(representation="subspace", dimension=4)

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
        ("fpha", POSES, {}),
    ],
    ("FPHA", "covariance"): [("fpha", "fpha", _GLOBAL), ("fpha", POSES, _GLOBAL)],
    ("NTU120", "channels"): [("ntu120", "ntu120", {})],
    ("NTU120", "covariance"): [("ntu120-covariances", "ntu120", {})],
    ("Radar", "subspaces"): [("radar", "radar", _OF_SIGNALS)],
    (SYNTHETIC, "subspaces"): [("radar-synthetic", None, _OF_SIGNALS)],
    ("HDM05", "subspaces"): [("hdm05", "hdm05", _SUBSPACES)],
    ("FPHA", "subspaces"): [("fpha", "fpha", _SUBSPACES), ("fpha", POSES, _SUBSPACES)],
    ("NTU120", "subspaces"): [
        (
            "ntu120-covariances",
            "ntu120",
            dict(representation="subspace", dimension=10),
        )
    ],
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


class Source(NamedTuple):
    """One of the ways in which a data set may be on disk.

    Attributes
    ----------
    name : str
        Name of the data set in `cornet_nn.datasets`.
    folder : str or None
        Its folder; None if it needs none.
    options : dict
        Options of its loader, with those of the user.
    taken : dict
        Those of the user's options that the loader has.
    """

    name: str
    folder: str | None
    options: dict
    taken: dict


def find_data(name, form, directory, quiet=False, given=None):
    """Load a data set of the paper, if it is there.

    Parameters
    ----------
    name : str
        Name of the data set in the paper, or `SYNTHETIC`.
    form : {"channels", "covariance", "subspaces"}
        What networks take.
    directory : Path or None
        Folder with a subfolder for each data set.
    quiet : bool
        Whether to show no progress.
    given : dict
        Options of loaders that the user gives.

    Returns
    -------
    dataset : cornet_nn.datasets.Dataset or Absent
        Data set.

    Examples
    --------
    >>> find_data("HDM05", "channels", None).reason
    'no data: pass --data with a folder hdm05'
    """
    source = _found(name, form, directory, given)
    if source is not None:
        place = None if source.folder is None else Path(directory) / source.folder
        return _loaded(source.name, place, quiet, json.dumps(source.options))
    folders = [source.folder for source in _sources(name, form, given)]
    words = " or ".join(folders)
    if directory is None:
        return Absent(f"no data: pass --data with a folder {words}")
    broken = [
        f"; {described(place)}"
        for place in (Path(directory) / folder for folder in folders)
        if place.is_symlink()
    ]
    return Absent(
        f"no data: there is no folder {words} in {directory}{''.join(broken)}"
    )


def taken_options(name, form, directory, given):
    """Return those of the user's options that the loader of a data set has.

    Parameters
    ----------
    name, form, directory, given
        See `find_data`.

    Returns
    -------
    taken : dict
        Options.
    """
    source = _found(name, form, directory, given)
    return {} if source is None else source.taken


def require_options(given):
    """Raise if an option belongs to no loader.

    Parameters
    ----------
    given : dict
        Options of loaders that the user gives.
    """
    loaders = {source for ways in _SOURCES.values() for source, _, _ in ways}
    known = sorted({option for loader in loaders for option in _options(loader)})
    unknown = sorted(set(given) - set(known))
    if unknown:
        raise ParameterError(
            f"no data set has the option {', '.join(unknown)}: the options are "
            f"{', '.join(known)}"
        )


def _options(loader):
    return (*options_of(loader), "errors")


def _sources(name, form, given):
    """Return the ways to find a data set, those with most of the options first."""
    sources = []
    for source, folder, own in _SOURCES[name, form]:
        known = _options(source)
        taken = {key: value for key, value in (given or {}).items() if key in known}
        sources.append(Source(source, folder, own | taken, taken))
    return sorted(sources, key=lambda source: -len(source.taken))


def _found(name, form, directory, given):
    for source in _sources(name, form, given):
        if source.folder is None or (
            directory is not None and (Path(directory) / source.folder).is_dir()
        ):
            return source
    return None


@functools.lru_cache(maxsize=2)
def _loaded(name, place, quiet, options):
    return load(name, directory=place, progress=not quiet, **json.loads(options))
