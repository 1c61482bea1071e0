"""One training: skorch's loop over prepared samples, by one process or several."""

import inspect
import math
import time
from dataclasses import dataclass, field, replace
from typing import Any

import torch
from skorch import NeuralNet
from skorch.callbacks import Callback, EarlyStopping
from tqdm.auto import tqdm

from geomstats_cor.exceptions import GeomstatsCorError, ParameterError, ShapeError

from . import regression
from .pictures import curves_figure
from .runs_on_disk import best_epoch, load_training_state

# What skorch keeps for itself.
_INTERNAL = ("dur", "train_batch_count", "valid_batch_count")


class TrainingDivergedError(GeomstatsCorError, ArithmeticError):
    """The loss or a gradient is not a finite number.

    Parameters
    ----------
    message : str
        Message, with the likely reason.
    epoch, batch : int
        Where it happened, both counted from 1.

    Examples
    --------
    >>> from cornet_nn.training import CorMLRClassifier, TrainingDivergedError
    >>> from geomstats_cor import FullRankCorrelationMatrices
    >>> points = FullRankCorrelationMatrices(4, equip=False).random_point(8, rng=0)
    >>> model = CorMLRClassifier(
    ...     optimizer="adam", lr=1e30, random_state=0, progress=False
    ... )
    >>> try:
    ...     model.fit(points, [0, 1] * 4)
    ... except TrainingDivergedError as error:
    ...     print(error.epoch is not None, "learning rate" in str(error))
    True True
    """

    def __init__(self, message, epoch=None, batch=None):
        super().__init__(message)
        self.epoch, self.batch = epoch, batch


class TrainingInterruptedWarning(UserWarning):
    """Training was stopped by the keyboard; what was learnt so far is kept.

    Examples
    --------
    >>> import warnings
    >>> from cornet_nn.training import TrainingInterruptedWarning
    >>> warnings.simplefilter("error", TrainingInterruptedWarning)  # an error instead
    >>> warnings.simplefilter("default", TrainingInterruptedWarning)
    """


class StopTraining(Exception):
    """Raised at the end of an epoch that is to be the last."""


@dataclass
class Task:
    """What to learn, and where it is written.

    Attributes
    ----------
    samples, validation : Samples
        Samples to learn from, and to choose the epoch by, if any.
    is_prepared : bool
        Whether inputs are features of the network.
    seed : int
        Seed of all epochs.
    score : tuple
        Name of the score, the function of outputs and targets that is summed over
        samples, and the function of its mean that is recorded.
    patience : int or None
        Number of epochs to wait for a better one.
    progress : bool
        Whether to show a bar.
    processes : Processes
        Processes that train together.
    run : RunDirectory or None
        Where to write, in the first process.
    checkpoint : dict or None
        Where an earlier training stopped.
    notes : dict
        Plain values that belong into every checkpoint.
    fit_params : dict
        Arguments of the network with every batch.
    """

    samples: Any
    validation: Any
    is_prepared: bool
    seed: int
    score: tuple
    patience: int | None
    progress: bool
    processes: Any
    run: Any = None
    checkpoint: Any = None
    notes: dict = field(default_factory=dict)
    fit_params: dict = field(default_factory=dict)


class Batch(tuple):
    """Inputs and targets of one process, as skorch has batches.

    Attributes
    ----------
    weights : tensor, shape=[k]
        Weight of each sample in the loss; k may be zero.
    count : int
        Number of samples of the joint batch.
    total : float
        Sum of the weights of the joint batch, by which the loss is divided.
    """


