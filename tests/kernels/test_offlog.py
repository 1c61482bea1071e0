"""The diagonal that makes an exponential a correlation matrix."""

import warnings

import mpmath
import numpy as np
import pytest

from geomstats_cor import kernels as k
from geomstats_cor.exceptions import ConvergenceWarning

from .matrices import diag, off, random_correlation, random_hollow, random_symmetric
from .references import (
    derivative,
    exact,
    relative_error,
    rounded,
    second_derivative,
    symmetric_function,
)

# A star, a path, and all pairs alike: a few directions carry everything.
STRUCTURES = {
    "star": np.outer(np.arange(6) == 0, np.arange(6) > 0) * 1.0,
    "path": np.eye(6, k=1),
    "pairs": np.triu(np.ones((6, 6)), 1),
}
STRUCTURES = {name: upper + upper.T for name, upper in STRUCTURES.items()}


def with_spread(rng, n, spread, hollow=True):
    """Return a symmetric matrix whose extreme eigenvalues differ by a given spread."""
    matrix = random_hollow(rng, n) if hollow else random_symmetric(rng, n)
    values = np.linalg.eigvalsh(matrix)
    return matrix * (spread / (values[-1] - values[0]))


def exponential_diagonal(matrix, shift):
    """Return the diagonal of exp(S + D) with many digits, for matrices [n, n]."""
    with mpmath.workdps(40):
        total = exact(matrix) + np.diag(exact(shift))
        return rounded(np.diag(symmetric_function(mpmath.exp, total)))


def spread_with(matrix, shift):
    values = np.linalg.eigvalsh(matrix + np.diag(shift))
    return max(1.0, values[-1] - values[0])


def objective(matrix, shift):
    """Return tr exp(S + D) - tr D, of which the diagonal is the minimiser."""
    shifted = matrix + shift[..., None] * np.eye(matrix.shape[-1])
    return np.sum(np.exp(np.linalg.eigvalsh(shifted)), -1) - np.sum(shift, -1)


