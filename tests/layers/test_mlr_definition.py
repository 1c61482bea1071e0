"""The logit is the signed distance to a hyperplane, found by a search over it."""

import numpy as np
import pytest
import torch
from kernels.matrices import random_correlation
from scipy.optimize import minimize

from cornet_nn import CorMLR
from geomstats_cor import kernels

from . import ball
from .networks import FLAT, PRODUCTS, points, randomised, space_of


def infimum(function, dim, step=1e-6):
    """Return the least value of a function of stacks of vectors, by a search."""

    def value_and_slope(x):
        shifts = step * np.concatenate([np.eye(dim), -np.eye(dim)])
        values = function(np.concatenate([x[None], x + shifts]))
        slope = (values[1 : dim + 1] - values[dim + 1 :]) / (2.0 * step)
        return float(values[0]), slope

    return minimize(value_and_slope, np.zeros(dim), jac=True, tol=1e-8).fun


every_product = pytest.mark.parametrize("name", PRODUCTS)


def parameters_of(layer, hyperplane):
    """Return the normal as a matrix, and the offset, of a layer of one channel."""
    normal = layer.normals()[hyperplane, 0].detach().numpy()
    return normal, float(layer.gamma[hyperplane, 0].detach())


def hyperplane_point_and_normal(metric, normal, offset):
    """Return P = Exp_I(gamma Z / |Z|) and A, the transport of Z from I to P."""
    identity = np.eye(len(normal))
    unit = normal / metric.norm(normal, identity)
    point = metric.exp(offset * unit, identity)
    return point, metric.parallel_transport(normal, identity, end_point=point)


def orthogonal_complement(metric, normal, point):
    """Return a basis of the tangent vectors at a point orthogonal to a normal."""
    rows, columns = np.tril_indices(len(point), -1)
    basis = np.zeros((len(rows), *point.shape))
    basis[np.arange(len(rows)), rows, columns] = 1.0
    basis = basis + basis.mT
    products = metric.inner_product(basis, normal, point)
    null = np.linalg.svd(products[None])[2][1:]
    return np.tensordot(null, basis, axes=1)


@every_product
@pytest.mark.parametrize("n", [3, 4])
def test_logit_is_sign_times_norm_times_infimum(name, n):
    torch.manual_seed(n)
    space = space_of(name, n)
    metric = space.metric
    layer = randomised(CorMLR(space, num_classes=2, dtype=torch.float64))
    target = random_correlation(np.random.default_rng(n), n, 20.0)
    for hyperplane, logit in enumerate(layer(torch.as_tensor(target)).tolist()):
        normal, offset = parameters_of(layer, hyperplane)
        point, moved = hyperplane_point_and_normal(metric, normal, offset)
        directions = orthogonal_complement(metric, moved, point)

        def squared_dists(x, point=point, directions=directions):
            feet = metric.exp(np.tensordot(x, directions, axes=1), point)
            return metric.squared_dist(target, feet)

        found = infimum(squared_dists, len(directions))
        side = metric.inner_product(moved, metric.log(target, point), point)
        length = metric.norm(normal, np.eye(n))
        expected = np.sign(side) * length * np.sqrt(found)
        np.testing.assert_allclose(logit, expected, rtol=1e-6, atol=1e-7)


@pytest.mark.parametrize("dim", [1, 2, 4])
@pytest.mark.parametrize("curvature", [-1.0, -0.3])
def test_logit_in_the_ball_is_sign_times_norm_times_infimum(dim, curvature):
    rng = np.random.default_rng(dim)
    normal, offset = rng.standard_normal(dim), 0.4
    target = 0.5 * rng.standard_normal(dim) / np.sqrt(dim)
    point = ball.exp(np.zeros(dim), offset * normal / np.linalg.norm(normal), curvature)
    across = np.linalg.svd(normal[None])[2][1:]

    def dist(x):
        return ball.dist(target, ball.exp(point, x @ across, curvature), curvature)

    found = dist(np.zeros(dim - 1))
    if dim > 1:
        found = minimize(dist, np.zeros(dim - 1), tol=1e-10).fun
    # The transport from the origin keeps the direction: only its scale changes.
    side = np.dot(normal, ball.log(point, target, curvature))
    length = 2.0 * np.linalg.norm(normal)
    logit = kernels.ball_logits(target, normal[None], np.array([offset]), curvature)
    np.testing.assert_allclose(logit, np.sign(side) * length * found, rtol=1e-7)


