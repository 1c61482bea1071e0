"""Layers that meet in coordinates give what they give when they meet in points."""

import itertools

import pytest
import torch
from torch.nn.utils import prune

from cornet_nn import (
    CorChannelConv,
    CorFC,
    CorMLR,
    CorNet,
    CorSequential,
    TangentActivation,
)
from geomstats_cor.exceptions import ShapeError
from geomstats_cor.metrics.base import CorrelationMetric

from .networks import KEYS, points, randomised, space_of

PAIRS = list(itertools.product(KEYS, KEYS))


def value_and_gradients(model, given):
    given = given.clone().requires_grad_()
    output = model(given)
    weights = torch.linspace(-1.0, 1.0, output.numel(), dtype=given.dtype)
    parameters = list(model.parameters())
    loss = (weights * output.flatten()).sum()
    return output, torch.autograd.grad(loss, [given, *parameters])


@pytest.mark.parametrize("key, mlr", PAIRS)
@pytest.mark.parametrize("activation", [None, torch.tanh])
def test_fused_is_unfused(key, mlr, activation):
    torch.manual_seed(2)
    model = CorNet(
        5,
        4,
        3,
        in_channels=3,
        metric=key,
        mlr=mlr,
        out_channels=2,
        kernel_size=2,
        activation=activation,
        dtype=torch.float64,
    )
    randomised(model, scale=0.2)
    given = points(5, (4, 3))
    fused, fused_gradients = value_and_gradients(model, given)
    model.fuse = False
    unfused, unfused_gradients = value_and_gradients(model, given)
    torch.testing.assert_close(fused, unfused, rtol=1e-10, atol=1e-10)
    for actual, expected in zip(fused_gradients, unfused_gradients, strict=True):
        scale = float(expected.abs().max())
        torch.testing.assert_close(actual, expected, rtol=1e-9, atol=1e-9 * scale)


@pytest.fixture
def conversions(monkeypatch):
    """Record what is made of coordinates: points, or factors of points."""
    calls = []
    for name in ("from_coords", "factor_from_coords"):
        original = getattr(CorrelationMetric, name)

        def recorded(self, coords, name=name, original=original):
            calls.append(name)
            return original(self, coords)

        monkeypatch.setattr(CorrelationMetric, name, recorded)
    return calls


@pytest.mark.parametrize("key, mlr", PAIRS)
def test_what_cancels_is_not_computed(key, mlr, conversions):
    model = CorNet(5, 4, 3, metric=key, mlr=mlr, activation=torch.tanh)
    given = points(5, (2,), dtype=torch.float32)
    model(given)
    assert conversions == ([] if key == mlr else ["factor_from_coords"])
    conversions.clear()
    model.fuse = False
    model(given)
    assert conversions == ["from_coords", "from_coords"]


def test_metrics_with_other_parameters_are_other_metrics(conversions):
    other = space_of("olm, beta and gamma", 4)
    given = points(5, (2,), dtype=torch.float32)
    CorNet(5, 4, 3, metric="olm", mlr=other)(given)
    assert conversions == ["factor_from_coords"]
    CorNet(5, 4, 3, metric="olm", mlr=space_of("olm", 4))(given)
    assert conversions == ["factor_from_coords"]


def test_sequence_ends_with_the_output_of_the_last_layer():
    fc = CorFC(space_of("lsm", 5), space_of("phcm", 4), dtype=torch.float64)
    activation = TangentActivation(space_of("phcm", 4), torch.nn.Tanh())
    given = points(5, (2,))
    torch.testing.assert_close(CorSequential(fc)(given), fc(given))
    model = CorSequential(fc, activation)
    torch.testing.assert_close(model(given), activation(fc(given)))


def test_other_modules_see_points_and_logits():
    space = space_of("ecm", 4)
    fc = CorFC(space_of("ecm", 5), space, dtype=torch.float64)
    mlr = CorMLR(space, 3, dtype=torch.float64)
    model = CorSequential(fc, torch.nn.Identity(), mlr, torch.nn.Softmax(-1))
    given = points(5, (2,))
    torch.testing.assert_close(model(given), torch.softmax(mlr(fc(given)), -1))


