"""cornet compare: the metrics on the same data, with the spread of their accuracy.

Some examples:
  cornet compare connectomes --epochs 30
  cornet compare data.npz --split official --seeds 0 1 2 3 4 --jobs 4
  cornet compare data.npz --for lsm power=0.75 lr=1e-3 --for ecm power=1.5
  cornet compare data.npz --run-dir runs/comparison --resume

All metrics are trained on the same parts of the data, and tested on the rest, of which
nothing is chosen. The table has the mean and the standard deviation of the accuracy,
one value for each fold and seed, and the median time of an epoch. The run directory has
it as table.csv, table.md and comparison.png; cells.csv has the single values, each
under a key of all settings and samples. --resume does not run again what is there under
its key: metrics and seeds may be added, and what has changed is computed again.
"""

import argparse

import numpy as np

from geomstats_cor.exceptions import ParameterError

from .. import splits
from .._files import replacing, write_csv, write_text
from .._text import markdown_table, percent, text_table
from .options import (
    METRICS,
    add_grid,
    add_running,
    add_source,
    describe,
    key_and_value,
    open_results,
    say_written,
    source_of,
)
from .settings import add_settings, all_settings, make_estimator, parsed

# Settings that tell trainings apart.
_OWN = ("metric", "random_state")


def add_arguments(parser):
    """Add what the command takes to its parser."""
    add_source(parser)
    group = parser.add_argument_group("comparison")
    add_grid(
        group,
        ("folds", "official"),
        "cross-validation over all samples, grouped if the data has groups, or the "
        "official split of the data",
    )
    text = "seeds, each of which draws folds and parameters anew (default: 0; with the "
    text += "official split 0 1 2 3 4)"
    group.add_argument("--seeds", type=int, nargs="+", metavar="SEED", help=text)
    text = "settings of one metric that differ from those of the others"
    how = dict(action="append", default=[], metavar=("METRIC", "KEY=VALUE"))
    group.add_argument("--for", dest="exceptions", nargs="+", help=text, **how)
    add_settings(parser, leave_out=_OWN)
    add_running(parser, "runs/compare-DATA")


def run(options):
    """Run the comparison that options ask for."""
    from ..runner import Trial

    is_official = options.split == "official"
    seeds = options.seeds or (range(5) if is_official else [0])
    settings, exceptions = all_settings(options), exceptions_of(options.exceptions)
    data = source_of(options).load(options.quiet)
    labels = splits.names_of_classes(data)
    if settings["kind"] == "auto":
        settings["kind"] = data.kind
    trials = []
    for seed in seeds:
        parts = splits.outer_parts(data, options.split, options.folds, seed)
        for number, part in enumerate(parts):
            for metric in options.metrics:
                own = dict(metric=metric, random_state=seed)
                chosen = settings | exceptions.get(metric, {}) | own
                model = make_estimator(chosen, progress=False)
                columns = dict(metric=metric, seed=seed, part=number)
                trials.append(Trial(columns, model, *part))
    with open_results(options, data) as results:
        samples = data.inputs, labels, data.groups
        cells = results.run(trials, *samples, options.jobs, not options.quiet)
    split = "official split" if is_official else f"{options.folds} folds"
    note = f"{describe(data)}; {split}, seed {' '.join(map(str, seeds))}."
    _write(results.directory, note, summary(cells), cells)
    say_written(options, results.directory)


def exceptions_of(words):
    """Return settings by name, by metric.

    Examples
    --------
    >>> exceptions_of([["lsm", "power=0.75", "lr=0.001"]])
    {'lsm': {'power': 0.75, 'lr': 0.001}}
    """
    exceptions: dict[str, dict] = {}
    for metric, *pairs in words:
        where = f"--for {metric}"
        if metric not in METRICS:
            raise ParameterError(
                f"{where}: expected one of the metrics {', '.join(METRICS)}."
            )
        try:
            given = dict(map(key_and_value, pairs))
        except argparse.ArgumentTypeError as error:
            raise ParameterError(f"{where}: {error}.") from None
        if not given.keys().isdisjoint(_OWN):
            raise ParameterError(
                f"{where}: {' and '.join(_OWN)} cannot be set here, as they tell "
                f"trainings apart."
            )
        exceptions.setdefault(metric, {}).update(parsed(given, where))
    return exceptions


def summary(cells):
    """Summarise the trainings under each metric.

    Parameters
    ----------
    cells : pandas.DataFrame
        A row for each training.

    Returns
    -------
    table : pandas.DataFrame
        For each metric: mean and standard deviation of the test accuracies, mean
        accuracy in training, median time of an epoch, and number of trainings.
    """
    return (
        cells.groupby("metric", sort=False)
        .agg(
            mean=("accuracy", "mean"),
            std=("accuracy", "std"),
            training=("train_accuracy", "mean"),
            seconds_per_epoch=("seconds_per_epoch", "median"),
            runs=("accuracy", "size"),
        )
        .reset_index()
    )


def _write(directory, note, table, cells):
    write_csv(directory / "table.csv", table)
    header = ("metric", "test %", "std", "training %", "s/epoch", "runs")
    rows = [
        (metric, *map(percent, accuracies), f"{seconds:.3f}", runs)
        for metric, *accuracies, seconds, runs in table.itertuples(index=False)
    ]
    write_text(directory / "table.md", f"{note}\n\n{markdown_table(header, rows)}\n")
    comparison_figure(table, cells, note, directory / "comparison.png")
    print(note, text_table(header, rows), sep="\n")


def comparison_figure(table, cells, title, path):
    """Draw accuracies and times of metrics, in the colours of the metrics.

    Parameters
    ----------
    table, cells : pandas.DataFrame
        What `summary` returns, and what it was given.
    title : str
        Title.
    path : pathlib.Path
        File to write.
    """
    from matplotlib.figure import Figure

    from geomstats_cor.plotting import METRIC_COLORS, METRIC_MARKERS

    figure = Figure(figsize=(9.0, 1.6 + 0.5 * len(table)), layout="constrained")
    figure.suptitle(title, fontsize=9, wrap=True)
    left, right = figure.subplots(1, 2, sharey=True, width_ratios=(2, 1))
    for place, row in enumerate(table.itertuples()):
        values = 100 * cells.loc[cells["metric"] == row.metric, "accuracy"].to_numpy()
        # Equal accuracies are seen as several dots.
        height = place + np.linspace(-0.15, 0.15, len(values))
        left.plot(values, height, "o", color="0.6", markersize=4)
        spread = 100 * row.std if len(values) > 1 else None
        color = METRIC_COLORS.get(row.metric, "black")
        mark = dict(fmt=METRIC_MARKERS.get(row.metric, "X"), color=color, capsize=4)
        left.errorbar(100 * row.mean, place, xerr=spread, zorder=3, **mark)
        right.barh(place, row.seconds_per_epoch, color=color, height=0.5)
    left.set_yticks(range(len(table)), [name.upper() for name in table["metric"]])
    left.set_ylim(len(table) - 0.4, -0.6)
    left.set_xlabel("test accuracy (%): runs, mean and standard deviation")
    right.set_xlabel("seconds per epoch (median)")
    for axes in (left, right):
        axes.grid(axis="x", alpha=0.3)
    with replacing(path, mode="wb") as file:
        figure.savefig(file, format="png", dpi=150)
    return figure
