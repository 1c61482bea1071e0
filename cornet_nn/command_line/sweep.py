"""cornet sweep: settings chosen by validation inside the training part."""

import dataclasses
import functools
import json
import re
import warnings

import numpy as np

from geomstats_cor.exceptions import ParameterError

from .. import splits
from .._files import contents, write_text
from ..training.settings import Metric
from .options import add_grid, add_running, resumable, run_directory
from .settings import add_settings, given_settings, make_estimator, with_defaults
from .settings import parsed as parsed_settings
from .sources import (
    add_source,
    describe,
    fingerprint,
    short_name,
    source_of,
    value_of,
)
from .tables import csv_table, markdown_table, percent, text_table

EPILOG = """\
examples:
  cornet sweep data.npz --grid power=0.5,1,-0.5 lr=1e-2,1e-3 --jobs 4
  cornet sweep data.npz --metrics olm lsm --grid dropout=0,0.5 optimizer__eps=1e-8,1e-6
  cornet sweep hdm05 --data-dir ~/HDM05 --vary center=null,first --metrics olm lsm
  cornet sweep data.npz --run-dir runs/sweep --resume

Every combination is trained and validated by folds inside the training part. The one
with the best validation accuracy is then trained on the whole training part, and tested
once. The outer parts are the official split, or else folds, each of which makes its own
choice: the test samples choose nothing. settings.csv has the validation accuracies,
chosen.csv the choices and their test accuracies, and cells.csv every training; with an
official split, `chosen` holds the run directory of the network. --resume does not run
again what is finished; combinations may be added, and what has changed is computed
anew."""

_METRICS = Metric.__args__
_DEFAULTS = {"power": [1.0, 0.5], "shrinkage": [0.0], "lr": [1e-2, 1e-3]}
# Options of version 0.1.0.
_EARLIER = {"powers": "power", "shrinkages": "shrinkage", "lrs": "lr"}
_SHOWN = 10


def add_arguments(parser):
    """Add what the command takes to its parser."""
    add_source(parser)
    group = parser.add_argument_group("combinations")
    add_grid(group, _METRICS)
    shown = " ".join(f"{k}={','.join(map(str, v))}" for k, v in _DEFAULTS.items())
    group.add_argument(
        "--grid",
        nargs="+",
        action="extend",
        default=[],
        metavar="NAME=VALUE,VALUE",
        help="values of any setting, or option of skorch such as module__guard "
        f"(default: {shown})",
    )
    for name, setting in _EARLIER.items():
        group.add_argument(
            f"--{name}",
            nargs="+",
            type=float,
            metavar="X",
            help=f"deprecated: --grid {setting}=X,X",
        )
    group.add_argument(
        "--vary",
        action="append",
        default=[],
        metavar="KEY=VALUE,VALUE",
        help="values of an option of the loader; can be repeated",
    )
    group.add_argument(
        "--split",
        choices=("auto", "official", "folds"),
        default="auto",
        help="outer parts: the official split or folds; auto is the official split "
        "where there is one (default: %(default)s)",
    )
    group.add_argument(
        "--folds",
        type=int,
        default=5,
        metavar="K",
        help="outer folds (default: %(default)s)",
    )
    group.add_argument(
        "--inner-folds",
        type=int,
        default=3,
        metavar="K",
        help="folds of the validation (default: %(default)s)",
    )
    add_settings(parser, leave_out=("metric", *_DEFAULTS))
    add_running(parser, "runs/sweep-DATA")


