"""Distances, neighbours, outliers, fingerprints, and probabilities of classes."""

import numpy as np
import pandas as pd
import pytest
from kernels.matrices import random_correlation
from sklearn.neighbors import KNeighborsClassifier
from strategies import KEYS, equipped

from geomstats_cor import CorrelationStack, frechet_mean, geometric_median
from geomstats_cor import exceptions as ex
from geomstats_cor.kernels import pack_strictly_lower
from geomstats_cor.learning import (
    KNearestNeighbors,
    MinimumDistanceToMean,
    OutlierDetector,
    ToCoords,
    fingerprint,
    pairwise_distances,
)

every_metric = pytest.mark.parametrize("key", KEYS)
flat_metric = pytest.mark.parametrize("key", [k for k in KEYS if k != "phcm"])


def cloud(rng, n, count, key="olm", spread=0.3, center=None):
    """Draw matrices about a centre, normal in coordinates."""
    space = equipped(n, key)
    center = np.eye(n) if center is None else center
    coords = spread * rng.standard_normal((count, space.dim))
    return space.metric.exp_coords(coords, center)


class TestDistances:
    @every_metric
    def test_geodesic(self, rng, key):
        a, b = (
            random_correlation(rng, 4, 9.0, (3,)),
            random_correlation(rng, 4, 9.0, (5,)),
        )
        expected = equipped(4, key).metric.dist(a[:, None], b)
        np.testing.assert_allclose(pairwise_distances(a, b, key), expected, atol=1e-12)

    @every_metric
    def test_angles_are_those_of_logarithms(self, rng, key):
        a, b = (
            random_correlation(rng, 4, 9.0, (3,)),
            random_correlation(rng, 4, 9.0, (5,)),
        )
        metric, mean = equipped(4, key).metric, frechet_mean(b, key)
        u, v = (metric.log(x, mean) for x in (a, b))
        inner = metric.inner_product(u[:, None], v, mean)
        cosine = inner / metric.norm(u, mean)[:, None] / metric.norm(v, mean)
        found = pairwise_distances(a, b, key, "angle")
        np.testing.assert_allclose(np.cos(found), cosine, atol=1e-9)

    @flat_metric
    def test_small_angles_keep_their_digits(self, rng, key):
        space, eye = equipped(4, key), np.eye(4)
        x, step = rng.standard_normal((2, 6))
        step -= x * (step @ x) / (x @ x)
        step *= 1e-9 * np.linalg.norm(x) / np.linalg.norm(step)
        a, b = space.metric.exp_coords(np.stack([x, 2.0 * (x + step)]) / 4.0, eye)
        angle = pairwise_distances(a[None], b[None], key, "angle", eye)
        assert angle[0, 0] == pytest.approx(1e-9, rel=1e-4)

    def test_entries(self, rng):
        a, b = (
            random_correlation(rng, 4, 9.0, (3,)),
            random_correlation(rng, 4, 9.0, (5,)),
        )
        rows = np.concatenate([pack_strictly_lower(x) for x in (a, b)])
        expected = 1.0 - np.corrcoef(rows)[:3, 3:]
        found = pairwise_distances(a, b, "ecm", "entries")
        np.testing.assert_allclose(found, expected, atol=1e-12)

    def test_variables_are_aligned(self, rng):
        a = CorrelationStack(random_correlation(rng, 4, 9.0, (3,)), list("wxyz"))
        b = a.select(variables=list("zxyw"))
        for distance in ("geodesic", "angle", "entries"):
            found = pairwise_distances(a, b, "olm", distance)
            np.testing.assert_allclose(np.diag(found), 0.0, atol=1e-7)
        with pytest.raises(ex.ShapeError, match="other variables than expected"):
            pairwise_distances(a, b.select(variables=list("wxz")), "olm")

    def test_unknown(self, rng):
        points = random_correlation(rng, 3, 5.0, (2,))
        with pytest.raises(ex.ParameterError, match="'entries', got 'cosine'"):
            pairwise_distances(points, points, "olm", "cosine")


