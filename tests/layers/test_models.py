"""Networks of several layers: what they compute, and what one layer cannot learn."""

import copy

import numpy as np
import pytest
import torch
from torch.nn.functional import cross_entropy

from cornet_nn import (
    CorMLRNet,
    CorNet,
    CorPositions,
    CorResNet,
    CorSequential,
    CorTransformer,
    FrechetPool,
    Network,
)
from geomstats_cor.exceptions import ParameterError, ShapeError

from .networks import KEYS, points, space_of

DOUBLE = dict(dtype=torch.float64)
every_metric = pytest.mark.parametrize("key", KEYS)

# Matrices of size 4 and two channels, or sequences of length two.
MODELS = {
    "deep": lambda key, **options: CorNet(
        4, [3, 3], 2, 2, metric=key, activation=torch.tanh, **options
    ),
    "residual": lambda key, **options: CorResNet(4, 3, 2, 2, metric=key, **options),
    "transformer": lambda key, **options: CorTransformer(
        4, 3, 2, 2, metric=key, **options
    ),
}
every_model = pytest.mark.parametrize("kind", MODELS)


def accuracy_after(model, given, labels, steps=150, lr=0.03):
    """Train on all samples, and return the share that is classified right."""
    optimizer = torch.optim.Adam(model.parameters(), lr=lr)
    for _ in range(steps):
        optimizer.zero_grad()
        cross_entropy(model(given), labels).backward()
        optimizer.step()
    return float((model(given).argmax(-1) == labels).double().mean())


@every_model
@every_metric
def test_fused_is_unfused(kind, key):
    torch.manual_seed(0)
    model, given = MODELS[kind](key, **DOUBLE).eval(), points(4, (3, 2))
    fused = model(given)
    for network in (model, *getattr(model, "blocks", ())):
        network.fuse = False
    torch.testing.assert_close(model(given), fused, rtol=1e-8, atol=1e-8)


@every_model
@every_metric
def test_what_estimators_use(kind, key):
    torch.manual_seed(0)
    for normalize in (None, "coordinates"):
        model = MODELS[kind](key, normalize=normalize, momentum=0.0, **DOUBLE)
        model, given = model.eval(), points(4, (5, 2))
        assert isinstance(model, Network)
        coords = model.coords(given)
        assert coords.shape == (5, 2, 6)
        if normalize:
            model.norm.fit(coords)
            normalized = model.normalized(coords)
            scale = model.norm.hyperplanes_in.dispersion
            if kind != "transformer":
                spread = normalized.var(0, correction=0).sum(-1)
                if key != "phcm":
                    torch.testing.assert_close(spread, torch.full((2,), scale).double())
            torch.testing.assert_close(
                model.features_of_coords(coords), model.features(given)
            )
        logits = model.from_features(model.features(given))
        torch.testing.assert_close(logits, model(given))
        groups = model.parameter_groups(lr=0.1)
        counted = sum(p.numel() for group in groups for p in group["params"])
        assert counted == sum(p.numel() for p in model.parameters())
        assert groups[0]["params"][0] is model._layers()[0].weight
    copied = copy.deepcopy(model)
    copied.reset_parameters()
    assert not torch.equal(copied._layers()[0].weight, model._layers()[0].weight)
    assert not copied.norm.running_mean.any()


@pytest.mark.parametrize("kind", ["deep", "residual"])
def test_exclusive_or(kind):
    """Four clusters, of which opposite ones belong together; no plane tells them."""
    torch.manual_seed(0)
    metric = space_of("olm", 3).metric
    corners = torch.tensor([[1.0, 1.0], [-1.0, -1.0], [1.0, -1.0], [-1.0, 1.0]])
    coords = torch.zeros(40, 3, **DOUBLE)
    coords[:, :2] = corners.double().repeat_interleave(10, 0)
    coords += 0.2 * torch.randn(40, 3, **DOUBLE)
    labels = torch.arange(4).repeat_interleave(10) // 2
    given = metric.from_coords(coords)
    options = dict(metric="olm", **DOUBLE)
    model = {
        "deep": lambda: CorNet(3, [4, 3], 2, activation=torch.tanh, **options),
        "residual": lambda: CorResNet(3, 4, 2, depth=1, **options),
    }[kind]()
    assert accuracy_after(CorMLRNet(3, 2, **options), given, labels) < 0.8
    assert accuracy_after(model, given, labels) > 0.97


@pytest.mark.parametrize(
    "key",
    ["olm", *(pytest.param(k, marks=pytest.mark.slow) for k in KEYS if k != "olm")],
)
def test_whether_two_matrices_of_a_sequence_are_alike(key):
    """First and last are alike or not: neither the mean nor a plane tells it."""
    torch.manual_seed(0)
    metric = space_of(key, 3).metric
    signs = torch.randint(0, 2, (60, 3)) * 2 - 1
    coords = 0.2 * torch.randn(60, 3, 3, **DOUBLE)
    coords[..., 0] += signs
    labels = (signs[:, 0] == signs[:, 2]).long()
    given = metric.from_coords(coords)
    options = dict(metric=key, **DOUBLE)
    model = CorTransformer(3, 3, 2, 3, heads=2, **options)
    flat = CorMLRNet(3, 2, 3, **options)
    pooled = CorSequential(FrechetPool(3, 3, **options), CorMLRNet(3, 2, **options))
    assert accuracy_after(flat, given, labels) < 0.9
    assert accuracy_after(pooled, given, labels) < 0.9
    assert accuracy_after(model, given, labels, steps=200) > 0.95


