"""What the diffeomorphisms of all metrics share.

A diffeomorphism is evaluated at a point: `at` factorises the point once and returns a
`Local`, which has the image, the differential and its inverse. geomstats' vocabulary
(`__call__`, `inverse`, `tangent`, `inverse_tangent`) is written here in terms of it.
"""

import abc
import math

import numpy as np
from geomstats.geometry.diffeo import Diffeo

from .. import kernels
from .._boundary import operation
from .._types import Array
from ..exceptions import ParameterError
from ..kernels.cholesky import correlation_of_rows
from ..validation import (
    require_finite_result,
    require_positive_definite,
    warn_if_singular,
)


class Local(abc.ABC):
    r"""A diffeomorphism :math:`\phi` at a point that has been factorised once.

    Parameters
    ----------
    point : array, shape=[..., n, n]
        Full-rank correlation matrix :math:`C`; None if a subclass computes it.
    image : array, shape=[..., n, n]
        Its image :math:`\phi(C)`; None if a subclass computes it.

    Attributes
    ----------
    point : array, shape=[..., n, n]
        Full-rank correlation matrix :math:`C`.
    image : array, shape=[..., n, n]
        Its image :math:`\phi(C)`, computed on first access.
    factorisation : array
        What the point was factorised into: NaN where that failed.

    Examples
    --------
    >>> import numpy as np
    >>> from geomstats_cor.diffeos import OffLogDiffeo
    >>> here = OffLogDiffeo().at(np.array([[1.0, 0.6], [0.6, 1.0]]))
    >>> here.image.round(4)
    array([[0.    , 0.6931],
           [0.6931, 0.    ]])
    >>> vector = np.array([[0.0, 1.0], [1.0, 0.0]])
    >>> here.push(vector).round(4)
    array([[0.    , 1.5625],
           [1.5625, 0.    ]])
    >>> bool(np.allclose(here.pull(here.push(vector)), vector))
    True
    """

    def __init__(self, point: Array = None, image: Array = None) -> None:
        self._point, self._image = point, image

    @property
    def point(self) -> Array:
        """Full-rank correlation matrix, shape=[..., n, n]."""
        if self._point is None:
            self._point = self._compute_point()
        return self._point

    @property
    def image(self) -> Array:
        """Image of the point, shape=[..., n, n]."""
        if self._image is None:
            self._image = self._compute_image()
        return self._image

    @property
    def factorisation(self) -> Array:
        """Array that is NaN where the point could not be factorised."""
        return self.image

    @abc.abstractmethod
    def push(self, vector: Array) -> Array:
        r"""Return the differential :math:`d_C \phi(V)`.

        Parameters
        ----------
        vector : array, shape=[..., n, n]
            Symmetric hollow matrix :math:`V`.

        Returns
        -------
        image_vector : array, shape=[..., n, n]
            Tangent vector at the image.
        """

    @abc.abstractmethod
    def pull(self, vector: Array) -> Array:
        r"""Return the inverse of the differential, :math:`(d_C \phi)^{-1}(W)`.

        Parameters
        ----------
        vector : array, shape=[..., n, n]
            Tangent vector :math:`W` at the image.

        Returns
        -------
        tangent_vec : array, shape=[..., n, n]
            Symmetric hollow matrix.
        """

    def second_pull(self, vector: Array) -> Array:
        r"""Return the second derivative of the inverse along a line in the image.

        .. math:: \left. \frac{d^2}{dt^2} \right|_{t = 0} \phi^{-1}(\phi(C) + t W) .

        The geodesic equation and the Christoffel symbols need it; nothing else does.

        Parameters
        ----------
        vector : array, shape=[..., n, n]
            Direction :math:`W` of the line.

        Returns
        -------
        curved : array, shape=[..., n, n]
            Symmetric hollow matrix.
        """
        raise ParameterError(
            f"{type(self).__name__} has no second differential: the geodesic equation "
            f"and the Christoffel symbols need its method second_pull."
        )

    def warn_if_singular(self) -> None:
        """Warn if the point cannot be told from a singular matrix."""
        warn_if_singular(self.point)

    def _compute_point(self) -> Array:
        raise NotImplementedError

    def _compute_image(self) -> Array:
        raise NotImplementedError


