"""What the layers share: how they read points, and hyperplanes with parameters."""

import abc
from typing import NamedTuple

import torch
from torch import nn

from ._validation import hyperplanes_of, lacks_channels, require_positive, require_size
from ._precision import in_full_precision
from ._state import carry_description


class Features(NamedTuple):
    """What a container hands to a layer that need not read points, nor write them.

    Attributes
    ----------
    tensor : tensor, shape=[..., channels, d]
        Features of the input.
    """

    tensor: torch.Tensor


class CorLayer(nn.Module, abc.ABC):
    """A layer whose input are correlation matrices, in three steps.

    `read` takes features from points, `read_coords` takes them from coordinates,
    `compute` makes coordinates of them, and `write` makes points of coordinates. Two
    layers under the same metric can leave out the steps that cancel.

    Parameters
    ----------
    space_in : FullRankCorrelationMatrices
        Space of the input, with a metric.
    space_out : FullRankCorrelationMatrices or None
        Space of the output, with a metric; None if the output are numbers.
    channels, channels_out : int or None
        Number of matrices that come in and go out; None for any number.
    """

    drops_channels = False

    def __init__(self, space_in, space_out, channels, channels_out):
        super().__init__()
        self.hyperplanes_in = hyperplanes_of(space_in)
        self.hyperplanes_out = None
        if space_out is not None:
            self.hyperplanes_out = hyperplanes_of(space_out, type(self).__name__)
        self.channels, self.channels_out = channels, channels_out
        carry_description(self)

    def read(self, point):
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

    def read_coords(self, coords):
        """Return the features of points with given coordinates.

        Parameters
        ----------
        coords : tensor, shape=[..., channels, d]
            Coordinates under the metric of the input.

        Returns
        -------
        features : tensor, shape=[..., channels, d]
            What the layer takes from the points.
        """
        return self.hyperplanes_in.features_of_coords(coords)

    @abc.abstractmethod
    def compute(self, features):
        """Return the coordinates of the output, or numbers.

        Parameters
        ----------
        features : tensor, shape=[..., channels, d]
            Features of the input.

        Returns
        -------
        result : tensor, shape=[..., channels_out, d]
            Coordinates under the metric of the output, or numbers.
        """

    def write(self, coords):
        """Return the points with given coordinates.

        Parameters
        ----------
        coords : tensor, shape=[..., channels_out, d]
            Coordinates under the metric of the output.

        Returns
        -------
        point : tensor, shape=[..., channels_out, m, m]
            Correlation matrices.
        """
        return self.hyperplanes_out.metric.from_coords(coords)

    def finish(self, result, drop_channels=None):
        """Return the output of the layer from what it computed.

        A layer with `drops_channels` gives one matrix without an axis of channels; a
        container may know better whether the axis was there.

        Parameters
        ----------
        result : tensor, shape=[..., channels_out, d]
            What `compute` returned.
        drop_channels : bool
            Whether to leave out the axis of channels; as the layer does if None.

        Returns
        -------
        output : tensor
            Correlation matrices [..., channels_out, m, m] or [..., m, m], or numbers.
        """
        if self.hyperplanes_out is None:
            return result
        drop_channels = self.drops_channels if drop_channels is None else drop_channels
        return self.write(result[..., 0, :] if drop_channels else result)

    def admit(self, point):
        """Return the features of an input, after a look at its shape.

        Parameters
        ----------
        point : tensor, shape=[..., channels, n, n]
            Correlation matrices; the axis of a single channel may be missing.

        Returns
        -------
        features : tensor, shape=[..., channels, d]
            What `read` takes from them.
        """
        require_size(point, self.hyperplanes_in.n)
        alone = self._lacks_channels(point.shape[:-2])
        features = self.read(point)
        return features.unsqueeze(-2) if alone else features

    def with_channels(self, features):
        """Return features with an axis of channels, after a look at how many there are.

        Parameters
        ----------
        features : tensor, shape=[..., channels, d]
            Features; the axis of a single channel may be missing.

        Returns
        -------
        features : tensor, shape=[..., channels, d]
            The same features.
        """
        alone = self._lacks_channels(features.shape[:-1])
        return features.unsqueeze(-2) if alone else features

    def _lacks_channels(self, batch):
        n = self.hyperplanes_in.n
        return lacks_channels((*batch, n, n), n, self.channels)

    def forward(self, point):
        """Return the output of the layer.

        Parameters
        ----------
        point : tensor, shape=[..., channels, n, n]
            Correlation matrices; or their `Features`.

        Returns
        -------
        output : tensor
            Correlation matrices or numbers; what `compute` makes of features.
        """
        if isinstance(point, Features):
            return self.compute(point.tensor)
        return self._of_points(point)

    @in_full_precision
    def _of_points(self, point):
        return self.finish(self.compute(self.admit(point)))

    def extra_repr(self):
        """Return sizes, channels and metrics."""
        ends = [self.hyperplanes_in, self.hyperplanes_out]
        ends = [end for end in ends if end is not None]
        sizes = " -> ".join(str(end.n) for end in ends)
        metrics = " -> ".join(dict.fromkeys(type(end.metric).__name__ for end in ends))
        return f"n={sizes}, metric={metrics}"


