"""cornet predict: classes and probabilities of samples.

Some examples:
  cornet predict runs/first new.npz -o predictions.csv
  cornet predict runs/first connectomes --part all

The file has one row per sample, in the order of the data: its index there, the class,
the probability of every class, and the true class where the data has labels. Labels
are not needed.
"""

from pathlib import Path

from geomstats_cor.exceptions import ParameterError

from .._files import make_writable, write_csv
from ..splits import names_of_classes
from .evaluate import add_run, load_run


def add_arguments(parser):
    """Add what the command takes to its parser."""
    add_run(parser, "all", data_is_optional=False)
    how = dict(type=Path, metavar="FILE", default=Path("predictions.csv"))
    text = "file to write (default: %(default)s)"
    parser.add_argument("-o", "--output", help=text, **how)


def run(options):
    """Write the predictions that options ask for."""
    import pandas as pd

    if options.output.is_dir():
        raise ParameterError(f"{options.output} is a folder: name a file with -o.")
    make_writable(options.output.parent)
    # A sample that is left out would shift the rows of those after it.
    model, data, index, *_ = load_run(options, errors="raise")
    # Digits of float64 give back float32 as well.
    probabilities = model.predict_proba(data.inputs).astype(float)
    labels = model.classes_[probabilities.argmax(axis=1)]
    table = pd.DataFrame(probabilities, columns=[f"p({c})" for c in model.classes_])
    table.insert(0, "sample", index)
    table.insert(1, "label", labels)
    if data.is_labelled:
        table["true"] = names_of_classes(data)
    write_csv(options.output, table)
    print(
        options.output if options.quiet else f"{len(table)} rows in {options.output}."
    )
