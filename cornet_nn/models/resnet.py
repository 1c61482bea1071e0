"""Residual networks on correlation matrices."""

from collections.abc import Callable
from typing import Any

import torch
from torch import nn

from .._validation import require_positive, spaces_of
from ..layers.activation import TangentActivation
from ..layers.dropout import CorDropout
from ..layers.fc import CorFC
from ..layers.mlr import CorMLR
from ..layers.residual import CorResidual
from .base import Network


class CorResNet(Network):
    r"""A residual network: blocks of fully connected layers, then a regression.

    .. math:: \operatorname{MLR} \circ B_L \circ \dots \circ B_1 \circ
              \operatorname{FC} \circ \operatorname{norm} , \qquad
              B_l(x) = \mathrm{Exp}_x \left( \Gamma_{I \to x} \, \mathrm{Log}_I
              (\operatorname{FC}_l' \circ \, \delta \circ \operatorname{FC}_l)(x)
              \right) ,

    see `CorFC`, `CorResidual`, `TangentActivation` and `CorMLR`.

    Parameters
    ----------
    space_in : FullRankCorrelationMatrices or int
        Space of the input with a metric, or the size n of its matrices.
    space_out : FullRankCorrelationMatrices or int
        Space of the blocks with a metric, or the size m of their matrices.
    num_classes : int
        Number of classes.
    in_channels : int or None
        Number of matrices in an input; None if there is no axis of channels.
    depth : int
        Number of blocks.
    metric : str or type
        Key or class of the metric, for sizes that are given as numbers.
    activation : callable
        Pointwise function :math:`\delta`, see `TangentActivation`.
    dropout : float
        Probability of a `CorDropout` before the regression.
    front_end : torch.nn.Module
        What makes correlation matrices of the input; none if None.
    normalize : {"coordinates", "channel", "center"} or None
        See `CorNet`.
    momentum : float
        See `CorBatchNorm`.
    gain : float
        Factor on the initial weights.
    fuse : bool
        Whether layers leave out the steps that cancel; see `CorSequential`.
    guard : bool
        Whether coordinates between different metrics are bounded; see `CorSequential`.
    device : torch.device
        Device of the parameters.
    dtype : torch.dtype
        Dtype of the parameters.

    Notes
    -----
    Input [..., in_channels, n, n], or [..., n, n] without channels, or what the front
    end takes; output [..., num_classes].

    Examples
    --------
    >>> import torch
    >>> from cornet_nn import CorResNet
    >>> model = CorResNet(20, 6, num_classes=3, depth=2, metric="olm")
    >>> model(torch.eye(20).expand(4, 20, 20)).shape
    torch.Size([4, 3])
    """

    def __init__(
        self,
        space_in: Any,
        space_out: Any,
        num_classes: int,
        in_channels: int | None = None,
        *,
        depth: int = 2,
        metric: Any = None,
        activation: Callable = torch.tanh,
        dropout: float = 0.0,
        front_end: Any = None,
        normalize: str | None = None,
        momentum: float = 0.1,
        gain: float = 1.0,
        fuse: bool = True,
        guard: bool = True,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        require_positive(depth=depth)
        options = dict(device=device, dtype=dtype)
        space_in, space_out = spaces_of(metric, space_in=space_in, space_out=space_out)
        super().__init__(
            space_in,
            in_channels,
            front_end=front_end,
            normalize=normalize,
            momentum=momentum,
            **options,
        )
        self.first = CorFC(space_in, space_out, in_channels or 1, **options)
        self.first.scale_initial(self._input_gain(gain))
        self.blocks = nn.ModuleList(
            CorResidual(
                CorFC(space_out, space_out, **options),
                TangentActivation(space_out, activation),
                CorFC(space_out, space_out, **options),
                fuse=fuse,
            )
            for _ in range(depth)
        )
        self.dropout = CorDropout(space_out, dropout) if dropout else None
        self.mlr = CorMLR(space_out, num_classes, **options)
        self.mlr.scale_initial(gain)
        self.guard = guard
        self.fuse = fuse

    def _layers(self):
        layers = (self.first, *self.blocks, self.dropout, self.mlr)
        return [layer for layer in layers if layer is not None]
