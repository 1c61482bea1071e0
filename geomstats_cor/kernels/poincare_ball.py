r"""Poincaré balls of any negative curvature, with maps at their origin.

The ball of curvature :math:`K < 0` is :math:`\{x : |x|^2 < -1 / K\}`, and
:math:`\kappa = \sqrt{-K}`. A point :math:`x` is given by itself or by its logarithm
:math:`v` at the origin, which stays exact where :math:`x` is within rounding of the
boundary:

.. math:: x = \frac{\tanh(\kappa |v|)}{\kappa |v|} v , \qquad d(0, x) = 2 |v| .

References
----------
.. [G2018] O. Ganea, G. Bécigneul and T. Hofmann. Hyperbolic neural networks.
   NeurIPS 2018.
.. [S2021] R. Shimizu, Y. Mukuta and T. Harada. Hyperbolic neural networks++. ICLR 2021.
"""

import math

from .._types import Array, ArrayLike
from ._array import eps, namespace, row_dot
from ._autodiff import detached, is_readable
from ._precision import in_own_precision
from ._quotients import divide, length, sinh_quotient, squared_length, tanh_quotient
from .hyperbolic_models import hyperboloid_from_ball, hyperboloid_to_origin_tangent
from .hyperboloid import hyperboloid_time

_MARGIN = 16.0  # rounding units between the boundary and the points of a ball
_LARGE = 20.0  # beyond, sinh and the exponential differ by less than rounding
_UNDERFLOW = 80.0  # the exponential of minus this is still a number in float32
# Coefficients of Gamma(a + 1/2) / Gamma(a) = sqrt(a) (1 - 1 / (8 a) + ...).
_GAMMA_RATIO = (1.0, -1 / 8, 1 / 128, 5 / 1024, -21 / 32768, -399 / 262144)


@in_own_precision
def ball_exp(tangent_vec: Array, curvature: float = -1.0) -> Array:
    r"""Return the exponential at the origin of a Poincaré ball.

    .. math:: x = \frac{\tanh(\kappa |v|)}{\kappa |v|} v , \qquad \kappa = \sqrt{-K} .

    Points that rounding would put on the boundary stay a few rounding units inside.

    Parameters
    ----------
    tangent_vec : array, shape=[..., k]
        Tangent vector :math:`v` at the origin.
    curvature : float
        Curvature :math:`K < 0`.

    Returns
    -------
    ball_point : array, shape=[..., k]
        Point of the ball.

    Examples
    --------
    >>> import numpy as np
    >>> from geomstats_cor.kernels import ball_exp
    >>> ball_exp(np.array([np.log(2) / 2])).round(4)
    array([0.3333])
    >>> bool(ball_exp(np.array([1000.0]))[0] < 1.0)
    True
    """
    xp = namespace(tangent_vec)
    kappa = math.sqrt(-curvature)
    square = kappa**2 * row_dot(tangent_vec, tangent_vec)
    largest = 1.0 - _MARGIN * eps(tangent_vec)
    far = square > math.atanh(largest) ** 2
    clipped = largest / xp.sqrt(xp.where(far, square, 1.0))
    near = tanh_quotient(xp.where(far, 0.0, square))
    return xp.where(far, clipped, near) * tangent_vec


@in_own_precision
def ball_log(ball_point: Array, curvature: float = -1.0) -> Array:
    r"""Return the logarithm at the origin of a Poincaré ball.

    .. math:: v = \frac{\operatorname{atanh}(\kappa |x|)}{\kappa |x|} x , \qquad
              d(0, x) = 2 |v| , \quad \kappa = \sqrt{-K} .

    Parameters
    ----------
    ball_point : array, shape=[..., k]
        Point :math:`x` of the ball.
    curvature : float
        Curvature :math:`K < 0`.

    Returns
    -------
    tangent_vec : array, shape=[..., k]
        Tangent vector at the origin.

    Examples
    --------
    >>> import numpy as np
    >>> from geomstats_cor.kernels import ball_log
    >>> ball_log(np.array([1 / 3])).round(4)
    array([0.3466])
    """
    kappa = math.sqrt(-curvature)
    return (
        hyperboloid_to_origin_tangent(hyperboloid_from_ball(kappa * ball_point)) / kappa
    )


