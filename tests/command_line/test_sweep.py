"""cornet sweep: the choice is made by validation inside the training part."""

import csv
import itertools

import numpy as np
import pytest
from sklearn.model_selection import StratifiedKFold

from cornet_nn import runner
from cornet_nn.command_line.sweep import preprocessings
from cornet_nn.training import CorNetClassifier
from geomstats_cor.exceptions import ParameterError

from .conftest import correlations

QUICK = ("--epochs", 2, "--output-size", 3, "--inner-folds", 2)
GRID = ("--metrics", "ecm", "olm", "--grid", "power=1,-0.5", "lr=0.1")


def rows_of(path):
    with open(path, newline="") as file:
        return list(csv.DictReader(file))


def test_the_choice_is_that_of_validation(split_file, tmp_path, cornet):
    run = tmp_path / "run"
    code, output, errors = cornet("sweep", split_file, *QUICK, *GRID, "--run-dir", run)
    assert code == 0, errors
    matrices, labels = correlations(60)
    x, y = matrices[:40], labels[:40]
    folds = list(StratifiedKFold(2, shuffle=True, random_state=0).split(x, y))

    def fitted(train, metric, power):
        settings = dict(output_size=3, max_epochs=2, random_state=0, progress=False)
        model = CorNetClassifier(metric, power=power, lr=0.1, **settings)
        return model.fit(x[train], y[train])

    expected = {}
    for metric, power in itertools.product(("ecm", "olm"), (1.0, -0.5)):
        right = [
            np.sum(fitted(train, metric, power).predict(x[held]) == y[held])
            for train, held in folds
        ]
        expected[metric, str(power)] = np.sum(right) / 40
    found = {
        (row["metric"], row["power"]): float(row["validation"])
        for row in rows_of(run / "settings.csv")
    }
    assert found == pytest.approx(expected)
    [chosen] = rows_of(run / "chosen.csv")
    metric, power = chosen["metric"], chosen["power"]
    assert expected[metric, power] == max(expected.values())
    model = fitted(np.arange(40), metric, float(power))
    accuracy = np.mean(model.predict(matrices[40:]) == labels[40:])
    assert float(chosen["test"]) == pytest.approx(accuracy)
    assert f"test accuracy {100 * accuracy:.1f} %." in output
    [network] = (run / "chosen").iterdir()
    code, output, _ = cornet("evaluate", network)
    assert code == 0
    assert f"accuracy {100 * accuracy:.1f} %" in output


def test_test_samples_do_not_change_the_choice(split_file, tmp_path, cornet):
    words = (*QUICK, *GRID, "--quiet", "--run-dir")
    assert cornet("sweep", split_file, *words, tmp_path / "a")[0] == 0
    matrices, labels = correlations(60)
    matrices[40:], labels[40:] = np.eye(4), labels[40]
    np.savez(split_file, C=matrices, y=labels, split=np.arange(60) >= 40)
    assert cornet("sweep", split_file, *words, tmp_path / "b")[0] == 0
    one, other = ((tmp_path / n / "settings.csv").read_text() for n in "ab")
    assert one == other


