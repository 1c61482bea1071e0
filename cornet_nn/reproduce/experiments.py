r"""The experiments of the paper: accuracies, times of a forward pass, variances.

Each makes the cells of a table; see `report` for their columns. The two analyses of
diagonal variance take two numbers of each covariance matrix, as in the appendix
"Analysis of covariance versus correlation" of [C2026]_: the coefficient of variation of
the diagonal,

.. math:: \mathrm{CV} = \frac{\operatorname{std}(v)}{\operatorname{mean}(v) + 10^{-8}},
          \qquad v = (\Sigma_{11}, \dots, \Sigma_{nn}),

and the ratio :math:`R = D / O` of the mean magnitude of diagonal entries to that of
off-diagonal ones.

References
----------
.. [C2026] Z. Chen, X. Wu, B. Schölkopf and N. Sebe. Riemannian networks over full-rank
   correlation matrices. ICML 2026.
"""

import statistics
import time

import numpy as np
import pandas as pd
import torch

from cornet_nn import CorFC, CorMLR, CorSequential
from geomstats_cor import FullRankCorrelationMatrices, kernels

from .._files import replacing
from ..runner import Results, Trial, on_cluster
from ..splits import paper_parts
from .methods import EXACT, SYNTHETIC, find_data, find_method, why_not
from .report import (
    as_words,
    non_default,
    options_notes,
    published_results,
    published_settings,
    table_of,
)

# "The best results in the final several epochs" of published scripts.
LAST_EPOCHS = 10
# A layer to matrices of size 20 and a regression, on 30 random matrices.
BATCH, HIDDEN, CLASSES = 30, 20, 10
_BUDGET = 3.0  # seconds for the repetitions of a cell, after a first pass
_EPSILON = 1e-8  # that of the paper


def accuracy_cells(table, options):
    """Return a table of accuracies: every row is trained on every data set there is.

    A cell without data, and a row that is not implemented, has the number of the paper
    and a note.
    """
    results = Results(options.output / f"{table}-runs", options.resume)
    with on_cluster(options.cluster), results as runs:
        cells = _outlined(table, options)
        return table_of([cell | _accuracy(cell, options, runs) for cell in cells])


def _outlined(table, options):
    """Return the cells of a table, without numbers of ours.

    There is a row of the log-scaled metric with its exact map after each that
    approximates it, and a column of simulated signals on request.
    """
    published = published_results(table).set_index(["method", "data"])
    methods, columns = (published.index.unique(level) for level in (0, 1))
    columns, rows = [*columns, *[SYNTHETIC] * options.synthetic], []
    for method in methods:
        is_rounded = method.startswith("CorNet-") and "LSM" in method
        rows += [method, method + EXACT] if is_rounded else [method]
    every = pd.MultiIndex.from_product([rows, columns], names=["method", "data"])
    cells = published.add_prefix("paper_").reindex(every).reset_index()
    if options.only:
        cells = cells[cells[["method", "data"]].isin(options.only).any(axis=1)]
    return cells.to_dict("records")


def _accuracy(cell, options, runs):
    reason = why_not(cell["method"])
    if reason:
        return dict(note=reason)
    method = find_method(cell["method"], cell["data"])
    epochs = options.epochs or method.epochs
    how = options.data, options.quiet, options.loader
    dataset, taken, reason = find_data(cell["data"], method.form, *how)
    if reason:
        return dict(note=reason)
    parts = paper_parts(dataset, cell["data"], options.seeds)
    trials = [
        Trial(
            dict(method=cell["method"], data=cell["data"], seed=seed),
            _model(method, epochs, seed, options),
            train,
            test,
            # Networks of the authors diverged, too: CorNet-LSM with ReLU did.
            may_diverge=True,
            last_epochs=LAST_EPOCHS,
        )
        for seed, (train, test) in enumerate(parts)
    ]
    results = runs.run(trials, dataset.inputs, dataset.labels, jobs=options.jobs)
    notes = [f"{epochs} epochs instead of {method.epochs}"] * (epochs != method.epochs)
    notes += [*options_notes(options.loader, taken), *_unusable(dataset, parts)]
    settings = as_words(non_default(trials[0].estimator))
    return summarised(results, notes) | dict(settings=settings)


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


def summarised(results, notes=()):
    """Return the numbers of a cell from a table of its runs, and its notes."""
    finite = results.dropna(subset="accuracy")
    if len(finite) < len(results):
        failures = len(results) - len(finite)
        notes = [f"{failures} of {len(results)} runs diverged", *notes]
    note = dict(note=", ".join(notes))
    if finite.empty:
        return note
    percent = 100.0 * finite.reindex(columns=["accuracy", "best_accuracy"])
    return note | dict(
        ours_mean=percent["accuracy"].mean(),
        ours_deviation=percent["accuracy"].std(),
        ours_seconds=finite["seconds_per_epoch"].median(),
        # Runs of which one has no best accuracy have none together.
        ours_best=percent["best_accuracy"].mean(skipna=False),
        runs=len(finite),
    )


