r"""Maps between the models of hyperbolic space, and their differentials.

A point of the hyperboloid is given by its space coordinates :math:`y`, one row of an
array each; :math:`\tau = \sqrt{1 + |y|^2}` is its time coordinate. The other models are
the Poincaré ball, the open hemisphere, and the tangent space at the origin of the ball.

References
----------
.. [C1997] J. W. Cannon, W. J. Floyd, R. Kenyon and W. R. Parry. Hyperbolic geometry.
   Flavors of Geometry, 1997.
"""

from ._array import eps, namespace, row_dot
from ._autodiff import StatedGradient
from ._precision import in_own_precision
from ._quotients import (
    asinh_quotient,
    asinh_quotient_derivative,
    sinh_quotient,
    sinh_quotient_derivative,
)
from .hyperboloid import hyperboloid_time


@in_own_precision
def hyperboloid_to_origin_tangent(point):
    r"""Return the logarithm at the origin of the Poincaré ball.

    .. math:: v = \frac12 \frac{\operatorname{asinh} |y|}{|y|} y .

    Parameters
    ----------
    point : array, shape=[..., k]
        Space coordinates on the hyperboloid.

    Returns
    -------
    tangent_vec : array, shape=[..., k]
        Tangent vector at the origin of the ball, half as long as the distance to it.

    Examples
    --------
    >>> import numpy as np
    >>> from geomstats_cor.kernels import hyperboloid_to_origin_tangent
    >>> hyperboloid_to_origin_tangent(np.array([0.75])).round(4)
    array([0.3466])
    >>> round(float(np.log(2) / 2), 4)
    0.3466
    """
    return _to_origin_tangent(point)


@in_own_precision
def hyperboloid_to_origin_tangent_differential(vector, point):
    r"""Return the differential of `hyperboloid_to_origin_tangent`.

    .. math:: f(r) u + \frac{f'(r)}{r} (y \cdot u) y , \qquad
              f(r) = \frac{\operatorname{asinh} r}{2 r} , \quad r = |y| .

    Parameters
    ----------
    vector : array, shape=[..., k]
        Tangent vector :math:`u`.
    point : array, shape=[..., k]
        Space coordinates :math:`y` on the hyperboloid.

    Returns
    -------
    moved : array, shape=[..., k]
        Tangent vector at the image.

    Examples
    --------
    On a line it is :math:`u / (2 \tau)`:

    >>> import numpy as np
    >>> from geomstats_cor.kernels import hyperboloid_to_origin_tangent_differential
    >>> vector, point = np.array([1.0]), np.array([0.75])
    >>> hyperboloid_to_origin_tangent_differential(vector, point).round(12)
    array([0.4])
    """
    square = row_dot(point, point)
    moved = 0.5 * asinh_quotient(square) * vector
    moved += asinh_quotient_derivative(square) * row_dot(point, vector) * point
    return moved


@in_own_precision
def hyperboloid_from_origin_tangent(tangent_vec):
    r"""Invert `hyperboloid_to_origin_tangent`: :math:`y = \frac{\sinh 2|v|}{|v|} v`.

    Parameters
    ----------
    tangent_vec : array, shape=[..., k]
        Tangent vector at the origin of the Poincaré ball.

    Returns
    -------
    point : array, shape=[..., k]
        Space coordinates on the hyperboloid.

    Examples
    --------
    >>> import numpy as np
    >>> from geomstats_cor.kernels import hyperboloid_from_origin_tangent
    >>> hyperboloid_from_origin_tangent(np.array([np.log(2) / 2])).round(12)
    array([0.75])
    """
    return _from_origin_tangent(tangent_vec)


@in_own_precision
def hyperboloid_from_origin_tangent_differential(vector, tangent_vec):
    r"""Return the differential of `hyperboloid_from_origin_tangent`.

    .. math:: f(r) u + \frac{f'(r)}{r} (v \cdot u) v , \qquad
              f(r) = \frac{\sinh 2 r}{r} , \quad r = |v| .

    Parameters
    ----------
    vector : array, shape=[..., k]
        Tangent vector :math:`u`.
    tangent_vec : array, shape=[..., k]
        Tangent vector :math:`v` at the origin of the Poincaré ball.

    Returns
    -------
    moved : array, shape=[..., k]
        Tangent vector at the image.

    Examples
    --------
    On a line it is :math:`2 \cosh(2 v) u`:

    >>> import numpy as np
    >>> from geomstats_cor.kernels import hyperboloid_from_origin_tangent_differential
    >>> vector, tangent_vec = np.array([1.0]), np.array([np.log(2) / 2])
    >>> hyperboloid_from_origin_tangent_differential(vector, tangent_vec).round(12)
    array([2.5])
    """
    square = 4.0 * row_dot(tangent_vec, tangent_vec)
    stretch = 8.0 * sinh_quotient_derivative(square) * row_dot(tangent_vec, vector)
    return 2.0 * (sinh_quotient(square) * vector + stretch * tangent_vec)


