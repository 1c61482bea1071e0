"""Tests of dispersion against other formulas, and the Fréchet analysis of variance."""

import itertools

import numpy as np
import pytest
import scipy.stats
from strategies import KEYS, equipped

from geomstats_cor import equal_dispersions_test, frechet_anova, frechet_mean
from geomstats_cor.exceptions import ParameterError, ShapeError

from .samples import two_groups

every_metric = pytest.mark.parametrize("key", KEYS)


def adjusted_distances(space, points, labels):
    """Return distances to the means of groups, as if these had not been fitted."""
    dists = np.empty(len(points))
    for group in np.unique(labels):
        members = labels == group
        mean = frechet_mean(points[members], space)
        factor = np.sqrt(members.sum() / (members.sum() - 1))
        dists[members] = factor * space.metric.dist(points[members], mean)
    return dists


def dubey_mueller(samples):
    """Return the first term of the statistic, summed over pairs as in the paper."""
    number = sum(map(len, samples))
    shares = [len(w) / number for w in samples]
    variances, spreads = [np.mean(w) for w in samples], [np.var(w) for w in samples]
    pairs = sum(
        shares[j]
        * shares[k]
        / (spreads[j] * spreads[k])
        * (variances[j] - variances[k]) ** 2
        for j, k in itertools.combinations(range(len(samples)), 2)
    )
    return number * pairs / sum(s / v for s, v in zip(shares, spreads, strict=True))


class TestDispersions:
    @every_metric
    @pytest.mark.parametrize("sizes", [(7, 9), (6, 7, 8)])
    def test_levene_is_the_analysis_of_variance_of_distances(self, rng, key, sizes):
        space, points, labels = two_groups(key, rng, sizes, shift=0.5)
        dists = adjusted_distances(space, points, labels)
        expected = scipy.stats.f_oneway(*(dists[labels == g] for g in set(labels)))
        result = equal_dispersions_test(points, labels, space, "levene", "asymptotic")
        assert result.dof == (len(sizes) - 1, len(points) - len(sizes))
        np.testing.assert_allclose(result.statistic, expected.statistic, rtol=1e-8)
        np.testing.assert_allclose(result.p_value, expected.pvalue, rtol=1e-8)

    @every_metric
    @pytest.mark.parametrize("sizes", [(7, 9), (6, 7, 8)])
    def test_frechet_variance_is_its_definition(self, rng, key, sizes):
        space, points, labels = two_groups(key, rng, sizes, shift=0.5)
        squares = adjusted_distances(space, points, labels) ** 2
        expected = dubey_mueller([squares[labels == g] for g in range(len(sizes))])
        result = equal_dispersions_test(
            points, labels, space, "frechet-variance", "asymptotic"
        )
        np.testing.assert_allclose(result.statistic, expected, rtol=1e-8)
        p_value = scipy.stats.chi2.sf(expected, len(sizes) - 1)
        np.testing.assert_allclose(result.p_value, p_value, rtol=1e-7)

    @every_metric
    @pytest.mark.parametrize("statistic", ["levene", "frechet-variance"])
    def test_permutations_by_enumeration(self, rng, key, statistic):
        space, points, labels = two_groups(key, rng, (3, 4), shift=0.5)
        dists = adjusted_distances(space, points, labels)

        def value(order):
            parts = [dists[order == g] for g in (0, 1)]
            if statistic == "levene":
                return scipy.stats.f_oneway(*parts).statistic
            return dubey_mueller([part**2 for part in parts])

        orders = map(np.array, set(itertools.permutations(labels.tolist())))
        values = np.array([value(order) for order in orders])
        expected = np.mean(values >= value(labels) * (1 - 1e-10))
        result = equal_dispersions_test(points, labels, space, statistic)
        assert result.exhaustive
        assert result.p_value == pytest.approx(expected, rel=1e-12)

    @every_metric
    def test_means_are_of_no_consequence(self, rng, key):
        # Moving a group along the manifold by an isometry leaves its distances alone.
        space, points, labels = two_groups(key, rng, (8, 9))
        first = points[labels == 0]
        mean = frechet_mean(first, space)
        coords = space.metric.log_coords(first, mean)
        moved = points.copy()
        moved[labels == 0] = space.metric.exp_coords(coords, space.random_point(rng=3))
        results = [
            equal_dispersions_test(sample, labels, space, n_permutations=99, rng=0)
            for sample in (points, moved)
        ]
        np.testing.assert_allclose(
            results[0].statistic, results[1].statistic, rtol=1e-6
        )
        assert results[0].p_value == results[1].p_value

    def test_needs_three_matrices_in_a_group(self, rng):
        space, points, labels = two_groups("ecm", rng, (2, 6))
        with pytest.raises(ShapeError, match="at least 3"):
            equal_dispersions_test(points, labels, space)

    def test_unknown_statistic(self, rng):
        space, points, labels = two_groups("ecm", rng, (4, 6))
        with pytest.raises(ParameterError, match="'levene'"):
            equal_dispersions_test(points, labels, space, "bartlett")

    def test_arrays_of_any_library(self, arrays, rng):
        space, points, labels = two_groups("olm", rng, (7, 9))
        expected = equal_dispersions_test(
            arrays.rounded(points), labels, space, n_permutations=99, rng=0
        )
        result = equal_dispersions_test(
            arrays(points), labels, space, n_permutations=99, rng=0
        )
        rtol = 1000 * arrays.eps
        np.testing.assert_allclose(result.statistic, expected.statistic, rtol=rtol)
        arrays.numbers(result.means)


