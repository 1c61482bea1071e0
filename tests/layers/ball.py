"""The Poincaré ball by the textbook: gyrovectors, and the layers of two papers.

.. [G2018] O. Ganea, G. Bécigneul and T. Hofmann. Hyperbolic neural networks.
.. [S2021] R. Shimizu, Y. Mukuta and T. Harada. Hyperbolic neural networks++.
"""

import numpy as np
from scipy.special import beta


def add(x, y, curvature):
    """Möbius addition."""
    c = -curvature
    xy, xx, yy = x @ y, x @ x, y @ y
    above = (1 + 2 * c * xy + c * yy) * x + (1 - c * xx) * y
    return above / (1 + 2 * c * xy + c**2 * xx * yy)


def conformal(x, curvature):
    return 2.0 / (1.0 + curvature * (x @ x))


def exp(x, v, curvature):
    c, size = np.sqrt(-curvature), np.linalg.norm(v)
    if size == 0.0:
        return x
    step = np.tanh(c * conformal(x, curvature) * size / 2.0) * v / (c * size)
    return add(x, step, curvature)


def log(x, y, curvature):
    c = np.sqrt(-curvature)
    moved = add(-x, y, curvature)
    size = np.linalg.norm(moved)
    if size == 0.0:
        return 0.0 * x
    scale = 2.0 / (c * conformal(x, curvature))
    return scale * np.arctanh(c * size) * moved / size


def dist(x, y, curvature):
    c = np.sqrt(-curvature)
    return 2.0 / c * np.arctanh(c * np.linalg.norm(add(-x, y, curvature)))


def ganea_mlr(x, p, a, curvature):
    """Equation 25 of [G2018]: normal a at a point p."""
    c = np.sqrt(-curvature)
    moved = add(-p, x, curvature)
    size = np.linalg.norm(a)
    inside = 2 * c * (moved @ a) / ((1 + curvature * (moved @ moved)) * size)
    return conformal(p, curvature) * size / c * np.arcsinh(inside)


def mlr(x, z, gamma, curvature):
    """Equation 6 of [S2021]."""
    c, size = np.sqrt(-curvature), np.linalg.norm(z)
    factor = conformal(x, curvature)
    inside = c * factor * (x @ z) / size * np.cosh(2 * c * gamma)
    inside -= (factor - 1) * np.sinh(2 * c * gamma)
    return 2 * size / c * np.arcsinh(inside)


def fc(x, weight, gamma, curvature):
    """Equation 7 of [S2021]."""
    c = np.sqrt(-curvature)
    logits = [mlr(x, z, g, curvature) for z, g in zip(weight, gamma, strict=True)]
    w = np.sinh(c * np.array(logits)) / c
    return w / (1 + np.sqrt(1 - curvature * (w @ w)))


def concat(points, curvature):
    """Section 3.3 of [S2021]."""
    total = beta(sum(map(len, points)) / 2, 0.5)
    vectors = [
        total / beta(len(x) / 2, 0.5) * log(np.zeros(len(x)), x, curvature)
        for x in points
    ]
    joined = np.concatenate(vectors)
    return exp(np.zeros(len(joined)), joined, curvature)
