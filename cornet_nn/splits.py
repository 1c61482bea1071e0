"""Which samples are trained on and which are tested on."""

import warnings
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from geomstats_cor.exceptions import ParameterError

if TYPE_CHECKING:
    from .datasets import Dataset

# Indices to train on and to test on, for each part.
Parts = list[tuple[np.ndarray, np.ndarray]]


def names_of_classes(data: "Dataset") -> np.ndarray:
    """Return the class of each sample by its name.

    Parameters
    ----------
    data : Dataset
        Data set.

    Returns
    -------
    names : array of str, shape=[N]
        Names.
    """
    if not data.is_labelled:
        raise ParameterError(
            f"{data.name} has no labels: add an array y to an .npz file, or a file "
            f"NAME_labels.npy beside NAME.npy. Only cornet predict does without."
        )
    return np.asarray(data.classes, dtype=str)[data.labels]


def folds(labels: ArrayLike, groups: ArrayLike | None, number: int, seed: int) -> Parts:
    """Return the parts of a cross-validation.

    The classes are spread over the folds; all samples of a group are in one fold, if
    there are groups.

    Parameters
    ----------
    labels : array, shape=[N]
        Classes.
    groups : array, shape=[N]
        Groups, such as subjects; none if None.
    number : int
        Number of folds.
    seed : int
        Seed of the draw.

    Returns
    -------
    parts : list of tuple of array
        Indices to train on and to test on, for every fold.

    Examples
    --------
    >>> parts = folds([0, 0, 1, 1], None, 2, seed=0)
    >>> [len(test) for _, test in parts]
    [2, 2]
    """
    from sklearn.model_selection import StratifiedGroupKFold, StratifiedKFold

    labels = np.asarray(labels)
    units = len(labels) if groups is None else len(np.unique(groups))
    if not 2 <= number <= units:
        what = "samples" if groups is None else "groups"
        raise ParameterError(
            f"{number} folds were asked for, and {units} {what} allow 2 to {units}."
        )
    kind = StratifiedKFold if groups is None else StratifiedGroupKFold
    splitter = kind(number, shuffle=True, random_state=seed)
    try:
        with warnings.catch_warnings():
            # A class that is smaller than the number of folds is refused below.
            warnings.simplefilter("ignore", UserWarning)
            parts = list(splitter.split(np.zeros(len(labels)), labels, groups))
    except ValueError as error:
        raise ParameterError(f"{number} folds cannot be made: {error}") from None
    for train, test in parts:
        missing = np.setdiff1d(labels[test], labels[train])
        if len(missing):
            raise ParameterError(
                f"with {number} folds, all samples of class {str(missing[0])!r} are in "
                f"one of them, so that it cannot be learned: ask for more folds, or "
                f"leave the class out."
            )
    return parts


def official(data: "Dataset") -> Parts:
    """Return the official parts of a data set.

    Parameters
    ----------
    data : Dataset
        Data set.

    Returns
    -------
    parts : list of tuple of array
        Indices to train on and to test on, see `outer_parts`.
    """
    if data.test is None:
        raise ParameterError(
            f"{data.name} has no official split: use folds, or add an array `split` of "
            f"0 (train) and 1 (test) to the file."
        )
    test = np.asarray(data.test, dtype=bool)
    unusable = len(data) + np.arange(len(data.left_out.part(test=True)))
    return [(np.flatnonzero(~test), np.append(np.flatnonzero(test), unusable))]


def outer_parts(data: "Dataset", split: str, number: int, seed: int) -> Parts:
    """Return parts to train on and to test on.

    Items that cannot be used are drawn with the others. They are left out of training
    parts; in test parts their indices, from the length of the data set on, are kept, as
    they count as errors.

    Parameters
    ----------
    data : Dataset
        Data set.
    split : {"official", "folds"}
        Which parts.
    number : int
        Number of folds.
    seed : int
        Seed of the folds.

    Returns
    -------
    parts : list of tuple of array
        Indices to train on and to test on.
    """
    if split == "official":
        return official(data)
    names, groups, out = names_of_classes(data), data.groups, data.left_out
    others = np.asarray(data.classes, dtype=str)[out.labels]
    if out.groups is not None and groups is not None:
        groups = np.append(groups, out.groups)
    parts = folds(np.append(names, others), groups, number, seed)
    return [(train[train < len(data)], test) for train, test in parts]


def inner_parts(data: "Dataset", train: np.ndarray, number: int, seed: int) -> Parts:
    """Return the folds of a training part.

    Parameters
    ----------
    data : Dataset
        Data set.
    train : array of int
        Indices of the training part.
    number : int
        Number of folds.
    seed : int
        Seed of the folds.

    Returns
    -------
    parts : list of tuple of array
        Indices in the data set to train on and to validate on.
    """
    part = data.subset(train)
    parts = folds(names_of_classes(part), part.groups, number, seed)
    return [(train[fit], train[validate]) for fit, validate in parts]


def paper_parts(dataset: "Dataset", data: str, seeds: int) -> Parts:
    """Return training and test indices for every run, by the protocol of the paper.

    Data with an official split is split so in every run, and runs differ by the seed of
    the network. Of HDM05, half of each class is for training, drawn again for each run.
    Other data is cut into folds, five at least, and the first of them are taken.

    Parameters
    ----------
    dataset : cornet_nn.datasets.Dataset
        Data set.
    data : str
        Its name in the paper.
    seeds : int
        Number of runs.

    Returns
    -------
    splits : list of tuple of array
        Indices for training and for testing. Items that cannot be used are drawn with
        the others: they are left out of training parts, and test parts have them as
        indices from the length of the data set on.
    """
    from sklearn.model_selection import StratifiedKFold

    from .datasets.dataset import half_of_each_class

    labels = np.append(dataset.labels, dataset.left_out.labels)
    if data == "HDM05":
        tests = [half_of_each_class(labels, seed=seed) for seed in range(seeds)]
    elif dataset.test is not None:
        tests = [np.append(dataset.test, dataset.left_out.for_test)] * seeds
    else:
        folds = StratifiedKFold(max(5, seeds), shuffle=True, random_state=0)
        every = np.arange(len(labels))
        tests = [np.isin(every, test) for _, test in folds.split(labels, labels)]
    usable = np.arange(len(labels)) < len(dataset)
    return [
        (np.flatnonzero(~test & usable), np.flatnonzero(test)) for test in tests[:seeds]
    ]
