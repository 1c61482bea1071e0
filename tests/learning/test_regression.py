"""Geodesic regression: least squares, exactly."""

import importlib

import numpy as np
import pytest
from kernels.matrices import random_correlation
from strategies import KEYS, equipped

from geomstats_cor import frechet_mean
from geomstats_cor.exceptions import BadMatricesError, ConvergenceWarning
from geomstats_cor.kernels import pack_strictly_lower
from geomstats_cor.learning import GeodesicRegression

every_metric = pytest.mark.parametrize("key", KEYS)


def noisy(rng, space, X, noise):
    """Draw matrices about a model with random coefficients."""
    base = random_correlation(rng, space.n, 5.0)
    coef = rng.standard_normal((X.shape[1], space.dim)) / space.n
    points = space.metric.exp_coords((X - X.mean(axis=0)) @ coef, base)
    errors = noise * rng.standard_normal((len(X), space.dim)) / space.n
    return space.metric.exp_coords(errors, points), base, coef


def loss(space, parameters, X, points, weights):
    """Return the weighted sum of squares, as a function of base point and vectors."""
    base, coef = parameters
    fitted = space.metric.exp_coords(X @ coef, base)
    return weights @ space.metric.squared_dist(points, fitted)


class TestPlanted:
    @every_metric
    def test_a_geodesic_is_recovered(self, rng, key):
        space = equipped(4, key)
        start, end = random_correlation(rng, 4, 20.0, (2,))
        path = space.metric.geodesic(start, end)
        time = rng.uniform(1.0, 3.0, size=9)
        model = GeodesicRegression(key).fit(time[:, None], path(time))
        ahead = np.array([-1.0, 0.0, 1.0, 2.0, 3.5])
        predicted = model.predict(ahead[:, None])
        np.testing.assert_allclose(predicted, path(ahead), atol=1e-10)
        assert model.score(time[:, None], path(time)) == pytest.approx(1.0)

    @every_metric
    def test_several_covariates_are_recovered(self, rng, key):
        space = equipped(5, key)
        X = rng.standard_normal((20, 3)) * [1.0, 10.0, 0.1] + [0.0, 5.0, 1.0]
        points, base, coef = noisy(rng, space, X / [1.0, 10.0, 0.1], 0.0)
        model = GeodesicRegression(key).fit(X, points)
        np.testing.assert_allclose(model.base_point_, base, atol=1e-10)
        scale = np.array([[1.0], [10.0], [0.1]])
        np.testing.assert_allclose(model.coef_ * scale, coef, atol=1e-10)

    @pytest.mark.parametrize("key", ["olm", "phcm"])
    def test_parameters_of_the_metric(self, rng, key):
        parameters = {
            "olm": dict(alpha=1.0, beta=0.5, gamma=-0.1),
            "phcm": dict(weights=[0.3, 2.0, 1.0]),
        }
        space = equipped(4, key, **parameters[key])
        X = rng.standard_normal((15, 2))
        points, base, coef = noisy(rng, space, X, 0.0)
        model = GeodesicRegression(space).fit(X, points)
        np.testing.assert_allclose(model.base_point_, base, atol=1e-10)
        np.testing.assert_allclose(model.coef_, coef, atol=1e-10)