def run(options):
    """Run the sweep that options ask for.

    Parameters
    ----------
    options : argparse.Namespace
        Options.
    """
    from ..runner import Results, on_cluster

    settings, ways = (
        with_defaults(given_settings(options)),
        preprocessings(options.vary),
    )
    grid, source = combinations(options, ways), source_of(options)
    load = functools.lru_cache(maxsize=1)(
        lambda way: source.load(progress=not options.quiet, **ways[way])
    )
    data = load(grid[0]["preprocessing"])
    if settings["kind"] == "auto":
        settings["kind"] = data.kind
    split = options.split
    if split == "auto":
        split = "folds" if data.test is None else "official"
    seed = settings["random_state"]
    outer = splits.outer_parts(data, split, options.folds, seed)
    inner = [
        splits.inner_parts(data, train, options.inner_folds, seed) for train, _ in outer
    ]
    directory = run_directory(options, f"sweep-{short_name(data)}")
    with (
        on_cluster(options.cluster),
        resumable(options, directory),
        Results(directory, options.resume) as results,
    ):
        trained = functools.partial(_trained, results, options, settings, load, data)
        asked = [
            (place, outer_number, inner_number, part)
            for place in range(len(grid))
            for outer_number, parts in enumerate(inner)
            for inner_number, part in enumerate(parts)
        ]
        cells = trained(grid, asked)
        weighted = cells["accuracy"] * cells["samples"]
        sums = cells.assign(right=weighted).groupby(["outer", "place"], sort=True)
        totals = sums[["right", "samples"]].sum()
        accuracies = totals["right"] / totals["samples"]
        validations = accuracies.to_numpy().reshape(len(outer), len(grid))
        # The first of equals is taken, so that the choice can be repeated.
        places = validations.argmax(axis=1)
        asked = [(places[k], k, "test", part) for k, part in enumerate(outer)]
        keep = (directory, source, ways) if split == "official" else None
        tests = trained(grid, asked, keep)["accuracy"].to_numpy()
    folds = f"{options.folds} folds" if split == "folds" else "official split"
    note = f"{describe(data)}; {folds} outside, {options.inner_folds} folds inside."
    _write(directory, note, grid, validations, places, tests)
    if not options.quiet:
        print(f"Written to {directory}: {', '.join(contents(directory))}.")


def combinations(options, ways):
    """Return all combinations, those with the same preprocessing next to each other.

    Parameters
    ----------
    options : argparse.Namespace
        Options.
    ways : sequence of str
        Preprocessings.

    Returns
    -------
    combinations : list of dict
        Preprocessing, metric and settings by name.
    """
    from sklearn.model_selection import ParameterGrid

    axes = dict(_DEFAULTS)
    for name, setting in _EARLIER.items():
        values = getattr(options, name)
        if values is not None:
            shown = ",".join(f"{value:g}" for value in values)
            warnings.warn(
                f"--{name} is deprecated: use --grid {setting}={shown}.",
                FutureWarning,
                stacklevel=2,
            )
            axes[setting] = values
    for name, values in _pairs(options.grid, "--grid"):
        if name == "metric":
            raise ParameterError("--grid metric: use --metrics.")
        axes[name] = [parsed_settings({name: v}, "--grid")[name] for v in values]
    found = list(ParameterGrid(axes))
    return [
        {"preprocessing": way, "metric": metric, **{k: point[k] for k in axes}}
        for way in ways
        for metric in options.metrics
        for point in found
    ]


def preprocessings(words):
    """Return the combinations of options of the loader.

    Parameters
    ----------
    words : sequence of str
        Options with their values, as in "center=null,first".

    Returns
    -------
    ways : dict of dict
        Options by name, by a word for the combination.

    Examples
    --------
    >>> list(preprocessings(["center=null,first", "levels=2"]))
    ['center=null levels=2', 'center=first levels=2']
    >>> preprocessings([])
    {'-': {}}
    """
    ways = [{}]
    for key, values in _pairs(words, "--vary"):
        ways = [way | {key.replace("-", "_"): v} for way in ways for v in values]
    return {_described(way) or "-": way for way in ways}


