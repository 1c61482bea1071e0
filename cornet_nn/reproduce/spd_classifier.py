"""SPD networks with the interface of the correlation networks."""

from torch import nn

from cornet_nn import CorMLR
from cornet_nn.front_end import ToCorrelation
from cornet_nn.training.estimator import NetworkClassifier

from .affine_invariant import AffineInvariantMLR
from .baselines import BETWEEN, LargestEigenvalueOne, SPDNetwork
from .flat_spd import FLAT_SPD_METRICS, flat_spd_space

NORMALISATIONS = {"eigenvalue": LargestEigenvalueOne, "correlation": ToCorrelation}


class NormalisedNetwork(nn.Module):
    """A fixed normalisation, and a network that learns.

    Parameters
    ----------
    front_end : torch.nn.Module or None
        Normalisation of SPD matrices.
    network : torch.nn.Module
        Network.
    """

    def __init__(self, front_end, network):
        super().__init__()
        self.front_end, self.network = front_end, network

    def forward(self, x):
        """Return the logits [..., num_classes] of SPD matrices."""
        return self.from_features(self.features(x))

    def features(self, x):
        """Return the normalised matrices."""
        return x if self.front_end is None else self.front_end(x)

    def from_features(self, features):
        """Return the logits of normalised matrices."""
        return self.network(features)


class SPDClassifier(NetworkClassifier):
    """An SPD network, trained by the same loop as `CorNetClassifier`.

    Parameters
    ----------
    network : str
        "SPDMLR-LEM", "SPDMLR-LCM", "SPDMLR-AIM", or one of the networks of `baselines`,
        which need `spd_learn`.
    sizes : sequence of int
        Sizes of the matrices after each BiMap layer; none for a single regression.
    normalisation : {"eigenvalue", "correlation"} or None
        What is done to the covariance matrices first.
    optimizer, lr, weight_decay, max_epochs, batch_size, random_state, dtype, progress
        See `CorNetClassifier`.

    Examples
    --------
    >>> import numpy as np
    >>> signal = np.random.default_rng(0).standard_normal((8, 4, 20))
    >>> covariances = signal @ signal.swapaxes(-1, -2) / 20
    >>> model = SPDClassifier("SPDMLR-LEM", max_epochs=2, progress=False)
    >>> model.fit(covariances, [0, 1] * 4).predict(covariances).shape
    (8,)
    """

    # What the loop asks of every classifier, and an SPD network does not vary.
    kind, shrinkage, front_end = "covariance", 0.0, None
    validation = patience = class_weight = directory = None
    resume = overwrite = False
    device = "cpu"

    def __init__(
        self,
        network="SPDNet",
        *,
        sizes=(),
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
        self.normalisation = normalisation
        self.optimizer = optimizer
        self.lr = lr
        self.weight_decay = weight_decay
        self.max_epochs = max_epochs
        self.batch_size = batch_size
        self.random_state = random_state
        self.dtype = dtype
        self.progress = progress

    def _front_end(self):
        return NORMALISATIONS[self.normalisation]() if self.normalisation else None

    def _make_network(self, n, channels, num_classes, front_end, options):
        return NormalisedNetwork(front_end, self._learner(n, num_classes).to(**options))

    def _learner(self, n, num_classes):
        if self.network in BETWEEN:
            return SPDNetwork(self.network, [n, *self.sizes], num_classes)
        metric = self.network.removeprefix("SPDMLR-").lower()
        if metric in FLAT_SPD_METRICS:
            return CorMLR(flat_spd_space(n, metric), num_classes)
        return AffineInvariantMLR(n, num_classes)
