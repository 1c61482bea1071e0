"""Processes have the reflection coefficients and the covariance they were made with."""

import numpy as np
import pytest
from scipy.linalg import solve_toeplitz

from cornet_nn.datasets.radar import CLASSES, moved, predictors, simulate
from geomstats_cor.exceptions import ParameterError

REFLECTIONS = np.array([-0.6 + 0.3j, 0.4 - 0.2j, -0.3j, 0.25])


def spectral_autocovariance(coefficients, lags, points=2**14):
    """Return E x_t conj(x_{t - l}) / E |x_t|^2, by the integral of the spectrum."""
    spectrum = 1.0 / np.abs(np.fft.fft(coefficients, points)) ** 2
    covariance = np.fft.ifft(spectrum)[:lags]
    return covariance / covariance[0].real


def levinson(autocovariance):
    """Return the reflection coefficients, by normal equations of each order."""
    reflections = []
    for order in range(1, len(autocovariance)):
        column = autocovariance[:order]
        solution = solve_toeplitz(
            (column, column.conj()), autocovariance[1 : order + 1]
        )
        reflections.append(-solution[-1])
    return np.array(reflections)


def burg(signal, order):
    """Return the estimates by Burg, from the forward and the backward errors."""
    forward, backward = signal, signal
    reflections = []
    for _ in range(order):
        ahead, behind = forward[1:], backward[:-1]
        power = np.sum(np.abs(ahead) ** 2 + np.abs(behind) ** 2)
        reflection = -2.0 * np.sum(ahead * behind.conj()) / power
        reflections.append(reflection)
        forward = ahead + reflection * behind
        backward = behind + np.conj(reflection) * ahead
    return np.array(reflections)


def test_filters_have_these_reflection_coefficients():
    coefficients = predictors(REFLECTIONS)[-1]
    theory = spectral_autocovariance(coefficients, 5)
    np.testing.assert_allclose(levinson(theory), REFLECTIONS, atol=1e-12)


def test_filters_of_lower_order_predict_best():
    filters = predictors(REFLECTIONS)
    theory = spectral_autocovariance(filters[-1], 5)
    for order in range(1, 5):
        column = theory[:order]
        best = solve_toeplitz((column, column.conj()), theory[1 : order + 1])
        np.testing.assert_allclose(filters[order][1:], -best, atol=1e-12)


@pytest.mark.parametrize("radius", [0.5, 0.9, 0.99])
def test_reflections_in_the_disk_are_stable(rng, radius):
    for _ in range(50):
        angles = np.exp(2j * np.pi * rng.random(6))
        roots = np.roots(predictors(radius * angles)[-1])
        assert np.abs(roots).max() < 1.0


@pytest.mark.parametrize("reflections", [[1.0], [0.2, 1j], [0.1, np.nan], 0.1])
def test_reflections_outside_are_an_error(reflections):
    with pytest.raises(ParameterError, match="unit disk"):
        predictors(reflections)


def test_burg_finds_the_reflection_coefficients_in_a_signal(rng):
    signal = simulate(REFLECTIONS, 50_000, rng)
    # The deviation of the estimate is about 1 / sqrt(T) = 0.0045.
    np.testing.assert_allclose(burg(signal, 6)[:4], REFLECTIONS, atol=0.02)
    np.testing.assert_allclose(burg(signal, 6)[4:], 0.0, atol=0.02)


def test_the_covariance_is_that_of_theory_from_the_first_sample(rng):
    # Starts of many signals: no time to forget a start that is not stationary.
    signals = simulate(np.tile(REFLECTIONS, (20_000, 1)), 8, rng, 2.0)
    covariance = signals.T @ signals.conj() / len(signals)
    theory = 2.0 * spectral_autocovariance(predictors(REFLECTIONS)[-1], 8)
    lags = np.arange(8)[:, None] - np.arange(8)
    expected = np.where(lags >= 0, theory[np.abs(lags)], theory[np.abs(lags)].conj())
    np.testing.assert_allclose(covariance, expected, atol=0.1)
    # Circular: no covariance with the conjugate.
    np.testing.assert_allclose(signals.T @ signals / len(signals), 0.0, atol=0.1)


def test_signals_of_a_stack_have_their_own_coefficients_and_variances(rng):
    reflections = np.stack([REFLECTIONS, -REFLECTIONS])[:, None]
    signals = simulate(reflections, 20_000, rng, np.array([[1.0], [9.0]]))
    assert signals.shape == (2, 1, 20_000)
    for signal, wanted, variance in zip(
        signals[:, 0], reflections[:, 0], (1.0, 9.0), strict=True
    ):
        np.testing.assert_allclose(burg(signal, 4), wanted, atol=0.03)
        np.testing.assert_allclose(np.mean(np.abs(signal) ** 2), variance, rtol=0.1)


@pytest.mark.parametrize("length", [1, 3, 4, 5])
def test_short_signals(rng, length):
    assert simulate(REFLECTIONS, length, rng).shape == (length,)


def test_moves_stay_in_the_disk_and_have_the_spread(rng):
    centers = np.array(list(CLASSES.values()))
    for center in centers:
        points = moved(np.tile(center, (200, 1)), 3.0, rng)
        assert (np.abs(points) < 1.0).all()
    near = moved(np.zeros((4000, 4)), 0.01, rng)
    np.testing.assert_allclose(near.real.std(), 0.01, rtol=0.05)
    np.testing.assert_allclose(near.imag.std(), 0.01, rtol=0.05)
    np.testing.assert_array_equal(moved(centers[0], 0.0, rng), centers[0])
