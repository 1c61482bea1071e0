"""Packed triangles, and symmetric matrices with null row sums."""

import numpy as np
import pytest

from geomstats_cor import kernels

from .matrices import (
    random_hollow,
    random_row0,
    random_strictly_lower,
    random_symmetric,
)


class TestPacking:
    def test_order(self, arrays):
        matrix = np.arange(16.0).reshape(4, 4)
        packed = arrays.apply(kernels.pack_strictly_lower, matrix)
        assert packed.tolist() == [4.0, 8.0, 9.0, 12.0, 13.0, 14.0]

    @pytest.mark.parametrize("n", [1, 2, 3, 7])
    def test_round_trip(self, arrays, rng, n):
        strict = arrays.rounded(random_strictly_lower(rng, n, (2, 3)))
        packed = arrays.apply(kernels.pack_strictly_lower, strict)
        assert packed.shape == (2, 3, n * (n - 1) // 2)
        assert np.array_equal(
            arrays.apply(kernels.unpack_strictly_lower, packed), strict
        )


class TestNullRowSums:
    @pytest.mark.parametrize("n", [2, 3, 7])
    def test_orthogonal_projection(self, arrays, rng, n):
        matrix = arrays.rounded(random_symmetric(rng, n, (3,)))
        centered = arrays.apply(kernels.center, matrix)
        assert np.max(np.abs(np.sum(centered, -1))) <= 8 * n * arrays.eps
        other = random_row0(rng, n)
        products = np.sum((matrix - centered) * other, (-2, -1))
        assert np.max(np.abs(products)) <= 16 * n * arrays.eps
        again = arrays.apply(kernels.center, centered)
        assert np.max(np.abs(again - centered)) <= 8 * arrays.eps

    @pytest.mark.parametrize("n", [2, 3, 5, 40])
    def test_helmert(self, n):
        basis = kernels.helmert(n)
        assert basis.shape == (n, n - 1)
        assert np.max(np.abs(basis.T @ basis - np.eye(n - 1))) <= 1e-14
        assert np.max(np.abs(np.sum(basis, axis=0))) <= 1e-14

    @pytest.mark.parametrize("n", [2, 3, 4, 7])
    def test_of_given_hollow_part(self, arrays, rng, n):
        matrix = random_hollow(rng, n, (3,))
        packed = kernels.pack_strictly_lower(matrix)
        actual = arrays.apply(kernels.packed_to_row0, packed)
        expected = matrix - np.eye(n) * matrix.sum(-1)[..., None]
        np.testing.assert_allclose(actual, expected, atol=20 * arrays.eps)


@pytest.mark.parametrize("n", [2, 3, 4, 7, 49])
def test_row_sums(arrays, rng, n):
    matrix = random_hollow(rng, n, (3, 2))
    packed = kernels.pack_strictly_lower(matrix)
    actual = arrays.apply(kernels.hollow_row_sums, packed)
    np.testing.assert_allclose(actual, matrix.sum(-1), atol=10 * n * arrays.eps)
