"""One list of all that is differentiated, and the points where it is.

An operation is a function of tensors, and every argument has a space in which it moves.
Coordinates of these spaces turn an operation into a function of free numbers.
"""

import functools
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import torch
from kernels.matrices import (
    equicorrelation,
    nearly_repeated,
    random_correlation,
)

from geomstats_cor import METRICS, FullRankCorrelationMatrices
from geomstats_cor import kernels as k

KEYS = tuple(METRICS)


def _entries(n, where):
    """Return the matrices of one entry each."""
    rows, columns = where
    basis = np.zeros((len(rows), n, n))
    basis[np.arange(len(rows)), rows, columns] = 1.0
    return basis


def _all_entries(n):
    return np.eye(n * n).reshape(-1, n, n)


def _strictly_lower(n):
    return _entries(n, np.tril_indices(n, -1))


def _hollow(n):
    basis = _strictly_lower(n)
    return basis + basis.mT


def _symmetric(n):
    basis = _entries(n, np.tril_indices(n))
    return 0.5 * (basis + basis.mT)


def _null_row_sums(n):
    """Return the Laplace matrices of single edges."""
    rows, columns = np.tril_indices(n, -1)
    ends = np.eye(n)[rows] - np.eye(n)[columns]
    return ends[:, :, None] * ends[:, None, :]


def _hemisphere_entries(n):
    return np.eye(n * (n + 1)).reshape(-1, n, n + 1)


def _rows(correlation):
    return np.tril(k.theta(correlation), -1)


class Space(NamedTuple):
    """Where an argument lies, and in which directions it moves.

    `point` makes an argument from a correlation matrix, so that eigenvalues that
    coincide there do so here; `basis` spans the directions.
    """

    point: Callable
    basis: Callable


def _vector(correlation, basis):
    """Return a vector that is short where the correlation matrix is ill-conditioned."""
    rng = np.random.default_rng(5)
    basis = basis(len(correlation))
    coefficients = 0.3 * length_scale(correlation) * rng.standard_normal(len(basis))
    return np.tensordot(coefficients, basis, 1)


SPACES = {
    "correlation": Space(lambda c: c, _hollow),
    "other correlation": Space(
        lambda c: random_correlation(np.random.default_rng(6), len(c)), _hollow
    ),
    "covariance": Space(lambda c: c, _symmetric),
    "symmetric": Space(lambda c: k.sym_log(c), _symmetric),
    "hollow": Space(k.off_log, _hollow),
    "null row sums": Space(k.log_scaled, _null_row_sums),
    "unit lower": Space(k.theta, _strictly_lower),
    "strictly lower": Space(lambda c: k.log_unit_lower(k.theta(c)), _strictly_lower),
    "rows": Space(_rows, _all_entries),
    "other rows": Space(
        lambda c: _rows(random_correlation(np.random.default_rng(6), len(c))),
        _all_entries,
    ),
    "ball": Space(lambda c: k.hyperboloid_to_ball(_rows(c)), _all_entries),
    "origin tangent": Space(
        lambda c: k.hyperboloid_to_origin_tangent(_rows(c)), _all_entries
    ),
    "hemisphere": Space(
        lambda c: k.hyperboloid_to_hemisphere(_rows(c)), _hemisphere_entries
    ),
    "hollow vector": Space(lambda c: _vector(c, _hollow), _hollow),
    "symmetric vector": Space(lambda c: _vector(c, _symmetric), _symmetric),
    "null row sums vector": Space(lambda c: _vector(c, _null_row_sums), _null_row_sums),
    "lower vector": Space(lambda c: _vector(c, _strictly_lower), _strictly_lower),
    "row vector": Space(lambda c: _vector(c, _all_entries), _all_entries),
    "hemisphere vector": Space(
        lambda c: _vector(c, _hemisphere_entries), _hemisphere_entries
    ),
}


class Operation(NamedTuple):
    """A function of tensors, and the names of the spaces of its arguments."""

    function: Callable
    spaces: tuple[str, ...]

    def __call__(self, *arguments):
        return self.function(*arguments)


def _power(matrix):
    return k.sym_power(matrix, -0.4)


