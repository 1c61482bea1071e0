"""What an estimator writes down of a run, and how it is restored from that."""

import contextlib
from collections import OrderedDict

import torch

from geomstats_cor.exceptions import GeomstatsCorError, ParameterError

from ..layers.hyperplane import HyperplaneLayer
from .description import described, environment, fingerprint, restored_parameters
from .run_directory import ResumeError, RunDirectory, RunDirectoryError

# A resumed run may differ in these from the one that was started.
FREE = ("max_epochs", "device", "progress", "directory", "resume", "overwrite")
# These are no part of what is trained.
_OF_THE_CALL = ("progress", "directory", "resume", "overwrite")
# What networks did up to version 0.1.0, which had no parameters for it.
_EARLIER = {
    "normalize": None,
    "dropout": 0.0,
    "gain": 1.0,
    "schedule": None,
    "refit": False,
}
# Answers do not depend on these: where files cannot hold them, defaults do.
_FOR_TRAINING = ("callbacks", "criterion", "optimizer")
# What Adam, AdamW and SGD remember; an optimizer of one's own may remember anything.
_MOMENTS = ("momentum_buffer", "exp_avg", "exp_avg_sq")


class RunsOnDisk:
    """An estimator with the parameters `directory`, `resume` and `overwrite`."""

    # The command line notes here where the data comes from.
    _data = None

    @classmethod
    def load(cls, directory, **parameters):
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
        parameters = {"directory": directory, **parameters}
        with _refused_unless_restored(run):
            stored = {
                name: value
                for name, value in record["parameters"].items()
                if name.split("__")[0] not in _FOR_TRAINING
                or not isinstance(value, dict)
            }
            if _is_earlier(checkpoint):
                stored = _with_earlier_parameters(run, stored, cls._get_param_names())
            estimator = cls(**restored_parameters(stored, parameters))
            estimator._restore(record["resolved"], checkpoint)
        return estimator

    def _run_directory(self):
        if self.directory is None and (self.resume or self.overwrite):
            raise ParameterError(
                "resume and overwrite are about the directory of a run: pass directory."
            )
        if self.resume and self.overwrite:
            raise ParameterError(
                "resume=True and overwrite=True exclude each other: choose one."
            )
        return None if self.directory is None else RunDirectory(self.directory)

    def _identity(self, *arrays):
        """Return what must be the same in a run that is resumed."""
        parameters = self.get_params(deep=False)
        return {
            "estimator": type(self).__name__,
            **{k: described(v) for k, v in parameters.items() if k not in FREE},
            "data": fingerprint(*(a for a in arrays if a is not None)),
        }

    def _require_resumable(self, checkpoint, identity):
        """Raise unless a run can go on from a checkpoint."""
        if _is_earlier(checkpoint):
            raise ResumeError(
                f"the run in {self.directory} was written by version 0.1.0 or earlier, "
                f"whose weights and optimizer are others: it can be loaded, but not "
                f"resumed. Train again in another directory, or pass overwrite=True."
            )
        # Parameters that came later have their defaults in earlier runs.
        defaults = {k: described(v) for k, v in type(self)().get_params().items()}
        stored = {k: defaults.get(k) for k in identity} | checkpoint["identity"]
        changed = [
            f"{name} was {stored.get(name)!r}, and is {identity.get(name)!r}"
            for name in _differing(stored, identity)
        ]
        if changed:
            raise ResumeError(
                f"the run cannot be resumed, as it was started otherwise: "
                f"{'; '.join(changed)}. Resume it as it was started (the number of "
                f"epochs may grow), or use another directory."
            )
        done = len(checkpoint["rows"])
        if done > self.max_epochs:
            raise ParameterError(
                f"the run has {done} epochs, more than the {self.max_epochs} asked "
                f"for: resume it with {done} or more (max_epochs, or --epochs)."
            )

    def _require_space(self, run, network):
        sizes = [x.numel() * x.element_size() for x in network.state_dict().values()]
        run.require_space(sum(sizes), self.max_epochs)

    def _write_record(self, run, network, notes):
        """Write down what is trained, in place of a run that is not resumed."""
        if not self.resume:
            run.clear()
        parameters = self.get_params(deep=False)
        # A checkpoint says to which record it belongs.
        notes["resolved"] = {
            "kind": self.kind_,
            "channels": self.channels_,
            "size": self.size_,
            "input_shape": list(self.input_shape_),
            "features": self.n_features_in_,
            "classes": described(self._target_description()),
            "seed": self.seed_,
            "front_end_is_fixed": self._is_prepared,
        }
        run.write_record(
            {
                "estimator": type(self).__name__,
                "parameters": {
                    name: described(value)
                    for name, value in parameters.items()
                    if name not in _OF_THE_CALL
                },
                "resolved": {
                    **notes["resolved"],
                    "learnt_numbers": sum(p.numel() for p in network.parameters()),
                    "network": str(network).splitlines(),
                },
                "data": self._data,
            }
        )
        run.write_environment(environment())

    def _restore(self, resolved, checkpoint):
        """Take over the state of a run."""
        self.kind_, self.seed_ = resolved["kind"], resolved["seed"]
        self.channels_, self.size_ = resolved["channels"], resolved["size"]
        self.input_shape_ = tuple(resolved["input_shape"])
        self.n_features_in_ = resolved["features"]
        (targets,) = restored_parameters({"": resolved["classes"]}).values()
        self._restore_targets(targets)
        self._is_prepared = resolved["front_end_is_fixed"]
        best = checkpoint["best"]
        _require_same_shapes(self, best)
        with torch.random.fork_rng():  # parameters are drawn, and replaced
            network = self._network(self._front_end())
        if _is_earlier(checkpoint):
            best = _of_earlier_version(network, best)
        network.load_state_dict(best)
        self.module_ = network.eval()
        self.history_ = checkpoint["rows"]
        self.fingerprint_ = checkpoint["identity"].get("data")
        self.epoch_ = best_epoch(self.history_)
        self.interrupted_ = False


