"""Tables of accuracies: train every row on every data set that is there."""

import functools
import math
import statistics
from dataclasses import replace

import numpy as np

from cornet_nn.command_line.cells import Cells
from cornet_nn.command_line.fitting import stopped_by_keyboard
from cornet_nn.training import TrainingDivergedError
from cornet_nn.training.description import fingerprint
from geomstats_cor.exceptions import (
    HiddenMatrixError,
    NotFiniteError,
    NotPositiveDefiniteError,
)

from .methods import EXACT, find_method, why_not
from .published import published_results
from .report import Cell
from .sources import SYNTHETIC, Absent, find_data
from .splits import splits

_KEYS = ("method", "data", "seed", "epochs", "samples")
# Matrices between layers may leave what numbers can hold on the test part, too.
_DIVERGED = (
    TrainingDivergedError,
    HiddenMatrixError,
    NotFiniteError,
    NotPositiveDefiniteError,
)


def accuracy_cells(table, options):
    """Compute a table of accuracies.

    Parameters
    ----------
    table : str
        Name of the table.
    options : Options
        Options.

    Returns
    -------
    cells : list of Cell
        Cells, row by row. A cell without data, and a row that no library offers, has
        the number of the paper and a note.
    """
    directory = options.output / f"{table}-runs"
    runs = Cells(directory, _KEYS, ("accuracy", "seconds"), {}, options.resume)
    return [_computed(cell, options, runs) for cell in outlined(table, options)]


def outlined(table, options):
    """Return the cells of a table, without numbers of ours.

    Parameters
    ----------
    table : str
        Name of the table.
    options : Options
        Options.

    Returns
    -------
    cells : list of Cell
        Cells, row by row: those of the paper, a row of the log-scaled metric with its
        exact map after each that approximates it, and a column of simulated signals if
        that is wanted.
    """
    published = published_results(table)
    columns = list(dict.fromkeys(cell.data for cell in published))
    if options.synthetic:
        columns.append(SYNTHETIC)
    places = {(cell.method, cell.data): cell for cell in published}
    methods = []
    for method in dict.fromkeys(cell.method for cell in published):
        methods.append(method)
        if method.startswith("CorNet-") and "LSM" in method:
            methods.append(method + EXACT)
    return [
        Cell(method, column, places.get((method, column)))
        for method in methods
        for column in columns
        if not options.only or {method, column} & set(options.only)
    ]


def _computed(cell, options, runs):
    reason = why_not(cell.method)
    if reason:
        return replace(cell, note=reason)
    method = find_method(cell.method, cell.data)
    epochs = options.epochs or method.epochs
    dataset = find_data(cell.data, method.form, options.data, options.quiet)
    if isinstance(dataset, Absent):
        return replace(cell, note=dataset.reason)
    results = []
    for seed, parts in enumerate(splits(dataset, cell.data, options.seeds)):
        # Other data and other folds are other runs.
        samples = f"{_fingerprint(dataset)[:12]}-{fingerprint(*parts)[:12]}"
        key = (cell.method, cell.data, seed, epochs, samples)
        if key not in runs:
            model = method.make(epochs, seed, not options.quiet)
            runs.add(key, _run(model, dataset, *parts))
        results.append(runs[key])
    return _summarised(cell, results, epochs, method.epochs)


@functools.lru_cache(maxsize=2)
def _fingerprint(dataset):
    return fingerprint(dataset.inputs, dataset.labels)


def _summarised(cell, results, epochs, usual):
    notes = [] if epochs == usual else [f"{epochs} epochs instead of {usual}"]
    finite = [result for result in results if not math.isnan(result["accuracy"])]
    if len(finite) < len(results):
        failures = len(results) - len(finite)
        notes.insert(0, f"{failures} of {len(results)} runs diverged")
    if not finite:
        return replace(cell, note=", ".join(notes))
    accuracies = [result["accuracy"] for result in finite]
    return replace(
        cell,
        mean=statistics.fmean(accuracies),
        deviation=statistics.pstdev(accuracies),
        seconds=statistics.median(result["seconds"] for result in finite),
        runs=len(finite),
        note=", ".join(notes),
    )


def _run(model, dataset, train, test):
    """Return accuracy on the test part, over samples, and seconds per epoch.

    Both are NaN if the training diverged, as that of CorNet-LSM with ReLU did for the
    authors.
    """
    try:
        with stopped_by_keyboard():
            model.fit(dataset.inputs[train], dataset.labels[train])
        right = model.predict(dataset.inputs[test]) == dataset.labels[test]
    except _DIVERGED:
        return dict(accuracy=math.nan, seconds=math.nan)
    seconds = statistics.median(row["seconds"] for row in model.history_)
    return dict(accuracy=100.0 * np.mean(right), seconds=seconds)
