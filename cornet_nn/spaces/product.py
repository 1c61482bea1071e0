r"""Products of spaces of different sizes and metrics.

A point of :math:`M_1 \times \dots \times M_k` is stored as the block-diagonal matrix of
its factors, of size :math:`n = n_1 + \dots + n_k`, so that every layer can take it. Its
features and coordinates are those of the factors one after the other, and logits are
sums of logits of the factors.
"""

import math
from typing import Any

import torch
from torch import Tensor

from geomstats_cor.exceptions import ParameterError, ShapeError
from geomstats_cor.hyperplanes import Hyperplanes
from geomstats_cor.kernels._autodiff import detached, is_readable


class ProductSpace:
    """The product of spaces with metrics.

    Parameters
    ----------
    *spaces : FullRankCorrelationMatrices or SPDMatrices
        Factors, each with a metric.

    Attributes
    ----------
    n : int
        Sum of the sizes of the factors.
    dim : int
        Sum of their dimensions.
    metric : ProductMetric
        Metric.

    Examples
    --------
    >>> import torch
    >>> from cornet_nn import CorMLR
    >>> from cornet_nn.spaces import ProductSpace, SPDMatrices
    >>> from geomstats_cor import FullRankCorrelationMatrices
    >>> space = ProductSpace(
    ...     FullRankCorrelationMatrices(5, equip="olm"), SPDMatrices(3, equip="lcm")
    ... )
    >>> point = space.join(torch.eye(5).expand(8, 5, 5), torch.eye(3).expand(8, 3, 3))
    >>> CorMLR(space, num_classes=2)(point).shape
    torch.Size([8, 2])
    """

    def __init__(self, *spaces: Any) -> None:
        bare = [i for i, s in enumerate(spaces) if getattr(s, "metric", None) is None]
        if len(spaces) < 2 or bare:
            raise ParameterError(
                f"expected at least two spaces with metrics, got {len(spaces)}"
                + (f", of which {bare} have no metric." if bare else ".")
            )
        self.spaces = spaces
        self.sizes = tuple(space.n for space in spaces)
        self.n, self.dim = sum(self.sizes), sum(space.dim for space in spaces)
        self.metric = ProductMetric(self)

    def join(self, *points: Tensor) -> Tensor:
        """Return points of the factors as one block-diagonal matrix.

        Parameters
        ----------
        *points : tensor, shape=[..., n_i, n_i]
            A point of each factor, with the same batch axes.

        Returns
        -------
        point : tensor, shape=[..., n, n]
            Block-diagonal matrices.
        """
        shapes = [tuple(point.shape) for point in points]
        batches = {shape[:-2] for shape in shapes}
        if [shape[-2:] for shape in shapes] != [(n, n) for n in self.sizes] or (
            len(batches) != 1
        ):
            expected = ", ".join(f"[..., {n}, {n}]" for n in self.sizes)
            raise ShapeError(
                f"expected points of shapes {expected} with the same batch axes, got "
                f"{', '.join(map(str, shapes))}."
            )
        joined = points[0].new_zeros(*batches.pop(), self.n, self.n)
        start = 0
        for point, n in zip(points, self.sizes, strict=True):
            joined[..., start : start + n, start : start + n] = point
            start += n
        return joined

    def split(self, point: Tensor) -> tuple:
        """Return the diagonal blocks, one for each factor.

        Parameters
        ----------
        point : tensor, shape=[..., n, n]
            Block-diagonal matrices.

        Returns
        -------
        points : tuple of tensor, shape=[..., n_i, n_i]
            A point of each factor.
        """
        if tuple(point.shape[-2:]) != (self.n, self.n):
            raise ShapeError(
                f"point: expected shape [..., {self.n}, {self.n}], got "
                f"{tuple(point.shape)}."
            )
        blocks, start = [], 0
        for n in self.sizes:
            blocks.append(point[..., start : start + n, start : start + n])
            start += n
        return tuple(blocks)


class ProductMetric:
    """The metric of a product, with the coordinates of the factors joined.

    Parameters
    ----------
    space : ProductSpace
        Product.
    """

    def __init__(self, space: Any) -> None:
        self._space = space
        self.factors = tuple(factor.metric for factor in space.spaces)
        blocks = [torch.ones(n, n, dtype=torch.bool) for n in space.sizes]
        self._outside = ~torch.block_diag(*blocks)

    def to_coords(self, point: Tensor) -> Any:
        """Return the coordinates [..., d] of block-diagonal points [..., n, n]."""
        parts = zip(self.factors, self.blocks(point), strict=True)
        return torch.cat([metric.to_coords(block) for metric, block in parts], dim=-1)

    def from_coords(self, coords: Tensor) -> Any:
        """Return the block-diagonal points [..., n, n] with given coordinates."""
        dims = [factor.dim for factor in self._space.spaces]
        parts = zip(self.factors, coords.split(dims, -1), strict=True)
        return self._space.join(*(metric.from_coords(part) for metric, part in parts))

    def blocks(self, point: Tensor) -> tuple:
        """Return the points of the factors, or raise if `point` is not of the product.

        Parameters
        ----------
        point : tensor, shape=[..., n, n]
            Block-diagonal matrices.

        Returns
        -------
        points : tuple of tensor, shape=[..., n_i, n_i]
            A point of each factor.
        """
        blocks = self._space.split(point)
        if is_readable(point) and bool(detached(point)[..., self._outside].any()):
            raise ShapeError(
                f"point: expected block-diagonal matrices with blocks of sizes "
                f"{', '.join(map(str, self._space.sizes))}, got entries outside of "
                f"them: the blocks of a full matrix are ProductSpace.split(point)."
            )
        return blocks

    def is_same(self, other: Any) -> bool:
        """Tell whether another metric is a product of the same metrics."""
        if not isinstance(other, ProductMetric):
            return False
        if len(self.factors) != len(other.factors):
            return False
        pairs = zip(self.factors, other.factors, strict=True)
        return all(ours.is_same(theirs) for ours, theirs in pairs)

    def hyperplanes(self) -> Any:
        """Return the hyperplanes of the metric."""
        return ProductHyperplanes(self)


