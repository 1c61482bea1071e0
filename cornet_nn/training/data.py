"""Samples: what estimators accept, and what the training loop takes."""

import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import torch
from sklearn.model_selection import StratifiedGroupKFold, train_test_split
from sklearn.utils.class_weight import compute_class_weight
from torch import Tensor, nn

from geomstats_cor import kernels
from geomstats_cor.data.cleaning import find_bad
from geomstats_cor.exceptions import (
    BadMatricesError,
    GeomstatsCorError,
    NotFiniteError,
    ParameterError,
    ShapeError,
)
from geomstats_cor.kernels._tolerances import input_tolerance

from .._validation import require_numbers
from ..front_end import CovariancePooling, Shrinkage

KINDS = ("correlation", "covariance", "signal")

# Numbers in a piece of the input that the front end sees at once.
_PIECE = 1 << 22
_LISTED = 10


def require_finite(X: np.ndarray) -> None:
    """Raise if samples have a NaN or an infinity.

    Parameters
    ----------
    X : numpy.ndarray, shape=[N, ...]
        Samples.
    """
    finite = np.isfinite(X).reshape(len(X), -1).all(axis=1)
    if finite.all():
        return
    bad = np.flatnonzero(~finite)
    raise NotFiniteError(
        f"{_listed(f'X[{i}]' for i in bad)} {'has' if len(bad) == 1 else 'have'} a NaN "
        f"or an infinity (inf): leave out {'that' if len(bad) == 1 else 'those'} of "
        f"the {len(X)} samples, or fill the gaps."
    )


def find_kind(X: np.ndarray, kind: str) -> str:
    """Return what samples are: matrices or signals.

    Parameters
    ----------
    X : numpy.ndarray, shape=[N, n, n] or [N, channels, n, n] or [N, n, time]
        Samples.
    kind : {"auto", "correlation", "covariance", "signal"}
        What they are said to be. With "auto", symmetric matrices are correlation
        matrices if all diagonals are one, else covariance matrices; what is not square
        is a signal.

    Returns
    -------
    kind : {"correlation", "covariance", "signal"}
        What they are.
    """
    if kind not in ("auto", *KINDS):
        raise ParameterError(
            f"kind is {kind!r}: choose 'auto' or one of {', '.join(map(repr, KINDS))}."
        )
    if X.ndim not in (3, 4):
        raise ShapeError(
            f"expected matrices [N, n, n] or [N, channels, n, n], or signals "
            f"[N, channels, time], got shape {X.shape}. Reshape your data; X[None] for "
            f"a single sample."
        )
    is_square = X.shape[-1] == X.shape[-2]
    if kind == "auto":
        return _guess_kind(X, is_square)
    if kind != "signal" and not is_square:
        raise ShapeError(
            f"expected square {kind} matrices, [N, n, n] or [N, channels, n, n], got "
            f"shape {X.shape}. Pass kind='signal' for signals."
        )
    return kind


def _guess_kind(X, is_square):
    if not is_square:
        return "signal"
    tolerance = input_tolerance(X)
    if not np.allclose(X, X.swapaxes(-2, -1), rtol=1e-3, atol=tolerance):
        raise ParameterError(
            f"X has shape {X.shape}, but its matrices are not symmetric: say "
            f"kind='signal' if the last axis is time, and look at the data if they are "
            f"to be matrices."
        )
    diagonal = np.diagonal(X, axis1=-2, axis2=-1)
    is_unit = np.allclose(diagonal, 1.0, rtol=0.0, atol=tolerance)
    return "correlation" if is_unit else "covariance"


def require_shape(X: Any, kind: str | None, shape: tuple[int, ...]) -> None:
    """Raise unless samples have the shape of those that a network was trained on.

    Parameters
    ----------
    X : array-like, shape=[N, ...]
        Samples.
    kind : {"correlation", "covariance", "signal"}
        What they are.
    shape : tuple of int
        Shape of a sample of the training; signals may be shorter or longer.
    """
    given = tuple(np.shape(X))
    wanted = shape[:-1] if kind == "signal" else shape
    if len(given) != len(shape) + 1 or given[1 : 1 + len(wanted)] != wanted:
        length = ("time",) if kind == "signal" else ()
        axes = ", ".join(str(axis) for axis in (*wanted, *length))
        raise ShapeError(
            f"expected shape [N, {axes}], that of the training samples, got {given}. "
            f"Reshape your data; X[None] for a single sample."
        )


