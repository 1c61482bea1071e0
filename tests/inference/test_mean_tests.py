"""Tests of means against their definitions, by loops and by other formulas."""

import itertools

import numpy as np
import pytest
import scipy.stats
from sklearn.covariance import ledoit_wolf
from strategies import KEYS, equipped

from geomstats_cor import equal_means_test, frechet_mean, mean_test
from geomstats_cor.exceptions import (
    ArrayTypeError,
    CoarseTestWarning,
    NotFiniteError,
    NotPositiveDefiniteError,
    ParameterError,
    ShapeError,
)

from .samples import normal_sample, two_groups

every_metric = pytest.mark.parametrize("key", KEYS)
flat_metrics = pytest.mark.parametrize("key", [key for key in KEYS if key != "phcm"])

STATISTICS = ("distance", "hotelling", "chen-qin", "shrinkage")


def pooled_logarithms(space, points):
    """Return logarithms at the pooled mean, by the methods of the metric."""
    mean = frechet_mean(points, space)
    vectors = space.metric.log(points, mean)
    gram = space.metric.inner_product(vectors[:, None], vectors[None], mean)
    # Any vectors with these inner products are orthonormal coordinates.
    values, frame = np.linalg.eigh(gram)
    kept = values > 1e-10 * values[-1]
    return frame[:, kept] * np.sqrt(values[kept])


def pseudo_f(x, labels):
    """Return the pseudo-F as Anderson defines it, from distances between pairs."""
    squares = np.sum((x[:, None] - x[None]) ** 2, axis=-1)
    names, number = np.unique(labels), len(x)
    total = squares.sum() / (2 * number)
    within = sum(
        squares[np.ix_(labels == g, labels == g)].sum() / (2 * np.sum(labels == g))
        for g in names
    )
    k = len(names)
    return (total - within) / (k - 1) / (within / (number - k))


def squared_t(x, labels):
    """Return Hotelling's two-sample statistic with the pooled covariance matrix."""
    a, b = x[labels == 0], x[labels == 1]
    scatter = sum((len(g) - 1) * np.cov(g.T).reshape(x.shape[1], -1) for g in (a, b))
    pooled = scatter / (len(x) - 2)
    step = a.mean(axis=0) - b.mean(axis=0)
    return len(a) * len(b) / len(x) * step @ np.linalg.solve(pooled, step)


def chen_qin(*samples):
    """Return the statistic of Chen and Qin, by the loops of its definition."""
    estimate, variance = 0.0, 0.0
    for x in samples:
        n, trace = len(x), 0.0
        for j, k in itertools.permutations(range(n), 2):
            estimate += x[j] @ x[k] / (n * (n - 1))
            rest = np.delete(x, [j, k], axis=0).mean(axis=0)
            product = np.outer(x[j] - rest, x[j]) @ np.outer(x[k] - rest, x[k])
            trace += np.trace(product) / (n * (n - 1))
        variance += 2 / (n * (n - 1)) * trace
    if len(samples) == 2:
        x, y = samples
        trace = 0.0
        for i, j in itertools.product(range(len(x)), range(len(y))):
            estimate -= 2 * x[i] @ y[j] / (len(x) * len(y))
            rest_x = np.delete(x, i, axis=0).mean(axis=0)
            rest_y = np.delete(y, j, axis=0).mean(axis=0)
            product = np.outer(x[i] - rest_x, x[i]) @ np.outer(y[j] - rest_y, y[j])
            trace += np.trace(product) / (len(x) * len(y))
        variance += 4 / (len(x) * len(y)) * trace
    return estimate / np.sqrt(variance)


def enumerated_p_value(statistic, labels):
    """Return the share of all relabellings that are at least as extreme."""
    relabelled = set(itertools.permutations(labels.tolist()))
    values = np.array([statistic(np.array(sequence)) for sequence in relabelled])
    return np.mean(values >= statistic(labels) * (1 - 1e-10))


