"""The mergeable state: any blocks in any order give the mean of all matrices."""

import functools
import pickle
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from kernels.matrices import random_correlation
from sklearn.base import clone
from strategies import equipped, properties

from geomstats_cor import StreamingMean, frechet_mean, frechet_variance
from geomstats_cor.exceptions import (
    NotFiniteError,
    NotPositiveDefiniteError,
    ParameterError,
    ShapeError,
)
from geomstats_cor.statistics.moments import Moments

FLAT = ("ecm", "lecm", "olm", "lsm")

every_flat_metric = pytest.mark.parametrize("key", FLAT)

pytestmark = pytest.mark.filterwarnings("error")


def assert_state(state, points, weights=None):
    expected = frechet_mean(points, state.space, weights)
    np.testing.assert_allclose(np.asarray(state.estimate_), expected, atol=1e-12)
    variance = frechet_variance(points, state.space, weights=weights)
    np.testing.assert_allclose(state.variance_, variance, rtol=1e-12)
    assert state.count_ == len(points)
    total = len(points) if weights is None else weights.sum()
    np.testing.assert_allclose(state.weight_, total, rtol=1e-14)


def fitted(space, points, weights=None):
    return StreamingMean(space).partial_fit(points, weights=weights)


@every_flat_metric
@properties
@given(data=st.data())
def test_any_blocks_in_any_order(key, data):
    rng = np.random.default_rng(data.draw(st.integers(0, 2**32 - 1)))
    number = data.draw(st.integers(1, 40))
    space = equipped(data.draw(st.integers(2, 5)), key)
    points = random_correlation(rng, space.n, 50.0, (number,))
    weights = rng.uniform(size=number) if data.draw(st.booleans()) else None
    order = rng.permutation(number)
    cuts = sorted(data.draw(st.lists(st.integers(0, number), max_size=6)))
    state = StreamingMean(space)
    for part in np.split(order, cuts):  # some are empty
        state.partial_fit(
            points[part], weights=None if weights is None else weights[part]
        )
    assert_state(state, points, weights)


@every_flat_metric
@properties
@given(data=st.data())
def test_merging_is_associative_and_commutative(key, data):
    rng = np.random.default_rng(data.draw(st.integers(0, 2**32 - 1)))
    space = equipped(3, key)
    sizes = [data.draw(st.integers(0, 9)) for _ in range(3)]
    blocks = [random_correlation(rng, 3, 50.0, (size,)) for size in sizes]
    a, b, c = (fitted(space, block) for block in blocks)
    if sum(sizes) == 0:
        assert a.merge(b).merge(c).count_ == 0
        return
    for state in (a.merge(b).merge(c), a.merge(b.merge(c)), c.merge(a).merge(b)):
        assert_state(state, np.concatenate(blocks))
    assert (a.count_, b.count_, c.count_) == tuple(sizes)


@every_flat_metric
def test_torch(rng, key):
    torch = pytest.importorskip("torch")
    space = equipped(4, key)
    points, weights = random_correlation(rng, 4, 20.0, (9,)), rng.uniform(size=9)
    state = StreamingMean(space)
    for part in (slice(0, 2), slice(2, 9)):
        state.partial_fit(
            torch.as_tensor(points[part]), weights=torch.as_tensor(weights[part])
        )
    assert isinstance(state.estimate_, torch.Tensor)
    assert_state(state, points, weights)


def test_no_cancellation_far_from_the_origin(rng):
    vectors = 1e6 + rng.normal(size=(1000, 3))
    blocks = [Moments.of(part) for part in np.split(vectors, 50)]
    merged = functools.reduce(Moments.merge, blocks)
    np.testing.assert_allclose(merged.variance, vectors.var(axis=0).sum(), rtol=1e-9)


def _fit_elsewhere(state, points):
    return pickle.dumps(state.partial_fit(points))


@every_flat_metric
def test_states_travel_between_processes(rng, key):
    space = equipped(3, key)
    blocks = random_correlation(rng, 3, 20.0, (2, 5))
    state = pickle.loads(pickle.dumps(fitted(space, blocks[0])))
    assert_state(state.merge(fitted(space, blocks[1])), np.concatenate(blocks))


def test_states_come_back_from_a_process(rng):
    space = equipped(3, "olm")
    blocks = random_correlation(rng, 3, 20.0, (2, 5))
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        sent = pool.submit(_fit_elsewhere, StreamingMean(space), blocks[0])
        state = pickle.loads(sent.result())
    assert_state(state.merge(fitted(space, blocks[1])), np.concatenate(blocks))


def test_fit_forgets(rng):
    space = equipped(3, "lsm")
    points = random_correlation(rng, 3, 20.0, (8,))
    state = fitted(space, points[:3])
    assert_state(state.fit(points[3:]), points[3:])
    assert clone(state).count_ == 0


def test_lists(rng):
    space = equipped(3, "ecm")
    points = random_correlation(rng, 3, 20.0, (4,))
    assert_state(fitted(space, points.tolist()), points)


class TestBadInput:
    def test_nothing_yet(self, rng):
        state = StreamingMean(equipped(3, "olm"))
        with pytest.raises(ShapeError, match="no matrices"):
            _ = state.estimate_
        state.partial_fit(random_correlation(rng, 3, 5.0, (2,)), weights=np.zeros(2))
        with pytest.raises(ParameterError, match="not all zero"):
            _ = state.variance_

    def test_a_failing_block_leaves_the_state_alone(self, rng):
        space = equipped(3, "olm")
        points = random_correlation(rng, 3, 20.0, (4,))
        state = fitted(space, points)
        bad = points.copy()
        bad[2, 0, 1] = bad[2, 1, 0] = np.nan
        with pytest.raises(NotFiniteError, match=r"points\[2\]"):
            state.partial_fit(bad)
        bad[2] = 1.0
        with pytest.raises(NotPositiveDefiniteError, match=r"\[2\]"):
            state.partial_fit(bad)
        with pytest.raises(ShapeError, match="n = 3"):
            state.partial_fit(random_correlation(rng, 4, 5.0, (2,)))
        with pytest.raises(ShapeError, match="stack"):
            state.partial_fit(points[0])
        with pytest.raises(ShapeError, match="3 weights"):
            state.partial_fit(points, weights=np.ones(3))
        for value in (-1.0, np.nan, np.inf):
            with pytest.raises(ParameterError, match="not negative"):
                state.partial_fit(points, weights=np.array([1.0, value, 1.0, 1.0]))
        assert_state(state, points)

    def test_curvature(self, rng):
        state = StreamingMean(equipped(3, "phcm"))
        with pytest.raises(ParameterError, match="frechet_mean_of_chunks"):
            state.partial_fit(random_correlation(rng, 3, 5.0, (2,)))

    @pytest.mark.parametrize(
        "other",
        [
            lambda: equipped(3, "lsm"),
            lambda: equipped(4, "olm"),
            lambda: equipped(3, "olm", beta=0.5),
        ],
    )
    def test_states_of_different_metrics(self, other):
        with pytest.raises(ParameterError, match="different metrics"):
            StreamingMean(equipped(3, "olm")).merge(StreamingMean(other()))
