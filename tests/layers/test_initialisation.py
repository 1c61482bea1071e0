"""Logits after initialisation are of the size that the documentation states."""

import numpy as np
import pytest
import torch
from kernels.matrices import autoregressive, scaled_to_unit_diagonal

from cornet_nn import CorFC, CorMLR, CorNet
from geomstats_cor import FullRankCorrelationMatrices

from .networks import KEYS, PRODUCTS, points, space_of

SIZES = (3, 10, 30, 100, 300)


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


@pytest.mark.parametrize("channels", [1, 4])
@pytest.mark.parametrize("key", KEYS)
@pytest.mark.parametrize("name", INPUTS)
def test_logits_are_of_order_one_for_any_size(key, name, channels):
    torch.manual_seed(0)
    rng = np.random.default_rng(0)
    spreads = []
    for n in SIZES:
        given = torch.as_tensor(INPUTS[name](n, rng))[:channels]
        layer = CorMLR(space_of(key, n), 300, channels, dtype=torch.float64)
        with torch.no_grad():
            spreads.append(float(layer(given[None]).std()))
    assert 0.05 < min(spreads) and max(spreads) < 6.0, spreads
    # Thirty times as many variables, and no trend that goes on.
    assert max(spreads[1:]) < 5.0 * min(spreads[1:]), spreads


@pytest.mark.parametrize("name", PRODUCTS)
def test_the_standard_deviation_is_the_length_of_coordinates_per_variable(name):
    torch.manual_seed(1)
    space = space_of(name, 6)
    given = points(6, (3,))
    layer = CorMLR(space, 20000, channels=3, dtype=torch.float64)
    logits = layer(given[None]).detach()
    expected = (space.metric.to_coords(given).square().sum() / (6 * 3)).sqrt()
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


def test_the_network_is_drawn_anew():
    """With the gain of its convolution, which no other way of drawing forgets."""
    torch.manual_seed(0)
    model = CorNet(6, 4, 2, metric="olm", gain=0.01, normalize="coordinates")
    drawn = {name: value.clone() for name, value in model.state_dict().items()}
    model.norm.fit(torch.randn(4, 1, 15))
    assert not torch.equal(model.norm.running_mean, drawn["norm.running_mean"])
    torch.manual_seed(0)
    model.reset_parameters()
    for name, value in model.state_dict().items():
        torch.testing.assert_close(value, drawn[name])
    torch.manual_seed(0)
    for module in model.modules():
        if module is not model and hasattr(module, "reset_parameters"):
            module.reset_parameters()
    for name, value in model.state_dict().items():
        torch.testing.assert_close(value, drawn[name])


def test_parameters_that_were_on_no_device():
    model = CorNet(6, 4, 2, metric="olm", normalize="coordinates", device="meta")
    model = model.to_empty(device="cpu")
    for value in model.state_dict().values():
        value.fill_(torch.nan if value.is_floating_point() else 7)
    model.reset_parameters()
    assert all(value.isfinite().all() for value in model.state_dict().values())
    assert int(model.norm.num_batches_tracked) == 0
