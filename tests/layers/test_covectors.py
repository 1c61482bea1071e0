"""Weights are covectors: the same hyperplanes as before, in other numbers."""

import copy
import io

import numpy as np
import pytest
import torch

from cornet_nn import CorChannelConv, CorFC, CorMLR, CorNet, CorSequential
from geomstats_cor import FullRankCorrelationMatrices

from .networks import KEYS, PRODUCTS, hollow, points, randomised, space_of

DOUBLE = dict(dtype=torch.float64)


def coordinates_of_normals(space, normals):
    """Return the coordinates of the differential of phi at the identity."""
    identity = torch.eye(space.n, dtype=torch.float64)

    def coords(t):
        return space.metric.to_coords(identity + t * normals)

    return torch.func.jvp(
        coords, (torch.tensor(0.0).double(),), (torch.tensor(1.0).double(),)
    )[1]


def by_definition(layer, space, given):
    """Return <phi(C), dphi(Z)> - gamma |dphi(Z)|, summed over channels."""
    normals = coordinates_of_normals(space, layer.normals().detach())
    products = torch.einsum("bcd,kcd->bk", space.metric.to_coords(given), normals)
    return products - (layer.gamma.detach() * normals.norm(dim=-1)).sum(-1)


def old_state(model):
    """Return the state dict that version 1 wrote for the same hyperplanes."""
    state = copy.deepcopy(model.state_dict())
    for name, module in model.named_modules():
        if isinstance(module, CorMLR | CorFC | CorChannelConv):
            key = f"{name}.weight" if name else "weight"
            state[key] = module.hyperplanes_in.to_normal(state[key])
            state._metadata[name]["version"] = 1
    return state


def saved_and_loaded(state):
    file = io.BytesIO()
    torch.save(state, file)
    file.seek(0)
    return torch.load(file, weights_only=True)


