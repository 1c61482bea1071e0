r"""The Fréchet mean in hyperbolic space, by Newton's method.

Half the squared distance to a point at distance :math:`d` in the direction :math:`f`
has gradient :math:`-d f` and Hessian
:math:`d \coth d \, (I - f f^\top) + f f^\top \succeq I`, so the objective is strongly
convex and the mean is unique. Newton's method starts from the normalised average in
Minkowski space, and a step that does not lower the objective is halved. The Hessian is
a multiple of the identity and a weighted sum of :math:`f f^\top`: it is never formed,
and conjugate gradients solve for the step.

References
----------
.. [K1977] H. Karcher. Riemannian center of mass and mollifier smoothing. Comm. Pure
   Appl. Math. 30, 1977.
"""

from .._types import Array
from ._array import eps, namespace, row_dot
from ._autodiff import Opaque, total_differential
from ._conjugate_gradients import conjugate_gradients, solve_shifted_gram
from ._convergence import warn_unfinished
from ._implicit import implicit
from ._precision import in_own_precision
from ._quotients import asinh_quotient, coth_excess, csch_deficit
from .hyperbolic_models import (
    hyperboloid_from_origin_tangent,
    hyperboloid_to_origin_tangent,
)
from .hyperboloid import (
    hyperbolic_exp,
    hyperbolic_from_orthonormal,
    hyperbolic_half_sinh_square,
    hyperbolic_log,
    hyperbolic_orthonormal,
    hyperbolic_squared_dist,
    hyperbolic_transport,
    hyperboloid_time,
)

_MAX_ITERATIONS = 60
_MAX_HALVINGS = 40
_HELD = 8  # arrays of the size of the points


@in_own_precision
def hyperbolic_mean(points: Array, weights: Array) -> Array:
    r"""Return the Fréchet mean of points of the hyperboloid.

    .. math:: \operatorname{argmin}_y \sum_i w_i d(y, y_i)^2 .

    Parameters
    ----------
    points : array, shape=[..., N, k]
        Space coordinates of the points.
    weights : array, shape=[..., N]
        Weights, not negative, of sum one.

    Returns
    -------
    mean : array, shape=[..., k]
        Space coordinates of the mean.

    Examples
    --------
    Half way between the origin and :math:`\sinh(2 \log 2)` lies :math:`\sinh(\log 2)`:

    >>> import numpy as np
    >>> from geomstats_cor.kernels import hyperbolic_mean
    >>> points = np.sinh(np.log(2) * np.array([[0.0], [2.0]]))
    >>> hyperbolic_mean(points, np.array([0.5, 0.5])).round(12)
    array([0.75])
    """
    xp = namespace(points, weights)
    batch = xp.broadcast_arrays(points[..., 0], weights)[0].shape
    points = xp.broadcast_to(points, (*batch, points.shape[-1]))
    weights = xp.broadcast_to(weights, batch)[..., None]
    return _mean(points, weights, _solve_mean(points, weights))


def _start(points, weights):
    """Return the normalised average in Minkowski space.

    Far from the origin its length is a difference of large numbers that cancel. There,
    the average of logarithms at the origin takes its place.
    """
    xp = namespace(points)
    space = xp.sum(weights * points, axis=-2)
    time = xp.sum(weights * hyperboloid_time(points), axis=-2)
    square = time**2 - row_dot(space, space)
    known = square > 100.0 * eps(points) * time**2
    average = space / xp.sqrt(xp.where(known, square, 1.0))
    if bool(xp.all(known)):
        return average
    vectors = hyperboloid_to_origin_tangent(points)
    center = xp.sum(weights * vectors, axis=-2)
    return xp.where(known, average, hyperboloid_from_origin_tangent(center))


def _objective(points, weights, mean):
    squares = hyperbolic_squared_dist(points, mean[..., None, :])
    return namespace(squares).sum(weights[..., 0] * squares, axis=-1)


