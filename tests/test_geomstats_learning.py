"""The learning classes of geomstats on our spaces, next to definitions or to ours.

docs/means.md has the table of what works, and the reasons where something cannot.
"""

import pathlib
import pkgutil
import re

import geomstats.backend as gs
import geomstats.learning
import numpy as np
import pytest
from geomstats.exceptions import AutodiffNotImplementedError
from geomstats.learning.aac import AAC
from geomstats.learning.agglomerative_hierarchical_clustering import (
    AgglomerativeHierarchicalClustering,
)
from geomstats.learning.expectation_maximization import RiemannianEM
from geomstats.learning.exponential_barycenter import ExponentialBarycenter
from geomstats.learning.frechet_mean import FrechetMean, variance
from geomstats.learning.geodesic_regression import GeodesicRegression
from geomstats.learning.geometric_median import GeometricMedian
from geomstats.learning.incremental_frechet_mean import IncrementalFrechetMean
from geomstats.learning.kernel_density_estimation_classifier import (
    KernelDensityEstimationClassifier,
)
from geomstats.learning.kmeans import RiemannianKMeans
from geomstats.learning.kmedoids import RiemannianKMedoids
from geomstats.learning.knn import KNearestNeighborsClassifier
from geomstats.learning.mdm import RiemannianMinimumDistanceToMean
from geomstats.learning.online_kmeans import OnlineKMeans
from geomstats.learning.pca import ExactPGA, TangentPCA
from geomstats.learning.preprocessing import ToTangentSpace
from geomstats.learning.radial_kernel_functions import gaussian_radial_kernel
from geomstats.learning.riemannian_mean_shift import RiemannianMeanShift
from geomstats.learning.wrapped_gaussian_process import WrappedGaussianProcess
from kernels.matrices import random_correlation
from strategies import KEYS, equipped

from geomstats_cor import (
    CondensedCorrelations,
    frechet_mean,
    frechet_variance,
    geometric_median,
)

every_metric = pytest.mark.parametrize("key", KEYS)


@pytest.fixture(params=KEYS)
def space(request):
    return equipped(3, request.param)


@pytest.fixture
def points(rng):
    return random_correlation(rng, 3, 5.0, (12,))


@pytest.fixture
def clusters(space, rng):
    """Two clusters of six points, three units of distance apart."""
    centers = np.array([[1.5, 0.0, 0.0], [-1.5, 0.0, 0.0]])
    coords = centers[:, None] + 0.1 * rng.normal(size=(2, 6, space.dim))
    labels = np.repeat([0, 1], 6)
    return space.metric.from_coords(coords.reshape(12, -1)), labels


def same_partition(found, labels):
    return len(set(zip(found, labels, strict=True))) == len(set(labels))


class TestMeans:
    @pytest.mark.parametrize("method", ["default", "adaptive"])
    def test_frechet_mean(self, space, points, rng, method):
        weights = rng.uniform(size=12)
        estimator = FrechetMean(space, method=method).set(epsilon=1e-20, max_iter=100)
        mean = estimator.fit(points, weights=weights).estimate_
        expected = frechet_mean(points, space, weights)
        np.testing.assert_allclose(mean, expected, atol=1e-9)

    def test_frechet_means_in_a_batch(self, space, rng):
        points = random_correlation(rng, 3, 5.0, (12, 2))
        estimator = FrechetMean(space, method="batch")
        means = estimator.set(epsilon=1e-20, max_iter=100).fit(points).estimate_
        expected = frechet_mean(points.swapaxes(0, 1), space)
        np.testing.assert_allclose(means, expected, atol=1e-9)

    def test_variance(self, space, points, rng):
        mean, weights = random_correlation(rng, 3), rng.uniform(size=12)
        np.testing.assert_allclose(
            variance(space, points, mean, weights),
            frechet_variance(points, space, mean, weights),
        )

    def test_incremental_mean(self, space, points):
        mean = IncrementalFrechetMean(space).fit(points).estimate_
        expected = points[0]
        for k, point in enumerate(points[1:], start=2):
            expected = space.metric.geodesic(expected, point)(1.0 / k)[0]
        np.testing.assert_allclose(mean, expected, atol=1e-12)
        if space.metric.image_space.metric.is_flat:
            np.testing.assert_allclose(mean, frechet_mean(points, space), atol=1e-12)

    def test_geometric_median(self, space, points):
        estimator = GeometricMedian(space, epsilon=1e-10, max_iter=1000)
        median = estimator.fit(points).estimate_
        np.testing.assert_allclose(median, geometric_median(points, space), atol=1e-8)


