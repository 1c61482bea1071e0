"""The positive scaling that gives a matrix unit row sums."""

import warnings

import numpy as np
import pytest

from geomstats_cor import kernels as k
from geomstats_cor.kernels import scaling
from geomstats_cor.kernels.log_scaled_maps import _singular_spectrum

from .matrices import (
    equicorrelation,
    random_correlation,
    random_row0,
    random_spd,
    random_symmetric,
    scaled_to_unit_diagonal,
)
from .references import derivative, relative_error, second_derivative


def assert_scaling(arrays, matrix):
    """Check that x > 0 and x_i (S x)_i = 1, as far as rounding in the sums allows."""
    matrix = arrays.rounded(matrix)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        scaling = arrays.apply(k.log_scaling, matrix)
    assert np.all(scaling > 0.0)
    balanced = scaling[..., :, None] * matrix * scaling[..., None, :]
    residual = np.max(np.abs(np.sum(balanced, axis=-1) - 1.0), axis=-1)
    unit = arrays.eps * np.max(np.sum(np.abs(balanced), axis=-1), axis=-1)
    assert np.all(residual <= 8 * unit)


def nearly_singular(rng, ridge):
    """Return two hundred 8 x 8 correlation matrices of three factors and a ridge."""
    factor = rng.standard_normal((200, 8, 3))
    return scaled_to_unit_diagonal(factor @ factor.mT + ridge * np.eye(8))


class TestEquation:
    @pytest.mark.parametrize("condition", [1e1, 1e2, 1e4])
    @pytest.mark.parametrize("n", [1, 2, 3, 8, 40])
    def test_correlation(self, arrays, rng, n, condition):
        assert_scaling(arrays, random_correlation(rng, n, condition, (5,)))

    @pytest.mark.parametrize("condition", [1e1, 1e4])
    @pytest.mark.parametrize("n", [2, 8])
    def test_covariance(self, arrays, rng, n, condition):
        covariance = random_spd(rng, n, condition, (5,))
        deviations = np.exp(3.0 * rng.standard_normal((5, n)))
        covariance = deviations[..., :, None] * covariance * deviations[..., None, :]
        assert_scaling(arrays, covariance)

    @pytest.mark.parametrize("condition", [1e6, 1e8, 1e10, 1e12])
    @pytest.mark.parametrize("n", [2, 8, 100])
    def test_ill_conditioned(self, double, rng, n, condition):
        assert_scaling(double, random_correlation(rng, n, condition, (5,)))

    @pytest.mark.parametrize("ridge", [1e-3, 1e-6, 1e-9, 1e-12])
    def test_nearly_singular(self, double, rng, ridge):
        assert_scaling(double, nearly_singular(rng, ridge))

    @pytest.mark.parametrize("corrections", [1, 3, 6])
    def test_corrections_may_fail(self, double, rng, monkeypatch, corrections):
        # Far from the solution, many corrections, or an odd number, lead astray.
        monkeypatch.setattr(scaling, "_CORRECTIONS", corrections)
        monkeypatch.setattr(scaling, "_ROUGH_STEPS", 0)
        assert_scaling(double, random_correlation(rng, 8, 1e10, (20,)))

    def test_a_safe_step_lowers_the_objective(self, rng):
        def objective(x):
            return 0.5 * np.sum(x * (x @ matrix), -1) - np.sum(np.log(x), -1)

        for condition in (1e1, 1e4, 1e8):
            matrix = random_spd(rng, 6, condition)
            start = np.exp(2.0 * rng.standard_normal((50, 1, 6)))
            hessian = matrix + start.mT**-2 * np.eye(6)
            slope = 1.0 / start - start @ matrix
            step = np.linalg.solve(hessian, slope.mT).mT
            length = scaling._safe_length(step / start)
            moved = start + length * step
            assert np.all(moved > 0.0)
            assert np.all(objective(moved) < objective(start))

    @pytest.mark.parametrize("n", [3, 4, 12])
    def test_the_floor_of_rounding_is_no_failure(self, rng, n):
        # In float32 rounding alone leaves residuals of some per cent here.
        matrices = random_correlation(rng, n, 1e6, (20,)).astype(np.float32)
        for matrix in matrices:
            with warnings.catch_warnings():
                warnings.simplefilter("error")
                actual = k.log_scaling(matrix)
            matrix = matrix.astype(np.float64)
            expected = k.log_scaling(matrix)
            unit = 4.0 * np.finfo(np.float32).eps
            shifted = k.log_scaling(matrix + unit * np.eye(n))
            moved = np.max(np.abs(shifted / expected - 1.0))
            assert np.max(np.abs(actual / expected - 1.0)) <= moved + unit

    @pytest.mark.parametrize("n", [2, 5, 20])
    def test_equicorrelation_in_closed_form(self, arrays, n):
        for rho in (-0.9 / (n - 1), 0.0, 0.5, 0.99):
            rho = float(arrays.rounded(rho))
            actual = arrays.apply(k.log_scaling, equicorrelation(n, rho))
            expected = 1.0 / np.sqrt(1.0 + (n - 1) * rho)
            assert np.max(np.abs(actual / expected - 1.0)) <= 100 * arrays.eps

    def test_input_is_left_alone(self, arrays, rng):
        matrix = arrays.rounded(random_correlation(rng, 5, 1e2, (3,)))
        before = matrix.copy()
        arrays.apply(k.log_scaling, matrix)
        np.testing.assert_array_equal(matrix, before)

    @pytest.mark.parametrize("condition", [1e1, 1e4])
    def test_minimiser(self, double, rng, condition):
        matrix = random_spd(rng, 6, condition)
        scaling = double.apply(k.log_scaling, matrix)

        def objective(x):
            return 0.5 * np.sum(x * (x @ matrix), -1) - np.sum(np.log(x), -1)

        for size in (1e-3, 1e-2, 0.1, 1.0):
            nearby = scaling * np.exp(size * rng.standard_normal((50, 6)))
            assert np.all(objective(nearby) > objective(scaling))

    @pytest.mark.parametrize("condition", [1e1, 1e4])
    def test_equivariance(self, arrays, rng, condition):
        matrix = random_spd(rng, 6, condition, (5,))
        # Powers of two scale without rounding, and odd ones are not squares.
        factors = 2.0 ** rng.integers(-7, 8, (5, 6))
        scaled = factors[..., :, None] * matrix * factors[..., None, :]
        actual = arrays.apply(k.log_scaling, scaled)
        expected = arrays.apply(k.log_scaling, matrix) / factors
        assert np.max(np.abs(actual / expected - 1.0)) <= 20 * arrays.eps * condition

    @pytest.mark.parametrize("condition", [1e1, 1e4])
    def test_unit_row_sums(self, arrays, rng, condition):
        matrix = arrays.rounded(random_spd(rng, 6, condition, (5,)))
        balanced = arrays.apply(k.scaled_to_unit_row_sums, matrix)
        unit = arrays.eps * np.max(np.sum(np.abs(balanced), axis=-1))
        assert np.max(np.abs(np.sum(balanced, axis=-1) - 1.0)) <= 16 * unit
        # It is the same matrix but for a scaling of the variables.
        actual = scaled_to_unit_diagonal(balanced)
        assert (
            np.max(np.abs(actual - scaled_to_unit_diagonal(matrix))) <= 8 * arrays.eps
        )


