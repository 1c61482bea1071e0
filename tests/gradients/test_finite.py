"""No NaN and no infinity in a gradient, in either precision."""

import pytest
import torch

from .operations import (
    CORRELATIONS,
    KEYS,
    OPERATIONS,
    arguments,
    gradients,
    metric,
    weighted,
)

# In float32 the scaling of the ill-conditioned matrix has few digits, and says so.
pytestmark = pytest.mark.filterwarnings(
    "ignore::geomstats_cor.exceptions.ConvergenceWarning"
)

either_precision = pytest.mark.parametrize("dtype", [torch.float64, torch.float32])


@either_precision
@pytest.mark.parametrize("name", OPERATIONS)
def test_gradients_are_finite(name, dtype):
    operation = OPERATIONS[name]
    for where, correlation in CORRELATIONS.items():
        tensors = arguments(operation, correlation, dtype)
        for gradient in gradients(weighted(operation), tensors):
            assert gradient.dtype == dtype, where
            assert torch.all(torch.isfinite(gradient)), where


@either_precision
@pytest.mark.parametrize("method", ["squared_dist", "dist"])
@pytest.mark.parametrize("key", KEYS)
def test_gradients_at_coincident_points_are_finite(key, method, dtype):
    """A distance has no gradient there, and gets one that does no harm."""
    for where, correlation in CORRELATIONS.items():
        correlation = torch.as_tensor(correlation, dtype=dtype)
        function = getattr(metric(key, len(correlation)), method)
        for gradient in gradients(function, (correlation, correlation)):
            assert torch.all(torch.isfinite(gradient)), where
            if method == "squared_dist":
                assert torch.all(gradient == 0.0), where