class ProductHyperplanes(Hyperplanes):
    """The hyperplanes of a product: features joined, logits added.

    Parameters
    ----------
    metric : ProductMetric
        Metric.
    """

    gain = dispersion = weight_of_covector = 1.0

    def __init__(self, metric: Any) -> None:
        super().__init__(metric)
        self.factors = tuple(factor.hyperplanes() for factor in metric.factors)
        self._dims = [planes.dim for planes in self.factors]
        self.has_means = all(planes.has_means for planes in self.factors)

    def _parts(self, *arrays):
        """Yield the hyperplanes of each factor with its entries of the arrays."""
        return zip(
            self.factors,
            *(array.split(self._dims, -1) for array in arrays),
            strict=True,
        )

    def _each(self, name, *arrays, **options):
        """Apply a method of every factor to its entries, and join the results."""
        parts = self._parts(*arrays)
        results = [getattr(planes, name)(*part, **options) for planes, *part in parts]
        return torch.cat(results, dim=-1)

    def initial_logit(self) -> Any:
        """Return the root mean square of the coordinates."""
        return 1.0 / math.sqrt(self.dim)

    @property
    def logit_gain(self) -> Any:
        """From the root of the number of coordinates to that of variables."""
        return math.sqrt(self.dim / self.n)

    def features(self, point: Tensor) -> Any:
        """Return the features of all factors."""
        blocks = self.metric.blocks(point)
        features = [p.features(b) for p, b in zip(self.factors, blocks, strict=True)]
        return torch.cat(features, dim=-1)

    def features_of_coords(self, coords: Tensor) -> Any:
        """Return the same from coordinates."""
        return self._each("features_of_coords", coords)

    def offsets(self, channels: Any) -> Any:
        """Return the sum of the numbers of offsets."""
        return sum(planes.offsets(channels) for planes in self.factors)

    def logits(self, features: Tensor, weight: Tensor, gamma: Tensor) -> Any:
        """Return sums of logits."""
        counts = [planes.offsets(weight.shape[-2]) for planes in self.factors]
        parts = zip(self._parts(features, weight), gamma.split(counts, -1), strict=True)
        return sum(planes.logits(*part, own) for (planes, *part), own in parts)

    def coords(self, distances: Tensor, basis: str = "orthonormal") -> Any:
        """Return the coordinates of all factors."""
        # The check of a basis passes numbers of another library.
        distances = torch.as_tensor(distances)
        return self._each("coords", distances, basis=basis)

    def to_tangent(self, coords: Tensor) -> Any:
        """Return logarithms in all factors."""
        return self._each("to_tangent", coords)

    def from_tangent(self, tangent_vec: Tensor) -> Any:
        """Invert `to_tangent`."""
        return self._each("from_tangent", tangent_vec)

    def mean(self, tangent_vec: Tensor) -> Any:
        """Return the means of the factors."""
        return self._each("mean", tangent_vec)

    def translate(self, tangent_vec: Tensor, to_origin: Tensor) -> Any:
        """Move points in all factors."""
        return self._each("translate", tangent_vec, to_origin)

    def squared_distances(self, coords_a: Tensor, coords_b: Tensor) -> Any:
        """Return sums of squared distances."""
        parts = self._parts(coords_a, coords_b)
        return sum(planes.squared_distances(a, b) for planes, a, b in parts)

    def weighted_means(self, coords: Tensor, weights: Tensor) -> Any:
        """Return the means of the factors."""
        return self._each("weighted_means", coords, weights=weights)

    def shift(self, coords: Tensor, base: Tensor) -> Any:
        """Move along geodesics of all factors."""
        return self._each("shift", coords, base)

    def activate(self, coords: Tensor, function: Any) -> Any:
        """Apply a function in the tangent spaces of all factors."""
        return self._each("activate", coords, function=function)

    def initial_weight(self, noise: Tensor) -> Any:
        """Return the initial weights of the factors, in proportion to dimensions."""
        weights = [
            planes.initial_weight(part) * math.sqrt(planes.dim / self.dim)
            for planes, part in self._parts(noise)
        ]
        return torch.cat(weights, dim=-1)

    def to_weight(self, normal: Tensor) -> Any:
        """Return the weights of normals of all factors."""
        return self._each("to_weight", normal)

    def to_normal(self, weight: Tensor) -> Any:
        """Invert `to_weight`."""
        return self._each("to_normal", weight)

    def normals(self, weight: Tensor) -> Any:
        """Return the normals, block-diagonal matrices."""
        normals = [planes.normals(part) for planes, part in self._parts(weight)]
        return self.metric._space.join(*normals)

    def join_channels(self, coords: Tensor) -> Any:
        """Return the logarithms of all channels of each factor in turn."""
        return self._each("join_channels", coords)

    def joint_logits(self, tangent_vec: Tensor, covector: Tensor, bias: Tensor) -> Any:
        """Refuse: factors need not have linear logits."""
        raise _no_solver()

    def parameters_of(self, covector: Tensor, bias: Tensor, channels: Any) -> Any:
        """Refuse: factors need not have linear logits."""
        raise _no_solver()


def _no_solver():
    return ParameterError(
        "a product has no regression that is solved without epochs: use an optimizer "
        "of torch, such as 'adamw'."
    )
