"""Data sets: inputs, labels and parts, and the items that cannot be used."""

import dataclasses
from typing import Any

import numpy as np

from geomstats_cor.exceptions import DataError, ParameterError, ShapeError
from geomstats_cor.validation import require_choice

KINDS = ("correlation", "covariance", "signal", "subspace")


@dataclasses.dataclass(frozen=True, eq=False)
class LeftOut:
    """Items that are part of a data set and cannot be used.

    Parameters
    ----------
    labels : array of int, shape=[M]
        Index of the class of each item.
    test : array of bool, shape=[M], or None
        Whether each item is for testing, if the data comes with a split.
    groups : array, shape=[M], or None
        Groups.

    Examples
    --------
    >>> import numpy as np
    >>> from cornet_nn.datasets import LeftOut
    >>> left_out = LeftOut.among([0, 2], np.array([5, 6, 7, 8]))
    >>> left_out.labels
    array([6, 8])
    """

    labels: np.ndarray
    test: np.ndarray | None = None
    groups: np.ndarray | None = None

    @classmethod
    def among(cls, kept, labels, test=None, groups=None):
        """Return those of all items that were not kept.

        Parameters
        ----------
        kept : array of int
            Indices of the items that can be used.
        labels, test, groups : array
            Labels, parts and groups of all items.

        Returns
        -------
        left_out : LeftOut
            The others.
        """
        rest = [
            None if v is None else np.delete(v, kept, axis=0) for v in (test, groups)
        ]
        return cls(np.delete(labels, kept), *rest)

    def __len__(self):
        return len(self.labels)

    @property
    def for_test(self):
        """Whether each item is for testing; none is if there is no split."""
        return np.zeros(len(self), dtype=bool) if self.test is None else self.test

    def part(self, test):
        """Return the items that are for testing, or those for training.

        Parameters
        ----------
        test : bool
            Which.

        Returns
        -------
        part : LeftOut
            Items.
        """
        others = np.flatnonzero(self.for_test != test)
        return LeftOut.among(others, self.labels, self.test, self.groups)


_NONE = LeftOut(np.empty(0, dtype=np.int64))
# What has an entry for each item, and of which type.
_ARRAYS = {"inputs": None, "labels": np.int64, "test": bool, "groups": None}


