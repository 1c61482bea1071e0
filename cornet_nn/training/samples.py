"""Samples as the loop takes them."""

import warnings

import numpy as np
import torch
from sklearn.model_selection import StratifiedGroupKFold, train_test_split
from sklearn.utils.class_weight import compute_class_weight

from geomstats_cor.exceptions import GeomstatsCorError, ParameterError

from .._validation import require_numbers
from .inputs import pieces


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

    def __init__(self, inputs, targets, weights):
        self.inputs, self.targets, self.weights = inputs, targets, weights

    # skorch's names.
    X = property(lambda self: self.inputs)
    y = property(lambda self: self.targets)

    def __len__(self):
        return len(self.inputs)

    def __getitem__(self, index):
        return self.inputs[index], self.targets[index]

    def part(self, index):
        """Return some of the samples."""
        return Samples(self.inputs[index], self.targets[index], self.weights[index])


def prepare(function, X, dtype, device):
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


def split_validation(labels, validation, seed, groups=None):
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


def find_class_weights(class_weight, classes, labels):
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
