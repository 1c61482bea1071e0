"""The maps that are solutions of equations, differentiated as such.

Their gradients are compared with arithmetic of 50 digits, and with the two propositions
on backpropagation in "Riemannian Networks over Full-Rank Correlation Matrices".
"""

import mpmath
import numpy as np
import pytest
import torch
from kernels.matrices import random_correlation, random_hollow
from kernels.references import exact, rounded, symmetric_function

from geomstats_cor import kernels as k

from .operations import SPACES, gradients

N = 3
DIGITS = 50


def exact_root(residual, start, slope):
    """Solve an equation by steps with a fixed slope, which is right to 16 digits."""
    solution, inverse = exact(start), exact(np.linalg.inv(slope))
    for _ in range(5):
        solution = solution - inverse @ residual(solution)
    assert max(abs(x) for x in residual(solution)) < mpmath.mpf(10) ** -DIGITS
    return solution


def exact_diagonal(hollow):
    """Return the diagonal of D: the diagonal of exp(H + D) is one."""
    size = len(hollow)
    start = k.off_log_diagonal(rounded(hollow))
    shifted = rounded(hollow) + np.diag(start)
    slope = np.stack(
        [np.diag(k.sym_exp_differential(np.diag(e), shifted)) for e in np.eye(size)],
        axis=-1,
    )

    def residual(diagonal):
        return np.diag(symmetric_function(mpmath.exp, hollow + np.diag(diagonal))) - 1

    return exact_root(residual, start, slope)


def exact_scaling(matrix):
    """Return the x > 0 for which x * (C x) is one."""
    start = k.log_scaling(rounded(matrix))
    double = rounded(matrix)
    slope = np.diag(double @ start) + start[:, None] * double
    return exact_root(lambda x: x * (matrix @ x) - 1, start, slope)


def exact_off_exp(hollow):
    return symmetric_function(mpmath.exp, hollow + np.diag(exact_diagonal(hollow)))


def exact_log_scaled(matrix):
    x = exact_scaling(matrix)
    return symmetric_function(mpmath.log, x[:, None] * matrix * x)


