"""The metrics on correlation matrices as pullbacks, which validate their arguments.

Everything here is written once for all metrics: a diffeomorphism maps into an image
space, whose metric has closed forms for all that is asked.
"""

import math

import numpy as np
from array_api_compat import array_namespace
from geomstats.geometry.pullback_metric import PullbackDiffeoMetric

from ..exceptions import ShapeError
from ..kernels._array import constant
from ..kernels._precision import in_own_precision
from ..validation import (
    as_arrays,
    require_correlation,
    require_finite,
    require_finite_result,
    require_matrices,
    require_stack,
    require_tangent,
)
from .components import TensorComponents

_OPTIONAL = ("end_point", "direction", "initial_tangent_vec")
_POINTS = (
    "point",
    "base_point",
    "point_a",
    "point_b",
    "initial_point",
    "end_point",
    "points",
    "neighbors",
)


class CorrelationMetric(TensorComponents, PullbackDiffeoMetric):
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

    def __init__(self, space, diffeo, image_space):
        super().__init__(space=space, diffeo=diffeo, image_space=image_space)
        diffeo.check = space.check

    def _admit(self, **arguments):
        """Validate the arguments, and return them as arrays."""
        if arguments.get("base_point", True) is None:
            raise ShapeError(
                "base_point is missing: tangent vectors need the point they belong to."
            )
        names, arrays = list(arguments), as_arrays(_OPTIONAL, **arguments)
        if self._space.check:
            named = {k: v for k, v in zip(names, arrays, strict=True) if v is not None}
            require_matrices(self._space.n, **named)
            for name, x in named.items():
                require = require_correlation if name in _POINTS else require_tangent
                require(name, x)
        return arrays

    def _admit_definite(self, **arguments):
        """Admit arguments whose base point, the last, no map is to look at as it is."""
        arrays = self._admit(**arguments)
        if self._space.check:
            self.diffeo(arrays[-1])
        return arrays

    @in_own_precision
    def inner_product(self, tangent_vec_a, tangent_vec_b, base_point=None):
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
        vector_a, vector_b, point = self._admit(
            tangent_vec_a=tangent_vec_a,
            tangent_vec_b=tangent_vec_b,
            base_point=base_point,
        )
        frame_a = self._orthonormal(vector_a, point)
        frame_b = self._orthonormal(vector_b, point)
        return array_namespace(frame_a).sum(frame_a * frame_b, axis=(-2, -1))

    @in_own_precision
    def squared_norm(self, vector, base_point=None):
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
        vector, point = self._admit(vector=vector, base_point=base_point)
        frame = self._orthonormal(vector, point)
        return array_namespace(frame).sum(frame * frame, axis=(-2, -1))

    @in_own_precision
    def norm(self, vector, base_point=None):
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
        vector, point = self._admit(vector=vector, base_point=base_point)
        frame = self._orthonormal(vector, point)
        return array_namespace(frame).linalg.vector_norm(frame, axis=(-2, -1))

    @in_own_precision
    def normalize(self, vector, base_point=None):
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
        vector, point = self._admit(vector=vector, base_point=base_point)
        return vector / self.norm(vector, point)[..., None, None]

    def random_unit_tangent_vec(self, base_point=None, n_vectors=1, rng=None):
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
        (point,) = self._admit(base_point=base_point)
        vector = self._space.random_tangent_vec(point, n_vectors, rng=rng)
        return self.normalize(vector, point)

    @in_own_precision
    def exp(self, tangent_vec, base_point):
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
        vector, point = self._admit(tangent_vec=tangent_vec, base_point=base_point)
        image, image_vector = self.diffeo.map_and_tangent(vector, point)
        return self.diffeo.inverse(self.image_space.metric.exp(image_vector, image))

    @in_own_precision
    def log(self, point, base_point):
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
        point, base_point = self._admit(point=point, base_point=base_point)
        image_base_point, inverse_tangent = self.diffeo.map_and_inverse_tangent(
            base_point
        )
        image_point = self.diffeo(point)
        metric = self.image_space.metric
        return inverse_tangent(metric.log(image_point, image_base_point))

    @in_own_precision
    def squared_dist(self, point_a, point_b):
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
        point_a, point_b = self._admit(point_a=point_a, point_b=point_b)
        return super().squared_dist(point_a, point_b)

    @in_own_precision
    def dist(self, point_a, point_b):
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
        point_a, point_b = self._admit(point_a=point_a, point_b=point_b)
        return super().dist(point_a, point_b)

    def dist_broadcast(self, point_a, point_b):
        """Return the distances :math:`d(P_i, Q_j)` between all points of two stacks.

        Parameters
        ----------
        point_a : array-like, shape=[k, n, n]
            Points.
        point_b : array-like, shape=[l, n, n]
            Points.

        Returns
        -------
        dist : array, shape=[k, l]
            Distances.
        """
        point_a, point_b = as_arrays(point_a=point_a, point_b=point_b)
        require_stack(point_a=point_a, point_b=point_b)
        image_a = self.diffeo(*self._admit(point_a=point_a))
        image_b = self.diffeo(*self._admit(point_b=point_b))
        return self.image_space.metric.dist_broadcast(image_a, image_b)

    def dist_pairwise(self, points, n_jobs=1, **joblib_kwargs):
        """Return the distances :math:`d(P_i, P_j)` between all points of a stack.

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
        (points,) = as_arrays(points=points)
        require_stack(points=points)
        image = self.diffeo(*self._admit(points=points))
        return self.image_space.metric.dist_broadcast(image, image)

    def diameter(self, points):
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

    def closest_neighbor_index(self, point, neighbors):
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
        point, neighbors = as_arrays(point=point, neighbors=neighbors)
        require_stack(neighbors=neighbors)
        image = self.diffeo(*self._admit(point=point))
        image_neighbors = self.diffeo(*self._admit(neighbors=neighbors))
        dists = self.image_space.metric.dist(image[..., None, :, :], image_neighbors)
        return array_namespace(dists).argmin(dists, axis=-1)

    @in_own_precision
    def geodesic(self, initial_point, end_point=None, initial_tangent_vec=None):
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
        initial_point, end_point, velocity = self._admit(
            initial_point=initial_point,
            end_point=end_point,
            initial_tangent_vec=initial_tangent_vec,
        )
        return super().geodesic(initial_point, end_point, velocity)

    @in_own_precision
    def parallel_transport(
        self, tangent_vec, base_point, direction=None, end_point=None
    ):
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
        vector, point, direction, end_point = self._admit(
            tangent_vec=tangent_vec,
            base_point=base_point,
            direction=direction,
            end_point=end_point,
        )
        if self.image_space.metric.is_flat and direction is None:
            image_vector = self.diffeo.tangent(vector, point)
            transported = self.diffeo.inverse_tangent(
                image_vector, base_point=end_point
            )
        else:
            transported = super().parallel_transport(
                vector, point, direction, end_point
            )
        if self._space.check:
            require_finite_result(transported)
        return transported

    @in_own_precision
    def curvature(self, tangent_vec_a, tangent_vec_b, tangent_vec_c, base_point=None):
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
        arrays = self._admit_definite(
            tangent_vec_a=tangent_vec_a,
            tangent_vec_b=tangent_vec_b,
            tangent_vec_c=tangent_vec_c,
            base_point=base_point,
        )
        if self.image_space.metric.is_flat:
            return 0.0 * array_namespace(*arrays).broadcast_arrays(*arrays)[0]
        return super().curvature(*arrays)

    @in_own_precision
    def sectional_curvature(self, tangent_vec_a, tangent_vec_b, base_point=None):
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
        vector_a, vector_b, point = self._admit(
            tangent_vec_a=tangent_vec_a,
            tangent_vec_b=tangent_vec_b,
            base_point=base_point,
        )
        metric = self.image_space.metric
        image = self.diffeo(point)
        image_a = self.diffeo.tangent(vector_a, point, image)
        image_b = self.diffeo.tangent(vector_b, point, image)
        image_a = _unit(image_a, metric.norm(image_a, image))
        along = metric.inner_product(image_a, image_b, image)[..., None, None]
        across = image_b - along * image_a
        # A remainder at the level of rounding has no direction.
        length = metric.norm(across, image)
        size = metric.norm(image_b, image)
        spans = length > math.sqrt(array_namespace(size).finfo(size.dtype).eps) * size
        across = _unit(across, array_namespace(size).where(spans, length, 0.0))
        curvature = metric.curvature(image_a, across, across, image)
        return metric.inner_product(curvature, image_a, image)

    def injectivity_radius(self, base_point=None):
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
        (point,) = self._admit_definite(base_point=base_point)
        xp = array_namespace(point)
        return xp.full(point.shape[:-2], xp.inf, dtype=point.dtype, device=point.device)

    @in_own_precision
    def to_coords(self, point):
        """Return the coordinates of points, null at the identity.

        For a flat metric they are an isometry onto Euclidean space,

        .. math:: d(P, Q) = |x(P) - x(Q)| .

        For the poly-hyperbolic metric they are the logarithm at the origin of the
        product of Poincaré balls, a diffeomorphism.

        Parameters
        ----------
        point : array-like, shape=[..., n, n]
            Full-rank correlation matrix.

        Returns
        -------
        coords : array, shape=[..., d]
            Coordinates, d = n (n - 1) / 2.

        Examples
        --------
        >>> import numpy as np
        >>> from geomstats_cor import FullRankCorrelationMatrices
        >>> metric = FullRankCorrelationMatrices(2, equip="ecm").metric
        >>> metric.to_coords([[1.0, 0.6], [0.6, 1.0]]).round(12)
        array([0.75])
        """
        return self.image_space.metric.to_coords(self._image(point))

    @in_own_precision
    def from_coords(self, coords):
        """Return the points :math:`x^{-1}(v)` with given coordinates, see `to_coords`.

        Parameters
        ----------
        coords : array-like, shape=[..., d]
            Coordinates, d = n (n - 1) / 2.

        Returns
        -------
        point : array, shape=[..., n, n]
            Full-rank correlation matrix.

        Examples
        --------
        >>> from geomstats_cor import FullRankCorrelationMatrices
        >>> metric = FullRankCorrelationMatrices(2, equip="ecm").metric
        >>> metric.from_coords([0.75]).round(12)
        array([[1. , 0.6],
               [0.6, 1. ]])
        """
        (coords,) = as_arrays(coords=coords)
        self._require_coords(coords)
        return self.diffeo.inverse(self.image_space.metric.from_coords(coords))

    @in_own_precision
    def factor_from_coords(self, coords):
        r"""Return factors of the points with given coordinates, not the points.

        .. math:: x^{-1}(v) = F F^\top .

        A point whose condition number exceeds the precision of its dtype cannot be
        told from a singular matrix; its factor can.

        Parameters
        ----------
        coords : array-like, shape=[..., d]
            Coordinates, d = n (n - 1) / 2, see `to_coords`.

        Returns
        -------
        factor : array, shape=[..., n, n]
            Matrices with rows of length one; lower triangular with a positive diagonal
            if `diffeo.has_lower_factor`.

        Examples
        --------
        >>> from geomstats_cor import FullRankCorrelationMatrices
        >>> metric = FullRankCorrelationMatrices(2, equip="ecm").metric
        >>> metric.factor_from_coords([0.75]).round(12)
        array([[1. , 0. ],
               [0.6, 0.8]])
        """
        (coords,) = as_arrays(coords=coords)
        self._require_coords(coords)
        image = self.image_space.metric.from_coords(coords)
        if self._space.check:
            require_finite_result(image)
        factor = self.diffeo.factor_of_image(image)
        if self._space.check:
            require_finite_result(factor)
        return factor

    @in_own_precision
    def coords_from_factor(self, factor, is_lower=False):
        r"""Return the coordinates of points :math:`F F^\top`, not forming the points.

        Singular values and pivots below the spacing of the dtype at one count as that
        spacing: the coordinates are those of :math:`F F^\top + \delta^2 I`, a change
        below the rounding of the factor.

        Parameters
        ----------
        factor : array-like, shape=[..., n, n]
            Matrices with rows of length one, see `factor_from_coords`.
        is_lower : bool
            Whether they are known to be lower triangular with a positive diagonal.

        Returns
        -------
        coords : array, shape=[..., d]
            Coordinates, d = n (n - 1) / 2.

        Examples
        --------
        >>> from geomstats_cor import FullRankCorrelationMatrices
        >>> metric = FullRankCorrelationMatrices(2, equip="ecm").metric
        >>> metric.coords_from_factor([[1.0, 0.0], [0.6, 0.8]]).round(12)
        array([0.75])
        """
        (factor,) = as_arrays(factor=factor)
        require_matrices(self._space.n, factor=factor)
        if self._space.check:
            require_finite("factor", factor)
        image = self.diffeo.image_of_factor(factor, is_lower)
        if self._space.check:
            require_finite_result(image)
        return self.image_space.metric.to_coords(image)

    @in_own_precision
    def bounded_coords(self, coords):
        r"""Bound coordinates smoothly, so that all that is computed of them is finite.

        .. math:: x \left(1 + (|x| / r)^{32}\right)^{-1/32} ,

        which is the identity to rounding for :math:`|x| < r / 3`. The bound
        :math:`r` depends on the metric and the dtype, see
        `CorrelationDiffeo.largest_safe_coords`.

        Parameters
        ----------
        coords : array, shape=[..., d]
            Coordinates.

        Returns
        -------
        bounded : array, shape=[..., d]
            Coordinates of the same directions, shorter than the bound.

        Examples
        --------
        >>> import numpy as np
        >>> from geomstats_cor import FullRankCorrelationMatrices
        >>> metric = FullRankCorrelationMatrices(2, equip="olm").metric
        >>> metric.bounded_coords(np.array([[0.5], [5e6]])).round(1)
        array([[ 0.5],
               [90.1]])
        """
        info = array_namespace(coords).finfo(coords.dtype)
        radius = self.diffeo.largest_safe_coords(info)
        if math.isinf(radius):
            return coords
        return self.image_space.metric.bounded_coords(coords, radius)

    def _require_coords(self, coords):
        if coords.ndim < 1 or coords.shape[-1] != self._space.dim:
            raise ShapeError(
                f"coords: expected shape [..., {self._space.dim}] for n = "
                f"{self._space.n}, got {tuple(coords.shape)}."
            )
        if self._space.check:
            require_finite("coords", coords[..., None])

    @in_own_precision
    def log_coords(self, point, base_point):
        """Return the coordinates of logarithms in an orthonormal frame.

        .. math:: |x_P(Q)| = d(P, Q) .

        The frame at the base point :math:`P` is the one that transport carries there
        from the identity. For a flat metric, coordinates are differences of those of
        `to_coords`.

        Parameters
        ----------
        point : array-like, shape=[..., n, n]
            End point.
        base_point : array-like, shape=[..., n, n]
            Base point.

        Returns
        -------
        coords : array, shape=[..., d]
            Coordinates, d = n (n - 1) / 2.
        """
        point, base_point = self._admit(point=point, base_point=base_point)
        metric = self.image_space.metric
        return metric.log_coords(self.diffeo(point), self.diffeo(base_point))

    @in_own_precision
    def exp_coords(self, coords, base_point):
        r"""Invert `log_coords`: the exponential of vectors given by coordinates.

        .. math:: \exp_P \left(\sum_k v_k e_k\right) ,

        with the orthonormal frame :math:`e_k` of `log_coords`.

        Parameters
        ----------
        coords : array-like, shape=[..., d]
            Coordinates in the orthonormal frame at the base point.
        base_point : array-like, shape=[..., n, n]
            Base point.

        Returns
        -------
        point : array, shape=[..., n, n]
            End point of the geodesic.
        """
        coords, base_point = as_arrays(coords=coords, base_point=base_point)
        self._require_coords(coords)
        (base_point,) = self._admit(base_point=base_point)
        image = self.diffeo(base_point)
        return self.diffeo.inverse(self.image_space.metric.exp_coords(coords, image))

    def origin(self, like=None):
        """Return the identity :math:`I`, whose coordinates are null.

        Parameters
        ----------
        like : array
            Array whose library, dtype and device to use; geomstats' default if None.

        Returns
        -------
        point : array, shape=[n, n]
            Identity matrix.
        """
        (identity,) = as_arrays(point=np.eye(self._space.n).tolist())
        return identity if like is None else constant(np.eye(self._space.n), like)

    def hyperplanes(self):
        r"""Return the hyperplanes of the metric, on which neural layers stand.

        .. math:: \{ Q : \langle \log_P Q, V \rangle_P = 0 \} .

        Returns
        -------
        hyperplanes : Hyperplanes
            Signed distances to hyperplanes, and points with given ones.
        """
        return self.image_space.metric.hyperplanes(self)

    def is_same(self, other):
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
        if type(self) is not type(other) or self._space.n != other._space.n:
            return False
        own = self.image_space.metric.parameters
        return own is not None and own == other.image_space.metric.parameters

    def _image(self, point):
        """Return the image [..., n, n] of points, after a look at them."""
        (point,) = self._admit(point=point)
        return self.diffeo(point)

    def _lower_image(self, point):
        """Return what has the lower triangle of the image, after a look at points."""
        (point,) = self._admit(point=point)
        return self.diffeo.lower_image(point)

    def _orthonormal(self, vector, point):
        """Return the components [..., n, n] of vectors in an orthonormal frame."""
        metric = self.image_space.metric
        if metric.is_flat:
            return metric.orthonormal(self.diffeo.tangent(vector, point))
        image, image_vector = self.diffeo.map_and_tangent(vector, point)
        return metric.orthonormal(image_vector, image)


def _unit(vector, length):
    """Divide by a length, or return zero where it is zero."""
    xp = array_namespace(length)
    null = length == 0.0
    factor = xp.where(null, 0.0, 1.0 / xp.where(null, 1.0, length))
    return factor[..., None, None] * vector
