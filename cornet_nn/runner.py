"""One engine for many trainings: comparisons, sweeps, tables and benchmarks.

A trial is an estimator with the samples that it is trained and tested on. joblib runs
trials, one after the other, in processes, or on a cluster of dask. Each result is
written when it is there, under a key of all settings and samples: what is finished is
not computed again, and what has changed is.
"""

import contextlib
import inspect
import math
import pickle
import secrets
import statistics
import time
import warnings
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import joblib
import numpy as np

from geomstats_cor import __version__
from geomstats_cor.exceptions import (
    HiddenMatrixError,
    NotFiniteError,
    NotPositiveDefiniteError,
    ParameterError,
)

from ._files import locked, make_writable, write_csv, write_json

RESULTS = ("accuracy", "train_accuracy", "epochs", "seconds_per_epoch", "samples")
# What changes no result.
_FREE = ("progress", "device", "directory", "resume", "overwrite", "n_jobs", "verbose")


@dataclass(frozen=True)
class Trial:
    """One training.

    Parameters
    ----------
    columns : dict
        What tells the trial apart in tables.
    estimator : sklearn.base.BaseEstimator
        Estimator, which is not fitted here.
    train, test : array of int
        Samples to train on and to test on. Indices of test samples from the number of
        samples on are items that cannot be used, and count as errors.
    directory : pathlib.Path
        Run directory of a training that is kept, and resumed if it was stopped.
    may_diverge : bool
        Whether a training that diverges has the accuracy NaN, and is not an error.
    last_epochs : int
        Number of epochs at the end whose best test accuracy is reported beside that of
        the last; 0 for none. Published numbers mix the two.
    """

    columns: dict[str, Any]
    estimator: Any
    train: np.ndarray
    test: np.ndarray
    directory: Path | None = None
    may_diverge: bool = False
    last_epochs: int = 0


@contextlib.contextmanager
def stopped_by_keyboard() -> Iterator[None]:
    """Raise if the keyboard stops a training, which by itself keeps what it learned.

    Half a training is then not taken for a whole one.
    """
    from .training import TrainingInterruptedWarning

    with warnings.catch_warnings():
        warnings.simplefilter("error", TrainingInterruptedWarning)
        try:
            yield
        except TrainingInterruptedWarning as stop:
            raise KeyboardInterrupt(str(stop)) from None


def accuracy(
    model: Any, inputs: np.ndarray, labels: np.ndarray, unusable: int = 0
) -> float:
    """Return the part of the samples that a classifier gets right.

    Parameters
    ----------
    model : object
        Fitted classifier.
    inputs : array, shape=[N, ...]
        Samples; there may be none.
    labels : array, shape=[N]
        Their classes.
    unusable : int
        Number of further samples that cannot be used, and count as errors.

    Returns
    -------
    accuracy : float
        Accuracy.
    """
    right = np.sum(model.predict(inputs) == labels) if len(labels) else 0
    return float(right / (len(labels) + unusable))


