"""Derivatives of higher order along a line, each against quotients of the one below."""

import pytest
import torch

from .operations import OPERATIONS, batch_of_arguments, difference_quotient, directions

NAMES = (
    "sym_exp",
    "sym_log",
    "sym_power",
    "off_log",
    "off_exp",
    "off_log_diagonal",
    "log_scaling",
    "log_scaled",
    "exp_scaled",
    "off_log_differential_inverse",
    "log_scaled_differential",
    "exp_scaled_differential",
)


def derivative_along(function, order):
    """Return a derivative of a function of a number, by nested reverse mode."""
    if order == 0:
        return function

    def slope(t):
        with torch.enable_grad():
            t = t if t.requires_grad else t.clone().requires_grad_()
            value = derivative_along(function, order - 1)(t)
            return torch.autograd.grad(value, t, create_graph=True)[0]

    return slope


@pytest.mark.parametrize("name", NAMES)
def test_third_derivatives(name):
    operation = OPERATIONS[name]
    tensors = tuple(x[0] for x in batch_of_arguments(operation, size=1))
    moves = tuple(x[0] for x in directions(operation, size=1))

    def function(t):
        arguments = (x + t * v for x, v in zip(tensors, moves, strict=True))
        result = operation(*arguments)
        weights = torch.cos(torch.arange(1.0, result.numel() + 1.0))
        return torch.sum(weights.to(result.dtype) * result.reshape(-1))

    zero = torch.zeros((), dtype=torch.float64)
    for order in (1, 2, 3):
        below = derivative_along(function, order - 1)
        expected = difference_quotient(
            lambda t, below=below: below(t).detach(), [zero], [zero + 1.0]
        )
        actual = derivative_along(function, order)(zero).detach()
        assert torch.abs(actual - expected) <= 1e-8 * (1.0 + torch.abs(expected))
