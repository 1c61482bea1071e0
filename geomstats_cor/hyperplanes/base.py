r"""Signed distances to hyperplanes: the interface of a metric to neural layers.

A hyperplane is given by a normal :math:`Z \in T_I \mathrm{Cor}(n)` and by its offset
:math:`\gamma` from the identity along the geodesic in the direction of :math:`Z`. The
*logit* of a point is its signed distance to the hyperplane times the length of the
normal. Points come with an axis of channels, and a hyperplane of the product has a
normal for each channel.

The numbers that a layer learns are *weights*: the covector of the normal, in a basis of
the dual in which features of points are well scaled. `to_weight` and `to_normal`
convert between weights and normals, packed as :math:`d = n (n - 1) / 2` strict lower
entries.

References
----------
.. [C2026] Z. Chen, X. Wu, B. Schölkopf and N. Sebe. Riemannian networks over full-rank
   correlation matrices. ICML 2026.
"""

import abc
from collections.abc import Callable
from typing import Any

from .. import kernels
from .._types import Array
from ..exceptions import ParameterError

BASES = ("orthonormal", "printed")


class Hyperplanes(abc.ABC):
    r"""The hyperplanes of a metric.

    .. math:: \{ C : v(C; Z, \gamma) = 0 \} ,

    where the logit :math:`v` is the signed distance times the length of the normal
    :math:`Z` [C2026]_. Layers use nothing else of a metric.

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
    The identity is at the distance :math:`-\gamma` from a hyperplane:

    >>> import numpy as np
    >>> from geomstats_cor import FullRankCorrelationMatrices
    >>> planes = FullRankCorrelationMatrices(3, equip="olm").metric.hyperplanes()
    >>> features = planes.features(np.eye(3)[None])  # one channel
    >>> weight, gamma = np.array([[[1.0, 0.0, 0.0]]]), np.array([[0.5]])
    >>> planes.logits(features, weight, gamma).round(12)
    array([-0.5])
    """

    # Whether `mean` and `weighted_means` are there, which some layers need.
    has_means = True

    def __init__(self, metric: Any) -> None:
        self.metric = metric
        self.n, self.dim = metric._space.n, metric._space.dim

    @abc.abstractmethod
    def features(self, point: Array) -> Array:
        """Return the features of points: what `logits` multiplies with weights.

        Parameters
        ----------
        point : array, shape=[..., n, n]
            Correlation matrices.

        Returns
        -------
        features : array, shape=[..., d]
            Features.
        """

    @abc.abstractmethod
    def features_of_coords(self, coords: Array) -> Array:
        """Return the features of points with given coordinates.

        Parameters
        ----------
        coords : array, shape=[..., d]
            Coordinates, see `CorrelationMetric.to_coords`.

        Returns
        -------
        features : array, shape=[..., d]
            Features.
        """

    @abc.abstractmethod
    def offsets(self, channels: int) -> int:
        """Return how many offsets a hyperplane of a product of channels has.

        Parameters
        ----------
        channels : int
            Number of channels.

        Returns
        -------
        offsets : int
            Number of offsets.
        """

    @abc.abstractmethod
    def logits(self, features: Array, weight: Array, gamma: Array) -> Array:
        """Return the logits of points.

        Parameters
        ----------
        features : array, shape=[..., channels, d]
            Features of points.
        weight : array, shape=[out, channels, d]
            Weights, see `to_weight`.
        gamma : array, shape=[out, offsets]
            Offsets.

        Returns
        -------
        logits : array, shape=[..., out]
            Signed distances times lengths of normals.
        """

    @abc.abstractmethod
    def coords(self, distances: Array, basis: str = "orthonormal") -> Array:
        """Return the coordinates of points at given signed distances.

        Parameters
        ----------
        distances : array, shape=[..., d]
            Signed distances to the hyperplanes through the identity that are orthogonal
            to the vectors of a basis of the tangent space.
        basis : {"orthonormal", "printed"}
            Orthonormal basis, or the one that [C2026] prints. They differ for the
            log-scaled metric alone, where the printed one is not orthonormal.

        Returns
        -------
        coords : array, shape=[..., d]
            Coordinates, of which `metric.from_coords` makes points.
        """

    def joint_coords(self, distances: Array, basis: str = "orthonormal") -> Array:
        """Return the coordinates of several points at given signed distances.

        Parameters
        ----------
        distances : array, shape=[..., k, d]
            Signed distances of k points, which are one point of a product of spaces.
        basis : {"orthonormal", "printed"}
            See `coords`.

        Returns
        -------
        coords : array, shape=[..., k, d]
            Coordinates of the points. They are those of `coords` for a flat metric.
        """
        return self.coords(distances, basis)

    @abc.abstractmethod
    def to_tangent(self, coords: Array) -> Array:
        """Return logarithms at the origin of the space of which a layer sees one point.

        Parameters
        ----------
        coords : array, shape=[..., d]
            Coordinates of points.

        Returns
        -------
        tangent_vec : array, shape=[..., d]
            Components of tangent vectors in an orthonormal basis.
        """

    @abc.abstractmethod
    def from_tangent(self, tangent_vec: Array) -> Array:
        """Return the coordinates of points with given logarithms.

        Parameters
        ----------
        tangent_vec : array, shape=[..., d]
            What `to_tangent` returned.

        Returns
        -------
        coords : array, shape=[..., d]
            Coordinates.
        """

    @abc.abstractmethod
    def mean(self, tangent_vec: Array) -> Array:
        """Return the Fréchet mean of points, given by logarithms.

        Parameters
        ----------
        tangent_vec : array, shape=[N, ..., d]
            Logarithms of points at the origin, see `to_tangent`.

        Returns
        -------
        mean : array, shape=[..., d]
            Logarithm of the mean.
        """

    @abc.abstractmethod
    def translate(self, tangent_vec: Array, to_origin: Array) -> Array:
        """Move points by the isometry along a geodesic that ends at the origin.

        Parameters
        ----------
        tangent_vec : array, shape=[..., d]
            Logarithms of points at the origin, see `to_tangent`.
        to_origin : array, shape=[..., d]
            Logarithm of the point that is moved to the origin. Its negative undoes the
            motion.

        Returns
        -------
        tangent_vec : array, shape=[..., d]
            Logarithms of the moved points.
        """

    @abc.abstractmethod
    def squared_distances(self, coords_a: Array, coords_b: Array) -> Array:
        """Return the squared distances of points, each with each.

        Parameters
        ----------
        coords_a : array, shape=[..., M, d]
            Coordinates of points.
        coords_b : array, shape=[..., N, d]
            Coordinates of points.

        Returns
        -------
        squares : array, shape=[..., M, N]
            Squared distances of the metric.
        """

    @abc.abstractmethod
    def weighted_means(self, coords: Array, weights: Array) -> Array:
        """Return Fréchet means of the metric with several sets of weights.

        Parameters
        ----------
        coords : array, shape=[..., N, d]
            Coordinates of points.
        weights : array, shape=[..., M, N]
            Weights, not negative, of sum one over the last axis.

        Returns
        -------
        means : array, shape=[..., M, d]
            Coordinates of the means.
        """

    @abc.abstractmethod
    def shift(self, coords: Array, base: Array) -> Array:
        r"""Move along geodesics from a base point.

        .. math:: \mathrm{Exp}_B \, \Gamma_{I \to B} \, \mathrm{Log}_I P ,

        with the parallel transport :math:`\Gamma` along the geodesic from the identity.

        Parameters
        ----------
        coords : array, shape=[..., d]
            Coordinates of the points :math:`P`.
        base : array, shape=[..., d]
            Coordinates of the base points :math:`B`.

        Returns
        -------
        coords : array, shape=[..., d]
            Coordinates of the end points.
        """

    def normals(self, weight: Array) -> Array:
        """Return the normals with given weights, as matrices.

        Parameters
        ----------
        weight : array, shape=[..., d]
            Weights.

        Returns
        -------
        normals : array, shape=[..., n, n]
            Tangent vectors at the identity: symmetric hollow matrices.
        """
        lower = kernels.unpack_strictly_lower(self.to_normal(weight))
        return lower + lower.mT

    @abc.abstractmethod
    def activate(self, coords: Array, function: Callable) -> Array:
        """Apply a pointwise function in the tangent space at the origin.

        Parameters
        ----------
        coords : array, shape=[..., d]
            Coordinates of points.
        function : callable
            Pointwise function of arrays.

        Returns
        -------
        coords : array, shape=[..., d]
            Coordinates of points.
        """

    @abc.abstractmethod
    def initial_weight(self, noise: Array) -> Array:
        """Return random weights for which logits are as large as coordinates are.

        Parameters
        ----------
        noise : array, shape=[out, channels, d]
            Independent standard normal numbers.

        Returns
        -------
        weight : array, shape=[out, channels, d]
            Weights. The standard deviation of a logit of a hyperplane through the
            identity is the root mean square of the coordinates, exactly so for a flat
            metric, whatever n and the number of channels are.
        """

    @abc.abstractmethod
    def join_channels(self, coords: Array) -> Array:
        """Return logarithms at the origin of points of all channels together.

        Parameters
        ----------
        coords : array, shape=[..., channels, d]
            Coordinates of points.

        Returns
        -------
        tangent_vec : array, shape=[..., channels * d]
            Components in an orthonormal basis.
        """

    @abc.abstractmethod
    def joint_logits(self, tangent_vec: Array, covector: Array, bias: Array) -> Array:
        """Return the logits of points of all channels together.

        Parameters
        ----------
        tangent_vec : array, shape=[..., k]
            Logarithms at the origin, see `join_channels`; in any orthonormal basis, and
            of any subspace that contains the covectors.
        covector : array, shape=[out, k]
            Normals, in the same basis.
        bias : array, shape=[out]
            Logits of the origin.

        Returns
        -------
        logits : array, shape=[..., out]
            Logits.
        """

    @abc.abstractmethod
    def parameters_of(self, covector: Array, bias: Array, channels: int) -> Any:
        """Return the weights and offsets with which `logits` are `joint_logits`.

        Parameters
        ----------
        covector : array, shape=[out, channels * d]
            Normals, in the basis of `join_channels`.
        bias : array, shape=[out]
            Logits of the origin.
        channels : int
            Number of channels.

        Returns
        -------
        weight : array, shape=[out, channels, d]
            Weights.
        gamma : array, shape=[out, offsets]
            Offsets.
        """

    @abc.abstractmethod
    def to_weight(self, normal: Array) -> Array:
        r"""Return the weights of normals: their covectors in the metric.

        Parameters
        ----------
        normal : array, shape=[..., d]
            Normals :math:`Z`, tangent vectors at the identity, packed.

        Returns
        -------
        weight : array, shape=[..., d]
            Weights, whose products with features are
            :math:`\langle \mathrm{Log}_I C, Z \rangle_I` for a flat metric.
        """

    @abc.abstractmethod
    def to_normal(self, weight: Array) -> Array:
        """Return the normals with given weights, the inverse of `to_weight`.

        Parameters
        ----------
        weight : array, shape=[..., d]
            Weights.

        Returns
        -------
        normal : array, shape=[..., d]
            Normals, packed.
        """

    def orthonormal(self) -> "Hyperplanes":
        """Return the hyperplanes with weights in an orthonormal basis.

        Steps of an optimizer depend on the basis of the weights. Where coordinates are
        normalised, that of the coordinates is the one in which all have one size.

        Returns
        -------
        hyperplanes : Hyperplanes
            Hyperplanes of the metric, for which features are orthonormal coordinates
            if the metric is flat; these ones, if their weights are no different.
        """
        return self

    @property
    @abc.abstractmethod
    def dispersion(self) -> float:
        """Dispersion that normalised input of a network has."""

    @property
    @abc.abstractmethod
    def weight_of_covector(self) -> float:
        """Length of weights over that of covectors; see `joint_logits`."""

    @abc.abstractmethod
    def initial_logit(self) -> float:
        """Return the standard deviation of initial logits of normalised input.

        Returns
        -------
        deviation : float
            Deviation of logits after `initial_weight`, for input of `dispersion`.
        """

    @property
    @abc.abstractmethod
    def gain(self) -> float:
        """Factor on weights after which `coords` gives points as large as the input."""

    @property
    @abc.abstractmethod
    def logit_gain(self) -> float:
        r"""Factor on weights after which logits are of order one, for any n.

        Their standard deviation is then :math:`|x| / \sqrt{n}`, for coordinates x of
        n variables: the squared distance from the identity grows as their number does.
        """


def require_basis(basis: str) -> None:
    """Raise unless a basis is known.

    Parameters
    ----------
    basis : str
        Name of a basis.

    Examples
    --------
    >>> from geomstats_cor.hyperplanes import require_basis
    >>> require_basis("orthonormal")
    >>> require_basis("helmert")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
        ...
    geomstats_cor.exceptions.ParameterError: there is no basis 'helmert': choose ...
    """
    if basis not in BASES:
        raise ParameterError(
            f"there is no basis {basis!r}: choose one of {', '.join(BASES)}."
        )


def _flat(x):
    """Join the axes of channels and of entries."""
    return x.reshape((*x.shape[:-2], x.shape[-2] * x.shape[-1]))
