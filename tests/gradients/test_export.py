"""`torch.export`: a program without Python that computes the same numbers."""

import pytest
import torch

from .operations import OPERATIONS, assert_close, batch_of_arguments

pytestmark = pytest.mark.filterwarnings("ignore:Dynamo detected a call")


class Module(torch.nn.Module):
    def __init__(self, operation):
        super().__init__()
        self.operation = operation

    def forward(self, *tensors):
        return self.operation(*tensors)


def exported(operation, **options):
    """Return the program that an operation becomes for two matrices."""
    example = batch_of_arguments(operation)
    return torch.export.export(Module(operation), example, **options).module()


@pytest.mark.parametrize("name", OPERATIONS)
def test_any_number_of_matrices(name):
    operation = OPERATIONS[name]
    batch = torch.export.Dim("batch", min=2, max=64)
    shapes = tuple({0: batch} for _ in operation.spaces)
    program = exported(operation, dynamic_shapes={"tensors": shapes})
    # Other numbers than those it was traced with, and more of them.
    for size in (2, 5):
        tensors = [x.flip(0) for x in batch_of_arguments(operation, size)]
        assert_close(program(*tensors), operation(*tensors), 1e-12)


@pytest.mark.parametrize("name", ["theta", "off_exp", "log_scaled", "lecm exp"])
def test_fixed_number_of_matrices(name):
    operation = OPERATIONS[name]
    tensors = [x.flip(0) for x in batch_of_arguments(operation)]
    assert_close(exported(operation)(*tensors), operation(*tensors), 1e-12)


def test_one_matrix_and_many():
    """A batch of unknown length meets a single matrix."""
    operation = OPERATIONS["olm log"]
    many, (one, _) = batch_of_arguments(operation)[1], batch_of_arguments(operation)[0]
    shapes = ({0: torch.export.Dim("batch", min=2, max=64)}, {})
    program = torch.export.export(
        Module(operation), (many, one), dynamic_shapes={"tensors": shapes}
    ).module()
    more = batch_of_arguments(operation, 5)[1]
    assert_close(program(more, one), operation(more, one), 1e-12)
