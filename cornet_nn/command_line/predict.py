"""cornet predict: classes and probabilities of samples."""

from pathlib import Path

from geomstats_cor.exceptions import ParameterError

from .._files import make_writable, write_text
from ..splits import names_of_classes
from .evaluate import add_run, load_run
from .tables import csv_table

EPILOG = """\
examples:
  cornet predict runs/first new.npz -o predictions.csv
  cornet predict runs/first connectomes --part all

The file has one row per sample, in the order of the data: its index there, the class,
the probability of every class, and the true class where the data has labels. Labels
are not needed."""


def add_arguments(parser):
    """Add what the command takes to its parser."""
    add_run(parser, "all", data_is_optional=False)
    parser.add_argument(
        "-o",
        "--output",
        type=Path,
        default=Path("predictions.csv"),
        metavar="FILE",
        help="file to write (default: %(default)s)",
    )


def run(options):
    """Write the predictions that options ask for.

    Parameters
    ----------
    options : argparse.Namespace
        Options.
    """
    if options.output.is_dir():
        raise ParameterError(f"{options.output} is a folder: name a file with -o.")
    make_writable(options.output.parent)
    # A sample that is left out would shift the rows of those after it.
    model, data, index, *_ = load_run(options, errors="raise")
    probabilities = model.predict_proba(data.inputs)
    labels = model.classes_[probabilities.argmax(axis=1)]
    header = ["sample", "label", *(f"p({name})" for name in model.classes_)]
    columns = [index, labels, *probabilities.T]
    if data.is_labelled:
        header.append("true")
        columns.append(names_of_classes(data))
    rows = list(zip(*(column.tolist() for column in columns), strict=True))
    write_text(options.output, csv_table(header, rows))
    print(options.output if options.quiet else f"{len(rows)} rows in {options.output}.")
