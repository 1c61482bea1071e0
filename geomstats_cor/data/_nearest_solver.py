r"""A semismooth Newton method for the nearest correlation matrix.

The dual of :math:`\min \tfrac12 |X - G|^2` over positive semidefinite :math:`X` with
prescribed entries, :math:`\langle E_k, X \rangle = b_k`, is the smooth convex problem

.. math:: \min_y \tfrac12 |(G + \sum_k y_k E_k)_+|^2 - b^\top y .

Its gradient is the violation of the constraints, and Newton's method with conjugate
gradients converges quadratically [QS2006]_. Prescribed are the diagonal, and any
entries off it.

.. [QS2006] H. Qi and D. Sun. A quadratically convergent Newton method for computing the
   nearest correlation matrix. SIAM J. Matrix Anal. Appl. 28, 2006.
"""

from typing import Any

import numpy as np

from .._types import Array

_TOLERANCE = 1e-11
_NEWTON_STEPS = 200
_PROXIMAL_STEPS = 5000


class Prescribed:
    """Entries of symmetric matrices, as coordinates in an orthonormal basis.

    Parameters
    ----------
    rows, columns : numpy.ndarray of int, shape=[m]
        Places, each pair of mirrored entries once.
    """

    def __init__(self, rows: Array, columns: Array) -> None:
        self.rows, self.columns = rows, columns
        self.factor = np.where(rows == columns, 1.0, np.sqrt(2.0))

    def of(self, matrix: Array) -> Any:
        """Return the coordinates of a symmetric matrix."""
        return self.factor * matrix[self.rows, self.columns]

    def matrix(self, coords: Array, n: Any) -> Any:
        """Return the symmetric matrix with given coordinates, and zero elsewhere."""
        result = np.zeros((n, n))
        entries = coords / self.factor
        result[self.rows, self.columns] = entries
        result[self.columns, self.rows] = entries
        return result


def project(given: Array, prescribed: Any, values: Array, start: Array = None) -> tuple:
    """Return the nearest semidefinite matrix with prescribed entries.

    Parameters
    ----------
    given : numpy.ndarray, shape=[n, n]
        Symmetric matrix.
    prescribed : Prescribed
        Places of prescribed entries.
    values : numpy.ndarray, shape=[m]
        Their coordinates.
    start : numpy.ndarray, shape=[m]
        Dual variables to start from; zero if None.

    Returns
    -------
    point : numpy.ndarray, shape=[n, n]
        Nearest matrix.
    dual : numpy.ndarray, shape=[m]
        Dual variables.
    steps : int
        Number of Newton steps.
    residual : float
        Largest violation of a prescribed entry.
    """
    n = len(given)
    y = np.zeros(len(values)) if start is None else start
    state = _evaluate(given, prescribed, values, y)
    scale = 1.0 + np.max(np.abs(values))
    steps = 0
    for steps in range(1, _NEWTON_STEPS + 1):
        objective, gradient, point, eigen = state
        if np.max(np.abs(gradient)) <= _TOLERANCE * scale:
            steps -= 1
            break
        step = _newton_step(gradient, prescribed, eigen, n)
        slope = gradient @ step
        length = 1.0
        while True:
            trial = _evaluate(given, prescribed, values, y + length * step)
            rounding = 1e-14 * (1.0 + abs(objective))
            if trial[0] <= objective + 1e-4 * length * slope + rounding:
                break
            length *= 0.5
            if length < 1e-10:
                return point, y, steps, float(np.max(np.abs(gradient)))
        y, state = y + length * step, trial
    return state[2], y, steps, float(np.max(np.abs(state[1])))


def _evaluate(given, prescribed, values, y):
    """Return the dual function, its gradient, the primal point and the spectrum."""
    eigenvalues, vectors = np.linalg.eigh(given + prescribed.matrix(y, len(given)))
    positive = np.maximum(eigenvalues, 0.0)
    point = (vectors * positive) @ vectors.T
    objective = 0.5 * positive @ positive - values @ y
    return objective, prescribed.of(point) - values, point, (eigenvalues, vectors)


