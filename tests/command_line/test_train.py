"""cornet train: the run directory, and what may and may not change in a run."""

import csv
import json
import shutil
from importlib.metadata import version
from types import SimpleNamespace

import numpy as np
import pytest
import torch
from PIL import Image

from cornet_nn._files import contents
from cornet_nn.training import CorNetClassifier

from .conftest import correlations

QUICK = ("--epochs", 3, "--output-size", 3, "--batch-size", 16)


def parameters(directory):
    return torch.load(directory / "checkpoint.pt", weights_only=True)["last"]


def assert_same_parameters(one, other):
    one, other = parameters(one), parameters(other)
    assert one.keys() == other.keys()
    assert all(torch.equal(one[name], other[name]) for name in one)


def test_a_run_directory_has_all_that_was_promised(split_file, tmp_path, cornet):
    run = tmp_path / "run"
    words = ("train", split_file, "--metric", "lsm", "--lr", 0.05, *QUICK)
    code, output, errors = cornet(*words, "--run-dir", run)
    assert code == 0, errors
    record = json.loads((run / "run.json").read_text())
    assert record["estimator"] == "CorNetClassifier"
    assert record["parameters"]["metric"] == "lsm"
    assert record["parameters"]["lr"] == 0.05
    assert record["parameters"]["kind"] == "correlation"
    assert record["data"]["source"]["data"] == str(split_file)
    with open(run / "metrics.csv") as file:
        epochs = list(csv.DictReader(file))
    assert [row["epoch"] for row in epochs] == ["1", "2", "3"]
    versions = json.loads((run / "environment.json").read_text())["packages"]
    assert versions["torch"] == version("torch")
    with Image.open(run / "curves.png") as picture:
        assert np.asarray(picture.convert("L")).std() > 5.0
    for word in ("epoch 3", "loss", "accuracy"):
        assert word in errors
    assert str(run) in output


def test_the_test_accuracy_is_that_of_the_estimator(split_file, tmp_path, cornet):
    run = tmp_path / "run"
    words = ("train", split_file, "--power", 0.5, "--seed", 4, *QUICK)
    assert cornet(*words, "--run-dir", run)[0] == 0
    matrices, labels = correlations(60)
    model = CorNetClassifier(
        output_size=3,
        max_epochs=3,
        batch_size=16,
        power=0.5,
        random_state=4,
        progress=False,
    ).fit(matrices[:40], labels[:40])
    right = np.sum(model.predict(matrices[40:]) == labels[40:])
    result = json.loads((run / "result.json").read_text())
    assert result["test_accuracy"] == right / 20
    assert result["test_samples"] == 20
    expected = model.module_.state_dict()
    assert all(torch.equal(parameters(run)[name], expected[name]) for name in expected)


def test_the_test_part_chooses_nothing(split_file, tmp_path, cornet):
    words = ("--validation", 0.25, "--patience", 2, *QUICK)
    assert cornet("train", split_file, *words, "--run-dir", tmp_path / "a")[0] == 0
    matrices, labels = correlations(60)
    matrices[40:], labels[40:] = np.eye(4), labels[40]
    np.savez(split_file, C=matrices, y=labels, split=np.arange(60) >= 40)
    assert cornet("train", split_file, *words, "--run-dir", tmp_path / "b")[0] == 0
    assert_same_parameters(tmp_path / "a", tmp_path / "b")


def test_quiet_leaves_the_result(split_file, tmp_path, cornet):
    code, output, errors = cornet(
        "train", split_file, *QUICK, "--quiet", "--run-dir", tmp_path / "run"
    )
    assert (code, errors) == (0, "")
    lines = output.splitlines()
    assert lines[0].startswith("split: 60 samples of 2 classes")
    assert [line.split()[0] for line in lines[3:]] == ["training", "test"]


@pytest.mark.parametrize(("strength", "is_alone"), [("1", True), ("none", False)])
def test_the_accuracy_of_training_says_of_what_it_is(
    strength, is_alone, data_file, tmp_path, cornet
):
    """The regression has no part in the training, but in all other accuracies."""
    words = ("train", data_file, *QUICK, "--quiet", "--strength", strength)
    _, output, _ = cornet(*words, "--run-dir", tmp_path / "run")
    assert ("training (network alone)" in output) == is_alone


