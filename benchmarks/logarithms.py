"""The logarithm of symmetric positive definite matrices in each library.

A block that all libraries share, and its first and second derivatives, compared with
arithmetic of many digits.
"""

import numpy as np
import torch

from geomstats_cor import kernels

from .matrices import correlations_of_condition


def logarithm(library):
    """Return the logarithm of symmetric positive definite matrices of a library."""
    if library == "geomstats-cor":
        return kernels.sym_log
    if library == "geomstats":
        from geomstats.geometry.spd_matrices import logmh

        return logmh
    if library == "pyriemann":
        from pyriemann.geometry.base import logm

        return logm
    if library == "spd_learn":
        from spd_learn.functional import matrix_log

        return matrix_log.apply
    from geoopt.linalg import sym_logm

    return sym_logm


def gradient_at_identity(function):
    """Say whether the gradient of the sum is right where all eigenvalues meet."""
    point = torch.eye(4, dtype=torch.float64)[None].requires_grad_()
    (gradient,) = torch.autograd.grad(function(point).sum(), point)
    return "right" if bool((gradient - 1.0).abs().max() < 1e-12) else _shown(gradient)


def _shown(x):
    return "NaN" if bool(torch.isnan(x).any()) else "wrong"


def _gap_matrix():
    """Return a matrix with two eigenvalues that differ by 1e-9."""
    frame = torch.linalg.qr(torch.randn(4, 4, dtype=torch.float64, generator=_rng()))[0]
    values = torch.tensor([0.5, 2.0, 3.0, 3.0 + 1e-9], dtype=torch.float64)
    return (frame * values) @ frame.T


def _rng():
    return torch.Generator().manual_seed(0)


def _direction():
    noise = torch.randn(4, 4, dtype=torch.float64, generator=_rng())
    return noise + noise.T


def _mp_log(matrix):
    import mpmath

    values, vectors = mpmath.eigsy(mpmath.matrix(matrix.tolist()))
    vectors = np.array(vectors.tolist(), dtype=object)
    logs = np.array([mpmath.log(v) for v in values], dtype=object)
    return (vectors * logs) @ vectors.T


def _exact_gradient(point, direction):
    """Return the gradient of <log C, V> by the formula of Daleckii and Krein."""
    import mpmath

    from .numerics import exact, rounded

    with mpmath.workdps(60):
        values, vectors = mpmath.eigsy(mpmath.matrix(point.tolist()))
        frame = np.array(vectors.tolist(), dtype=object)
        logs = [mpmath.log(value) for value in values]
        quotients = np.array(
            [
                [
                    1 / a if i == j else (x - y) / (a - b)
                    for j, (b, y) in enumerate(pairs)
                ]
                for pairs in [list(zip(values, logs, strict=True))]
                for i, (a, x) in enumerate(pairs)
            ],
            dtype=object,
        )
        inner = frame.T @ exact(direction.numpy()) @ frame
        return torch.as_tensor(rounded(frame @ (quotients * inner) @ frame.T))


def _exact_second_derivative(point, direction):
    """Return the second derivative of <log C, V> along V."""
    import mpmath

    from .numerics import exact

    with mpmath.workdps(80):
        c, v = exact(point.numpy()), exact(direction.numpy())
        step = mpmath.mpf(10) ** -20
        ahead, here, behind = (_mp_log(c + s * step * v) for s in (1, 0, -1))
        return float(((ahead - 2 * here + behind) * v).sum() / step**2)


def gradient_at_gap(function):
    """Return the relative error of a gradient where two eigenvalues almost meet."""
    point, direction = _gap_matrix(), _direction()
    moving = point[None].clone().requires_grad_()
    (gradient,) = torch.autograd.grad((function(moving) * direction).sum(), moving)
    gradient = 0.5 * (gradient + gradient.mT)[0]
    expected = _exact_gradient(point, direction)
    return float((gradient - expected).abs().max() / expected.abs().max())


def second_derivative_error(function):
    """Return the relative error of a second derivative."""
    point = torch.as_tensor(correlations_of_condition(1, 4, 10.0))[0]
    direction = _direction()
    moving = point[None].clone().requires_grad_()
    (gradient,) = torch.autograd.grad(
        (function(moving) * direction).sum(), moving, create_graph=True
    )
    (second,) = torch.autograd.grad((gradient * direction).sum(), moving)
    expected = _exact_second_derivative(point, direction)
    return abs(float((second * direction).sum()) / expected - 1.0)
