"""Logistic regressions of SPD matrices, flat and affine-invariant."""

import numpy as np
import pytest
import torch
from geomstats.geometry.spd_matrices import (
    SPDAffineMetric,
    SPDLogEuclideanMetric,
    SPDMatrices,
)
from scipy.linalg import expm, logm

from cornet_nn import CorMLR
from cornet_nn.spaces import SPDMatrices as EquippedSPDMatrices
from geomstats_cor.exceptions import ParameterError

N = 4


def covariances(number=5, seed=0):
    rng = np.random.default_rng(seed)
    signal = rng.standard_normal((number, N, 9))
    return signal @ signal.swapaxes(-1, -2) / 9.0


def randomised(layer, seed=1):
    generator = torch.Generator().manual_seed(seed)
    with torch.no_grad():
        for parameter in layer.parameters():
            parameter.copy_(torch.randn(parameter.shape, generator=generator))
    return layer.double()


def symmetric(packed):
    """Return the symmetric matrices with given lower entries."""
    rows, columns = np.tril_indices(N)
    matrix = np.zeros((len(packed), N, N))
    matrix[:, rows, columns] = packed
    matrix[:, columns, rows] = packed
    return matrix


def normals_of(layer):
    weight = layer.weight.detach()[:, 0]
    return layer.hyperplanes_in.to_normal(weight).numpy()


def logits_of(layer, given):
    with torch.no_grad():
        return layer(torch.tensor(given)).numpy()


def test_log_euclidean_logits_by_hand():
    given = covariances()
    layer = randomised(CorMLR(EquippedSPDMatrices(N, equip="lem"), 3))
    normals = symmetric(normals_of(layer))
    gamma = layer.gamma.detach().numpy()[:, 0]
    for point, logits in zip(given, logits_of(layer, given), strict=True):
        products = (logm(point) * normals).sum((-2, -1))
        expected = products - gamma * np.sqrt((normals**2).sum((-2, -1)))
        np.testing.assert_allclose(logits, expected, rtol=1e-10)


def test_log_cholesky_logits_by_hand():
    given = covariances()
    layer = randomised(CorMLR(EquippedSPDMatrices(N, equip="lcm"), 3))
    normals = symmetric(normals_of(layer))
    gamma = layer.gamma.detach().numpy()[:, 0]
    half = np.tril(normals, -1) + 0.5 * np.eye(N) * normals
    for point, logits in zip(given, logits_of(layer, given), strict=True):
        factor = np.linalg.cholesky(point)
        chart = np.tril(factor, -1) + np.diag(np.log(np.diag(factor)))
        lengths = np.sqrt((half**2).sum((-2, -1)))
        expected = (chart * half).sum((-2, -1)) - gamma * lengths
        np.testing.assert_allclose(logits, expected, rtol=1e-10)


@pytest.mark.parametrize("metric", ["lem", "lcm"])
def test_coordinates_are_an_isometry_for_the_metric_of_geomstats(metric):
    """Distances, and products of tangent vectors at the identity."""
    given = covariances()
    space = EquippedSPDMatrices(N, equip=metric)
    coords = space.metric.to_coords(torch.tensor(given)).numpy()
    lengths = np.linalg.norm(coords[1:] - coords[0], axis=-1)
    expected = np.sqrt(space.metric.squared_dist(given[1:], given[0]))
    np.testing.assert_allclose(lengths, expected, rtol=1e-10)
    rng = np.random.default_rng(3)
    packed = rng.standard_normal((2, space.dim))
    pushed = space.metric.hyperplanes().to_weight(torch.tensor(packed)).numpy()
    vectors = symmetric(packed)
    expected = space.metric.inner_product(vectors[0], vectors[1], np.eye(N))
    assert pushed[0] @ pushed[1] == pytest.approx(float(expected), rel=1e-10)


def test_the_log_euclidean_metric_is_that_of_geomstats():
    assert isinstance(EquippedSPDMatrices(N, equip="lem").metric, SPDLogEuclideanMetric)
    with pytest.raises(ParameterError, match="'lem', 'lcm', 'aim'"):
        EquippedSPDMatrices(N, equip="affine")


def test_affine_invariant_logits_are_those_of_the_definition():
    """Log, parallel transport and product of geomstats, matrix by matrix."""
    given = covariances()
    layer = randomised(CorMLR(EquippedSPDMatrices(N, equip="aim"), 3))
    space = SPDMatrices(N, equip=False)
    space.equip_with_metric(SPDAffineMetric)
    identity = np.eye(N)
    normals = layer.normals().detach().numpy()[:, 0]
    gamma = layer.gamma.detach().numpy()[:, 0]
    for point, logits in zip(given, logits_of(layer, given), strict=True):
        for logit, normal, offset in zip(logits, normals, gamma, strict=True):
            foot = expm(offset * normal / np.linalg.norm(normal))
            carried = space.metric.parallel_transport(normal, identity, end_point=foot)
            log = space.metric.log(point, foot)
            expected = space.metric.inner_product(log, carried, foot)
            assert logit == pytest.approx(float(expected), rel=1e-8)


def test_affine_invariant_weights_are_orthonormal_coordinates():
    layer = randomised(CorMLR(EquippedSPDMatrices(N, equip="aim"), 3))
    lengths = layer.normals().square().sum((-2, -1)).sqrt()
    torch.testing.assert_close(lengths, layer.weight.square().sum(-1).sqrt())


def test_affine_invariant_gradients():
    layer = randomised(CorMLR(EquippedSPDMatrices(N, equip="aim"), 2))
    given = torch.tensor(covariances(2))

    def logits(weight, gamma):
        parameters = dict(weight=weight, gamma=gamma)
        return torch.func.functional_call(layer, parameters, given)

    arguments = [
        p.detach().clone().requires_grad_() for p in (layer.weight, layer.gamma)
    ]
    assert torch.autograd.gradcheck(logits, arguments)


@pytest.mark.parametrize("metric", ["lem", "lcm"])
def test_flat_regressions_learn(metric):
    torch.manual_seed(0)
    scale = torch.tensor([1.0, 3.0]).repeat(10)[:, None, None]
    given = scale * torch.tensor(covariances(20)).float()
    labels = torch.tensor([0, 1]).repeat(10)
    layer = CorMLR(EquippedSPDMatrices(N, equip=metric), 2)
    optimizer = torch.optim.Adam(layer.parameters(), lr=0.1)
    for _ in range(60):
        optimizer.zero_grad()
        torch.nn.functional.cross_entropy(layer(given), labels).backward()
        optimizer.step()
    assert (layer(given).argmax(-1) == labels).float().mean() > 0.9
