"""Activations in the tangent space at the origin."""

import numpy as np
import pytest
import torch

from cornet_nn import TangentActivation
from geomstats_cor import kernels
from geomstats_cor.exceptions import ShapeError

from .networks import KEYS, PRODUCTS, points, space_of

FUNCTIONS = [torch.relu, torch.tanh, torch.sigmoid, lambda x: 0.5 * x]


@pytest.mark.parametrize("name", PRODUCTS)
@pytest.mark.parametrize("function", FUNCTIONS)
def test_exp_of_function_of_log(name, function):
    metric = space_of(name, 4).metric
    given = points(4, (3,))
    identity = torch.eye(4, dtype=torch.float64)
    log = metric.log(given, identity)
    moved = function(log).masked_fill(torch.eye(4, dtype=bool), 0.0)
    expected = metric.exp(moved, identity)
    actual = TangentActivation(space_of(name, 4), function)(given)
    torch.testing.assert_close(actual, expected, rtol=1e-10, atol=1e-11)


@pytest.mark.parametrize("function", FUNCTIONS)
def test_in_the_concatenated_ball(function):
    """Log at 0 of the beta-concatenated rows, the function, and all the way back."""
    given = points(4, (3,))
    factor = torch.linalg.cholesky(given)
    rows = [factor[:, i, :i] / (1.0 + factor[:, i, i : i + 1]) for i in (1, 2, 3)]
    moved = function(kernels.ball_log(kernels.ball_concat(rows)))
    parts = kernels.ball_split(kernels.ball_exp(moved), (1, 2, 3))
    lower = torch.zeros_like(given)
    lower[:, 0, 0] = 1.0
    for i, y in zip((1, 2, 3), parts, strict=True):
        square = (y * y).sum(-1, keepdim=True)
        lower[:, i, : i + 1] = torch.cat([2 * y, 1 - square], -1) / (1 + square)
    actual = TangentActivation(space_of("phcm", 4), function)(given)
    torch.testing.assert_close(actual, lower @ lower.mT, rtol=1e-10, atol=1e-11)


@pytest.mark.parametrize("key", KEYS)
def test_the_identity_is_the_identity(key):
    given = points(4, (2, 3, 2))
    layer = TangentActivation(space_of(key, 4), torch.nn.Identity())
    torch.testing.assert_close(layer(given), given, rtol=1e-11, atol=1e-12)
    assert "function=Identity" in repr(layer)
    with pytest.raises(ShapeError, match="n = 4"):
        layer(points(3))
    single = layer(given[0, 0, 0])
    np.testing.assert_allclose(single, given[0, 0, 0], atol=1e-11)
