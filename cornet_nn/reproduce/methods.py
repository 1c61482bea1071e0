"""The rows of the tables as classifiers, with the settings of the paper."""

import functools
from collections.abc import Callable
from dataclasses import dataclass

from cornet_nn import TemporalCovariance
from cornet_nn.baselines.classifier import AMSGrad, BaselineClassifier
from cornet_nn.baselines.spdnet import has_spd_learn
from cornet_nn.baselines.table import BASELINES, find_baseline
from cornet_nn.training import CorMLRClassifier, CorNetClassifier
from geomstats_cor import METRICS, OneStepLogScaledMetric

from .published import published_settings
from .sources import SYNTHETIC

EXACT = " (exact D*)"

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
