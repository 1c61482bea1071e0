"""Convolution of sequences of correlation matrices."""

from typing import Any

import torch
from torch import Tensor
from torch.nn import functional

from geomstats_cor.exceptions import ParameterError, ShapeError

from .._validation import require_basis_of, require_positive
from .hyperplane import HyperplaneLayer

KERNELS = ("separate", "joint")


class _Convolution(HyperplaneLayer):
    """Fully connected layers on receptive fields, see `CorConv1d`.

    Parameters
    ----------
    space_in, space_out, in_channels, out_channels, metric
        See `CorLayer`.
    count : int
        Number of kernels.
    width : int
        Number of channels that a kernel sees.
    kernel_size, stride, padding, dilation, bias, basis, kernels, device, dtype
        See `CorConv1d`.
    """

    def __init__(
        self,
        space_in,
        space_out,
        in_channels,
        out_channels,
        count,
        width,
        kernel_size,
        stride,
        padding,
        dilation,
        *,
        metric=None,
        bias=True,
        basis="orthonormal",
        kernels="separate",
        device=None,
        dtype=None,
    ):
        if kernels not in KERNELS:
            raise ParameterError(
                f'kernels is {kernels!r}: expected "separate" or "joint".'
            )
        super().__init__(
            space_in,
            space_out,
            in_channels=in_channels,
            out_channels=out_channels,
            metric=metric,
        )
        planes = self.hyperplanes_out
        require_basis_of(planes, basis)
        self.kernel_size, self.stride = kernel_size, stride
        self.padding, self.dilation = padding, dilation
        self.basis, self.kernels, self._count = basis, kernels, count
        fan = width * kernel_size
        self.make_parameters(count * planes.dim, fan, bias, device, dtype)

    @property
    def _extent(self):
        return self.dilation * (self.kernel_size - 1) + 1

    def length_out(self, length):
        """Return the number of receptive fields in a sequence.

        Parameters
        ----------
        length : int
            Length of the sequence.

        Returns
        -------
        length : int
            Length of the output.
        """
        return (length + 2 * self.padding - self._extent) // self.stride + 1

    def convolve(self, features):
        """Return the coordinates of the output for every kernel and field.

        Parameters
        ----------
        features : tensor, shape=[..., width, length, d]
            Features of the input.

        Returns
        -------
        coords : tensor, shape=[..., count, length_out, m (m - 1) / 2]
            Coordinates under the metric of the output.
        """
        distances = self.logits(self._receptive_fields(features))
        distances = distances.unflatten(-1, (self._count, -1))
        planes = self.hyperplanes_out
        coords = planes.joint_coords if self.kernels == "joint" else planes.coords
        return coords(distances, self.basis).transpose(-3, -2)

    def _receptive_fields(self, features):
        """Return the features [..., length_out, width * kernel_size, d]."""
        if self.padding:
            # The features of the identity are zero.
            features = functional.pad(features, (0, 0, self.padding, self.padding))
        length = features.shape[-2]
        if self.kernel_size == length:
            return features.flatten(-3, -2).unsqueeze(-3)
        fields = (length - self._extent) // self.stride + 1
        steps = self.dilation * torch.arange(self.kernel_size, device=features.device)
        starts = self.stride * torch.arange(fields, device=features.device)
        seen = (starts[:, None] + steps).flatten()
        fields = features.index_select(-2, seen).unflatten(-2, (fields, -1))
        return fields.movedim(-4, -3).flatten(-3, -2)

    def extra_repr(self):
        """Return sizes, metrics, channels and the receptive field."""
        words = [
            super().extra_repr(),
            f"out_channels={self.out_channels}",
            f"kernel_size={self.kernel_size}",
            f"stride={self.stride}",
        ]
        words += [f"padding={self.padding}"] if self.padding else []
        words += [f"dilation={self.dilation}"] if self.dilation > 1 else []
        words += [f"kernels={self.kernels!r}"] if self.kernels != "separate" else []
        return ", ".join([*words, f"basis={self.basis!r}"])


