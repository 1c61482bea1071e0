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
from .sources import value_of

_MODEL = "convolution and logistic regression, or the regression alone"
# The command line gives the same network twice unless it is told otherwise.
_SEED = 0
_METAVARS = {int: "N", float: "X", bool: "BOOL"}


def all_options():
    """Return the fields of all models that the command line offers, by name."""
    return {k: v for model in reversed(MODELS) for k, v in options_of(model).items()}


def add_settings(parser, leave_out=()):
    """Add the options of the settings to a parser.

    Parameters
    ----------
    parser : argparse.ArgumentParser
        Parser.
    leave_out : sequence of str
        Names of settings that the command decides itself.
    """
    group = parser.add_argument_group("settings")
    group.add_argument(
        "--model",
        choices=tuple(MODELS),
        # What was not given can be told from what was given as the default.
        default=argparse.SUPPRESS,
        help=f"{_MODEL} (default: cornet)",
    )
    for name, field in all_options().items():
        if name in leave_out:
            continue
        default = _SEED if name == "random_state" else field.default
        shown = f" (default: {_word(default)})" if default is not None else ""
        words = dict(dest=name, default=argparse.SUPPRESS, help=field.metadata["help"])
        words["help"] += shown
        options = [f"--{name.replace('_', '-')}", *field.metadata["names"]]
        if field.type is bool:
            group.add_argument(*options, action=argparse.BooleanOptionalAction, **words)
        else:
            group.add_argument(*options, metavar=_metavar(field.type), **words)
    group.add_argument(
        "--config",
        type=Path,
        metavar="FILE.json",
        help="file of settings by their names, or the run.json of a run; options of "
        "the command line override it",
    )


def given_settings(options):
    """Return the settings that a user gave, in a file or on the command line.

    Parameters
    ----------
    options : argparse.Namespace
        Options.

    Returns
    -------
    settings : dict
        Settings by name.
    """
    given = {} if options.config is None else read_settings(options.config)
    known = {"model", *all_options()}
    words = {name: word for name, word in vars(options).items() if name in known}
    try:
        return given | parsed({k: _read_word(k, v) for k, v in words.items()})
    except ParameterError as error:
        options.usage_error(error)


def parsed(values, source="the command line"):
    """Return values of settings, converted and validated by type.

    Parameters
    ----------
    values : dict
        Values, or words of the command line, by name.
    source : object
        Where they come from, for messages.

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
    settings = {}
    for name, value in values.items():
        if name == "model" or "__" in name:
            settings[name] = value
            continue
        if name not in fields:
            raise ParameterError(
                f"{source} has the setting {name!r}, which is not one of "
                f"{', '.join(['model', *fields])}."
            )
        parser = ArgumentParser(exit_on_error=False)
        parser.add_argument(f"--{name}", type=fields[name].type)
        try:
            # Numbers of another type are not rounded, and words are no numbers.
            if isinstance(value, str) and source != "the command line":
                _require_word(fields[name].type, value)
            if value is None and type(None) not in _parts(fields[name].type):
                raise TypeError(value)
            settings[name] = parser.parse_object({name: value})[name]
        except (ArgumentError, TypeError, ValueError):
            expected = _expected(fields[name].type)
            raise ParameterError(
                f"{source} has {name} = {value!r}: expected {expected}."
            ) from None
    if settings.get("model", "cornet") not in MODELS:
        raise ParameterError(
            f"{source} has model = {settings['model']!r}: expected one of "
            f"{', '.join(MODELS)}."
        )
    return settings


def with_defaults(settings):
    """Return settings, with defaults for those that are not given.

    Parameters
    ----------
    settings : dict
        Some settings by name.

    Returns
    -------
    settings : dict
        All settings by name.

    Examples
    --------
    >>> with_defaults({"lr": 0.5})["batch_size"]
    30
    """
    model = settings.get("model", "cornet")
    defaults = {name: field.default for name, field in options_of(model).items()}
    return {"model": model, **defaults, "random_state": _SEED, **settings}


def read_settings(path):
    """Return the settings of a file.

    Parameters
    ----------
    path : pathlib.Path
        JSON file with an object of settings by name, or the `run.json` of a run.

    Returns
    -------
    settings : dict
        Settings by name.
    """
    try:
        content = read_object(path)
    except ValueError as error:
        raise ParameterError(f"{path} is not a JSON file of ours: {error}.") from None
    if "estimator" in content:
        content = settings_of(content)
    settings = content.get("settings", content)
    if not isinstance(settings, dict):
        raise ParameterError(f"{path} has settings that are not an object.")
    # Version 0.1.0 wrote "none" where there is nothing.
    settings = {k: None if v == "none" else v for k, v in settings.items()}
    return parsed(settings, path)


def settings_of(record):
    """Return the settings of a run.

    Parameters
    ----------
    record : dict
        Content of `run.json`.

    Returns
    -------
    settings : dict
        Settings by name.
    """
    model = {"CorNetClassifier": "cornet", "CorMLRClassifier": "cormlr"}.get(
        record["estimator"]
    )
    if model is None:
        raise ParameterError(
            f"the command line trains classifiers, not {record['estimator']!r}."
        )
    parameters, offered = record["parameters"], options_of(model)
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
    from ..training import CorMLRClassifier, CorNetClassifier

    settings = dict(settings)
    model = settings.pop("model")
    make = {"cornet": CorNetClassifier, "cormlr": CorMLRClassifier}[model]
    for name in settings:
        if name not in options_of(model) and "__" not in name:
            option = f"--{name.replace('_', '-')}"
            raise ParameterError(
                f"the model {model} has no {name}: leave {option} out."
            )
    return make(**settings, **others)


def _read_word(name, word):
    """Return a word as jsonargparse reads it."""
    if word == "none":
        return None
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
    return value_of(word) if isinstance(word, str) else word


def _require_word(hint, value):
    if not any(part is str or get_origin(part) is Literal for part in _parts(hint)):
        raise TypeError(value)


def _parts(hint):
    is_union = get_origin(hint) not in (None, Literal, dict)
    return get_args(hint) if is_union else (hint,)


def _metavar(hint):
    parts = _parts(hint)
    choices = [
        c for part in parts if get_origin(part) is Literal for c in get_args(part)
    ]
    if type(None) in parts and choices:
        choices.append("none")
    if choices and len(parts) - (type(None) in parts) == 1:
        return "{" + ",".join(choices) + "}"
    return next((_METAVARS[part] for part in parts if part in _METAVARS), "VALUE")


def _expected(hint):
    """Return a type in words."""
    names = {int: "a whole number", float: "a number", bool: "true or false"}
    names |= {str: "a word", type(None): "null"}
    words = []
    for part in _parts(hint):
        if get_origin(part) is Literal:
            choices = ", ".join(map(str, get_args(part)))
            words.append(f"one of {choices}" if len(get_args(part)) > 1 else choices)
        else:
            words.append(names.get(part, "an object of numbers by name"))
    return " or ".join(words)


def _word(value):
    return value if isinstance(value, str) else json.dumps(value)
