"""Layers one after the other, that meet in coordinates where they can."""

from torch import nn

from geomstats_cor.exceptions import (
    HiddenMatrixError,
    NotFiniteError,
    NotPositiveDefiniteError,
    ShapeError,
)

from ._coordinate_layer import CoordinateLayer
from ._layer import CorLayer, Features
from ._precision import in_full_precision


class CorSequential(nn.Module):
    r"""A sequence of layers, in which steps that cancel are not computed.

    .. math:: f_k \circ \dots \circ f_1 .

    A layer ends by making points of coordinates, the next begins by making coordinates
    of points. Under the same metric the two steps are the identity, and this container
    hands on the coordinates instead. Under different metrics it hands on a factor of
    the point, from which the next metric takes its coordinates: the matrix itself may
    be indefinite by rounding, and is never formed.

    Parameters
    ----------
    *layers : torch.nn.Module
        Layers of this package, and other modules, which see points or logits. Autocast
        is off in all of them.
    fuse : bool
        Whether to leave out what cancels. The result is the same up to rounding.
    guard : bool
        Whether coordinates between layers under different metrics are bounded smoothly,
        see `CorrelationMetric.bounded_coords`. The bound is far beyond ordinary values,
        which stay as they are to rounding; it keeps outputs and gradients of others
        finite.

    Examples
    --------
    >>> import torch
    >>> from cornet_nn import CorFC, CorMLR, CorSequential
    >>> from geomstats_cor import FullRankCorrelationMatrices
    >>> space, small = (FullRankCorrelationMatrices(n, equip="olm") for n in (9, 4))
    >>> model = CorSequential(CorFC(space, small), CorMLR(small, num_classes=2))
    >>> model(torch.eye(9).expand(8, 9, 9)).shape
    torch.Size([8, 2])
    """

    def __init__(self, *layers, fuse=True, guard=True):
        super().__init__()
        self.layers, self.fuse, self.guard = nn.ModuleList(layers), fuse, guard
        require_match(layers)

    @in_full_precision
    def forward(self, point):
        """Return the output of the last layer.

        Parameters
        ----------
        point : tensor
            Input of the first layer.

        Returns
        -------
        output : tensor
            Output of the last layer.
        """
        return run_layers(self.layers, point, self.fuse, self.guard)

    def __len__(self):
        return len(self.layers)

    def __iter__(self):
        return iter(self.layers)

    def __getitem__(self, index):
        if isinstance(index, slice):
            layers = self.layers[index]
            return CorSequential(*layers, fuse=self.fuse, guard=self.guard)
        return self.layers[index]

    def extra_repr(self):
        """Return whether layers are fused."""
        return f"fuse={self.fuse}"


def require_match(layers):
    """Raise unless the output of each layer fits the next.

    Parameters
    ----------
    layers : sequence of torch.nn.Module
        Layers.
    """
    channels = None
    for index, (layer, after) in enumerate(zip(layers, layers[1:], strict=False)):
        if not isinstance(layer, CorLayer):
            channels = None
            continue
        counts = (layer.channels_out, layer.channels, channels)
        channels = next((count for count in counts if count is not None), None)
        if not isinstance(after, CorLayer):
            continue
        if layer.hyperplanes_out is None:
            raise ShapeError(f"layer {index} gives numbers, not matrices: put it last.")
        given, wanted = layer.hyperplanes_out.n, after.hyperplanes_in.n
        if given != wanted:
            raise ShapeError(
                f"layer {index} gives matrices of size {given}, but layer {index + 1} "
                f"takes matrices of size {wanted}."
            )
        if None not in (channels, after.channels) and channels != after.channels:
            raise ShapeError(
                f"layer {index} gives {channels} channels, but layer {index + 1} takes "
                f"{after.channels}."
            )


def run_layers(layers, value, fuse, guard=True, is_read=False):
    """Apply layers one after the other.

    Parameters
    ----------
    layers : sequence of torch.nn.Module
        Layers.
    value : tensor
        Input of the first.
    fuse : bool
        Whether layers under the same metric meet in coordinates, and others in factors.
    guard : bool
        Whether coordinates between layers under different metrics are bounded.
    is_read : bool
        Whether the value is what the first layer, of this package, reads from its
        input.

    Returns
    -------
    value : tensor
        Output of the last.
    """
    before, dropped, counted = None, False, is_read
    for layer in layers:
        if not isinstance(layer, CorLayer):
            value = layer(_finished(before, value, dropped))
            before, dropped, counted = None, False, False
            continue
        if is_read:
            features, is_read = value, False
        elif before is None:
            if isinstance(layer, CoordinateLayer):
                dropped = layer.adds_channels(value)
            features = layer.admit(value)
        elif fuse and _share_metric(before, layer):
            features = layer.read_coords(value)
        else:
            features = _handed_over(before, layer, value, fuse, guard)
        # An activation takes any number of channels: the next layer is to look at them.
        if layer.channels is not None:
            if before is not None and not counted:
                features = layer.with_channels(features)
            counted = True
        # A call, not a method: what is hooked to a layer takes part.
        value = layer(Features(features))
        # An activation leaves the axis of channels as it found it.
        dropped = layer.drops_channels or (dropped and layer.channels_out is None)
        before = layer
    return _finished(before, value, dropped)


def _handed_over(before, after, coords, fuse, guard):
    """Return what a layer reads from points with coordinates under another metric."""
    metric, own = before.hyperplanes_out.metric, after.hyperplanes_in.metric
    try:
        if guard and not _share_metric(before, after):
            coords = metric.bounded_coords(coords)
        if not fuse:
            return after.read(before.write(coords))
        factor = metric.factor_from_coords(coords)
        coords = own.coords_from_factor(factor, metric.diffeo.has_lower_factor)
        return after.read_coords(coords)
    except (NotFiniteError, NotPositiveDefiniteError) as error:
        names = f"{type(before).__name__} and {type(after).__name__}"
        raise HiddenMatrixError(
            f"a hidden matrix of the network, between {names}, failed in "
            f"{str(coords.dtype).removeprefix('torch.')}: its coordinates reach "
            f"{float(coords.detach().abs().max()):.3g}. The input of the network is "
            f"valid. Train with a smaller lr, begin with a smaller gain, or use "
            f"dtype=torch.float64."
        ) from error


def _finished(layer, value, dropped):
    return value if layer is None else layer.finish(value, dropped)


def _share_metric(before, after):
    return before.hyperplanes_out.metric.is_same(after.hyperplanes_in.metric)