@pytest.mark.parametrize("n", [2, 3, 5])
@pytest.mark.parametrize("name", PRODUCTS)
def test_logits_are_those_of_the_definition(name, n):
    torch.manual_seed(0)
    space, given = space_of(name, n), points(n, (4, 2))
    layer = randomised(CorMLR(space, 3, 2, **DOUBLE))
    expected = by_definition(layer, space, given)
    torch.testing.assert_close(layer(given), expected, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("n", [2, 3, 5])
@pytest.mark.parametrize("name", [*PRODUCTS, "phcm"])
def test_weights_and_normals_are_inverse(name, n):
    planes = space_of(name, n).metric.hyperplanes()
    normal = torch.randn(3, planes.dim, generator=torch.Generator().manual_seed(0))
    normal = normal.double()
    again = planes.to_normal(planes.to_weight(normal))
    torch.testing.assert_close(again, normal, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("name", PRODUCTS)
def test_a_weight_is_the_covector_of_its_normal(name):
    """Its product with features is the inner product with the logarithm."""
    space, given = space_of(name, 4), points(4, (5,))
    planes, identity = space.metric.hyperplanes(), torch.eye(4, dtype=torch.float64)
    packed = torch.arange(1.0, 7.0, **DOUBLE)
    log = space.metric.log(given, identity)
    expected = space.metric.inner_product(log, hollow(packed), identity)
    actual = planes.features(given) @ planes.to_weight(packed)
    torch.testing.assert_close(actual, expected, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("n", [4, 8])
def test_features_of_lsm_are_entries_of_the_logarithm(n):
    space, given = FullRankCorrelationMatrices(n, equip="lsm"), points(n, (5,))
    log = space.metric.log(given, torch.eye(n, dtype=torch.float64))
    rows, columns = np.tril_indices(n, -1)
    expected = 2**0.5 * log[..., rows, columns]
    features = space.metric.hyperplanes().features(given)
    torch.testing.assert_close(features, expected, rtol=1e-9, atol=1e-9)


def test_features_of_lsm_are_well_conditioned():
    """With normals as weights, gradients were Q times the features."""
    space = FullRankCorrelationMatrices(12, equip="lsm")
    planes = space.metric.hyperplanes()
    features = torch.as_tensor(planes.features(space.random_point(400, rng=0)))
    conditions = [
        float(torch.linalg.cond(torch.cov(x.mT)))
        for x in (features, planes.to_weight(features))
    ]
    assert conditions[0] < 10.0
    assert conditions[1] > 40.0 * conditions[0]


MODELS = {
    "mlr": lambda key: CorMLR(space_of(key, 4), 3, **DOUBLE),
    "fc": lambda key: CorFC(space_of(key, 4), space_of(key, 3), **DOUBLE),
    "cornet": lambda key: CorNet(4, 3, 2, metric=key, mlr="lsm", **DOUBLE),
    "sequential": lambda key: torch.nn.Sequential(
        CorSequential(
            CorChannelConv(space_of(key, 4), space_of(key, 3), None, 2, **DOUBLE),
            CorMLR(space_of(key, 3), 2, 2, **DOUBLE),
        )
    ),
}


@pytest.mark.parametrize("kind", MODELS)
@pytest.mark.parametrize("key", KEYS)
def test_a_state_dict_of_version_1_is_converted(key, kind):
    torch.manual_seed(0)
    model, given = randomised(MODELS[kind](key), scale=0.3), points(4, (5,))
    for way in (copy.deepcopy, saved_and_loaded):
        other, state = MODELS[kind](key), way(old_state(model))
        before = {name: value.clone() for name, value in state.items()}
        other.load_state_dict(state)
        torch.testing.assert_close(other(given), model(given), rtol=1e-9, atol=1e-9)
        for name, value in state.items():  # what was given stays as it was
            assert torch.equal(value, before[name])
    weights = [name for name in state if name.endswith("weight")]
    changed = [not torch.equal(state[w], model.state_dict()[w]) for w in weights]
    assert any(changed) == (key in ("olm", "lsm") or kind == "cornet")


@pytest.mark.parametrize("kind", MODELS)
@pytest.mark.parametrize("key", KEYS)
def test_a_state_dict_is_not_converted(key, kind):
    torch.manual_seed(0)
    model, given = randomised(MODELS[kind](key), scale=0.3), points(4, (5,))
    for way in (copy.deepcopy, saved_and_loaded, dict):
        other = MODELS[kind](key)
        other.load_state_dict(way(model.state_dict()))
        assert torch.equal(other(given), model(given))
    versions = {
        entry["version"]
        for entry in model.state_dict()._metadata.values()
        if "layer" in entry
    }
    assert versions == {3}


@pytest.mark.parametrize("key", KEYS)
def test_after_a_normalisation_weights_of_version_2_are_made_orthonormal(key):
    """Version 2 had the weights of the metric's own hyperplanes everywhere."""
    torch.manual_seed(0)
    options = dict(metric=key, activation=torch.relu, regression=True)
    model = CorNet(4, 3, 2, normalize="coordinates", **options, **DOUBLE)
    given = points(4, (9,))
    model.norm.fit(model.coords(given))
    model, state = randomised(model).eval(), copy.deepcopy(model.state_dict())
    for name in ("conv", "regression"):
        layer = model.get_submodule(name)
        own, weight = layer.hyperplanes_in.metric.hyperplanes(), state[f"{name}.weight"]
        normal = layer.hyperplanes_in.to_normal(weight)
        state[f"{name}.weight"] = own.to_weight(normal)
        state._metadata[name]["version"] = 2
    other = CorNet(4, 3, 2, normalize="coordinates", **options, **DOUBLE).eval()
    other.load_state_dict(state)
    torch.testing.assert_close(other(given), model(given), rtol=1e-9, atol=1e-9)
    changed = (state["conv.weight"] - model.state_dict()["conv.weight"]).abs().max()
    assert (changed > 0.01) == (key == "lsm")