class TestTwoGroups:
    @every_metric
    def test_distance_is_permanova(self, rng, key):
        space, points, labels = two_groups(key, rng, (3, 4), shift=0.6)
        x = pooled_logarithms(space, points)
        result = equal_means_test(points, labels, space)
        assert result.exhaustive
        assert result.n_permutations == 35
        np.testing.assert_allclose(result.statistic, pseudo_f(x, labels), rtol=1e-10)
        expected = enumerated_p_value(lambda order: pseudo_f(x, order), labels)
        assert result.p_value == pytest.approx(expected, rel=1e-12)

    @every_metric
    def test_symmetric_arrangements_tie(self, rng, key):
        # Groups of one size can be exchanged: the observed value occurs twice.
        space, points, labels = two_groups(key, rng, (4, 4), shift=8.0)
        result = equal_means_test(points, labels, space)
        assert result.p_value == pytest.approx(2 / 70)

    @every_metric
    def test_hotelling_by_enumeration(self, rng, key):
        space, points, labels = two_groups(key, rng, (3, 5), n=2, shift=0.6)
        x = pooled_logarithms(space, points)
        result = equal_means_test(points, labels, space, "hotelling")
        expected = enumerated_p_value(lambda order: squared_t(x, order), labels)
        assert result.p_value == pytest.approx(expected, rel=1e-12)

    @every_metric
    def test_chen_qin_by_enumeration(self, rng, key):
        space, points, labels = two_groups(key, rng, (3, 4), shift=0.6)
        x = pooled_logarithms(space, points)

        def statistic(order):
            with np.errstate(invalid="ignore", divide="ignore"):
                return chen_qin(x[order == 0], x[order == 1])

        result = equal_means_test(points, labels, space, "chen-qin")
        values = result.null_distribution
        assert len(values) == 35
        relabelled = set(itertools.permutations(labels.tolist()))
        expected = np.array([statistic(np.array(order)) for order in relabelled])
        # Where a variance is estimated as negative, the sign of the estimate is kept.
        finite = np.isfinite(expected)
        np.testing.assert_allclose(
            np.sort(values[np.isfinite(values)]), np.sort(expected[finite]), rtol=1e-8
        )
        assert np.sum(np.isinf(values)) == np.sum(~finite)

    @flat_metrics
    def test_hotelling_is_the_f_test_of_vectors(self, rng, key):
        space, points, labels = two_groups(key, rng, (9, 14), shift=0.4)
        x = space.metric.to_coords(points)
        number, d = x.shape
        f = (number - d - 1) / (d * (number - 2)) * squared_t(x, labels)
        result = equal_means_test(points, labels, space, "hotelling", "asymptotic")
        assert result.dof == (d, number - d - 1)
        np.testing.assert_allclose(result.statistic, f, rtol=1e-10)
        expected = scipy.stats.f.sf(f, d, number - d - 1)
        np.testing.assert_allclose(result.p_value, expected, rtol=1e-8)

    def test_one_dimension_is_the_t_test(self, rng):
        space, points, labels = two_groups("ecm", rng, (9, 14), n=2, shift=0.4)
        x = space.metric.to_coords(points)[:, 0]
        expected = scipy.stats.ttest_ind(x[labels == 0], x[labels == 1]).pvalue
        for statistic in ("hotelling", "distance"):
            result = equal_means_test(points, labels, space, statistic, "asymptotic")
            np.testing.assert_allclose(result.p_value, expected, rtol=1e-9)

    @flat_metrics
    @pytest.mark.parametrize("n", [3, 6])
    def test_chen_qin_is_its_definition(self, rng, key, n):
        space, points, labels = two_groups(key, rng, (6, 7), n=n, shift=0.4)
        x = space.metric.to_coords(points)
        x = x - x.mean(axis=0)
        expected = chen_qin(x[labels == 0], x[labels == 1])
        result = equal_means_test(points, labels, space, "chen-qin", "asymptotic")
        np.testing.assert_allclose(result.statistic, expected, rtol=1e-10)
        p_value = scipy.stats.norm.sf(expected)
        np.testing.assert_allclose(result.p_value, p_value, rtol=1e-9)

    @pytest.mark.parametrize("n", [3, 6])
    def test_shrinkage_whitens_by_ledoit_and_wolf(self, rng, n):
        space, points, labels = two_groups("olm", rng, (6, 8), n=n, shift=0.4)
        x = space.metric.to_coords(points)
        x = x - x.mean(axis=0)
        covariance, _ = ledoit_wolf(x, assume_centered=True)
        whitened = np.linalg.solve(np.linalg.cholesky(covariance), x.T).T
        result = equal_means_test(points, labels, space, "shrinkage", rng=0)
        expected = pseudo_f(whitened, labels)
        np.testing.assert_allclose(result.statistic, expected, rtol=1e-9)

    def test_effective_dimension_estimates_both_traces_without_bias(self, rng):
        # Averages over normal samples give the true ratio of traces.
        space = equipped(3, "ecm")
        scale = np.array([1.0, 0.6, 0.3])
        labels = np.repeat([0, 1], [30, 30])
        dimensions = [
            equal_means_test(
                normal_sample(space, rng, 60, scale),
                labels,
                space,
                calibration="asymptotic",
            ).dof[0]
            for _ in range(60)
        ]
        expected = np.sum(scale**2) ** 2 / np.sum(scale**4)
        assert abs(np.mean(dimensions) - expected) < 0.05

    def test_auto_asks_for_ample_samples(self, rng):
        for n, name in ((3, "Hotelling's F"), (5, "Chen-Qin")):
            space, points, labels = two_groups("lsm", rng, (6, 6), n=n)
            result = equal_means_test(points, labels, space, "auto", "asymptotic")
            assert result.name == name

    @pytest.mark.parametrize("key", ["olm", "lsm"])
    @pytest.mark.parametrize("statistic", [*STATISTICS])
    def test_order_of_variables_is_of_no_consequence(self, rng, key, statistic):
        space, points, labels = two_groups(key, rng, (10, 12), n=4, shift=0.5)
        order = rng.permutation(4)
        if statistic == "hotelling":
            points, labels = points[:, :3, :3], labels
            space, order = equipped(3, key), rng.permutation(3)
        permuted = points[:, order][:, :, order]
        results = [
            equal_means_test(
                sample, labels, space, statistic, n_permutations=199, rng=1
            )
            for sample in (points, permuted)
        ]
        assert results[0].p_value == results[1].p_value
        np.testing.assert_allclose(
            results[0].null_distribution, results[1].null_distribution, rtol=1e-7
        )

    @every_metric
    def test_seed_decides(self, rng, key):
        space, points, labels = two_groups(key, rng, (10, 12))
        one, same, other = (
            equal_means_test(points, labels, space, n_permutations=99, rng=seed)
            for seed in (3, 3, 4)
        )
        np.testing.assert_array_equal(one.null_distribution, same.null_distribution)
        assert np.any(one.null_distribution != other.null_distribution)

    @every_metric
    def test_equal_matrices_are_no_evidence(self, key):
        space = equipped(3, key)
        points = np.broadcast_to(space.random_point(rng=0), (8, 3, 3))
        with pytest.warns(CoarseTestWarning, match="no p-value below 1 can occur"):
            result = equal_means_test(points, [0, 1] * 4, space)
        assert result.p_value == 1.0

    def test_constant_groups_that_differ_are_all_the_evidence_there_is(self):
        space = equipped(3, "ecm")
        points = np.repeat(space.random_point(2, rng=0), [3, 4], axis=0)
        result = equal_means_test(points, [0] * 3 + [1] * 4, space)
        assert result.statistic > 1e12
        assert result.p_value == pytest.approx(1 / 35)


