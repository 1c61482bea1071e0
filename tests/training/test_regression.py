"""The regression that is solved to convergence."""

import numpy as np
import pytest
import torch
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, GroupKFold, StratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from cornet_nn.training import CorMLRClassifier, regression
from geomstats_cor import METRICS, FullRankCorrelationMatrices
from geomstats_cor.exceptions import ParameterError

from .problems import correlations, signals

FLAT = [key for key in METRICS if key != "phcm"]
EXACT = dict(random_state=0, progress=False, dtype="float64")


def standardised(metric, X):
    """Return coordinates of variance one over their number, channels joined."""
    space = FullRankCorrelationMatrices(X.shape[-1], equip=metric)
    coords = space.metric.to_coords(X)
    coords = coords - coords.mean(0)
    coords = coords / (coords.std(0) * coords.shape[-1] ** 0.5)
    return coords.reshape(len(X), -1)


def reference(C, class_weight=None):
    return LogisticRegression(C=C, class_weight=class_weight, tol=1e-10, max_iter=20000)


class TestFlatMetrics:
    @pytest.mark.parametrize("channels", [None, 2])
    @pytest.mark.parametrize("C", [0.3, 30.0])
    @pytest.mark.parametrize("metric", FLAT)
    def test_is_that_of_scikit_learn(self, metric, C, channels):
        X, y = correlations(classes=3, channels=channels, gap=0.2)
        model = CorMLRClassifier(metric, C=C, **EXACT).fit(X, y)
        coords = standardised(metric, X)
        expected = reference(C).fit(coords, y)
        actual = model.predict_proba(X)
        np.testing.assert_allclose(actual, expected.predict_proba(coords), atol=1e-4)
        planes = model.module_.mlr.hyperplanes_in
        weight = model.module_.mlr.weight.detach()
        covector = planes._to_coords(planes.to_normal(weight)).flatten(1).numpy()
        np.testing.assert_allclose(covector, expected.coef_, atol=1e-4 * C**0.5 + 1e-4)

    def test_two_classes(self):
        X, y = correlations(classes=2, gap=0.2)
        model = CorMLRClassifier("olm", C=2.0, **EXACT).fit(X, y)
        # Two covectors, of which half the difference is that of scikit-learn: its
        # penalty on one covector w is |w|^2 / 2, ours on w / 2 and - w / 2 is half.
        coords = standardised("olm", X)
        expected = reference(4.0).fit(coords, y).predict_proba(coords)
        np.testing.assert_allclose(model.predict_proba(X), expected, atol=1e-4)

    @pytest.mark.parametrize("weights", ["balanced", {0: 3.0, 2: 0.5}])
    def test_weights_of_classes(self, weights):
        X, y = correlations(classes=3, gap=0.2)
        y[:15] = 0
        model = CorMLRClassifier("lsm", C=1.0, class_weight=weights, **EXACT).fit(X, y)
        coords = standardised("lsm", X)
        expected = reference(1.0, weights).fit(coords, y).predict_proba(coords)
        np.testing.assert_allclose(model.predict_proba(X), expected, atol=1e-4)

    def test_more_coordinates_than_samples(self):
        X, y = correlations(count=12, n=9, classes=3, gap=0.2)
        model = CorMLRClassifier("ecm", C=1.0, **EXACT).fit(X, y)
        coords = standardised("ecm", X)
        expected = reference(1.0).fit(coords, y).predict_proba(coords)
        np.testing.assert_allclose(model.predict_proba(X), expected, atol=1e-4)


@pytest.mark.parametrize("metric", METRICS)
def test_the_gradient_of_the_penalised_loss_is_zero(metric):
    """By the logits of the layer itself, with the lengths of normals as penalty."""
    X, y = correlations(classes=3, channels=2, gap=0.2)
    C, model = 2.0, CorMLRClassifier(metric, C=2.0, **EXACT).fit(X, y)
    network = model.module_
    planes = network.mlr.hyperplanes_in
    coords = network.normalized(network.coords(torch.as_tensor(X)))
    tangent = planes.join_channels(coords).detach()
    weight, gamma, _ = regression.solve(
        planes, coords.detach(), torch.as_tensor(y), torch.ones(3), C
    )
    layer = network.mlr
    torch.testing.assert_close(weight, layer.weight.detach())
    # Recover covectors and biases from the weights, and leave the solution a little.
    if metric == "phcm":
        covector = 2.0 * weight.flatten(1)
        bias = -2.0 * gamma[:, 0] * covector.norm(dim=-1)
    else:
        covector = planes._to_coords(planes.to_normal(weight)).flatten(1)
        bias = layer(torch.eye(5).double().expand(1, 2, 5, 5))[0].detach()
    covector, bias = covector.detach().requires_grad_(), bias.clone().requires_grad_()
    logits = planes.joint_logits(tangent, covector, bias)
    own = network(torch.as_tensor(X))
    torch.testing.assert_close(logits, own, rtol=1e-6, atol=1e-7)
    loss = torch.nn.functional.cross_entropy(
        logits, torch.as_tensor(y), reduction="sum"
    )
    value = C * loss + 0.5 * covector.square().sum()
    for gradient in torch.autograd.grad(value, (covector, bias)):
        assert gradient.abs().max() < 1e-3


