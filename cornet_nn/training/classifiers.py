"""The networks as estimators of scikit-learn."""

import time
from typing import Any

import numpy as np
import torch
from sklearn.base import RegressorMixin
from torch import nn

from geomstats_cor import FullRankCorrelationMatrices
from geomstats_cor.exceptions import ParameterError

from ..layers.activation import find_activation
from ..models.cornet import CorNet
from ..models.mlr import CorMLRNet
from . import regression
from .estimator import NetworkClassifier, NetworkEstimator, estimator_class, made_by
from .loop import RegressorLoop, copied_state
from .settings import CorMLRSettings, CorNetSettings, NetworkSettings


class MakesCorNet:
    """An estimator whose network is `CorNet`, or `module`.

    Parameters
    ----------
    mlr_metric : str or type
        Metric of the last layer; the same if None.
    output_size : int
        Size m of the matrices between convolution and the last layer.
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
        Probability with which entries before the last layer are set to zero.
    guard : bool
        Whether coordinates between layers under different metrics are bounded smoothly,
        far beyond usual values; see `CorSequential`.
    module : callable
        Class of networks in place of `CorNet`, such as another model of `cornet_nn`, or
        a function that makes one. Of the arguments of `CorNet`, it is given those that
        it has.
    """

    _has_regression: Any

    def _arguments(self: Any, n, channels, num_classes):
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
            regression=self._has_regression,
            guard=self.guard,
        ) | self._options_of("module")

    def _make_network(self: Any, n, channels, num_classes, front_end, options):
        arguments = self._arguments(n, channels, num_classes) | options
        if arguments["activation"] is not None:
            arguments["activation"] = find_activation(arguments["activation"])
        arguments["front_end"] = front_end
        if self.module is None:
            return CorNet(**arguments)
        network = made_by(self.module, arguments, self._options_of("module"))
        network = network.to(**options)
        if front_end is None or getattr(network, "front_end", None) is front_end:
            return network
        return nn.Sequential(front_end, network)


class SolvesRegression:
    """An estimator that solves a logistic regression with the parameter `C`."""

    def _solve_regression(self: Any, network, mlr, X, samples, groups):
        """Set the parameters of a `CorMLR` on the normalised input of a network."""
        with torch.no_grad():
            coords = self._prepared(network.coords, X, exact=True)
            coords = network.normalized(coords)
        alike = torch.ones(len(self.classes_), dtype=torch.float64)
        weight, gamma, _ = regression.solve(
            mlr.hyperplanes_in,
            coords,
            samples.targets,
            alike,
            self.C,
            groups,
            samples.weights,
        )
        with torch.no_grad():
            mlr.weight.copy_(weight)
            mlr.gamma.copy_(gamma)


@estimator_class
class CorNetClassifier(
    SolvesRegression, MakesCorNet, NetworkClassifier, CorNetSettings
):
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
    criterion : type
        Loss of torch, such as torch.nn.MultiMarginLoss; cross-entropy if None.
    C : float or "cv" or None
        Inverse strength of the penalty of a logistic regression on the input, solved as
        by `CorMLRClassifier`. Logits are the mean of its own and of those of the
        network, which learns alone. There is none if C is None, if a criterion, a
        module or `module__momentum` is given, if a front end learns, and in
        `partial_fit`.

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
        samples. Those of training are taken as the parameters move, and are of the
        network without the regression.
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

    _unless_stored = {"C": None}

    def _is_regression_beside(self):
        left_out = self.C is None or self.criterion is not None
        left_out = left_out or self.module is not None or self._is_open_ended
        # Statistics that move would leave the solution behind.
        left_out = left_out or self._options.get("module__momentum", 0.0) != 0.0
        return self._is_prepared and not left_out

    def _restore(self, resolved, checkpoint):
        # Files hold no criterion, but the checkpoint tells that there was one.
        had_criterion = checkpoint["identity"].get("criterion") is not None
        self._is_prepared = resolved["front_end_is_fixed"]
        self._has_regression = not had_criterion and self._is_regression_beside()
        super()._restore(resolved, checkpoint)

    def _solve_beside(self, network, X, samples, groups, training):
        if self._has_regression:
            X, groups = X[training], None if groups is None else groups[training]
            self._solve_regression(network, network.regression, X, samples, groups)

    def _require_settings(self):
        if self.C is not None:
            regression.require_strength(self.C)
        super()._require_settings()


