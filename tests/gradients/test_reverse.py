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


@pytest.mark.parametrize(
    "name",
    [
        "sym_log_differential",
        "sym_exp_differential",
        "sym_power_differential",
        "off_log_differential",
        "off_log_differential_inverse",
        "off_exp_differential",
    ],
)
def test_of_a_vector_only_its_symmetric_part_counts(name):
    """In the derivatives as in the value."""
    operation = OPERATIONS[name]
    vector, *points = batch_of_arguments(operation, size=1)
    generator = torch.Generator().manual_seed(9)
    skew = torch.randn(vector.shape, generator=generator, dtype=vector.dtype)
    skew = skew - skew.mT
    function = weighted(operation)
    expected = gradients(function, (vector, *points))
    found = gradients(function, (vector + skew, *points))
    assert_close(function(vector + skew, *points), function(vector, *points))
    for gradient, other in zip(found, expected, strict=True):
        assert_close(gradient, other)
