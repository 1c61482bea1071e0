"""Layers one after the other, that meet in coordinates where they can."""

from typing import Any

from torch import Tensor, nn

from geomstats_cor._types import ArrayLike
from geomstats_cor.exceptions import (
    HiddenMatrixError,
    NotFiniteError,
    NotPositiveDefiniteError,
    ShapeError,
)

from .._precision import in_full_precision
from .base import CorLayer
from .protocol import FactorMetric


class CorSequential(nn.Module):
    r"""A sequence of layers, in which steps that cancel are not computed.

    .. math:: f_k \circ \dots \circ f_1 .

    A layer ends by making points of coordinates, the next begins by making coordinates
    of points. Under the same metric the two steps are the identity, and this container
    hands on the coordinates instead. Under different metrics it hands on a factor of
    the point, from which the next metric takes its coordinates: the matrix itself may
    be indefinite by rounding, and is never formed. Which of the two applies is decided
    when the container is built.

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
    >>> model = CorSequential(CorFC(9, 4, metric="olm"), CorMLR(4, 2, metric="olm"))
    >>> model(torch.eye(9).expand(8, 9, 9)).shape
    torch.Size([8, 2])
    """

    def __init__(self, *layers: Any, fuse: bool = True, guard: bool = True) -> None:
        super().__init__()
        self.layers, self.guard = nn.ModuleList(layers), guard
        self.fuse = fuse

    @property
    def fuse(self) -> Any:
        """Whether to leave out what cancels."""
        return self._fuse

    @fuse.setter
    def fuse(self, fuse: Any) -> None:
        self._fuse, self._links = fuse, links_between(self.layers, fuse)

    @in_full_precision
    def forward(self, point: Tensor) -> Tensor:
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
        layers = list(self.layers)
        if not layers:
            return point
        first, last = layers[0], layers[-1]
        value = first.admit(point) if isinstance(first, CorLayer) else point
        value = run_layers(layers, self._links, value, self.guard)
        return last.write(value) if isinstance(last, CorLayer) else value

    def __len__(self):
        return len(self.layers)

    def __iter__(self):
        return iter(self.layers)

    def __getitem__(self, index):
        if isinstance(index, slice):
            layers = self.layers[index]
            return CorSequential(*layers, fuse=self.fuse, guard=self.guard)
        return self.layers[index]

    def extra_repr(self) -> Any:
        """Return whether layers are fused."""
        return f"fuse={self.fuse}"


def links_between(layers: ArrayLike, fuse: bool) -> tuple:
    """Return how each layer hands its output to the next, or raise if it cannot.

    Parameters
    ----------
    layers : sequence of torch.nn.Module
        Layers.
    fuse : bool
        Whether layers under the same metric meet in coordinates, and others in factors.

    Returns
    -------
    links : tuple of {"coords", "factor", "points", "bounded", "values"}
        A word for each pair: the next layer gets coordinates as they are, coordinates
        by way of a factor, points, points of bounded coordinates, or the value that a
        module returned.
    """
    layers = list(layers)
    _require_channels(layers)
    pairs = enumerate(zip(layers, layers[1:], strict=False))
    return tuple(_link(index, *pair, fuse) for index, pair in pairs)


def _link(index, before, after, fuse):
    if not (isinstance(before, CorLayer) and isinstance(after, CorLayer)):
        return "values"
    given, taken = before.hyperplanes_out, after.hyperplanes_in
    if given is None and taken is None:
        return "values"
    if given is None:
        raise ShapeError(f"layer {index} gives numbers, not matrices: put it last.")
    if taken is None:
        raise ShapeError(
            f"layer {index + 1} takes numbers, but layer {index} gives matrices: put a "
            f"ToCoords between them."
        )
    if given.n != taken.n:
        raise ShapeError(
            f"layer {index} gives matrices of size {given.n}, but layer {index + 1} "
            f"takes matrices of size {taken.n}."
        )
    if given.metric.is_same(taken.metric):
        return "coords" if fuse else "points"
    if not all(isinstance(end.metric, FactorMetric) for end in (given, taken)):
        return "points"
    return "factor" if fuse else "bounded"


def _require_channels(layers):
    """Raise unless the channels that a layer gives are those that the next one takes.

    Layers without channels that leave all axes as they are hand on what they got.
    """
    source = None
    for index, layer in enumerate(layers):
        if not isinstance(layer, CorLayer):
            source = None
            continue
        expected = layer.in_channels
        if source is not None and expected is not None:
            before = layers[source]
            given = before.out_channels
            same_axis = before.channel_axis == layer.channel_axis
            if given is None or (same_axis and given != expected):
                what = "no axis of channels" if given is None else f"{given} channels"
                raise ShapeError(
                    f"layer {source} gives {what}, but layer {index} takes {expected}."
                )
        if not layer.keeps_axes or expected is not None:
            source = index


def run_layers(
    layers: ArrayLike, links: ArrayLike, value: Tensor, guard: bool = True
) -> Tensor:
    """Apply layers one after the other.

    Parameters
    ----------
    layers : sequence of torch.nn.Module
        Layers, at least one.
    links : sequence of str
        What `links_between` returned for them.
    value : tensor
        Features of the input for the first layer, or the input of another module.
    guard : bool
        Whether coordinates between layers under different metrics are bounded.

    Returns
    -------
    value : tensor
        Coordinates, or numbers, that the last layer computed; or what another module
        returned.
    """
    before = None
    for layer, link in zip(layers, (None, *links), strict=True):
        is_own = isinstance(layer, CorLayer)
        if link == "values":
            value = before.write(value) if isinstance(before, CorLayer) else value
            value = layer.admit(value) if is_own else value
        elif link is not None:
            value = _handed_over(before, layer, link, value, guard)
            layer.require_axes(value.shape[:-1])
        # A call, not a method: what is hooked to a layer takes part.
        value = layer(value, from_features=True) if is_own else layer(value)
        before = layer
    return value


def _handed_over(before, after, link, coords, guard):
    """Return the features of points with the coordinates that a layer computed."""
    if link == "coords":
        return after.read_coords(coords)
    metric, own = before.hyperplanes_out.metric, after.hyperplanes_in.metric
    try:
        if guard and link != "points":
            coords = metric.bounded_coords(coords)
        if link != "factor":
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
