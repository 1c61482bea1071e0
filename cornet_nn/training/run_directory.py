"""The directory of a run: what is written where, whole, by one process at a time."""

import contextlib
import csv
import hashlib
import json
import pathlib
import shutil

import torch

from geomstats_cor.exceptions import GeomstatsCorError, ParameterError

from .._files import (
    load_archive,
    locked,
    make_writable,
    read_object,
    replacing,
    write_json,
)

RECORD = "run.json"
ENVIRONMENT = "environment.json"
CHECKPOINT = "checkpoint.pt"
METRICS = "metrics.csv"
CURVES = "curves.png"
FILES = (RECORD, ENVIRONMENT, CHECKPOINT, METRICS, CURVES)
# Version 0.1.0 kept the estimator apart from the data of the command line.
CONFIGURATION = "configuration.json"

# What the small files need at most, beside the checkpoint and a line for each epoch.
_SMALL_FILES = 1 << 20
_LINE = 200

# What the files of a run must hold before anything is made of them.
_RESOLVED = {
    "kind": (str, type(None)),
    "channels": int,
    "size": int,
    "input_shape": list,
    "features": int,
    "classes": {"array": list, "dtype": str},
    "seed": int,
    "front_end_is_fixed": bool,
}
_RECORD = {
    "estimator": str,
    "parameters": dict,
    "resolved": _RESOLVED,
    "data": (dict, type(None)),
}
_SOURCE = {"data": str, "directory": (str, type(None)), "options": dict}
_DATA = {"source": _SOURCE, "fingerprint": str, "part": str}
_CHECKPOINT = {
    "identity": dict,
    "seed": int,
    "rows": list,
    "last": dict,
    "best": dict,
    "optimizer": dict,
}
_ROW = {"epoch", "train_loss", "seconds"}


class RunDirectoryError(GeomstatsCorError, OSError):
    """A run directory cannot be written or read, or already holds a run.

    Examples
    --------
    >>> from cornet_nn.training import RunDirectoryError, load_classifier
    >>> try:
    ...     load_classifier("no_such_run")
    ... except RunDirectoryError as error:
    ...     print("no_such_run" in str(error))
    True
    """


class ResumeError(GeomstatsCorError, ValueError):
    """A run cannot be resumed with other parameters or other data.

    Examples
    --------
    >>> import tempfile
    >>> from cornet_nn.training import CorMLRClassifier, ResumeError
    >>> from geomstats_cor import FullRankCorrelationMatrices
    >>> points = FullRankCorrelationMatrices(4, equip=False).random_point(8, rng=0)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     model = CorMLRClassifier(max_epochs=1, directory=folder, progress=False)
    ...     _ = model.fit(points, [0, 1] * 4)
    ...     try:
    ...         model.set_params(lr=0.5, resume=True).fit(points, [0, 1] * 4)
    ...     except ResumeError as error:
    ...         print("lr" in str(error))
    True
    """


