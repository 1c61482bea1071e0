"""Layers that map coordinates to coordinates under the same metric."""

from ._validation import require_size
from ._layer import CorLayer
from ._precision import in_full_precision


class CoordinateLayer(CorLayer):
    """A layer whose features are coordinates, and whose output is in the same space.

    The axis of channels stays as it is, or missing.

    Parameters
    ----------
    space : FullRankCorrelationMatrices
        Space, with a metric.
    channels : int or None
        Number of matrices in an input; None for any number.
    """

    def __init__(self, space, channels=None):
        super().__init__(space, space, channels, None)

    def admit(self, point):
        """Validate the shape of an input and return its coordinates.

        Parameters
        ----------
        point : tensor, shape=[..., channels, n, n]
            Correlation matrices; the axis of a single channel may be missing.

        Returns
        -------
        coords : tensor, shape=[..., channels, d]
            Coordinates.
        """
        if self.channels is not None:
            return super().admit(point)
        require_size(point, self.hyperplanes_in.n)
        return self.read(point)

    def adds_channels(self, point):
        """Tell whether `admit` adds the axis of a single channel to an input.

        Parameters
        ----------
        point : tensor, shape=[..., n, n]
            Correlation matrices.

        Returns
        -------
        adds_channels : bool
            Whether the axis is missing.
        """
        return self.channels is not None and self._lacks_channels(point.shape[:-2])

    def read(self, point):
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

    def read_coords(self, coords):
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

    @in_full_precision
    def _of_points(self, point):
        coords = self.compute(self.admit(point))
        return self.finish(coords, drop_channels=self.adds_channels(point))
