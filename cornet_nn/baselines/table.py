"""The networks for comparison by their names in the paper, in one table."""

from collections.abc import Callable
from dataclasses import dataclass

from cornet_nn import CorMLR
from cornet_nn.spaces import SPDMatrices
from geomstats_cor.exceptions import ParameterError

from .grassmann import GrNet, GyroGrNet
from .gyro_spd import GyroSPDNet, GyroSPDPlusPlus
from .network import BaselineNetwork, with_channels
from .resnet import SPDResNet
from .spdnet import BETWEEN, SPDNetwork


@dataclass(frozen=True)
class Baseline:
    """A network for comparison.

    Attributes
    ----------
    form : {"covariance", "channels", "subspaces"}
        What it takes: a global covariance matrix [n, n], several [channels, n, n], or
        orthonormal bases [channels, n, p].
    make : callable
        Returns the network, given the shape [channels, n, n] or [channels, n, p] of an
        input, the number of classes, the sizes of hidden matrices and a power.
    needs_spd_learn : bool
        Whether the extra `baselines` is needed.
    """

    form: str
    make: Callable
    needs_spd_learn: bool = False


class SPDRegression(BaselineNetwork):
    """A single logistic regression of SPD matrices, "SPDMLR-Trivlz" in the paper.

    Parameters
    ----------
    n : int
        Size of the matrices.
    num_classes : int
        Number of classes.
    in_channels : int
        Number of matrices in an input.
    metric : {"lem", "lcm", "aim"}
        Metric.

    Examples
    --------
    >>> import torch
    >>> from cornet_nn.baselines import SPDRegression
    >>> model = SPDRegression(4, num_classes=3, metric="aim")
    >>> model(torch.eye(4).expand(8, 4, 4)).shape
    torch.Size([8, 3])
    """

    def __init__(self, n, num_classes, in_channels=1, metric="lem"):
        super().__init__()
        self.mlr = CorMLR(SPDMatrices(n, equip=metric), num_classes, in_channels)

    def _features(self, x):
        """Return the features of the matrices under the metric."""
        planes = self.mlr.hyperplanes_in
        x = with_channels(x, self.mlr.in_channels, (planes.n, planes.n))
        return planes.features(x)

    def _from_features(self, features):
        return self.mlr.logits(features)


def _regression(metric):
    def make(shape, num_classes, sizes, power):
        return SPDRegression(shape[1], num_classes, shape[0], metric)

    return Baseline("covariance", make)


def _spdnet(name):
    def make(shape, num_classes, sizes, power):
        return SPDNetwork(name, [shape[1], *sizes], num_classes, power)

    return Baseline("covariance", make, needs_spd_learn=True)


def _resnet(metric):
    def make(shape, num_classes, sizes, power):
        return SPDResNet(shape[1], sizes[-1], num_classes, metric)

    return Baseline("covariance", make)


def _gyro(metric):
    def make(shape, num_classes, sizes, power):
        return GyroSPDNet(shape[1], num_classes, shape[0], metric)

    return Baseline("channels", make)


def _plus_plus(shape, num_classes, sizes, power):
    return GyroSPDPlusPlus(shape[1], sizes[-1], num_classes, shape[0])


def _grnet(shape, num_classes, sizes, power):
    m = sizes[-1] if sizes else None
    return GrNet(shape[1], shape[2], num_classes, shape[0], m)


def _gyro_grassmann(scaling):
    def make(shape, num_classes, sizes, power):
        return GyroGrNet(shape[1], shape[2], num_classes, shape[0], scaling)

    return Baseline("subspaces", make)


BASELINES = {
    "GrNet": Baseline("subspaces", _grnet),
    "GyroGr": _gyro_grassmann(scaling=False),
    "GyroGr-Scaling": _gyro_grassmann(scaling=True),
    **{name: _spdnet(name) for name in BETWEEN},
    "SPDResNet-LEM": _resnet("lem"),
    "SPDResNet-AIM": _resnet("aim"),
    "GyroLE": _gyro("lem"),
    "GyroLC": _gyro("lcm"),
    "GyroAI": _gyro("aim"),
    "GyroSPD++": Baseline("channels", _plus_plus),
    "SPDMLR-LEM": _regression("lem"),
    "SPDMLR-LCM": _regression("lcm"),
    "SPDMLR-AIM": _regression("aim"),
}


def find_baseline(name: str) -> Baseline:
    """Return a network for comparison by its name in the paper.

    Parameters
    ----------
    name : str
        Key of `BASELINES`.

    Returns
    -------
    baseline : Baseline
        Network.

    Examples
    --------
    >>> find_baseline("GyroAI").form
    'channels'
    """
    if name not in BASELINES:
        raise ParameterError(
            f"network: expected one of {', '.join(BASELINES)}, got {name!r}."
        )
    return BASELINES[name]