def _radial(factor, differential):
    """Return the map y -> f(|y|^2) y. Its differential is symmetric."""
    return StatedGradient(
        lambda point: factor(row_dot(point, point)) * point,
        lambda tangents, point: differential(tangents[0], point),
        lambda cotangent, needed, point: (differential(cotangent, point),),
    )


_to_origin_tangent = _radial(
    lambda square: 0.5 * asinh_quotient(square),
    hyperboloid_to_origin_tangent_differential,
)
_from_origin_tangent = _radial(
    lambda square: 2.0 * sinh_quotient(4.0 * square),
    hyperboloid_from_origin_tangent_differential,
)


@in_own_precision
def hyperboloid_to_ball(point):
    r"""Return the point :math:`y / (1 + \tau)` of the Poincaré ball.

    Parameters
    ----------
    point : array, shape=[..., k]
        Space coordinates on the hyperboloid.

    Returns
    -------
    ball_point : array, shape=[..., k]
        Point of the open unit ball.

    Examples
    --------
    >>> import numpy as np
    >>> from geomstats_cor.kernels import hyperboloid_to_ball
    >>> hyperboloid_to_ball(np.array([0.75])).round(4)
    array([0.3333])
    """
    return point / (1.0 + hyperboloid_time(point))


@in_own_precision
def hyperboloid_to_ball_differential(vector, point):
    r"""Return the differential of `hyperboloid_to_ball`.

    .. math:: \frac{u}{1 + \tau} - \frac{y \cdot u}{\tau (1 + \tau)^2} y .

    Parameters
    ----------
    vector : array, shape=[..., k]
        Tangent vector :math:`u`.
    point : array, shape=[..., k]
        Space coordinates :math:`y` on the hyperboloid.

    Returns
    -------
    moved : array, shape=[..., k]
        Tangent vector at the image.

    Examples
    --------
    Lengths on the ball are :math:`2 |\dot p| / (1 - |p|^2)`, the same as before:

    >>> import numpy as np
    >>> from geomstats_cor.kernels import (
    ...     hyperbolic_orthonormal,
    ...     hyperboloid_to_ball,
    ...     hyperboloid_to_ball_differential,
    ... )
    >>> vector, point = np.array([1.0]), np.array([0.75])
    >>> moved = hyperboloid_to_ball_differential(vector, point)
    >>> (2 * moved / (1 - hyperboloid_to_ball(point) ** 2)).round(12)
    array([0.8])
    >>> hyperbolic_orthonormal(vector, point).round(12)
    array([0.8])
    """
    time = hyperboloid_time(point)
    product = row_dot(point, vector) / (time * (1.0 + time))
    return (vector - product * point) / (1.0 + time)


@in_own_precision
def hyperboloid_from_ball(ball_point):
    """Return the space coordinates :math:`2 p / (1 - |p|^2)`.

    A point that rounding cannot tell from one of the boundary counts as a rounding
    unit away from it.

    Parameters
    ----------
    ball_point : array, shape=[..., k]
        Point of the open unit ball.

    Returns
    -------
    point : array, shape=[..., k]
        Space coordinates on the hyperboloid.

    Examples
    --------
    >>> import numpy as np
    >>> from geomstats_cor.kernels import hyperboloid_from_ball
    >>> hyperboloid_from_ball(np.array([1 / 3])).round(12)
    array([0.75])
    """
    return 2.0 * ball_point / _room_to_boundary(ball_point)


def _room_to_boundary(ball_point):
    """Return 1 - |p|^2, and a rounding unit at least."""
    room = 1.0 - row_dot(ball_point, ball_point)
    return namespace(room).clip(room, eps(room), None)