class TestMoreGroups:
    @every_metric
    def test_distance_is_permanova(self, rng, key):
        space, points, labels = two_groups(key, rng, (2, 3, 3), shift=0.6)
        x = pooled_logarithms(space, points)
        result = equal_means_test(points, labels, space)
        assert result.exhaustive
        assert result.n_permutations == 560
        np.testing.assert_allclose(result.statistic, pseudo_f(x, labels), rtol=1e-10)
        expected = enumerated_p_value(lambda order: pseudo_f(x, order), labels)
        assert result.p_value == pytest.approx(expected, rel=1e-12)

    @pytest.mark.parametrize("sizes", [(9, 12, 10), (7, 7, 8, 9, 7)])
    def test_hotelling_is_pillais_trace(self, rng, sizes):
        space, points, labels = two_groups("olm", rng, sizes, shift=0.2)
        x = space.metric.to_coords(points)
        number, d = x.shape
        k = len(sizes)
        groups = [x[labels == g] for g in range(k)]
        within = sum((len(g) - 1) * np.cov(g.T) for g in groups)
        total = (number - 1) * np.cov(x.T)
        trace = np.trace(np.linalg.solve(total, total - within))
        s = min(d, k - 1)
        m, n = (abs(d - k + 1) - 1) / 2, (number - k - d - 1) / 2
        f = (2 * n + s + 1) / (2 * m + s + 1) * trace / (s - trace)
        dof = (s * (2 * m + s + 1), s * (2 * n + s + 1))
        result = equal_means_test(points, labels, space, "hotelling", "asymptotic")
        assert result.dof == dof
        np.testing.assert_allclose(result.statistic, f, rtol=1e-10)
        np.testing.assert_allclose(result.p_value, scipy.stats.f.sf(f, *dof), rtol=1e-9)

    def test_one_dimension_is_the_analysis_of_variance(self, rng):
        space, points, labels = two_groups("ecm", rng, (6, 9, 8), n=2, shift=0.2)
        x = space.metric.to_coords(points)[:, 0]
        expected = scipy.stats.f_oneway(*(x[labels == g] for g in range(3)))
        for statistic in ("hotelling", "distance"):
            result = equal_means_test(points, labels, space, statistic, "asymptotic")
            np.testing.assert_allclose(result.statistic, expected.statistic, rtol=1e-9)
            np.testing.assert_allclose(result.p_value, expected.pvalue, rtol=1e-9)

    def test_chen_qin_refuses(self, rng):
        space, points, labels = two_groups("ecm", rng, (4, 4, 4))
        with pytest.raises(ParameterError, match="compares two groups, not 3"):
            equal_means_test(points, labels, space, "chen-qin")
        result = equal_means_test(points, labels, equipped(3, "ecm"), "auto")
        assert result.name == "Hotelling's F"


