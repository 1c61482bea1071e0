"""Products and quotients of triangles: large ones by blocks, against whole matrices."""

import numpy as np
import pytest

from geomstats_cor.kernels import _triangles
from geomstats_cor.kernels._array import inverse_lower

from .references import relative_error

SIZES = (5, 163, 201, 403)  # whole, and by blocks in numpy
CUT = 201  # by blocks


def triangle(rng, n, batch=()):
    """Return a lower triangular matrix."""
    return np.tril(rng.standard_normal((*batch, n, n)))


def inverse(strict):
    """Return the inverse of I + N."""
    return np.linalg.inv(np.eye(strict.shape[-1]) + np.tril(strict, -1))


def transposed(x):
    return np.swapaxes(x, -2, -1)


FUNCTIONS = {
    # name: the whole matrix, and whether more than its lower triangle is wanted
    "lower_product": (lambda a, b: a @ b, True),
    "lower_product_adjoint_left": (lambda a, b: transposed(a) @ b, False),
    "lower_product_adjoint_right": (lambda a, b: a @ transposed(b), False),
    "lower_times_upper": (lambda a, b: a @ transposed(b), True),
    "lower_quotient": (lambda a, b: inverse(a) @ b, True),
    "lower_right_quotient": (lambda a, b: b @ inverse(a), True),
    "lower_quotient_adjoint": (lambda a, b: transposed(inverse(a)) @ b, False),
    "lower_right_quotient_adjoint": (lambda a, b: b @ transposed(inverse(a)), False),
}


@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("name", FUNCTIONS)
def test_whole_matrices(double, rng, name, n):
    whole, is_all = FUNCTIONS[name]
    a, b = triangle(rng, n, (2,)) / n, triangle(rng, n, (2,))
    actual, expected = double.apply(getattr(_triangles, name), a, b), whole(a, b)
    if not is_all:
        actual, expected = np.tril(actual), np.tril(expected)
    assert relative_error(actual, expected) <= 1e-13


@pytest.mark.parametrize("batches", [((), (2,)), ((2,), ()), ((3, 1), (2,))], ids=str)
@pytest.mark.parametrize("name", FUNCTIONS)
def test_batches_that_broadcast(double, rng, name, batches):
    whole, _ = FUNCTIONS[name]
    a, b = (triangle(rng, CUT, batch) for batch in batches)
    actual = double.apply(getattr(_triangles, name), a / CUT, b)
    assert relative_error(np.tril(actual), np.tril(whole(a / CUT, b))) <= 1e-13


@pytest.mark.parametrize("name", FUNCTIONS)
def test_matrix_that_failed(double, rng, name):
    whole, _ = FUNCTIONS[name]
    a, b = triangle(rng, CUT, (2,)) / CUT, triangle(rng, CUT, (2,))
    a[0], b[0] = np.nan, np.inf
    with np.errstate(invalid="ignore"):
        actual = double.apply(getattr(_triangles, name), a, b)[1]
    assert relative_error(np.tril(actual), np.tril(whole(a[1], b[1]))) <= 1e-13


@pytest.mark.parametrize("n", SIZES)
def test_lower_part_of_product(double, rng, n):
    a, b = rng.standard_normal((n, n)), triangle(rng, n)
    actual = double.apply(_triangles.lower_part_of_product, a, b)
    assert relative_error(np.tril(actual), np.tril(a @ b)) <= 1e-13


@pytest.mark.parametrize("n", SIZES)
def test_quotient_of_matrices_that_commute(double, rng, n):
    strict = np.tril(triangle(rng, n), -1) / n
    square = strict @ strict
    actual = double.apply(_triangles.commuting_quotient, square, strict)
    assert relative_error(actual, inverse(square) @ strict) <= 1e-13


@pytest.mark.parametrize("n", [1, 2, 5, 16])
def test_inverses_of_many_small_triangles(arrays, rng, n):
    lower = arrays.rounded(triangle(rng, n, (8, 5)) * 10.0 ** rng.uniform(-4, 4, n))
    actual = arrays.apply(inverse_lower, lower)
    one_by_one = arrays.apply(inverse_lower, lower[0, 0])
    assert np.array_equal(np.tril(actual), actual)
    # Substitution is accurate row by row: the residual is small beside |L| |X|.
    size = np.abs(lower) @ np.abs(actual)
    assert np.all(np.abs(lower @ actual - np.eye(n)) <= 4 * n * arrays.eps * size)
    assert np.all(
        np.abs(lower[0, 0] @ (one_by_one - actual[0, 0]))
        <= 4 * n * arrays.eps * size[0, 0]
    )


@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize(
    "kind", [_triangles.LOWER, _triangles.ADJOINT], ids=["lower", "upper"]
)
def test_directions(double, rng, kind, n):
    # Upper triangular directions are given, and returned, by their transposes.
    strict, vector = triangle(rng, n) / n, triangle(rng, n)
    seen = (lambda x: x) if kind is _triangles.LOWER else transposed
    for function, expected in (
        (kind.before, strict @ seen(vector)),
        (lambda x, m: kind.after(m, x), seen(vector) @ strict),
        (kind.quotient, inverse(strict) @ seen(vector)),
        (kind.right_quotient, seen(vector) @ inverse(strict)),
    ):
        actual = double.apply(function, strict, vector)
        assert relative_error(np.tril(actual), np.tril(seen(expected))) <= 1e-13