@in_own_precision
def ball_logits(
    ball_point: Array, weight: Array, offset: Array, curvature: float = -1.0
) -> Array:
    r"""Return the logits of the Poincaré multinomial logistic regression.

    .. math:: v_k(x) = \frac{2 |z_k|}{\kappa} \operatorname{asinh}\left(
              \lambda_x \kappa \langle x, [z_k] \rangle \cosh(2 \kappa \gamma_k)
              - (\lambda_x - 1) \sinh(2 \kappa \gamma_k)\right) ,

    .. math:: \lambda_x = \frac{2}{1 - \kappa^2 |x|^2} , \qquad
              \kappa = \sqrt{-K} , \quad [z] = \frac{z}{|z|} .

    Parameters
    ----------
    ball_point : array, shape=[..., k]
        Point :math:`x` of the ball.
    weight : array, shape=[out, k]
        Normals :math:`z` of the hyperplanes, at the origin.
    offset : array, shape=[out]
        Offsets :math:`\gamma` of the hyperplanes from the origin.
    curvature : float
        Curvature :math:`K < 0`.

    Returns
    -------
    logits : array, shape=[..., out]
        Signed distances to the hyperplanes, times the lengths :math:`2 |z|` of their
        normals.

    Examples
    --------
    A point at distance :math:`\log 2` from the first hyperplane, on the second:

    >>> import numpy as np
    >>> from geomstats_cor.kernels import ball_logits
    >>> weight, offset = np.array([[1.0], [1.0]]), np.array([0.0, np.log(2) / 2])
    >>> logits = ball_logits(np.array([1 / 3]), weight, offset)
    >>> (logits / 2).round(4) + 0.0
    array([0.6931, 0.    ])
    """
    kappa = math.sqrt(-curvature)
    point = hyperboloid_from_ball(kappa * ball_point)
    return _logits(point @ weight.mT, hyperboloid_time(point), weight, offset, kappa)


@in_own_precision
def ball_logits_of_tangent(
    tangent_vec: Array,
    weight: Array,
    offset: Array,
    curvature: float = -1.0,
    stretch: float = 1.0,
) -> Array:
    r"""Return `ball_logits` of a point given by its logarithm at the origin.

    .. math:: v_k = \frac{2 |z_k|}{\kappa} \operatorname{asinh}\left(
              \frac{\sinh(2 \kappa |v|)}{|v|} \langle v, [z_k] \rangle
              \cosh(2 \kappa \gamma_k)
              - \cosh(2 \kappa |v|) \sinh(2 \kappa \gamma_k)\right) .

    They are finite for vectors of any length: where the hyperbolic sine would overflow,
    a factor is taken out of it.

    Parameters
    ----------
    tangent_vec : array, shape=[..., k]
        Tangent vector :math:`v` at the origin.
    weight : array, shape=[out, k]
        Normals :math:`z` of the hyperplanes, at the origin.
    offset : array, shape=[out]
        Offsets :math:`\gamma` of the hyperplanes from the origin.
    curvature : float
        Curvature :math:`K < 0`, :math:`\kappa = \sqrt{-K}`.
    stretch : float
        Number by which the tangent vectors are yet to be multiplied.

    Returns
    -------
    logits : array, shape=[..., out]
        Logits.

    Examples
    --------
    On a line, signed distances are twice those of the logarithms:

    >>> import numpy as np
    >>> from geomstats_cor.kernels import ball_logits_of_tangent
    >>> weight, offset = np.array([[1.0]]), np.array([0.5])
    >>> logits = ball_logits_of_tangent(np.array([[1.0], [1000.0]]), weight, offset)
    >>> (logits / 2).round(8).tolist()
    [[1.0], [1999.0]]
    """
    xp = namespace(tangent_vec)
    kappa = math.sqrt(-curvature)
    twice = 2.0 * kappa * stretch
    square = twice**2 * squared_length(tangent_vec)
    far = square > _LARGE**2
    excess = None
    if _holds_nowhere(far):
        quotient, time = _quotient_and_time(square)
    else:
        near_quotient, near_time = _quotient_and_time(xp.where(far, 0.0, square))
        distance = xp.sqrt(xp.where(far, square, _LARGE**2))
        excess = detached(distance) - _LARGE
        sine = 0.5 * xp.exp(distance - excess)
        quotient = xp.where(far, sine / distance, near_quotient)
        time = xp.where(far, sine, near_time)
    products = twice * quotient * (tangent_vec @ weight.mT)
    return _logits(products, time, weight, offset, kappa, excess)


