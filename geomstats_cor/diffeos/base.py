"""What the diffeomorphisms of all metrics share, as geomstats' Diffeo objects.

A diffeomorphism joins a map, its inverse and their differentials, all of which are
kernels. It accepts numpy arrays and torch tensors alike, and with `check` it turns the
failure of a factorisation into an error that names the matrix.
"""

import abc
import functools
import math

from geomstats.geometry.diffeo import Diffeo

from .. import kernels
from ..kernels._autodiff import is_plain
from ..kernels.cholesky import correlation_of_rows
from ..validation import (
    call_strictly,
    require_finite_result,
    require_positive_definite,
    warn_if_singular,
)


def _strict_if_wanted(method):
    """Let a method of a strict diffeomorphism raise where it would warn."""

    @functools.wraps(method)
    def strict_method(self, *arguments, **keywords):
        if self.check != "strict":
            return method(self, *arguments, **keywords)
        return call_strictly(method, self, *arguments, **keywords)

    return strict_method


class CorrelationDiffeo(Diffeo, abc.ABC):
    r"""A diffeomorphism from full-rank correlation matrices onto a linear space.

    .. math:: \phi : \operatorname{Cor}^+(n) \to E .

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

    def __init_subclass__(cls, **keywords):
        super().__init_subclass__(**keywords)
        # Another map is not to inherit what belongs to the one it replaces.
        for name, other in (
            ("_lower_map", "_map"),
            ("_image_of_factor", "_map"),
            ("_factor", "_inverse_map"),
        ):
            if other in cls.__dict__ and name not in cls.__dict__:
                setattr(cls, name, getattr(CorrelationDiffeo, name))

    def __init__(self, check=True):
        super().__init__()
        self.check = check

    @_strict_if_wanted
    def __call__(self, base_point):
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
        return self._checked(base_point, self._map(base_point))

    @_strict_if_wanted
    def lower_image(self, base_point):
        """Return matrices whose lower triangle is that of the image of a point.

        Layers read nothing else. What makes an image exactly symmetric is left out, if
        no derivative is asked for, and so is a diagonal that all images share.

        Parameters
        ----------
        base_point : array, shape=[..., n, n]
            Full-rank correlation matrix.

        Returns
        -------
        lower : array, shape=[..., n, n]
            The image, but for what is left out.
        """
        lower = self._lower_map if is_plain(base_point) else self._map
        image = lower(base_point)
        # Where a factorisation fails, a whole matrix is NaN: one row tells.
        self._checked(base_point, image[..., -1, :])
        return image

    @_strict_if_wanted
    def inverse(self, image_point):
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
        if self.check:
            require_finite_result(image_point)
        base_point = self._inverse_map(image_point)
        if self.check:
            require_finite_result(base_point)
            self._warn_if_singular(base_point, image_point)
        return base_point

    def factor_of_image(self, image_point):
        r"""Return a factor of the point with a given image, without forming the point.

        .. math:: \phi^{-1}(X) = F F^\top .

        Parameters
        ----------
        image_point : array, shape=[..., n, n]
            Image of a point.

        Returns
        -------
        factor : array, shape=[..., n, n]
            Matrix with rows of length one; NaN where the computation fails.
        """
        return self._factor(image_point)

    def image_of_factor(self, factor, is_lower=False):
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
        return self._image_of_factor(factor, is_lower)

    def largest_safe_coords(self, dtype_info):
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
        return self._largest_safe_coords(dtype_info)

    @_strict_if_wanted
    def tangent(self, tangent_vec, base_point=None, image_point=None):
        r"""Return the image :math:`d_C \phi(V)` of a tangent vector.

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
        if base_point is None:
            base_point = self.inverse(image_point)
        moved = self._differential(tangent_vec, base_point, image_point)
        return self._checked(base_point, moved)

    @_strict_if_wanted
    def map_and_tangent(self, tangent_vec, base_point):
        r"""Return :math:`\phi(C)` and :math:`d_C \phi(V)`, at the cost of one of them.

        Parameters
        ----------
        tangent_vec : array, shape=[..., n, n]
            Symmetric hollow matrix.
        base_point : array, shape=[..., n, n]
            Full-rank correlation matrix.

        Returns
        -------
        image_point : array, shape=[..., n, n]
            Image of the point.
        image_tangent_vec : array, shape=[..., n, n]
            Tangent vector at the image.
        """
        image_point = self(base_point)
        return image_point, self._differential(tangent_vec, base_point, image_point)

    @_strict_if_wanted
    def inverse_tangent(self, image_tangent_vec, image_point=None, base_point=None):
        r"""Return :math:`(d_C \phi)^{-1}(W)`, the tangent vector with a given image.

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
        if image_point is None:
            image_point = self(base_point)
        return self._inverse_differential(image_tangent_vec, image_point)

    @_strict_if_wanted
    def map_and_inverse_tangent(self, base_point):
        r"""Return :math:`\phi(C)`, and the inverse of the differential there.

        .. math:: \phi(C) , \qquad W \mapsto (d_C \phi)^{-1}(W) .

        Parameters
        ----------
        base_point : array, shape=[..., n, n]
            Full-rank correlation matrix.

        Returns
        -------
        image_point : array, shape=[..., n, n]
            Image of the point.
        inverse_tangent : callable
            Takes tangent vectors at the image, returns those at the point.
        """
        image_point = self(base_point)

        def inverse_tangent(image_tangent_vec):
            return self.inverse_tangent(image_tangent_vec, image_point, base_point)

        return image_point, inverse_tangent

    @abc.abstractmethod
    def inverse_second_tangent(self, image_tangent_vec, image_point):
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

    @abc.abstractmethod
    def _map(self, base_point):
        """Apply the kernel of the map."""

    @abc.abstractmethod
    def _inverse_map(self, image_point):
        """Apply the kernel of the inverse map."""

    @abc.abstractmethod
    def _differential(self, tangent_vec, base_point, image_point=None):
        """Apply the kernel of the differential; the image point may save work."""

    @abc.abstractmethod
    def _inverse_differential(self, image_tangent_vec, image_point):
        """Apply the kernel of the differential of the inverse."""

    def _lower_map(self, base_point):
        """Apply the kernel of the map, to the lower triangle at least."""
        return self._map(base_point)

    def _factor(self, image_point):
        """Return a factor of the point; by default the point is formed."""
        return kernels.full_rank_factor(self._inverse_map(image_point))

    def _image_of_factor(self, factor, is_lower):
        """Return the image of a point given by a factor; by default it is formed."""
        return self._map(correlation_of_rows(factor))

    def _largest_safe_coords(self, dtype_info):
        return math.inf

    def _checked(self, base_point, image):
        if self.check:
            require_positive_definite("point", base_point, image)
        return image

    def _warn_if_singular(self, base_point, image_point):
        warn_if_singular(base_point)


def _logarithmic_radius(dtype_info):
    """Return a length of logarithms whose exponentials are singular to the dtype.

    The condition number of exp X is up to exp(1.4 |X|): with this bound it may be the
    inverse spacing to the power of 3.5, and the solvers still converge.
    """
    return -2.5 * math.log(float(dtype_info.eps))
