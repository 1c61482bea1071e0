r"""The Fréchet mean under a curved metric, by few passes over the points.

A pass at a point :math:`x` gives the mean :math:`g` of the logarithms, which is minus
the gradient of half the variance, and the diagonal of the Hessian. The Hessian is at
least the identity, and close to its diagonal if there are many points, so that the
limited-memory quasi-Newton method, with that diagonal to begin with, gains one to three
digits in each pass. Vectors at different points are compared in the frame that
`log_coords` uses.

References
----------
.. [N1980] J. Nocedal. Updating quasi-Newton matrices with limited storage. Math. Comp.
   35, 1980.
"""

import collections
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from ..exceptions import ConvergenceWarning
from ..kernels._array import eps, namespace
from ..kernels._convergence import warn

if TYPE_CHECKING:
    from ..geometries import ImageMetric

_MAX_PASSES = 100
_MEMORY = 8


def curved_mean(statistics_at: Callable, metric: "ImageMetric") -> Any:
    """Return the Fréchet mean of points that are seen through their moments.

    Parameters
    ----------
    statistics_at : callable
        Takes a point [n, n] of the image space, or None for the origin; returns the
        moments of the logarithms there, and those of `metric.stiffness`.
    metric : ImageMetric
        Metric of the image space.

    Returns
    -------
    mean : array, shape=[n, n]
        Fréchet mean.
    variance : float
        Fréchet variance.
    moments : Moments
        Moments of the logarithms at the mean.
    passes : int
        Number of passes over the data.
    """
    here: Any = None
    accepted: Any = None
    secants: Any = collections.deque(maxlen=_MEMORY)
    for passes in range(1, _MAX_PASSES + 1):
        moments, stiffness = statistics_at(here)
        gradient = moments.mean
        square = float(namespace(gradient).vecdot(gradient, gradient))
        variance, error = moments.variance + square, square**0.5
        if here is None:
            here = metric.from_coords(0.0 * gradient)
        if accepted is not None:
            start, step, old_gradient, old_variance, old_error = accepted
            # Next to the minimum rounding alone decides which variance is larger.
            if not (variance <= old_variance or error <= old_error):
                step = 0.5 * step
                accepted = start, step, old_gradient, old_variance, old_error
                here = metric.exp_coords(step, start)
                continue
            secants.append((step, old_gradient - gradient))
        unit = eps(gradient) * (1.0 + variance**0.5)
        stagnates = accepted is not None and 0.5 * old_error <= error <= 1e3 * unit
        if error <= unit or stagnates:
            return here, variance, moments, passes
        step = _quasi_newton_step(gradient, secants, stiffness.mean)
        accepted = here, step, gradient, variance, error
        here = metric.exp_coords(step, here)
    message = (
        f"the mean of the chunks did not reach rounding accuracy in {_MAX_PASSES} "
        f"passes: the gradient has length {error:.1e}, at a variance of "
        f"{variance:.1e}. Keep away from the boundary: "
        f"FullRankCorrelationMatrices.nearest_safe_point."
    )
    warn(ConvergenceWarning(message))
    return accepted[0], accepted[3], moments, passes


def _quasi_newton_step(gradient, secants, diagonal):
    """Return the step of the two-loop recursion, from a diagonal Hessian."""
    dot = namespace(gradient).vecdot
    step, stack = gradient, []
    for move, change in reversed(secants):
        curvature = dot(move, change)
        if not float(curvature) > 0.0:
            continue
        part = dot(move, step) / curvature
        step = step - part * change
        stack.append((move, change, curvature, part))
    step = step / diagonal
    for move, change, curvature, part in reversed(stack):
        step = step + (part - dot(change, step) / curvature) * move
    return step
