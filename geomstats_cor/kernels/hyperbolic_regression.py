r"""Least squares geodesics in hyperbolic space.

The model is :math:`\hat y_i = \exp_b(u_i)` with :math:`u_i = \sum_j q_{ij} v_j`. A
shift :math:`a` of the base point and a change :math:`c_i` of :math:`u_i` move
:math:`\hat y_i`, in frames that are parallel along the geodesic, by the Jacobi field

.. math:: (P + \cosh(r_i) P^\perp) a + (P + \tfrac{\sinh r_i}{r_i} P^\perp) c_i ,
          \qquad r_i = |u_i| ,

where :math:`P` projects onto :math:`u_i`. Both maps are symmetric, so the same formula
gives the gradient. The step takes the exact Hessian of the squared distance at
:math:`\hat y_i` (that of `hyperbolic_mean`) and leaves out the second derivative of
:math:`\hat y_i`, which keeps the matrix positive definite; a step that does not lower
the objective is halved.

References
----------
.. [F2013] P. T. Fletcher. Geodesic regression and the theory of least squares on
   Riemannian manifolds. Int. J. Comput. Vision 105, 2013.
"""

import functools
import operator

from .._types import Array
from ._array import eps, namespace, row_dot
from ._conjugate_gradients import solve_by_products
from ._convergence import warn_unfinished
from ._quotients import coth_excess, divide, sinh_quotient
from .hyperbolic_frechet import hyperbolic_mean
from .hyperboloid import (
    hyperbolic_exp,
    hyperbolic_from_orthonormal,
    hyperbolic_log,
    hyperbolic_orthonormal,
    hyperbolic_squared_dist,
    hyperbolic_transport,
)

_MAX_ITERATIONS = 300
_MAX_HALVINGS = 40


def hyperbolic_regression(points: Array, design: Array, weights: Array) -> tuple:
    r"""Minimise :math:`\sum_i w_i d(\exp_b(\sum_j q_{ij} v_j), y_i)^2`.

    The start is the Fréchet mean and least squares in its tangent space.

    Parameters
    ----------
    points : array, shape=[..., N, k]
        Points :math:`y_i` of the hyperboloid, in space coordinates.
    design : array, shape=[N, q]
        Covariates :math:`q_{ij}`, of weighted mean zero and orthonormal in the
        weighted product.
    weights : array, shape=[N]
        Weights, not negative, of sum one.

    Returns
    -------
    base : array, shape=[..., k]
        Point :math:`b`.
    vectors : array, shape=[..., q, k]
        Vectors :math:`v_j`, in the orthonormal frame at the base point.
    """
    xp = namespace(points)
    base = hyperbolic_mean(points, weights)
    center = base[..., None, :]
    frame = hyperbolic_orthonormal(hyperbolic_log(points, center), center)
    vectors = (weights[:, None] * design).mT @ frame
    fit = _Fit(points, design, weights[:, None], base, vectors)
    previous = xp.full_like(fit.objective, xp.inf)
    for _ in range(_MAX_ITERATIONS):
        gradient = fit.gradient()
        error = xp.linalg.vector_norm(gradient, axis=-1)
        unit = eps(points) * fit.scale()
        stagnates = (error <= 1e3 * unit) & (error >= 0.5 * previous)
        done = (error <= unit) | stagnates
        if bool(xp.all(done)):
            break
        previous = error
        step = solve_by_products(gradient, fit.hessian, 1e-3, gradient.shape[-1])
        fit = _descend(fit, xp.where(done[..., None], 0.0, step))
    else:
        scale = functools.partial(operator.getitem, xp.reshape(fit.scale(), (-1,)))
        warn_unfinished("geodesic regression", error, done, scale)
    return fit.base, fit.vectors


class _Fit:
    """A geodesic of the model, and what the next step needs to know of it."""

    def __init__(self, points, design, weights, base, vectors):
        self.data = points, design, weights
        self.base, self.vectors = base, vectors
        center = base[..., None, :]
        self.along = design @ vectors
        self.square = row_dot(self.along, self.along)
        tangent = hyperbolic_from_orthonormal(self.along, center)
        self.fitted = hyperbolic_exp(tangent, center)
        squares = hyperbolic_squared_dist(points, self.fitted)
        self.residual_square = squares[..., None]
        self.objective = namespace(points).sum(weights[..., 0] * squares, axis=-1)

    def residuals(self):
        """Return the logarithms to the points, carried to the base point."""
        points, center = self.data[0], self.base[..., None, :]
        logarithm = hyperbolic_log(points, self.fitted)
        carried = hyperbolic_transport(logarithm, self.fitted, center)
        return hyperbolic_orthonormal(carried, center)

    def gradient(self):
        """Return half the negative gradient, flattened: base point, then vectors."""
        self.residual = self.residuals()
        return self._pull(self.data[2] * self.residual)

    def scale(self):
        """Return the size that rounding errors of the gradient are relative to."""
        xp = namespace(self.base)
        spread = xp.sqrt(xp.max(self.residual_square, axis=(-2, -1)))
        return (1.0 + spread) * xp.cosh(xp.sqrt(xp.max(self.square, axis=(-2, -1))))

    def hessian(self, step):
        """Return the product of the Hessian, so far as it is used, with a step."""
        motion = self._push(step)
        excess = coth_excess(self.residual_square)
        bent = (1.0 + excess * self.residual_square) * motion
        bent = bent - excess * row_dot(self.residual, motion) * self.residual
        return self._pull(self.data[2] * bent)

    def moved(self, step):
        """Return the geodesic after a step."""
        change = self._split(step)
        shift = hyperbolic_from_orthonormal(change[..., 0, :], self.base)
        base = hyperbolic_exp(shift, self.base)
        here, there = self.base[..., None, :], base[..., None, :]
        vectors = hyperbolic_from_orthonormal(self.vectors + change[..., 1:, :], here)
        vectors = hyperbolic_transport(vectors, here, there)
        vectors = hyperbolic_orthonormal(vectors, there)
        return _Fit(*self.data, base, vectors)

    def _push(self, step):
        """Return the motions of the fitted points."""
        change = self._split(step)
        design = self.data[1]
        return self._shifted(change[..., :1, :]) + self._turned(
            design @ change[..., 1:, :]
        )

    def _pull(self, motion):
        """Apply the transpose of `_push`."""
        xp = namespace(motion)
        base = xp.sum(self._shifted(motion), axis=-2, keepdims=True)
        change = xp.concat([base, self.data[1].mT @ self._turned(motion)], axis=-2)
        return xp.reshape(change, (*change.shape[:-2], -1))

    def _shifted(self, vector):
        half = 0.5 * sinh_quotient(0.25 * self.square) ** 2  # (cosh(r) - 1) / r^2
        across = half * self.square * vector
        return vector + across - half * row_dot(self.along, vector) * self.along

    def _turned(self, vector):
        stretch = sinh_quotient(self.square)
        excess = divide(stretch - 1.0, self.square)
        return stretch * vector - excess * row_dot(self.along, vector) * self.along

    def _split(self, step):
        size = self.base.shape[-1]
        return namespace(step).reshape(step, (*step.shape[:-1], -1, size))


def _descend(fit, step):
    """Take the longest step in a halving sequence that does not raise the objective."""
    xp = namespace(step)
    slack = 1.0 + 8.0 * eps(step)
    length = xp.ones_like(fit.objective)
    for _ in range(_MAX_HALVINGS):
        trial = fit.moved(length[..., None] * step)
        worse = ~(trial.objective <= slack * fit.objective)
        if not bool(xp.any(worse)):
            break
        length = xp.where(worse, 0.5 * length, length)
    return trial