def _newton_step(gradient, prescribed, eigen, n):
    """Solve the Newton equation by preconditioned conjugate gradients."""
    eigenvalues, vectors = eigen
    weights = _divided_differences(eigenvalues)
    norm = np.linalg.norm(gradient)
    ridge = min(1e-3, 0.1 * norm)

    def curvature(h):
        inner = vectors.T @ prescribed.matrix(h, n) @ vectors
        return prescribed.of(vectors @ (weights * inner) @ vectors.T) + ridge * h

    scale = _diagonal(weights, vectors, prescribed) + ridge
    x, r = np.zeros_like(gradient), -gradient
    z = r / scale
    p, rz = z, r @ z
    for _ in range(min(300, 2 * len(gradient) + 10)):
        q = curvature(p)
        alpha = rz / (p @ q)
        x, r = x + alpha * p, r - alpha * q
        if np.linalg.norm(r) <= min(1e-2, float(norm)) * norm:
            break
        z = r / scale
        rz, before = r @ z, rz
        p = z + (rz / before) * p
    return x


def _divided_differences(eigenvalues):
    """Return those of max(x, 0), with one where both are positive."""
    positive = eigenvalues > 0.0
    upper = np.maximum(eigenvalues, 0.0)
    gap = eigenvalues[:, None] - eigenvalues[None, :]
    mixed = positive[:, None] != positive[None, :]
    quotient = (upper[:, None] - upper[None, :]) / np.where(mixed, gap, 1.0)
    return np.where(mixed, quotient, (positive[:, None] & positive[None, :]) * 1.0)


def _diagonal(weights, vectors, prescribed):
    """Return the diagonal of the curvature, for preconditioning."""
    i, j = prescribed.rows, prescribed.columns
    squares = vectors**2
    direct = (squares @ weights @ squares.T)[i, j]
    products = vectors[i] * vectors[j]
    mirrored = np.sum((products @ weights) * products, axis=1)
    return np.where(i == j, direct, direct + mirrored)


def nearest(
    given: Array, weights: Array, prescribed: Any, values: Array, floor: float
) -> tuple:
    r"""Return the matrix nearest in a weighted norm, with a floor on eigenvalues.

    .. math:: \min \sum_{ij} W_{ij} (X_{ij} - G_{ij})^2 , \qquad X \succeq \delta I .

    Weights of the form :math:`w_i w_j` take one projection. Others take an
    accelerated proximal-gradient iteration of such projections.

    Parameters
    ----------
    given : numpy.ndarray, shape=[n, n]
        Symmetric matrix; entries of weight zero are arbitrary.
    weights : numpy.ndarray, shape=[n] or [n, n]
        Weights :math:`w` or :math:`W`.
    prescribed : Prescribed
        Places of prescribed entries, the diagonal among them.
    values : numpy.ndarray, shape=[m]
        Prescribed entries.
    floor : float
        Smallest eigenvalue.

    Returns
    -------
    point : numpy.ndarray, shape=[n, n]
        Nearest matrix.
    steps : int
        Number of Newton steps.
    residual : float
        Largest violation of a prescribed entry, or last change of an entry.
    """
    n = len(given)
    # Scaled by the square roots, weights w_i w_j become equal; the floor is a shift.
    majorant = weights if weights.ndim == 1 else np.sqrt(weights.max(axis=1))
    majorant = np.maximum(majorant, 1e-4 * majorant.max())
    root = np.sqrt(majorant / majorant.max())
    outer = root[:, None] * root
    shift = floor * np.eye(n)
    i, j = prescribed.rows, prescribed.columns
    target = prescribed.factor * (values - floor * (i == j)) * outer[i, j]

    def projection(matrix, dual):
        point, dual, steps, residual = project(
            outer * (matrix - shift), prescribed, target, dual
        )
        return point / outer + shift, dual, steps, residual

    if weights.ndim == 1:
        point, _, steps, residual = projection(given, None)
        return point, steps, residual
    rate = weights / (majorant[:, None] * majorant)
    point, dual, steps, residual = projection(given, None)
    ahead, momentum, change = point, 1.0, np.inf
    for _ in range(_PROXIMAL_STEPS):
        moved = ahead - rate * (ahead - given)
        following, dual, more, residual = projection(moved, dual)
        steps += more
        change = np.max(np.abs(following - point))
        uphill = np.sum((ahead - following) * (following - point)) > 0.0
        larger = 0.5 * (1.0 + np.sqrt(1.0 + 4.0 * momentum**2))
        ratio = 0.0 if uphill else (momentum - 1.0) / larger
        momentum = 1.0 if uphill else larger
        ahead = following + ratio * (following - point)
        point = following
        if change <= 1e-9:
            break
    return point, steps, max(residual, 0.0 if change <= 1e-9 else change)