def exact_products(function, point, basis, weights):
    """Return the derivatives of weighted sums along all directions."""
    products = []
    with mpmath.workdps(2 * DIGITS):
        step = mpmath.mpf(10) ** (-DIGITS // 2)
        point, weights = exact(point), exact(weights)
        for direction in exact(basis):
            ahead, behind = (
                function(point + step * direction),
                function(point - step * direction),
            )
            products.append(np.sum(weights * (ahead - behind)) / (2 * step))
        return rounded(np.array(products))


CASES = {
    "D": (k.off_log_diagonal, exact_diagonal, "hollow"),
    "D*": (k.log_scaling, exact_scaling, "covariance"),
    "off_exp": (k.off_exp, exact_off_exp, "hollow"),
    "log_scaled": (k.log_scaled, exact_log_scaled, "correlation"),
}


@pytest.mark.parametrize("name", CASES)
def test_gradients_have_twelve_digits(rng, name):
    function, exact_function, space = CASES[name]
    point = SPACES[space].point(random_correlation(rng, N, 10.0))
    basis = SPACES[space].basis(N)
    tensor = torch.as_tensor(point)
    weights = rng.standard_normal(function(tensor).shape)
    (found,) = gradients(
        lambda x: torch.sum(torch.as_tensor(weights) * function(x)), [tensor]
    )
    products = np.sum(found.numpy() * basis, axis=(-2, -1))
    expected = exact_products(exact_function, point, basis, weights)
    error = np.max(np.abs(products - expected)) / np.max(np.abs(expected))
    assert error <= 1e-12


@pytest.mark.parametrize("name", CASES)
def test_iterations_are_not_in_the_graph(rng, name):
    function, _, space = CASES[name]
    counts = []
    for condition in (2.0, 1e6):  # a few iterations, and many more
        point = SPACES[space].point(random_correlation(rng, N, condition))
        names, queue = (
            set(),
            [function(torch.tensor(point, requires_grad=True)).grad_fn],
        )
        seen = set(queue)
        while queue:
            node = queue.pop()
            names.add(node.name())
            following = {x for x, _ in node.next_functions if x is not None} - seen
            seen |= following
            queue.extend(following)
        assert not [x for x in names if "Eigh" in x or "Cholesky" in x or "Solve" in x]
        counts.append(len(seen))
    assert counts[0] == counts[1] < 40


def loewner(values):
    """Return the matrix L of the propositions, where eigenvalues differ."""
    size = len(values)
    matrix = np.diag(np.exp(values))
    for i in range(size):
        for j in range(size):
            if i != j:
                rise = np.exp(values[i]) - np.exp(values[j])
                matrix[i, j] = rise / (values[i] - values[j])
    return matrix


def off(matrix):
    return matrix - np.diag(np.diag(matrix))


def test_proposition_on_the_diagonal(rng):
    """The gradient with respect to D, as printed."""
    hollow = random_hollow(rng, 4)
    gradient = random_correlation(rng, 4)  # dl/dY, symmetric

    def loss(x):
        y = torch.diag(k.off_log_diagonal(x)) + x
        return torch.sum(torch.as_tensor(gradient) * y)

    y = hollow + np.diag(k.off_log_diagonal(hollow))
    values, u = np.linalg.eigh(y)
    slopes = loewner(values)
    h0 = np.einsum("ij,ik,lj,lk,jk->il", u, u, u, u, slopes)
    inner = np.diag(np.linalg.solve(h0, np.diag(gradient)))
    printed = off(gradient - u @ (slopes * (u.T @ inner @ u)) @ u.T)
    (found,) = gradients(loss, [torch.as_tensor(hollow)])
    np.testing.assert_allclose(off(found.numpy()), printed, rtol=1e-11, atol=1e-12)
    # The rule leaves no diagonal once the argument is known to be hollow.
    (found,) = gradients(
        lambda x: torch.sum(torch.as_tensor(gradient) * k.off_exp(x)),
        [torch.as_tensor(hollow)],
    )
    assert torch.all(torch.diagonal(found) == 0.0)


def test_proposition_on_the_scaling(rng):
    """The gradient with respect to D*, as printed, has a diagonal to be left out."""
    correlation = random_correlation(rng, 4)
    gradient = random_hollow(rng, 4) + np.diag(rng.standard_normal(4))  # dl/dSigma

    def loss(x):
        return torch.sum(torch.as_tensor(gradient) * k.scaled_to_unit_row_sums(x))

    sigma = k.scaled_to_unit_row_sums(correlation)
    v = np.diag(sigma @ gradient + gradient @ sigma)
    solved = np.linalg.solve(np.eye(4) + sigma, v)
    half = np.outer(solved, np.ones(4))
    delta = np.diag(np.sqrt(np.diag(sigma)))
    printed = delta @ (gradient - 0.5 * (half + half.T)) @ delta
    (found,) = gradients(loss, [torch.as_tensor(correlation)])
    np.testing.assert_allclose(found.numpy(), printed, rtol=1e-11, atol=1e-12)

    # It is the derivative along symmetric matrices. A correlation matrix moves along
    # hollow ones, and there the gradient is the part off the diagonal.
    assert np.max(np.abs(np.diag(printed))) > 0.1
    centering = torch.eye(4, dtype=torch.float64) - 0.25
    weights = centering @ torch.as_tensor(gradient) @ centering
    (whole,) = gradients(
        lambda x: torch.sum(weights * k.sym_log(k.scaled_to_unit_row_sums(x))),
        [torch.as_tensor(correlation)],
    )
    (hollow,) = gradients(
        lambda x: torch.sum(weights * k.log_scaled(x)), [torch.as_tensor(correlation)]
    )
    np.testing.assert_allclose(hollow.numpy(), off(whole.numpy()), atol=1e-12)
