"""`torch.vmap` gives what a loop gives, for any mapped axis and any depth."""

import pytest
import torch

from .operations import OPERATIONS, assert_close, batch_of_arguments

every_operation = pytest.mark.parametrize("name", OPERATIONS)


def looped(operation, tensors):
    return torch.stack([operation(*each) for each in zip(*tensors, strict=True)])


@every_operation
def test_all_arguments_mapped(name):
    operation = OPERATIONS[name]
    tensors = batch_of_arguments(operation)
    expected = looped(operation, tensors)
    assert_close(torch.vmap(operation)(*tensors), expected, 1e-13)
    last = [x.movedim(0, -1) for x in tensors]
    mapped = torch.vmap(operation, in_dims=-1, out_dims=-1)(*last)
    assert_close(mapped.movedim(-1, 0), expected, 1e-13)


@every_operation
def test_one_argument_mapped(name):
    operation = OPERATIONS[name]
    tensors = batch_of_arguments(operation)
    for mapped in range(len(tensors)):
        given = [x if i == mapped else x[0] for i, x in enumerate(tensors)]
        in_dims = tuple(0 if i == mapped else None for i in range(len(tensors)))
        spread = [
            x if i == mapped else x[:1].expand_as(x) for i, x in enumerate(tensors)
        ]
        result = torch.vmap(operation, in_dims)(*given)
        assert_close(result, looped(operation, spread), 1e-13)


@every_operation
def test_nested(name):
    operation = OPERATIONS[name]
    tensors = batch_of_arguments(operation, size=4)
    expected = looped(operation, tensors)
    squares = [x.reshape(2, 2, *x.shape[1:]) for x in tensors]
    result = torch.vmap(torch.vmap(operation))(*squares)
    assert_close(result.reshape(expected.shape), expected, 1e-13)
