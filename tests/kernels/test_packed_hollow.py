"""Symmetric hollow matrices in packed form against the same in square form."""

import numpy as np
import pytest
import torch

from geomstats_cor import kernels

from .matrices import random_hollow

FACTORS = {
    "one": (1.0, 1.0, 1.0),
    "uniform": (2.5, 2.5, 2.5),
    "different": (2.0, 0.3, 5.0),
}


def factors_for(n, name):
    rest, standard, trivial = FACTORS[name]
    return (rest if n > 3 else None, standard if n > 2 else None, trivial)


every_size = pytest.mark.parametrize("n", [2, 3, 4, 7])
every_factor = pytest.mark.parametrize("name", FACTORS)


@every_size
def test_row_sums(arrays, rng, n):
    matrix = random_hollow(rng, n, (3, 2))
    packed = kernels.pack_strictly_lower(matrix)
    actual = arrays.apply(kernels.hollow_row_sums, packed)
    np.testing.assert_allclose(actual, matrix.sum(-1), atol=20 * arrays.eps)


@every_size
@every_factor
def test_scaling(arrays, rng, n, name):
    matrix, factors = random_hollow(rng, n, (3,)), factors_for(n, name)
    expected = kernels.pack_strictly_lower(kernels.scale_hollow(matrix, factors))
    packed = kernels.pack_strictly_lower(matrix)
    actual = arrays.apply(kernels.scale_packed_hollow, packed, factors)
    np.testing.assert_allclose(actual, expected, atol=100 * arrays.eps)


@every_size
@every_factor
def test_norm(arrays, rng, n, name):
    matrix, factors = random_hollow(rng, n, (3,)), factors_for(n, name)
    scaled = kernels.scale_hollow(matrix, factors)
    expected = np.sqrt(np.sum(matrix * scaled, axis=(-2, -1)))
    packed = kernels.pack_strictly_lower(matrix)
    actual = arrays.apply(kernels.packed_hollow_norm, packed, factors)
    np.testing.assert_allclose(actual, expected, rtol=100 * arrays.eps)
    assert not arrays.apply(kernels.packed_hollow_norm, 0.0 * packed, factors).any()


@every_size
def test_null_row_sums(arrays, rng, n):
    matrix = random_hollow(rng, n, (3,))
    packed = kernels.pack_strictly_lower(matrix)
    actual = arrays.apply(kernels.packed_to_row0, packed)
    expected = matrix - np.eye(n) * matrix.sum(-1)[..., None]
    np.testing.assert_allclose(actual, expected, atol=20 * arrays.eps)


@pytest.mark.parametrize("factors", [(2.0, 2.0, 2.0), (1.0, 2.0, 3.0), (3.0, 2.0, 1.0)])
def test_lengths_have_derivatives_of_second_order(factors):
    def norm(packed):
        return kernels.packed_hollow_norm(packed, factors)

    packed = torch.randn(2, 6, dtype=torch.float64, requires_grad=True)
    assert torch.autograd.gradcheck(norm, packed)
    assert torch.autograd.gradgradcheck(norm, packed)
    null = torch.zeros(6, dtype=torch.float64)
    for outer in (torch.func.jacrev, torch.func.jacfwd):
        assert not outer(torch.func.jacrev(norm))(null).any()


@pytest.mark.parametrize("n", [48, 49])
def test_row_sums_of_large_matrices(arrays, rng, n):
    """By a product, and beyond that by their places."""
    matrix = random_hollow(rng, n, (2,))
    packed = kernels.pack_strictly_lower(matrix)
    actual = arrays.apply(kernels.hollow_row_sums, packed)
    np.testing.assert_allclose(actual, matrix.sum(-1), atol=10 * n * arrays.eps)
