"""Batches of any shape: the same numbers as for one matrix at a time."""

import itertools

import numpy as np
import pytest
from kernels.matrices import random_correlation, random_hollow
from operations import OPERATIONS, STACK_OPERATIONS, sample
from strategies import KEYS, equipped

every_metric = pytest.mark.parametrize("key", KEYS)

pytestmark = pytest.mark.filterwarnings("error")


def converted(arrays, arguments):
    return {name: arrays(value) for name, value in arguments.items()}


@every_metric
@pytest.mark.parametrize("name", OPERATIONS)
def test_batches_broadcast(double, rng, key, name):
    operation, metric = OPERATIONS[name], equipped(3, key).metric
    single = len(operation.names) == 1

    def batch_of(position):
        return (2, 3) if single else [(2, 1), (3,)][position % 2]

    arguments = sample(operation, rng, 3, batch_of)
    actual = double.numbers(operation(metric, converted(double, arguments)))

    assert actual.shape[:2] == (2, 3)
    full = {k: np.broadcast_to(v, (2, 3, 3, 3)) for k, v in arguments.items()}
    for index in itertools.product(range(2), range(3)):
        one = converted(double, {k: v[index].copy() for k, v in full.items()})
        expected = np.asarray(operation(metric, one))
        np.testing.assert_allclose(actual[index], expected, rtol=1e-11, atol=1e-11)


@every_metric
@pytest.mark.parametrize("name", OPERATIONS)
def test_empty_batches_give_empty_results(double, rng, key, name):
    operation, metric = OPERATIONS[name], equipped(3, key).metric
    one = operation(metric, converted(double, sample(operation, rng, 3)))
    arguments = sample(operation, rng, 3, lambda position: (2, 0))
    result = double.numbers(operation(metric, converted(double, arguments)))
    assert result.shape == (2, 0, *one.shape)


@every_metric
def test_coordinates_in_batches(arrays, rng, key):
    metric = equipped(4, key).metric
    coords = arrays(0.5 * rng.standard_normal((2, 3, 6)))
    points = arrays.numbers(metric.from_coords(coords))
    for index in itertools.product(range(2), range(3)):
        expected = arrays.numbers(metric.from_coords(coords[index]))
        np.testing.assert_allclose(points[index], expected, atol=100 * arrays.eps)
    assert metric.from_coords(coords[:0]).shape == (0, 3, 4, 4)


@every_metric
def test_geodesic_equation_in_batches(double, rng, key):
    metric = equipped(3, key).metric
    states = np.stack(
        [random_correlation(rng, 3, 10.0, (2, 3)), random_hollow(rng, 3, (2, 3))], -3
    )
    derivatives = double.apply(metric.geodesic_equation, states)
    for index in itertools.product(range(2), range(3)):
        expected = double.apply(metric.geodesic_equation, states[index])
        np.testing.assert_allclose(derivatives[index], expected, rtol=1e-10)
    assert metric.geodesic_equation(double(states[:0])).shape == (0, 3, 2, 3, 3)


@every_metric
def test_geodesics_in_batches_put_times_after_the_batch(double, rng, key):
    metric = equipped(3, key).metric
    a = random_correlation(rng, 3, 10.0, (2, 1))
    b = random_correlation(rng, 3, 10.0, (3,))
    times = np.array([0.0, 0.3, 1.0, 1.2])
    points = double.numbers(metric.geodesic(double(a), double(b))(times))
    assert points.shape == (2, 3, 4, 3, 3)
    for i, j in itertools.product(range(2), range(3)):
        path = metric.geodesic(double(a[i, 0]), double(b[j]))
        np.testing.assert_allclose(points[i, j], double.numbers(path(times)), rtol=1e-9)


class TestStacks:
    @every_metric
    def test_distances_between_all_points(self, double, rng, key):
        metric = equipped(3, key).metric
        a, b = (double(random_correlation(rng, 3, 10.0, (k,))) for k in (2, 4))
        expected = double.numbers(metric.dist(a[:, None], b))
        actual = double.numbers(metric.dist_broadcast(a, b))
        np.testing.assert_allclose(actual, expected, rtol=1e-13)
        nearest = np.asarray(metric.closest_neighbor_index(a, b))
        np.testing.assert_array_equal(nearest, np.argmin(expected, axis=-1))
        one = metric.closest_neighbor_index(a[1], b)
        assert int(one) == nearest[1]

    @every_metric
    def test_diameter(self, double, rng, key):
        metric = equipped(3, key).metric
        points = double(random_correlation(rng, 3, 10.0, (5,)))
        pairs = itertools.combinations(range(5), 2)
        expected = max(float(metric.dist(points[i], points[j])) for i, j in pairs)
        np.testing.assert_allclose(float(metric.diameter(points)), expected, rtol=1e-13)

    @every_metric
    def test_empty_stacks(self, arrays, rng, key):
        metric = equipped(3, key).metric
        points = arrays(random_correlation(rng, 3, 10.0, (4,)))
        distances = arrays.numbers(metric.dist_broadcast(points[:0], points))
        assert distances.shape == (0, 4)
        assert metric.closest_neighbor_index(points[:0], points).shape == (0,)


def test_the_tables_of_operations_are_complete():
    metric = equipped(3, "olm").metric
    tested_elsewhere = {
        "equip_with_metric",
        "bounded_coords",
        "coords_from_factor",
        "factor_from_coords",
        "from_coords",
        "exp_coords",
        "hyperplanes",
        "is_same",
        "origin",
        "geodesic_equation",
        "inner_coproduct",
        "normal_basis",
        "random_unit_tangent_vec",
    }
    defined = {
        name
        for cls in type(metric).__mro__
        if cls.__module__.startswith("geomstats_cor")
        for name in vars(cls)
        if not name.startswith("_") and callable(getattr(metric, name))
    }
    listed = {op.method for op in (OPERATIONS | STACK_OPERATIONS).values()}
    assert defined - listed <= tested_elsewhere
