"""What the estimators share: networks of skorch with the interface of scikit-learn."""

import abc
import contextlib
import copy
import functools
import inspect
import math
import re
from collections.abc import Callable
from typing import Any, Self

import numpy as np
import torch
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils import check_consistent_length, check_random_state, column_or_1d
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import (
    _check_sample_weight,
    check_is_fitted,
    validate_data,
)
from torch import nn

from geomstats_cor._callers import warn_user
from geomstats_cor.data.cleaning import require_dense, require_one_size
from geomstats_cor.exceptions import ParameterError

from .._validation import require_numbers, require_positive
from ..front_end import make_front_end
from ..layers.norm import CorBatchNorm
from .data import (
    Samples,
    find_class_weights,
    find_kind,
    is_fixed,
    pieces,
    prepare,
    require_finite,
    require_shape,
    require_usable,
    split_validation,
)
from .description import described
from .loop import (
    ClassifierLoop,
    Processes,
    TrainingInterruptedWarning,
    TrainingLoop,
    copied_state,
    stops_early,
)
from .pictures import curves_figure
from .run_directory import WEIGHTS_VERSION, RunDirectory, RunsOnDisk, best_epoch

_DTYPES = {"float32": torch.float32, "float64": torch.float64}
_PREFIXES = ("module", "criterion", "optimizer", "callbacks")
OPTIMIZERS = {
    "adam": torch.optim.Adam,
    "adamw": torch.optim.AdamW,
    "sgd": torch.optim.SGD,
}
# Optimizers whose steps do not depend on the scale of gradients.
_ADAPTIVE = (torch.optim.Adam, torch.optim.AdamW, torch.optim.NAdam, torch.optim.RAdam)


def estimator_class(cls: Any) -> Any:
    """Let an estimator take options of skorch, and complete its docstring.

    Options are such as `module__guard`. Parameters that the docstring does not have are
    described as in those of the base classes.

    Parameters
    ----------
    cls : type
        Subclass of `NetworkEstimator`.

    Returns
    -------
    cls : type
        The same class.
    """
    plain, title = cls.__init__, "Parameters\n----------\n"

    @functools.wraps(plain)
    def __init__(self, *arguments, **parameters):
        options = {name: parameters.pop(name) for name in {*parameters} if "__" in name}
        plain(self, *arguments, **parameters)
        self._set_options(options)

    cls.__init__ = __init__
    described: dict[str, str] = {}
    for base in reversed(cls.__mro__):
        doc = inspect.cleandoc(vars(base).get("__doc__") or "")
        before, _, section = doc.partition(title)
        section, _, after = section.partition("\n\n")
        for entry in re.split(r"\n(?=\S)", section):
            names = entry.partition(" :")[0]
            described |= dict.fromkeys(names.split(", "), entry)
    entries = dict.fromkeys(
        described[name] for name in inspect.signature(cls).parameters
    )
    cls.__doc__ = f"{before}{title}{chr(10).join(entries)}\n\n{after}\n"
    return cls


