"""`torch.export`: a program without Python that computes the same numbers."""

import pytest
import torch

from .operations import (
    MAPS,
    METRIC_OPERATIONS,
    OPERATIONS,
    assert_close,
    batch_of_arguments,
)

pytestmark = pytest.mark.filterwarnings("ignore:Dynamo detected a call")


class Module(torch.nn.Module):
    def __init__(self, operation):
        super().__init__()
        self.operation = operation

    def forward(self, *tensors):
        return self.operation(*tensors)


@pytest.mark.parametrize("name", MAPS | METRIC_OPERATIONS)
def test_export(name):
    operation = OPERATIONS[name]
    tensors = batch_of_arguments(operation)
    program = torch.export.export(Module(operation), tensors).module()
    assert_close(program(*tensors), operation(*tensors), 1e-12)
    # Other numbers than those it was traced with.
    others = tuple(torch.flip(x, dims=(0,)) for x in tensors)
    assert_close(program(*others), operation(*others), 1e-12)


@pytest.mark.parametrize("name", ["theta", "off_exp", "log_scaled"])
def test_any_number_of_matrices(name):
    operation = OPERATIONS[name]
    batch = torch.export.Dim("batch", min=2, max=64)
    program = torch.export.export(
        Module(operation),
        batch_of_arguments(operation),
        dynamic_shapes={"tensors": ({0: batch},)},
    ).module()
    more = batch_of_arguments(operation, size=5)
    assert_close(program(*more), operation(*more), 1e-12)
