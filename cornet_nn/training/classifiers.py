"""The networks as estimators of scikit-learn."""

import functools
import math

import numpy as np
import torch
from sklearn.base import RegressorMixin

from geomstats_cor import FullRankCorrelationMatrices
from geomstats_cor.exceptions import ParameterError

from ..models.cornet import CorNet
from .estimator import (
    NetworkClassifier,
    NetworkEstimator,
    made_by,
    with_skorch_options,
)
from .networks import ACTIVATIONS, CorMLRNet
from .regression import require_strength
from .settings import CorMLRSettings, CorNetSettings, NetworkSettings


class MakesCorNet:
    """An estimator whose network is `CorNet`, or `module`."""

    def _arguments(self, n, channels, num_classes):
        """Return what `CorNet` is made of, as far as files can hold it."""
        return dict(
            space_in=n,
            space_out=self.output_size,
            num_classes=num_classes,
            in_channels=channels,
            metric=self.metric,
            mlr=self.mlr_metric,
            out_channels=self.out_channels,
            kernel_size=self.kernel_size,
            stride=self.stride,
            basis=self.basis,
            activation=self.activation,
            normalize=self.normalize,
            momentum=self._momentum,
            dropout=self.dropout,
            gain=self.gain,
            guard=self.guard,
        ) | self._options_of("module")

    def _make_network(self, n, channels, num_classes, front_end, options):
        arguments = self._arguments(n, channels, num_classes) | options
        arguments["activation"] = _find_activation(arguments["activation"])
        arguments["front_end"] = front_end
        if self.module is None:
            return CorNet(**arguments)
        network = made_by(self.module, arguments, self._options_of("module"))
        network = network.to(**options)
        if front_end is None or getattr(network, "front_end", None) is front_end:
            return network
        return torch.nn.Sequential(front_end, network)


