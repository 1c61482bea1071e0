"""A transformer on sequences of correlation matrices."""

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor, nn

from geomstats_cor.exceptions import ShapeError

from .._validation import require_positive, spaces_of
from ..layers.activation import TangentActivation
from ..layers.attention import CorAttention
from ..layers.base import CoordinateLayer, require_sequence
from ..layers.dropout import CorDropout
from ..layers.fc import CorFC
from ..layers.mlr import CorMLR
from ..layers.norm import CorBatchNorm
from ..layers.pooling import FrechetPool
from ..layers.residual import CorResidual
from .base import Network


class CorPositions(CoordinateLayer):
    r"""Move each matrix of a sequence by a step that its position has.

    .. math:: C_t \mapsto \mathrm{Exp}_{C_t} \left( \Gamma_{I \to C_t} P_t \right) ,

    with learnt tangent vectors :math:`P_t` at the identity; under a flat metric, they
    are added to coordinates.

    Parameters
    ----------
    space : FullRankCorrelationMatrices or int
        Space with a metric, or the size of its matrices.
    length : int
        Length of the sequences.
    metric : str or type
        Key or class of the metric, for a size.
    device : torch.device
        Device of the parameters.
    dtype : torch.dtype
        Dtype of the parameters.

    Attributes
    ----------
    position : tensor, shape=[length, d]
        Coordinates of the points at the ends of the steps from the identity.

    Notes
    -----
    Input and output [..., length, n, n].

    Examples
    --------
    >>> import torch
    >>> from cornet_nn import CorPositions
    >>> CorPositions(3, length=5, metric="lsm")(torch.eye(3).expand(5, 3, 3)).shape
    torch.Size([5, 3, 3])
    """

    def __init__(
        self,
        space: Any,
        length: int,
        *,
        metric: Any = None,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__(space, metric=metric)
        require_positive(length=length)
        shape = (length, self.hyperplanes_in.dim)
        self.position = nn.Parameter(torch.empty(shape, device=device, dtype=dtype))
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Draw small steps again."""
        with torch.no_grad():
            self.position.normal_(std=0.1)

    def require_axes(self, batch: tuple) -> None:
        """Raise unless there is a sequence of the length of the positions.

        Parameters
        ----------
        batch : tuple of int
            Shape of the axes before the matrices.
        """
        require_sequence(batch, self.hyperplanes_in.n, len(self.position))

    def compute(self, features: Tensor) -> Tensor:
        """Return the coordinates of the output.

        Parameters
        ----------
        features : tensor, shape=[..., length, d]
            Coordinates of the input.

        Returns
        -------
        coords : tensor, shape=[..., length, d]
            Coordinates.
        """
        return self.hyperplanes_in.shift(self.position.expand_as(features), features)


class CorTransformer(Network):
    r"""A transformer encoder on sequences of correlation matrices.

    A fully connected layer makes small matrices of the input, and positions move them.
    Each block is attention and then two fully connected layers, with residual
    connections around both, after batch normalisation,

    .. math:: x \mapsto x \oplus A(\operatorname{norm}(x)) , \qquad
              x \mapsto x \oplus (\operatorname{FC}' \circ \, \delta \circ
              \operatorname{FC} \circ \operatorname{norm})(x) ,

    where :math:`\oplus` is that of `CorResidual` and A a `CorAttention`. The Fréchet
    mean over the sequence, see `FrechetPool`, goes to a `CorMLR`.

    Parameters
    ----------
    space_in : FullRankCorrelationMatrices or int
        Space of the input with a metric, or the size n of its matrices.
    space_out : FullRankCorrelationMatrices or int
        Space of the blocks with a metric, or the size m of their matrices.
    num_classes : int
        Number of classes.
    in_channels : int or None
        Length of the sequences, for positions that are learnt; None for sequences of
        any length, whose order does not count.
    depth, heads : int
        Number of blocks, and of heads of attention.
    metric : str or type
        Key or class of the metric, for sizes that are given as numbers.
    activation : callable
        Pointwise function :math:`\delta`, see `TangentActivation`.
    similarity : {"squared", "logarithmic"}
        See `CorAttention`.
    dropout : float
        Probability of a `CorDropout` before the regression.
    front_end : torch.nn.Module
        What makes correlation matrices of the input; none if None.
    normalize : {"coordinates", "channel", "center"} or None
        See `CorNet`; the matrices of a sequence share their statistics.
    momentum : float
        See `CorBatchNorm`.
    gain : float
        Factor on the initial weights.
    fuse : bool
        Whether layers leave out the steps that cancel; see `CorSequential`.
    guard : bool
        Whether coordinates between different metrics are bounded; see `CorSequential`.
    device : torch.device
        Device of the parameters.
    dtype : torch.dtype
        Dtype of the parameters.

    Notes
    -----
    Input [..., length, n, n], or what the front end takes; output [..., num_classes].

    References
    ----------
    .. [V2017] A. Vaswani, N. Shazeer, N. Parmar, J. Uszkoreit, L. Jones, A. N. Gomez,
       L. Kaiser and I. Polosukhin. Attention is all you need. NeurIPS 2017.

    Examples
    --------
    >>> import torch
    >>> from cornet_nn import CorTransformer
    >>> model = CorTransformer(20, 4, num_classes=3, in_channels=7, metric="olm")
    >>> model(torch.eye(20).expand(4, 7, 20, 20)).shape
    torch.Size([4, 3])
    """

    def __init__(
        self,
        space_in: Any,
        space_out: Any,
        num_classes: int,
        in_channels: int | None = None,
        *,
        depth: int = 1,
        heads: int = 2,
        metric: Any = None,
        activation: Callable = torch.tanh,
        similarity: str = "squared",
        dropout: float = 0.0,
        front_end: Any = None,
        normalize: str | None = None,
        momentum: float = 0.1,
        gain: float = 1.0,
        fuse: bool = True,
        guard: bool = True,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        require_positive(depth=depth)
        options = dict(device=device, dtype=dtype)
        space_in, space = spaces_of(metric, space_in=space_in, space_out=space_out)
        super().__init__(
            space_in,
            in_channels,
            front_end=front_end,
            normalize=normalize,
            momentum=momentum,
            **options,
        )
        self.first = CorFC(space_in, space, **options)
        self.first.scale_initial(self._input_gain(gain))
        self.positions = None
        if in_channels is not None:
            self.positions = CorPositions(space, in_channels, **options)
        self.blocks = nn.ModuleList()
        for _ in range(depth):
            attention = CorAttention(space, heads, similarity=similarity, **options)
            norm = CorBatchNorm(space, **options)
            self.blocks.append(CorResidual(norm, attention, fuse=fuse))
            mixed = (
                CorBatchNorm(space, **options),
                CorFC(space, space, **options),
                TangentActivation(space, activation),
                CorFC(space, space, **options),
            )
            self.blocks.append(CorResidual(*mixed, fuse=fuse))
        self.pool = FrechetPool(space)
        self.dropout = CorDropout(space, dropout) if dropout else None
        self.mlr = CorMLR(space, num_classes, **options)
        self.mlr.scale_initial(gain)
        self.guard = guard
        self.fuse = fuse

    def _layers(self):
        ends = self.pool, self.dropout, self.mlr
        layers = (self.first, self.positions, *self.blocks, *ends)
        return [layer for layer in layers if layer is not None]

    def _norm_channels(self):
        return None

    def _require_axes(self, point, n):
        require_sequence(point.shape[:-2], n, self.in_channels)

    def _with_channels(self, vectors):
        return vectors

    def _require_features(self, features, dim):
        if features.ndim < 2 or features.shape[-1] != dim:
            raise ShapeError(
                f"expected features of shape [..., length, {dim}], got "
                f"{tuple(features.shape)}."
            )
