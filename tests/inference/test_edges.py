"""Edges, networks and coefficients: what is named, and what is significant."""

import warnings

import numpy as np
import pytest
import scipy.stats
from sklearn.decomposition import PCA
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler, PowerTransformer, StandardScaler
from sklearn.svm import SVC
from strategies import KEYS, equipped

from geomstats_cor.exceptions import CoarseTestWarning, ParameterError, ShapeError
from geomstats_cor.inference import (
    MultivariateGeodesicRegression,
    adjust_fdr,
    coef_matrix,
    coefficient_test,
)
from geomstats_cor.inference.edges import EdgeNull
from geomstats_cor.inference.networks import NetworkSizes
from geomstats_cor.learning import ToCoords

from .samples import normal_sample

pytest.importorskip("pandas")

every_metric = pytest.mark.parametrize("key", KEYS)
every_representation = pytest.mark.parametrize("key", (*KEYS, "entries", "fisher-z"))


def groups_with_one_edge(rng, number=40, n=5, edge=(3, 1), effect=0.35):
    """Return matrices near the identity, of two groups that differ in one entry."""
    signals = rng.standard_normal((number, 60, n))
    labels = np.repeat([0, 1], number // 2)
    i, j = edge
    signals[labels == 1, :, i] += effect * signals[labels == 1, :, j]
    return np.stack([np.corrcoef(s, rowvar=False) for s in signals]), labels


@pytest.fixture
def data(rng):
    return groups_with_one_edge(rng)


def fitted(key, data, **options):
    points, labels = data
    groups = np.array(["control", "patient"])[labels]
    return MultivariateGeodesicRegression(key).fit({"group": groups}, points, **options)


@every_representation
def test_the_edge_is_found_and_named(key, data):
    names = ["a", "b", "c", "d", "e"]
    model = fitted(key, data, variables=names)
    test = model.edge_test("group", n_permutations=199, rng=0)
    table = test.table(alpha=0.05)
    assert list(zip(table["variable_i"], table["variable_j"], strict=True)) == [
        ("b", "d")
    ]
    assert table["effect"][0] == pytest.approx(test.matrix().loc["d", "b"])
    # In units of correlation: the difference of the average entries, nearly.
    points, labels = data
    difference = points[labels == 1].mean(axis=0) - points[labels == 0].mean(axis=0)
    assert test.matrix().loc["d", "b"] == pytest.approx(difference[3, 1], abs=0.05)
    assert test.matrix("p_max_t").loc["d", "b"] == 0.005
    assert np.all(test.p_max_t >= test.p) and np.all(test.p_fdr >= test.p)
    assert len(test.table(0.05, "none")) >= len(test.table(0.05, "fdr")) >= 1
    assert test.table()["p_max_t"].is_monotonic_increasing


def test_statistics_are_t_and_f(data, rng):
    points, labels = data
    model = fitted("entries", data)
    test = model.edge_test("group", n_permutations=99, rng=0, pooled=True)
    rows, columns = np.tril_indices(5, -1)
    entries = points[:, rows, columns]
    expected = scipy.stats.ttest_ind(entries[labels == 1], entries[labels == 0])
    np.testing.assert_allclose(test.statistic, expected.statistic, rtol=1e-10)
    three = np.arange(40) % 3
    model = MultivariateGeodesicRegression("entries", categorical=("g",))
    test = model.fit({"g": three}, points).edge_test(
        "g", n_permutations=99, rng=0, pooled=True
    )
    expected = scipy.stats.f_oneway(*(entries[three == g] for g in range(3)))
    np.testing.assert_allclose(test.statistic, expected.statistic, rtol=1e-10)
    assert {"effect g[1]", "effect g[2]"} < set(test.table().columns)


def test_a_batch_at_a_time_is_all_at_once(data, monkeypatch):
    model = fitted("olm", data)
    options = dict(n_permutations=99, rng=0, pooled=True)
    together = model.edge_test("group", **options)
    monkeypatch.setattr("geomstats_cor.kernels._batching._MEMORY_BYTES", 1)
    apart = model.edge_test("group", **options)
    np.testing.assert_allclose(apart.max_null, together.max_null, rtol=1e-10)
    np.testing.assert_array_equal(apart.p, together.p)


def test_pooled_counts(rng):
    observed, null = rng.normal(size=7), rng.normal(size=(50, 7))
    counts = EdgeNull(observed, pooled=True)
    counts.add(null[:20])
    counts.add(null[20:])
    own, among, largest = counts.p_values(False)
    for e, value in enumerate(np.abs(observed)):
        assert own[e] == (1 + np.sum(np.abs(null) >= value)) / (1 + null.size)
        assert among[e] == (1 + np.sum(largest >= value)) / 51


def test_false_discovery_rate_is_that_of_scipy(rng):
    p = rng.uniform(size=50) ** 3
    np.testing.assert_allclose(
        adjust_fdr(p), scipy.stats.false_discovery_control(p), rtol=1e-14
    )
    with pytest.raises(ParameterError, match="between zero and one"):
        adjust_fdr([0.1, 2.0])


def test_few_permutations_warn(data):
    model = fitted("olm", data)
    with pytest.warns(CoarseTestWarning, match="no edge is significant"):
        model.edge_test("group", n_permutations=9, rng=0)
    with pytest.warns(CoarseTestWarning, match="or at least 2 of 10"):
        model.edge_test("group", n_permutations=99, rng=0)
    with pytest.raises(ParameterError, match="correction"):
        model.edge_test("group", 199, rng=0).table(0.05, "holm")


class TestNetworks:
    def test_components_of_a_known_graph(self):
        # Edges of strict lower entries: (1,0) (2,0) (2,1) (3,0) (3,1) (3,2) ...
        statistic = np.zeros(15)
        statistic[[0, 2, 9]] = 3.0, -4.0, 2.5  # 1-0, 2-1, 4-3
        sizes = NetworkSizes(6, 2.0, "extent", "both")
        (large, edges), (small, other) = sizes.networks(statistic)
        assert (large, edges.tolist(), small, other.tolist()) == (2, [0, 2], 1, [9])
        intensity = NetworkSizes(6, 2.0, "intensity", "both").networks(statistic)
        assert [size for size, _ in intensity] == [3.0, 0.5]
        positive = NetworkSizes(6, 2.0, "extent", "positive").networks(statistic)
        assert [e.tolist() for _, e in positive] == [[0], [9]]
        assert NetworkSizes(6, 9.0, "extent", "both").largest(statistic) == 0.0

    @every_metric
    def test_a_connected_effect_is_found(self, key, rng):
        # A chain of four weak edges, none of which is told to be significant alone.
        signals = rng.standard_normal((60, 40, 8))
        labels = np.repeat([0, 1], 30)
        common = rng.standard_normal((30, 40))
        for variable in (1, 3, 5, 6):
            signals[labels == 1, :, variable] += 0.35 * common
        points = np.stack([np.corrcoef(s, rowvar=False) for s in signals])
        model = fitted(key, (points, labels), variables=list("abcdefgh"))
        test = model.network_test("group", 2.0, n_permutations=199, rng=0)
        assert {"b", "d", "f", "g"} <= set(test.networks[0].variables)
        assert test.networks[0].p_value <= 0.02
        table = test.table()
        assert set(table["network"]) == set(range(len(test.networks)))
        assert "largest of" in repr(test)

    def test_bad_options(self, data):
        model = fitted("olm", data)
        with pytest.raises(ParameterError, match="threshold"):
            model.network_test("group", threshold=-1.0)
        with pytest.raises(ParameterError, match="measure"):
            model.network_test("group", measure="mass")
        codes = MultivariateGeodesicRegression(categorical=("g",))
        codes.fit({"g": np.arange(40) % 3}, data[0])
        with pytest.raises(ParameterError, match="an F has no sign"):
            codes.network_test("g", tail="positive")


class TestCoefficients:
    @every_metric
    @pytest.mark.parametrize("steps", [(), (StandardScaler(), PCA(4))])
    def test_weights_are_the_derivative_of_the_decision(self, key, steps, data):
        points, labels = data
        pipeline = make_pipeline(ToCoords(key), *steps, LogisticRegression())
        pipeline.fit(points, labels)
        weights = coef_matrix(pipeline)
        reference, step = pipeline[0].reference_, 1e-6
        for i, j in ((1, 0), (4, 2), (3, 1)):
            edge = np.zeros((5, 5))
            edge[i, j] = edge[j, i] = step
            decision = pipeline.decision_function(
                np.stack([reference + edge, reference - edge])
            )
            slope = (decision[0] - decision[1]) / (2.0 * step)
            assert weights[i, j] == pytest.approx(slope, rel=1e-5, abs=1e-6)
        np.testing.assert_array_equal(np.diag(weights), 0.0)

    @pytest.mark.parametrize("key", ["olm", "phcm"])
    def test_the_pattern_points_at_the_edge(self, key, data):
        points, labels = data
        pipeline = make_pipeline(ToCoords(key), LogisticRegression())
        pattern = coef_matrix(pipeline.fit(points, labels), "pattern", points)
        assert np.unravel_index(np.argmax(pattern), (5, 5)) in ((3, 1), (1, 3))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", CoarseTestWarning)
            test = coefficient_test(
                pipeline,
                points,
                labels,
                n_permutations=39,
                rng=0,
                variables=list("abcde"),
                progress=False,
            )
        assert test.table()[["variable_i", "variable_j"]].loc[0].tolist() == ["b", "d"]
        assert test.table()["p_max_t"][0] == 0.025
        np.testing.assert_allclose(test.matrix(), pattern, rtol=1e-10)

    def test_several_classes(self, data):
        points = data[0]
        classes = np.arange(40) % 3
        pipeline = make_pipeline(ToCoords(), LogisticRegression())
        assert coef_matrix(pipeline.fit(points, classes)).shape == (3, 5, 5)
        with pytest.raises(ParameterError, match="3 decisions"):
            coefficient_test(pipeline, points, classes, n_permutations=19, rng=0)

    def test_bad_pipelines(self, data):
        points, labels = data
        with pytest.raises(ParameterError, match="make_pipeline"):
            coef_matrix(LogisticRegression())
        for last, message in (
            (SVC(), "has no coef_"),
            (make_pipeline(LogisticRegression()), "has no coef_"),
        ):
            pipeline = make_pipeline(ToCoords(), last).fit(points, labels)
            with pytest.raises(ParameterError, match=message):
                coef_matrix(pipeline)
        bent = make_pipeline(ToCoords(), PowerTransformer(), LogisticRegression())
        with pytest.raises(ParameterError, match="PowerTransformer is not affine"):
            coef_matrix(bent.fit(points, labels))
        fine = make_pipeline(ToCoords(), MinMaxScaler(), LogisticRegression())
        with pytest.raises(ParameterError, match="pass X"):
            coef_matrix(fine.fit(points, labels), "pattern")
        with pytest.raises(ShapeError, match=r"y: expected shape \[40\]"):
            coefficient_test(fine, points, labels[1:])

    def test_labels_are_permuted_in_blocks(self, rng):
        space = equipped(3, "olm")
        points = normal_sample(space, rng, 12)
        pipeline = make_pipeline(ToCoords(), LogisticRegression())
        labels = np.repeat([0, 1], [5, 7])
        with pytest.raises(ParameterError, match="no two have equally many rows"):
            coefficient_test(pipeline, points, labels, blocks=labels)
