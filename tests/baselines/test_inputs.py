"""Both precisions and bad input, for every network for comparison."""

import pytest
import torch

from cornet_nn.baselines import BASELINES
from geomstats_cor.exceptions import (
    NotPositiveDefiniteError,
    ShapeError,
    SubspaceError,
)

from .cases import OWN, case

every_network = pytest.mark.parametrize("name", OWN)


@every_network
def test_single_precision_is_close_to_double(name):
    model, inputs = case(name)
    expected = model(inputs)
    logits = model.float()(inputs.float())
    assert (expected.dtype, logits.dtype) == (torch.float64, torch.float32)
    torch.testing.assert_close(logits.double(), expected, rtol=1e-3, atol=1e-4)
    logits.square().sum().backward()
    assert all(p.grad.isfinite().all() for p in model.parameters())


@every_network
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_a_degenerate_item_is_named(name, dtype):
    """A covariance matrix of rank one, or a basis of rank p - 1."""
    model, inputs = case(name)
    inputs = inputs.to(dtype)
    where = (1,) * (inputs.ndim - 2)
    is_subspace = BASELINES[name].form == "subspaces"
    if is_subspace:
        inputs[where][:, 1] = inputs[where][:, 0]
    else:
        inputs[where] = 1.0
    error = SubspaceError if is_subspace else NotPositiveDefiniteError
    with pytest.raises(error, match=r"point\[1(, [01])?\]"):
        model.to(dtype)(inputs)


@every_network
def test_another_number_of_channels_is_refused(name):
    model, inputs = case(name)
    more = inputs if inputs.ndim == 4 else inputs[:, None]
    with pytest.raises(ShapeError, match="expected shape"):
        model(torch.cat([more, more[:, :1]], dim=1))