class TestTangentSpaces:
    def test_to_tangent_space(self, space, points):
        lifted = ToTangentSpace(space)
        coords = lifted.fit(points).transform(points)
        np.testing.assert_allclose(lifted.inverse_transform(coords), points, atol=1e-10)

    def test_tangent_pca(self, space, points):
        pca = TangentPCA(space)
        pca.mean_estimator.set(epsilon=1e-20, max_iter=100)
        scores = pca.fit_transform(points)
        np.testing.assert_allclose(pca.inverse_transform(scores), points, atol=1e-8)
        mean = frechet_mean(points, space)
        logs = space.metric.log(points, mean)[:, *np.tril_indices(3, -1)]
        # Entries of logarithms are the features of geomstats.
        spectrum = np.linalg.svd(logs, compute_uv=False)
        np.testing.assert_allclose(pca.singular_values_[:3], spectrum, rtol=1e-6)

    def test_wrapped_gaussian_process(self, space, rng):
        times = np.linspace(0.0, 1.0, 8)[:, None]
        start, end = random_correlation(rng, 3, 5.0, (2,))
        path = space.metric.geodesic(start, end)
        process = WrappedGaussianProcess(space, prior=lambda t: path(t[:, 0]))
        bent = space.metric.exp_coords(
            0.1 * np.sin(times) * np.ones(3), path(times[:, 0])
        )
        process.fit(times, bent)
        np.testing.assert_allclose(process.predict(times), bent, atol=1e-4)


class TestClassifiers:
    def test_minimum_distance_to_mean(self, space, clusters):
        points, labels = clusters
        classifier = RiemannianMinimumDistanceToMean(space)
        classifier.mean_estimator.set(epsilon=1e-20, max_iter=100)
        classifier.fit(points, labels)
        means = [frechet_mean(points[labels == k], space) for k in (0, 1)]
        np.testing.assert_allclose(classifier.mean_estimates_, means, atol=1e-9)
        assert np.array_equal(classifier.predict(points), labels)

    def test_nearest_neighbours(self, space, clusters, rng):
        points, labels = clusters
        view = CondensedCorrelations(space)
        classifier = KNearestNeighborsClassifier(view, n_neighbors=3)
        classifier.fit(view.condense(points), labels)
        others = space.metric.from_coords(rng.normal(size=(5, 3)))
        nearest = np.argsort(space.metric.dist_broadcast(others, points))[:, :3]
        expected = np.round(labels[nearest].mean(axis=-1))
        assert np.array_equal(classifier.predict(view.condense(others)), expected)

    def test_kernel_density(self, space, clusters, rng):
        points, labels = clusters
        view = CondensedCorrelations(space)
        classifier = KernelDensityEstimationClassifier(
            view, kernel=gaussian_radial_kernel, bandwidth=2.0
        )
        classifier.fit(view.condense(points), labels)
        others = space.metric.from_coords(rng.normal(size=(5, 3)))
        density = np.exp(-(space.metric.dist_broadcast(others, points) ** 2) / 8.0)
        ones = density[:, labels == 1].sum(axis=-1) / density.sum(axis=-1)
        found = classifier.predict_proba(view.condense(others))
        np.testing.assert_allclose(found[:, 1], ones, rtol=1e-6)


