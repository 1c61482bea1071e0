r"""Fréchet means of the same points of hyperbolic space under many weights.

Bootstrap resamples and smoothing ask for the means of one sample under hundreds of
weights. In Minkowski space, with the product :math:`\langle x, y \rangle` of signature
:math:`(-, +, \dots, +)`, a logarithm is a combination of its two points,

.. math:: \log_y x = g(u) (x - u y) , \qquad u = - \langle x, y \rangle = \cosh d ,
          \quad g = \frac{d}{\sinh d} ,

so that gradients and products with Hessians are matrix products with the points, which
all weights share, and functions of the numbers :math:`u` alone. The points are moved so
that their centre is the origin; all means then start close to the solution, from the
normalised averages in Minkowski space, and no number loses digits.

Newton's method runs in single precision until it has no more digits to gain. The last
Hessian then serves for corrections of gradients in full precision, of which each gains
about five digits: two of them usually do.
"""

from .._types import Array
from ._array import eps, namespace, row_dot
from ._batching import batched, members_in_cache
from ._conjugate_gradients import solve_by_products
from ._quotients import sinh_quotient
from .hyperbolic_frechet import hyperbolic_mean
from .hyperboloid import hyperboloid_time

_NEWTON_STEPS, _CORRECTIONS = 12, 12


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
    center = _normalised_average(_minkowski(points), average[None, :])[:, 0, 1:]
    moved = _minkowski(_boosted(points, -center[:, None, :]))
    r, number = points.shape[:2]
    rows = members_in_cache(number * weights.shape[0])
    columns = members_in_cache(number * min(rows, r))
    parts = [
        [
            _solved(moved[i : i + rows, ...], weights[j : j + columns, :])
            for j in range(0, weights.shape[0], columns)
        ]
        for i in range(0, r, rows)
    ]
    means, done = (
        xp.concat([xp.concat([p[k] for p in row], axis=1) for row in parts], axis=0)
        for k in (0, 1)
    )
    means = _boosted(xp.permute_dims(means[..., 1:], (1, 0, 2)), center)
    for b, i in zip(*xp.nonzero(~done.T), strict=True):
        # Far from all starts: the safeguarded method, one by one.
        means[b, i] = hyperbolic_mean(points[i], weights[b])
    return means


def _minkowski(points):
    return namespace(points).concat([hyperboloid_time(points), points], axis=-1)


def _boosted(points, center):
    """Return the image of points under the boost that takes the origin to a center."""
    xp = namespace(points)
    along = xp.vecdot(points, center)[..., None]
    time = hyperboloid_time(points)
    return points + center * (time + along / (1.0 + hyperboloid_time(center)))


def _dot(a, b):
    """Return the products [r, b, 1] of vectors [r, b, 1 + k] of Minkowski space."""
    return row_dot(a, b) - 2.0 * a[..., :1] * b[..., :1]


def _lowered(vector):
    """Return vectors whose Euclidean products are those of Minkowski space."""
    return namespace(vector).concat([-vector[..., :1], vector[..., 1:]], axis=-1)


def _normalised_average(points, weights):
    """Return averages [r, b, 1 + k] in Minkowski space for weights [b, N]."""
    average = weights @ points
    return average / namespace(average).sqrt(-_dot(average, average))


def _solved(points, weights):
    """Return means [r, b, 1 + k] for weights [b, N], and whether they converged."""
    xp = namespace(points)
    spread = xp.max(points[..., 0], axis=-1)[:, None]
    unit = eps(points) * (1.0 + spread)
    # Numbers u of points far apart have no digits in single precision.
    rough = xp.float32 if float(xp.max(spread)) < 100.0 else points.dtype
    there, hessian = _newton(xp.astype(points, rough), xp.astype(weights, rough))
    mean = _minkowski(xp.astype(there.mean[..., 1:], points.dtype))
    previous = xp.ones_like(mean[..., 0])
    done = previous < 0.0
    for _ in range(_CORRECTIONS):
        here = _Tangents(points, weights, mean)
        error = here.error
        stagnates = (error <= 1e3 * unit) & (error >= 0.5 * previous)
        done = done | (error <= unit) | stagnates
        scale = xp.where(error > 0.0, error, 1.0)[..., None]
        right = there.tangent(xp.astype(here.gradient / scale, rough))
        step = _solve(hessian, right, 3e-6)
        step = here.tangent(scale * xp.astype(step, points.dtype))
        mean = here.exp(xp.where(done[..., None], 0.0, step))
        # A correction gains as many digits as the one before, but no more than five.
        done = done | (error * xp.clip(error / previous, min=1e-5, max=0.1) <= unit)
        if bool(xp.all(done)):
            break
        previous = xp.where(done, 1.0, error)
    return mean, done


