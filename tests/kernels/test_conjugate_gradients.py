"""Systems with a matrix that is never formed, and the functions the mean needs."""

import mpmath
import numpy as np
import pytest

from geomstats_cor.kernels._conjugate_gradients import (
    solve_shifted_gram,
    truncated_solution,
)
from geomstats_cor.kernels._quotients import coth_excess, csch_deficit


def system(rng, batch, count, size):
    """Return a positive definite system, with coefficients of both signs."""
    rows = rng.standard_normal((*batch, count, size))
    coefficients = rng.uniform(-1.0, 1.0, (*batch, count, 1))
    matrix = rows.mT @ (coefficients * rows)
    shift = 1.0 - np.linalg.eigvalsh(matrix)[..., :1]
    return rng.standard_normal((*batch, size)), rows, coefficients, shift


def dense(rows, coefficients, shift):
    identity = np.eye(rows.shape[-1])
    return rows.mT @ (coefficients * rows) + shift[..., None] * identity


@pytest.mark.parametrize("count", [1, 4, 30])
@pytest.mark.parametrize("size", [1, 5, 20])
def test_solves_the_system(double, rng, count, size):
    right, rows, coefficients, shift = system(rng, (2, 3), count, size)
    found = double.apply(solve_shifted_gram, right, rows, coefficients, shift)
    matrix = dense(rows, coefficients, shift)
    expected = np.linalg.solve(matrix, right[..., None])[..., 0]
    bound = 1e-15 * np.linalg.cond(matrix).max() * np.abs(expected).max()
    np.testing.assert_allclose(found, expected, rtol=0.0, atol=20.0 * bound)


def test_systems_of_a_batch_end_on_their_own(double, rng):
    right, rows, coefficients, shift = system(rng, (3,), 4, 6)
    right[0], rows[1] = 0.0, 0.0
    found = double.apply(solve_shifted_gram, right, rows, coefficients, shift)
    np.testing.assert_array_equal(found[0], 0.0)
    np.testing.assert_allclose(found[1], right[1] / shift[1], rtol=1e-14)


def test_derivatives_are_those_of_the_solution(rng):
    torch = pytest.importorskip("torch")
    tensors = [torch.as_tensor(x).requires_grad_() for x in system(rng, (2,), 3, 4)]
    assert torch.autograd.gradcheck(solve_shifted_gram, tensors)
    assert torch.autograd.gradgradcheck(solve_shifted_gram, tensors)
    values = [x.detach() for x in tensors]
    moves = [torch.as_tensor(rng.standard_normal(x.shape)) for x in values]
    _, found = torch.func.jvp(solve_shifted_gram, tuple(values), tuple(moves))
    step = 1e-6
    ahead = solve_shifted_gram(
        *(x + step * v for x, v in zip(values, moves, strict=True))
    )
    behind = solve_shifted_gram(
        *(x - step * v for x, v in zip(values, moves, strict=True))
    )
    torch.testing.assert_close(
        found, (ahead - behind) / (2 * step), rtol=1e-6, atol=1e-8
    )


@pytest.mark.parametrize(
    ("function", "exact", "at_zero"),
    [
        (coth_excess, lambda r: (r * mpmath.coth(r) - 1) / r**2, 1 / 3),
        (csch_deficit, lambda r: (1 - r / mpmath.sinh(r)) / r**2, 1 / 6),
    ],
)
def test_quotients_have_all_digits(double, function, exact, at_zero):
    squares = np.concatenate([[0.0], np.logspace(-20.0, 4.5, 100)])
    found = double.apply(function, squares)
    with mpmath.workdps(50):
        expected = [at_zero] + [
            float(exact(mpmath.sqrt(float(s)))) for s in squares[1:]
        ]
    np.testing.assert_allclose(found, expected, rtol=1e-15)


@pytest.mark.parametrize("steps", [1, 2, 5])
def test_few_steps_leave_an_energy_that_fits(rng, steps):
    """The product with the right-hand side is the energy, as a step length needs it."""
    right, rows, coefficients, shift = system(rng, (3,), 8, 5)
    matrix = dense(rows, coefficients, shift)

    def product(vector):
        return (matrix @ vector[..., None])[..., 0]

    found = truncated_solution(right, product, steps)
    energy = np.sum(found * product(found), axis=-1)
    np.testing.assert_allclose(np.sum(found * right, axis=-1), energy, rtol=1e-10)
    if steps == right.shape[-1]:
        np.testing.assert_allclose(product(found), right, rtol=1e-7, atol=1e-8)
    assert np.all(truncated_solution(0.0 * right, product, steps) == 0.0)
