"""Tensors stay on their device and in their type, forward and backward.

Fake tensors have a device and no entries, and an operation that meets two devices
raises. The device is one that no other tensor is on by accident.
"""

import contextlib

import pytest
import torch
from torch._subclasses import FakeTensorMode
from torch.utils import backend_registration

from .operations import OPERATIONS, batch_of_arguments

if not hasattr(backend_registration, "_setup_privateuseone_for_python_backend"):
    pytest.skip("this torch has no devices in Python", allow_module_level=True)

_NAME = "elsewhere"


@contextlib.contextmanager
def fakes():
    """Yield a function that makes tensors without entries on another device."""
    if torch._C._get_privateuse1_backend_name() != _NAME:
        backend_registration._setup_privateuseone_for_python_backend(_NAME)
    # Numbers become tensors of the device step by step, and fake ones.
    before = torch._C._only_lift_cpu_tensors()
    torch._C._set_only_lift_cpu_tensors(True)
    try:
        with FakeTensorMode():
            yield lambda x, dtype: torch.empty(
                x.shape, dtype=dtype, device=torch.device(_NAME, 0), requires_grad=True
            )
    finally:
        torch._C._set_only_lift_cpu_tensors(before)


def test_the_device_notices_the_cpu():
    with fakes() as fake:
        away = fake(torch.eye(3, device="meta"), torch.float64)
        with pytest.raises(Exception, match="device"):
            away + torch.eye(3, dtype=torch.float64)


@pytest.mark.parametrize("dtype", [torch.float64, torch.float32])
@pytest.mark.parametrize("name", OPERATIONS)
def test_device_and_type(name, dtype):
    operation = OPERATIONS[name]
    shapes = batch_of_arguments(operation)
    with fakes() as fake:
        leaves = [fake(x, dtype) for x in shapes]
        value = operation(*leaves)
        found = torch.autograd.grad(value.sum(), leaves, create_graph=True)
        again = torch.autograd.grad(
            sum(x.sum() for x in found), leaves, allow_unused=True
        )
        for tensor in (value, *found, *(x for x in again if x is not None)):
            assert tensor.device.type == _NAME
            assert tensor.dtype == dtype
        assert [x.shape for x in found] == [x.shape for x in leaves]
