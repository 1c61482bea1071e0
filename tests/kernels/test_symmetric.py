"""Functions of symmetric matrices, and their divided differences at every gap."""

import mpmath
import numpy as np
import pytest
import scipy.linalg

from geomstats_cor import kernels as k
from geomstats_cor.kernels.symmetric import exp_second_differential_at, spectrum

from .matrices import (
    nearly_repeated,
    random_orthogonal,
    random_spd,
    random_symmetric,
)
from .references import (
    exact,
    exact_derivative,
    exact_second_derivative,
    relative_error,
    rounded,
    symmetric_function,
)


def second_differential(vector_a, vector_b, matrix):
    return exp_second_differential_at(vector_a, vector_b, matrix, *spectrum(matrix))


def by_blocks(vector_a, vector_b, matrix):
    """Return the integral of e^(rS) A e^(sS) B e^(tS) over r + s + t = 1."""
    null = np.zeros_like(matrix)
    blocks = [
        [matrix, vector_a, null],
        [null, matrix, vector_b],
        [null, null, matrix],
    ]
    size = len(matrix)
    return scipy.linalg.expm(np.block(blocks))[:size, -size:]


EXPONENTS = (-2.0, -1.0, -0.5, 0.25, 0.5, 1.0, 1.7, 2.0, 3.0)
GAPS = (0.0, *10.0 ** -np.arange(16, -1, -1.0), 3.0, 100.0)

FUNCTIONS = {
    "log": (k.sym_log, k.sym_log_differential, mpmath.log),
    "exp": (k.sym_exp, k.sym_exp_differential, mpmath.exp),
    "power -1.5": (
        lambda x: k.sym_power(x, -1.5),
        lambda v, x: k.sym_power_differential(v, x, -1.5),
        lambda x: x ** mpmath.mpf(-1.5),
    ),
    "power 0.25": (
        lambda x: k.sym_power(x, 0.25),
        lambda v, x: k.sym_power_differential(v, x, 0.25),
        lambda x: x ** mpmath.mpf(0.25),
    ),
}
every_function = pytest.mark.parametrize("name", FUNCTIONS)


def close_pairs(arrays, base):
    """Return pairs (base, base + gap) for gaps from zero to a hundred."""
    return arrays.rounded(np.array([[base, base * (1.0 + gap)] for gap in GAPS]))


def divided_difference(function, slope, a, b):
    """Return (f(a) - f(b)) / (a - b) with all digits, and the derivative at a = b."""
    with mpmath.workdps(80):
        a, b = mpmath.mpf(a), mpmath.mpf(b)
        return float(slope(a) if a == b else (function(a) - function(b)) / (a - b))


def assert_divided_differences(arrays, kernel, function, slope, pairs):
    actual = arrays.apply(kernel, pairs)
    assert actual.shape == (len(pairs), 2, 2)
    for pair, matrix in zip(pairs, actual, strict=True):
        for i, a in enumerate(pair):
            for j, b in enumerate(pair):
                expected = divided_difference(function, slope, a, b)
                error = abs(matrix[i, j] - expected)
                assert error <= 45 * arrays.eps * abs(expected), (a, b)


class TestDividedDifferences:
    @pytest.mark.parametrize("base", [-3.0, -1e-3, 1e-5, 0.3, 4.0])
    def test_exp(self, arrays, base):
        pairs = close_pairs(arrays, base)
        pairs = pairs[np.max(np.abs(pairs), axis=-1) < 50.0]
        assert_divided_differences(
            arrays, k.exp_divided_differences, mpmath.exp, mpmath.exp, pairs
        )

    @pytest.mark.parametrize("base", [1e-8, 0.01, 1.0, 1.7, 30.0])
    def test_log(self, arrays, base):
        pairs = close_pairs(arrays, base)
        assert_divided_differences(
            arrays, k.log_divided_differences, mpmath.log, lambda x: 1 / x, pairs
        )

    @pytest.mark.parametrize("exponent", EXPONENTS)
    @pytest.mark.parametrize("base", [1e-2, 1.0, 1.7, 30.0])
    def test_power(self, arrays, base, exponent):
        power = mpmath.mpf(exponent)
        assert_divided_differences(
            arrays,
            lambda values: k.power_divided_differences(values, exponent),
            lambda x: x**power,
            lambda x: power * x ** (power - 1),
            close_pairs(arrays, base),
        )

    def test_power_zero_is_constant(self, arrays):
        pairs = close_pairs(arrays, 2.0)
        actual = arrays.apply(lambda x: k.power_divided_differences(x, 0.0), pairs)
        assert np.all(actual == 0.0)


class TestSpectral:
    def test_eigenvalues_and_eigenvectors(self, arrays, rng):
        vectors = arrays.rounded(random_orthogonal(rng, 5))
        values = arrays.rounded(rng.standard_normal(5))
        matrix = arrays.apply(k.spectral, values, vectors)
        assert relative_error(matrix @ vectors, vectors * values) <= 16 * arrays.eps

    def test_differential_of_the_square(self, arrays, rng):
        # The divided differences of x^2 are a + b, and its differential is XV + VX.
        matrix = arrays.rounded(random_symmetric(rng, 5))
        vector = arrays.rounded(random_symmetric(rng, 5))
        values, vectors = np.linalg.eigh(matrix)
        sums = values[:, None] + values
        actual = arrays.apply(k.spectral_differential, vector, sums, vectors)
        expected = matrix @ vector + vector @ matrix
        assert relative_error(actual, expected) <= 32 * arrays.eps


