"""Correlation matrices with the names of their variables, subjects, and covariates."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd

from .._types import ArrayLike
from ..exceptions import ArrayTypeError, ParameterError, ShapeError
from ..validation import plain
from . import labels, naming


class CorrelationStack:
    """A stack of correlation matrices with its labels.

    A light container: an array, and what is known about its rows and columns. It is
    read wherever a stack is, by functions and by estimators, and its labels come out
    with the answer: a mean is a data frame with the names of the variables. The rows of
    `frames` and `covariates` follow every selection, so that a covariate never meets
    the wrong matrix. It does not validate that the matrices are positive definite;
    `clean_points` does.

    Parameters
    ----------
    values : array-like, shape=[N, n, n] or [N, n (n - 1) / 2]
        Matrices, or their strict lower entries; or data frames, or another stack, with
        names of their own.
    variables : sequence of str, length n
        Names of the variables; those of the data frames, or numbers, if None.
    index : sequence, length N, or pandas.Index
        Names of the matrices, such as subjects or dates; numbers if None.
    frames : int or array-like, shape=[N]
        Number of frames that each matrix was estimated from, if known.
    covariates : pandas.DataFrame, N rows
        What else is known of each matrix, such as age and site. It is aligned with
        `index` by its own index if both have the same labels, else by position.
    note : str
        How the matrices were made.

    Attributes
    ----------
    values : numpy.ndarray, shape=[N, n, n]
        Matrices.
    variables, index : pandas.Index
        Names.
    frames : numpy.ndarray, shape=[N], or None
        Numbers of frames.
    covariates : pandas.DataFrame or None
        Covariates, indexed by `index`.

    Examples
    --------
    >>> import numpy as np
    >>> from geomstats_cor import CorrelationStack, frechet_mean
    >>> values = [[[1, 0.5], [0.5, 1]], [[1, 0.1], [0.1, 1]], [[1, 0.3], [0.3, 1]]]
    >>> stack = CorrelationStack(values, ["Cz", "Pz"], ["ann", "bob", "eve"])
    >>> stack
    <CorrelationStack of 3 matrices, 2 variables: Cz, Pz>
    >>> stack["bob"]
         Cz   Pz
    Cz  1.0  0.1
    Pz  0.1  1.0
    >>> list(stack[[0, 2]].index)
    ['ann', 'eve']
    >>> frechet_mean(stack, "ecm").loc["Cz", "Pz"].round(4).item()
    0.314
    """

    def __init__(
        self,
        values: ArrayLike,
        variables: ArrayLike = None,
        index: Any = None,
        frames: Any = None,
        covariates: Any = None,
        note: str = "",
    ) -> None:
        named = naming.names_of(values)
        if labels.is_stack(values):
            index = values.index if index is None else index
            frames = values.frames if frames is None else frames
            covariates = values.covariates if covariates is None else covariates
            note = note or values.note
        if named is not None and index is None:
            index = naming.index_of(values)
        self.values = naming.as_plain_stack(values, "values")
        count, n = self.values.shape[:2]
        if variables is None:
            variables = range(n) if named is None else named
        self.variables = _names("variables", variables, n, "variable")
        self.index = _names("index", range(count) if index is None else index, count)
        subjects = None if labels.is_range(self.index) else self.index
        frames = labels.in_order_of("frames", frames, subjects)
        self.frames = None if frames is None else _frames(frames, count)
        self.covariates = None
        if covariates is not None:
            self.covariates = _covariates(covariates, self.index)
        self.note = str(note)

    def __repr__(self):
        names = ", ".join(map(str, self.variables[:5]))
        more = ", ..." if len(self.variables) > 5 else ""
        frames = ""
        if self.frames is not None and len(self):
            low, high = self.frames.min(), self.frames.max()
            spread = f"{low:g}" if low == high else f"{low:g} to {high:g}"
            frames = f"; {spread} frames"
        return (
            f"<CorrelationStack of {len(self)} matrices, {len(self.variables)} "
            f"variables: {names}{more}{frames}>"
        )

    def __len__(self):
        return len(self.values)

    def __array__(self, dtype=None, copy=None):
        return np.array(self.values, dtype=dtype, copy=copy)

    def __iter__(self):
        return (self._frame(i) for i in range(len(self)))

    @property
    def shape(self) -> Any:
        """Shape of the values, [N, n, n]."""
        return self.values.shape

    @property
    def ndim(self) -> Any:
        """Number of axes of the values, 3."""
        return 3

    @property
    def dtype(self) -> Any:
        """Type of the values."""
        return self.values.dtype

    def __getitem__(self, key):
        """Select by position (integers, slices, marks), or one matrix by its name.

        One matrix is a data frame; several are a stack.
        """
        if isinstance(key, tuple) and len(key) == 2 and key[1] is Ellipsis:
            key = key[0]  # as scikit-learn indexes arrays
        if isinstance(key, tuple) and not isinstance(self.index, pd.MultiIndex):
            raise ArrayTypeError(
                "a stack is indexed by matrices alone, got several indices: use "
                "stack.values[...] for entries, stack.select(variables=...) for "
                "variables."
            )
        if isinstance(key, int | np.integer) and not isinstance(key, bool):
            return self._frame(range(len(self))[key])
        if isinstance(key, str | tuple):
            return self._frame(self._position(key))
        rows = np.arange(len(self))
        try:
            rows = rows[key if isinstance(key, slice) else np.asarray(key)]
        except IndexError as error:
            raise ShapeError(
                f"cannot select from {len(self)} matrices: {error}. Names are selected "
                f"by stack.select(index=...)."
            ) from None
        return self._take(rows)

    def select(self, index: ArrayLike = None, variables: ArrayLike = None) -> Any:
        """Select matrices and variables by their names, in the order that is given.

        Parameters
        ----------
        index : sequence
            Names of matrices; all if None.
        variables : sequence
            Names of variables, two at least; all if None.

        Returns
        -------
        stack : CorrelationStack
            The selection.
        """
        stack = self
        if index is not None:
            rows = [self._position(name) for name in index]
            stack = stack._take(np.asarray(rows, dtype=int))
        if variables is None:
            return stack
        variables = list(variables)
        missing = [v for v in variables if v not in self.variables]
        if missing:
            raise ParameterError(
                f"variables: expected some of {labels.few(self.variables)}, got "
                f"{missing[0]!r}."
            )
        if len(variables) < 2:
            raise ShapeError(f"variables: expected two at least, got {len(variables)}.")
        places = self.variables.get_indexer(variables)
        return stack._with(
            values=stack.values[:, places[:, None], places], variables=variables
        )

    def _position(self, name):
        rows = np.flatnonzero(self.index == name)
        if len(rows) != 1:
            found = "is not there" if not len(rows) else f"names {len(rows)} matrices"
            raise ParameterError(
                f"index: {name!r} {found}: expected a name out of "
                f"{labels.few(self.index)} that one matrix has."
            )
        return int(rows[0])

    def _frame(self, row):
        return pd.DataFrame(self.values[row], self.variables, self.variables)

    def _take(self, rows):
        return self._with(
            values=self.values[rows],
            index=self.index[rows],
            frames=None if self.frames is None else self.frames[rows],
            covariates=None if self.covariates is None else self.covariates.iloc[rows],
        )

    def _with(self, **changes):
        parts = ("values", "variables", "index", "frames", "covariates", "note")
        return CorrelationStack(**{p: getattr(self, p) for p in parts} | changes)

    def groups(self, column: str) -> Iterator:
        """Yield the stacks of the matrices that share the value of a covariate.

        Parameters
        ----------
        column : str
            Name of a covariate.

        Yields
        ------
        value : object
            A value, in sorted order.
        stack : CorrelationStack
            The matrices with this value. Matrices without a value are in no group.
        """
        if self.covariates is None or column not in self.covariates:
            known = [] if self.covariates is None else self.covariates.columns
            raise ParameterError(
                f"column: expected one of the covariates {labels.few(known)}, got "
                f"{column!r}."
            )
        values = self.covariates[column]
        for value in np.sort(values.dropna().unique()):
            yield value, self[(values == value).to_numpy()]

    def condensed(self) -> Any:
        """Return the strict lower entries, with a column for each pair of variables.

        Returns
        -------
        entries : pandas.DataFrame, shape=[N, n (n - 1) / 2]
            Correlations; the columns are named as "Cz~Pz", in the order of `as_stack`.
        """
        rows, columns = np.tril_indices(len(self.variables), -1)
        return pd.DataFrame(
            self.values[:, rows, columns],
            index=self.index,
            columns=naming.pair_names(self.variables),
        )

    def to_frame(self) -> Any:
        """Return the matrices one below the other, as `df.rolling(60).corr()` does.

        Returns
        -------
        table : pandas.DataFrame, shape=[N n, n]
            Matrices; the last level of the index names the variables.
        """
        names = [*self.index.names, None]
        rows = [
            (*(name if isinstance(name, tuple) else (name,)), variable)
            for name in self.index
            for variable in self.variables
        ]
        return pd.DataFrame(
            self.values.reshape(-1, len(self.variables)),
            index=pd.MultiIndex.from_tuples(rows, names=names),
            columns=self.variables,
        )

    def save(self, path: Any) -> None:
        """Write the matrices and their labels into a file.

        Parameters
        ----------
        path : str or pathlib.Path
            File, ".npz" or ".parquet". The second needs pyarrow,
            ``pip install 'geomstats-cor[tables]'``, and is read by any tool for tables.
        """
        from .storage import save_stack

        save_stack(self, path)

    @classmethod
    def load(cls, path: Any) -> Any:
        """Read what `save` has written.

        Parameters
        ----------
        path : str or pathlib.Path
            File, ".npz" or ".parquet".

        Returns
        -------
        stack : CorrelationStack
            Matrices and labels.
        """
        from .storage import load_stack

        return load_stack(path)


def concatenate(stacks: ArrayLike) -> Any:
    """Join stacks of the same variables, in the order of the first one.

    Parameters
    ----------
    stacks : sequence of CorrelationStack
        Stacks. Different sets of variables raise. Numbers of frames and covariates are
        kept if all stacks have them, and covariates the same columns.

    Returns
    -------
    stack : CorrelationStack
        All matrices.

    Examples
    --------
    >>> from geomstats_cor import CorrelationStack, concatenate
    >>> a = CorrelationStack([[[1, 0.5], [0.5, 1]]], ["x", "y"], ["ann"])
    >>> b = CorrelationStack([[[1, 0.1], [0.1, 1]]], ["y", "x"], ["bob"])
    >>> list(concatenate([a, b]).index)
    ['ann', 'bob']
    """
    stacks = list(stacks)
    if not stacks or not all(isinstance(s, CorrelationStack) for s in stacks):
        raise ArrayTypeError(
            "stacks: expected a list of CorrelationStack, got "
            f"{labels.few([type(s).__name__ for s in stacks])}."
        )
    order = list(stacks[0].variables)
    values = [
        labels.without_names(f"stacks[{i}]", stack, order)[0]
        for i, stack in enumerate(stacks)
    ]
    for name in ("frames", "covariates"):
        known = [getattr(stack, name) is not None for stack in stacks]
        if any(known) and not all(known):
            lacking = known.index(False)
            raise ParameterError(
                f"stacks[{lacking}] has no {name}, but others have: give all of them "
                f"{name}, or none."
            )
    index = stacks[0].index
    for stack in stacks[1:]:
        index = index.append(stack.index)
    frames = covariates = None
    if stacks[0].frames is not None:
        frames = np.concatenate([stack.frames for stack in stacks])
    if stacks[0].covariates is not None:
        columns = stacks[0].covariates.columns
        for i, stack in enumerate(stacks):
            if set(stack.covariates.columns) != set(columns):
                raise ParameterError(
                    f"stacks[{i}] has the covariates "
                    f"{labels.few(stack.covariates.columns)}, expected "
                    f"{labels.few(columns)}."
                )
        covariates = pd.concat([stack.covariates for stack in stacks])[columns]
    notes = "; ".join(dict.fromkeys(stack.note for stack in stacks if stack.note))
    return CorrelationStack(
        np.concatenate(values), order, index, frames, covariates, notes
    )


def _names(argument, names, number, one="matrix"):
    """Return names as an index, or raise if their number is wrong."""
    if isinstance(names, str) or not hasattr(names, "__iter__"):
        raise ArrayTypeError(
            f"{argument}: expected a sequence of {number} names, got {names!r}."
        )
    if not isinstance(names, pd.Index):
        names = list(names)
        names = pd.Index(names) if names else pd.Index(names, dtype=object)
    if len(names) != number:
        raise ShapeError(
            f"{argument}: expected {number} names, one for each {one}, got "
            f"{len(names)}."
        )
    if one == "variable" and not names.is_unique:
        twice = names[names.duplicated()][0]
        raise ParameterError(
            f"{argument}: expected different names, got {twice!r} twice."
        )
    return names


def _frames(frames, count):
    frames = plain("frames", frames)
    try:
        frames = np.broadcast_to(np.asarray(frames, dtype=float), (count,)).copy()
    except (TypeError, ValueError):
        raise ShapeError(
            f"frames: expected a number, or {count} of them, one for each matrix, got "
            f"{frames!r}."
        ) from None
    bad = np.flatnonzero(~(np.isfinite(frames) & (frames > 0.0)))
    if len(bad):
        raise ParameterError(
            f"frames[{bad[0]}]: expected a positive number, got {frames[bad[0]]}."
        )
    return frames


def _covariates(covariates, index):
    if not labels.is_table(covariates):
        covariates = pd.DataFrame(covariates)
    if len(covariates) != len(index):
        raise ShapeError(
            f"covariates: expected {len(index)} rows, one for each matrix, got "
            f"{len(covariates)}."
        )
    own = covariates.index
    if own.equals(index):
        return covariates
    if not own.equals(pd.RangeIndex(len(own))):
        order = labels.order_of("covariates", own, index)
        covariates = covariates if order is None else covariates.iloc[order]
    return covariates.set_axis(index, axis=0)