def _power_differential(vector, matrix):
    return k.sym_power_differential(vector, matrix, -0.4)


_OUTER = ("hollow vector", "correlation")
_SYMMETRIC = ("symmetric vector", "covariance")
_LOWER = "lower vector"

# The maps of the geometry.
MAPS = {
    "cor": Operation(k.cor, ("covariance",)),
    "theta": Operation(k.theta, ("correlation",)),
    "strict_theta": Operation(k.strict_theta, ("correlation",)),
    "theta_inverse": Operation(k.theta_inverse, ("unit lower",)),
    "cor_inverse": Operation(k.cor_inverse, ("correlation",)),
    "log_unit_lower": Operation(k.log_unit_lower, ("unit lower",)),
    "exp_strictly_lower": Operation(k.exp_strictly_lower, ("strictly lower",)),
    "sym_log": Operation(k.sym_log, ("covariance",)),
    "sym_exp": Operation(k.sym_exp, ("symmetric",)),
    "sym_power": Operation(_power, ("covariance",)),
    "off_log": Operation(k.off_log, ("correlation",)),
    "off_exp": Operation(k.off_exp, ("hollow",)),
    "off_log_diagonal": Operation(k.off_log_diagonal, ("symmetric",)),
    "log_scaling": Operation(k.log_scaling, ("covariance",)),
    "scaled_to_unit_row_sums": Operation(k.scaled_to_unit_row_sums, ("covariance",)),
    "log_scaled": Operation(k.log_scaled, ("correlation",)),
    "exp_scaled": Operation(k.exp_scaled, ("null row sums",)),
    "hyperboloid_to_origin_tangent": Operation(
        k.hyperboloid_to_origin_tangent, ("rows",)
    ),
    "hyperboloid_from_origin_tangent": Operation(
        k.hyperboloid_from_origin_tangent, ("origin tangent",)
    ),
    "hyperboloid_to_ball": Operation(k.hyperboloid_to_ball, ("rows",)),
    "hyperboloid_from_ball": Operation(k.hyperboloid_from_ball, ("ball",)),
    "hyperboloid_to_hemisphere": Operation(k.hyperboloid_to_hemisphere, ("rows",)),
    "hyperboloid_from_hemisphere": Operation(
        k.hyperboloid_from_hemisphere, ("hemisphere",)
    ),
    "hyperbolic_exp": Operation(k.hyperbolic_exp, ("row vector", "rows")),
    "hyperbolic_log": Operation(k.hyperbolic_log, ("other rows", "rows")),
    "hyperbolic_squared_dist": Operation(
        k.hyperbolic_squared_dist, ("rows", "other rows")
    ),
    "hyperbolic_transport": Operation(
        k.hyperbolic_transport, ("row vector", "rows", "other rows")
    ),
}

# Their differentials, which are differentiated in turn by all that moves vectors.
DIFFERENTIALS = {
    "cor_differential": Operation(k.cor_differential, _SYMMETRIC),
    "theta_differential": Operation(k.theta_differential, _OUTER),
    "theta_inverse_differential": Operation(
        k.theta_inverse_differential, (_LOWER, "unit lower")
    ),
    "log_unit_lower_differential": Operation(
        k.log_unit_lower_differential, (_LOWER, "unit lower")
    ),
    "exp_strictly_lower_differential": Operation(
        k.exp_strictly_lower_differential, (_LOWER, "strictly lower")
    ),
    "sym_log_differential": Operation(k.sym_log_differential, _SYMMETRIC),
    "sym_exp_differential": Operation(
        k.sym_exp_differential, ("symmetric vector", "symmetric")
    ),
    "sym_power_differential": Operation(_power_differential, _SYMMETRIC),
    "off_log_differential": Operation(k.off_log_differential, _OUTER),
    "off_log_differential_inverse": Operation(k.off_log_differential_inverse, _OUTER),
    "off_exp_differential": Operation(
        k.off_exp_differential, ("hollow vector", "hollow")
    ),
    "off_log_diagonal_differential": Operation(
        k.off_log_diagonal_differential, ("symmetric vector", "symmetric")
    ),
    "log_scaling_differential": Operation(k.log_scaling_differential, _SYMMETRIC),
    "log_scaled_differential": Operation(k.log_scaled_differential, _OUTER),
    "exp_scaled_differential": Operation(
        k.exp_scaled_differential, ("null row sums vector", "null row sums")
    ),
    "hyperboloid_to_origin_tangent_differential": Operation(
        k.hyperboloid_to_origin_tangent_differential, ("row vector", "rows")
    ),
    "hyperboloid_from_origin_tangent_differential": Operation(
        k.hyperboloid_from_origin_tangent_differential,
        ("row vector", "origin tangent"),
    ),
    "hyperboloid_to_ball_differential": Operation(
        k.hyperboloid_to_ball_differential, ("row vector", "rows")
    ),
    "hyperboloid_from_ball_differential": Operation(
        k.hyperboloid_from_ball_differential, ("row vector", "ball")
    ),
    "hyperboloid_to_hemisphere_differential": Operation(
        k.hyperboloid_to_hemisphere_differential, ("row vector", "rows")
    ),
    "hyperboloid_from_hemisphere_differential": Operation(
        k.hyperboloid_from_hemisphere_differential, ("hemisphere vector", "hemisphere")
    ),
}