def _pairs(words, option):
    """Yield names and lists of values."""
    for word in words:
        key, equals, values = word.partition("=")
        if not (key and equals and values):
            raise ParameterError(f"{option} {word} is not of the form KEY=VALUE,VALUE.")
        try:
            yield key, json.loads(f"[{values}]")
        except json.JSONDecodeError:
            yield key, [value_of(value) for value in values.split(",")]


def _described(values):
    words = (v if isinstance(v, str) else json.dumps(v) for v in values.values())
    return " ".join(f"{key}={word}" for key, word in zip(values, words, strict=True))


def _trained(results, options, settings, load, first, grid, asked, keep=None):
    """Return a table of trainings: combination, outer part, inner part and samples."""
    import pandas as pd

    from ..runner import Trial

    tables = []
    for way in dict.fromkeys(grid[one[0]]["preprocessing"] for one in asked):
        group = [one for one in asked if grid[one[0]]["preprocessing"] == way]
        data, trials = load(way), []
        if not np.array_equal(data.labels, first.labels):
            raise ParameterError(
                f"with {way} the data has {len(data)} samples, and they are not those "
                f"of the first preprocessing, which has {len(first)}: combinations "
                f"compare on the same samples. cornet data lists those that are left "
                f"out, and why."
            )
        for place, outer, inner, part in group:
            own = {k: v for k, v in grid[place].items() if k != "preprocessing"}
            model = make_estimator(settings | own, progress=False)
            kept = _kept(model, data, grid[place], *keep) if keep else None
            columns = {"outer": outer, **grid[place], "inner": inner}
            trials.append(Trial(columns, model, *part, directory=kept))
        samples = data.inputs, splits.names_of_classes(data), data.groups
        cells = results.run(trials, *samples, options.jobs, not options.quiet)
        tables.append(cells.assign(place=[one[0] for one in group]))
    # In the order in which they were asked for.
    return pd.concat(tables).sort_values(["outer", "place"], kind="stable")


def _kept(model, data, combination, directory, source, ways):
    """Return the run directory of a network, and note there where the data is."""
    way = ways[combination["preprocessing"]]
    model._data = dict(
        source=dataclasses.replace(source, options=source.options | way).record(),
        fingerprint=fingerprint(data),
        part="train",
    )
    words = "_".join(str(word) for word in combination.values())
    return directory / "chosen" / re.sub(r"[^\w.=-]+", "-", words)


def _write(directory, note, grid, validations, places, tests):
    names, means = list(grid[0]), validations.mean(axis=0)
    best_first = np.argsort(-means, kind="stable")
    settings = [
        (*grid[i].values(), means[i], int(np.sum(places == i))) for i in best_first
    ]
    columns = (*names, "validation", "chosen")
    write_text(directory / "settings.csv", csv_table(columns, settings))
    choices = [
        (outer, *grid[i].values(), validations[outer, i], tests[outer])
        for outer, i in enumerate(places)
    ]
    columns = ("outer", *names, "validation", "test")
    write_text(directory / "chosen.csv", csv_table(columns, choices))
    head = [(*row[:-2], percent(row[-2]), row[-1]) for row in settings[:_SHOWN]]
    choices = [(*row[:-2], *map(percent, row[-2:])) for row in choices]
    tables = {
        f"The best {len(head)} of {len(grid)} combinations by validation:": (
            (*names, "validation %", "chosen"),
            head,
        ),
        "Chosen for each outer part:": (
            ("outer", *names, "validation %", "test %"),
            choices,
        ),
    }
    result = f"test accuracy {percent(np.mean(tests))} %"
    if len(tests) > 1:
        deviation = percent(np.std(tests, ddof=1))
        result += f", standard deviation {deviation} over {len(tests)} outer parts"

    def report(table, gap):
        pieces = [f"{title}{gap}{table(*rows)}" for title, rows in tables.items()]
        return "\n\n".join([note, *pieces, f"{result}."])

    write_text(directory / "sweep.md", report(markdown_table, "\n\n") + "\n")
    print(report(text_table, "\n"))
