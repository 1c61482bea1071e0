"""The settings of a training that the command line offers, and where they come from."""

import argparse
from dataclasses import dataclass
from pathlib import Path

from geomstats_cor import METRICS
from geomstats_cor.exceptions import ParameterError

from .._files import read_object


@dataclass(frozen=True)
class Setting:
    """One setting: a parameter of the estimator, its option and its default.

    Parameters
    ----------
    name : str
        Name of the parameter.
    default : object
        Value if it is not given.
    help : str
        What it does.
    type : callable
        What makes a value of a word.
    choices : tuple of str
        Values that are possible; any if None.
    flag : str
        Option, if it is not the name.
    metavar : str
        Name of the value in the help.
    cormlr : object
        Default of the regression alone, if it is another one.
    only : {"cornet", "cormlr"}
        Model that has the setting; both if None.

    Examples
    --------
    >>> Setting("max_epochs", 100, "epochs", int, flag="--epochs").option
    '--epochs'
    """

    name: str
    default: object
    help: str
    type: type = str
    choices: tuple = None
    flag: str = None
    metavar: str = None
    cormlr: object = None
    only: str = None

    @property
    def option(self):
        """Option of the command line."""
        return self.flag or "--" + self.name.replace("_", "-")

    def default_of(self, model):
        """Return the default of a model."""
        return self.cormlr if model == "cormlr" and self.cormlr else self.default


def class_weight(word):
    """Return weights of classes.

    Parameters
    ----------
    word : str
        The word "balanced", or weights such as "walk=1,run=2.5".

    Returns
    -------
    weights : str or dict
        The word, or weights by class.

    Examples
    --------
    >>> class_weight("walk=1,run=2.5")
    {'walk': 1.0, 'run': 2.5}
    """
    if word == "balanced":
        return word
    try:
        pairs = (part.rsplit("=", 1) for part in word.split(","))
        return {name: float(weight) for name, weight in pairs}
    except ValueError:
        raise argparse.ArgumentTypeError(
            f"{word!r} is neither 'balanced' nor weights such as 'walk=1,run=2.5'; "
            f"names with a comma can be given in a --config file"
        ) from None


def strength(word):
    """Return the strength of a penalty: a number, or the word "cv".

    Parameters
    ----------
    word : str
        Word.

    Returns
    -------
    strength : float or str
        The number, or the word.

    Examples
    --------
    >>> strength("cv"), strength("10")
    ('cv', 10.0)
    """
    if word == "cv":
        return word
    try:
        return float(word)
    except ValueError:
        raise argparse.ArgumentTypeError(
            f"{word!r} is neither 'cv' nor a number"
        ) from None


_KEYS = tuple(METRICS)

MODEL = (
    Setting(
        "model",
        "cornet",
        "convolution and logistic regression, or the regression alone",
        choices=("cornet", "cormlr"),
    ),
    Setting("metric", "olm", "metric", choices=_KEYS),
    Setting(
        "mlr_metric",
        None,
        "metric of the logistic regression, if it is not the same",
        choices=_KEYS,
        only="cornet",
    ),
    Setting(
        "output_size",
        8,
        "size of the matrices after the convolution",
        int,
        only="cornet",
    ),
    Setting(
        "out_channels", 16, "number of kernels of the convolution", int, only="cornet"
    ),
    Setting(
        "kernel_size",
        None,
        "channels that a kernel sees; all of them if not given",
        int,
        only="cornet",
    ),
    Setting("stride", 1, "step of the kernel along the channels", int, only="cornet"),
    Setting(
        "basis",
        "orthonormal",
        "basis of the output of the convolution; printed is that of the paper for lsm",
        choices=("orthonormal", "printed"),
        only="cornet",
    ),
    Setting("gain", 0.5, "factor on the initial weights", float, cormlr=0.01),
    Setting(
        "activation",
        "relu",
        "function in the tangent space after the convolution",
        choices=("relu", "tanh", "sigmoid", "elu", "gelu", "leaky_relu", "none"),
        only="cornet",
    ),
    Setting(
        "dropout",
        0.5,
        "probability with which entries before the regression are set to zero",
        float,
        only="cornet",
    ),
    Setting(
        "C",
        "cv",
        "inverse strength of the penalty of the regression alone; cv chooses it by "
        "cross-validation inside the training samples",
        strength,
        flag="--strength",
        metavar="C",
        only="cormlr",
    ),
)
PREPROCESSING = (
    Setting(
        "kind",
        "auto",
        "what the inputs are; auto is what the data set says",
        choices=("auto", "correlation", "covariance", "signal"),
    ),
    Setting("power", 1.0, "matrix power taken before the correlation", float),
    Setting(
        "shrinkage", 0.0, "weight in [0, 1] of the diagonal in place of the rest", float
    ),
    Setting(
        "normalize",
        "coordinates",
        "move the mean of the training samples to the origin, and divide by their "
        "dispersion, one for each coordinate or each channel; or move the mean alone",
        choices=("coordinates", "channel", "center", "none"),
    ),
)
TRAINING = (
    Setting(
        "optimizer",
        "adamw",
        "optimiser; lbfgs solves the regression alone to convergence, and auto chooses "
        "it unless an epoch is chosen by validation",
        choices=("adam", "sgd", "adamw", "lbfgs", "auto"),
        cormlr="auto",
    ),
    Setting("lr", 1e-3, "learning rate", float),
    Setting("weight_decay", 1.0, "weight decay", float),
    Setting(
        "schedule",
        "cycle",
        "whether the learning rate rises and falls once, or stays",
        choices=("cycle", "none"),
    ),
    Setting("max_epochs", 60, "number of epochs", int, flag="--epochs"),
    Setting("batch_size", 30, "samples per step", int),
    Setting(
        "validation",
        None,
        "part of the training samples to hold out, between 0 and 1, whole groups if "
        "the data has groups; the network is that of the epoch with their least loss",
        float,
    ),
    Setting(
        "refit",
        True,
        "with validation, train anew on all samples for the number of epochs found",
        bool,
    ),
    Setting(
        "patience",
        None,
        "stop after so many epochs without a smaller loss of the held-out samples",
        int,
    ),
    Setting(
        "class_weight",
        None,
        'weights of the classes in the loss: "balanced", or "walk=1,run=2.5"',
        class_weight,
        metavar="WEIGHTS",
    ),
    Setting("random_state", 0, "seed of all that is drawn", int, flag="--seed"),
    Setting("dtype", "float32", "precision", choices=("float32", "float64")),
    Setting("device", "cpu", "device of torch, such as cpu or cuda"),
)
GROUPS = {
    "network": MODEL,
    "from input to correlation matrices": PREPROCESSING,
    "training": TRAINING,
}
_METAVARS = {int: "N", float: "X"}
SETTINGS = {s.name: s for group in GROUPS.values() for s in group}


