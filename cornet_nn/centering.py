"""The origin of the coordinates, moved to the mean of the data."""

import torch
from torch import nn

from geomstats_cor.exceptions import ShapeError


class Centering(nn.Module):
    r"""Features relative to those of the mean of the training data.

    Layers put their hyperplanes and their initial weights about the identity, but data
    may be far from it: most of their coordinates then are common to all samples.

    For a flat metric, features are linear in the coordinates :math:`\phi(C)`. They
    become those of :math:`\phi(C) - \phi(M)`, where :math:`M` is the Fréchet mean: this
    isometry moves :math:`M` to the identity. For the poly-hyperbolic metric, logarithms
    at the identity are centred, which is such a motion to first order.

    Parameters
    ----------
    channels, dim : int
        Number of matrices of a sample, and of features of each.
    device : torch.device
        Device of the origin.
    dtype : torch.dtype
        Dtype of the origin.

    Notes
    -----
    Input and output [..., channels, dim]. The origin is not learnt: it is a buffer,
    null until `fit` sets it.

    Examples
    --------
    >>> import torch
    >>> from cornet_nn import Centering
    >>> centering = Centering(channels=1, dim=2)
    >>> centering.fit(torch.tensor([[[1.0, 2.0]], [[3.0, 2.0]]]))
    >>> centering(torch.tensor([[3.0, 3.0]]))
    tensor([[1., 1.]])
    """

    def __init__(self, channels, dim, device=None, dtype=None):
        super().__init__()
        origin = torch.empty(channels, dim, device=device, dtype=dtype)
        self.register_buffer("origin", origin)
        self.reset_parameters()

    def reset_parameters(self):
        """Move the origin back to zero."""
        self.origin.zero_()

    def fit(self, features):
        """Move the origin to the mean of features.

        Parameters
        ----------
        features : tensor, shape=[N, channels, dim]
            Features of the training data.
        """
        if features.ndim != 3 or len(features) == 0:
            raise ShapeError(
                f"the features have shape {tuple(features.shape)}: those of one sample "
                f"at least, [N, channels, dim], are wanted."
            )
        self._require_shape(features)
        with torch.no_grad():
            self.origin.copy_(features.mean(0))

    def _require_shape(self, features):
        if features.ndim < 2 or features.shape[-2:] != self.origin.shape:
            channels, dim = self.origin.shape
            raise ShapeError(
                f"the features have shape {tuple(features.shape)}: "
                f"[..., {channels}, {dim}] is wanted."
            )

    def forward(self, features):
        """Return the features relative to the origin.

        Parameters
        ----------
        features : tensor, shape=[..., channels, dim]
            Features.

        Returns
        -------
        relative : tensor, shape=[..., channels, dim]
            Features less the origin.
        """
        self._require_shape(features)
        return features - self.origin

    def extra_repr(self):
        """Return the number of channels and of features."""
        return "channels={}, dim={}".format(*self.origin.shape)