class TestGivenMean:
    @every_metric
    def test_distance_by_enumeration(self, rng, key):
        space = equipped(3, key)
        points = normal_sample(space, rng, 7, shift=0.4)
        vectors = space.metric.log(points, np.eye(3))

        def statistic(signs):
            # Any order by the length of the mean will do.
            mean = np.tensordot(signs, vectors, 1) / len(signs)
            return space.metric.squared_norm(mean, np.eye(3))

        values = np.array([statistic(s) for s in itertools.product([1, -1], repeat=7)])
        expected = np.mean(values >= statistic(np.ones(7)) * (1 - 1e-10))
        result = mean_test(points, np.eye(3), space)
        assert result.exhaustive
        assert result.n_permutations == 128
        assert result.p_value == pytest.approx(expected, rel=1e-12)

    @every_metric
    def test_hotelling_is_the_f_test_of_vectors(self, rng, key):
        space = equipped(3, key)
        mean = space.random_point(rng=1)
        points = normal_sample(space, rng, 12, mean=mean, shift=0.3)
        x = space.metric.log_coords(points, mean)
        number, d = x.shape
        average = x.mean(axis=0)
        t2 = number * average @ np.linalg.solve(np.cov(x.T), average)
        f = (number - d) / (d * (number - 1)) * t2
        result = mean_test(points, mean, space, "hotelling", "asymptotic")
        assert result.dof == (d, number - d)
        np.testing.assert_allclose(result.statistic, f, rtol=1e-9)
        expected = scipy.stats.f.sf(f, d, number - d)
        np.testing.assert_allclose(result.p_value, expected, rtol=1e-8)

    @every_metric
    @pytest.mark.parametrize("n", [3, 6])
    def test_chen_qin_is_its_definition(self, rng, key, n):
        space = equipped(n, key)
        points = normal_sample(space, rng, 9, shift=0.4)
        expected = chen_qin(space.metric.log_coords(points, np.eye(n)))
        result = mean_test(points, np.eye(n), space, "chen-qin", "asymptotic")
        np.testing.assert_allclose(result.statistic, expected, rtol=1e-9)

    def test_one_dimension_is_the_t_test(self, rng):
        space = equipped(2, "lecm")
        points = normal_sample(space, rng, 15, shift=0.2)
        x = space.metric.to_coords(points)[:, 0]
        expected = scipy.stats.ttest_1samp(x, 0.0).pvalue
        for statistic in ("hotelling", "distance"):
            result = mean_test(points, np.eye(2), space, statistic, "asymptotic")
            np.testing.assert_allclose(result.p_value, expected, rtol=1e-9)

    @every_metric
    def test_reports_mean_and_dispersion(self, rng, key):
        space = equipped(3, key)
        points = normal_sample(space, rng, 10)
        result = mean_test(points, np.eye(3), space, n_permutations=99, rng=0)
        mean = frechet_mean(points, space)
        np.testing.assert_allclose(result.means, mean[None], atol=1e-12)
        variance = np.mean(space.metric.squared_dist(points, mean))
        np.testing.assert_allclose(result.dispersions, [variance])


