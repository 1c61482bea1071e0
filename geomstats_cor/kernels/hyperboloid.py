r"""Hyperbolic spaces, one per row, in the space coordinates of the hyperboloid.

A point is given by :math:`y \in \mathbb R^k`; it stands for :math:`(y, \tau)` with
:math:`\tau = \sqrt{1 + |y|^2}` on the hyperboloid. A tangent vector is given by its
space part too. Rows are the last axis, with zeros where a row has fewer entries, so
that all rows of a triangular matrix are treated at once.

The distance enters through :math:`Q = \sinh^2(d / 2)`, computed from

.. math:: Q = \frac{|a - b|^2 + |a \wedge b|^2}{2 (1 + \tau_a \tau_b + a \cdot b)}
          \quad (a \cdot b \ge 0), \qquad
          2 Q = \frac{|a|^2 + |b|^2 + |a|^2 |b|^2}{1 + \tau_a \tau_b} - a \cdot b
          \quad (a \cdot b < 0) .

Neither form subtracts nearly equal numbers, both are smooth, and they are the same
function; :math:`\operatorname{arccosh}` of an inner product loses half the digits of a
small distance.

References
----------
.. [T2022] Y. Thanwerdas and X. Pennec. Theoretically and computationally convenient
   geometries on full-rank correlation matrices. SIAM J. Matrix Anal. Appl. 43, 2022.
.. [C1997] J. W. Cannon, W. J. Floyd, R. Kenyon and W. R. Parry. Hyperbolic geometry.
   Flavors of Geometry, 1997.
"""

from ._array import eps, namespace, row_dot
from ._autodiff import StatedGradient, total_differential
from ._precision import in_own_precision
from ._quotients import asinh_quotient, divide, length, sinh_quotient


@in_own_precision
def hyperboloid_time(point):
    r"""Return the time coordinate :math:`\tau = \sqrt{1 + |y|^2}`.

    Parameters
    ----------
    point : array, shape=[..., k]
        Space coordinates.

    Returns
    -------
    time : array, shape=[..., 1]
        Time coordinate.

    Examples
    --------
    >>> import numpy as np
    >>> from geomstats_cor.kernels import hyperboloid_time
    >>> hyperboloid_time(np.array([0.75]))
    array([1.25])
    """
    return namespace(point).sqrt(1.0 + row_dot(point, point))


@in_own_precision
def hyperbolic_orthonormal(vector, point):
    r"""Return the components of a tangent vector in an orthonormal frame.

    The frame is the one that the transport from the origin carries there:
    :math:`u - \frac{y \cdot u}{\tau (1 + \tau)} y`.

    Parameters
    ----------
    vector : array, shape=[..., k]
        Tangent vector.
    point : array, shape=[..., k]
        Base point.

    Returns
    -------
    components : array, shape=[..., k]
        Vector whose Euclidean products are the hyperbolic ones.

    Examples
    --------
    On a line it is :math:`u / \tau`:

    >>> import numpy as np
    >>> from geomstats_cor.kernels import hyperbolic_orthonormal
    >>> hyperbolic_orthonormal(np.array([1.0]), np.array([0.75])).round(12)
    array([0.8])
    """
    time = hyperboloid_time(point)
    return vector - row_dot(point, vector) / (time * (1.0 + time)) * point


@in_own_precision
def hyperbolic_from_orthonormal(components, point):
    r"""Invert `hyperbolic_orthonormal`: :math:`c + \frac{y \cdot c}{1 + \tau} y`.

    Parameters
    ----------
    components : array, shape=[..., k]
        Components in the orthonormal frame.
    point : array, shape=[..., k]
        Base point.

    Returns
    -------
    vector : array, shape=[..., k]
        Tangent vector.

    Examples
    --------
    >>> import numpy as np
    >>> from geomstats_cor.kernels import hyperbolic_from_orthonormal
    >>> hyperbolic_from_orthonormal(np.array([0.8]), np.array([0.75])).round(12)
    array([1.])
    """
    time = hyperboloid_time(point)
    return components + row_dot(point, components) / (1.0 + time) * point


