"""The network: convolutions and a logistic regression."""

from collections.abc import Callable
from typing import Any

from torch import Tensor, nn

from geomstats_cor.exceptions import ParameterError

from .._precision import in_full_precision
from .._validation import spaces_of
from ..layers.activation import TangentActivation
from ..layers.conv import CorChannelConv
from ..layers.dropout import CorDropout
from ..layers.hyperplane import HyperplaneLayer
from ..layers.mlr import CorMLR
from .base import Network


class CorNet(Network):
    r"""The correlation network: convolution, activation, regression.

    .. math:: \operatorname{MLR} \circ \operatorname{dropout} \circ \, (\delta \circ
              \operatorname{Conv})^L \circ \operatorname{norm} \circ
              \operatorname{front\ end} ,

    see `CorBatchNorm`, `CorChannelConv`, `TangentActivation`, `CorDropout` and
    `CorMLR`. The network of [C2026]_ has :math:`L = 1` and no activation.

    Parameters
    ----------
    space_in : FullRankCorrelationMatrices or int
        Space of the input with a metric, or the size n of its matrices.
    space_out : FullRankCorrelationMatrices or int, or a sequence of them
        Space of the output of the convolution with a metric, or the size m. A sequence
        has one for each of several convolutions.
    num_classes : int
        Number of classes.
    in_channels : int or None
        Number of matrices in an input; None if there is no axis of channels.
    metric : str or type
        Key or class of the metric, for sizes that are given as numbers.
    mlr : str or type or FullRankCorrelationMatrices
        Metric of the logistic regression, if it is not that of `space_out`: a key, a
        class or an equipped space of matrices of size m.
    out_channels : int
        Number of kernels of each convolution.
    kernel_size, stride : int
        Receptive fields of the first convolution, see `CorChannelConv`; the others see
        all channels.
    basis : {"orthonormal", "printed"}
        See `CorConv1d`.
    kernels : {"separate", "joint"}
        See `CorConv1d`; "joint" is that of [C2026]_, and differs for the
        poly-hyperbolic metric.
    activation : callable
        Pointwise function for a `TangentActivation` after each convolution; none if
        None.
    front_end : torch.nn.Module
        What makes correlation matrices [..., in_channels, n, n] of the input; none if
        None.
    normalize : {"coordinates", "channel", "center"} or None
        Whether a `CorBatchNorm` stands before the convolution: with one dispersion for
        each coordinate, one for each channel, or with the mean alone.
    momentum : float
        See `CorBatchNorm`. With 0, `model.norm.fit` sets the statistics, from `coords`
        of the training data.
    dropout : float
        Probability of a `CorDropout` before the regression.
    gain : float
        Factor on the initial weights. With one, the output of the convolution is about
        as far from the identity as its input, or at the distance of a coordinate of
        variance one if the input is normalised; with less, it is closer.
    fuse : bool
        Whether layers meet in coordinates under the same metric, and in factors under
        different ones; see `CorSequential`. The result is the same up to rounding.
    regression : bool
        Whether logits are, in evaluation, the mean of those of the layers above and of
        a `CorMLR` on the normalised input, `model.regression`. It has no part in
        training: its parameters are to be set, as `CorNetClassifier` does. Until then
        they are zero, and logits in evaluation half of those in training.
    guard : bool
        Whether coordinates between layers under different metrics are bounded smoothly,
        far beyond ordinary values; see `CorSequential`.
    device : torch.device
        Device of the parameters.
    dtype : torch.dtype
        Dtype of the parameters.

    Notes
    -----
    Input [..., in_channels, n, n], or [..., n, n] without channels, or what the front
    end takes; output [..., num_classes]. The axis of a single channel may be left out
    of [n, n] and [batch, n, n]. Under one flat metric and without an activation the
    network is linear in the coordinates of the metric.

    References
    ----------
    .. [C2026] Z. Chen, X. Wu, B. Schölkopf and N. Sebe. Riemannian networks over
       full-rank correlation matrices. ICML 2026.

    Examples
    --------
    >>> import torch
    >>> from cornet_nn import CorNet
    >>> model = CorNet(20, 8, num_classes=3, in_channels=7, metric="lecm", mlr="olm")
    >>> model(torch.eye(20).expand(4, 7, 20, 20)).shape
    torch.Size([4, 3])
    """

    def __init__(
        self,
        space_in: Any,
        space_out: Any,
        num_classes: int,
        in_channels: int | None = None,
        *,
        metric: Any = None,
        mlr: Any = None,
        out_channels: int = 1,
        kernel_size: int | None = None,
        stride: int = 1,
        basis: str = "orthonormal",
        kernels: str = "separate",
        activation: Callable | None = None,
        front_end: Any = None,
        normalize: str | None = None,
        momentum: float = 0.1,
        dropout: float = 0.0,
        gain: float = 1.0,
        fuse: bool = True,
        regression: bool = False,
        guard: bool = True,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        options = dict(device=device, dtype=dtype)
        names = {"space_out": space_out}
        if isinstance(space_out, list | tuple):
            names = {f"space_out[{i}]": x for i, x in enumerate(space_out)}
        if not names:
            raise ParameterError("space_out: expected at least one space, got none.")
        space_in, *spaces = spaces_of(metric, space_in=space_in, **names)
        super().__init__(
            space_in,
            in_channels,
            front_end=front_end,
            normalize=normalize,
            momentum=momentum,
            **options,
        )
        shared: dict[str, Any] = dict(basis=basis, kernels=kernels, **options)
        self.conv = CorChannelConv(
            space_in,
            spaces[0],
            in_channels or 1,
            out_channels,
            kernel_size=kernel_size,
            stride=stride,
            **shared,
        )
        self.activation = _activation(spaces[0], activation)
        hidden, channels = [], self.conv.out_channels
        for space, after in zip(spaces, spaces[1:], strict=False):
            hidden.append(
                CorChannelConv(space, after, channels, out_channels, **shared)
            )
            channels = out_channels
            if activation is not None:
                hidden.append(_activation(after, activation))
        self.hidden = nn.ModuleList(hidden) if hidden else None
        self.dropout = CorDropout(spaces[-1], dropout) if dropout else None
        space_mlr = _mlr_space(mlr, spaces[-1])
        self.mlr = CorMLR(space_mlr, num_classes, channels, **options)
        self.guard = guard
        self.fuse = fuse
        first, *others = self._learning_layers()
        first.scale_initial(self._input_gain(gain))
        for layer in others:
            layer.scale_initial(gain)
        self.regression = None
        if regression:
            mlr = CorMLR(space_in, num_classes, in_channels or 1, **options)
            mlr.scale_initial(0.0)
            self.regression = mlr.requires_grad_(False)
        if self.norm is not None and self.norm.scale is not None:
            for layer in (first, self.regression):
                if layer is not None:
                    layer.use_orthonormal_weights()

    @in_full_precision
    def from_features(self, features: Tensor) -> Tensor:
        """Return the logits of inputs with given features.

        Parameters
        ----------
        features : tensor, shape=[..., in_channels, n (n - 1) / 2]
            What `features` returns.

        Returns
        -------
        logits : tensor, shape=[..., num_classes]
            Logits.
        """
        logits = super().from_features(features)
        if self.regression is None or self.training:
            return logits
        if self.norm is not None and not self._is_norm_fixed:
            features = self.regression.read_coords(self.norm.compute(features))
        return 0.5 * (logits + self.regression.logits(features))

    def reset_parameters(self) -> None:
        """Draw the parameters of the layers again; the regression is forgotten."""
        super().reset_parameters()
        if self.regression is not None:
            self.regression.reset_parameters()

    def _layers(self):
        hidden = () if self.hidden is None else self.hidden
        layers = (self.conv, self.activation, *hidden, self.dropout, self.mlr)
        return [layer for layer in layers if layer is not None]

    def _learning_layers(self):
        return [x for x in self._layers() if isinstance(x, HyperplaneLayer)]

    def extra_repr(self) -> Any:
        """Return whether layers are fused."""
        return f"fuse={self.fuse}"


def _activation(space, function):
    return None if function is None else TangentActivation(space, function)


def _mlr_space(mlr, space_out):
    if mlr is None:
        return space_out
    if isinstance(mlr, int):
        raise ParameterError(
            f"mlr is {mlr}, but the size of its matrices is that of space_out: pass a "
            f'key such as "olm", or an equipped space.'
        )
    if isinstance(mlr, str | type):
        return type(space_out)(space_out.n, equip=mlr)
    return mlr