def require_usable(X: np.ndarray, kind: str | None, shrinkage: float) -> None:
    """Raise unless samples give full-rank correlation matrices.

    Parameters
    ----------
    X : numpy.ndarray
        Samples.
    kind : {"correlation", "covariance", "signal"}
        What they are.
    shrinkage : float
        Amount of shrinkage.
    """
    if kind == "signal" and X.shape[-1] < 2:
        raise ShapeError(
            f"X has shape {X.shape}: a signal needs at least two time steps, on the "
            f"last axis."
        )
    require_numbers(shrinkage=shrinkage)
    shrink = Shrinkage(shrinkage)
    bad, count = [], 0
    for start, piece in pieces(X):
        matrices = torch.as_tensor(piece)
        if kind == "signal":
            matrices = CovariancePooling()(matrices)
        matrices = shrink(matrices)
        if kind != "correlation":
            matrices = kernels.cor(matrices)
        batch = tuple(matrices.shape[:-2])
        for matrix in find_bad(matrices.flatten(0, -3)):
            sample, *channel = np.unravel_index(matrix.index, batch)
            place = ", ".join(str(int(i)) for i in (start + sample, *channel))
            bad.append(matrix._replace(index=place))
        count += int(np.prod(batch))
    if bad:
        raise BadMatricesError(_complaint(bad, count, kind, shrinkage), tuple(bad))


def _complaint(bad, count, kind, shrinkage):
    # Samples are finite: what is not is the correlation of what does not vary.
    nan, still = "a NaN or an infinity", "a variable whose variance is not positive"
    listed = (f"X[{m.index}] {m.reason.replace(nan, still)}" for m in bad)
    what = "correlation" if kind == "correlation" else "covariance"
    larger = f"a shrinkage above {shrinkage:g}" if shrinkage else "shrinkage=1e-3"
    hints = [f"Use {larger}, say, for matrices that are close to singular."]
    if kind == "correlation":
        hints.append("Use kind='covariance' for those without a unit diagonal.")
    if kind == "signal":
        hints.append("Signals with fewer time steps than channels have singular ones.")
    return (
        f"{len(bad)} of {count} {what} matrices cannot be used: "
        f"{_listed(listed, '; ')}. {' '.join(hints)}"
    )