class TestFunctions:
    @pytest.mark.parametrize("n", [1, 2, 5])
    @every_function
    def test_many_digits(self, arrays, rng, name, n):
        kernel, _, function = FUNCTIONS[name]
        matrix = arrays.rounded(0.7 * random_spd(rng, n, 10.0))
        with mpmath.workdps(50):
            expected = rounded(symmetric_function(function, exact(matrix)))
        assert relative_error(arrays.apply(kernel, matrix), expected) <= 64 * arrays.eps

    @pytest.mark.parametrize("n", [2, 5, 40])
    def test_log_inverts_exp(self, arrays, rng, n):
        matrix = random_symmetric(rng, n) / np.sqrt(n)
        exponential = arrays.apply(k.sym_exp, matrix)
        back = arrays.apply(k.sym_log, exponential)
        assert relative_error(back, arrays.rounded(matrix)) <= 500 * arrays.eps

    @pytest.mark.parametrize(
        ("exponent", "product"),
        [
            (-1.0, lambda x, p: (p @ x, np.eye(len(x)))),
            (-0.5, lambda x, p: (p @ x @ p, np.eye(len(x)))),
            (0.25, lambda x, p: (p @ p @ p @ p, x)),
            (0.5, lambda x, p: (p @ p, x)),
            (1.0, lambda x, p: (p, x)),
            (2.0, lambda x, p: (p, x @ x)),
            (0.0, lambda x, p: (p, np.eye(len(x)))),
        ],
    )
    @pytest.mark.parametrize("n", [2, 5, 40])
    def test_powers(self, arrays, rng, n, exponent, product):
        matrix = arrays.rounded(random_spd(rng, n, 30.0))
        power = arrays.apply(lambda x: k.sym_power(x, exponent), matrix)
        actual, expected = product(matrix, power)
        assert relative_error(actual, expected) <= 200 * arrays.eps
        assert np.all(np.linalg.eigvalsh(power) > 0.0)

    @pytest.mark.parametrize("n", [2, 4])
    @every_function
    def test_differential(self, arrays, rng, name, n):
        matrix = arrays.rounded(random_spd(rng, n, 5.0))
        vector = arrays.rounded(random_symmetric(rng, n))
        self.check_differential(arrays, name, matrix, vector, 64 * arrays.eps)

    @pytest.mark.parametrize("gap", [0.0, *10.0 ** -np.arange(3, 17, 2.0)])
    @every_function
    def test_differential_at_nearly_repeated_eigenvalues(self, double, rng, name, gap):
        matrix = nearly_repeated(rng, 4, gap)
        vector = random_symmetric(rng, 4)
        self.check_differential(double, name, matrix, vector, 2e-14)

    @staticmethod
    def check_differential(arrays, name, matrix, vector, tolerance):
        _, kernel, function = FUNCTIONS[name]
        expected = exact_derivative(
            lambda x: symmetric_function(function, x), matrix, vector
        )
        actual = arrays.apply(kernel, vector, matrix)
        assert relative_error(actual, expected) <= tolerance
        assert np.all(actual == actual.T)

    @pytest.mark.parametrize("condition", [1e2, 1e6])
    def test_differentials_invert_each_other(self, double, rng, condition):
        matrix = random_spd(rng, 6, condition)
        vector = random_symmetric(rng, 6)
        logarithm = double.apply(k.sym_log, matrix)
        moved = double.apply(k.sym_exp_differential, vector, logarithm)
        back = double.apply(k.sym_log_differential, moved, matrix)
        assert relative_error(back, vector) <= 1e-14 * condition

    @pytest.mark.parametrize("size", [1e-3, 1.0, 10.0])
    def test_second_differential_of_exp(self, double, rng, size):
        matrix = size * random_symmetric(rng, 4)
        vector = random_symmetric(rng, 4)
        expected = exact_second_derivative(
            lambda x: symmetric_function(mpmath.exp, x), matrix, vector
        )
        actual = double.apply(k.sym_exp_second_differential, vector, matrix)
        assert relative_error(actual, expected) <= 1e-14 * max(1.0, size)
        assert np.all(actual == actual.T)

    @pytest.mark.parametrize("spread", [1e-3, 1.0, 5.0, 30.0])
    @pytest.mark.parametrize("gap", [0.0, *10.0 ** -np.arange(3, 16, 3.0)])
    def test_second_differential_at_every_gap(self, double, rng, gap, spread):
        values = spread * np.array([-0.5, -0.5 + gap, 0.0, gap, 0.5])
        vectors = random_orthogonal(rng, 5)
        matrix = vectors * values @ vectors.T
        matrix = 0.5 * (matrix + matrix.T)
        a, b, c = random_symmetric(rng, 5, (3,))
        total, difference = (
            exact_second_derivative(
                lambda x: symmetric_function(mpmath.exp, x), matrix, vector
            )
            for vector in (a + b, a - b)
        )
        actual = double.apply(second_differential, a, b, matrix)
        assert relative_error(actual, 0.25 * (total - difference)) <= 5e-14
        # It is symmetric in all three slots.
        assert relative_error(second_differential(b, a, matrix), actual) <= 5e-14
        turned = np.sum(b * second_differential(a, c, matrix))
        assert abs(turned - np.sum(actual * c)) <= 1e-13 * np.sum(abs(actual * c))

    @pytest.mark.parametrize("spread", [0.1, 3.0, 20.0])
    def test_second_differential_in_both_precisions(self, arrays, rng, spread):
        matrix = random_symmetric(rng, 6)
        matrix *= spread / np.ptp(np.linalg.eigvalsh(matrix))
        a, b = random_symmetric(rng, 6, (2,))
        actual = arrays.apply(second_differential, a, b, matrix)
        expected = by_blocks(a, b, matrix) + by_blocks(b, a, matrix)
        assert relative_error(actual, expected) <= 64 * arrays.eps * max(1.0, spread)
