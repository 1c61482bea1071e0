"""Attention between the correlation matrices of a sequence."""

import math
from typing import Any

import torch
from torch import Tensor

from geomstats_cor.exceptions import ParameterError, ShapeError

from .._precision import in_full_precision
from .._validation import require_means, require_positive, spaces_of
from .base import CorLayer, require_sequence
from .conv import CorChannelConv
from .fc import CorFC

SIMILARITIES = ("squared", "logarithmic")


class CorAttention(CorLayer):
    r"""Self-attention of a sequence of correlation matrices, with several heads.

    Queries, keys and values are fully connected layers, see `CorFC`, of each matrix.
    A head weighs the values by the distances of keys from a query, and takes their
    weighted Fréchet mean,

    .. math:: Y_i = \operatorname{argmin}_Y \sum_j w_{ij} \, d(Y, V_j)^2 , \qquad
              w_{ij} = \operatorname{softmax}_j \, s(d(Q_i, K_j)) ,

    .. math:: s(d) = - \frac{d^2}{\sqrt{D}} \quad \text{(squared)} , \qquad
              s(d) = \frac{1}{1 + \log(1 + d)} \quad \text{(logarithmic)} ,

    with the dimension :math:`D` of the heads. The second is that of [P2022]_ and, with
    queries, keys and values :math:`\mathrm{Exp}(M^\top \mathrm{Log}(C) M)` by rotations
    M, of [CA2025]_: these are fully connected layers without offsets. A fully connected
    layer from the heads of a matrix makes the output. Distances and means are those of
    the metric; under the poly-hyperbolic one they are sums over rows, and means of
    rows, which are iterative.

    Parameters
    ----------
    space : FullRankCorrelationMatrices or int
        Space of input and output with a metric, or the size of its matrices.
    heads : int
        Number of heads.
    space_head : FullRankCorrelationMatrices or int
        Space of queries, keys and values with a metric, or the size of the matrices;
        `space` if None.
    similarity : {"squared", "logarithmic"}
        Function :math:`s`.
    metric : str or type
        Key or class of the metric, for sizes that are given as numbers.
    bias : bool
        Whether hyperplanes have offsets.
    device : torch.device
        Device of the parameters.
    dtype : torch.dtype
        Dtype of the parameters.

    Notes
    -----
    Input and output [..., length, n, n]. Without positions, a permutation of the input
    permutes the output.

    References
    ----------
    .. [P2022] Y.-T. Pan, J.-L. Chou and C.-S. Wei. MAtt: a manifold attention network
       for EEG decoding. NeurIPS 2022.
    .. [CA2025] A correlation manifold self-attention network for EEG decoding.
       IJCAI 2025.

    Examples
    --------
    >>> import torch
    >>> from cornet_nn import CorAttention
    >>> layer = CorAttention(6, heads=2, space_head=4, metric="olm")
    >>> layer(torch.eye(6).expand(8, 10, 6, 6)).shape
    torch.Size([8, 10, 6, 6])
    """

    def __init__(
        self,
        space: Any,
        heads: int = 1,
        *,
        space_head: Any = None,
        similarity: str = "squared",
        metric: Any = None,
        bias: bool = True,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        require_positive(heads=heads)
        if similarity not in SIMILARITIES:
            raise ParameterError(
                f'similarity is {similarity!r}: expected "squared" or "logarithmic".'
            )
        space_head = space if space_head is None else space_head
        space, space_head = spaces_of(metric, space=space, space_head=space_head)
        super().__init__(space, space)
        self.heads, self.similarity = heads, similarity
        options = dict(bias=bias, device=device, dtype=dtype)
        self.query, self.key, self.value = (
            CorChannelConv(space, space_head, None, heads, **options) for _ in range(3)
        )
        self.output = CorFC(space_head, space, heads, **options)
        require_means(self.output.hyperplanes_in, self)

    def reset_parameters(self) -> None:
        """Draw the parameters of all layers again."""
        for layer in (self.query, self.key, self.value, self.output):
            layer.reset_parameters()

    def require_axes(self, batch: tuple) -> None:
        """Raise unless there is a sequence.

        Parameters
        ----------
        batch : tuple of int
            Shape of the axes before the matrices.
        """
        require_sequence(batch, self.hyperplanes_in.n)

    def compute(
        self, features: Tensor, key_padding_mask: Tensor | None = None
    ) -> Tensor:
        """Return the coordinates of the output.

        Parameters
        ----------
        features : tensor, shape=[..., length, d]
            Features of the input.
        key_padding_mask : tensor of bool, shape=[..., length], or None
            Which matrices are ignored.

        Returns
        -------
        coords : tensor, shape=[..., length, d]
            Coordinates.
        """
        weights = self.weights(features, key_padding_mask)
        values = self._heads(self.value, features)
        planes = self.output.hyperplanes_in
        means = planes.weighted_means(values, weights).movedim(-3, -2)
        return self.output(self.output.read_coords(means), from_features=True)

    def _heads(self, layer, features):
        """Return the coordinates [..., heads, length, D] that a layer gives."""
        return layer(features, from_features=True).movedim(-2, -3)

    def weights(
        self, features: Tensor, key_padding_mask: Tensor | None = None
    ) -> Tensor:
        """Return how much each matrix of a sequence counts for each other one.

        Parameters
        ----------
        features : tensor, shape=[..., length, d]
            Features of the input, see `CorLayer.admit`.
        key_padding_mask : tensor of bool, shape=[..., length], or None
            Which matrices are ignored.

        Returns
        -------
        weights : tensor, shape=[..., heads, length, length]
            Weights :math:`w_{ij}`, of sum one over the last axis.
        """
        query, key = (self._heads(f, features) for f in (self.query, self.key))
        planes = self.output.hyperplanes_in
        squares = planes.squared_distances(query, key)
        if self.similarity == "squared":
            scores = -squares / math.sqrt(planes.dim)
        else:
            # At distance zero, the root has no derivative.
            known = squares > 0.0
            distances = torch.where(known, squares, 1.0).sqrt()
            distances = torch.where(known, distances, 0.0)
            scores = 1.0 / (1.0 + torch.log1p(distances))
        if key_padding_mask is not None:
            ignored = key_padding_mask[..., None, None, :]
            scores = scores.masked_fill(ignored, -math.inf)
        return torch.softmax(scores, -1)

    def forward(
        self,
        point: Tensor,
        key_padding_mask: Tensor | None = None,
        *,
        from_features: bool = False,
    ) -> Tensor:
        """Return the output of the layer.

        Parameters
        ----------
        point : tensor, shape=[..., length, n, n]
            Correlation matrices.
        key_padding_mask : tensor of bool, shape=[..., length]
            Which matrices are ignored, as in `torch.nn.MultiheadAttention`; none if
            None. Each sequence has at least one that is not.
        from_features : bool
            See `CorLayer.forward`.

        Returns
        -------
        output : tensor, shape=[..., length, n, n]
            Correlation matrices.
        """
        if key_padding_mask is None:
            return super().forward(point, from_features=from_features)
        batch = point.shape[: -1 if from_features else -2]
        _require_mask(key_padding_mask, batch)
        if from_features:
            return self.compute(point, key_padding_mask)
        return self._masked(point, key_padding_mask)

    def _masked(self, point, mask):
        @in_full_precision
        def masked(self, point):
            return self.write(self.compute(self.admit(point), mask))

        return masked(self, point)

    def extra_repr(self) -> Any:
        """Return size, metric, heads and similarity."""
        return (
            f"{super().extra_repr()}, heads={self.heads}, "
            f"similarity={self.similarity!r}"
        )


def _require_mask(mask, batch):
    """Raise unless a mask fits sequences, and leaves a matrix of each."""
    if mask.dtype != torch.bool or tuple(mask.shape) != tuple(batch):
        raise ShapeError(
            f"key_padding_mask: expected dtype bool and shape {tuple(batch)}, got "
            f"{str(mask.dtype).removeprefix('torch.')} and {tuple(mask.shape)}."
        )
    if not torch.compiler.is_compiling() and bool(mask.all(-1).any()):
        raise ParameterError(
            "key_padding_mask: expected a matrix of each sequence that is not ignored, "
            "got a sequence with none."
        )
