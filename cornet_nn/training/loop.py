"""The training loop, which is skorch's, for one process or several."""

import math

import torch
from skorch import NeuralNet
from skorch.dataset import Dataset
from torch.nn import functional

from geomstats_cor.exceptions import GeomstatsCorError

from .batches import Batches
from .errors import TrainingDivergedError
from .schedule import learning_rate_factor


class StopTraining(Exception):
    """Raised by a callback at the end of an epoch that is to be the last."""


class TrainingLoop(NeuralNet):
    """Training of a network on prepared samples.

    Everything random in an epoch is a function of the seed and of the number of the
    epoch, so that a resumed training needs no state but parameters and optimizer.

    Parameters
    ----------
    module : torch.nn.Module
        Network.
    is_prepared : bool
        Whether samples are features of the network instead of its inputs.
    class_weights : tensor, shape=[classes]
        Weight of each class in the loss.
    seed : int
        Seed of all epochs.
    processes : Processes
        Processes that share each batch.
    schedule : {"cycle"} or None
        How the learning rate changes; see `learning_rate_factor`.
    parameter_groups : list of dict or None
        Groups of parameters for the optimizer; one group if None.
    **options
        Options of `skorch.NeuralNet`.

    Attributes
    ----------
    interrupted_ : bool
        Whether the keyboard stopped the training.
    """

    def __init__(
        self,
        module,
        is_prepared,
        class_weights,
        seed,
        processes,
        schedule=None,
        parameter_groups=None,
        **options,
    ):
        self.is_prepared, self.class_weights = is_prepared, class_weights
        self.seed, self.processes = seed, processes
        self.schedule, self.parameter_groups = schedule, parameter_groups
        super().__init__(
            module, torch.nn.CrossEntropyLoss, verbose=0, train_split=None, **options
        )
        self.interrupted_ = False

    @property
    def _default_callbacks(self):
        return []

    @property
    def epochs_done(self):
        """Number of epochs that were begun, the current one included."""
        return len(self.history)

    def train(self, inputs, labels, validation=None):
        """Train up to `max_epochs`, epochs of the history included.

        Parameters
        ----------
        inputs : tensor, shape=[N, ...]
            Samples.
        labels : tensor of int, shape=[N]
            Their classes.
        validation : tuple of tensor or None
            Samples and classes to validate on after every epoch.

        Raises
        ------
        KeyboardInterrupt
            If the keyboard stopped one of several processes.
        """
        if validation is not None:
            held_out = Dataset(*validation)
            self.train_split = lambda dataset, y: (dataset, held_out)
        self.partial_fit(inputs, labels, epochs=self.max_epochs - self.epochs_done)
        if self.interrupted_ and self.processes.count > 1:
            # The others may still wait for this one: none can go on without it.
            raise KeyboardInterrupt

    def fit_loop(self, *arguments, **keywords):
        """Run skorch's loop until a callback or the keyboard stops it."""
        try:
            super().fit_loop(*arguments, **keywords)
        except StopTraining:
            pass
        except KeyboardInterrupt:
            self.interrupted_ = True
        return self

    def on_epoch_begin(self, net, **keywords):
        """Begin an epoch with random numbers of its own."""
        super().on_epoch_begin(net, **keywords)
        on_cpu = torch.device(self.device).type == "cpu"
        # Each process draws masks of dropout of its own.
        seed = (self._epoch_seed() + self.processes.rank * 0xD1B54A32D192ED03) % (
            1 << 63
        )
        # To seed the generators of all devices takes as long as a small epoch.
        (torch.default_generator if on_cpu else torch).manual_seed(seed)

    def get_params_for_optimizer(self, prefix, named_parameters):
        """Return the groups of parameters, and the options of the optimizer."""
        arguments, options = super().get_params_for_optimizer(prefix, named_parameters)
        if self.parameter_groups is not None:
            arguments = (self.parameter_groups,)
        return arguments, options

    def initialize(self):
        """Make network and optimizer, and note learning rates for the schedule."""
        super().initialize()
        if self.schedule is not None:
            for group in self.optimizer_.param_groups:
                group["initial_lr"] = group["lr"]
        return self

    def _set_learning_rates(self, batch):
        """Set the learning rates for a batch, counted from zero."""
        if self.schedule is None:
            return
        batches = len(self._batches)
        step = (self.epochs_done - 1) * batches + batch
        factor = learning_rate_factor(step, self.max_epochs * batches)
        for group in self.optimizer_.param_groups:
            group["lr"] = factor * group["initial_lr"]

    def _epoch_seed(self):
        # Seeds of runs next to each other must not share their epochs.
        return (self.seed * 0x9E3779B97F4A7C15 + self.epochs_done) % (1 << 63)

    def _draw_order(self, count):
        generator = torch.Generator().manual_seed(self._epoch_seed())
        return torch.randperm(count, generator=generator)

    def get_iterator(self, dataset, training=False):
        """Return the batches of this process."""
        draw_order = self._draw_order if training else None
        batches = Batches(
            dataset.X,
            dataset.y,
            self.class_weights,
            self.batch_size,
            self.processes,
            draw_order,
        )
        if training:
            self._batches = batches
        return batches

    def train_step_single(self, batch, **_):
        """Compute the gradient of the loss of a joint batch."""
        self._set_training(True)
        self._set_learning_rates(len(self.history[-1]["batches"]) - 1)
        step = self._step(batch, training=True)
        parameters = [p for p in self.module_.parameters() if p.requires_grad]
        for parameter in parameters:
            if parameter.grad is None:
                parameter.grad = torch.zeros_like(parameter)
        gradients = [parameter.grad for parameter in parameters]
        self.processes.add_up(*gradients)
        total = sum(gradient.sum() for gradient in gradients)
        self._require_finite(step, batch, "train", float(total))
        return step

    def validation_step(self, batch, **_):
        """Compute the loss of a joint batch."""
        self._set_training(False)
        with torch.no_grad():
            step = self._step(batch, training=False)
        self._require_finite(step, batch, "valid")
        return step

    def _step(self, batch, training):
        """Return loss and number of right answers of a joint batch."""
        mean_loss = right = torch.zeros(())
        failure = None
        # A normalisation by batches needs all processes, also those without samples.
        if len(batch.inputs) or self.processes.count > 1:
            try:
                mean_loss, right = self._evaluate(batch, training)
            except GeomstatsCorError as error:
                # The other processes wait for this one: let all of them fail together.
                failure, mean_loss = error, torch.tensor(float("nan"))
        totals = torch.stack([mean_loss.detach().double(), right.double()]).cpu()
        self.processes.add_up(totals)
        prefix = "train" if training else "valid"
        self.history.record_batch(f"{prefix}_right", float(totals[1]))
        self.history.record_batch(f"{prefix}_count", batch.count)
        self.history.record_batch(f"{prefix}_weight", batch.weight)
        return {"loss": totals[0], "failure": failure}

    def _evaluate(self, batch, training):
        inputs, labels = batch.inputs.to(self.device), batch.labels.to(self.device)
        network = self.module_.from_features if self.is_prepared else self.module_
        logits = network(inputs)
        weights = self.class_weights.to(logits)
        loss = functional.cross_entropy(logits, labels, weights, reduction="sum")
        loss = loss / batch.weight
        if training:
            loss.backward()
        return loss, (logits.detach().argmax(-1) == labels).sum()

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
            f"{self._likely_reason(batch.inputs, step['failure'])}",
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
