"""Run directories: what they say of the data, and the network that is in them."""

import contextlib
import hashlib
import json
from pathlib import Path
from typing import NamedTuple

import numpy as np

from geomstats_cor.exceptions import ParameterError

from .files import write_json
from .settings import read_json, require_setting, with_defaults
from .sources import add_source, fingerprint, source_of
from .splits import official

_RECORD = "run.json"
# The estimator writes it when training begins.
_CONFIGURATION = "configuration.json"


def holds_run(directory):
    """Tell whether there is a run in a directory.

    Parameters
    ----------
    directory : pathlib.Path
        Directory.

    Returns
    -------
    holds_run : bool
        Whether there is.
    """
    return any((directory / name).exists() for name in (_RECORD, _CONFIGURATION))


def make_record(source, data, settings):
    """Return what a run directory says of its data and settings.

    Parameters
    ----------
    source : Source
        Where the data comes from.
    data : Dataset
        Data set.
    settings : dict
        Settings by name.

    Returns
    -------
    record : dict
        Record, as JSON has it.
    """
    return dict(
        source=source.record(),
        fingerprint=fingerprint(data),
        part="all" if data.test is None else "train",
        settings=settings,
    )


def write_record(directory, record):
    """Write the record of a run to its directory.

    Parameters
    ----------
    directory : pathlib.Path
        Run directory.
    record : dict
        Record.
    """
    write_json(directory / _RECORD, record | dict(digest=_digest(record)))


def _digest(record):
    text = json.dumps(record, sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()


@contextlib.contextmanager
def removed_if_refused(directory):
    """Remove the record of a run if a block raises before anything is trained.

    Parameters
    ----------
    directory : pathlib.Path
        Run directory, to which another run can then be written.
    """
    try:
        yield
    except Exception:
        if not (directory / _CONFIGURATION).exists():
            (directory / _RECORD).unlink(missing_ok=True)
        raise


def read_record(directory):
    """Return the record of a run.

    Parameters
    ----------
    directory : pathlib.Path
        Run directory.

    Returns
    -------
    record : dict
        Record.
    """
    if not (directory / _RECORD).exists():
        raise ParameterError(
            f"{directory} is not the directory of a run: it has no {_RECORD}. "
            f"cornet train writes such directories."
        )
    record = read_json(directory / _RECORD)
    digest = record.pop("digest", None)
    if digest is None:
        record = _without_earlier_settings(record)
    elif digest != _digest(record):
        raise ParameterError(
            f"{directory / _RECORD} was changed since it was written: put it back as "
            f"it was. A copy of it can be changed, and used by --config."
        )
    _require_record(record, directory / _RECORD)
    return record | dict(settings=with_defaults(record["settings"]))


def _without_earlier_settings(record):
    """Return a record, which has no digest if it is of a version up to 0.1.0.

    Settings that were None there, or are gone, are left out; loading the network
    refuses those that mattered.
    """
    settings = record.get("settings")
    if not isinstance(settings, dict):
        return record
    kept = {k: v for k, v in settings.items() if k != "center" and v is not None}
    return record | dict(settings=kept)


def _require_record(record, path):
    source, settings = record.get("source"), record.get("settings")
    if not (
        isinstance(source, dict)
        and source.keys() == {"data", "directory", "options"}
        and isinstance(source["data"], str)
        and isinstance(source["directory"], str | None)
        and isinstance(source["options"], dict)
        and isinstance(settings, dict)
        and isinstance(record.get("fingerprint"), str)
        and record.get("part") in ("all", "train")
    ):
        raise ParameterError(
            f"{path} is not the record of a run: expected source (data, directory, "
            f"options), fingerprint, part and settings."
        )
    for name, value in settings.items():
        require_setting(name, value, path)


class LoadedRun(NamedTuple):
    """A trained network, and samples to use it on.

    Attributes
    ----------
    model : CorNetClassifier
        Fitted estimator.
    data : Dataset
        Samples.
    index : array of int
        Their places in the data set.
    part : str
        Which part of the data set they are: "test", "train" or "all".
    was_seen : bool
        Whether some of them were trained on.
    """

    model: object
    data: object
    index: np.ndarray
    part: str
    was_seen: bool


def add_run(parser, part, data_is_optional):
    """Add a run directory, data, and a choice of its part to a parser.

    Parameters
    ----------
    parser : argparse.ArgumentParser
        Parser.
    part : str
        Part if none is given.
    data_is_optional : bool
        Whether the data may be left out, and is then that of the run.
    """
    parser.add_argument("directory", type=Path, metavar="RUN", help="run directory")
    add_source(parser, optional=data_is_optional)
    parser.add_argument(
        "--part",
        choices=("auto", "test", "train", "all"),
        default=part,
        help="part of the data; auto is the test part of an official split, and all "
        "where there is none (default: %(default)s)",
    )


def load_run(options, **loading):
    """Return the network and the samples that options name.

    Parameters
    ----------
    options : argparse.Namespace
        Options.
    **loading
        Further options of the loader.

    Returns
    -------
    run : LoadedRun
        Network and samples.
    """
    from ..training import load_classifier

    record = read_record(options.directory)
    model = load_classifier(options.directory)
    source = source_of(options, record["source"])
    data = source.load(progress=not options.quiet, **loading)
    part = options.part
    if part == "auto":
        part = "all" if data.test is None else "test"
    index, samples = np.arange(len(data)), data
    if part != "all":
        [parts] = official(data)
        index = parts[part == "test"]
        index = index[index < len(data)]
        samples = data.test_part() if part == "test" else data.train_part()
    is_same = fingerprint(data) == record["fingerprint"]
    was_seen = is_same and part in ("all", record["part"])
    return LoadedRun(model, samples, index, part, was_seen)