@in_own_precision
def hyperbolic_half_sinh_square(point_a, point_b):
    r"""Return :math:`\sinh^2(d(a, b) / 2) = (\cosh d(a, b) - 1) / 2`.

    It is computed without the difference on the right, which cancels for near points.

    Parameters
    ----------
    point_a, point_b : array, shape=[..., k]
        Points.

    Returns
    -------
    square : array, shape=[..., 1]
        Squared hyperbolic sine of half the distance.

    Examples
    --------
    The distance between the origin and :math:`\sinh(\log 2) = 3 / 4` is :math:`\log 2`,
    and :math:`\cosh(\log 2) = 5 / 4`:

    >>> import numpy as np
    >>> from geomstats_cor.kernels import hyperbolic_half_sinh_square
    >>> hyperbolic_half_sinh_square(np.array([0.0]), np.array([0.75])).round(12)
    array([0.125])
    """
    return _half_sinh_square(point_a, point_b)


def _half_sinh_square_value(point_a, point_b):
    xp = namespace(point_a)
    square_a, square_b = row_dot(point_a, point_a), row_dot(point_b, point_b)
    product = row_dot(point_a, point_b)
    difference = point_a - point_b
    square = row_dot(difference, difference)
    # |a ^ b| is the length of the longer vector times a height over it: that of the
    # shorter vector or of the difference. Both heights are the same, and the smaller of
    # the two vectors leaves the smaller rounding error.
    swapped = square_b > square_a
    longest, least = xp.maximum(square_a, square_b), xp.minimum(square_a, square_b)
    longer = xp.where(swapped, point_b, point_a)
    side = xp.where(swapped, point_a, point_b)
    side = xp.where(square < least, difference, side)
    height = _height(side, longer, longest)
    wedge = longest * row_dot(height, height)
    acute = product >= 0.0
    times = xp.sqrt((1.0 + square_a) * (1.0 + square_b))
    near = (square + wedge) / (2.0 * (1.0 + times + xp.where(acute, product, 0.0)))
    far = (square_a + square_b + square_a * square_b) / (1.0 + times) - product
    return xp.where(acute, near, 0.5 * far)


def _height(side, base, square):
    """Return the part of one side of a triangle that is orthogonal to its base."""
    if base.shape[-1] == 1:
        # On a line it is zero, and rounding would be multiplied by large lengths.
        return 0.0 * side
    return side - divide(row_dot(side, base), square) * base


def _half_sinh_square_gradient(point, other):
    """Return the gradient of `hyperbolic_half_sinh_square` in its first argument."""
    xp = namespace(point, other)
    half = _half_sinh_square(point, other)
    square, other_square = row_dot(point, point), row_dot(other, other)
    ratio = xp.sqrt((1.0 + other_square) / (1.0 + square))
    product = row_dot(point, other)
    acute = product >= 0.0
    difference = point - other
    close = row_dot(difference, difference) < square
    height = _height(xp.where(close, difference, point), other, other_square)
    whole = 1.0 + ratio * (1.0 + square) + xp.where(acute, product, 0.0)
    near = difference + other_square * height - half * (ratio * point + other)
    return xp.where(acute, near / whole, 0.5 * (ratio * point - other))


def _half_sinh_square_tangent(tangents, point_a, point_b):
    return total_differential(
        tangents,
        lambda moved: row_dot(_half_sinh_square_gradient(point_a, point_b), moved),
        lambda moved: row_dot(_half_sinh_square_gradient(point_b, point_a), moved),
    )


def _half_sinh_square_cotangent(cotangent, needed, point_a, point_b):
    pairs = (point_a, point_b), (point_b, point_a)
    return tuple(
        cotangent * _half_sinh_square_gradient(*pair) if is_needed else None
        for pair, is_needed in zip(pairs, needed, strict=True)
    )


