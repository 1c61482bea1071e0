"""Rearrangements are all there, once each, and p-values count ties."""

import itertools
import math

import numpy as np
import pytest

from geomstats_cor.exceptions import CoarseTestWarning, ParameterError
from geomstats_cor.inference.rearrangements import (
    NullDistribution,
    Relabellings,
    SignFlips,
    null_distribution,
)


@pytest.mark.parametrize("sizes", [(2, 3), (1, 1, 2), (2, 2, 2), (3, 1, 2, 1)])
def test_all_relabellings_are_dealt_once(sizes):
    labels = np.repeat(np.arange(len(sizes)), sizes)
    design = Relabellings(labels)
    dealt = [tuple(row) for row in design.everything().tolist()]
    assert len(dealt) == design.count
    assert set(dealt) == set(itertools.permutations(labels.tolist()))


def test_all_signs_occur_once():
    design = SignFlips(5)
    signs = design.weights(design.everything())[:, 0]
    assert {tuple(row) for row in signs} == set(
        itertools.product([1.0, -1.0], repeat=5)
    )
    assert len(signs) == design.count == 32


def test_random_relabellings_keep_the_sizes(rng):
    design = Relabellings(np.array([0, 2, 1, 1, 0, 0]))
    weights = design.weights(design.draw(50, rng))
    np.testing.assert_array_equal(weights.sum(axis=-1), np.tile([3, 2, 1], (50, 1)))
    np.testing.assert_array_equal(weights.sum(axis=-2), 1.0)
    assert len(np.unique(weights, axis=0)) > 20


def test_random_relabellings_are_uniform(rng):
    design = Relabellings(np.array([0, 0, 1, 1]))
    drawn = design.draw(6000, rng)
    _, counts = np.unique(drawn, axis=0, return_counts=True)
    assert len(counts) == design.count == 6
    assert np.sum((counts - 1000) ** 2 / 1000) < 20.5  # chi-squared, 99.9 %


def test_random_signs_are_fair(rng):
    design = SignFlips(40)
    signs = design.weights(design.draw(2000, rng))
    assert set(np.unique(signs)) == {-1.0, 1.0}
    assert abs(signs.mean()) < 4 / math.sqrt(signs.size)


def test_p_values_count_ties_and_the_observed_arrangement():
    values = np.array([1.0, 2.0, 2.0 * (1 - 1e-15), 3.0])
    assert NullDistribution(values, exhaustive=False).p_value(2.0) == 4 / 5
    assert NullDistribution(values, exhaustive=True).p_value(2.0) == 3 / 4
    assert NullDistribution(values, exhaustive=False).p_value(4.0) == 1 / 5
    # Far from rounding, order decides.
    values[2] = 2.0 * (1 - 1e-9)
    assert NullDistribution(values, exhaustive=True).p_value(2.0) == 2 / 4


def test_infinite_statistics_are_ordered():
    null = NullDistribution(np.array([-np.inf, 0.5, np.inf, 2.0]), exhaustive=True)
    assert null.p_value(np.inf) == 1 / 4
    assert null.p_value(2.0) == 2 / 4
    assert null.p_value(-np.inf) == 1.0


def first_weight(weights):
    """Return a statistic that tells arrangements apart."""
    return weights[:, 0] @ 2.0 ** np.arange(weights.shape[-1])


def test_pieces_change_nothing(monkeypatch):
    design = Relabellings(np.repeat([0, 1], [9, 12]))
    whole = null_distribution(first_weight, design, 500, np.random.default_rng(5), 0.05)
    monkeypatch.setattr("geomstats_cor.kernels._batching._MEMORY_BYTES", 7 * 8 * 42)
    pieces = null_distribution(
        first_weight, design, 500, np.random.default_rng(5), 0.05
    )
    np.testing.assert_array_equal(pieces.values, whole.values)


def test_few_arrangements_are_enumerated(rng):
    design = Relabellings(np.repeat([0, 1], [3, 4]))
    assert null_distribution(first_weight, design, 35, rng, 0.05).exhaustive
    assert not null_distribution(first_weight, design, 34, rng, 0.05).exhaustive


def test_warns_where_no_p_value_can_reach_the_level(rng):
    large, small = (Relabellings(np.repeat([0, 1], [k, k])) for k in (10, 2))
    with pytest.warns(CoarseTestWarning, match="n_permutations >= 99"):
        null_distribution(first_weight, large, 98, rng, 0.01)
    with pytest.warns(CoarseTestWarning, match="too few distinct permutations"):
        null_distribution(first_weight, small, 999, rng, 0.05)


@pytest.mark.filterwarnings("error")
def test_does_not_warn_where_one_can(rng):
    design = Relabellings(np.repeat([0, 1], [10, 10]))
    null_distribution(first_weight, design, 99, rng, 0.01)


@pytest.mark.parametrize("number", [0, -3, 9.0, "many", True])
def test_refuses_a_number_of_permutations_that_is_none(rng, number):
    with pytest.raises(ParameterError, match="n_permutations"):
        null_distribution(first_weight, SignFlips(20), number, rng, 0.05)


@pytest.mark.parametrize("alpha", [0.0, 1.0, -0.05])
def test_refuses_a_level_that_is_none(rng, alpha):
    with pytest.raises(ParameterError, match="alpha"):
        null_distribution(first_weight, SignFlips(20), 99, rng, alpha)
