"""What happens at the end of an epoch."""

import math

from skorch.callbacks import Callback, EpochTimer

from .loop import StopTraining

COLUMNS = (
    "epoch",
    "train_loss",
    "train_accuracy",
    "valid_loss",
    "valid_accuracy",
    "seconds",
)


class Metrics(EpochTimer):
    """Record losses and accuracies over all samples of an epoch."""

    def on_epoch_end(self, net, **kwargs):
        """Sum up the batches of an epoch."""
        super().on_epoch_end(net, **kwargs)
        row, batches = net.history[-1], net.history[-1]["batches"]
        for prefix in ("train", "valid"):
            seen = [batch for batch in batches if f"{prefix}_count" in batch]
            if not seen:
                continue
            weights = [batch[f"{prefix}_weight"] for batch in seen]
            losses = [batch[f"{prefix}_loss"] for batch in seen]
            row[f"{prefix}_loss"] = _weighted_mean(losses, weights)
            right = sum(batch[f"{prefix}_right"] for batch in seen)
            count = sum(batch[f"{prefix}_count"] for batch in seen)
            row[f"{prefix}_accuracy"] = right / count
        row["seconds"] = row["dur"]
        row["batches"] = []


def _weighted_mean(values, weights):
    products = [value * weight for value, weight in zip(values, weights, strict=True)]
    return math.fsum(products) / math.fsum(weights)


def rows_of(history):
    """Return the history of skorch as one dictionary for each finished epoch.

    Parameters
    ----------
    history : skorch.History
        History.

    Returns
    -------
    rows : list of dict
        Rows with those of `COLUMNS` that there are.
    """
    return [
        {name: row[name] for name in COLUMNS if name in row}
        for row in history
        if "seconds" in row
    ]


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


class Snapshots(Callback):
    """Keep the parameters of the last and of the best epoch, and tell of each epoch.

    Parameters
    ----------
    rows : list of dict
        Rows of the epochs so far.
    last, best : dict of tensor
        Parameters after the last and the best of them.
    on_epoch : callable
        Is called with this object after every epoch.
    """

    def __init__(self, rows, last, best, on_epoch):
        self.rows, self.last, self.best = rows, last, best
        self.on_epoch = on_epoch

    def on_epoch_end(self, net, **kwargs):
        """Copy the parameters."""
        rows, last = rows_of(net.history), copied_state(net.module_)
        best = last if best_epoch(rows) == len(rows) else self.best
        # All at once: the keyboard may interrupt anywhere.
        self.rows, self.last, self.best = rows, last, best
        self.on_epoch(self)


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


class Patience(Callback):
    """Stop some epochs after the best one.

    Parameters
    ----------
    epochs : int
        Number of epochs to wait for a better one.
    """

    def __init__(self, epochs):
        self.epochs = epochs

    def on_epoch_end(self, net, **kwargs):
        """Stop if the last best epoch was long ago."""
        if is_out_of_patience(rows_of(net.history), self.epochs):
            raise StopTraining


def is_out_of_patience(rows, patience):
    """Tell whether the best epoch is too long ago.

    Parameters
    ----------
    rows : list of dict
        One row for each epoch.
    patience : int or None
        Number of epochs to wait; for ever if None.

    Returns
    -------
    is_out : bool
        Whether to stop.
    """
    return patience is not None and len(rows) - best_epoch(rows) >= patience


class ProgressBar(Callback):
    """A bar over all batches, with the loss and the accuracy of the last epoch.

    Parameters
    ----------
    bar : tqdm.tqdm
        Bar.
    """

    def __init__(self, bar):
        self.bar = bar

    def on_batch_end(self, net, training=False, **kwargs):
        """Advance by a batch."""
        if training:
            self.bar.update()

    def on_epoch_end(self, net, **kwargs):
        """Show losses and accuracies."""
        shown = {
            name.replace("_accuracy", " accuracy").replace("_loss", " loss"): value
            for name, value in rows_of(net.history)[-1].items()
            if name.endswith(("_loss", "_accuracy"))
        }
        self.bar.set_postfix({k: f"{v:.3f}" for k, v in shown.items()}, refresh=False)
        self.bar.set_description(f"epoch {len(net.history)}", refresh=False)
