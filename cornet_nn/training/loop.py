"""One training: skorch's loop over prepared samples, by one process or several."""

import inspect
import math
import os
import time
from collections.abc import Callable, Container, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import torch
import torch.distributed as dist
from skorch import NeuralNet, NeuralNetClassifier, NeuralNetRegressor
from skorch.callbacks import Callback, EarlyStopping
from skorch.helper import predefined_split
from torch import Tensor
from tqdm.auto import tqdm

from geomstats_cor.exceptions import GeomstatsCorError, ParameterError, ShapeError

from .data import Samples
from .pictures import curves_figure
from .run_directory import RunDirectory, best_epoch, load_training_state

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

    def __init__(
        self, message: str, epoch: int | None = None, batch: int | None = None
    ) -> None:
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


class Processes:
    """The processes that train together: those of torch.distributed, or this one.

    Attributes
    ----------
    rank : int
        Number of this process; the first one writes files and shows progress.
    count : int
        Number of processes.
    """

    def __init__(self) -> None:
        together = dist.is_available() and dist.is_initialized()
        self.rank = dist.get_rank() if together else 0
        self.count = dist.get_world_size() if together else 1

    def claim_device(self, device: str) -> None:
        """Let "cuda" mean a device of its own in each process of a machine.

        Parameters
        ----------
        device : str
            Device of the network; one with a number is left as it is.
        """
        own = torch.device(device)
        if self.count > 1 and own.type == "cuda" and own.index is None:
            local = int(os.environ.get("LOCAL_RANK", self.rank))
            torch.cuda.set_device(local % torch.cuda.device_count())

    def add_up(self, *tensors: Tensor) -> None:
        """Replace tensors of one dtype by their sums over all processes."""
        if self.count == 1:
            return
        joint = torch.cat([tensor.detach().flatten() for tensor in tensors])
        # The backend of GPUs takes nothing else.
        joint = joint.cuda() if dist.get_backend() == "nccl" else joint
        dist.all_reduce(joint)
        sizes = [tensor.numel() for tensor in tensors]
        for tensor, total in zip(tensors, joint.split(sizes), strict=True):
            tensor.detach().copy_(total.view_as(tensor))

    def copy_from_first(self, tensors: Iterable[Tensor]) -> None:
        """Replace tensors by those of the first process."""
        for tensor in tensors if self.count > 1 else ():
            dist.broadcast(tensor.detach(), src=0)

    def ask_first(self, function: Callable[[], Any]) -> Any:
        """Return what a function returns in the first process, or raise as it does.

        Parameters
        ----------
        function : callable
            Function without arguments, which is called in the first process alone.

        Returns
        -------
        answer : object
            Its answer, in every process.
        """
        if self.count == 1:
            return function()
        answer: list[Any] = [None, None]
        if self.rank == 0:
            try:
                answer[0] = function()
            except Exception as error:
                answer[1] = error
        dist.broadcast_object_list(answer, src=0)
        if answer[1] is not None:
            raise answer[1]
        return answer[0]

    def require_same(self, value: object) -> None:
        """Raise, in every process, unless all have the same value."""
        if self.count == 1:
            return
        values = [None] * self.count
        dist.all_gather_object(values, value)
        if any(other != values[0] for other in values):
            raise ParameterError(
                "the processes do not train the same network on the same data: give "
                "all of them the same parameters, samples and labels."
            )


class Batch(tuple):
    """Inputs and targets of one process, as skorch has batches.

    Attributes
    ----------
    weights : tensor, shape=[k]
        Weight of each sample in the loss; k may be zero.
    size : int
        Number of samples of the joint batch.
    total : float
        Sum of the weights of the joint batch, by which the loss is divided.
    """

    weights: Tensor
    size: int
    total: float


