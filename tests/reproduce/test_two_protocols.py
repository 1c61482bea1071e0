"""The accuracy after the last epoch, and the best of the last epochs beside it."""

import numpy as np
import pytest

from cornet_nn.baselines import BaselineClassifier
from cornet_nn.reproduce import report
from cornet_nn.runner import RESULTS, Results, Trial, fit_and_score
from cornet_nn.training import CorNetClassifier

LABELS = np.arange(40) % 2


def covariances():
    rng = np.random.default_rng(0)
    signals = rng.standard_normal((40, 4, 12))
    signals[LABELS == 1, 0] += 0.5 * signals[LABELS == 1, 1]
    return signals @ signals.swapaxes(-1, -2) / 12


def trial(name, epochs, last_epochs):
    options = dict(max_epochs=epochs, random_state=0, progress=False, lr=0.05)
    if name == "CorNet":
        how = dict(schedule=None, output_size=3)
        model = CorNetClassifier("ecm", **how, **options)
    else:
        model = BaselineClassifier(name, **options)
    parts = np.arange(24), np.arange(24, 40)
    return Trial({"name": name}, model, *parts, last_epochs=last_epochs)


@pytest.mark.parametrize("name", ["GyroLC", "CorNet"])
def test_best_is_that_of_shorter_trainings(name):
    inputs = covariances()
    found = fit_and_score(trial(name, 4, 3), inputs, LABELS)
    shorter = [
        fit_and_score(trial(name, epochs, 0), inputs, LABELS)["accuracy"]
        for epochs in (2, 3, 4)
    ]
    assert found["best_accuracy"] == max(shorter)
    assert found["accuracy"] == shorter[-1]
    assert len({*shorter}) > 1


def test_more_epochs_than_there_are():
    result = fit_and_score(trial("GyroLC", 2, 10), covariances(), LABELS)
    assert result["best_accuracy"] >= result["accuracy"]


def test_finished_runs_without_a_best_epoch_are_kept(tmp_path):
    data = covariances(), LABELS
    with Results(tmp_path) as runs:
        before = runs.run([trial("GyroLC", 1, 0)], *data)
    with Results(tmp_path, resume=True) as runs:
        both = runs.run([trial("GyroLC", 1, 5), trial("GyroLC", 2, 5)], *data)
    assert both["accuracy"][0] == before["accuracy"][0]
    assert both["best_accuracy"].isna().tolist() == [True, False]
    with Results(tmp_path, resume=True) as runs:
        again = runs.run([trial("GyroLC", 2, 5)], *data)
    assert again["best_accuracy"][0] == both["best_accuracy"][1]


def test_runs_that_diverged_are_kept(tmp_path, monkeypatch):
    def diverged(*_):
        return dict.fromkeys((*RESULTS, "best_accuracy"), float("nan"))

    data, trials = (covariances(), LABELS), [trial("GyroLC", 1, 5)]
    with monkeypatch.context() as patch, Results(tmp_path) as runs:
        patch.setattr("cornet_nn.runner.fit_and_score", diverged)
        runs.run(trials, *data)
    with Results(tmp_path, resume=True) as runs:
        both = runs.run([*trials, trial("GyroLC", 2, 5)], *data)
    assert both["accuracy"].isna().tolist() == [True, False]


def test_two_columns():
    cell = dict(method="GrNet", data="FPHA", paper_mean=80.0, paper_deviation=1.0)
    cell |= dict(ours_mean=70.0, ours_best=72.5, runs=5)
    cells = report.table_of([cell])
    text = report.as_markdown(cells, "Main", report.show_accuracy)
    assert "| FPHA, paper | ours, last epoch | best of the last |" in text
    assert "| 80.00 ± 1.00 | 70.00 | 72.50 |" in text
    cells["ours_best"] = np.nan
    alone = report.as_markdown(cells, "M", report.show_accuracy)
    assert "| FPHA, paper | ours |" in alone
