"""Networks normalised by statistics of the training samples, and the initial gain."""

import numpy as np
import pytest
import torch

from cornet_nn import CorNet, TemporalCovariance
from cornet_nn.training import CorMLRClassifier, CorNetClassifier
from geomstats_cor import METRICS, FullRankCorrelationMatrices, frechet_mean
from geomstats_cor.exceptions import ParameterError

from .problems import correlations, signals

FLAT = [key for key in METRICS if key != "phcm"]
QUIET = dict(random_state=0, progress=False)


def points(number=12, n=5, seed=0):
    space = FullRankCorrelationMatrices(n, equip=False)
    return space.random_point(number, rng=seed)


@pytest.mark.parametrize("metric", FLAT)
def test_the_frechet_mean_is_moved_to_the_identity(metric):
    given = points()
    options = dict(metric=metric, dtype=torch.float64)
    model = CorNet(5, 3, 2, normalize="center", momentum=0.0, **options)
    plain = CorNet(5, 3, 2, **options)
    plain.load_state_dict(model.state_dict(), strict=False)
    model.norm.fit(model.coords(torch.tensor(given)))
    space = FullRankCorrelationMatrices(5, equip=metric)
    mean = torch.tensor(frechet_mean(given, space))
    identity = torch.eye(5, dtype=torch.float64)
    torch.testing.assert_close(model(mean), plain(identity), atol=1e-9, rtol=1e-9)
    # The motion is an isometry: it subtracts coordinates.
    coords = space.metric.to_coords(given) - space.metric.to_coords(mean.numpy())
    moved = torch.tensor(space.metric.from_coords(coords))
    actual, expected = model(torch.tensor(given)), plain(moved)
    torch.testing.assert_close(actual, expected, atol=1e-8, rtol=1e-8)


@pytest.mark.parametrize("normalize", ["coordinates", "channel"])
@pytest.mark.parametrize("metric", FLAT)
def test_coordinates_are_divided_by_their_dispersion(metric, normalize):
    given = torch.tensor(points())
    model = CorNet(
        5,
        3,
        2,
        metric=metric,
        normalize=normalize,
        momentum=0.0,
        dtype=torch.float64,
    )
    coords = model.coords(given)
    model.norm.fit(coords)
    centred = coords - coords.mean(0)
    squares = centred.square().mean(0)
    if normalize == "coordinates":
        expected = centred / (10.0 * squares).sqrt()
    else:
        expected = centred / squares.sum(-1, keepdim=True).sqrt()
    torch.testing.assert_close(model.normalized(coords), expected)
    features = model.conv.hyperplanes_in.features_of_coords(expected)
    torch.testing.assert_close(model.features(given), features)


@pytest.mark.parametrize("Classifier", [CorNetClassifier, CorMLRClassifier])
def test_the_statistics_are_those_of_what_is_learnt_from(Classifier):
    given, labels = points(20), np.arange(20) % 2
    options = dict(validation=0.5, max_epochs=1, dtype="float64", **QUIET)
    model = Classifier("olm", refit=False, **options).fit(given, labels)
    mean = model.module_.norm.running_mean
    everything = model.module_.coords(torch.tensor(given)).mean(0)
    assert (mean - everything).abs().max() > 1e-3
    assert not mean.requires_grad
    model = Classifier("olm", refit=True, **options).fit(given, labels)
    torch.testing.assert_close(model.module_.norm.running_mean, everything)


@pytest.mark.parametrize("normalize", ["coordinates", "channel", "center", None])
@pytest.mark.parametrize("metric", ["lsm", "phcm"])
def test_a_normalised_run_is_restored(tmp_path, metric, normalize):
    given, labels = points(20), np.arange(20) % 2
    model = CorNetClassifier(
        metric,
        output_size=3,
        normalize=normalize,
        gain=0.5,
        max_epochs=2,
        directory=tmp_path / "run",
        **QUIET,
    )
    expected = model.fit(given, labels).predict_proba(given)
    restored = CorNetClassifier.load(tmp_path / "run")
    np.testing.assert_array_equal(restored.predict_proba(given), expected)


def test_a_front_end_that_learns_is_normalised_by_batches():
    X, y = signals(count=8, n=2)
    model = CorNetClassifier(
        front_end=lambda: TemporalCovariance(2, channels=1, features=9),
        batch_size=4,
        max_epochs=3,
        **QUIET,
    ).fit(X, y)
    norm = model.module_.norm
    assert norm.momentum == 0.1
    assert int(norm.num_batches_tracked) == 6
    assert norm.running_mean.abs().max() > 0.0
    assert np.isfinite(model.predict_proba(X)).all()


def test_an_unknown_normalisation():
    with pytest.raises(ParameterError, match="normalize is 'rows'"):
        CorMLRClassifier(normalize="rows", **QUIET).fit(*correlations())


@pytest.mark.parametrize("metric", FLAT)
def test_the_gain_scales_initial_coordinates(metric):
    given = torch.tensor(points())
    torch.manual_seed(0)
    small = CorNet(5, 3, 2, metric=metric, gain=0.25, dtype=torch.float64)
    torch.manual_seed(0)
    full = CorNet(5, 3, 2, metric=metric, dtype=torch.float64)
    coords = [m.conv.compute(m.features(given)) for m in (small, full)]
    torch.testing.assert_close(coords[0], 0.25 * coords[1])
    torch.testing.assert_close(small.mlr.weight, 0.25 * full.mlr.weight)
    torch.manual_seed(1)
    small.reset_parameters()
    torch.manual_seed(1)
    full.reset_parameters()
    torch.testing.assert_close(small.conv.weight, 0.25 * full.conv.weight)
    torch.testing.assert_close(small.mlr.weight, 0.25 * full.mlr.weight)


@pytest.mark.parametrize("classes", [2, 5])
@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize("Classifier", [CorNetClassifier, CorMLRClassifier])
def test_the_first_loss_is_that_of_a_guess(Classifier, metric, classes):
    """With coordinates of any scale, as the matrices are far from the identity."""
    X, y = correlations(count=40, n=8, classes=classes, gap=1.5)
    extra = dict(optimizer="adamw") if Classifier is CorMLRClassifier else {}
    options = dict(lr=1e-12, weight_decay=0.0, max_epochs=1, **extra, **QUIET)
    model = Classifier(metric, **options).fit(X, y)
    loss = model.history_[0]["train_loss"]
    assert loss == pytest.approx(np.log(classes), abs=0.35)


@pytest.mark.parametrize("metric", METRICS)
def test_plain_gradient_steps_of_a_tenth(metric):
    X, y = correlations(count=40, n=8, classes=4, gap=1.5)
    options = dict(optimizer="sgd", lr=0.1, weight_decay=0.0, schedule=None, **QUIET)
    for Classifier in (CorNetClassifier, CorMLRClassifier):
        model = Classifier(metric, max_epochs=10, **options).fit(X, y)
        assert np.isfinite(model.predict_proba(X)).all()
        losses = [row["train_loss"] for row in model.history_]
        assert np.isfinite(losses).all() and max(losses) < 20.0


@pytest.mark.parametrize("mlr_metric", METRICS)
@pytest.mark.parametrize("metric", METRICS)
def test_metrics_of_layers_in_all_pairs(metric, mlr_metric):
    X, y = correlations(count=40, n=6, gap=1.0)
    model = CorNetClassifier(metric, mlr_metric=mlr_metric, max_epochs=15, **QUIET)
    model.fit(X[:30].astype(np.float32), y[:30])
    assert np.isfinite(model.predict_proba(X[30:].astype(np.float32))).all()
    assert model.score(X[:30], y[:30]) > 0.75
