"""Logarithm and exponential of unit lower triangular matrices, against many digits."""

import functools

import mpmath
import numpy as np
import pytest

from geomstats_cor import kernels as k

from .matrices import autoregressive, random_correlation, random_strictly_lower
from .references import (
    derivative,
    exact,
    exact_derivative,
    exact_second_derivative,
    relative_error,
    rounded,
)

DIGITS = 200  # the finite series cancel: 50 digits are wanted of their sums

MATRICES = {
    "AR(0.5)": lambda n: autoregressive(n, 0.5),
    "AR(0.9)": lambda n: autoregressive(n, 0.9),
    "AR(0.999)": lambda n: autoregressive(n, 0.999),
    "random": lambda n: random_correlation(np.random.default_rng(n), n, 1e4),
}
every_matrix = pytest.mark.parametrize("name", MATRICES)


def finite_log(unit_lower):
    """Return the sum of (-1)^(k-1) N^k / k, in the arithmetic of the entries."""
    strict = unit_lower - np.eye(len(unit_lower), dtype=int)
    return _series(strict, lambda order: mpmath.mpf((-1) ** (order - 1)) / order)


def finite_exp(strict):
    """Return the sum of X^k / k!, in the arithmetic of the entries."""
    series = _series(strict, lambda order: 1 / mpmath.factorial(order))
    return series + np.eye(len(strict), dtype=int)


def _series(strict, coefficient):
    power, total = strict, coefficient(1) * strict
    for order in range(2, len(strict)):
        # Of a power, the first rows and the last columns are zero.
        inner = slice(order - 1, -1)
        product = np.zeros_like(strict)
        product[order:, :-order] = strict[order:, inner] @ power[inner, :-order]
        power = product
        total = total + coefficient(order) * power
    return total


def harmonic(n):
    """Return the strictly lower triangle with entries 1 / (i - j)."""
    order = np.arange(n)
    gaps = np.tril(order[:, None] - order)
    return np.divide(1.0, gaps, out=np.zeros((n, n)), where=gaps > 0)


@functools.cache
def unit_lower_and_log(name, n, precision):
    """Return a unit lower matrix, of a given precision, and its logarithm."""
    unit_lower = k.theta(MATRICES[name](n)).astype(precision).astype(float)
    with mpmath.workdps(DIGITS):
        return unit_lower, rounded(finite_log(exact(unit_lower)))


@functools.cache
def unit_lower_and_derivative(name, n):
    """Return a unit lower matrix, a vector, and the derivative of the logarithm."""
    unit_lower = k.theta(MATRICES[name](n))
    vector = random_strictly_lower(np.random.default_rng(n), n)
    return unit_lower, vector, exact_derivative(finite_log, unit_lower, vector, DIGITS)


@functools.cache
def strict_and_exp(name, n, precision):
    """Return a strictly lower matrix, of a given precision, and its exponential."""
    strict = k.log_unit_lower(k.theta(MATRICES[name](n)))
    strict = strict.astype(precision).astype(float)
    with mpmath.workdps(DIGITS):
        return strict, rounded(finite_exp(exact(strict)))


def direct_sum(*blocks):
    """Return the block diagonal matrix of square blocks."""
    total = np.zeros((sum(map(len, blocks)),) * 2)
    start = 0
    for block in blocks:
        end = start + len(block)
        total[start:end, start:end] = block
        start = end
    return total


def kernel_tolerance(arrays):
    """Return 1e-14 in float64, and as many roundings in another precision."""
    return 45 * arrays.eps