_half_sinh_square = StatedGradient(
    _half_sinh_square_value,
    _half_sinh_square_tangent,
    _half_sinh_square_cotangent,
    axes=(1, 1, 1),
    held=5,
)


@in_own_precision
def hyperbolic_squared_dist(point_a, point_b):
    r"""Return the squared distances between points.

    .. math:: d(a, b) = 2 \operatorname{asinh} \sqrt Q
              = \operatorname{arccosh}(\tau_a \tau_b - a \cdot b) , \qquad
              Q = \sinh^2(d(a, b) / 2) ,

    with :math:`Q` from `hyperbolic_half_sinh_square`.

    Parameters
    ----------
    point_a, point_b : array, shape=[..., k]
        Points.

    Returns
    -------
    squared_dist : array, shape=[...]
        Squared distance.

    Examples
    --------
    >>> import numpy as np
    >>> from geomstats_cor.kernels import hyperbolic_squared_dist
    >>> square = hyperbolic_squared_dist(np.array([0.0]), np.array([0.75]))
    >>> round(float(np.sqrt(square)), 4), round(float(np.log(2)), 4)
    (0.6931, 0.6931)
    """
    half = hyperbolic_half_sinh_square(point_a, point_b)[..., 0]
    return 4.0 * half * asinh_quotient(half) ** 2


def hyperbolic_pairwise_dist(points_a, points_b):
    r"""Return the distances between all points of two stacks.

    They come from :math:`2 \sinh^2(d / 2) = \tau_a \tau_b - a \cdot b - 1`, a matrix
    product, except for points so close that the difference has lost digits.

    Parameters
    ----------
    points_a : array, shape=[..., k, m]
        Points.
    points_b : array, shape=[..., l, m]
        Points.

    Returns
    -------
    dist : array, shape=[..., k, l]
        Distances.
    """
    xp = namespace(points_a, points_b)
    times = hyperboloid_time(points_a) * hyperboloid_time(points_b).mT
    half = 0.5 * (times - points_a @ points_b.mT - 1.0)
    # What is left of a smaller difference is fewer than three quarters of its digits.
    *batch, i, j = xp.nonzero(half < eps(half) ** 0.25 * times)
    exact = hyperbolic_half_sinh_square(points_a[*batch, i], points_b[*batch, j])
    half[*batch, i, j] = exact[..., 0]
    return 2.0 * length(half) * asinh_quotient(half)


@in_own_precision
def hyperbolic_exp(vector, point):
    r"""Return :math:`\cosh(r) y + \frac{\sinh r}{r} u`, with :math:`r = |u|_y`.

    Parameters
    ----------
    vector : array, shape=[..., k]
        Tangent vector.
    point : array, shape=[..., k]
        Base point.

    Returns
    -------
    end_point : array, shape=[..., k]
        Space coordinates of the end point.

    Examples
    --------
    >>> import numpy as np
    >>> from geomstats_cor.kernels import hyperbolic_exp
    >>> hyperbolic_exp(np.array([np.log(2), 0.0]), np.zeros(2)).round(12)
    array([0.75, 0.  ])
    """
    components = hyperbolic_orthonormal(vector, point)
    square = row_dot(components, components)
    cosh = 1.0 + 0.5 * square * sinh_quotient(0.25 * square) ** 2
    return cosh * point + sinh_quotient(square) * vector


@in_own_precision
def hyperbolic_log(end_point, point):
    r"""Return the logarithm :math:`\frac{d}{\sinh d} (b - \cosh(d) a)`.

    Parameters
    ----------
    end_point : array, shape=[..., k]
        Point :math:`b`.
    point : array, shape=[..., k]
        Base point :math:`a`.

    Returns
    -------
    vector : array, shape=[..., k]
        Tangent vector at the base point.

    Examples
    --------
    >>> import numpy as np
    >>> from geomstats_cor.kernels import hyperbolic_log
    >>> hyperbolic_log(np.array([0.75, 0.0]), np.zeros(2)).round(4)
    array([0.6931, 0.    ])
    """
    xp = namespace(end_point, point)
    half = hyperbolic_half_sinh_square(point, end_point)
    factor = asinh_quotient(half) / xp.sqrt(1.0 + half)
    return factor * (end_point - point - 2.0 * half * point)