class TestEquation:
    @pytest.mark.parametrize("hollow", [True, False])
    @pytest.mark.parametrize("spread", [1e-3, 1.0, 3.0, 10.0, 20.0])
    @pytest.mark.parametrize("n", [2, 3, 5])
    def test_unit_diagonal(self, arrays, rng, n, spread, hollow):
        matrix = arrays.rounded(with_spread(rng, n, spread, hollow))
        shift = arrays.apply(k.off_log_diagonal, matrix)
        residual = np.max(np.abs(exponential_diagonal(matrix, shift) - 1.0))
        assert residual <= 12 * arrays.eps * spread_with(matrix, shift)

    @pytest.mark.parametrize("norm", [1.0, 5.0, 10.0, 20.0])
    @pytest.mark.parametrize("n", [2, 3, 10, 30])
    def test_converges_from_everywhere(self, double, rng, n, norm):
        hollow = random_hollow(rng, n, (20,))
        hollow *= norm / np.linalg.norm(hollow, axis=(-2, -1), keepdims=True)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            shift = double.apply(k.off_log_diagonal, hollow)
        exponential = k.sym_exp(hollow + shift[..., None] * np.eye(n))
        assert np.max(np.abs(diag(exponential) - 1.0)) <= 1e-13

    @pytest.mark.parametrize("spread", [25.0, 40.0, 60.0])
    @pytest.mark.parametrize("n", [2, 4, 8])
    def test_great_spreads(self, double, rng, n, spread):
        for _ in range(5):
            self.check(double, with_spread(rng, n, spread))

    @pytest.mark.parametrize("sign", [-1.0, 1.0])
    @pytest.mark.parametrize("spread", [1.0, 20.0, 60.0])
    @pytest.mark.parametrize("shape", STRUCTURES)
    def test_structured(self, double, shape, spread, sign):
        hollow = sign * STRUCTURES[shape]
        self.check(double, hollow * (spread / np.ptp(np.linalg.eigvalsh(hollow))))

    @staticmethod
    def check(double, hollow):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            shift = double.apply(k.off_log_diagonal, hollow)
        residual = np.max(np.abs(exponential_diagonal(hollow, shift) - 1.0))
        assert residual <= 16 * double.eps * spread_with(hollow, shift)

    @pytest.mark.parametrize("spread", [400.0, 1500.0])
    def test_right_or_said_to_be_wrong(self, double, rng, spread):
        good = with_spread(rng, 4, 5.0)
        batch = np.stack([good, with_spread(rng, 4, spread)])
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            shifts = double.apply(k.off_log_diagonal, batch)
        answered = 1 if caught else 2
        for hollow, shift in zip(batch[:answered], shifts, strict=False):
            residual = np.max(np.abs(exponential_diagonal(hollow, shift) - 1.0))
            assert residual <= 64 * double.eps * spread_with(hollow, shift)
        for warning in caught:
            assert warning.category is ConvergenceWarning
            assert "1 of 2 matrices" in str(warning.message)

    @pytest.mark.parametrize("n", [2, 3])
    def test_squares_that_overflow(self, arrays, n):
        # The largest eigenvalue of H + D is zero: D = -(n - 1) h.
        h = float(np.finfo(arrays.precision).max) ** 0.9
        hollow = h * (np.ones((n, n)) - np.eye(n))
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            shift = arrays.apply(k.off_log_diagonal, hollow)
        assert np.max(np.abs(shift / ((1 - n) * h) - 1.0)) <= 16 * arrays.eps

    def test_a_failure_returns_what_its_warning_speaks_of(self, double):
        rng, found = np.random.default_rng(1), 0  # the tenth fails far away
        for _ in range(10):
            upper = np.triu(rng.standard_normal((20, 20)), 1) * 300.0 / np.sqrt(20.0)
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always")
                shift = double.apply(k.off_log_diagonal, upper + upper.T)
            if caught:
                found += 1
                diagonal = exponential_diagonal(upper + upper.T, shift)
                # Levelled: the mean is one.
                assert np.max(np.abs(diagonal)) <= 20.0 * (1.0 + 1e-6)
        assert found

    def test_integers(self):
        hollow = np.array([[0, 1], [1, 0]])
        assert np.all(k.off_exp(hollow) == k.off_exp(hollow.astype(float)))

    def test_pairs_in_closed_form(self, arrays):
        # exp [[d, h], [h, d]] has the diagonal e^d cosh h.
        h = arrays.rounded(np.array([-3.0, -0.1, 0.0, 1e-4, 0.5, 2.0, 8.0]))
        hollow = h[:, None, None] * np.array([[0.0, 1.0], [1.0, 0.0]])
        shift = arrays.apply(k.off_log_diagonal, hollow)
        expected = np.repeat(-np.log(np.cosh(h))[:, None], 2, axis=1)
        assert np.all(
            np.abs(shift - expected) <= 8 * arrays.eps * (1.0 + np.abs(h))[:, None]
        )
        correlation = arrays.apply(k.off_exp, hollow)
        expected = np.tanh(h)
        assert np.max(np.abs(correlation[:, 0, 1] - expected)) <= 32 * arrays.eps


class TestUniqueness:
    @pytest.mark.parametrize("n", [2, 5, 12])
    def test_diagonal_shift(self, arrays, rng, n):
        matrix = arrays.rounded(random_symmetric(rng, n))
        extra = arrays.rounded(3.0 * rng.standard_normal(n))
        plain = arrays.apply(k.off_log_diagonal, matrix)
        shifted = arrays.rounded(matrix + np.diag(extra))
        extra = diag(shifted) - diag(matrix)
        actual = arrays.apply(k.off_log_diagonal, shifted)
        assert np.max(np.abs(actual - (plain - extra))) <= 64 * arrays.eps

    @pytest.mark.parametrize("n", [2, 5, 12])
    def test_off_exp_ignores_the_diagonal(self, double, rng, n):
        matrix = random_symmetric(rng, n)
        actual = double.apply(k.off_exp, matrix)
        assert np.array_equal(actual, double.apply(k.off_exp, off(matrix)))

    @pytest.mark.parametrize("condition", [1e1, 1e4, 1e8])
    def test_diagonal_of_the_logarithm(self, double, rng, condition):
        # off(log C) and its diagonal together are log C.
        correlation = random_correlation(rng, 6, condition)
        logarithm = k.sym_log(correlation)
        shift = double.apply(k.off_log_diagonal, off(logarithm))
        assert np.max(np.abs(shift - diag(logarithm))) <= 1e-15 * condition + 1e-13

    @pytest.mark.parametrize("spread", [1.0, 10.0, 20.0])
    def test_minimiser(self, double, rng, spread):
        matrix = with_spread(rng, 5, spread, hollow=False)
        shift = double.apply(k.off_log_diagonal, matrix)
        least = objective(matrix, shift)
        for size in (1e-3, 1e-2, 0.1, 1.0):
            nearby = shift + size * rng.standard_normal((50, 5))
            assert np.all(objective(matrix, nearby) > least)