class TestNeighbors:
    @flat_metric
    @pytest.mark.parametrize("weights", ["uniform", "distance"])
    def test_are_those_of_scikit_learn_in_coordinates(self, rng, key, weights):
        points, y = random_correlation(rng, 4, 9.0, (30,)), rng.integers(3, size=30)
        new = np.concatenate([random_correlation(rng, 4, 9.0, (9,)), points[:2]])
        features = ToCoords(key).fit(points)
        theirs = KNeighborsClassifier(4, weights=weights)
        theirs.fit(features.transform(points), y)
        model = KNearestNeighbors(4, key, weights=weights).fit(points, y)
        new_features = features.transform(new)
        np.testing.assert_allclose(
            model.predict_proba(new)[:9],
            theirs.predict_proba(new_features)[:9],
            atol=1e-9,
        )
        distances, indices = model.kneighbors(new)
        expected = theirs.kneighbors(new_features)
        np.testing.assert_array_equal(indices, expected[1])
        np.testing.assert_allclose(distances, expected[0], atol=1e-6)

    @every_metric
    def test_angles(self, rng, key):
        points = cloud(rng, 4, 20, key)
        y = np.arange(20) % 2
        model = KNearestNeighbors(1, key, "angle").fit(points, y)
        assert model.score(points, y) == 1.0
        found = pairwise_distances(
            points[:5], points[5:], key, "angle", model.reference_
        )
        model = KNearestNeighbors(1, key, "angle").fit(points[5:], y[5:])
        model.reference_ = frechet_mean(points, key)
        np.testing.assert_array_equal(
            model.predict(points[:5]), y[5:][np.argmin(found, axis=1)]
        )

    def test_a_neighbour_at_no_distance_decides(self, rng):
        points, y = random_correlation(rng, 3, 5.0, (6,)), [0, 1, 1, 1, 1, 1]
        model = KNearestNeighbors(6, weights="distance").fit(points, y)
        np.testing.assert_array_equal(model.predict_proba(points[:1]), [[1.0, 0.0]])

    @pytest.mark.parametrize(
        "options, message",
        [
            (dict(n_neighbors=0), "at least 1, got 0"),
            (dict(n_neighbors=7), "at most the 6 samples of fit, got 7"),
            (dict(distance="cosine"), "got 'cosine'"),
            (dict(weights="gauss"), "got 'gauss'"),
        ],
    )
    def test_bad_options(self, rng, options, message):
        points = random_correlation(rng, 3, 5.0, (6,))
        with pytest.raises(ex.ParameterError, match=message):
            KNearestNeighbors(**options).fit(points, [0, 1] * 3)


class TestOutliers:
    @every_metric
    def test_are_found(self, rng, key):
        points = cloud(rng, 4, 40, key)
        far = cloud(rng, 4, 12, key, 0.1, cloud(rng, 4, 1, key, 3.0)[0])
        spoilt = np.concatenate([points, far])
        model = OutlierDetector(key).fit(spoilt)
        assert np.all(model.predict(far) == -1)
        assert np.mean(model.predict(points) == 1) > 0.9
        np.testing.assert_allclose(
            model.center_, geometric_median(spoilt, key), atol=1e-12
        )
        np.testing.assert_allclose(
            model.decision_function(spoilt), model.score_samples(spoilt) - model.offset_
        )

    def test_scores_are_deviations(self):
        # Few are called outliers among many of one normal population: of normal
        # scores, 0.13 % lie above 3.
        points = cloud(np.random.default_rng(0), 5, 1500)
        score = -OutlierDetector().fit(points).score_samples(points)
        assert np.mean(score > 3.0) < 0.006
        assert abs(np.mean(score > 1.0) - 0.159) < 0.04

    def test_contamination(self, rng):
        points = cloud(rng, 4, 40)
        model = OutlierDetector(contamination=0.1).fit(points)
        assert np.sum(model.predict(points) == -1) == 4
        farthest = np.argsort(model.distances(points))[-4:]
        assert set(np.flatnonzero(model.predict(points) == -1)) == set(farthest)

    def test_equal_matrices(self):
        points = np.stack([np.eye(3)] * 5)
        model = OutlierDetector().fit(points)
        assert np.all(model.predict(points) == 1)

    @pytest.mark.parametrize("value", [0.0, 0.6, "some", None])
    def test_bad_contamination(self, rng, value):
        with pytest.raises(ex.ParameterError, match="contamination: expected 'auto'"):
            OutlierDetector(contamination=value).fit(cloud(rng, 3, 5))


class TestFingerprint:
    def two_sessions(self, rng, people=7, noise=0.1):
        space = equipped(4, "olm")
        coords = rng.standard_normal((people, 6))
        both = coords + noise * rng.standard_normal((2, people, 6))
        return space.metric.from_coords(both / 3.0)

    @pytest.mark.parametrize("distance", ["angle", "geodesic", "entries"])
    def test_identifies(self, rng, distance):
        first, second = self.two_sessions(rng)
        order = rng.permutation(7)
        names = np.array(list("abcdefg"))
        found = fingerprint(second[order], first, "olm", names[order], names, distance)
        assert found.accuracy == found.reverse_accuracy == 1.0
        np.testing.assert_array_equal(found.predicted, names[order])
        assert found.chance == pytest.approx(1 / 7)
        assert np.all(found.margin > 0.0) and np.all(found.rank == 1)

    def test_ranks_and_margins(self):
        space = equipped(2, "ecm")
        # On a line: the database at 0, 1, 3, scans at 0.9 of "a" and 2.9 of "c".
        database = space.metric.from_coords([[0.0], [1.0], [3.0]])
        scans = space.metric.from_coords([[0.9], [2.9]])
        found = fingerprint(scans, database, space, list("ac"), list("abc"), "geodesic")
        assert found.predicted.tolist() == ["b", "c"]
        assert found.accuracy == 0.5 and found.reverse_accuracy == 1.0
        assert found.rank.tolist() == [2, 1]
        np.testing.assert_allclose(found.margin, [-0.8, 1.8], atol=1e-12)

    def test_several_scans_of_a_subject(self, rng):
        first, second = self.two_sessions(rng)
        third = self.two_sessions(rng)[0]
        names = list(range(7))
        database = np.concatenate([first, third])
        found = fingerprint(second, database, "olm", names, names * 2)
        assert found.distances.shape == (7, 14)
        assert found.chance == pytest.approx(1 / 7)

    def test_names_come_with_the_stack(self, rng):
        first, second = self.two_sessions(rng)
        people = list("abcdefg")
        a, b = (CorrelationStack(x, index=people) for x in (first, second))
        assert fingerprint(b, a, "olm").accuracy == 1.0

    @pytest.mark.parametrize(
        "subjects, known, error, message",
        [
            (None, range(7), ex.ParameterError, "subjects is None"),
            (range(7), [0] * 7, ex.ParameterError, "two subjects at least"),
            ([0, 1, 2, 3, 4, 5, 9], range(7), ex.ParameterError, r"got \[9\]"),
            (range(6), range(7), ex.ShapeError, "7 and 7 names.*got 6 and 7"),
        ],
    )
    def test_bad_names(self, rng, subjects, known, error, message):
        first, second = self.two_sessions(rng)
        with pytest.raises(error, match=message):
            fingerprint(second, first, "olm", subjects, known)


