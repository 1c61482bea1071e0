"""The directory of a run: what is written there, and how a run is restored from it."""

import contextlib
import csv
import hashlib
import json
import os
import pathlib
import shutil
from collections.abc import Iterator
from typing import Any, Self

import numpy as np
import torch

from geomstats_cor.exceptions import GeomstatsCorError, ParameterError

from .._files import load_archive, locked, make_writable, read_object, replacing
from .._state import of_version
from ..layers.hyperplane import HyperplaneLayer
from .description import (
    described,
    described_parameters,
    environment,
    fingerprint,
    restored,
    restored_parameters,
)

RECORD = "run.json"
ENVIRONMENT = "environment.json"
CHECKPOINT = "checkpoint.pt"
METRICS = "metrics.csv"
CURVES = "curves.png"
FILES = (RECORD, ENVIRONMENT, CHECKPOINT, METRICS, CURVES)
# Version 0.1.0 kept the estimator apart from the data of the command line.
CONFIGURATION = "configuration.json"

# A resumed run may differ in these from the one that was started.
FREE = ("max_epochs", "device", "progress", "directory", "resume", "overwrite")
# The version of the weights of layers.
WEIGHTS_VERSION = HyperplaneLayer._version
# What networks did up to version 0.1.0, which had no parameters for it.
_EARLIER = dict(normalize=None, dropout=0.0, gain=1.0, schedule=None, refit=False)
# What the small files need at most, beside the checkpoint and a line for each epoch.
_SMALL_FILES, _LINE = 1 << 20, 200
# What Adam, AdamW and SGD remember; an optimizer of one's own may remember anything.
_MOMENTS = ("momentum_buffer", "exp_avg", "exp_avg_sq")

