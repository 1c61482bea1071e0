"""What skorch offers is offered by the estimators."""

import numpy as np
import pytest
import torch
from sklearn.base import clone
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import GridSearchCV
from skorch.callbacks import (
    Callback,
    Checkpoint,
    EarlyStopping,
    EpochScoring,
    GradientNormClipping,
    LRScheduler,
)

from cornet_nn import CorNet
from cornet_nn.training import (
    CorMLRClassifier,
    CorNetClassifier,
    CorNetRegressor,
    load_classifier,
)
from cornet_nn.training.data import split_validation
from geomstats_cor.exceptions import ParameterError

from .problems import correlations, signals

QUIET = dict(progress=False, random_state=0)
SMALL = dict(output_size=3, out_channels=2, max_epochs=3, **QUIET)


def assert_same_networks(one, other):
    one, other = one.module_.state_dict(), other.module_.state_dict()
    assert one.keys() == other.keys()
    for name, value in one.items():
        assert torch.equal(value, other[name]), name


class TestOptions:
    def test_options_of_the_network_are_its_parameters(self):
        X, y = correlations()
        one = CorNetClassifier(module__gain=0.2, **SMALL).fit(X, y)
        assert_same_networks(one, CorNetClassifier(gain=0.2, **SMALL).fit(X, y))
        assert one.get_params()["module__gain"] == 0.2
        assert clone(one).get_params() == one.get_params()

    def test_they_are_searched_over(self):
        X, y = correlations(count=24)
        grid = {"module__out_channels": [1, 3], "optimizer__betas": [(0.8, 0.9)]}
        search = GridSearchCV(CorNetClassifier(**SMALL), grid, cv=2).fit(X, y)
        found = search.best_params_["module__out_channels"]
        network = search.best_estimator_.module_
        assert network.conv.weight.shape[0] == 3 * found
        optimizer = search.best_estimator_.net_.optimizer_
        assert optimizer.param_groups[0]["betas"] == (0.8, 0.9)

    def test_what_is_no_option_is_refused(self):
        with pytest.raises(TypeError, match="no parameter 'speed__limit'"):
            CorNetClassifier(speed__limit=1)
        with pytest.raises(ValueError, match="Invalid parameter"):
            CorNetClassifier().set_params(speed__limit=1)
        with pytest.raises(TypeError, match="unexpected keyword"):
            CorNetClassifier(speed=1)

    def test_the_guard_between_metrics(self):
        X, y = correlations()
        for guard in (True, False):
            options = dict(mlr_metric="ecm", guard=guard, **SMALL)
            assert CorNetClassifier("lsm", **options).fit(X, y).module_.guard is guard

    def test_another_module(self):
        class Flat(torch.nn.Module):
            def __init__(self, space_in, num_classes, width=4):
                super().__init__()
                self.hidden = torch.nn.Linear(space_in**2, width)
                self.out = torch.nn.Linear(width, num_classes)

            def forward(self, x):
                return self.out(torch.relu(self.hidden(x.flatten(1))))

        X, y = signals()
        model = CorNetClassifier(module=Flat, module__width=7, normalize=None, **SMALL)
        model.fit(X, y)
        assert model.module_[1].hidden.out_features == 7
        assert model.predict_proba(X).shape == (40, 2)
        same = CorNetClassifier(module=CorNet, **SMALL).fit(X, y)
        assert_same_networks(same, CorNetClassifier(C=None, **SMALL).fit(X, y))


class TestLoss:
    def test_any_loss(self):
        X, y = correlations(classes=3)
        options = dict(optimizer="sgd", schedule=None, batch_size=40, dtype="float64")
        options = SMALL | options | dict(max_epochs=1, dropout=0.0)
        Loss = torch.nn.MultiMarginLoss
        model = CorNetClassifier(criterion=Loss, criterion__margin=0.7, **options)
        start = clone(model).set_params(optimizer=_still).fit(X, y).module_
        with torch.no_grad():
            loss = Loss(margin=0.7)(start(torch.as_tensor(X)), torch.as_tensor(y))
        assert model.fit(X, y).history_[0]["train_loss"] == pytest.approx(float(loss))

    def test_log_probabilities_are_no_logits(self):
        with pytest.raises(ParameterError, match="use CrossEntropyLoss"):
            CorNetClassifier(criterion=torch.nn.NLLLoss).fit(*correlations())

    def test_an_optimizer_that_takes_the_loss_several_times(self):
        """The loss of an epoch is that before the step, as with every optimizer."""
        X, y = correlations()
        options = dict(schedule=None, batch_size=40, weight_decay=0.0, dtype="float64")
        options = SMALL | options | dict(max_epochs=1, dropout=0.0)
        losses = [
            CorNetClassifier(optimizer=optimizer, **options).fit(X, y).history_[0]
            for optimizer in (torch.optim.LBFGS, torch.optim.SGD)
        ]
        for name in ("train_loss", "train_accuracy"):
            assert losses[0][name] == pytest.approx(losses[1][name])

    def test_label_smoothing_changes_the_network(self):
        X, y = correlations()
        plain, smooth = (
            CorNetClassifier(criterion__label_smoothing=amount, **SMALL).fit(X, y)
            for amount in (0.0, 0.3)
        )
        assert_same_networks(plain, CorNetClassifier(**SMALL).fit(X, y))
        assert smooth.history_[0]["train_loss"] != plain.history_[0]["train_loss"]

    def test_the_regression_takes_steps_for_another_loss(self):
        X, y = correlations()
        model = CorMLRClassifier(criterion=torch.nn.MultiMarginLoss, max_epochs=2)
        assert len(model.set_params(**QUIET).fit(X, y).history_) == 2
        with pytest.raises(ParameterError, match="lbfgs"):
            model.set_params(optimizer="lbfgs").fit(X, y)


