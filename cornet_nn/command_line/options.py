"""What several commands have in common: data, run directories, grids of trainings."""

import argparse
import contextlib
import json
import shlex
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, get_args

import numpy as np

from geomstats_cor.exceptions import ParameterError

from .._files import contents
from .._text import percent
from ..training.settings import Metric
from .processes import first_process_first

METRICS = get_args(Metric)
# Arguments of `load` that have options of their own.
_OWN_OPTIONS = {"data", "directory", "cache", "jobs", "progress"}


@dataclass(frozen=True)
class Source:
    """A data set as a user names it on the command line.

    Parameters
    ----------
    data : str
        Name of a data set, or path of a file or folder.
    directory : str
        Folder with the files of a data set that has a name.
    options : dict
        Options of the loader.
    cache : str or False
        Folder where conversions are kept; False keeps none.
    jobs : int
        Number of processes that convert.

    Examples
    --------
    >>> Source("connectomes").record()
    {'data': 'connectomes', 'directory': None, 'options': {}}
    """

    data: str
    directory: str | None = None
    options: dict[str, Any] = field(default_factory=dict)
    cache: str | bool | None = None
    jobs: int | None = None

    def load(self, quiet, **options):
        """Load the data set, with further options of the loader."""
        from ..datasets import load

        taken = sorted(self.options.keys() & _OWN_OPTIONS)
        if taken:
            raise ParameterError(
                f"{', '.join(taken)} is not an option of the data set: use the options "
                f"of the command."
            )
        with first_process_first():
            return load(
                self.data,
                directory=self.directory,
                cache=self.cache,
                jobs=self.jobs if (self.jobs or 0) > 0 else None,
                progress=not quiet,
                **(self.options | options),
            )

    def record(self):
        """Return what names the data, without what only makes loading quick."""
        return {k: v for k, v in asdict(self).items() if k not in ("cache", "jobs")}


def add_source(parser, optional=False):
    """Add the data, which may be optional, and the options of its loader."""
    text = ".npz or .npy file, folder, or name of a data set (see cornet data)"
    count = "?" if optional else None
    parser.add_argument("data", nargs=count, metavar="DATA", help=text)
    group = parser.add_argument_group("data")
    folder = dict(type=_absolute, metavar="DIR")
    text = "folder with the files of a data set that is given by name"
    group.add_argument("--data-dir", help=text, **folder)
    add_loader_options(group, "option of the loader, such as center=first")
    text = "where conversions are kept (default: a folder of the user)"
    group.add_argument("--cache", help=text, **folder)
    never = dict(dest="cache", action="store_const", const=False)
    group.add_argument("--no-cache", help="convert again, and store nothing", **never)
    text = "processes that convert files, and trainings at a time where there are many"
    text += "; -1 for all cores"
    group.add_argument("--jobs", type=int, metavar="N", help=text)


def add_loader_options(parser, text):
    """Add the option `--option KEY=VALUE`."""
    how = dict(type=key_and_value, action="append", default=[], metavar="KEY=VALUE")
    parser.add_argument("--option", help=f"{text}; can be repeated", **how)


def add_running(parser, default):
    """Add the directory of a run, by default the one that is named, and --resume."""
    group = parser.add_argument_group("run")
    text = f"directory for all that is written (default: {default}, with a number if "
    text += "that is taken)"
    group.add_argument("--run-dir", type=Path, metavar="DIR", help=text)
    text = "continue what is in the run directory"
    group.add_argument("--resume", action="store_true", help=text)
    add_quiet(group)


def add_grid(group, splits, split_help):
    """Add what many trainings have in common: metrics, parts, and where they run."""
    known = dict(choices=METRICS, default=list(METRICS))
    group.add_argument(
        "--metrics", nargs="+", help="metrics (default: all five)", **known
    )
    text = "scheduler of dask that runs the trainings, such as tcp://host:8786"
    group.add_argument("--cluster", metavar="ADDRESS", help=text)
    text = f"{split_help} (default: %(default)s)"
    group.add_argument("--split", choices=splits, default=splits[0], help=text)
    add_folds(group, "--folds", 5, "folds to test on")


