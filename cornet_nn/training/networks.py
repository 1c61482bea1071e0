"""Networks in two parts: what is the same at every step, and what learns."""

import torch

from .._doors import as_space
from .._network import Network
from ..mlr import CorMLR

ACTIVATIONS = {
    "relu": torch.relu,
    "tanh": torch.tanh,
    "sigmoid": torch.sigmoid,
    "elu": torch.nn.functional.elu,
    "gelu": torch.nn.functional.gelu,
    "leaky_relu": torch.nn.functional.leaky_relu,
}


class CorMLRNet(Network):
    """A front end, a normalisation and a multinomial logistic regression.

    Parameters
    ----------
    space : FullRankCorrelationMatrices or int
        Space of the matrices with a metric, or their size.
    num_classes : int
        Number of classes.
    in_channels : int
        Number of matrices in an input.
    front_end : torch.nn.Module
        What makes correlation matrices of the input; none if None.
    normalize, momentum, gain
        See `CorNet`.
    metric : str or type
        Key or class of the metric, for a size.
    device : torch.device
        Device of the parameters.
    dtype : torch.dtype
        Dtype of the parameters.

    Examples
    --------
    >>> network = CorMLRNet(5, 3, in_channels=2, metric="ecm")
    >>> network(torch.eye(5).expand(8, 2, 5, 5)).shape
    torch.Size([8, 3])
    """

    fuse = guard = True

    def __init__(
        self,
        space,
        num_classes,
        in_channels=1,
        front_end=None,
        normalize=None,
        momentum=0.1,
        gain=1.0,
        *,
        metric=None,
        device=None,
        dtype=None,
    ):
        options = dict(device=device, dtype=dtype)
        space = as_space(space, metric, "space")
        super().__init__(front_end, normalize, momentum, space, in_channels, options)
        self.mlr = CorMLR(space, num_classes, in_channels, **options)
        self.mlr.gain = self._input_gain(gain)
        with torch.no_grad():
            self.mlr.weight.mul_(self.mlr.gain)

    def _layers(self):
        return [self.mlr]


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
