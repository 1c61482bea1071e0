"""Conversion of many items: in parallel, with a progress bar, and cached."""

import collections
import dataclasses
import hashlib
import json
import os
import time
from pathlib import Path
from typing import NamedTuple

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

    def run(self, name, convert, items, files, settings):
        """Convert items, or take what was converted before from the cache.

        Parameters
        ----------
        name : str
            Name of the data set.
        convert : callable
            Makes an array of the argument of an item, or raises a `DataError`.
        items : list of tuple
            Name and argument of each item.
        files : list of pathlib.Path
            Files that the items come from.
        settings : dict
            All that the values depend on beside the files, as `repr` shows it.

        Returns
        -------
        converted : Converted
            Values.
        """
        if not items:
            raise DataError(f"{name}: there is nothing to convert")
        stored = None if self.cache is None else self._path(name, files, settings)
        converted = _read(stored)
        if converted is None:
            converted = _stacked(items, self._values(name, convert, items))
            if stored is not None:
                _write(stored, converted)
        if not len(converted.kept):
            raise DataError(
                f"{name}: none of {len(items)} items can be used. "
                f"{listed(converted.problems)}"
            )
        return converted

    def _values(self, name, convert, items):
        results = self._attempts(convert, [argument for _, argument in items])
        if self.progress:
            from tqdm.auto import tqdm

            results = tqdm(
                results, total=len(items), desc=printable(name), unit=" items"
            )
        return list(results)

    def _attempts(self, convert, arguments):
        arguments = collections.deque(arguments)
        if self.jobs is None:
            end = time.monotonic() + SECONDS_WITHOUT_PROCESSES
            while arguments and time.monotonic() < end:
                yield _attempt(convert, arguments.popleft())
        if arguments:
            jobs = self.jobs or joblib.cpu_count()
            parallel = joblib.Parallel(n_jobs=jobs, return_as="generator")
            yield from parallel(joblib.delayed(_attempt)(convert, a) for a in arguments)

    def _path(self, name, files, settings):
        states = [_state(file) for file in files]
        key = json.dumps(
            [CACHE_VERSION, name, sorted(settings.items()), states],
            default=repr,
        )
        digest = hashlib.sha256(key.encode()).hexdigest()
        return Path(self.cache) / f"{Path(name).stem}-{digest[:32]}.npz"


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


def _attempt(convert, argument):
    """Return the value of an item, or a message that says why it has none."""
    try:
        return convert(argument)
    except DataError as error:
        return str(error)
    except GeomstatsCorError:
        raise
    # A damaged file makes the libraries that read it raise almost anything.
    except Exception as error:
        return f"cannot be read: {type(error).__name__}: {error}"


def _stacked(items, results):
    shapes = collections.Counter(
        result.shape for result in results if not isinstance(result, str)
    )
    usual = shapes.most_common(1)[0][0] if shapes else ()
    values, kept, problems = [], [], []
    for number, ((name, _), result) in enumerate(zip(items, results, strict=True)):
        if not isinstance(result, str) and result.shape != usual:
            result = f"has shape {result.shape}, and others {usual}"
        if isinstance(result, str):
            problems.append(f"{name} {result}")
        else:
            values.append(result)
            kept.append(number)
    stack = np.stack(values) if values else np.empty(0)
    return Converted(stack, np.array(kept, dtype=np.int64), tuple(problems))


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
    if path is None or not path.exists():
        return None
    try:
        with np.load(path, allow_pickle=False) as stored:
            return Converted(
                stored["values"], stored["kept"], tuple(stored["problems"].tolist())
            )
    except Exception:
        # A damaged file is converted anew, and replaced.
        return None


def _write(path, converted):
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with replacing(path, mode="wb") as file:
            np.savez(
                file,
                values=converted.values,
                kept=converted.kept,
                problems=np.array(converted.problems, dtype=np.str_),
            )
    except OSError as error:
        warn_user(
            f"converted data is not cached: {path.parent} cannot be written ({error}). "
            f"Choose another directory, or cache=False.",
            DataWarning,
        )
