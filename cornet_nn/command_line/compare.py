"""cornet compare: the metrics on the same data, with the spread of their accuracy."""

import argparse
from typing import NamedTuple

import numpy as np

from geomstats_cor import METRICS
from geomstats_cor.exceptions import ParameterError

from . import splits
from .cells import Cells
from .files import contents, write_text
from .fitting import RESULTS, fit_and_score
from .options import add_command, add_metrics, add_running, resumable, run_directory
from .settings import add_settings, given_settings, require_setting, with_defaults
from .sources import (
    add_source,
    describe,
    fingerprint,
    key_and_value,
    short_name,
    source_of,
)
from .tables import csv_table, markdown_table, percent, text_table

_EPILOG = """\
examples:
  cornet compare connectomes --epochs 30
  cornet compare data.npz --split official --seeds 0 1 2 3 4
  cornet compare data.npz --for lsm power=0.75 lr=1e-3 --for ecm power=1.5
  cornet compare data.npz --run-dir runs/comparison --resume

All metrics are trained on the same parts of the data, and tested on the rest, of which
nothing is chosen. The table has the mean and the standard deviation of the accuracy,
one value for each fold and seed, and the median time of an epoch. The run directory has
it as table.csv, table.md and comparison.png; cells.csv has the single values. Finished
trainings are not run again by --resume, which may add metrics and seeds."""

_TITLES = ("metric", "test %", "std", "training %", "s/epoch", "runs")
_KEYS = ("metric", "seed", "part")
# Settings that tell trainings apart.
_OWN = ("metric", "random_state")


class Summary(NamedTuple):
    """What the trainings under a metric come to.

    Attributes
    ----------
    metric : str
        Metric.
    mean, std : float
        Mean and standard deviation of the test accuracies; NaN for that of one.
    training : float
        Mean accuracy on the samples of the training, when it ends.
    seconds_per_epoch : float
        Median time of an epoch.
    accuracies : list of float
        Test accuracies, one for each seed and part.
    """

    metric: str
    mean: float
    std: float
    training: float
    seconds_per_epoch: float
    accuracies: list


def add_parser(commands):
    """Add the command to the parser of the command line.

    Parameters
    ----------
    commands : argparse._SubParsersAction
        Where commands are added.
    """
    summary = "compare metrics: accuracy over folds or seeds, time, table, plot"
    parser = add_command(commands, "compare", summary, _EPILOG, run)
    add_source(parser)
    group = parser.add_argument_group("comparison")
    add_metrics(group)
    group.add_argument(
        "--split",
        choices=("folds", "official"),
        default="folds",
        help="cross-validation over all samples, grouped if the data has groups, or "
        "the official split of the data (default: %(default)s)",
    )
    group.add_argument(
        "--folds", type=int, default=5, metavar="K", help="folds (default: %(default)s)"
    )
    group.add_argument(
        "--seeds",
        type=int,
        nargs="+",
        metavar="SEED",
        help="seeds, each of which draws folds and parameters anew (default: 0; with "
        "the official split 0 1 2 3 4)",
    )
    group.add_argument(
        "--for",
        dest="exceptions",
        nargs="+",
        action="append",
        default=[],
        metavar=("METRIC", "KEY=VALUE"),
        help="settings of one metric that differ from those of the others",
    )
    add_settings(parser, leave_out=_OWN)
    add_running(parser, "runs/compare-DATA")


