"""Results of many trainings, kept on the disk as they come."""

import csv
import json
from pathlib import Path

from geomstats_cor.exceptions import ParameterError

from .._files import locked
from .files import make_writable, write_json, write_text
from .settings import read_json
from .tables import csv_table


class Cells:
    """Finished trainings that belong together, one row of a CSV file for each.

    The directory is locked for other processes as long as the object exists.

    Parameters
    ----------
    directory : pathlib.Path
        Directory, which is made if it is not there.
    keys : sequence of str
        Columns that tell trainings apart.
    values : sequence of str
        Columns of results, which are numbers.
    conditions : dict
        What all trainings share, as JSON would have it: results under other conditions
        are refused.
    resume : bool
        Whether rows that are already there are kept; if not, the directory may have
        none.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as directory:
    ...     cells = Cells(directory, ["metric"], ["accuracy"], {"lr": 0.1})
    ...     cells.add(["olm"], {"accuracy": 0.5})
    ...     again = Cells(directory, ["metric"], ["accuracy"], {"lr": 0.1}, resume=True)
    ...     ["olm"] in again, ["lsm"] in again, again[["olm"]]["accuracy"]
    (True, False, 0.5)
    """

    def __init__(self, directory, keys, values, conditions, resume=False):
        self.directory = Path(directory)
        self.keys, self.values = tuple(keys), tuple(values)
        self._table = self.directory / "cells.csv"
        self._rows = {}
        record = self.directory / "conditions.json"
        conditions = json.loads(json.dumps(conditions))
        make_writable(self.directory)
        self._lock = locked(self.directory)
        if record.exists() and not resume:
            raise ParameterError(
                f"{directory} has results already: --resume goes on with them, and "
                f"another directory keeps them."
            )
        from ..training.description import environment

        if record.exists():
            require_same(read_json(record), conditions, directory)
        write_json(record, conditions)
        write_json(self.directory / "environment.json", environment())
        if self._table.is_file():
            self._read()

    def _read(self):
        try:
            with open(self._table, encoding="utf-8", newline="") as file:
                for row in csv.DictReader(file, strict=True):
                    # A column that an older version did not write is empty.
                    key = tuple(row.get(name, "") for name in self.keys)
                    self._rows[key] = {name: _number(row[name]) for name in self.values}
        except (KeyError, TypeError, ValueError, csv.Error) as error:
            raise ParameterError(
                f"{self._table} is damaged, or of another version: expected numbers in "
                f"the columns {', '.join((*self.keys, *self.values))} ({error}). Use "
                f"another directory."
            ) from None

    def __contains__(self, key):
        return _words(key) in self._rows

    def __getitem__(self, key):
        return self._rows[_words(key)]

    def add(self, key, row):
        """Add the result of a training, and write the table.

        Parameters
        ----------
        key : sequence
            Entries of the columns that tell trainings apart.
        row : dict
            Results by column.
        """
        self._rows[_words(key)] = {name: _number(row[name]) for name in self.values}
        rows = [(*key, *row.values()) for key, row in self._rows.items()]
        write_text(self._table, csv_table((*self.keys, *self.values), rows))


def require_same(before, now, directory):
    """Raise if the conditions of earlier results differ from those of now.

    Parameters
    ----------
    before, now : dict
        Conditions by name, which may be dictionaries themselves.
    directory : pathlib.Path
        Where the earlier results are, for the message.

    Examples
    --------
    >>> require_same({"lr": 0.1}, {"lr": 0.1}, "runs/first")
    """
    before, now = dict(_flat(before)), dict(_flat(now))
    differing = [
        f"{name} was {before.get(name)!r} and is {now.get(name)!r}"
        for name in {**before, **now}
        if before.get(name) != now.get(name)
    ]
    if differing:
        raise ParameterError(
            f"{directory} cannot be resumed otherwise than it was begun: "
            f"{'; '.join(differing)}. Use the same, or another directory."
        )


def _flat(conditions, prefix=""):
    for name, value in conditions.items():
        if isinstance(value, dict):
            yield from _flat(value, f"{prefix}{name} ")
        else:
            yield prefix + name, value


def _number(value):
    value = float(value)
    return int(value) if value.is_integer() else value


def _words(key):
    return tuple(str(entry) for entry in key)
