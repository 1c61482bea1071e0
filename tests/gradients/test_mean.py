"""Fréchet means are differentiable in points and weights, in every way."""

import numpy as np
import pytest
import torch
from kernels.matrices import random_correlation
from torch.autograd import gradcheck, gradgradcheck

from geomstats_cor import FullRankCorrelationMatrices, frechet_mean
from geomstats_cor import kernels as k

from .operations import KEYS

POINTS = {
    "apart": 1.0,
    "far apart": 3.0,
    "close": 1e-5,
    "coincident": 0.0,
}


def arguments(spread, batch=()):
    """Return points around a common one on the hyperboloid, and weights."""
    rng = np.random.default_rng(8)
    points = 0.5 + spread * rng.standard_normal((*batch, 5, 3))
    weights = rng.uniform(0.5, 1.5, (*batch, 5))
    return torch.as_tensor(points), torch.as_tensor(weights)


def mean(points, weights):
    return k.hyperbolic_mean(points, weights / torch.sum(weights, -1, keepdim=True))


def scalar(points, weights):
    return torch.sum(torch.sin(mean(points, weights)))


@pytest.mark.parametrize("where", POINTS)
def test_first_and_second_derivatives(where):
    leaves = [x.requires_grad_() for x in arguments(POINTS[where])]
    assert gradcheck(mean, leaves)
    assert gradgradcheck(mean, leaves)


@pytest.mark.parametrize("where", POINTS)
def test_forward_mode(where):
    values, moves = arguments(POINTS[where]), arguments(1.0)
    _, found = torch.func.jvp(mean, values, moves)
    jacobians = torch.func.jacrev(mean, (0, 1))(*values)
    expected = sum(
        torch.tensordot(j, v, v.ndim) for j, v in zip(jacobians, moves, strict=True)
    )
    torch.testing.assert_close(found, expected, rtol=1e-12, atol=1e-12)


def test_transforms_see_single_means():
    points, weights = arguments(1.0, (4,))
    single = torch.stack([mean(*pair) for pair in zip(points, weights, strict=True)])
    torch.testing.assert_close(torch.vmap(mean)(points, weights), single)
    leaves = points.clone().requires_grad_(), weights.clone().requires_grad_()
    expected = torch.autograd.grad(scalar(*leaves), leaves)
    found = torch.vmap(torch.func.grad(scalar, (0, 1)))(points, weights)
    torch.testing.assert_close(found, expected)
    compiled = torch.compile(scalar, fullgraph=True, backend="aot_eager")
    torch.testing.assert_close(torch.autograd.grad(compiled(*leaves), leaves), expected)


@pytest.mark.parametrize("key", KEYS)
def test_means_of_correlation_matrices(key):
    rng = np.random.default_rng(9)
    space = FullRankCorrelationMatrices(4, equip=key)
    points = torch.as_tensor(random_correlation(rng, 4, 10.0, (5,)))
    weights = torch.as_tensor(rng.uniform(0.5, 1.5, 5)).requires_grad_()
    vectors = torch.as_tensor(rng.standard_normal((5, 4, 4)))
    vectors = (vectors + vectors.mT) * (1.0 - torch.eye(4, dtype=torch.float64))

    def along(times, weights):
        moved = points + times[:, None, None] * vectors
        return frechet_mean(moved, space, weights)

    times = torch.zeros(5, dtype=torch.float64, requires_grad=True)
    assert gradcheck(along, (times, weights))
    assert gradgradcheck(along, (times, weights), fast_mode=True)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_gradients_are_finite_and_keep_their_type(dtype):
    for spread in POINTS.values():
        leaves = [x.to(dtype).requires_grad_() for x in arguments(spread)]
        for gradient in torch.autograd.grad(scalar(*leaves), leaves):
            assert gradient.dtype == dtype
            assert torch.all(torch.isfinite(gradient))