# The second derivatives of maps along lines.
SECOND_DIFFERENTIALS = {
    "cor_second_differential": Operation(
        k.cor_second_differential, ("symmetric vector", *_SYMMETRIC)
    ),
    "theta_inverse_second_differential": Operation(
        k.theta_inverse_second_differential, (_LOWER, "unit lower")
    ),
    "exp_strictly_lower_second_differential": Operation(
        k.exp_strictly_lower_second_differential, (_LOWER, "strictly lower")
    ),
    "sym_exp_second_differential": Operation(
        k.sym_exp_second_differential, ("symmetric vector", "symmetric")
    ),
    "off_exp_second_differential": Operation(
        k.off_exp_second_differential, ("hollow vector", "hollow")
    ),
    "exp_scaled_second_differential": Operation(
        k.exp_scaled_second_differential, ("null row sums vector", "null row sums")
    ),
}


@functools.cache
def metric(key, n, check=True):
    """Return one of the five metrics."""
    return FullRankCorrelationMatrices(n, equip=key, check=check).metric


def _metric_operation(key, call, *spaces):
    return Operation(lambda *x: call(metric(key, x[-1].shape[-1]), *x), spaces)


_PAIR = ("other correlation", "correlation")
_METHODS = {
    "exp": (lambda m, v, p: m.exp(v, p), *_OUTER),
    "log": (lambda m, q, p: m.log(q, p), *_PAIR),
    "dist": (lambda m, q, p: m.dist(q, p), *_PAIR),
    "squared_dist": (lambda m, q, p: m.squared_dist(q, p), *_PAIR),
    "geodesic": (lambda m, q, p: m.geodesic(p, end_point=q)(0.3), *_PAIR),
    "parallel_transport": (
        lambda m, v, q, p: m.parallel_transport(v, p, end_point=q),
        "hollow vector",
        *_PAIR,
    ),
    "inner_product": (
        lambda m, v, p: m.inner_product(v, v, p),
        *_OUTER,
    ),
}
METRIC_OPERATIONS = {
    f"{key} {name}": _metric_operation(key, *method)
    for key in KEYS
    for name, method in _METHODS.items()
}

OPERATIONS = MAPS | DIFFERENTIALS | SECOND_DIFFERENTIALS | METRIC_OPERATIONS


def _correlations():
    rng = np.random.default_rng(1)
    gaps = (1e-3, 1e-6, 1e-9, 1e-12, 1e-15)
    return {
        "random": random_correlation(rng, 3),
        "identity": np.eye(3),
        "equicorrelation": equicorrelation(3, 0.3),
        # 1/2 and 3/2, twice each
        "repeated eigenvalues": np.kron(np.eye(2), equicorrelation(2, 0.5)),
        **{f"gap {gap:g}": nearly_repeated(rng, 3, gap) for gap in gaps},
        "ill-conditioned": random_correlation(rng, 3, 1e6),
    }