def test_every_outer_fold_makes_its_choice_and_none_is_run_twice(
    data_file, tmp_path, cornet, monkeypatch
):
    parts = []
    fit_and_score = runner.fit_and_score

    def note_parts(trial, *samples):
        parts.append((frozenset(trial.train), frozenset(trial.test)))
        if len(parts) == 9:
            raise KeyboardInterrupt
        return fit_and_score(trial, *samples)

    monkeypatch.setattr(runner, "fit_and_score", note_parts)
    words = ("sweep", data_file, *QUICK, *GRID, "--folds", 3, "--run-dir")
    run = tmp_path / "run"
    code, _, errors = cornet(*words, run)
    assert code == 130
    assert "--resume" in errors
    code, output, _ = cornet(*words, run, "--resume")
    assert code == 0
    assert len(parts) - 1 == 3 * 4 * 2 + 3
    inner, outer = parts[:-3], parts[-3:]
    assert frozenset.union(*(test for _, test in outer)) == frozenset(range(40))
    assert all(train.isdisjoint(test) for train, test in parts)
    for train, test in inner:
        assert any(train | test == whole for whole, _ in outer)
    assert not (run / "chosen").exists()
    assert "3 outer parts" in output
    rows = rows_of(run / "chosen.csv")
    tests = [float(row["test"]) for row in rows]
    assert f"test accuracy {100 * np.mean(tests):.1f} %" in output
    assert f"{100 * np.std(tests, ddof=1):.1f} over" in output
    # Other folds are other trainings, and the tests of equal choices are not.
    done = len(parts)
    code, _, errors = cornet(*words, run, "--resume", "--inner-folds", 3)
    assert code == 0
    assert 3 * 4 * 3 <= len(parts) - done <= 3 * 4 * 3 + 3


def test_any_parameter_is_varied_and_old_options_are_deprecated(
    data_file, tmp_path, cornet
):
    words = ("sweep", data_file, *QUICK, "--folds", 2, "--metrics", "ecm")
    words += ("--grid", "activation=none,tanh", "module__gain=0.1,1", "validation=0.3")
    code, _, errors = cornet(*words, "--quiet", "--run-dir", tmp_path / "run")
    assert code == 0, errors
    rows = rows_of(tmp_path / "run" / "settings.csv")
    found = {(row["activation"], row["module__gain"]) for row in rows}
    assert len(found) == len(rows) == 4
    assert {activation for activation, _ in found} == {"", "tanh"}
    code, _, errors = cornet(*words, "--grid", "speed=1")
    assert code == 1 and "'speed'" in errors
    words = ("sweep", data_file, *QUICK, "--folds", 2, "--metrics", "ecm")
    words += ("--powers", 1, "--lrs", 0.1, "--quiet", "--run-dir", tmp_path / "old")
    code, _, errors = cornet(*words)
    assert code == 0
    assert "--powers is deprecated: use --grid power=1." in errors


def test_preprocessing_is_varied(tmp_path, cornet):
    matrices, labels = correlations(40)
    np.savez(tmp_path / "cov.npz", S=3.0 * matrices, y=labels)
    run = tmp_path / "run"
    words = ("sweep", tmp_path / "cov.npz", *QUICK, "--metrics", "ecm")
    words += (
        "--grid",
        "lr=0.1",
        "power=1",
        "--folds",
        2,
        "--vary",
        "shrinkage=0.0,1.0",
    )
    assert cornet(*words, "--quiet", "--run-dir", run)[0] == 0
    rows = {row["preprocessing"]: row for row in rows_of(run / "settings.csv")}
    assert set(rows) == {"shrinkage=0.0", "shrinkage=1.0"}
    # With all shrunk to the identity, no classifier beats a constant one.
    assert float(rows["shrinkage=1.0"]["validation"]) == pytest.approx(0.5)
    assert float(rows["shrinkage=0.0"]["validation"]) > 0.5


def test_preprocessings_that_leave_out_other_samples_are_refused(tmp_path, cornet):
    matrices, labels = correlations(40)
    matrices[3] = 1.0
    np.savez(tmp_path / "cov.npz", S=matrices, y=labels)
    words = ("sweep", tmp_path / "cov.npz", *QUICK, "--metrics", "ecm", "--lrs", 0.1)
    words += ("--vary", "shrinkage=0.1,0.0", "--run-dir", tmp_path / "run")
    code, _, errors = cornet(*words, "--powers", 1)
    assert code == 1
    assert "shrinkage=0.0" in errors


def test_lists_are_values_too():
    ways = preprocessings(['neighbors=["left"],["left","right"]'])
    values = [way["neighbors"] for way in ways.values()]
    assert values == [["left"], ["left", "right"]]
    with pytest.raises(ParameterError, match="KEY=VALUE"):
        preprocessings(["levels"])
