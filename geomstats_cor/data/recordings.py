"""Recordings of signals, read from arrays, lists, dictionaries and tables.

Whatever the form, a recording becomes an array [T, n], a row for each frame and a
column for each variable, with the names of the variables and a name of its own.
"""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd

from .._types import Array, ArrayLike
from ..exceptions import ArrayTypeError, NotFiniteError, ParameterError, ShapeError
from ..validation import plain, require_integer
from .labels import few, is_stack, is_table
from .naming import as_numpy

_FEWEST_FRAMES = 4


@dataclass(frozen=True)
class Recordings:
    """Signals with their names.

    Parameters
    ----------
    signals : list of numpy.ndarray, shape=[T_i, n]
        Signals in float64; missing values are NaN.
    variables : list
        Names of the variables.
    index : pandas.Index
        Names of the recordings.
    times : list
        Names of the frames of each recording.
    covariates : pandas.DataFrame or None
        What else is known of each recording.
    """

    signals: list
    variables: list
    index: Any
    times: list
    covariates: Any = None

    def label(self, i: int) -> str:
        """Return what messages call a recording.

        Parameters
        ----------
        i : int
            Its position.

        Returns
        -------
        label : str
            Its name.
        """
        return f"recording {_plain_name(self.index[i])!r}"


def read_recordings(
    X: ArrayLike,
    time_first: bool = False,
    key: Any = None,
    covariates: list | None = None,
    variables: list | None = None,
    name: str = "X",
) -> Any:
    """Return signals in any form as recordings.

    Parameters
    ----------
    X : array-like, shape=[N, n, T], or sequence or dict of recordings, or table
        Signals: an array; recordings of different lengths, as arrays [n, T_i] or as
        tables with a column for each variable; a dictionary of such recordings by
        name; or one table.
    time_first : bool
        Whether arrays are [T, n] rather than [n, T].
    key : str or list of str
        Columns, or levels of the index, of a long table that name the recording.
    covariates : list of str
        Columns of a long table that describe the recording.
    variables : list
        Names of the variables in the order to use; that of the data if None.
    name : str
        Name of the argument in messages.

    Returns
    -------
    recordings : Recordings
        Signals.
    """
    if is_stack(X):
        raise ArrayTypeError(
            f"{name} is a CorrelationStack: expected signals. Its matrices need no "
            f"estimation; geomstats_cor.clean_points repairs them."
        )
    if is_table(X):
        recordings = _of_table(X, key, covariates, name)
    elif key is not None or covariates is not None:
        raise ParameterError(
            f"key and covariates are columns of a long table, but {name} is a "
            f"{type(X).__name__}: expected a data frame."
        )
    elif isinstance(X, dict):
        recordings = _of_list(list(X.values()), time_first, name, list(X))
    elif isinstance(X, list | tuple):
        recordings = _of_list(X, time_first, name)
    else:
        recordings = _of_array(X, time_first, name)
    if variables is not None:
        recordings = _in_order(recordings, variables, name)
    for i, signal in enumerate(recordings.signals):
        _require_signal(signal, recordings.label(i), recordings.variables)
    return recordings


def windows(recordings: Any, window: int, step: int | None = None) -> Any:
    """Cut recordings into windows.

    Parameters
    ----------
    recordings : Recordings
        Signals.
    window : int
        Number of frames of a window.
    step : int
        Number of frames from one window to the next; that of a window if None, so that
        windows do not overlap.

    Returns
    -------
    recordings : Recordings
        Windows, named by their last frame, and by their recording if there are
        several. Frames after the last whole window are left out.
    """
    require_integer("window", window, _FEWEST_FRAMES)
    step = window if step is None else step
    require_integer("step", step, 1)
    signals, times, names, origin = [], [], [], []
    for i, signal in enumerate(recordings.signals):
        if len(signal) < window:
            raise ParameterError(
                f"window: expected at most the {len(signal)} frames of "
                f"{recordings.label(i)}, got {window}."
            )
        for start in range(0, len(signal) - window + 1, step):
            signals.append(signal[start : start + window])
            times.append(recordings.times[i][start : start + window])
            names.append(times[-1][-1])
            origin.append(i)
    last = pd.Index(names)
    if len(recordings.index) > 1:
        outer = recordings.index[origin]
        levels = [outer.get_level_values(k) for k in range(outer.nlevels)]
        last = pd.MultiIndex.from_arrays(
            [*levels, last], names=[*outer.names, "window"]
        )
    covariates = recordings.covariates
    if covariates is not None:
        covariates = covariates.iloc[origin].set_axis(last)
    return replace(
        recordings, signals=signals, times=times, index=last, covariates=covariates
    )


