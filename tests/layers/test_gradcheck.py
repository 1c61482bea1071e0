"""First derivatives against difference quotients, in all parameters and the input."""

import pytest
import torch
from torch.autograd import gradcheck
from torch.func import functional_call

from .networks import KEYS, LAYERS, PLACES, hollow, layer_of

every_layer = pytest.mark.parametrize("kind", LAYERS)
every_metric = pytest.mark.parametrize("key", KEYS)
every_place = pytest.mark.parametrize("where", PLACES)


@every_layer
@every_metric
@every_place
def test_gradcheck(kind, key, where):
    layer = layer_of(kind, key)
    point = torch.as_tensor(PLACES[where])
    names = [name for name, _ in layer.named_parameters()]

    def function(entries, *parameters):
        parameters = dict(zip(names, parameters, strict=True))
        return functional_call(layer, parameters, (point + hollow(entries),))

    entries = torch.zeros(2, 6, dtype=torch.float64, requires_grad=True)
    leaves = [p.detach().clone().requires_grad_() for p in layer.parameters()]
    assert gradcheck(
        function, (entries, *leaves), eps=1e-6, atol=1e-6, rtol=1e-6, fast_mode=True
    )


@every_layer
@every_metric
@every_place
def test_no_nan_in_single_precision(kind, key, where):
    layer = layer_of(kind, key, dtype=torch.float32)
    point = torch.as_tensor(PLACES[where]).float().requires_grad_()
    output = layer(point)
    assert output.dtype == torch.float32
    gradients = torch.autograd.grad((output**2).sum(), [point, *layer.parameters()])
    assert torch.isfinite(output).all()
    assert all(torch.isfinite(gradient).all() for gradient in gradients)


@every_metric
@pytest.mark.parametrize("kind", ["mlr", "fc", "conv"])
def test_null_normals(kind, key):
    """The length of a normal has no derivative at zero; that must not spread."""
    layer = layer_of(kind, key)
    with torch.no_grad():
        layer.weight.zero_()
    output = layer(torch.as_tensor(PLACES["generic"]))
    (output**2).sum().backward()
    assert torch.isfinite(output).all()
    assert torch.isfinite(layer.weight.grad).all()
    assert torch.isfinite(layer.gamma.grad).all()


def test_a_network_that_ran_away_has_numbers_still():
    """Hidden distances of a thousand, in single precision: coordinates carry them."""
    layer = layer_of("cornet", "phcm", dtype=torch.float32)
    with torch.no_grad():
        layer.conv.weight.mul_(1e3)
    point = torch.as_tensor(PLACES["generic"]).float().requires_grad_()
    output = layer(point)
    gradients = torch.autograd.grad(output.sum(), [point, *layer.parameters()])
    assert torch.isfinite(output).all()
    assert all(torch.isfinite(gradient).all() for gradient in gradients)