def _holds_nowhere(condition):
    """Tell whether a condition is known to hold nowhere.

    A case that does not occur need not be computed, unless torch traces or maps.
    """
    return is_readable(condition) and not bool(namespace(condition).any(condition))


def _quotient_and_time(square):
    """Return sinh(r) / r and cosh(r), given the square of r."""
    time = 1.0 + 0.5 * square * sinh_quotient(0.25 * square) ** 2
    return sinh_quotient(square), time


def _logits(products, time, weight, offset, kappa, excess=None):
    """Return the logits of points of the hyperboloid, from their products with z.

    If there is an excess, products and time have lost a factor of its exponential.
    """
    xp = namespace(products)
    norm = xp.linalg.vector_norm(weight, axis=-1)
    along = divide(products, norm)
    shift = 2.0 * kappa * offset
    cosine, sine, over = _cosh_and_sinh(shift)
    excess = over if excess is None else excess if over is None else excess + over
    sine = along * cosine - time * sine
    distance = xp.asinh(sine)
    if excess is not None:
        # The exponential of a larger excess underflows.
        least = xp.exp(-xp.clip(excess, None, _UNDERFLOW)) + 0.0 * sine
        reach = xp.log(xp.abs(sine) + xp.hypot(sine, least))
        reach = xp.where(sine < 0.0, -excess - reach, excess + reach)
        distance = xp.where(excess > 0.0, reach, distance)
    return 2.0 / kappa * norm * distance


def _cosh_and_sinh(x):
    """Return cosh and sinh, and the excess whose exponential they have lost, if any."""
    xp = namespace(x)
    far = xp.abs(x) > _LARGE
    if _holds_nowhere(far):
        return xp.cosh(x), xp.sinh(x), None
    near = xp.where(far, 0.0, x)
    excess = xp.where(far, xp.abs(detached(x)) - _LARGE, 0.0)
    # One of the two exponentials of a far number is null beside the other.
    half = 0.5 * xp.exp(xp.where(far, xp.abs(x), _LARGE) - excess)
    cosine = xp.where(far, half, xp.cosh(near))
    sine = xp.where(far, xp.where(x < 0.0, -half, half), xp.sinh(near))
    return cosine, sine, excess


@in_own_precision
def ball_from_distances(distances: Array, curvature: float = -1.0) -> Array:
    r"""Return the point at given signed distances from the coordinate hyperplanes.

    .. math:: y = \frac{w}{1 + \sqrt{1 + \kappa^2 |w|^2}}, \qquad
              w_k = \frac{\sinh(\kappa v_k)}{\kappa} .

    Parameters
    ----------
    distances : array, shape=[..., k]
        Signed distances :math:`v` to the hyperplanes through the origin that are
        orthogonal to the axes.
    curvature : float
        Curvature :math:`K < 0`.

    Returns
    -------
    ball_point : array, shape=[..., k]
        Point :math:`y` of the ball.

    Examples
    --------
    >>> import numpy as np
    >>> from geomstats_cor.kernels import ball_from_distances
    >>> ball_from_distances(np.array([np.log(2), 0.0])).round(4)
    array([0.3333, 0.    ])
    """
    return ball_exp(tangent_from_distances(distances, curvature), curvature)


@in_own_precision
def tangent_from_distances(distances: Array, curvature: float = -1.0) -> Array:
    r"""Return the logarithm at the origin of `ball_from_distances`.

    .. math:: \frac{\operatorname{asinh}(\kappa |w|)}{2 \kappa |w|} w , \qquad
              w_k = \frac{\sinh(\kappa v_k)}{\kappa} .

    It is finite for all distances: where the hyperbolic sine would overflow, a common
    factor is taken out of it.

    Parameters
    ----------
    distances : array, shape=[..., k]
        Signed distances :math:`v` to the coordinate hyperplanes.
    curvature : float
        Curvature :math:`K < 0`, :math:`\kappa = \sqrt{-K}`.

    Returns
    -------
    tangent_vec : array, shape=[..., k]
        Tangent vector at the origin.

    Examples
    --------
    >>> import numpy as np
    >>> from geomstats_cor.kernels import tangent_from_distances
    >>> tangent_from_distances(np.array([[np.log(2), 0.0], [2000.0, 0.0]])).round(4)
    array([[3.466e-01, 0.000e+00],
           [1.000e+03, 0.000e+00]])
    """
    xp = namespace(distances)
    kappa = math.sqrt(-curvature)
    distances = kappa * distances
    largest = xp.max(xp.abs(detached(distances)), axis=-1, keepdims=True)
    far = largest > _LARGE
    if _holds_nowhere(far):
        return hyperboloid_to_origin_tangent(xp.sinh(distances)) / kappa
    near = hyperboloid_to_origin_tangent(xp.sinh(xp.where(far, 0.0, distances)))
    excess = largest - _LARGE
    shifted = xp.where(far, distances, _LARGE)
    excess = xp.where(far, excess, 0.0)
    sines = 0.5 * (xp.exp(shifted - excess) - xp.exp(-shifted - excess))
    radius = length(row_dot(sines, sines))
    away = 0.5 * (excess + xp.log(2.0 * radius)) / radius * sines
    return xp.where(far, away, near) / kappa


