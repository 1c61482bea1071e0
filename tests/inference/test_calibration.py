"""Simulations: true hypotheses are rejected as often as they may be, false ones more.

Every p-value comes from the public functions, on samples whose true mean is known. The
bounds are the binomial 99 % interval of the number of rejections at the level 5 %.
"""

import functools

import numpy as np
import pytest
import scipy.stats
from strategies import equipped

from geomstats_cor import (
    confidence_region,
    equal_dispersions_test,
    equal_means_test,
    frechet_anova,
    mean_test,
)

from .samples import normal_sample

LEVEL = 0.05
RUNS = {"ecm": 300, "phcm": 180}

one_flat_and_one_curved = pytest.mark.parametrize("key", ["ecm", "phcm"])


def every_statistic(*names, curved):
    """Parametrise by statistics under a flat metric, and one under the curved one.

    Rearrangements of vectors in a tangent space are equally likely for any statistic.
    """
    pairs = [*(("ecm", name) for name in names), ("phcm", curved)]
    return pytest.mark.parametrize(("key", "statistic"), pairs)


space_of = functools.cache(equipped)


@functools.cache
def center(key, n):
    """Return a point away from the identity."""
    space = space_of(n, key)
    return space.metric.exp_coords(np.full(space.dim, 0.4), np.eye(n))


def sample(key, n, rng, sizes, shift=0.0, scales=None):
    """Return groups with means `shift` apart, their labels, and the space."""
    space = space_of(n, key)
    scales = [0.5] * len(sizes) if scales is None else scales
    points = [
        normal_sample(space, rng, size, scale, center(key, n), shift * group)
        for group, (size, scale) in enumerate(zip(sizes, scales, strict=True))
    ]
    return np.concatenate(points), np.repeat(np.arange(len(sizes)), sizes), space


def rejections(p_value, runs):
    """Return how many of the p-values of a function of a generator reject."""
    values = [p_value(np.random.default_rng([2026, run])) for run in range(runs)]
    return int(np.sum(np.array(values) <= LEVEL))


def assert_calibrated(key, p_value):
    """Raise unless rejections of true hypotheses are as rare as they should be."""
    runs = RUNS[key]
    low, high = scipy.stats.binom.interval(0.99, runs, LEVEL)
    assert low <= rejections(p_value, runs) <= high


class TestUnderTheHypothesis:
    @every_statistic("distance", "hotelling", "chen-qin", curved="hotelling")
    def test_two_groups_by_permutation(self, key, statistic):
        assert_calibrated(
            key,
            lambda rng: (
                equal_means_test(
                    *sample(key, 3, rng, (8, 12)), statistic, n_permutations=99, rng=rng
                ).p_value
            ),
        )

    @every_statistic("distance", "chen-qin", "shrinkage", curved="shrinkage")
    def test_two_groups_in_high_dimension_by_permutation(self, key, statistic):
        assert_calibrated(
            key,
            lambda rng: (
                equal_means_test(
                    *sample(key, 6, rng, (5, 6)), statistic, n_permutations=99, rng=rng
                ).p_value
            ),
        )

    @pytest.mark.parametrize(
        ("statistic", "n", "sizes"),
        [
            ("hotelling", 3, (8, 12)),
            ("hotelling", 4, (10, 12, 8)),
            ("distance", 3, (8, 12)),
            ("distance", 6, (8, 12)),
            ("distance", 4, (6, 8, 7)),
            ("chen-qin", 12, (10, 14)),
        ],
    )
    def test_groups_asymptotically(self, statistic, n, sizes):
        scales = [0.2] * len(sizes)
        assert_calibrated(
            "ecm",
            lambda rng: (
                equal_means_test(
                    *sample("ecm", n, rng, sizes, scales=scales),
                    statistic,
                    "asymptotic",
                ).p_value
            ),
        )

    @one_flat_and_one_curved
    def test_three_groups_by_permutation(self, key):
        assert_calibrated(
            key,
            lambda rng: (
                equal_means_test(
                    *sample(key, 3, rng, (6, 7, 8)), n_permutations=99, rng=rng
                ).p_value
            ),
        )

    @every_statistic("distance", "hotelling", "chen-qin", curved="chen-qin")
    def test_given_mean_by_signs(self, key, statistic):
        def p_value(rng):
            points, _, space = sample(key, 3, rng, (14,))
            options = dict(n_permutations=99, rng=rng)
            return mean_test(
                points, center(key, 3), space, statistic, **options
            ).p_value

        assert_calibrated(key, p_value)

    @one_flat_and_one_curved
    @pytest.mark.parametrize("statistic", ["distance", "hotelling"])
    def test_given_mean_asymptotically(self, key, statistic):
        def p_value(rng):
            points, _, space = sample(key, 3, rng, (20,))
            return mean_test(
                points, center(key, 3), space, statistic, "asymptotic"
            ).p_value

        assert_calibrated(key, p_value)

    @every_statistic("levene", "frechet-variance", curved="frechet-variance")
    def test_dispersions_of_different_means_by_permutation(self, key, statistic):
        assert_calibrated(
            key,
            lambda rng: (
                equal_dispersions_test(
                    *sample(key, 3, rng, (15, 20), shift=1.0),
                    statistic,
                    n_permutations=99,
                    rng=rng,
                ).p_value
            ),
        )

    @one_flat_and_one_curved
    @pytest.mark.parametrize(
        ("statistic", "sizes"),
        [
            ("levene", (15, 20)),
            ("levene", (15, 20, 15)),
            ("frechet-variance", (60, 80)),
        ],
    )
    def test_dispersions_asymptotically(self, key, statistic, sizes):
        assert_calibrated(
            key,
            lambda rng: (
                equal_dispersions_test(
                    *sample(key, 3, rng, sizes, shift=1.0), statistic, "asymptotic"
                ).p_value
            ),
        )

    @one_flat_and_one_curved
    def test_analysis_of_variance_by_permutation(self, key):
        assert_calibrated(
            key,
            lambda rng: (
                frechet_anova(
                    *sample(key, 3, rng, (8, 12)), n_permutations=99, rng=rng
                ).p_value
            ),
        )

    def test_analysis_of_variance_asymptotically(self):
        assert_calibrated(
            "ecm",
            lambda rng: (
                frechet_anova(*sample("ecm", 3, rng, (80, 100)), "asymptotic").p_value
            ),
        )

    def test_studentised_permutations_allow_unequal_dispersions(self):
        # A small group of large variance: the distance takes that for a difference of
        # means, Chen and Qin's statistic does not.
        def p_value(rng, statistic):
            data = sample("ecm", 4, rng, (8, 24), scales=[0.6, 0.2])
            return equal_means_test(
                *data, statistic, n_permutations=99, rng=rng
            ).p_value

        assert_calibrated("ecm", lambda rng: p_value(rng, "chen-qin"))
        assert rejections(lambda rng: p_value(rng, "distance"), 100) > 15

    @one_flat_and_one_curved
    def test_regions_cover_the_mean(self, key):
        def outside(rng):
            points, _, space = sample(key, 3, rng, (20,))
            return not confidence_region(points, space).contains(center(key, 3))

        assert_calibrated(key, lambda rng: 0.0 if outside(rng) else 1.0)

    @one_flat_and_one_curved
    def test_balls_cover_the_mean(self, key):
        def outside(rng):
            points, _, space = sample(key, 3, rng, (25,))
            region = confidence_region(
                points, space, method="bootstrap", n_resamples=39, rng=rng
            )
            return not region.contains(center(key, 3))

        assert_calibrated(key, lambda rng: 0.0 if outside(rng) else 1.0)


