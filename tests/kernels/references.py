"""What kernels are compared with: difference quotients, and many-digit arithmetic."""

import mpmath
import numpy as np

# Central differences of eighth order: multiples of the step, and weights.
_FIRST = ((1, 4 / 5), (2, -1 / 5), (3, 4 / 105), (4, -1 / 280))
_SECOND = ((1, 8 / 5), (2, -1 / 5), (3, 8 / 315), (4, -1 / 560))


def relative_error(actual, expected):
    """Return the largest error, in units of the largest entry expected."""
    assert actual.shape == expected.shape
    return np.max(np.abs(actual - expected)) / np.max(np.abs(expected))


def derivative(function, point, vector, step=2e-3):
    """Return the derivative along a vector, by a stencil of eighth order."""
    total = 0.0
    for multiple, weight in _FIRST:
        ahead = function(point + multiple * step * vector)
        behind = function(point - multiple * step * vector)
        total = total + weight * (ahead - behind)
    return total / step


def second_derivative(function, point, vector, step=0.04):
    """Return the second derivative along a vector, by a stencil of eighth order."""
    middle, total = function(point), 0.0
    for multiple, weight in _SECOND:
        ahead = function(point + multiple * step * vector)
        behind = function(point - multiple * step * vector)
        total = total + weight * ((ahead - middle) + (behind - middle))
    return total / step**2


def exact(array):
    """Return the entries of an array of floats as an array of mpmath numbers."""
    return np.vectorize(mpmath.mpf, otypes=[object])(array)


def rounded(array):
    """Return an array of mpmath numbers in float64."""
    return np.vectorize(float, otypes=[np.float64])(array)


def symmetric_function(function, matrix):
    """Apply a function to the eigenvalues of a symmetric array of mpmath numbers."""
    values, vectors = mpmath.eigsy(mpmath.matrix(matrix.tolist()))
    vectors = np.array(vectors.tolist(), dtype=object)
    images = np.array([function(value) for value in values], dtype=object)
    return (vectors * images) @ vectors.T


def exact_derivative(function, point, vector, digits=80):
    """Return a derivative from a difference quotient that has digits to spare."""
    with mpmath.workdps(digits):
        step = mpmath.mpf(10) ** (-digits // 4)
        point, vector = exact(point), exact(vector)
        ahead, behind = function(point + step * vector), function(point - step * vector)
        return rounded((ahead - behind) / (2 * step))


def exact_second_derivative(function, point, vector, digits=120):
    """Return a second derivative as `exact_derivative` does a first one."""
    with mpmath.workdps(digits):
        step = mpmath.mpf(10) ** (-digits // 4)
        point, vector = exact(point), exact(vector)
        ahead, behind = function(point + step * vector), function(point - step * vector)
        return rounded((ahead - 2 * function(point) + behind) / step**2)