def beta_number(dimension: int) -> float:
    r"""Return :math:`\beta_n = B(n / 2, 1 / 2)`, the scale of a ball of dimension n.

    Parameters
    ----------
    dimension : int
        Dimension n of the ball.

    Returns
    -------
    beta : float
        Value of the beta function.

    Examples
    --------
    >>> from geomstats_cor.kernels import beta_number
    >>> round(beta_number(1), 4), round(beta_number(2), 4)
    (3.1416, 2.0)
    """
    half = 0.5 * dimension
    if half < 150.0:
        return math.sqrt(math.pi) * math.gamma(half) / math.gamma(half + 0.5)
    ratio = sum(c / half**power for power, c in enumerate(_GAMMA_RATIO))
    return math.sqrt(math.pi / half) / ratio


@in_own_precision
def ball_concat(ball_points: ArrayLike, curvature: float = -1.0) -> Array:
    r"""Return the :math:`\beta`-concatenation of points of several balls.

    .. math:: \operatorname{Exp}_0\left(\beta_n \left(\beta_{n_1}^{-1}
              \operatorname{Log}_0 x_1, \dots, \beta_{n_N}^{-1} \operatorname{Log}_0 x_N
              \right)\right), \qquad n = n_1 + \dots + n_N .

    Parameters
    ----------
    ball_points : sequence of array, shape=[..., n_i]
        Points.
    curvature : float
        Curvature :math:`K < 0`.

    Returns
    -------
    ball_point : array, shape=[..., n]
        Point of the ball of the sum of the dimensions.

    Examples
    --------
    >>> import numpy as np
    >>> from geomstats_cor.kernels import ball_concat, ball_split
    >>> points = np.array([0.1]), np.array([0.2, -0.3])
    >>> joined = ball_concat(points)
    >>> joined.shape
    (3,)
    >>> [part.round(12).tolist() for part in ball_split(joined, [1, 2])]
    [[0.1], [0.2, -0.3]]
    """
    xp = namespace(*ball_points)
    total = beta_number(sum(point.shape[-1] for point in ball_points))
    vectors = [
        total / beta_number(point.shape[-1]) * ball_log(point, curvature)
        for point in ball_points
    ]
    return ball_exp(xp.concat(vectors, axis=-1), curvature)


@in_own_precision
def ball_split(ball_point: Array, sizes: ArrayLike, curvature: float = -1.0) -> tuple:
    r"""Return the :math:`\beta`-split of a point, the inverse of `ball_concat`.

    .. math:: x_i = \operatorname{Exp}_0\left(\beta_{n_i} \beta_n^{-1} v_i\right) ,
              \qquad \operatorname{Log}_0 x = (v_1, \dots, v_N) ,
              \quad v_i \in \mathbb R^{n_i} .

    Parameters
    ----------
    ball_point : array, shape=[..., n]
        Point.
    sizes : sequence of int
        Dimensions of the balls, of sum n.
    curvature : float
        Curvature :math:`K < 0`.

    Returns
    -------
    ball_points : tuple of array, shape=[..., n_i]
        Points.

    Examples
    --------
    >>> import numpy as np
    >>> from geomstats_cor.kernels import ball_concat, ball_split
    >>> first, second = ball_split(np.array([0.1, 0.2, -0.3]), [1, 2])
    >>> first.shape, second.shape
    ((1,), (2,))
    >>> ball_concat([first, second]).round(12)
    array([ 0.1,  0.2, -0.3])
    """
    total = beta_number(ball_point.shape[-1])
    vector = ball_log(ball_point, curvature)
    points, start = [], 0
    for size in sizes:
        part = beta_number(size) / total * vector[..., start : start + size]
        points.append(ball_exp(part, curvature))
        start += size
    return tuple(points)
