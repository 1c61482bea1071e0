"""What the files of a run must hold before anything is made of them."""

import contextlib

import torch

from geomstats_cor.exceptions import GeomstatsCorError

from .errors import RunDirectoryError

_RECORD = {
    "estimator": str,
    "parameters": dict,
    "resolved": dict,
    "data": (dict, type(None)),
}
_DATA = {"source": dict, "fingerprint": str, "part": str}
_SOURCE = {"data": str, "directory": (str, type(None)), "options": dict}
_RESOLVED = {
    "kind": (str, type(None)),
    "channels": int,
    "size": int,
    "input_shape": list,
    "features": int,
    "classes": dict,
    "seed": int,
    "front_end_is_fixed": bool,
}
_CHECKPOINT = {
    "identity": dict,
    "seed": int,
    "rows": list,
    "last": dict,
    "best": dict,
    "optimizer": dict,
}
_OPTIONAL = {"resolved": dict}
# What Adam, AdamW and SGD remember; an optimizer of one's own may remember anything.
_MOMENTS = ("momentum_buffer", "exp_avg", "exp_avg_sq")
_ROW = {"epoch", "train_loss", "seconds"}


def require_record(record, path):
    """Raise unless the content of `run.json` is that of a run.

    Parameters
    ----------
    record : dict
        Content.
    path : pathlib.Path
        Where it was read, for the message.
    """
    _require_fields(record, _RECORD, path)
    resolved = record["resolved"]
    _require_fields(resolved, _RESOLVED, path)
    _require_fields(resolved["classes"], {"array": list, "dtype": str}, path)
    shape = resolved["input_shape"]
    sizes = (resolved["channels"], resolved["size"], resolved["features"], *shape)
    if not all(_is(size, int) and 0 < size < 1 << 31 for size in sizes):
        raise RunDirectoryError(f"{path} has a size that is not a positive integer.")
    if record["data"] is not None:
        _require_fields(record["data"], _DATA, path)
        _require_fields(record["data"]["source"], _SOURCE, path)
        if record["data"]["source"].keys() != _SOURCE.keys():
            raise RunDirectoryError(f"{path} has a source with unknown entries.")
        if record["data"]["part"] not in ("all", "train"):
            raise RunDirectoryError(f"{path} has a part that is neither all nor train.")


def require_checkpoint(checkpoint, path):
    """Raise unless the content of `checkpoint.pt` is that of a run, and finite.

    Parameters
    ----------
    checkpoint : dict
        Content.
    path : pathlib.Path
        Where it was read, for the message.
    """
    if not isinstance(checkpoint, dict):
        raise RunDirectoryError(
            f"{path} cannot be read as a checkpoint: expected a dictionary, got "
            f"{type(checkpoint).__name__}."
        )
    missing = _CHECKPOINT.keys() - checkpoint.keys()
    if missing:
        raise RunDirectoryError(
            f"{path} is not the checkpoint of a run: it has no "
            f"{', '.join(sorted(missing))}."
        )
    found = {k: v for k, v in _OPTIONAL.items() if k in checkpoint}
    _require_fields(checkpoint, _CHECKPOINT | found, path)
    if "resolved" in checkpoint:
        _require_fields(checkpoint["resolved"], _RESOLVED, path)
    if not 0 <= checkpoint["seed"] < 1 << 32:
        raise RunDirectoryError(f"{path} has the seed {checkpoint['seed']}.")
    _require_rows(checkpoint["rows"], path)
    for part in ("last", "best"):
        _require_finite_tensors(checkpoint[part], f"{path} ({part} epoch)")


@contextlib.contextmanager
def refused_unless_restored(run):
    """Raise a `RunDirectoryError` if a block cannot restore what is in a directory.

    Parameters
    ----------
    run : RunDirectory
        Directory, for the message.
    """
    try:
        yield
    except GeomstatsCorError:
        raise
    # Values of the right type may still make no sense anywhere.
    except Exception as error:
        raise RunDirectoryError(
            f"the run in {run} cannot be restored: {type(error).__name__}: {error}"
        ) from error


def require_same_shapes(classifier, state):
    """Raise unless the network of a classifier has the parameters of a state.

    The network is made without numbers, so that sizes in a file allocate nothing.

    Parameters
    ----------
    classifier : NetworkClassifier
        Classifier with its sizes.
    state : dict of tensor
        Parameters.
    """
    count = sum(value.numel() for value in state.values())
    # A hyperplane has n (n - 1) / 2 numbers.
    for n in (classifier.size_, getattr(classifier, "output_size", 2)):
        if n * (n - 1) > 2 * count:
            raise RunDirectoryError(
                f"matrices of size {n} do not go with a checkpoint of {count} numbers."
            )
    options = dict(device="meta", dtype=torch.float32)
    sizes = (classifier.size_, classifier.channels_, classifier._num_outputs)
    network = classifier._make_network(*sizes, None, options)
    for name, expected in network.state_dict().items():
        found = tuple(state[name].shape) if name in state else None
        if found != tuple(expected.shape):
            raise RunDirectoryError(
                f"the parameter {name} of the checkpoint has shape {found}, expected "
                f"{tuple(expected.shape)}."
            )


def load_training_state(run, network, optimizer, checkpoint, is_moved=False):
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
    with refused_unless_restored(run):
        network.load_state_dict(checkpoint["last"])
        chosen = [_hyperparameters(g, is_moved) for g in optimizer.param_groups]
        optimizer.load_state_dict(checkpoint["optimizer"])
        for group, expected in zip(optimizer.param_groups, chosen, strict=True):
            found = _hyperparameters(group, is_moved)
            is_same = {name: found.get(name) for name in expected} == expected
            has_others = found.keys() != expected.keys() and not is_moved
            if not (_is(group["lr"], float) and is_same) or has_others:
                raise RunDirectoryError(
                    f"the optimizer in {run} has other hyperparameters than the run."
                )
        for parameter, state in optimizer.state.items():
            for name, value in state.items():
                if isinstance(value, torch.Tensor):
                    good = name not in _MOMENTS or value.shape == parameter.shape
                    good = good and torch.isfinite(value).all()
                else:  # SGD without momentum has none
                    good = name not in _MOMENTS[1:]
                if not good:
                    raise RunDirectoryError(
                        f"{name} of the optimizer in {run} does not belong to the "
                        f"network, or has a NaN."
                    )


def _hyperparameters(group, is_moved):
    # A schedule sets the rate of every step, from the initial one.
    changing = ("params", "lr") if "initial_lr" in group else ("params",)
    if is_moved:
        changing += ("lr", "initial_lr", "momentum", "betas")
    return {name: value for name, value in group.items() if name not in changing}


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
    for name, kind in fields.items():
        if name not in content:
            raise RunDirectoryError(f"{path} is not that of a run: it has no {name}.")
        if not _is(content[name], kind):
            raise RunDirectoryError(
                f"{path} is not that of a run: {name} is a "
                f"{type(content[name]).__name__}."
            )


def _is(value, kind):
    """Tell whether a value is of a type; truth values are no integers."""
    return isinstance(value, kind) and (kind is bool or not isinstance(value, bool))