def require_variation(signal: Array, label: str, names: list) -> None:
    """Raise if a variable is constant in a recording, or missing throughout.

    Parameters
    ----------
    signal : numpy.ndarray, shape=[T, n]
        Signal; missing values are NaN.
    label : str
        Name of the recording in messages.
    names : list
        Names of the variables.
    """
    present = np.isfinite(signal)
    low = np.where(present, signal, np.inf).min(axis=0)
    high = np.where(present, signal, -np.inf).max(axis=0)
    if not np.all(high > low):
        place = int(np.argmin(high > low))
        raise ParameterError(
            f"{label} is constant in variable {names[place]!r}, or lacks it, which "
            f"gives no correlations: leave the recording or the variable out, or use "
            f"longer windows."
        )


def _of_array(X, time_first, name):
    X = _numbers(X, name)
    if X.ndim != 3:
        layout = "[N, time, variables]" if time_first else "[N, variables, time]"
        raise ShapeError(
            f"{name}: expected signals of shape {layout}, got {X.shape}. A single "
            f"recording is {name}[None]; recordings of different lengths are a list."
        )
    return _of_list(list(X), time_first, name)


def _of_list(items, time_first, name, index=None):
    index = pd.RangeIndex(len(items)) if index is None else pd.Index(index)
    if not len(items):
        raise ShapeError(f"{name} is empty: expected at least one recording.")
    tables = [is_table(item) for item in items]
    if any(tables) and not all(tables):
        other = tables.index(not tables[0])
        raise ArrayTypeError(
            f"{name} mixes tables and arrays: {name}[{index[0]!r}] is a "
            f"{type(items[0]).__name__}, {name}[{index[other]!r}] a "
            f"{type(items[other]).__name__}."
        )
    if all(tables):
        return _of_tables(items, index, name)
    signals = []
    for i, item in enumerate(items):
        signal = _numbers(item, f"{name}[{_plain_name(index[i])!r}]")
        if signal.ndim != 2:
            raise ShapeError(
                f"{name}[{_plain_name(index[i])!r}]: expected a recording of shape "
                f"{'[time, variables]' if time_first else '[variables, time]'}, got "
                f"{signal.shape}."
            )
        signals.append(signal if time_first else signal.T)
    n = signals[0].shape[1]
    for i, signal in enumerate(signals):
        if signal.shape[1] != n:
            turned = len({len(s) for s in signals}) == 1
            remedy = (
                f"The other axis has {len(signals[0])} in all of them: pass "
                f"time_first={not time_first} if that is the number of variables."
                if turned
                else "Pass recordings of the same variables."
            )
            raise ShapeError(
                f"{name}[{_plain_name(index[i])!r}] has {signal.shape[1]} variables, "
                f"{name}[{_plain_name(index[0])!r}] has {n}. {remedy}"
            )
    times = [pd.RangeIndex(len(signal)) for signal in signals]
    return Recordings(signals, list(range(n)), index, times)


def _of_tables(tables, index, name):
    names = list(tables[0].columns)
    signals, times = [], []
    for i, table in enumerate(tables):
        label = f"{name}[{_plain_name(index[i])!r}]"
        if len(set(table.columns)) < len(table.columns):
            columns = list(table.columns)
            twice = next(c for c in columns if columns.count(c) > 1)
            raise ShapeError(
                f"{label} has several columns named {twice!r}: rename them, so that "
                f"variables can be matched."
            )
        if set(table.columns) != set(names):
            more = [c for c in table.columns if c not in set(names)]
            less = [c for c in names if c not in set(table.columns)]
            raise ShapeError(
                f"{label} has other variables than the first recording: it adds "
                f"{few(more)} and lacks {few(less)}. Select the common columns."
            )
        signals.append(_values(table[names], label))
        times.append(_index_of_rows(table))
    return Recordings(signals, names, index, times)


