r"""The Fréchet mean in hyperbolic space, by Newton's method.

Half the squared distance to a point at distance :math:`d` in the direction :math:`f`
has gradient :math:`-d f` and Hessian
:math:`d \coth d \, (I - f f^\top) + f f^\top \succeq I`, so the objective is strongly
convex and the mean is unique. Newton's method starts from the normalised average in
Minkowski space, and a step that does not lower the objective is halved.

References
----------
.. [K1977] H. Karcher. Riemannian center of mass and mollifier smoothing. Comm. Pure
   Appl. Math. 30, 1977.
"""

from ._arrays import eps, eye_like, namespace, row_dot, solve_positive
from ._iteration import report_unfinished
from ._smooth import asinh_quotient
from .hyperbolic import (
    hyperbolic_exp,
    hyperbolic_half_sinh_square,
    hyperbolic_log,
    hyperbolic_orthonormal,
    hyperbolic_squared_dist,
    hyperboloid_time,
)

_MAX_ITERATIONS = 60
_MAX_HALVINGS = 40


def hyperbolic_mean(points, weights):
    """Return the Fréchet mean of points of the hyperboloid.

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
    """
    xp = namespace(points, weights)
    weights = weights[..., None]
    mean = _minkowski_average(points, weights)
    objective = _objective(points, weights, mean)
    previous = xp.full_like(objective, xp.inf)
    for _ in range(_MAX_ITERATIONS):
        gradient, hessian, spread = _derivatives(points, weights, mean)
        error = xp.linalg.vector_norm(gradient, axis=-1)
        unit = eps(points) * (1.0 + spread)
        stagnates = (error <= 1e3 * unit) & (error >= 0.5 * previous)
        done = (error <= unit) | stagnates
        if bool(xp.all(done)):
            return mean
        previous = error
        step = xp.where(done[..., None], 0.0, solve_positive(hessian, gradient))
        step = _from_frame(step, mean)
        mean, objective = _descend(points, weights, mean, objective, step)
    report_unfinished("hyperbolic mean", error, done, hessian)
    return mean


def _minkowski_average(points, weights):
    xp = namespace(points)
    space = xp.sum(weights * points, axis=-2)
    time = xp.sum(weights * hyperboloid_time(points), axis=-2)
    length = xp.sqrt((time[..., 0] ** 2 - row_dot(space, space)[..., 0])[..., None])
    return space / length


def _objective(points, weights, mean):
    squares = hyperbolic_squared_dist(points, mean[..., None, :])
    return namespace(squares).sum(weights[..., 0] * squares, axis=-1)


def _derivatives(points, weights, mean):
    """Return the negative gradient and the Hessian in an orthonormal frame."""
    xp = namespace(points)
    center = mean[..., None, :]
    frame = hyperbolic_orthonormal(hyperbolic_log(points, center), center)
    half = hyperbolic_half_sinh_square(points, center)
    square = 4.0 * half * asinh_quotient(half) ** 2
    # d coth(d), from sinh(d) / d and cosh(d) = 1 + 2 sinh^2(d / 2)
    across = (1.0 + 2.0 * half) * asinh_quotient(half) / xp.sqrt(1.0 + half)
    # 1 - d coth(d) = -d^2 / 3 + ..., so the quotient is harmless where d vanishes
    along = xp.where(
        square > 0.0, (1.0 - across) / xp.where(square > 0.0, square, 1.0), 0.0
    )
    hessian = (frame * (weights * along)).mT @ frame
    hessian = hessian + xp.sum(weights * across, axis=-2)[..., None] * eye_like(hessian)
    spread = xp.sqrt(xp.max(square, axis=(-2, -1)))
    return xp.sum(weights * frame, axis=-2), hessian, spread


def _from_frame(components, point):
    """Return the tangent vector with given components in the orthonormal frame."""
    time = hyperboloid_time(point)
    return components + row_dot(point, components) / (1.0 + time) * point


def _descend(points, weights, mean, objective, step):
    """Take the longest step in a halving sequence that does not raise the objective."""
    xp = namespace(points)
    slack = 1.0 + 8.0 * eps(points)
    length = xp.ones_like(objective)
    for _ in range(_MAX_HALVINGS):
        trial = hyperbolic_exp(length[..., None] * step, mean)
        value = _objective(points, weights, trial)
        worse = ~(value <= slack * objective)
        if not bool(xp.any(worse)):
            break
        length = xp.where(worse, 0.5 * length, length)
    return trial, xp.minimum(value, objective)
