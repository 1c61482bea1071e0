"""Test items that cannot be used count as errors, and are counted in the output."""

import csv
import json

import numpy as np
import pytest

from cornet_nn import runner, splits
from cornet_nn.datasets import load
from cornet_nn.training import load_classifier
from geomstats_cor.exceptions import DataWarning

from .conftest import correlations

QUICK = ("--epochs", 2, "--output-size", 3, "--quiet")
# Five of the 20 test items, and two of the 40 for training, have a NaN.
TEST, TRAINING = [40, 43, 50, 51, 59], [0, 7]

pytestmark = pytest.mark.filterwarnings("ignore::geomstats_cor.exceptions.DataWarning")


@pytest.fixture
def file(tmp_path):
    matrices, labels = correlations(60)
    matrices[TEST + TRAINING] = np.nan
    path = tmp_path / "holes.npz"
    np.savez(path, C=matrices, y=labels, split=np.arange(60) >= 40)
    return path


def right_of(run):
    matrices, labels = correlations(60)
    usable = np.setdiff1d(np.arange(40, 60), TEST)
    return int(np.sum(load_classifier(run).predict(matrices[usable]) == labels[usable]))


def test_train_and_evaluate(file, tmp_path, cornet):
    run = tmp_path / "run"
    code, output, _ = cornet("train", file, *QUICK, "--run-dir", run)
    assert code == 0
    assert "7 more cannot be used (5 for test) and count as errors" in output
    result = json.loads((run / "result.json").read_text())
    right = right_of(run)
    assert result["test_accuracy"] == pytest.approx(right / 20)
    assert (result["test_samples"], result["test_unusable"]) == (20, 5)

    code, output, _ = cornet("evaluate", run)
    assert code == 0
    assert f"accuracy {100 * right / 20:.1f} %: {right} of 20 samples" in output
    assert "of which 5 cannot be used and count as errors" in output
    labels = correlations(60)[1]
    with open(run / "evaluation-holes-test" / "confusion.csv", newline="") as rows:
        table = {row["true"]: row for row in csv.DictReader(rows)}
    for name in ("left", "right"):
        assert int(table[name]["(unusable)"]) == np.sum(labels[TEST] == name)
    with open(run / "evaluation-holes-test" / "classes.csv", newline="") as rows:
        for row in csv.DictReader(rows):
            name = row["class"]
            samples = np.sum(labels[40:] == name)
            assert int(row["samples"]) == samples
            recall = int(table[name][name]) / samples
            assert float(row["recall"]) == pytest.approx(recall)
    output = cornet("evaluate", run, "--part", "train")[1]
    assert "of 40 samples" in output and "of which 2 cannot be used" in output


def test_compare_with_the_official_split(file, tmp_path, cornet):
    run = tmp_path / "run"
    words = ("compare", file, *QUICK, "--metrics", "ecm", "--run-dir", run)
    code, output, _ = cornet(*words, "--split", "official", "--seeds", 0)
    assert code == 0
    note = "7 more cannot be used (5 for test) and count as errors"
    assert note in output and note in (run / "table.md").read_text()
    with open(run / "cells.csv", newline="") as rows:
        [row] = csv.DictReader(rows)
    assert row["samples"] == "20" and float(row["accuracy"]) <= 15 / 20


def test_folds_test_every_item_once(file):
    with pytest.warns(DataWarning):
        data = load(file, cache=False, progress=False)
    parts = splits.outer_parts(data, "folds", 5, seed=0)
    tested = np.concatenate([test for _, test in parts])
    assert sorted(tested) == list(range(60))
    assert all(train.max() < len(data) == 53 for train, _ in parts)


def test_a_test_part_without_a_usable_item():
    data = load("connectomes").subset([])
    assert runner.accuracy(None, data.inputs, data.labels, unusable=3) == 0.0


def test_other_items_that_cannot_be_used_are_other_trainings(
    file, tmp_path, cornet, monkeypatch
):
    run, trained = tmp_path / "run", []
    result = dict.fromkeys(runner.RESULTS, 1.0)
    monkeypatch.setattr(
        runner, "fit_and_score", lambda trial, *_: trained.append(trial) or result
    )
    words = ("compare", file, "--metrics", "ecm", "--run-dir", run, "--quiet")
    assert cornet(*words)[0] == cornet(*words, "--resume")[0] == 0
    assert len(trained) == 5
    with np.load(file) as arrays:
        content = {name: arrays[name] for name in arrays.files}
    content["C"][1] = np.nan
    np.savez(file, **content)
    assert cornet(*words, "--resume")[0] == 0
    assert len(trained) == 10


def test_links_are_kept(tmp_path, cornet, monkeypatch):
    """A split file beside a link to the hands is found, from any folder."""
    from tests.datasets.files import SPLIT, fpha_folder

    hands = fpha_folder(tmp_path / "hands", np.random.default_rng(0))
    here = tmp_path / "here"
    here.mkdir()
    (hands / SPLIT).rename(here / SPLIT)
    (here / "poses").symlink_to(hands)
    monkeypatch.chdir(here)
    quiet = ("--quiet", "--no-cache")
    code, output, errors = cornet("data", "fpha", "--data-dir", "poses", *quiet)
    assert code == 0, errors
    assert "8 covariance [9, 28, 28]" in output
    assert cornet("data", "poses", *quiet)[0] == 0