def test_every_network_has_a_classifier():
    """Sequences go in as they are, and one layer does not learn the question."""
    pytest.importorskip("skorch")
    from cornet_nn.training import CorMLRClassifier, CorNetClassifier

    generator = torch.Generator().manual_seed(0)
    signs = torch.randint(0, 2, (300, 3), generator=generator) * 2 - 1
    coords = 0.2 * torch.randn(300, 3, 3, generator=generator, **DOUBLE)
    coords[..., 0] += signs
    X = space_of("olm", 3).metric.from_coords(coords).numpy()
    y = np.where(signs[:, 0] == signs[:, 2], "alike", "not")
    options = dict(metric="olm", random_state=0, progress=False)
    steps = dict(lr=1e-2, weight_decay=1e-2, dropout=0.0, max_epochs=40)
    regression = CorMLRClassifier(**options).fit(X[:200], y[:200])
    assert regression.score(X[200:], y[200:]) < 0.7
    for module in (CorNet, CorResNet, CorTransformer):
        model = CorNetClassifier(module=module, **options, **steps)
        model.fit(X[:200], y[:200])
        assert type(model.module_) is module
        assert model.score(X[200:], y[200:]) > 0.95


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:Dynamo detected a call")
@every_model
@every_metric
def test_compiled_and_exported(kind, key):
    torch.manual_seed(0)
    torch._dynamo.reset()
    model, given = MODELS[kind](key, **DOUBLE).eval(), points(4, (3, 2))
    expected = model(given)
    compiled = torch.compile(model, fullgraph=True, backend="eager")
    torch.testing.assert_close(compiled(given), expected, rtol=1e-10, atol=1e-10)
    program = torch.export.export(model, (given,)).module()
    torch.testing.assert_close(program(given), expected, rtol=1e-10, atol=1e-10)


@every_model
@every_metric
def test_autocast_is_off(kind, key):
    torch.manual_seed(0)
    model = MODELS[kind](key).eval()
    given = points(4, (3, 2), dtype=torch.float32)
    expected = model(given)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        torch.testing.assert_close(model(given), expected, rtol=0, atol=0)


@every_metric
def test_order_counts_with_positions_alone(key):
    given = points(4, (2, 5))
    turned = given.flip(1)
    free = CorTransformer(4, 3, 2, metric=key, **DOUBLE).eval()
    torch.testing.assert_close(free(given), free(turned))
    placed = CorTransformer(4, 3, 2, 5, metric=key, **DOUBLE).eval()
    assert (placed(given) - placed(turned)).abs().max() > 1e-6
    assert free(given[:, :3]).shape == (2, 2)


@every_metric
def test_positions_move_along_geodesics(key):
    metric, given = space_of(key, 4).metric, points(4, (2, 3))
    layer = CorPositions(4, 3, metric=key, **DOUBLE)
    identity = torch.eye(4, **DOUBLE).expand_as(given)
    ends = metric.from_coords(layer.position.detach())
    steps = metric.log(ends, identity[0]).expand_as(given)
    carried = metric.parallel_transport(steps, identity, end_point=given)
    expected = metric.exp(carried, given)
    torch.testing.assert_close(layer(given).detach(), expected, rtol=1e-9, atol=1e-9)


@every_model
def test_layers_are_shown_in_the_order_of_their_execution(kind):
    model = MODELS[kind]("olm", normalize="channel", front_end=torch.nn.Identity())
    seen = []
    model.front_end.register_forward_hook(lambda *_: seen.append("front_end"))
    for name, child in model.named_children():
        for module in child if isinstance(child, torch.nn.ModuleList) else [child]:
            module.register_forward_hook(lambda *_, name=name: seen.append(name))
    model(points(4, (3, 2), dtype=torch.float32))
    shown = [name for name, _ in model.named_children()]
    assert list(dict.fromkeys(seen)) == shown
    text = repr(model)
    assert [text.index(f"({name})") for name in shown] == sorted(
        text.index(f"({name})") for name in shown
    )


def test_channels_are_explicit():
    given = points(4, (3, 2))
    with_axis = CorNet(4, 3, 2, 2, metric="olm", **DOUBLE)
    without = CorNet(4, 3, 2, metric="olm", **DOUBLE)
    assert with_axis(given).shape == (3, 2)
    assert without(given).shape == (3, 2, 2)
    with pytest.raises(ShapeError, match="has 2 channels, got"):
        with_axis(given[:, :1])


def test_errors():
    with pytest.raises(ParameterError, match="expected at least one space, got none"):
        CorNet(4, [], 2, metric="olm")
    with pytest.raises(ParameterError, match="depth must be a positive integer"):
        CorResNet(4, 3, 2, depth=0, metric="olm")
    model = CorTransformer(4, 3, 2, 5, metric="olm", **DOUBLE)
    with pytest.raises(ShapeError, match=r"shape \[..., 5, 4, 4\], got \(2, 3, 4, 4\)"):
        model(points(4, (2, 3)))
    with pytest.raises(ShapeError, match="expected a sequence of matrices"):
        CorTransformer(4, 3, 2, metric="olm", **DOUBLE)(points(4))
