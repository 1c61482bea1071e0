"""Iterations that converge say nothing, and those that do not say so.

The maps that solve equations are run on thousands of matrices, and what they return is
put into the equations.
"""

import re
import warnings

import numpy as np
import pytest
import torch

from geomstats_cor import FullRankCorrelationMatrices, LogScaledMetric
from geomstats_cor import kernels as k
from geomstats_cor.exceptions import (
    ConvergenceError,
    ConvergenceWarning,
    NearBoundaryError,
    NearBoundaryWarning,
)
from geomstats_cor.kernels import offlog, scaling

from .operations import metric

SIZES = (2, 3, 5, 8, 12, 20, 28, 40, 60)
EPS = np.finfo(float).eps


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


@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("family", FAMILIES)
def test_no_silent_failures(family, n):
    points = matrices(family, n, count_for(n))
    with warnings.catch_warnings():
        warnings.simplefilter("error", ConvergenceWarning)
        x = k.log_scaling(points)
        logarithm = k.off_log(points)
        diagonal = k.off_log_diagonal(logarithm)
    assert np.all(x > 0.0)
    residual = np.max(np.abs(x * (points @ x[..., None])[..., 0] - 1.0), axis=-1)
    noise = np.max(x * (np.abs(points) @ x[..., None])[..., 0], axis=-1)
    assert np.all(residual <= 8.0 * EPS * noise)

    values, vectors = np.linalg.eigh(logarithm + diagonal[..., None] * np.eye(n))
    unit = np.sum(vectors**2 * np.exp(values)[..., None, :], axis=-1)
    spread = np.maximum(1.0, values[..., -1] - values[..., 0])
    assert np.all(np.max(np.abs(unit - 1.0), axis=-1) <= 64.0 * EPS * spread)


def test_common_factor_of_twelve_variables():
    """Newton's method without damping goes astray here, and says nothing."""
    loadings = np.linspace(0.1, 0.95, 12)
    point = np.where(np.eye(12, dtype=bool), 1.0, np.outer(loadings, loadings))
    space = FullRankCorrelationMatrices(12, equip=False)
    space.equip_with_metric(LogScaledMetric, alpha=1.0, delta=1.0, zeta=1.0)
    found = space.metric.dist(point, np.eye(12))
    np.testing.assert_allclose(found, 21.59, atol=5e-3)


@pytest.mark.parametrize(
    ("module", "function", "name"),
    [(scaling, k.log_scaling, "log-scaling"), (offlog, k.off_log_diagonal, "off-log")],
)
@pytest.mark.parametrize("make", [np.asarray, torch.as_tensor])
def test_a_warning_describes_the_worst(monkeypatch, module, function, name, make):
    monkeypatch.setattr(module, "_MAX_ITERATIONS", 1)
    points = np.tile(np.eye(4), (2, 3, 1, 1))
    points[1, 2] = matrices(near_singular, 4, 1)[0]
    with pytest.warns(ConvergenceWarning) as caught:
        function(make(points))
    message = str(caught[0].message)
    assert message.startswith(name)
    assert "1 of 6 matrices" in message
    assert "index (1, 2)" in message
    residual = re.search(r"residual (\S+) and", message)
    condition = re.search(r"condition number (\S+)\.", message)
    assert float(residual[1]) > 1e-6
    assert float(condition[1]) > 1.0
    if module is scaling:
        expected = np.linalg.cond(points[1, 2])
        np.testing.assert_allclose(float(condition[1]), expected, rtol=0.05)


@pytest.mark.parametrize("make", [np.asarray, torch.as_tensor])
def test_strict_raises_where_others_warn(monkeypatch, make):
    point, identity = make(matrices(near_singular, 4, 1)[0]), make(np.eye(4))
    monkeypatch.setattr(scaling, "_MAX_ITERATIONS", 1)
    with pytest.warns(ConvergenceWarning):
        metric("lsm", 4).dist(point, identity)
    with pytest.raises(ConvergenceError, match="residual .* condition number"):
        metric("lsm", 4, "strict").dist(point, identity)
    monkeypatch.setattr(offlog, "_MAX_ITERATIONS", 1)
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
