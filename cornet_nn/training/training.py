"""One training: a network, samples, and where the run is written."""

import contextlib
import math
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import torch

from geomstats_cor.exceptions import ParameterError

from .._validation import require_numbers, require_positive
from . import regression
from .callbacks import (
    Metrics,
    Patience,
    ProgressBar,
    Snapshots,
    best_epoch,
    copied_state,
    is_out_of_patience,
)
from .loop import TrainingLoop
from .pictures import curves_figure
from .schema import load_training_state

# Optimizers whose steps do not depend on the scale of gradients.
ADAPTIVE = (torch.optim.Adam, torch.optim.AdamW, torch.optim.NAdam, torch.optim.RAdam)
OPTIMIZERS = {
    "adam": torch.optim.Adam,
    "adamw": torch.optim.AdamW,
    "sgd": torch.optim.SGD,
}


@dataclass
class Task:
    """What to learn, how, and where it is written.

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
    criterion : type
        Loss.
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
    criterion: type
    patience: int | None
    progress: bool
    processes: Any
    run: Any = None
    checkpoint: Any = None
    notes: dict = field(default_factory=dict)
    fit_params: dict = field(default_factory=dict)

    @property
    def writes(self):
        """Whether this process writes the run."""
        return self.run is not None and self.processes.is_first

    def write(self, rows, last, best, optimizer):
        """Write a checkpoint and the table of epochs, if anything is written."""
        if self.writes:
            state = dict(rows=rows, last=last, best=best, optimizer=optimizer)
            self.run.write_checkpoint(self.notes | state)
            self.run.write_metrics(rows)

    def draw(self, rows):
        """Write the learning curves, if anything is written."""
        if self.writes:
            self.run.write_curves(curves_figure(rows))


@dataclass(frozen=True)
class Outcome:
    """What came of a training.

    Attributes
    ----------
    rows : list of dict
        One row for each epoch.
    epoch : int
        The epoch whose parameters the network has.
    interrupted : bool
        Whether the keyboard stopped the training.
    write : callable
        Writes the checkpoint of the run again, with other best parameters.
    net : TrainingLoop or None
        Network as skorch has it.
    """

    rows: list
    epoch: int
    interrupted: bool = False
    write: Callable | None = None
    net: Any = None


def require_schedule(settings):
    """Raise unless the hyperparameters of a training make sense.

    Parameters
    ----------
    settings : object
        Estimator.
    """
    require_positive(max_epochs=settings.max_epochs, batch_size=settings.batch_size)
    if settings.patience is not None:
        require_positive(patience=settings.patience)
        if settings.validation is None:
            raise ParameterError(
                "patience waits for a better validation loss: pass validation, such as "
                "validation=0.2, too."
            )
    if settings.schedule not in ("cycle", None):
        raise ParameterError(
            f'schedule is {settings.schedule!r}: expected "cycle" or None.'
        )
    require_numbers(lr=settings.lr, weight_decay=settings.weight_decay)
    if not 0.0 < settings.lr < math.inf:
        raise ParameterError(f"lr must be a positive number, not {settings.lr!r}.")
    if not 0.0 <= settings.weight_decay < math.inf:
        raise ParameterError(
            f"weight_decay must not be negative: it is {settings.weight_decay!r}."
        )
    find_optimizer(settings._stochastic_optimizer())
    try:
        torch.empty(0, device=settings.device)
    except (RuntimeError, AssertionError) as error:
        raise ParameterError(
            f"there is no device {settings.device!r} here: {error}. Use device='cpu'."
        ) from error


def find_optimizer(optimizer):
    """Return the class of an optimizer.

    Parameters
    ----------
    optimizer : str or callable
        Key of `OPTIMIZERS`, or a class of optimizers.

    Returns
    -------
    optimizer : callable
        Class.
    """
    if callable(optimizer):
        return optimizer
    if optimizer not in OPTIMIZERS:
        raise ParameterError(
            f"there is no optimizer {optimizer!r}: choose one of "
            f"{', '.join(OPTIMIZERS)}, or pass a class of torch.optim."
        )
    return OPTIMIZERS[optimizer]


def optimizer_options(network, optimizer, lr, weight_decay):
    """Return the options of skorch for an optimizer.

    Parameters
    ----------
    network : torch.nn.Module
        Network that is trained.
    optimizer : str or callable
        See `find_optimizer`.
    lr, weight_decay : float
        Learning rate and weight decay.

    Returns
    -------
    options : dict
        Options of `TrainingLoop`.
    """
    optimizer = find_optimizer(optimizer)
    options = dict(optimizer=optimizer, lr=lr)
    if weight_decay:  # which not every optimizer knows
        options["optimizer__weight_decay"] = weight_decay
    if hasattr(network, "parameter_groups") and optimizer in ADAPTIVE:
        options["parameter_groups"] = network.parameter_groups(lr, weight_decay)
    return options


def make_loop(network, task, **options):
    """Return the loop of skorch that trains a network.

    Parameters
    ----------
    network : torch.nn.Module
        Network.
    task : Task
        What to learn.
    **options
        Options of `TrainingLoop`.

    Returns
    -------
    loop : TrainingLoop
        Loop.
    """
    name, count_score, summarise = task.score
    loop = TrainingLoop(
        network,
        task.criterion,
        is_prepared=task.is_prepared,
        seed=task.seed,
        processes=task.processes,
        count_score=count_score,
        is_classification=name == "accuracy",
        **options,
    ).initialize()
    loop.callbacks_.insert(0, ("metrics", Metrics(name, summarise)))
    return loop


def train(network, task, **options):
    """Train a network in place.

    Parameters
    ----------
    network : torch.nn.Module
        Network.
    task : Task
        What to learn.
    **options
        Options of `TrainingLoop`.

    Returns
    -------
    outcome : Outcome
        History, and the epoch whose parameters the network has now.
    """
    loop = make_loop(network, task, **options)
    rows, last = [], copied_state(network)
    best = last
    if task.checkpoint is not None:
        rows, last, best = (task.checkpoint[k] for k in ("rows", "last", "best"))
        state = network, loop.optimizer_, task.checkpoint
        load_training_state(task.run, *state, is_moved=bool(loop.callbacks))
        loop.remember(rows, -(-len(task.samples) // loop.batch_size))
    task.processes.copy_from_first(network.state_dict().values())

    def write(snapshots):
        state = loop.optimizer_.state_dict()
        task.write(snapshots.rows, snapshots.last, snapshots.best, state)

    snapshots = Snapshots(rows, last, best, write)
    write(snapshots)
    if not is_out_of_patience(rows, task.patience):
        if task.patience is not None:
            loop.callbacks_.append(("patience", Patience(task.patience)))
        with _bar(loop, task, len(rows)) as bars:
            loop.callbacks_ += [*bars, ("snapshots", snapshots)]
            loop.train(task.samples, task.validation, **task.fit_params)
    network.load_state_dict(snapshots.best)
    task.draw(snapshots.rows)

    def write_again(best):
        snapshots.best = best
        write(snapshots)

    rows = snapshots.rows
    return Outcome(rows, best_epoch(rows), loop.interrupted_, write_again, loop)


@contextlib.contextmanager
def _bar(loop, task, done):
    """Yield the callback of a progress bar, if there is one."""
    if not (task.progress and task.processes.is_first):
        yield []
        return
    from tqdm.auto import tqdm

    batches = -(-len(task.samples) // loop.batch_size)
    total, words = loop.max_epochs * batches, dict(unit="batch", desc=f"epoch {done}")
    with tqdm(total=total, initial=done * batches, **words) as bar:
        yield [("bar", ProgressBar(bar))]


def solve(network, coords, task, class_weights, sample_weights, C, groups):
    """Solve the regression of a network in place, as one epoch.

    Parameters
    ----------
    network : CorMLRNet
        Network.
    coords : tensor, shape=[N, channels, d]
        Normalised coordinates of the samples.
    task : Task
        See `train`.
    class_weights, sample_weights, C, groups
        See `regression.solve`.

    Returns
    -------
    outcome : Outcome
        One row, and no epoch to choose.
    """
    if task.checkpoint is not None and task.checkpoint["rows"]:
        network.load_state_dict(task.checkpoint["best"])
        return Outcome(task.checkpoint["rows"], 1)
    start = time.perf_counter()
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
    task.write([row], state, state, {})
    task.draw([row])
    return Outcome([row], 1)