# What the files of a run must hold before anything is made of them.
_OPTIONAL = (dict, type(None))
_RESOLVED = dict(kind=(str, type(None)), channels=int, size=int, input_shape=list)
_RESOLVED |= dict(features=int, seed=int, front_end_is_fixed=bool)
_RESOLVED |= dict(classes=dict(array=list, dtype=str))
_RECORD = dict(estimator=str, parameters=dict, resolved=_RESOLVED, data=_OPTIONAL)
_SOURCE = dict(data=str, directory=(str, type(None)), options=dict)
_DATA = dict(source=_SOURCE, fingerprint=str, part=str)
_CHECKPOINT = dict(identity=dict, seed=int, rows=list, last=dict, best=dict)
_CHECKPOINT |= dict(optimizer=dict)
_LATER = dict(resolved=_RESOLVED, version=int)
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

    Attributes
    ----------
    notes : dict
        Plain values that belong into every checkpoint.
    """

    def __init__(self, path: str | os.PathLike) -> None:
        self.path = pathlib.Path(path)
        self.notes: dict[str, Any] = {}
        self._lock: Any = None

    def __str__(self) -> str:
        return str(self.path)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        """Unlock the directory, if this object has locked it."""
        if self._lock is not None:
            self._lock.release()
            self._lock = None

    def is_taken(self) -> bool:
        """Tell whether there is a run in the directory, trained or not."""
        return any((self.path / name).exists() for name in (RECORD, CONFIGURATION))

    def open(self, resume: bool, overwrite: bool) -> dict | None:
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
        if not (self.path / CHECKPOINT).exists():
            self._require_no_other_files()
            return None
        if resume:
            return self.read_checkpoint()
        raise RunDirectoryError(
            f"the directory {self} already holds a run: pass resume=True to go on with "
            f"it, overwrite=True to replace it, or choose another directory."
        )

    def _files(self) -> list[pathlib.Path]:
        return [self.path / name for name in (CONFIGURATION, *FILES)]

    def _require_no_other_files(self) -> None:
        """Raise if files with our names are not those of a run without a checkpoint."""
        found = [path.name for path in self._files() if path.exists()]
        records = (name for name in (RECORD, CONFIGURATION) if name in found)
        if found and not any(
            {"estimator", "source"} & self._read_object(name).keys() for name in records
        ):
            raise RunDirectoryError(
                f"the directory {self} has files that are not of a run, and would be "
                f"replaced: {', '.join(found)}. Choose another directory, or pass "
                f"overwrite=True."
            )

    def begin(self, record: dict, parameter_bytes: int, resume: bool) -> None:
        """Write down what is trained, in place of a run that is not resumed.

        Parameters
        ----------
        record : dict
            Estimator, parameters, what was resolved, and the data or None.
        parameter_bytes : int
            Size of the parameters of the network.
        resume : bool
            Whether the files of an earlier run stay.
        """
        # Last and best parameters, and two moments; a new one is complete before the
        # old one goes.
        lines = _LINE * record["parameters"]["max_epochs"]
        needed = 2 * (4 * parameter_bytes + lines) + lines + _SMALL_FILES
        free = shutil.disk_usage(self.path).free
        if free < needed:
            raise RunDirectoryError(
                f"the disk of {self} has {free / 1e6:.3g} MB left, but the run needs "
                f"about {needed / 1e6:.3g} MB: free some space, or choose another "
                f"directory."
            )
        # The record goes last: with it, what is left is known as a run.
        for path in () if resume else reversed(self._files()):
            path.unlink(missing_ok=True)
        self.write_record(record)
        with self._writing(ENVIRONMENT) as file:
            _dump(environment(), file)

    def read_checkpoint(self) -> dict:
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
        # Version 0.1.0 did not write what was resolved.
        is_new = isinstance(checkpoint, dict) and "resolved" in checkpoint
        later = {k: v for k, v in _LATER.items() if is_new and k in checkpoint}
        _require_fields(checkpoint, _CHECKPOINT | later, path)
        if not 0 <= checkpoint["seed"] < 1 << 32:
            raise RunDirectoryError(f"{path} has the seed {checkpoint['seed']}.")
        _require_rows(checkpoint["rows"], path)
        for part in ("last", "best"):
            with _refused_unless_restored(self):  # unless they are tensors of numbers
                _require_finite(checkpoint[part], f"{path} ({part} epoch)")
        return checkpoint

    def read_record(self) -> dict:
        """Return what `write_record` wrote, or what version 0.1.0 wrote in two files.

        Returns
        -------
        record : dict
            Estimator, parameters, what was resolved, and the data or None.
        """
        name, has_old = RECORD, (self.path / CONFIGURATION).exists()
        # What cannot be read is named, also where there is nothing.
        is_there = (self.path / RECORD).exists() or not has_old
        record = self._read_object(RECORD) if is_there else {}
        digest = record.pop("digest", None)
        is_old = "estimator" not in record
        if digest is None and not is_old or digest not in (None, _digest(record)):
            raise RunDirectoryError(
                f"{self.path / RECORD} was changed since it was written: put it back "
                f"as it was. A copy of it can be changed, and used by --config."
            )
        if is_old:
            data = {k: v for k, v in record.items() if k != "settings"}
            name, record = CONFIGURATION, self._read_object(CONFIGURATION)
            record["data"] = data or None
        path = self.path / name
        _require_fields(record, _RECORD, path)
        if record["data"] is not None:
            _require_fields(record["data"], _DATA, path)
            if record["data"]["source"].keys() != _SOURCE.keys():
                raise RunDirectoryError(f"{path} has a source with unknown entries.")
        return record

    def _read_object(self, name: str) -> dict:
        try:
            return read_object(self.path / name)
        except (OSError, ValueError) as error:
            raise RunDirectoryError(
                f"{self.path / name} cannot be read as the record of a run: {error}"
            ) from error

    def write_checkpoint(self, state: dict) -> None:
        """Write tensors and plain values with the notes, and a line for each epoch."""
        with self._writing(CHECKPOINT, binary=True) as file:
            torch.save(self.notes | state, file)
        # Not every callback has something to record in every epoch.
        columns = list(dict.fromkeys(name for row in state["rows"] for name in row))
        with self._writing(METRICS) as file:
            writer = csv.DictWriter(file, columns, lineterminator="\n")
            writer.writeheader()
            writer.writerows(state["rows"])

    def write_record(self, record: dict) -> None:
        """Write estimator, parameters and data, which `read_record` returns."""
        with self._writing(RECORD) as file:
            _dump(record | dict(digest=_digest(record)), file)
        (self.path / CONFIGURATION).unlink(missing_ok=True)

    def write_curves(self, figure: Any) -> None:
        """Write a figure of matplotlib."""
        with self._writing(CURVES, binary=True) as file:
            figure.savefig(file, format="png", dpi=120)

    @contextlib.contextmanager
    def _writing(self, name: str, binary: bool = False) -> Iterator[Any]:
        """Yield a file that replaces another one when it is complete."""
        how = {} if binary else dict(encoding="utf-8", newline="")
        try:
            with replacing(self.path / name, "wb" if binary else "w", **how) as file:
                yield file
        except OSError as error:
            raise RunDirectoryError(
                f"{self.path / name} cannot be written: {error}. What was there before "
                f"is unchanged."
            ) from error


class RunsOnDisk:
    """An estimator with the parameters `directory`, `resume` and `overwrite`."""

    # What runs did that do not name a parameter, for it is younger than they are.
    _unless_stored: dict = {}
    # The command line notes here where the data comes from.
    _data = None

    @classmethod
    def load(cls: Any, directory: str | os.PathLike, **parameters: Any) -> Any:
        """Return the estimator of a run, as it was after the last epoch.

        Parameters
        ----------
        directory : str or path
            Run directory.
        **parameters
            Parameters that take the place of those of the run: `device`, or what files
            of plain values cannot hold, such as a front end.

        Returns
        -------
        estimator : object
            Fitted estimator, with the parameters of the epoch that was chosen.
        """
        run = RunDirectory(directory)
        record, checkpoint = run.read_record(), run.read_checkpoint()
        if record["estimator"] != cls.__name__:
            raise RunDirectoryError(
                f"{run} holds a run of {record['estimator']}, not of "
                f"{cls.__name__}: use load_classifier, which takes either."
            )
        _require_one_run(run, record, checkpoint)
        with _refused_unless_restored(run):
            stored = cls._unless_stored | record["parameters"]
            if _is_earlier(checkpoint):
                stored = _with_earlier_parameters(run, stored, cls._get_param_names())
            # Answers do not depend on these: where files cannot hold them, defaults do.
            stored = {
                name: value
                for name, value in stored.items()
                if not isinstance(value, dict)
                or name.split("__")[0] not in ("callbacks", "criterion", "optimizer")
            }
            given = {"directory": directory, **parameters}
            estimator = cls(**restored_parameters(stored, given))
            estimator._restore(record["resolved"], checkpoint)
        return estimator

    def _identity(self: Any, *arrays: np.ndarray | None) -> dict:
        """Return what must be the same in a run that is resumed."""
        parameters = described_parameters(self, FREE)
        data = fingerprint(*(array for array in arrays if array is not None))
        return {"estimator": type(self).__name__, **parameters, "data": data}

    def _require_resumable(self: Any, checkpoint: dict, identity: dict) -> None:
        """Raise unless a run can be resumed from a checkpoint."""
        if _is_earlier(checkpoint):
            raise self._earlier_version()
        # Parameters that came later have their defaults in earlier runs.
        defaults = described_parameters(type(self)())
        stored = {k: defaults.get(k) for k in identity} | self._unless_stored
        stored |= checkpoint["identity"]
        require_same_run(stored, identity)
        done = len(checkpoint["rows"])
        if done > self.max_epochs:
            raise ParameterError(
                f"the run has {done} epochs, more than the {self.max_epochs} asked "
                f"for: resume it with {done} or more (max_epochs, or --epochs)."
            )

    def _require_same_weights(self: Any, network: Any, checkpoint: dict) -> None:
        """Raise if a run has weights in another basis than those of the network."""
        if _version(checkpoint) < WEIGHTS_VERSION and any(
            getattr(module, "weights_were_converted", False)
            for module in network.modules()
        ):
            raise self._earlier_version()

    def _earlier_version(self: Any) -> ResumeError:
        return ResumeError(
            f"the run in {self.directory} was written by an earlier version, "
            f"whose weights and optimizer are others: it can be loaded, but not "
            f"resumed. Train again in another directory, or pass overwrite=True."
        )

    def _resolved(self: Any) -> dict:
        """Return what `_restore` takes."""
        return dict(
            kind=self.kind_,
            channels=self.channels_,
            size=self.size_,
            input_shape=list(self.input_shape_),
            features=self.n_features_in_,
            classes=described(self._target_description()),
            seed=self.seed_,
            front_end_is_fixed=self._is_prepared,
        )

    def _begin(self: Any, run: RunDirectory, network: torch.nn.Module) -> None:
        """Write down what is trained."""
        free = ("progress", "directory", "resume", "overwrite")
        sizes = (x.numel() * x.element_size() for x in network.state_dict().values())
        record = dict(
            estimator=type(self).__name__,
            parameters=described_parameters(self, free),
            resolved=dict(
                **self._resolved(),
                learnt_numbers=sum(p.numel() for p in network.parameters()),
                network=str(network).splitlines(),
            ),
            data=self._data,
        )
        run.begin(record, sum(sizes), self.resume)

    def _restore(self: Any, resolved: dict, checkpoint: dict) -> None:
        """Take over the state of a run."""
        self.kind_, self.seed_ = resolved["kind"], resolved["seed"]
        self.channels_, self.size_ = resolved["channels"], resolved["size"]
        self.input_shape_ = tuple(resolved["input_shape"])
        self.n_features_in_ = resolved["features"]
        self._restore_targets(restored(resolved["classes"]))
        self._is_prepared = resolved["front_end_is_fixed"]
        best = checkpoint["best"]
        _require_same_shapes(self, best)
        with torch.random.fork_rng():  # parameters are drawn, and replaced
            network = self._network(self._front_end())
        network.load_state_dict(of_version(_version(checkpoint), network, best))
        self.module_ = network.eval()
        self.history_ = checkpoint["rows"]
        self.fingerprint_ = checkpoint["identity"].get("data")
        self.epoch_ = best_epoch(self.history_)
        self.interrupted_ = False


def load_classifier(directory: str | os.PathLike, **parameters: Any) -> Any:
    """Return the classifier or the regressor of a run, whichever it is.

    Parameters
    ----------
    directory : str or path
        Run directory.
    **parameters
        Parameters that take the place of those of the run: `device`, or what files of
        plain values cannot hold, such as a front end.

    Returns
    -------
    estimator : CorNetClassifier or CorMLRClassifier or CorNetRegressor
        Fitted estimator, with the parameters of the epoch that was chosen.

    Examples
    --------
    >>> import tempfile
    >>> from cornet_nn.training import CorMLRClassifier, load_classifier
    >>> from geomstats_cor.datasets import load_connectomes
    >>> data = load_connectomes()
    >>> with tempfile.TemporaryDirectory() as directory:
    ...     model = CorMLRClassifier(max_epochs=2, progress=False, directory=directory)
    ...     _ = model.fit(data.correlations, data.labels)
    ...     again = load_classifier(directory)
    >>> again.score(data.correlations, data.labels) == model.score(*data[:2])
    True
    """
    from . import classifiers

    run = RunDirectory(directory)
    name = run.read_record()["estimator"]
    if name not in classifiers.ESTIMATORS:
        raise RunDirectoryError(f"{run} holds no run of a classifier, but of {name!r}.")
    return classifiers.ESTIMATORS[name].load(directory, **parameters)


def require_same_run(stored: dict, given: dict) -> None:
    """Raise if a run is to be resumed as another one.

    Parameters
    ----------
    stored, given : dict
        Values that must not change, as they are in the checkpoint and as they are now.
    """
    changed = [
        f"{name} was {stored.get(name)!r}, and is {given.get(name)!r}"
        for name in _names_that_differ(stored, given)
    ]
    if changed:
        raise ResumeError(
            f"the run cannot be resumed, as it was started otherwise: "
            f"{'; '.join(changed)}. Resume it as it was started (the number of epochs "
            f"may grow), or use another directory."
        )


def best_epoch(rows: list[dict]) -> int:
    """Return the epoch with the least validation loss, or the last.

    Parameters
    ----------
    rows : list of dict
        One row for each epoch.

    Returns
    -------
    epoch : int
        Epoch, counted from 1; 0 before the first.
    """
    if not rows or "valid_loss" not in rows[-1]:
        return len(rows)
    return min(range(len(rows)), key=lambda i: rows[i]["valid_loss"]) + 1


def load_training_state(
    run: RunDirectory | None,
    network: torch.nn.Module,
    optimizer: torch.optim.Optimizer,
    checkpoint: dict,
    is_moved: bool,
) -> None:
    """Take over parameters and optimizer of a run that is resumed.

    Parameters
    ----------
    run : RunDirectory
        Directory, for messages.
    network : torch.nn.Module
        Network.
    optimizer : torch.optim.Optimizer
        Its optimizer.
    checkpoint : dict
        Checkpoint.
    is_moved : bool
        Whether callbacks may have changed hyperparameters of the optimizer.
    """
    with _refused_unless_restored(run):
        network.load_state_dict(checkpoint["last"])
        chosen = [_hyperparameters(group, is_moved) for group in optimizer.param_groups]
        optimizer.load_state_dict(checkpoint["optimizer"])
        for group, expected in zip(optimizer.param_groups, chosen, strict=True):
            found = _hyperparameters(group, is_moved)
            if is_moved:  # schedulers add what they need
                found = {name: found.get(name) for name in expected}
            if found != expected or not isinstance(group["lr"], float):
                raise RunDirectoryError(
                    f"the optimizer in {run} has other hyperparameters than the run."
                )
        for parameter, state in optimizer.state.items():
            for name, value in state.items():
                # SGD without momentum has none.
                if value is None and name == "momentum_buffer":
                    continue
                has_shape = name not in _MOMENTS or value.shape == parameter.shape
                if not (has_shape and torch.isfinite(torch.as_tensor(value)).all()):
                    raise RunDirectoryError(
                        f"{name} of the optimizer in {run} does not belong to the "
                        f"network, or has a NaN."
                    )


def _hyperparameters(group: dict, is_moved: bool) -> dict:
    # A schedule sets the rate of every step, from the initial one.
    changing = {"params", "lr"} if "initial_lr" in group else {"params"}
    if is_moved:
        changing |= {"lr", "initial_lr", "momentum", "betas"}
    return {name: value for name, value in group.items() if name not in changing}


def _is_earlier(checkpoint: dict) -> bool:
    """Tell whether a checkpoint is that of a version up to 0.1.0."""
    return "resolved" not in checkpoint


def _version(checkpoint: dict) -> int:
    """Return the version of the weights of a checkpoint; see `HyperplaneLayer`."""
    return 1 if _is_earlier(checkpoint) else checkpoint.get("version", 2)


def _with_earlier_parameters(run: RunDirectory, stored: dict, names: list) -> dict:
    """Return the parameters of a run of a version up to 0.1.0, by their names now."""
    if stored.get("center"):
        raise RunDirectoryError(
            f"the run in {run} was written by version 0.1.0 or earlier with "
            f"center=True, which is no longer there: train it again, with "
            f"normalize='center'."
        )
    kept = {name: value for name, value in stored.items() if name != "center"}
    return {k: v for k, v in _EARLIER.items() if k in names} | kept


def _names_that_differ(one: dict, other: dict) -> list[str]:
    return sorted(k for k in {*one, *other} if one.get(k) != other.get(k))


def _require_one_run(run: RunDirectory, record: dict, checkpoint: dict) -> None:
    """Raise if record and checkpoint are those of different runs."""
    # Checkpoints of versions up to 0.1.0 have the seed alone.
    meant = checkpoint.get("resolved", {"seed": checkpoint["seed"]})
    said = {k: v for k, v in record["parameters"].items() if k not in FREE}
    said["estimator"] = record["estimator"]
    said |= {name: record["resolved"].get(name) for name in meant}
    identity = {k: v for k, v in checkpoint["identity"].items() if k != "data"}
    differing = _names_that_differ(said, identity | meant)
    if differing:
        raise RunDirectoryError(
            f"the record and the checkpoint in {run} are not those of one run: "
            f"they differ in {', '.join(differing)}. Train again in another directory, "
            f"or put back the file that was changed."
        )


@contextlib.contextmanager
def _refused_unless_restored(run: RunDirectory | None) -> Iterator[None]:
    """Raise a `RunDirectoryError` if a block cannot restore what is in a directory."""
    try:
        yield
    except GeomstatsCorError:
        raise
    # Values of the right type may still make no sense anywhere.
    except Exception as error:
        reason = " ".join(f"{type(error).__name__}: {error}".split())
        raise RunDirectoryError(
            f"the run in {run} cannot be restored: {reason}"
        ) from error


def _require_same_shapes(estimator: Any, state: dict) -> None:
    """Raise unless the network of an estimator has the parameters of a state.

    The network is made without numbers, so that sizes in a file allocate nothing.
    """
    count = sum(value.numel() for value in state.values())
    # A hyperplane has n (n - 1) / 2 numbers.
    for n in (estimator.size_, getattr(estimator, "output_size", 2)):
        if n * (n - 1) > 2 * count:
            raise RunDirectoryError(
                f"matrices of size {n} do not go with a checkpoint of {count} numbers."
            )
    options = dict(device="meta", dtype=torch.float32)
    sizes = (estimator.size_, estimator.channels_, estimator._num_outputs)
    network = estimator._make_network(*sizes, None, options)
    for name, expected in network.state_dict().items():
        found = tuple(state[name].shape) if name in state else None
        if found != tuple(expected.shape):
            raise RunDirectoryError(
                f"the parameter {name} of the checkpoint has shape {found}, expected "
                f"{tuple(expected.shape)}."
            )


def _dump(value: dict, file: Any) -> None:
    file.write(json.dumps(value, indent=2, ensure_ascii=False) + "\n")


def _digest(record: dict) -> str:
    text = json.dumps(record, sort_keys=True)
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def _require_rows(rows: list, path: pathlib.Path) -> None:
    good = all(
        isinstance(row, dict)
        and _ROW <= row.keys()
        and ("valid_loss" in row) == ("valid_loss" in rows[0])
        and all(_is(value, (int, float)) for value in row.values())
        for row in rows
    )
    if not good:
        raise RunDirectoryError(
            f"{path} has a history that is not one: expected for every epoch numbers "
            f"named {', '.join(sorted(_ROW))}."
        )


def _require_finite(state: dict, where: str) -> None:
    for name, value in state.items():
        if not torch.isfinite(value).all():
            raise RunDirectoryError(
                f"{where}: the parameter {name} has a NaN or an infinity. Train the "
                f"network again, with a smaller learning rate."
            )


def _require_fields(content: Any, fields: dict, path: pathlib.Path) -> None:
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


def _is(value: Any, kind: Any) -> bool:
    """Tell whether a value is of a type; truth values are no integers."""
    return isinstance(value, kind) and (kind is bool or not isinstance(value, bool))
