"""Rows and columns of the tables: classifiers with the settings of the paper, and data.

A correlation network takes the channels of a sequence, an SPD network these or its
global covariance matrix, a Grassmann network subspaces of its segments. A form may be
on disk in several ways: the first that is there is taken, or rather the first that has
the options which the user gives.
"""

import functools
import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from cornet_nn import TemporalCovariance
from cornet_nn.baselines.classifier import AMSGrad, BaselineClassifier
from cornet_nn.baselines.spdnet import has_spd_learn
from cornet_nn.baselines.table import BASELINES, find_baseline
from cornet_nn.training import CorMLRClassifier, CorNetClassifier
from geomstats_cor import METRICS, OneStepLogScaledMetric
from geomstats_cor.exceptions import ParameterError

from ..datasets import Dataset, load
from ..datasets import options as options_of
from ..datasets.conversion import described
from ..datasets.fpha import POSES
from .report import published_settings

EXACT = " (exact D*)"
SYNTHETIC = "Radar (synthetic)"

# The metrics as the paper trains them.
_TRAINED = {**METRICS, "lsm": OneStepLogScaledMetric}


@dataclass(frozen=True)
class Method:
    """A row that can be computed.

    Attributes
    ----------
    form : {"channels", "covariance", "subspaces"}
        What it takes.
    chosen : dict
        Hyperparameters of the paper, or ours where it prints none.
    classifier : callable
        Returns a classifier.
    parameters : dict
        Parameters of the classifier beside the hyperparameters.
    """

    form: str
    chosen: dict
    classifier: Callable
    parameters: dict

    @property
    def epochs(self):
        """Number of epochs in the paper, or ours where it prints none."""
        return self.chosen["epochs"]

    def make(self, epochs, seed, progress):
        """Return a classifier for a number of epochs and a seed."""
        optimizer = self.chosen["optimizer"]
        return self.classifier(
            optimizer=AMSGrad if optimizer == "amsgrad" else optimizer,
            lr=self.chosen["lr"],
            weight_decay=self.chosen["weight_decay"],
            max_epochs=epochs,
            batch_size=published_settings()["batch_size"],
            random_state=seed,
            progress=progress,
            **self.parameters,
        )


# The networks of the paper have neither a normalisation nor a schedule.
PLAIN = dict(normalize=None, schedule=None)


def why_not(name):
    """Return why a row cannot be computed, or an empty string.

    Parameters
    ----------
    name : str
        Name of the method in the paper.

    Returns
    -------
    reason : str
        Reason.

    Examples
    --------
    >>> why_not("GrNet")
    ''
    """
    baseline = BASELINES.get(_without_variants(name))
    if baseline is not None and baseline.needs_spd_learn and not has_spd_learn():
        return "needs spd_learn: pip install 'geomstats-cor[baselines]'"
    return ""


def find_method(name, data):
    """Return what computes a row on a data set.

    Parameters
    ----------
    name : str
        Name of the method in the paper.
    data : str
        Name of the data set in the paper.

    Returns
    -------
    method : Method
        Method.
    """
    data = "Radar" if data == SYNTHETIC else data
    if name.startswith("CorNet-"):
        return _cornet(name, data)
    if name.startswith("CorMLR-"):
        return _cormlr(name)
    return _baseline(name, data)


def _cornet(name, data):
    """CorNet-METRIC, CorNet-CONV/MLR or CorNet-METRIC+ReLU."""
    settings, exact = published_settings(), name.endswith(EXACT)
    metrics = METRICS if exact else _TRAINED
    keys = name.removesuffix(EXACT).removeprefix("CorNet-")
    keys, _, activation = keys.partition("+")
    conv, _, mlr = keys.partition("/")
    chosen = settings["hyperparameters"][data][conv]
    parameters = dict(
        metric=metrics[conv.lower()],
        mlr_metric=metrics[mlr.lower()] if mlr else None,
        output_size=settings["data"][data]["output"],
        out_channels=1,
        kernel_size=None,
        **PLAIN,
        dropout=0.0,
        C=None,
        basis="orthonormal" if exact else "printed",
        activation=activation.lower() or None,
        power=chosen["power"],
        dtype="float64",
    )
    if data == "Radar":
        # The front end of signals learns, and gives covariance matrices of full rank.
        parameters["front_end"] = functools.partial(TemporalCovariance, 2)
    return Method("channels", chosen, CorNetClassifier, parameters)