class TestResult:
    @every_metric
    def test_arrays_of_any_library(self, arrays, rng, key):
        space, points, labels = two_groups(key, rng, (7, 9), shift=0.5)
        rounded = arrays.rounded(points)
        expected = equal_means_test(rounded, labels, space, n_permutations=99, rng=0)
        given = arrays(points)
        result = equal_means_test(given, labels, space, n_permutations=99, rng=0)
        assert isinstance(result.statistic, float)
        assert isinstance(result.p_value, float)
        means = arrays.numbers(result.means)
        np.testing.assert_allclose(means, expected.means, atol=200 * arrays.eps)
        np.testing.assert_allclose(
            result.statistic, expected.statistic, rtol=1000 * arrays.eps
        )
        assert result.p_value == expected.p_value

    def test_labels_of_any_kind(self, library, rng):
        space, points, labels = two_groups("olm", rng, (4, 5))
        expected = equal_means_test(points, labels, space)
        names = np.where(labels == 0, "control", "patient")
        named = equal_means_test(points, names, space)
        assert named.groups == ("control", "patient")
        kinds = [named, equal_means_test(points, labels.tolist(), space)]
        if library == "torch":
            tensor = pytest.importorskip("torch").as_tensor(labels)
            kinds.append(equal_means_test(points, tensor, space))
        for result in kinds:
            assert result.p_value == expected.p_value

    def test_means_and_dispersions_are_those_of_the_groups(self, rng):
        space, points, labels = two_groups("phcm", rng, (5, 6))
        order = rng.permutation(11)
        points, labels = points[order], labels[order]
        result = equal_means_test(points, labels, space, n_permutations=99, rng=0)
        for group in (0, 1):
            members = points[labels == group]
            mean = frechet_mean(members, space)
            np.testing.assert_allclose(result.means[group], mean, atol=1e-12)
            variance = np.mean(space.metric.squared_dist(members, mean))
            np.testing.assert_allclose(result.dispersions[group], variance)

    def test_reads_well(self, rng):
        space, points, labels = two_groups("ecm", rng, (8, 9))
        result = equal_means_test(points, labels, space, n_permutations=99, rng=0)
        assert repr(result).endswith("99 permutations (random)")
        result = equal_means_test(points, labels, space, calibration="asymptotic")
        assert "asymptotic, dof (" in repr(result)