class TestLogScaled:
    def test_one_common_factor(self, arrays):
        loadings = np.linspace(0.1, 0.95, 12)
        correlation = scaled_to_unit_diagonal(
            np.outer(loadings, loadings) + np.diag(1.0 - loadings**2)
        )
        actual = np.linalg.norm(arrays.apply(k.log_scaled, correlation))
        expected = 6.858422362195307229  # computed with 60 digits
        assert abs(actual / expected - 1.0) <= 16 * arrays.eps

    @pytest.mark.parametrize("condition", [1e1, 1e6, 1e12])
    @pytest.mark.parametrize("n", [2, 8, 40])
    def test_null_row_sums(self, double, rng, n, condition):
        logarithm = double.apply(k.log_scaled, random_correlation(rng, n, condition))
        assert np.max(np.abs(np.sum(logarithm, axis=-1))) <= 1e-13 * n
        assert np.max(np.abs(logarithm - logarithm.T)) <= 1e-13

    @pytest.mark.parametrize("n", [2, 6])
    def test_definition(self, double, rng, n):
        correlation = random_correlation(rng, n, 10.0)
        balanced = double.apply(k.scaled_to_unit_row_sums, correlation)
        exponential = k.sym_exp(double.apply(k.log_scaled, correlation))
        assert relative_error(exponential, balanced) <= 1e-13

    def test_both_ways_to_the_spectrum(self, double, rng):
        # One ill-conditioned matrix in a batch changes the way for all of them.
        good = random_correlation(rng, 6, 10.0)
        batch = np.stack([good, random_correlation(rng, 6, 1e12)])
        expected = double.apply(k.log_scaled, good)
        assert relative_error(double.apply(k.log_scaled, batch)[0], expected) <= 1e-13
        vector = random_symmetric(rng, 6) * (1.0 - np.eye(6))
        expected = double.apply(k.log_scaled_differential, vector, good)
        actual = double.apply(k.log_scaled_differential, vector, batch)[0]
        assert relative_error(actual, expected) <= 1e-13

    @pytest.mark.parametrize(("condition", "bound"), [(1e6, 1e-13), (1e14, 1e-8)])
    def test_small_eigenvalues_from_a_factor(self, double, rng, condition, bound):
        # One-sided Jacobi: the columns of F' V are orthogonal, however short. Those of
        # the eigenvectors of F F' are so to the condition number times rounding alone.
        left, right = np.linalg.qr(rng.standard_normal((2, 5, 8, 8)))[0]
        factor = (left * condition ** (-0.5 * np.linspace(0.0, 1.0, 8))) @ right
        start = np.linalg.eigh(factor @ factor.mT)[1]

        def part(index):
            spectrum = _singular_spectrum
            return double.apply(lambda *x: spectrum(*x)[index], factor, start)

        values, vectors = part(0), part(1)
        columns = factor.mT @ vectors
        lengths = np.sqrt(values)[..., None, :]
        cosines = (columns / lengths).mT @ (columns / lengths)
        assert np.max(np.abs(cosines - np.eye(8))) <= bound
        assert np.max(np.abs(vectors.mT @ vectors - np.eye(8))) <= 1e-14

    @pytest.mark.parametrize("ridge", [1e-3, 1e-6, 1e-9, 1e-12])
    def test_round_trip_of_nearly_singular_matrices(self, double, rng, ridge):
        correlation = nearly_singular(rng, ridge)
        logarithm = double.apply(k.log_scaled, correlation)
        back = double.apply(k.exp_scaled, logarithm)
        # What the row sums of X C X lose shows in the logarithm, and hardly here.
        assert np.max(np.abs(back - correlation)) <= 1e-8