def test_a_single_sample_without_a_batch():
    """One kernel gives one channel, which is not mistaken for a batch."""
    for key, mlr in (("olm", "olm"), ("olm", "ecm")):
        model = CorNet(5, 4, 3, in_channels=2, metric=key, mlr=mlr, dtype=torch.float64)
        given = points(5, (3, 2))
        assert model(given[0]).shape == (3,)
        torch.testing.assert_close(model(given)[0], model(given[0]))


def test_under_one_flat_metric_the_network_is_linear_in_coordinates():
    for key in KEYS:
        space = space_of(key, 5)
        model = randomised(
            CorNet(space, 4, 3, metric=key, dtype=torch.float64), scale=0.2
        )
        x = 0.3 * torch.randn(2, space.dim, dtype=torch.float64)
        a, b, middle = (
            model(space.metric.from_coords(c)) for c in (x[0], x[1], (x[0] + x[1]) / 2)
        )
        bend = float(((a + b) / 2 - middle).abs().max().detach())
        assert bend < 1e-10 if key != "phcm" else bend > 1e-4


def test_layers_that_do_not_fit():
    small, large = space_of("olm", 4), space_of("olm", 5)
    with pytest.raises(ShapeError, match="gives matrices of size 4, .* of size 5"):
        CorSequential(CorFC(large, small), CorMLR(large, 3))
    with pytest.raises(ShapeError, match="gives no axis of channels, .* takes 2"):
        CorSequential(CorFC(large, small), CorMLR(small, 3, in_channels=2))
    with pytest.raises(ShapeError, match="gives numbers"):
        CorSequential(CorMLR(small, 3), CorMLR(small, 3))
    with pytest.raises(ShapeError, match="gives 3 channels, but layer 2 takes 2"):
        activation = TangentActivation(small, torch.relu)
        conv = CorChannelConv(large, small, 4, 3)
        CorSequential(conv, activation, CorMLR(small, 3, in_channels=2))


@pytest.mark.parametrize("fuse", [True, False])
@pytest.mark.parametrize("shape", [(), (1,), (5,), (5, 1), (2, 5, 1)], ids=str)
@pytest.mark.parametrize("before", [(), (torch.nn.Identity(),)], ids=["first", "later"])
def test_a_layer_after_an_activation_looks_at_channels(before, shape, fuse):
    space, small = space_of("olm", 4), space_of("olm", 3)
    activation = TangentActivation(space, torch.tanh)
    given = points(4, shape)
    for layer in (
        CorMLR(space, 2, dtype=given.dtype),
        CorFC(space, small, dtype=given.dtype),
        CorChannelConv(space, small, None, 2, dtype=given.dtype),
    ):
        model = CorSequential(*before, activation, layer, fuse=fuse)
        torch.testing.assert_close(model(given), layer(activation(given)))


@pytest.mark.parametrize("fuse", [True, False])
def test_a_layer_after_an_activation_refuses_other_channels(fuse):
    space = space_of("olm", 4)
    activation = TangentActivation(space, torch.tanh)
    layer = CorChannelConv(space, space, 5, 2, kernel_size=2)
    model = CorSequential(activation, layer, fuse=fuse)
    for channels in (1, 4, 6):
        with pytest.raises(ShapeError, match="the layer has 5 channels"):
            model(torch.eye(4).expand(2, channels, 4, 4))


@pytest.mark.parametrize("fuse", [True, False])
def test_what_is_hooked_to_layers_takes_part(fuse):
    """Pruning computes a weight in a hook, anew in every forward pass."""
    model = CorNet(4, 3, 2, metric="olm", mlr="ecm", activation=torch.tanh, fuse=fuse)
    seen = []
    for layer in (model.conv, model.activation, model.mlr):
        layer.register_forward_hook(lambda layer, *_: seen.append(layer))
    prune.l1_unstructured(model.mlr, "weight", amount=0.5)
    given = points(4, (5,)).float()
    for _ in range(2):
        model(given).square().sum().backward()
    assert seen == 2 * [model.conv, model.activation, model.mlr]
    with torch.no_grad():
        model.mlr.weight_orig.zero_()
    assert not model(given).any()


def test_layers_of_a_container():
    space = space_of("olm", 4)
    layers = [CorFC(space, space), CorFC(space, space), CorMLR(space, 2)]
    model = CorSequential(*layers, fuse=False)
    assert len(model) == 3 and list(model) == layers and model[-1] is layers[2]
    part = model[1:]
    assert list(part) == layers[1:] and part.fuse is False
