"""The rows of the tables as classifiers, with the settings of the paper."""

import functools
from collections.abc import Callable
from dataclasses import dataclass

from geomstats_cor import METRICS, OneStepLogScaledMetric

from .baselines import BETWEEN, has_spd_learn
from .published import published_settings
from .sources import SYNTHETIC

SPD_REGRESSIONS = ("SPDMLR-LEM", "SPDMLR-LCM", "SPDMLR-AIM")
EXACT = " (exact D*)"
NOT_HERE = "the paper's number only: not implemented here"

# The metrics as the paper trains them.
_TRAINED = {**METRICS, "lsm": OneStepLogScaledMetric}


@dataclass(frozen=True)
class Method:
    """A row that can be computed.

    Attributes
    ----------
    form : {"channels", "covariance"}
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
    "the paper's number only: not implemented here"
    """
    base = _without_variants(name)
    # The residual network of spd_learn's layers is not the published one.
    if base == "SPDResNet-LEM":
        return NOT_HERE
    if base in BETWEEN:
        missing = "needs spd_learn: pip install 'geomstats-cor[baselines]'"
        return "" if has_spd_learn() else missing
    known = base.startswith(("CorNet-", "CorMLR-")) or base in SPD_REGRESSIONS
    return "" if known else NOT_HERE


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
    return _spd(name, data)


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


def _spd(name, data):
    from .spd_classifier import SPDClassifier

    base = _without_variants(name)
    sizes = published_settings()["data"][data]["sizes"][1:]
    normalisation = None
    if name.endswith("-EigN"):
        normalisation = "eigenvalue"
    elif name.endswith(" on correlations"):
        normalisation = "correlation"
    return _with_baseline_settings(
        lambda **options: SPDClassifier(
            base,
            sizes=() if base in SPD_REGRESSIONS else tuple(sizes),
            normalisation=normalisation,
            **options,
        )
    )


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
