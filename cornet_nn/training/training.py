"""One training: a network, samples, and where the run is written."""

import contextlib
import time
from collections.abc import Callable
from dataclasses import dataclass

import torch

from . import regression
from .callbacks import (
    COLUMNS,
    Metrics,
    Patience,
    ProgressBar,
    Snapshots,
    best_epoch,
    copied_state,
    is_out_of_patience,
)
from .curves import curves_figure
from .loop import TrainingLoop
from .schema import load_training_state


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
    """

    rows: list
    epoch: int
    interrupted: bool
    write: Callable


def train(network, task, schedule, processes, run, checkpoint, notes):
    """Train a network in place.

    Parameters
    ----------
    network : torch.nn.Module
        Network.
    task : Task
        What to learn.
    schedule : Schedule
        How to train.
    processes : Processes
        Processes that train together.
    run : RunDirectory or None
        Where to write, in the first process.
    checkpoint : dict or None
        Where an earlier training stopped.
    notes : dict
        Plain values that belong into every checkpoint.

    Returns
    -------
    outcome : Outcome
        History, and the epoch whose parameters the network has now.
    """
    rows = [] if checkpoint is None else checkpoint["rows"]
    loop = TrainingLoop(
        network,
        is_prepared=task.samples.is_prepared,
        class_weights=task.class_weights,
        seed=task.seed,
        processes=processes,
        **schedule.options(network),
    ).initialize()
    last = best = copied_state(network)
    if checkpoint is not None:
        last, best = checkpoint["last"], checkpoint["best"]
        load_training_state(run, network, loop.optimizer_, checkpoint)
        for row in rows:
            loop.history.new_epoch()
            loop.history[-1].update(row)
    processes.copy_from_first(network.state_dict().values())

    def write(snapshots):
        if run is None or not processes.is_first:
            return
        run.write_checkpoint(
            {
                **notes,
                "rows": snapshots.rows,
                "last": snapshots.last,
                "best": snapshots.best,
                "optimizer": loop.optimizer_.state_dict(),
            }
        )
        run.write_metrics(snapshots.rows, COLUMNS)

    snapshots = Snapshots(rows, last, best, write)
    write(snapshots)
    if not is_out_of_patience(rows, schedule.patience):
        _run(loop, snapshots, task, schedule, processes)
    network.load_state_dict(snapshots.best)
    if run is not None and processes.is_first:
        run.write_curves(curves_figure(snapshots.rows))

    def write_again(best):
        snapshots.best = best
        write(snapshots)

    return Outcome(
        snapshots.rows, best_epoch(snapshots.rows), loop.interrupted_, write_again
    )


def solve(network, coords, task, C, groups, processes, run, checkpoint, notes):
    """Solve the regression of a network in place, as one epoch.

    Parameters
    ----------
    network : CorMLRNet
        Network.
    coords : tensor, shape=[N, channels, d]
        Normalised coordinates of the samples.
    task, processes, run, checkpoint, notes
        See `train`.
    C : float or "cv"
        Inverse strength of the penalty; see `regression.solve`.
    groups : array, shape=[N], or None
        Groups that cross-validation keeps together.

    Returns
    -------
    outcome : Outcome
        One row, and no epoch to choose.
    """
    if checkpoint is not None and checkpoint["rows"]:
        network.load_state_dict(checkpoint["best"])
        return Outcome(checkpoint["rows"], 1, False, None)
    start = time.perf_counter()
    labels, weights = task.samples.labels, task.class_weights
    planes = network.mlr.hyperplanes_in
    weight, gamma, _ = regression.solve(
        planes, coords, labels, weights, C, groups, task.seed
    )
    with torch.no_grad():
        network.mlr.weight.copy_(weight)
        network.mlr.gamma.copy_(gamma)
        logits = network.from_features(task.samples.inputs).double()
        loss = torch.nn.functional.cross_entropy(logits, labels, weights)
    row = {
        "epoch": 1,
        "train_loss": float(loss),
        "train_accuracy": float((logits.argmax(-1) == labels).double().mean()),
        "seconds": time.perf_counter() - start,
    }
    if run is not None and processes.is_first:
        state = copied_state(network)
        run.write_checkpoint(
            {**notes, "rows": [row], "last": state, "best": state, "optimizer": {}}
        )
        run.write_metrics([row], COLUMNS)
        run.write_curves(curves_figure([row]))
    return Outcome([row], 1, False, None)


def _run(loop, snapshots, task, schedule, processes):
    done = len(snapshots.rows)
    samples, validation = task.samples, task.validation
    batches = -(-len(samples.labels) // schedule.batch_size)
    with contextlib.ExitStack() as stack:
        callbacks = [("metrics", Metrics())]
        if schedule.progress and processes.is_first:
            from tqdm.auto import tqdm

            bar = tqdm(
                total=schedule.max_epochs * batches,
                initial=done * batches,
                unit="batch",
                desc=f"epoch {done}",
            )
            callbacks.append(("bar", ProgressBar(stack.enter_context(bar))))
        callbacks.append(("snapshots", snapshots))
        if schedule.patience is not None:
            callbacks.append(("patience", Patience(schedule.patience)))
        loop.callbacks_ = callbacks
        loop.train(
            samples.inputs,
            samples.labels,
            None if validation is None else (validation.inputs, validation.labels),
        )