class CorConv1d(_Convolution):
    r"""Convolution along a sequence of correlation matrices.

    .. math:: Y_{kt} = \operatorname{FC}_k\left((C_{c, st + rj - p})_{c, j}\right) ,
              \qquad j = 0, \dots, K - 1 .

    A receptive field holds :math:`K` matrices (`kernel_size`) of every channel
    :math:`c`, each :math:`r` steps (`dilation`) after the one before. Fields follow
    each other in steps of :math:`s` (`stride`), the sequence is continued by :math:`p`
    identity matrices (`padding`) at both ends, and every kernel :math:`k` is a fully
    connected layer, see `CorFC`, on each receptive field.

    Parameters
    ----------
    space_in : FullRankCorrelationMatrices or int
        Space of the input with a metric, or the size of its matrices.
    space_out : FullRankCorrelationMatrices or int
        Space of the output with a metric, which may be another one, or its size.
    in_channels : int or None
        Number of channels of the input; None if there is no axis of channels.
    out_channels : int or None
        Number of kernels; None for one, without an axis of channels in the output.
    kernel_size, stride, padding, dilation : int
        Length of a receptive field, step from one to the next, identity matrices at
        both ends, and step within a field, as in `torch.nn.Conv1d`.
    metric : str or type
        Key or class of the metric, for sizes that are given as numbers.
    bias : bool
        Whether hyperplanes have offsets; otherwise they pass through the identity.
    basis : {"orthonormal", "printed"}
        Basis of the output, see `CorFC`.
    kernels : {"separate", "joint"}
        Whether every kernel is a layer of its own, or all are one layer, whose output
        is split as [C2026]_ does: for the poly-hyperbolic metric it is a point of the
        Poincaré ball of dimension :math:`k m (m - 1) / 2`. For flat metrics, and for a
        single kernel, they are the same.
    device : torch.device
        Device of the parameters.
    dtype : torch.dtype
        Dtype of the parameters.

    Attributes
    ----------
    weight : tensor, shape=[k m (m - 1) / 2, in_channels kernel_size, n (n - 1) / 2]
        Covectors of the normals, kernel after kernel, and for each of them channel
        after channel.
    gamma : tensor, shape=[k m (m - 1) / 2, in_channels kernel_size], or None
        Offsets; a single column for the poly-hyperbolic metric.

    Notes
    -----
    Input [..., in_channels, length, n, n], output [..., out_channels, length_out, m, m]
    with

    .. math:: \text{length}_\text{out}
              = \lfloor (\text{length} + 2 p - r (K - 1) - 1) / s \rfloor + 1 .

    References
    ----------
    .. [C2026] Z. Chen, X. Wu, B. Schölkopf and N. Sebe. Riemannian networks over
       full-rank correlation matrices. ICML 2026.

    Examples
    --------
    >>> import torch
    >>> from cornet_nn import CorConv1d, CorSequential
    >>> model = CorSequential(
    ...     CorConv1d(5, 4, None, 2, kernel_size=3, padding=1, metric="lsm"),
    ...     CorConv1d(4, 3, 2, 6, kernel_size=3, stride=2, metric="lsm"),
    ... )
    >>> model(torch.eye(5).expand(8, 11, 5, 5)).shape
    torch.Size([8, 6, 5, 3, 3])
    """

    channel_axis = -3

    def __init__(
        self,
        space_in: Any,
        space_out: Any,
        in_channels: int | None,
        out_channels: int | None,
        kernel_size: int,
        *,
        stride: int = 1,
        padding: int = 0,
        dilation: int = 1,
        metric: Any = None,
        bias: bool = True,
        basis: str = "orthonormal",
        kernels: str = "separate",
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        require_positive(kernel_size=kernel_size, stride=stride, dilation=dilation)
        if padding != 0:
            require_positive(padding=padding)
        if out_channels is not None:
            require_positive(out_channels=out_channels)
        super().__init__(
            space_in,
            space_out,
            in_channels,
            out_channels,
            out_channels or 1,
            in_channels or 1,
            kernel_size,
            stride,
            padding,
            dilation,
            metric=metric,
            bias=bias,
            basis=basis,
            kernels=kernels,
            device=device,
            dtype=dtype,
        )

    def require_axes(self, batch: tuple) -> None:
        """Raise unless there are channels and a sequence that is long enough.

        Parameters
        ----------
        batch : tuple of int
            Shape of the axes before the matrices.
        """
        n, channels = self.hyperplanes_in.n, self.in_channels
        axes = "length" if channels is None else f"{channels}, length"
        shape = (*batch, n, n)
        if len(batch) < (1 if channels is None else 2):
            raise ShapeError(
                f"the input: expected shape [..., {axes}, {n}, {n}], got {shape}. "
                f"CorChannelConv convolves along the axis of channels."
            )
        if channels is not None and batch[-2] != channels:
            raise ShapeError(
                f"the input: expected shape [..., {axes}, {n}, {n}], as the layer has "
                f"{channels} channels, got {shape}. CorChannelConv convolves along the "
                f"axis of channels."
            )
        if self.length_out(batch[-1]) < 1:
            raise ShapeError(
                f"the input: expected a sequence of at least "
                f"{self._extent - 2 * self.padding} matrices for kernel_size = "
                f"{self.kernel_size}, dilation = {self.dilation} and padding = "
                f"{self.padding}, got {batch[-1]} in the shape {shape}."
            )

    def compute(self, features: Tensor) -> Tensor:
        """Return the coordinates of the output.

        Parameters
        ----------
        features : tensor, shape=[..., in_channels, length, d]
            Features of the input; [..., length, d] without channels.

        Returns
        -------
        coords : tensor, shape=[..., out_channels, length_out, m (m - 1) / 2]
            Coordinates under the metric of the output.
        """
        if self.in_channels is None:
            features = features.unsqueeze(-3)
        coords = self.convolve(features)
        return coords.squeeze(-3) if self.out_channels is None else coords


class CorChannelConv(_Convolution):
    r"""The convolution of [C2026]_, along the axis of channels.

    .. math:: Y_{kf} = \operatorname{FC}_k(C_{sf}, \dots, C_{sf + K - 1}) .

    It is `CorConv1d` along the channels of an input, and its kernels and receptive
    fields together are the channels of the output.

    Parameters
    ----------
    space_in, space_out : FullRankCorrelationMatrices or int
        Spaces of input and output with a metric, or the sizes of their matrices.
    in_channels : int or None
        Number of matrices in an input; None for one, without an axis of channels.
    num_kernels : int
        Number of kernels.
    kernel_size : int
        Number of matrices in a receptive field; all if None.
    stride : int
        Step from one receptive field to the next.
    metric : str or type
        Key or class of the metric, for sizes that are given as numbers.
    bias : bool
        Whether hyperplanes have offsets.
    basis : {"orthonormal", "printed"}
        See `CorFC`.
    kernels : {"separate", "joint"}
        See `CorConv1d`.
    device : torch.device
        Device of the parameters.
    dtype : torch.dtype
        Dtype of the parameters.

    Attributes
    ----------
    fields : int
        Number of receptive fields, (in_channels - kernel_size) // stride + 1.
    out_channels : int
        Number of matrices in an output, num_kernels * fields.

    Notes
    -----
    Input [..., in_channels, n, n], output [..., num_kernels * fields, m, m] in the
    order of kernels, then of fields.

    References
    ----------
    .. [C2026] Z. Chen, X. Wu, B. Schölkopf and N. Sebe. Riemannian networks over
       full-rank correlation matrices. ICML 2026.

    Examples
    --------
    >>> import torch
    >>> from cornet_nn import CorChannelConv
    >>> layer = CorChannelConv(5, 3, 4, num_kernels=2, kernel_size=2, metric="lsm")
    >>> layer(torch.eye(5).expand(8, 4, 5, 5)).shape
    torch.Size([8, 6, 3, 3])
    """

    def __init__(
        self,
        space_in: Any,
        space_out: Any,
        in_channels: int | None,
        num_kernels: int = 1,
        *,
        kernel_size: int | None = None,
        stride: int = 1,
        metric: Any = None,
        bias: bool = True,
        basis: str = "orthonormal",
        kernels: str = "separate",
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        channels = 1 if in_channels is None else in_channels
        kernel_size = channels if kernel_size is None else kernel_size
        require_positive(
            in_channels=channels,
            num_kernels=num_kernels,
            kernel_size=kernel_size,
            stride=stride,
        )
        if kernel_size > channels:
            raise ParameterError(
                f"kernel_size = {kernel_size} exceeds in_channels = {channels}: a "
                f"receptive field has at most all channels."
            )
        fields = (channels - kernel_size) // stride + 1
        super().__init__(
            space_in,
            space_out,
            in_channels,
            num_kernels * fields,
            num_kernels,
            1,
            kernel_size,
            stride,
            0,
            1,
            metric=metric,
            bias=bias,
            basis=basis,
            kernels=kernels,
            device=device,
            dtype=dtype,
        )
        self.num_kernels, self.fields = num_kernels, fields

    def compute(self, features: Tensor) -> Tensor:
        """Return the coordinates of the output.

        Parameters
        ----------
        features : tensor, shape=[..., in_channels, d]
            Features of the input.

        Returns
        -------
        coords : tensor, shape=[..., num_kernels * fields, m (m - 1) / 2]
            Coordinates under the metric of the output.
        """
        features = self.with_channels(features).unsqueeze(-3)
        return self.convolve(features).flatten(-3, -2)