@with_skorch_options
class CorNetClassifier(MakesCorNet, NetworkClassifier, CorNetSettings):
    """Classification by a correlation network.

    The network is `CorNet`: a front end that makes correlation matrices, a
    normalisation of their coordinates, a convolution with several kernels, an
    activation, dropout, and a multinomial logistic regression. One set of defaults
    serves all five metrics; docs/training.md says how it was chosen.

    Options of skorch are taken by prefix: `module__` of the network, `criterion__` of
    the loss, `optimizer__` of the optimizer, `callbacks__` of callbacks with a name.

    Parameters
    ----------
    metric : str or type
        Metric of the convolution, by its key or class.
    kind : {"auto", "correlation", "covariance", "signal"}
        What samples are. With "auto", symmetric matrices are correlation matrices if
        all diagonals are one, else covariance matrices; samples that are not square
        are signals, of which covariance matrices over time are taken.
    power : float
        Exponent of a matrix power before the correlation matrix is taken, not zero.
    shrinkage : float
        Amount of shrinkage before the power, from 0 to 1; see `Shrinkage`.
    front_end : torch.nn.Module or callable
        What makes covariance matrices of samples, in place of what `kind` says, or a
        function without arguments that returns such a module. Shrinkage, power and
        correlation follow it. If it has parameters, they are learnt.
    normalize : {"coordinates", "channel", "center"} or None
        Normalisation of the input by the mean of the training samples and their
        dispersion, one for each coordinate or each channel, or by the mean alone; see
        `CorBatchNorm`. With a front end that learns, statistics are those of batches.
    gain : float
        Factor on the initial weights; see `CorNet`.
    optimizer : str or callable
        Key of an optimizer ("adam", "adamw", "sgd"), or a class of torch.optim.
    criterion : type
        Loss of torch, such as torch.nn.MultiMarginLoss; cross-entropy if None.
    lr, weight_decay : float
        Learning rate and weight decay. Adam and its relatives use them for coordinates
        of variance one; see `CorNet.parameter_groups`.
    schedule : {"cycle"} or None
        Whether the learning rate rises and falls once over the training, or stays.
    max_epochs : int
        Number of epochs.
    batch_size : int
        Number of samples in a batch.
    validation : float
        Part of the samples that is held out, each class in proportion, to choose the
        epoch with the least loss on them; no epoch is chosen if None. With groups,
        whole ones are held out; see `fit`.
    refit : bool
        Whether, with validation, the network is trained anew on all samples for the
        number of epochs that was found.
    patience : int
        Number of epochs to wait for a better one before stopping; for ever if None.
    callbacks : list of skorch.callbacks.Callback
        What else happens in training: schedulers of the learning rate (with
        schedule=None), gradient clipping, loggers. With `refit`, in both trainings.
    random_state : int or numpy.random.RandomState
        Seed of parameters, batches and validation. The same seed gives the same
        network, bit for bit on one machine. The generators of numpy and torch are left
        as they are.
    dtype : {"float32", "float64"}
        Precision of the network. What has no parameters is computed in the precision of
        the data.
    device : str
        Device of the network.
    progress : bool
        Whether to show a bar.
    directory : str or path
        Directory of the run: configuration, metrics, checkpoint, curves and versions
        are written there; nowhere if None.
    resume : bool
        Whether to go on with the run in the directory, if there is one.
    overwrite : bool
        Whether to replace the run in the directory, if there is one.
    mlr_metric : str or type
        Metric of the regression; the same if None.
    output_size : int
        Size m of the matrices between convolution and regression.
    out_channels : int
        Number of kernels of the convolution.
    kernel_size, stride : int
        Number of matrices that a kernel sees, all of a sample if None, and its step.
    basis : {"orthonormal", "printed"}
        Basis of the output of the convolution; see `CorFC`.
    activation : str or callable
        Key of an activation ("relu", "tanh", "sigmoid", "elu", "gelu", "leaky_relu") or
        a pointwise function of tensors; none if None.
    dropout : float
        Probability with which entries before the regression are set to zero.
    guard : bool
        Whether coordinates between layers under different metrics are bounded smoothly,
        far beyond usual values; see `CorSequential`.
    module : callable
        Class of networks in place of `CorNet`, such as another model of `cornet_nn`, or
        a function that makes one. Of the arguments of `CorNet`, it is given those that
        it has.
    class_weight : {"balanced"} or dict
        Weights of the classes in the loss; all are 1 if None.

    Attributes
    ----------
    classes_ : numpy.ndarray, shape=[k]
        Classes.
    module_ : CorNet
        The network.
    net_ : skorch.NeuralNet or None
        What trained it; None if it was solved or loaded.
    history_ : list of dict
        For each epoch: `epoch`, `train_loss`, `train_accuracy`, `seconds`, and with
        validation `valid_loss` and `valid_accuracy`. Losses and accuracies are over
        samples. Those of training are taken as the parameters move.
    epoch_ : int
        The epoch whose parameters the network has: the last, or the one that
        validation chose.
    kind_ : str or None
        What samples are; None if a front end was given.
    seed_ : int
        Seed that was used.
    interrupted_ : bool
        Whether Ctrl-C stopped the training.
    n_features_in_ : int
        Length of the first axis of a sample.

    See Also
    --------
    CorMLRClassifier : The same without convolution.
    load_classifier : A fitted classifier from the directory of a run.

    Notes
    -----
    Whatever has no parameters is computed once, before the first epoch: an epoch of the
    network without a front end of one's own begins with the coordinates of the matrices
    under the metric.

    If torch.distributed is initialised, the processes share each batch, and a step is
    that of one process on the whole batch; only dropout draws other masks.

    References
    ----------
    .. [C2026] Z. Chen, X. Wu, B. Schölkopf and N. Sebe. Riemannian networks over
       full-rank correlation matrices. ICML 2026.

    Examples
    --------
    >>> from cornet_nn.training import CorNetClassifier
    >>> from geomstats_cor.datasets import load_connectomes
    >>> data = load_connectomes()
    >>> model = CorNetClassifier(
    ...     metric="olm", max_epochs=20, random_state=0, progress=False
    ... )
    >>> model.fit(data.correlations, data.labels).predict(data.correlations[:3]).shape
    (3,)
    """