def _of_table(table, key, covariates, name):
    if key is None:
        if covariates is not None:
            raise ParameterError(
                "covariates: expected key as well, which names the recordings."
            )
        return _of_tables([table], pd.RangeIndex(1), name)
    keys, extra = _as_list(key), _as_list(covariates)
    known = [*table.columns, *(n for n in table.index.names if n is not None)]
    for column in [*keys, *extra]:
        if column not in known:
            raise ParameterError(
                f"{'key' if column in keys else 'covariates'}: expected a column or a "
                f"level of the index out of {few(known, 8)}, got {column!r}."
            )
    missing = table.reset_index()[keys].isna().any(axis=1)
    if missing.any():
        row = int(np.flatnonzero(missing)[0])
        raise ParameterError(
            f"{name}: the key {keys} is missing in row {row}, one of "
            f"{int(missing.sum())}: drop these rows, or fill the key in."
        )
    groups = table.groupby(keys if len(keys) > 1 else keys[0], sort=False)
    columns = [c for c in table.columns if c not in {*keys, *extra}]
    names, parts = zip(*groups, strict=True)
    if len(keys) > 1:
        index = pd.MultiIndex.from_tuples(names, names=keys)
    else:
        index = pd.Index(names, name=keys[0])
    recordings = _of_tables([part[columns] for part in parts], index, name)
    if not extra:
        return recordings
    rows = [_constant(part, extra, names[i]) for i, part in enumerate(parts)]
    return replace(recordings, covariates=pd.DataFrame(rows, index=index))


def _constant(part, columns, group):
    """Return the values of covariates in a group, or raise if they vary."""
    part, row = part.reset_index(), {}
    for column in columns:
        values = part[column].unique()
        if len(values) > 1:
            raise ParameterError(
                f"covariates: expected one value of {column!r} in each recording, got "
                f"{few(values)} in recording {_plain_name(group)!r}. Add it to the "
                f"key if it divides the recording."
            )
        row[column] = values[0]
    return row


def _in_order(recordings, variables, name):
    if recordings.variables == list(variables):
        return recordings
    if set(recordings.variables) != set(variables):
        more = [v for v in recordings.variables if v not in set(variables)]
        less = [v for v in variables if v not in set(recordings.variables)]
        raise ShapeError(
            f"{name} has {len(recordings.variables)} variables, expected the "
            f"{len(variables)} of fit: it adds {few(more)} and lacks {few(less)}."
        )
    places = [recordings.variables.index(v) for v in variables]
    signals = [signal[:, places] for signal in recordings.signals]
    return replace(recordings, signals=signals, variables=list(variables))


def _require_signal(signal, label, variables):
    """Raise for a recording that has no correlations."""
    frames, n = signal.shape
    if n < 2:
        raise ShapeError(f"{label} has {n} variable: expected two at least.")
    if frames < _FEWEST_FRAMES:
        raise ShapeError(
            f"{label} has {frames} frames of {n} variables: expected "
            f"{_FEWEST_FRAMES} at least. Leave it out."
        )
    infinite = np.isinf(signal)
    if infinite.any():
        frame, place = np.argwhere(infinite)[0]
        raise NotFiniteError(
            f"{label} has an infinity in variable {variables[place]!r} at frame "
            f"{frame}: write missing values as NaN."
        )
    present = np.isfinite(signal)
    count = present.sum(axis=0)
    if count.min() < 2:
        raise ParameterError(
            f"{label} has {count.min()} values of variable "
            f"{variables[int(np.argmin(count))]!r}: leave the recording or the "
            f"variable out."
        )
    require_variation(signal, label, variables)


def _numbers(x, name):
    x = plain(name, x)
    try:
        x = as_numpy(x)
    except (TypeError, ValueError):
        x = np.empty(0, dtype=object)
    if x.dtype.kind not in "biuf":
        raise ArrayTypeError(
            f"{name}: expected real numbers, all rows of one length, got dtype "
            f"{x.dtype}."
        )
    return x.astype(np.float64)


def _values(table, label):
    """Return a table as numbers, or raise and name the column that has none."""
    columns = list(table.columns)
    if len(set(columns)) < len(columns):
        twice = next(c for c in columns if columns.count(c) > 1)
        raise ShapeError(f"{label} has several columns named {twice!r}: rename them.")
    for column in columns:
        kind = getattr(table[column].dtype, "kind", "f")
        if kind not in "biuf":
            raise ArrayTypeError(
                f"{label}: expected numbers in column {column!r}, got "
                f"{table[column].dtype}: drop it, or name it as key or covariate."
            )
    try:
        return table.to_numpy(dtype=np.float64, na_value=np.nan)
    except TypeError:  # polars
        return np.asarray(table.to_numpy(), dtype=np.float64)


def _index_of_rows(table):
    index = getattr(table, "index", None)
    return pd.RangeIndex(len(table)) if index is None else index


def _as_list(names):
    if names is None:
        return []
    return (
        [names]
        if isinstance(names, str) or not hasattr(names, "__iter__")
        else [*names]
    )


def _plain_name(name):
    if isinstance(name, tuple):
        return tuple(map(_plain_name, name))
    return name.item() if isinstance(name, np.generic) else name
