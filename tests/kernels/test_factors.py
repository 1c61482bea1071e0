"""Correlation matrices given by a factor: what is read from it, and derivatives."""

import numpy as np
import pytest
import torch
from numpy.testing import assert_allclose

from geomstats_cor import kernels
from geomstats_cor.kernels.factors import bounded_length

from .matrices import random_correlation, random_orthogonal

READERS = {
    "lower": (kernels.lower_factor, np.linalg.cholesky),
    "log": (kernels.log_of_factor, kernels.sym_log),
    "log_scaled": (kernels.log_scaled_of_factor, kernels.log_scaled),
}
WRITERS = {
    "off_exp": (kernels.off_exp_factor, kernels.off_exp, kernels.off_log),
    "exp_scaled": (kernels.exp_scaled_factor, kernels.exp_scaled, kernels.log_scaled),
}


def random_factor(rng, n, condition=50.0, batch=()):
    """Return a factor of a correlation matrix that is neither lower nor symmetric."""
    lower = np.linalg.cholesky(random_correlation(rng, n, condition, batch))
    return lower @ random_orthogonal(rng, n, batch)


def converted(x, library):
    return torch.as_tensor(x) if library == "torch" else x


@pytest.mark.parametrize("name", READERS)
def test_reading_a_factor_is_reading_the_matrix(name, rng, library):
    read, expected = READERS[name]
    factor = random_factor(rng, 5, batch=(2, 3))
    actual = read(converted(factor, library))
    correlation = kernels.cor(factor @ factor.mT)
    assert_allclose(actual, expected(correlation), rtol=1e-11, atol=1e-11)


@pytest.mark.parametrize("name", WRITERS)
def test_writing_a_factor_is_writing_the_matrix(name, rng, library):
    write, expected, image = WRITERS[name]
    given = image(random_correlation(rng, 5, 50.0, (2, 3)))
    factor = np.asarray(write(converted(given, library)))
    assert_allclose(factor @ factor.mT, expected(given), atol=1e-13)


def test_rows_of_length_one_without_overflow():
    large = np.array([[3e30, 4e30], [3e-30, 4e-30]], dtype=np.float32)
    assert_allclose(kernels.unit_rows(large), [[0.6, 0.8], [0.6, 0.8]], rtol=1e-6)


@pytest.mark.parametrize("name", READERS)
@pytest.mark.parametrize("place", ["generic", "identity", "orthogonal", "repeated"])
def test_derivatives(name, place, rng):
    """At equal singular values, too, where those of singular vectors do not exist."""
    read, _ = READERS[name]
    factor = random_factor(rng, 4, 20.0)
    if place == "identity":
        factor = np.eye(4)
    elif place == "orthogonal":
        factor = random_orthogonal(rng, 4)
    elif place == "repeated":
        matrix = 0.6 * np.eye(4) + 0.4
        factor = np.linalg.cholesky(matrix) @ random_orthogonal(rng, 4)
    factor = torch.as_tensor(factor).requires_grad_()
    assert torch.autograd.gradcheck(read, factor, check_forward_ad=True)
    assert torch.autograd.gradgradcheck(read, factor)


def test_derivative_at_the_identity(rng):
    vector, weights = torch.as_tensor(rng.standard_normal((2, 4, 4)))
    identity = torch.eye(4, dtype=torch.float64)
    _, moved = torch.func.jvp(kernels.log_of_factor, (identity,), (vector,))
    torch.testing.assert_close(moved, vector + vector.mT)
    identity.requires_grad_()
    loss = (weights * kernels.log_of_factor(identity)).sum()
    (gradient,) = torch.autograd.grad(loss, identity)
    torch.testing.assert_close(gradient, weights + weights.mT)


@pytest.mark.parametrize("name", READERS)
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_singular_factors_are_read(name, dtype, rng):
    """Rank one, and a null vector with positive entries, which no scaling balances."""
    read, _ = READERS[name]
    rank_one = np.zeros((4, 4))
    rank_one[:, 0] = 1.0
    balanced = np.zeros((4, 4))
    balanced[:, 0] = [1.0, -1.0, 1.0, -1.0]
    factor = torch.as_tensor(np.stack([rank_one, balanced])).to(dtype).requires_grad_()
    result = read(factor)
    (gradient,) = torch.autograd.grad(result.sum(), factor)
    assert torch.isfinite(result).all()
    assert torch.isfinite(gradient).all()


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_bounded_lengths(dtype, rng):
    direction = torch.as_tensor(rng.standard_normal(5)).to(dtype)
    direction = direction / torch.linalg.vector_norm(direction)
    lengths = torch.tensor([0.0, 1e-3, 1.0, 3.0], dtype=dtype)[:, None]
    short = lengths * direction
    assert torch.equal(bounded_length(short, 10.0), short)
    lengths = torch.logspace(-3, 15, 200, dtype=dtype)[:, None]
    bounded = torch.linalg.vector_norm(bounded_length(lengths * direction, 10.0), dim=1)
    slack = 1.0 + 64.0 * torch.finfo(dtype).eps
    assert float(bounded.max()) <= 10.0 * slack
    assert bool((bounded[1:] * slack >= bounded[:-1]).all())


def test_derivatives_of_bounded_lengths(rng):
    for length in (0.0, 1.0, 9.0, 10.0, 12.0, 1e4):
        vector = torch.as_tensor(length * np.ones(3) / np.sqrt(3)).requires_grad_()

        def bounded(x):
            return bounded_length(x, 10.0)

        assert torch.autograd.gradcheck(bounded, vector, check_forward_ad=True)
        assert torch.autograd.gradgradcheck(bounded, vector)
