r"""Signed distances to hyperplanes: all that a neural layer asks of a metric.

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
import math

import numpy as np

from . import kernels
from .exceptions import GeomstatsCorError, ParameterError
from .kernels._arrays import constant, namespace
from .kernels._gradients import is_plain
from .kernels._pieces import in_pieces
from .kernels._precision import in_own_precision
from .kernels.packed_hollow import packed_hollow_norm

BASES = ("orthonormal", "printed")


class Hyperplanes(abc.ABC):
    r"""The hyperplanes of a metric.

    .. math:: \{ C : v(C; Z, \gamma) = 0 \} ,

    where the logit :math:`v` is the signed distance times the length of the normal
    :math:`Z` [C2026]_. Layers ask for nothing else.

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

    def __init__(self, metric):
        self.metric = metric
        self.n, self.dim = metric._space.n, metric._space.dim

    @abc.abstractmethod
    def features(self, point):
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
    def features_of_coords(self, coords):
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
    def offsets(self, channels):
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
    def logits(self, features, weight, gamma):
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
    def coords(self, distances, basis="orthonormal"):
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

    def joint_coords(self, distances, basis="orthonormal"):
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
    def to_tangent(self, coords):
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
    def from_tangent(self, tangent_vec):
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
    def mean(self, tangent_vec):
        """Return the Fréchet mean of a stack of points, given by logarithms.

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
    def translate(self, tangent_vec, to_origin):
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
    def squared_distances(self, coords_a, coords_b):
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
    def weighted_means(self, coords, weights):
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
    def shift(self, coords, base):
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

    def normals(self, weight):
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
    def activate(self, coords, function):
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
    def initial_weight(self, noise):
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
    def join_channels(self, coords):
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
    def joint_logits(self, tangent_vec, covector, bias):
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
    def parameters_of(self, covector, bias, channels):
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
    def to_weight(self, normal):
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
    def to_normal(self, weight):
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

    @property
    @abc.abstractmethod
    def dispersion(self):
        """Dispersion that normalised input of a network has."""

    @property
    @abc.abstractmethod
    def weight_of_covector(self):
        """Length of weights over that of covectors; see `joint_logits`."""

    @abc.abstractmethod
    def initial_logit(self):
        """Return the standard deviation of initial logits of normalised input.

        Returns
        -------
        deviation : float
            Deviation of logits after `initial_weight`, for input of `dispersion`.
        """

    @property
    @abc.abstractmethod
    def gain(self):
        """Factor on weights after which `coords` gives points as large as the input."""

    @property
    @abc.abstractmethod
    def logit_gain(self):
        r"""Factor on weights after which logits are of order one, for any n.

        Their standard deviation is then :math:`|x| / \sqrt{n}`, for coordinates x of
        n variables: the squared distance from the identity grows as their number does.
        """


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

    def initial_logit(self):
        """Return the root mean square of the coordinates."""
        return 1.0 / math.sqrt(self.dim)

    def to_tangent(self, coords):
        """Return the coordinates."""
        return coords

    def from_tangent(self, tangent_vec):
        """Return the vectors."""
        return tangent_vec

    def mean(self, tangent_vec):
        """Return the average."""
        return namespace(tangent_vec).mean(tangent_vec, axis=0)

    def translate(self, tangent_vec, to_origin):
        """Return differences of vectors."""
        return tangent_vec - to_origin

    def squared_distances(self, coords_a, coords_b):
        """Return squared lengths of differences of coordinates."""
        difference = coords_a[..., :, None, :] - coords_b[..., None, :, :]
        return namespace(difference).sum(difference**2, axis=-1)

    def weighted_means(self, coords, weights):
        """Return weighted averages of coordinates."""
        return weights @ coords

    def shift(self, coords, base):
        """Return sums of coordinates."""
        return base + coords

    @property
    def logit_gain(self):
        """From the root of the number of coordinates to that of variables."""
        return math.sqrt(self.dim / self.n)

    def features(self, point):
        """Return the coordinates of points."""
        return self.metric.to_coords(point)

    def features_of_coords(self, coords):
        """Return the coordinates."""
        return coords

    def offsets(self, channels):
        """Return one offset for each channel."""
        return channels

    def logits(self, features, weight, gamma):
        """Return the logits; see `Hyperplanes`."""
        logits = _flat(features) @ _flat(weight).mT
        shifts = gamma * self._lengths(weight)
        # A sum of one number is dearer than the number.
        return logits - (shifts[..., 0] if shifts.shape[-1] == 1 else shifts.sum(-1))

    def _lengths(self, weight):
        """Return the lengths of the normals."""
        return namespace(weight).linalg.vector_norm(weight, axis=-1)

    def coords(self, distances, basis="orthonormal"):
        """Return the distances themselves, in an orthonormal basis."""
        require_basis(basis)
        if basis == "printed":
            return self.metric.image_space.metric.from_printed(distances)
        return distances

    def activate(self, coords, function):
        r"""Return the coordinates of :math:`\mathrm{Exp}_I(\delta(\mathrm{Log}_I))`."""
        return self._to_coords(function(self._from_coords(coords)))

    def initial_weight(self, noise):
        """Return the noise, scaled by its number."""
        return noise / math.sqrt(noise.shape[-2] * noise.shape[-1])

    def join_channels(self, coords):
        """Return the coordinates of all channels."""
        return _flat(coords)

    def joint_logits(self, tangent_vec, covector, bias):
        """Return linear functions of coordinates."""
        return tangent_vec @ covector.mT + bias

    def parameters_of(self, covector, bias, channels):
        """Return weights and offsets, the same offset for all channels."""
        xp = namespace(covector)
        covector = xp.reshape(covector, (len(covector), channels, self.dim))
        weight = self.to_weight(self._from_coords(covector))
        total = xp.sum(self._lengths(weight), axis=-1, keepdims=True)
        gamma = -bias[:, None] / xp.where(total == 0.0, 1.0, total)
        return weight, xp.broadcast_to(gamma, (len(gamma), channels))

    def to_weight(self, normal):
        """Return the coordinates of normals."""
        return self._to_coords(normal)

    def to_normal(self, weight):
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


class StrictPartHyperplanes(FlatHyperplanes):
    r"""The same in closed form, for maps that keep strict lower entries at I.

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

    def __init__(self, metric):
        super().__init__(metric)
        self._eigenvalues = metric.image_space.metric.strict_eigenvalues
        self._bulk = next(value for value in self._eigenvalues if value is not None)
        self._scale = math.sqrt(2.0 * self._bulk)

    @property
    def _image_metric(self):
        return self.metric.image_space.metric

    def features(self, point):
        """Return the strict lower entries of the logarithm at the identity, scaled."""
        return _in_pieces(self._entries, self.metric, point)

    def _entries(self, point):
        entries = kernels.pack_strictly_lower(self.metric._lower_image(point))
        return entries if self._scale == 1.0 else self._scale * entries

    def features_of_coords(self, coords):
        """Return the same from coordinates."""
        return self._scale * self._image_metric.strict_part(coords)

    def _lengths(self, weight):
        return packed_hollow_norm(weight, self._products(lambda q: 0.5 / q))

    def _to_coords(self, packed):
        return self._image_metric.from_strict_part(packed)

    def _from_coords(self, coords):
        return self._image_metric.strict_part(coords)

    def initial_weight(self, noise):
        """Return noise that is white in the metric, without matrices."""
        return self._scaled(super().initial_weight(noise), math.sqrt)

    def to_weight(self, normal):
        """Return the images of normals by the product."""
        return self._scaled(self._scale * normal, float)

    def to_normal(self, weight):
        """Return the images of weights by the inverse of the product."""
        return self._scaled(weight / self._scale, lambda q: 1.0 / q)

    def _scaled(self, packed, function):
        return kernels.scale_packed_hollow(packed, self._products(function))

    def _products(self, function):
        """Return a function of the eigenvalues of the product, relative to q."""
        return tuple(
            None if value is None else function(value / self._bulk)
            for value in self._eigenvalues
        )


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

    def initial_logit(self):
        """Return half the root mean square of the distance from the origin."""
        return 0.5 * math.sqrt(self.dispersion)

    def __init__(self, metric):
        super().__init__(metric)
        dims = range(1, self.n)
        betas = np.array([kernels.beta_number(dim) for dim in dims])
        # The first row is empty.
        self._row_factors = np.concatenate([[1.0], 1.0 / betas])[:, None]
        betas = np.repeat(betas, dims)
        self._to_joint = 1.0 / betas
        self._to_rows = betas / kernels.beta_number(self.dim)

    def features(self, point):
        r"""Return the logarithms of the rows, each divided by its :math:`\beta`."""
        return _in_pieces(self._joint_rows, self.metric, point)

    def _joint_rows(self, point):
        image = self.metric._lower_image(point)
        factors = constant(self._row_factors, image)
        return self.metric.image_space.metric.scaled_coords(image, factors)

    def features_of_coords(self, coords):
        """Return the same from coordinates."""
        return coords * constant(self._to_joint, coords)

    def offsets(self, channels):
        """Return one: the channels are joined."""
        return 1

    def logits(self, features, weight, gamma):
        """Return the logits of the Poincaré ball; see `Hyperplanes`."""
        weight = _flat(weight)
        return kernels.ball_logits_of_tangent(
            _flat(features),
            weight,
            gamma[..., 0],
            stretch=kernels.beta_number(weight.shape[-1]),
        )

    def coords(self, distances, basis="orthonormal"):
        r"""Return the :math:`\beta`-split over rows of the point in the ball."""
        require_basis(basis)
        return self.split(kernels.tangent_from_distances(distances))

    def joint_coords(self, distances, basis="orthonormal"):
        r"""Return the :math:`\beta`-split over points and rows of a point in one ball.

        Its dimension is :math:`k \, n (n - 1) / 2`, as [C2026]_ has it for k kernels.
        """
        require_basis(basis)
        joined = kernels.tangent_from_distances(_flat(distances))
        factors = self._to_joint * kernels.beta_number(joined.shape[-1])
        return joined.reshape(distances.shape) / constant(factors, joined)

    def activate(self, coords, function):
        """Apply a function at the origin of the ball of all rows of a matrix."""
        return self.split(function(self.join(coords)))

    def to_tangent(self, coords):
        """Return twice the `join` of the rows: lengths are distances."""
        return 2.0 * self.join(coords)

    def from_tangent(self, tangent_vec):
        """Invert `to_tangent`."""
        return self.split(0.5 * tangent_vec)

    def mean(self, tangent_vec):
        """Return the mean in the ball that joins the rows; it is iterative."""
        xp = namespace(tangent_vec)
        points = kernels.hyperboloid_from_origin_tangent(0.5 * tangent_vec)
        points = xp.moveaxis(points, 0, -2)
        weights = xp.full_like(points[..., 0], 1.0 / points.shape[-2])
        mean = kernels.hyperbolic_mean(points, weights)
        return 2.0 * kernels.hyperboloid_to_origin_tangent(mean)

    def translate(self, tangent_vec, to_origin):
        """Move points by a Lorentz boost."""
        point, center = (
            kernels.hyperboloid_from_origin_tangent(0.5 * vector)
            for vector in (tangent_vec, to_origin)
        )
        moved = kernels.hyperbolic_boost(point, center)
        return 2.0 * kernels.hyperboloid_to_origin_tangent(moved)

    def squared_distances(self, coords_a, coords_b):
        """Return sums over rows of squared hyperbolic distances."""
        image = self.metric.image_space.metric
        points_a, points_b = image.from_coords(coords_a), image.from_coords(coords_b)
        return image.squared_dist(
            points_a[..., :, None, :, :], points_b[..., None, :, :, :]
        )

    def weighted_means(self, coords, weights):
        """Return the Fréchet mean of each row; it is iterative."""
        image = self.metric.image_space.metric
        points = image.from_coords(coords)[..., None, :, :, :]
        return image.to_coords(image.mean(points, weights))

    def shift(self, coords, base):
        """Move each row along its geodesic; its length is twice that of coordinates."""
        image = self.metric.image_space.metric
        return image.to_coords(image.exp_coords(2.0 * coords, image.from_coords(base)))

    def join(self, coords):
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

    def split(self, tangent_vec):
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

    def initial_weight(self, noise):
        r"""Return a quarter of the noise: small logits are :math:`4 v \cdot z`."""
        return 0.25 * noise

    def join_channels(self, coords):
        r"""Return twice the :math:`\beta`-concatenation of rows and channels."""
        joined = _flat(self.features_of_coords(coords))
        return 2.0 * kernels.beta_number(joined.shape[-1]) * joined

    def joint_logits(self, tangent_vec, covector, bias):
        """Return the logits of the ball of all channels."""
        weight, gamma = 0.5 * covector, self._offsets(covector, bias)
        return kernels.ball_logits_of_tangent(0.5 * tangent_vec, weight, gamma)

    def parameters_of(self, covector, bias, channels):
        """Return normals and offsets of the ball of all channels."""
        shape = (len(covector), channels, self.dim)
        weight = namespace(covector).reshape(0.5 * covector, shape)
        return weight, self._offsets(covector, bias)[:, None]

    def _offsets(self, covector, bias):
        xp = namespace(covector)
        norm = xp.linalg.vector_norm(covector, axis=-1)
        return -0.5 * bias / xp.where(norm == 0.0, 1.0, norm)

    def to_weight(self, normal):
        """Return the normals: the product at the identity is that of Frobenius."""
        return normal

    def to_normal(self, weight):
        """Return the weights."""
        return weight

    @property
    def gain(self):
        """The distance to the origin is about sqrt(d) times that to a plane."""
        return 2.0 / math.sqrt(self.dim)


def require_basis(basis):
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


@in_own_precision
def _in_pieces(function, metric, point):
    """Apply a map to a few matrices at a time, if no derivative is asked for.

    A derivative would undo the cutting at the cost of the whole batch for each piece.
    """
    if not is_plain(point):
        return function(point)
    try:
        return in_pieces(function, (2,), point)
    except GeomstatsCorError:
        metric.to_coords(point)  # says the same of the matrix at its place in the batch
        raise


def _flat(x):
    """Join the axes of channels and of entries."""
    return x.reshape((*x.shape[:-2], x.shape[-2] * x.shape[-1]))
