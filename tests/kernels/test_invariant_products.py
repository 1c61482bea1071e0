"""Permutation-invariant products, against explicit Gram matrices."""

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from geomstats_cor import kernels
from geomstats_cor.geometries import InvariantProduct

from .matrices import (
    random_hollow,
    random_row0,
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
        InvariantProduct.of_hollow,
        InvariantProduct.hollow_to_coords,
        InvariantProduct.hollow_from_coords,
        InvariantProduct.on_hollow,
    ),
    "row0": (
        row0_basis,
        row0_product,
        InvariantProduct.of_null_row_sums,
        InvariantProduct.null_row_sums_to_coords,
        InvariantProduct.null_row_sums_from_coords,
        InvariantProduct.on_null_row_sums,
    ),
}
every_space = pytest.mark.parametrize("space", SPACES)


def gram_matrix(basis, product, parameters):
    return product(basis[:, None], basis[None], *parameters)


def multiplicities(n):
    """Return the dimensions of the rest, the standard and the trivial subspace."""
    return n * (n - 3) // 2 if n > 2 else 0, n - 1 if n > 2 else 0, 1


def admissible(rng, product_of, n):
    """Draw coefficients of a product that is positive definite."""
    while True:
        parameters = rng.uniform(-2.0, 2.0, 3).tolist()
        product = product_of(n, *parameters)
        if min(product.eigenvalues) > 0.05:
            return parameters, product


class TestProducts:
    @pytest.mark.parametrize("n", [2, 3, 4, 5, 6])
    @every_space
    def test_dimension(self, space, n):
        assert len(SPACES[space][0](n)) == n * (n - 1) // 2 == sum(multiplicities(n))

    @every_space
    @some
    @given(n=sizes, a=coefficients, b=coefficients, c=coefficients)
    def test_spectrum(self, space, n, a, b, c):
        basis, product, product_of, *_ = SPACES[space]
        expected = np.linalg.eigvalsh(gram_matrix(basis(n), product, (a, b, c)))
        actual = np.repeat(product_of(n, a, b, c).eigenvalues, multiplicities(n))
        assert np.max(np.abs(np.sort(actual) - expected)) <= 1e-10

    @every_space
    @some
    @given(n=sizes, a=coefficients, b=coefficients, c=coefficients)
    def test_positivity(self, space, n, a, b, c):
        basis, product, product_of, *_ = SPACES[space]
        least = np.linalg.eigvalsh(gram_matrix(basis(n), product, (a, b, c)))[0]
        assume(abs(least) > 1e-9)
        assert (min(product_of(n, a, b, c).eigenvalues) > 0.0) == (least > 0.0)

    @every_space
    @pytest.mark.parametrize("n", [2, 3, 4, 5, 6])
    def test_frobenius_product(self, space, n):
        assert set(SPACES[space][2](n, 1.0, 0.0, 0.0).eigenvalues) == {1.0}

    def test_numbers_of_empty_subspaces_make_no_difference(self):
        assert InvariantProduct(3, 7.0, 2.0, 3.0) == InvariantProduct(3, 8.0, 2.0, 3.0)
        assert InvariantProduct(2, 7.0, 2.0, 3.0) == InvariantProduct(2, 8.0, 9.0, 3.0)