class TestProbabilities:
    def data(self, rng, counts=(20, 30), shift=0.5, key="olm"):
        centers = random_correlation(rng, 4, 6.0, (len(counts),))
        points = [
            cloud(rng, 4, c, key, shift, m)
            for c, m in zip(counts, centers, strict=True)
        ]
        return np.concatenate(points), np.repeat(np.arange(len(counts)), counts)

    @every_metric
    @pytest.mark.parametrize("counts", [(20, 30), (9, 8, 7)])
    def test_order_and_sum(self, rng, key, counts):
        points, y = self.data(rng, counts, key=key)
        model = MinimumDistanceToMean(key).fit(points, y)
        found = model.predict_proba(points)
        np.testing.assert_allclose(found.sum(axis=1), 1.0)
        np.testing.assert_array_equal(
            model.classes_[np.argmax(found, axis=1)], model.predict(points)
        )

    def test_are_calibrated(self):
        # Two normal classes of equal weight: the true posterior is that of the model,
        # and the probabilities of new matrices must be near their frequencies.
        rng = np.random.default_rng(0)
        space = equipped(5, "olm")
        shift = np.zeros(10)
        shift[0] = 1.2
        y = np.arange(3000) % 2
        coords = rng.standard_normal((3000, 10)) + y[:, None] * shift
        points = space.metric.from_coords(0.4 * coords)
        model = MinimumDistanceToMean("olm").fit(points[:60], y[:60])
        found = model.predict_proba(points[60:])[:, 1]
        for low, high in ((0.1, 0.35), (0.35, 0.65), (0.65, 0.9)):
            inside = (found > low) & (found < high)
            assert inside.sum() > 200
            gap = abs(y[60:][inside].mean() - found[inside].mean())
            assert gap < 0.12

    def test_classes_without_a_difference(self, rng):
        points = cloud(rng, 4, 40)
        model = MinimumDistanceToMean().fit(points, np.arange(40) % 2)
        assert np.abs(model.predict_proba(points) - 0.5).max() < 0.25

    def test_one_matrix_for_each_class(self, rng):
        points = cloud(rng, 4, 3)
        model = MinimumDistanceToMean().fit(points, [0, 1, 2])
        assert np.all(np.isfinite(model.predict_proba(points)))

    def test_weights(self, rng):
        points, y = self.data(rng)
        weights = rng.integers(0, 4, size=50)
        model = MinimumDistanceToMean().fit(points, y, sample_weight=weights)
        repeated = MinimumDistanceToMean().fit(
            np.repeat(points, weights, axis=0), np.repeat(y, weights)
        )
        np.testing.assert_allclose(model.means_, repeated.means_, atol=1e-12)
        np.testing.assert_allclose(
            model.predict_proba(points), repeated.predict_proba(points), atol=1e-9
        )
        with pytest.raises(ex.ParameterError, match="none in class 1"):
            MinimumDistanceToMean().fit(points, y, sample_weight=1.0 - y)

    def test_tables(self, rng):
        points, y = self.data(rng)
        frames = [pd.DataFrame(p, list("wxyz"), list("wxyz")) for p in points]
        model = MinimumDistanceToMean().fit(frames, y)
        means = model.with_names(model.means_, model.classes_)
        assert list(means.variables) == list("wxyz")


@every_metric
def test_distances_with_a_bar_are_those_without(key, monkeypatch):
    space = equipped(5, key)
    points, others = space.random_point(11, rng=0), space.random_point(4, rng=1)
    expected = space.metric.dist(points[:, None], others[None])
    # Three matrices at a time.
    monkeypatch.setattr("geomstats_cor.kernels._batching._MEMORY_BYTES", 3 * 8 * 100)
    found = pairwise_distances(points, others, space)
    np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-14)
