"""cornet evaluate: the accuracy of a trained network on labelled data.

Some examples:
  cornet evaluate runs/first              on the test part of the data it was trained on
  cornet evaluate runs/first other.npz    on other data with the same classes
  cornet evaluate runs/first --part train

The accuracy is the fraction of samples that are classified correctly; samples that
cannot be used count as errors, and have a column of their own in confusion.csv.
classes.csv and confusion.csv (rows are true classes, columns predicted ones) are
written to a folder of the run directory, or to --output.
"""

from pathlib import Path

import numpy as np

from geomstats_cor.exceptions import ParameterError

from .._files import make_writable, write_csv
from .._text import percent, text_table
from ..splits import names_of_classes, official
from .options import add_quiet, add_source, record_of, source_of
from .train import read_record

_UNUSABLE = "(unusable)"


def add_run(parser, part, data_is_optional):
    """Add a run directory, data (by default that of the run), and a part of it."""
    parser.add_argument("directory", type=Path, metavar="RUN", help="run directory")
    add_source(parser, optional=data_is_optional)
    text = "part of the data; auto is the test part of an official split, and all "
    text += "where there is none (default: %(default)s)"
    parts = ("auto", "test", "train", "all")
    parser.add_argument("--part", choices=parts, default=part, help=text)
    add_quiet(parser)


def load_run(options, **loading):
    """Load the network and the samples that options name.

    The results are the fitted estimator, the samples, their indices in the data set,
    which part they are ("test", "train" or "all"), and whether some of them were
    trained on. Further options are those of the loader.
    """
    from ..training import load_classifier

    known = read_record(options.directory)["data"]
    model = load_classifier(options.directory)
    source = source_of(options, known["source"])
    data = source.load(options.quiet, **loading)
    part = options.part
    if part == "auto":
        part = "all" if data.test is None else "test"
    index, samples = np.arange(len(data)), data
    if part != "all":
        [parts] = official(data)
        index = parts[part == "test"]
        index = index[index < len(data)]
        samples = data.test_part() if part == "test" else data.train_part()
    is_same = record_of(source, data, part)["fingerprint"] == known["fingerprint"]
    was_seen = is_same and part in ("all", known["part"])
    return model, samples, index, part, was_seen


def add_arguments(parser):
    """Add what the command takes to its parser."""
    add_run(parser, "auto", data_is_optional=True)
    text = "directory to write to (default: evaluation-DATA-PART in the run)"
    parser.add_argument("-o", "--output", type=Path, metavar="DIR", help=text)


def run(options):
    """Evaluate the run that options name."""
    import pandas as pd
    from sklearn.metrics import confusion_matrix, precision_recall_fscore_support

    model, data, _, part, was_seen = load_run(options)
    truth, classes = _truth(data, model), model.classes_
    unusable = len(data.left_out)
    predicted = np.append(model.predict(data.inputs), [_UNUSABLE] * unusable)
    columns = [*classes, _UNUSABLE] if unusable else [*classes]
    confusion = confusion_matrix(truth, predicted, labels=columns)[: len(classes)]
    precision, recall, f1, support = precision_recall_fscore_support(
        truth, predicted, labels=classes, zero_division=np.nan
    )
    table = {"class": classes, "samples": support, "precision": precision}
    table |= {"recall": recall, "f1": f1}
    name = f"evaluation-{Path(data.name).stem}-{part}"
    directory = options.output or options.directory / name
    make_writable(directory)
    write_csv(directory / "classes.csv", pd.DataFrame(table), na_rep="nan")
    counts = pd.DataFrame(confusion, columns=columns)
    counts.insert(0, "true", classes, allow_duplicates=True)
    write_csv(directory / "confusion.csv", counts)
    correct = np.trace(confusion)
    counted = f", of which {unusable} cannot be used and count as errors"
    seen = ", which the network was trained on" if was_seen else ""
    print(
        f"accuracy {percent(correct / len(truth))} %: {correct} of {len(truth)} "
        f"samples of {data.name} ({part}){seen}{counted if unusable else ''}."
    )
    rows = [
        (name, count, *map(percent, scores))
        for name, count, *scores in zip(*table.values(), strict=True)
    ]
    print(text_table(table, rows))
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
