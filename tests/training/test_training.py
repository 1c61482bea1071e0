"""The steps of training are those of a plain loop, and stop where they should."""

import numpy as np
import pytest
import torch
from sklearn.base import clone
from torch.nn.functional import cross_entropy

from cornet_nn import CorNet
from cornet_nn.training import (
    CorMLRClassifier,
    CorNetClassifier,
    TrainingDivergedError,
    TrainingInterruptedWarning,
    plot_learning_curves,
)
from cornet_nn.training.data import split_validation
from cornet_nn.training.loop import TrainingLoop
from geomstats_cor import METRICS
from geomstats_cor.exceptions import ParameterError

from .problems import correlations, covariances, signals

QUIET = dict(progress=False, random_state=0, dtype="float64")


def start(model, X, y):
    """Return the network of a classifier before its first step."""
    early = clone(model).set_params(max_epochs=1, optimizer=still)
    return early.fit(X, y).module_


def still(parameters, lr, weight_decay=0.0):
    """Return an optimizer that does not move."""
    return torch.optim.SGD(parameters, lr=0.0)


def epoch_seed(model, epoch):
    """Return the seed of what is random in an epoch."""
    return (model.seed_ * 0x9E3779B97F4A7C15 + epoch) % (1 << 63)


def plain_optimizer(network, optimizer, lr, weight_decay):
    if optimizer == "sgd":
        return torch.optim.SGD(network.parameters(), lr=lr, weight_decay=weight_decay)
    make = {"adam": torch.optim.Adam, "adamw": torch.optim.AdamW}[optimizer]
    return make(network.parameter_groups(lr, weight_decay))


@pytest.mark.parametrize("key", METRICS)
@pytest.mark.parametrize(
    "optimizer, schedule", [("adamw", "cycle"), ("adam", None), ("sgd", None)]
)
def test_epochs_are_those_of_a_plain_loop(key, optimizer, schedule):
    """The whole network on raw input at every step, with weights of classes.

    Normalisation, activation and dropout are those of the defaults.
    """
    S, y = covariances(count=25, classes=3, channels=2)
    epochs, size, settings = 4, 10, dict(lr=0.03, weight_decay=0.01)
    model = CorNetClassifier(
        key,
        mlr_metric="ecm",
        output_size=3,
        out_channels=3,
        power=0.5,
        shrinkage=0.1,
        optimizer=optimizer,
        schedule=schedule,
        max_epochs=epochs,
        batch_size=size,
        class_weight={0: 2.0, 2: 0.5},
        **settings,
        **QUIET,
    )
    network = start(model, S, y).train()
    model.fit(S, y)
    assert model._is_prepared
    plain = plain_optimizer(network, optimizer, **settings)
    cycle = torch.optim.lr_scheduler.OneCycleLR(
        plain,
        [group["lr"] for group in plain.param_groups],
        total_steps=epochs * 3,
        cycle_momentum=False,
    )
    if schedule is None:
        for group in plain.param_groups:
            group["lr"] = group["max_lr"]
    x, labels = torch.as_tensor(S), torch.as_tensor(y)
    weights = torch.tensor([2.0, 1.0, 0.5], dtype=torch.float64)
    for epoch, row in enumerate(model.history_, start=1):
        seed = epoch_seed(model, epoch)
        order = torch.randperm(25, generator=torch.Generator().manual_seed(seed))
        torch.manual_seed(seed)
        total = right = 0.0
        for part in order.split(size):
            logits = network(x[part])
            loss = cross_entropy(logits, labels[part], weights)
            total += float(loss.detach()) * float(weights[labels[part]].sum())
            right += int((logits.argmax(-1) == labels[part]).sum())
            plain.zero_grad()
            loss.backward()
            plain.step()
            if schedule is not None and cycle.last_epoch < 3 * epochs - 1:
                cycle.step()
        assert row["train_loss"] == pytest.approx(
            total / float(weights[labels].sum()), rel=1e-7
        )
        assert row["train_accuracy"] == pytest.approx(right / 25)
    for actual, expected in zip(
        model.module_.parameters(), network.parameters(), strict=True
    ):
        torch.testing.assert_close(actual, expected, rtol=1e-6, atol=1e-8)


