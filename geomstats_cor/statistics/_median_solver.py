r"""The minimiser of a weighted sum of distances, by Newton's method.

The distance :math:`d_i` to a point in the direction :math:`u_i` has gradient
:math:`-u_i` and Hessian :math:`(B_i - u_i u_i^\top) / d_i`, where :math:`B_i` is the
Hessian of half the squared distance, the identity if the metric is flat. The sum is
convex. It has a kink at every point :math:`x_k`, which is the minimiser if and only if
:math:`|\sum_{i \neq k} w_i u_i| \le w_k`: the point nearest to an iterate is always
tested, so that Newton's method is left with a smooth minimum.

References
----------
.. [VZ2000] Y. Vardi and C.-H. Zhang. The multivariate L1-median and associated data
   depth. PNAS 97, 2000.
.. [F2009] P. T. Fletcher, S. Venkatasubramanian and S. Joshi. The geometric median on
   Riemannian manifolds with application to robust atlas estimation. NeuroImage 45,
   2009.
"""

from typing import TYPE_CHECKING

from .._types import Array
from ..kernels._array import eps, namespace, row_dot
from ..kernels._conjugate_gradients import solve_by_products
from ..kernels._convergence import warn_unfinished
from ..kernels._quotients import divide

if TYPE_CHECKING:
    from ..geometries import ImageMetric

_MAX_ITERATIONS = 200
_MAX_HALVINGS = 50


def median(metric: "ImageMetric", points: Array, weights: Array) -> Array:
    """Return the geometric median of points of an image space.

    Parameters
    ----------
    metric : ImageMetric
        Metric of the image space.
    points : array, shape=[..., N, n, n]
        Points.
    weights : array, shape=[..., N]
        Weights, not negative, of sum one.

    Returns
    -------
    median : array, shape=[..., n, n]
        Geometric median.
    """
    xp = namespace(points)
    batch = xp.broadcast_arrays(points[..., 0, 0], weights)[0].shape
    points = xp.broadcast_to(points, (*batch, *points.shape[-2:]))
    weights = xp.broadcast_to(weights, batch)
    found, done = _on_a_geodesic(metric, points, weights)
    if bool(xp.all(done)):
        return found
    return _newton_median(metric, points, weights, found, done)


def _rounding(points):
    """Return the distances that rounding of the points may cause."""
    return 32.0 * eps(points) * namespace(points).max(abs(points), axis=(-3, -2, -1))


def _on_a_geodesic(metric, points, weights):
    """Return the medians of points on one geodesic, and where that is so.

    Elsewhere, return the mean. The mean of points on a geodesic lies on it.
    """
    xp = namespace(points)
    mean = metric.mean(points, weights)
    logs = metric.log_coords(points, mean[..., None, :, :])
    logs = xp.where((weights > 0.0)[..., None], logs, 0.0)
    distances = xp.linalg.vector_norm(logs, axis=-1)
    farthest = xp.argmax(distances, axis=-1, keepdims=True)
    spread = xp.take_along_axis(distances, farthest, axis=-1)
    axis = xp.take_along_axis(logs, farthest[..., None], axis=-2)
    axis = divide(axis, spread[..., None])
    times = row_dot(logs, axis)
    off = xp.max(xp.linalg.vector_norm(logs - times * axis, axis=-1), axis=-1)
    is_line = off <= _rounding(points) + 32.0 * eps(points) * spread[..., 0]
    time = _weighted_median(times[..., 0], weights)
    step = xp.where(is_line, time, 0.0)[..., None] * axis[..., 0, :]
    return metric.exp_coords(step, mean), is_line


def _weighted_median(numbers, weights):
    """Return the midpoint of the minimisers of a sum of distances of numbers."""
    xp = namespace(numbers)
    order = xp.argsort(numbers, axis=-1)
    numbers = xp.take_along_axis(numbers, order, axis=-1)
    sums = xp.cumulative_sum(xp.take_along_axis(weights, order, axis=-1), axis=-1)
    slack = numbers.shape[-1] * eps(numbers)

    def first(reached: Array) -> Array:
        index = xp.argmax(xp.astype(reached, xp.int8), axis=-1, keepdims=True)
        return xp.take_along_axis(numbers, index, axis=-1)[..., 0]

    return 0.5 * (first(sums >= 0.5 - slack) + first(sums > 0.5 + slack))