@with_skorch_options
class CorMLRClassifier(NetworkClassifier, CorMLRSettings):
    """Classification by multinomial logistic regression on correlation matrices.

    The network is a front end that makes correlation matrices, a normalisation of their
    coordinates, and `CorMLR`. Unless a front end learns or an optimizer is chosen, the
    parameters are those with the least penalised loss, found by L-BFGS: under a flat
    metric this is a convex problem.

    Options of skorch are taken by prefix: `module__` of the network, `criterion__` of
    the loss, `optimizer__` of the optimizer, `callbacks__` of callbacks with a name.

    Parameters
    ----------
    metric : str or type or FullRankCorrelationMatrices
        Metric, by its key or class, or a space with a metric.
    kind : {"auto", "correlation", "covariance", "signal"}
        What samples are, here and below as for `CorNetClassifier`.
    power, shrinkage : float
        Exponent of a matrix power, and amount of shrinkage before it.
    front_end : torch.nn.Module or callable
        What makes covariance matrices of samples, in place of what `kind` says.
    normalize : {"coordinates", "channel", "center"} or None
        Normalisation of the input.
    gain : float
        Factor on the initial weights, for an optimizer of torch.
    optimizer : str or callable
        "lbfgs", the key of an optimizer ("adam", "adamw", "sgd"), or a class of
        torch.optim. With "auto", "lbfgs", or "adamw" if a front end learns or an epoch
        is to be chosen by validation, or if a criterion or callbacks are given.
    criterion : type
        Loss of torch, for an optimizer of torch; cross-entropy if None.
    lr, weight_decay : float
        Learning rate and weight decay, for an optimizer of torch.
    schedule : {"cycle"} or None
        How the learning rate changes.
    max_epochs, batch_size : int
        Number of epochs, and of samples in a batch.
    validation : float
        Part of the samples that is held out to choose the epoch.
    refit : bool
        Whether the network is then trained anew on all samples.
    patience : int
        Number of epochs to wait for a better one; for ever if None.
    callbacks : list of skorch.callbacks.Callback
        What else happens in training, with an optimizer of torch.
    random_state : int or numpy.random.RandomState
        Seed of parameters, batches and validation.
    dtype : {"float32", "float64"}
        Precision of the network.
    device : str
        Device of the network.
    progress : bool
        Whether to show a bar.
    directory : str or path
        Directory of the run.
    resume, overwrite : bool
        Whether to go on with the run in the directory, or to replace it.
    class_weight : {"balanced"} or dict
        Weights of the classes in the loss.
    C : float or "cv"
        Inverse strength of the penalty on the squared lengths of normals, for "lbfgs".
        With "cv", it is chosen by cross-validation inside the training samples, as by
        scikit-learn's GridSearchCV for standardised coordinates: 5 folds, with groups
        apart; 30 if no class has two samples. Coordinates have a dispersion of one, so
        that good values depend little on n.

    See Also
    --------
    CorNetClassifier : The network with a convolution.

    Examples
    --------
    >>> from cornet_nn.training import CorMLRClassifier
    >>> from geomstats_cor.datasets import load_connectomes
    >>> data = load_connectomes()
    >>> model = CorMLRClassifier(
    ...     "lsm", power=0.5, random_state=0, progress=False
    ... )
    >>> model.fit(data.correlations, data.labels).predict_proba(data.correlations).shape
    (86, 2)
    """

    def _make_network(self, n, channels, num_classes, front_end, options):
        arguments = self._arguments(n, channels, num_classes) | options
        return CorMLRNet(**arguments, front_end=front_end)

    def _arguments(self, n, channels, num_classes):
        is_space = isinstance(self.metric, FullRankCorrelationMatrices)
        return dict(
            space=self.metric if is_space else n,
            num_classes=num_classes,
            in_channels=channels,
            metric=None if is_space else self.metric,
            normalize=self.normalize,
            momentum=self._momentum,
            gain=self.gain,
        ) | self._options_of("module")

    def _is_solved(self):
        if self.optimizer == "auto":
            by_steps = (self.validation, self.criterion, self.callbacks)
            return self._is_prepared and by_steps == (None, None, None)
        return self.optimizer == "lbfgs"

    def _stochastic_optimizer(self):
        return "adamw" if self.optimizer in ("auto", "lbfgs") else self.optimizer

    def _require_settings(self):
        require_strength(self.C)
        if self.optimizer == "lbfgs" and (self.criterion or self.callbacks):
            raise ParameterError(
                "optimizer='lbfgs' minimises the cross-entropy without steps: leave "
                "criterion and callbacks out, or use 'adamw'."
            )
        super()._require_settings()