def add_settings(parser, leave_out=()):
    """Add the options of the settings to a parser.

    Parameters
    ----------
    parser : argparse.ArgumentParser
        Parser.
    leave_out : sequence of str
        Names of settings that the command decides itself.
    """
    for title, settings in GROUPS.items():
        group = parser.add_argument_group(title)
        for setting in settings:
            if setting.name in leave_out:
                continue
            if setting.type is bool:
                words = dict(action=argparse.BooleanOptionalAction)
            else:
                metavar = setting.metavar or _METAVARS.get(setting.type)
                words = dict(
                    type=setting.type, choices=setting.choices, metavar=metavar
                )
            default = setting.default is not None
            group.add_argument(
                setting.option,
                dest=setting.name,
                # What was not given can be told from what was given as the default.
                default=argparse.SUPPRESS,
                help=setting.help + (f" (default: {setting.default})" * default),
                **words,
            )
    parser.add_argument(
        "--config",
        type=Path,
        metavar="FILE.json",
        help="file of settings by their names, or the run.json of a run; what the "
        "command line says goes before it",
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
    return given | {k: v for k, v in vars(options).items() if k in SETTINGS}


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
    model = settings.get("model", SETTINGS["model"].default)
    return {
        name: setting.default_of(model)
        for name, setting in SETTINGS.items()
        if setting.only in (None, model)
    } | settings


def read_settings(path):
    """Return the settings of a file.

    Parameters
    ----------
    path : pathlib.Path
        JSON file with an object of settings by name, or with one under "settings".

    Returns
    -------
    settings : dict
        Settings by name.
    """
    content = read_json(path)
    settings = content.get("settings", content)
    if not isinstance(settings, dict):
        raise ParameterError(f"{path} has settings that are not an object.")
    for name, value in settings.items():
        require_setting(name, value, path)
    return settings


def read_json(path):
    """Return the object that a JSON file holds.

    Parameters
    ----------
    path : pathlib.Path
        JSON file.

    Returns
    -------
    content : dict
        The object.
    """
    try:
        return read_object(path)
    except ValueError as error:
        raise ParameterError(f"{path} is not a JSON file of ours: {error}.") from None


def require_setting(name, value, source):
    """Raise unless a setting is known, and its value is of its type.

    Parameters
    ----------
    name : str
        Name.
    value : object
        Value.
    source : object
        Where it was read, for the message.

    Examples
    --------
    >>> require_setting("lr", 0.1, "settings.json")
    """
    if name not in SETTINGS:
        raise ParameterError(
            f"{source} has the setting {name!r}, which is not one of "
            f"{', '.join(SETTINGS)}."
        )
    setting = SETTINGS[name]
    if value is None and setting.default is None:
        return
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    if setting.choices:
        good = isinstance(value, str) and value in setting.choices
        expected = f"one of {', '.join(setting.choices)}"
    elif setting.type is bool:
        good, expected = isinstance(value, bool), "true or false"
    elif setting.type is int:
        good, expected = is_number and isinstance(value, int), "a whole number"
    elif setting.type is float:
        good, expected = is_number, "a number"
    elif setting.type is strength:
        good, expected = value == "cv" or is_number, 'a number or "cv"'
    elif setting.type is str:
        good, expected = isinstance(value, str), "a word"
    else:
        good = isinstance(value, str) or (
            isinstance(value, dict)
            and all(isinstance(weight, int | float) for weight in value.values())
        )
        expected = "a word or weights by class"
    if not good:
        raise ParameterError(f"{source} has {name} = {value!r}: expected {expected}.")