class TestStrength:
    def data(self, **options):
        X, y = correlations(**options)
        space = FullRankCorrelationMatrices(X.shape[-1], equip="olm")
        coords = torch.as_tensor(standardised("olm", X))[:, None]
        return space.metric.hyperplanes(), coords, torch.as_tensor(y)

    def test_is_that_of_a_grid_search_in_scikit_learn(self):
        planes, coords, labels = self.data(gap=0.1, count=60, classes=3)
        weight, gamma, C = regression.solve(planes, coords, labels, torch.ones(3), "cv")
        again = regression.solve(planes, coords, labels, torch.ones(3), C)
        torch.testing.assert_close(weight, again[0])
        search = GridSearchCV(
            make_pipeline(StandardScaler(), LogisticRegression(max_iter=5000)),
            {"logisticregression__C": regression.GRID},
            cv=StratifiedKFold(regression.FOLDS, shuffle=True, random_state=0),
        ).fit(coords[:, 0], labels)
        # Coordinates of the regression have a dispersion of one in all.
        (expected,) = search.best_params_.values()
        np.testing.assert_allclose(C, expected * coords.shape[-1])

    def test_noise_is_penalised_more_than_signal(self):
        planes, coords, labels = self.data(gap=1.0, count=30)
        shuffled = labels[
            torch.randperm(30, generator=torch.Generator().manual_seed(0))
        ]
        strengths = [
            regression.solve(planes, coords, y, torch.ones(2), "cv")[2]
            for y in (labels, shuffled)
        ]
        assert strengths[0] >= strengths[1]

    def test_folds_keep_groups_together(self):
        labels, groups = np.arange(40) % 2, np.arange(40) // 4
        parts = regression._folds(labels, groups)
        assert len(parts) == regression.FOLDS
        for training, held_out in parts:
            assert not set(groups[training]) & set(groups[held_out])
        held = np.concatenate([held_out for _, held_out in parts])
        assert sorted(held) == list(range(40))
        assert regression._folds(labels, np.zeros(40)) == []
        assert len(list(GroupKFold(5).split(labels, labels, groups))) == len(parts)

    def test_groups_reach_the_cross_validation(self, monkeypatch):
        seen = []
        original = regression._folds
        monkeypatch.setattr(
            regression,
            "_folds",
            lambda labels, groups: seen.append(groups) or original(labels, groups),
        )
        X, y = correlations(count=30)
        groups = np.arange(30) // 3
        CorMLRClassifier(**EXACT).fit(X, y, groups=groups)
        np.testing.assert_array_equal(seen[0], groups)

    def test_a_class_with_one_sample(self):
        X, y = correlations(count=30, classes=2)
        y[0] = 2
        model = CorMLRClassifier(**EXACT).fit(X, y)
        assert model.predict_proba(X).shape == (30, 3)
        assert np.isfinite(model.predict_proba(X)).all()

    def test_classes_of_one_sample_each(self):
        X, _ = correlations(count=4)
        model = CorMLRClassifier(**EXACT).fit(X, np.arange(4))
        fixed = CorMLRClassifier(C=regression.FALLBACK, **EXACT).fit(X, np.arange(4))
        np.testing.assert_array_equal(model.predict_proba(X), fixed.predict_proba(X))

    @pytest.mark.parametrize("C", [0.0, -1.0, np.inf, np.nan, "best", None, [1.0]])
    def test_no_strength(self, C):
        with pytest.raises(ParameterError, match="C"):
            CorMLRClassifier(C=C, **EXACT).fit(*correlations())


class TestOptimizer:
    def test_auto_solves(self):
        X, y = correlations()
        models = [
            CorMLRClassifier(C=1.0, optimizer=optimizer, **EXACT).fit(X, y)
            for optimizer in ("auto", "lbfgs")
        ]
        probabilities = [model.predict_proba(X) for model in models]
        np.testing.assert_array_equal(*probabilities)
        assert len(models[0].history_) == 1 and models[0].epoch_ == 1

    def test_auto_takes_steps_where_there_are_epochs_to_choose(self):
        X, y = correlations()
        model = CorMLRClassifier(validation=0.25, max_epochs=3, **EXACT).fit(X, y)
        assert len(model.history_) == 3
        with pytest.raises(ParameterError, match="validation chooses an epoch"):
            model.set_params(optimizer="lbfgs").fit(X, y)

    def test_auto_takes_steps_where_a_front_end_learns(self):
        class Mix(torch.nn.Module):
            def __init__(self):
                super().__init__()
                self.matrix = torch.nn.Parameter(torch.eye(4))

            def forward(self, x):
                x = self.matrix @ x
                return x @ x.mT / x.shape[-1]

        X, y = signals()
        model = CorMLRClassifier(front_end=Mix, max_epochs=2, **EXACT).fit(X, y)
        assert len(model.history_) == 2
        with pytest.raises(ParameterError, match="front end that learns nothing"):
            model.set_params(optimizer="lbfgs").fit(X, y)

    def test_a_run_that_is_complete_is_resumed(self, tmp_path):
        X, y = correlations()
        options = dict(C=1.0, directory=tmp_path, **EXACT)
        model = CorMLRClassifier(**options).fit(X, y)
        again = CorMLRClassifier(resume=True, **options).fit(X, y)
        np.testing.assert_array_equal(again.predict_proba(X), model.predict_proba(X))
        assert again.history_ == model.history_
