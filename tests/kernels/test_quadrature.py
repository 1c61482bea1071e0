"""Quadrature rules integrate what they are meant for."""

import numpy as np
import pytest

from geomstats_cor.kernels._quadrature import (
    gauss_lobatto,
    half_rule,
    half_rule_for_spectrum,
)


@pytest.mark.parametrize("count", [3, 4, 5, 8, 13, 30])
def test_lobatto_rule_is_exact_up_to_its_degree(count):
    nodes, weights = np.transpose(gauss_lobatto(count))
    assert nodes[0] == -1.0
    assert nodes[-1] == 1.0
    for degree in range(0, 2 * count - 3, 2):
        assert abs(weights @ nodes**degree - 2.0 / (degree + 1)) <= 1e-14


@pytest.mark.parametrize("count", [3, 4, 5, 8])
def test_lobatto_rule_is_not_exact_beyond_its_degree(count):
    nodes, weights = np.transpose(gauss_lobatto(count))
    assert weights @ nodes ** (2 * count - 2) - 2.0 / (2 * count - 1) > 4.0**-count


@pytest.mark.parametrize("count", [3, 4, 5, 8])
def test_half_of_a_rule_gives_means_of_even_functions(count):
    nodes, weights = np.transpose(gauss_lobatto(count))
    half_nodes, half_weights = np.transpose(half_rule(gauss_lobatto, count))
    assert np.all(half_nodes >= 0.0)
    whole = 0.5 * weights @ np.cosh(nodes)
    assert abs(half_weights @ np.cosh(half_nodes) - whole) <= 1e-15


@pytest.mark.parametrize("tolerance", [1e-2, 1e-6, 1e-13])
@pytest.mark.parametrize("spread", [0.1, 2.0, 10.0, 30.0])
def test_tolerance_is_kept_for_all_gaps_up_to_the_spread(spread, tolerance):
    values = np.array([[-0.3 * spread, 0.7 * spread], [0.0, 0.1 * spread]])
    nodes, weights = np.transpose(half_rule_for_spectrum(values, tolerance))
    for gap in np.linspace(0.05, 1.0, 20) * spread:
        mean = np.sinh(0.5 * gap) / (0.5 * gap)
        error = np.cosh(0.5 * gap * nodes) @ weights / mean - 1.0
        assert abs(error) <= max(tolerance, 2e-15 * spread)
