"""Settings of an estimator, from the command line, a file or an earlier run.

Types, defaults and help are those of the dataclasses in `training.settings`. What a
user gives is read by jsonargparse, which converts and validates by type: words of the
command line, and values of JSON files, in the same way.
"""

import argparse
import json
from pathlib import Path
from typing import Literal, get_args, get_origin

from geomstats_cor.exceptions import ParameterError

from .._files import read_object
from ..training.settings import MODELS, options_of
from .options import value_of

# The estimator of each model.
_ESTIMATORS = {"cornet": "CorNetClassifier", "cormlr": "CorMLRClassifier"}
# The command line gives the same network twice unless it is told otherwise.
_SEED = 0
_METAVARS = {int: "N", float: "X", bool: "BOOL"}
_NAMES = {int: "a whole number", float: "a number", bool: "true or false"}
_NAMES |= {str: "a word", type(None): "none"}


def all_options():
    """Return the fields of all models that the command line offers, by name."""
    return {k: v for model in reversed(MODELS) for k, v in options_of(model).items()}


def add_settings(parser, leave_out=()):
    """Add the options of all settings but those that the command decides itself."""
    group = parser.add_argument_group("settings")
    # Nothing is stored of what was not given.
    unless_given = dict(default=argparse.SUPPRESS)
    text = "convolution and logistic regression, or the regression alone"
    text = f"{text} (default: cornet)"
    group.add_argument("--model", choices=tuple(MODELS), help=text, **unless_given)
    for name, field in all_options().items():
        if name in leave_out:
            continue
        default = _SEED if name == "random_state" else field.default
        text = field.metadata["help"]
        if default is not None:
            word = default if isinstance(default, str) else json.dumps(default)
            text += f" (default: {word})"
        how = dict(metavar=_metavar(field.type))
        if field.type is bool:
            how = dict(action=argparse.BooleanOptionalAction)
        names = [f"--{name.replace('_', '-')}", *field.metadata["names"]]
        group.add_argument(*names, dest=name, help=text, **how, **unless_given)
    text = "file of settings by their names, or the run.json of a run; options of the "
    text += "command line override it"
    group.add_argument("--config", type=Path, metavar="FILE.json", help=text)


def given_settings(options):
    """Return the settings that a user gave, in a file or on the command line."""
    given = {} if options.config is None else read_settings(options.config)
    known = {"model", *all_options()}
    words = {name: word for name, word in vars(options).items() if name in known}
    try:
        return given | parsed(words)
    except ParameterError as error:
        options.usage_error(error)


def all_settings(options):
    """Return the settings that a user gave, and defaults for the others."""
    return with_defaults(given_settings(options))


def parsed(values, source="the command line", is_file=False):
    """Return values of settings, converted and validated by type.

    Parameters
    ----------
    values : dict
        Values, or words of the command line, by name.
    source : object
        Where they come from, for messages.
    is_file : bool
        Whether that is a file, in which numbers and dictionaries are not words.

    Returns
    -------
    settings : dict
        Settings by name.

    Examples
    --------
    >>> parsed({"lr": "0.5", "activation": "null", "max_epochs": 3})
    {'lr': 0.5, 'activation': None, 'max_epochs': 3}
    """
    from jsonargparse import ArgumentError, ArgumentParser

    fields = all_options()
    hints = {"model": Literal[*MODELS]} | {k: field.type for k, field in fields.items()}
    settings = {}
    for name, value in values.items():
        if "__" in name:
            settings[name] = value
            continue
        if name not in hints:
            raise ParameterError(
                f"{source} has the setting {name!r}, which is not one of "
                f"{', '.join(hints)}."
            )
        # Version 0.1.0 wrote "none" in files, too, where there is nothing.
        value = None if value == "none" else value
        value = value if is_file else _read_word(name, value)
        parts = _parts(hints[name])
        is_text = any(part is str or get_origin(part) is Literal for part in parts)
        parser = ArgumentParser(exit_on_error=False)
        parser.add_argument(f"--{name}", type=hints[name])
        try:
            # Numbers of another type are not rounded, and words are no numbers.
            if isinstance(value, str) and is_file and not is_text:
                raise TypeError(value)
            if value is None and type(None) not in parts:
                raise TypeError(value)
            settings[name] = parser.parse_object({name: value})[name]
        except (ArgumentError, TypeError, ValueError):
            raise ParameterError(
                f"{source} has {name} = {value!r}: expected {_expected(parts)}."
            ) from None
    return settings


