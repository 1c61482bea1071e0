"""The closest mean, and kernels that are positive definite."""

import numpy as np
import pytest
from kernels.matrices import random_correlation
from sklearn.svm import SVC
from strategies import KEYS, equipped

from geomstats_cor import frechet_mean
from geomstats_cor.exceptions import ParameterError
from geomstats_cor.kernels import hyperbolic_squared_dist, pack_strictly_lower
from geomstats_cor.kernels.hyperboloid import hyperbolic_pairwise_dist
from geomstats_cor.learning import MinimumDistanceToMean, ToKernel, kernel_matrix

every_metric = pytest.mark.parametrize("key", KEYS)


def groups(rng, n, counts, spread=0.2):
    """Draw matrices about a centre for each class; the labels are words."""
    space = equipped(n, "olm")
    centers = np.repeat(random_correlation(rng, n, 10.0, (len(counts),)), counts, 0)
    noise = spread * rng.standard_normal((sum(counts), space.dim))
    labels = np.repeat(np.array(["a", "b", "c", "d"])[: len(counts)], counts)
    order = rng.permutation(sum(counts))
    return space.metric.exp_coords(noise, centers)[order], labels[order]


class TestMinimumDistanceToMean:
    @every_metric
    @pytest.mark.parametrize("counts", [(9, 6), (5, 9, 7)])
    def test_is_what_it_says(self, rng, key, counts):
        space = equipped(4, key)
        points, labels = groups(rng, 4, counts)
        model = MinimumDistanceToMean(key).fit(points, labels)
        means = [frechet_mean(points[labels == c], space) for c in model.classes_]
        np.testing.assert_allclose(model.means_, means, atol=1e-12)
        others = random_correlation(rng, 4, 20.0, (11,))
        distances = np.stack([space.metric.dist(others, m) for m in means], axis=-1)
        np.testing.assert_allclose(model.distances(others), distances, rtol=1e-10)
        expected = model.classes_[np.argmin(distances, axis=-1)]
        np.testing.assert_array_equal(model.predict(others), expected)
        decision = model.decision_function(others)
        if len(counts) == 2:
            decision = np.stack([-decision, decision], axis=-1)
        best = model.classes_[np.argmax(decision, axis=-1)]
        np.testing.assert_array_equal(best, expected)

    @every_metric
    def test_condensed_data(self, rng, key):
        points, labels = groups(rng, 4, (8, 8))
        condensed = pack_strictly_lower(points)
        model = MinimumDistanceToMean(key).fit(condensed, labels)
        assert model.score(condensed, labels) == model.score(points, labels) == 1.0

    def test_one_class_and_continuous_targets(self, rng):
        points, labels = groups(rng, 3, (5,))
        model = MinimumDistanceToMean().fit(points, labels)
        assert set(model.predict(points)) == {"a"}
        with pytest.raises(ValueError, match="Unknown label type: continuous"):
            MinimumDistanceToMean().fit(points, rng.standard_normal(5))