def fit_and_score(
    trial: Trial,
    inputs: np.ndarray,
    labels: np.ndarray,
    groups: np.ndarray | None = None,
) -> dict[str, Any]:
    """Train on a part of the data and score on another.

    Parameters
    ----------
    trial : Trial
        Trial.
    inputs : array, shape=[N, ...]
        All samples.
    labels : array, shape=[N]
        Their classes.
    groups : array, shape=[N], or None
        Groups that are held out as a whole, for estimators that take them.

    Returns
    -------
    results : dict
        Accuracy over the samples of either part, number of epochs, median time of one,
        and number of samples that were tested; the best accuracy of the last epochs, if
        the trial asks for it.
    """
    from sklearn.base import clone

    from .training import TrainingDivergedError
    from .training.loop import AfterEpochs

    model, train = clone(trial.estimator), trial.train
    if trial.directory is not None:
        model.set_params(directory=trial.directory, resume=True)
        model._data = trial.estimator._data
    test = trial.test[trial.test < len(labels)]
    unusable, keywords = len(trial.test) - len(test), {}
    if groups is not None and "groups" in inspect.signature(model.fit).parameters:
        keywords["groups"] = groups[train]
    # Matrices between layers may leave what numbers can hold on the test part, too.
    outside = (NotFiniteError, NotPositiveDefiniteError)
    diverged = (TrainingDivergedError, HiddenMatrixError, *outside)
    best: list[float] = []

    def note_accuracy(network):
        model.module_ = network
        try:
            best.append(accuracy(model, inputs[test], labels[test], unusable))
        except diverged:
            best.append(0.0)

    if trial.last_epochs:
        # The accuracy after the last epoch is computed in any case.
        epochs = range(model.max_epochs - trial.last_epochs + 1, model.max_epochs)
        watch = AfterEpochs(epochs, note_accuracy)
        model.callbacks = [*(model.callbacks or ()), watch]
    start = time.perf_counter()
    try:
        with stopped_by_keyboard():
            model.fit(inputs[train], labels[train], **keywords)
        seconds = time.perf_counter() - start
        scores = dict(
            accuracy=accuracy(model, inputs[test], labels[test], unusable),
            train_accuracy=accuracy(model, inputs[train], labels[train]),
        )
    except diverged:
        if not trial.may_diverge:
            raise
        scores, seconds = dict(accuracy=math.nan, train_accuracy=math.nan), math.nan
    if trial.last_epochs:
        scores["best_accuracy"] = max(best + [scores["accuracy"]])
    times = [row["seconds"] for row in getattr(model, "history_", ())] or [seconds]
    return scores | dict(
        epochs=len(times),
        seconds_per_epoch=statistics.median(times),
        samples=len(trial.test),
    )


@dataclass
class Results:
    """Finished trials in a directory, one row of a table for each.

    The directory is locked for other processes as long as the object is open.

    Parameters
    ----------
    directory : pathlib.Path
        Directory, which is made if it is not there.
    resume : bool
        Whether results may be there already.

    Examples
    --------
    >>> import tempfile
    >>> import numpy as np
    >>> from sklearn.dummy import DummyClassifier
    >>> trial = Trial({"name": "dummy"}, DummyClassifier(), np.arange(4), np.arange(4))
    >>> with tempfile.TemporaryDirectory() as folder, Results(folder) as results:
    ...     table = results.run([trial], np.zeros((4, 2)), np.array([0, 0, 0, 1]))
    >>> table[["name", "accuracy"]].to_dict("records")
    [{'name': 'dummy', 'accuracy': 0.75}]
    """

    directory: Path
    resume: bool = False
    rows: dict[str, dict] = field(default_factory=dict, repr=False)

    def __post_init__(self):
        self.directory = Path(self.directory)
        self._table = self.directory / "cells.csv"

    def __enter__(self):
        from .training.description import environment

        make_writable(self.directory)
        with contextlib.ExitStack() as stack:
            stack.callback(locked(self.directory).release)
            if self._table.exists():
                if not self.resume:
                    raise ParameterError(
                        f"{self.directory} has results already: keep them with "
                        f"--resume, or choose another directory."
                    )
                self.rows = self._read()
            write_json(self.directory / "environment.json", environment())
            self._opened = stack.pop_all()
        return self

    def __exit__(self, *_):
        self._opened.close()

    def _read(self):
        import pandas as pd

        try:
            if not self._table.is_file():
                raise ValueError("it is not a file")
            # A training that diverged has no accuracy.
            unknown = dict.fromkeys((*RESULTS, "best_accuracy"), "nan")
            how = dict(keep_default_na=False, na_values=unknown)
            table = pd.read_csv(self._table, dtype={"key": str}, **how)
            names = [*RESULTS, *table.columns.intersection(["best_accuracy"])]
            table[names] = table[names].apply(pd.to_numeric, errors="raise")
            rows = {row["key"]: row for row in table.to_dict("records")}
        # ParserError of pandas is a ValueError.
        except (KeyError, ValueError, TypeError, OSError) as error:
            raise ParameterError(
                f"{self._table} is damaged, or of another version: expected numbers in "
                f"the columns key, {', '.join(RESULTS)} ({error}). Use another "
                f"directory."
            ) from None
        return rows

    def run(self, trials, inputs, labels, groups=None, jobs=1, progress=False):
        """Run those of the trials that are not finished.

        Parameters
        ----------
        trials : sequence of Trial
            Trials.
        inputs, labels, groups : array, shape=[N, ...]
            All samples; see `fit_and_score`.
        jobs : int or None
            Number of processes; -1 for all cores. With another backend of joblib, such
            as a cluster of dask, the backend decides.
        progress : bool
            Whether to show a bar.

        Returns
        -------
        table : pandas.DataFrame
            A row for each trial, in the given order: its columns and its results.
        """
        import pandas as pd
        from tqdm import tqdm

        from .training.description import fingerprint

        samples = [np.asarray(x) for x in (inputs, labels, groups) if x is not None]
        data = fingerprint(*samples)
        keys = [key_of(trial, data) for trial in trials]
        missing = {
            key: trial
            for key, trial in zip(keys, trials, strict=True)
            if key not in self.rows
        }
        pool = joblib.Parallel(n_jobs=jobs, return_as="generator_unordered")
        tasks = (
            joblib.delayed(_keyed)(key, trial, inputs, labels, groups)
            for key, trial in missing.items()
        )
        with tqdm(total=len(missing), unit="run", disable=not progress) as bar:
            for key, result in pool(tasks) if missing else ():
                self.rows[key] = {"key": key, **missing[key].columns, **result}
                write_csv(self._table, pd.DataFrame(self.rows.values()), na_rep="nan")
                bar.update()
                bar.set_postfix(accuracy=f"{100.0 * result['accuracy']:.1f}")
        return pd.DataFrame([self.rows[key] for key in keys])


