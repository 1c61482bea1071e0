"""Linear isometries onto Euclidean space, against explicit Gram matrices."""

import math

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from geomstats_cor import kernels as k

from .matrices import (
    random_hollow,
    random_row0,
    random_strictly_lower,
    random_symmetric,
)
from .references import relative_error

sizes = st.integers(2, 6)
coefficients = st.floats(-3.0, 3.0, allow_subnormal=False)
some = settings(max_examples=100, deadline=None, derandomize=True)


def hollow_product(x, y, alpha, beta, gamma):
    """Return alpha tr(XY) + beta Sum(XY) + gamma Sum(X) Sum(Y)."""
    product = x @ y
    sums = np.sum(x, (-2, -1)) * np.sum(y, (-2, -1))
    trace = np.trace(product, axis1=-2, axis2=-1)
    return alpha * trace + beta * np.sum(product, (-2, -1)) + gamma * sums


def row0_product(x, y, alpha, delta, zeta):
    """Return alpha tr(XY) + delta tr(Diag(X) Diag(Y)) + zeta tr(X) tr(Y)."""
    diag_x, diag_y = (np.diagonal(z, axis1=-2, axis2=-1) for z in (x, y))
    trace = np.trace(x @ y, axis1=-2, axis2=-1)
    diagonals = np.sum(diag_x * diag_y, -1)
    return (
        alpha * trace
        + delta * diagonals
        + zeta * np.sum(diag_x, -1) * np.sum(diag_y, -1)
    )


def orthonormal_basis(vectors):
    """Return an orthonormal basis [d, n, n] of the span of matrices [m, n, n]."""
    flat = vectors.reshape(len(vectors), -1)
    _, values, basis = np.linalg.svd(flat, full_matrices=False)
    rank = int(np.sum(values > 1e-10 * values[0]))
    return basis[:rank].reshape(rank, *vectors.shape[1:])


def hollow_basis(n):
    return orthonormal_basis(random_hollow(np.random.default_rng(n), n, (n * n,)))


def row0_basis(n):
    return orthonormal_basis(random_row0(np.random.default_rng(n), n, (n * n,)))


SPACES = {
    "hollow": (
        hollow_basis,
        hollow_product,
        k.hollow_eigenvalues,
        k.hollow_to_coords,
        k.hollow_from_coords,
        k.scale_hollow,
    ),
    "row0": (
        row0_basis,
        row0_product,
        k.row0_eigenvalues,
        k.row0_to_coords,
        k.row0_from_coords,
        k.scale_row0,
    ),
}
every_space = pytest.mark.parametrize("space", SPACES)


def gram_matrix(basis, product, parameters):
    return product(basis[:, None], basis[None], *parameters)


def multiplicities(n):
    """Return the dimensions of the rest, the standard and the trivial piece."""
    return n * (n - 3) // 2 if n > 2 else 0, n - 1 if n > 2 else 0, 1


def admissible(rng, eigenvalues, n):
    """Draw coefficients of a product that is positive definite."""
    while True:
        parameters = rng.uniform(-2.0, 2.0, 3).tolist()
        values = eigenvalues(n, *parameters)
        if all(value is None or value > 0.05 for value in values):
            return parameters, values


class TestProducts:
    @pytest.mark.parametrize("n", [2, 3, 4, 5, 6])
    @every_space
    def test_dimension(self, space, n):
        assert len(SPACES[space][0](n)) == n * (n - 1) // 2 == sum(multiplicities(n))

    @every_space
    @some
    @given(n=sizes, a=coefficients, b=coefficients, c=coefficients)
    def test_spectrum(self, space, n, a, b, c):
        basis, product, eigenvalues, *_ = SPACES[space]
        expected = np.linalg.eigvalsh(gram_matrix(basis(n), product, (a, b, c)))
        values = eigenvalues(n, a, b, c)
        for value, count in zip(values, multiplicities(n), strict=True):
            assert (value is None) == (count == 0)
        actual = np.concat(
            [
                np.full(count, 0.0 if value is None else value)
                for value, count in zip(values, multiplicities(n), strict=True)
            ]
        )
        assert np.max(np.abs(np.sort(actual) - expected)) <= 1e-10

    @every_space
    @some
    @given(n=sizes, a=coefficients, b=coefficients, c=coefficients)
    def test_positivity(self, space, n, a, b, c):
        basis, product, eigenvalues, *_ = SPACES[space]
        least = np.linalg.eigvalsh(gram_matrix(basis(n), product, (a, b, c)))[0]
        assume(abs(least) > 1e-9)
        values = [value for value in eigenvalues(n, a, b, c) if value is not None]
        assert (min(values) > 0.0) == (least > 0.0)

    @every_space
    @pytest.mark.parametrize("n", [2, 3, 4, 5, 6])
    def test_frobenius_product(self, space, n):
        values = SPACES[space][2](n, 1.0, 0.0, 0.0)
        assert {value for value in values if value is not None} == {1.0}

    def test_roots(self):
        assert k.roots((4.0, None, 2.0)) == (2.0, None, math.sqrt(2.0))


