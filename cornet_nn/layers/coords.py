"""The bridge between correlation matrices and torch's own modules."""

from typing import Any

from torch import Tensor

from geomstats_cor.exceptions import ShapeError

from .._precision import require_tensor
from .base import CoordinateLayer, CorLayer


class ToCoords(CoordinateLayer):
    r"""The coordinates of correlation matrices, as plain vectors.

    .. math:: C \mapsto x(C) \in \mathbb R^d , \qquad d = n (n - 1) / 2 .

    Under a flat metric they are orthonormal: distances of matrices are those of
    vectors. Under the poly-hyperbolic metric they are the logarithms of the rows at the
    origins of their Poincaré balls.

    Parameters
    ----------
    space : FullRankCorrelationMatrices or int
        Space with a metric, or the size of its matrices.
    metric : str or type
        Key or class of the metric, for a size.

    Notes
    -----
    Input [..., n, n], output [..., n (n - 1) / 2].

    Examples
    --------
    Torch's own recurrent network between layers on matrices:

    >>> import torch
    >>> from cornet_nn import CorFC, CorMLR, CorSequential, FromCoords, ToCoords
    >>> class Last(torch.nn.GRU):
    ...     def forward(self, x):
    ...         return super().forward(x)[0][..., -1, :]
    >>> model = CorSequential(
    ...     CorFC(9, 4, metric="olm"),
    ...     ToCoords(4, metric="olm"),
    ...     Last(6, 6, batch_first=True),
    ...     FromCoords(4, metric="olm"),
    ...     CorMLR(4, 2, metric="olm"),
    ... )
    >>> model(torch.eye(9).expand(8, 5, 9, 9)).shape
    torch.Size([8, 2])
    """

    def __init__(self, space: Any, *, metric: Any = None) -> None:
        super().__init__(space, metric=metric)
        self.hyperplanes_out = None

    def compute(self, features: Tensor) -> Tensor:
        """Return the coordinates as they are.

        Parameters
        ----------
        features : tensor, shape=[..., d]
            Coordinates.

        Returns
        -------
        coords : tensor, shape=[..., d]
            The same coordinates.
        """
        return features


class FromCoords(CorLayer):
    r"""Correlation matrices from plain vectors, the inverse of `ToCoords`.

    .. math:: v \mapsto x^{-1}(v) \in \mathrm{Cor}^+(n) .

    Every vector has a matrix, so any module of torch may stand before it.

    Parameters
    ----------
    space : FullRankCorrelationMatrices or int
        Space with a metric, or the size of its matrices.
    metric : str or type
        Key or class of the metric, for a size.

    Notes
    -----
    Input [..., n (n - 1) / 2], output [..., n, n].

    Examples
    --------
    >>> import torch
    >>> from cornet_nn import FromCoords
    >>> FromCoords(2, metric="ecm")(torch.tensor([0.75]))
    tensor([[1.0000, 0.6000],
            [0.6000, 1.0000]])
    """

    keeps_axes = True

    def __init__(self, space: Any, *, metric: Any = None) -> None:
        super().__init__(None, space, metric=metric)

    def admit(self, point: Tensor) -> Tensor:
        """Validate the shape of vectors and return them.

        Parameters
        ----------
        point : tensor, shape=[..., d]
            Coordinates.

        Returns
        -------
        coords : tensor, shape=[..., d]
            The same coordinates.
        """
        require_tensor(point)
        planes = self.hyperplanes_out
        if point.ndim < 1 or point.shape[-1] != planes.dim:
            raise ShapeError(
                f"the input: expected shape [..., {planes.dim}], coordinates of "
                f"matrices of size n = {planes.n}, got {tuple(point.shape)}."
            )
        return point

    def compute(self, features: Tensor) -> Tensor:
        """Return the coordinates as they are.

        Parameters
        ----------
        features : tensor, shape=[..., d]
            Coordinates.

        Returns
        -------
        coords : tensor, shape=[..., d]
            The same coordinates.
        """
        return features
