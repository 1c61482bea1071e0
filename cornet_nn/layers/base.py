r"""The base classes of layers: how to write a layer of your own.

A layer works in three steps,

.. math:: \text{points} \;\to\; \text{features} \;\to\; \text{coordinates}
          \;\to\; \text{points} ,

and its own part is the second, `compute`. The first and the last are those of the
metric. A container such as `CorSequential` leaves them out between two layers under the
same metric, where they cancel.
"""

import abc
from typing import Any

from torch import Tensor, nn

from geomstats_cor.exceptions import ShapeError

from .._precision import in_full_precision
from .._state import carry_description
from .._validation import (
    hyperplanes_of,
    require_channels,
    require_positive,
    require_size,
    spaces_of,
)


class CorLayer(nn.Module, abc.ABC):
    r"""The base class of layers on correlation matrices, and the way to write one.

    A subclass states its spaces and its numbers of channels, and defines `compute`,
    from features of the input to coordinates of the output. Points and fusion follow.

    Parameters
    ----------
    space_in : Manifold or int
        Space of the input with a metric, or the size of its matrices; None if the
        input are numbers.
    space_out : Manifold or int or None
        Space of the output with a metric, or its size; None if the output are numbers.
    in_channels, out_channels : int or None
        Number of matrices that come in and go out, on an axis of their own; None if
        there is no such axis.
    metric : str or type
        Key or class of the metric, for sizes that are given as numbers.

    Attributes
    ----------
    hyperplanes_in, hyperplanes_out : SpaceHyperplanes or None
        Interfaces of the two spaces, see `cornet_nn.layers.protocol`.

    Notes
    -----
    Input [..., in_channels, n, n], or [..., n, n] without channels, and likewise for
    the output.

    Examples
    --------
    A layer that doubles the distance from the identity:

    >>> import torch
    >>> from cornet_nn import CorLayer
    >>> class Double(CorLayer):
    ...     def __init__(self, space, metric=None):
    ...         super().__init__(space, space, metric=metric)
    ...
    ...     def compute(self, features):
    ...         return 2.0 * features
    >>> layer = Double(3, metric="ecm")
    >>> layer(torch.eye(3)).shape
    torch.Size([3, 3])
    """

    hyperplanes_in: Any
    hyperplanes_out: Any
    # Which axis of features holds channels.
    channel_axis = -2
    # Whether the layer leaves the axes before the matrices as they are.
    keeps_axes = False

    def __init__(
        self,
        space_in: Any,
        space_out: Any = None,
        *,
        in_channels: int | None = None,
        out_channels: int | None = None,
        metric: Any = None,
    ) -> None:
        super().__init__()
        space_in, space_out = spaces_of(metric, space_in=space_in, space_out=space_out)
        if in_channels is not None:
            require_positive(in_channels=in_channels)
        writer = type(self).__name__
        self.hyperplanes_in = self.hyperplanes_out = None
        if space_in is not None:
            self.hyperplanes_in = hyperplanes_of(space_in)
        if space_out is not None:
            self.hyperplanes_out = hyperplanes_of(space_out, writer)
        self.in_channels, self.out_channels = in_channels, out_channels
        carry_description(self)

    def read(self, point: Tensor) -> Tensor:
        """Return the features of points.

        Parameters
        ----------
        point : tensor, shape=[..., n, n]
            Correlation matrices.

        Returns
        -------
        features : tensor, shape=[..., d]
            What the layer takes from them.
        """
        return self.hyperplanes_in.features(point)

    def read_coords(self, coords: Tensor) -> Tensor:
        """Return the features of points with given coordinates.

        Parameters
        ----------
        coords : tensor, shape=[..., d]
            Coordinates under the metric of the input.

        Returns
        -------
        features : tensor, shape=[..., d]
            What the layer takes from the points.
        """
        return self.hyperplanes_in.features_of_coords(coords)

    @abc.abstractmethod
    def compute(self, features: Tensor) -> Any:
        """Return the coordinates of the output, or numbers.

        Parameters
        ----------
        features : tensor, shape=[..., in_channels, d]
            Features of the input; [..., d] without channels.

        Returns
        -------
        result : tensor, shape=[..., out_channels, d]
            Coordinates under the metric of the output; [..., d] without channels. Or
            numbers, if there is no space of the output.
        """

    def write(self, coords: Tensor) -> Tensor:
        """Return the points with given coordinates.

        Parameters
        ----------
        coords : tensor, shape=[..., d]
            Coordinates under the metric of the output.

        Returns
        -------
        point : tensor, shape=[..., m, m]
            Correlation matrices; the numbers themselves if there is no space of the
            output.
        """
        if self.hyperplanes_out is None:
            return coords
        return self.hyperplanes_out.metric.from_coords(coords)

    def admit(self, point: Tensor) -> Tensor:
        """Validate the shape of an input and return its features.

        Parameters
        ----------
        point : tensor, shape=[..., in_channels, n, n]
            Correlation matrices; [..., n, n] without channels.

        Returns
        -------
        features : tensor, shape=[..., in_channels, d]
            What `read` takes from them.
        """
        require_size(point, self.hyperplanes_in.n)
        self.require_axes(point.shape[:-2])
        return self.read(point)

    def require_axes(self, batch: tuple) -> None:
        """Raise unless the axes before the matrices fit the layer.

        Parameters
        ----------
        batch : tuple of int
            Shape of the axes before the matrices.
        """
        if self.in_channels is not None:
            n = self.hyperplanes_in.n
            require_channels((*batch, n, n), n, self.in_channels)

    def forward(self, point: Tensor, *, from_features: bool = False) -> Tensor:
        """Return the output of the layer.

        Parameters
        ----------
        point : tensor, shape=[..., in_channels, n, n]
            Correlation matrices; [..., n, n] without channels.
        from_features : bool
            Whether to take features and return coordinates: `compute` alone. Containers
            call layers with it, rather than `compute`, so that hooks run.

        Returns
        -------
        output : tensor
            Correlation matrices [..., out_channels, m, m], or numbers.
        """
        return self.compute(point) if from_features else self._of_points(point)

    @in_full_precision
    def _of_points(self, point):
        return self.write(self.compute(self.admit(point)))

    def extra_repr(self) -> Any:
        """Return sizes and metrics."""
        ends = [self.hyperplanes_in, self.hyperplanes_out]
        ends = [end for end in ends if end is not None]
        sizes = " -> ".join(str(end.n) for end in ends)
        metrics = " -> ".join(dict.fromkeys(type(end.metric).__name__ for end in ends))
        return f"n={sizes}, metric={metrics}"