def test_a_run_goes_on_for_more_epochs(data_file, tmp_path, cornet):
    whole, parts = tmp_path / "whole", tmp_path / "parts"
    words = ("train", data_file, *QUICK[2:], "--validation", 0.25, "--quiet")
    words += ("--schedule", "none")  # a longer cycle is another one
    assert cornet(*words, "--epochs", 5, "--run-dir", whole)[0] == 0
    assert cornet(*words, "--epochs", 2, "--run-dir", parts)[0] == 0
    again = ("train", "--run-dir", parts, "--resume", "--quiet")
    assert cornet(*again, "--epochs", 5)[0] == 0
    assert_same_parameters(whole, parts)
    code, output, _ = cornet(*again)
    assert code == 0
    assert "of 5." in output


def test_other_settings_are_refused(data_file, tmp_path, cornet):
    run = tmp_path / "run"
    words = ("train", data_file, *QUICK, "--quiet", "--run-dir", run)
    assert cornet(*words)[0] == 0
    before = {path.name: path.read_bytes() for path in run.iterdir()}
    code, _, errors = cornet(*words, "--resume", "--lr", 0.5, "--metric", "ecm")
    assert code == 1
    assert "lr was 0.001, and is 0.5" in errors
    assert "metric was 'olm', and is 'ecm'" in errors
    code, _, errors = cornet(*words)
    assert code == 1
    assert "--resume" in errors
    again = ("train", "--run-dir", run, "--resume", "--option", "errors=raise")
    code, _, errors = cornet(*again)
    assert code == 1
    assert "'raise'" in errors
    matrices, labels = correlations(40, seed=1)
    np.savez(data_file, C=matrices, y=labels)
    code, _, errors = cornet(*words, "--resume")
    assert code == 1
    assert "fingerprint" in errors
    assert {path.name: path.read_bytes() for path in run.iterdir()} == before


def test_a_run_killed_before_its_first_checkpoint_begins_anew(
    data_file, tmp_path, cornet
):
    whole, killed = tmp_path / "whole", tmp_path / "killed"
    for run in (whole, killed):
        words = ("train", data_file, *QUICK, "--quiet", "--run-dir", run)
        assert cornet(*words)[0] == 0
    (killed / "checkpoint.pt").unlink()
    assert cornet("train", "--run-dir", killed, "--resume", "--quiet")[0] == 0
    assert_same_parameters(whole, killed)


def test_what_is_refused_leaves_no_run(data_file, tmp_path, cornet):
    run = tmp_path / "run"
    for words in (("--lr", "nan"), ("--validation", 0.01), ("--class-weight", "up=2")):
        assert cornet("train", data_file, *QUICK, *words, "--run-dir", run)[0] == 1
        assert cornet("train", data_file, *QUICK, *words)[0] == 1
        assert contents(run) == []
    assert cornet("train", data_file, *QUICK, "--quiet", "--run-dir", run)[0] == 0
    assert [path.name for path in (tmp_path / "runs").iterdir()] == ["plain-olm"]