class RunDirectory:
    """A directory that holds one run.

    Parameters
    ----------
    path : str or path
        Directory, which need not exist.
    """

    def __init__(self, path):
        self.path = pathlib.Path(path)
        self._lock = None

    def __str__(self):
        return str(self.path)

    def holds_run(self):
        """Tell whether there is a run in the directory that was trained."""
        return (self.path / CHECKPOINT).exists()

    def is_taken(self):
        """Tell whether there is a run in the directory, trained or not."""
        return any((self.path / name).exists() for name in (RECORD, CONFIGURATION))

    def open(self, resume, overwrite):
        """Make and lock the directory, and raise unless a run may be written to it.

        Parameters
        ----------
        resume : bool
            Whether to go on with a run that is there.
        overwrite : bool
            Whether to replace a run that is there.

        Returns
        -------
        checkpoint : dict or None
            Where the run stands, if it is to be resumed.
        """
        try:
            make_writable(self.path)
            self._lock = locked(self.path)
        except (ParameterError, OSError) as error:
            raise RunDirectoryError(f"{str(error).rstrip('.')}.") from error
        if overwrite:
            return None
        if not self.holds_run():
            self._require_no_other_files()
            return None
        if resume:
            return self.read_checkpoint()
        raise RunDirectoryError(
            f"the directory {self} already holds a run: pass resume=True to go on with "
            f"it, overwrite=True to replace it, or choose another directory."
        )

    def __enter__(self):
        return self

    def __exit__(self, *_):
        """Unlock the directory, if this object has locked it."""
        if self._lock is not None:
            self._lock.release()
            self._lock = None

    def _require_no_other_files(self):
        """Raise if files with our names are not those of a run without a checkpoint."""
        found = [p.name for p in self._files() if p.exists()]
        records = [name for name in (RECORD, CONFIGURATION) if name in found]
        if found and not any(
            {"estimator", "source"} & self._read_object(self.path / name).keys()
            for name in records
        ):
            raise RunDirectoryError(
                f"the directory {self} has files that are not of a run, and would be "
                f"replaced: {', '.join(found)}. Choose another directory, or pass "
                f"overwrite=True."
            )

    def _files(self):
        return [self.path / name for name in (CONFIGURATION, *FILES)]

    def require_space(self, parameter_bytes, epochs):
        """Raise unless the disk has room for the files of a run.

        Parameters
        ----------
        parameter_bytes : int
            Size of the parameters.
        epochs : int
            Number of epochs.
        """
        # Last and best parameters, and two moments; a new one is complete before the
        # old one goes.
        checkpoint = 4 * parameter_bytes + _LINE * epochs
        needed = 2 * checkpoint + _LINE * epochs + _SMALL_FILES
        free = shutil.disk_usage(self.path).free
        if free < needed:
            raise RunDirectoryError(
                f"the disk of {self} has {free / 1e6:.3g} MB left, but the run needs "
                f"about {needed / 1e6:.3g} MB: free some space, or choose another "
                f"directory."
            )

    def clear(self):
        """Remove the files of a run, and nothing else."""
        # The record goes last: with it, what is left is known as a run.
        for path in reversed(self._files()):
            path.unlink(missing_ok=True)

    def read_checkpoint(self):
        """Return the checkpoint, by tensors and plain values alone.

        The checksums of the archive are verified first.
        """
        path = self.path / CHECKPOINT
        if not path.exists():
            raise RunDirectoryError(
                f"{path} does not exist: there is no run to go on with in {self}."
            )
        try:
            checkpoint = load_archive(path)
        # A damaged archive makes the libraries that read it raise almost anything.
        except Exception as error:
            raise RunDirectoryError(
                f"{path} cannot be read as a checkpoint: {error or type(error)}"
            ) from error
        _require_checkpoint(checkpoint, path)
        return checkpoint

    def read_record(self):
        """Return what `write_record` wrote, or what version 0.1.0 wrote in two files.

        Returns
        -------
        record : dict
            Estimator, parameters, what was resolved, and the data or None.
        """
        path, old = self.path / RECORD, self.path / CONFIGURATION
        # What cannot be read is named, also where there is nothing.
        record = self._read_object(path) if path.exists() or not old.exists() else {}
        digest = record.pop("digest", None)
        is_old = "estimator" not in record
        if digest is None and not is_old or digest not in (None, _digest(record)):
            raise RunDirectoryError(
                f"{path} was changed since it was written: put it back as it was. A "
                f"copy of it can be changed, and used by --config."
            )
        if is_old:
            data = {k: v for k, v in record.items() if k != "settings"}
            path, record = old, self._read_object(old)
            record["data"] = data or None
        _require_record(record, path)
        return record

    def _read_object(self, path):
        try:
            return read_object(path)
        except (OSError, ValueError) as error:
            raise RunDirectoryError(
                f"{path} cannot be read as the record of a run: {error}"
            ) from error

    def write_checkpoint(self, checkpoint):
        """Write tensors and plain values that `read_checkpoint` returns."""
        with self._writing(CHECKPOINT) as path, replacing(path, "wb") as file:
            torch.save(checkpoint, file)

    def write_record(self, record):
        """Write estimator, parameters and data, which `read_record` returns."""
        with self._writing(RECORD) as path:
            write_json(path, record | dict(digest=_digest(record)))
        (self.path / CONFIGURATION).unlink(missing_ok=True)

    def write_environment(self, environment):
        """Write versions and machine."""
        with self._writing(ENVIRONMENT) as path:
            write_json(path, environment)

    def write_metrics(self, rows):
        """Write one line for each epoch."""
        # Not every callback has something to record in every epoch.
        columns = list(dict.fromkeys(name for row in rows for name in row))
        how = dict(encoding="utf-8", newline="")
        with self._writing(METRICS) as path, replacing(path, **how) as file:
            writer = csv.DictWriter(file, columns, lineterminator="\n")
            writer.writeheader()
            writer.writerows(rows)

    def write_curves(self, figure):
        """Write a figure of matplotlib."""
        with self._writing(CURVES) as path, replacing(path, "wb") as file:
            figure.savefig(file, format="png", dpi=120)

    @contextlib.contextmanager
    def _writing(self, name):
        """Yield the path of a file, and name it if it cannot be written."""
        try:
            yield self.path / name
        except OSError as error:
            raise RunDirectoryError(
                f"{self.path / name} cannot be written: {error}. What was there before "
                f"is unchanged."
            ) from error