class TestBadInput:
    @pytest.fixture
    def sample(self, rng):
        return two_groups("olm", rng, (6, 6))

    def test_one_group(self, sample):
        space, points, _ = sample
        with pytest.raises(ParameterError, match="at least two groups"):
            equal_means_test(points, [1] * 12, space)

    def test_lonely_matrix(self, sample):
        space, points, _ = sample
        with pytest.raises(ShapeError, match="group 'b' has 1 of the matrices"):
            equal_means_test(points, ["a"] * 11 + ["b"], space)

    @pytest.mark.parametrize("number", [11, 13])
    def test_labels_of_wrong_length(self, sample, number):
        space, points, _ = sample
        with pytest.raises(ShapeError, match=r"labels: expected shape \[12\]"):
            equal_means_test(
                points, [0, 1] * 6 + [0] if number > 12 else [0] * 11, space
            )

    def test_unknown_labels(self, sample):
        space, points, labels = sample
        with pytest.raises(NotFiniteError, match="labels"):
            equal_means_test(points, np.where(labels == 0, np.nan, 1.0), space)
        with pytest.raises(ParameterError, match="sorted"):
            equal_means_test(points, np.array([1, "a"] * 6, dtype=object), space)
        unknown = np.array(["a", "b"] * 5 + [None, np.nan], dtype=object)
        with pytest.raises(NotFiniteError, match=r"no group for \[10, 11\]"):
            equal_means_test(points, unknown, space)

    def test_empty(self, sample):
        space = sample[0]
        with pytest.raises(ShapeError):
            equal_means_test(np.empty((0, 3, 3)), [], space)
        with pytest.raises(ShapeError):
            mean_test(np.empty((0, 3, 3)), np.eye(3), space)

    def test_shapes(self, sample):
        space, points, labels = sample
        with pytest.raises(ShapeError, match="stack"):
            equal_means_test(points[0], labels, space)
        with pytest.raises(ShapeError, match="one stack"):
            equal_means_test(points[None], labels, space)
        with pytest.raises(ShapeError, match="n = 4"):
            equal_means_test(points, labels, equipped(4, "olm"))
        with pytest.raises(ShapeError, match="a single matrix"):
            mean_test(points, points[:2], space)
        with pytest.raises(ArrayTypeError):
            equal_means_test([np.eye(2), np.eye(3)], [0, 1], space)

    def test_bad_matrices(self, sample):
        space, points, labels = sample
        bad = points.copy()
        bad[4, 0, 1] = bad[4, 1, 0] = np.nan
        with pytest.raises(NotFiniteError, match=r"points\[4\]"):
            equal_means_test(bad, labels, space)
        bad = points.copy()
        bad[7] = 1.0
        # By its index in the sample, not in its group.
        with pytest.raises(NotPositiveDefiniteError, match=r"points?\[7\]"):
            equal_means_test(bad, labels, space)

    def test_too_few_for_hotelling(self, sample):
        _, points, labels = sample
        space = equipped(5, "olm")
        points = space.random_point(12, rng=0)
        with pytest.raises(ParameterError, match="twice as many"):
            equal_means_test(points, labels, space, "hotelling")
        with pytest.raises(ParameterError, match="twice as many"):
            mean_test(points, np.eye(5), space, "hotelling")

    def test_too_few_for_chen_qin(self, sample):
        space, points, _ = sample
        with pytest.raises(ShapeError, match="at least 3"):
            equal_means_test(points, [0] * 2 + [1] * 10, space, "chen-qin")

    def test_subspace(self, sample):
        space = sample[0]
        line = space.metric.from_coords(np.linspace(-1, 1, 12)[:, None] * np.ones(3))
        with pytest.raises(ParameterError, match="subspace"):
            equal_means_test(line, [0, 1] * 6, space, "hotelling")

    def test_curved_metrics_need_permutations(self, rng):
        space, points, labels = two_groups("phcm", rng, (10, 10))
        with pytest.raises(ParameterError, match="curved"):
            equal_means_test(points, labels, space, calibration="asymptotic")

    def test_options(self, sample):
        space, points, labels = sample
        with pytest.raises(ParameterError, match="'chen-qin'"):
            equal_means_test(points, labels, space, "student")
        with pytest.raises(ParameterError, match="'asymptotic'"):
            equal_means_test(points, labels, space, calibration="exact")
        with pytest.raises(ParameterError, match="no asymptotic"):
            equal_means_test(points, labels, space, "shrinkage", "asymptotic")

    def test_metric(self, sample):
        _, points, labels = sample
        with pytest.raises(ParameterError, match="equip_with_metric"):
            equal_means_test(points, labels, equipped(3, None))
        with pytest.raises(ParameterError, match="equip_with_metric"):
            mean_test(points, np.eye(3), equipped(3, None))

    def test_few_permutations(self, sample):
        space, points, labels = sample
        with pytest.warns(CoarseTestWarning, match="n_permutations >= 19"):
            equal_means_test(points, labels, space, n_permutations=18, rng=0)
        with pytest.warns(CoarseTestWarning, match="too few distinct"):
            mean_test(points[:4], np.eye(3), space)
