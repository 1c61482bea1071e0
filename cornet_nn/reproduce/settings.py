"""The settings of a training, as the tables have them."""

import functools
import inspect

# Rows name the metric or the network, and runs their seed; the rest changes no result.
_NOT_SHOWN = ("metric", "mlr_metric", "network", "normalisation")
_NOT_SETTINGS = ("random_state", "progress", "device", "directory", "resume")


def non_default(model):
    """Return the settings of a classifier that are not its defaults.

    Parameters
    ----------
    model : sklearn.base.BaseEstimator
        Classifier.

    Returns
    -------
    settings : dict
        Settings by name.

    Examples
    --------
    >>> from cornet_nn.training import CorNetClassifier
    >>> non_default(CorNetClassifier("ecm", power=0.25, random_state=3))
    {'power': 0.25}
    """
    signature = inspect.signature(type(model)).parameters
    return {
        name: value
        for name, value in model.get_params(deep=False).items()
        if name not in _NOT_SHOWN + _NOT_SETTINGS
        and (name not in signature or value != signature[name].default)
    }


def as_words(settings):
    """Return settings as text.

    Parameters
    ----------
    settings : dict
        Settings by name.

    Returns
    -------
    words : str
        Text.

    Examples
    --------
    >>> as_words({"power": 0.25, "neighbors": ["left", "right"]})
    "power=0.25 neighbors=['left', 'right']"
    """
    return " ".join(f"{name}={_word(value)}" for name, value in settings.items())


def options_notes(given, taken):
    """Return which options of loaders a number was computed with, and which not.

    Parameters
    ----------
    given : dict
        Options that the user gives.
    taken : dict
        Those of them that the loader of the data has.

    Returns
    -------
    notes : list of str
        Notes.

    Examples
    --------
    >>> options_notes({"view": "first", "window": 20}, {"view": "first"})
    ['loader options view=first', 'the loader has no option window']
    """
    notes = [f"loader options {as_words(taken)}"] if taken else []
    others = [name for name in given if name not in taken]
    return notes + [f"the loader has no option {name}" for name in others]


def _word(value):
    if isinstance(value, functools.partial):
        return f"{value.func.__name__}{value.args}"
    return value.__name__ if isinstance(value, type) else str(value)