def _cormlr(name):
    metric = _TRAINED[name.removeprefix("CorMLR-").lower()]
    parameters = dict(metric=metric, **PLAIN)
    chosen = published_settings()["baseline"]
    return Method("covariance", chosen, CorMLRClassifier, parameters)


def _baseline(name, data):
    """Return a network of `cornet_nn.baselines`, normalisation included."""
    base, settings = _without_variants(name), published_settings()
    form = find_baseline(base).form
    # Signals have one covariance matrix; channels of them are learnt by CorNets alone.
    if data == "Radar" and form == "channels":
        form = "covariance"
    endings = {"-EigN": "eigenvalue", " on correlations": "correlation"}
    found = [word for ending, word in endings.items() if name.endswith(ending)]
    chosen = {**settings["baseline"], **settings["baselines"].get(base, {})}
    parameters = dict(
        network=base,
        sizes=_sizes(base, settings["data"][data]),
        power=chosen.get("power", 1.0),
        normalisation=found[0] if found else None,
    )
    return Method(form, chosen, BaselineClassifier, parameters)


def _sizes(base, data):
    """Return the sizes of hidden matrices of a network on a data set."""
    if base == "GyroSPD++":
        return (data["hidden"],)
    has_maps = base.startswith(("SPDNet", "SPDResNet"))
    return tuple(data["sizes"][1:]) if has_maps else ()


def _without_variants(name):
    return name.removesuffix("-EigN").removesuffix(" on correlations")


# Options of the loader by form.
_SIGNALS: dict[str, dict] = {
    "channels": {},
    "covariance": dict(representation="covariance"),
    # The paper says 8, with which GrNet pools projectors of rank 8 to constants.
    "subspaces": dict(representation="subspace", dimension=4),
}
# A covariance of coordinates: a root that moves keeps all of them.
_GLOBAL = dict(levels=1, center="first", view="first")
_SEQUENCES: dict[str, dict] = {
    "channels": {},
    "covariance": dict(representation="covariance", **_GLOBAL),
    "subspaces": dict(representation="subspace", dimension=10, **_GLOBAL),
}
_BODIES: dict[str, dict] = {
    "covariance": {},
    "subspaces": dict(representation="subspace", dimension=10),
}
_SHRUNK = dict(shrinkage=1e-3)

# Ways to find each data set: its name in `cornet_nn.datasets`, its folder, and options
# of the loader for each form that there is.
_SOURCES: dict[str, list[tuple[str, str | None, dict]]] = {
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
    """A data set, if it is there.

    Attributes
    ----------
    dataset : cornet_nn.datasets.Dataset or None
        Data set.
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
    directory, ways = directory and Path(directory), []
    for source, folder, options in _SOURCES[name]:
        if form in options:
            known = _options(source)
            taken = {k: v for k, v in (given or {}).items() if k in known}
            ways.append((source, folder, json.dumps(options[form] | taken), taken))
    # Those with most of the user's options first.
    for source, folder, how, taken in sorted(ways, key=lambda way: -len(way[-1])):
        place = directory / folder if directory and folder else None
        if folder is None or (place is not None and place.is_dir()):
            return Found(_loaded(source, place, quiet, how), taken)
    folders = [folder for _, folder, *_ in ways if folder]
    words = " or ".join(folders)
    if directory is None:
        return Found(None, {}, f"no data: pass --data with a folder {words}")
    places = (directory / folder for folder in folders)
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
