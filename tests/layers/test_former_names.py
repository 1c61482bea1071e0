"""Names of version 0.1 work for one release, with a warning."""

import importlib
import sys

import pytest
import torch

import cornet_nn
from cornet_nn import CorBatchNorm, CorFC, CorMLR, CorMLRNet

from .networks import points


@pytest.mark.parametrize("name", cornet_nn._MOVED)
def test_modules(name, monkeypatch):
    former, present = f"cornet_nn.{name}", f"cornet_nn.{cornet_nn._MOVED[name]}"
    monkeypatch.delitem(sys.modules, former, raising=False)
    with pytest.warns(DeprecationWarning, match=f"{former} is now {present};") as seen:
        module = importlib.import_module(former)
    assert module is importlib.import_module(present)
    assert module.__spec__.name == present
    assert len(seen) == 1


def test_a_module_that_never_was():
    with pytest.raises(ModuleNotFoundError, match="cornet_nn.spam"):
        importlib.import_module("cornet_nn.spam")


@pytest.mark.parametrize(
    "make",
    [
        lambda **options: CorMLR(4, 2, metric="olm", **options),
        lambda **options: CorFC(4, 3, metric="olm", **options),
        lambda **options: CorBatchNorm(4, metric="olm", **options),
        lambda **options: CorMLRNet(4, 2, metric="olm", **options),
    ],
)
def test_channels(make):
    with pytest.warns(DeprecationWarning, match="channels is now called in_channels"):
        layer = make(channels=2)
    assert layer.in_channels == 2
    given = points(4, (3, 2), dtype=torch.float32)
    assert layer(given).shape == make(in_channels=2)(given).shape
