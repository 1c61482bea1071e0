"""The network: a convolution and a logistic regression."""

import torch

from geomstats_cor.exceptions import ParameterError

from ._validation import as_space
from ._network import Network
from .activation import TangentActivation
from .conv import CorConv1d
from .dropout import CorDropout
from .mlr import CorMLR
from .sequential import require_match


class CorNet(Network):
    r"""The correlation network: convolution, activation, regression.

    .. math:: \operatorname{MLR} \circ \operatorname{dropout} \circ \, \delta \circ
              \operatorname{Conv} \circ \operatorname{norm} \circ
              \operatorname{front\ end} ,

    see `CorBatchNorm`, `CorConv1d`, `TangentActivation`, `CorDropout` and `CorMLR`.

    Parameters
    ----------
    space_in : FullRankCorrelationMatrices or int
        Space of the input with a metric, or the size n of its matrices.
    space_out : FullRankCorrelationMatrices or int
        Space of the output of the convolution with a metric, or the size m.
    num_classes : int
        Number of classes.
    in_channels : int
        Number of matrices in an input.
    metric : str or type
        Key or class of the metric, for sizes that are given as numbers.
    mlr : str or type or FullRankCorrelationMatrices
        Metric of the logistic regression, if it is not that of `space_out`: a key, a
        class or an equipped space of matrices of size m.
    out_channels, kernel_size, stride : int
        See `CorConv1d`.
    basis : {"orthonormal", "printed"}
        See `CorConv1d`.
    activation : callable
        Pointwise function for a `TangentActivation` after the convolution; none if
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
    guard : bool
        Whether coordinates between layers under different metrics are bounded smoothly,
        far beyond ordinary values; see `CorSequential`.
    device : torch.device
        Device of the parameters.
    dtype : torch.dtype
        Dtype of the parameters.

    Notes
    -----
    Input [..., in_channels, n, n], or what the front end takes; output
    [..., num_classes]. Under one flat metric and without an activation the network is
    linear in the coordinates of the metric.

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
        space_in,
        space_out,
        num_classes,
        in_channels=1,
        metric=None,
        mlr=None,
        out_channels=1,
        kernel_size=None,
        stride=1,
        basis="orthonormal",
        activation=None,
        front_end=None,
        normalize=None,
        momentum=0.1,
        dropout=0.0,
        gain=1.0,
        fuse=True,
        guard=True,
        device=None,
        dtype=None,
    ):
        options = dict(device=device, dtype=dtype)
        given = (space_in, space_out)
        space_in = as_space(space_in, metric, "space_in")
        space_out = as_space(space_out, metric, "space_out")
        if metric is not None and given == (space_in, space_out):
            raise ParameterError(
                f"metric is {metric!r}, but both spaces have metrics of their own: "
                f"leave it out, or pass sizes instead of spaces."
            )
        super().__init__(front_end, normalize, momentum, space_in, in_channels, options)
        self.conv = CorConv1d(
            space_in,
            space_out,
            in_channels,
            out_channels,
            kernel_size,
            stride,
            basis,
            **options,
        )
        self.activation = None
        if activation is not None:
            self.activation = TangentActivation(space_out, activation)
        self.dropout = CorDropout(space_out, dropout) if dropout else None
        space_mlr = _mlr_space(mlr, space_out)
        self.mlr = CorMLR(space_mlr, num_classes, self.conv.channels_out, **options)
        self.fuse, self.guard = fuse, guard
        require_match(self._layers())
        self.conv.gain, self.mlr.gain = self._input_gain(gain), gain
        with torch.no_grad():
            for layer in (self.conv, self.mlr):
                layer.weight.mul_(layer.gain)

    def _layers(self):
        layers = (self.conv, self.activation, self.dropout, self.mlr)
        return [layer for layer in layers if layer is not None]

    def reset_parameters(self):
        """Draw the parameters of the layers anew; the front end stays as it is.

        The statistics of a normalisation are forgotten.
        """
        for layer in (self.norm, self.conv, self.mlr):
            if layer is not None:
                layer.reset_parameters()

    def extra_repr(self):
        """Return whether layers are fused."""
        return f"fuse={self.fuse}"


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