class NetworkEstimator(RunsOnDisk, BaseEstimator, abc.ABC):
    """A network with the interface of scikit-learn, which skorch trains.

    Parameters
    ----------
    kind : {"auto", "correlation", "covariance", "signal"}
        What samples are. With "auto", symmetric matrices are correlation matrices if
        all diagonals are one, else covariance matrices; samples that are not square
        are signals, of which covariance matrices over time are taken.
    power : float
        Exponent of a matrix power before the correlation matrix is taken, not zero.
    shrinkage : float
        Amount of shrinkage before the power, from 0 to 1; see `Shrinkage`.
    front_end : torch.nn.Module or callable
        What makes covariance matrices of samples, in place of what `kind` says, or a
        function without arguments that returns such a module. Shrinkage, power and
        correlation follow it. If it has parameters, they are learnt.
    normalize : {"coordinates", "channel", "center"} or None
        Normalisation of the input by the mean of the training samples and their
        dispersion, one for each coordinate or each channel, or by the mean alone; see
        `CorBatchNorm`. With a front end that learns, statistics are those of batches.
    gain : float
        Factor on the initial weights; see `CorNet`.
    optimizer : str or callable
        Key of an optimizer ("adam", "adamw", "sgd"), or a class of torch.optim.
    lr, weight_decay : float
        Learning rate and weight decay. Adam and its relatives use them for coordinates
        of variance one; see `CorNet.parameter_groups`.
    schedule : {"cycle"} or None
        Whether the learning rate rises and falls once over the training, or stays.
    max_epochs : int
        Number of epochs.
    batch_size : int
        Number of samples in a batch.
    validation : float
        Part of the samples that is held out, each class in proportion, to choose the
        epoch with the least loss on them; no epoch is chosen if None. With groups,
        whole ones are held out; see `fit`.
    refit : bool
        Whether, with validation, the network is trained anew on all samples for the
        number of epochs that was found.
    patience : int
        Number of epochs to wait for a better one before stopping; for ever if None.
    callbacks : list of skorch.callbacks.Callback
        What else happens in training: schedulers of the learning rate (with
        schedule=None), gradient clipping, loggers. With `refit`, in both trainings.
    random_state : int or numpy.random.RandomState
        Seed of parameters, batches and validation. The same seed gives the same
        network, bit for bit on one machine. The generators of numpy and torch are left
        as they are.
    dtype : {"float32", "float64"}
        Precision of the network. What has no parameters is computed in the precision of
        the data.
    device : str
        Device of the network.
    progress : bool
        Whether to show a bar.
    directory : str or path
        Directory of the run: configuration, metrics, checkpoint, curves and versions
        are written there; nowhere if None.
    resume : bool
        Whether to go on with the run in the directory, if there is one.
    overwrite : bool
        Whether to replace the run in the directory, if there is one.
    """

    # What a subclass without the parameter does.
    normalize: Any = None
    schedule: Any = None
    refit = False
    criterion: Any = None
    callbacks: Any = None
    module: Any = None
    _options: dict[str, Any] = {}
    # Whether samples may follow after a first fit.
    _is_open_ended = False
    # Whether the network has a regression beside it, as it was made.
    _has_regression = False
    module_: Any
    net_: Any

    @abc.abstractmethod
    def _make_network(self, n, channels, num_classes, front_end, options):
        """Return the network for samples of `channels` matrices of size n."""

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Return the parameters.

        Parameters
        ----------
        deep : bool
            Whether to return those of parameters that are estimators, too.

        Returns
        -------
        params : dict
            Parameters by name, options of skorch such as `module__guard` included.
        """
        return super().get_params(deep) | self._options

    def set_params(self, **params: Any) -> Self:
        """Set parameters.

        Parameters
        ----------
        **params
            Parameters by name, also options of skorch such as `optimizer__momentum`.

        Returns
        -------
        self : object
            The estimator.
        """
        known = {k: v for k, v in params.items() if k.split("__")[0] in _PREFIXES}
        options = {k: v for k, v in known.items() if "__" in k}
        super().set_params(**{k: v for k, v in params.items() if k not in options})
        self._set_options(options)
        return self

    def _set_options(self, options):
        for name in options:
            if name.split("__")[0] not in _PREFIXES:
                raise TypeError(
                    f"{type(self).__name__} has no parameter {name!r}: options of "
                    f"skorch begin with {', '.join(f'{p}__' for p in _PREFIXES)}."
                )
        if options:
            self._options = self._options | options

    def _options_of(self, prefix):
        """Return the options that begin with a prefix, without it."""
        names = (name for name in self._options if name.startswith(f"{prefix}__"))
        return {name.split("__", 1)[1]: self._options[name] for name in names}

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.three_d_array = True
        tags.input_tags.two_d_array = self.front_end is not None
        return tags

    def fit(
        self,
        X: Any,
        y: Any,
        groups: Any = None,
        sample_weight: Any = None,
        **fit_params: Any,
    ) -> Self:
        """Train the network.

        Parameters
        ----------
        X : array-like, shape=[N, n, n] or [N, channels, n, n] or [N, n, time]
            Correlation matrices, covariance matrices or signals.
        y : array-like, shape=[N]
            Classes: numbers or strings; numbers for a regressor.
        groups : array-like, shape=[N]
            What samples of a group have in common, such as a subject: validation holds
            out whole groups. Samples are on their own if None.
        sample_weight : array-like, shape=[N]
            Weight of each sample in the loss, not negative; all are 1 if None.
        **fit_params
            Passed to the network with every batch, as skorch does.

        Returns
        -------
        self : object
            The estimator.
        """
        return self._fit(X, y, groups, sample_weight, fit_params)

    def _fit(self, *arguments: Any, **keywords: Any) -> Self:
        self._require_settings()
        run = None if self.directory is None else RunDirectory(self.directory)
        with run or contextlib.nullcontext():
            return self._fit_in(run, *arguments, **keywords)

    def _fit_in(
        self, run, X, y, groups, sample_weight, fit_params, classes=None, epochs=None
    ):
        processes, checkpoint = Processes(), None
        self._is_open_ended = epochs is not None
        if run is not None:
            checkpoint = processes.ask_first(
                lambda: run.open(self.resume, self.overwrite)
            )
        X, y = self._read_training(X, y, classes)
        groups = None if groups is None else column_or_1d(groups)
        check_consistent_length(X, groups)
        sample_weight = _checked_weights(sample_weight, X)
        identity = self._identity(X, y, groups, sample_weight)
        self.fingerprint_ = identity["data"]
        processes.require_same(identity)
        if checkpoint is None:
            self.seed_ = processes.ask_first(self._draw_seed)
        else:
            self._require_resumable(checkpoint, identity)
            self.seed_ = checkpoint["seed"]
        processes.claim_device(self.device)
        with torch.random.fork_rng():
            network = self._new_network(X)
            if checkpoint is not None:
                self._require_same_weights(network, checkpoint)
            parts = split_validation(
                self._strata(y), self.validation, self.seed_, groups
            )
            self._require_batches(len(parts[0]))
            samples, validation = self._samples(X, y, sample_weight, network, *parts)
            if checkpoint is None or not checkpoint["rows"]:
                self._solve_beside(network, X, samples, groups, parts[0])
            if run is not None:
                run.notes = dict(identity=identity, seed=self.seed_)
                run.notes |= dict(resolved=self._resolved(), version=WEIGHTS_VERSION)
                processes.ask_first(lambda: self._begin(run, network))
            loop = self._loop(
                network, epochs, run=run, validation=validation, patience=self.patience
            )
            is_solved = epochs is None and self._is_solved()
            if is_solved:
                self._solve(loop, X, samples, groups, checkpoint)
            else:
                loop.learn(samples, checkpoint, **fit_params)
            self.history_, self.epoch_ = loop.rows, best_epoch(loop.rows)
            self.interrupted_ = loop.interrupted_
            is_chosen = validation is not None and self.epoch_ > 0
            if self.refit and is_chosen and not self.interrupted_:
                again = self._loop(self._new_network(X))
                again.max_epochs = self.epoch_
                again.callbacks = [c for c in again.callbacks if not stops_early(c)]
                samples, _ = self._samples(X, y, sample_weight, again.module, ..., None)
                self._solve_beside(again.module, X, samples, groups, ...)
                again.learn(samples, **fit_params)
                # Half a refit is no better than the epoch that was found.
                self.interrupted_ = again.interrupted_
                if not again.interrupted_:
                    loop.write(best=copied_state(again.module))
                    network, loop = again.module, again
        self.module_, self.net_ = network.eval(), None if is_solved else loop
        loop.forget_samples()
        if self.interrupted_:
            self._warn_of_interruption()
        return self

    def partial_fit(
        self,
        X: Any,
        y: Any,
        classes: Any = None,
        sample_weight: Any = None,
        epochs: int = 1,
    ) -> Self:
        """Train the network further, on other samples.

        The first call makes the network, with normalisations by its samples. The
        learning rate is `lr`, without the cycle; a scheduler among the callbacks
        changes it.

        Parameters
        ----------
        X : array-like, shape=[N, n, n] or [N, channels, n, n] or [N, n, time]
            Samples.
        y : array-like, shape=[N]
            Targets.
        classes : array-like, shape=[k]
            All classes, in the first call; those of y if None.
        sample_weight : array-like, shape=[N]
            Weight of each sample; all are 1 if None.
        epochs : int
            Number of epochs.

        Returns
        -------
        self : object
            The estimator.
        """
        if self.directory is not None or self.validation is not None:
            raise ParameterError(
                "partial_fit has no end: leave directory and validation out, or use "
                "fit."
            )
        if not hasattr(self, "module_"):
            first = dict(classes=classes, epochs=epochs)
            return self._fit(X, y, None, sample_weight, {}, **first)
        X, y = self._read_samples(X), column_or_1d(y)
        check_consistent_length(X, y)
        weights = _checked_weights(sample_weight, X)
        with torch.random.fork_rng():
            inputs = self._prepared(getattr(self.module_, "features", None), X)
            samples = Samples(inputs, *self._targets(y, np.arange(len(X)), weights))
            if getattr(self, "net_", None) is None:  # it was solved, or loaded
                self.net_ = self._loop(self.module_, epochs).initialize()
                self.net_.remember(self.history_)
            self.net_.train_further(samples, epochs)
        self.module_.eval()
        self.history_ = self.net_.rows
        self.epoch_ = len(self.history_)
        return self

    def as_fitted(self) -> Self:
        """Return the estimator with the parameters that its network was made with.

        Returns
        -------
        estimator : object
            Copy; parameters that were set after `fit` are as they were.
        """
        check_is_fitted(self, "module_")
        fitted = copy.copy(self)
        fitted._options = {}
        return fitted.set_params(**self._fitted_parameters)

    def plain_arguments(self) -> dict[str, Any]:
        """Return the arguments of the network as plain values, or raise.

        Returns
        -------
        arguments : dict
            Arguments by name, as files can hold them.
        """
        check_is_fitted(self, "module_")
        sizes = self.size_, self.channels_, self._num_outputs
        arguments = {k: described(v) for k, v in self._arguments(*sizes).items()}
        own = [k for k in ("front_end", "module") if getattr(self, k) is not None]
        own += [k for k, v in arguments.items() if isinstance(v, dict)]
        if own:
            raise ParameterError(
                f"a file of plain values cannot hold {', '.join(own)}: use "
                f"export_model for module_, or a run directory."
            )
        return arguments | {"dtype": self.dtype}

    def _loop(
        self, network: Any, epochs: int | None = None, **options: Any
    ) -> TrainingLoop:
        """Return the loop of skorch; without a cycle if training has no end."""
        optimizer = self._optimizer_class()
        options |= dict(optimizer=optimizer, lr=self.lr, batch_size=self.batch_size)
        if self.weight_decay:  # which not every optimizer knows
            options["optimizer__weight_decay"] = self.weight_decay
        if hasattr(network, "parameter_groups") and optimizer in _ADAPTIVE:
            groups = network.parameter_groups(self.lr, self.weight_decay)
            options["parameter_groups"] = groups
        passed = self._options.items()
        options |= {k: v for k, v in passed if not k.startswith("module__")}
        return self._make_loop(
            network,
            self.criterion or self._default_criterion,
            is_prepared=self._is_prepared,
            seed=self.seed_,
            progress=self.progress,
            schedule=self.schedule if epochs is None else None,
            max_epochs=self.max_epochs if epochs is None else epochs,
            device=self.device,
            callbacks=self.callbacks,
            **options,
        )

    def _warn_of_interruption(self):
        warn_user(
            f"training was interrupted after {len(self.history_)} of {self.max_epochs} "
            f"epochs: the parameters are those of epoch {self.epoch_}. "
            + (
                "To go on later, train with a directory."
                if self.directory is None
                else f"resume=True goes on with the run in {self.directory}."
            ),
            TrainingInterruptedWarning,
        )

    def learning_curves(self) -> Any:
        """Return a figure of loss and score over the epochs.

        Returns
        -------
        figure : matplotlib.figure.Figure
            Figure; `figure.savefig` writes it.
        """
        check_is_fitted(self, "module_")
        return curves_figure(self.history_)

    def _outputs(self, X):
        check_is_fitted(self, "module_")
        X = self._read_samples(X)
        network: Any = self.module_
        inputs = self._prepared(network.features, X) if self._has_parts() else X
        network = network.from_features if self._is_prepared else network
        with torch.no_grad():
            outputs = [network(self._tensor(part)) for _, part in pieces(inputs)]
        return torch.cat(outputs).cpu()

    def _require_settings(self):
        """Raise unless all parameters make sense."""
        require_positive(max_epochs=self.max_epochs, batch_size=self.batch_size)
        if self.patience is not None:
            require_positive(patience=self.patience)
        require_numbers(lr=self.lr, weight_decay=self.weight_decay)
        is_on_disk = self.directory is not None
        for is_good, complaint in (
            (
                self.dtype in _DTYPES,
                f"dtype is {self.dtype!r}: choose 'float32' or 'float64'.",
            ),
            (
                self.patience is None or self.validation is not None,
                "patience waits for a better validation loss: pass validation, such as "
                "validation=0.2, too.",
            ),
            (
                self.schedule in ("cycle", None),
                f'schedule is {self.schedule!r}: expected "cycle" or None.',
            ),
            (
                0.0 < self.lr < math.inf,
                f"lr must be a positive number, not {self.lr!r}.",
            ),
            (
                0.0 <= self.weight_decay < math.inf,
                f"weight_decay must not be negative: it is {self.weight_decay!r}.",
            ),
            (
                is_on_disk or not (self.resume or self.overwrite),
                "resume and overwrite are about the directory of a run: pass "
                "directory.",
            ),
            (
                not (self.resume and self.overwrite),
                "resume=True and overwrite=True exclude each other: choose one.",
            ),
            (
                self.module is not None or "module__regression" not in self._options,
                "module__regression adds a regression that nothing would solve: use "
                "the parameter C of CorNetClassifier instead.",
            ),
        ):
            if not is_good:
                raise ParameterError(complaint)
        self._optimizer_class()
        try:
            torch.empty(0, device=self.device)
        except (RuntimeError, AssertionError) as error:
            raise ParameterError(
                f"there is no device {self.device!r} here: {error}. Use device='cpu'."
            ) from error

    def _require_batches(self, count):
        """Raise if a batch of one sample would be normalised by its own statistics."""
        by_batches = self.normalize is not None and not self._is_prepared
        if by_batches and count % self.batch_size == 1:
            raise ParameterError(
                f"with batch_size = {self.batch_size} the last batch of {count} "
                f"samples has one sample, and the normalisation takes statistics of "
                f"batches as the front end learns: choose another batch_size, or "
                f"normalize=None."
            )

    def _read_training(self, X, y, classes):
        """Return samples and targets, and note what the samples are."""
        X, y = self._validated(X, reset=True, y=y)
        require_finite(X)
        self._note_targets(y, classes)
        kind = find_kind(X, self.kind) if self.front_end is None else None
        if kind is not None:
            require_usable(X, kind, self.shrinkage)
        # From here on the estimator is no longer what an earlier fit made of it.
        self.__dict__.pop("module_", None)
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

    def _new_network(self, X):
        """Return a network with parameters by the seed, and note what it takes."""
        torch.manual_seed(self.seed_)
        front_end = self._front_end()
        self.channels_, self.size_ = self._matrices(X, front_end)
        fixed = self._has_parts() and is_fixed(front_end, self._tensor(X[:1]))
        self._is_prepared = fixed
        self._has_regression = self._is_regression_beside()
        return self._network(front_end)

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

    def _has_parts(self):
        """Tell whether the network says what it computes before it learns."""
        return self.module is None or hasattr(self.module, "from_features")

    def _network(self, front_end):
        self._fitted_parameters = self.get_params(deep=False)
        options = dict(device=self.device, dtype=_DTYPES[self.dtype])
        return self._make_network(
            self.size_, self.channels_, self._num_outputs, front_end, options
        )

    def _is_solved(self):
        """Tell whether the parameters are found without epochs."""
        return False

    def _is_regression_beside(self):
        """Tell whether the network is to have a regression beside it."""
        return False

    def _solve_beside(self, network, X, samples, groups, training):
        """Find, before training, those parameters that steps leave as they are."""

    def _stochastic_optimizer(self):
        return self.optimizer

    def _optimizer_class(self):
        optimizer = self._stochastic_optimizer()
        if callable(optimizer):
            return optimizer
        if optimizer not in OPTIMIZERS:
            raise ParameterError(
                f"there is no optimizer {optimizer!r}: choose one of "
                f"{', '.join(OPTIMIZERS)}, or pass a class of torch.optim."
            )
        return OPTIMIZERS[optimizer]

    @property
    def _momentum(self):
        """Statistics of all training samples, if the front end keeps its output."""
        return 0.0 if self._is_prepared else 0.1

    def _samples(self, X, y, sample_weight, network, training, held_out):
        """Return samples to learn from, and to validate on."""
        norm = getattr(network, "norm", None)
        if isinstance(norm, CorBatchNorm) and self._is_prepared:
            norm.fit(self._prepared(network.coords, X, exact=True)[training])
        inputs = self._prepared(getattr(network, "features", None), X)
        samples = Samples(inputs, *self._targets(y, training, sample_weight))
        validation = None if held_out is None else samples.part(held_out)
        return samples.part(training), validation

    def _tensor(self, X):
        return torch.as_tensor(X).to(device=self.device, dtype=_DTYPES[self.dtype])

    def _prepared(self, function, X, exact=False):
        """Return a function of samples, in the precision of the network or of X."""
        dtype = _DTYPES[self.dtype]
        if not self._is_prepared:
            return torch.as_tensor(X).to(dtype)
        prepared = prepare(function, X, dtype, self.device)
        return prepared if exact else prepared.to(dtype)


class NetworkClassifier(ClassifierMixin, NetworkEstimator):
    """A network that classifies.

    Parameters
    ----------
    class_weight : {"balanced"} or dict
        Weights of the classes in the loss; all are 1 if None.
    """

    _default_criterion = nn.CrossEntropyLoss

    def _require_settings(self):
        super()._require_settings()
        if self.criterion is nn.NLLLoss:
            raise ParameterError(
                "NLLLoss takes logarithms of probabilities, and networks give logits: "
                "use CrossEntropyLoss, which takes both steps."
            )

    def predict_proba(self, X: Any) -> np.ndarray:
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
        return self._outputs(X).double().softmax(-1).numpy()

    def predict(self, X: Any) -> np.ndarray:
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
        best = self._outputs(X).argmax(-1).numpy()
        return self.classes_[best]

    def edge_weights(self, point: Any = None) -> np.ndarray:
        """Return how the output for each class changes with each correlation.

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

    @property
    def _num_outputs(self):
        return len(self.classes_)

    def _note_targets(self, y, classes):
        check_classification_targets(y)
        if len(set(y.tolist())) < 2 and classes is None:
            raise ParameterError(
                f"y has one class only, {y.tolist()[0]!r}: a classifier needs samples "
                f"of at least two classes."
            )
        self.classes_ = np.unique(y if classes is None else classes)

    def _target_description(self):
        return self.classes_

    def _restore_targets(self, targets):
        self.classes_ = targets

    def _strata(self, y):
        """Return what validation holds out in proportion."""
        return self._labels(y)

    def _labels(self, y):
        labels = np.searchsorted(self.classes_, y)
        known = np.minimum(labels, len(self.classes_) - 1)
        unknown = self.classes_[known] != y
        if unknown.any():
            classes = ", ".join(map(repr, self.classes_.tolist()))
            raise ParameterError(
                f"y has the class {y[unknown].tolist()[0]!r}, which is not one of the "
                f"classes {classes}."
            )
        return labels

    def _targets(self, y, training, sample_weight):
        """Return labels and weights of samples."""
        labels = self._labels(y)
        weights = find_class_weights(
            self.class_weight, self.classes_, labels[training]
        )[labels]
        if sample_weight is not None:
            weights = weights * torch.as_tensor(sample_weight)
        return torch.as_tensor(labels), weights

    def _make_loop(self, *arguments, **options):
        classes = list(range(len(self.classes_)))
        return ClassifierLoop(*arguments, classes=classes, **options)


def _checked_weights(weights, X):
    how = dict(dtype=np.float64, ensure_non_negative=True)
    return None if weights is None else _check_sample_weight(weights, X, **how)


def made_by(module: Callable, arguments: dict, options: dict) -> Any:
    """Return a network, from those arguments that it has.

    Parameters
    ----------
    module : callable
        Class of networks, or a function that makes one.
    arguments : dict
        What estimators know: sizes, metrics and the like.
    options : dict
        What the user gives, which goes before it.

    Returns
    -------
    network : torch.nn.Module
        Network.
    """
    names = inspect.signature(module).parameters
    known = {k: v for k, v in arguments.items() if k in names}
    return module(**(known | options))
