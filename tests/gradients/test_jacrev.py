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


@pytest.mark.parametrize("name", OPERATIONS)
def test_jacobians(name):
    operation = OPERATIONS[name]
    tensors = tuple(x[0] for x in batch_of_arguments(operation, size=1))
    positions = tuple(range(len(tensors)))
    by_reverse = torch.func.jacrev(operation, positions)(*tensors)
    by_forward = torch.func.jacfwd(operation, positions)(*tensors)
    for position, basis in enumerate(bases(operation, 3)):
        assert_close(by_forward[position], by_reverse[position], 1e-12)
        points = [x.expand(len(basis), *x.shape) for x in tensors]
        moves = [torch.zeros_like(x) for x in points]
        moves[position] = basis
        expected = difference_quotient(operation, points, moves)
        products = torch.tensordot(by_reverse[position], basis, ([-2, -1], [-2, -1]))
        assert_close(products.movedim(-1, 0), expected)
