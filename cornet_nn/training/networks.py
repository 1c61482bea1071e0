"""Networks in two parts: what is the same at every step, and what learns."""

import torch
from torch import nn

from ..centering import Centering
from ..mlr import CorMLR


class CorMLRNet(nn.Module):
    """A front end and a multinomial logistic regression.

    Parameters
    ----------
    space : FullRankCorrelationMatrices
        Space of the matrices, with a metric.
    num_classes : int
        Number of classes.
    channels : int
        Number of matrices in an input.
    front_end : torch.nn.Module
        What makes correlation matrices of the input; none if None.
    center : bool
        Whether a `Centering` stands before the regression.
    device : torch.device
        Device of the parameters.
    dtype : torch.dtype
        Dtype of the parameters.

    Examples
    --------
    >>> from geomstats_cor import FullRankCorrelationMatrices
    >>> network = CorMLRNet(FullRankCorrelationMatrices(5, equip="ecm"), 3, channels=2)
    >>> network(torch.eye(5).expand(8, 2, 5, 5)).shape
    torch.Size([8, 3])
    """

    def __init__(
        self,
        space,
        num_classes,
        channels=1,
        front_end=None,
        center=False,
        device=None,
        dtype=None,
    ):
        super().__init__()
        options = dict(device=device, dtype=dtype)
        self.front_end = front_end
        self.mlr = CorMLR(space, num_classes, channels, **options)
        self.centering = None
        if center:
            dim = self.mlr.hyperplanes_in.dim
            self.centering = Centering(channels, dim, **options)

    def forward(self, x):
        """Return the logits [..., num_classes] of an input."""
        return self.from_features(self.features(x))

    def features(self, x):
        """Return what the regression reads from the input; see `CorNet.features`."""
        point = x if self.front_end is None else self.front_end(x)
        return self.mlr.admit(point)

    def from_features(self, features):
        """Return the logits of inputs with given features."""
        if self.centering is not None:
            features = self.centering(features)
        return self.mlr.compute(features)


def is_fixed(front_end, sample):
    """Tell whether a front end gives the same at every step of training.

    Parameters
    ----------
    front_end : torch.nn.Module or None
        Front end.
    sample : tensor
        Input to try it on.

    Returns
    -------
    is_fixed : bool
        Whether it has no parameters and no buffers, and draws no random numbers.
    """
    if front_end is None:
        return True
    if [*front_end.parameters(), *front_end.buffers()]:
        return False
    with torch.no_grad(), torch.random.fork_rng(devices=[]):
        before = torch.get_rng_state()
        front_end.train()(sample)
        return torch.equal(before, torch.get_rng_state())
