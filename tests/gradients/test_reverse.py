"""Gradients by reverse mode, along every direction in which an argument moves."""

import pytest
import torch

from .operations import (
    OPERATIONS,
    assert_close,
    bases,
    batch_of_arguments,
    difference_quotient,
    gradients,
    weighted,
)


@pytest.mark.parametrize("name", OPERATIONS)
def test_gradients_are_derivatives(name):
    operation = OPERATIONS[name]
    function, tensors = weighted(operation), batch_of_arguments(operation, size=1)
    found = gradients(function, tensors)
    for position, (gradient, basis) in enumerate(
        zip(found, bases(operation, 3), strict=True)
    ):
        expected = []
        for direction in basis:
            moves = [torch.zeros_like(x) for x in tensors]
            moves[position] = direction[None]
            expected.append(difference_quotient(function, tensors, moves))
        products = torch.sum(gradient * basis, dim=(-2, -1))
        assert_close(products, torch.stack(expected))
