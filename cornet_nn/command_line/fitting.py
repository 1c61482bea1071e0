"""One training on one part of the data, and what it is worth on another."""

import contextlib
import warnings

import numpy as np

from geomstats_cor.exceptions import ParameterError

from .settings import SETTINGS
from .sources import names_of_classes

RESULTS = ("accuracy", "train_accuracy", "epochs", "seconds_per_epoch", "samples")


def make_classifier(settings, **others):
    """Return an estimator.

    Parameters
    ----------
    settings : dict
        Settings by name.
    **others
        Parameters that are no settings, such as the run directory.

    Returns
    -------
    classifier : CorNetClassifier
        Estimator.
    """
    from ..training import CorMLRClassifier, CorNetClassifier

    settings = dict(settings)
    model = settings.pop("model")
    make = {"cornet": CorNetClassifier, "cormlr": CorMLRClassifier}[model]
    for name in sorted(set(settings) - set(make().get_params())):
        raise ParameterError(
            f"the model {model} has no {name}: leave {SETTINGS[name].option} out."
        )
    settings = {k: None if v == "none" else v for k, v in settings.items()}
    return make(**settings, **others)


@contextlib.contextmanager
def stopped_by_keyboard():
    """Raise if the keyboard stops a training, which by itself keeps what it learned.

    Half a training is then not taken for a whole one.
    """
    from ..training import TrainingInterruptedWarning

    with warnings.catch_warnings():
        warnings.simplefilter("error", TrainingInterruptedWarning)
        try:
            yield
        except TrainingInterruptedWarning as stop:
            raise KeyboardInterrupt(str(stop)) from None


def fit(model, data):
    """Fit an estimator, and raise if the keyboard stops it.

    Parameters
    ----------
    model : CorNetClassifier
        Estimator, which keeps what it has learned when it is stopped.
    data : Dataset
        Samples. If they have groups, validation holds out whole groups.

    Returns
    -------
    model : CorNetClassifier
        The estimator.
    """
    with stopped_by_keyboard():
        return model.fit(data.inputs, names_of_classes(data), groups=data.groups)


def accuracy(model, data, unusable=0):
    """Return the part of the samples that a network classifies rightly.

    Parameters
    ----------
    model : CorNetClassifier
        Fitted estimator.
    data : Dataset
        Samples.
    unusable : int
        Number of further samples that cannot be used, and count as errors.

    Returns
    -------
    accuracy : float
        Accuracy.
    """
    right = 0
    if len(data):
        right = np.sum(model.predict(data.inputs) == names_of_classes(data))
    return right / (len(data) + unusable)


def fit_and_score(data, train, test, settings, directory=None):
    """Train on a part of the data and score on another.

    Parameters
    ----------
    data : Dataset
        Data set.
    train, test : array of int
        Indices of the parts. Those from the length of the data set on are items that
        cannot be used, and count as errors.
    settings : dict
        Settings by name.
    directory : pathlib.Path
        Run directory of a training that is kept, and goes on if it was stopped.

    Returns
    -------
    results : dict
        Accuracy over the samples of either part, number of epochs, median time of one,
        and number of samples that were tested.
    """
    if settings["kind"] == "auto":
        settings = settings | dict(kind=data.kind)
    running = {} if directory is None else dict(directory=directory, resume=True)
    model = make_classifier(settings, progress=False, **running)
    unusable = int(np.sum(test >= len(data)))
    train, test = data.subset(train), data.subset(test[test < len(data)])
    fit(model, train)
    return dict(
        accuracy=accuracy(model, test, unusable),
        train_accuracy=model.score(train.inputs, names_of_classes(train)),
        epochs=len(model.history_),
        seconds_per_epoch=np.median([epoch["seconds"] for epoch in model.history_]),
        samples=len(test) + unusable,
    )