class TestLeastSquares:
    @every_metric
    @pytest.mark.parametrize("noise", [0.5, 3.0])
    def test_the_gradient_vanishes(self, rng, key, noise):
        space = equipped(4, key)
        X = rng.standard_normal((25, 2))
        weights = rng.uniform(size=25)
        weights[:3] = 0.0
        points, _, _ = noisy(rng, space, X, noise)
        model = GeodesicRegression(key).fit(X, points, sample_weight=weights)
        X, weights = X - model.covariate_mean_, weights / weights.sum()
        base, coef = model.base_point_, model.coef_
        value = loss(space, (base, coef), X, points, weights)
        h = 1e-4
        for _ in range(8):
            turn, shift = rng.standard_normal(coef.shape), rng.standard_normal(6)
            turned = [(base, coef - h * turn), (base, coef + h * turn)]
            moved = space.metric.exp_coords(np.stack([-h * shift, h * shift]), base)
            for pair in (turned, [(there, coef) for there in moved]):
                low, high = (loss(space, p, X, points, weights) for p in pair)
                assert abs(high - low) / (2 * h) <= 1e-6 * (1 + value)
                assert min(low, high) > value

    @pytest.mark.parametrize("key", ["ecm", "lecm", "olm", "lsm"])
    def test_flat_metrics_are_least_squares_in_coordinates(self, rng, key):
        space = equipped(4, key)
        X = rng.standard_normal((12, 2))
        points, _, _ = noisy(rng, space, X, 1.0)
        design = np.column_stack([np.ones(12), X])
        coords = space.metric.to_coords(points)
        solution = np.linalg.lstsq(design, coords, rcond=None)[0]
        model = GeodesicRegression(key).fit(X, points)
        np.testing.assert_allclose(model.coef_, solution[1:], atol=1e-12)
        expected = space.metric.from_coords(design @ solution)
        np.testing.assert_allclose(model.predict(X), expected, atol=1e-12)
        left = np.sum((coords - design @ solution) ** 2)
        total = np.sum((coords - coords.mean(axis=0)) ** 2)
        assert model.score(X, points) == pytest.approx(1.0 - left / total)

    @every_metric
    def test_constant_covariates_predict_the_mean(self, rng, key):
        space = equipped(3, key)
        points = random_correlation(rng, 3, 10.0, (6,))
        model = GeodesicRegression(key).fit(np.ones((6, 2)), points)
        mean = frechet_mean(points, space)
        np.testing.assert_allclose(model.predict([[1.0, 1.0]])[0], mean, atol=1e-13)
        np.testing.assert_array_equal(model.coef_, 0.0)

    @every_metric
    def test_dependent_covariates_share_the_effect(self, rng, key):
        space = equipped(3, key)
        x = rng.standard_normal((8, 1))
        points, _, _ = noisy(rng, space, x, 0.3)
        once = GeodesicRegression(key).fit(x, points)
        twice = GeodesicRegression(key).fit(np.hstack([x, x]), points)
        np.testing.assert_allclose(
            twice.coef_, np.vstack([once.coef_, once.coef_]) / 2, atol=1e-10
        )

    def test_scores_with_weights_of_repetition(self, rng):
        space = equipped(3, "phcm")
        x = rng.standard_normal((8, 1))
        points, _, _ = noisy(rng, space, x, 0.3)
        counts = np.array([1, 2, 0, 1, 3, 1, 1, 2])
        weighted = GeodesicRegression("phcm").fit(x, points, counts)
        repeated = GeodesicRegression("phcm").fit(
            np.repeat(x, counts, axis=0), np.repeat(points, counts, axis=0)
        )
        np.testing.assert_allclose(weighted.coef_, repeated.coef_, atol=1e-9)
        assert weighted.score(x, points, counts) == pytest.approx(
            repeated.score(np.repeat(x, counts, 0), np.repeat(points, counts, 0))
        )

    def test_gradient_of_the_descent(self, double, rng):
        """The gradient is that along steps which carry the vectors with the point."""
        solver = importlib.import_module("geomstats_cor.kernels.hyperbolic_regression")
        points, base = rng.standard_normal((3, 9, 4)), rng.standard_normal((3, 4))
        design, vectors = rng.standard_normal((9, 2)), rng.standard_normal((3, 2, 4))
        weights = rng.uniform(size=(9, 1))
        fit = solver._Fit(*map(double, (points, design, weights, base, vectors)))
        gradient = double.numbers(fit.gradient())
        for step in rng.standard_normal((5, 3, 12)):
            h = 1e-5
            ahead, behind = fit.moved(double(h * step)), fit.moved(double(-h * step))
            slope = double.numbers(ahead.objective - behind.objective) / (2 * h)
            expected = -2.0 * np.sum(gradient * step, axis=-1)
            np.testing.assert_allclose(slope, expected, rtol=1e-6, atol=1e-6)


class TestDoor:
    def test_condensed_targets(self, rng):
        X, points = rng.standard_normal((7, 1)), random_correlation(rng, 4, 5.0, (7,))
        model = GeodesicRegression().fit(X, pack_strictly_lower(points))
        expected = GeodesicRegression().fit(X, points).predict(X)
        np.testing.assert_allclose(model.predict(X), pack_strictly_lower(expected))
        assert model.score(X, points) == pytest.approx(
            model.score(X, pack_strictly_lower(points))
        )

    def test_bad_targets_are_named(self, rng):
        X, points = rng.standard_normal((7, 1)), random_correlation(rng, 3, 5.0, (7,))
        points[[1, 4]] = np.nan
        with pytest.raises(BadMatricesError, match=r"y: 2 of 7 .*\[1\].*\[4\]"):
            GeodesicRegression().fit(X, points)

    def test_errors(self, rng):
        X, points = rng.standard_normal((7, 1)), random_correlation(rng, 3, 5.0, (7,))
        with pytest.raises(ValueError, match="inconsistent numbers of samples"):
            GeodesicRegression().fit(X[:5], points)
        with pytest.raises(ValueError, match="requires y to be passed"):
            GeodesicRegression().fit(X, None)
        with pytest.raises(ValueError, match=r"y: expected .*, got \(7,\)"):
            GeodesicRegression().fit(X, points[:, 0, 1])
        with pytest.raises(ValueError, match="zero"):
            GeodesicRegression().fit(X, points, np.zeros(7))

    def test_a_descent_cut_short_says_so(self, rng, monkeypatch):
        solver = importlib.import_module("geomstats_cor.kernels.hyperbolic_regression")
        monkeypatch.setattr(solver, "_MAX_ITERATIONS", 2)
        X = rng.standard_normal((12, 1))
        points, _, _ = noisy(rng, equipped(4, "phcm"), X, 3.0)
        with pytest.warns(ConvergenceWarning, match="geodesic regression: .* of 4"):
            GeodesicRegression("phcm").fit(X, points)
