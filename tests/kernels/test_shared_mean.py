"""Means of the same points under many weights are those under each of them."""

import numpy as np
import pytest
from strategies import equipped

from geomstats_cor import frechet_mean
from geomstats_cor.kernels import hyperbolic_mean
from geomstats_cor.kernels.hyperbolic_shared_mean import hyperbolic_means


@pytest.mark.parametrize("scale", [1e-6, 0.5, 3.0])
@pytest.mark.parametrize("dimension", [1, 2, 6])
def test_means_of_every_kind_of_weights(rng, scale, dimension):
    points = scale * rng.standard_normal((3, 15, dimension))
    points[1] += 5.0 * scale  # far from the origin
    weights = rng.multinomial(15, np.full(15, 1 / 15), 20).astype(float)
    decay = np.exp(-np.abs(np.subtract.outer(np.arange(15), np.arange(15))) / 0.7)
    weights = np.concatenate([weights, np.eye(15)[:4], decay])
    weights /= weights.sum(axis=1, keepdims=True)
    means = hyperbolic_means(points, weights)
    expected = hyperbolic_mean(points[None], weights[:, None, :])
    size = 1.0 + np.max(np.abs(points))
    np.testing.assert_allclose(means, expected, atol=1e-14 * size**2, rtol=1e-13)


def test_pieces_are_joined(rng, monkeypatch):
    points, weights = rng.standard_normal((2, 9, 3)), rng.uniform(size=(7, 9))
    weights /= weights.sum(axis=1, keepdims=True)
    together = hyperbolic_means(points, weights)
    monkeypatch.setattr("geomstats_cor.kernels._batching._CACHE_BYTES", 8 * 2 * 9 * 2)
    np.testing.assert_allclose(hyperbolic_means(points, weights), together, rtol=1e-14)


def test_what_does_not_converge_is_solved_one_by_one(rng, monkeypatch):
    points, weights = rng.standard_normal((2, 9, 3)), rng.uniform(size=(4, 9))
    weights /= weights.sum(axis=1, keepdims=True)
    expected = hyperbolic_mean(points[None], weights[:, None, :])
    name = "geomstats_cor.kernels.hyperbolic_shared_mean._CORRECTIONS"
    monkeypatch.setattr(name, 1)
    np.testing.assert_allclose(hyperbolic_means(points, weights), expected, rtol=1e-13)


def test_torch_tensors_and_their_gradients(rng):
    torch = pytest.importorskip("torch")
    space = equipped(4, "phcm")
    points = torch.as_tensor(space.random_point(8, rng=rng))
    weights = torch.as_tensor(rng.uniform(size=(5, 8)))
    many = frechet_mean(points, space, weights)
    each = torch.stack([frechet_mean(points, space, w) for w in weights])
    torch.testing.assert_close(many, each, rtol=1e-12, atol=1e-13)
    traced = weights.clone().requires_grad_()
    frechet_mean(points, space, traced).sum().backward()
    assert bool(torch.all(torch.isfinite(traced.grad))) and traced.grad.any()
