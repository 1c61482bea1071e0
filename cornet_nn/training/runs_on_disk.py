"""What a classifier writes down of a run, and how it is restored from that."""

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
_FREE = ("max_epochs", "device", "progress", "directory", "resume", "overwrite")
# What networks did up to version 0.1.0, which had no parameters for it.
_EARLIER = {
    "normalize": None,
    "dropout": 0.0,
    "gain": 1.0,
    "schedule": None,
    "refit": False,
}


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
    """A classifier with the parameters `directory`, `resume` and `overwrite`."""

    @classmethod
    def load(cls, directory, **parameters):
        """Return the classifier of a run, as it was after the last epoch.

        Parameters
        ----------
        directory : str or path
            Run directory.
        **parameters
            Parameters that take the place of those of the run: `device`, or what files
            of plain values cannot hold, such as a front end.

        Returns
        -------
        classifier : object
            Fitted classifier, with the parameters of the epoch that was chosen.
        """
        run = RunDirectory(directory)
        configuration, checkpoint = run.read_configuration(), run.read_checkpoint()
        if configuration["estimator"] != cls.__name__:
            raise RunDirectoryError(
                f"{run} holds a run of {configuration['estimator']}, not of "
                f"{cls.__name__}: use load_classifier, which takes either."
            )
        _require_one_run(run, configuration, checkpoint)
        parameters = {"directory": directory, **parameters}
        with refused_unless_restored(run):
            stored = configuration["parameters"]
            if _is_earlier(checkpoint):
                stored = _with_earlier_parameters(run, stored, cls._get_param_names())
            classifier = cls(**restored_parameters(stored, parameters))
            classifier._restore(configuration["resolved"], checkpoint)
        return classifier

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

    def _identity(self, X, y, groups):
        """Return what must be the same in a run that is resumed."""
        parameters = self.get_params(deep=False)
        return {
            "estimator": type(self).__name__,
            **{k: described(v) for k, v in parameters.items() if k not in _FREE},
            "data": fingerprint(*(a for a in (X, y, groups) if a is not None)),
        }

    def _require_resumable(self, checkpoint, identity):
        """Raise unless a run can go on from a checkpoint."""
        if _is_earlier(checkpoint):
            raise ResumeError(
                f"the run in {self.directory} was written by version 0.1.0 or earlier, "
                f"whose weights and optimizer are others: it can be loaded, but not "
                f"resumed. Train again in another directory, or pass overwrite=True."
            )
        require_same_run(checkpoint["identity"], identity)
        done = len(checkpoint["rows"])
        if done > self.max_epochs:
            raise ParameterError(
                f"the run has {done} epochs, more than the {self.max_epochs} asked "
                f"for: resume it with {done} or more (max_epochs, or --epochs)."
            )

    def _require_space(self, run, network):
        sizes = [x.numel() * x.element_size() for x in network.state_dict().values()]
        run.require_space(sum(sizes), self.max_epochs)

    def _write_configuration(self, run, network, notes):
        """Write down what is trained, in place of a run that is not resumed."""
        if not self.resume:
            run.clear()
        parameters = self.get_params(deep=False)
        # A checkpoint says to which configuration it belongs.
        notes["resolved"] = {
            "kind": self.kind_,
            "channels": self.channels_,
            "size": self.size_,
            "input_shape": list(self.input_shape_),
            "features": self.n_features_in_,
            "classes": described(self.classes_),
            "seed": self.seed_,
            "front_end_is_fixed": self._is_prepared,
        }
        run.write_configuration(
            {
                "estimator": type(self).__name__,
                "parameters": {k: described(v) for k, v in parameters.items()},
                "resolved": {
                    **notes["resolved"],
                    "learnt_numbers": sum(p.numel() for p in network.parameters()),
                    "network": str(network).splitlines(),
                },
            }
        )
        run.write_environment(environment())

    def _restore(self, resolved, checkpoint):
        """Take over the state of a run."""
        self.kind_, self.seed_ = resolved["kind"], resolved["seed"]
        self.channels_, self.size_ = resolved["channels"], resolved["size"]
        self.input_shape_ = tuple(resolved["input_shape"])
        self.n_features_in_ = resolved["features"]
        (self.classes_,) = restored_parameters({"": resolved["classes"]}).values()
        self._is_prepared = resolved["front_end_is_fixed"]
        require_same_shapes(self, checkpoint["best"])
        with torch.random.fork_rng():  # parameters are drawn, and replaced
            network = self._network(self._front_end())
        best = checkpoint["best"]
        if _is_earlier(checkpoint):
            best = _of_earlier_version(network, best)
        network.load_state_dict(best)
        self.module_ = network.eval()
        self.history_ = checkpoint["rows"]
        self.epoch_ = best_epoch(self.history_)
        self.interrupted_ = False


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


def _require_one_run(run, configuration, checkpoint):
    """Raise if configuration and checkpoint are those of different runs."""
    parameters = configuration["parameters"]
    said = {
        "estimator": configuration["estimator"],
        **{k: v for k, v in parameters.items() if k not in _FREE},
    }
    meant = {k: v for k, v in checkpoint["identity"].items() if k != "data"}
    resolved = configuration["resolved"]
    # Checkpoints of versions up to 0.1.0 have the seed alone.
    for name, value in checkpoint.get("resolved", {"seed": checkpoint["seed"]}).items():
        said[name], meant[name] = resolved.get(name), value
    differing = sorted(k for k in {*said, *meant} if said.get(k) != meant.get(k))
    if differing:
        raise RunDirectoryError(
            f"the configuration and the checkpoint in {run} are not those of one run: "
            f"they differ in {', '.join(differing)}. Train again in another directory, "
            f"or put back the file that was changed."
        )