def run(options):
    """Run the comparison that options ask for.

    Parameters
    ----------
    options : argparse.Namespace
        Options.
    """
    from tqdm import tqdm

    seeds = options.seeds or (range(5) if options.split == "official" else [0])
    settings = with_defaults(given_settings(options))
    exceptions = exceptions_of(options.exceptions)
    source = source_of(options)
    data = source.load(progress=not options.quiet)
    parts = {
        (seed, number): part
        for seed in seeds
        for number, part in enumerate(
            splits.outer_parts(data, options.split, options.folds, seed)
        )
    }
    split = (
        "official split" if options.split == "official" else f"{options.folds} folds"
    )
    directory = run_directory(options, f"compare-{short_name(data)}")
    conditions = dict(
        source=source.record(),
        fingerprint=fingerprint(data),
        split=split,
        settings={k: v for k, v in settings.items() if k not in _OWN},
        exceptions=exceptions,
    )
    if len(data.left_out):
        conditions["unusable"] = len(data.left_out)
    cells = Cells(directory, _KEYS, RESULTS, conditions, options.resume)
    keys = [(metric, *part) for part in parts for metric in options.metrics]
    with resumable(options, directory):
        missing = [key for key in keys if key not in cells]
        bar = tqdm(missing, unit="run", disable=options.quiet)
        for metric, seed, number in bar:
            own = exceptions.get(metric, {}) | dict(metric=metric, random_state=seed)
            result = fit_and_score(data, *parts[seed, number], settings | own)
            cells.add((metric, seed, number), result)
            bar.set_postfix(metric=metric, accuracy=percent(result["accuracy"]))
    note = f"{describe(data)}; {split}, seed {' '.join(map(str, seeds))}."
    _write(directory, note, summaries(options.metrics, keys, cells))
    if not options.quiet:
        print(f"Written to {directory}: {', '.join(contents(directory))}.")


def exceptions_of(words):
    """Return settings by metric.

    Parameters
    ----------
    words : sequence of sequence of str
        A metric and its settings, such as ["lsm", "power=0.75"], for some metrics.

    Returns
    -------
    exceptions : dict of dict
        Settings by name, by metric.

    Examples
    --------
    >>> exceptions_of([["lsm", "power=0.75", "lr=0.001"]])
    {'lsm': {'power': 0.75, 'lr': 0.001}}
    """
    exceptions = {}
    for metric, *settings in words:
        if metric not in METRICS:
            raise ParameterError(
                f"--for {metric} is not for one of the metrics {', '.join(METRICS)}."
            )
        for word in settings:
            try:
                name, value = key_and_value(word)
            except argparse.ArgumentTypeError as error:
                raise ParameterError(f"--for {metric}: {error}.") from None
            if name in _OWN:
                raise ParameterError(
                    f"--for {metric} {word}: what tells trainings apart, "
                    f"{' and '.join(_OWN)}, is not for choosing."
                )
            require_setting(name, value, f"--for {metric}")
            exceptions.setdefault(metric, {})[name] = value
    return exceptions


def summaries(metrics, keys, cells):
    """Return what the trainings under each metric come to.

    Parameters
    ----------
    metrics : sequence of str
        Metrics.
    keys : sequence of tuple
        Trainings: metric, seed and part.
    cells : Cells
        Results.

    Returns
    -------
    rows : list of Summary
        Summaries.
    """
    rows = []
    for metric in metrics:
        results = [cells[key] for key in keys if key[0] == metric]
        values = [result["accuracy"] for result in results]
        rows.append(
            Summary(
                metric,
                np.mean(values),
                np.std(values, ddof=1) if len(values) > 1 else np.nan,
                np.mean([result["train_accuracy"] for result in results]),
                np.median([result["seconds_per_epoch"] for result in results]),
                values,
            )
        )
    return rows


def _write(directory, note, rows):
    from .figures import comparison_figure

    exact = [(*row[:-1], len(row.accuracies)) for row in rows]
    titles = (*Summary._fields[:-1], "runs")
    write_text(directory / "table.csv", csv_table(titles, exact))
    shown = [
        (metric, *map(percent, (mean, std, training)), f"{seconds:.3f}", runs)
        for metric, mean, std, training, seconds, runs in exact
    ]
    table = markdown_table(_TITLES, shown)
    write_text(directory / "table.md", f"{note}\n\n{table}\n")
    comparison_figure(rows, note, directory / "comparison.png")
    print(note, text_table(_TITLES, shown), sep="\n")
