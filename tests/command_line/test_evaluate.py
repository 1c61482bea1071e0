"""cornet evaluate and cornet predict: what a run says of data."""

import csv

import numpy as np
import pytest

from cornet_nn.training import load_classifier

from .conftest import correlations

QUICK = ("--epochs", 3, "--output-size", 3, "--quiet")


def rows_of(path):
    with open(path, newline="") as file:
        return list(csv.reader(file))


@pytest.fixture
def run(split_file, tmp_path, cornet):
    """Return the directory of a run on the file with a split."""
    directory = tmp_path / "run"
    assert cornet("train", split_file, *QUICK, "--run-dir", directory)[0] == 0
    return directory


def test_an_evaluation_counts_samples(run, cornet):
    code, output, _ = cornet("evaluate", run)
    assert code == 0
    matrices, labels = correlations(60)
    truth, predicted = labels[40:], load_classifier(run).predict(matrices[40:])
    right = int(np.sum(truth == predicted))
    assert f"{right} of 20 samples" in output
    assert f"accuracy {100 * right / 20:.1f} %" in output
    folder = run / "evaluation-split-test"
    header, *rows = rows_of(folder / "confusion.csv")
    assert header == ["true", "left", "right"]
    for name, *counts in rows:
        for column, count in zip(header[1:], counts, strict=True):
            assert int(count) == np.sum((truth == name) & (predicted == column))
    header, *rows = rows_of(folder / "classes.csv")
    assert header == ["class", "samples", "precision", "recall", "f1"]
    for name, samples, precision, recall, _ in rows:
        hits = np.sum((truth == name) & (predicted == name))
        assert int(samples) == np.sum(truth == name)
        assert float(precision) == pytest.approx(hits / np.sum(predicted == name))
        assert float(recall) == pytest.approx(hits / np.sum(truth == name))


def test_an_evaluation_says_which_samples_were_trained_on(run, data_file, cornet):
    assert "trained on" not in cornet("evaluate", run)[1]
    for part in ("train", "all"):
        assert "trained on" in cornet("evaluate", run, "--part", part)[1]
    output = cornet("evaluate", run, data_file, "--quiet")[1]
    assert "trained on" not in output
    assert "40 samples" in output
    assert "Written" not in output


def test_other_classes_are_named(run, tmp_path, cornet):
    matrices, labels = correlations(6)
    labels[2] = "up"
    np.savez(tmp_path / "other.npz", C=matrices, y=labels)
    code, _, errors = cornet("evaluate", run, tmp_path / "other.npz")
    assert code == 1
    assert "'up'" in errors


def test_predictions_need_no_labels(run, tmp_path, cornet):
    matrices, labels = correlations(10, seed=3)
    np.savez(tmp_path / "new.npz", C=matrices)
    path = tmp_path / "folder" / "predictions.csv"
    code, output, _ = cornet("predict", run, tmp_path / "new.npz", "-o", path)
    assert code == 0
    assert str(path) in output
    header, *rows = rows_of(path)
    assert header == ["sample", "label", "p(left)", "p(right)"]
    assert [int(row[0]) for row in rows] == list(range(10))
    model = load_classifier(run)
    assert [row[1] for row in rows] == model.predict(matrices).tolist()
    found = np.array([row[2:] for row in rows], dtype=float)
    np.testing.assert_array_equal(found, model.predict_proba(matrices))
    code, _, errors = cornet("evaluate", run, tmp_path / "new.npz")
    assert code == 1
    assert "cornet predict" in errors


def test_predictions_of_a_part_keep_the_places_of_samples(
    run, split_file, tmp_path, cornet
):
    path = tmp_path / "predictions.csv"
    words = ("predict", run, split_file, "--part", "test", "-o", path, "--quiet")
    assert cornet(*words)[:2] == (0, f"{path}\n")
    header, *rows = rows_of(path)
    assert header[-1] == "true"
    assert [int(row[0]) for row in rows] == list(range(40, 60))
    assert [row[-1] for row in rows] == correlations(60)[1][40:].tolist()


def test_a_bad_sample_does_not_shift_predictions(run, tmp_path, cornet):
    matrices, _ = correlations(5)
    matrices[2, 0, 1] = np.nan
    np.savez(tmp_path / "bad.npz", C=matrices)
    path = tmp_path / "predictions.csv"
    code, _, errors = cornet("predict", run, tmp_path / "bad.npz", "-o", path)
    assert code == 1
    assert "1 of 5 items cannot be used. bad.npz[2] has a NaN" in errors
    assert not path.exists()


def test_a_file_that_cannot_be_written_is_named(run, split_file, tmp_path, cornet):
    for path in (tmp_path, split_file / "predictions.csv"):
        code, _, errors = cornet("predict", run, split_file, "-o", path)
        assert code == 1
        assert errors.startswith(f"cornet predict: {path.parent}")


def test_what_is_no_run_is_named(tmp_path, data_file, cornet):
    for words in (("evaluate", tmp_path), ("predict", tmp_path, data_file)):
        code, _, errors = cornet(*words)
        assert code == 1
        assert str(tmp_path) in errors
        assert errors.count("\n") == 1