class TestCoordinates:
    @pytest.mark.parametrize("n", [2, 3, 4, 5, 6])
    @every_space
    def test_gram_matrix(self, arrays, rng, space, n):
        basis, product, product_of, to_coords, _, _ = SPACES[space]
        for _ in range(5):
            parameters, drawn = admissible(rng, product_of, n)
            coords = arrays.apply(to_coords, drawn, basis(n))
            assert coords.shape == (n * (n - 1) // 2,) * 2
            expected = gram_matrix(basis(n), product, parameters)
            error = np.max(np.abs(coords @ coords.T - expected))
            assert error <= 64 * arrays.eps * np.max(np.abs(expected))

    @pytest.mark.parametrize("n", [2, 3, 4, 5, 6, 20])
    @every_space
    def test_round_trip(self, arrays, rng, space, n):
        _, _, product_of, to_coords, from_coords, _ = SPACES[space]
        _, product = admissible(rng, product_of, n)
        coords = arrays.rounded(rng.standard_normal((3, n * (n - 1) // 2)))
        matrix = arrays.apply(from_coords, product, coords)
        assert matrix.shape == (3, n, n)
        assert np.max(np.abs(matrix - matrix.mT)) <= 32 * arrays.eps * np.max(matrix)
        back = arrays.apply(to_coords, product, matrix)
        assert relative_error(back, coords) <= 100 * arrays.eps

    @pytest.mark.parametrize("n", [2, 5])
    def test_images(self, double, rng, n):
        coords = rng.standard_normal((3, n * (n - 1) // 2))
        _, product = admissible(rng, InvariantProduct.of_hollow, n)
        hollow = double.apply(product.hollow_from_coords, coords)
        assert np.all(np.diagonal(hollow, axis1=-2, axis2=-1) == 0.0)
        _, product = admissible(rng, InvariantProduct.of_null_row_sums, n)
        row0 = double.apply(product.null_row_sums_from_coords, coords)
        assert np.max(np.abs(np.sum(row0, -1))) <= 1e-13


class TestOperators:
    @pytest.mark.parametrize("n", [2, 3, 4, 5, 6])
    @every_space
    def test_product_by_its_operator(self, arrays, rng, space, n):
        # The image of a matrix represents its product with the others.
        basis, product, product_of, _, _, apply = SPACES[space]
        parameters = rng.uniform(-2.0, 2.0, 3).tolist()
        matrix = basis(n)
        moved = arrays.apply(apply, product_of(n, *parameters), matrix)
        actual = np.sum(moved[:, None] * matrix, (-2, -1))
        expected = gram_matrix(matrix, product, parameters)
        assert np.max(np.abs(actual - expected)) <= 100 * arrays.eps

    @pytest.mark.parametrize("n", [2, 3, 4, 5, 6])
    @every_space
    def test_root_and_inverse(self, double, rng, space, n):
        basis, _, product_of, _, _, apply = SPACES[space]
        _, product = admissible(rng, product_of, n)
        once = double.apply(apply, product, basis(n))
        root = product.sqrt()
        twice = double.apply(apply, root, double.apply(apply, root, basis(n)))
        assert relative_error(twice, once) <= 1e-14
        back = double.apply(apply, product.inverse(), once)
        assert relative_error(back, basis(n)) <= 1e-13

    @every_space
    @pytest.mark.parametrize("factor", [1.0, 3.0])
    def test_one_factor(self, arrays, space, factor):
        matrix = arrays.rounded(SPACES[space][0](5))
        product = InvariantProduct(5, *(factor,) * 3)
        actual = arrays.apply(SPACES[space][5], product, matrix)
        assert relative_error(actual, factor * matrix) <= arrays.eps


EIGENVALUES = {
    "one": (1.0, 1.0, 1.0),
    "uniform": (2.5, 2.5, 2.5),
    "different": (2.0, 0.3, 5.0),
}


class TestPackedForm:
    @pytest.mark.parametrize("n", [2, 3, 4, 7])
    @pytest.mark.parametrize("name", EIGENVALUES)
    def test_is_that_of_matrices(self, arrays, rng, n, name):
        product = InvariantProduct(n, *EIGENVALUES[name])
        matrix = random_hollow(rng, n, (3,))
        packed = kernels.pack_strictly_lower(matrix)
        image = product.on_hollow(matrix)
        actual = arrays.apply(product.on_packed, packed)
        expected = kernels.pack_strictly_lower(image)
        np.testing.assert_allclose(actual, expected, atol=100 * arrays.eps)
        actual = arrays.apply(product.packed_norm, packed)
        expected = np.sqrt(np.sum(matrix * image, axis=(-2, -1)))
        np.testing.assert_allclose(actual, expected, rtol=100 * arrays.eps)
        assert not arrays.apply(product.packed_norm, 0.0 * packed).any()

    @pytest.mark.parametrize(
        "eigenvalues", [(2.0, 2.0, 2.0), (1.0, 2.0, 3.0), (3.0, 2.0, 1.0)]
    )
    def test_lengths_have_derivatives_of_second_order(self, eigenvalues):
        torch = pytest.importorskip("torch")
        norm = InvariantProduct(4, *eigenvalues).packed_norm
        packed = torch.randn(2, 6, dtype=torch.float64, requires_grad=True)
        assert torch.autograd.gradcheck(norm, packed)
        assert torch.autograd.gradgradcheck(norm, packed)
        null = torch.zeros(6, dtype=torch.float64)
        for outer in (torch.func.jacrev, torch.func.jacfwd):
            assert not outer(torch.func.jacrev(norm))(null).any()


def test_former_kernels_warn_and_give_the_same(rng):
    n, values = 5, (2.0, 0.3, 5.0)
    product = InvariantProduct(n, *values)
    hollow, row0 = random_hollow(rng, n, (3,)), random_row0(rng, n, (3,))
    packed = kernels.pack_strictly_lower(hollow)
    cases = {
        "scale_hollow": (product.on_hollow, hollow),
        "scale_row0": (product.on_null_row_sums, row0),
        "scale_packed_hollow": (product.on_packed, packed),
        "packed_hollow_norm": (product.packed_norm, packed),
        "hollow_to_coords": (product.hollow_to_coords, hollow),
        "hollow_from_coords": (product.hollow_from_coords, packed),
        "row0_to_coords": (product.null_row_sums_to_coords, row0),
        "row0_from_coords": (product.null_row_sums_from_coords, packed),
    }
    for name, (method, array) in cases.items():
        with pytest.warns(DeprecationWarning, match=name):
            former = getattr(kernels, name)
        np.testing.assert_array_equal(former(array, values), method(array))
    with pytest.warns(DeprecationWarning):
        from geomstats_cor.kernels.isometries import hollow_eigenvalues, roots
    assert hollow_eigenvalues(4, 1.0, 0.5, 0.25) == (1.0, 1.5, 5.5)
    assert roots((None, 4.0, 9.0)) == (None, 2.0, 3.0)