class TestClustering:
    def test_kmeans(self, space, clusters):
        points, labels = clusters
        gs.random.seed(0)
        kmeans = RiemannianKMeans(space, n_clusters=2, init="kmeans++")
        kmeans.mean_estimator.set(epsilon=1e-20, max_iter=100)
        kmeans.fit(points)
        assert same_partition(kmeans.labels_, labels)
        for k, center in enumerate(kmeans.cluster_centers_):
            mean = frechet_mean(points[np.asarray(kmeans.labels_) == k], space)
            np.testing.assert_allclose(center, mean, atol=1e-9)

    def test_kmedoids(self, space, clusters):
        points, labels = clusters
        gs.random.seed(1)
        medoids = RiemannianKMedoids(space, n_clusters=2).fit(points)
        assert same_partition(np.asarray(medoids.predict(points)), labels)

    def test_online_kmeans(self, space, clusters):
        points, labels = clusters
        gs.random.seed(0)
        kmeans = OnlineKMeans(space, n_clusters=2, n_repetitions=5, max_iter=60)
        kmeans.fit(points)
        assert same_partition(np.asarray(kmeans.labels_), labels)

    def test_agglomerative_clustering(self, space, clusters):
        points, labels = clusters
        view = CondensedCorrelations(space)
        found = AgglomerativeHierarchicalClustering(view, n_clusters=2)
        found.fit(view.condense(points))
        assert same_partition(found.labels_, labels)

    def test_mean_shift(self, space, clusters):
        points, labels = clusters
        gs.random.seed(0)
        shift = RiemannianMeanShift(space, bandwidth=1.0, n_clusters=2).fit(points)
        assert same_partition(np.asarray(shift.predict(points)), labels)


class TestRegression:
    def test_geodesic_regression(self, space, rng):
        times = np.linspace(-0.5, 0.5, 7)
        path = space.metric.geodesic(*random_correlation(rng, 3, 3.0, (2,)))
        regression = GeodesicRegression(
            space, center_X=False, initialization="frechet", compute_training_score=True
        )
        regression.fit(times, path(times))
        np.testing.assert_allclose(regression.predict(times), path(times), atol=1e-2)
        assert regression.training_score_ > 0.999


class TestWhatCannot:
    """The reasons of docs/means.md, as the errors that they come with."""

    @pytest.mark.parametrize(
        "learner, error, message",
        [
            (
                lambda space: KNearestNeighborsClassifier(space),
                ValueError,
                "dim 3",
            ),
            (
                lambda space: KernelDensityEstimationClassifier(space),
                ValueError,
                "dim 3",
            ),
            (
                lambda space: AgglomerativeHierarchicalClustering(space),
                ValueError,
                "dim 3",
            ),
            (
                lambda space: RiemannianEM(space, n_gaussians=2),
                AttributeError,
                "normalization_factor",
            ),
            (lambda space: ExponentialBarycenter(space), AttributeError, "inverse"),
            (lambda space: ExactPGA(space), NotImplementedError, "two-dimensional"),
            (
                lambda space: AAC(space, estimate="frechet_mean"),
                AttributeError,
                "aligner",
            ),
            (
                lambda space: GeodesicRegression(
                    space, method="riemannian", initialization="frechet"
                ),
                AutodiffNotImplementedError,
                "numpy backend",
            ),
        ],
    )
    def test_reasons(self, points, learner, error, message):
        labels = np.arange(12) % 2 * 1.0
        with pytest.raises(error, match=message):
            estimator = learner(equipped(3, "olm"))
            if isinstance(estimator, GeodesicRegression):
                estimator.fit(labels, points)
            else:
                estimator.fit(points, labels)

    def test_the_page_names_every_module(self):
        page = pathlib.Path(__file__).parents[1] / "docs" / "means.md"
        named = set(re.findall(r"`(\w+)\.\w+", page.read_text()))
        modules = {m.name for m in pkgutil.iter_modules(geomstats.learning.__path__)}
        assert {name for name in modules if not name.startswith("_")} <= named
