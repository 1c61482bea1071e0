"""cornet compare: the table is what trainings give, and goes on where it stopped."""

import csv
import json
import shlex
from importlib.metadata import version
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from matplotlib.colors import to_hex
from PIL import Image
from sklearn.model_selection import StratifiedKFold

from cornet_nn import runner, splits
from cornet_nn.command_line import compare
from cornet_nn.training import CorNetClassifier
from geomstats_cor import METRICS
from geomstats_cor.exceptions import ParameterError
from geomstats_cor.plotting import METRIC_COLORS

from .conftest import correlations

QUICK = ("--epochs", 2, "--output-size", 3)


def rows_of(path):
    with open(path, newline="") as file:
        return list(csv.DictReader(file))


def test_the_table_is_that_of_the_estimator(data_file, tmp_path, cornet):
    run = tmp_path / "run"
    words = ("compare", data_file, *QUICK, "--folds", 4, "--seeds", 7, "--run-dir", run)
    code, output, errors = cornet(*words, "--for", "lsm", "lr=0.3", "power=0.5")
    assert code == 0, errors
    matrices, labels = correlations(40)
    folds = StratifiedKFold(4, shuffle=True, random_state=7)
    table = {row["metric"]: row for row in rows_of(run / "table.csv")}
    assert list(table) == list(METRICS)
    for metric in ("olm", "lsm"):
        own = dict(lr=0.3, power=0.5) if metric == "lsm" else {}
        settings = dict(output_size=3, max_epochs=2, random_state=7, progress=False)
        scores = []
        for train, test in folds.split(matrices, labels):
            model = CorNetClassifier(metric, **settings, **own)
            model.fit(matrices[train], labels[train])
            scores.append(np.mean(model.predict(matrices[test]) == labels[test]))
        row = table[metric]
        assert float(row["mean"]) == pytest.approx(np.mean(scores), abs=1e-12)
        assert float(row["std"]) == pytest.approx(np.std(scores, ddof=1), abs=1e-12)
        mean, deviation = 100 * np.mean(scores), 100 * np.std(scores, ddof=1)
        shown = next(line for line in output.splitlines() if line.startswith(metric))
        assert shown.split()[1:3] == [f"{mean:.1f}", f"{deviation:.1f}"]
        assert f"| {metric} | {mean:.1f} |" in (run / "table.md").read_text()
    assert all(float(row["seconds_per_epoch"]) > 0 for row in table.values())
    with Image.open(run / "comparison.png") as picture:
        assert np.asarray(picture.convert("L")).std() > 5.0


def test_the_official_split_is_trained_with_several_seeds(split_file, tmp_path, cornet):
    run = tmp_path / "run"
    words = ("compare", split_file, *QUICK, "--metrics", "ecm", "--run-dir", run)
    assert cornet(*words, "--split", "official", "--quiet")[0] == 0
    rows = rows_of(run / "cells.csv")
    assert [(row["seed"], row["part"]) for row in rows] == [
        (str(seed), "0") for seed in range(5)
    ]
    assert {row["samples"] for row in rows} == {"20"}


def test_versions_are_written(data_file, tmp_path, cornet):
    words = ("compare", data_file, "--metrics", "ecm", "--folds", 2, "--epochs", 1)
    assert cornet(*words, "--run-dir", tmp_path / "run", "--quiet")[0] == 0
    environment = json.loads((tmp_path / "run" / "environment.json").read_text())
    assert environment["packages"]["torch"] == version("torch")


def test_there_must_be_a_split_for_the_official_one(data_file, tmp_path, cornet):
    words = ("compare", data_file, *QUICK, "--run-dir", tmp_path / "run")
    code, _, errors = cornet(*words, "--split", "official")
    assert code == 1
    assert "no official split" in errors