@with_skorch_options
class CorNetRegressor(MakesCorNet, RegressorMixin, NetworkEstimator, NetworkSettings):
    """Regression by a correlation network: a number from correlation matrices.

    The network is that of `CorNetClassifier` with one output in place of logits. It
    learns targets of mean zero and variance one; answers are in the units of y.

    Options of skorch are taken by prefix: `module__` of the network, `criterion__` of
    the loss, `optimizer__` of the optimizer, `callbacks__` of callbacks with a name.

    Parameters
    ----------
    metric : str or type
        Metric of the convolution, by its key or class. This and what follows is as for
        `CorNetClassifier`, with other values of `criterion`.
    kind : {"auto", "correlation", "covariance", "signal"}
        What samples are.
    power, shrinkage : float
        Exponent of a matrix power, and amount of shrinkage before it.
    front_end : torch.nn.Module or callable
        What makes covariance matrices of samples, in place of what `kind` says.
    normalize : {"coordinates", "channel", "center"} or None
        Normalisation of the input.
    gain : float
        Factor on the initial weights.
    optimizer : str or callable
        Key of an optimizer, or a class of torch.optim.
    criterion : type
        Loss of torch, such as torch.nn.HuberLoss; the mean squared error if None.
    lr, weight_decay : float
        Learning rate and weight decay.
    schedule : {"cycle"} or None
        How the learning rate changes.
    max_epochs, batch_size : int
        Number of epochs, and of samples in a batch.
    validation : float
        Part of the samples that is held out to choose the epoch.
    refit : bool
        Whether the network is then trained anew on all samples.
    patience : int
        Number of epochs to wait for a better one; for ever if None.
    callbacks : list of skorch.callbacks.Callback
        What else happens in training.
    random_state : int or numpy.random.RandomState
        Seed of parameters, batches and validation.
    dtype : {"float32", "float64"}
        Precision of the network.
    device : str
        Device of the network.
    progress : bool
        Whether to show a bar.
    directory : str or path
        Directory of the run.
    resume, overwrite : bool
        Whether to go on with the run in the directory, or to replace it.
    mlr_metric : str or type
        Metric of the last layer; the same if None.
    output_size, out_channels, kernel_size, stride : int
        Size of the matrices after the convolution, and its kernels.
    basis : {"orthonormal", "printed"}
        Basis of the output of the convolution.
    activation : str or callable
        Activation after the convolution; none if None.
    dropout : float
        Probability with which entries before the last layer are set to zero.
    guard : bool
        Whether coordinates between different metrics are bounded smoothly.
    module : callable
        Class of networks in place of `CorNet`.

    Attributes
    ----------
    mean_, scale_ : float
        Mean and standard deviation of the targets that `fit` was given.
    module_ : CorNet
        The network.
    history_ : list of dict
        For each epoch: `epoch`, `train_loss` of standardised targets, `train_rmse` in
        the units of y, `seconds`, and with validation `valid_loss` and `valid_rmse`.

    See Also
    --------
    CorNetClassifier : Classes in place of numbers.

    Examples
    --------
    >>> from cornet_nn.training import CorNetRegressor
    >>> from geomstats_cor import FullRankCorrelationMatrices
    >>> X = FullRankCorrelationMatrices(4, equip=False).random_point(30, rng=0)
    >>> model = CorNetRegressor("olm", max_epochs=30, random_state=0, progress=False)
    >>> model.fit(X, X[:, 1, 0]).predict(X).shape
    (30,)
    """

    _default_criterion = torch.nn.MSELoss
    _num_outputs = 1

    def predict(self, X):
        """Return the numbers that belong to samples.

        Parameters
        ----------
        X : array-like, shape=[N, n, n] or [N, channels, n, n] or [N, n, time]
            Samples, of the kind that `fit` was given.

        Returns
        -------
        y : numpy.ndarray, shape=[N]
            Numbers.
        """
        outputs = self._outputs(X).double().squeeze(-1).numpy()
        return self.mean_ + self.scale_ * outputs

    def _note_targets(self, y, classes):
        if classes is not None:
            raise ParameterError("a regression has no classes.")
        numbers = np.asarray(y, dtype=np.float64)
        if not np.isfinite(numbers).all():
            raise ParameterError("y has a NaN or an infinity: leave out those samples.")
        self.mean_, self.scale_ = float(numbers.mean()), float(numbers.std()) or 1.0

    def _target_description(self):
        return np.array([self.mean_, self.scale_])

    def _restore_targets(self, targets):
        self.mean_, self.scale_ = map(float, targets)

    def _strata(self, y):
        return np.zeros(len(y), dtype=int)

    def _targets(self, y, training, sample_weight):
        numbers = (np.asarray(y, dtype=np.float64) - self.mean_) / self.scale_
        weights = np.ones(len(y)) if sample_weight is None else sample_weight
        return self._tensor(numbers)[:, None].cpu(), torch.as_tensor(weights)

    def _score(self):
        return "rmse", _squared_error, functools.partial(_root, self.scale_)


def _squared_error(outputs, targets):
    return (outputs - targets).square().sum()


def _root(scale, mean):
    return scale * math.sqrt(mean)


ESTIMATORS = {
    Estimator.__name__: Estimator
    for Estimator in (CorNetClassifier, CorMLRClassifier, CorNetRegressor)
}


def _find_activation(activation):
    if activation is None or callable(activation):
        return activation
    try:
        return ACTIVATIONS[activation.lower()]
    except (KeyError, AttributeError):
        raise ParameterError(
            f"there is no activation {activation!r}: choose one of "
            f"{', '.join(ACTIVATIONS)}, or pass a function of tensors."
        ) from None
