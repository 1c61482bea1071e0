"""Tables of accuracies: train every row on every data set that is there."""

from dataclasses import replace

import numpy as np

from ..runner import Results, Trial
from ..splits import paper_parts
from .methods import EXACT, find_method, why_not
from .published import published_results, published_settings
from .report import Cell, as_words, non_default, options_notes
from .sources import SYNTHETIC, find_data

# "The best results in the final several epochs" of published scripts.
LAST_EPOCHS = 10


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
    with Results(directory, options.resume) as runs:
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
        exact map after each that approximates it, and a column of simulated signals
        on request.
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
    how = options.data, options.quiet, options.loader
    dataset, taken, reason = find_data(cell.data, method.form, *how)
    if reason:
        return replace(cell, note=reason)
    parts = paper_parts(dataset, cell.data, options.seeds)
    trials = []
    for seed, (train, test) in enumerate(parts):
        model = _model(method, epochs, seed, options)
        columns = dict(method=cell.method, data=cell.data, seed=seed)
        # Networks of the authors diverged, too: CorNet-LSM with ReLU did.
        how = dict(may_diverge=True, last_epochs=LAST_EPOCHS)
        trials.append(Trial(columns, model, train, test, **how))
    results = runs.run(trials, dataset.inputs, dataset.labels, jobs=options.jobs)
    notes = [*options_notes(options.loader, taken), *_unusable(dataset, parts)]
    cell = replace(cell, settings=as_words(non_default(model)))
    return _summarised(cell, results, epochs, method.epochs, notes)


def _model(method, epochs, seed, options):
    model = method.make(epochs, seed, not options.quiet and options.jobs in (None, 1))
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


def _summarised(cell, results, epochs, usual, others):
    notes = [] if epochs == usual else [f"{epochs} epochs instead of {usual}"]
    notes += others
    finite = results.dropna(subset="accuracy")
    if len(finite) < len(results):
        failures = len(results) - len(finite)
        notes.insert(0, f"{failures} of {len(results)} runs diverged")
    if finite.empty:
        return replace(cell, note=", ".join(notes))
    accuracies = 100.0 * finite["accuracy"]
    return replace(
        cell,
        mean=float(accuracies.mean()),
        deviation=float(accuracies.std()) if len(finite) > 1 else None,
        seconds=float(finite["seconds_per_epoch"].median()),
        runs=len(finite),
        best=_best(finite),
        note=", ".join(notes),
    )


def _best(results):
    """Return the mean of the best accuracies, None for runs that have none."""
    if "best_accuracy" not in results or results["best_accuracy"].isna().any():
        return None
    return float(100.0 * results["best_accuracy"].mean())
