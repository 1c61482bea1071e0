"""The worked example of CONTRIBUTING.md: a metric in under 60 lines gets everything."""

import itertools
from pathlib import Path

import numpy as np
import pytest
import torch
from kernels.matrices import random_correlation, random_hollow
from kernels.references import derivative, second_derivative

from cornet_nn import CorChannelConv, CorFC, CorMLR, CorNet
from geomstats_cor import (
    FullRankCorrelationMatrices,
    StreamingMean,
    equal_means_test,
    frechet_mean,
    geometric_median,
    kernels,
)
from geomstats_cor.learning import PrincipalGeodesicAnalysis, ToCoords

from .sixth_metric import PartialCorrelationMetric

N = 4
SPACE = FullRankCorrelationMatrices(N, equip=PartialCorrelationMetric)
METRIC = SPACE.metric

pytestmark = pytest.mark.filterwarnings("error")


def fisher_z(correlation):
    """Return atanh of partial correlations, from inverses of submatrices."""
    z = np.zeros_like(correlation)
    for i, j in itertools.product(range(N), range(N)):
        if j < i:
            kept = [*range(j), j, i]
            precision = np.linalg.inv(correlation[np.ix_(kept, kept)])
            partial = -precision[-1, -2] / np.sqrt(
                precision[-1, -1] * precision[-2, -2]
            )
            z[i, j] = np.arctanh(partial)
    return z


def test_it_takes_under_60_lines():
    source = Path(__file__).with_name("sixth_metric.py").read_text(encoding="utf-8")
    assert len(source.splitlines()) < 60


def test_geometry(rng, library):
    convert = torch.as_tensor if library == "torch" else np.asarray
    a, b = random_correlation(rng, N, 20.0, (2,))
    vector = 0.3 * random_hollow(rng, N)
    z_a, z_b = fisher_z(a), fisher_z(b)
    start, end, velocity = convert(a), convert(b), convert(vector)

    dist = METRIC.dist(start, end)
    np.testing.assert_allclose(dist, np.linalg.norm(z_a - z_b), rtol=1e-12)
    np.testing.assert_allclose(METRIC.exp(METRIC.log(end, start), start), b, atol=1e-12)
    middle = METRIC.geodesic(start, end)(0.5)[0]
    np.testing.assert_allclose(
        fisher_z(np.asarray(middle)), (z_a + z_b) / 2, atol=1e-12
    )
    moved = derivative(fisher_z, a, vector)
    np.testing.assert_allclose(METRIC.norm(velocity, start), np.linalg.norm(moved))
    carried = METRIC.parallel_transport(velocity, start, end_point=end)
    np.testing.assert_allclose(derivative(fisher_z, b, np.asarray(carried)), moved)


def test_second_derivative(rng):
    z, w = np.tril(rng.standard_normal((2, N, N)), -1)
    actual = METRIC.diffeo.inverse_second_tangent(w, z)
    expected = second_derivative(METRIC.diffeo.inverse, z, w)
    np.testing.assert_allclose(actual, expected, atol=1e-8)
    # Christoffel symbols follow, and with them the equation of geodesics.
    point = random_correlation(rng, N, 20.0)
    velocity = kernels.pack_strictly_lower(0.3 * random_hollow(rng, N))
    symbols = METRIC.christoffels(point)
    tangent = kernels.unpack_strictly_lower(velocity)
    path = METRIC.geodesic(point, initial_tangent_vec=tangent + tangent.T)
    acceleration = second_derivative(lambda t: path(t)[0], np.zeros(1), np.ones(1))
    actual = -np.einsum("kij,i,j", symbols, velocity, velocity)
    expected = kernels.pack_strictly_lower(acceleration)
    np.testing.assert_allclose(actual, expected, atol=1e-6)


def test_statistics(rng):
    points = random_correlation(rng, N, 20.0, (12,))
    labels = np.arange(12) % 2
    z = np.array([fisher_z(point) for point in points])
    mean = frechet_mean(points, SPACE)
    np.testing.assert_allclose(fisher_z(mean), z.mean(axis=0), atol=1e-12)
    streamed = StreamingMean(SPACE).partial_fit(points[:5]).partial_fit(points[5:])
    np.testing.assert_allclose(streamed.estimate_, mean, atol=1e-12)
    assert SPACE.belongs(geometric_median(points, SPACE))
    assert 0.0 < equal_means_test(points, labels, SPACE, rng=0).p_value <= 1.0
    coords = ToCoords(metric=SPACE).fit_transform(points)
    expected = np.linalg.norm(z - z.mean(axis=0), axis=(1, 2))
    np.testing.assert_allclose(np.linalg.norm(coords, axis=1), expected)
    pga = PrincipalGeodesicAnalysis(n_components=2, metric=SPACE).fit(points)
    assert pga.inverse_transform(pga.transform(points)).shape == points.shape


def test_layers(rng):
    points = torch.as_tensor(random_correlation(rng, N, 20.0, (5, 3)))
    small = FullRankCorrelationMatrices(3, equip=PartialCorrelationMetric)
    mlr = CorMLR(SPACE, 2, in_channels=3, dtype=torch.float64)
    torch.nn.init.normal_(mlr.gamma)
    z = np.array([[fisher_z(c) for c in channels] for channels in points.numpy()])
    normals = kernels.unpack_strictly_lower(mlr.weight.detach().numpy())
    lengths = np.linalg.norm(normals, axis=(-2, -1))
    expected = np.einsum("bcij,kcij->bk", z, normals)
    expected = expected - (mlr.gamma.detach().numpy() * lengths).sum(axis=-1)
    np.testing.assert_allclose(mlr(points).detach(), expected, atol=1e-12)

    fc = CorFC(SPACE, small, in_channels=3, dtype=torch.float64)
    regression = CorMLR(SPACE, 3, in_channels=3, dtype=torch.float64)
    regression.load_state_dict(fc.state_dict())
    coords = small.metric.to_coords(fc(points))
    torch.testing.assert_close(coords, regression(points))
    conv = CorChannelConv(SPACE, small, 3, 2, kernel_size=2, dtype=torch.float64)
    assert conv(points).shape == (5, 4, 3, 3)

    model = CorNet(SPACE, small, 2, in_channels=3, mlr="olm", dtype=torch.float64)
    torch.nn.functional.cross_entropy(model(points), torch.arange(5) % 2).backward()
    assert all(torch.isfinite(p.grad).all() for p in model.parameters())
