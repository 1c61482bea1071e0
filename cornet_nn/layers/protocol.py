r"""The interface of a space to layers.

A layer takes a space with a metric, which computes everything. There are two
levels, and a layer that needs the second refuses a space of the first when it is
built:

- `ReadableMetric`: points can be read. `metric.hyperplanes()` returns signed distances
  to hyperplanes, see `SpaceHyperplanes`, which is all that `CorMLR` needs.
- `WritableMetric`: points can be written, too. `to_coords` and `from_coords` are
  inverse to each other and `is_same` says whether two metrics have the same
  coordinates. All layers work over such a space.

A third, optional one is `FactorMetric`: neighbouring layers under different metrics
meet in a factor of the matrix instead of the matrix.

To bring a space of your own, give it a `metric` with these methods. A flat metric needs
`to_coords`, `from_coords` and `is_same` only: `FlatHyperplanes` of
`geomstats_cor.hyperplanes` derives the rest from them and from the lengths of tangent
vectors at the origin. These are protocols, so no class has to inherit from them.
"""

from typing import Any, Protocol, runtime_checkable

from torch import Tensor


@runtime_checkable
class SpaceHyperplanes(Protocol):
    r"""Signed distances to hyperplanes, and the operations in coordinates.

    A point has *features* (what weights multiply) and *coordinates* (what points are
    made of); both are vectors of length `dim`, and they are equal for most flat
    metrics. Every array may have further axes of a batch in front.

    Attributes
    ----------
    metric : ReadableMetric
        Metric.
    n : int
        Size of the matrices.
    dim : int
        Dimension d of the space.
    gain : float
        Factor on initial weights after which `coords` gives points as large as the
        input.
    logit_gain : float
        Factor on initial weights after which logits are of order one.
    has_means : bool
        Whether `mean` and `weighted_means` are there. Layers that need them refuse the
        space when they are built.
    dispersion : float
        Dispersion that normalised input of a network has.
    weight_of_covector : float
        Length of weights over that of covectors of logarithms at the origin.
    """

    metric: Any
    n: int
    dim: int
    gain: float
    logit_gain: float
    has_means: bool
    dispersion: float
    weight_of_covector: float

    def features(self, point: Tensor) -> Any:
        """Return the features [..., d] of points [..., n, n]."""

    def features_of_coords(self, coords: Tensor) -> Any:
        """Return the features [..., d] of points with coordinates [..., d]."""

    def offsets(self, channels: Any) -> Any:
        """Return how many offsets a hyperplane of a product of channels has."""

    def logits(self, features: Tensor, weight: Tensor, gamma: Tensor) -> Any:
        """Return signed distances times lengths of normals, [..., out].

        Features are [..., channels, d], weights [out, channels, d], and offsets
        [out, offsets].
        """

    def initial_weight(self, noise: Tensor) -> Any:
        """Return weights [out, channels, d] from as many standard normal numbers."""

    def initial_logit(self) -> float:
        """Return the deviation of initial logits for input of `dispersion`."""

    def orthonormal(self) -> Any:
        """Return the same with weights in an orthonormal basis of the dual."""

    def to_weight(self, normal: Tensor) -> Any:
        """Return the weights [..., d] of packed normals [..., d] at the origin."""

    def to_normal(self, weight: Tensor) -> None:
        """Invert `to_weight`."""

    def normals(self, weight: Tensor) -> Any:
        """Return the normals [..., n, n] with weights [..., d]."""

    def coords(self, distances: Tensor, basis: str = "orthonormal") -> Any:
        """Return coordinates of points from signed distances [..., d] to the axes."""

    def joint_coords(self, distances: Tensor, basis: str = "orthonormal") -> Any:
        """Return coordinates [..., k, d] of k points that are one point of a product.

        Equal to `coords` unless the space of several points is joined otherwise.
        """

    def activate(self, coords: Tensor, function: Any) -> None:
        """Apply a pointwise function to logarithms at the origin, in coordinates."""

    def to_tangent(self, coords: Tensor) -> Any:
        """Return logarithms at the origin, in an orthonormal basis, of coordinates."""

    def from_tangent(self, tangent_vec: Tensor) -> None:
        """Invert `to_tangent`."""

    def mean(self, tangent_vec: Tensor) -> Any:
        """Return the mean [..., d] of a stack [N, ..., d] of such logarithms."""

    def translate(self, tangent_vec: Tensor, to_origin: Tensor) -> None:
        """Move points by the isometry that takes one of them to the origin."""

    def squared_distances(self, coords_a: Tensor, coords_b: Tensor) -> Any:
        """Return d(a, b)^2, [..., M, N], of coordinates [..., M, d], [..., N, d]."""

    def weighted_means(self, coords: Tensor, weights: Tensor) -> Any:
        """Return Fréchet means [..., M, d] of [..., N, d] for weights [..., M, N]."""

    def shift(self, coords: Tensor, base: Tensor) -> Any:
        """Return Exp at `base` of Log at the origin of `coords`, carried there."""


@runtime_checkable
class ReadableMetric(Protocol):
    """A metric whose points a layer can read."""

    def hyperplanes(self) -> SpaceHyperplanes:
        """Return the hyperplanes of the metric."""


@runtime_checkable
class WritableMetric(ReadableMetric, Protocol):
    """A metric whose points a layer can read and write."""

    def to_coords(self, point: Tensor) -> Any:
        """Return the coordinates [..., d] of points [..., n, n], zero at the origin."""

    def from_coords(self, coords: Tensor) -> Any:
        """Return the points [..., n, n] with coordinates [..., d]."""

    def is_same(self, other: Any) -> Any:
        """Tell whether another metric has the same points and coordinates."""


@runtime_checkable
class FactorMetric(WritableMetric, Protocol):
    r"""A metric that also converts between coordinates and factors F of a point F F'.

    A point of large condition number may be indefinite by rounding; its factor is not.
    """

    diffeo: Any

    def bounded_coords(self, coords: Tensor) -> None:
        """Bound coordinates smoothly, so that all that is computed is finite."""

    def factor_from_coords(self, coords: Tensor) -> Any:
        """Return factors [..., n, n] of the points with given coordinates."""

    def coords_from_factor(self, factor: Tensor, is_lower: bool = False) -> Any:
        """Return the coordinates of points with given factors."""
