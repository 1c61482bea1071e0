"""cornet evaluate: what a trained network is worth on labelled data."""

from pathlib import Path

import numpy as np

from geomstats_cor.exceptions import ParameterError

from .files import make_writable, write_text
from .options import add_command, add_quiet
from .runs import add_run, load_run
from .sources import names_of_classes
from .tables import csv_table, percent, text_table

_EPILOG = """\
examples:
  cornet evaluate runs/first              on the test part of the data it was trained on
  cornet evaluate runs/first other.npz    on other data with the same classes
  cornet evaluate runs/first --part train

The accuracy is the fraction of samples that are classified rightly; samples that cannot
be used count as errors, and have a column of their own in confusion.csv. classes.csv
and confusion.csv (rows are true classes, columns predicted ones) go to a folder of the
run directory, or to --output."""

_UNUSABLE = "(unusable)"


def add_parser(commands):
    """Add the command to the parser of the command line.

    Parameters
    ----------
    commands : argparse._SubParsersAction
        Where commands are added.
    """
    summary = "accuracy of a run, class by class, and the confusion matrix"
    parser = add_command(commands, "evaluate", summary, _EPILOG, run)
    add_run(parser, "auto", data_is_optional=True)
    parser.add_argument(
        "-o",
        "--output",
        type=Path,
        metavar="DIR",
        help="directory to write to (default: evaluation-DATA-PART in the run)",
    )
    add_quiet(parser)


def run(options):
    """Evaluate the run that options name.

    Parameters
    ----------
    options : argparse.Namespace
        Options.
    """
    from sklearn.metrics import confusion_matrix, precision_recall_fscore_support

    model, data, _, part, was_seen = load_run(options)
    truth, classes = _truth(data, model), model.classes_
    unusable = len(data.left_out)
    predicted = np.append(model.predict(data.inputs), [_UNUSABLE] * unusable)
    columns = [*classes, _UNUSABLE] if unusable else [*classes]
    confusion = confusion_matrix(truth, predicted, labels=columns)[: len(classes)]
    scores = precision_recall_fscore_support(
        truth, predicted, labels=classes, zero_division=np.nan
    )
    precision, recall, f1, support = scores
    table = list(zip(classes, support, precision, recall, f1, strict=True))
    header = ("class", "samples", "precision", "recall", "f1")
    stem = Path(data.name).stem
    directory = options.output or options.directory / f"evaluation-{stem}-{part}"
    make_writable(directory)
    write_text(directory / "classes.csv", csv_table(header, table))
    rows = [(name, *row) for name, row in zip(classes, confusion, strict=True)]
    write_text(directory / "confusion.csv", csv_table(("true", *columns), rows))
    right = np.trace(confusion)
    counted = f", of which {unusable} cannot be used and count as errors"
    seen = ", which the network was trained on" if was_seen else ""
    print(
        f"accuracy {percent(right / len(truth))} %: {right} of {len(truth)} samples of "
        f"{data.name} ({part}){seen}{counted if unusable else ''}."
    )
    shown = [(name, count, *map(percent, row)) for name, count, *row in table]
    print(text_table(header, shown))
    if not options.quiet:
        print(f"Written to {directory}: classes.csv, confusion.csv.")


def _truth(data, model):
    """Return the classes of the samples, and then of those that cannot be used."""
    names = np.asarray(data.classes, dtype=str)
    truth = np.append(names_of_classes(data), names[data.left_out.labels])
    unknown = np.setdiff1d(truth, model.classes_)
    if len(unknown):
        known = ", ".join(map(str, model.classes_))
        raise ParameterError(
            f"{data.name} has the class {str(unknown[0])!r}, and the run knows "
            f"{known}: evaluate on data with the same classes."
        )
    return truth
