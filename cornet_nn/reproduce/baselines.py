"""SPD networks of `spd_learn`, for comparison with correlation networks.

A network is a chain of BiMap and ReEig layers, with a normalisation or a residual
connection after each, and ends with a linear layer on the matrix logarithm or with an
SPD logistic regression.

References
----------
.. [H2017] Z. Huang and L. Van Gool. A Riemannian network for SPD matrix learning. AAAI
   2017.
.. [B2019] D. Brooks, O. Schwander, F. Barbaresco, J.-Y. Schneider and M. Cord.
   Riemannian batch normalization for SPD neural networks. NeurIPS 2019.
.. [C2024] Z. Chen, Y. Song, Y. Liu and N. Sebe. A Lie group approach to Riemannian
   batch normalization. ICLR 2024.
.. [K2024] I. Katsman et al. Riemannian residual neural networks. NeurIPS 2023.
"""

import importlib.util

import torch
from torch import nn

from cornet_nn import CorMLR

from .flat_spd import flat_spd_space


def has_spd_learn():
    """Tell whether `spd_learn` is installed.

    Returns
    -------
    installed : bool
        Whether it is.
    """
    return importlib.util.find_spec("spd_learn") is not None


class ResidualBlock(nn.Module):
    """The log-Euclidean residual of a BiMap and ReEig block that keeps the size.

    Parameters
    ----------
    size : int
        Size of the matrices.
    """

    def __init__(self, size):
        from spd_learn.modules import BiMap, LogEuclideanResidual, ReEig

        super().__init__()
        self.block = nn.Sequential(BiMap(size, size), ReEig())
        self.residual = LogEuclideanResidual()

    def forward(self, x):
        """Return the residual of matrices [..., n, n]."""
        return self.residual(x, self.block(x))


def _lie(metric):
    def layer(size):
        from spd_learn.modules import SPDBatchNormLie

        return SPDBatchNormLie(size, metric=metric)

    return layer


def _mean(size):
    from spd_learn.modules import SPDBatchNormMean

    return SPDBatchNormMean(size)


# What follows every BiMap layer, by the name of the network in the paper.
BETWEEN = {
    "SPDNet": None,
    "SPDNetBN": _mean,
    "SPDNetLieBN-AIM": _lie("AIM"),
    "SPDNetLieBN-LCM": _lie("LCM"),
    "SPDResNet-LEM": ResidualBlock,
    "SPDNetMLR": None,
}


class SPDNetwork(nn.Module):
    """A network of the SPDNet family.

    Parameters
    ----------
    name : str
        One of `BETWEEN`.
    sizes : sequence of int
        Sizes of the matrices, that of the input first.
    num_classes : int
        Number of classes.

    Notes
    -----
    Input [..., n, n] or [..., 1, n, n], output [..., num_classes].
    """

    def __init__(self, name, sizes, num_classes):
        from spd_learn.modules import BiMap, LogEig, ReEig

        super().__init__()
        layers = []
        for size_in, size_out in zip(sizes, sizes[1:], strict=False):
            layers.append(BiMap(size_in, size_out))
            if BETWEEN[name] is not None:
                layers.append(BETWEEN[name](size_out))
            layers.append(ReEig())
        self.layers = nn.Sequential(*layers)
        last = sizes[-1]
        if name == "SPDNetMLR":
            self.head = CorMLR(flat_spd_space(last, "lcm"), num_classes)
        else:
            linear = nn.Linear(last * (last + 1) // 2, num_classes)
            self.head = nn.Sequential(LogEig(), linear)

    def forward(self, x):
        """Return the logits of SPD matrices."""
        x = x.squeeze(-3) if x.ndim > 3 else x
        return self.head(self.layers(x))


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

    def forward(self, x):
        """Return the normalised matrices."""
        return x / torch.linalg.eigvalsh(x)[..., -1:, None]
