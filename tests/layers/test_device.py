"""Nothing is created on the CPU on behalf of a layer that is on another device."""

import numpy as np
import pytest
import torch
from backends import elsewhere as device
from torch._subclasses import FakeTensorMode

import cornet_nn as nn

from .networks import KEYS, LAYERS, layer_of, points

if not device.available():
    pytest.skip("this torch has no devices in Python", allow_module_level=True)


def assert_same_elsewhere(module, given):
    """Assert that a module gives there what it gives here."""
    with torch.no_grad():
        expected = module(given)
    with device.elsewhere() as send:
        # Parameters of the device stand in for those of the module.
        state = {**dict(module.named_parameters()), **dict(module.named_buffers())}
        there = {name: send(value.detach()) for name, value in state.items()}
        actual = torch.func.functional_call(module, there, (send(given),))
    assert device.is_elsewhere(actual)
    np.testing.assert_allclose(device.entries(actual), expected.numpy(), rtol=1e-9)


@pytest.mark.parametrize("kind", LAYERS)
@pytest.mark.parametrize("key", KEYS)
def test_layers(kind, key):
    assert_same_elsewhere(layer_of(kind, key), points(4, (3, 2)))


@pytest.mark.parametrize("kind", LAYERS)
@pytest.mark.parametrize("key", KEYS)
def test_gradients_of_layers(kind, key):
    """As fake tensors see it: no entries, but an error where two devices meet."""
    layer, there = layer_of(kind, key), device.device()
    with FakeTensorMode(), torch.autograd.set_multithreading_enabled(False):
        given = torch.empty(3, 2, 4, 4, dtype=torch.float64, device=there)
        learnt, kept = (
            {k: torch.empty(x.shape, dtype=x.dtype, device=there) for k, x in tensors}
            for tensors in (layer.named_parameters(), layer.named_buffers())
        )
        leaves = [x.requires_grad_() for x in (given, *learnt.values())]
        output = torch.func.functional_call(layer, learnt | kept, (given,))
        for gradient in torch.autograd.grad((output * output).sum(), leaves):
            assert gradient.device == there and gradient.dtype == torch.float64


FRONT_ENDS = {
    "radar": (nn.TemporalCovariance(2, 3, 4, 5, dtype=torch.float64), (5, 2, 40)),
    "power": (nn.PowerCorrelation(-0.5, 0.1), (5, 4, 4)),
    "joints": (nn.JointFeatures([1, 2, 0]), (5, 3, 2)),
    "embedding": (nn.GaussianEmbedding(), (5, 9, 2)),
    "pyramid": (nn.TemporalPyramid(3), (5, 16, 3)),
}


@pytest.mark.parametrize("name", FRONT_ENDS)
def test_front_ends(name):
    module, shape = FRONT_ENDS[name]
    torch.manual_seed(0)
    given = torch.randn(shape, dtype=torch.float64)
    if name == "power":
        given = given @ given.mT + torch.eye(4, dtype=torch.float64)
    assert_same_elsewhere(module, given)
