"""The rows of the tables as classifiers, with the settings of the paper."""

import functools
from collections.abc import Callable
from dataclasses import dataclass

from cornet_nn.baselines.spdnet import has_spd_learn
from cornet_nn.baselines.table import BASELINES, find_baseline
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
    epochs : int
        Number of epochs in the paper, or ours where it prints none.
    make : callable
        Returns a classifier, given the number of epochs, a seed and `progress`.
    """

    form: str
    epochs: int
    make: Callable


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
    from cornet_nn import TemporalCovariance
    from cornet_nn.training import CorNetClassifier

    settings = published_settings()
    exact = name.endswith(EXACT)
    metrics = METRICS if exact else _TRAINED
    keys = name.removesuffix(EXACT).removeprefix("CorNet-")
    keys, _, activation = keys.partition("+")
    conv, _, mlr = keys.partition("/")
    chosen = settings["hyperparameters"][data][conv]
    # The front end of signals learns, and gives covariance matrices of full rank.
    front_end = functools.partial(TemporalCovariance, 2) if data == "Radar" else None

    def make(epochs, seed, progress):
        return CorNetClassifier(
            metrics[conv.lower()],
            mlr_metric=metrics[mlr.lower()] if mlr else None,
            output_size=settings["data"][data]["output"],
            out_channels=1,
            kernel_size=None,
            **PLAIN,
            dropout=0.0,
            basis="orthonormal" if exact else "printed",
            activation=activation.lower() or None,
            power=chosen["power"],
            optimizer=chosen["optimizer"],
            lr=chosen["lr"],
            weight_decay=chosen["weight_decay"],
            max_epochs=epochs,
            batch_size=settings["batch_size"],
            random_state=seed,
            dtype="float64",
            progress=progress,
            front_end=front_end,
        )

    return Method("channels", chosen["epochs"], make)


def _cormlr(name):
    from cornet_nn.training import CorMLRClassifier

    metric = _TRAINED[name.removeprefix("CorMLR-").lower()]
    return _with_baseline_settings(
        lambda **options: CorMLRClassifier(metric, **PLAIN, **options)
    )


def _baseline(name, data):
    """Return a network of `cornet_nn.baselines`, normalisation included."""
    from cornet_nn.baselines.classifier import AMSGrad, BaselineClassifier

    base = _without_variants(name)
    settings, baseline = published_settings(), find_baseline(base)
    chosen = {**settings["baseline"], **settings["baselines"].get(base, {})}
    # Signals have one covariance matrix; channels of them are learnt by CorNets alone.
    form = "covariance" if data == "Radar" and baseline.form == "channels" else None
    normalisation = None
    if name.endswith("-EigN"):
        normalisation = "eigenvalue"
    elif name.endswith(" on correlations"):
        normalisation = "correlation"
    optimizer = chosen["optimizer"]

    def make(epochs, seed, progress):
        return BaselineClassifier(
            base,
            sizes=_sizes(base, settings["data"][data]),
            power=chosen.get("power", 1.0),
            normalisation=normalisation,
            optimizer=AMSGrad if optimizer == "amsgrad" else optimizer,
            lr=chosen["lr"],
            weight_decay=chosen["weight_decay"],
            max_epochs=epochs,
            batch_size=settings["batch_size"],
            random_state=seed,
            progress=progress,
        )

    return Method(form or baseline.form, chosen["epochs"], make)


def _sizes(base, data):
    """Return the sizes of hidden matrices of a network on a data set."""
    if base == "GyroSPD++":
        return (data["hidden"],)
    has_maps = base.startswith(("SPDNet", "SPDResNet"))
    return tuple(data["sizes"][1:]) if has_maps else ()


def _with_baseline_settings(make):
    settings = published_settings()
    chosen = settings["baseline"]

    def with_settings(epochs, seed, progress):
        return make(
            optimizer=chosen["optimizer"],
            lr=chosen["lr"],
            weight_decay=chosen["weight_decay"],
            max_epochs=epochs,
            batch_size=settings["batch_size"],
            random_state=seed,
            progress=progress,
        )

    return Method("covariance", chosen["epochs"], with_settings)


def _without_variants(name):
    return name.removesuffix("-EigN").removesuffix(" on correlations")
