"""Dropout of coordinates."""

from typing import Any

from torch import Tensor
from torch.nn import functional

from geomstats_cor.exceptions import ParameterError

from .._validation import require_numbers
from .base import CoordinateLayer


class CorDropout(CoordinateLayer):
    r"""Dropout of coordinates, in training only.

    .. math:: x \mapsto \frac{1}{1 - p} \, m \circ x ,

    where x are the coordinates of a point under the metric, orthonormal ones if it is
    flat, and the entries of the mask m are 0 with probability p, else 1.

    Parameters
    ----------
    space : FullRankCorrelationMatrices or int
        Space with a metric, or the size of its matrices.
    p : float
        Probability of a coordinate to be set to zero.
    metric : str or type
        Key or class of the metric, for a size.

    Notes
    -----
    Input and output [..., n, n].

    Examples
    --------
    >>> import torch
    >>> from cornet_nn import CorDropout
    >>> from geomstats_cor import FullRankCorrelationMatrices
    >>> layer = CorDropout(FullRankCorrelationMatrices(3, equip="ecm"), p=1.0)
    >>> point = torch.tensor([[1.0, 0.5, 0.0], [0.5, 1.0, 0.2], [0.0, 0.2, 1.0]])
    >>> layer(point)
    tensor([[1., 0., 0.],
            [0., 1., 0.],
            [0., 0., 1.]])
    >>> bool(torch.allclose(layer.eval()(point), point))
    True
    """

    def __init__(self, space: Any, p: float = 0.5, *, metric: Any = None) -> None:
        super().__init__(space, metric=metric)
        require_numbers(p=p)
        if not 0.0 <= p <= 1.0:
            raise ParameterError(f"p must be between 0 and 1, got {p!r}.")
        self.p = p

    def compute(self, features: Tensor) -> Tensor:
        """Return the coordinates of the output.

        Parameters
        ----------
        features : tensor, shape=[..., d]
            Coordinates of the input.

        Returns
        -------
        coords : tensor, shape=[..., d]
            Coordinates.
        """
        return functional.dropout(features, self.p, self.training)

    def extra_repr(self) -> Any:
        """Return size, metric and probability."""
        return f"{super().extra_repr()}, p={self.p}"
