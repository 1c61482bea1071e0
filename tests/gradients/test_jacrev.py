"""Jacobians, by reverse and by forward mode."""

import pytest
import torch

from .operations import (
    OPERATIONS,
    assert_close,
    bases,
    batch_of_arguments,
    difference_quotient,
)


@pytest.mark.parametrize("transform", [torch.func.jacrev, torch.func.jacfwd])
@pytest.mark.parametrize("name", OPERATIONS)
def test_jacobians(name, transform):
    operation = OPERATIONS[name]
    tensors = tuple(x[0] for x in batch_of_arguments(operation, size=1))
    jacobians = transform(operation, tuple(range(len(tensors))))(*tensors)
    for position, (jacobian, basis) in enumerate(
        zip(jacobians, bases(operation, 3), strict=True)
    ):
        # A Jacobian by forward mode has entries outside of the space, too.
        for direction in basis:
            moves = [torch.zeros_like(x) for x in tensors]
            moves[position] = direction
            expected = difference_quotient(operation, tensors, moves)
            assert_close(torch.sum(jacobian * direction, dim=(-2, -1)), expected)