class CoordinateLayer(CorLayer):
    """The base class of layers from coordinates to coordinates of one space.

    Features are coordinates. Without channels, the axes before the matrices are any,
    and stay as they are.

    Parameters
    ----------
    space : Manifold or int
        Space with a metric, or the size of its matrices.
    in_channels : int or None
        Number of matrices in an input; None if there is no axis of channels.
    metric : str or type
        Key or class of the metric, for a size.

    Examples
    --------
    >>> import torch
    >>> from cornet_nn import CoordinateLayer
    >>> class Half(CoordinateLayer):
    ...     def compute(self, features):
    ...         return 0.5 * features
    >>> layer = Half(2, metric="ecm")
    >>> layer(torch.tensor([[1.0, 0.6], [0.6, 1.0]]))  # 0.75, the tangent, is halved
    tensor([[1.0000, 0.3511],
            [0.3511, 1.0000]])
    """

    keeps_axes = True

    def __init__(
        self, space: Any, in_channels: int | None = None, *, metric: Any = None
    ) -> None:
        (space,) = spaces_of(metric, space=space)
        super().__init__(
            space, space, in_channels=in_channels, out_channels=in_channels
        )

    def read(self, point: Tensor) -> Tensor:
        """Return the coordinates of points.

        Parameters
        ----------
        point : tensor, shape=[..., n, n]
            Correlation matrices.

        Returns
        -------
        coords : tensor, shape=[..., d]
            Coordinates.
        """
        return self.hyperplanes_in.metric.to_coords(point)

    def read_coords(self, coords: Tensor) -> Tensor:
        """Return the coordinates, which are the features.

        Parameters
        ----------
        coords : tensor, shape=[..., d]
            Coordinates.

        Returns
        -------
        coords : tensor, shape=[..., d]
            The same coordinates.
        """
        return coords


def require_sequence(batch: tuple, n: int, length: int | None = None) -> None:
    """Raise unless matrices have an axis of a sequence.

    Parameters
    ----------
    batch : tuple of int
        Shape of the axes before the matrices.
    n : int
        Size of the matrices.
    length : int or None
        Length of the sequence; any, but zero, if None.
    """
    found = batch[-1] if batch else 0
    if found == 0 or length not in (None, found):
        axis = "length" if length is None else length
        raise ShapeError(
            f"the input: expected a sequence of matrices, shape [..., {axis}, {n}, "
            f"{n}], got {(*batch, n, n)}."
        )
