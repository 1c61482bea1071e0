"""Weighted Fréchet means of correlation matrices."""

from typing import Any

import torch
from torch import Tensor, nn

from geomstats_cor.exceptions import ParameterError, ShapeError

from .._precision import in_full_precision
from .._validation import require_means, require_positive
from .base import CoordinateLayer, require_sequence


class FrechetPool(CoordinateLayer):
    r"""The weighted Fréchet mean over a sequence of correlation matrices.

    .. math:: \operatorname{argmin}_Y \sum_i w_i \, d(Y, C_i)^2 , \qquad
              w = \operatorname{softmax}(\text{weight}) .

    It is the mean of the metric itself: an average of coordinates if it is flat. Under
    the poly-hyperbolic metric it is the mean of each row in its hyperbolic space, which
    is iterative.

    Parameters
    ----------
    space : FullRankCorrelationMatrices or int
        Space with a metric, or the size of its matrices.
    length : int or None
        Length of the sequence, for weights that are learnt; None for equal weights, or
        weights that are given with the input, and any length.
    metric : str or type
        Key or class of the metric, for a size.
    device : torch.device
        Device of the parameters.
    dtype : torch.dtype
        Dtype of the parameters.

    Attributes
    ----------
    weight : tensor, shape=[length], or None
        Logarithms of the weights, up to a constant.

    Notes
    -----
    Input [..., length, n, n], output [..., n, n].

    Examples
    --------
    >>> import torch
    >>> from cornet_nn import FrechetPool
    >>> from geomstats_cor import FullRankCorrelationMatrices, frechet_mean
    >>> space = FullRankCorrelationMatrices(4, equip="phcm")
    >>> points = torch.as_tensor(space.random_point(5, rng=0))
    >>> bool(torch.allclose(FrechetPool(space)(points), frechet_mean(points, space)))
    True
    """

    keeps_axes = False

    weight: nn.Parameter | None

    def __init__(
        self,
        space: Any,
        length: int | None = None,
        *,
        metric: Any = None,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__(space, metric=metric)
        require_means(self.hyperplanes_in, self)
        self.length = length
        if length is not None:
            require_positive(length=length)
            weight = nn.Parameter(torch.zeros(length, device=device, dtype=dtype))
        self.register_parameter("weight", None if length is None else weight)

    def reset_parameters(self) -> None:
        """Make all weights equal."""
        if self.weight is not None:
            with torch.no_grad():
                self.weight.zero_()

    def require_axes(self, batch: tuple) -> None:
        """Raise unless there is a sequence, of the length of the weights.

        Parameters
        ----------
        batch : tuple of int
            Shape of the axes before the matrices.
        """
        require_sequence(batch, self.hyperplanes_in.n, self.length)

    def compute(self, features: Tensor) -> Tensor:
        """Return the coordinates of the mean.

        Parameters
        ----------
        features : tensor, shape=[..., length, d]
            Coordinates of the input.

        Returns
        -------
        coords : tensor, shape=[..., d]
            Coordinates.
        """
        if self.weight is not None:
            weights = torch.softmax(self.weight, -1)
        else:
            length = features.shape[-2]
            weights = features.new_full((length,), 1.0 / length)
        return self._mean(features, weights)

    def _mean(self, coords, weights):
        means = self.hyperplanes_in.weighted_means(coords, weights.unsqueeze(-2))
        return means.squeeze(-2)

    def forward(
        self,
        point: Tensor,
        weights: Tensor | None = None,
        *,
        from_features: bool = False,
    ) -> Tensor:
        """Return the weighted mean.

        Parameters
        ----------
        point : tensor, shape=[..., length, n, n]
            Correlation matrices.
        weights : tensor, shape=[..., length]
            Weights, not negative, divided by their sum; those of the layer if None.
        from_features : bool
            See `CorLayer.forward`.

        Returns
        -------
        mean : tensor, shape=[..., n, n]
            Weighted Fréchet mean.
        """
        if weights is None:
            return super().forward(point, from_features=from_features)
        if self.weight is not None:
            raise ParameterError(
                "the layer has weights of its own: build it with length=None to give "
                "weights with the input."
            )
        return self._with_weights([point, weights])

    @in_full_precision
    def _with_weights(self, inputs):
        point, weights = inputs
        coords = self.admit(point)
        if weights.ndim < 1 or weights.shape[-1] != coords.shape[-2]:
            raise ShapeError(
                f"weights: expected shape [..., {coords.shape[-2]}], one for each "
                f"matrix, got {tuple(weights.shape)}."
            )
        total = weights.sum(-1, keepdim=True)
        if not torch.compiler.is_compiling():
            if bool((weights < 0.0).any() | (total <= 0.0).any()):
                raise ParameterError(
                    "weights: expected numbers that are not negative, of positive sum, "
                    f"got the least {float(weights.min()):g} and the sum "
                    f"{float(total.min()):g}."
                )
        return self.write(self._mean(coords, weights / total))

    def extra_repr(self) -> Any:
        """Return size, metric and length."""
        return f"{super().extra_repr()}, length={self.length}"