class TestCoordinates:
    @pytest.mark.parametrize("n", [2, 3, 4, 5, 6])
    @every_space
    def test_gram_matrix(self, arrays, rng, space, n):
        basis, product, eigenvalues, to_coords, _, _ = SPACES[space]
        for _ in range(5):
            parameters, values = admissible(rng, eigenvalues, n)
            coords = arrays.apply(to_coords, basis(n), values)
            assert coords.shape == (n * (n - 1) // 2,) * 2
            expected = gram_matrix(basis(n), product, parameters)
            error = np.max(np.abs(coords @ coords.T - expected))
            assert error <= 64 * arrays.eps * np.max(np.abs(expected))

    @pytest.mark.parametrize("n", [2, 3, 4, 5, 6, 20])
    @every_space
    def test_round_trip(self, arrays, rng, space, n):
        _, _, eigenvalues, to_coords, from_coords, _ = SPACES[space]
        _, values = admissible(rng, eigenvalues, n)
        coords = arrays.rounded(rng.standard_normal((3, n * (n - 1) // 2)))
        matrix = arrays.apply(from_coords, coords, values)
        assert matrix.shape == (3, n, n)
        assert np.max(np.abs(matrix - matrix.mT)) <= 32 * arrays.eps * np.max(matrix)
        back = arrays.apply(to_coords, matrix, values)
        assert relative_error(back, coords) <= 100 * arrays.eps

    @pytest.mark.parametrize("n", [2, 5])
    def test_images(self, double, rng, n):
        coords = rng.standard_normal((3, n * (n - 1) // 2))
        _, values = admissible(rng, k.hollow_eigenvalues, n)
        hollow = double.apply(k.hollow_from_coords, coords, values)
        assert np.all(np.diagonal(hollow, axis1=-2, axis2=-1) == 0.0)
        _, values = admissible(rng, k.row0_eigenvalues, n)
        row0 = double.apply(k.row0_from_coords, coords, values)
        assert np.max(np.abs(np.sum(row0, -1))) <= 1e-13


class TestScaling:
    @pytest.mark.parametrize("n", [2, 3, 4, 5, 6])
    @every_space
    def test_product_by_its_eigenvalues(self, arrays, rng, space, n):
        # Scaled by the eigenvalues, a matrix represents its product with the others.
        basis, product, eigenvalues, _, _, scale = SPACES[space]
        parameters = rng.uniform(-2.0, 2.0, 3).tolist()
        matrix = basis(n)
        moved = arrays.apply(scale, matrix, eigenvalues(n, *parameters))
        actual = np.sum(moved[:, None] * matrix, (-2, -1))
        expected = gram_matrix(matrix, product, parameters)
        assert np.max(np.abs(actual - expected)) <= 100 * arrays.eps

    @pytest.mark.parametrize("n", [2, 3, 4, 5, 6])
    @every_space
    def test_factors_multiply(self, double, rng, space, n):
        basis, _, _, _, _, scale = SPACES[space]
        first, second = rng.uniform(0.5, 2.0, (2, 3))
        once = double.apply(scale, basis(n), tuple(first * second))
        twice = double.apply(
            scale, double.apply(scale, basis(n), tuple(first)), tuple(second)
        )
        assert relative_error(twice, once) <= 1e-14

    @every_space
    @pytest.mark.parametrize("factor", [1.0, 3.0])
    def test_one_factor(self, arrays, space, factor):
        matrix = arrays.rounded(SPACES[space][0](5))
        actual = arrays.apply(SPACES[space][5], matrix, (factor,) * 3)
        assert relative_error(actual, factor * matrix) <= arrays.eps


class TestPacking:
    def test_order(self, arrays):
        matrix = np.arange(16.0).reshape(4, 4)
        packed = arrays.apply(k.pack_strictly_lower, matrix)
        assert packed.tolist() == [4.0, 8.0, 9.0, 12.0, 13.0, 14.0]

    @pytest.mark.parametrize("n", [1, 2, 3, 7])
    def test_round_trip(self, arrays, rng, n):
        strict = arrays.rounded(random_strictly_lower(rng, n, (2, 3)))
        packed = arrays.apply(k.pack_strictly_lower, strict)
        assert packed.shape == (2, 3, n * (n - 1) // 2)
        assert np.array_equal(arrays.apply(k.unpack_strictly_lower, packed), strict)


class TestCenter:
    @pytest.mark.parametrize("n", [2, 3, 7])
    def test_orthogonal_projection(self, arrays, rng, n):
        matrix = arrays.rounded(random_symmetric(rng, n, (3,)))
        centered = arrays.apply(k.center, matrix)
        assert np.max(np.abs(np.sum(centered, -1))) <= 8 * n * arrays.eps
        other = random_row0(rng, n)
        products = np.sum((matrix - centered) * other, (-2, -1))
        assert np.max(np.abs(products)) <= 16 * n * arrays.eps
        again = arrays.apply(k.center, centered)
        assert np.max(np.abs(again - centered)) <= 8 * arrays.eps

    @pytest.mark.parametrize("n", [2, 3, 5, 40])
    def test_helmert(self, n):
        basis = k.helmert(n)
        assert basis.shape == (n, n - 1)
        assert np.max(np.abs(basis.T @ basis - np.eye(n - 1))) <= 1e-14
        assert np.max(np.abs(np.sum(basis, axis=0))) <= 1e-14
