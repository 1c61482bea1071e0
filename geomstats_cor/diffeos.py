"""The diffeomorphisms of the five metrics, as geomstats' Diffeo objects.

A diffeomorphism joins a map, its inverse and their differentials, all of which are
kernels. It accepts numpy arrays and torch tensors alike, and with `check` it turns the
failure of a factorisation into an error that names the matrix.
"""

import abc
import functools
import math

from geomstats.geometry.diffeo import Diffeo

from . import kernels
from .kernels._arrays import eye_like, namespace, off_diagonal
from .kernels._gradients import is_plain, is_readable
from .kernels._tolerances import rank_tolerance
from .kernels.cholesky import correlation_of_rows
from .kernels.exp_scaled_maps import exp_scaled_factor
from .kernels.factors import (
    log_of_factor,
    log_scaled_of_factor,
    unit_lower_of_factor,
    unit_rows,
)
from .kernels.log_scaled_maps import lower_log_scaled
from .kernels.offlog import off_exp_factor
from .kernels.symmetric import lower_sym_log
from .validation import (
    call_strictly,
    first_index,
    require_finite_result,
    require_positive_definite,
    warn_if_singular,
    warn_near_boundary,
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


class EuclideanCholeskyDiffeo(CorrelationDiffeo):
    r"""The map onto unit lower triangular matrices, of the Euclidean-Cholesky metric.

    .. math:: \Theta(C) = \operatorname{Diag}(L)^{-1} L , \qquad C = L L^\top .

    Parameters
    ----------
    check : bool or "strict"
        See `CorrelationDiffeo`.

    References
    ----------
    .. [T2022] Y. Thanwerdas and X. Pennec. Theoretically and computationally convenient
       geometries on full-rank correlation matrices. SIAM J. Matrix Anal. Appl. 43,
       2022.

    Examples
    --------
    >>> import numpy as np
    >>> from geomstats_cor.diffeos import EuclideanCholeskyDiffeo
    >>> EuclideanCholeskyDiffeo()(np.array([[1.0, 0.6], [0.6, 1.0]])).round(12)
    array([[1.  , 0.  ],
           [0.75, 1.  ]])
    """

    is_strict_part_at_identity = True
    has_lower_factor = True

    def _map(self, base_point):
        return kernels.theta(base_point)

    def _inverse_map(self, image_point):
        return kernels.theta_inverse(image_point)

    def _factor(self, image_point):
        """Return the normalised rows, the Cholesky factor."""
        return unit_rows(image_point)

    def _image_of_factor(self, factor, is_lower):
        """Return the Cholesky factor, its rows divided by their diagonal entries."""
        return unit_lower_of_factor(factor, is_lower)

    def _largest_safe_coords(self, dtype_info):
        """Return the inverse spacing: a row that long has a pivot of the spacing."""
        return 1.0 / float(dtype_info.eps)

    def _differential(self, tangent_vec, base_point, image_point=None):
        unit_lower = kernels.theta(base_point) if image_point is None else image_point
        return kernels.theta_differential_at(tangent_vec, unit_lower)

    def _inverse_differential(self, image_tangent_vec, image_point):
        return kernels.theta_inverse_differential(image_tangent_vec, image_point)

    def _warn_if_singular(self, base_point, image_point):
        _warn_of_small_pivots(image_point)

    def inverse_second_tangent(self, image_tangent_vec, image_point):
        r"""Return the second derivative of :math:`\Theta^{-1}(X + t W)` at zero.

        Parameters
        ----------
        image_tangent_vec : array, shape=[..., n, n]
            Strictly lower triangular matrix :math:`W`.
        image_point : array, shape=[..., n, n]
            Unit lower triangular matrix :math:`X`.

        Returns
        -------
        curved : array, shape=[..., n, n]
            Symmetric hollow matrix.
        """
        return kernels.theta_inverse_second_differential(image_tangent_vec, image_point)


class PolyHyperbolicCholeskyDiffeo(CorrelationDiffeo):
    r"""The map :math:`\Theta(C) - I` onto strictly lower triangular matrices.

    Its rows :math:`L_{ij} / L_{ii}`, :math:`j < i`, are the space coordinates of points
    of hyperboloids: the hemisphere of the row of :math:`L`, seen in another model.

    Parameters
    ----------
    check : bool or "strict"
        See `CorrelationDiffeo`.

    References
    ----------
    .. [T2022] Y. Thanwerdas and X. Pennec. Theoretically and computationally convenient
       geometries on full-rank correlation matrices. SIAM J. Matrix Anal. Appl. 43,
       2022.

    Examples
    --------
    >>> import numpy as np
    >>> from geomstats_cor.diffeos import PolyHyperbolicCholeskyDiffeo
    >>> PolyHyperbolicCholeskyDiffeo()(np.array([[1.0, 0.6], [0.6, 1.0]])).round(12)
    array([[0.  , 0.  ],
           [0.75, 0.  ]])
    """

    is_strict_part_at_identity = True
    has_lower_factor = True

    def _map(self, base_point):
        return kernels.strict_theta(base_point)

    def _inverse_map(self, image_point):
        return kernels.theta_inverse(image_point + eye_like(image_point))

    def _factor(self, image_point):
        """Return the normalised rows of I + X, the Cholesky factor."""
        return unit_rows(image_point + eye_like(image_point))

    def _image_of_factor(self, factor, is_lower):
        """Return the Cholesky factor, its rows divided by their diagonal entries."""
        return unit_lower_of_factor(factor, is_lower) - eye_like(factor)

    def _largest_safe_coords(self, dtype_info):
        r"""Return the length :math:`r` of a row whose pivot is the spacing.

        .. math:: \sinh(2 r) = 1 / \epsilon .
        """
        return 0.5 * math.asinh(1.0 / float(dtype_info.eps))

    def _differential(self, tangent_vec, base_point, image_point=None):
        if image_point is None:
            return kernels.theta_differential(tangent_vec, base_point)
        unit_lower = image_point + eye_like(image_point)
        return kernels.theta_differential_at(tangent_vec, unit_lower)

    def _inverse_differential(self, image_tangent_vec, image_point):
        unit_lower = image_point + eye_like(image_point)
        return kernels.theta_inverse_differential(image_tangent_vec, unit_lower)

    def _warn_if_singular(self, base_point, image_point):
        _warn_of_small_pivots(image_point + eye_like(image_point))

    def inverse_second_tangent(self, image_tangent_vec, image_point):
        r"""Return the second derivative of :math:`\Theta^{-1}(I + X + t W)` at zero.

        Parameters
        ----------
        image_tangent_vec : array, shape=[..., n, n]
            Strictly lower triangular matrix :math:`W`.
        image_point : array, shape=[..., n, n]
            Strictly lower triangular matrix :math:`X`.

        Returns
        -------
        curved : array, shape=[..., n, n]
            Symmetric hollow matrix.
        """
        unit_lower = image_point + eye_like(image_point)
        return kernels.theta_inverse_second_differential(image_tangent_vec, unit_lower)


class LogEuclideanCholeskyDiffeo(CorrelationDiffeo):
    r"""The map :math:`\log \Theta(C)` onto strictly lower triangular matrices.

    :math:`\Theta` is the map of `EuclideanCholeskyDiffeo`.

    Parameters
    ----------
    check : bool or "strict"
        See `CorrelationDiffeo`.

    References
    ----------
    .. [T2022] Y. Thanwerdas and X. Pennec. Theoretically and computationally convenient
       geometries on full-rank correlation matrices. SIAM J. Matrix Anal. Appl. 43,
       2022.

    Examples
    --------
    >>> import numpy as np
    >>> from geomstats_cor.diffeos import LogEuclideanCholeskyDiffeo
    >>> LogEuclideanCholeskyDiffeo()(np.array([[1.0, 0.6], [0.6, 1.0]])).round(12)
    array([[0.  , 0.  ],
           [0.75, 0.  ]])
    """

    is_strict_part_at_identity = True
    has_lower_factor = True

    def _map(self, base_point):
        return kernels.log_unit_lower(kernels.theta(base_point))

    def _inverse_map(self, image_point):
        return kernels.theta_inverse(kernels.exp_strictly_lower(image_point))

    def _factor(self, image_point):
        r"""Return the normalised rows of :math:`\exp X`, the Cholesky factor."""
        return unit_rows(kernels.exp_strictly_lower(image_point))

    def _image_of_factor(self, factor, is_lower):
        """Return the logarithm of the Cholesky factor with unit diagonal.

        Also a factor that is lower triangular already is shifted, which bounds its
        inverse: the powers of a triangle without that overflow.
        """
        return kernels.log_unit_lower(unit_lower_of_factor(factor))

    def _largest_safe_coords(self, dtype_info):
        r"""Return a length for which :math:`\exp` has finite cubes, for any n.

        A strictly lower triangular matrix of length r has powers of at most
        :math:`(r^2 / k)^{k / 2}`, and an exponential of about
        :math:`\exp(1.5 \, (r / \sqrt e)^{2/3})`.
        """
        return 0.9 * (math.log(float(dtype_info.max)) / 3.0) ** 1.5

    def _differential(self, tangent_vec, base_point, image_point=None):
        unit_lower = kernels.theta(base_point)
        moved = kernels.theta_differential_at(tangent_vec, unit_lower)
        return kernels.log_unit_lower_differential(moved, unit_lower)

    @_strict_if_wanted
    def map_and_tangent(self, tangent_vec, base_point):
        r"""Return :math:`\phi(C)` and :math:`d_C \phi(V)` by one factorisation.

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
        unit_lower = kernels.theta(base_point)
        moved = kernels.theta_differential_at(tangent_vec, unit_lower)
        image_point = self._checked(base_point, kernels.log_unit_lower(unit_lower))
        return image_point, kernels.log_unit_lower_differential(moved, unit_lower)

    def _inverse_differential(self, image_tangent_vec, image_point):
        moved = kernels.exp_strictly_lower_differential(image_tangent_vec, image_point)
        unit_lower = kernels.exp_strictly_lower(image_point)
        return kernels.theta_inverse_differential(moved, unit_lower)

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
            Base point; if it is given, it is factorised instead of an exponential.

        Returns
        -------
        tangent_vec : array, shape=[..., n, n]
            Symmetric hollow matrix.
        """
        if base_point is None:
            return super().inverse_tangent(image_tangent_vec, image_point)
        if image_point is None:
            _, inverse_tangent = self.map_and_inverse_tangent(base_point)
            return inverse_tangent(image_tangent_vec)
        unit_lower = self._checked(base_point, kernels.theta(base_point))
        moved = kernels.exp_strictly_lower_differential(image_tangent_vec, image_point)
        return kernels.theta_inverse_differential(moved, unit_lower)

    @_strict_if_wanted
    def map_and_inverse_tangent(self, base_point):
        r"""Return :math:`\phi(C)`, and the inverse of the differential there.

        .. math:: \log K , \qquad W \mapsto d_K \Theta^{-1}(d_{\log K} \exp(W)) , \qquad
                  K = \Theta(C) ,

        by one factorisation.

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
        unit_lower = self._checked(base_point, kernels.theta(base_point))
        image_point = kernels.log_unit_lower(unit_lower)

        def inverse_tangent(image_tangent_vec):
            moved = kernels.exp_strictly_lower_differential(
                image_tangent_vec, image_point
            )
            return kernels.theta_inverse_differential(moved, unit_lower)

        return image_point, inverse_tangent

    def inverse_second_tangent(self, image_tangent_vec, image_point):
        r"""Return the second derivative of :math:`\Theta^{-1}(\exp(X + t W))` at zero.

        Parameters
        ----------
        image_tangent_vec : array, shape=[..., n, n]
            Strictly lower triangular matrix :math:`W`.
        image_point : array, shape=[..., n, n]
            Strictly lower triangular matrix :math:`X`.

        Returns
        -------
        curved : array, shape=[..., n, n]
            Symmetric hollow matrix.
        """
        unit_lower = kernels.exp_strictly_lower(image_point)
        first = kernels.exp_strictly_lower_differential(image_tangent_vec, image_point)
        second = kernels.exp_strictly_lower_second_differential(
            image_tangent_vec, image_point
        )
        curved = kernels.theta_inverse_second_differential(first, unit_lower)
        return curved + kernels.theta_inverse_differential(second, unit_lower)


class OffLogDiffeo(CorrelationDiffeo):
    r"""The map onto symmetric hollow matrices, of the off-log metric.

    .. math:: \operatorname{Log}^\circ(C) = \operatorname{off}(\log C) , \qquad
              \operatorname{Exp}^\circ(H) = \exp(H + \mathcal D(H)) .

    Parameters
    ----------
    check : bool or "strict"
        See `CorrelationDiffeo`.

    References
    ----------
    .. [T2024] Y. Thanwerdas. Permutation-invariant log-Euclidean geometries on
       full-rank correlation matrices. SIAM J. Matrix Anal. Appl. 45, 2024.

    Examples
    --------
    >>> import numpy as np
    >>> from geomstats_cor.diffeos import OffLogDiffeo
    >>> OffLogDiffeo()(np.array([[1.0, 0.6], [0.6, 1.0]])).round(4)
    array([[0.    , 0.6931],
           [0.6931, 0.    ]])
    """

    is_strict_part_at_identity = True

    def _map(self, base_point):
        return kernels.off_log(base_point)

    def _lower_map(self, base_point):
        return lower_sym_log(base_point)

    def _inverse_map(self, image_point):
        return kernels.off_exp(image_point)

    def _factor(self, image_point):
        r"""Return :math:`\exp((H + \mathcal D(H)) / 2)`, a symmetric factor."""
        return unit_rows(off_exp_factor(image_point))

    def _image_of_factor(self, factor, is_lower):
        """Return the logarithm from singular values, without its diagonal."""
        return off_diagonal(log_of_factor(factor))

    def _largest_safe_coords(self, dtype_info):
        return _logarithmic_radius(dtype_info)

    def _differential(self, tangent_vec, base_point, image_point=None):
        return kernels.off_log_differential(tangent_vec, base_point)

    @_strict_if_wanted
    def map_and_tangent(self, tangent_vec, base_point):
        r"""Return :math:`\phi(C)` and :math:`d_C \phi(V)` by one decomposition.

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
        images = kernels.off_log_and_differential(tangent_vec, base_point)
        return self._checked(base_point, images[0]), images[1]

    def _inverse_differential(self, image_tangent_vec, image_point):
        return kernels.off_exp_differential(image_tangent_vec, image_point)

    def inverse_tangent(self, image_tangent_vec, image_point=None, base_point=None):
        r"""Return :math:`(d_C \phi)^{-1}(W)`, the tangent vector with a given image.

        Parameters
        ----------
        image_tangent_vec : array, shape=[..., n, n]
            Tangent vector at the image.
        image_point : array, shape=[..., n, n]
            Image of the base point.
        base_point : array, shape=[..., n, n]
            Base point; if it is given, no diagonal has to be solved for.

        Returns
        -------
        tangent_vec : array, shape=[..., n, n]
            Symmetric hollow matrix.
        """
        if base_point is None:
            return super().inverse_tangent(image_tangent_vec, image_point)
        moved = kernels.off_log_differential_inverse(image_tangent_vec, base_point)
        return self._checked(base_point, moved)

    def inverse_second_tangent(self, image_tangent_vec, image_point):
        r"""Return the second derivative of :math:`\operatorname{Exp}^\circ(X + t W)`.

        Parameters
        ----------
        image_tangent_vec : array, shape=[..., n, n]
            Symmetric hollow matrix :math:`W`.
        image_point : array, shape=[..., n, n]
            Symmetric hollow matrix :math:`X`.

        Returns
        -------
        curved : array, shape=[..., n, n]
            Symmetric hollow matrix.
        """
        return kernels.off_exp_second_differential(image_tangent_vec, image_point)


class LogScalingDiffeo(CorrelationDiffeo):
    r"""The map onto symmetric matrices with null row sums, of the log-scaled metric.

    .. math:: \operatorname{Log}^\star(C) = \log(\mathcal D^\star C \mathcal D^\star) ,
              \qquad \operatorname{Exp}^\star(R) = \operatorname{Cor}(\exp R) .

    Parameters
    ----------
    check : bool or "strict"
        See `CorrelationDiffeo`.

    References
    ----------
    .. [T2024] Y. Thanwerdas. Permutation-invariant log-Euclidean geometries on
       full-rank correlation matrices. SIAM J. Matrix Anal. Appl. 45, 2024.

    Examples
    --------
    >>> import numpy as np
    >>> from geomstats_cor.diffeos import LogScalingDiffeo
    >>> LogScalingDiffeo()(np.array([[1.0, 0.6], [0.6, 1.0]])).round(4)
    array([[-0.6931,  0.6931],
           [ 0.6931, -0.6931]])
    """

    is_strict_part_at_identity = True

    def _map(self, base_point):
        return kernels.log_scaled(base_point)

    def _lower_map(self, base_point):
        return lower_log_scaled(base_point)

    def _inverse_map(self, image_point):
        return kernels.exp_scaled(image_point)

    def _factor(self, image_point):
        r"""Return the normalised rows of :math:`\exp(R / 2)`."""
        return exp_scaled_factor(image_point)

    def _image_of_factor(self, factor, is_lower):
        """Return the logarithm of the scaled matrix, from singular values."""
        return log_scaled_of_factor(factor)

    def _largest_safe_coords(self, dtype_info):
        return _logarithmic_radius(dtype_info)

    def _differential(self, tangent_vec, base_point, image_point=None):
        return kernels.log_scaled_differential(tangent_vec, base_point)

    @_strict_if_wanted
    def map_and_tangent(self, tangent_vec, base_point):
        r"""Return :math:`\phi(C)` and :math:`d_C \phi(V)` by one decomposition.

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
        images = kernels.log_scaled_and_differential(tangent_vec, base_point)
        return self._checked(base_point, images[0]), images[1]

    def _inverse_differential(self, image_tangent_vec, image_point):
        return kernels.exp_scaled_differential(image_tangent_vec, image_point)

    def inverse_second_tangent(self, image_tangent_vec, image_point):
        r"""Return the second derivative of :math:`\operatorname{Exp}^\star(X + t W)`.

        Parameters
        ----------
        image_tangent_vec : array, shape=[..., n, n]
            Symmetric matrix :math:`W` with null row sums.
        image_point : array, shape=[..., n, n]
            Symmetric matrix :math:`X` with null row sums.

        Returns
        -------
        curved : array, shape=[..., n, n]
            Symmetric hollow matrix.
        """
        return kernels.exp_scaled_second_differential(image_tangent_vec, image_point)


def _logarithmic_radius(dtype_info):
    """Return a length of logarithms whose exponentials are singular to the dtype.

    The condition number of exp X is up to exp(1.4 |X|): with this bound it may be the
    inverse spacing to the power of 3.5, and the solvers still converge.
    """
    return -2.5 * math.log(float(dtype_info.eps))


def _warn_of_small_pivots(unit_lower):
    """Warn of rows whose pivot 1 / |row|^2 vanishes: cheaper than a factorisation."""
    if not is_readable(unit_lower):
        return
    xp = namespace(unit_lower)
    squares = xp.max(xp.sum(unit_lower * unit_lower, axis=-1), axis=-1)
    where = first_index(~(squares < 1.0 / rank_tolerance(unit_lower)))
    if where is not None:
        warn_near_boundary(where)
