"""The smallest network: a logistic regression."""

from typing import Any

from .._validation import renamed_keyword, spaces_of
from ..layers.mlr import CorMLR
from .base import Network


class CorMLRNet(Network):
    """A front end, a normalisation and a multinomial logistic regression.

    Parameters
    ----------
    space : FullRankCorrelationMatrices or int
        Space of the matrices with a metric, or their size.
    num_classes : int
        Number of classes.
    in_channels : int or None
        Number of matrices in an input; None if there is no axis of channels.
    front_end : torch.nn.Module
        What makes correlation matrices of the input; none if None.
    normalize : {"coordinates", "channel", "center"} or None
        See `CorNet`.
    momentum : float
        See `CorBatchNorm`.
    gain : float
        Factor on the initial weights.
    metric : str or type
        Key or class of the metric, for a size.
    device : torch.device
        Device of the parameters.
    dtype : torch.dtype
        Dtype of the parameters.

    Examples
    --------
    >>> import torch
    >>> from cornet_nn import CorMLRNet
    >>> network = CorMLRNet(5, 3, in_channels=2, metric="ecm")
    >>> network(torch.eye(5).expand(8, 2, 5, 5)).shape
    torch.Size([8, 3])
    """

    @renamed_keyword("channels", "in_channels")
    def __init__(
        self,
        space: Any,
        num_classes: int,
        in_channels: int | None = None,
        front_end: Any = None,
        normalize: str | None = None,
        momentum: float = 0.1,
        gain: float = 1.0,
        *,
        metric: Any = None,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        options = dict(device=device, dtype=dtype)
        (space,) = spaces_of(metric, space=space)
        super().__init__(front_end, normalize, momentum, space, in_channels, options)
        self.mlr = CorMLR(space, num_classes, in_channels or 1, **options)
        self.mlr.scale_initial(self._input_gain(gain))
        self.fuse = True

    def _layers(self):
        return [self.mlr]
