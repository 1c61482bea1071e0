"""The SPDNet family, from the layers of `spd_learn`.

A network is a chain of BiMap and ReEig layers, with a normalisation after each, and
ends with a linear layer on the matrix logarithm or with an SPD logistic regression.

References
----------
.. [H2017] Z. Huang and L. Van Gool. A Riemannian network for SPD matrix learning. AAAI
   2017.
.. [B2019] D. Brooks, O. Schwander, F. Barbaresco, J.-Y. Schneider and M. Cord.
   Riemannian batch normalization for SPD neural networks. NeurIPS 2019.
.. [C2024] Z. Chen, Y. Song, Y. Liu and N. Sebe. A Lie group approach to Riemannian
   batch normalization. ICLR 2024.
"""

import importlib.util

import torch
from torch import Tensor, nn

from cornet_nn import CorMLR, MatrixPower
from cornet_nn.spaces import SPDMatrices

from .network import BaselineNetwork, with_channels


def has_spd_learn() -> bool:
    """Tell whether `spd_learn` is installed.

    Returns
    -------
    installed : bool
        Whether it is.
    """
    return importlib.util.find_spec("spd_learn") is not None


def _lie(metric):
    def layer(size, power):
        from spd_learn.modules import SPDBatchNormLie

        return SPDBatchNormLie(size, metric=metric, theta=power)

    return layer


def _mean(size, power):
    from spd_learn.modules import SPDBatchNormMean

    return SPDBatchNormMean(size)


# What follows every BiMap layer, by the name of the network in the paper.
BETWEEN = {
    "SPDNet": None,
    "SPDNetBN": _mean,
    "SPDNetLieBN-AIM": _lie("AIM"),
    "SPDNetLieBN-LCM": _lie("LCM"),
    "SPDNetMLR": None,
}


class SPDNetwork(BaselineNetwork):
    """A network of the SPDNet family.

    Parameters
    ----------
    name : str
        One of `BETWEEN`.
    sizes : sequence of int
        Sizes of the matrices, that of the input first.
    num_classes : int
        Number of classes.
    power : float
        Power deformation of the metric of the batch normalisation of SPDNetLieBN, or
        of the regression of SPDNetMLR.

    Notes
    -----
    Input [..., n, n] or [..., 1, n, n], output [..., num_classes].

    Examples
    --------
    >>> import pytest
    >>> _ = pytest.importorskip("spd_learn")
    >>> import torch
    >>> from cornet_nn.baselines import SPDNetwork
    >>> model = SPDNetwork("SPDNet", [6, 4], num_classes=3)
    >>> model(torch.eye(6).expand(8, 6, 6)).shape
    torch.Size([8, 3])
    """

    def __init__(self, name, sizes, num_classes, power=1.0):
        from spd_learn.modules import BiMap, LogEig, ReEig

        super().__init__()
        self.n = sizes[0]
        layers = []
        for size_in, size_out in zip(sizes, sizes[1:], strict=False):
            layers.append(BiMap(size_in, size_out))
            if BETWEEN[name] is not None:
                layers.append(BETWEEN[name](size_out, power))
            layers.append(ReEig())
        self.layers = nn.Sequential(*layers)
        last = sizes[-1]
        if name == "SPDNetMLR":
            mlr = CorMLR(SPDMatrices(last, equip="lcm"), num_classes)
            # The deformed metric is the pullback by the power, up to its scale.
            self.head = mlr if power == 1.0 else nn.Sequential(MatrixPower(power), mlr)
        else:
            linear = nn.Linear(last * (last + 1) // 2, num_classes)
            self.head = nn.Sequential(LogEig(), linear)

    def _features(self, x):
        """Return the input without an axis of channels."""
        return with_channels(x, 1, (self.n, self.n)).squeeze(-3)

    def _from_features(self, features):
        return self.head(self.layers(features))


class LargestEigenvalueOne(nn.Module):
    """Division of SPD matrices by their largest eigenvalue, "EigN" in the paper.

    Notes
    -----
    Input and output [..., n, n].

    Examples
    --------
    >>> import torch
    >>> LargestEigenvalueOne()(torch.diag(torch.tensor([1.0, 4.0])))
    tensor([[0.2500, 0.0000],
            [0.0000, 1.0000]])
    """

    def forward(self, x: Tensor) -> Tensor:
        """Return the normalised matrices."""
        return x / torch.linalg.eigvalsh(x)[..., -1:, None]