def test_metrics_are_over_samples_not_batches():
    """With parameters that do not move, batches of any size have the same metrics."""
    X, y = correlations(count=23, classes=3)
    rows = []
    for size in (23, 7, 1):
        model = CorMLRClassifier(
            optimizer=still,
            batch_size=size,
            max_epochs=1,
            validation=0.3,
            class_weight={1: 3.0},
            **QUIET,
        ).fit(X, y)
        rows.append({k: v for k, v in model.history_[0].items() if k != "seconds"})
    for row in rows[1:]:
        assert row == pytest.approx(rows[0], rel=1e-12)
    assert rows[0]["train_accuracy"] * 16 == pytest.approx(
        round(rows[0]["train_accuracy"] * 16)
    )


def test_every_sample_is_seen_once_in_an_epoch_in_another_order():
    seen = []

    class Note(torch.nn.Module):
        def forward(self, x):
            if self.training and len(x) > 1:
                seen.append(x[:, 0].int().tolist())
            rows = 0.1 * x
            eye = torch.eye(2, dtype=x.dtype)
            return eye + rows[:, :, None] * rows[:, None, :]

    class Random(Note):
        def forward(self, x):
            torch.rand(())  # is therefore called at every step
            return super().forward(x)

    X = np.stack([np.arange(20.0), np.ones(20)], axis=1)
    CorMLRClassifier(front_end=Random(), batch_size=6, max_epochs=2, **QUIET).fit(
        X, np.arange(20) % 2
    )
    assert [len(batch) for batch in seen] == [6, 6, 6, 2, 6, 6, 6, 2]
    first, second = sum(seen[:4], []), sum(seen[4:], [])
    assert sorted(first) == sorted(second) == list(range(20))
    assert first != second


def test_what_has_no_parameters_is_computed_once(monkeypatch):
    calls = []
    original = CorNet.features
    monkeypatch.setattr(
        CorNet, "features", lambda self, x: calls.append(len(x)) or original(self, x)
    )
    X, y = signals()
    CorNetClassifier("lsm", power=0.5, max_epochs=5, **QUIET).fit(X, y)
    assert calls == [40]


def test_balanced_weights():
    X, y = correlations(count=40, classes=2, gap=0.1)
    y[:28] = 0
    model = CorMLRClassifier(
        optimizer="adamw", class_weight="balanced", max_epochs=1, **QUIET
    )
    counts = np.bincount(y)
    weights = torch.as_tensor(len(y) / (2 * counts))
    network = start(model, X, y)
    with torch.no_grad():
        logits = network(torch.as_tensor(X))
        expected = cross_entropy(logits, torch.as_tensor(y), weights)
    model.set_params(batch_size=40).fit(X, y)
    assert model.history_[0]["train_loss"] == pytest.approx(float(expected))


