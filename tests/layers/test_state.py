"""A state dict belongs to a metric, sizes and a basis."""

import copy
import io

import pytest
import torch

from cornet_nn import CorChannelConv, CorFC, CorMLR, CorNet, TangentActivation
from geomstats_cor.exceptions import ParameterError

from .networks import KEYS, points, space_of


def saved_and_loaded(state):
    file = io.BytesIO()
    torch.save(state, file)
    file.seek(0)
    return torch.load(file, weights_only=True)


@pytest.mark.parametrize("way", [lambda state: state, copy.deepcopy, saved_and_loaded])
def test_another_metric_is_refused(way):
    for key in KEYS:
        model = CorNet(4, 3, 2, metric=key, activation=torch.tanh)
        for other in KEYS:
            state = way(
                CorNet(4, 3, 2, metric=other, activation=torch.tanh).state_dict()
            )
            if other == key:
                model.load_state_dict(state)
                continue
            before = copy.deepcopy(model.state_dict())
            with pytest.raises(ParameterError, match="does not belong to conv: "):
                model.load_state_dict(state)
            for name, value in model.state_dict().items():
                assert torch.equal(value, before[name])


def test_other_parameters_of_a_metric_are_refused():
    one, other = (CorMLR(space_of(k, 4), 2) for k in ("olm", "olm, beta and gamma"))
    with pytest.raises(ParameterError, match="input was OffLogMetric"):
        other.load_state_dict(one.state_dict())


def test_another_basis_is_refused():
    layers = [
        CorFC(space_of("lsm", 4), space_of("lsm", 3), basis=basis)
        for basis in ("orthonormal", "printed")
    ]
    with pytest.raises(ParameterError, match="basis was orthonormal, and is printed"):
        layers[1].load_state_dict(layers[0].state_dict())


def test_another_metric_of_the_output_is_refused():
    layers = [
        CorChannelConv(space_of("olm", 4), space_of(key, 3), 1, 1)
        for key in ("olm", "ecm")
    ]
    with pytest.raises(ParameterError, match="output was OffLogMetric"):
        layers[1].load_state_dict(layers[0].state_dict())


def test_layers_without_numbers_know_their_metric():
    layers = [TangentActivation(space_of(key, 4), torch.tanh) for key in ("olm", "lsm")]
    assert not layers[0].state_dict()
    with pytest.raises(ParameterError, match="LogScaledMetric"):
        layers[1].load_state_dict(layers[0].state_dict())


def test_a_state_dict_without_a_description_is_loaded():
    one, other = (CorNet(4, 3, 2, metric="olm", dtype=torch.float64) for _ in range(2))
    other.load_state_dict(dict(one.state_dict()))
    given = points(4, (3,))
    assert torch.equal(one(given), other(given))


def test_a_container_hands_the_description_on():
    wrapped = torch.nn.Sequential(torch.nn.Identity(), CorMLR(space_of("olm", 4), 2))
    other = torch.nn.Sequential(torch.nn.Identity(), CorMLR(space_of("ecm", 4), 2))
    with pytest.raises(ParameterError, match="does not belong to 1: "):
        other.load_state_dict(wrapped.state_dict())


@pytest.mark.parametrize("way", [copy.deepcopy, saved_and_loaded])
@pytest.mark.parametrize("key", KEYS)
def test_weights_in_another_basis_are_converted(key, way):
    """Under LSM, a normalisation changes the basis of the weights that follow it."""
    options = dict(metric=key, dtype=torch.float64)
    plain, normalised = (
        CorNet(4, 3, 2, normalize=normalize, **options).conv
        for normalize in (None, "coordinates")
    )
    given = points(4, (3, 1))
    for one, other in ((plain, normalised), (normalised, plain)):
        torch.nn.init.normal_(one.weight)
        other.load_state_dict(way(one.state_dict()))
        torch.testing.assert_close(other(given), one(given))


def test_another_metric_is_refused_before_weights_are_converted():
    for n, key in ((4, "olm"), (5, "lsm")):
        one = CorNet(n, 3, 2, metric=key, normalize="coordinates").conv
        other = CorNet(4, 3, 2, metric="lsm").conv
        with pytest.raises(ParameterError, match="does not belong"):
            other.load_state_dict(one.state_dict())
        with pytest.raises(ParameterError, match="does not belong"):
            one.load_state_dict(other.state_dict())