class TestKernel:
    @every_metric
    @pytest.mark.parametrize("sigma", [0.1, 1.0, 30.0])
    def test_is_positive_definite(self, rng, key, sigma):
        parameters = dict(weights=[0.2, 3.0, 1.0, 1.0]) if key == "phcm" else {}
        space = equipped(5, key, **parameters)
        near = random_correlation(rng, 5, 1.5, (20,))
        far = random_correlation(rng, 5, 1e4, (20,))
        points = np.concatenate([near, far, space.random_point(20, rng=rng)])
        kernel = kernel_matrix(points, points, space, sigma)
        np.testing.assert_allclose(kernel, kernel.T, rtol=1e-12)
        np.testing.assert_array_equal(np.diagonal(kernel), 1.0)
        assert np.linalg.eigvalsh(kernel)[0] > -1e-13

    @staticmethod
    def star(space, radius):
        """Return a point, and four at a distance from it, in right angles."""
        coords = np.zeros((5, 3))
        coords[1:, 1:] = radius * np.array([[1, 0], [-1, 0], [0, 1], [0, -1]])
        return space.metric.exp_coords(coords, np.eye(3))

    def test_gaussians_of_hyperbolic_distances_are_not(self):
        # The points are almost those of a tree: d is r to the centre, 2 r else. With
        # c = (-4, 1, 1, 1, 1), sum c c d^2 = 12 (2 r)^2 - 32 r^2 > 0.
        space = equipped(3, "phcm")
        points = self.star(space, 5.0)
        distances = space.metric.dist_broadcast(points, points)
        gaussian = np.exp(-0.5 * (distances / 20.0) ** 2)
        assert np.linalg.eigvalsh(gaussian)[0] < -1e-3
        laplacian = kernel_matrix(points, points, space, 20.0)
        assert np.linalg.eigvalsh(laplacian)[0] > 1e-3
        np.testing.assert_allclose(laplacian, np.exp(-distances / 20.0))

    @pytest.mark.parametrize("key", ["ecm", "lecm", "olm", "lsm"])
    def test_is_the_gaussian_of_flat_distances(self, arrays, rng, key):
        space = equipped(4, key)
        a, b = random_correlation(rng, 4, 9.0, (3,)), random_correlation(rng, 4, 9.0)
        kernel = arrays.apply(lambda a, b: kernel_matrix(a, b, space, 0.7), a, b[None])
        expected = np.exp(-0.5 * (space.metric.dist(a, b) / 0.7) ** 2)
        np.testing.assert_allclose(kernel[:, 0], expected, rtol=1e4 * arrays.eps)

    def test_is_the_laplacian_of_the_sum_over_rows(self, arrays, rng):
        weights = [0.5, 2.0, 1.0]
        space = equipped(4, "phcm", weights=weights)
        a, b = random_correlation(rng, 4, 9.0, (3,)), random_correlation(rng, 4, 9.0)
        kernel = arrays.apply(lambda a, b: kernel_matrix(a, b, space, 0.7), a, b[None])
        lengths = 0.0
        for row, weight in enumerate(weights):
            # A huge weight of one row leaves the distance of that row.
            alone = [1e-30] * 3
            alone[row] = weight
            lengths = lengths + equipped(4, "phcm", weights=alone).metric.dist(a, b)
        expected = np.exp(-lengths / 0.7)
        np.testing.assert_allclose(kernel[:, 0], expected, rtol=1e4 * arrays.eps)

    def test_pieces_make_the_whole(self, rng, monkeypatch):
        space = equipped(4, "phcm")
        points = random_correlation(rng, 4, 9.0, (9,))
        whole = kernel_matrix(points, points[:5], space, 1.0)
        monkeypatch.setattr("geomstats_cor.kernels._batching._CACHE_BYTES", 2000)
        pieces = kernel_matrix(points, points[:5], space, 1.0)
        np.testing.assert_array_equal(pieces, whole)

    def test_distances_of_all_pairs_keep_their_digits(self, arrays, rng):
        # From points that almost coincide to points far apart, in every direction.
        points = rng.standard_normal((3, 20, 5)) * np.geomspace(1e-5, 1e2, 20)[:, None]
        points = arrays.rounded(points)
        others = np.concatenate([points, -points, points * (1.0 + 1e-4)], axis=1)
        others = arrays.rounded(others)
        dist = arrays.apply(hyperbolic_pairwise_dist, points, others)
        squares = hyperbolic_squared_dist(points[:, :, None], others[:, None])
        tolerance = 20 * arrays.eps**0.75
        np.testing.assert_allclose(dist, np.sqrt(squares), rtol=tolerance)

    def test_sigma_is_the_median_length(self, rng):
        points = random_correlation(rng, 4, 9.0, (9,))
        model = ToKernel("lsm").fit(points)
        distances = equipped(4, "lsm").metric.dist_broadcast(points, points)
        median = np.median(distances[np.triu_indices(9, 1)])
        assert model.sigma_ == pytest.approx(median)
        assert ToKernel(sigma=2.0).fit(points).sigma_ == 2.0
        assert ToKernel().fit(np.stack([points[0]] * 3)).sigma_ == 1.0

    @every_metric
    def test_a_machine_that_uses_it(self, rng, key):
        points, labels = groups(rng, 4, (12, 12))
        features = ToKernel(key).fit(points[:18])
        machine = SVC(kernel="precomputed").fit(
            features.transform(points[:18]), labels[:18]
        )
        assert machine.score(features.transform(points[18:]), labels[18:]) == 1.0

    @pytest.mark.parametrize("sigma", [0.0, -1.0, np.inf, np.nan, "mean"])
    def test_sigma_must_be_positive(self, rng, sigma):
        points = random_correlation(rng, 3, 9.0, (4,))
        with pytest.raises(ParameterError, match="sigma: expected a number"):
            kernel_matrix(points, points, equipped(3, "olm"), sigma)
        with pytest.raises(ParameterError, match="sigma: expected a number"):
            ToKernel(sigma=sigma).fit(points)