class TestValidation:
    def test_the_best_epoch_is_restored(self):
        X, y = correlations(count=60, gap=0.15)
        options = dict(lr=0.1, validation=0.3, max_epochs=30, **QUIET)
        options |= dict(refit=False, schedule=None)
        model = CorNetClassifier("ecm", **options).fit(X, y)
        losses = [row["valid_loss"] for row in model.history_]
        assert model.epoch_ == np.argmin(losses) + 1 < len(losses) == 30
        shorter = CorNetClassifier("ecm", **{**options, "max_epochs": model.epoch_})
        shorter.fit(X, y)
        assert shorter.epoch_ == model.epoch_
        np.testing.assert_array_equal(shorter.predict_proba(X), model.predict_proba(X))

    @pytest.mark.parametrize("Classifier", [CorNetClassifier, CorMLRClassifier])
    def test_the_network_is_refitted_on_all_samples(self, Classifier):
        X, y = correlations(count=60, gap=0.15)
        options = dict(lr=0.1, batch_size=20, **QUIET)
        model = Classifier("lsm", validation=0.3, max_epochs=12, **options).fit(X, y)
        assert len(model.history_) == 12
        assert {"valid_loss", "valid_accuracy"} < set(model.history_[0])
        extra = dict(optimizer="adamw") if Classifier is CorMLRClassifier else {}
        again = Classifier("lsm", max_epochs=model.epoch_, **extra, **options)
        again.fit(X, y)
        state, expected = model.module_.state_dict(), again.module_.state_dict()
        for name, value in expected.items():
            assert torch.equal(state[name], value), name
        coords = again.module_.coords(torch.as_tensor(X))
        mean = model.module_.norm.running_mean
        torch.testing.assert_close(mean, coords.mean(0), rtol=1e-9, atol=1e-9)

    def test_an_interrupted_refit_keeps_the_epoch_that_was_found(self, monkeypatch):
        X, y = correlations(count=60, gap=0.15)
        options = dict(lr=0.1, validation=0.3, max_epochs=3, batch_size=42, **QUIET)
        found = CorNetClassifier("ecm", refit=False, **options).fit(X, y)
        original, calls = TrainingLoop.train_step_single, []

        def interrupted(self, batch, **keywords):
            calls.append(batch)
            if len(calls) > 4:  # three epochs of one batch, and one of the refit
                raise KeyboardInterrupt
            return original(self, batch, **keywords)

        monkeypatch.setattr(TrainingLoop, "train_step_single", interrupted)
        model = CorNetClassifier("ecm", **options)
        with pytest.warns(TrainingInterruptedWarning):
            model.fit(X, y)
        assert model.interrupted_
        np.testing.assert_array_equal(model.predict_proba(X), found.predict_proba(X))

    def test_patience(self):
        X, y = correlations(count=60, gap=0.15)
        options = dict(lr=0.1, validation=0.3, max_epochs=60, **QUIET)
        full = CorNetClassifier("ecm", **options).fit(X, y)
        model = CorNetClassifier("ecm", patience=4, **options).fit(X, y)
        losses = [row["valid_loss"] for row in full.history_]
        best = next(
            i for i in range(60) if i + 4 < 60 and min(losses[: i + 5]) == losses[i]
        )
        assert len(model.history_) == best + 5 < 60
        assert model.epoch_ == best + 1
        assert not model.interrupted_

    def test_whole_groups_are_held_out(self):
        X, y = correlations(count=60, classes=3)
        groups = np.arange(60) // 6
        for seed in range(5):
            training, held_out = split_validation(y, 0.2, seed, groups)
            assert sorted([*training, *held_out]) == list(range(60))
            assert not set(groups[training]) & set(groups[held_out])
            np.testing.assert_array_equal(np.bincount(y[held_out]), [4, 4, 4])
        model = CorMLRClassifier(validation=0.2, max_epochs=1, **QUIET)
        model.fit(X, y, groups=groups)
        with pytest.raises(ParameterError, match="all samples are in one group"):
            model.fit(X, y, groups=np.zeros(60))
        _, half = split_validation(y, 0.2, 0, np.arange(60) // 30)
        assert len(half) == 30
        with pytest.raises(ParameterError, match="all samples of a class are in"):
            model.fit(X, y, groups=y + 3 * (y == 0) * (np.arange(60) % 4))
        with pytest.raises(ValueError, match="inconsistent numbers of samples"):
            model.fit(X, y, groups=groups[1:])

    def test_classes_are_held_out_in_proportion(self):
        X, y = correlations(count=60, classes=3)
        model = CorMLRClassifier(
            optimizer=still, validation=0.2, refit=False, max_epochs=1, **QUIET
        ).fit(X, y)
        row = model.history_[0]
        assert row["valid_accuracy"] * 12 == pytest.approx(
            round(row["valid_accuracy"] * 12)
        )
        total = 12 * row["valid_accuracy"] + 48 * row["train_accuracy"]
        assert total / 60 == pytest.approx(model.score(X, y))


class TestDivergence:
    def test_a_rate_that_is_too_large(self):
        X, y = correlations()
        model = CorNetClassifier("ecm", optimizer="sgd", lr=1e9, **QUIET)
        with pytest.raises(
            TrainingDivergedError, match="the learning rate 1e\\+09"
        ) as no:
            model.fit(X, y)
        assert f"epoch {no.value.epoch}, batch {no.value.batch}" in str(no.value)
        assert isinstance(no.value, ArithmeticError)

    def test_the_batch_is_named(self):
        """The gradient of one sample is not finite."""

        class Poison(torch.nn.Module):
            def __init__(self):
                super().__init__()
                self.scale = torch.nn.Parameter(torch.tensor(1.0))

            def forward(self, x):
                # At zero, the root is finite and its slope is not.
                root = (self.scale * x[:, 0]).clamp(min=0).sqrt()[:, None, None]
                eye = torch.eye(2, dtype=x.dtype)
                return eye + 0.1 * (root * eye.flip(0))

        X = np.ones((12, 1))
        X[4] = 0.0
        model = CorMLRClassifier(front_end=Poison(), batch_size=3, **QUIET)
        with pytest.raises(TrainingDivergedError, match="gradient is not") as no:
            model.fit(X, np.arange(12) % 2)
        assert no.value.epoch == 1
        assert "close to singular" in str(no.value)
        order = torch.randperm(
            12,
            generator=torch.Generator().manual_seed(epoch_seed(model, 1)),
        )
        assert no.value.batch == order.tolist().index(4) // 3 + 1

    def test_matrices_that_become_singular(self):
        class Collapse(torch.nn.Module):
            def __init__(self):
                super().__init__()
                self.scale = torch.nn.Parameter(torch.tensor(0.5))
                self.calls = 0

            def forward(self, x):
                self.calls += self.training
                off = 1.0 if self.calls > 5 else 0.5
                eye = torch.eye(2, dtype=x.dtype)
                matrix = eye + off * eye.flip(0)
                return matrix + 0.0 * self.scale * x[:, :, None]

        X = np.ones((12, 1))
        model = CorMLRClassifier("ecm", front_end=Collapse(), batch_size=6, **QUIET)
        with pytest.raises(TrainingDivergedError, match="epoch 3, batch 2") as no:
            model.fit(X, np.arange(12) % 2)
        assert "not positive definite" in str(no.value)


class TestInterruption:
    @pytest.mark.parametrize("step, epochs", [(2, 0), (9, 2)])
    def test_the_last_complete_epoch_is_kept(self, monkeypatch, step, epochs):
        X, y = correlations()
        model = CorNetClassifier(max_epochs=5, batch_size=10, schedule=None, **QUIET)
        original, calls = TrainingLoop.train_step_single, []

        def interrupted(self, batch, **options):
            calls.append(batch)
            if len(calls) > step:
                raise KeyboardInterrupt
            return original(self, batch, **options)

        expected = start(model, X, y)
        if epochs:
            expected = clone(model).set_params(max_epochs=epochs).fit(X, y).module_
        monkeypatch.setattr(TrainingLoop, "train_step_single", interrupted)
        with pytest.warns(TrainingInterruptedWarning, match=f"after {epochs} of 5"):
            model.fit(X, y)
        assert model.interrupted_
        assert model.epoch_ == len(model.history_) == epochs
        assert model.predict(X).shape == y.shape
        for actual, wanted in zip(
            model.module_.parameters(), expected.parameters(), strict=True
        ):
            assert torch.equal(actual, wanted)


class TestProgress:
    def test_a_bar_with_loss_and_accuracy(self, capsys):
        X, y = correlations()
        options = dict(max_epochs=3, batch_size=20, validation=0.25, random_state=0)
        CorMLRClassifier(progress=True, **options).fit(X, y)
        shown = capsys.readouterr().err
        assert "6/6" in shown and "epoch 3" in shown
        assert "train loss=" in shown and "valid accuracy=" in shown
        CorMLRClassifier(progress=False, **options).fit(X, y)
        silent = capsys.readouterr()
        assert silent.err == silent.out == ""


class TestCurves:
    def test_curves_are_the_history(self):
        X, y = correlations()
        model = CorMLRClassifier(max_epochs=4, validation=0.25, **QUIET).fit(X, y)
        figure = model.learning_curves()
        assert [ax.get_ylabel() for ax in figure.axes] == ["loss", "accuracy"]
        lines = {line.get_label(): line for line in figure.axes[1].lines}
        accuracies = [row["valid_accuracy"] for row in model.history_]
        assert lines["validation"].get_ydata().tolist() == accuracies
        assert lines["training"].get_xdata().tolist() == [1, 2, 3, 4]
        assert f"epoch {model.epoch_}" in lines

    def test_unknown_quantity(self):
        with pytest.raises(ParameterError, match="choose 'loss' or 'accuracy'"):
            plot_learning_curves([], "speed")
