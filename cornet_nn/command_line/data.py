"""cornet data: the data sets that have names, and what is in one.

Some examples:
  cornet data                                names of data sets and formats of files
  cornet data connectomes                    what is in it
  cornet data my_folder --option ridge=1e-6  what is wrong with which file

docs/datasets.md has the formats of the folders, and the options of --option.
"""

import warnings

import numpy as np

from geomstats_cor.exceptions import DataWarning

from .._text import text_table
from ..splits import names_of_classes
from .options import add_quiet, add_source, source_of

# What each data set is read from; nothing is downloaded.
FORMATS = {
    "radar-synthetic": "simulated radar-like signals, 3 classes (synthetic)",
    "connectomes": "comes with geomstats: 86 correlation matrices, 2 classes",
    "emg": "comes with geomstats: electromyograms of hand gestures",
    "radar": "--data-dir: *_{label}.npy, complex signals",
    "hdm05": "--data-dir: .amc with .asf skeletons, or joint trajectories",
    "hdm05-covariances": "--data-dir: {id}_{frames}_{label}.npy, 93 x 93",
    "fpha": "--data-dir: Subject_k/action/rep/skeleton.txt, and the split file",
    "fpha-features": "--data-dir: train/ and val/ of *_{label}.pt, 9 x 28 x 28",
    "ntu120": "--data-dir: SsssCcccPpppRrrrAaaa.skeleton",
    "ntu120-covariances": "--data-dir: the same, one covariance of 150 x 150 each",
}
_FILES = """\
Files and folders:
  FILE.npz  C (correlation matrices), S (covariance matrices) or X (either, or signals)
            [N, n, n], [N, channels, n, n] or [N, channels, time]; optional: y
            (classes), split (0 for training, 1 for test), groups (such as subjects)
  FILE.npy  such a stack; optional: FILE_labels.npy and FILE_split.npy beside it
  FOLDER    in the format of one of the data sets"""


def add_arguments(parser):
    """Add what the command takes to its parser."""
    add_source(parser, optional=True)
    add_quiet(parser)


def run(options):
    """Print what options ask for."""
    if options.data is None:
        if options.data_dir or options.option:
            options.usage_error("--data-dir and --option need DATA")
        rows = [(f"{name:18}  {text}",) for name, text in FORMATS.items()]
        print(text_table(("name                where it comes from",), rows))
        print(_FILES)
        return
    with warnings.catch_warnings():
        # All problems are listed below.
        warnings.simplefilter("ignore", DataWarning)
        data = source_of(options).load(options.quiet)
    print(data)
    if data.is_labelled:
        columns = {"samples": np.ones(len(data), dtype=bool)}
        if data.test is not None:
            columns |= {"training": ~data.test, "test": data.test}
        names = names_of_classes(data)
        rows = [
            (name, *(np.sum(names[part] == name) for part in columns.values()))
            for name in data.classes
        ]
        print(text_table(("class", *columns), rows))
    if data.groups is not None:
        print(f"{len(np.unique(data.groups))} groups.")
    print(f"{len(data.problems)} left out{':' if data.problems else '.'}")
    for problem in data.problems:
        print(f"  {problem}")