class TestLog:
    @pytest.mark.parametrize("n", [1, 2, 3, 8, 30])
    @every_matrix
    def test_many_digits(self, arrays, name, n):
        unit_lower, expected = unit_lower_and_log(name, n, arrays.precision)
        actual = arrays.apply(k.log_unit_lower, unit_lower)
        error = np.max(np.abs(actual - expected))
        assert error <= kernel_tolerance(arrays) * np.max(np.abs(expected))

    @pytest.mark.parametrize("n", [19, 40, 41, 64, 65, 100, 200])
    def test_triangle_of_ones(self, arrays, n):
        # The inverse of I - S, S the shift, has the logarithm S + S^2 / 2 + S^3 / 3 ...
        actual = arrays.apply(k.log_unit_lower, np.tril(np.ones((n, n))))
        assert relative_error(actual, harmonic(n)) <= kernel_tolerance(arrays)

    @every_matrix
    def test_direct_sum(self, arrays, name):
        block, expected = unit_lower_and_log(name, 30, arrays.precision)
        ones = np.tril(np.ones((50, 50)))
        actual = arrays.apply(k.log_unit_lower, direct_sum(block, ones))
        expected = direct_sum(expected, harmonic(50))
        assert relative_error(actual, expected) <= kernel_tolerance(arrays)

    @pytest.mark.parametrize("name", ["AR(0.5)", "AR(0.9)", "random"])
    def test_large_block_does_not_spoil_a_small_one(self, double, name):
        block, expected = unit_lower_and_log(name, 30, "float64")
        pair = np.array([[1.0, 0.0], [1e6, 1.0]])
        unit_lower = direct_sum(pair, block, np.eye(50))
        actual = double.apply(k.log_unit_lower, unit_lower)
        assert abs(actual[1, 0] - 1e6) <= 1e-8
        assert relative_error(actual[2:32, 2:32], expected) <= 1e-14

    def test_series_that_ends(self, arrays, rng):
        strict = arrays.rounded(random_strictly_lower(rng, 3))
        expected = strict - 0.5 * strict @ strict
        actual = arrays.apply(k.log_unit_lower, np.eye(3) + strict)
        assert relative_error(actual, expected) <= 4 * arrays.eps

    def test_structure(self, double, rng):
        logarithm = double.apply(k.log_unit_lower, k.theta(autoregressive(7, 0.9)))
        assert np.all(np.triu(logarithm) == 0.0)

    @every_matrix
    def test_differential(self, double, rng, name):
        unit_lower, _ = unit_lower_and_log(name, 8, "float64")
        vector = random_strictly_lower(rng, 8)
        expected = exact_derivative(finite_log, unit_lower, vector)
        actual = double.apply(k.log_unit_lower_differential, vector, unit_lower)
        assert relative_error(actual, expected) <= 1e-13

    @every_matrix
    def test_differential_of_a_direct_sum(self, double, name):
        block, vector, expected = unit_lower_and_derivative(name, 20)
        actual = double.apply(
            k.log_unit_lower_differential,
            direct_sum(*[vector] * 4),
            direct_sum(*[block] * 4),
        )
        expected = direct_sum(*[expected] * 4)
        assert relative_error(actual, expected) <= 1e-13

    @pytest.mark.parametrize("n", [10, 64, 65, 100])
    def test_differential_along_powers(self, double, n):
        # The logarithm of a power of K moves by log K with the exponent.
        ones = np.tril(np.ones((n, n)))
        vector = harmonic(n) @ ones
        actual = double.apply(k.log_unit_lower_differential, vector, ones)
        assert relative_error(actual, harmonic(n)) <= 1e-13

    @pytest.mark.parametrize("n", [64, 65, 120])
    def test_differential_of_large_matrices(self, double, rng, n):
        unit_lower = k.theta(random_correlation(rng, n, 10.0))
        vector = random_strictly_lower(rng, n) / n
        expected = derivative(
            lambda x: double.apply(k.log_unit_lower, x), unit_lower, vector, step=0.01
        )
        actual = double.apply(k.log_unit_lower_differential, vector, unit_lower)
        assert relative_error(actual, expected) <= 1e-10

    @pytest.mark.parametrize("n", [65, 100])
    @pytest.mark.parametrize("rho", [0.9, 0.999])
    def test_differential_inverts_that_of_exp(self, double, rng, n, rho):
        unit_lower = k.theta(autoregressive(n, rho))
        strict = double.apply(k.log_unit_lower, unit_lower)
        vector = random_strictly_lower(rng, n)
        moved = double.apply(k.exp_strictly_lower_differential, vector, strict)
        back = double.apply(k.log_unit_lower_differential, moved, unit_lower)
        assert relative_error(back, vector) <= 1e-10

    @pytest.mark.parametrize("n", [385, 400])
    def test_triangle_of_ones_by_blocks(self, arrays, n):
        actual = arrays.apply(k.log_unit_lower, np.tril(np.ones((n, n))))
        assert relative_error(actual, harmonic(n)) <= kernel_tolerance(arrays)

    @pytest.mark.parametrize("kernel", [k.log_unit_lower, k.exp_strictly_lower])
    def test_pieces_of_a_batch(self, double, rng, kernel):
        # More matrices than are worked on at a time, and a rest.
        strict = random_strictly_lower(rng, 70, (2, 53)) / 70
        offset = np.eye(70) if kernel is k.log_unit_lower else 0.0
        actual = double.apply(kernel, offset + strict)
        for index in [(0, 0), (0, 52), (1, 30), (1, 52)]:
            alone = double.apply(kernel, offset + strict[index])
            assert relative_error(actual[index], alone) <= 1e-14