@dataclasses.dataclass(frozen=True, eq=False, repr=False)
class Dataset:
    """A labelled stack of matrices or signals.

    Parameters
    ----------
    name : str
        Name of the data set, or path of the file.
    inputs : array, shape=[N, n, n], [N, c, n, n] or [N, channels, time]
        Matrices, signals if the kind is "signal", or orthonormal bases [N, c, n, p] if
        it is "subspace".
    labels : array of int, shape=[N]
        Index of the class of each item; all are -1 if the data has no labels.
    classes : tuple of str
        Names of the classes.
    kind : str
        "correlation", "covariance", "signal" or "subspace".
    test : array of bool, shape=[N], or None
        Whether each item belongs to the test part of the split that comes with the
        data, if there is one.
    groups : array, shape=[N], or None
        What items of a group have in common, such as the subject: a split should not
        separate them.
    synthetic : bool
        Whether the data is simulated.
    problems : tuple of str
        What was wrong with each item that was left out.
    left_out : LeftOut
        Labels and parts of the items that were left out, where they are known. Those
        for testing count as errors in an accuracy.

    Examples
    --------
    >>> import numpy as np
    >>> from cornet_nn.datasets import Dataset
    >>> data = Dataset(
    ...     "two", np.stack([np.eye(3)] * 4), [0, 1, 0, 1], ("a", "b"), "correlation",
    ...     test=[False, False, True, True],
    ... )
    >>> data
    Dataset two: 4 correlation [3, 3], 2 classes, 2 for test
    >>> data.test_part().labels
    array([0, 1])
    """

    name: str
    inputs: np.ndarray
    labels: np.ndarray
    classes: tuple
    kind: str
    test: np.ndarray | None = None
    groups: np.ndarray | None = None
    synthetic: bool = False
    problems: tuple = ()
    left_out: LeftOut = _NONE

    def __post_init__(self):
        require_choice("kind", self.kind, KINDS)
        for field, dtype in _ARRAYS.items():
            values = getattr(self, field)
            if values is None:
                continue
            values = np.asarray(values, dtype=dtype)
            object.__setattr__(self, field, values)
            if field != "inputs" and values.shape != (len(self),):
                raise ShapeError(
                    f"{self.name}: {field} has shape {values.shape}, and there are "
                    f"{len(self)} inputs"
                )
        object.__setattr__(self, "classes", tuple(map(str, self.classes)))
        object.__setattr__(self, "problems", tuple(self.problems))
        if self.is_labelled:
            least, most = self.labels.min(), self.labels.max()
            if least < 0 or most >= len(self.classes):
                raise ParameterError(
                    f"{self.name}: labels are indices of the {len(self.classes)} "
                    f"classes, and run from {least} to {most}"
                )

    def __len__(self):
        return len(self.inputs)

    def __repr__(self):
        shape = "[" + ", ".join(map(str, self.inputs.shape[1:])) + "]"
        parts = [f"{len(self)} {self.kind} {shape}"]
        parts += [f"{len(self.classes)} classes"] if self.classes else ["no labels"]
        if self.test is not None:
            parts.append(f"{self.test.sum()} for test")
        if self.problems:
            parts.append(f"{len(self.problems)} left out")
        title = "Dataset (synthetic)" if self.synthetic else "Dataset"
        return f"{title} {self.name}: {', '.join(parts)}"

    @property
    def is_labelled(self):
        """Whether there are items and they have labels."""
        return bool(len(self.labels)) and not bool(np.all(self.labels == -1))

    def subset(self, index):
        """Return some of the items.

        Parameters
        ----------
        index : array of int or bool, or slice
            Which.

        Returns
        -------
        subset : Dataset
            Data set with the same classes, and no items left out.
        """
        every = {field: getattr(self, field) for field in _ARRAYS}
        parts: dict[str, Any] = {k: v[index] for k, v in every.items() if v is not None}
        return dataclasses.replace(self, **parts, left_out=_NONE)

    def train_part(self):
        """Return the items for training, by the split that comes with the data.

        Returns
        -------
        part : Dataset
            Items that are not for testing.
        """
        return self._part(test=False)

    def test_part(self):
        """Return the items for testing, by the split that comes with the data.

        Returns
        -------
        part : Dataset
            Items for testing.
        """
        return self._part(test=True)

    def _part(self, test):
        if self.test is None:
            raise ParameterError(
                f"{self.name} comes without a split: choose one, such as "
                f"sklearn.model_selection.StratifiedKFold, and use subset."
            )
        part = self.subset(self.test == test)
        return dataclasses.replace(part, left_out=self.left_out.part(test))


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
    kind = values.dtype.kind
    is_whole = kind == "f" and (values == np.round(values)).all()
    if kind not in "biuUS" and not is_whole:
        raise DataError(f"labels are not whole numbers or names, but {values.dtype}")
    if is_whole or (kind in "US" and all(value.isdigit() for value in values.tolist())):
        values = values.astype(np.int64)
    classes, labels = np.unique(values, return_inverse=True)
    return labels.reshape(values.shape), tuple(str(name) for name in classes.tolist())


def half_of_each_class(labels, seed=0):
    """Choose half of the items of each class for testing.

    Parameters
    ----------
    labels : array, shape=[N]
        Labels, as numbers or names.
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
    labels, classes = indexed(labels)
    rng = np.random.default_rng(seed)
    test = np.zeros(len(labels), dtype=bool)
    for label in range(len(classes)):
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
    words = np.asarray(split).ravel().astype(str)
    test = np.isin(words, ("test", "1", "1.0", "True"))
    unknown = np.setdiff1d(words[~test], ("train", "0", "0.0", "False"))
    if len(unknown):
        raise ParameterError(
            f"{name}: split is 0 or 'train', 1 or 'test', not {', '.join(unknown)}"
        )
    return test
