"""Forward mode: `torch.func.jvp` and dual numbers."""

import pytest
import torch
from torch.autograd import forward_ad

from .operations import (
    OPERATIONS,
    assert_close,
    batch_of_arguments,
    difference_quotient,
    directions,
)

every_operation = pytest.mark.parametrize("name", OPERATIONS)


@every_operation
def test_jvp(name):
    operation = OPERATIONS[name]
    tensors, moves = batch_of_arguments(operation), directions(operation)
    value, tangent = torch.func.jvp(operation, tensors, moves)
    assert_close(value, operation(*tensors), 1e-14)
    assert_close(tangent, difference_quotient(operation, tensors, moves))


@every_operation
def test_one_moving_argument(name):
    operation = OPERATIONS[name]
    tensors, moves = batch_of_arguments(operation), directions(operation)
    for moving in range(len(tensors)):
        with forward_ad.dual_level():
            duals = list(tensors)
            duals[moving] = forward_ad.make_dual(tensors[moving], moves[moving])
            tangent = forward_ad.unpack_dual(operation(*duals)).tangent
        alone = [m if i == moving else 0.0 * m for i, m in enumerate(moves)]
        assert_close(tangent, difference_quotient(operation, tensors, alone))
