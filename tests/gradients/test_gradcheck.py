"""First and second derivatives against difference quotients, where it is hard."""

import pytest
import torch
from torch.autograd import gradcheck, gradgradcheck

from .operations import (
    CORRELATIONS,
    DIFFERENTIALS,
    KEYS,
    MAPS,
    METRIC_OPERATIONS,
    OPERATIONS,
    Operation,
    arguments,
    gradients,
    in_coordinates,
    metric,
    weighted,
)

pytestmark = pytest.mark.filterwarnings("error")

_SAME = ("correlation", "correlation")

# In float32 the scaling of the ill-conditioned matrix has few digits, and says so.
either_precision = pytest.mark.parametrize(
    "dtype",
    [
        torch.float64,
        pytest.param(
            torch.float32,
            marks=pytest.mark.filterwarnings(
                "ignore::geomstats_cor.exceptions.ConvergenceWarning"
            ),
        ),
    ],
    ids=["float64", "float32"],
)
every_point = pytest.mark.parametrize("where", CORRELATIONS)


def check(function, zeros, where):
    """Compare first and second derivatives of a function with difference quotients."""
    # The coordinates are in units of the smallest eigenvalue if that is small, so that
    # derivatives are of order one; the step is as much longer as rounding is worse.
    hard = where == "ill-conditioned"
    step, first, second = (1e-3, 1e-3, 1e-2) if hard else (1e-5, 1e-6, 1e-5)
    options = dict(eps=step, fast_mode=True, check_undefined_grad=where == "random")
    assert gradcheck(function, zeros, atol=first, rtol=first, **options)
    assert gradgradcheck(function, zeros, atol=second, rtol=second, **options)


@every_point
@pytest.mark.parametrize("name", MAPS | METRIC_OPERATIONS)
def test_maps_and_metrics(name, where):
    check(*in_coordinates(OPERATIONS[name], CORRELATIONS[where]), where)


@pytest.mark.parametrize("where", ["random", "repeated eigenvalues", "gap 1e-09"])
@pytest.mark.parametrize("name", DIFFERENTIALS)
def test_differentials(name, where):
    check(*in_coordinates(OPERATIONS[name], CORRELATIONS[where]), where)


@every_point
@pytest.mark.parametrize("key", KEYS)
def test_squared_dist_of_coincident_points(key, where):
    correlation = CORRELATIONS[where]
    squared_dist = Operation(metric(key, len(correlation)).squared_dist, _SAME)
    check(*in_coordinates(squared_dist, correlation), where)


@either_precision
@every_point
@pytest.mark.parametrize("name", OPERATIONS)
def test_gradients_are_finite(name, where, dtype):
    operation, correlation = OPERATIONS[name], CORRELATIONS[where]
    tensors = arguments(operation, correlation, dtype)
    for gradient in gradients(weighted(operation), tensors):
        assert gradient.dtype == dtype
        assert torch.all(torch.isfinite(gradient))


@either_precision
@every_point
@pytest.mark.parametrize("method", ["squared_dist", "dist"])
@pytest.mark.parametrize("key", KEYS)
def test_gradients_at_coincident_points_are_finite(key, method, where, dtype):
    """A distance has no gradient there, and gets one that does no harm."""
    correlation = torch.as_tensor(CORRELATIONS[where], dtype=dtype)
    function = getattr(metric(key, len(correlation)), method)
    for gradient in gradients(function, (correlation, correlation)):
        assert torch.all(torch.isfinite(gradient))
        if method == "squared_dist":
            assert torch.all(gradient == 0.0)
