"""The Hessian of half the squared distance, that means and medians step by."""

import numpy as np
import pytest
from kernels.matrices import random_correlation
from strategies import KEYS, equipped

PARAMETERS = {"phcm": dict(weights=[0.3, 2.0, 1.0])}


@pytest.mark.parametrize("key", KEYS)
def test_products_are_derivatives_of_gradients(double, rng, key):
    space = equipped(4, key, **PARAMETERS.get(key, {}))
    metric, image_metric = space.metric, space.metric.image_space.metric
    points, base = random_correlation(rng, 4, 20.0, (5,)), random_correlation(rng, 4)
    weights, direction = rng.uniform(size=5), rng.normal(size=space.dim)
    logs = metric.log_coords(points, base)
    product = image_metric.hessian(double(logs), double(weights))
    found = double.numbers(product(double(direction)))

    def value(time):
        there = metric.exp_coords(time * direction, base)
        return 0.5 * weights @ metric.squared_dist(there, points)

    # The second derivative along a geodesic is the quadratic form of the Hessian.
    step = 1e-3
    second = (value(step) - 2.0 * value(0.0) + value(-step)) / step**2
    np.testing.assert_allclose(direction @ found, second, rtol=1e-5)


@pytest.mark.parametrize("key", KEYS)
def test_stiffness_is_the_diagonal(double, rng, key):
    space = equipped(4, key, **PARAMETERS.get(key, {}))
    image_metric = space.metric.image_space.metric
    logs = rng.normal(size=(5, space.dim))
    found = double.numbers(image_metric.stiffness(double(logs)))
    for log, diagonal in zip(logs, found, strict=True):
        product = image_metric.hessian(log[None], np.ones(1))
        columns = np.stack([product(unit) for unit in np.eye(space.dim)])
        np.testing.assert_allclose(columns, columns.T, atol=1e-13)
        np.testing.assert_allclose(diagonal, np.diagonal(columns), rtol=1e-12)