class TestDifferentials:
    @pytest.mark.parametrize("n", [2, 3, 6])
    def test_scaling(self, double, rng, n):
        matrix = random_spd(rng, n, 5.0)
        vector = random_symmetric(rng, n)
        expected = derivative(
            lambda s: double.apply(k.log_scaling, s), matrix, vector, step=0.01
        )
        actual = double.apply(k.log_scaling_differential, vector, matrix)
        assert relative_error(actual, expected) <= 1e-9

    @pytest.mark.parametrize("condition", [1e1, 1e6])
    def test_scaling_satisfies_the_linear_equation(self, double, rng, condition):
        # The derivative of x_i (S x)_i = 1 along a curve of matrices.
        matrix = random_spd(rng, 6, condition)
        vector = random_symmetric(rng, 6)
        x = double.apply(k.log_scaling, matrix)
        moved = double.apply(k.log_scaling_differential, vector, matrix)
        terms = np.stack([moved * (matrix @ x), x * (vector @ x), x * (matrix @ moved)])
        residual = np.max(np.abs(np.sum(terms, axis=0)))
        assert residual <= 1e-14 * condition * np.max(np.abs(terms))

    @pytest.mark.parametrize("n", [2, 3, 6])
    def test_second_differential_of_exp(self, double, rng, n):
        base = random_row0(rng, n)
        vector = random_row0(rng, n)
        vector /= np.linalg.norm(vector)
        expected = second_derivative(
            lambda r: double.apply(k.exp_scaled, r), base, vector
        )
        actual = double.apply(k.exp_scaled_second_differential, vector, base)
        assert relative_error(actual, expected) <= 1e-9


@pytest.mark.parametrize("correlation", [0.05, 0.5, 0.9])
@pytest.mark.parametrize("n", [100, 200, 300])
def test_equal_numbers_whose_rounding_adds_up(arrays, n, correlation):
    """No warning of an iteration that cannot do better."""
    matrix = arrays.rounded(equicorrelation(n, correlation))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        scaling = arrays.apply(k.log_scaling, matrix[None])
    expected = (1.0 + (n - 1) * correlation) ** -0.5
    np.testing.assert_allclose(scaling, expected, rtol=n * arrays.eps)