def _keyed(key, trial, *samples):
    return key, fit_and_score(trial, *samples)


def key_of(trial: Trial, data: str) -> str:
    """Return a text that changes with all that the result of a trial depends on.

    A parameter that cannot be pickled, such as a lambda, gives a new key each time: its
    trial is always computed.

    Parameters
    ----------
    trial : Trial
        Trial.
    data : str
        Fingerprint of the samples.

    Returns
    -------
    key : str
        Hexadecimal digits.
    """
    settings = {
        name: _content(value)
        for name, value in trial.estimator.get_params().items()
        if name.rpartition("__")[2] not in _FREE
    }
    kind = type(trial.estimator).__name__
    parts = [np.asarray(part, dtype=np.int64) for part in (trial.train, trial.test)]
    # Another version of the library may give other numbers.
    return joblib.hash((kind, settings, *parts, data, __version__))


def _content(value):
    """Return the hash of a parameter."""
    if hasattr(value, "get_params") and not isinstance(value, type):
        return type(value).__name__  # its parameters are listed beside it
    try:
        return joblib.hash(value.item() if isinstance(value, np.generic) else value)
    except (pickle.PicklingError, AttributeError, TypeError):
        return secrets.token_hex()


@contextlib.contextmanager
def on_cluster(address: str | None) -> Iterator[None]:
    """Run the trials of a block on a cluster of dask.

    A worker that is lost loses its trials to the others.

    Parameters
    ----------
    address : str or None
        Address of the scheduler; no cluster if None.
    """
    if address is None:
        yield
        return
    try:
        from distributed import Client
    except ModuleNotFoundError as error:
        raise ModuleNotFoundError(
            "a cluster needs dask: pip install 'geomstats-cor[dask]'.", name="dask"
        ) from error
    with Client(address), joblib.parallel_config(backend="dask"):
        yield
