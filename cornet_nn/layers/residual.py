"""Residual connections between correlation matrices."""

from types import SimpleNamespace
from typing import Any

from torch import Tensor, nn

from geomstats_cor.exceptions import ParameterError, ShapeError

from .base import CoordinateLayer, CorLayer
from .sequential import CorSequential, links_between, run_layers


class CorResidual(CoordinateLayer):
    r"""A residual connection: from x, along the geodesic that f chooses.

    .. math:: x \mapsto \mathrm{Exp}_x \left( \Gamma_{I \to x} \,
              \mathrm{Log}_I f(x) \right) ,

    where :math:`\Gamma_{I \to x}` is the parallel transport from the identity. If
    :math:`f(x) = I`, the result is x. Under a flat metric, coordinates are added;
    under the poly-hyperbolic one, each row moves along a geodesic of its hyperbolic
    space.

    Parameters
    ----------
    *layers : torch.nn.Module
        Layers of f, one after the other, or one `CorSequential`. The first and the last
        are layers of this package on the same space.
    fuse : bool
        Whether layers of f leave out the steps that cancel; see `CorSequential`.

    Notes
    -----
    Input and output [..., n, n].

    References
    ----------
    .. [K2023] I. Katsman, E. Chen, S. Holalkere, A. Asch, A. Lou, S.-N. Lim and
       C. De Sa. Riemannian residual neural networks. NeurIPS 2023.

    Examples
    --------
    >>> import torch
    >>> from cornet_nn import CorFC, CorResidual, TangentActivation
    >>> block = CorResidual(
    ...     TangentActivation(5, torch.tanh, metric="olm"),
    ...     CorFC(5, 5, metric="olm"),
    ... )
    >>> block(torch.eye(5).expand(8, 5, 5)).shape
    torch.Size([8, 5, 5])
    """

    def __init__(self, *layers: Any, fuse: bool = True) -> None:
        if len(layers) == 1 and isinstance(layers[0], CorSequential):
            fuse, layers = layers[0].fuse, tuple(layers[0])
        ends: list[Any] = [layers[0], layers[-1]] if layers else [None, None]
        if not all(isinstance(layer, CorLayer) for layer in ends):
            names = ", ".join(type(layer).__name__ for layer in layers) or "none"
            raise ParameterError(
                f"expected layers of this package at both ends of f, got {names}. "
                f"ToCoords and FromCoords stand around other modules."
            )
        taken, given = ends[0].hyperplanes_in, ends[1].hyperplanes_out
        if taken is None or given is None:
            raise ParameterError(
                "expected f to map matrices to matrices, got numbers at an end of it."
            )
        if taken.n != given.n:
            raise ShapeError(
                f"expected f to keep the size of matrices, got {taken.n} and {given.n}."
            )
        if not taken.metric.is_same(given.metric):
            raise ParameterError(
                f"expected one metric at both ends of f, got "
                f"{type(taken.metric).__name__} and {type(given.metric).__name__}."
            )
        super().__init__(SimpleNamespace(metric=taken.metric))
        self.layers, self.fuse = nn.ModuleList(layers), fuse
        self._links = links_between(layers, fuse)

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
        first: Any = self.layers[0]
        first.require_axes(features.shape[:-1])
        step = run_layers(self.layers, self._links, first.read_coords(features))
        if step.shape != features.shape:
            raise ShapeError(
                f"expected f to keep the axes before the matrices, "
                f"{tuple(features.shape[:-1])}, got {tuple(step.shape[:-1])}."
            )
        return self.hyperplanes_in.shift(step, features)