def add_folds(group, name, default, text):
    """Add a number of folds."""
    text = f"{text} (default: %(default)s)"
    group.add_argument(name, type=int, default=default, metavar="K", help=text)


def add_quiet(parser):
    """Add the option that leaves nothing but the result."""
    text = "print nothing but the result"
    parser.add_argument("--quiet", action="store_true", help=text)


def source_of(options, default=None):
    """Return the source that options name.

    If they name none, it is that of a record, with further options of the loader.
    """
    source = Source(**default) if default else Source("")
    given = source.options | dict(options.option)
    if options.data is not None:
        # A path is found again from another folder.
        is_path = Path(options.data).exists()
        source = Source(_absolute(options.data) if is_path else options.data)
        given = dict(options.option)
    directory = options.data_dir or source.directory
    return Source(source.data, directory, given, options.cache, options.jobs)


def key_and_value(word):
    """Return a key, with underscores for dashes, and a value as `value_of` reads it.

    Examples
    --------
    >>> key_and_value("view-alignment=false"), key_and_value("level=high")
    (('view_alignment', False), ('level', 'high'))
    """
    key, equals, value = word.partition("=")
    if not (key and equals):
        raise argparse.ArgumentTypeError(f"{word!r} is not of the form KEY=VALUE")
    return key.replace("-", "_"), value_of(value)


def value_of(word):
    """Return what a word means in JSON, or the word where it means nothing there.

    Examples
    --------
    >>> value_of("0.5"), value_of("left")
    (0.5, 'left')
    """
    try:
        return json.loads(word)
    except (ValueError, RecursionError):
        return word


def describe(data):
    """Return a data set in some words.

    They are its name and size, the share of the largest class, which is what a constant
    answer gets right, and the number of items that cannot be used.
    """
    unusable = ""
    if len(data.left_out):
        unusable = f"; {len(data.left_out)} more cannot be used"
        if data.test is not None:
            unusable += f" ({len(data.left_out.part(test=True))} for test)"
        unusable += " and count as errors where they are tested"
    _, counts = np.unique(data.labels, return_counts=True)
    return (
        f"{Path(data.name).stem}: {'synthetic data, ' if data.synthetic else ''}"
        f"{len(data)} samples of {len(data.classes)} classes, of which the largest has "
        f"{percent(counts.max() / len(data))} %{unusable}"
    )


def record_of(source, data, part):
    """Return what a run directory says of its data: where it is, and which part."""
    from ..training.description import fingerprint

    classes = np.array(data.classes, dtype=str)
    digest = fingerprint(data.inputs, data.labels, classes)
    return dict(source=source.record(), fingerprint=digest, part=part)


def run_directory(options, name):
    """Return the directory of a run, which is not made; `name` is for those without."""
    if options.run_dir is not None:
        return options.run_dir
    if options.resume:
        options.usage_error("--resume needs --run-dir, the directory to continue")
    directory, number = Path("runs") / name, 1
    while directory.exists() and contents(directory):
        number += 1
        directory = Path("runs") / f"{name}-{number}"
    return directory


@contextlib.contextmanager
def resumable(options, directory):
    """Say how to resume if a block is interrupted."""
    try:
        yield
    except KeyboardInterrupt:
        words = ["cornet", *options.words]
        if options.run_dir is None:
            words += ["--run-dir", str(directory)]
        if not options.resume:
            words += ["--resume"]
        raise KeyboardInterrupt(f"stopped. To resume: {shlex.join(words)}") from None


@contextlib.contextmanager
def open_results(options, data):
    """Open the table of finished trainings of a command."""
    from ..runner import Results, on_cluster

    directory = run_directory(options, f"{options.words[0]}-{Path(data.name).stem}")
    with (
        on_cluster(options.cluster),
        resumable(options, directory),
        Results(directory, options.resume) as results,
    ):
        yield results


def say_written(options, directory):
    """Print what is in a directory."""
    if not options.quiet:
        print(f"Written to {directory}: {', '.join(contents(directory))}.")


def _absolute(path):
    # Links are kept: files beside a link belong to the data.
    return str(Path(path).expanduser().absolute())