@every_product
def test_logit_in_the_inner_product_of_the_metric(name):
    """<phi(C), d phi(Z)> - gamma |d phi(Z)|, summed over channels."""
    space = space_of(name, 5)
    metric = space.metric
    layer = randomised(CorMLR(space, 4, channels=3, dtype=torch.float64))
    given = points(5, (2, 3))
    identity = torch.eye(5, dtype=torch.float64)
    logs = metric.log(given, identity)
    normals = layer.normals().detach()
    products = metric.inner_product(logs[:, None], normals, identity)
    expected = products - layer.gamma * metric.norm(normals, identity)
    torch.testing.assert_close(layer(given), expected.sum(-1), rtol=1e-11, atol=1e-11)


@every_product
def test_at_the_identity_the_logit_is_minus_gamma_times_norm(name):
    space = space_of(name, 5)
    layer = randomised(CorMLR(space, 4, dtype=torch.float64))
    identity = torch.eye(5, dtype=torch.float64)
    norms = space.metric.norm(layer.normals().detach()[:, 0], identity)
    torch.testing.assert_close(layer(identity), -layer.gamma[:, 0] * norms)


@pytest.mark.parametrize("name", PRODUCTS)
def test_permutations(name):
    """OLM and LSM do not see the order of the variables, the others do."""
    layer = randomised(CorMLR(space_of(name, 5), 4, dtype=torch.float64))
    given, order = points(5, (3,)), [3, 0, 4, 2, 1]
    before = layer(given)
    normals = layer.normals()[..., order, :][..., order]
    with torch.no_grad():
        packed = kernels.pack_strictly_lower(normals)
        layer.weight.copy_(layer.hyperplanes_in.to_weight(packed))
    after = layer(given[..., order, :][..., order])
    if name.startswith(("olm", "lsm")):
        torch.testing.assert_close(after, before, rtol=1e-11, atol=1e-11)
    else:
        assert (after - before).abs().max() > 1e-2


@pytest.mark.parametrize("key", FLAT)
def test_the_printed_formulas(key):
    """The theorem on Log-Euclidean MLRs, in Frobenius products of images."""
    space = space_of(key, 5)
    layer = randomised(CorMLR(space, 3, dtype=torch.float64))
    given = points(5, (2,))
    image = space.metric.diffeo(given)
    normals = layer.normals().detach()[:, 0]
    lower = torch.tril(normals)
    moved = {
        "ecm": lower,
        "lecm": lower,
        "olm": normals,
        "lsm": normals - torch.diag_embed(normals.sum(-1)),
    }[key]
    products = (image[:, None] * moved).sum((-2, -1))
    norms = torch.linalg.matrix_norm(moved)
    expected = products - layer.gamma[:, 0] * norms
    torch.testing.assert_close(layer(given), expected, rtol=1e-11, atol=1e-11)


def test_the_logit_of_phcm_is_that_of_the_concatenated_ball():
    layer = randomised(CorMLR(space_of("phcm", 4), 3, channels=2, dtype=torch.float64))
    given = points(4, (2,)).numpy()
    rows = [
        row[:i] / (1.0 + row[i])
        for factor in np.linalg.cholesky(given)
        for i, row in enumerate(factor)
        if i > 0
    ]
    joined = ball.concat(rows, -1.0)
    weight = layer.weight.detach().numpy().reshape(3, -1)
    gamma = layer.gamma.detach().numpy()[:, 0]
    expected = [
        ball.mlr(joined, z, g, -1.0) for z, g in zip(weight, gamma, strict=True)
    ]
    np.testing.assert_allclose(
        layer(torch.as_tensor(given)).detach(), expected, rtol=1e-12
    )
