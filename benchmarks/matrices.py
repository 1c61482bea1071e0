"""Matrices of stated difficulty: condition numbers, spreads of spectra."""

import functools

import numpy as np


def correlations_of_condition(batch, n, condition, seed=0, shape="even"):
    """Draw correlation matrices with a condition number, to a few per cent.

    Parameters
    ----------
    batch, n : int
        Number and size of the matrices.
    condition : float
        Condition number of the first; the others come close.
    seed : int
        Seed.
    shape : {"even", "one small", "one large"}
        Spectrum before the diagonal is made one: logarithms of eigenvalues evenly
        spaced, or one apart from all the others.

    Returns
    -------
    correlations : numpy.ndarray, shape=[batch, n, n]
        Correlation matrices, float64.
    """
    rng = np.random.default_rng(seed)
    frames = np.linalg.qr(rng.standard_normal((batch, n, n)))[0]

    def draw(frames, exponent):
        powers = {
            "even": np.linspace(0.0, -1.0, n),
            "one small": np.r_[np.zeros(n - 1), -1.0],
            "one large": np.r_[0.0, -np.ones(n - 1)],
        }[shape]
        matrix = (frames * 10.0 ** (exponent * powers)) @ np.swapaxes(frames, -2, -1)
        scale = 1.0 / np.sqrt(np.diagonal(matrix, axis1=-2, axis2=-1))
        matrix = scale[..., :, None] * matrix * scale[..., None, :]
        matrix = 0.5 * (matrix + np.swapaxes(matrix, -2, -1))
        matrix[..., np.arange(n), np.arange(n)] = 1.0
        return matrix

    low, high = 0.0, np.log10(condition) + 3.0
    for _ in range(12):
        middle = 0.5 * (low + high)
        values = np.linalg.eigvalsh(draw(frames[0], middle))
        if values[0] > 0.0 and values[-1] / values[0] < condition:
            low = middle
        else:
            high = middle
    return draw(frames, low)


def autoregressive(batch, n, rho=0.9):
    """Return AR(1) correlation matrices, their parameters from 0.98 rho to rho."""
    lags = np.abs(np.subtract.outer(np.arange(n), np.arange(n)))
    return np.linspace(0.98 * rho, rho, batch)[:, None, None] ** lags


def hollow_of_spread(batch, n, spread, seed=0, shape="dense"):
    """Draw symmetric hollow matrices whose eigenvalues cover an interval of a length.

    Parameters
    ----------
    batch, n : int
        Number and size of the matrices.
    spread : float
        Largest eigenvalue minus smallest.
    seed : int
        Seed.
    shape : {"dense", "one factor", "banded"}
        Normal entries; an outer product without its diagonal; three diagonals.

    Returns
    -------
    hollow : numpy.ndarray, shape=[batch, n, n]
        Symmetric hollow matrices, float64.
    """
    rng = np.random.default_rng(seed)
    if shape == "one factor":
        loadings = rng.standard_normal((batch, n))
        matrix = loadings[:, :, None] * loadings[:, None, :]
    else:
        matrix = rng.standard_normal((batch, n, n))
        if shape == "banded":
            matrix = matrix * (np.abs(_lags(n)) <= 1)
    matrix = matrix + np.swapaxes(matrix, -2, -1)
    matrix[..., np.arange(n), np.arange(n)] = 0.0
    values = np.linalg.eigvalsh(matrix)
    return matrix * (spread / (values[:, -1] - values[:, 0]))[:, None, None]


@functools.cache
def _lags(n):
    return np.subtract.outer(np.arange(n), np.arange(n))


def tangent_vectors(batch, n, seed=0):
    """Draw small symmetric hollow matrices."""
    matrix = np.random.default_rng(seed).standard_normal((batch, n, n)) / (20.0 * n)
    matrix = matrix + np.swapaxes(matrix, -2, -1)
    matrix[..., np.arange(n), np.arange(n)] = 0.0
    return matrix


def batch_size(n, full=True):
    """Return how many matrices of a size are timed together, fewer in a short run."""
    if full:
        return 30 if n < 300 else max(2, 2000 // n)
    return 30 if n < 50 else max(2, 1000 // n)
