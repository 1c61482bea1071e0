"""Conversion of many items: in parallel, with a progress bar, and cached."""

import collections
import dataclasses
import hashlib
import json
import os
import time
from pathlib import Path
from typing import Any, NamedTuple

import joblib
import numpy as np

from geomstats_cor._callers import warn_user
from geomstats_cor.exceptions import (
    DataError,
    DataWarning,
    GeomstatsCorError,
    ParameterError,
)

from .._files import replacing
from .._text import printable
from .dataset import Dataset, LeftOut, indexed

# Part of the key of the cache. Add one to it with every change that lets a conversion
# return other values: of a loader, a step, or a kernel that they call.
CACHE_VERSION = 1
# Processes take seconds to start: what is done within these needs none.
SECONDS_WITHOUT_PROCESSES = 10.0


class Converted(NamedTuple):
    """Items that were converted.

    Attributes
    ----------
    values : array, shape=[N, ...]
        Values of the items that could be.
    kept : array of int, shape=[N]
        Their indices.
    problems : tuple of str
        What was wrong with the others.
    """

    values: np.ndarray
    kept: np.ndarray
    problems: tuple

    def dataset(self, name, kind, labels, classes=None, nameless=(), **parts):
        """Return the items that can be used as a data set.

        Parameters
        ----------
        name, kind : str
            Name of the data set, and kind of its inputs.
        labels : array, shape=[M], or None
            Labels of all items, as numbers or names; None if there are none.
        classes : sequence of str
            Names of the classes in the order of the labels, if the labels are not
            names.
        nameless : sequence of str
            What was wrong with files that are no items, as their names say nothing.
        **parts
            Arrays `test` and `groups` of all items, if there are any.

        Returns
        -------
        dataset : Dataset
            Data set, which knows the labels of the items that were left out.
        """
        size = len(self.kept) + len(self.problems)
        labels, found = (np.full(size, -1), ()) if labels is None else indexed(labels)
        parts["labels"] = labels
        kept: dict[str, Any] = {
            k: v if v is None else v[self.kept] for k, v in parts.items()
        }
        return Dataset(
            name,
            self.values,
            classes=found if classes is None else classes,
            kind=kind,
            problems=(*nameless, *self.problems),
            left_out=LeftOut.among(self.kept, **parts),
            **kept,
        )


@dataclasses.dataclass(frozen=True)
class Conversion:
    """How to convert the items of a data set.

    Attributes
    ----------
    cache : pathlib.Path or None
        Directory of converted data; None to keep none.
    jobs : int or None
        Number of processes; None for one for each core, once ten seconds were not
        enough without.
    progress : bool
        Whether to show a progress bar.
    """

    cache: Path | None = None
    jobs: int | None = None
    progress: bool = False

    def __post_init__(self):
        if self.jobs is not None and self.jobs < 1:
            raise ParameterError(f"jobs is at least 1, not {self.jobs}")

    def run(self, name, convert, items, settings, files=None):
        """Convert items, or take what was converted before from the cache.

        Parameters
        ----------
        name : str
            Name of the data set.
        convert : callable
            Makes an array of the argument of an item and of the settings, or raises a
            `DataError`.
        items : list of tuple
            Name and argument of each item.
        settings : dict
            All that the values depend on beside the files, as `repr` shows it.
        files : list of pathlib.Path
            Files that the items come from; by default their arguments.

        Returns
        -------
        converted : Converted
            Values.
        """
        from tqdm.auto import tqdm

        if not items:
            raise DataError(f"{name}: there is nothing to convert")
        names, arguments = zip(*items, strict=True)
        files = arguments if files is None else files
        stored = self.cache and self._path(self.cache, name, files, settings)
        converted = _read(stored)
        if converted is None:
            results = tqdm(
                self._attempts(convert, arguments, settings),
                total=len(items),
                desc=printable(name),
                unit=" items",
                disable=not self.progress,
            )
            converted = stacked(names, list(results), f"{name}: ")
            if stored is not None:
                _write(stored, converted)
        return converted

    def _attempts(self, convert, arguments, settings):
        arguments = collections.deque(arguments)
        if self.jobs is None:
            end = time.monotonic() + SECONDS_WITHOUT_PROCESSES
            while arguments and time.monotonic() < end:
                yield attempt(convert, arguments.popleft(), settings)
        if arguments:
            jobs = self.jobs or joblib.cpu_count()
            parallel = joblib.Parallel(n_jobs=jobs, return_as="generator")
            task = joblib.delayed(attempt)
            yield from parallel(task(convert, a, settings) for a in arguments)

    def _path(self, cache, name, files, settings):
        states = [_state(file) for file in files]
        key = [CACHE_VERSION, name, sorted(settings.items()), states]
        digest = hashlib.sha256(json.dumps(key, default=repr).encode()).hexdigest()
        return cache / f"{Path(name).stem}-{digest[:32]}.npz"


