"""The two numbers of the analysis of covariances, entry by entry."""

import numpy as np
import pytest

from cornet_nn.reproduce.experiments import (
    coefficient_of_variation,
    diagonal_ratio,
    draw_histograms,
)


def covariances():
    signal = np.random.default_rng(0).standard_normal((6, 3, 4, 9))
    return signal @ signal.swapaxes(-1, -2)


def test_coefficient_of_variation():
    given = covariances()
    actual = coefficient_of_variation(given)
    assert actual.shape == (6, 3)
    variances = [given[2, 1, i, i] for i in range(4)]
    mean = sum(variances) / 4
    deviation = (sum((v - mean) ** 2 for v in variances) / 4) ** 0.5
    assert actual[2, 1] == pytest.approx(deviation / (mean + 1e-8), rel=1e-12)


def test_diagonal_ratio():
    given = covariances()
    actual = diagonal_ratio(given)
    diagonal = sum(abs(given[4, 0, i, i]) for i in range(4)) / 4
    pairs = [(i, j) for i in range(4) for j in range(4) if i != j]
    rest = sum(abs(given[4, 0, i, j]) for i, j in pairs) / 12
    assert actual[4, 0] == pytest.approx(diagonal / rest, rel=1e-12)
    assert diagonal_ratio(np.eye(3)) == np.inf


def test_histograms_are_drawn(tmp_path):
    values = coefficient_of_variation(covariances())
    values[0, 0] = np.inf
    draw_histograms(values, "Title", "CV", tmp_path / "figure.png")
    assert (tmp_path / "figure.png").read_bytes().startswith(b"\x89PNG")