def with_defaults(settings):
    """Return settings, with defaults for those that are not given.

    Examples
    --------
    >>> with_defaults({"lr": 0.5})["batch_size"]
    30
    """
    model = settings.get("model", "cornet")
    defaults = {name: field.default for name, field in options_of(model).items()}
    return {"model": model, **defaults, "random_state": _SEED, **settings}


def read_settings(path):
    """Return the settings of a JSON file of settings, or of the `run.json` of a run."""
    try:
        content = read_object(path)
    except ValueError as error:
        raise ParameterError(f"{path} is not JSON settings: {error}.") from None
    if "estimator" in content:
        content = settings_of(content)
    settings = content.get("settings", content)
    if not isinstance(settings, dict):
        raise ParameterError(f"{path} has settings that are not an object.")
    return parsed(settings, path, is_file=True)


def settings_of(record):
    """Return the settings of a run from the content of its `run.json`."""
    from .. import training

    models = {estimator: model for model, estimator in _ESTIMATORS.items()}
    model = models.get(record["estimator"])
    if model is None:
        raise ParameterError(
            f"the command line trains classifiers, not {record['estimator']!r}."
        )
    earlier = getattr(training, record["estimator"])._unless_stored
    parameters, offered = earlier | record["parameters"], options_of(model)
    kept = {k: v for k, v in parameters.items() if k in offered or "__" in k}
    weights = kept.get("class_weight")
    if isinstance(weights, dict):
        kept["class_weight"] = dict(weights.get("pairs", ()))
    return {"model": model, **kept}


def make_estimator(settings, **others):
    """Return an estimator.

    Parameters
    ----------
    settings : dict
        Settings by name.
    **others
        Parameters that are no settings, such as the run directory.

    Returns
    -------
    estimator : CorNetClassifier or CorMLRClassifier
        Estimator.
    """
    from .. import training

    settings = dict(settings)
    model = settings.pop("model")
    for name in settings:
        if name not in options_of(model) and "__" not in name:
            option = f"--{name.replace('_', '-')}"
            raise ParameterError(f"the model {model} has no {name}: remove {option}.")
    return getattr(training, _ESTIMATORS[model])(**settings, **others)


def _read_word(name, word):
    """Return a word as jsonargparse reads it."""
    if not isinstance(word, str):
        return word
    if name == "class_weight" and "=" in word and not word.startswith("{"):
        try:
            pairs = (part.rsplit("=", 1) for part in word.split(","))
            return {key: float(weight) for key, weight in pairs}
        except ValueError:
            raise ParameterError(
                f"{word!r} is neither 'balanced' nor weights such as 'walk=1,run=2.5'; "
                f"names with a comma can be given in a --config file"
            ) from None
    if word in ("nan", "inf", "-inf"):
        return float(word)
    return value_of(word)


def _parts(hint):
    is_union = get_origin(hint) not in (None, Literal, dict)
    return get_args(hint) if is_union else (hint,)


def _choices(parts):
    return [c for part in parts if get_origin(part) is Literal for c in get_args(part)]


def _metavar(hint):
    parts = _parts(hint)
    choices = _choices(parts)
    if type(None) in parts and choices:
        choices.append("none")
    if choices and len(parts) - (type(None) in parts) == 1:
        return "{" + ",".join(choices) + "}"
    return next((_METAVARS[part] for part in parts if part in _METAVARS), "VALUE")


def _expected(parts):
    """Return the types of a union in words."""
    words = []
    for part in parts:
        choices = _choices([part])
        word = ", ".join(choices) or _NAMES.get(part, "an object of numbers by name")
        words.append(f"one of {word}" if len(choices) > 1 else word)
    return " or ".join(words)
