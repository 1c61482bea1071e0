"""cornet sweep: settings chosen by validation inside the training part.

Some examples:
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
again.
"""

import dataclasses
import functools
import itertools
import json
import re
import warnings

import numpy as np

from geomstats_cor.exceptions import ParameterError

from .. import splits
from .._files import write_csv, write_text
from .._text import markdown_table, percent, text_table
from .options import (
    add_folds,
    add_grid,
    add_running,
    add_source,
    describe,
    open_results,
    record_of,
    say_written,
    source_of,
    value_of,
)
from .settings import add_settings, all_settings, make_estimator, parsed

_DEFAULTS = {"power": [1.0, 0.5], "shrinkage": [0.0], "lr": [1e-2, 1e-3]}
_SHOWN = 10


def add_arguments(parser):
    """Add what the command takes to its parser."""
    add_source(parser)
    group = parser.add_argument_group("combinations")
    shown = " ".join(f"{k}={','.join(map(str, v))}" for k, v in _DEFAULTS.items())
    text = "values of any setting, or option of skorch such as module__guard (default: "
    how = dict(nargs="+", action="extend", default=[], metavar="NAME=VALUE,VALUE")
    group.add_argument("--grid", help=f"{text}{shown})", **how)
    # Options of version 0.1.0.
    for name in _DEFAULTS:
        text = f"deprecated: --grid {name}=X,X"
        group.add_argument(f"--{name}s", nargs="+", type=float, metavar="X", help=text)
    text = "values of an option of the loader; can be repeated"
    how = dict(action="append", default=[], metavar="KEY=VALUE,VALUE")
    group.add_argument("--vary", help=text, **how)
    add_grid(
        group,
        ("auto", "official", "folds"),
        "outer parts: the official split or folds; auto is the official split where "
        "there is one",
    )
    add_folds(group, "--inner-folds", 3, "folds of the validation")
    add_settings(parser, leave_out=("metric", *_DEFAULTS))
    add_running(parser, "runs/sweep-DATA")


def run(options):
    """Run the sweep that options ask for."""
    settings, ways = all_settings(options), preprocessings(options.vary)
    grid, source = combinations(options, ways), source_of(options)
    load = functools.lru_cache(maxsize=1)(
        lambda way: source.load(options.quiet, **ways[way])
    )
    data = load(grid[0]["preprocessing"])
    if settings["kind"] == "auto":
        settings["kind"] = data.kind
    split = options.split
    if split == "auto":
        split = "folds" if data.test is None else "official"
    seed, inner_folds = settings["random_state"], options.inner_folds
    outer = splits.outer_parts(data, split, options.folds, seed)
    asked = [
        (place, number, inner, part)
        for number, (train, _) in enumerate(outer)
        for inner, part in enumerate(splits.inner_parts(data, train, inner_folds, seed))
        for place in range(len(grid))
    ]
    with open_results(options, data) as results:
        trained = functools.partial(_trained, results, options, settings, load, data)
        cells = trained(grid, asked)
        cells["correct"] = cells["accuracy"] * cells["samples"]
        totals = cells.groupby(["outer", "place"])[["correct", "samples"]].sum()
        validations = (totals["correct"] / totals["samples"]).unstack().to_numpy()
        # The first of equals is taken, so that the choice can be repeated.
        places = validations.argmax(axis=1)
        chosen = [(places[k], k, "test", part) for k, part in enumerate(outer)]
        keep = (results.directory, source, ways) if split == "official" else None
        tests = trained(grid, chosen, keep)["accuracy"].to_numpy()
    folds = f"{options.folds} folds" if split == "folds" else "official split"
    note = f"{describe(data)}; {folds} outside, {inner_folds} folds inside."
    _write(results.directory, note, grid, validations, places, tests)
    say_written(options, results.directory)


def combinations(options, ways):
    """Return preprocessing, metric and settings of all combinations, as dictionaries.

    Those with the same preprocessing are next to each other.
    """
    from sklearn.model_selection import ParameterGrid

    old = {name: getattr(options, f"{name}s") for name in _DEFAULTS}
    old = {name: values for name, values in old.items() if values is not None}
    for name, values in old.items():
        shown = ",".join(f"{value:g}" for value in values)
        text = f"--{name}s is deprecated: use --grid {name}={shown}."
        warnings.warn(text, FutureWarning, stacklevel=2)
    axes = {} if options.grid and not old else _DEFAULTS | old
    for name, values in _pairs(options.grid, "--grid"):
        if name == "metric":
            raise ParameterError("--grid metric: use --metrics.")
        axes[name] = [parsed({name: v}, "--grid")[name] for v in values]
    return [
        {"preprocessing": way, "metric": metric, **{name: point[name] for name in axes}}
        for way in ways
        for metric in options.metrics
        for point in ParameterGrid(axes)
    ]


