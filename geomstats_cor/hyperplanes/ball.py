"""Hyperplanes of the poly-hyperbolic metric, in one Poincaré ball."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from .. import kernels
from .._types import Array
from ..kernels._array import constant, namespace
from ..kernels._quotients import divide
from .base import Hyperplanes, _flat, require_basis


class BallHyperplanes(Hyperplanes):
    r"""The hyperplanes of one Poincaré ball, into which rows and channels are joined.

    A point of the poly-hyperbolic metric is a point of a product of balls, one for each
    row. Their :math:`\beta`-concatenation over rows and channels is a point of a single
    ball, given by its logarithm at the origin [C2026]_, [S2021]_.

    Parameters
    ----------
    metric : CorrelationMetric
        Poly-hyperbolic metric.

    References
    ----------
    .. [C2026] Z. Chen, X. Wu, B. Schölkopf and N. Sebe. Riemannian networks over
       full-rank correlation matrices. ICML 2026.
    .. [S2021] R. Shimizu, Y. Mukuta and T. Harada. Hyperbolic neural networks++. ICLR
       2021.

    Examples
    --------
    >>> import numpy as np
    >>> from geomstats_cor import FullRankCorrelationMatrices
    >>> planes = FullRankCorrelationMatrices(3, equip="phcm").metric.hyperplanes()
    >>> type(planes).__name__
    'BallHyperplanes'
    >>> coords = np.array([0.1, 0.2, -0.3])
    >>> planes.split(planes.join(coords)).round(12)
    array([ 0.1,  0.2, -0.3])
    """

    logit_gain = 1.0
    # Where the ball is nearly flat, regressions generalise best.
    dispersion = 0.04
    weight_of_covector = 0.5

    def initial_logit(self) -> float:
        """Return half the root mean square of the distance from the origin."""
        return 0.5 * math.sqrt(self.dispersion)

    def __init__(self, metric: Any) -> None:
        super().__init__(metric)
        dims = range(1, self.n)
        betas = np.array([kernels.beta_number(dim) for dim in dims])
        betas = np.repeat(betas, dims)
        self._to_joint = 1.0 / betas
        self._to_rows = betas / kernels.beta_number(self.dim)

    def features(self, point: Array) -> Array:
        r"""Return the logarithms of the rows, each divided by its :math:`\beta`."""
        return self.features_of_coords(self.metric.to_coords(point))

    def features_of_coords(self, coords: Array) -> Array:
        """Return the same from coordinates."""
        return coords * constant(self._to_joint, coords)

    def offsets(self, channels: int) -> int:
        """Return one: the channels are joined."""
        return 1

    def logits(self, features: Array, weight: Array, gamma: Array) -> Array:
        """Return the logits of the Poincaré ball; see `Hyperplanes`."""
        weight = _flat(weight)
        return kernels.ball_logits_of_tangent(
            _flat(features),
            weight,
            gamma[..., 0],
            stretch=kernels.beta_number(weight.shape[-1]),
        )

    def coords(self, distances: Array, basis: str = "orthonormal") -> Array:
        r"""Return the :math:`\beta`-split over rows of the point in the ball."""
        require_basis(basis)
        return self.split(kernels.tangent_from_distances(distances))

    def joint_coords(self, distances: Array, basis: str = "orthonormal") -> Array:
        r"""Return the :math:`\beta`-split over points and rows of a point in one ball.

        Its dimension is :math:`k \, n (n - 1) / 2`, as in the paper for k kernels.
        """
        require_basis(basis)
        joined = kernels.tangent_from_distances(_flat(distances))
        factors = self._to_joint * kernels.beta_number(joined.shape[-1])
        return joined.reshape(distances.shape) / constant(factors, joined)

    def activate(self, coords: Array, function: Callable) -> Array:
        """Apply a function at the origin of the ball of all rows of a matrix."""
        return self.split(function(self.join(coords)))

    def to_tangent(self, coords: Array) -> Array:
        """Return twice the `join` of the rows: lengths are distances."""
        return 2.0 * self.join(coords)

    def from_tangent(self, tangent_vec: Array) -> Array:
        """Invert `to_tangent`."""
        return self.split(0.5 * tangent_vec)

    def mean(self, tangent_vec: Array) -> Array:
        """Return the mean in the ball that joins the rows; it is iterative."""
        xp = namespace(tangent_vec)
        points = kernels.hyperboloid_from_origin_tangent(0.5 * tangent_vec)
        points = xp.moveaxis(points, 0, -2)
        weights = xp.full_like(points[..., 0], 1.0 / points.shape[-2])
        mean = kernels.hyperbolic_mean(points, weights)
        return 2.0 * kernels.hyperboloid_to_origin_tangent(mean)

    def translate(self, tangent_vec: Array, to_origin: Array) -> Array:
        """Move points by a Lorentz boost."""
        point, center = (
            kernels.hyperboloid_from_origin_tangent(0.5 * vector)
            for vector in (tangent_vec, to_origin)
        )
        moved = kernels.hyperbolic_boost(point, center)
        return 2.0 * kernels.hyperboloid_to_origin_tangent(moved)

    def squared_distances(self, coords_a: Array, coords_b: Array) -> Array:
        """Return sums over rows of squared hyperbolic distances."""
        image = self.metric.image_space.metric
        points_a, points_b = image.from_coords(coords_a), image.from_coords(coords_b)
        return image.squared_dist(
            points_a[..., :, None, :, :], points_b[..., None, :, :, :]
        )

    def weighted_means(self, coords: Array, weights: Array) -> Array:
        """Return the Fréchet mean of each row; it is iterative."""
        image = self.metric.image_space.metric
        points = image.from_coords(coords)[..., None, :, :, :]
        return image.to_coords(image.mean(points, weights))

    def shift(self, coords: Array, base: Array) -> Array:
        """Move each row along its geodesic; its length is twice that of coordinates."""
        image = self.metric.image_space.metric
        return image.to_coords(image.exp_coords(2.0 * coords, image.from_coords(base)))

    def join(self, coords: Array) -> Array:
        r"""Return the :math:`\beta`-concatenation of the rows of a matrix.

        .. math:: \beta_d \, (\beta_1^{-1} v_1, \dots, \beta_{n - 1}^{-1} v_{n - 1}) .

        Parameters
        ----------
        coords : array, shape=[..., d]
            Coordinates: the rows, tangent vectors at the origins of their balls.

        Returns
        -------
        tangent_vec : array, shape=[..., d]
            Tangent vector at the origin of the ball that joins them.
        """
        return kernels.beta_number(self.dim) * self.features_of_coords(coords)

    def split(self, tangent_vec: Array) -> Array:
        r"""Invert `join`, by a :math:`\beta`-split.

        Parameters
        ----------
        tangent_vec : array, shape=[..., d]
            Tangent vector at the origin of the ball that joins the rows.

        Returns
        -------
        coords : array, shape=[..., d]
            Coordinates.
        """
        return tangent_vec * constant(self._to_rows, tangent_vec)

    def initial_weight(self, noise: Array) -> Array:
        r"""Return a quarter of the noise: small logits are :math:`4 v \cdot z`."""
        return 0.25 * noise

    def join_channels(self, coords: Array) -> Array:
        r"""Return twice the :math:`\beta`-concatenation of rows and channels."""
        joined = _flat(self.features_of_coords(coords))
        return 2.0 * kernels.beta_number(joined.shape[-1]) * joined

    def joint_logits(self, tangent_vec: Array, covector: Array, bias: Array) -> Array:
        """Return the logits of the ball of all channels."""
        weight, gamma = 0.5 * covector, self._offsets(covector, bias)
        return kernels.ball_logits_of_tangent(0.5 * tangent_vec, weight, gamma)

    def parameters_of(self, covector: Array, bias: Array, channels: int) -> Array:
        """Return normals and offsets of the ball of all channels."""
        shape = (len(covector), channels, self.dim)
        weight = namespace(covector).reshape(0.5 * covector, shape)
        return weight, self._offsets(covector, bias)[:, None]

    def _offsets(self, covector, bias):
        norm = namespace(covector).linalg.vector_norm(covector, axis=-1)
        return divide(-0.5 * bias, norm)

    def to_weight(self, normal: Array) -> Array:
        """Return the normals: the product at the identity is that of Frobenius."""
        return normal

    def to_normal(self, weight: Array) -> Array:
        """Return the weights."""
        return weight

    @property
    def gain(self) -> float:
        """The distance to the origin is about sqrt(d) times that to a plane."""
        return 2.0 / math.sqrt(self.dim)
