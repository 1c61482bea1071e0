"""Tensors stay on their device, forward, backward and twice so.

The device is one that is computed on the CPU in secret: an operation that meets one of
its tensors together with a tensor of the CPU raises. `test_fake_device` has the other
precision, and the ways that are taken where there are no entries to look at.
"""

import pytest
import torch

from .operations import OPERATIONS, assert_close, batch_of_arguments

device = pytest.importorskip("backends.elsewhere")

if not device.available():
    pytest.skip("this torch has no devices in Python", allow_module_level=True)


def derivatives(operation, tensors):
    """Return the value of an operation, a gradient, and a gradient of that."""
    leaves = [x.requires_grad_() for x in tensors]
    value = operation(*leaves)
    ones = torch.ones_like(value)
    slopes = torch.autograd.grad(value, leaves, ones, create_graph=True)
    curvatures = torch.autograd.grad(sum(torch.sum(x**2) for x in slopes), leaves)
    return [x.detach() for x in (value, *slopes, *curvatures)]


@pytest.mark.parametrize("name", OPERATIONS)
def test_device_and_type(name):
    operation = OPERATIONS[name]
    tensors = batch_of_arguments(operation)
    expected = derivatives(operation, [x.clone() for x in tensors])
    # One thread, so that the backward passes are watched as well.
    with device.elsewhere() as send, torch.autograd.set_multithreading_enabled(False):
        with torch.enable_grad():
            found = derivatives(operation, [send(x) for x in tensors])
    for there, here in zip(found, expected, strict=True):
        assert device.is_elsewhere(there)
        assert there.dtype == here.dtype
        assert_close(torch.as_tensor(device.entries(there)), here, 1e-12)
