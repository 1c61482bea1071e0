"""The network: a convolution and a logistic regression."""

import torch
from torch import nn

from geomstats_cor.exceptions import ParameterError, ShapeError

from ._doors import as_space
from ._precision import in_full_precision
from .activation import TangentActivation
from .centering import Centering
from .conv import CorConv1d
from .mlr import CorMLR
from .sequential import require_match, run_layers


class CorNet(nn.Module):
    r"""The correlation network: front end, convolution, activation, regression.

    .. math:: \operatorname{MLR} \circ \, \delta \circ \operatorname{Conv} \circ
              \operatorname{front\ end} ,

    see `CorConv1d`, `TangentActivation` and `CorMLR`.

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
    center : bool
        Whether a `Centering` stands before the convolution. `model.centering.fit` sets
        its origin, from `features` of the training data.
    gain : float
        Factor on the initial weights of the convolution. With one, its output is about
        as far from the identity as its input; with less, closer to the identity.
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
        center=False,
        gain=1.0,
        fuse=True,
        guard=True,
        device=None,
        dtype=None,
    ):
        super().__init__()
        options = dict(device=device, dtype=dtype)
        given = (space_in, space_out)
        space_in = as_space(space_in, metric, "space_in")
        space_out = as_space(space_out, metric, "space_out")
        if metric is not None and given == (space_in, space_out):
            raise ParameterError(
                f"metric is {metric!r}, but both spaces have metrics of their own: "
                f"leave it out, or pass sizes instead of spaces."
            )
        self.front_end = front_end
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
        self.centering = None
        if center:
            dim = self.conv.hyperplanes_in.dim
            self.centering = Centering(in_channels, dim, **options)
        self.activation = None
        if activation is not None:
            self.activation = TangentActivation(space_out, activation)
        space_mlr = _mlr_space(mlr, space_out)
        self.mlr = CorMLR(space_mlr, num_classes, self.conv.channels_out, **options)
        self.fuse, self.guard = fuse, guard
        require_match(self._layers())
        self.conv.gain = gain
        with torch.no_grad():
            self.conv.weight.mul_(gain)

    def _layers(self):
        layers = (self.conv, self.activation, self.mlr)
        return [layer for layer in layers if layer is not None]

    def forward(self, x):
        """Return the logits.

        Parameters
        ----------
        x : tensor
            Correlation matrices, or the input of the front end.

        Returns
        -------
        logits : tensor, shape=[..., num_classes]
            Logits.
        """
        return self.from_features(self.features(x))

    def features(self, x):
        """Return what the convolution reads from the input.

        No parameter of the convolution or of a later layer is needed for it: if the
        front end has none either, features may be computed once for many steps.

        Parameters
        ----------
        x : tensor
            Correlation matrices, or the input of the front end.

        Returns
        -------
        features : tensor, shape=[..., in_channels, n (n - 1) / 2]
            Features.
        """
        return self._read(x if self.front_end is None else self.front_end(x))

    @in_full_precision
    def _read(self, point):
        return self.conv.admit(point)

    @in_full_precision
    def from_features(self, features):
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
        planes = self.conv.hyperplanes_in
        if features.ndim < 2 or features.shape[-2:] != (self.conv.channels, planes.dim):
            raise ShapeError(
                f"the features have shape {tuple(features.shape)}: "
                f"[..., {self.conv.channels}, {planes.dim}] is wanted."
            )
        if self.centering is not None:
            features = self.centering(features)
        layers = self._layers()
        return run_layers(layers, features, self.fuse, self.guard, is_read=True)

    def reset_parameters(self):
        """Draw the parameters of the layers anew; the front end stays as it is.

        A `Centering` goes back to where it was before it was fitted.
        """
        for layer in (self.centering, self.conv, self.mlr):
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
