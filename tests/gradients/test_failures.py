"""Iterations that converge say nothing, and those that do not say so.

The maps that solve equations are run on thousands of matrices, and what they return is
put into the equations.
"""

import math
import warnings

import numpy as np
import pytest
import torch
from torch.utils._python_dispatch import TorchDispatchMode

from geomstats_cor import FullRankCorrelationMatrices, LogScaledMetric
from geomstats_cor import kernels as k
from geomstats_cor.exceptions import (
    ConvergenceError,
    ConvergenceWarning,
    NearBoundaryError,
    NearBoundaryWarning,
    NotPositiveDefiniteError,
)
from geomstats_cor.kernels import _batching, _off_log_solver, scaling

from .operations import KEYS, metric

SIZES = (2, 3, 5, 8, 12, 20, 28, 40, 60)


class FactorisationCounter(TorchDispatchMode):
    """Count the matrices that are factorised, in whatever way."""

    kinds = ("cholesky", "eigh", "svd", "lu_factor", "solve_ex")

    def __init__(self):
        super().__init__()
        self.count = 0

    def __torch_dispatch__(self, function, types, args=(), kwargs=None):
        if any(kind in function.name() for kind in self.kinds):
            self.count += math.prod(args[0].shape[:-2])
        return function(*args, **(kwargs or {}))


def factorisations(function, *tensors):
    """Return how often a function factorises each matrix of its first argument."""
    with FactorisationCounter() as counter:
        function(*tensors)
    return counter.count / len(tensors[0])


def common_factor(rng, n, count):
    loadings = rng.uniform(-1.0, 1.0, (count, n, 1)) * 0.98
    return loadings @ loadings.mT


def autoregressive(rng, n, count):
    rho = rng.uniform(-0.97, 0.97, (count, 1, 1))
    order = np.arange(n)
    return rho ** np.abs(order[:, None] - order)


