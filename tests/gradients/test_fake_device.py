"""Nothing is created on another device, as fake tensors see it.

They have a shape, a type and a device, and no entries. The device is one that nothing
can be computed on, and an operation that mixes it with another one raises. Code that
looks at entries takes the way it takes under torch.compile; `test_device` goes the
other way, on entries.
"""

import pytest
import torch
from torch._subclasses import FakeTensorMode
from torch._subclasses.fake_tensor import FakeTensorDeviceMismatchError

from .operations import OPERATIONS, batch_of_arguments

elsewhere = pytest.importorskip("backends.elsewhere")

if not elsewhere.available():
    pytest.skip("this torch has no devices in Python", allow_module_level=True)


@pytest.fixture
def device():
    """Return a device on which every tensor is fake."""
    there = elsewhere.device()
    # One thread, so that the backward pass is watched as well.
    with FakeTensorMode(), torch.autograd.set_multithreading_enabled(False):
        yield there


@pytest.mark.parametrize("dtype", [torch.float64, torch.float32])
@pytest.mark.parametrize("name", OPERATIONS)
def test_device_and_type(name, dtype, device):
    operation = OPERATIONS[name]
    leaves = [
        torch.empty_like(x, dtype=dtype, device=device).requires_grad_()
        for x in batch_of_arguments(operation)
    ]
    value = operation(*leaves)
    slopes = torch.autograd.grad(
        value, leaves, torch.ones_like(value), create_graph=True
    )
    curvatures = torch.autograd.grad(sum(torch.sum(x**2) for x in slopes), leaves)
    for tensor in (value, *slopes, *curvatures):
        assert tensor.device == device
        assert tensor.dtype == dtype


def test_the_device_notices_the_cpu(device):
    point = torch.empty(3, 3, device=device, requires_grad=True)
    with pytest.raises(FakeTensorDeviceMismatchError):
        point @ torch.eye(3)
    with pytest.raises(FakeTensorDeviceMismatchError):
        torch.linalg.solve_triangular(point, torch.eye(3), upper=False)

    class Careless(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return 2.0 * x

        @staticmethod
        def backward(ctx, cotangent):
            return cotangent @ (2.0 * torch.eye(3))

    value = Careless.apply(point)
    with pytest.raises(FakeTensorDeviceMismatchError):
        torch.autograd.grad(value, point, torch.ones_like(value))
