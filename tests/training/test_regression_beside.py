"""The regression whose logits are averaged with those of the network."""

import functools

import numpy as np
import pytest
import torch

from cornet_nn import CorNet, CorResNet, TemporalCovariance, load_model, save_model
from cornet_nn.training import (
    CorMLRClassifier,
    CorNetClassifier,
    CorNetRegressor,
    RunDirectoryError,
    load_classifier,
    regression,
)
from geomstats_cor import METRICS
from geomstats_cor.exceptions import ParameterError

from .problems import correlations, signals

FEW = dict(random_state=0, progress=False, dtype="float64")
SMALL = dict(max_epochs=4, output_size=3, out_channels=2, **FEW)


def logits(model, X):
    """Return logits of sum zero."""
    outputs = model.module_(torch.as_tensor(X)).detach()
    return outputs - outputs.mean(-1, keepdim=True)


def assert_is_mean(model, network, alone, X):
    expected = 0.5 * (logits(network, X) + logits(alone, X))
    torch.testing.assert_close(logits(model, X), expected, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("channels", [None, 2])
@pytest.mark.parametrize("metric", METRICS)
def test_logits_are_the_mean_of_two_models(metric, channels):
    X, y = correlations(classes=3, channels=channels)
    weights = np.linspace(0.5, 2.0, len(y))
    model, network, alone = (
        estimator.fit(X, y, sample_weight=weights)
        for estimator in (
            CorNetClassifier(metric, C=3.0, class_weight="balanced", **SMALL),
            CorNetClassifier(metric, C=None, class_weight="balanced", **SMALL),
            CorMLRClassifier(metric, C=3.0, class_weight="balanced", **FEW),
        )
    )
    assert_is_mean(model, network, alone, X)
    assert [row["train_loss"] for row in model.history_] == [
        row["train_loss"] for row in network.history_
    ]


def test_its_strength_is_chosen_with_groups_apart(monkeypatch):
    X, y = correlations(classes=2, gap=0.1)
    groups, seen = np.arange(len(y)) // 4, []
    folds = regression._folds
    monkeypatch.setattr(
        regression, "_folds", lambda *args: seen.append(args[1]) or folds(*args)
    )
    model = CorNetClassifier("olm", **SMALL).fit(X, y, groups=groups)
    alone = CorMLRClassifier("olm", **FEW).fit(X, y, groups=groups)
    assert all(np.array_equal(given, groups) for given in seen) and len(seen) == 2
    assert torch.equal(model.module_.regression.weight, alone.module_.mlr.weight)


@pytest.mark.parametrize("refit", [False, True])
def test_what_is_held_out_has_no_part_in_it(refit, monkeypatch):
    X, y = correlations()
    sizes, solve = [], regression.solve
    monkeypatch.setattr(
        regression,
        "solve",
        lambda planes, coords, *rest: (
            sizes.append(len(coords)) or solve(planes, coords, *rest)
        ),
    )
    options = dict(validation=0.25, refit=refit, C=1.0)
    CorNetClassifier("ecm", **options, **SMALL).fit(X, y)
    assert sizes == [30, 40][: 1 + refit]


@pytest.mark.parametrize("metric", ["lsm", "phcm"])
def test_is_saved_resumed_and_exported(metric, tmp_path):
    X, y = correlations(classes=3)
    options = SMALL | dict(schedule=None)
    whole = CorNetClassifier(metric, **options).fit(X, y)
    where = dict(directory=tmp_path / "run", resume=True)
    CorNetClassifier(metric, **(options | dict(max_epochs=2)), **where).fit(X, y)
    resumed = CorNetClassifier(metric, **options, **where).fit(X, y)
    for other in (resumed, load_classifier(tmp_path / "run")):
        assert np.array_equal(other.predict_proba(X), whole.predict_proba(X))
    save_model(whole, tmp_path / "model.pt")
    saved = load_model(tmp_path / "model.pt")
    assert torch.equal(saved(torch.as_tensor(X)), whole.module_(torch.as_tensor(X)))


def test_edge_weights_of_a_network_that_is_linear():
    X, y = correlations(classes=3)
    model = CorNetClassifier("olm", activation=None, **SMALL).fit(X, y)
    network = CorNetClassifier("olm", activation=None, C=None, **SMALL).fit(X, y)
    alone = CorMLRClassifier("olm", **FEW).fit(X, y)
    expected = 0.5 * (network.edge_weights() + alone.edge_weights())
    np.testing.assert_allclose(model.edge_weights(), expected, atol=1e-9)


def test_is_left_out_where_there_is_no_convex_problem():
    X, y = correlations()
    models = [
        CorNetClassifier("olm", C=None, **SMALL).fit(X, y),
        CorNetClassifier("olm", criterion=torch.nn.MultiMarginLoss, **SMALL).fit(X, y),
        CorNetClassifier("olm", module=CorResNet, **SMALL).fit(X, y),
        CorNetClassifier("olm", module__momentum=0.1, **SMALL).fit(X, y),
        CorNetClassifier("olm", **SMALL).partial_fit(X, y),
    ]
    front_end = functools.partial(TemporalCovariance, 4)
    raw, labels = signals()
    models.append(
        CorNetClassifier("olm", front_end=front_end, **SMALL).fit(raw, labels)
    )
    for model in models:
        names = model.module_.state_dict()
        assert not any(name.startswith("regression") for name in names)


def test_a_run_with_a_loss_of_its_own_is_loaded_without_it(tmp_path):
    """Files hold no classes, so that the estimator is loaded with the usual loss."""
    X, y = correlations(classes=3)
    options = SMALL | dict(criterion=torch.nn.MultiMarginLoss, directory=tmp_path)
    model = CorNetClassifier("olm", **options).fit(X, y)
    again = load_classifier(tmp_path)
    assert np.array_equal(again.predict_proba(X), model.predict_proba(X))


def test_a_run_that_lost_it_is_refused(tmp_path):
    CorNetClassifier("olm", C=1.0, directory=tmp_path, **SMALL).fit(*correlations())
    checkpoint = torch.load(tmp_path / "checkpoint.pt", weights_only=True)
    for part in ("last", "best"):
        for name in ("regression.weight", "regression.gamma"):
            checkpoint[part].pop(name, None)  # they may be one dictionary
    torch.save(checkpoint, tmp_path / "checkpoint.pt")
    with pytest.raises(RunDirectoryError, match="regression.weight"):
        load_classifier(tmp_path)


@pytest.mark.parametrize("value", [True, False])
@pytest.mark.parametrize("estimator", [CorNetClassifier, CorNetRegressor])
def test_only_C_asks_for_a_regression(estimator, value):
    with pytest.raises(ParameterError, match="C of CorNetClassifier"):
        estimator("olm", module__regression=value, **SMALL).fit(*correlations())


def test_statistics_that_move_have_no_solution():
    with pytest.raises(ParameterError, match="module__momentum"):
        CorMLRClassifier("olm", module__momentum=0.1, **FEW).fit(*correlations())


@pytest.mark.parametrize("C", ["best", 0.0, -1.0, float("nan")])
def test_a_strength_that_is_none_is_refused(C):
    with pytest.raises(ParameterError, match="C is"):
        CorNetClassifier("olm", C=C, **SMALL).fit(*correlations())


def test_features_after_a_normalisation_are_normalised_coordinates():
    """Adam's steps have one size in each entry, so entries must have one size."""
    X, _ = correlations()
    model = CorNet(
        5, 3, 2, metric="lsm", normalize="coordinates", momentum=0.0
    ).double()
    model.norm.fit(model.coords(torch.as_tensor(X)))
    features = model.features(torch.as_tensor(X))
    torch.testing.assert_close(
        features.square().mean(0), torch.full_like(features[0], 0.1), rtol=1e-6, atol=0
    )


def test_a_module_without_statistics_of_its_own_normalises_for_both():
    """With momentum, the regression sees what the convolution sees."""
    torch.manual_seed(0)
    X = torch.as_tensor(correlations()[0])
    options = dict(metric="lsm", normalize="coordinates", regression=True)
    running = CorNet(5, 3, 2, momentum=0.1, dtype=torch.float64, **options)
    running(X)
    fixed = CorNet(5, 3, 2, momentum=0.0, dtype=torch.float64, **options)
    with torch.no_grad():
        running.regression.weight.normal_()
    fixed.load_state_dict(running.state_dict())
    assert (running.eval()(X) - fixed.eval()(X)).abs().max() < 1e-9
    running.reset_parameters()
    assert not running.regression.weight.any()