def load_classifier(directory, **parameters):
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
    from .classifiers import ESTIMATORS

    run = RunDirectory(directory)
    name = run.read_record()["estimator"]
    if name not in ESTIMATORS:
        raise RunDirectoryError(f"{run} holds no run of a classifier, but of {name!r}.")
    return ESTIMATORS[name].load(directory, **parameters)


def _is_earlier(checkpoint):
    """Tell whether a checkpoint is that of a version up to 0.1.0."""
    return "resolved" not in checkpoint


def _with_earlier_parameters(run, stored, names):
    """Return the parameters of a run of a version up to 0.1.0, by their names now."""
    if stored.get("center"):
        raise RunDirectoryError(
            f"the run in {run} was written by version 0.1.0 or earlier with "
            f"center=True, which is no longer there: train it again, with "
            f"normalize='center'."
        )
    kept = {name: value for name, value in stored.items() if name != "center"}
    return {k: v for k, v in _EARLIER.items() if k in names} | kept


def _of_earlier_version(network, state):
    """Return a state whose weights are normals, which a network converts."""
    state = OrderedDict(state)
    state._metadata = {
        name: {"version": 1}
        for name, module in network.named_modules()
        if isinstance(module, HyperplaneLayer)
    }
    return state


def _require_one_run(run, record, checkpoint):
    """Raise if record and checkpoint are those of different runs."""
    parameters = record["parameters"]
    said = {
        "estimator": record["estimator"],
        **{k: v for k, v in parameters.items() if k not in FREE},
    }
    meant = {k: v for k, v in checkpoint["identity"].items() if k != "data"}
    resolved = record["resolved"]
    # Checkpoints of versions up to 0.1.0 have the seed alone.
    for name, value in checkpoint.get("resolved", {"seed": checkpoint["seed"]}).items():
        said[name], meant[name] = resolved.get(name), value
    differing = _differing(said, meant)
    if differing:
        raise RunDirectoryError(
            f"the record and the checkpoint in {run} are not those of one run: "
            f"they differ in {', '.join(differing)}. Train again in another directory, "
            f"or put back the file that was changed."
        )


def _differing(one, other):
    return sorted(k for k in {*one, *other} if one.get(k) != other.get(k))


def best_epoch(rows):
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


@contextlib.contextmanager
def _refused_unless_restored(run):
    """Raise a `RunDirectoryError` if a block cannot restore what is in a directory."""
    try:
        yield
    except GeomstatsCorError:
        raise
    # Values of the right type may still make no sense anywhere.
    except Exception as error:
        raise RunDirectoryError(
            f"the run in {run} cannot be restored: {type(error).__name__}: {error}"
        ) from error


def _require_same_shapes(estimator, state):
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
    with _refused_unless_restored(run):
        network.load_state_dict(checkpoint["last"])
        chosen = [_hyperparameters(g, is_moved) for g in optimizer.param_groups]
        optimizer.load_state_dict(checkpoint["optimizer"])
        for group, expected in zip(optimizer.param_groups, chosen, strict=True):
            found = _hyperparameters(group, is_moved)
            is_same = {name: found.get(name) for name in expected} == expected
            has_others = found.keys() != expected.keys() and not is_moved
            if not (isinstance(group["lr"], float) and is_same) or has_others:
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
