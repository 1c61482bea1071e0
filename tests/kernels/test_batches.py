"""Batch shapes: every kernel on stacks of matrices, empty ones, and broadcast ones."""

import numpy as np
import pytest

from geomstats_cor import kernels as k
from geomstats_cor.geometries import InvariantProduct

from .matrices import (
    random_correlation,
    random_hollow,
    random_orthogonal,
    random_row0,
    random_spd,
    random_strictly_lower,
    random_symmetric,
)

N = 4
PRODUCT = InvariantProduct(N, 1.5, 0.7, 2.0)


def rows(rng, n, batch):
    return rng.standard_normal((*batch, n))


def ball(rng, n, batch):
    points = rows(rng, n, batch)
    return 0.8 * points / (1.0 + np.linalg.norm(points, axis=-1, keepdims=True))


def hemisphere(rng, n, batch):
    points = rows(rng, n, batch)
    time = np.sqrt(1.0 + np.sum(points**2, axis=-1, keepdims=True))
    return np.concat([points, np.ones_like(time)], axis=-1) / time


ARGUMENTS = {
    "correlation": lambda rng, batch: random_correlation(rng, N, 10.0, batch),
    "spd": lambda rng, batch: random_spd(rng, N, 10.0, batch),
    "symmetric": lambda rng, batch: random_symmetric(rng, N, batch),
    "hollow": lambda rng, batch: random_hollow(rng, N, batch),
    "row0": lambda rng, batch: random_row0(rng, N, batch),
    "strict": lambda rng, batch: random_strictly_lower(rng, N, batch),
    "unit": lambda rng, batch: random_strictly_lower(rng, N, batch) + np.eye(N),
    "orthogonal": lambda rng, batch: random_orthogonal(rng, N, batch),
    "values": lambda rng, batch: np.sort(rng.uniform(0.5, 3.0, (*batch, N)), axis=-1),
    "row": lambda rng, batch: rows(rng, N, batch),
    "row + 1": lambda rng, batch: rows(rng, N + 1, batch),
    "ball": lambda rng, batch: ball(rng, N, batch),
    "hemisphere": lambda rng, batch: hemisphere(rng, N, batch),
    "rows": lambda rng, batch: rng.standard_normal((*batch, 7, N)),
    "weights": lambda rng, batch: rng.dirichlet(np.ones(7), batch),
    "coords": lambda rng, batch: rows(rng, N * (N - 1) // 2, batch),
}


def named(name, *kinds, **keywords):
    """Return the name, the kernel with its keywords fixed, and kinds of arguments."""
    kernel = getattr(k, name)
    return name, (lambda *arrays: kernel(*arrays, **keywords)), kinds


def of_product(name, *kinds):
    """Return the same for a method of a permutation-invariant product."""
    return name, getattr(PRODUCT, name), kinds


def second(name, *kinds):
    """Return the same for a kernel of which the second answer is wanted."""
    kernel = getattr(k, name)
    return name, (lambda *arrays: kernel(*arrays)[1]), kinds


POINTWISE = [
    named("cor", "spd"),
    named("cor_inverse", "correlation"),
    named("full_rank_factor", "correlation"),
    named("theta", "correlation"),
    named("strict_theta", "correlation"),
    named("theta_inverse", "unit"),
    named("log_unit_lower", "unit"),
    named("exp_strictly_lower", "strict"),
    named("sym_log", "spd"),
    named("sym_exp", "symmetric"),
    named("sym_power", "spd", exponent=0.5),
    named("exp_divided_differences", "values"),
    named("log_divided_differences", "values"),
    named("power_divided_differences", "values", exponent=0.5),
    named("off_log", "correlation"),
    named("off_log_diagonal", "symmetric"),
    named("off_exp", "hollow"),
    named("log_scaling", "spd"),
    named("scaled_to_unit_row_sums", "spd"),
    named("log_scaled", "correlation"),
    named("exp_scaled", "row0"),
    named("hyperboloid_time", "row"),
    named("hyperboloid_to_origin_tangent", "row"),
    named("hyperboloid_from_origin_tangent", "row"),
    named("hyperboloid_to_ball", "row"),
    named("hyperboloid_from_ball", "ball"),
    named("hyperboloid_to_hemisphere", "row"),
    named("hyperboloid_from_hemisphere", "hemisphere"),
    named("pack_strictly_lower", "strict"),
    named("unpack_strictly_lower", "coords"),
    named("hollow_row_sums", "coords"),
    named("helmert_coords", "row0"),
    named("from_helmert_coords", "coords"),
    of_product("on_hollow", "hollow"),
    of_product("on_null_row_sums", "row0"),
    of_product("on_packed", "coords"),
    of_product("hollow_to_coords", "hollow"),
    of_product("hollow_from_coords", "coords"),
    of_product("null_row_sums_to_coords", "row0"),
    of_product("null_row_sums_from_coords", "coords"),
    named("center", "symmetric"),
]

SEVERAL = [
    named("cor_differential", "symmetric", "spd"),
    named("cor_second_differential", "symmetric", "symmetric", "spd"),
    named("theta_differential", "hollow", "correlation"),
    named("theta_differential_at", "hollow", "unit"),
    named("theta_inverse_differential", "strict", "unit"),
    named("theta_inverse_second_differential", "strict", "unit"),
    named("log_unit_lower_differential", "strict", "unit"),
    named("exp_strictly_lower_differential", "strict", "strict"),
    named("exp_strictly_lower_second_differential", "strict", "strict"),
    named("spectral", "values", "orthogonal"),
    named("spectral_differential", "symmetric", "symmetric", "orthogonal"),
    named("sym_log_differential", "symmetric", "spd"),
    named("sym_exp_differential", "symmetric", "symmetric"),
    named("sym_exp_second_differential", "symmetric", "symmetric"),
    named("sym_power_differential", "symmetric", "spd", exponent=0.5),
    named("off_log_differential", "hollow", "correlation"),
    second("off_log_and_differential", "hollow", "correlation"),
    named("off_log_differential_inverse", "hollow", "correlation"),
    named("off_log_diagonal_differential", "symmetric", "symmetric"),
    named("off_exp_differential", "hollow", "hollow"),
    named("off_exp_second_differential", "hollow", "hollow"),
    named("log_scaling_differential", "symmetric", "spd"),
    named("log_scaled_differential", "hollow", "correlation"),
    second("log_scaled_and_differential", "hollow", "correlation"),
    named("exp_scaled_differential", "row0", "row0"),
    named("exp_scaled_second_differential", "row0", "row0"),
    named("hyperbolic_orthonormal", "row", "row"),
    named("hyperbolic_from_orthonormal", "row", "row"),
    named("hyperbolic_half_sinh_square", "row", "row"),
    named("hyperbolic_squared_dist", "row", "row"),
    named("hyperbolic_exp", "row", "row"),
    named("hyperbolic_log", "row", "row"),
    named("hyperbolic_transport", "row", "row", "row"),
    named("hyperbolic_curvature", "row", "row", "row", "row"),
    named("hyperbolic_mean", "rows", "weights"),
    named("hyperboloid_to_origin_tangent_differential", "row", "row"),
    named("hyperboloid_from_origin_tangent_differential", "row", "row"),
    named("hyperboloid_to_ball_differential", "row", "row"),
    named("hyperboloid_from_ball_differential", "row", "ball"),
    named("hyperboloid_to_hemisphere_differential", "row", "row"),
    named("hyperboloid_from_hemisphere_differential", "row + 1", "hemisphere"),
]


def parametrize(kernels):
    cases = [pytest.param(kernel, kinds, id=name) for name, kernel, kinds in kernels]
    return pytest.mark.parametrize(("kernel", "kinds"), cases)


def draw(rng, kinds, batches):
    return [
        ARGUMENTS[kind](rng, batch) for kind, batch in zip(kinds, batches, strict=True)
    ]


def assert_close(arrays, actual, expected):
    assert actual.shape == expected.shape
    if expected.size:
        error = np.max(np.abs(actual - expected))
        assert error <= 64 * arrays.eps * max(1.0, np.max(np.abs(expected)))


@parametrize(POINTWISE + SEVERAL)
def test_each_matrix_on_its_own(arrays, rng, kernel, kinds):
    for batch in [(3,), (2, 3)]:
        arguments = draw(rng, kinds, [batch] * len(kinds))
        actual = arrays.apply(kernel, *arguments)
        expected = np.empty_like(actual)
        for index in np.ndindex(batch):
            alone = arrays.apply(kernel, *(argument[index] for argument in arguments))
            assert actual.shape == batch + alone.shape
            expected[index] = alone
        assert_close(arrays, actual, expected)


@parametrize(POINTWISE + SEVERAL)
def test_empty_batch(arrays, rng, kernel, kinds):
    alone = arrays.apply(kernel, *draw(rng, kinds, [()] * len(kinds)))
    for batch in [(0,), (2, 0)]:
        empty = arrays.apply(kernel, *draw(rng, kinds, [batch] * len(kinds)))
        assert empty.shape == batch + alone.shape


SHAPES = {
    "vectors at a point": ((3,), ()),
    "a vector at points": ((), (3,)),
    "outer": ((2, 1), (3,)),
    "outer, reversed": ((3,), (2, 1)),
    "one": ((1,), (3,)),
    "none": ((0,), ()),
}


@parametrize(SEVERAL)
def test_broadcasting(arrays, rng, kernel, kinds):
    for shapes in SHAPES.values():
        # Of three or more arguments, the middle ones alternate.
        batches = [shapes[i % 2] for i in range(len(kinds) - 1)] + [shapes[1]]
        arguments = draw(rng, kinds, batches)
        full = np.broadcast_shapes(*batches)
        spread = [
            np.broadcast_to(argument, full + argument.shape[len(batch) :]).copy()
            for argument, batch in zip(arguments, batches, strict=True)
        ]
        expected = arrays.apply(kernel, *spread)
        actual = arrays.apply(kernel, *arguments)
        assert_close(arrays, actual, expected)