def pieces(X: Any) -> Iterator[tuple[int, Any]]:
    """Yield slices of samples that are not too large.

    Parameters
    ----------
    X : array, shape=[N, ...]
        Samples.

    Yields
    ------
    start : int
        Index of the first sample of the piece.
    piece : array
        Piece.
    """
    size = max(1, _PIECE // max(1, int(np.prod(X.shape[1:]))))
    for start in range(0, len(X), size):
        yield start, X[start : start + size]


def _listed(names, separator=", "):
    names = list(names)
    more = f" and {len(names) - _LISTED} more" if len(names) > _LISTED else ""
    return separator.join(names[:_LISTED]) + more


class Samples(torch.utils.data.Dataset):
    """Samples with targets and weights.

    Parameters
    ----------
    inputs : tensor, shape=[N, ...]
        Inputs of a network, or its features.
    targets : tensor, shape=[N] or [N, outputs]
        Classes, or numbers.
    weights : tensor, shape=[N]
        Weight of each sample in the loss.
    """

    def __init__(self, inputs: Tensor, targets: Tensor, weights: Tensor) -> None:
        self.inputs, self.targets, self.weights = inputs, targets, weights

    # skorch's names.
    X = property(lambda self: self.inputs)
    y = property(lambda self: self.targets)

    def __len__(self):
        return len(self.inputs)

    def __getitem__(self, index):
        return self.inputs[index], self.targets[index]

    def part(self, index: Any) -> "Samples":
        """Return some of the samples."""
        return Samples(self.inputs[index], self.targets[index], self.weights[index])


def prepare(
    function: Callable, X: np.ndarray, dtype: torch.dtype, device: str
) -> Tensor:
    """Return a function of many samples, without gradients.

    It is computed in the precision of the data or of the network, whichever is higher.

    Parameters
    ----------
    function : callable
        Function of a tensor of samples.
    X : numpy.ndarray, shape=[N, ...]
        Samples.
    dtype : torch.dtype
        Dtype of the network.
    device : str
        Device of the network.

    Returns
    -------
    prepared : tensor, shape=[N, ...]
        Values of the function.
    """
    prepared = []
    for start, piece in pieces(X):
        try:
            with torch.no_grad():
                points = torch.as_tensor(piece, device=device)
                points = points.to(torch.promote_types(points.dtype, dtype))
                values = function(points)
        except GeomstatsCorError as error:
            error.add_note(f"This is about X[{start}:{start + len(piece)}].")
            raise
        prepared.append(values)
    return torch.cat(prepared)


def split_validation(
    labels: np.ndarray,
    validation: float | None,
    seed: int,
    groups: np.ndarray | None = None,
) -> tuple[np.ndarray, np.ndarray | None]:
    """Return the places of samples to learn from, and of those to validate on.

    Parameters
    ----------
    labels : numpy.ndarray of int, shape=[N]
        Classes; all the same for a regression.
    validation : float or None
        Part of the samples to validate on, each class in proportion; none if None.
    seed : int
        Seed of the draw.
    groups : numpy.ndarray, shape=[N]
        Groups that are held out as a whole, so that the part and the proportions are
        met as closely as they allow; none if None.

    Returns
    -------
    training, held_out : numpy.ndarray of int
        Places in order; without validation, all and None.
    """
    if validation is None:
        return np.arange(len(labels)), None
    require_numbers(validation=validation)
    if not 0.0 < validation < 1.0:
        raise ParameterError(
            f"validation is {validation!r}: the part of the samples to validate on is "
            f"between 0 and 1, or None."
        )
    if groups is not None:
        return _split_groups(labels, validation, seed, groups)
    try:
        training, held_out = train_test_split(
            np.arange(len(labels)),
            test_size=validation,
            stratify=labels,
            random_state=seed,
        )
    except ValueError as error:
        raise ParameterError(
            f"validation = {validation} of {len(labels)} samples cannot have its share "
            f"of every class: {str(error).rstrip('.')}. Use another part, or more "
            f"samples."
        ) from error
    return np.sort(training), np.sort(held_out)


def _split_groups(labels, validation, seed, groups):
    count = len(np.unique(groups))
    if count < 2:
        raise ParameterError(
            "all samples are in one group: validation holds out whole groups, and "
            "needs two at least."
        )
    folds = min(max(2, round(1.0 / validation)), count)
    splitter = StratifiedGroupKFold(folds, shuffle=True, random_state=seed)
    try:
        with warnings.catch_warnings():
            # A class that is not in every fold is looked at below.
            warnings.simplefilter("ignore", UserWarning)
            training, held_out = next(splitter.split(labels, labels, groups))
    except ValueError as error:
        raise ParameterError(
            f"validation = {validation} of {count} groups cannot be held out: {error}"
        ) from error
    if len(np.setdiff1d(labels, labels[training])):
        raise ParameterError(
            f"with validation = {validation} all samples of a class are in groups that "
            f"are held out: use another random_state, or no groups."
        )
    return training, held_out


def find_class_weights(
    class_weight: Any, classes: np.ndarray, labels: np.ndarray
) -> Tensor:
    """Return the weight of each class in the loss.

    Parameters
    ----------
    class_weight : {"balanced"} or dict or None
        Weights by class; those that are missing are 1. With "balanced", the weight of
        a class is inversely proportional to the number of its samples.
    classes : numpy.ndarray, shape=[k]
        Classes.
    labels : numpy.ndarray of int, shape=[N]
        Classes of the samples to learn from, as places in `classes`.

    Returns
    -------
    weights : tensor, shape=[k]
        Weights, positive.
    """
    if isinstance(class_weight, dict):
        unknown = set(class_weight) - set(classes.tolist())
        if unknown:
            raise ParameterError(
                f"class_weight has weights of classes that are not in y: "
                f"{', '.join(map(repr, sorted(unknown, key=str)))}. The classes are "
                f"{', '.join(map(repr, classes.tolist()))}."
            )
        weights = [float(class_weight.get(name, 1.0)) for name in classes.tolist()]
        if not all(0.0 < weight < float("inf") for weight in weights):
            raise ParameterError(f"class_weight must be positive, not {class_weight}.")
        return torch.tensor(weights, dtype=torch.float64)
    if class_weight not in (None, "balanced"):
        raise ParameterError(
            f"class_weight is {class_weight!r}: pass 'balanced', a dictionary of "
            f"weights by class, or None."
        )
    places = np.arange(len(classes))
    weights = compute_class_weight(class_weight, classes=places, y=labels)
    return torch.as_tensor(weights, dtype=torch.float64)


def is_fixed(front_end: nn.Module | None, sample: Tensor) -> bool:
    """Tell whether a front end gives the same at every step of training.

    Parameters
    ----------
    front_end : torch.nn.Module or None
        Front end.
    sample : tensor
        Input to try it on.

    Returns
    -------
    is_fixed : bool
        Whether it has no parameters and no buffers, and draws no random numbers.
    """
    if front_end is None:
        return True
    if [*front_end.parameters(), *front_end.buffers()]:
        return False
    with torch.no_grad(), torch.random.fork_rng(devices=[]):
        before = torch.get_rng_state()
        front_end.train()(sample)
        return torch.equal(before, torch.get_rng_state())
