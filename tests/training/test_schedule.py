"""The learning rate over one training."""

import numpy as np
import pytest
import torch
from skorch.callbacks import Callback

from cornet_nn.training import CorNetClassifier
from cornet_nn.training.loop import TrainingLoop, learning_rate_factor
from geomstats_cor.exceptions import ParameterError

from .problems import correlations


@pytest.mark.parametrize("steps", [4, 7, 10, 100, 1234])
def test_one_cycle_is_that_of_torch(steps):
    optimizer = torch.optim.SGD([torch.nn.Parameter(torch.zeros(1))], lr=1.0)
    cycle = torch.optim.lr_scheduler.OneCycleLR(
        optimizer, 1.0, total_steps=steps, cycle_momentum=False
    )
    for step in range(steps):
        expected = optimizer.param_groups[0]["lr"]
        assert learning_rate_factor(step, steps) == pytest.approx(expected, abs=1e-12)
        optimizer.step()
        if step < steps - 1:
            cycle.step()


@pytest.mark.parametrize("steps", [1, 2, 3])
def test_few_steps_have_finite_rates(steps):
    factors = [learning_rate_factor(step, steps) for step in range(steps)]
    assert np.isfinite(factors).all()
    assert 0.0 < max(factors) <= 1.0


def test_rates_reach_the_optimizer():
    rates = []

    class Note(Callback):
        def on_grad_computed(self, net, **_):
            rates.append([group["lr"] for group in net.optimizer_.param_groups])

    X, y = correlations(count=25)
    options = dict(lr=0.01, max_epochs=4, batch_size=10, random_state=0, progress=False)
    model = CorNetClassifier(callbacks=[Note()], **options).fit(X, y)
    factors = np.array([learning_rate_factor(step, 12) for step in range(12)])
    scale = model.module_._weight_scale()
    assert scale == pytest.approx(10**0.5)
    expected = 0.01 * factors[:, None] * np.array([scale, 1.0])
    np.testing.assert_allclose(rates, expected, rtol=1e-12)


@pytest.mark.parametrize("validation", [None, 0.25])
@pytest.mark.parametrize("stop", [1, 4])
def test_a_stopped_run_goes_on_bit_by_bit(tmp_path, monkeypatch, stop, validation):
    """Killed in the middle of an epoch; the refit after validation is the same."""
    X, y = correlations(count=40, gap=0.2)
    options = dict(
        metric="lsm",
        max_epochs=6,
        batch_size=10,
        validation=validation,
        random_state=0,
        progress=False,
    )
    whole = CorNetClassifier(directory=tmp_path / "whole", **options).fit(X, y)
    original, calls = TrainingLoop.train_step_single, []

    class Killed(Exception):
        pass

    def killed(self, batch, **keywords):
        calls.append(batch)
        if len(calls) > 3 * stop + 2:
            raise Killed
        return original(self, batch, **keywords)

    with monkeypatch.context() as patch:
        patch.setattr(TrainingLoop, "train_step_single", killed)
        with pytest.raises(Killed):
            CorNetClassifier(directory=tmp_path / "part", **options).fit(X, y)
    model = CorNetClassifier(directory=tmp_path / "part", resume=True, **options)
    model.fit(X, y)
    for actual, expected in zip(
        model.module_.state_dict().values(),
        whole.module_.state_dict().values(),
        strict=True,
    ):
        assert torch.equal(actual, expected)
    loaded = CorNetClassifier.load(tmp_path / "part").predict_proba(X)
    np.testing.assert_array_equal(loaded, whole.predict_proba(X))
    assert model.epoch_ == whole.epoch_
    # A run that is complete is resumed without a change.
    again = CorNetClassifier(directory=tmp_path / "part", resume=True, **options)
    again.fit(X, y)
    np.testing.assert_array_equal(again.predict_proba(X), whole.predict_proba(X))


def test_an_unknown_schedule():
    with pytest.raises(ParameterError, match="schedule is 'linear'"):
        CorNetClassifier(schedule="linear", progress=False).fit(*correlations())
