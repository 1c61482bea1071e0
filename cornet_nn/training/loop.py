"""The training loop, which is skorch's, for one process or several."""

import inspect
import math

import torch
from skorch import NeuralNet
from skorch.callbacks import EarlyStopping

from geomstats_cor.exceptions import GeomstatsCorError, ParameterError, ShapeError

from .errors import TrainingDivergedError


class StopTraining(Exception):
    """Raised by a callback at the end of an epoch that is to be the last."""


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
    is_prepared : bool
        Whether samples are features of the network instead of its inputs.
    seed : int
        Seed of all epochs.
    processes : Processes
        Processes that share each batch.
    count_score : callable
        Function of outputs and targets whose sum over samples is recorded.
    is_classification : bool
        Whether outputs are logits of classes.
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
        criterion,
        is_prepared,
        seed,
        processes,
        count_score,
        is_classification=True,
        schedule=None,
        parameter_groups=None,
        **options,
    ):
        self.is_prepared, self.seed, self.processes = is_prepared, seed, processes
        self.count_score, self.schedule = count_score, schedule
        self.is_classification = is_classification
        self.parameter_groups = parameter_groups
        if "reduction" in inspect.signature(criterion).parameters:
            options.setdefault("criterion__reduction", "none")
        super().__init__(module, criterion, verbose=0, train_split=None, **options)
        self.interrupted_ = False

    @property
    def _default_callbacks(self):
        return []

    @property
    def epochs_done(self):
        """Number of epochs that were begun, the current one included."""
        return len(self.history)

    def train(self, samples, validation=None, epochs=None, **fit_params):
        """Train up to `max_epochs`, epochs of the history included.

        Parameters
        ----------
        samples : Samples
            Samples to learn from.
        validation : Samples or None
            Samples to validate on after every epoch.
        epochs : int or None
            Number of further epochs, in place of `max_epochs`.
        **fit_params
            Passed to the network with every batch.

        Raises
        ------
        KeyboardInterrupt
            If the keyboard stopped one of several processes.
        """
        self._held_out = validation
        if epochs is None:
            epochs = self.max_epochs - self.epochs_done
        self.partial_fit(samples, epochs=epochs, **fit_params)
        if self.interrupted_ and self.processes.count > 1:
            # The others may still wait for this one: none can go on without it.
            raise KeyboardInterrupt

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
        self.schedule = None
        self.train(samples, epochs=epochs)
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
        for row in rows:
            self.history.new_epoch()
            self.history[-1].update(row, train_batch_count=batches)

    def forget_samples(self):
        """Keep neither samples nor what belongs to a training that has ended."""
        self._held_out = self._batches = None
        ours = ("bar", "patience", "snapshots")
        self.callbacks_ = [pair for pair in self.callbacks_ if pair[0] not in ours]

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
        """Call all callbacks; one that stops early does not stop those after it."""
        getattr(self, method_name)(self, **keywords)
        stop = False
        for _, callback in self.callbacks_:
            try:
                getattr(callback, method_name)(self, **keywords)
            except StopTraining:
                stop = True
            except KeyboardInterrupt:
                # This is how callbacks of skorch say it.
                if not isinstance(callback, EarlyStopping):
                    raise
                stop = True
        if stop:
            raise StopTraining

    def get_split_datasets(self, X, y=None, **_):
        """Return the samples to learn from, and those that were held out."""
        return X, self._held_out

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
        batches = Batches(dataset, self.batch_size, self.processes, draw_order)
        if training:
            self._batches = batches
        return batches

    def infer(self, x, **fit_params):
        """Return the outputs for samples or for their features."""
        network = self.module_.from_features if self.is_prepared else self.module_
        return network(x.to(self.device), **fit_params)

    def predict(self, X):
        """Return labels as numbers, or the outputs of a regression."""
        outputs = self.predict_proba(X)
        return outputs.argmax(-1) if self.is_classification else outputs.squeeze(-1)

    def train_step_single(self, batch, **fit_params):
        """Compute the gradient of the loss of a joint batch."""
        self._set_training(True)
        self._set_learning_rates(len(self.history[-1]["batches"]) - 1)
        step = self._step(batch, "train", fit_params)
        parameters = [p for p in self.module_.parameters() if p.requires_grad]
        for parameter in parameters:
            if parameter.grad is None:
                parameter.grad = torch.zeros_like(parameter)
        gradients = [parameter.grad for parameter in parameters]
        self.processes.add_up(*gradients)
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
        if len(batch[0]) or self.processes.count > 1:
            try:
                outputs = self.infer(batch[0], **fit_params)
                targets = batch[1].to(self.device)
                loss = self._weighted_loss(outputs, targets, batch)
                if prefix == "train":
                    loss.backward()
                outputs = outputs.detach()
                score = self.count_score(outputs, targets)
            except (ParameterError, ShapeError):
                raise  # not a matter of numbers: the message says what to change
            except GeomstatsCorError as error:
                # The other processes wait for this one: let all of them fail together.
                failure, loss = error, torch.tensor(float("nan"))
        totals = torch.stack([loss.detach().double(), score.double()]).cpu()
        self.processes.add_up(totals)
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
