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
from .published import published_results, published_settings
from .report import Cell
from .settings import as_words, digest, non_default, options_notes
from .sources import SYNTHETIC, Absent, find_data, taken_options
from .splits import splits

_KEYS = ("method", "data", "seed", "epochs", "samples", "settings")
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
        Cells, row by row. A cell without data, and a row that is not implemented, has
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
    where = (cell.data, method.form, options.data)
    dataset = find_data(*where, options.quiet, options.loader)
    if isinstance(dataset, Absent):
        return replace(cell, note=dataset.reason)
    taken = taken_options(*where, options.loader)
    results, every_split = [], splits(dataset, cell.data, options.seeds)
    for seed, parts in enumerate(every_split):
        # Other data and other folds are other runs.
        samples = f"{_fingerprint(dataset)[:12]}-{fingerprint(*parts)[:12]}"
        model = _model(method, epochs, seed, options)
        key = (cell.method, cell.data, seed, epochs, samples, digest(model, taken))
        if key not in runs:
            runs.add(key, _run(model, dataset, *parts))
        results.append(runs[key])
    notes = [*options_notes(options.loader, taken), *_unusable(dataset, every_split)]
    cell = replace(cell, settings=as_words(non_default(model)))
    return _summarised(cell, results, epochs, method.epochs, notes)


def _model(method, epochs, seed, options):
    model = method.make(epochs, seed, not options.quiet)
    gain = published_settings().get("gain") if options.gain is None else options.gain
    if gain is not None and "gain" in model.get_params():
        model.set_params(gain=gain)
    return model


def _unusable(dataset, every_split):
    """Return how many items of the parts cannot be used, as notes."""
    if not len(dataset.left_out):
        return []
    tested = [np.sum(test >= len(dataset)) for _, test in every_split]
    trained = [len(dataset.left_out) - number for number in tested]
    sizes = _range([len(test) for _, test in every_split])
    return [
        f"{_range(tested)} of {sizes} test items cannot be used and count as errors",
        f"{_range(trained)} training items cannot be used",
    ]


def _range(numbers):
    low, high = min(numbers), max(numbers)
    return f"{low}" if low == high else f"{low} to {high}"


@functools.lru_cache(maxsize=2)
def _fingerprint(dataset):
    return fingerprint(dataset.inputs, dataset.labels)


def _summarised(cell, results, epochs, usual, others):
    notes = [] if epochs == usual else [f"{epochs} epochs instead of {usual}"]
    notes += others
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
        deviation=statistics.stdev(accuracies) if len(accuracies) > 1 else None,
        seconds=statistics.median(result["seconds"] for result in finite),
        runs=len(finite),
        note=", ".join(notes),
    )


def _run(model, dataset, train, test):
    """Return accuracy on the test part, over samples, and seconds per epoch.

    Indices of the test part from the length of the data set on are items that cannot be
    used: they count as errors.

    Both are NaN if the training diverged, as that of CorNet-LSM with ReLU did for the
    authors.
    """
    try:
        with stopped_by_keyboard():
            model.fit(dataset.inputs[train], dataset.labels[train])
        usable = test[test < len(dataset)]
        right = 0
        if len(usable):
            right = model.predict(dataset.inputs[usable]) == dataset.labels[usable]
    except _DIVERGED:
        return dict(accuracy=math.nan, seconds=math.nan)
    seconds = statistics.median(row["seconds"] for row in model.history_)
    return dict(accuracy=100.0 * np.sum(right) / len(test), seconds=seconds)
