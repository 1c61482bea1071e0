"""The settings of estimators: one list of types, defaults and help.

The estimators inherit their constructors from these dataclasses, and the command line
offers every field that has a help text as an option. This module imports no torch.
"""

import dataclasses
from typing import Any, Literal

Metric = Literal["ecm", "lecm", "olm", "lsm", "phcm"]
ClassWeight = Literal["balanced"] | dict[str, float] | None
_CLASS_WEIGHT = 'weights of the classes in the loss: "balanced", or "walk=1,run=2.5"'


def option(default: Any, help: str, *names: str) -> Any:
    """Return a field that the command line offers, too.

    Parameters
    ----------
    default : object
        Default.
    help : str
        What it does.
    *names : str
        Further names of the option.

    Returns
    -------
    field : dataclasses.Field
        Field.
    """
    return dataclasses.field(default=default, metadata=dict(help=help, names=names))


@dataclasses.dataclass(kw_only=True, eq=False, repr=False)
class Settings:
    """What all estimators have in common; `CorNetClassifier` says what each does."""

    metric: Metric = dataclasses.field(
        default="olm", kw_only=False, metadata=dict(help="metric", names=())
    )
    kind: Literal["auto", "correlation", "covariance", "signal"] = option(
        "auto", "what the inputs are; auto is what the data set says"
    )
    power: float = option(1.0, "matrix power taken before the correlation")
    shrinkage: float = option(
        0.0, "weight in [0, 1] of the diagonal in place of the rest"
    )
    front_end: Any = None
    normalize: Literal["coordinates", "channel", "center"] | None = option(
        "coordinates",
        "move the mean of the training samples to the origin, and divide by their "
        "dispersion, one for each coordinate or each channel; or move the mean alone",
    )
    gain: float = option(0.5, "factor on the initial weights")
    optimizer: Literal["adam", "sgd", "adamw", "lbfgs", "auto"] = option(
        "adamw",
        "optimiser; lbfgs solves the regression alone to convergence, and auto chooses "
        "it unless an epoch is chosen by validation",
    )
    criterion: Any = None
    lr: float = option(1e-3, "learning rate")
    weight_decay: float = option(1.0, "weight decay")
    schedule: Literal["cycle"] | None = option(
        "cycle", "whether the learning rate rises and falls once, or stays"
    )
    max_epochs: int = option(60, "number of epochs", "--epochs")
    batch_size: int = option(30, "samples per step")
    validation: float | None = option(
        None,
        "part of the training samples to hold out, between 0 and 1, whole groups if "
        "the data has groups; the network is that of the epoch with their least loss",
    )
    refit: bool = option(
        True,
        "with validation, train anew on all samples for the number of epochs found",
    )
    patience: int | None = option(
        None, "stop after so many epochs without a smaller loss of the held-out samples"
    )
    callbacks: Any = None
    random_state: int | None = option(None, "seed of all that is drawn", "--seed")
    dtype: Literal["float32", "float64"] = option("float32", "precision")
    device: str = option("cpu", "device of torch, such as cpu or cuda")
    progress: bool = True
    directory: Any = None
    resume: bool = False
    overwrite: bool = False


@dataclasses.dataclass(kw_only=True, eq=False, repr=False)
class NetworkSettings(Settings):
    """Settings of `CorNetRegressor`, and of `CorNetClassifier` among others."""

    mlr_metric: Metric | None = option(
        None, "metric of the logistic regression, if it is not the same"
    )
    output_size: int = option(8, "size of the matrices after the convolution")
    out_channels: int = option(16, "number of kernels of the convolution")
    kernel_size: int | None = option(
        None, "channels that a kernel sees; all of them if null"
    )
    stride: int = option(1, "step of the kernel along the channels")
    basis: Literal["orthonormal", "printed"] = option(
        "orthonormal",
        "basis of the output of the convolution; printed is that of the paper for lsm",
    )
    activation: (
        Literal["relu", "tanh", "sigmoid", "elu", "gelu", "leaky_relu"] | None
    ) = option("relu", "function in the tangent space after the convolution")
    dropout: float = option(
        0.5, "probability with which entries before the regression are set to zero"
    )
    guard: bool = option(
        True, "bound coordinates between two metrics smoothly, far beyond usual values"
    )
    module: Any = None


@dataclasses.dataclass(kw_only=True, eq=False, repr=False)
class CorNetSettings(NetworkSettings):
    """Settings of `CorNetClassifier`."""

    class_weight: ClassWeight = option(None, _CLASS_WEIGHT)
    C: float | Literal["cv"] | None = option(
        "cv",
        "inverse strength of the penalty of the regression whose logits are averaged "
        "with those of the network; cv chooses it by cross-validation inside the "
        "training samples; no regression if null",
        "--strength",
    )


@dataclasses.dataclass(kw_only=True, eq=False, repr=False)
class CorMLRSettings(Settings):
    """Settings of `CorMLRClassifier`."""

    class_weight: ClassWeight = option(None, _CLASS_WEIGHT)
    gain: float = option(0.01, "factor on the initial weights")
    optimizer: Literal["adam", "sgd", "adamw", "lbfgs", "auto"] = option(
        "auto", "optimiser"
    )
    C: float | Literal["cv"] = option(
        "cv",
        "inverse strength of the penalty of the regression alone; cv chooses it by "
        "cross-validation inside the training samples",
        "--strength",
    )


MODELS = {"cornet": CorNetSettings, "cormlr": CorMLRSettings}


def options_of(model: str) -> dict[str, Any]:
    """Return the fields that the command line offers for a model.

    Parameters
    ----------
    model : {"cornet", "cormlr"}
        Model.

    Returns
    -------
    options : dict of dataclasses.Field
        Fields by name.

    Examples
    --------
    >>> options_of("cormlr")["C"].default
    'cv'
    """
    fields = dataclasses.fields(MODELS[model])
    return {field.name: field for field in fields if "help" in field.metadata}
