"""Networks centred on the mean of the training samples, and the initial gain."""

import numpy as np
import pytest
import torch

from cornet_nn import CorNet, TemporalCovariance
from cornet_nn.training import CorMLRClassifier, CorNetClassifier
from geomstats_cor import METRICS, FullRankCorrelationMatrices, frechet_mean
from geomstats_cor.exceptions import ParameterError

FLAT = [key for key in METRICS if key != "phcm"]


def points(number=12, n=5, seed=0):
    space = FullRankCorrelationMatrices(n, equip=False)
    return space.random_point(number, rng=seed)


@pytest.mark.parametrize("metric", FLAT)
def test_the_frechet_mean_is_moved_to_the_identity(metric):
    given = points()
    model = CorNet(5, 3, 2, metric=metric, center=True, dtype=torch.float64)
    plain = CorNet(5, 3, 2, metric=metric, dtype=torch.float64)
    plain.load_state_dict(model.state_dict(), strict=False)
    model.centering.fit(model.features(torch.tensor(given)))
    space = FullRankCorrelationMatrices(5, equip=metric)
    mean = torch.tensor(frechet_mean(given, space))
    identity = torch.eye(5, dtype=torch.float64)
    torch.testing.assert_close(model(mean), plain(identity), atol=1e-9, rtol=1e-9)
    # The motion is an isometry: it subtracts coordinates.
    coords = space.metric.to_coords(given) - space.metric.to_coords(mean.numpy())
    moved = torch.tensor(space.metric.from_coords(coords))
    expected = plain(moved)
    actual = model(torch.tensor(given))
    torch.testing.assert_close(actual, expected, atol=1e-8, rtol=1e-8)


@pytest.mark.parametrize("Classifier", [CorNetClassifier, CorMLRClassifier])
def test_the_mean_is_that_of_what_is_learnt_from(Classifier):
    given, labels = points(20), np.arange(20) % 2
    model = Classifier(
        "olm",
        center=True,
        validation=0.5,
        max_epochs=1,
        dtype="float64",
        random_state=0,
        progress=False,
    )
    model.fit(given, labels)
    origin = model.module_.centering.origin
    everything = model.module_.features(torch.tensor(given)).mean(0)
    assert (origin - everything).abs().max() > 1e-3
    assert not origin.requires_grad


def test_a_centred_run_is_restored(tmp_path):
    given, labels = points(20), np.arange(20) % 2
    model = CorNetClassifier(
        "lsm",
        output_size=3,
        center=True,
        gain=0.5,
        max_epochs=2,
        random_state=0,
        progress=False,
        directory=tmp_path / "run",
    )
    expected = model.fit(given, labels).predict_proba(given)
    restored = CorNetClassifier.load(tmp_path / "run")
    np.testing.assert_array_equal(restored.predict_proba(given), expected)


def test_a_front_end_that_learns_has_no_fixed_mean():
    signals = np.random.default_rng(0).standard_normal((8, 2, 60))
    model = CorNetClassifier(
        center=True,
        front_end=lambda: TemporalCovariance(2, channels=1, features=9),
        max_epochs=1,
        progress=False,
    )
    with pytest.raises(ParameterError, match="center=False"):
        model.fit(signals, [0, 1] * 4)


@pytest.mark.parametrize("metric", FLAT)
def test_the_gain_scales_initial_coordinates(metric):
    given = torch.tensor(points())
    torch.manual_seed(0)
    small = CorNet(5, 3, 2, metric=metric, gain=0.25, dtype=torch.float64)
    torch.manual_seed(0)
    full = CorNet(5, 3, 2, metric=metric, dtype=torch.float64)
    coords = [m.conv.compute(m.features(given)) for m in (small, full)]
    torch.testing.assert_close(coords[0], 0.25 * coords[1])
    torch.manual_seed(1)
    small.reset_parameters()
    torch.manual_seed(1)
    full.reset_parameters()
    torch.testing.assert_close(small.conv.weight, 0.25 * full.conv.weight)
    torch.testing.assert_close(small.mlr.weight, full.mlr.weight)
