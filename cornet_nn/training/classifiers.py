"""The correlation network and the one-layer model as classifiers of scikit-learn."""

import torch

from geomstats_cor import FullRankCorrelationMatrices
from geomstats_cor.exceptions import ParameterError

from ..models.cornet import CorNet
from .estimator import NetworkClassifier
from .networks import CorMLRNet
from .regression import require_strength

ACTIVATIONS = {
    "relu": torch.relu,
    "tanh": torch.tanh,
    "sigmoid": torch.sigmoid,
    "elu": torch.nn.functional.elu,
    "gelu": torch.nn.functional.gelu,
    "leaky_relu": torch.nn.functional.leaky_relu,
}


class CorNetClassifier(NetworkClassifier):
    """Classification by a correlation network.

    The network is `CorNet`: a front end that makes correlation matrices, a
    normalisation of their coordinates, a convolution with several kernels, an
    activation, dropout, and a multinomial logistic regression. One set of defaults
    serves all five metrics; docs/training.md says how it was chosen.

    Parameters
    ----------
    metric : str or type
        Metric of the convolution, by its key or class.
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
    dropout : float
        Probability with which entries before the regression are set to zero.
    gain : float
        Factor on the initial weights; see `CorNet`.
    optimizer : str or callable
        Key of an optimizer ("adam", "adamw", "sgd"), or a class of torch.optim.
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
    class_weight : {"balanced"} or dict
        Weights of the classes in the loss; all are 1 if None.
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

    Attributes
    ----------
    classes_ : numpy.ndarray, shape=[k]
        Classes.
    module_ : CorNet
        The network.
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

    def __init__(
        self,
        metric="olm",
        *,
        mlr_metric=None,
        output_size=8,
        out_channels=16,
        kernel_size=None,
        stride=1,
        basis="orthonormal",
        activation="relu",
        kind="auto",
        power=1.0,
        shrinkage=0.0,
        front_end=None,
        normalize="coordinates",
        dropout=0.5,
        gain=0.5,
        optimizer="adamw",
        lr=1e-3,
        weight_decay=1.0,
        schedule="cycle",
        max_epochs=60,
        batch_size=30,
        validation=None,
        refit=True,
        patience=None,
        class_weight=None,
        random_state=None,
        dtype="float32",
        device="cpu",
        progress=True,
        directory=None,
        resume=False,
        overwrite=False,
    ):
        self.metric = metric
        self.mlr_metric = mlr_metric
        self.output_size = output_size
        self.out_channels = out_channels
        self.kernel_size = kernel_size
        self.stride = stride
        self.basis = basis
        self.activation = activation
        self.kind = kind
        self.power = power
        self.shrinkage = shrinkage
        self.front_end = front_end
        self.normalize = normalize
        self.dropout = dropout
        self.gain = gain
        self.optimizer = optimizer
        self.lr = lr
        self.weight_decay = weight_decay
        self.schedule = schedule
        self.max_epochs = max_epochs
        self.batch_size = batch_size
        self.validation = validation
        self.refit = refit
        self.patience = patience
        self.class_weight = class_weight
        self.random_state = random_state
        self.dtype = dtype
        self.device = device
        self.progress = progress
        self.directory = directory
        self.resume = resume
        self.overwrite = overwrite

    def _make_network(self, n, channels, num_classes, front_end, options):
        return CorNet(
            n,
            self.output_size,
            num_classes,
            in_channels=channels,
            metric=self.metric,
            mlr=self.mlr_metric,
            out_channels=self.out_channels,
            kernel_size=self.kernel_size,
            stride=self.stride,
            basis=self.basis,
            activation=_find_activation(self.activation),
            front_end=front_end,
            normalize=self.normalize,
            momentum=self._momentum,
            dropout=self.dropout,
            gain=self.gain,
            **options,
        )


class CorMLRClassifier(NetworkClassifier):
    """Classification by multinomial logistic regression on correlation matrices.

    The network is a front end that makes correlation matrices, a normalisation of their
    coordinates, and `CorMLR`. Unless a front end learns or an optimizer is chosen, the
    parameters are those with the least penalised loss, found by L-BFGS: under a flat
    metric this is a convex problem.

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
    C : float or "cv"
        Inverse strength of the penalty on the squared lengths of normals, for "lbfgs".
        With "cv", one of 11 from 1 to 10^6 is chosen by cross-validation inside the
        training samples, 5 folds, with groups apart; 30 if no class has two samples.
        Coordinates have a dispersion of one, so that good values depend little on n.
    optimizer : str or callable
        "lbfgs", the key of an optimizer ("adam", "adamw", "sgd"), or a class of
        torch.optim. With "auto", "lbfgs", or "adamw" if a front end learns or an epoch
        is to be chosen by validation.
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
    class_weight : {"balanced"} or dict
        Weights of the classes in the loss.
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

    def __init__(
        self,
        metric="olm",
        *,
        kind="auto",
        power=1.0,
        shrinkage=0.0,
        front_end=None,
        normalize="coordinates",
        gain=0.01,
        C="cv",
        optimizer="auto",
        lr=1e-3,
        weight_decay=1.0,
        schedule="cycle",
        max_epochs=60,
        batch_size=30,
        validation=None,
        refit=True,
        patience=None,
        class_weight=None,
        random_state=None,
        dtype="float32",
        device="cpu",
        progress=True,
        directory=None,
        resume=False,
        overwrite=False,
    ):
        self.metric = metric
        self.kind = kind
        self.power = power
        self.shrinkage = shrinkage
        self.front_end = front_end
        self.normalize = normalize
        self.gain = gain
        self.C = C
        self.optimizer = optimizer
        self.lr = lr
        self.weight_decay = weight_decay
        self.schedule = schedule
        self.max_epochs = max_epochs
        self.batch_size = batch_size
        self.validation = validation
        self.refit = refit
        self.patience = patience
        self.class_weight = class_weight
        self.random_state = random_state
        self.dtype = dtype
        self.device = device
        self.progress = progress
        self.directory = directory
        self.resume = resume
        self.overwrite = overwrite

    def _make_network(self, n, channels, num_classes, front_end, options):
        space = self.metric
        if not isinstance(space, FullRankCorrelationMatrices):
            space = FullRankCorrelationMatrices(n, equip=self.metric)
        return CorMLRNet(
            space,
            num_classes,
            channels,
            front_end,
            self.normalize,
            self._momentum,
            self.gain,
            **options,
        )

    def _is_solved(self):
        if self.optimizer == "auto":
            return self._is_prepared and self.validation is None
        return self.optimizer == "lbfgs"

    def _stochastic_optimizer(self):
        return "adamw" if self.optimizer in ("auto", "lbfgs") else self.optimizer

    def _schedule(self):
        require_strength(self.C)
        return super()._schedule()


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