class CorrelationDiffeo(Diffeo, abc.ABC):
    r"""A diffeomorphism from full-rank correlation matrices onto a linear space.

    .. math:: \phi : \operatorname{Cor}^+(n) \to E .

    A subclass has two methods: `_at`, which factorises a point, and `_at_image`, which
    finds the point of an image. Both return a `Local`.

    Parameters
    ----------
    check : bool or "strict"
        Raise for matrices that are not positive definite, and warn of results that are
        numerically singular; with "strict", raise for these, too.

    Attributes
    ----------
    is_strict_part_at_identity : bool
        Whether the differential at the identity leaves the strict lower entries of
        tangent vectors as they are, so that these are entries of the image too.
    has_lower_factor : bool
        Whether `factor_of_image` returns Cholesky factors.

    Examples
    --------
    >>> import numpy as np
    >>> from geomstats_cor.diffeos import EuclideanCholeskyDiffeo
    >>> diffeo = EuclideanCholeskyDiffeo()
    >>> image = diffeo(np.array([[1.0, 0.6], [0.6, 1.0]]))
    >>> image.round(12)
    array([[1.  , 0.  ],
           [0.75, 1.  ]])
    >>> diffeo.inverse(image).round(12)
    array([[1. , 0.6],
           [0.6, 1. ]])
    >>> diffeo.tangent(np.array([[0.0, 1.0], [1.0, 0.0]]), image_point=image).round(6)
    array([[0.      , 0.      ],
           [1.953125, 0.      ]])
    """

    is_strict_part_at_identity = False
    has_lower_factor = False

    def __init__(self, check: bool | str = True) -> None:
        super().__init__()
        self.check = check

    @abc.abstractmethod
    def _at(self, base_point: Array) -> Local:
        """Factorise a point, without any check."""

    @abc.abstractmethod
    def _at_image(self, image_point: Array) -> Local:
        """Find the point with a given image, without any check."""

    def at(self, base_point: Array) -> Local:
        """Factorise a point, and return the diffeomorphism there.

        Parameters
        ----------
        base_point : array, shape=[..., n, n]
            Full-rank correlation matrix, of float32 or float64.

        Returns
        -------
        local : Local
            Image, differential and inverse differential at the point.
        """
        local = self._at(base_point)
        if self.check:
            require_positive_definite("point", base_point, local.factorisation)
        return local

    def at_image(self, image_point: Array) -> Local:
        """Find the point with a given image, and return the diffeomorphism there.

        Parameters
        ----------
        image_point : array, shape=[..., n, n]
            Image of a point, of float32 or float64.

        Returns
        -------
        local : Local
            The point, the differential and the inverse differential there.
        """
        if self.check:
            require_finite_result(image_point)
        local = self._at_image(image_point)
        if self.check:
            require_finite_result(local.point)
            local.warn_if_singular()
        return local

    def _local(self, base_point: Array, image_point: Array) -> Local:
        return self.at_image(image_point) if base_point is None else self.at(base_point)

    @operation()
    def __call__(self, base_point: Array) -> Array:
        """Return the image of a point.

        Parameters
        ----------
        base_point : array, shape=[..., n, n]
            Full-rank correlation matrix.

        Returns
        -------
        image_point : array, shape=[..., n, n]
            Image of the point.
        """
        return self.at(base_point).image

    @operation()
    def inverse(self, image_point: Array) -> Array:
        r"""Return the point :math:`\phi^{-1}(X)` with a given image.

        Parameters
        ----------
        image_point : array, shape=[..., n, n]
            Image of a point.

        Returns
        -------
        base_point : array, shape=[..., n, n]
            Full-rank correlation matrix.
        """
        return self.at_image(image_point).point

    @operation()
    def tangent(
        self, tangent_vec: Array, base_point: Array = None, image_point: Array = None
    ) -> Array:
        r"""Return the differential :math:`d_C \phi(V)`.

        Parameters
        ----------
        tangent_vec : array, shape=[..., n, n]
            Symmetric hollow matrix.
        base_point : array, shape=[..., n, n]
            Base point; may be left out if `image_point` is given.
        image_point : array, shape=[..., n, n]
            Image of the base point.

        Returns
        -------
        image_tangent_vec : array, shape=[..., n, n]
            Tangent vector at the image.
        """
        return self._local(base_point, image_point).push(tangent_vec)

    @operation()
    def inverse_tangent(
        self,
        image_tangent_vec: Array,
        image_point: Array = None,
        base_point: Array = None,
    ) -> Array:
        r"""Return the inverse of the differential, :math:`(d_C \phi)^{-1}(W)`.

        Parameters
        ----------
        image_tangent_vec : array, shape=[..., n, n]
            Tangent vector at the image.
        image_point : array, shape=[..., n, n]
            Image of the base point; may be left out if `base_point` is given.
        base_point : array, shape=[..., n, n]
            Base point.

        Returns
        -------
        tangent_vec : array, shape=[..., n, n]
            Symmetric hollow matrix.
        """
        return self._local(base_point, image_point).pull(image_tangent_vec)

    @operation()
    def inverse_second_tangent(
        self, image_tangent_vec: Array, image_point: Array
    ) -> Array:
        r"""Return the second derivative of the inverse along a line in the image.

        .. math:: \left. \frac{d^2}{dt^2} \right|_{t = 0} \phi^{-1}(X + t W) .

        Parameters
        ----------
        image_tangent_vec : array, shape=[..., n, n]
            Direction :math:`W` of the line.
        image_point : array, shape=[..., n, n]
            Point :math:`X` of the line.

        Returns
        -------
        curved : array, shape=[..., n, n]
            Symmetric hollow matrix.
        """
        return self.at_image(image_point).second_pull(image_tangent_vec)

    def factor_of_image(self, image_point: Array) -> Array:
        r"""Return a factor of the point with a given image.

        .. math:: \phi^{-1}(X) = F F^\top .

        The diffeomorphisms of this library do not form the point; by default it is
        formed and factorised.

        Parameters
        ----------
        image_point : array, shape=[..., n, n]
            Image of a point.

        Returns
        -------
        factor : array, shape=[..., n, n]
            Matrix with rows of length one; NaN where the computation fails.
        """
        return kernels.full_rank_factor(self._at_image(image_point).point)

    def image_of_factor(self, factor: Array, is_lower: bool = False) -> Array:
        r"""Return the image :math:`\phi(F F^\top)` of a point given by a factor.

        Parameters
        ----------
        factor : array, shape=[..., n, n]
            Matrix with rows of length one.
        is_lower : bool
            Whether the factor is known to be lower triangular with a positive diagonal.

        Returns
        -------
        image_point : array, shape=[..., n, n]
            Image of the point; NaN where the computation fails.
        """
        return self._at(correlation_of_rows(factor)).image

    def largest_safe_coords(self, dtype_info: np.finfo) -> float:
        """Return a bound on lengths of coordinates that keeps factors finite.

        Coordinates are those of the image with the Frobenius product, or the vectors at
        the origins of the Poincaré balls.

        Parameters
        ----------
        dtype_info : finfo
            Limits of the dtype.

        Returns
        -------
        radius : float
            Bound; infinity if none is known.
        """
        return math.inf


def logarithmic_radius(dtype_info: np.finfo) -> float:
    """Return a length of logarithms whose exponentials are singular to the dtype.

    The condition number of exp X is up to exp(1.4 |X|): with this bound it may be the
    inverse spacing to the power of 3.5, and the solvers still converge.
    """
    return -2.5 * math.log(float(dtype_info.eps))
