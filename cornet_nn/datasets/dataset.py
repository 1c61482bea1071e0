"""What a loader returns."""

import dataclasses

import numpy as np

from geomstats_cor.exceptions import ParameterError, ShapeError

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
        others = np.setdiff1d(np.arange(len(labels)), kept)
        given = (None if v is None else np.asarray(v) for v in (labels, test, groups))
        return cls(*(None if v is None else v[others] for v in given))

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
        if self.kind not in KINDS:
            raise ParameterError(f"kind is one of {KINDS}, not {self.kind!r}")
        self._keep("inputs", np.asarray(self.inputs))
        self._keep("labels", np.asarray(self.labels, dtype=np.int64))
        self._keep("classes", tuple(str(name) for name in self.classes))
        self._keep("problems", tuple(self.problems))
        if self.test is not None:
            self._keep("test", np.asarray(self.test, dtype=bool))
        if self.groups is not None:
            self._keep("groups", np.asarray(self.groups))
        for field in ("labels", "test", "groups"):
            values = getattr(self, field)
            if values is not None and values.shape != (len(self.inputs),):
                raise ShapeError(
                    f"{self.name}: {field} has shape {values.shape}, and there are "
                    f"{len(self.inputs)} inputs"
                )
        if self.is_labelled and not (
            self.labels.min() >= 0 and self.labels.max() < len(self.classes)
        ):
            raise ParameterError(
                f"{self.name}: labels are indices of the {len(self.classes)} classes, "
                f"and run from {self.labels.min()} to {self.labels.max()}"
            )

    def _keep(self, field, value):
        object.__setattr__(self, field, value)

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
        parts = {
            field: None if values is None else values[index]
            for field, values in (
                ("inputs", self.inputs),
                ("labels", self.labels),
                ("test", self.test),
                ("groups", self.groups),
            )
        }
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
