"""Convolution of a sequence of correlation matrices."""

import torch

from geomstats_cor.exceptions import ParameterError

from ._validation import hyperplanes_of, require_basis_of, require_positive
from ._layer import HyperplaneLayer


class CorConv1d(HyperplaneLayer):
    r"""Convolution along the axis of channels.

    .. math:: Y_{kf} = \operatorname{FC}_k(C_{sf}, \dots, C_{sf + K - 1}) .

    A receptive field is a run of :math:`K` channels (`kernel_size`), they follow each
    other in steps of :math:`s` (`stride`), and every kernel is a fully connected layer,
    see `CorFC`, on each receptive field.

    Parameters
    ----------
    space_in : FullRankCorrelationMatrices
        Space of the input, with a metric.
    space_out : FullRankCorrelationMatrices
        Space of the output, with a metric, which may be another one.
    in_channels : int
        Number of matrices in an input.
    out_channels : int
        Number of kernels.
    kernel_size : int
        Number of matrices in a receptive field; all if None.
    stride : int
        Step from one receptive field to the next.
    basis : {"orthonormal", "printed"}
        Basis of the output, see `CorFC`.
    device : torch.device
        Device of the parameters.
    dtype : torch.dtype
        Dtype of the parameters.

    Attributes
    ----------
    fields : int
        Number of receptive fields, (in_channels - kernel_size) // stride + 1.
    weight : tensor, shape=[out_channels m (m - 1) / 2, kernel_size, n (n - 1) / 2]
        Covectors of the normals, kernel after kernel.
    gamma : tensor, shape=[out_channels m (m - 1) / 2, kernel_size]
        Offsets; a single column for the poly-hyperbolic metric.

    Notes
    -----
    Input [..., in_channels, n, n], output [..., out_channels * fields, m, m] in the
    order of kernels, then of fields. The channel axis may be left out of [n, n] and
    [batch, n, n] if there is one channel.

    References
    ----------
    .. [C2026] Z. Chen, X. Wu, B. Schölkopf and N. Sebe. Riemannian networks over
       full-rank correlation matrices. ICML 2026.

    Examples
    --------
    >>> import torch
    >>> from cornet_nn import CorConv1d
    >>> from geomstats_cor import FullRankCorrelationMatrices
    >>> layer = CorConv1d(
    ...     FullRankCorrelationMatrices(5, equip="lsm"),
    ...     FullRankCorrelationMatrices(3, equip="lsm"),
    ...     in_channels=4,
    ...     out_channels=2,
    ...     kernel_size=2,
    ... )
    >>> layer(torch.eye(5).expand(8, 4, 5, 5)).shape
    torch.Size([8, 6, 3, 3])
    """

    def __init__(
        self,
        space_in,
        space_out,
        in_channels,
        out_channels,
        kernel_size=None,
        stride=1,
        basis="orthonormal",
        device=None,
        dtype=None,
    ):
        kernel_size = in_channels if kernel_size is None else kernel_size
        require_positive(
            in_channels=in_channels,
            out_channels=out_channels,
            kernel_size=kernel_size,
            stride=stride,
        )
        if kernel_size > in_channels:
            raise ParameterError(
                f"kernel_size = {kernel_size} exceeds in_channels = {in_channels}: a "
                f"receptive field has at most all channels."
            )
        planes = hyperplanes_of(space_out)
        require_basis_of(planes, basis)
        fields = (in_channels - kernel_size) // stride + 1
        super().__init__(
            space_in,
            space_out,
            in_channels,
            out_channels * fields,
            out_channels * planes.dim,
            kernel_size,
            device,
            dtype,
        )
        self.out_channels, self.kernel_size = out_channels, kernel_size
        self.stride, self.fields, self.basis = stride, fields, basis

    def compute(self, features):
        """Return the coordinates of the output.

        Parameters
        ----------
        features : tensor, shape=[..., in_channels, d]
            Features of the input.

        Returns
        -------
        coords : tensor, shape=[..., out_channels * fields, m (m - 1) / 2]
            Coordinates under the metric of the output.
        """
        distances = self.logits(self._receptive_fields(features))
        distances = distances.unflatten(-1, (self.out_channels, -1))
        coords = self.hyperplanes_out.coords(distances, self.basis)
        return coords.transpose(-3, -2).flatten(-3, -2)

    def _receptive_fields(self, features):
        """Return the features [..., fields, kernel_size, d] of the fields."""
        if self.kernel_size == self.channels:
            return features[..., None, :, :]
        steps = torch.arange(self.kernel_size, device=features.device)
        starts = self.stride * torch.arange(self.fields, device=features.device)
        seen = (starts[:, None] + steps).flatten()
        fields = features.index_select(-2, seen)
        return fields.unflatten(-2, (self.fields, self.kernel_size))

    def extra_repr(self):
        """Return sizes, metrics, channels and fields."""
        return (
            f"{super().extra_repr()}, in_channels={self.channels}, "
            f"out_channels={self.out_channels}, kernel_size={self.kernel_size}, "
            f"stride={self.stride}, basis={self.basis!r}"
        )