class TestExp:
    @pytest.mark.parametrize("n", [1, 2, 3, 8, 30])
    @every_matrix
    def test_many_digits(self, arrays, name, n):
        strict, expected = strict_and_exp(name, n, arrays.precision)
        actual = arrays.apply(k.exp_strictly_lower, strict)
        assert relative_error(actual, expected) <= kernel_tolerance(arrays)

    @pytest.mark.parametrize("size", [1e-8, 1e-3, 0.3, 3.0, 30.0])
    def test_many_digits_at_every_size(self, arrays, rng, size):
        strict = arrays.rounded(size * random_strictly_lower(rng, 6))
        with mpmath.workdps(50):
            expected = rounded(finite_exp(exact(strict)))
        actual = arrays.apply(k.exp_strictly_lower, strict)
        assert relative_error(actual, expected) <= kernel_tolerance(arrays)
        # The small entries of a small matrix are not lost against the identity.
        below, expected = np.tril(actual, -1), np.tril(expected, -1)
        assert relative_error(below, expected) <= kernel_tolerance(arrays)

    @pytest.mark.parametrize("n", [40, 100, 200, 400])
    def test_harmonic_triangle(self, arrays, n):
        actual = arrays.apply(k.exp_strictly_lower, harmonic(n))
        expected = np.tril(np.ones((n, n)))
        assert relative_error(actual, expected) <= kernel_tolerance(arrays)

    def test_structure(self, double, rng):
        exponential = double.apply(k.exp_strictly_lower, random_strictly_lower(rng, 7))
        assert np.all(np.triu(exponential) == np.eye(7))

    @pytest.mark.parametrize("size", [1e-6, 0.1, 1.0, 10.0])
    def test_differential(self, double, rng, size):
        strict = size * random_strictly_lower(rng, 8)
        vector = random_strictly_lower(rng, 8)
        expected = exact_derivative(finite_exp, strict, vector)
        actual = double.apply(k.exp_strictly_lower_differential, vector, strict)
        assert relative_error(actual, expected) <= 1e-14

    @pytest.mark.parametrize("size", [0.1, 1.0, 10.0])
    def test_second_differential(self, double, rng, size):
        strict = size * random_strictly_lower(rng, 6)
        vector = random_strictly_lower(rng, 6)

        expected = exact_second_derivative(finite_exp, strict, vector)
        actual = double.apply(k.exp_strictly_lower_second_differential, vector, strict)
        assert relative_error(actual, expected) <= 1e-14

    @pytest.mark.parametrize("size", [0.3, 3.0])
    @pytest.mark.parametrize("corner", [1.0, 1e3, 1e6])
    def test_powers_much_smaller_than_the_norm(self, double, rng, corner, size):
        # Large enough that the Taylor polynomial is not the whole series.
        n = 18
        strict, vector = (random_strictly_lower(rng, n) for _ in range(2))
        strict = size * strict
        strict[n // 2 :, : n // 2] *= corner
        with mpmath.workdps(50):
            expected = rounded(finite_exp(exact(strict)))
        actual = double.apply(k.exp_strictly_lower, strict)
        assert relative_error(actual, expected) <= 1e-14
        expected = exact_derivative(finite_exp, strict, vector)
        actual = double.apply(k.exp_strictly_lower_differential, vector, strict)
        assert relative_error(actual, expected) <= 1e-14
        expected = exact_second_derivative(finite_exp, strict, vector)
        actual = double.apply(k.exp_strictly_lower_second_differential, vector, strict)
        assert relative_error(actual, expected) <= 1e-14
