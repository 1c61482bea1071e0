"""Networks for comparison as one graph of torch.compile, and exported.

The SPDNet rows are left out: layers of spd_learn read buffers and write to
dictionaries as they compute, which neither can trace.
"""

import pytest
import torch

from cornet_nn.baselines import GrNet, GyroFC, GyroSPDPlusPlus
from cornet_nn.spaces import SPDMatrices
from tests.spaces.matrices import bases, spd

from .cases import CHANNELS, OWN, case

pytestmark = pytest.mark.filterwarnings("ignore:Dynamo detected a call")

REPRESENTATIVE = ["GrNet", "GyroGr-Scaling", "SPDResNet-AIM", "GyroSPD++"]


def representative(names):
    others = [name for name in names if name not in REPRESENTATIVE]
    slow = [pytest.param(name, marks=pytest.mark.slow) for name in others]
    return pytest.mark.parametrize("name", [*REPRESENTATIVE, *slow])


@pytest.fixture(autouse=True)
def fresh_compiler():
    torch._dynamo.reset()
    yield
    torch._dynamo.reset()


def assert_same(model, compiled, inputs):
    leaves = [p for p in model.parameters() if p.requires_grad]
    results = []
    for function in (compiled, model):
        logits = function(inputs)
        weights = torch.linspace(-1.0, 1.0, logits.numel(), dtype=logits.dtype)
        total = (weights * logits.flatten()).sum()
        results.append([logits, *torch.autograd.grad(total, leaves)])
    for found, expected in zip(*results, strict=True):
        torch.testing.assert_close(found, expected, rtol=1e-9, atol=1e-11)


@representative(OWN)
def test_the_network_is_one_graph(name):
    model, inputs = case(name)
    compiled = torch.compile(model, fullgraph=True, backend="aot_eager")
    assert_same(model, compiled, inputs)


@representative(OWN)
def test_the_exported_network_takes_batches_of_any_size(name):
    model, inputs = case(name)
    batch = {0: torch.export.Dim("batch", min=2, max=64)}
    program = torch.export.export(model, (inputs,), dynamic_shapes=(batch,))
    more = torch.cat([inputs, inputs.flip(0)])
    torch.testing.assert_close(program.module()(more), model(more), rtol=1e-9, atol=0.0)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["GyroGr-Scaling", "GyroSPD++", "SPDResNet-AIM"])
def test_the_code_that_is_generated(name):
    model, inputs = case(name)
    assert_same(model, torch.compile(model, fullgraph=True), inputs)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("make", "form"),
    [
        (lambda: GrNet(9, 2, 3, CHANNELS, instances=2), "subspaces"),
        (lambda: GyroSPDPlusPlus(5, 3, 3, CHANNELS, "lcm", "aim"), "channels"),
        (lambda: GyroSPDPlusPlus(5, 3, 3, CHANNELS, shared_offset=True), "channels"),
        (
            lambda: GyroFC(
                SPDMatrices(5, equip="aim"), SPDMatrices(3, equip="aim"), CHANNELS
            ),
            "channels",
        ),
    ],
    ids=["means of channels", "lcm and aim", "shared offset", "layer"],
)
def test_options_and_layers(make, form):
    torch.manual_seed(0)
    model = make().double()
    inputs = bases(3, 2, n=9, p=2) if form == "subspaces" else spd(3, 2, n=5)
    compiled = torch.compile(model, fullgraph=True, backend="aot_eager")
    assert_same(model, compiled, inputs)
