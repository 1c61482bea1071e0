"""Hyperplanes of flat metrics."""

import math
from collections.abc import Callable
from typing import Any

from .. import kernels
from .._types import Array
from ..geometries.invariant_product import InvariantProduct
from ..kernels._array import namespace
from ..kernels._quotients import divide
from .base import Hyperplanes, _flat, require_basis


class FlatHyperplanes(Hyperplanes):
    r"""The hyperplanes of a flat metric, by its coordinates and their differential.

    .. math:: v = \langle \phi(C), d_I \phi(Z) \rangle - \gamma |d_I \phi(Z)| ,

    where :math:`\phi` is the isometry onto coordinates; in a product the logit is the
    sum of the logits of the channels. Features are coordinates, and weights those of
    :math:`d_I \phi(Z)`.

    Parameters
    ----------
    metric : CorrelationMetric
        Metric.

    References
    ----------
    .. [C2026] Z. Chen, X. Wu, B. Schölkopf and N. Sebe. Riemannian networks over
       full-rank correlation matrices. ICML 2026.

    Examples
    --------
    >>> import numpy as np
    >>> from geomstats_cor import FullRankCorrelationMatrices
    >>> from geomstats_cor.hyperplanes import FlatHyperplanes
    >>> metric = FullRankCorrelationMatrices(2, equip="ecm").metric
    >>> planes = FlatHyperplanes(metric)
    >>> features = planes.features(np.array([[[1.0, 0.6], [0.6, 1.0]]]))
    >>> planes.logits(features, np.ones((1, 1, 1)), np.zeros((1, 1))).round(12)
    array([0.75])
    """

    gain = dispersion = weight_of_covector = 1.0

    def initial_logit(self) -> float:
        """Return the root mean square of the coordinates."""
        return 1.0 / math.sqrt(self.dim)

    def to_tangent(self, coords: Array) -> Array:
        """Return the coordinates."""
        return coords

    def from_tangent(self, tangent_vec: Array) -> Array:
        """Return the vectors."""
        return tangent_vec

    def mean(self, tangent_vec: Array) -> Array:
        """Return the average."""
        return namespace(tangent_vec).mean(tangent_vec, axis=0)

    def translate(self, tangent_vec: Array, to_origin: Array) -> Array:
        """Return differences of vectors."""
        return tangent_vec - to_origin

    def squared_distances(self, coords_a: Any, coords_b: Any) -> Array:
        """Return squared lengths of differences of coordinates."""
        difference = coords_a[..., :, None, :] - coords_b[..., None, :, :]
        return namespace(difference).sum(difference**2, axis=-1)

    def weighted_means(self, coords: Array, weights: Array) -> Array:
        """Return weighted averages of coordinates."""
        return weights @ coords

    def shift(self, coords: Array, base: Any) -> Array:
        """Return sums of coordinates."""
        return base + coords

    @property
    def logit_gain(self) -> float:
        """From the root of the number of coordinates to that of variables."""
        return math.sqrt(self.dim / self.n)

    def features(self, point: Array) -> Array:
        """Return the coordinates of points."""
        return self.metric.to_coords(point)

    def features_of_coords(self, coords: Array) -> Array:
        """Return the coordinates."""
        return coords

    def offsets(self, channels: int) -> int:
        """Return one offset for each channel."""
        return channels

    def logits(self, features: Array, weight: Array, gamma: Array) -> Array:
        """Return the logits; see `Hyperplanes`."""
        logits = _flat(features) @ _flat(weight).mT
        shifts = gamma * self._lengths(weight)
        return logits - shifts.sum(-1)

    def _lengths(self, weight):
        """Return the lengths of the normals."""
        return namespace(weight).linalg.vector_norm(weight, axis=-1)

    def coords(self, distances: Array, basis: str = "orthonormal") -> Array:
        """Return the distances themselves, in an orthonormal basis."""
        require_basis(basis)
        if basis == "printed":
            return self.metric.image_space.metric.from_printed(distances)
        return distances

    def activate(self, coords: Array, function: Callable) -> Array:
        r"""Return the coordinates of :math:`\mathrm{Exp}_I(\delta(\mathrm{Log}_I))`."""
        return self._to_coords(function(self._from_coords(coords)))

    def initial_weight(self, noise: Array) -> Array:
        """Return the noise, scaled by its number."""
        return noise / math.sqrt(noise.shape[-2] * noise.shape[-1])

    def join_channels(self, coords: Array) -> Array:
        """Return the coordinates of all channels."""
        return _flat(coords)

    def joint_logits(self, tangent_vec: Array, covector: Array, bias: Array) -> Array:
        """Return linear functions of coordinates."""
        return tangent_vec @ covector.mT + bias

    def parameters_of(self, covector: Array, bias: Array, channels: int) -> Any:
        """Return weights and offsets, the same offset for all channels."""
        xp = namespace(covector)
        covector = xp.reshape(covector, (len(covector), channels, self.dim))
        weight = self.to_weight(self._from_coords(covector))
        total = xp.sum(self._lengths(weight), axis=-1, keepdims=True)
        gamma = -divide(bias[:, None], total)
        return weight, xp.broadcast_to(gamma, (len(gamma), channels))

    def to_weight(self, normal: Array) -> Array:
        """Return the coordinates of normals."""
        return self._to_coords(normal)

    def to_normal(self, weight: Array) -> Array:
        """Return the normals with given coordinates."""
        return self._from_coords(weight)

    def _to_coords(self, packed):
        """Return the coordinates of tangent vectors at the identity."""
        lower = kernels.unpack_strictly_lower(packed)
        identity = self.metric.origin(like=packed)
        vector = self.metric.diffeo.tangent(lower + lower.mT, identity)
        return self.metric.image_space.metric.to_coords(vector)

    def _from_coords(self, coords):
        """Return the packed tangent vectors at the identity with given coordinates."""
        image = self.metric.image_space.metric
        vector = image.from_coords(coords) - image.from_coords(0.0 * coords)
        identity = self.metric.origin(like=coords)
        moved = self.metric.diffeo.inverse_tangent(vector, base_point=identity)
        return kernels.pack_strictly_lower(moved)