def preprocessings(words):
    """Return the combinations of options of the loader, by a word for each.

    Examples
    --------
    >>> list(preprocessings(["center=null,first", "levels=2"]))
    ['center=null levels=2', 'center=first levels=2']
    >>> preprocessings([])
    {'-': {}}
    """
    axes = {key.replace("-", "_"): values for key, values in _pairs(words, "--vary")}
    points = itertools.product(*axes.values())
    ways = [dict(zip(axes, point, strict=True)) for point in points]
    return {" ".join(map(_word, way.items())) or "-": way for way in ways}


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


def _word(pair):
    key, value = pair
    return f"{key}={value if isinstance(value, str) else json.dumps(value)}"


def _trained(results, options, settings, load, first, grid, asked, keep=None):
    """Return a table of trainings: combination, outer part, inner part and samples."""
    import pandas as pd

    from ..runner import Trial

    tables = []
    asked = sorted(asked, key=lambda one: one[0])
    for way, group in itertools.groupby(
        asked, lambda one: grid[one[0]]["preprocessing"]
    ):
        data, places, trials = load(way), [], []
        if not np.array_equal(data.labels, first.labels):
            raise ParameterError(
                f"with {way} the data has {len(data)} samples, and they are not those "
                f"of the first preprocessing, which has {len(first)}: combinations "
                f"compare on the same samples. cornet data lists those that are left "
                f"out, and why."
            )
        for place, outer, inner, (train, test) in group:
            own = {k: v for k, v in grid[place].items() if k != "preprocessing"}
            model = make_estimator(settings | own, progress=False)
            kept = _kept(model, data, grid[place], *keep) if keep else None
            columns = {"outer": outer, **grid[place], "inner": inner}
            trials.append(Trial(columns, model, train, test, directory=kept))
            places.append(place)
        samples = data.inputs, splits.names_of_classes(data), data.groups
        cells = results.run(trials, *samples, options.jobs, not options.quiet)
        tables.append(cells.assign(place=places))
    return pd.concat(tables).sort_values(["outer", "place"], kind="stable")


def _kept(model, data, combination, directory, source, ways):
    """Return the run directory of a network, and note there where the data is."""
    options = source.options | ways[combination["preprocessing"]]
    source = dataclasses.replace(source, options=options)
    model._data = record_of(source, data, "train")
    words = "_".join(str(word) for word in combination.values())
    return directory / "chosen" / re.sub(r"[^\w.=-]+", "-", words)


def _write(directory, note, grid, validations, places, tests):
    import pandas as pd

    # Whole numbers stay whole beside values that are not given.
    table = pd.DataFrame(grid, dtype=object)
    # A setting has the name of a column of ours: the part that is held out.
    table = table.rename(columns={"validation": "held_out"})
    chosen = table.iloc[places].assign(test=tests)
    chosen.insert(len(grid[0]), "validation", validations.max(axis=1))
    chosen.insert(0, "outer", range(len(places)))
    table["validation"] = validations.mean(axis=0)
    table["chosen"] = np.bincount(places, minlength=len(grid))
    table = table.sort_values("validation", ascending=False, kind="stable")
    write_csv(directory / "settings.csv", table)
    write_csv(directory / "chosen.csv", chosen)
    head = table.head(_SHOWN)
    tables = {
        f"The best {len(head)} of {len(grid)} combinations by validation:": head,
        "Chosen for each outer part:": chosen,
    }
    result = f"test accuracy {percent(np.mean(tests))} %"
    if len(tests) > 1:
        deviation = percent(np.std(tests, ddof=1))
        result += f", standard deviation {deviation} over {len(tests)} outer parts"

    def report(show, gap):
        pieces = [
            f"{title}{gap}{show(*_cells(rows))}" for title, rows in tables.items()
        ]
        return "\n\n".join([note, *pieces, f"{result}."])

    write_text(directory / "sweep.md", report(markdown_table, "\n\n") + "\n")
    print(report(text_table, "\n"))


def _cells(table):
    """Return header and rows, with accuracies in percent."""
    accuracies = [name for name in ("validation", "test") if name in table]
    shown = table.assign(**{name: table[name].map(percent) for name in accuracies})
    shown = shown.rename(columns={name: f"{name} %" for name in accuracies})
    return list(shown.columns), shown.to_numpy().tolist()
