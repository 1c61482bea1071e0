"""What an estimator writes down of a run, and how it is restored from that."""

import functools
from collections import OrderedDict

import torch

from geomstats_cor.exceptions import ParameterError

from ..layers.hyperplane import HyperplaneLayer
from .callbacks import best_epoch
from .description import described, environment, fingerprint, restored_parameters
from .errors import ResumeError, RunDirectoryError
from .run_directory import RunDirectory, require_same_run
from .schema import refused_unless_restored, require_same_shapes

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


def closing_run_directory(fit):
    """Return a method that gives the lock of the run directory back in the end.

    Parameters
    ----------
    fit : callable
        Method of `RunsOnDisk`.

    Returns
    -------
    fit : callable
        The same method, which leaves no lock whether it returns or raises.
    """

    @functools.wraps(fit)
    def wrapped(self, *arguments, **keywords):
        try:
            return fit(self, *arguments, **keywords)
        finally:
            run = vars(self).pop("_run", None)
            if run is not None:
                run.close()

    return wrapped


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
        with refused_unless_restored(run):
            stored = record["parameters"]
            if _is_earlier(checkpoint):
                stored = _with_earlier_parameters(run, stored, cls._get_param_names())
            stored = {
                name: value
                for name, value in stored.items()
                if not (
                    name.split("__")[0] in _FOR_TRAINING and isinstance(value, dict)
                )
            }
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
        self._run = None if self.directory is None else RunDirectory(self.directory)
        return self._run

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
        require_same_run(stored, identity)
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
        require_same_shapes(self, best)
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
    differing = sorted(k for k in {*said, *meant} if said.get(k) != meant.get(k))
    if differing:
        raise RunDirectoryError(
            f"the record and the checkpoint in {run} are not those of one run: "
            f"they differ in {', '.join(differing)}. Train again in another directory, "
            f"or put back the file that was changed."
        )
