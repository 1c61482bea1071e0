"""One rule for gradients: they lie in the space in which the argument moves.

That they are the derivatives along the directions of this space is tested with reverse
mode; together the two determine them.
"""

import pytest
import torch

from .operations import (
    OPERATIONS,
    bases,
    batch_of_arguments,
    directions,
    gradients,
    weighted,
)

every_operation = pytest.mark.parametrize("name", OPERATIONS)

N = 4

HOLLOW = ("correlation", "other correlation", "hollow", "hollow vector")
SYMMETRIC = ("covariance", "symmetric", "symmetric vector")
LOWER = ("unit lower", "strictly lower", "lower vector")


def projected(matrix, basis):
    """Project matrices [..., n, k] onto the span of a basis."""
    flat = torch.linalg.qr(basis.flatten(-2).mT)[0]
    return (matrix.flatten(-2) @ flat @ flat.mT).reshape(matrix.shape)


@every_operation
def test_gradients_lie_in_the_space(name):
    operation = OPERATIONS[name]
    tensors = batch_of_arguments(operation, n=N)
    # The weights are not symmetric, so nothing is symmetric by chance.
    found = gradients(weighted(operation), tensors)
    for space, gradient, basis in zip(
        operation.spaces, found, bases(operation, N), strict=True
    ):
        size = torch.max(torch.abs(gradient))
        assert size > 0.0
        error = torch.abs(gradient - projected(gradient, basis))
        assert torch.max(error) <= 1e-14 * size
        if space in HOLLOW:
            assert torch.all(torch.diagonal(gradient, dim1=-2, dim2=-1) == 0.0)
        if space in HOLLOW + SYMMETRIC:
            assert torch.max(torch.abs(gradient - gradient.mT)) <= 1e-15 * size
        if space in LOWER:
            assert torch.all(torch.triu(gradient) == 0.0)


@every_operation
def test_second_derivatives_lie_in_the_space(name):
    operation = OPERATIONS[name]
    leaves = [x.requires_grad_() for x in batch_of_arguments(operation, n=N)]
    value = torch.sin(weighted(operation)(*leaves))
    first = torch.autograd.grad(value, leaves, create_graph=True)
    along = sum(
        torch.sum(x * v) for x, v in zip(first, directions(operation, n=N), strict=True)
    )
    second = torch.autograd.grad(along, leaves)
    for gradient, basis in zip(second, bases(operation, N), strict=True):
        size = torch.max(torch.abs(gradient))
        error = torch.abs(gradient - projected(gradient, basis))
        assert torch.max(error) <= 1e-13 * size


@every_operation
def test_motion_outside_of_the_space_has_no_effect(name):
    """Forward mode projects, too, so both modes speak of the same derivative."""
    operation = OPERATIONS[name]
    tensors = batch_of_arguments(operation, n=N)
    generator = torch.Generator().manual_seed(8)
    moves, inside = [], []
    for x, basis in zip(tensors, bases(operation, N), strict=True):
        moves.append(torch.randn(x.shape, generator=generator, dtype=x.dtype))
        inside.append(projected(moves[-1], basis))
    _, tangent = torch.func.jvp(operation, tensors, tuple(moves))
    _, expected = torch.func.jvp(operation, tensors, tuple(inside))
    assert torch.max(torch.abs(tangent - expected)) <= 1e-12 * torch.max(
        torch.abs(expected)
    )
