"""Gradients for each of a batch: `torch.vmap(torch.func.grad(...))`."""

import pytest
import torch

from .operations import (
    OPERATIONS,
    assert_close,
    batch_of_arguments,
    directions,
    gradients,
    weighted,
)

every_operation = pytest.mark.parametrize("name", OPERATIONS)


@every_operation
def test_gradients_of_each(name):
    operation = OPERATIONS[name]
    function, tensors = weighted(operation), batch_of_arguments(operation)
    positions = tuple(range(len(tensors)))
    found = torch.vmap(torch.func.grad(function, positions))(*tensors)
    each = [gradients(function, one) for one in zip(*tensors, strict=True)]
    for actual, expected in zip(found, zip(*each, strict=True), strict=True):
        assert_close(actual, torch.stack(expected), 1e-11)


@every_operation
def test_tangents_of_each(name):
    operation = OPERATIONS[name]
    tensors, moves = batch_of_arguments(operation), directions(operation)

    def tangent(x, v):
        return torch.func.jvp(operation, x, v)[1]

    expected = [
        tangent(x, v)
        for x, v in zip(
            zip(*tensors, strict=True), zip(*moves, strict=True), strict=True
        )
    ]
    assert_close(torch.vmap(tangent)(tensors, moves), torch.stack(expected), 1e-11)
