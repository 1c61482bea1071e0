"""Tensors stay on their device and in their type, forward and backward.

The device is one that is computed on the CPU in secret: an operation that meets one of
its tensors together with a tensor of the CPU raises.
"""

import pytest
import torch

from .operations import (
    OPERATIONS,
    assert_close,
    batch_of_arguments,
    gradients,
)

device = pytest.importorskip("backends.elsewhere")

if not device.available():
    pytest.skip("this torch has no devices in Python", allow_module_level=True)


@pytest.mark.parametrize("dtype", [torch.float64, torch.float32])
@pytest.mark.parametrize("name", OPERATIONS)
def test_device_and_type(name, dtype):
    operation = OPERATIONS[name]
    tensors = [x.to(dtype) for x in batch_of_arguments(operation)]
    expected = operation(*tensors)
    slopes = gradients(lambda *x: operation(*x).sum(), tensors)
    # One thread, so that the backward pass is watched as well.
    with device.elsewhere() as send, torch.autograd.set_multithreading_enabled(False):
        with torch.enable_grad():
            leaves = [send(x).requires_grad_() for x in tensors]
            value = operation(*leaves)
            found = torch.autograd.grad(value, leaves, torch.ones_like(value))
    tolerance = 100.0 * torch.finfo(dtype).eps
    assert device.is_elsewhere(value)
    assert value.dtype == dtype
    assert_close(torch.as_tensor(device.entries(value.detach())), expected, tolerance)
    for gradient, slope in zip(found, slopes, strict=True):
        assert device.is_elsewhere(gradient)
        assert gradient.dtype == dtype
        assert_close(torch.as_tensor(device.entries(gradient)), slope, 100 * tolerance)
