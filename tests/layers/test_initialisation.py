"""Logits after initialisation are of the size that the documentation states."""

import numpy as np
import pytest
import torch
from kernels.matrices import autoregressive, scaled_to_unit_diagonal

from cornet_nn import CorFC, CorMLR
from geomstats_cor import FullRankCorrelationMatrices

from .networks import KEYS, PRODUCTS, points, space_of

SIZES = (3, 10, 30, 100)


def factor_model(n, rng):
    """Return correlation matrices of variables that share three factors."""
    loadings = rng.standard_normal((4, n, 3))
    return scaled_to_unit_diagonal(loadings @ loadings.mT + 2.0 * np.eye(n))


INPUTS = {
    "uniform": lambda n, rng: FullRankCorrelationMatrices(n, equip=False).random_point(
        4, rng=rng
    ),
    "factors": factor_model,
    "autoregressive": lambda n, rng: np.stack([autoregressive(n, 0.7)] * 4),
}


@pytest.mark.parametrize("key", KEYS)
@pytest.mark.parametrize("name", INPUTS)
def test_logits_are_of_order_one_for_any_size(key, name):
    torch.manual_seed(0)
    rng = np.random.default_rng(0)
    for n in SIZES:
        for channels in (1, 4):
            given = torch.as_tensor(INPUTS[name](n, rng))[:channels]
            layer = CorMLR(space_of(key, n), 300, channels, dtype=torch.float64)
            spread = float(layer(given[None]).detach().std())
            assert 0.05 < spread < 3.0, (n, channels, spread)


@pytest.mark.parametrize("name", PRODUCTS)
def test_the_standard_deviation_is_the_root_mean_square_of_coordinates(name):
    torch.manual_seed(1)
    space = space_of(name, 6)
    given = points(6, (3,))
    layer = CorMLR(space, 20000, channels=3, dtype=torch.float64)
    logits = layer(given[None]).detach()
    expected = space.metric.to_coords(given).square().mean().sqrt()
    assert float(logits.std()) == pytest.approx(float(expected), rel=0.03)
    assert abs(float(logits.mean())) < 0.05 * float(expected)


@pytest.mark.parametrize("key", KEYS)
@pytest.mark.parametrize("n, m", [(10, 5), (30, 10), (10, 30)])
def test_outputs_are_as_large_as_inputs(key, n, m):
    """Root mean squares of coordinates, or of the lengths of rows."""
    torch.manual_seed(2)
    space_in, space_out = space_of(key, n), space_of(key, m)
    given = torch.as_tensor(factor_model(n, np.random.default_rng(0)))
    layer = CorFC(space_in, space_out, dtype=torch.float64)
    output = space_out.metric.to_coords(layer(given))
    entering = space_in.metric.to_coords(given)
    ratio = output.square().mean(-1).sqrt() / entering.square().mean(-1).sqrt()
    if key == "phcm":  # a row of length k has k entries for one distance
        ratio = ratio * ((m - 1) / (n - 1)) ** 0.5
    assert 0.3 < float(ratio.mean().detach()) < 2.0


def test_offsets_are_null_and_draws_differ():
    layer = CorMLR(space_of("olm", 5), 3)
    assert not layer.gamma.any()
    before = layer.weight.detach().clone()
    layer.reset_parameters()
    assert not torch.equal(before, layer.weight)
    torch.manual_seed(5)
    layer.reset_parameters()
    again = layer.weight.detach().clone()
    torch.manual_seed(5)
    layer.reset_parameters()
    assert torch.equal(again, layer.weight)