def _digest(record):
    text = json.dumps(record, sort_keys=True)
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def _require_record(record, path):
    _require_fields(record, _RECORD, path)
    resolved = record["resolved"]
    shape = resolved["input_shape"]
    sizes = (resolved["channels"], resolved["size"], resolved["features"], *shape)
    if not all(_is(size, int) and 0 < size < 1 << 31 for size in sizes):
        raise RunDirectoryError(f"{path} has a size that is not a positive integer.")
    if record["data"] is not None:
        _require_fields(record["data"], _DATA, path)
        if record["data"]["source"].keys() != _SOURCE.keys():
            raise RunDirectoryError(f"{path} has a source with unknown entries.")
        if record["data"]["part"] not in ("all", "train"):
            raise RunDirectoryError(f"{path} has a part that is neither all nor train.")


def _require_checkpoint(checkpoint, path):
    # Version 0.1.0 did not write what was resolved.
    is_new = isinstance(checkpoint, dict) and "resolved" in checkpoint
    fields = _CHECKPOINT | ({"resolved": _RESOLVED} if is_new else {})
    _require_fields(checkpoint, fields, path)
    if not 0 <= checkpoint["seed"] < 1 << 32:
        raise RunDirectoryError(f"{path} has the seed {checkpoint['seed']}.")
    _require_rows(checkpoint["rows"], path)
    for part in ("last", "best"):
        _require_finite_tensors(checkpoint[part], f"{path} ({part} epoch)")


def _require_rows(rows, path):
    good = all(
        isinstance(row, dict)
        and _ROW <= row.keys()
        and ("valid_loss" in row) == ("valid_loss" in rows[0])
        and all(isinstance(name, str) for name in row)
        and all(_is(value, (int, float)) for value in row.values())
        for row in rows
    )
    if not good:
        raise RunDirectoryError(
            f"{path} has a history that is not one: expected for every epoch numbers "
            f"named {', '.join(sorted(_ROW))}."
        )


def _require_finite_tensors(state, where):
    for name, value in state.items():
        # Tensors of the device "meta" have a shape and no numbers.
        if not (
            isinstance(name, str)
            and isinstance(value, torch.Tensor)
            and value.layout == torch.strided
            and value.device.type == "cpu"
            and not value.is_quantized
        ):
            raise RunDirectoryError(f"{where} has something else than tensors.")
        if not torch.isfinite(value).all():
            raise RunDirectoryError(
                f"{where}: the parameter {name} has a NaN or an infinity. Train the "
                f"network again, with a smaller learning rate."
            )


def _require_fields(content, fields, path):
    """Raise unless a dictionary has entries of the given types, nested ones too."""
    content = content if isinstance(content, dict) else {}
    missing = fields.keys() - content.keys()
    if missing:
        raise RunDirectoryError(
            f"{path} is not that of a run: it has no {', '.join(sorted(missing))}."
        )
    for name, kind in fields.items():
        is_nested = isinstance(kind, dict)
        if not _is(content[name], dict if is_nested else kind):
            raise RunDirectoryError(
                f"{path} is not that of a run: {name} is a "
                f"{type(content[name]).__name__}."
            )
        if is_nested:
            _require_fields(content[name], kind, path)


def _is(value, kind):
    """Tell whether a value is of a type; truth values are no integers."""
    return isinstance(value, kind) and (kind is bool or not isinstance(value, bool))
