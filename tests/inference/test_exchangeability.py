"""Permutations keep to their blocks."""

import numpy as np
import pytest

from geomstats_cor.exceptions import NotFiniteError, ParameterError, ShapeError
from geomstats_cor.inference.exchangeability import (
    BlockExchange,
    FreeExchange,
    admit_blocks,
    exchange_for,
)

BLOCKS = np.array([0, 1, 0, 1, 2, 2, 3, 3, 3])


def assert_distinct_permutations(rows, number):
    assert len(np.unique(rows, axis=0)) == len(rows)
    np.testing.assert_array_equal(
        np.sort(rows, axis=1), np.tile(range(number), (len(rows), 1))
    )
    assert np.any(np.all(rows == np.arange(number), axis=1))


def test_free_permutations():
    exchange = FreeExchange(4)
    assert exchange.count == 24
    assert_distinct_permutations(exchange.everything(), 4)
    drawn = exchange.draw(500, np.random.default_rng(0))
    assert len(np.unique(drawn, axis=0)) == 24


def test_permutations_within_blocks():
    exchange = BlockExchange(BLOCKS, is_within=True)
    everything = exchange.everything()
    assert len(everything) == exchange.count == 2 * 2 * 2 * 6
    assert_distinct_permutations(everything, 9)
    assert np.all(BLOCKS[everything] == BLOCKS)
    drawn = exchange.draw(2000, np.random.default_rng(0))
    assert {tuple(row) for row in drawn} == {tuple(row) for row in everything}


def test_permutations_of_whole_blocks():
    exchange = BlockExchange(BLOCKS, is_within=False)
    everything = exchange.everything()
    # Three blocks of two rows; the one of three has no partner.
    assert len(everything) == exchange.count == 6
    assert_distinct_permutations(everything, 9)
    assert np.all(everything[:, 6:] == [6, 7, 8])
    for row in everything:
        for block in range(3):
            (moved,) = set(BLOCKS[row[BLOCKS == block]])
            np.testing.assert_array_equal(
                row[BLOCKS == block], np.flatnonzero(BLOCKS == moved)
            )
    drawn = exchange.draw(200, np.random.default_rng(0))
    assert {tuple(row) for row in drawn} == {tuple(row) for row in everything}


def test_the_covariate_decides():
    between, within = BLOCKS[:, None] * 1.0, np.arange(9.0)[:, None]
    assert exchange_for(between, None).kind == "free"
    assert exchange_for(between, BLOCKS).kind == "whole"
    assert exchange_for(within, BLOCKS).kind == "within"
    assert exchange_for(between, BLOCKS, "within").kind == "within"


def test_what_cannot_be_exchanged_is_refused():
    column = np.arange(3.0)[:, None]
    with pytest.raises(ParameterError, match="every block has a single row"):
        BlockExchange(np.arange(3), is_within=True)
    with pytest.raises(ParameterError, match="replace each by its Fréchet mean"):
        BlockExchange(np.array([0, 1, 1]), is_within=False)
    with pytest.raises(ParameterError, match="there are no blocks"):
        exchange_for(column, None, "within")
    with pytest.raises(ParameterError, match="varies within blocks"):
        exchange_for(column, np.array([0, 0, 1]), "whole")
    with pytest.raises(ParameterError, match="exchange: expected one of"):
        exchange_for(column, None, "all")
    with pytest.raises(ShapeError, match=r"blocks: expected shape \[3\]"):
        admit_blocks([1, 2], 3)
    with pytest.raises(NotFiniteError, match="missing label in row 1"):
        admit_blocks([1.0, np.nan, 2.0], 3)
    assert admit_blocks(None, 3) is None
    np.testing.assert_array_equal(admit_blocks(["b", "a", "b"], 3), [1, 0, 1])
