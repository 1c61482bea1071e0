r"""Signed distances to hyperplanes: all that a neural layer asks of a metric.

A hyperplane is given by a normal :math:`Z \in T_I \mathrm{Cor}(n)`, packed as its
:math:`d = n (n - 1) / 2` strict lower entries, and by its offset :math:`\gamma` from
the identity along the geodesic in the direction of :math:`Z`. The *logit* of a point is
its signed distance to the hyperplane times the length of the normal. Points come with
an axis of channels, and a hyperplane of the product has a normal for each channel.

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
    >>> (planes.logits(features, weight, gamma) / np.sqrt(2)).round(12)
    array([-0.5])
    """

    def __init__(self, metric):
        self.metric = metric
        self.n, self.dim = metric._space.n, metric._space.dim

    @abc.abstractmethod
    def features(self, point):
        """Return the features of points: what `logits` multiplies with normals.

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
            Normals, packed.
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
    def normals(self, noise):
        """Return random normals for which logits are as large as coordinates are.

        Parameters
        ----------
        noise : array, shape=[out, channels, d]
            Independent standard normal numbers.

        Returns
        -------
        weight : array, shape=[out, channels, d]
            Normals. The standard deviation of a logit of a hyperplane through the
            identity is the root mean square of the coordinates, exactly so for a flat
            metric, whatever n and the number of channels are.
        """

    @property
    @abc.abstractmethod
    def gain(self):
        """Factor on normals after which `coords` gives points as large as the input."""

    @property
    @abc.abstractmethod
    def logit_gain(self):
        r"""Factor on normals after which logits are of order one, for any n.

        Their standard deviation is then :math:`|x| / \sqrt{n}`, for coordinates x of
        n variables: the squared distance from the identity grows as their number does.
        """


class FlatHyperplanes(Hyperplanes):
    r"""The hyperplanes of a flat metric, by its coordinates and their differential.

    .. math:: v = \langle \phi(C), d_I \phi(Z) \rangle - \gamma |d_I \phi(Z)| ,

    where :math:`\phi` is the isometry onto coordinates; in a product the logit is the
    sum of the logits of the channels.

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

    gain = 1.0

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
        covectors, norms = self._covectors(weight)
        logits = _flat(features) @ _flat(covectors).mT
        shifts = gamma * norms
        # A sum of one number is dearer than the number.
        return logits - (shifts[..., 0] if shifts.shape[-1] == 1 else shifts.sum(-1))

    def _covectors(self, weight):
        """Return what pairs with features, and the lengths of the normals."""
        covectors = self._push(weight)
        return covectors, namespace(covectors).linalg.vector_norm(covectors, axis=-1)

    def coords(self, distances, basis="orthonormal"):
        """Return the distances themselves, in an orthonormal basis."""
        require_basis(basis)
        if basis == "printed":
            return self.metric.image_space.metric.from_printed(distances)
        return distances

    def activate(self, coords, function):
        r"""Return the coordinates of :math:`\mathrm{Exp}_I(\delta(\mathrm{Log}_I))`."""
        return self._push(function(self._pull(coords)))

    def normals(self, noise):
        """Return the tangent vectors with given coordinates, scaled by their number."""
        scale = math.sqrt(noise.shape[-2] * noise.shape[-1])
        return self._pull(noise / scale)

    def _push(self, packed):
        """Return the coordinates of tangent vectors at the identity."""
        lower = kernels.unpack_strictly_lower(packed)
        identity = self.metric.origin(like=packed)
        vector = self.metric.diffeo.tangent(lower + lower.mT, identity)
        return self.metric.image_space.metric.to_coords(vector)

    def _pull(self, coords):
        """Return the packed tangent vectors at the identity with given coordinates."""
        image = self.metric.image_space.metric
        vector = image.from_coords(coords) - image.from_coords(0.0 * coords)
        identity = self.metric.origin(like=coords)
        moved = self.metric.diffeo.inverse_tangent(vector, base_point=identity)
        return kernels.pack_strictly_lower(moved)


class StrictPartHyperplanes(FlatHyperplanes):
    r"""The same in closed form, for maps that keep strict lower entries at I.

    .. math:: v = 2 \, (Q x) \cdot z - \gamma |z|_Q .

    :math:`\mathrm{Log}_I(C)` has the strict lower entries :math:`x` of the image, the
    metric at the identity is a permutation-invariant product :math:`Q` on symmetric
    hollow matrices, and the weights :math:`z` are used as they are.

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
    >>> point, weight = space.random_point(rng=0)[None], np.array([[[1.0, 2.0, 3.0]]])
    >>> logits = []
    >>> for kind in (FlatHyperplanes, StrictPartHyperplanes):
    ...     planes = kind(space.metric)
    ...     features = planes.features(point)
    ...     logits.append(planes.logits(features, weight, np.ones((1, 1))))
    >>> bool(np.allclose(*logits))
    True
    """

    @property
    def _image_metric(self):
        return self.metric.image_space.metric

    def features(self, point):
        """Return the entries of the covector of the logarithm at the identity."""
        return _in_pieces(self._covector, self.metric, point)

    def _covector(self, point):
        return self._image_metric.strict_covector(self.metric._lower_image(point))

    def features_of_coords(self, coords):
        """Return the same from coordinates."""
        return self._image_metric.strict_covector_of_coords(coords)

    def _covectors(self, weight):
        eigenvalues = self._image_metric.strict_eigenvalues
        return weight, packed_hollow_norm(weight, eigenvalues)

    def _push(self, packed):
        return self._image_metric.from_strict_part(packed)

    def _pull(self, coords):
        return self._image_metric.strict_part(coords)

    def normals(self, noise):
        """Return noise whitened in the product at the identity, without matrices."""
        scale = math.sqrt(noise.shape[-2] * noise.shape[-1])
        factors = tuple(
            None if value is None else 1.0 / (math.sqrt(2.0 * value) * scale)
            for value in self._image_metric.strict_eigenvalues
        )
        return kernels.scale_packed_hollow(noise, factors)


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

    def activate(self, coords, function):
        """Apply a function at the origin of the ball of all rows of a matrix."""
        return self.split(function(self.join(coords)))

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

    def normals(self, noise):
        r"""Return a quarter of the noise: small logits are :math:`4 v \cdot z`."""
        return 0.25 * noise

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