def test_validation_holds_out_whole_groups(tmp_path, cornet):
    matrices, labels = correlations(40)
    path = tmp_path / "groups.npz"
    np.savez(path, C=matrices, y=labels, groups=np.zeros(40))
    words = ("train", path, *QUICK, "--quiet", "--run-dir", tmp_path / "run")
    code, _, errors = cornet(*words, "--validation", 0.1)
    assert code == 1
    assert "all samples are in one group" in errors
    np.savez(path, C=matrices, y=labels, groups=np.arange(40) // 10)
    assert cornet(*words, "--validation", 0.1)[0] == 0


def test_a_directory_that_cannot_be_written_is_named_first(
    data_file, tmp_path, cornet, monkeypatch
):
    (tmp_path / "file").write_text("")
    run = tmp_path / "file" / "run"
    monkeypatch.setattr(CorNetClassifier, "fit", None)
    code, _, errors = cornet("train", data_file, *QUICK, "--run-dir", run)
    assert code == 1
    assert errors.count("\n") == 1
    assert str(run) in errors


def test_a_full_disk_is_an_error_before_training(
    data_file, tmp_path, cornet, monkeypatch
):
    monkeypatch.setattr(shutil, "disk_usage", lambda path: SimpleNamespace(free=1000))
    run = tmp_path / "run"
    code, _, errors = cornet("train", data_file, *QUICK, "--run-dir", run)
    assert code == 1
    assert "MB" in errors
    assert not (run / "metrics.csv").exists()


def test_without_a_name_runs_do_not_collide(data_file, tmp_path, cornet, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for _ in range(2):
        assert cornet("train", data_file.name, *QUICK, "--quiet")[0] == 0
    found = sorted(path.name for path in (tmp_path / "runs").iterdir())
    assert found == ["plain-olm", "plain-olm-2"]


def test_settings_come_from_a_file_and_options_go_before_it(
    data_file, tmp_path, cornet
):
    file = tmp_path / "settings.json"
    file.write_text('{"metric": "ecm", "lr": 0.2, "max_epochs": 2}')
    run, again = tmp_path / "run", tmp_path / "again"
    words = ("train", data_file, "--lr", 0.1, "--quiet", "--run-dir", run)
    assert cornet(*words, "--config", file)[0] == 0
    found = json.loads((run / "run.json").read_text())["parameters"]
    assert (found["metric"], found["lr"], found["max_epochs"]) == ("ecm", 0.1, 2)
    words = ("train", data_file, "--quiet", "--run-dir", again)
    assert cornet(*words, "--config", run / "run.json")[0] == 0
    assert_same_parameters(run, again)


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ('{"learning_rate": 1}', "'learning_rate'"),
        ('{"metric": "euclid"}', "'euclid'"),
        ('{"lr": "fast"}', "'fast'"),
        ('{"max_epochs": 2.5}', "whole number"),
        ("[1]", "list"),
        ("{", "JSON"),
    ],
)
def test_a_bad_file_of_settings_is_explained(text, word, data_file, tmp_path, cornet):
    file = tmp_path / "settings.json"
    file.write_text(text)
    code, _, errors = cornet("train", data_file, "--config", file)
    assert code == 1
    assert word in errors
    assert str(file) in errors


def test_data_without_labels_cannot_be_trained_on(tmp_path, cornet):
    np.savez(tmp_path / "data.npz", C=correlations(6)[0])
    for command in ("train", "compare", "sweep"):
        code, _, errors = cornet(command, tmp_path / "data.npz")
        assert code == 1
        assert "no labels" in errors


def test_the_one_layer_model(data_file, tmp_path, cornet):
    run = tmp_path / "run"
    words = ("train", data_file, "--model", "cormlr", "--epochs", 2, "--quiet")
    assert cornet(*words, "--run-dir", run)[0] == 0
    record = json.loads((run / "run.json").read_text())
    assert record["estimator"] == "CorMLRClassifier"
    code, _, errors = cornet(*words, "--output-size", 3)
    assert code == 1
    assert "--output-size" in errors


def test_weights_of_classes(data_file, tmp_path, cornet):
    words = ("train", data_file, *QUICK, "--quiet", "--run-dir")
    assert cornet(*words, tmp_path / "a", "--class-weight", "left=1,right=9")[0] == 0
    record = json.loads((tmp_path / "a" / "run.json").read_text())
    assert record["parameters"]["class_weight"]["pairs"] == [["left", 1], ["right", 9]]
    assert cornet("train", "--resume", "--quiet", "--run-dir", tmp_path / "a")[0] == 0
    code, _, errors = cornet(*words, tmp_path / "b", "--class-weight", "up=2")
    assert code == 1
    assert "'up'" in errors
    code, _, errors = cornet(*words, tmp_path / "b", "--class-weight", "left, right=2")
    assert code == 2
    assert "walk=1,run=2.5" in errors and "--config" in errors


def test_a_loss_that_is_no_number_says_where_and_why(data_file, tmp_path, cornet):
    words = ("train", data_file, *QUICK, "--optimizer", "sgd", "--lr", 1e30)
    code, _, errors = cornet(*words, "--quiet", "--run-dir", tmp_path / "run")
    assert code == 1
    assert errors.startswith("cornet train: ")
    for word in ("epoch", "batch", "lr"):
        assert word in errors