@in_own_precision
def hyperboloid_from_ball_differential(vector, ball_point):
    r"""Return the differential of `hyperboloid_from_ball`.

    .. math:: \frac{2 u}{1 - |p|^2} + \frac{4 (p \cdot u)}{(1 - |p|^2)^2} p .

    Parameters
    ----------
    vector : array, shape=[..., k]
        Tangent vector :math:`u`.
    ball_point : array, shape=[..., k]
        Point :math:`p` of the open unit ball.

    Returns
    -------
    moved : array, shape=[..., k]
        Tangent vector at the image.

    Examples
    --------
    >>> import numpy as np
    >>> from geomstats_cor.kernels import hyperboloid_from_ball_differential
    >>> vector, ball_point = np.array([1.0]), np.array([1 / 3])
    >>> hyperboloid_from_ball_differential(vector, ball_point).round(12)
    array([2.8125])
    """
    rest = _room_to_boundary(ball_point)
    product = 2.0 * row_dot(ball_point, vector) / rest
    return 2.0 * (vector + product * ball_point) / rest


@in_own_precision
def hyperboloid_to_hemisphere(point):
    r"""Return the point :math:`(y, 1) / \tau` of the open hemisphere.

    Parameters
    ----------
    point : array, shape=[..., k]
        Space coordinates on the hyperboloid.

    Returns
    -------
    hemisphere_point : array, shape=[..., k + 1]
        Unit vector with a positive last entry.

    Examples
    --------
    >>> import numpy as np
    >>> from geomstats_cor.kernels import hyperboloid_to_hemisphere
    >>> hyperboloid_to_hemisphere(np.array([0.75])).round(12)
    array([0.6, 0.8])
    """
    xp = namespace(point)
    time = hyperboloid_time(point)
    return xp.concat([point / time, 1.0 / time], axis=-1)


@in_own_precision
def hyperboloid_to_hemisphere_differential(vector, point):
    r"""Return the differential of `hyperboloid_to_hemisphere`.

    .. math:: \frac{(u, 0)}{\tau} - \frac{y \cdot u}{\tau^3} (y, 1) .

    Parameters
    ----------
    vector : array, shape=[..., k]
        Tangent vector :math:`u`.
    point : array, shape=[..., k]
        Space coordinates :math:`y` on the hyperboloid.

    Returns
    -------
    moved : array, shape=[..., k + 1]
        Tangent vector at the image.

    Examples
    --------
    The result is orthogonal to the image :math:`(0.6, 0.8)`:

    >>> import numpy as np
    >>> from geomstats_cor.kernels import hyperboloid_to_hemisphere_differential
    >>> vector, point = np.array([1.0]), np.array([0.75])
    >>> hyperboloid_to_hemisphere_differential(vector, point).round(12)
    array([ 0.512, -0.384])
    """
    xp = namespace(vector, point)
    time = hyperboloid_time(point)
    product = row_dot(point, vector) / time**2
    space = (vector - product * point) / time
    return xp.concat(
        [space, xp.broadcast_to(-product / time, (*space.shape[:-1], 1))], axis=-1
    )


@in_own_precision
def hyperboloid_from_hemisphere(hemisphere_point):
    """Return the space coordinates :math:`x_{1..k} / x_{k+1}`.

    Parameters
    ----------
    hemisphere_point : array, shape=[..., k + 1]
        Unit vector with a positive last entry.

    Returns
    -------
    point : array, shape=[..., k]
        Space coordinates on the hyperboloid.

    Examples
    --------
    >>> import numpy as np
    >>> from geomstats_cor.kernels import hyperboloid_from_hemisphere
    >>> hyperboloid_from_hemisphere(np.array([0.6, 0.8])).round(12)
    array([0.75])
    """
    return hemisphere_point[..., :-1] / hemisphere_point[..., -1:]


@in_own_precision
def hyperboloid_from_hemisphere_differential(vector, hemisphere_point):
    r"""Return the differential of `hyperboloid_from_hemisphere`.

    .. math:: \frac{u_{1..k}}{x_{k+1}} - \frac{u_{k+1}}{x_{k+1}^2} x_{1..k} .

    Parameters
    ----------
    vector : array, shape=[..., k + 1]
        Tangent vector :math:`u`.
    hemisphere_point : array, shape=[..., k + 1]
        Unit vector :math:`x` with a positive last entry.

    Returns
    -------
    moved : array, shape=[..., k]
        Tangent vector at the image.

    Examples
    --------
    >>> import numpy as np
    >>> from geomstats_cor.kernels import hyperboloid_from_hemisphere_differential
    >>> vector, hemisphere_point = np.array([0.512, -0.384]), np.array([0.6, 0.8])
    >>> hyperboloid_from_hemisphere_differential(vector, hemisphere_point).round(12)
    array([1.])
    """
    height = hemisphere_point[..., -1:]
    ratio = vector[..., -1:] / height
    return (vector[..., :-1] - ratio * hemisphere_point[..., :-1]) / height
