"""The metrics on correlation matrices as pullbacks.

Every operation is written once for all metrics: a diffeomorphism maps into an image
space, whose geometry has closed forms.
"""

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from array_api_compat import array_namespace
from geomstats.geometry.manifold import Manifold
from geomstats.geometry.pullback_metric import PullbackDiffeoMetric

from .._boundary import operation, validated
from .._progress import steps
from .._types import Array, ArrayLike
from ..diffeos import CorrelationDiffeo
from ..exceptions import ParameterError, ShapeError
from ..hyperplanes import FlatHyperplanes, Hyperplanes, StrictPartHyperplanes
from ..kernels._batching import members_in_memory
from ..kernels._quotients import divide
from .components import Components
from .coordinates import Coordinates

if TYPE_CHECKING:
    from ..space import FullRankCorrelationMatrices


class CorrelationMetric(Coordinates, Components, PullbackDiffeoMetric):
    r"""A Riemannian metric on full-rank correlation matrices, pulled back by a map.

    .. math:: \langle A, B \rangle_P
              = \langle d_P \phi(A), d_P \phi(B) \rangle_{\phi(P)} .

    All arguments may be numpy arrays, torch tensors or nested lists, with any batch
    shapes that broadcast; results are arrays of the same kind, dtype and device.

    Parameters
    ----------
    space : FullRankCorrelationMatrices
        Manifold. Its attribute `check` says whether arguments are validated.
    diffeo : CorrelationDiffeo
        Map onto the image space.
    image_space : Manifold
        Image space, equipped with an `ImageMetric`.

    References
    ----------
    .. [T2022] Y. Thanwerdas and X. Pennec. Theoretically and computationally convenient
       geometries on full-rank correlation matrices. SIAM J. Matrix Anal. Appl. 43,
       2022.
    .. [T2024] Y. Thanwerdas. Permutation-invariant log-Euclidean geometries on
       full-rank correlation matrices. SIAM J. Matrix Anal. Appl. 45, 2024.

    Examples
    --------
    >>> import numpy as np
    >>> from geomstats_cor import FullRankCorrelationMatrices
    >>> metric = FullRankCorrelationMatrices(3, equip="olm").metric
    >>> point = np.array([[1.0, 0.5, 0.2], [0.5, 1.0, 0.3], [0.2, 0.3, 1.0]])
    >>> vector = metric.log(point, np.eye(3))
    >>> bool(np.allclose(metric.exp(vector, np.eye(3)), point))
    True
    >>> bool(np.isclose(metric.norm(vector, np.eye(3)), metric.dist(point, np.eye(3))))
    True
    """

    def __init__(
        self,
        space: "FullRankCorrelationMatrices",
        diffeo: CorrelationDiffeo,
        image_space: Manifold,
    ) -> None:
        super().__init__(space=space, diffeo=diffeo, image_space=image_space)
        diffeo.check = space.check

    @operation(vectors=("tangent_vec_a", "tangent_vec_b"), points=("base_point",))
    def inner_product(
        self,
        tangent_vec_a: ArrayLike,
        tangent_vec_b: ArrayLike,
        base_point: ArrayLike = None,
    ) -> Array:
        r"""Return the inner product :math:`\langle A, B \rangle_P`.

        .. math:: \langle A, B \rangle_P
                  = \langle d_P \phi(A), d_P \phi(B) \rangle_{\phi(P)} .

        Parameters
        ----------
        tangent_vec_a, tangent_vec_b : array-like, shape=[..., n, n]
            Tangent vectors :math:`A` and :math:`B` at the base point.
        base_point : array-like, shape=[..., n, n]
            Base point :math:`P`.

        Returns
        -------
        inner_product : array, shape=[...]
            Inner product.
        """
        here = self.diffeo.at(base_point)
        return self.geometry.inner_product(
            here.push(tangent_vec_a), here.push(tangent_vec_b), self._image(here)
        )

    @operation(vectors=("vector",), points=("base_point",))
    def squared_norm(self, vector: ArrayLike, base_point: ArrayLike = None) -> Array:
        r"""Return the squared length :math:`|V|_P^2 = \langle V, V \rangle_P`.

        Parameters
        ----------
        vector : array-like, shape=[..., n, n]
            Tangent vector at the base point.
        base_point : array-like, shape=[..., n, n]
            Base point.

        Returns
        -------
        squared_norm : array, shape=[...]
            Squared length.
        """
        here = self.diffeo.at(base_point)
        return self.geometry.squared_norm(here.push(vector), self._image(here))

    @operation(vectors=("vector",), points=("base_point",))
    def norm(self, vector: ArrayLike, base_point: ArrayLike = None) -> Array:
        r"""Return the length :math:`|V|_P = \sqrt{\langle V, V \rangle_P}`.

        Parameters
        ----------
        vector : array-like, shape=[..., n, n]
            Tangent vector at the base point.
        base_point : array-like, shape=[..., n, n]
            Base point.

        Returns
        -------
        norm : array, shape=[...]
            Length.
        """
        here = self.diffeo.at(base_point)
        return self.geometry.norm(here.push(vector), self._image(here))

    @operation(vectors=("vector",), points=("base_point",))
    def normalize(self, vector: ArrayLike, base_point: ArrayLike = None) -> Array:
        """Return the tangent vector :math:`V / |V|_P` of length one.

        Parameters
        ----------
        vector : array-like, shape=[..., n, n]
            Tangent vector at the base point, not zero.
        base_point : array-like, shape=[..., n, n]
            Base point.

        Returns
        -------
        unit_vector : array, shape=[..., n, n]
            Tangent vector of length one.
        """
        here = self.diffeo.at(base_point)
        length = self.geometry.norm(here.push(vector), self._image(here))
        return vector / length[..., None, None]

    @operation(points=("base_point",))
    def random_unit_tangent_vec(
        self, base_point: ArrayLike = None, n_vectors: int = 1, rng: Any = None
    ) -> Array:
        """Draw tangent vectors of length one, :math:`|V|_P = 1`.

        Parameters
        ----------
        base_point : array-like, shape=[..., n, n]
            Base point.
        n_vectors : int
            Number of vectors, for a single base point or as many as there are points.
        rng : int or numpy.random.Generator
            Seed or generator; geomstats' random state if None.

        Returns
        -------
        unit_vector : array, shape=[..., n, n]
            Tangent vectors of length one.
        """
        vector = self._space.random_tangent_vec(base_point, n_vectors, rng=rng)
        return self.normalize(vector, base_point)

    @operation(vectors=("tangent_vec",), points=("base_point",))
    def exp(self, tangent_vec: ArrayLike, base_point: ArrayLike) -> Array:
        r"""Return the exponential :math:`\phi^{-1}(\exp_{\phi(P)}(d_P \phi(V)))`.

        Parameters
        ----------
        tangent_vec : array-like, shape=[..., n, n]
            Tangent vector at the base point.
        base_point : array-like, shape=[..., n, n]
            Base point.

        Returns
        -------
        end_point : array, shape=[..., n, n]
            End point of the geodesic.

        Examples
        --------
        >>> import numpy as np
        >>> from geomstats_cor import FullRankCorrelationMatrices
        >>> metric = FullRankCorrelationMatrices(2, equip="ecm").metric
        >>> metric.exp([[0.0, 0.75], [0.75, 0.0]], np.eye(2)).round(12)
        array([[1. , 0.6],
               [0.6, 1. ]])
        """
        here = self.diffeo.at(base_point)
        end = self.geometry.exp(here.push(tangent_vec), here.image)
        return self.diffeo.at_image(end).point

    @operation(points=("point", "base_point"))
    def log(self, point: ArrayLike, base_point: ArrayLike) -> Array:
        r"""Return the logarithm :math:`(d_P \phi)^{-1}(\log_{\phi(P)} \phi(Q))`.

        Parameters
        ----------
        point : array-like, shape=[..., n, n]
            End point.
        base_point : array-like, shape=[..., n, n]
            Base point.

        Returns
        -------
        tangent_vec : array, shape=[..., n, n]
            Tangent vector at the base point.

        Examples
        --------
        >>> import numpy as np
        >>> from geomstats_cor import FullRankCorrelationMatrices
        >>> metric = FullRankCorrelationMatrices(2, equip="ecm").metric
        >>> metric.log([[1.0, 0.6], [0.6, 1.0]], np.eye(2)).round(12)
        array([[0.  , 0.75],
               [0.75, 0.  ]])
        """
        here, there = self.diffeo.at(base_point), self.diffeo.at(point)
        return here.pull(self.geometry.log(there.image, here.image))

    @operation(points=("point_a", "point_b"))
    def squared_dist(self, point_a: ArrayLike, point_b: ArrayLike) -> Array:
        r"""Return the squared distance between points.

        .. math:: d(P, Q)^2 = d(\phi(P), \phi(Q))^2 ,

        for a flat metric :math:`|\phi(P) - \phi(Q)|^2`.

        Parameters
        ----------
        point_a, point_b : array-like, shape=[..., n, n]
            Points.

        Returns
        -------
        squared_dist : array, shape=[...]
            Squared distance.
        """
        image_a, image_b = self.diffeo.at(point_a).image, self.diffeo.at(point_b).image
        return self.geometry.squared_dist(image_a, image_b)

    @operation(points=("point_a", "point_b"))
    def dist(self, point_a: ArrayLike, point_b: ArrayLike) -> Array:
        r"""Return the distance between points.

        .. math:: d(P, Q) = d(\phi(P), \phi(Q)) ,

        for a flat metric :math:`|\phi(P) - \phi(Q)|`.

        Parameters
        ----------
        point_a, point_b : array-like, shape=[..., n, n]
            Points.

        Returns
        -------
        dist : array, shape=[...]
            Distance.

        Examples
        --------
        >>> import numpy as np
        >>> from geomstats_cor import FullRankCorrelationMatrices
        >>> metric = FullRankCorrelationMatrices(2, equip="ecm").metric
        >>> round(float(metric.dist([[1.0, 0.6], [0.6, 1.0]], np.eye(2))), 12)
        0.75
        """
        image_a, image_b = self.diffeo.at(point_a).image, self.diffeo.at(point_b).image
        return self.geometry.dist(image_a, image_b)

    @operation(stacks=("point_a", "point_b"))
    def dist_broadcast(
        self, point_a: ArrayLike, point_b: ArrayLike, progress: bool = False
    ) -> Array:
        """Return the distances :math:`d(P_i, Q_j)` between all points of two batches.

        Parameters
        ----------
        point_a : array-like, shape=[k, n, n]
            Points.
        point_b : array-like, shape=[l, n, n]
            Points.
        progress : bool
            Whether to show a bar if it takes more than a second.

        Returns
        -------
        dist : array, shape=[k, l]
            Distances.
        """
        image_a, image_b = self.diffeo.at(point_a).image, self.diffeo.at(point_b).image
        if not progress:
            return self.geometry.dist_broadcast(image_a, image_b)
        count, rows = members_in_memory(math.prod(image_b.shape)), []
        with steps(image_a.shape[0], "matrices") as advance:
            for start in range(0, max(1, image_a.shape[0]), count):
                some = image_a[start : start + count, ...]
                rows.append(self.geometry.dist_broadcast(some, image_b))
                advance(some.shape[0])
        return array_namespace(image_a).concat(rows, axis=0)

    @operation(stacks=("points",))
    def dist_pairwise(
        self, points: ArrayLike, n_jobs: int = 1, **joblib_kwargs: Any
    ) -> Array:
        """Return the distances :math:`d(P_i, P_j)` between all points of a batch.

        Parameters
        ----------
        points : array-like, shape=[k, n, n]
            Points.
        n_jobs : int
            Unused: all distances are computed at once. Classes of geomstats pass it.
        **joblib_kwargs
            Unused, too.

        Returns
        -------
        dist : array, shape=[k, k]
            Symmetric matrix of distances.
        """
        image = self.diffeo.at(points).image
        return self.geometry.dist_broadcast(image, image)

    def diameter(self, points: ArrayLike) -> Array:
        r"""Return the largest distance :math:`\max_{i, j} d(P_i, P_j)` between points.

        Parameters
        ----------
        points : array-like, shape=[k, n, n]
            Points.

        Returns
        -------
        diameter : array, shape=[]
            Largest distance.
        """
        dists = self.dist_pairwise(points)
        return array_namespace(dists).max(dists)

    @operation(points=("point",), stacks=("neighbors",))
    def closest_neighbor_index(self, point: ArrayLike, neighbors: ArrayLike) -> Array:
        r"""Return the index of the neighbour closest to each point.

        .. math:: \operatorname{argmin}_j d(P, Q_j) .

        Parameters
        ----------
        point : array-like, shape=[..., n, n]
            Points.
        neighbors : array-like, shape=[k, n, n]
            Neighbours.

        Returns
        -------
        index : array of int, shape=[...]
            Index of the closest neighbour.
        """
        image, others = self.diffeo.at(point).image, self.diffeo.at(neighbors).image
        dists = self.geometry.dist(image[..., None, :, :], others)
        return array_namespace(dists).argmin(dists, axis=-1)

    @operation(points=("initial_point", "end_point"), vectors=("initial_tangent_vec",))
    def geodesic(
        self,
        initial_point: ArrayLike,
        end_point: ArrayLike = None,
        initial_tangent_vec: ArrayLike = None,
    ) -> Callable[[Any], Array]:
        r"""Return the geodesic from a point, to a point or with a velocity.

        .. math:: \phi^{-1}\left(\exp_{\phi(P)}(t \, \log_{\phi(P)} \phi(Q))\right)
                  \quad \text{or} \quad
                  \phi^{-1}\left(\exp_{\phi(P)}(t \, d_P \phi(V))\right) ,

        for a flat metric :math:`\phi^{-1}((1 - t) \phi(P) + t \phi(Q))`.

        Parameters
        ----------
        initial_point : array-like, shape=[..., n, n]
            Initial point.
        end_point : array-like, shape=[..., n, n]
            End point, at time one.
        initial_tangent_vec : array-like, shape=[..., n, n]
            Velocity at time zero, instead of an end point.

        Returns
        -------
        path : callable
            Maps a time or times [k] to points [..., k, n, n].

        Examples
        --------
        >>> import numpy as np
        >>> from geomstats_cor import FullRankCorrelationMatrices
        >>> metric = FullRankCorrelationMatrices(2, equip="olm").metric
        >>> path = metric.geodesic(np.eye(2), end_point=[[1.0, 0.6], [0.6, 1.0]])
        >>> path(np.array([0.0, 0.5, 1.0]))[:, 1, 0].round(4)
        array([0.    , 0.3333, 0.6   ])
        """
        if (end_point is None) == (initial_tangent_vec is None):
            raise ShapeError(
                "a geodesic is given by end_point or by initial_tangent_vec: pass "
                "exactly one of them."
            )
        here = self.diffeo.at(initial_point)
        if end_point is None:
            velocity = here.push(initial_tangent_vec)
        else:
            velocity = self.geometry.log(self.diffeo.at(end_point).image, here.image)
        path = self.geometry.geodesic(here.image, initial_tangent_vec=velocity)
        return lambda t: self.diffeo.inverse(path(t))

    @operation(
        vectors=("tangent_vec", "direction"),
        points=("base_point", "end_point"),
        is_finite=True,
    )
    def parallel_transport(
        self,
        tangent_vec: ArrayLike,
        base_point: ArrayLike,
        direction: ArrayLike = None,
        end_point: ArrayLike = None,
    ) -> Array:
        r"""Transport a tangent vector along the geodesic to a point or in a direction.

        .. math:: (d_Q \phi)^{-1}
                  \left( \Pi_{\phi(P) \to \phi(Q)} \, d_P \phi(V) \right) ;

        for a flat metric :math:`\Pi` is the identity.

        Parameters
        ----------
        tangent_vec : array-like, shape=[..., n, n]
            Tangent vector at the base point.
        base_point : array-like, shape=[..., n, n]
            Base point.
        direction : array-like, shape=[..., n, n]
            Initial velocity of the geodesic, which ends at time one.
        end_point : array-like, shape=[..., n, n]
            End point of the geodesic, instead of a direction.

        Returns
        -------
        transported : array, shape=[..., n, n]
            Tangent vector at the end point.

        Examples
        --------
        >>> import numpy as np
        >>> from geomstats_cor import FullRankCorrelationMatrices
        >>> metric = FullRankCorrelationMatrices(2, equip="ecm").metric
        >>> end_point = np.array([[1.0, 0.6], [0.6, 1.0]])
        >>> vector = np.array([[0.0, 1.0], [1.0, 0.0]])
        >>> moved = metric.parallel_transport(vector, np.eye(2), end_point=end_point)
        >>> moved.round(12)
        array([[0.   , 0.512],
               [0.512, 0.   ]])
        >>> round(float(metric.norm(moved, end_point)), 12)
        1.0
        """
        if (direction is None) == (end_point is None):
            raise ShapeError(
                "transport goes to end_point or along direction: pass exactly one of "
                "them."
            )
        here = self.diffeo.at(base_point)
        if end_point is None:
            end = self.geometry.exp(here.push(direction), here.image)
            there = self.diffeo.at_image(end)
        else:
            there = self.diffeo.at(end_point)
        image_vec = here.push(tangent_vec)
        if not self.geometry.is_flat:
            image_vec = self.geometry.parallel_transport(
                image_vec, here.image, end_point=there.image
            )
        return there.pull(image_vec)

    @operation(
        vectors=("tangent_vec_a", "tangent_vec_b", "tangent_vec_c"),
        points=("base_point",),
    )
    def curvature(
        self,
        tangent_vec_a: ArrayLike,
        tangent_vec_b: ArrayLike,
        tangent_vec_c: ArrayLike,
        base_point: ArrayLike = None,
    ) -> Array:
        r"""Return the curvature :math:`R(A, B) C`.

        .. math:: (d_P \phi)^{-1} \left(
                  R(d_P \phi(A), d_P \phi(B)) \, d_P \phi(C) \right) ,

        null for a flat metric.

        Parameters
        ----------
        tangent_vec_a, tangent_vec_b, tangent_vec_c : array-like, shape=[..., n, n]
            Tangent vectors at the base point.
        base_point : array-like, shape=[..., n, n]
            Base point.

        Returns
        -------
        curvature : array, shape=[..., n, n]
            Tangent vector at the base point.
        """
        here = self.diffeo.at(base_point)
        return self._curvature(here, tangent_vec_a, tangent_vec_b, tangent_vec_c)

    @operation(vectors=("tangent_vec_a", "tangent_vec_b"), points=("base_point",))
    def sectional_curvature(
        self,
        tangent_vec_a: ArrayLike,
        tangent_vec_b: ArrayLike,
        base_point: ArrayLike = None,
    ) -> Array:
        r"""Return the sectional curvature of the plane of two tangent vectors.

        .. math:: \frac{\langle R(A, B) B, A \rangle}
                  {\langle A, A \rangle \langle B, B \rangle - \langle A, B \rangle^2} ,

        null for a flat metric. The vectors are made orthonormal first.

        Parameters
        ----------
        tangent_vec_a, tangent_vec_b : array-like, shape=[..., n, n]
            Tangent vectors at the base point.
        base_point : array-like, shape=[..., n, n]
            Base point.

        Returns
        -------
        sectional_curvature : array, shape=[...]
            Sectional curvature; zero where the vectors do not span a plane.
        """
        here, geometry = self.diffeo.at(base_point), self.geometry
        image = self._image(here)
        image_a, image_b = here.push(tangent_vec_a), here.push(tangent_vec_b)
        image_a = _unit(image_a, geometry.norm(image_a, image))
        along = geometry.inner_product(image_a, image_b, image)[..., None, None]
        across = image_b - along * image_a
        # A remainder at the level of rounding has no direction.
        length, size = geometry.norm(across, image), geometry.norm(image_b, image)
        xp = array_namespace(size)
        spans = length > math.sqrt(xp.finfo(size.dtype).eps) * size
        across = _unit(across, xp.where(spans, length, 0.0))
        curvature = geometry.curvature(image_a, across, across, image)
        return geometry.inner_product(curvature, image_a, image)

    @operation(points=("base_point",))
    def injectivity_radius(self, base_point: ArrayLike = None) -> Array:
        r"""Return :math:`\infty`: every two points are joined by exactly one geodesic.

        Parameters
        ----------
        base_point : array-like, shape=[..., n, n]
            Base point.

        Returns
        -------
        radius : array, shape=[...]
            Infinity.
        """
        point, xp = self.diffeo.at(base_point).point, array_namespace(base_point)
        return xp.full(point.shape[:-2], xp.inf, dtype=point.dtype, device=point.device)

    def hyperplanes(self) -> Hyperplanes:
        r"""Return the hyperplanes of the metric, on which neural layers stand.

        .. math:: \{ Q : \langle \log_P Q, V \rangle_P = 0 \} .

        Returns
        -------
        hyperplanes : Hyperplanes
            Signed distances to hyperplanes, and points with given ones.
        """
        if not self.geometry.is_flat:
            raise ParameterError(
                f"{type(self).__name__} has no hyperplanes: it is curved, and does not "
                f"override the method `hyperplanes`."
            )
        if self.diffeo.is_strict_part_at_identity and self.geometry.strict_eigenvalues:
            return StrictPartHyperplanes(self)
        return FlatHyperplanes(self)

    def is_same(self, other: object) -> bool:
        """Tell whether another metric is this one, on matrices of the same size.

        Parameters
        ----------
        other : RiemannianMetric
            Metric.

        Returns
        -------
        is_same : bool
            Whether class, size and parameters are equal. Metrics whose image metric
            does not state its parameters are the same only as objects.
        """
        if self is other:
            return True
        if type(self) is not type(other) or self.n != other.n:
            return False
        own = self.geometry.parameters
        return own is not None and own == other.geometry.parameters

    @operation(points=("point",))
    def _image_of(self, point: ArrayLike) -> Array:
        """Return the image of valid points."""
        return self.diffeo.at(point).image

    def _validated(
        self, vectors: tuple[str, ...] = (), **arguments: Any
    ) -> list[Array]:
        """Return points, and vectors where they are named, as valid arrays."""
        return validated(self, vectors, **arguments)


def _unit(vector: Array, length: Array) -> Array:
    """Divide by a length, or return zero where it is zero."""
    return divide(vector, length[..., None, None], 0.0)
