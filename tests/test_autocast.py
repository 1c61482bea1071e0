"""Autocast narrows products of matrices: the geometry does not take part in it."""

import pytest
import torch
from strategies import equipped

from geomstats_cor import METRICS, frechet_mean, frechet_variance, geometric_median
from geomstats_cor.kernels import hollow_row_sums, log_unit_lower, off_exp, sym_log

N = 5
OPERATIONS = {
    "dist": lambda space, a, b, v: space.metric.dist(a, b),
    "inner_product": lambda space, a, b, v: space.metric.inner_product(v, v, a),
    "exp": lambda space, a, b, v: space.metric.exp(v, a),
    "log": lambda space, a, b, v: space.metric.log(b, a),
    "transport": lambda space, a, b, v: space.metric.parallel_transport(
        v, a, end_point=b
    ),
    "to_coords": lambda space, a, b, v: space.metric.to_coords(a),
    "from_coords": lambda space, a, b, v: space.metric.from_coords(
        space.metric.to_coords(a)
    ),
    "geodesic": lambda space, a, b, v: space.metric.geodesic(a, end_point=b)(0.3),
    "metric_matrix": lambda space, a, b, v: space.metric.metric_matrix(a),
    "mean": lambda space, a, b, v: frechet_mean(torch.stack((a, b)), space),
    "variance": lambda space, a, b, v: frechet_variance(torch.stack((a, b)), space),
    "median": lambda space, a, b, v: geometric_median(torch.stack((a, b, a)), space),
}


def autocast():
    return torch.autocast("cpu", dtype=torch.bfloat16)


def pair(space):
    return torch.as_tensor(space.random_point(2, eta=3.0, rng=0)).float()


@pytest.mark.parametrize("key", METRICS)
@pytest.mark.parametrize("name", OPERATIONS)
def test_operations(name, key):
    space = equipped(N, key)
    a, b = pair(space)
    vector = space.metric.log(b, a)
    expected = OPERATIONS[name](space, a, b, vector)
    with autocast():
        assert (a @ b).dtype == torch.bfloat16
        actual = OPERATIONS[name](space, a, b, vector)
    torch.testing.assert_close(actual, expected, rtol=0.0, atol=0.0)


@pytest.mark.parametrize("key", METRICS)
def test_path_that_was_made_before(key):
    space = equipped(N, key)
    a, b = pair(space)
    path = space.metric.geodesic(a, end_point=b)
    expected = path(0.3)
    with autocast():
        torch.testing.assert_close(path(0.3), expected, rtol=0.0, atol=0.0)


@pytest.mark.parametrize("kernel", [sym_log, off_exp, log_unit_lower])
def test_backward_pass_inside(kernel):
    point = pair(equipped(N, "olm"))
    point = point.tril() if kernel is log_unit_lower else point
    weights = torch.randn(point.shape, generator=torch.Generator().manual_seed(0))

    def gradient():
        x = point.clone().requires_grad_()
        return torch.autograd.grad((weights * kernel(x)).sum(), x)[0]

    expected = gradient()
    with autocast():
        actual = gradient()
    torch.testing.assert_close(actual, expected, rtol=0.0, atol=0.0)


def test_product_with_a_constant_matrix():
    packed = torch.randn(4, 10, generator=torch.Generator().manual_seed(0))
    expected = hollow_row_sums(packed)
    with autocast():
        actual = hollow_row_sums(packed)
    torch.testing.assert_close(actual, expected, rtol=0.0, atol=0.0)
