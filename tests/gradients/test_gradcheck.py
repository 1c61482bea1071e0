"""First and second derivatives against difference quotients, where it is hard."""

import pytest
import torch
from torch.autograd import gradcheck, gradgradcheck

from .operations import (
    CORRELATIONS,
    KEYS,
    OPERATIONS,
    Operation,
    in_coordinates,
    metric,
)

pytestmark = pytest.mark.filterwarnings("error")

_SAME = ("correlation", "correlation")

# Second derivatives along all directions are taken at one point of each kind, and along
# random ones at the others.
_MORE_OF_A_KIND = ("equicorrelation", "gap 0.001", "gap 1e-06", "gap 1e-12")

every_point = pytest.mark.parametrize(
    "where",
    [
        pytest.param(where, marks=[pytest.mark.slow] * (where in _MORE_OF_A_KIND))
        for where in CORRELATIONS
    ],
)


def check(function, zeros, where):
    """Compare first and second derivatives of a function with difference quotients."""
    # The coordinates are in units of the smallest eigenvalue if that is small, so that
    # derivatives are of order one; the step is as much longer as rounding is worse.
    hard = where == "ill-conditioned"
    step, first, second = (1e-3, 1e-3, 1e-2) if hard else (1e-5, 1e-6, 1e-5)
    options = dict(eps=step, check_undefined_grad=where == "random")
    assert gradcheck(function, zeros, atol=first, rtol=first, **options)
    options["fast_mode"] = where in _MORE_OF_A_KIND
    assert gradgradcheck(function, zeros, atol=second, rtol=second, **options)


@every_point
@pytest.mark.parametrize("name", OPERATIONS)
def test_operations(name, where):
    check(*in_coordinates(OPERATIONS[name], CORRELATIONS[where]), where)


@every_point
@pytest.mark.parametrize("key", KEYS)
def test_squared_dist_of_coincident_points(key, where):
    correlation = CORRELATIONS[where]
    squared_dist = Operation(metric(key, len(correlation)).squared_dist, _SAME)
    function, zeros = in_coordinates(squared_dist, correlation)
    apart = torch.zeros_like(zeros)
    apart[: len(apart) // 2] = 0.1
    size = 100.0 * float(function(apart))
    check(lambda x: function(x) / size, zeros, where)