def _newton(points, weights):
    """Return the tangents at means as exact as the precision allows, and a Hessian."""
    xp = namespace(points)
    mean = _normalised_average(points, weights)
    unit = eps(points) * (1.0 + xp.max(points[..., 0], axis=-1)[:, None])
    previous = xp.full_like(mean[..., 0], xp.inf)
    for _ in range(_NEWTON_STEPS):
        here = _Tangents(points, weights, mean)
        error, hessian = here.error, here.hessian()
        if bool(xp.all((error <= 10.0 * unit) | (error >= 0.5 * previous))):
            break
        tolerance = 0.1 * xp.clip(error, max=1.0)[..., None]
        mean = here.exp(_solve(hessian, here.gradient, tolerance))
        previous = error
    return here, hessian


def _solve(hessian, right, tolerance):
    """Return Newton steps. No eigenvalue is below one, but for rounding."""
    rank = right.shape[-1]
    return solve_by_products(right, hessian, tolerance, rank, smallest=0.5, dot=_dot)


class _Tangents:
    """Sums of logarithms at means, and products with Hessians of the variance.

    Parameters
    ----------
    points : array, shape=[r, N, 1 + k]
        Points of Minkowski space.
    weights : array, shape=[b, N]
        Weights.
    mean : array, shape=[r, b, 1 + k]
        Points to take the logarithms at.
    """

    def __init__(self, points, weights, mean):
        self.points, self.mean = points, mean
        self._u = -_lowered(mean) @ points.mT
        self._factor, self._weights = _factor(self._u), weights
        self._weighted = weights * self._factor
        self.gradient = self.tangent(self._weighted @ points)

    @property
    def error(self):
        """Norms [r, b] of the gradients."""
        xp = namespace(self.gradient)
        return xp.sqrt(xp.clip(_dot(self.gradient, self.gradient)[..., 0], min=0.0))

    def tangent(self, vector):
        """Project vectors [r, b, 1 + k] onto the tangent spaces at the means."""
        return vector + _dot(vector, self.mean) * self.mean

    def hessian(self):
        r"""Return the product with the Hessian of half the variance, as a function.

        It is :math:`\sum_i w_i (d \coth d - (d \coth d - 1) f f^\top)`, with :math:`d
        \coth d = g u` and :math:`f = g (x - u y) / d`.
        """
        xp = namespace(self.points)
        shift = xp.vecdot(self._weighted, self._u)[..., None]
        bent = self._weights * _bending(self._u, self._factor)

        def product(vector):
            along = bent * (_lowered(vector) @ self.points.mT)
            return shift * vector - self.tangent(along @ self.points)

        return product

    def exp(self, vector):
        """Return the end points of geodesics."""
        xp = namespace(vector)
        square = xp.clip(_dot(vector, vector), min=0.0)
        end = xp.cosh(xp.sqrt(square)) * self.mean + sinh_quotient(square) * vector
        return _minkowski(end[..., 1:])


def _sinh(u):
    """Return sinh(d), never zero, given u = cosh(d).

    Rounding takes u below one, and leaves few digits of small distances. Logarithms of
    such points are then exact to the rounding of one, as good as their sums will be.
    """
    xp = namespace(u)
    return xp.sqrt(xp.abs(u * u - 1.0) + eps(u) ** 2)


@batched(held=6, axes=1)
def _factor(u):
    """Return g = d / sinh(d), given u = cosh(d)."""
    sinh = _sinh(u)
    return namespace(u).log(u + sinh) / sinh


@batched(held=8, axes=1)
def _bending(u, factor):
    """Return (d coth(d) - 1) / sinh(d)^2, given u = cosh(d) and g.

    Close to zero, where differences lose digits, it is its limit: errors of the Hessian
    slow the iteration down, and do not change its result.
    """
    xp = namespace(u)
    square = u * u - 1.0
    near = square < (45.0 * eps(u)) ** 0.5
    quotient = (u * factor - 1.0) / xp.where(near, 1.0, square)
    return xp.where(near, 1.0 / 3.0, quotient)
