"""Labels and splits, as they are found in files and folders."""

import numpy as np

from geomstats_cor.exceptions import DataError, ParameterError


def indexed(values):
    """Return labels as indices of the classes that occur.

    Parameters
    ----------
    values : array, shape=[N]
        Numbers or names; names that are all whole numbers are sorted as numbers.

    Returns
    -------
    labels : array of int, shape=[N]
        Indices.
    classes : tuple of str
        Names of the classes, sorted.

    Examples
    --------
    >>> indexed(["10", "9", "10"])
    (array([1, 0, 1]), ('9', '10'))
    """
    values = np.asarray(values)
    if values.dtype.kind not in "biufUS":
        raise DataError(f"labels are not whole numbers or names, but {values.dtype}")
    if values.dtype.kind == "f" and not (values == np.round(values)).all():
        raise DataError("labels are not whole numbers or names")
    if values.dtype.kind == "f":
        values = values.astype(np.int64)
    if values.dtype.kind in "US" and all(value.isdigit() for value in values.tolist()):
        values = values.astype(np.int64)
    classes, labels = np.unique(values, return_inverse=True)
    return labels.reshape(values.shape), tuple(str(name) for name in classes.tolist())


def half_of_each_class(labels, seed=0):
    """Choose half of the items of each class for testing.

    Parameters
    ----------
    labels : array of int, shape=[N]
        Labels.
    seed : int
        Seed.

    Returns
    -------
    test : array of bool, shape=[N]
        Whether an item is for testing; of an odd number, training has one more.

    Examples
    --------
    >>> half_of_each_class([0, 0, 0, 1, 1]).sum()
    np.int64(2)
    """
    labels = np.asarray(labels)
    rng = np.random.default_rng(seed)
    test = np.zeros(len(labels), dtype=bool)
    for label in np.unique(labels):
        items = rng.permutation(np.flatnonzero(labels == label))
        test[items[: len(items) // 2]] = True
    return test


def is_for_test(split, name):
    """Return whether each item is for testing.

    Parameters
    ----------
    split : array, shape=[N]
        Booleans, 0 and 1, or "train" and "test".
    name : str
        Name of the data set, for the error.

    Returns
    -------
    test : array of bool, shape=[N]
        Whether it is.
    """
    split = np.asarray(split)
    known = {"train": False, "test": True, "0": False, "1": True}
    known |= {"False": False, "True": True, "0.0": False, "1.0": True}
    unknown = sorted({str(value) for value in split.ravel()} - set(known))
    if unknown:
        raise ParameterError(
            f"{name}: split is 0 or 'train', 1 or 'test', not {', '.join(unknown)}"
        )
    return np.array([known[str(value)] for value in split.ravel()], dtype=bool)