class OrthonormalHyperplanes(FlatHyperplanes):
    """The same in closed form, for maps that keep strict lower entries at I.

    Features are orthonormal coordinates, and weights those of the normals.

    Parameters
    ----------
    metric : CorrelationMetric
        Metric.

    Examples
    --------
    >>> import numpy as np
    >>> from geomstats_cor import FullRankCorrelationMatrices
    >>> planes = FullRankCorrelationMatrices(3, equip="lsm").metric.hyperplanes()
    >>> planes.features_of_coords(np.ones(3)).round(3)
    array([-0.577, -1.284,  0.13 ])
    >>> planes.orthonormal().features_of_coords(np.ones(3))
    array([1., 1., 1.])
    """

    @property
    def _image_metric(self):
        return self.metric.image_space.metric

    def _to_coords(self, packed):
        return self._image_metric.from_strict_part(packed)

    def _from_coords(self, coords):
        return self._image_metric.strict_part(coords)


class StrictPartHyperplanes(OrthonormalHyperplanes):
    r"""The same with covectors of strict lower entries as weights.

    .. math:: v = s \, x \cdot w - \gamma |w|_* , \qquad
              w = \frac{2}{s} Q z , \qquad
              |w|_*^2 = q \, w \cdot Q^{-1} w , \qquad s = \sqrt{2 q} .

    :math:`\mathrm{Log}_I(C)` has the strict lower entries :math:`x` of the image, the
    metric at the identity is a permutation-invariant product :math:`Q` on symmetric
    hollow matrices with the eigenvalue :math:`q` on the largest of its three pieces,
    and :math:`w` is the covector of the normal :math:`z`. Features :math:`s x` have
    the size of orthonormal coordinates: :math:`Q`, whose condition number may be as
    large as n, acts on offsets alone.

    Parameters
    ----------
    metric : CorrelationMetric
        Metric.

    References
    ----------
    .. [C2026] Z. Chen, X. Wu, B. Schölkopf and N. Sebe. Riemannian networks over
       full-rank correlation matrices. ICML 2026.

    Examples
    --------
    >>> import numpy as np
    >>> from geomstats_cor import FullRankCorrelationMatrices
    >>> from geomstats_cor.hyperplanes import FlatHyperplanes, StrictPartHyperplanes
    >>> space = FullRankCorrelationMatrices(3, equip="lsm")
    >>> point, normal = space.random_point(rng=0)[None], np.array([[[1.0, 2.0, 3.0]]])
    >>> logits = []
    >>> for kind in (FlatHyperplanes, StrictPartHyperplanes):
    ...     planes = kind(space.metric)
    ...     features, weight = planes.features(point), planes.to_weight(normal)
    ...     logits.append(planes.logits(features, weight, np.ones((1, 1))))
    >>> bool(np.allclose(*logits))
    True
    """

    def __init__(self, metric: Any) -> None:
        super().__init__(metric)
        product = InvariantProduct(self.n, *self._image_metric.strict_eigenvalues)
        self._scale = math.sqrt(2.0 * product.rest)
        self._product = product.map(lambda value: value / product.rest)
        self._dual = self._product.map(lambda value: 0.5 / value)

    def features(self, point: Array) -> Array:
        """Return the strict lower entries of the logarithm at the identity, scaled."""
        entries = kernels.pack_strictly_lower(self.metric._image_of(point))
        return entries if self._scale == 1.0 else self._scale * entries

    def features_of_coords(self, coords: Array) -> Array:
        """Return the same from coordinates."""
        return self._scale * self._image_metric.strict_part(coords)

    def _lengths(self, weight):
        return self._dual.packed_norm(weight)

    def initial_weight(self, noise: Array) -> Array:
        """Return noise that is white in the metric, without matrices."""
        return self._product.sqrt().on_packed(super().initial_weight(noise))

    def to_weight(self, normal: Array) -> Array:
        """Return the images of normals by the product."""
        return self._product.on_packed(self._scale * normal)

    def to_normal(self, weight: Array) -> Array:
        """Return the images of weights by the inverse of the product."""
        return self._product.inverse().on_packed(weight / self._scale)

    def orthonormal(self) -> "Hyperplanes":
        """Return the hyperplanes with coordinates as features."""
        if self._product.standard == self._product.trivial == self._product.rest:
            return self  # strict lower entries are orthonormal coordinates, scaled
        return OrthonormalHyperplanes(self.metric)