# Small, since derivatives along all directions are wanted.
CORRELATIONS = _correlations()


def length_scale(correlation):
    """Return how far a matrix can move without a change of its character."""
    smallest = np.linalg.eigvalsh(correlation)[0]
    return smallest if smallest < 1e-3 else 1.0


def arguments(operation, correlation, dtype=torch.float64):
    """Return tensors to apply an operation to, made from a correlation matrix."""
    points = (SPACES[name].point(correlation) for name in operation.spaces)
    return tuple(torch.as_tensor(np.asarray(x), dtype=dtype) for x in points)


def bases(operation, n, dtype=torch.float64):
    """Return the directions [dim, ...] in which each argument of an operation moves."""
    return tuple(
        torch.as_tensor(SPACES[name].basis(n), dtype=dtype) for name in operation.spaces
    )


def in_coordinates(operation, correlation):
    """Return an operation as a function of free numbers, and zeros to apply it to.

    One vector holds the coordinates of all arguments.
    """
    origin = arguments(operation, correlation)
    moves = bases(operation, len(correlation))
    scale = length_scale(correlation)
    dims = [len(basis) for basis in moves]

    def function(coordinates):
        moved = (
            x + scale * torch.tensordot(c, basis, 1)
            for x, c, basis in zip(origin, coordinates.split(dims), moves, strict=True)
        )
        return operation(*moved)

    return function, torch.zeros(sum(dims), dtype=torch.float64, requires_grad=True)


def batch_of_arguments(operation, size=2, n=3):
    """Return stacks of tensors [size, ...], at random points."""
    rng = np.random.default_rng(2)
    each = [arguments(operation, c) for c in random_correlation(rng, n, 10.0, (size,))]
    # The vectors and the second points are to differ, too.
    moves = bases(operation, n)
    generator = torch.Generator().manual_seed(3)
    stacks = []
    for position, basis in enumerate(moves):
        stack = torch.stack([x[position] for x in each])
        c = torch.randn(size, len(basis), generator=generator, dtype=basis.dtype)
        stacks.append(stack + 0.02 * torch.tensordot(c, basis, 1))
    return tuple(stacks)


def directions(operation, size=2, n=3):
    """Return stacks of tangent vectors for `batch_of_arguments`."""
    generator = torch.Generator().manual_seed(4)
    moves = []
    for basis in bases(operation, n):
        c = torch.randn(size, len(basis), generator=generator, dtype=basis.dtype)
        moves.append(torch.tensordot(c, basis, 1))
    return tuple(moves)


def weighted(operation):
    """Return an operation followed by a fixed linear function of its result."""

    def function(*tensors):
        result = operation(*tensors)
        count = result.numel()
        weights = torch.cos(torch.arange(1.0, count + 1.0, dtype=result.dtype))
        return torch.sum(weights.reshape(result.shape) * result)

    return function


def gradients(function, tensors):
    """Return the gradients of a scalar function, by reverse mode."""
    leaves = [x.detach().clone().requires_grad_() for x in tensors]
    return torch.autograd.grad(function(*leaves), leaves)


_STENCIL = ((1, 4 / 5), (2, -1 / 5), (3, 4 / 105), (4, -1 / 280))


def difference_quotient(function, tensors, moves, step=2e-3):
    """Return the derivative along vectors, by a stencil of eighth order."""
    total = 0.0
    with torch.no_grad():
        for multiple, weight in _STENCIL:
            shifts = [multiple * step * move for move in moves]
            ahead = function(*(x + s for x, s in zip(tensors, shifts, strict=True)))
            behind = function(*(x - s for x, s in zip(tensors, shifts, strict=True)))
            total = total + weight * (ahead - behind)
    return total / step


def assert_close(actual, expected, tolerance=1e-9):
    """Assert that the error is small in units of the largest entry expected."""
    assert actual.shape == expected.shape
    assert actual.dtype == expected.dtype
    error = torch.max(torch.abs(actual - expected))
    assert error <= tolerance * (1.0 + torch.max(torch.abs(expected))), float(error)