@dataclass
class Batches:
    """Batches in a random order, which depends on the epoch, or in the given one.

    Parameters
    ----------
    dataset : Samples
        Samples, with the attributes `inputs`, `targets` and `weights`.
    batch_size : int
        Number of samples of a joint batch; the last one may have fewer.
    processes : Processes
        Processes that share each batch; the part of one may be empty.
    order : callable
        Function of N that returns an order of samples.
    """

    dataset: Samples
    batch_size: int
    processes: Processes
    order: Callable[[int], Tensor]

    def __len__(self) -> int:
        return -(-len(self.dataset) // self.batch_size)

    def __iter__(self) -> Iterator[Batch]:
        data, all_of_us = self.dataset, self.processes
        for joint in self.order(len(data)).split(self.batch_size):
            part = torch.tensor_split(joint, all_of_us.count)[all_of_us.rank]
            batch = Batch((data.inputs[part], data.targets[part]))
            batch.weights, batch.size = data.weights[part], len(joint)
            batch.total = float(data.weights[joint].sum(dtype=torch.float64))
            yield batch


class AfterEpochs(Callback):
    """A function of the network, called after some epochs.

    Parameters
    ----------
    epochs : container of int
        Epochs, counted from 1.
    function : callable
        Function of the network, in evaluation mode.
    """

    def __init__(self, epochs: Container[int], function: Callable[[Any], Any]) -> None:
        self.epochs, self.function = epochs, function

    def on_epoch_end(self, net: NeuralNet, **kwargs: Any) -> None:
        """Call the function."""
        if len(net.history) in self.epochs:
            self.function(net.module_.eval())


class KeepEpochs(Callback):
    """The last callback of an epoch: what others recorded is kept, too."""

    def on_epoch_end(self, net: Any, **kwargs: Any) -> None:
        """Keep the parameters, and stop if there was no better epoch for long."""
        net.keep_epoch()
        if net.is_out_of_patience():
            raise KeyboardInterrupt  # as callbacks of skorch say it


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
    is_prepared : bool
        Whether inputs are features of the network.
    seed : int
        Seed of all epochs.
    validation : Samples or None
        Samples to choose the epoch by.
    patience : int or None
        Number of epochs to wait for a better one.
    progress : bool
        Whether to show a bar.
    run : RunDirectory or None
        Where the first process writes.
    schedule : {"cycle"} or None
        How the learning rate changes; see `learning_rate_factor`.
    parameter_groups : list of dict or None
        Groups of parameters for the optimizer; one group if None.
    callbacks : list or None
        Callbacks of skorch.
    **options
        Options of `skorch.NeuralNet`.

    Attributes
    ----------
    kept_ : dict
        One row for each epoch, and the parameters after the last and the best of them.
    interrupted_ : bool
        Whether the keyboard stopped the training.
    """

    # Of a subclass: the name of its score, the sum over the samples of a batch, and the
    # score of an epoch from the mean over all samples.
    score_name: str
    score_of: Callable[..., Tensor]
    summarise: Callable[..., float]

    def __init__(
        self,
        module: torch.nn.Module,
        criterion: Callable[..., torch.nn.Module],
        *,
        is_prepared: bool,
        seed: int,
        validation: Samples | None = None,
        patience: int | None = None,
        progress: bool = False,
        run: RunDirectory | None = None,
        schedule: str | None = None,
        parameter_groups: list[dict] | None = None,
        callbacks: list | None = None,
        **options: Any,
    ) -> None:
        self.is_prepared, self.seed, self.patience = is_prepared, seed, patience
        self.progress, self.run, self.schedule = progress, run, schedule
        self.parameter_groups, self.processes = parameter_groups, Processes()
        if "reduction" in inspect.signature(criterion).parameters:
            options.setdefault("criterion__reduction", "none")
        options["train_split"] = validation and predefined_split(validation)
        # What stops an epoch keeps skorch from calling the callbacks that follow.
        ordered = [*(callbacks or ()), ("keep_epochs", KeepEpochs())]
        ordered.sort(key=stops_early)
        super().__init__(
            module, criterion=criterion, callbacks=ordered, verbose=0, **options
        )
        self.interrupted_ = False
        self._bar: Any = None
        self._batch: Any = None
        self.kept_: dict[str, Any] = dict(rows=[])

    @property
    def _default_callbacks(self) -> list:
        return []

    @property
    def rows(self) -> list[dict]:
        """One row for each epoch that is complete."""
        return self.kept_["rows"]

    def learn(
        self, samples: Samples, checkpoint: dict | None = None, **fit_params: Any
    ) -> None:
        """Train up to `max_epochs`, those of a checkpoint included.

        In the end the network has the parameters of the best epoch.

        Parameters
        ----------
        samples : Samples
            Samples to learn from.
        checkpoint : dict or None
            Where an earlier training stopped.
        **fit_params
            Arguments of the network with every batch.

        Raises
        ------
        KeyboardInterrupt
            If the keyboard stopped one of several processes.
        """
        state, length = copied_state(self.initialize().module_), self._length(samples)
        self.kept_ = dict(rows=[], last=state, best=state)
        if checkpoint is not None:
            parts = self.module_, self.optimizer_, checkpoint
            load_training_state(self.run, *parts, len(self.callbacks_) > 1)
            self.kept_ = {name: checkpoint[name] for name in self.kept_}
            self.remember(self.rows, length)
        self.processes.copy_from_first(self.module_.state_dict().values())
        self.write()
        done = len(self.rows)
        if not self.is_out_of_patience():
            with tqdm(
                total=self.max_epochs * length,
                initial=done * length,
                unit="batch",
                desc=f"epoch {done}",
                disable=not self.progress or self.processes.rank > 0,
            ) as self._bar:
                self.partial_fit(samples, epochs=self.max_epochs - done, **fit_params)
            self.interrupted_ = not self._has_ended()
        if self.interrupted_ and self.processes.count > 1:
            # The others may still wait for this one: none can go on without it.
            raise KeyboardInterrupt
        self.module_.load_state_dict(self.kept_["best"])
        self.draw()

    def _has_ended(self) -> bool:
        """Tell whether the last epoch was meant to be the last."""
        stopping = [pair[1] for pair in self.callbacks_ if stops_early(pair)]
        is_stopped = any(each.misses_ == each.patience for each in stopping)
        is_complete = len(self.rows) >= self.max_epochs
        return is_complete or is_stopped or self.is_out_of_patience()

    def _length(self, samples: Samples) -> int:
        return len(self.get_iterator(samples))

    def train_further(self, samples: Samples, epochs: int) -> None:
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
        self.schedule = None
        self.partial_fit(samples, epochs=epochs)
        self.forget_samples()

    def remember(self, rows: list[dict], batches: int = 0) -> None:
        """Take over the epochs of an earlier training.

        Parameters
        ----------
        rows : list of dict
            One row for each epoch.
        batches : int
            Number of batches of each, for which schedulers of skorch ask.
        """
        self.kept_ |= dict(rows=rows)
        for row in rows:
            self.history.new_epoch()
            self.history[-1].update(row, train_batch_count=batches)

    def forget_samples(self) -> None:
        """Keep nothing that belongs to a training that has ended."""
        self.train_split = self.run = self._bar = self._batch = None
        self.kept_ = {"rows": self.rows}

    def write(self, **changes: Any) -> None:
        """Write checkpoint and table of epochs, if this process writes a run.

        Parameters
        ----------
        **changes
            Entries of `kept_` that take the place of those of the training.
        """
        self.kept_ |= changes
        if self.run is not None and self.processes.rank == 0:
            optimizer = self.optimizer_.state_dict() if self.initialized_ else {}
            self.run.write_checkpoint(self.kept_ | dict(optimizer=optimizer))

    def draw(self) -> None:
        """Draw the learning curves, if this process writes a run."""
        if self.run is not None and self.processes.rank == 0:
            self.run.write_curves(curves_figure(self.rows))

    def is_out_of_patience(self) -> bool:
        """Tell whether there was no better epoch for too long."""
        waited = len(self.rows) - best_epoch(self.rows)
        return self.patience is not None and waited >= self.patience

    def keep_epoch(self) -> None:
        """Keep row and parameters of the epoch that has ended."""
        rows = [*self.rows, _plain_row(self.history[-1])]
        last = copied_state(self.module_)
        best = last if best_epoch(rows) == len(rows) else self.kept_.get("best")
        # All at once: the keyboard may interrupt anywhere.
        self.kept_ = dict(rows=rows, last=last, best=best)
        self.write()

    def on_train_begin(self, net: Any, X: Any = None, **kwargs: Any) -> None:
        """Note the number of steps of an epoch."""
        self._epoch_length = self._length(X)

    def on_epoch_begin(self, net: Any, **kwargs: Any) -> None:
        """Begin an epoch with random numbers of its own."""
        for row in self.history[-1:]:
            row["batches"] = []  # callbacks saw them at the end of their epoch
        super().on_epoch_begin(net, **kwargs)
        self._start = time.perf_counter()
        self._seen: dict[str, list] = dict(train=[], valid=[])
        on_cpu = torch.device(self.device).type == "cpu"
        # Each process draws masks of dropout of its own.
        seed = self._epoch_seed() + self.processes.rank * 0xD1B54A32D192ED03
        # To seed the generators of all devices takes as long as a small epoch.
        (torch.default_generator if on_cpu else torch).manual_seed(seed % (1 << 63))

    def on_batch_begin(self, net: Any, batch: Any, training: bool, **_: Any) -> None:
        """Note the weights of the batch, and set the learning rates of the schedule."""
        super().on_batch_begin(net, batch=batch, training=training)
        self._batch = batch
        if training and self.schedule is not None:
            step = (len(self.history) - 1) * self._epoch_length + len(
                self._seen["train"]
            )
            steps = self.max_epochs * self._epoch_length
            for group in self.optimizer_.param_groups:
                group["lr"] = learning_rate_factor(step, steps) * group["initial_lr"]

    def on_batch_end(self, net: Any, training: bool, parts: tuple, **_: Any) -> None:
        """Note what a batch counts for, and advance the bar."""
        self._seen["train" if training else "valid"].append(parts)
        if training and self._bar is not None:
            self._bar.update()

    def on_epoch_end(self, net: Any, **kwargs: Any) -> None:
        """Record losses and scores over all samples of the epoch."""
        row = self.history[-1]
        for prefix, seen in self._seen.items():
            if seen:
                losses, scores, totals, counts = zip(*seen, strict=True)
                row[f"{prefix}_loss"] = math.fsum(losses) / math.fsum(totals)
                mean = sum(scores) / sum(counts)
                row[f"{prefix}_{self.score_name}"] = self.summarise(mean)
                name = f"{prefix}_loss"
                earlier = (other.get(name, math.inf) for other in self.history[:-1])
                row[f"{name}_best"] = row[name] < min(earlier, default=math.inf)
        row["seconds"] = row["dur"] = time.perf_counter() - self._start
        if self._bar is not None:
            shown = {
                name.replace("_", " "): f"{value:.3f}"
                for name, value in _plain_row(row).items()
                if name.startswith(("train_", "valid_"))
            }
            self._bar.set_postfix(shown, refresh=False)
            self._bar.set_description(f"epoch {len(self.history)}", refresh=False)

    def get_all_learnable_params(self) -> Iterator:
        """Yield names and parameters, without those that steps leave as they are."""
        for name, parameter in super().get_all_learnable_params():
            if parameter.requires_grad:
                yield name, parameter

    def get_params_for_optimizer(self, prefix: str, named_parameters: Any) -> Any:
        """Return the groups of parameters, and the options of the optimizer."""
        arguments, options = super().get_params_for_optimizer(prefix, named_parameters)
        if self.parameter_groups is not None:
            arguments = (self.parameter_groups,)
        return arguments, options

    def initialize_optimizer(self, *arguments: Any, **keywords: Any) -> Any:
        """Make the optimizer, and note learning rates for the schedule."""
        super().initialize_optimizer(*arguments, **keywords)
        for group in self.optimizer_.param_groups if self.schedule else ():
            group["initial_lr"] = group["lr"]
        return self

    def _epoch_seed(self) -> int:
        # Seeds of runs next to each other must not share their epochs.
        return (self.seed * 0x9E3779B97F4A7C15 + len(self.history)) % (1 << 63)

    def _draw_order(self, count: int) -> Tensor:
        generator = torch.Generator().manual_seed(self._epoch_seed())
        return torch.randperm(count, generator=generator)

    def get_iterator(self, dataset: Any, training: bool = False) -> Batches:
        """Return the batches of this process."""
        order = self._draw_order if training else torch.arange
        return Batches(dataset, self.batch_size, self.processes, order)

    def infer(self, x: Tensor, **fit_params: Any) -> Tensor:
        """Return the outputs for samples or for their features."""
        network = self.module_.from_features if self.is_prepared else self.module_
        return network(x.to(self.device), **fit_params)

    def get_loss(
        self, y_pred: Tensor, y_true: Tensor, X: Any = None, training: bool = False
    ) -> Tensor:
        """Return what the samples of this process add to the loss of a joint batch."""
        losses, batch = self.criterion_(y_pred, y_true.to(self.device)), self._batch
        if losses.ndim == 0:  # a mean over samples, which all have the same weight
            return losses * (len(y_true) / batch.size)
        losses = losses.flatten(1).mean(1) if losses.ndim > 1 else losses
        return (losses * batch.weights.to(losses)).sum() / batch.total

    def train_step_single(self, batch: Any, **fit_params: Any) -> dict:
        """Compute the gradient of the loss of a joint batch."""
        step = self._joint(super().train_step_single, batch, fit_params)
        parameters = [p for p in self.module_.parameters() if p.requires_grad]
        for parameter in parameters:
            if parameter.grad is None:
                parameter.grad = torch.zeros_like(parameter)
        gradients = [parameter.grad for parameter in parameters]
        self.processes.add_up(*gradients)
        total = sum(gradient.sum() for gradient in gradients)
        self._require_finite(step, "train", float(total))
        return step

    def validation_step(self, batch: Any, **fit_params: Any) -> dict:
        """Compute the loss of a joint batch."""
        step = self._joint(super().validation_step, batch, fit_params)
        self._require_finite(step, "valid")
        return step

    def _joint(
        self, make: Callable[..., dict], batch: Batch, fit_params: dict
    ) -> dict[str, Any]:
        """Return a step of all processes, and what it counts for."""
        step: dict[str, Any] = dict(loss=torch.zeros(()), y_pred=None)
        score = torch.zeros(())
        # A normalisation by batches needs all processes, also those without samples.
        if len(batch[0]) or self.processes.count > 1:
            try:
                step = make(batch, **fit_params)
                outputs = step["y_pred"] = step["y_pred"].detach()
                score = self.score_of(outputs, batch[1].to(outputs.device))
            except (ParameterError, ShapeError):
                raise  # not a matter of numbers: the message says what to change
            except GeomstatsCorError as error:
                # The other processes wait for this one: let all of them fail together.
                step |= dict(loss=torch.tensor(math.nan), failure=error)
        totals = torch.stack([step["loss"].detach().double(), score.double()]).cpu()
        self.processes.add_up(totals)
        loss = step["loss"] = totals[0]
        parts = float(loss) * batch.total, float(totals[1]), batch.total, batch.size
        return step | dict(parts=parts)

    def _require_finite(self, step: dict, prefix: str, gradient: float = 0.0) -> None:
        has_loss = math.isfinite(step["loss"])
        if has_loss and math.isfinite(gradient):
            return
        epoch, number = len(self.history), len(self._seen[prefix]) + 1
        part = "batch" if prefix == "train" else "validation batch"
        failure = step.get("failure")
        raise TrainingDivergedError(
            f"the {'gradient' if has_loss else 'loss'} is not a finite number in epoch "
            f"{epoch}, {part} {number}: {self._likely_reason(failure)}",
            epoch,
            number,
        ) from failure

    def _likely_reason(self, failure: Exception | None) -> str:
        if not torch.isfinite(self._batch[0]).all():
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


class ClassifierLoop(TrainingLoop, NeuralNetClassifier):
    """Training of a network that classifies."""

    score_name = "accuracy"

    def score_of(self, outputs: Tensor, targets: Tensor) -> Tensor:
        """Return the number of samples that are right."""
        return (outputs.argmax(-1) == targets).sum()

    def summarise(self, mean: float) -> float:
        """Return the accuracy."""
        return mean


class RegressorLoop(TrainingLoop, NeuralNetRegressor):
    """Training of a regression, whose targets were divided by a scale."""

    score_name, scale = "rmse", 1.0

    def score_of(self, outputs: Tensor, targets: Tensor) -> Tensor:
        """Return the sum of squared errors."""
        return (outputs - targets).square().sum()

    def summarise(self, mean: float) -> float:
        """Return the root of the mean squared error, in the units of the targets."""
        return self.scale * math.sqrt(mean)


def learning_rate_factor(step: int, steps: int) -> float:
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


def stops_early(callback: Any) -> bool:
    """Tell whether a callback, with or without a name, is skorch's early stopping."""
    own = callback[1] if isinstance(callback, tuple | list) else callback
    return isinstance(own, EarlyStopping) or own is EarlyStopping


def copied_state(module: torch.nn.Module) -> dict[str, Tensor]:
    """Return a copy of the parameters and buffers of a module."""
    return {name: x.detach().clone() for name, x in module.state_dict().items()}


def _plain_row(row: dict) -> dict:
    """Return the numbers of an epoch, those that callbacks have recorded included."""
    return {
        name: value if name == "epoch" else float(value)
        for name, value in row.items()
        if name not in _INTERNAL
        and isinstance(value, int | float)
        and not isinstance(value, bool)
    }
