"""Validated training hyperparameters."""

import math
from dataclasses import dataclass
from typing import Any

import torch

from geomstats_cor.exceptions import ParameterError

from .._validation import require_numbers, require_positive

# Optimizers whose steps do not depend on the scale of gradients.
ADAPTIVE = (torch.optim.Adam, torch.optim.AdamW, torch.optim.NAdam, torch.optim.RAdam)
OPTIMIZERS = {
    "adam": torch.optim.Adam,
    "adamw": torch.optim.AdamW,
    "sgd": torch.optim.SGD,
}


@dataclass(frozen=True)
class Schedule:
    """Validated training hyperparameters.

    Attributes
    ----------
    optimizer : str or callable
        Key of `OPTIMIZERS`, or a class of optimizers.
    lr, weight_decay : float
        Learning rate and weight decay.
    max_epochs, batch_size : int
        Number of epochs, and of samples in a batch.
    patience : int or None
        Number of epochs to wait for a better one.
    schedule : {"cycle"} or None
        How the learning rate changes; see `learning_rate_factor`.
    device : str
        Device.
    progress : bool
        Whether to show a bar.
    """

    optimizer: Any
    lr: float
    weight_decay: float
    max_epochs: int
    batch_size: int
    patience: int | None
    schedule: str | None
    device: str
    progress: bool

    def __post_init__(self):
        require_positive(max_epochs=self.max_epochs, batch_size=self.batch_size)
        if self.patience is not None:
            require_positive(patience=self.patience)
        if self.schedule not in ("cycle", None):
            raise ParameterError(
                f'schedule is {self.schedule!r}: expected "cycle" or None.'
            )
        require_numbers(lr=self.lr, weight_decay=self.weight_decay)
        if not 0.0 < self.lr < math.inf:
            raise ParameterError(f"lr must be a positive number, not {self.lr!r}.")
        if not 0.0 <= self.weight_decay < math.inf:
            raise ParameterError(
                f"weight_decay must not be negative: it is {self.weight_decay!r}."
            )
        if not callable(self.optimizer) and self.optimizer not in OPTIMIZERS:
            raise ParameterError(
                f"there is no optimizer {self.optimizer!r}: choose one of "
                f"{', '.join(OPTIMIZERS)}, or pass a class of torch.optim."
            )
        try:
            torch.empty(0, device=self.device)
        except (RuntimeError, AssertionError) as error:
            raise ParameterError(
                f"there is no device {self.device!r} here: {error}. Use device='cpu'."
            ) from error

    def options(self, network):
        """Return the options of skorch.

        Parameters
        ----------
        network : torch.nn.Module
            Network that is trained.

        Returns
        -------
        options : dict
            Options of `skorch.NeuralNet`.
        """
        is_key = isinstance(self.optimizer, str)
        optimizer = OPTIMIZERS[self.optimizer] if is_key else self.optimizer
        options = dict(
            optimizer=optimizer,
            lr=self.lr,
            max_epochs=self.max_epochs,
            batch_size=self.batch_size,
            device=self.device,
            schedule=self.schedule,
        )
        if self.weight_decay:  # which not every optimizer knows
            options["optimizer__weight_decay"] = self.weight_decay
        if hasattr(network, "parameter_groups") and optimizer in ADAPTIVE:
            options["parameter_groups"] = network.parameter_groups(
                self.lr, self.weight_decay
            )
        return options


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
