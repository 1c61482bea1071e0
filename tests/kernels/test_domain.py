"""Matrices outside the domain of a map: NaN for them, and for no other in the batch."""

import warnings

import numpy as np
import pytest

from geomstats_cor import kernels as k

from .maps import MAPS
from .matrices import (
    equicorrelation,
    random_correlation,
    random_hollow,
    random_strictly_lower,
    scaled_to_unit_diagonal,
)

N = 4
FACTOR = np.array([[1.0, 0.2], [0.3, 1.0], [-0.5, 0.7], [0.9, 0.1]])

OUTSIDE = {
    "indefinite": equicorrelation(N, -1 / (N - 1) - 0.01),
    # No vector of positive entries sees that these two are not positive definite.
    "indefinite, copositive": np.array(
        [[1, 0.9, 0, 0], [0.9, 1, 0.9, 0], [0, 0.9, 1, 0.9], [0, 0, 0.9, 1]]
    ),
    "all ones": np.ones((N, N)),
    "rank two": scaled_to_unit_diagonal(FACTOR @ FACTOR.T),
    "rank n - 1": equicorrelation(N, -1 / (N - 1)),
    "sign pattern": np.outer([1.0, -1, 1, -1], [1.0, -1, 1, -1]),
}

POINTWISE = {
    "full_rank_factor": k.full_rank_factor,
    "cor_inverse": k.cor_inverse,
    "theta": k.theta,
    "sym_log": k.sym_log,
    "sym_power": lambda x: k.sym_power(x, 0.5),
    "sym_power, integer": lambda x: k.sym_power(x, 2.0),
    "log_scaling": k.log_scaling,
    "scaled_to_unit_row_sums": k.scaled_to_unit_row_sums,
    **{f"map of {key}": MAPS[key].forward for key in MAPS},
}

DIFFERENTIALS = {
    "sym_log_differential": k.sym_log_differential,
    "sym_power_differential": lambda v, x: k.sym_power_differential(v, x, 0.5),
    "log_scaling_differential": k.log_scaling_differential,
    "off_log_differential_inverse": k.off_log_differential_inverse,
    "off_log_and_differential": lambda v, x: k.off_log_and_differential(v, x)[1],
    "log_scaled_and_differential": lambda v, x: k.log_scaled_and_differential(v, x)[1],
    **{f"differential of {key}": MAPS[key].differential for key in MAPS},
}


def assert_nan_in_the_middle(arrays, kernel, batch):
    """Check that the second of three answers is NaN, and the others are undisturbed."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        answers = arrays.apply(kernel, batch)
    alone = [arrays.apply(kernel, matrix) for matrix in (batch[0], batch[2])]
    for answer, expected in zip(answers[::2], alone, strict=True):
        assert np.all(np.isfinite(expected))
        error = np.max(np.abs(answer - expected))
        assert error <= 32 * arrays.eps * np.max(np.abs(expected))
    # What does not depend on the matrix, such as zeros of a triangle, may stay.
    depends = alone[0] != alone[1]
    assert np.any(depends)
    assert np.all(np.isnan(answers[1][depends]))


@pytest.fixture(params=OUTSIDE)
def batch(request, rng):
    """Three matrices, of which the second is outside the domain."""
    first, last = random_correlation(rng, N, 10.0, (2,))
    return np.stack([first, OUTSIDE[request.param], last])


@pytest.mark.parametrize("name", POINTWISE)
def test_maps(arrays, batch, name):
    assert_nan_in_the_middle(arrays, POINTWISE[name], batch)


@pytest.mark.parametrize("name", DIFFERENTIALS)
def test_differentials(arrays, rng, batch, name):
    vector = arrays(random_hollow(rng, N))
    kernel = DIFFERENTIALS[name]
    assert_nan_in_the_middle(arrays, lambda point: kernel(vector, point), batch)


@pytest.mark.parametrize("name", ["indefinite", "all ones"])
@pytest.mark.parametrize(
    "kernel", [k.theta, k.full_rank_factor, k.log_scaling, k.scaled_to_unit_row_sums]
)
def test_unknown_entries(arrays, rng, kernel, name):
    good = random_correlation(rng, N, 10.0)
    batch = np.stack([good, OUTSIDE[name], np.full((N, N), np.nan)])
    answers = arrays.apply(kernel, batch)
    expected = arrays.apply(kernel, good)
    assert np.max(np.abs(answers[0] - expected)) <= 32 * arrays.eps
    assert np.all(np.any(np.isnan(answers[1:]), axis=-1)[..., -1])


@pytest.mark.parametrize("kernel", [k.exp_strictly_lower, k.log_unit_lower])
@pytest.mark.parametrize("n", [N, 70])
def test_unknown_entries_of_triangles(arrays, rng, kernel, n):
    batch = 0.1 * random_strictly_lower(rng, n, (3,))
    batch[1] = np.tril(np.full((n, n), np.nan), -1)
    assert_nan_in_the_middle(arrays, kernel, batch)
