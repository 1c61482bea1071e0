"""The Cholesky map, and the map from covariance to correlation."""

import mpmath
import numpy as np
import pytest

from geomstats_cor import kernels as k

from .matrices import (
    autoregressive,
    diag,
    random_correlation,
    random_spd,
    random_strictly_lower,
    random_symmetric,
    scaled_to_unit_diagonal,
)
from .references import (
    derivative,
    exact,
    relative_error,
    rounded,
    second_derivative,
)

shapes = pytest.mark.parametrize("n", [1, 2, 3, 6, 30])


class TestCor:
    @shapes
    def test_definition(self, arrays, rng, n):
        covariance = arrays.rounded(random_spd(rng, n, 100.0, (3,)))
        actual = arrays.apply(k.cor, covariance)
        deviation = np.sqrt(diag(covariance))
        back = deviation[..., :, None] * actual * deviation[..., None, :]
        assert relative_error(back, covariance) <= 4 * arrays.eps
        assert np.all(diag(actual) == 1.0)

    def test_scale_has_no_influence(self, arrays, rng):
        covariance = random_spd(rng, 5, 100.0)
        scale = 2.0 ** rng.integers(-20, 20, 5)
        actual = arrays.apply(k.cor, scale[:, None] * covariance * scale)
        expected = arrays.apply(k.cor, covariance)
        assert np.max(np.abs(actual - expected)) <= 4 * arrays.eps

    @pytest.mark.parametrize("n", [2, 3, 6])
    def test_differential(self, double, rng, n):
        covariance = random_spd(rng, n, 5.0)
        vector = random_symmetric(rng, n)
        expected = derivative(
            lambda s: double.apply(k.cor, s), covariance, vector, step=0.01
        )
        actual = double.apply(k.cor_differential, vector, covariance)
        assert relative_error(actual, expected) <= 1e-9
        assert np.all(diag(actual) == 0.0)

    def test_kernel_of_the_differential(self, arrays, rng):
        # Scaling a variable moves the covariance and leaves the correlation alone.
        covariance = arrays.rounded(random_spd(rng, 5, 10.0))
        rates = rng.standard_normal(5)
        vector = rates[:, None] * covariance + covariance * rates
        actual = arrays.apply(k.cor_differential, vector, covariance)
        assert np.max(np.abs(actual)) <= 16 * arrays.eps

    @pytest.mark.parametrize("n", [2, 3, 6])
    def test_second_differential(self, double, rng, n):
        covariance = 0.3 * random_spd(rng, n, 5.0)
        first, second = 0.1 * random_symmetric(rng, n, (2,))

        def along_the_curve(time):
            return double.apply(
                k.cor, covariance + time * first + 0.5 * time**2 * second
            )

        expected = second_derivative(along_the_curve, 0.0, 1.0, step=0.02)
        actual = double.apply(k.cor_second_differential, first, second, covariance)
        assert relative_error(actual, expected) <= 1e-9


class TestFactor:
    @pytest.mark.parametrize("condition", [1e1, 1e4, 1e8, 1e12])
    @shapes
    def test_product(self, double, rng, n, condition):
        correlation = random_correlation(rng, n, condition, (3,))
        factor = double.apply(k.full_rank_factor, correlation)
        assert np.all(np.triu(factor, 1) == 0.0)
        assert np.all(diag(factor) > 0.0)
        assert np.max(np.abs(factor @ factor.mT - correlation)) <= 1e-14

    @shapes
    def test_precision_of_the_array(self, arrays, rng, n):
        correlation = arrays.rounded(random_correlation(rng, n, 10.0))
        factor = arrays.apply(k.full_rank_factor, correlation)
        assert np.max(np.abs(factor @ factor.T - correlation)) <= 8 * arrays.eps


class TestTheta:
    @shapes
    def test_definition(self, arrays, rng, n):
        correlation = arrays.rounded(random_correlation(rng, n, 10.0, (3,)))
        factor = np.linalg.cholesky(correlation)
        expected = factor / diag(factor)[..., None]
        actual = arrays.apply(k.theta, correlation)
        assert relative_error(actual, expected) <= 64 * arrays.eps
        assert np.all(diag(actual) == 1.0)

    @shapes
    def test_strict_part(self, arrays, rng, n):
        correlation = arrays.rounded(random_correlation(rng, n, 10.0, (3,)))
        whole = arrays.apply(k.theta, correlation)
        strict = arrays.apply(k.strict_theta, correlation)
        assert np.array_equal(strict, whole - np.eye(n))

    @pytest.mark.parametrize("rho", [0.5, 0.9, 0.999])
    def test_autoregressive(self, double, rho):
        # A row of Theta is the one before it times rho, with a one added.
        actual = double.apply(k.theta, autoregressive(30, rho))
        expected = np.tril(autoregressive(30, rho))
        expected[1:, 0] /= np.sqrt(1.0 - rho**2)
        assert relative_error(actual, expected) <= 1e-11

    @pytest.mark.parametrize("n", [2, 5])
    def test_inverse_of_large_rows(self, arrays, rng, n):
        # Products of entries of order 1e10 do not drown the unit diagonal.
        unit_lower = arrays.rounded(np.eye(n) + 1e10 * random_strictly_lower(rng, n))
        actual = arrays.apply(k.theta_inverse, unit_lower)
        with mpmath.workdps(50):
            product = exact(unit_lower) @ exact(unit_lower).T
            scale = np.array([1 / mpmath.sqrt(x) for x in np.diag(product)])
            expected = rounded(scale[:, None] * product * scale)
        assert np.max(np.abs(actual - expected)) <= 4 * arrays.eps

    @pytest.mark.parametrize("n", [2, 3, 6])
    def test_second_differential_of_the_inverse(self, double, rng, n):
        unit_lower = np.eye(n) + random_strictly_lower(rng, n)
        vector = 0.5 * random_strictly_lower(rng, n)
        expected = second_derivative(
            lambda x: double.apply(k.theta_inverse, x), unit_lower, vector, step=0.03
        )
        actual = double.apply(k.theta_inverse_second_differential, vector, unit_lower)
        assert relative_error(actual, expected) <= 1e-8


class TestCorInverse:
    @pytest.mark.parametrize("condition", [1e1, 1e4, 1e8])
    @shapes
    def test_definition(self, double, rng, n, condition):
        correlation = random_correlation(rng, n, condition)
        expected = scaled_to_unit_diagonal(np.linalg.inv(correlation))
        actual = double.apply(k.cor_inverse, correlation)
        assert relative_error(actual, expected) <= 1e-14 * condition
        assert np.all(diag(actual) == 1.0)

    def test_involution(self, arrays, rng):
        correlation = arrays.rounded(random_correlation(rng, 5, 10.0, (3,)))
        inverse = arrays.apply(k.cor_inverse, correlation)
        back = arrays.apply(k.cor_inverse, inverse)
        assert np.max(np.abs(back - correlation)) <= 100 * arrays.eps


def test_foreign_byte_order(rng):
    lower = np.eye(3) + random_strictly_lower(rng, 3)
    vector = np.ones((3, 3)) - np.eye(3)
    swapped = k.theta_differential_at(vector.astype(">f8"), lower.astype(">f8"))
    assert np.all(swapped == k.theta_differential_at(vector, lower))
