r"""Fréchet means of the same points of hyperbolic space under many weights.

Bootstrap resamples and smoothing ask for the means of one sample under hundreds of
weights. A logarithm is a combination of its two points,

.. math:: \log_y x = g(u) (x - u y) , \qquad u = \tau_x \tau_y - x \cdot y , \quad
          g = \frac{d}{\sinh d} ,

so that gradients and products with Hessians are matrix products with the points, which
all weights share, and functions of the numbers :math:`u` alone. The points are moved so
that their centre is the origin; all means then start close to the solution, from the
normalised averages in Minkowski space, and no number loses digits.
"""

from .._types import Array
from ._array import eps, namespace
from ._conjugate_gradients import solve_by_products
from ._quotients import asinh_quotient, sinh_quotient
from .hyperbolic_frechet import hyperbolic_mean
from .hyperboloid import hyperboloid_time

_PIECE_BYTES = 2**20
_NEWTON_STEPS = 12


def hyperbolic_means(points: Array, weights: Array) -> Array:
    r"""Return the Fréchet means of points under each of many weights.

    .. math:: \operatorname{argmin}_y \sum_i w_{bi} d(y, y_i)^2 .

    Parameters
    ----------
    points : array, shape=[r, N, k]
        Space coordinates of the points of r spaces.
    weights : array, shape=[b, N]
        Weights, not negative, each of sum one.

    Returns
    -------
    means : array, shape=[b, r, k]
        Space coordinates of the means. Derivatives are not traced.

    Examples
    --------
    >>> import numpy as np
    >>> from geomstats_cor.kernels.hyperbolic_shared_mean import hyperbolic_means
    >>> points = np.sinh(np.log(2) * np.array([[[0.0], [2.0]]]))
    >>> hyperbolic_means(points, np.array([[0.5, 0.5], [1.0, 0.0]]))[:, 0, 0].round(12)
    array([0.75, 0.  ])
    """
    xp = namespace(points, weights)
    average = xp.mean(weights, axis=0)
    center = _normalised_average(points, average[:, None])[..., 0]
    moved = _boosted(points, -center[:, None, :])
    count = max(1, _PIECE_BYTES // (8 * points.shape[0] * points.shape[1]))
    parts = [
        _solved(moved, weights[i : i + count, :].T)
        for i in range(0, weights.shape[0], count)
    ]
    means, done = (xp.concat(list(part), axis=-1) for part in zip(*parts, strict=True))
    means = _boosted(xp.permute_dims(means, (2, 0, 1)), center)
    for b, r in zip(*xp.nonzero(~done.T), strict=True):
        # Far from all starts: the safeguarded method, one by one.
        means[b, r] = hyperbolic_mean(points[r], weights[b])
    return means


def _boosted(points, center):
    """Return the image of points under the boost that takes the origin to a center."""
    xp = namespace(points)
    along = xp.vecdot(points, center)[..., None]
    time = hyperboloid_time(points)
    return points + center * (time + along / (1.0 + hyperboloid_time(center)))


def _normalised_average(points, weights):
    """Return averages [r, k, b] in Minkowski space for weights [N, b]."""
    xp = namespace(points)
    space = points.mT @ weights
    time = hyperboloid_time(points)[..., 0] @ weights
    length = xp.sqrt(time**2 - xp.sum(space**2, axis=-2))
    return space / length[:, None, :]


def _solved(points, weights):
    """Return means [r, k, b] for weights [N, b], and whether they have converged."""
    xp = namespace(points)
    times = hyperboloid_time(points)
    mean = _normalised_average(points, weights)
    spread = xp.max(xp.asarray(times), axis=(-2, -1))[:, None]
    unit = eps(points) * (1.0 + spread)
    previous = xp.full_like(mean[:, 0, :], xp.inf)
    for _ in range(_NEWTON_STEPS):
        here = _Tangents(points, times, weights, mean)
        error = xp.sqrt(here.dot(here.gradient, here.gradient))[:, 0, :]
        stagnates = (error <= 1e3 * unit) & (error >= 0.5 * previous)
        done = (error <= unit) | stagnates
        if bool(xp.all(done)):
            break
        previous = error
        tolerance = 0.1 * xp.minimum(error, xp.ones_like(error))[:, None, :]
        step = solve_by_products(
            here.gradient, here.hessian(), tolerance, points.shape[-1], dot=here.dot
        )
        mean = here.exp(xp.where(done[:, None, :], 0.0, step))
    return mean, done


class _Tangents:
    """Sums of logarithms at means, and products with Hessians of the variance.

    Tangent vectors are given by their space coordinates.
    """

    def __init__(self, points, times, weights, mean):
        xp = namespace(points)
        self.points, self.times, self.mean = points, times, mean
        self.time = xp.sqrt(1.0 + xp.sum(mean**2, axis=-2, keepdims=True))
        u = times * self.time - points @ mean
        half = xp.maximum(0.5 * (u - 1.0), xp.zeros_like(u))
        quotient = asinh_quotient(half)
        self.u, self._squares = u, 4.0 * half * quotient**2
        self._factor = quotient / xp.sqrt(1.0 + half)
        self._weighted = weights * self._factor
        self.gradient = self._combined(self._weighted)

    def _combined(self, numbers):
        """Return sums over points x of numbers times x - u y."""
        xp = namespace(numbers)
        own = xp.sum(numbers * self.u, axis=-2, keepdims=True)
        return self.points.mT @ numbers - own * self.mean

    def _time_of(self, vector):
        xp = namespace(vector)
        return xp.sum(self.mean * vector, axis=-2, keepdims=True) / self.time

    def dot(self, a, b):
        """Return the inner products [r, 1, b] of tangent vectors [r, k, b]."""
        times = self._time_of(a) * self._time_of(b)
        return namespace(a).sum(a * b, axis=-2, keepdims=True) - times

    def hessian(self):
        r"""Return the product with the Hessian of half the variance, as a function.

        It is :math:`\sum_i w_i (d \coth d - (d \coth d - 1) f f^\top)`, with :math:`d
        \coth d = g u` and :math:`f = g (x - u y) / d`. Close to the mean, where the
        quotient by :math:`d^2` would lose digits, it is its limit to six digits: errors
        of the Hessian slow the iteration down, and do not change its result.
        """
        xp = namespace(self.u)
        stretch = self._factor * self.u
        shift = xp.sum(self._weighted * self.u, axis=-2, keepdims=True)
        near = self._squares < 1e-5
        excess = (stretch - 1.0) / xp.where(near, 1.0, self._squares)
        excess = xp.where(near, 1.0 / 3.0, excess)
        bent = self._weighted * self._factor * excess

        def product(vector):
            along = self.points @ vector - self.times * self._time_of(vector)
            return shift * vector - self._combined(bent * along)

        return product

    def exp(self, vector):
        """Return the end points of geodesics."""
        xp = namespace(vector)
        square = xp.clip(self.dot(vector, vector), min=0.0)
        return xp.cosh(xp.sqrt(square)) * self.mean + sinh_quotient(square) * vector
