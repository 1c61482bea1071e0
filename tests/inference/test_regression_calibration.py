"""Tests of covariates, edges and networks reject true hypotheses rarely.

`python -m benchmarks.calibration` has more settings and runs; its table is in the docs.
"""

import warnings

import numpy as np
import pytest
import scipy.stats
from strategies import equipped

from geomstats_cor.exceptions import CoarseTestWarning
from geomstats_cor.inference import MultivariateGeodesicRegression

from .samples import normal_sample

pytest.importorskip("pandas")

RUNS, LEVEL = 100, 0.05
OPTIONS = dict(n_permutations=39, progress=False)


def assert_calibrated(p_value, runs=RUNS):
    """Raise unless rejections of true hypotheses are as rare as they should be."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", CoarseTestWarning)
        values = [p_value(np.random.default_rng([7, run])) for run in range(runs)]
    low, high = scipy.stats.binom.interval(0.999, runs, LEVEL)
    assert low <= np.sum(np.array(values) <= LEVEL + 1e-12) <= high


def model_of(rng, key="ecm", n=4, number=18, blocks=None, spread=0.0):
    """Return a model of x given z, where z matters, x goes with z, and x does not."""
    space = equipped(n, key)
    z = rng.standard_normal(number)
    x = 0.7 * z + 0.7 * rng.standard_normal(number)
    coords = 0.3 * rng.standard_normal((number, space.dim)) + 0.2 * z[:, None]
    if blocks is not None:
        coords += spread * rng.standard_normal((number, space.dim))[blocks]
    points = space.metric.exp_coords(coords, np.eye(n))
    model = MultivariateGeodesicRegression(key)
    return model.fit({"x": x, "z": z}, points, blocks=blocks)


@pytest.mark.parametrize("key", ["ecm", "phcm"])
def test_a_covariate_given_another(key):
    assert_calibrated(
        lambda rng: model_of(rng, key).test("x", rng=rng, **OPTIONS).p_value
    )


def test_a_covariate_within_blocks():
    blocks = np.repeat(np.arange(6), 3)
    assert_calibrated(
        lambda rng: (
            model_of(rng, blocks=blocks, spread=0.5)
            .test("x", rng=rng, **OPTIONS)
            .p_value
        )
    )


def test_whole_blocks_protect_and_rows_do_not():
    blocks = np.repeat(np.arange(10), 3)
    group = {"group": (blocks % 2).astype(float)}
    space = equipped(3, "ecm")

    def p_value(rng, told):
        shift = 0.5 * rng.standard_normal((10, 3))[blocks]
        coords = shift + 0.1 * rng.standard_normal((30, 3))
        model = MultivariateGeodesicRegression("ecm")
        points = space.metric.from_coords(coords)
        model.fit(group, points, blocks=blocks if told else None)
        return model.test("group", rng=rng, **OPTIONS).p_value

    assert_calibrated(lambda rng: p_value(rng, True))
    ignored = [p_value(np.random.default_rng(run), False) for run in range(40)]
    assert np.mean(np.array(ignored) <= LEVEL) > 0.15


@pytest.mark.parametrize("what", ["p_max_t", "p_fdr"])
def test_any_edge(what):
    def smallest(rng):
        test = model_of(rng).edge_test("x", rng=rng, pooled=True, **OPTIONS)
        return np.min(getattr(test, what))

    assert_calibrated(smallest)


def test_any_network():
    def p_value(rng):
        model = model_of(rng, n=6)
        networks = model.network_test("x", 1.5, rng=rng, **OPTIONS).networks
        return networks[0].p_value if networks else 1.0

    assert_calibrated(p_value, runs=60)


def test_power_grows_with_the_sample():
    def p_value(rng, number):
        x = rng.standard_normal(number)
        space = equipped(3, "phcm")
        points = normal_sample(space, rng, number, 0.4)
        points = np.stack(
            [
                space.metric.exp_coords(0.15 * t * np.ones(3), p)
                for t, p in zip(x, points, strict=True)
            ]
        )
        model = MultivariateGeodesicRegression("phcm").fit({"x": x}, points)
        return model.test("x", rng=rng, **OPTIONS).p_value

    counts = [
        sum(p_value(np.random.default_rng(run), number) <= LEVEL for run in range(20))
        for number in (6, 40)
    ]
    assert counts[0] < 10 < 15 <= counts[1]