def default_cache():
    """Return the directory of converted data of the user.

    Returns
    -------
    directory : pathlib.Path
        CORNET_CACHE of the environment, or else `cornet_nn` under XDG_CACHE_HOME, or
        under LOCALAPPDATA on Windows, or under `~/.cache`.
    """
    if os.environ.get("CORNET_CACHE"):
        return Path(os.environ["CORNET_CACHE"])
    home = os.environ.get("XDG_CACHE_HOME")
    if not home and os.name == "nt":
        home = os.environ.get("LOCALAPPDATA")
    return Path(home or Path.home() / ".cache") / "cornet_nn"


def _state(file):
    """Return what changes when a file does."""
    if not file.exists():
        return str(file.resolve()), "missing"
    status = file.stat()
    return str(file.resolve()), status.st_size, status.st_mtime_ns


def attempt(convert, argument, settings):
    """Return the value of an item, or a message that says why it has none.

    Parameters
    ----------
    convert, argument, settings
        See `Conversion.run`.

    Returns
    -------
    result : array or str
        Value or message.
    """
    try:
        return convert(argument, **settings)
    except DataError as error:
        return str(error)
    except GeomstatsCorError:
        raise
    # A damaged file makes the libraries that read it raise almost anything.
    except Exception as error:
        return f"cannot be read: {type(error).__name__}: {error}"


def stacked(names, results, title=""):
    """Stack the values of items, and say what is wrong with the others.

    Parameters
    ----------
    names : sequence of str
        Name of each item.
    results : sequence of array or str
        What `attempt` returned for each. An array of another shape than most is a
        problem, too.
    title : str
        Beginning of the message if no item can be used.

    Returns
    -------
    converted : Converted
        Values.
    """
    shapes = collections.Counter([r.shape for r in results if not isinstance(r, str)])
    usual = shapes.most_common(1)[0][0] if shapes else ()
    kept, problems = [], []
    for number, (name, result) in enumerate(zip(names, results, strict=True)):
        if isinstance(result, str):
            problems.append(f"{name} {result}")
        elif result.shape != usual:
            problems.append(f"{name} has shape {result.shape}, and others {usual}")
        else:
            kept.append(number)
    if not kept:
        total, shown = len(results), listed(problems)
        raise DataError(f"{title}none of {total} items can be used. {shown}")
    values = np.stack([results[number] for number in kept])
    return Converted(values, np.array(kept, dtype=np.int64), tuple(problems))


def listed(problems, most=5):
    """Return the first problems as a sentence.

    Parameters
    ----------
    problems : sequence of str
        Problems.
    most : int
        Number of those that are named.

    Returns
    -------
    sentence : str
        Sentence.
    """
    more = len(problems) - most
    shown = "; ".join(problems[:most])
    return f"{shown}; and {more} more." if more > 0 else f"{shown}."


def _read(path):
    """Return what is in the cache; a damaged file is converted again, and replaced."""
    try:
        with np.load(path, allow_pickle=False) as stored:
            problems = tuple(stored["problems"].tolist())
            return Converted(stored["values"], stored["kept"], problems)
    except Exception:
        return None


def _write(path, converted):
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        problems = np.array(converted.problems, dtype=np.str_)
        with replacing(path, mode="wb") as file:
            np.savez(file, **converted._asdict() | dict(problems=problems))
    except OSError as error:
        warn_user(
            f"converted data is not cached: {path.parent} cannot be written ({error}). "
            f"Choose another directory, or cache=False.",
            DataWarning,
        )


def read_table(file):
    """Read numbers in columns.

    Parameters
    ----------
    file : pathlib.Path
        Text file.

    Returns
    -------
    table : array, shape=[rows, columns]
        Numbers.
    """
    text = file.read_text()
    if not text.strip():
        raise DataError("is empty")
    return np.loadtxt(text.splitlines(), ndmin=2)


def described(path):
    """Return a path as text, and say if a link on the way to it is broken.

    Parameters
    ----------
    path : pathlib.Path
        Path of a file or folder.

    Returns
    -------
    text : str
        Path.
    """
    for place in (path, *path.parents):
        if place.is_symlink() and not place.exists():
            return f"{path} ({place} is a broken link to {place.readlink()})"
    return str(path)


def matched(files, pattern):
    """Find the files whose names have a pattern.

    Parameters
    ----------
    files : iterable of pathlib.Path
        Files.
    pattern : re.Pattern
        Pattern of their names without ending.

    Returns
    -------
    named : dict
        The match of each file that has one, sorted by file.
    problems : tuple of str
        What is wrong with the others.
    """
    found = {file: pattern.fullmatch(file.stem) for file in sorted(files)}
    named = {file: match for file, match in found.items() if match}
    others = (file for file in found if file not in named)
    return named, tuple(f"{file.name}: unexpected file name" for file in others)
