"""Pointwise functions in the tangent space at the origin."""

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from geomstats_cor.exceptions import ParameterError

from .base import CoordinateLayer

ACTIVATIONS: dict[str, Callable] = {
    "relu": torch.relu,
    "tanh": torch.tanh,
    "sigmoid": torch.sigmoid,
    "elu": torch.nn.functional.elu,
    "gelu": torch.nn.functional.gelu,
    "leaky_relu": torch.nn.functional.leaky_relu,
}


def find_activation(activation: Any) -> Callable:
    """Return an activation by its key.

    Parameters
    ----------
    activation : str or callable
        Key of `ACTIVATIONS`, or a pointwise function of tensors.

    Returns
    -------
    function : callable
        Function.
    """
    if callable(activation):
        return activation
    try:
        return ACTIVATIONS[activation.lower()]
    except (KeyError, AttributeError):
        raise ParameterError(
            f"there is no activation {activation!r}: choose one of "
            f"{', '.join(ACTIVATIONS)}, or pass a pointwise function of tensors, such "
            f"as torch.relu."
        ) from None


class TangentActivation(CoordinateLayer):
    r"""The activation :math:`\mathrm{Exp}_I \circ \delta \circ \mathrm{Log}_I`.

    For a flat metric, :math:`\delta` acts on the entries of the symmetric hollow matrix
    :math:`\mathrm{Log}_I(C)`. For the poly-hyperbolic metric it acts on the logarithm
    at the origin of the Poincaré ball into which the rows of a matrix are
    :math:`\beta`-concatenated.

    Parameters
    ----------
    space : FullRankCorrelationMatrices or int
        Space with a metric, or the size of its matrices.
    function : callable or str
        Pointwise function of tensors, such as `torch.relu` or a module, or its key:
        "relu", "tanh", "sigmoid", "elu", "gelu", "leaky_relu".
    metric : str or type
        Key or class of the metric, for a size.

    Notes
    -----
    Input and output [..., n, n].

    References
    ----------
    .. [C2026] Z. Chen, X. Wu, B. Schölkopf and N. Sebe. Riemannian networks over
       full-rank correlation matrices. ICML 2026.

    Examples
    --------
    >>> import torch
    >>> from cornet_nn import TangentActivation
    >>> from geomstats_cor import FullRankCorrelationMatrices
    >>> space = FullRankCorrelationMatrices(2, equip="ecm")
    >>> TangentActivation(space, torch.relu)(torch.tensor([[1.0, -0.6], [-0.6, 1.0]]))
    tensor([[1., 0.],
            [0., 1.]])
    """

    def __init__(
        self, space: Any, function: Callable | str, *, metric: Any = None
    ) -> None:
        super().__init__(space, metric=metric)
        self.function = find_activation(function)

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
        return self.hyperplanes_in.activate(features, self.function)

    def extra_repr(self) -> Any:
        """Return size, metric and function."""
        name = getattr(self.function, "__name__", type(self.function).__name__)
        return f"{super().extra_repr()}, function={name}"