def test_finished_trainings_are_not_run_again(data_file, tmp_path, cornet, monkeypatch):
    trained = []
    stop_at = 5
    fit_and_score = runner.fit_and_score

    def fit_unless_stopped(trial, *samples):
        if len(trained) == stop_at:
            raise KeyboardInterrupt
        trained.append((trial.estimator.metric, tuple(trial.test)))
        return fit_and_score(trial, *samples)

    monkeypatch.setattr(runner, "fit_and_score", fit_unless_stopped)
    monkeypatch.chdir(tmp_path)
    words = ("compare", data_file, *QUICK, "--folds", 3, "--metrics", "ecm", "olm")
    code, output, errors = cornet(*words)
    assert (code, output) == (130, "")
    advice = errors.splitlines()[-1]
    assert advice.startswith("cornet compare: stopped")
    again = shlex.split(advice.partition("To resume: cornet ")[2])
    stop_at = None
    code, output, _ = cornet(*again)
    assert code == 0
    assert len(trained) == len(set(trained)) == 6
    whole = cornet(*words, "--quiet")[1]
    assert len(trained) == 12

    def accuracies(text):
        return [line.split()[:4] for line in text.splitlines() if line[:3] in METRICS]

    assert accuracies(output) == accuracies(whole)
    # A further metric joins those that are there.
    code, output, _ = cornet(*again, "--metrics", "ecm", "olm", "lecm", "--quiet")
    assert code == 0
    assert {metric for metric, _ in trained[12:]} == {"lecm"}
    # Under other settings all is computed anew, and what was there is kept.
    before, rows = len(trained), rows_of(again_directory(again) / "cells.csv")
    assert cornet(*again, "--lr", 0.5, "--quiet")[0] == 0
    assert len(trained) == before + 6
    found = rows_of(again_directory(again) / "cells.csv")
    assert found[: len(rows)] == rows and len(found) == len(rows) + 6
    code, _, errors = cornet(*again[: again.index("--resume")])
    assert code == 1
    assert "--resume" in errors


def again_directory(words):
    return Path(words[words.index("--run-dir") + 1])


def test_trainings_run_in_processes(data_file, tmp_path, cornet):
    words = ("compare", data_file, *QUICK, "--folds", 2, "--metrics", "ecm", "olm")
    for name, jobs in (("one", 1), ("two", 2)):
        run = ("--run-dir", tmp_path / name, "--quiet", "--jobs", jobs)
        assert cornet(*words, *run)[0] == 0
    one, two = (rows_of(tmp_path / name / "cells.csv") for name in ("one", "two"))
    accuracies = [{row["key"]: row["accuracy"] for row in rows} for rows in (one, two)]
    assert len(one) == 4 and accuracies[0] == accuracies[1]


def test_groups_stay_together(tmp_path, cornet, monkeypatch):
    matrices, labels = correlations(40)
    groups = np.arange(40) // 2 % 5
    np.savez(tmp_path / "grouped.npz", C=matrices, y=labels, groups=groups)
    parts = []
    result = dict.fromkeys(runner.RESULTS, 1.0)

    def note_parts(trial, *_):
        parts.append((set(groups[trial.train]), set(groups[trial.test])))
        return result

    monkeypatch.setattr(runner, "fit_and_score", note_parts)
    words = ("compare", tmp_path / "grouped.npz", "--metrics", "ecm", "--quiet")
    assert cornet(*words, "--run-dir", tmp_path / "run")[0] == 0
    assert len(parts) == 5
    assert all(train.isdisjoint(test) for train, test in parts)
    assert set.union(*(test for _, test in parts)) == set(groups)


def test_folds_that_cannot_be_are_refused():
    labels = np.array(["a"] * 6 + ["b"])
    with pytest.raises(ParameterError, match="class 'b'"):
        splits.folds(labels, None, 3, seed=0)
    with pytest.raises(ParameterError, match="2 to 7"):
        splits.folds(labels, None, 8, seed=0)
    with pytest.raises(ParameterError, match="2 groups allow 2 to 2"):
        splits.folds(labels, [0, 0, 0, 1, 1, 1, 1], 3, seed=0)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["euclid", "lr=1"], "euclid"),
        (["olm", "speed=1"], "'speed'"),
        (["olm", "optimizer=newton"], "'newton'"),
        (["olm", "lr"], "KEY=VALUE"),
        (["olm", "lr=fast"], "'fast'"),
        (["olm", "max_epochs=2.5"], "whole number"),
        (["olm", "dtype=null"], "float32, float64"),
        (["olm", "metric=lsm"], "cannot be set here"),
    ],
)
def test_settings_of_one_metric_are_checked(words, message, data_file, cornet):
    code, _, errors = cornet("compare", data_file, "--for", *words)
    assert code == 1
    assert message in errors


def test_the_figure_has_the_colours_of_the_metrics(tmp_path):
    names = [*reversed(METRICS)]  # whatever the order of the rows
    values = dict(accuracy=0.7, train_accuracy=0.9, seconds_per_epoch=0.01)
    cells = pd.DataFrame([dict(metric=name, **values) for name in names * 2])
    path = tmp_path / "comparison.png"
    table = compare.summary(cells)
    figure = compare.comparison_figure(table, cells, "title", path)
    left, right = figure.axes
    colors = [METRIC_COLORS[key].lower() for key in names]
    assert [to_hex(bar.get_facecolor()) for bar in right.patches] == colors
    assert [to_hex(c.lines[0].get_color()) for c in left.containers] == colors
