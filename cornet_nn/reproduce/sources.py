"""Where the data sets of the paper are found, in the forms its networks take.

A correlation network takes the channels of a sequence, an SPD network these or its
global covariance matrix, a Grassmann network subspaces of its segments. A form may be
on disk in several ways: the first that is there is taken, or rather the first that has
the options which the user gives.
"""

import functools
import json
from pathlib import Path
from typing import NamedTuple

from cornet_nn.datasets import Dataset, load
from cornet_nn.datasets import options as options_of
from cornet_nn.datasets.conversion import described
from cornet_nn.datasets.fpha import POSES
from geomstats_cor.exceptions import ParameterError

SYNTHETIC = "Radar (synthetic)"

# Options of the loader by form.
_SIGNALS = {
    "channels": {},
    "covariance": dict(representation="covariance"),
    # The paper says 8, with which GrNet pools projectors of rank 8 to constants.
    "subspaces": dict(representation="subspace", dimension=4),
}
# A covariance of coordinates: a root that moves keeps all of them.
_GLOBAL = dict(levels=1, center="first", view="first")
_SEQUENCES = {
    "channels": {},
    "covariance": dict(representation="covariance", **_GLOBAL),
    "subspaces": dict(representation="subspace", dimension=10, **_GLOBAL),
}
_BODIES = {"covariance": {}, "subspaces": dict(representation="subspace", dimension=10)}
_SHRUNK = dict(shrinkage=1e-3)

# Ways to find each data set: its name in `cornet_nn.datasets`, its folder, and options
# of the loader for each form that there is.
_SOURCES = {
    "Radar": [("radar", "radar", _SIGNALS)],
    SYNTHETIC: [("radar-synthetic", None, _SIGNALS)],
    "HDM05": [
        ("hdm05-covariances", "hdm05-covariances", {"covariance": _SHRUNK}),
        ("hdm05", "hdm05", _SEQUENCES),
    ],
    "FPHA": [
        ("fpha-features", "fpha-features", {"channels": _SHRUNK}),
        ("fpha", "fpha", _SEQUENCES),
        ("fpha", POSES, _SEQUENCES),
    ],
    "NTU120": [
        ("ntu120", "ntu120", {"channels": {}}),
        ("ntu120-covariances", "ntu120", _BODIES),
    ],
}


class Found(NamedTuple):
    """What was found of a data set.

    Attributes
    ----------
    dataset : cornet_nn.datasets.Dataset or None
        Data set, if it is there.
    taken : dict
        Those of the user's options that its loader has.
    reason : str
        Which folders were tried, if it is not there.
    """

    dataset: Dataset | None
    taken: dict
    reason: str = ""


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
    found : Found
        Data set, or the reason why there is none.

    Examples
    --------
    >>> find_data("HDM05", "channels", None).reason
    'no data: pass --data with a folder hdm05'
    """
    ways = []
    for source, folder, options in _SOURCES[name]:
        if form in options:
            known = _options(source)
            taken = {k: v for k, v in (given or {}).items() if k in known}
            place = folder and Path(directory or ".") / folder
            ways.append((source, place, options[form] | taken, taken))
    # Those with most of the user's options first.
    for source, place, options, taken in sorted(ways, key=lambda way: -len(way[-1])):
        if place is None or (directory is not None and place.is_dir()):
            return Found(_loaded(source, place, quiet, json.dumps(options)), taken)
    places = [place for _, place, *_ in ways]
    words = " or ".join(place.name for place in places)
    if directory is None:
        return Found(None, {}, f"no data: pass --data with a folder {words}")
    broken = "".join(f"; {described(place)}" for place in places if place.is_symlink())
    return Found(
        None, {}, f"no data: there is no folder {words} in {directory}{broken}"
    )


def require_options(given):
    """Raise if one of the user's options belongs to no loader."""
    loaders = {source for ways in _SOURCES.values() for source, *_ in ways}
    known = sorted({option for loader in loaders for option in _options(loader)})
    unknown = sorted(set(given) - set(known))
    if unknown:
        raise ParameterError(
            f"no data set has the option {', '.join(unknown)}: the options are "
            f"{', '.join(known)}"
        )


def _options(loader):
    return (*options_of(loader), "errors")


@functools.lru_cache(maxsize=2)
def _loaded(name, place, quiet, options):
    return load(name, directory=place, progress=not quiet, **json.loads(options))