@in_own_precision
def hyperbolic_transport(vector, point, end_point):
    r"""Transport a tangent vector along the geodesic between two points.

    .. math:: u + \frac{\langle b, u \rangle}{1 + \cosh d} (a + b), \qquad
              \langle b, u \rangle = b \cdot u - \frac{\tau_b}{\tau_a} a \cdot u .

    Parameters
    ----------
    vector : array, shape=[..., k]
        Tangent vector at `point`.
    point : array, shape=[..., k]
        Point :math:`a`.
    end_point : array, shape=[..., k]
        Point :math:`b`.

    Returns
    -------
    transported : array, shape=[..., k]
        Tangent vector at `end_point`.

    Examples
    --------
    The velocity of a geodesic grows with its time coordinate; a vector across the
    geodesic stays as it is:

    >>> import numpy as np
    >>> from geomstats_cor.kernels import hyperbolic_transport
    >>> hyperbolic_transport(np.eye(2), np.zeros(2), np.array([0.75, 0.0])).round(12)
    array([[1.25, 0.  ],
           [0.  , 1.  ]])
    """
    half = hyperbolic_half_sinh_square(point, end_point)
    ratio = hyperboloid_time(end_point) / hyperboloid_time(point)
    product = row_dot(end_point - ratio * point, vector)
    return vector + 0.5 * product / (1.0 + half) * (point + end_point)


@in_own_precision
def hyperbolic_boost(point, center):
    r"""Return the image of a point by the boost that moves a center to the origin.

    .. math:: y' = y + \left( \frac{\langle m, y \rangle}{1 + m_0} - y_0 \right) m ,
              \qquad y_0 = \sqrt{1 + |y|^2} , \quad m_0 = \sqrt{1 + |m|^2} .

    The boost is the isometry along the geodesic from the center to the origin.

    Parameters
    ----------
    point : array, shape=[..., k]
        Space coordinates :math:`y` of a point of the hyperboloid.
    center : array, shape=[..., k]
        Space coordinates :math:`m` of the center.

    Returns
    -------
    point : array, shape=[..., k]
        Space coordinates of the image.

    Examples
    --------
    >>> import numpy as np
    >>> from geomstats_cor.kernels import hyperbolic_boost
    >>> float(np.arcsinh(hyperbolic_boost(np.sinh([2.0]), np.sinh([1.5])))[0].round(12))
    0.5
    """
    along = row_dot(center, point) / (1.0 + hyperboloid_time(center))
    return point + (along - hyperboloid_time(point)) * center


@in_own_precision
def hyperbolic_curvature(vector_a, vector_b, vector_c, point):
    r"""Return :math:`R(A, B) C = \langle A, C \rangle B - \langle B, C \rangle A`.

    Parameters
    ----------
    vector_a, vector_b, vector_c : array, shape=[..., k]
        Tangent vectors.
    point : array, shape=[..., k]
        Base point.

    Returns
    -------
    curvature : array, shape=[..., k]
        Tangent vector.

    Examples
    --------
    The sectional curvature :math:`\langle R(A, B) B, A \rangle` is -1:

    >>> import numpy as np
    >>> from geomstats_cor.kernels import hyperbolic_curvature
    >>> first, second = np.eye(2)
    >>> float(hyperbolic_curvature(first, second, second, np.zeros(2)) @ first)
    -1.0
    """
    frame_a, frame_b, frame_c = (
        hyperbolic_orthonormal(vector, point)
        for vector in (vector_a, vector_b, vector_c)
    )
    return row_dot(frame_a, frame_c) * vector_b - row_dot(frame_b, frame_c) * vector_a
