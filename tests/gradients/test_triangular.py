"""Stated derivatives of triangular functions, on both sides of every choice of method.

The number of nodes of an integral depends on the size and on the numbers, and what lies
between is differentiated here: second differentials against difference quotients,
adjoints against the differentials that they belong to.
"""

import numpy as np
import pytest
import torch
from kernels.matrices import autoregressive, random_correlation

from geomstats_cor import kernels as k

from .operations import assert_close, difference_quotient

SIZES = (3, 40, 64, 65, 90)
every_size = pytest.mark.parametrize("n", SIZES)


def strict(seed, n, batch=()):
    """Return a random strictly lower triangular matrix of norm about one."""
    generator = torch.Generator().manual_seed(seed)
    entries = torch.randn(*batch, n, n, generator=generator, dtype=torch.float64)
    return torch.tril(entries, -1) / n**0.5


def unit_lower(n):
    """Return the image of a correlation matrix by Theta."""
    return torch.as_tensor(
        k.theta(random_correlation(np.random.default_rng(n), n, 5.0))
    )


def logarithm(n):
    """Return the logarithm of the same."""
    return k.log_unit_lower(unit_lower(n))


def hollow(seed, n):
    """Return a random symmetric matrix with null diagonal."""
    lower = strict(seed, n)
    return lower + lower.mT


FUNCTIONS = {
    # name: function, differential, base point, vector, cotangent
    "log": (
        k.log_unit_lower,
        k.log_unit_lower_differential,
        unit_lower,
        strict,
        strict,
    ),
    "exp": (
        k.exp_strictly_lower,
        k.exp_strictly_lower_differential,
        logarithm,
        strict,
        strict,
    ),
    "theta_inverse": (
        k.theta_inverse,
        k.theta_inverse_differential,
        unit_lower,
        strict,
        hollow,
    ),
    "theta": (
        k.theta,
        k.theta_differential,
        lambda n: k.theta_inverse(unit_lower(n)),
        hollow,
        strict,
    ),
}
every_function = pytest.mark.parametrize("name", FUNCTIONS)


@every_size
@every_function
def test_adjoint_of_the_differential(name, n):
    function, differential, base, vector, cotangent = FUNCTIONS[name]
    point = base(n).requires_grad_()
    move, weight = vector(1, n), cotangent(2, n)
    (gradient,) = torch.autograd.grad(function(point), point, weight)
    moved = differential(move, point.detach())
    expected = torch.sum(weight * moved)
    size = torch.linalg.norm(weight) * torch.linalg.norm(moved)
    assert abs(torch.sum(gradient * move) - expected) <= 1e-13 * size


@every_size
@every_function
def test_second_differential(name, n):
    _, differential, base, vector, _ = FUNCTIONS[name]
    point, move, turn = base(n), vector(1, n), vector(3, n)
    _, actual = torch.func.jvp(lambda x: differential(move, x), (point,), (turn,))
    expected = difference_quotient(
        lambda x: differential(move, x), (point,), (turn,), step=1e-3
    )
    assert_close(actual, expected, 1e-9)


@every_size
@every_function
def test_second_differential_without_a_transform(name, n):
    # Dual numbers leave the entries readable, torch.func does not.
    _, differential, base, vector, _ = FUNCTIONS[name]
    point, move, turn = base(n), vector(1, n), vector(3, n)
    with torch.autograd.forward_ad.dual_level():
        dual = torch.autograd.forward_ad.make_dual(point, turn)
        moved = differential(move, dual)
        actual = torch.autograd.forward_ad.unpack_dual(moved).tangent
    _, expected = torch.func.jvp(lambda x: differential(move, x), (point,), (turn,))
    assert_close(actual, expected, 1e-12)


@pytest.mark.parametrize("n", [*SIZES, 205])  # the last in blocks
@every_function
def test_adjoint_of_the_second_differential(name, n):
    _, differential, base, vector, cotangent = FUNCTIONS[name]
    point = base(n).requires_grad_()
    move = vector(1, n).requires_grad_()
    turn, weight = vector(3, n), cotangent(2, n)
    moved = differential(move, point)
    along_vector, along_point = torch.autograd.grad(moved, (move, point), weight)
    _, curved = torch.func.jvp(
        lambda x: differential(move.detach(), x), (point.detach(),), (turn,)
    )
    size = 1.0 + torch.linalg.norm(weight) * torch.linalg.norm(curved)
    error = torch.sum(along_point * turn) - torch.sum(weight * curved)
    assert abs(error) <= 1e-12 * size
    expected = torch.sum(weight * differential(turn, point.detach()))
    assert abs(torch.sum(along_vector * turn) - expected) <= 1e-12 * size


@every_function
def test_third_derivatives(name):
    _, differential, base, vector, cotangent = FUNCTIONS[name]
    n = 70
    point, move, weight = base(n), vector(1, n), cotangent(2, n)

    def second(x):
        x = x.detach().requires_grad_()
        moved = torch.sum(weight * differential(move, x))
        return x, torch.autograd.grad(moved, x, create_graph=True)[0]

    turn, other = vector(3, n), vector(4, n)
    leaf, gradient = second(point)
    (third,) = torch.autograd.grad(torch.sum(gradient * turn), leaf)
    total, step = 0.0, 1e-3
    for multiple, coefficient in ((1, 2 / 3), (2, -1 / 12)):
        ahead = torch.sum(second(point + multiple * step * other)[1] * turn)
        behind = torch.sum(second(point - multiple * step * other)[1] * turn)
        total = total + coefficient * (ahead - behind).detach() / step
    actual = torch.sum(third * other)
    assert abs(actual - total) <= 1e-6 * (1.0 + abs(total))


@every_function
def test_single_precision(name):
    function, differential, base, vector, cotangent = FUNCTIONS[name]
    point, move = base(70), vector(1, 70)
    weight = cotangent(2, 70)

    def gradients(dtype):
        leaves = [x.detach().to(dtype).requires_grad_() for x in (move, point)]
        moved = differential(*leaves)
        return torch.autograd.grad(moved, leaves, weight.to(dtype))

    for actual, expected in zip(
        gradients(torch.float32), gradients(torch.float64), strict=True
    ):
        assert_close(actual, expected.float(), 1e-4)


@pytest.mark.parametrize("rho", [0.9, 0.999])
def test_slow_decay(rho):
    # The logarithm undoes the exponential: a gradient passes both unchanged.
    point = torch.as_tensor(k.theta(autoregressive(90, rho)))
    logarithm = k.log_unit_lower(point).requires_grad_()
    back = k.log_unit_lower(k.exp_strictly_lower(logarithm))
    weight = strict(2, 90)
    (gradient,) = torch.autograd.grad(back, logarithm, weight)
    assert torch.max(torch.abs(gradient - weight)) <= 1e-9


@every_function
def test_memory_holds_arguments_and_value_alone(name):
    function, _, base, *_ = FUNCTIONS[name]
    point = base(70).requires_grad_()
    saved = []

    def pack(tensor):
        saved.append(tensor)
        return tensor

    with torch.autograd.graph.saved_tensors_hooks(pack, lambda tensor: tensor):
        function(point)
    assert len(saved) <= 2
