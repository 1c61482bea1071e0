"""What the classifiers share: networks with the interface of scikit-learn."""

import abc
import copy
import warnings
from dataclasses import replace

import numpy as np
import torch
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils import check_consistent_length, check_random_state, column_or_1d
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data
from torch import nn

from geomstats_cor.data.cleaning import require_dense, require_one_size
from geomstats_cor.exceptions import ParameterError

from .callbacks import copied_state
from .curves import curves_figure
from .errors import TrainingInterruptedWarning
from .inputs import (
    find_kind,
    make_front_end,
    pieces,
    require_finite,
    require_shape,
    require_usable,
)
from .networks import is_fixed
from .processes import Processes
from .runs_on_disk import RunsOnDisk, closing_run_directory
from .samples import Samples, Task, find_class_weights, prepare, split_validation
from .schedule import Schedule
from .training import solve, train

_DTYPES = {"float32": torch.float32, "float64": torch.float64}


class NetworkClassifier(RunsOnDisk, ClassifierMixin, BaseEstimator, abc.ABC):
    """A network with the interface of scikit-learn."""

    # What a subclass without the parameter does.
    normalize = schedule = None
    refit = False

    @abc.abstractmethod
    def _make_network(self, n, channels, num_classes, front_end, options):
        """Return the network for samples of `channels` matrices of size n."""

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.three_d_array = True
        tags.input_tags.two_d_array = self.front_end is not None
        return tags

    @closing_run_directory
    def fit(self, X, y, groups=None):
        """Train the network.

        Parameters
        ----------
        X : array-like, shape=[N, n, n] or [N, channels, n, n] or [N, n, time]
            Correlation matrices, covariance matrices or signals.
        y : array-like, shape=[N]
            Classes: numbers or strings.
        groups : array-like, shape=[N]
            What samples of a group have in common, such as a subject: validation holds
            out whole groups. Samples are on their own if None.

        Returns
        -------
        self : object
            The estimator.
        """
        schedule = self._schedule()
        processes, run, checkpoint = Processes(), self._run_directory(), None
        if run is not None:
            checkpoint = processes.ask_first(
                lambda: run.open(self.resume, self.overwrite)
            )
        X, y = self._read_training(X, y)
        groups = None if groups is None else column_or_1d(groups)
        check_consistent_length(X, groups)
        notes = {}
        if run is not None or processes.count > 1:
            notes["identity"] = self._identity(X, y, groups)
            processes.require_same(notes["identity"])
        if checkpoint is None:
            self.seed_ = processes.ask_first(self._draw_seed)
        else:
            self._require_resumable(checkpoint, notes["identity"])
            self.seed_ = checkpoint["seed"]
        notes["seed"] = self.seed_
        self.classes_, labels = np.unique(y, return_inverse=True)
        with torch.random.fork_rng():
            torch.manual_seed(self.seed_)
            front_end = self._front_end()
            self.channels_, self.size_ = self._matrices(X, front_end)
            self._is_prepared = is_fixed(front_end, self._tensor(X[:1]))
            network = self._network(front_end)
            if run is not None:
                processes.ask_first(lambda: self._require_space(run, network))
            parts = split_validation(labels, self.validation, self.seed_, groups)
            task = self._task(X, labels, network, *parts)
            if run is not None:
                processes.ask_first(
                    lambda: self._write_configuration(run, network, notes)
                )
            where = processes, run, checkpoint, notes
            if self._is_solved():
                coords = self._coords(network, X)
                outcome = solve(network, coords, task, self.C, groups, *where)
            else:
                outcome = train(network, task, schedule, *where)
            if self._is_refitted(outcome):
                torch.manual_seed(self.seed_)
                refitted = self._network(self._front_end())
                task = self._task(X, labels, refitted, slice(None), None)
                schedule = replace(schedule, max_epochs=outcome.epoch, patience=None)
                again = train(refitted, task, schedule, processes, None, None, {})
                # Half a refit is no better than the epoch that was found.
                outcome = replace(outcome, interrupted=again.interrupted)
                if not again.interrupted:
                    network = refitted
                    outcome.write(copied_state(network))
        self.module_ = network.eval()
        self.history_, self.epoch_ = outcome.rows, outcome.epoch
        self.interrupted_ = outcome.interrupted
        if self.interrupted_:
            self._warn_of_interruption()
        return self

    def _warn_of_interruption(self):
        warnings.warn(
            f"training was interrupted after {len(self.history_)} of {self.max_epochs} "
            f"epochs: the parameters are those of epoch {self.epoch_}. "
            + (
                "To go on later, train with a directory."
                if self.directory is None
                else f"resume=True goes on with the run in {self.directory}."
            ),
            TrainingInterruptedWarning,
            stacklevel=3,
        )

    def predict_proba(self, X):
        """Return the probabilities of classes.

        Parameters
        ----------
        X : array-like, shape=[N, n, n] or [N, channels, n, n] or [N, n, time]
            Samples, of the kind that `fit` was given.

        Returns
        -------
        probabilities : numpy.ndarray, shape=[N, classes]
            Probabilities, in the order of `classes_`.
        """
        return self._logits(X).double().softmax(-1).numpy()

    def predict(self, X):
        """Return the most likely classes.

        Parameters
        ----------
        X : array-like, shape=[N, n, n] or [N, channels, n, n] or [N, n, time]
            Samples, of the kind that `fit` was given.

        Returns
        -------
        y : numpy.ndarray, shape=[N]
            Classes.
        """
        best = self._logits(X).argmax(-1).numpy()
        return self.classes_[best]

    def edge_weights(self, point=None):
        """Return how the logit of each class changes with each correlation.

        Parameters
        ----------
        point : array, shape=[n, n] or [channels, n, n]
            Correlation matrices at which the change is taken; the mean of the training
            samples if None, which needs a normalisation.

        Returns
        -------
        edge_weights : numpy.ndarray, shape=[classes, n, n] or [classes, channels, n, n]
            Symmetric hollow matrices in the order of `classes_`, of sum zero over the
            classes; the axis of a single channel is left out. See `CorNet.edge_weights`
            and `plot_edge_weights`.
        """
        check_is_fitted(self, "module_")
        point = None if point is None else torch.as_tensor(point)
        weights = self.module_.edge_weights(point).cpu().numpy()
        return weights[:, 0] if weights.shape[1] == 1 else weights

    def learning_curves(self):
        """Return a figure of loss and accuracy over the epochs.

        Returns
        -------
        figure : matplotlib.figure.Figure
            Figure; `figure.savefig` writes it.
        """
        check_is_fitted(self, "module_")
        return curves_figure(self.history_)

    def _logits(self, X):
        check_is_fitted(self, "module_")
        X = self._read_samples(X)
        inputs = self._prepared(self.module_.features, X)
        network = self.module_.from_features if self._is_prepared else self.module_
        with torch.no_grad():
            logits = [network(part.to(self.device)) for _, part in pieces(inputs)]
        return torch.cat(logits).cpu()

    def _schedule(self):
        """Return how to train, once all parameters make sense."""
        if self.dtype not in _DTYPES:
            raise ParameterError(
                f"dtype is {self.dtype!r}: choose 'float32' or 'float64'."
            )
        if self.patience is not None and self.validation is None:
            raise ParameterError(
                "patience waits for a better validation loss: pass validation, such as "
                "validation=0.2, too."
            )
        return Schedule(
            optimizer=self._stochastic_optimizer(),
            lr=self.lr,
            weight_decay=self.weight_decay,
            max_epochs=self.max_epochs,
            batch_size=self.batch_size,
            patience=self.patience,
            schedule=self.schedule,
            device=self.device,
            progress=self.progress,
        )

    def _read_training(self, X, y):
        """Return samples and labels, and note what the samples are."""
        X, y = self._validated(X, reset=True, y=y)
        require_finite(X)
        check_classification_targets(y)
        if len(set(y.tolist())) < 2:
            raise ParameterError(
                f"y has one class only, {y.tolist()[0]!r}: a classifier needs samples "
                f"of at least two classes."
            )
        kind = find_kind(X, self.kind) if self.front_end is None else None
        if kind is not None:
            require_usable(X, kind, self.shrinkage)
        # From here on the estimator is no longer what an earlier fit made of it.
        vars(self).pop("module_", None)
        self.kind_, self.input_shape_ = kind, tuple(X.shape[1:])
        return X, y

    def _read_samples(self, X):
        """Return samples that are like those of `fit`."""
        if self.front_end is None:
            require_shape(X, self.kind_, self.input_shape_)
        X = self._validated(X, reset=False)
        require_finite(X)
        if self.front_end is None:
            require_usable(X, self.kind_, self.shrinkage)
        return X

    def _validated(self, X, reset, **targets):
        require_dense(X)
        require_one_size(X)
        if isinstance(X, torch.Tensor):
            X = X.detach().cpu().numpy()
        if np.iscomplexobj(np.asarray(X)):
            raise ParameterError(
                "Complex data not supported: pass real and imaginary parts of signals "
                "as channels, or a front end that takes both."
            )
        return validate_data(
            self,
            X,
            **targets,
            reset=reset,
            dtype=[np.float64, np.float32],
            allow_nd=True,
            ensure_all_finite=False,
        )

    def _draw_seed(self):
        return int(check_random_state(self.random_state).randint(2**31 - 1))

    def _front_end(self):
        front_end = self.front_end
        if front_end is not None:
            is_module = isinstance(front_end, nn.Module)
            front_end = copy.deepcopy(front_end) if is_module else front_end()
        module = make_front_end(front_end, self.kind_, self.power, self.shrinkage)
        if module is None:
            return None
        return module.to(device=self.device, dtype=_DTYPES[self.dtype])

    def _matrices(self, X, front_end):
        """Return number and size of the matrices of a sample."""
        shape = X.shape
        if self.front_end is not None:
            with torch.no_grad():
                shape = front_end.eval()(self._tensor(X[:1])).shape
        return (shape[1] if len(shape) == 4 else 1), shape[-2]

    def _network(self, front_end):
        options = dict(device=self.device, dtype=_DTYPES[self.dtype])
        return self._make_network(
            self.size_, self.channels_, len(self.classes_), front_end, options
        )

    def _is_solved(self):
        """Tell whether the parameters are found without epochs."""
        return False

    def _stochastic_optimizer(self):
        return self.optimizer

    def _is_refitted(self, outcome):
        """Tell whether to train anew on all samples."""
        is_chosen = self.validation is not None and outcome.epoch > 0
        return self.refit and is_chosen and not outcome.interrupted

    @property
    def _momentum(self):
        """Statistics of all training samples, if the front end keeps its output."""
        return 0.0 if self._is_prepared else 0.1

    def _task(self, X, labels, network, training, held_out):
        weights = find_class_weights(self.class_weight, self.classes_, labels[training])
        if self.normalize is not None and self._is_prepared:
            network.norm.fit(self._prepared(network.coords, X, exact=True)[training])
        inputs = self._prepared(network.features, X)
        samples = Samples(inputs, torch.as_tensor(labels), self._is_prepared)
        validation = None if held_out is None else samples.part(held_out)
        return Task(samples.part(training), validation, weights, self.seed_)

    def _coords(self, network, X):
        """Return normalised coordinates in the precision of the data."""
        if not self._is_prepared:
            raise ParameterError(
                "optimizer='lbfgs' needs a front end that learns nothing: use 'adamw'."
            )
        if self.validation is not None:
            raise ParameterError(
                "validation chooses an epoch, and optimizer='lbfgs' has none: use "
                "C='cv', or another optimizer."
            )
        coords = self._prepared(network.coords, X, exact=True)
        with torch.no_grad():
            return network.normalized(coords)

    def _tensor(self, X):
        return torch.as_tensor(X).to(device=self.device, dtype=_DTYPES[self.dtype])

    def _prepared(self, function, X, exact=False):
        """Return a function of samples, in the precision of the network or of X."""
        dtype = _DTYPES[self.dtype]
        if not self._is_prepared:
            return torch.as_tensor(X).to(dtype)
        prepared = prepare(function, X, dtype, self.device)
        return prepared if exact else prepared.to(dtype)
