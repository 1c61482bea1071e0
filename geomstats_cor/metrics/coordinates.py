"""Coordinates of points: vectors for statistics and networks."""

import math

import numpy as np
from array_api_compat import array_namespace

from .._boundary import operation
from .._types import Array, ArrayLike
from ..conversion import as_arrays
from ..kernels._array import constant
from ..validation import require_finite, require_finite_result, require_matrices
from ._pullback import Pullback


class Coordinates(Pullback):
    r"""Coordinates of the points of a `CorrelationMetric`, null at the identity.

    They are those of the image, :math:`x(P) = x(\phi(P))`, in an orthonormal basis or
    frame of the image space.
    """

    @operation(points=("point",))
    def to_coords(self, point: ArrayLike) -> Array:
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
        return self.geometry.to_coords(self.diffeo.at(point).image)

    @operation(coords=("coords",))
    def from_coords(self, coords: ArrayLike) -> Array:
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
        return self.diffeo.at_image(self.geometry.from_coords(coords)).point

    @operation(coords=("coords",), is_finite=True)
    def factor_from_coords(self, coords: ArrayLike) -> Array:
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
        image = self.geometry.from_coords(coords)
        if self.check:
            require_finite_result(image)
        return self.diffeo.factor_of_image(image)

    @operation()
    def coords_from_factor(self, factor: ArrayLike, is_lower: bool = False) -> Array:
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
        require_matrices(self.n, factor=factor)
        if self.check:
            require_finite("factor", factor)
        image = self.diffeo.image_of_factor(factor, is_lower)
        if self.check:
            require_finite_result(image)
        return self.geometry.to_coords(image)

    @operation()
    def bounded_coords(self, coords: Array) -> Array:
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
        return self.geometry.bounded_coords(coords, radius)

    @operation(points=("point", "base_point"))
    def log_coords(self, point: ArrayLike, base_point: ArrayLike) -> Array:
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
        image, base = self.diffeo.at(point).image, self.diffeo.at(base_point).image
        return self.geometry.log_coords(image, base)

    @operation(coords=("coords",), points=("base_point",))
    def exp_coords(self, coords: ArrayLike, base_point: ArrayLike) -> Array:
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
        image = self.geometry.exp_coords(coords, self.diffeo.at(base_point).image)
        return self.diffeo.at_image(image).point

    def origin(self, like: Array = None) -> Array:
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
        (identity,) = as_arrays(point=np.eye(self.n).tolist())
        return identity if like is None else constant(np.eye(self.n), like)
