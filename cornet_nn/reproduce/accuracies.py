"""Tables of accuracies: train every row on every data set that is there."""

import math
import statistics
from dataclasses import replace

import numpy as np

from cornet_nn.training import TrainingDivergedError
from geomstats_cor.exceptions import NotFiniteError, NotPositiveDefiniteError

from .methods import EXACT, find_method, why_not
from .published import published_results
from .report import Cell
from .runs import Runs
from .sources import SYNTHETIC, Absent, find_data
from .splits import splits

# Matrices between layers may leave what numbers can hold on the test part, too.
_DIVERGED = (TrainingDivergedError, NotFiniteError, NotPositiveDefiniteError)


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
    runs = Runs(options.output / f"{table}-runs.csv", options.resume)
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
    dataset = None
    results = []
    for seed in range(options.seeds):
        finished = runs.find(cell.method, cell.data, seed, epochs)
        if finished is None:
            if dataset is None:
                dataset = find_data(cell.data, method.form, options.data, options.quiet)
            if isinstance(dataset, Absent):
                return replace(cell, note=dataset.reason)
            finished = _run(method, dataset, cell, seed, epochs, options)
            runs.keep(cell.method, cell.data, seed, epochs, *finished)
        results.append(finished)
    return _summarised(cell, results, epochs, method.epochs)


def _summarised(cell, results, epochs, usual):
    notes = [] if epochs == usual else [f"{epochs} epochs instead of {usual}"]
    finite = [result for result in results if not math.isnan(result[0])]
    if len(finite) < len(results):
        failures = len(results) - len(finite)
        notes.insert(0, f"{failures} of {len(results)} runs diverged")
    if not finite:
        return replace(cell, note=", ".join(notes))
    accuracies, seconds = zip(*finite, strict=True)
    return replace(
        cell,
        mean=statistics.fmean(accuracies),
        deviation=statistics.pstdev(accuracies),
        seconds=statistics.median(seconds),
        runs=len(finite),
        note=", ".join(notes),
    )


def _run(method, dataset, cell, seed, epochs, options):
    """Return accuracy on the test part, over samples, and seconds per epoch.

    Both are NaN if the training diverged, as that of CorNet-LSM with ReLU did for the
    authors.
    """
    train, test = splits(dataset, cell.data, options.seeds)[seed]
    model = method.make(epochs, seed, not options.quiet)
    try:
        model.fit(dataset.inputs[train], dataset.labels[train])
        right = model.predict(dataset.inputs[test]) == dataset.labels[test]
    except _DIVERGED:
        return math.nan, math.nan
    seconds = [row["seconds"] for row in model.history_]
    return 100.0 * float(np.mean(right)), statistics.median(seconds)