class Batches:
    """Batches in a random order, which depends on the epoch, or in the given one.

    Parameters
    ----------
    dataset : Samples
        Samples, with the attributes `inputs`, `targets` and `weights`.
    batch_size : int
        Number of samples of a joint batch; the last one may have fewer.
    processes : Processes
        Processes that share each batch.
    draw_order : callable or None
        Function of N that returns an order of samples; the given order if None.
    """

    def __init__(self, dataset, batch_size, processes, draw_order=None):
        self.dataset, self.batch_size = dataset, batch_size
        self.processes, self.draw_order = processes, draw_order or torch.arange

    def __len__(self):
        return -(-len(self.dataset) // self.batch_size)

    def __iter__(self):
        data = self.dataset
        for joint in self.draw_order(len(data)).split(self.batch_size):
            part = self.processes.part(joint)
            batch = Batch((data.inputs[part], data.targets[part]))
            batch.weights, batch.count = data.weights[part], len(joint)
            batch.total = float(data.weights[joint].sum(dtype=torch.float64))
            yield batch


class TrainingLoop(NeuralNet):
    """Training of a network on prepared samples.

    Everything random in an epoch is a function of the seed and of the number of the
    epoch, so that a resumed training needs no state but parameters and optimizer.

    Parameters
    ----------
    module : torch.nn.Module
        Network.
    criterion : type
        Loss of torch; with the argument `reduction`, samples can have weights.
    task : Task
        What to learn.
    schedule : {"cycle"} or None
        How the learning rate changes; see `learning_rate_factor`.
    parameter_groups : list of dict or None
        Groups of parameters for the optimizer; one group if None.
    **options
        Options of `skorch.NeuralNet`.

    Attributes
    ----------
    kept_ : dict
        One row for each epoch, and the parameters after the last and the best of them.
    interrupted_ : bool
        Whether the keyboard stopped the training.
    """

    _bar = None

    def __init__(
        self, module, criterion, task, schedule=None, parameter_groups=None, **options
    ):
        self.task, self.schedule = task, schedule
        self.parameter_groups = parameter_groups
        if "reduction" in inspect.signature(criterion).parameters:
            options.setdefault("criterion__reduction", "none")
        super().__init__(module, criterion, verbose=0, train_split=None, **options)
        self.interrupted_, self.kept_ = False, None

    @property
    def _default_callbacks(self):
        return []

    @property
    def rows(self):
        """One row for each epoch that is complete."""
        return self.kept_["rows"]

    @property
    def epochs_done(self):
        """Number of epochs that were begun, the current one included."""
        return len(self.history)

    @property
    def _batch_count(self):
        return -(-len(self.task.samples) // self.batch_size)

    def learn(self):
        """Train up to `max_epochs`, those of the checkpoint included.

        In the end the network has the parameters of the best epoch.

        Raises
        ------
        KeyboardInterrupt
            If the keyboard stopped one of several processes.
        """
        task, state = self.initialize().task, copied_state(self.module_)
        self.kept_ = dict(rows=[], last=state, best=state)
        if task.checkpoint is not None:
            parts = self.module_, self.optimizer_, task.checkpoint
            load_training_state(task.run, *parts, is_moved=bool(self.callbacks))
            self.kept_ = {name: task.checkpoint[name] for name in self.kept_}
            self.remember(self.rows, self._batch_count)
        task.processes.copy_from_first(self.module_.state_dict().values())
        self.write()
        if not self._is_out_of_patience():
            with tqdm(
                total=self.max_epochs * self._batch_count,
                initial=len(self.rows) * self._batch_count,
                unit="batch",
                desc=f"epoch {len(self.rows)}",
                disable=not (task.progress and task.processes.is_first),
            ) as self._bar:
                epochs = self.max_epochs - len(self.rows)
                self.partial_fit(task.samples, epochs=epochs, **task.fit_params)
        if self.interrupted_ and task.processes.count > 1:
            # The others may still wait for this one: none can go on without it.
            raise KeyboardInterrupt
        self.module_.load_state_dict(self.kept_["best"])
        self._draw()

    def solve(self, coords, class_weights, sample_weights, C, groups):
        """Solve the regression of a `CorMLRNet` by L-BFGS, as one epoch.

        Parameters
        ----------
        coords : tensor, shape=[N, channels, d]
            Normalised coordinates of the samples.
        class_weights, sample_weights, C, groups
            See `regression.solve`.
        """
        network, task, start = self.module, self.task, time.perf_counter()
        if task.checkpoint is not None and task.checkpoint["rows"]:
            self.kept_ = {k: task.checkpoint[k] for k in ("rows", "last", "best")}
            network.load_state_dict(self.kept_["best"])
            return
        labels, planes = task.samples.targets, network.mlr.hyperplanes_in
        weight, gamma, _ = regression.solve(
            planes, coords, labels, class_weights, C, groups, sample_weights
        )
        with torch.no_grad():
            network.mlr.weight.copy_(weight)
            network.mlr.gamma.copy_(gamma)
            logits = network.from_features(task.samples.inputs).double()
            losses = torch.nn.functional.cross_entropy(logits, labels, reduction="none")
            weights = task.samples.weights.to(losses)
            loss = (losses * weights).sum() / weights.sum()
        row = {
            "epoch": 1,
            "train_loss": float(loss),
            "train_accuracy": float((logits.argmax(-1) == labels).double().mean()),
            "seconds": time.perf_counter() - start,
        }
        state = copied_state(network)
        self.kept_ = dict(rows=[row], last=state, best=state)
        self.write()
        self._draw()

    def train_further(self, samples, epochs):
        """Train on other samples with a constant learning rate.

        Parameters
        ----------
        samples : Samples
            Samples to learn from.
        epochs : int
            Number of epochs.
        """
        for group in self.optimizer_.param_groups if self.schedule else ():
            group["lr"] = group["initial_lr"]
        self.schedule, self.task = None, replace(self.task, samples=samples)
        self.partial_fit(samples, epochs=epochs)
        self.forget_samples()

    def remember(self, rows, batches=0):
        """Take over the epochs of an earlier training.

        Parameters
        ----------
        rows : list of dict
            One row for each epoch.
        batches : int
            Number of batches of each, for which schedulers of skorch ask.
        """
        self.kept_ = (self.kept_ or {}) | dict(rows=rows)
        for row in rows:
            self.history.new_epoch()
            self.history[-1].update(row, train_batch_count=batches)

    def forget_samples(self):
        """Keep nothing that belongs to a training that has ended."""
        nothing = dict.fromkeys(("samples", "validation", "run", "checkpoint"))
        self.task, self._bar = replace(self.task, **nothing), None
        self.kept_ = {"rows": self.rows}

    def write(self, **changes):
        """Write checkpoint and table of epochs, if this process writes a run.

        Parameters
        ----------
        **changes
            Entries of `kept_` that take the place of those of the training.
        """
        self.kept_, task = self.kept_ | changes, self.task
        if task.run is not None and task.processes.is_first:
            optimizer = self.optimizer_.state_dict() if self.initialized_ else {}
            state = self.kept_ | dict(optimizer=optimizer)
            task.run.write_checkpoint(task.notes | state)
            task.run.write_metrics(self.rows)

    def _draw(self):
        if self.task.run is not None and self.task.processes.is_first:
            self.task.run.write_curves(curves_figure(self.rows))

    def _is_out_of_patience(self):
        waited = len(self.rows) - best_epoch(self.rows)
        return self.task.patience is not None and waited >= self.task.patience

    def fit_loop(self, *arguments, **keywords):
        """Run skorch's loop until a callback or the keyboard stops it."""
        try:
            super().fit_loop(*arguments, **keywords)
        except StopTraining:
            pass
        except KeyboardInterrupt:
            self.interrupted_ = True
        return self

    def notify(self, method_name, **keywords):
        """Call all callbacks, and keep the parameters after those of an epoch."""
        getattr(self, method_name)(self, **keywords)
        stop = False
        for _, callback in self.callbacks_:
            try:
                getattr(callback, method_name)(self, **keywords)
            except KeyboardInterrupt:
                # This is how callbacks of skorch say it; those after it are called.
                if not isinstance(callback, EarlyStopping):
                    raise
                stop = True
        if method_name == "on_epoch_end":
            self._keep_epoch()
            stop = stop or self._is_out_of_patience()
        if stop:
            raise StopTraining

    def _keep_epoch(self):
        rows = [*self.rows, _plain_row(self.history[-1])]
        last = copied_state(self.module_)
        best = last if best_epoch(rows) == len(rows) else self.kept_["best"]
        # All at once: the keyboard may interrupt anywhere.
        self.kept_ = dict(rows=rows, last=last, best=best)
        self.write()

    def get_split_datasets(self, X, y=None, **_):
        """Return the samples to learn from, and those that were held out."""
        return X, self.task.validation

    def on_epoch_begin(self, net, **keywords):
        """Begin an epoch with random numbers of its own."""
        super().on_epoch_begin(net, **keywords)
        self._start = time.perf_counter()
        on_cpu = torch.device(self.device).type == "cpu"
        # Each process draws masks of dropout of its own.
        seed = self._epoch_seed() + self.task.processes.rank * 0xD1B54A32D192ED03
        # To seed the generators of all devices takes as long as a small epoch.
        (torch.default_generator if on_cpu else torch).manual_seed(seed % (1 << 63))

    def on_batch_begin(self, net, batch=None, training=False, **keywords):
        """Set the learning rates of the schedule."""
        super().on_batch_begin(net, batch=batch, training=training, **keywords)
        if not training or self.schedule is None:
            return
        step = (self.epochs_done - 1) * self._batch_count
        step += len(self.history[-1]["batches"]) - 1
        factor = learning_rate_factor(step, self.max_epochs * self._batch_count)
        for group in self.optimizer_.param_groups:
            group["lr"] = factor * group["initial_lr"]

    def on_batch_end(self, net, batch=None, training=False, **keywords):
        """Advance the bar."""
        if training and self._bar is not None:
            self._bar.update()

    def on_epoch_end(self, net, **keywords):
        """Record losses and scores over all samples of the epoch."""
        row, (name, _, summarise) = self.history[-1], self.task.score
        for prefix in ("train", "valid"):
            seen = [batch for batch in row["batches"] if f"{prefix}_count" in batch]
            if not seen:
                continue
            losses = (b[f"{prefix}_loss"] * b[f"{prefix}_weight"] for b in seen)
            weight = math.fsum(b[f"{prefix}_weight"] for b in seen)
            score = sum(b[f"{prefix}_score"] for b in seen)
            count = sum(b[f"{prefix}_count"] for b in seen)
            row[f"{prefix}_loss"] = math.fsum(losses) / weight
            row[f"{prefix}_{name}"] = summarise(score / count)
        row["seconds"] = row["dur"] = time.perf_counter() - self._start
        row["batches"] = []
        if self._bar is not None:
            shown = {
                name.replace("_", " "): f"{value:.3f}"
                for name, value in _plain_row(row).items()
                if name.startswith(("train_", "valid_"))
            }
            self._bar.set_postfix(shown, refresh=False)
            self._bar.set_description(f"epoch {self.epochs_done}", refresh=False)

    def get_params_for_optimizer(self, prefix, named_parameters):
        """Return the groups of parameters, and the options of the optimizer."""
        arguments, options = super().get_params_for_optimizer(prefix, named_parameters)
        if self.parameter_groups is not None:
            arguments = (self.parameter_groups,)
        return arguments, options

    def initialize(self):
        """Make network and optimizer, and note learning rates for the schedule."""
        super().initialize()
        for group in self.optimizer_.param_groups if self.schedule else ():
            group["initial_lr"] = group["lr"]
        return self

    def _epoch_seed(self):
        # Seeds of runs next to each other must not share their epochs.
        return (self.task.seed * 0x9E3779B97F4A7C15 + self.epochs_done) % (1 << 63)

    def _draw_order(self, count):
        generator = torch.Generator().manual_seed(self._epoch_seed())
        return torch.randperm(count, generator=generator)

    def get_iterator(self, dataset, training=False):
        """Return the batches of this process."""
        draw_order = self._draw_order if training else None
        return Batches(dataset, self.batch_size, self.task.processes, draw_order)

    def infer(self, x, **fit_params):
        """Return the outputs for samples or for their features."""
        network = self.module_.from_features if self.task.is_prepared else self.module_
        return network(x.to(self.device), **fit_params)

    def predict(self, X):
        """Return labels as numbers, or the outputs of a regression."""
        outputs = self.predict_proba(X)
        is_classification = self.task.score[0] == "accuracy"
        return outputs.argmax(-1) if is_classification else outputs.squeeze(-1)

    def train_step_single(self, batch, **fit_params):
        """Compute the gradient of the loss of a joint batch."""
        self._set_training(True)
        step = self._step(batch, "train", fit_params)
        parameters = [p for p in self.module_.parameters() if p.requires_grad]
        for parameter in parameters:
            if parameter.grad is None:
                parameter.grad = torch.zeros_like(parameter)
        gradients = [parameter.grad for parameter in parameters]
        self.task.processes.add_up(*gradients)
        total = sum(gradient.sum() for gradient in gradients)
        self._require_finite(step, batch, "train", float(total))
        return step

    def validation_step(self, batch, **fit_params):
        """Compute the loss of a joint batch."""
        self._set_training(False)
        with torch.no_grad():
            step = self._step(batch, "valid", fit_params)
        self._require_finite(step, batch, "valid")
        return step

    def _step(self, batch, prefix, fit_params):
        """Return loss and outputs of a joint batch, and record what it counts for."""
        loss = score = torch.zeros(())
        failure = outputs = None
        # A normalisation by batches needs all processes, also those without samples.
        if len(batch[0]) or self.task.processes.count > 1:
            try:
                outputs = self.infer(batch[0], **fit_params)
                targets = batch[1].to(self.device)
                loss = self._weighted_loss(outputs, targets, batch)
                if prefix == "train":
                    loss.backward()
                outputs = outputs.detach()
                score = self.task.score[1](outputs, targets)
            except (ParameterError, ShapeError):
                raise  # not a matter of numbers: the message says what to change
            except GeomstatsCorError as error:
                # The other processes wait for this one: let all of them fail together.
                failure, loss = error, torch.tensor(float("nan"))
        totals = torch.stack([loss.detach().double(), score.double()]).cpu()
        self.task.processes.add_up(totals)
        self.history.record_batch(f"{prefix}_score", float(totals[1]))
        self.history.record_batch(f"{prefix}_count", batch.count)
        self.history.record_batch(f"{prefix}_weight", batch.total)
        return {"loss": totals[0], "y_pred": outputs, "failure": failure}

    def _weighted_loss(self, outputs, targets, batch):
        losses = self.criterion_(outputs, targets)
        if losses.ndim == 0:  # a mean over samples, which all have the same weight
            return losses * (len(targets) / batch.count)
        losses = losses.flatten(1).mean(1) if losses.ndim > 1 else losses
        return (losses * batch.weights.to(losses)).sum() / batch.total

    def _require_finite(self, step, batch, prefix, gradient=0.0):
        loss = float(step["loss"])
        if math.isfinite(loss) and math.isfinite(gradient):
            return
        seen = self.history[-1]["batches"]
        number = sum(f"{prefix}_count" in other for other in seen)
        part = "batch" if prefix == "train" else "validation batch"
        raise TrainingDivergedError(
            f"the {'gradient' if math.isfinite(loss) else 'loss'} is not a finite "
            f"number in epoch {self.epochs_done}, {part} {number}: "
            f"{self._likely_reason(batch[0], step['failure'])}",
            self.epochs_done,
            number,
        ) from step["failure"]

    def _likely_reason(self, inputs, failure):
        if inputs.numel() and not torch.isfinite(inputs).all():
            return "its samples are not finite."
        sizes = [float(p.detach().abs().max()) for p in self.module_.parameters()]
        largest = max(sizes, default=0.0)
        if not largest < 1e3:
            return (
                f"parameters have grown to {largest:.3g}, so the learning rate "
                f"{self.lr:g} is likely too large. Use a smaller lr."
            )
        met = "" if failure is None else f" ({str(failure).partition('. ')[0]})"
        return (
            f"parameters are moderate, up to {largest:.3g}, so matrices between layers "
            f"are likely close to singular{met}. Use a smaller lr than {self.lr:g}, "
            f"dtype='float64', or more shrinkage."
        )


def learning_rate_factor(step, steps):
    """Return the factor on the learning rate at a step of one cycle.

    It rises from 1 / 25 to one over the first 30 % of the steps, and falls to 4e-6,
    both along a cosine: `torch.optim.lr_scheduler.OneCycleLR` with its defaults, and
    without its changes of momentum.

    Parameters
    ----------
    step, steps : int
        Number of steps before this one, and of all steps.

    Returns
    -------
    factor : float
        Factor.

    Examples
    --------
    >>> [round(learning_rate_factor(step, 10), 3) for step in (0, 2, 9)]
    [0.04, 1.0, 0.0]
    """
    rise = 0.3 * steps - 1.0
    if step < rise:
        low, high, part = 1.0 / 25.0, 1.0, step / rise
    else:
        low, high = 1.0, 1.0 / 25.0 / 1e4
        part = (step - rise) / max(steps - 1.0 - rise, 1.0)
    return high + 0.5 * (low - high) * (1.0 + math.cos(math.pi * part))


class AfterEpochs(Callback):
    """A function of the network, called after some epochs.

    Parameters
    ----------
    epochs : container of int
        Epochs, counted from 1.
    function : callable
        Function of the network, in evaluation mode.
    """

    def __init__(self, epochs, function):
        self.epochs, self.function = epochs, function

    def on_epoch_end(self, net, **kwargs):
        """Call the function."""
        if len(net.history) in self.epochs:
            self.function(net.module_.eval())


def copied_state(module):
    """Return a copy of the parameters and buffers of a module.

    Parameters
    ----------
    module : torch.nn.Module
        Module.

    Returns
    -------
    state : dict of tensor
        Copy of its state.
    """
    return {name: x.detach().clone() for name, x in module.state_dict().items()}


def _plain_row(row):
    """Return the numbers of an epoch, those that callbacks have recorded included."""
    return {
        name: value if name == "epoch" else float(value)
        for name, value in row.items()
        if name not in _INTERNAL
        and isinstance(value, int | float)
        and not isinstance(value, bool)
    }