class HyperplaneLayer(CorLayer):
    r"""A layer with a stack of hyperplanes.

    The parameters are free: `weight` holds the covectors of the normals
    :math:`Z \in \mathrm{Hol}(n)` at the identity, :math:`d = n (n - 1) / 2` numbers for
    each output and channel (see `Hyperplanes.to_weight`), and `gamma` their offsets.

    Parameters
    ----------
    space_in, space_out, channels, channels_out
        See `CorLayer`.
    out : int
        Number of hyperplanes.
    fan : int
        Number of channels that a hyperplane sees.
    device : torch.device
        Device of the parameters.
    dtype : torch.dtype
        Dtype of the parameters.

    Attributes
    ----------
    gain : float
        Factor on the initial normals.
    """

    gain = 1.0
    # Version 1 stored normals where version 2 stores their covectors.
    _version = 2

    def __init__(
        self, space_in, space_out, channels, channels_out, out, fan, device, dtype
    ):
        super().__init__(space_in, space_out, channels, channels_out)
        planes = self.hyperplanes_in
        require_positive(channels=channels, fan=fan, out=out)
        options = dict(device=device, dtype=dtype)
        self.weight = nn.Parameter(torch.empty(out, fan, planes.dim, **options))
        self.gamma = nn.Parameter(torch.empty(out, planes.offsets(fan), **options))
        self.reset_parameters()

    def reset_parameters(self):
        r"""Draw the normals anew, and put all hyperplanes through the identity.

        Logits are of order one for inputs of any n: under a flat metric, with
        coordinates x of all channels, their standard deviation over the draw is
        :math:`|x| / \sqrt{n \cdot \text{channels}}`, and about so under the
        poly-hyperbolic one. Where the output are matrices, the root mean square of
        their coordinates is about that of the input.
        """
        planes_in, planes_out = self.hyperplanes_in, self.hyperplanes_out
        gain = planes_in.logit_gain if planes_out is None else planes_out.gain
        with torch.no_grad():
            noise = torch.randn_like(self.weight)
            self.weight.copy_(self.gain * gain * planes_in.initial_weight(noise))
            self.gamma.zero_()

    def normals(self):
        """Return the normals of the hyperplanes at the identity.

        Returns
        -------
        normals : tensor, shape=[out, fan, n, n]
            Symmetric hollow matrices.
        """
        return self.hyperplanes_in.normals(self.weight)

    def _load_from_state_dict(self, state_dict, prefix, local_metadata, *rest):
        name = prefix + "weight"
        if local_metadata.get("version") == 1 and name in state_dict:
            state_dict[name] = self.hyperplanes_in.to_weight(state_dict[name])
        super()._load_from_state_dict(state_dict, prefix, local_metadata, *rest)

    def logits(self, features):
        """Return the signed distances to the hyperplanes, times lengths of normals.

        Parameters
        ----------
        features : tensor, shape=[..., fan, d]
            Features of the input.

        Returns
        -------
        logits : tensor, shape=[..., out]
            A number for each hyperplane.
        """
        return self.hyperplanes_in.logits(features, self.weight, self.gamma)