def blocks(rng, n, count):
    groups = rng.integers(0, max(1, n // 3) + 1, (count, n))
    same = groups[:, :, None] == groups[:, None, :]
    return same * rng.uniform(0.0, 0.97, (count, 1, 1))


def near_singular(rng, n, count):
    """Return correlations of n signals that depend on n - 1, but for little noise."""
    signals = (
        rng.standard_normal((count, n, n - 1)) if n > 2 else np.ones((count, 2, 1))
    )
    noise = 10.0 ** rng.uniform(-4.0, -1.0, (count, 1, 1))
    return k.cor(signals @ signals.mT + noise * np.eye(n))


def lkj(rng, n, count):
    space = FullRankCorrelationMatrices(n)
    return space.random_point(count, rng=int(rng.integers(2**31)))


FAMILIES = (common_factor, autoregressive, blocks, near_singular, lkj)


def matrices(family, n, count):
    """Return correlation matrices of a family, the same in every run."""
    rng = np.random.default_rng([n, FAMILIES.index(family)])
    found = family(rng, n, count)
    return np.where(np.eye(n, dtype=bool), 1.0, found)


def count_for(n):
    return 300 if n <= 20 else 120


def test_there_are_ten_thousand():
    assert len(FAMILIES) * sum(map(count_for, SIZES)) >= 10_000


every_family = pytest.mark.parametrize("family", FAMILIES)


@every_family
@pytest.mark.parametrize("n", SIZES)
def test_no_silent_failures(arrays, family, n):
    points = arrays.rounded(matrices(family, n, count_for(n)))
    with warnings.catch_warnings():
        warnings.simplefilter("error", ConvergenceWarning)
        x = arrays.apply(k.log_scaling, points)
        logarithm = arrays.apply(k.off_log, points)
        known = np.all(np.isfinite(logarithm), axis=(-2, -1))
        diagonal = arrays.apply(k.off_log_diagonal, logarithm[known])
    assert np.all(x > 0.0)
    residual = np.max(np.abs(x * (points @ x[..., None])[..., 0] - 1.0), axis=-1)
    noise = np.max(x * (np.abs(points) @ x[..., None])[..., 0], axis=-1)
    assert np.all(residual <= 8.0 * arrays.eps * noise)

    # A logarithm is refused only to a matrix that is singular to working precision.
    values = np.linalg.eigvalsh(points)
    assert np.all(known | (values[:, 0] <= 16.0 * n**0.5 * arrays.eps * values[:, -1]))
    values, vectors = np.linalg.eigh(logarithm[known] + diagonal[..., None] * np.eye(n))
    unit = np.sum(vectors**2 * np.exp(values)[..., None, :], axis=-1)
    spread = np.maximum(1.0, values[..., -1] - values[..., 0])
    assert np.all(np.max(np.abs(unit - 1.0), axis=-1) <= 64.0 * arrays.eps * spread)


@every_family
@pytest.mark.parametrize("dtype", [torch.float64, torch.float32])
def test_no_iteration_stagnates(family, dtype):
    """Tolerances follow the precision: a few steps, and never all that are allowed."""
    for n in SIZES:
        points = torch.as_tensor(matrices(family, n, count_for(n)), dtype=dtype)
        assert 1 <= factorisations(k.log_scaling, points) <= 15
        # A spectrum and a linear system each time.
        hollow = points - torch.eye(n, dtype=dtype)
        assert 1 <= factorisations(k.off_log_diagonal, hollow) <= 2 * 15


@pytest.mark.parametrize("key", KEYS)
def test_checks_factorise_nothing(key):
    """What is wrong with a matrix is looked for once a map has failed on it."""
    points = torch.as_tensor(matrices(lkj, 5, 3))
    identity = torch.eye(5, dtype=torch.float64)
    counts = [
        factorisations(metric(key, 5, check).log, points, identity)
        for check in (True, False)
    ]
    assert counts[0] == counts[1]
    points[1] = 1.0
    with pytest.raises(NotPositiveDefiniteError, match=r"\[1\].*smallest eigenvalue"):
        metric(key, 5).log(points, identity)


def test_common_factor_of_twelve_variables():
    """Newton's method without damping goes astray here, and says nothing."""
    loadings = np.linspace(0.1, 0.95, 12)
    point = np.where(np.eye(12, dtype=bool), 1.0, np.outer(loadings, loadings))
    space = FullRankCorrelationMatrices(12, equip=False)
    space.equip_with_metric(LogScaledMetric, alpha=1.0, delta=1.0, zeta=1.0)
    found = space.metric.dist(point, np.eye(12))
    np.testing.assert_allclose(found, 21.59, atol=5e-3)


def stop_after_one_step(monkeypatch, module):
    monkeypatch.setattr(module, "_MAX_ITERATIONS", 1)
    # Those of log-scaling that need no factorisation of their own.
    monkeypatch.setattr(module, "_ROUGH_STEPS", 0, raising=False)
    monkeypatch.setattr(module, "_CLOSE", 0.0, raising=False)


@pytest.mark.parametrize(
    ("module", "function", "name"),
    [
        (scaling, k.log_scaling, "log-scaling"),
        (_off_log_solver, k.off_log_diagonal, "off-log"),
    ],
)
@pytest.mark.parametrize("make", [np.asarray, torch.as_tensor])
def test_a_warning_describes_the_worst(monkeypatch, module, function, name, make):
    stop_after_one_step(monkeypatch, module)
    points = np.tile(np.eye(4), (2, 3, 1, 1))
    points[1, 2] = matrices(near_singular, 4, 1)[0]
    with pytest.warns(ConvergenceWarning) as caught:
        function(make(points))
    (warning,) = (x.message for x in caught)
    message = str(warning)
    assert message.startswith(name)
    assert "1 of 6 matrices" in message
    assert warning.index == (1, 2)
    assert warning.residual > 1e-6
    assert warning.condition_number > 1.0
    assert f"index (1, 2), with residual {warning.residual:.1e} and" in message
    assert f"condition number {warning.condition_number:.1e}." in message
    if module is scaling:
        expected = np.linalg.cond(points[1, 2])
        np.testing.assert_allclose(warning.condition_number, expected, rtol=1e-3)


@pytest.mark.parametrize("make", [np.asarray, torch.as_tensor])
def test_one_warning_for_a_batch_in_blocks(monkeypatch, make):
    points = np.tile(np.eye(4), (5, 8, 1, 1))
    points[1, 2], points[4, 5] = matrices(near_singular, 4, 2)
    expected = k.log_scaling(make(points))
    monkeypatch.setattr(_batching, "_CACHE_BYTES", 3 * 4 * 4 * 8)
    # How often a factorisation serves depends on the company of a matrix.
    np.testing.assert_allclose(k.log_scaling(make(points)), expected, rtol=1e-13)
    stop_after_one_step(monkeypatch, scaling)
    with pytest.warns(ConvergenceWarning, match="2 of 40 matrices") as caught:
        k.log_scaling(make(points))
    (warning,) = (x.message for x in caught)
    residuals = []
    for index in ((1, 2), (4, 5)):
        with pytest.warns(ConvergenceWarning) as caught:
            k.log_scaling(make(points[index]))
        residuals.append(caught[0].message.residual)
    assert warning.index == ((1, 2), (4, 5))[np.argmax(residuals)]
    # A product of a batch may round otherwise than that of a single matrix.
    assert warning.residual == pytest.approx(max(residuals), rel=1e-9)


@pytest.mark.parametrize("make", [np.asarray, torch.as_tensor])
@pytest.mark.parametrize("entries", [3, 100])
def test_layers_name_the_place_in_the_whole_batch(monkeypatch, make, entries):
    points = np.tile(np.eye(4), (5, 8, 1, 1))
    points[4, 5] = matrices(near_singular, 4, 1)[0]
    monkeypatch.setattr(_batching, "_CACHE_BYTES", entries * 4 * 4 * 8)
    stop_after_one_step(monkeypatch, scaling)
    with pytest.warns(ConvergenceWarning, match="1 of 40 matrices") as caught:
        metric("lsm", 4).hyperplanes().features(make(points))
    (warning,) = (x.message for x in caught)
    assert warning.index == (4, 5)
    with pytest.raises(ConvergenceError, match="1 of 40 matrices") as caught:
        metric("lsm", 4, "strict").hyperplanes().features(make(points))
    assert caught.value.index == (4, 5)


@pytest.mark.parametrize("make", [np.asarray, torch.as_tensor])
def test_strict_raises_where_others_warn(monkeypatch, make):
    point, identity = make(matrices(near_singular, 4, 1)[0]), make(np.eye(4))
    stop_after_one_step(monkeypatch, scaling)
    with pytest.warns(ConvergenceWarning):
        metric("lsm", 4).dist(point, identity)
    with pytest.raises(ConvergenceError, match="residual .* condition") as caught:
        metric("lsm", 4, "strict").dist(point, identity)
    assert caught.value.residual > 1e-6
    assert caught.value.index == ()
    assert caught.value.condition_number > 1.0
    stop_after_one_step(monkeypatch, _off_log_solver)
    vector = make(np.where(np.eye(4, dtype=bool), 0.0, np.outer(*2 * [np.arange(4.0)])))
    with pytest.raises(ConvergenceError, match="residual .* condition number"):
        metric("olm", 4, "strict").exp(vector, identity)


@pytest.mark.parametrize("make", [np.asarray, torch.as_tensor])
@pytest.mark.parametrize(
    ("key", "length"),
    [("ecm", 1e9), ("lecm", 1e6), ("olm", 120.0), ("lsm", 120.0), ("phcm", 120.0)],
)
def test_strict_near_the_boundary(key, length, make):
    identity, ones = make(np.eye(4)), make(np.ones((4, 4)) - np.eye(4))
    vector = length * metric(key, 4).normalize(ones, identity)
    with pytest.warns((NearBoundaryWarning, ConvergenceWarning)):
        metric(key, 4).exp(vector, identity)
    with pytest.raises((NearBoundaryError, ConvergenceError)):
        metric(key, 4, "strict").exp(vector, identity)
