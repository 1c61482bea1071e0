"""The networks for comparison with the interface of the correlation networks."""

import functools
from typing import Any

import torch
from torch import Tensor, nn

from cornet_nn.front_end import ToCorrelation
from cornet_nn.training.estimator import NetworkClassifier

from .spdnet import LargestEigenvalueOne
from .table import find_baseline

NORMALISATIONS = {"eigenvalue": LargestEigenvalueOne, "correlation": ToCorrelation}


# Adam as the Gyro networks are trained.
AMSGrad = functools.partial(torch.optim.Adam, amsgrad=True)


class Subspaces(nn.Module):
    """The front end of orthonormal bases, which leaves them as they are."""

    def forward(self, x: Tensor) -> Tensor:
        """Return the bases [..., in_channels, n, p]."""
        return x


class NormalisedNetwork(nn.Module):
    """A fixed normalisation, and a network that learns.

    Parameters
    ----------
    front_end : torch.nn.Module or None
        Normalisation of the input.
    network : BaselineNetwork
        Network.
    """

    def __init__(self, front_end, network):
        super().__init__()
        self.front_end, self.network = front_end, network

    def forward(self, x: Tensor) -> Tensor:
        """Return the logits [..., num_classes] of an input."""
        return self.from_features(self.features(x))

    def features(self, x: Tensor) -> Tensor:
        """Return what the first step of the network that learns takes."""
        x = x if self.front_end is None else self.front_end(x)
        return self.network.features(x)

    def from_features(self, features: Tensor) -> Tensor:
        """Return the logits of inputs with given features."""
        return self.network.from_features(features)


class BaselineClassifier(NetworkClassifier):
    """A network for comparison, trained by the same loop as `CorNetClassifier`.

    Parameters
    ----------
    network : str
        Name of the network in the paper, a key of `cornet_nn.baselines.BASELINES`.
    sizes : sequence of int
        Sizes of the matrices after each BiMap, convolution or full-rank map; none for
        networks that have none of these.
    power : float
        Power deformation of the metric of SPDNetLieBN and SPDNetMLR.
    normalisation : {"eigenvalue", "correlation"} or None
        What is done to covariance matrices first.
    optimizer : {"adam", "adamw", "sgd"} or type
        Optimizer: a key, or a class of torch.
    lr : float
        Learning rate.
    weight_decay : float
        Weight decay.
    max_epochs : int
        Number of epochs.
    batch_size : int
        Number of samples in a batch.
    random_state : int or numpy.random.RandomState
        Seed of everything that is random.
    dtype : {"float32", "float64"}
        Precision of the network.
    progress : bool
        Whether to show a bar.

    Examples
    --------
    >>> import numpy as np
    >>> from cornet_nn.baselines import BaselineClassifier
    >>> signal = np.random.default_rng(0).standard_normal((8, 4, 20))
    >>> covariances = signal @ signal.swapaxes(-1, -2) / 20
    >>> model = BaselineClassifier("GyroLE", max_epochs=2, progress=False)
    >>> model.fit(covariances, [0, 1] * 4).predict(covariances).shape
    (8,)
    """

    # What the loop asks of every classifier, and these networks do not vary.
    kind, shrinkage = "covariance", 0.0
    validation = patience = class_weight = directory = None
    resume = overwrite = False
    device = "cpu"

    def __init__(
        self,
        network="SPDNet",
        *,
        sizes=(),
        power=1.0,
        normalisation=None,
        optimizer="adam",
        lr=5e-3,
        weight_decay=0.0,
        max_epochs=200,
        batch_size=30,
        random_state=None,
        dtype="float32",
        progress=True,
    ):
        self.network = network
        self.sizes = sizes
        self.power = power
        self.normalisation = normalisation
        self.optimizer = optimizer
        self.lr = lr
        self.weight_decay = weight_decay
        self.max_epochs = max_epochs
        self.batch_size = batch_size
        self.random_state = random_state
        self.dtype = dtype
        self.progress = progress

    @property
    def front_end(self) -> Any:
        """Front end of subspaces; None for covariance matrices, which are checked."""
        is_subspaces = find_baseline(self.network).form == "subspaces"
        return Subspaces() if is_subspaces else None

    def _front_end(self):
        if self.normalisation:
            return NORMALISATIONS[self.normalisation]()
        return self.front_end

    def _make_network(self, n, in_channels, num_classes, front_end, options):
        shape = (in_channels, n, self.input_shape_[-1])
        make = find_baseline(self.network).make
        network = make(shape, num_classes, tuple(self.sizes), self.power)
        return NormalisedNetwork(front_end, network.to(**options))
