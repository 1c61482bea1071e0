"""Matrices that the tests of the kernels work on, as numpy arrays of float64."""

import numpy as np


def scaled_to_unit_diagonal(matrix):
    """Return the matrix with rows and columns scaled, and a diagonal of exact ones."""
    scale = 1.0 / np.sqrt(np.diagonal(matrix, axis1=-2, axis2=-1))
    scaled = scale[..., :, None] * matrix * scale[..., None, :]
    return np.where(np.eye(matrix.shape[-1], dtype=bool), 1.0, scaled)


def random_orthogonal(rng, n, batch=()):
    return np.linalg.qr(rng.standard_normal((*batch, n, n)))[0]


def random_spd(rng, n, condition=10.0, batch=()):
    """Return matrices with log-spaced eigenvalues and random eigenvectors."""
    vectors = random_orthogonal(rng, n, batch)
    return _symmetric(vectors * np.geomspace(1.0, condition, n) @ vectors.mT)


def random_correlation(rng, n, condition=10.0, batch=()):
    """Return correlation matrices whose condition number is about the one given."""
    return scaled_to_unit_diagonal(random_spd(rng, n, condition, batch))


def random_symmetric(rng, n, batch=()):
    return _symmetric(rng.standard_normal((*batch, n, n)))


def random_hollow(rng, n, batch=()):
    return off(random_symmetric(rng, n, batch))


def random_row0(rng, n, batch=()):
    """Return symmetric matrices with null row sums."""
    centering = np.eye(n) - 1.0 / n
    return _symmetric(centering @ random_symmetric(rng, n, batch) @ centering)


def random_strictly_lower(rng, n, batch=()):
    return np.tril(rng.standard_normal((*batch, n, n)), -1)


def autoregressive(n, rho):
    """Return the correlation matrix of an AR(1) process: rho ** |i - j|."""
    order = np.arange(n)
    return float(rho) ** np.abs(order[:, None] - order)


def equicorrelation(n, rho):
    """Return the matrix with rho off a unit diagonal: n - 1 eigenvalues are equal."""
    return np.where(np.eye(n, dtype=bool), 1.0, rho)


def nearly_repeated(rng, n, gap):
    """Return a correlation matrix whose n - 1 smallest eigenvalues differ by a gap."""
    return equicorrelation(n, 0.4) + gap * random_hollow(rng, n) / n


def off(matrix):
    """Return the matrix with a diagonal of zeros."""
    return np.where(np.eye(matrix.shape[-1], dtype=bool), 0.0, matrix)


def diag(matrix):
    return np.diagonal(matrix, axis1=-2, axis2=-1)


def _symmetric(matrix):
    return 0.5 * (matrix + matrix.mT)