def _still(parameters, lr, **_):
    return torch.optim.SGD(parameters, lr=0.0)


class TestWeights:
    @pytest.mark.parametrize("optimizer", ["sgd", "lbfgs"])
    def test_a_weight_of_two_is_a_sample_given_twice(self, optimizer):
        X, y = correlations(count=30)
        weights = 1.0 + (np.arange(30) % 3 == 0)
        twice = np.repeat(np.arange(30), weights.astype(int))
        model = CorMLRClassifier(optimizer=optimizer, lr=0.1, C=3.0, batch_size=100)
        model.set_params(max_epochs=5, schedule=None, normalize=None, dtype="float64")
        model.set_params(**QUIET)
        one = model.fit(X, y, sample_weight=weights).predict_proba(X)
        other = clone(model).fit(X[twice], y[twice]).predict_proba(X)
        np.testing.assert_allclose(one, other, rtol=1e-5)

    def test_weights_are_checked(self):
        X, y = correlations(count=10)
        model, fitted = CorNetClassifier(**SMALL), CorNetClassifier(**SMALL).fit(X, y)
        for weights in (-np.ones(10), np.ones(9)):
            for call in (model.fit, model.partial_fit, fitted.partial_fit):
                with pytest.raises(ValueError):
                    call(X, y, sample_weight=weights)


class TestCallbacks:
    def test_schedulers_resume_as_they_would_have_gone_on(self, tmp_path):
        X, y = correlations()

        def model(**options):
            step = LRScheduler("StepLR", step_size=2, gamma=0.1, event_name="rate")
            options = SMALL | dict(schedule=None, batch_size=15) | options
            return CorNetClassifier(callbacks=[step], **options)

        whole = model(max_epochs=6).fit(X, y)
        rates = [row["rate"] for row in whole.history_]
        assert rates == pytest.approx(
            [r * rates[0] for r in (1, 1, 0.1, 0.1, 0.01, 0.01)]
        )
        for epochs in (3, 6):
            run = dict(directory=tmp_path, resume=True, max_epochs=epochs)
            again = model(**run).fit(X, y)
        assert_same_networks(whole, again)
        assert load_classifier(tmp_path).history_[-1]["rate"] == rates[-1]

    def test_gradients_are_clipped(self):
        X, y = correlations()
        norms = []

        class Note(GradientNormClipping):
            def on_grad_computed(self, net, named_parameters, **keywords):
                super().on_grad_computed(net, named_parameters, **keywords)
                grads = [p.grad.flatten() for _, p in named_parameters]
                norms.append(float(torch.cat(grads).norm()))

        CorNetClassifier(callbacks=[Note(1e-3)], **SMALL).fit(X, y)
        assert len(norms) == 6 and max(norms) <= 1.001e-3

    def test_scores_are_recorded(self):
        X, y = correlations()
        score = EpochScoring("balanced_accuracy", name="balanced", use_caching=True)
        options = SMALL | dict(validation=0.25, refit=False)
        model = CorNetClassifier(callbacks=[score], **options).fit(X, y)
        for row in model.history_:
            assert row["balanced"] == pytest.approx(row["valid_accuracy"], abs=1e-12)

    def test_scores_of_probabilities(self):
        X, y = correlations(gap=0.1)
        score = EpochScoring("roc_auc", lower_is_better=False)
        options = SMALL | dict(validation=0.25, refit=False, max_epochs=1)
        model = CorNetClassifier(callbacks=[score], **options).fit(X, y)
        _, held_out = split_validation(y, 0.25, model.seed_)
        expected = roc_auc_score(y[held_out], model.predict_proba(X[held_out])[:, 1])
        assert model.history_[0]["roc_auc"] == pytest.approx(expected)

    def test_the_best_epoch_is_saved_by_skorch(self, tmp_path):
        X, y = correlations(gap=0.1)
        save = Checkpoint(dirname=tmp_path, f_optimizer=None, f_history=None)
        options = SMALL | dict(validation=0.25, refit=False, max_epochs=20, lr=0.1)
        model = CorNetClassifier("ecm", callbacks=[save], **options).fit(X, y)
        saved = torch.load(tmp_path / "params.pt", weights_only=True)
        for name, value in model.module_.state_dict().items():
            assert torch.equal(value, saved[name])

    def test_callbacks_after_early_stopping_see_the_last_epoch(self):
        seen = []

        class Note(Callback):
            def on_epoch_end(self, net, **_):
                seen.append(len(net.history))

        X, y = correlations(gap=0.1)
        stop = EarlyStopping(patience=2, threshold=0.0, sink=lambda _: None)
        options = SMALL | dict(max_epochs=40, lr=0.1, validation=0.25, refit=False)
        model = CorNetClassifier("ecm", callbacks=[stop, Note()], **options).fit(X, y)
        begun = len(model.net_.history)
        assert seen == list(range(1, begun + 1)) and len(model.history_) == begun < 40

    def test_early_stopping_of_skorch_is_no_interruption(self, tmp_path):
        X, y = correlations(gap=0.1)
        stop = EarlyStopping(patience=2, threshold=0.0)
        options = SMALL | dict(max_epochs=40, lr=0.1, validation=0.25, schedule=None)
        model = CorNetClassifier("ecm", callbacks=[stop], directory=tmp_path, **options)
        model.fit(X, y)
        assert not model.interrupted_
        assert len(load_classifier(tmp_path).history_) == len(model.history_) < 40


