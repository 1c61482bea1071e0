"""cornet sweep: settings chosen by validation inside the training part."""

import dataclasses
import functools

import numpy as np

from . import splits
from .cells import Cells
from .combinations import Combination, combinations, preprocessings
from .files import contents, write_text
from .fitting import RESULTS
from .nested import KEYS, NestedSearch
from .options import add_command, add_metrics, add_running, resumable, run_directory
from .runs import make_record, write_record
from .settings import add_settings, given_settings, with_defaults
from .sources import add_source, describe, fingerprint, short_name, source_of
from .tables import csv_table, markdown_table, percent, text_table

_EPILOG = """\
examples:
  cornet sweep data.npz --powers 0.5 1 -0.5 --lrs 1e-2 1e-3
  cornet sweep hdm05 --data-dir ~/HDM05 --vary center=null,first --metrics olm lsm
  cornet sweep data.npz --run-dir runs/sweep --resume

Every combination is trained and validated by folds inside the training part. The one
with the best validation accuracy is then trained on the whole training part, and tested
once. The outer parts are the official split, or else folds, each of which makes its own
choice: the test samples choose nothing. settings.csv has the validation accuracies,
chosen.csv the choices and their test accuracies, and cells.csv every training; with an
official split, `chosen` holds the run directory of the network. Finished trainings are
not run again by --resume, which may add combinations."""


# What a sweep varies is no setting of its own.
_VARIED = Combination._fields[1:]
_SHOWN = 10


def add_parser(commands):
    """Add the command to the parser of the command line.

    Parameters
    ----------
    commands : argparse._SubParsersAction
        Where commands are added.
    """
    summary = "choose preprocessing, power, metric and learning rate by validation"
    parser = add_command(commands, "sweep", summary, _EPILOG, run)
    add_source(parser)
    group = parser.add_argument_group("combinations")
    add_metrics(group)
    for name, default, what in (
        ("powers", [1.0, 0.5], "matrix powers"),
        ("shrinkages", [0.0], "amounts of shrinkage"),
        ("lrs", [1e-2, 1e-3], "learning rates"),
    ):
        shown = " ".join(f"{value:g}" for value in default)
        group.add_argument(
            f"--{name}",
            nargs="+",
            type=float,
            default=default,
            metavar="X",
            help=f"{what} (default: {shown})",
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
    add_settings(parser, leave_out=_VARIED)
    add_running(parser, "runs/sweep-DATA")


def run(options):
    """Run the sweep that options ask for.

    Parameters
    ----------
    options : argparse.Namespace
        Options.
    """
    settings = with_defaults(given_settings(options))
    ways = preprocessings(options.vary)
    grid = combinations(
        ways, options.metrics, options.powers, options.shrinkages, options.lrs
    )
    source = source_of(options)

    @functools.lru_cache(maxsize=1)
    def load(way):
        return source.load(progress=not options.quiet, **ways[way])

    data = load(grid[0].preprocessing)
    split = options.split
    if split == "auto":
        split = "folds" if data.test is None else "official"
    outer = splits.outer_parts(data, split, options.folds, settings["random_state"])
    conditions = dict(
        source=source.record(),
        fingerprint=fingerprint(data),
        outer="official split" if split == "official" else f"{options.folds} folds",
        inner=f"{options.inner_folds} folds",
        settings={k: v for k, v in settings.items() if k not in _VARIED},
    )
    directory = run_directory(options, f"sweep-{short_name(data)}")
    if len(data.left_out):
        conditions["unusable"] = len(data.left_out)
    cells = Cells(directory, KEYS, RESULTS, conditions, options.resume)
    with resumable(options, directory):
        search = NestedSearch(
            data, load, outer, options.inner_folds, settings, cells, not options.quiet
        )
        validations = search.validate(grid)
        # The first of equals is taken, so that the choice can be repeated.
        places = validations.argmax(axis=1)
        chosen = [grid[place] for place in places]
        tests = search.test(chosen, keep=split == "official")
    if split == "official":
        [best] = chosen
        way = ways[best.preprocessing]
        record = make_record(
            dataclasses.replace(source, options=source.options | way),
            load(best.preprocessing),
            settings | best.settings(),
        )
        write_record(search.network(0, best), record)
    note = (
        f"{describe(data)}; {conditions['outer']} outside, {conditions['inner']} "
        f"inside."
    )
    _write(directory, note, grid, validations, places, tests)
    if not options.quiet:
        print(f"Written to {directory}: {', '.join(contents(directory))}.")


def _write(directory, note, grid, validations, places, tests):
    means = validations.mean(axis=0)
    best_first = np.argsort(-means, kind="stable")
    settings = [(*grid[i], means[i], int(np.sum(places == i))) for i in best_first]
    columns = (*Combination._fields, "validation", "chosen")
    write_text(directory / "settings.csv", csv_table(columns, settings))
    choices = [
        (outer, *grid[i], validations[outer, i], tests[outer])
        for outer, i in enumerate(places)
    ]
    columns = ("outer", *Combination._fields, "validation", "test")
    write_text(directory / "chosen.csv", csv_table(columns, choices))
    head = [(*row[:-2], percent(row[-2]), row[-1]) for row in settings[:_SHOWN]]
    choices = [(*row[:-2], *map(percent, row[-2:])) for row in choices]
    tables = {
        f"The best {len(head)} of {len(grid)} combinations by validation:": (
            (*Combination._fields, "validation %", "chosen"),
            head,
        ),
        "Chosen for each outer part:": (
            ("outer", *Combination._fields, "validation %", "test %"),
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
