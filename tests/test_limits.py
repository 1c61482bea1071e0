"""Results that float64 cannot hold: a warning at the boundary, an error beyond."""

import concurrent.futures
import importlib
import warnings

import numpy as np
import pytest
from kernels.matrices import random_correlation, random_hollow
from strategies import KEYS, equipped, hollow

import geomstats_cor.exceptions as ex
from geomstats_cor import FullRankCorrelationMatrices, frechet_mean

# A pivot of the Cholesky factor is 1 / x^2 or e^-2x at a distance of x.
BOUNDARY = {"ecm": 1e9, "lecm": 1e9, "olm": 60.0, "lsm": 60.0, "phcm": 60.0}

every_metric = pytest.mark.parametrize("key", KEYS)
ignore_overflow = pytest.mark.filterwarnings("ignore::RuntimeWarning")


def vector_towards_the_boundary(length):
    return length * hollow(np.array([1.0, 0.5, 0.8]))


@every_metric
@ignore_overflow
def test_results_at_the_boundary_warn(double, key):
    metric = equipped(3, key).metric
    steps = np.stack([vector_towards_the_boundary(x) for x in (0.1, BOUNDARY[key])])
    with pytest.warns(ex.NearBoundaryWarning, match=r"result\[1\].*shorter step"):
        points = double.numbers(metric.exp(double(steps), double(np.eye(3))))
    assert np.all(np.isfinite(points))
    np.testing.assert_array_equal(np.diagonal(points, axis1=-2, axis2=-1), 1.0)


@every_metric
def test_float32_reaches_the_boundary_sooner(double, key):
    metric = equipped(3, key).metric
    length = {"ecm": 1e4, "lecm": 1e4, "olm": 12.0, "lsm": 12.0, "phcm": 12.0}[key]
    vector = vector_towards_the_boundary(length)
    point = np.eye(3)
    metric.exp(vector, point)
    with pytest.warns(ex.NearBoundaryWarning, match="float64"):
        metric.exp(np.float32(vector), np.float32(point))


@every_metric
@ignore_overflow
def test_strict_spaces_raise_at_the_boundary(double, key):
    space = FullRankCorrelationMatrices(3, equip=key, check="strict")
    vector = double(vector_towards_the_boundary(BOUNDARY[key]))
    with pytest.raises(ex.NearBoundaryError, match="shorter step"):
        space.metric.exp(vector, double(np.eye(3)))


@ignore_overflow
def test_strict_spaces_raise_in_every_thread():
    # Filters of warnings belong to all threads, and come and go beside this one.
    strict = FullRankCorrelationMatrices(3, equip="ecm", check="strict").metric
    metric = equipped(3, "ecm").metric
    vector, point = vector_towards_the_boundary(BOUNDARY["ecm"]), np.eye(3)

    def call(number):
        if number % 2:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", ex.NearBoundaryWarning)
                return np.isfinite(metric.exp(vector, point)).all()
        try:
            strict.exp(vector, point)
        except ex.NearBoundaryError:
            return True
        return False

    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        assert all(pool.map(call, range(2000)))


@pytest.mark.parametrize("key", ["lecm", "lsm", "phcm"])
@ignore_overflow
def test_results_that_overflow_raise(double, rng, key):
    metric = equipped(3, key).metric
    vector, point = double(1e200 * random_hollow(rng, 3)), double(np.eye(3))
    with pytest.raises(ex.NotFiniteError, match="result overflows.*smaller"):
        metric.exp(vector, point)
    with pytest.raises(ex.NotFiniteError, match=r"result\[1\] overflows.*smaller"):
        metric.from_coords(double(np.stack([np.ones(3), np.full(3, 1e200)])))
    path = metric.geodesic(point, initial_tangent_vec=vector)
    with pytest.raises(ex.NotFiniteError, match=r"result\[1\] overflows"):
        path([0.0, 1.0])


@pytest.mark.parametrize("key", ["lsm", "phcm"])
@ignore_overflow
def test_transport_that_overflows_raises(double, rng, key):
    metric = equipped(3, key).metric
    vector, point = double(random_hollow(rng, 3)), double(np.eye(3))
    with pytest.raises(ex.NotFiniteError, match="result overflows"):
        metric.parallel_transport(vector, point, direction=1e200 * vector)


@every_metric
def test_times_that_are_not_finite_raise(double, rng, key):
    a, b = double(random_correlation(rng, 3, 10.0, (2,)))
    with pytest.raises(ex.NotFiniteError):
        equipped(3, key).metric.geodesic(a, b)(np.nan)


@pytest.mark.parametrize(
    "module, key",
    [("_off_log_solver", "olm"), ("scaling", "lsm"), ("hyperbolic_frechet", "phcm")],
)
def test_iterations_that_stop_early_warn_of_the_residual(monkeypatch, rng, module, key):
    kernel = importlib.import_module(f"geomstats_cor.kernels.{module}")
    monkeypatch.setattr(kernel, "_MAX_ITERATIONS", 1)
    monkeypatch.setattr(kernel, "_ROUGH_STEPS", 0, raising=False)
    points = random_correlation(rng, 4, 1e3, (3,))
    with pytest.warns(ex.ConvergenceWarning, match=r"residual \d"):
        frechet_mean(points, equipped(4, key))
    strict = FullRankCorrelationMatrices(4, equip=key, check="strict")
    with pytest.raises(ex.ConvergenceError, match=r"residual \d"):
        frechet_mean(points, strict)
