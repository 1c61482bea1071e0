"""`torch.func.hessian`, forward over reverse, against differences of gradients."""

import pytest
import torch

from .operations import (
    OPERATIONS,
    assert_close,
    batch_of_arguments,
    difference_quotient,
    directions,
    gradients,
    weighted,
)


@pytest.mark.parametrize("name", OPERATIONS)
def test_hessian(name):
    operation = OPERATIONS[name]
    function = weighted(operation)
    tensors = tuple(x[0] for x in batch_of_arguments(operation, size=1))
    moves = tuple(x[0] for x in directions(operation, size=1))
    positions = tuple(range(len(tensors)))
    hessian = torch.func.hessian(function, positions)(*tensors)
    for row in positions:
        found = sum(
            torch.tensordot(block, move, move.ndim)
            for block, move in zip(hessian[row], moves, strict=True)
        )

        def slope(*x, row=row):
            with torch.enable_grad():
                return gradients(function, x)[row]

        assert_close(found, difference_quotient(slope, tensors, moves))
