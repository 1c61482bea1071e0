"""Nothing is created on the CPU on behalf of a tensor that is on another device."""

import inspect

import numpy as np
import pytest
from kernels.matrices import (
    autoregressive,
    random_correlation,
    random_hollow,
    random_orthogonal,
    random_row0,
    random_strictly_lower,
)
from operations import OPERATIONS, STACK_OPERATIONS, sample
from strategies import KEYS, equipped

from geomstats_cor import FullRankCorrelationMatrices, frechet_mean, kernels

torch = pytest.importorskip("torch")
device = pytest.importorskip("elsewhere")

if not device.available():
    pytest.skip("this torch has no devices in Python", allow_module_level=True)

every_metric = pytest.mark.parametrize("key", KEYS)

N = 4
WITHOUT_ARRAYS = {"helmert", "beta_number"}


def assert_same_elsewhere(function, *arguments):
    """Assert that a function gives there what it gives here."""
    expected = function(*(_send(torch.as_tensor, a) for a in arguments))
    with device.elsewhere() as send:
        there = [_send(lambda a: send(torch.as_tensor(a)), a) for a in arguments]
        actual = function(*there)
    expected, actual = (x if isinstance(x, tuple) else (x,) for x in (expected, actual))
    for here, away in zip(expected, actual, strict=True):
        assert device.is_elsewhere(away)
        np.testing.assert_allclose(device.entries(away), here.numpy(), rtol=1e-12)


def _send(convert, argument):
    if isinstance(argument, dict):
        return {k: _send(convert, v) for k, v in argument.items()}
    if isinstance(argument, list):
        return [_send(convert, v) for v in argument]
    return convert(argument) if isinstance(argument, np.ndarray) else argument


def test_the_device_notices_the_cpu():
    with device.elsewhere() as send:
        away = send(torch.eye(3))
        with pytest.raises(device.DeviceError, match="meets tensors of the CPU"):
            away + torch.eye(3)
        with pytest.raises(device.DeviceError, match="meets tensors of the CPU"):
            away @ torch.ones(3)
        with pytest.raises(device.DeviceError, match="moves a tensor to cpu"):
            away.cpu()
        assert device.is_elsewhere(away + torch.eye(3, device=away.device))
        assert not device.is_elsewhere(torch.eye(3))


@every_metric
@pytest.mark.parametrize("name", OPERATIONS | STACK_OPERATIONS)
def test_operations(rng, key, name):
    operation = (OPERATIONS | STACK_OPERATIONS)[name]
    metric = equipped(3, key).metric
    arguments = sample(operation, rng, 3, lambda position: (2,))
    assert_same_elsewhere(lambda given: operation(metric, given), arguments)


@every_metric
def test_coordinates_means_and_large_matrices(rng, key):
    space = equipped(3, key)
    assert_same_elsewhere(space.metric.from_coords, 0.3 * rng.standard_normal((2, 3)))
    points, weights = random_correlation(rng, 3, 10.0, (5,)), rng.uniform(size=5)
    assert_same_elsewhere(lambda p, w: frechet_mean(p, space, w), points, weights)
    large = equipped(70, key)
    assert_same_elsewhere(large.metric.dist, autoregressive(70, 0.5), np.eye(70))


@pytest.mark.parametrize(
    "function",
    [
        lambda space, x: space.belongs(x),
        lambda space, x: space.is_tangent(x),
        lambda space, x: space.to_tangent(x),
        lambda space, x: space.projection(x),
        lambda space, x: space.regularize(x),
        lambda space, x: tuple(space.nearest_safe_point(x, min_eigenvalue=0.1)),
        lambda space, x: space.from_covariance(x),
        lambda space, x: space.cor_inversion(x),
        lambda space, x: space.partial_correlations(x),
        lambda space, x: space.permutation_action([1, 0, 3, 2], x),
        lambda space, x: space.signed_permutation_action(
            [1, 0, 3, 2], [1, -1, 1, 1], x
        ),
        lambda space, x: space.random_point(2, rng=0, like=x),
        lambda space, x: space.random_tangent_vec(x, rng=0),
        lambda space, x: space.submersion(x),
    ],
)
def test_manifold(rng, function):
    space = FullRankCorrelationMatrices(N, equip=False)
    points = random_correlation(rng, N, 10.0, (3,))
    assert_same_elsewhere(lambda x: function(space, x), points)


def kernel_arguments(rng):
    """Return an array for every name that an argument of a kernel has."""
    point = random_correlation(rng, N)
    vector = random_hollow(rng, N)
    strict = random_strictly_lower(rng, N)
    rows = np.concatenate([strict, np.ones((N, 1))], axis=-1)[:, 1:]
    arguments = dict.fromkeys(["correlation", "covariance", "matrix"], point)
    arguments |= dict.fromkeys(
        ["point", "point_a", "point_b", "end_point", "center"], strict
    )
    names = ["vector", "tangent_vec", "first", "second", "hollow", "ball_point"]
    names += ["vector_a", "vector_b", "vector_c", "components"]
    arguments |= dict.fromkeys(names, 0.1 * vector)
    arguments |= dict.fromkeys(["packed", "coords"], rng.standard_normal(6))
    arguments |= dict(distances=strict, curvature=-0.5, stretch=2.0)
    arguments |= dict(offset=0.1 * strict[-1])
    arguments |= dict(weight=strict, ball_points=[0.1 * strict, strict], sizes=(1, 3))
    return arguments | dict(
        unit_lower=strict + np.eye(N),
        strict=strict,
        null_row_sums=random_row0(rng, N),
        values=np.sort(rng.uniform(0.5, 2.0, N)),
        vectors=random_orthogonal(rng, N),
        divided_differences=np.ones((N, N)),
        exponent=0.3,
        factor=np.linalg.cholesky(point),
        shift=0.1,
        points=rng.standard_normal((2, 5, 3)),
        weights=np.full(5, 0.2),
        hemisphere_point=rows / np.linalg.norm(rows, axis=-1, keepdims=True),
    )


@pytest.mark.parametrize("name", sorted(set(kernels.__all__) - WITHOUT_ARRAYS))
def test_kernels(rng, name):
    kernel = getattr(kernels, name)
    given = kernel_arguments(rng)
    if name == "row0_from_printed":
        given["values"] = given["packed"]
    if name == "congruence_log_products":
        matrix, vector = (given[key][None, None] for key in ("matrix", "vector"))
        given |= dict(point=matrix, root=matrix, vector=vector)
    arguments = [given[name] for name in inspect.signature(kernel).parameters]
    assert_same_elsewhere(kernel, *arguments)
