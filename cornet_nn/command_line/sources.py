"""Where the data of a command comes from, and how it is found again."""

import argparse
import json
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path

import numpy as np

from geomstats_cor.exceptions import ParameterError

from .processes import first_process_first
from .tables import percent

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
    directory: str = None
    options: dict = field(default_factory=dict)
    cache: str = None
    jobs: int = None

    def load(self, progress=True, **options):
        """Load the data set.

        Parameters
        ----------
        progress : bool
            Whether to show a progress bar.
        **options
            Further options of the loader.

        Returns
        -------
        data : Dataset
            Data set.
        """
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
                progress=progress,
                **(self.options | options),
            )

    def record(self):
        """Return what names the data, without what only makes loading quick.

        Returns
        -------
        record : dict
            Arguments of a source.
        """
        return {k: v for k, v in asdict(self).items() if k not in ("cache", "jobs")}


def add_source(parser, optional=False):
    """Add the data and the options of its loader to a parser.

    Parameters
    ----------
    parser : argparse.ArgumentParser
        Parser.
    optional : bool
        Whether the data may be left out.
    """
    parser.add_argument(
        "data",
        nargs="?" if optional else None,
        metavar="DATA",
        help=".npz or .npy file, folder, or name of a data set (see cornet data)",
    )
    group = parser.add_argument_group("data")
    group.add_argument(
        "--data-dir",
        type=_absolute,
        metavar="DIR",
        help="folder with the files of a data set that is given by name",
    )
    group.add_argument(
        "--option",
        type=key_and_value,
        action="append",
        default=[],
        metavar="KEY=VALUE",
        help="option of the loader, such as center=first; can be repeated",
    )
    group.add_argument(
        "--cache",
        type=_absolute,
        metavar="DIR",
        help="where conversions are kept (default: a folder of the user)",
    )
    group.add_argument(
        "--no-cache",
        dest="cache",
        action="store_const",
        const=False,
        help="convert anew, and keep nothing",
    )
    group.add_argument(
        "--jobs",
        type=int,
        metavar="N",
        help="processes that convert files, and trainings at a time where there are "
        "many; -1 for all cores",
    )


def source_of(options, default=None):
    """Return the source that options name.

    Parameters
    ----------
    options : argparse.Namespace
        Options.
    default : dict
        Record of the source if the options name no data. Options of the loader are
        then added to its own.

    Returns
    -------
    source : Source
        Source.
    """
    source = Source("") if default is None else Source(**default)
    given = dict(options=source.options | dict(options.option))
    if options.data is not None:
        # A path is found again from another folder.
        is_path = Path(options.data).exists()
        data = _absolute(options.data) if is_path else options.data
        given = dict(data=data, directory=None, options=dict(options.option))
    if options.data_dir is not None:
        given["directory"] = options.data_dir
    return replace(source, cache=options.cache, jobs=options.jobs, **given)


def key_and_value(word):
    """Return a key and a value.

    Parameters
    ----------
    word : str
        Both, as in "center=first" or "levels=2"; the value is read as JSON where it is
        that, and is the text itself where not.

    Returns
    -------
    key : str
        Key, with underscores for dashes.
    value : object
        Value.

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

    Parameters
    ----------
    word : str
        Word.

    Returns
    -------
    value : object
        Value.

    Examples
    --------
    >>> value_of("0.5"), value_of("left")
    (0.5, 'left')
    """
    try:
        return json.loads(word)
    except (ValueError, RecursionError):
        return word


def short_name(data):
    """Return the name of a data set, without the folders of its file.

    Parameters
    ----------
    data : Dataset
        Data set.

    Returns
    -------
    name : str
        Name that can be part of the name of a file.
    """
    return Path(data.name).stem


def describe(data):
    """Return a data set in some words.

    Parameters
    ----------
    data : Dataset
        Data set.

    Returns
    -------
    words : str
        Name, size, the share of the largest class, which is what a constant answer
        gets right, and the number of items that cannot be used.
    """
    unusable = ""
    if len(data.left_out):
        unusable = f"; {len(data.left_out)} more cannot be used"
        if data.test is not None:
            unusable += f" ({len(data.left_out.part(test=True))} for test)"
        unusable += " and count as errors where they are tested"
    _, counts = np.unique(data.labels, return_counts=True)
    return (
        f"{short_name(data)}: {'synthetic data, ' if data.synthetic else ''}"
        f"{len(data)} samples of {len(data.classes)} classes, of which the largest has "
        f"{percent(counts.max() / len(data))} %{unusable}"
    )


def fingerprint(data):
    """Return a short text that changes with the inputs or the labels of a data set.

    Parameters
    ----------
    data : Dataset
        Data set.

    Returns
    -------
    fingerprint : str
        Hexadecimal digits.
    """
    from ..training.description import fingerprint

    return fingerprint(data.inputs, data.labels, np.array(data.classes, dtype=str))


def _absolute(path):
    # Links are kept: files beside a link belong to the data.
    return str(Path(path).expanduser().absolute())