def runtime_cells(table, options):
    """Return the seconds of a forward pass, by metric and size of the matrices.

    The median of passes after a first one: as many as there are seeds, unless they
    take too long.
    """
    note = f"CPU, threads: {torch.get_num_threads()}, torch {torch.__version__}; "
    note += "the paper used a GPU"
    cells = [c for c in _outlined(table, options) if not c["method"].endswith(EXACT)]
    for cell in cells:
        seconds = _forward_seconds(cell["method"], int(cell["data"]), options.seeds)
        cell |= dict(ours_seconds=seconds, runs=options.seeds, note=note)
    return table_of(cells)


def _forward_seconds(method, n, repetitions):
    key = method.removeprefix("CorNet-").lower()
    torch.manual_seed(0)
    signal = torch.randn(BATCH, n, 3 * n)
    points = kernels.cor(signal @ signal.mT)
    space = FullRankCorrelationMatrices(n, equip=key)
    hidden = FullRankCorrelationMatrices(HIDDEN, equip=key)
    model = CorSequential(CorFC(space, hidden), CorMLR(hidden, CLASSES))
    times, begin = [], time.perf_counter()
    with torch.no_grad():
        model(points)
        for _ in range(repetitions):
            start = time.perf_counter()
            model(points)
            times.append(time.perf_counter() - start)
            if time.perf_counter() - begin > _BUDGET:
                break
    return statistics.median(times)


def coefficient_of_variation(covariance):
    """Return population standard deviation over mean of diagonals [..., n, n].

    Examples
    --------
    >>> import numpy as np
    >>> round(float(coefficient_of_variation(np.diag([1.0, 3.0]))), 6)
    0.5
    """
    variances = np.diagonal(covariance, axis1=-2, axis2=-1)
    return variances.std(-1) / (variances.mean(-1) + _EPSILON)


def diagonal_ratio(covariance):
    """Return mean diagonal over mean off-diagonal magnitudes of matrices [..., n, n].

    That of a diagonal matrix is infinite.

    Examples
    --------
    >>> import numpy as np
    >>> round(float(diagonal_ratio(np.array([[2.0, -1.0], [-1.0, 4.0]]))), 6)
    3.0
    """
    n = covariance.shape[-1]
    magnitudes = np.abs(covariance)
    diagonal = np.trace(magnitudes, axis1=-2, axis2=-1)
    rest = magnitudes.sum((-2, -1)) - diagonal
    with np.errstate(divide="ignore"):
        return np.divide(diagonal / n, rest / (n * (n - 1)))


# Between which numbers most values lie, by the text of the paper.
_ANALYSES = {
    "variation": (
        coefficient_of_variation,
        "coefficient of variation of the diagonal",
        {"FPHA": (0.8, 2.0), "HDM05": (1.0, 3.0)},
    ),
    "ratio": (
        diagonal_ratio,
        "ratio of diagonal to off-diagonal entries",
        {"FPHA": (1.7, 3.0), "HDM05": (2.0, 6.0)},
    ),
}


def variance_cells(table, options):
    """Return an analysis of diagonal variance, and draw its histograms.

    For each data set the 10, 50 and 90 per cent quantiles over samples and channels of
    HDM05 and FPHA, and the part of the values, in per cent, within the range that the
    paper names. "Most" of the paper is left as a range.
    """
    measure, label, ranges = _ANALYSES[table]
    names = ("10 % quantile", "median", "90 % quantile", "% within the paper's range")
    cells = []
    for data, (low, high) in ranges.items():
        if options.only and data not in options.only:
            continue
        numbers, how = [None] * 4, (options.data, options.quiet, options.loader)
        dataset, taken, note = find_data(data, "channels", *how)
        if not note:
            values = measure(dataset.inputs)
            values = values if values.ndim == 2 else values[:, None]
            path = options.output / f"{table}-{data}.png"
            draw_histograms(values, f"{data}: {label}", label.split(" of ")[0], path)
            within = 100.0 * np.mean((values >= low) & (values <= high))
            numbers = [*np.quantile(values, (0.1, 0.5, 0.9)), within]
            notes = [f"histograms in {path.name}"]
            note = ", ".join(notes + options_notes(options.loader, taken))
        ends = (low, None, high, None)
        cells += [
            dict(method=name, data=data, paper_mean=end, ours_mean=number, note=note)
            for name, end, number in zip(names, ends, numbers, strict=True)
        ]
    table = table_of(cells).sort_values(
        "method", key=lambda m: m.map(names.index), kind="stable"
    )
    return table.assign(runs=table["ours_mean"].notna().astype(int))


def draw_histograms(values, title, label, path):
    """Draw a histogram for each channel of values [N, channels], and write a PNG."""
    from matplotlib.figure import Figure

    channels = values.shape[1]
    figure = Figure(figsize=(2.6 * channels, 2.6), layout="constrained")
    axes = figure.subplots(1, channels, squeeze=False, sharex=True, sharey=True)[0]
    shown = values[np.isfinite(values).all(-1)]
    bins = np.histogram_bin_edges(shown, bins=40)
    for channel, axis in enumerate(axes):
        axis.hist(shown[:, channel], bins=bins)
        axis.axvline(np.median(shown[:, channel]), color="black", linewidth=1.0)
        axis.set_title(f"channel {channel}" if channels > 1 else "")
        axis.set_xlabel(label)
    axes[0].set_ylabel("items")
    figure.suptitle(f"{title}; the line is the median")
    with replacing(path, mode="wb") as file:
        figure.savefig(file, format="png", dpi=120)