@estimator_class
class CorMLRClassifier(SolvesRegression, NetworkClassifier, CorMLRSettings):
    """Classification by multinomial logistic regression on correlation matrices.

    The network is a front end that makes correlation matrices, a normalisation of their
    coordinates, and `CorMLR`. Unless a front end learns or an optimizer is chosen, the
    parameters are those with the least penalised loss, found by L-BFGS: under a flat
    metric this is a convex problem.

    Options of skorch are taken by prefix, as `CorNetClassifier` takes them.

    Parameters
    ----------
    metric : str or type or FullRankCorrelationMatrices
        Metric, by its key or class, or a space with a metric.
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

    def _solve(self, loop, X, samples, groups, checkpoint):
        """Solve a regression by L-BFGS, as one epoch."""
        if not self._is_prepared:
            raise ParameterError(
                "optimizer='lbfgs' needs a front end that learns nothing: use 'adamw'."
            )
        if self.validation is not None:
            raise ParameterError(
                "validation chooses an epoch, and optimizer='lbfgs' has none: use "
                "C='cv', or another optimizer."
            )
        if self._options.get("module__momentum", 0.0) != 0.0:
            raise ParameterError(
                "optimizer='lbfgs' normalises by all training samples: leave "
                "module__momentum out, or use 'adamw'."
            )
        network, start = loop.module, time.perf_counter()
        if checkpoint is not None and checkpoint["rows"]:
            network.load_state_dict(checkpoint["best"])
            loop.kept_["rows"] = checkpoint["rows"]
            return
        self._solve_regression(network, network.mlr, X, samples, groups)
        labels, weights = samples.targets, samples.weights
        with torch.no_grad():
            logits = network.from_features(samples.inputs).double()
            losses = nn.functional.cross_entropy(logits, labels, reduction="none")
            loss = (losses * weights).sum() / weights.sum()
        row = {
            "epoch": 1,
            "train_loss": float(loss),
            "train_accuracy": float((logits.argmax(-1) == labels).double().mean()),
            "seconds": time.perf_counter() - start,
        }
        state = copied_state(network)
        loop.write(rows=[row], last=state, best=state)
        loop.draw()

    def _stochastic_optimizer(self):
        return "adamw" if self.optimizer in ("auto", "lbfgs") else self.optimizer

    def _require_settings(self):
        regression.require_strength(self.C)
        if self.optimizer == "lbfgs" and (self.criterion or self.callbacks):
            raise ParameterError(
                "optimizer='lbfgs' minimises the cross-entropy without steps: leave "
                "criterion and callbacks out, or use 'adamw'."
            )
        super()._require_settings()


@estimator_class
class CorNetRegressor(MakesCorNet, RegressorMixin, NetworkEstimator, NetworkSettings):
    """Regression by a correlation network: a number from correlation matrices.

    The network is that of `CorNetClassifier` with one output in place of logits. It
    learns targets of mean zero and variance one; answers are in the units of y.

    Options of skorch are taken by prefix, as `CorNetClassifier` takes them.

    Parameters
    ----------
    metric : str or type
        Metric of the convolution, by its key or class.
    criterion : type
        Loss of torch, such as torch.nn.HuberLoss; the mean squared error if None.

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

    _default_criterion = nn.MSELoss
    _num_outputs = 1

    def predict(self, X: Any) -> np.ndarray:
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

    def _make_loop(self, *arguments, **options):
        loop = RegressorLoop(*arguments, **options)
        loop.scale = self.scale_
        return loop


ESTIMATORS = {
    Estimator.__name__: Estimator
    for Estimator in (CorNetClassifier, CorMLRClassifier, CorNetRegressor)
}
