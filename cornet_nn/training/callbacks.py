"""What happens at the end of an epoch."""

import math

from skorch.callbacks import Callback, EpochTimer

from .loop import StopTraining

COLUMNS = (
    "epoch",
    "train_loss",
    "train_accuracy",
    "train_rmse",
    "valid_loss",
    "valid_accuracy",
    "valid_rmse",
    "seconds",
)
# What skorch keeps for itself.
_INTERNAL = ("dur", "train_batch_count", "valid_batch_count", *COLUMNS)


class Metrics(EpochTimer):
    """Record losses and scores over all samples of an epoch.

    Parameters
    ----------
    name : {"accuracy", "rmse"}
        Name of the score.
    summarise : callable
        Function of the mean of a score over samples.
    """

    def __init__(self, name, summarise):
        self.name, self.summarise = name, summarise

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
            total = sum(batch[f"{prefix}_score"] for batch in seen)
            count = sum(batch[f"{prefix}_count"] for batch in seen)
            row[f"{prefix}_{self.name}"] = self.summarise(total / count)
        row["seconds"] = row["dur"]
        row["batches"] = []


class Snapshots(Callback):
    """Keep the parameters of the last and of the best epoch, and tell of each epoch.

    It is the last of all callbacks.

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


class ProgressBar(Callback):
    """A bar over all batches, with the loss and the score of the last epoch.

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
        """Show losses and scores."""
        shown = {
            name.replace("_", " "): f"{value:.3f}"
            for name, value in rows_of(net.history)[-1].items()
            if name.startswith(("train_", "valid_"))
        }
        self.bar.set_postfix(shown, refresh=False)
        self.bar.set_description(f"epoch {len(net.history)}", refresh=False)


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


def rows_of(history):
    """Return the history of skorch as one dictionary for each finished epoch.

    Parameters
    ----------
    history : skorch.History
        History.

    Returns
    -------
    rows : list of dict
        Rows with those of `COLUMNS` that there are, and other numbers that callbacks
        have recorded.
    """
    return [
        {name: row[name] for name in COLUMNS if name in row}
        | {k: float(v) for k, v in row.items() if k not in _INTERNAL and _is_number(v)}
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


def _weighted_mean(values, weights):
    products = [value * weight for value, weight in zip(values, weights, strict=True)]
    return math.fsum(products) / math.fsum(weights)


def _is_number(value):
    return isinstance(value, int | float) and not isinstance(value, bool)
