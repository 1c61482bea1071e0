"""Half precision is computed in single precision, and returned in its own type."""

import pytest
import torch

from .operations import OPERATIONS, batch_of_arguments, gradients, weighted


@pytest.mark.parametrize("half", [torch.float16, torch.bfloat16])
@pytest.mark.parametrize("name", OPERATIONS)
def test_half_precision(name, half):
    operation = OPERATIONS[name]
    tensors = [x.to(half) for x in batch_of_arguments(operation)]
    singles = [x.float() for x in tensors]
    value = operation(*tensors)
    assert value.dtype == half
    assert torch.equal(value, operation(*singles).to(half))
    found = gradients(lambda *x: operation(*x).sum(dtype=torch.float32), tensors)
    expected = gradients(lambda *x: operation(*x).sum(), singles)
    for actual, single in zip(found, expected, strict=True):
        assert actual.dtype == half
        assert torch.all(torch.isfinite(actual))
        # Where an argument is used twice, its gradients are added in half precision.
        size = torch.max(torch.abs(single))
        error = torch.max(torch.abs(actual.float() - single))
        assert error <= 2.0 * torch.finfo(half).eps * size


@pytest.mark.parametrize("dtype", [torch.float64, torch.float32])
@pytest.mark.parametrize("name", OPERATIONS)
def test_nothing_is_cast(name, dtype):
    operation = OPERATIONS[name]
    tensors = [x.to(dtype) for x in batch_of_arguments(operation)]
    assert operation(*tensors).dtype == dtype
    assert all(x.dtype == dtype for x in gradients(weighted(operation), tensors))
