"""How to train."""

import math
from dataclasses import dataclass
from typing import Any

import torch

from geomstats_cor.exceptions import ParameterError

from .._doors import require_numbers, require_positive

OPTIMIZERS = {
    "adam": torch.optim.Adam,
    "adamw": torch.optim.AdamW,
    "sgd": torch.optim.SGD,
}


@dataclass(frozen=True)
class Schedule:
    """How to train; what makes no sense is refused.

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
    device: str
    progress: bool

    def __post_init__(self):
        require_positive(max_epochs=self.max_epochs, batch_size=self.batch_size)
        if self.patience is not None:
            require_positive(patience=self.patience)
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

    def options(self):
        """Return the options of skorch.

        Returns
        -------
        options : dict
            Options of `skorch.NeuralNet`.
        """
        is_key = isinstance(self.optimizer, str)
        options = dict(
            optimizer=OPTIMIZERS[self.optimizer] if is_key else self.optimizer,
            lr=self.lr,
            max_epochs=self.max_epochs,
            batch_size=self.batch_size,
            device=self.device,
        )
        if self.weight_decay:  # which not every optimizer knows
            options["optimizer__weight_decay"] = self.weight_decay
        return options