class TestDifferential:
    @pytest.mark.parametrize("spread", [1e-3, 1.0, 5.0, 10.0])
    @pytest.mark.parametrize("n", [2, 3, 6])
    def test_difference_quotient(self, double, rng, n, spread):
        matrix = with_spread(rng, n, spread, hollow=False)
        vector = random_symmetric(rng, n)
        expected = derivative(
            lambda s: double.apply(k.off_log_diagonal, s), matrix, vector, step=0.01
        )
        actual = double.apply(k.off_log_diagonal_differential, vector, matrix)
        assert relative_error(actual, expected) <= 1e-9

    def test_diagonal_directions(self, double, rng):
        # D(S + E) = D(S) - E along diagonal matrices E.
        matrix = with_spread(rng, 5, 10.0)
        direction = rng.standard_normal(5)
        actual = double.apply(
            k.off_log_diagonal_differential, np.diag(direction), matrix
        )
        assert relative_error(actual, -direction) <= 1e-11

    @pytest.mark.parametrize("spread", [1.0, 10.0, 20.0, 30.0])
    def test_response_solves_the_linear_equation(self, double, rng, spread):
        # The diagonal of the derivative of exp(S + D) along W + D' vanishes.
        hollow = with_spread(rng, 5, spread)
        vector = random_hollow(rng, 5)
        shift = double.apply(k.off_log_diagonal, hollow)
        moved = double.apply(k.off_log_diagonal_differential, vector, hollow)
        total = k.sym_exp_differential(vector + np.diag(moved), hollow + np.diag(shift))
        assert np.max(np.abs(diag(total))) <= 1e-12 * np.max(np.abs(vector))
        actual = double.apply(k.off_exp_differential, vector, hollow)
        assert relative_error(actual, off(total)) <= 1e-10

    @pytest.mark.parametrize("condition", [1e1, 1e4, 1e8])
    def test_both_ends_agree(self, double, rng, condition):
        correlation = random_correlation(rng, 6, condition)
        vector = random_hollow(rng, 6)
        hollow = double.apply(k.off_log, correlation)
        from_hollow = double.apply(k.off_exp_differential, vector, hollow)
        actual = double.apply(k.off_log_differential_inverse, vector, correlation)
        assert relative_error(actual, from_hollow) <= 1e-12 + 1e-15 * condition

    @pytest.mark.parametrize("spread", [0.1, 1.0, 5.0, 10.0])
    @pytest.mark.parametrize("n", [2, 3, 6])
    def test_second_differential(self, double, rng, n, spread):
        hollow = with_spread(rng, n, spread)
        vector = random_hollow(rng, n)
        vector /= np.linalg.norm(vector)
        expected = second_derivative(
            lambda h: double.apply(k.off_exp, h), hollow, vector
        )
        actual = double.apply(k.off_exp_second_differential, vector, hollow)
        # The stencil divides the rounding of the map by the square of its step.
        rounding = 1e-12 / np.max(np.abs(actual))
        assert relative_error(actual, expected) <= 1e-9 + rounding

    @pytest.mark.parametrize("h", [0.05, 0.5, 2.5, 5.0])
    def test_second_differential_of_two_variables(self, double, h):
        # The second derivative of tanh is -2 tanh (1 - tanh^2).
        vector = np.array([[0.0, 1.0], [1.0, 0.0]])
        actual = double.apply(k.off_exp_second_differential, vector, h * vector)
        expected = -2.0 * np.tanh(h) / np.cosh(h) ** 2 * vector
        assert relative_error(actual, expected) <= 1e-14