def _newton_mean(points, weights):
    """Return the mean of points [..., N, k] with weights [..., N, 1]."""
    xp = namespace(points)
    mean = _start(points, weights)
    objective = _objective(points, weights, mean)
    previous = xp.full_like(objective, xp.inf)
    for _ in range(_MAX_ITERATIONS):
        frame, squares = _logarithms(points, mean)
        gradient = xp.sum(weights * frame, axis=-2)
        error = xp.linalg.vector_norm(gradient, axis=-1)
        spread = xp.sqrt(xp.max(squares, axis=(-2, -1)))
        unit = eps(points) * (1.0 + spread)
        # Coordinates far from the origin are rounded in proportion to their size.
        rounding = 1e3 * unit * hyperboloid_time(mean)[..., 0]
        stagnates = (error <= rounding) & (error >= 0.5 * previous)
        done = (error <= unit) | stagnates
        if bool(xp.all(done)):
            return mean
        previous = error
        # An error of the step as large as its square keeps the convergence quadratic.
        tolerance = 0.1 * xp.minimum(error, xp.ones_like(error))[..., None]
        rows, coefficients, shift = _hessian(weights, frame, squares)
        step = conjugate_gradients(gradient, rows, coefficients, shift, tolerance)
        step = hyperbolic_from_orthonormal(xp.where(done[..., None], 0.0, step), mean)
        mean, objective = _descend(points, weights, mean, objective, step)
    # Eigenvalues of the Hessian lie between 1 and the largest d coth(d).
    warn_unfinished(
        "hyperbolic mean", error, done, lambda i: xp.reshape(1.0 + spread, (-1,))[i]
    )
    return mean


_solve_mean = Opaque(
    "hyperbolic_mean",
    _newton_mean,
    lambda points, weights: points[..., 0, :],
    axes=(2, 2),
    held=_HELD,
)


def _logarithms(points, mean):
    """Return logarithms at the mean, in an orthonormal frame, and squared distances."""
    center = mean[..., None, :]
    frame = hyperbolic_orthonormal(hyperbolic_log(points, center), center)
    return frame, hyperbolic_squared_dist(points, center)[..., None]


def _hessian(weights, frame, squares):
    """Return F, c and s such that the Hessian is s I + F' diag(c) F."""
    excess = weights * coth_excess(squares)
    shift = namespace(squares).sum(weights + excess * squares, axis=-2)
    return frame, -excess, shift


def _response(gradient, weights, frame, squares):
    """Return the motion of the mean, in the frame, that undoes a gradient."""
    return solve_shifted_gram(gradient, *_hessian(weights, frame, squares))


def _descend(points, weights, mean, objective, step):
    """Take the longest step in a halving sequence that does not raise the objective."""
    xp = namespace(points)
    # Sums of many squares differ by the rounding of their terms.
    slack = 1.0 + 8.0 * eps(points) * points.shape[-2] ** 0.5
    length = xp.ones_like(objective)
    for _ in range(_MAX_HALVINGS):
        trial = hyperbolic_exp(length[..., None] * step, mean)
        value = _objective(points, weights, trial)
        worse = ~(value <= slack * objective)
        if not bool(xp.any(worse)):
            break
        length = xp.where(worse, 0.5 * length, length)
    return trial, xp.minimum(value, objective)


def _bent(components, points, frame, squares, mean):
    """Apply the derivative of the logarithm in its end point, in transported frames.

    A Jacobi field that vanishes at the mean: the part along the geodesic is kept, that
    across it shrinks by d / sinh(d). The map is symmetric.
    """
    half = hyperbolic_half_sinh_square(points, mean[..., None, :])
    across = asinh_quotient(half) / namespace(half).sqrt(1.0 + half)
    along = csch_deficit(squares) * row_dot(frame, components)
    return across * components + along * frame


def _mean_tangent(tangents, points, weights, solution):
    xp = namespace(points)
    mean = _mean(points, weights, solution)
    frame, squares = _logarithms(points, mean)
    center = mean[..., None, :]

    def moved_points(moved):
        there = hyperbolic_transport(moved, points, center)
        there = hyperbolic_orthonormal(there, center)
        return xp.sum(weights * _bent(there, points, frame, squares, mean), axis=-2)

    change = total_differential(
        tangents, moved_points, lambda weighed: xp.sum(weighed * frame, axis=-2)
    )
    return hyperbolic_from_orthonormal(_response(change, weights, frame, squares), mean)


def _mean_cotangent(cotangent, needed, points, weights, solution):
    mean = _mean(points, weights, solution)
    frame, squares = _logarithms(points, mean)
    raised = cotangent + row_dot(mean, cotangent) * mean
    response = hyperbolic_orthonormal(raised, mean)
    response = _response(response, weights, frame, squares)[..., None, :]
    weighed = row_dot(frame, response) if needed[1] else None
    moved = None
    if needed[0]:
        center = mean[..., None, :]
        bent = weights * _bent(response, points, frame, squares, mean)
        there = hyperbolic_transport(
            hyperbolic_from_orthonormal(bent, center), center, points
        )
        time = hyperboloid_time(points)
        moved = there - row_dot(points, there) / time**2 * points
    return moved, weighed, None


# The solution as a function of points and weights, by the implicit function theorem.
_mean = implicit(2, _mean_tangent, _mean_cotangent, axes=(1, 2, 2, 1), held=_HELD)