class TestAnova:
    @pytest.mark.parametrize("key", [key for key in KEYS if key != "phcm"])
    @pytest.mark.parametrize("sizes", [(9, 12), (8, 9, 10)])
    def test_is_its_definition(self, rng, key, sizes):
        space, points, labels = two_groups(key, rng, sizes, shift=0.3)
        shares = np.array(sizes) / len(points)
        squares = []
        for group in range(len(sizes)):
            members = points[labels == group]
            mean = frechet_mean(members, space)
            squares.append(space.metric.squared_dist(members, mean))
        pooled = frechet_mean(points, space)
        excess = np.mean(space.metric.squared_dist(points, pooled)) - sum(
            share * np.mean(w) for share, w in zip(shares, squares, strict=True)
        )
        spreads = np.array([np.var(w) for w in squares])
        expected = dubey_mueller(squares)
        expected += len(points) * excess**2 / np.sum(shares**2 * spreads)
        result = frechet_anova(points, labels, space, "asymptotic")
        np.testing.assert_allclose(result.statistic, expected, rtol=1e-8)
        assert result.dof == (len(sizes) - 1,)

    @every_metric
    def test_permutations_by_enumeration(self, rng, key):
        space, points, labels = two_groups(key, rng, (3, 4), shift=0.5)
        x = space.metric.log_coords(points, frechet_mean(points, space))

        def value(order):
            groups = [x[order == g] for g in (0, 1)]
            squares = [np.sum((g - g.mean(axis=0)) ** 2, axis=-1) for g in groups]
            shares = np.array([len(g) / len(x) for g in groups])
            excess = np.mean(np.sum((x - x.mean(axis=0)) ** 2, axis=-1)) - sum(
                share * np.mean(w) for share, w in zip(shares, squares, strict=True)
            )
            spread = np.sum(shares**2 * [np.var(w) for w in squares])
            return dubey_mueller(squares) + len(x) * excess**2 / spread

        orders = map(np.array, set(itertools.permutations(labels.tolist())))
        values = np.array([value(order) for order in orders])
        expected = np.mean(values >= value(labels) * (1 - 1e-10))
        result = frechet_anova(points, labels, space)
        assert result.p_value == pytest.approx(expected, rel=1e-12)

    def test_curved_metrics_need_permutations(self, rng):
        space, points, labels = two_groups("phcm", rng, (10, 10))
        with pytest.raises(ParameterError, match="curved"):
            frechet_anova(points, labels, space, "asymptotic")

    def test_needs_a_metric_of_the_library(self, rng):
        _, points, labels = two_groups("ecm", rng, (4, 6))
        with pytest.raises(ParameterError, match="equip_with_metric"):
            frechet_anova(points, labels, equipped(3, None))
