"""What the networks for comparison share."""

from typing import Any

import torch
from torch import Tensor, nn

from cornet_nn._precision import in_full_precision
from cornet_nn._validation import require_positive
from geomstats_cor.exceptions import ParameterError, ShapeError


class BaselineNetwork(nn.Module):
    """A network whose first step may have no parameters.

    `features` is that step, which a training loop may compute once, and
    `from_features` is the rest.
    """

    @in_full_precision
    def forward(self, x: Tensor) -> Tensor:
        """Return the logits [..., num_classes] of an input.

        Parameters
        ----------
        x : tensor, shape=[..., in_channels, n, n] or [..., in_channels, n, p]
            Input; the axis of a single channel may be missing from [N, n, n].

        Returns
        -------
        logits : tensor, shape=[..., num_classes]
            Logits.
        """
        return self.from_features(self.features(x))

    def features(self, x: Tensor) -> Tensor:
        """Return what the first layer with parameters takes.

        Parameters
        ----------
        x : tensor
            Input.

        Returns
        -------
        features : tensor
            Features.
        """
        return self._features(x)

    def from_features(self, features: Tensor) -> Tensor:
        """Return the logits of inputs with given features.

        Parameters
        ----------
        features : tensor
            What `features` returned.

        Returns
        -------
        logits : tensor, shape=[..., num_classes]
            Logits.
        """
        return self._from_features(features)

    def _features(self, x):
        return x

    def _from_features(self, features):
        raise NotImplementedError

    def reset_parameters(self) -> None:
        """Draw the parameters of all layers again."""
        for layer in self.children():
            reset: Any = getattr(layer, "reset_parameters", None)
            if reset is not None:
                reset()


def with_channels(x: Tensor, in_channels: int, sizes: tuple) -> Tensor:
    """Return an input with its axis of in_channels, after a check of its shape.

    Parameters
    ----------
    x : tensor, shape=[..., in_channels, rows, columns]
        Input; the axis of a single channel may be missing from [N, rows, columns].
    in_channels : int
        Number of channels.
    sizes : tuple of int
        Number of rows and columns.

    Returns
    -------
    x : tensor, shape=[..., in_channels, rows, columns]
        Input.
    """
    if in_channels == 1 and x.ndim == 3:
        x = x.unsqueeze(-3)
    if x.ndim < 3 or tuple(x.shape[-3:]) != (in_channels, *sizes):
        expected = ", ".join(map(str, (in_channels, *sizes)))
        raise ShapeError(
            f"the input: expected shape [..., {expected}], as the network has "
            f"{in_channels} channels, got {tuple(x.shape)}."
        )
    return x


def choose(value: str, options: dict, name: str) -> Any:
    """Return a value by its key, or raise an error that lists the keys.

    Parameters
    ----------
    value : str
        Key.
    options : dict
        Values by key.
    name : str
        Name of the argument.

    Returns
    -------
    chosen : object
        Value.
    """
    if value not in options:
        raise ParameterError(
            f"{name}: expected one of {', '.join(map(repr, options))}, got {value!r}."
        )
    return options[value]


class OrthonormalRows(nn.Module):
    r"""Matrices with orthonormal rows, from a free parameter.

    .. math:: W^\top = Q , \qquad A = Q R , \quad R_{ii} > 0 ,

    which is smooth wherever A has full rank, so that any optimizer can be used; the
    length of A does not matter, so weight decay does no harm. (torch's `orthogonal`
    stores signs in the diagonal of its parameter: a weight decay rounds them to zero,
    and columns vanish.)

    Parameters
    ----------
    rows, columns : int
        Shape of the matrices, with at most as many rows as columns.
    in_channels : int or None
        Number of matrices; None for a single one without an axis.
    device : torch.device
        Device of the parameters.
    dtype : torch.dtype
        Dtype of the parameters.

    Attributes
    ----------
    free : tensor, shape=[in_channels, columns, rows] or [columns, rows]
        The parameter A.
    """

    def __init__(self, rows, columns, in_channels=None, device=None, dtype=None):
        super().__init__()
        require_positive(rows=rows, columns=columns)
        if rows > columns:
            raise ParameterError(
                f"expected at most as many rows as columns, got {rows} rows and "
                f"{columns} columns."
            )
        shape = (columns, rows) if in_channels is None else (in_channels, columns, rows)
        self.free = nn.Parameter(torch.empty(shape, device=device, dtype=dtype))
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Draw uniformly distributed matrices."""
        with torch.no_grad():
            noise = torch.randn_like(self.free)
            self.free.copy_(torch.linalg.qr(noise)[0])

    def forward(self) -> Tensor:
        """Return the matrices [..., rows, columns]."""
        basis, triangle = torch.linalg.qr(self.free)
        # Signs of the decomposition jump, those with a positive diagonal do not.
        signs = triangle.detach().diagonal(dim1=-2, dim2=-1).sign()
        return (basis * signs.unsqueeze(-2)).mT