class TestPowerGrowsWithTheSample:
    SIZES = (5, 14, 40)

    def assert_grows(self, p_value):
        counts = [
            rejections(lambda rng, size=size: p_value(rng, size), 40)
            for size in self.SIZES
        ]
        assert counts[0] + 5 < counts[1] < counts[2]
        assert counts[2] >= 36

    @every_statistic("distance", "chen-qin", "shrinkage", curved="distance")
    def test_two_groups(self, key, statistic):
        def p_value(rng, size):
            data = sample(key, 3, rng, (size, size), shift=0.5)
            return equal_means_test(
                *data, statistic, n_permutations=99, rng=rng
            ).p_value

        self.assert_grows(p_value)

    @one_flat_and_one_curved
    def test_three_groups(self, key):
        def p_value(rng, size):
            data = sample(key, 3, rng, (size, size, size), shift=0.25)
            return equal_means_test(*data, n_permutations=99, rng=rng).p_value

        self.assert_grows(p_value)

    @one_flat_and_one_curved
    def test_given_mean(self, key):
        def p_value(rng, size):
            points, _, space = sample(key, 3, rng, (size,))
            step = np.array([0.35, 0.0, 0.0])
            away = space.metric.exp_coords(step, center(key, 3))
            return mean_test(points, away, space, calibration="asymptotic").p_value

        self.assert_grows(p_value)

    @every_statistic("levene", "frechet-variance", curved="levene")
    def test_dispersions(self, key, statistic):
        def p_value(rng, size):
            data = sample(key, 3, rng, (size, size), scales=[0.3, 0.45])
            return equal_dispersions_test(
                *data, statistic, n_permutations=99, rng=rng
            ).p_value

        self.assert_grows(p_value)

    @one_flat_and_one_curved
    def test_analysis_of_variance(self, key):
        def p_value(rng, size):
            data = sample(key, 3, rng, (size, size), shift=0.5, scales=[0.4, 0.55])
            return frechet_anova(*data, n_permutations=99, rng=rng).p_value

        self.assert_grows(p_value)


def test_hotelling_gains_power_with_the_sample():
    def p_value(rng, size):
        data = sample("lsm", 3, rng, (size, size), shift=0.5)
        return equal_means_test(*data, "hotelling", "asymptotic").p_value

    counts = [rejections(lambda rng, s=s: p_value(rng, s), 40) for s in (5, 14, 40)]
    assert counts[0] < counts[1] < counts[2]