class _Slopes:
    """The sum of distances and its derivatives at a point, apart from the kink there.

    Attributes
    ----------
    pull : array, shape=[..., d]
        Sum of the weighted unit vectors towards the points that are elsewhere.
    held : array, shape=[...]
        Weight of the points that are here.
    residual : array, shape=[...]
        Slope of the steepest descent, zero at a minimiser.
    rounding, resolution : array, shape=[...]
        Errors of the slope and of the sum that rounding may cause.
    """

    def __init__(
        self, metric: "ImageMetric", points: Array, weights: Array, here: Array
    ) -> None:
        xp = namespace(points)
        self.metric = metric
        self.logs = metric.log_coords(points, here[..., None, :, :])
        self.distances = xp.linalg.vector_norm(self.logs, axis=-1)
        elsewhere = self.distances > _rounding(points)[..., None]
        away = xp.where(elsewhere, self.distances, 1.0)
        self.pulls = xp.where(elsewhere, weights / away, 0.0)
        self.units = xp.where(elsewhere, 1.0 / away, 0.0)[..., None] * self.logs
        self.pull = xp.sum(self.pulls[..., None] * self.logs, axis=-2)
        self.held = xp.sum(xp.where(elsewhere, 0.0, weights), axis=-1)
        force = xp.linalg.vector_norm(self.pull, axis=-1)
        self.residual = xp.clip(force - self.held, min=0.0)
        self.stiffness = xp.sum(self.pulls, axis=-1)
        self.rounding = eps(points) + _rounding(points) * self.stiffness / 32.0
        self.objective = xp.sum(weights * self.distances, axis=-1)
        terms = self.distances.shape[-1]
        self.resolution = 8.0 * eps(points) * terms**0.5 * self.objective

    def step(self) -> Array:
        """Return the step of Newton; off a kink, that along the steepest descent."""
        xp = namespace(self.pull)
        bent = self.metric.hessian(self.logs, self.pulls)

        def hessian(vector: Array) -> Array:
            along = self.units @ vector[..., None]
            straight = (self.units.mT @ (self.pulls[..., None] * along))[..., 0]
            return bent(vector) - straight

        smallest = 8.0 * eps(self.pull) * self.stiffness[..., None]
        force = (self.residual + self.held)[..., None]
        steepest = divide(self.pull, force)
        curvature = xp.maximum(row_dot(steepest, hessian(steepest)), smallest)
        off = divide(self.residual[..., None], curvature)
        # An error of the step as large as its square keeps the convergence quadratic.
        tolerance = xp.clip(0.1 * self.residual, min=eps(self.pull), max=0.1)[..., None]
        size = self.pull.shape[-1]
        newton = solve_by_products(self.pull, hessian, tolerance, size, smallest)
        return xp.where((self.held > 0.0)[..., None], off * steepest, newton)

    def slope(self, step: Array) -> Array:
        """Return the derivative of the sum in the direction of a step."""
        xp = namespace(step)
        size = xp.linalg.vector_norm(step, axis=-1)
        return self.held * size - xp.sum(self.pull * step, axis=-1)


def _newton_median(metric, points, weights, here, done):
    """Return the medians, beginning at given points; some are known already."""
    xp = namespace(points)
    previous = xp.full_like(weights[..., 0], xp.inf)
    tested = xp.full_like(xp.argmax(weights, axis=-1, keepdims=True), -1)
    for _ in range(_MAX_ITERATIONS):
        slopes = _Slopes(metric, points, weights, here)
        nearest = xp.argmin(slopes.distances, axis=-1, keepdims=True)
        close = xp.min(slopes.distances, axis=-1) <= 1e-2 * slopes.objective
        if bool(xp.any(nearest != tested)) or bool(xp.any(close & ~done)):
            tested = nearest
            kink = xp.take_along_axis(points, nearest[..., None, None], axis=-3)
            kink = kink[..., 0, :, :]
            there = _Slopes(metric, points, weights, kink)
            hit = ~done & (there.residual <= there.rounding) & (there.held > 0.0)
            # Next to a kink the slope is lost in rounding: step off the kink itself.
            snap = ~done & close & (there.objective <= slopes.objective)
            here = xp.where((hit | snap)[..., None, None], kink, here)
            done = done | hit
            slopes = _Slopes(metric, points, weights, here)
        step = slopes.step()
        error = slopes.residual
        # The sum can no longer be told from its minimum, nor the slope from zero.
        stalls = -slopes.slope(step) <= slopes.resolution
        stagnates = stalls & (error >= 0.5 * previous)
        done = done | (error <= slopes.rounding) | stagnates
        if bool(xp.all(done)):
            return here
        previous = error
        step = xp.where(done[..., None], 0.0, step)
        here = _descend(metric, points, weights, here, slopes, step)
    warn_unfinished(
        "geometric median",
        error,
        done,
        lambda i: xp.reshape(slopes.rounding / eps(points), (-1,))[i],
    )
    return here


def _descend(metric, points, weights, here, slopes, step):
    """Take the longest step in a halving sequence that lowers the sum enough."""
    xp = namespace(points)
    size = xp.linalg.vector_norm(step, axis=-1)
    slope = slopes.slope(step)
    reach = xp.max(slopes.distances, axis=-1)
    length = xp.where(size > reach, divide(reach, size), 1.0)
    for _ in range(_MAX_HALVINGS):
        trial = metric.exp_coords(length[..., None] * step, here)
        logs = metric.log_coords(points, trial[..., None, :, :])
        value = xp.sum(weights * xp.linalg.vector_norm(logs, axis=-1), axis=-1)
        enough = slopes.objective + 0.1 * slope * length + slopes.resolution
        worse = ~(value <= enough)
        if not bool(xp.any(worse)):
            break
        length = xp.where(worse, 0.5 * length, length)
    return xp.where((size > 0.0)[..., None, None], trial, here)