class TestPartialFit:
    def test_steps_are_those_of_fit(self):
        X, y = correlations()
        options = SMALL | dict(schedule=None)
        whole = CorNetClassifier(C=None, **options).fit(X, y)
        model = CorNetClassifier(**options)
        for _ in range(3):
            model.partial_fit(X, y)
        assert_same_networks(whole, model)
        assert model.epoch_ == len(model.history_) == 3

    def test_classes_that_come_later(self):
        X, y = correlations(classes=3, count=30)
        model = CorNetClassifier(**SMALL).partial_fit(X[y < 2], y[y < 2], [0, 1, 2])
        model.partial_fit(X, y, epochs=20)
        assert model.predict_proba(X).shape == (30, 3)
        assert len(model.history_) == 21
        with pytest.raises(ParameterError, match="the class 7"):
            model.partial_fit(X, np.full(30, 7))

    def test_a_solution_is_trained_further(self):
        X, y = correlations()
        model = CorMLRClassifier("olm", C=1.0, **QUIET).fit(X, y)
        before = model.history_[0]["train_loss"]
        model.set_params(lr=0.01, weight_decay=0.0).partial_fit(X, y, epochs=30)
        assert model.history_[-1]["train_loss"] < before


class TestRegressor:
    def test_it_learns_a_correlation(self, tmp_path):
        X, _ = correlations(count=80, n=4)
        y = 40.0 + 10.0 * X[:, 1, 0]
        options = dict(max_epochs=150, lr=0.01, weight_decay=0.1, dropout=0.0, **QUIET)
        model = CorNetRegressor("lecm", directory=tmp_path, **options)
        model.fit(X[:60], y[:60])
        assert model.score(X[60:], y[60:]) > 0.8
        error = model.predict(X[:60]) - y[:60]
        rmse = np.sqrt(np.mean(error**2))
        assert model.history_[-1]["train_rmse"] == pytest.approx(rmse, rel=0.1)
        again = load_classifier(tmp_path)
        assert isinstance(again, CorNetRegressor)
        np.testing.assert_array_equal(again.predict(X), model.predict(X))

    def test_units_do_not_matter(self):
        X, _ = correlations(count=40, n=4)
        one, other = (
            CorNetRegressor(validation=0.25, dtype="float64", **SMALL)
            .fit(X, scale * X[:, 1, 0] - 3.0)
            .predict(X)
            for scale in (1.0, 100.0)
        )
        np.testing.assert_allclose(other + 3.0, 100.0 * (one + 3.0), rtol=1e-9)

    def test_numbers_are_expected(self):
        X, _ = correlations(count=10)
        for y in (np.full(10, np.nan), ["a"] * 10):
            with pytest.raises(ValueError):
                CorNetRegressor(**SMALL).fit(X, y)


def test_a_last_batch_of_one_sample_is_named_before_training():
    X, y = signals(count=21, n=3)
    front_end = torch.nn.Sequential(torch.nn.Conv1d(3, 3, 5), _Covariance())
    model = CorNetClassifier(front_end=front_end, batch_size=5, **SMALL)
    with pytest.raises(ParameterError, match="last batch of 21 samples has one sample"):
        model.fit(X, y)
    model.set_params(batch_size=6).fit(X, y)


class _Covariance(torch.nn.Module):
    def forward(self, x):
        return x @ x.mT / x.shape[-1] + torch.eye(x.shape[-2])
