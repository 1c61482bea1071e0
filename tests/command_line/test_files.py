"""Files that are written by one process at a time, and never through a link."""

import json
import os
import shutil
from pathlib import Path

import numpy as np
import pytest
from processes import FRESH

from cornet_nn._files import (
    DEEPEST_JSON,
    locked,
    make_writable,
    read_object,
    replacing,
)
from cornet_nn.command_line.settings import read_settings
from cornet_nn.runner import Results
from cornet_nn.training import ResumeError, load_classifier
from geomstats_cor.exceptions import ParameterError

from .conftest import correlations
from .test_train import QUICK

OLD_RUN = Path(__file__).parents[1] / "data" / "run-0.1.0"


def hold(directory, ready, end):
    """Keep a directory locked until told to end."""
    lock = locked(directory)
    ready.set()
    end.wait()
    lock.release()


def lock_and_be_killed(directory):
    (Path(directory) / ".table.csv.0123456789abcdef.new").write_text("half")
    locked(directory)
    (Path(directory) / ".other.csv.0123456789abcdef.new").write_text("half")
    os.kill(os.getpid(), 9)


@pytest.fixture
def held(tmp_path):
    """Return a directory that another process has locked."""
    directory = tmp_path / "held"
    directory.mkdir()
    ready, end = FRESH.Event(), FRESH.Event()
    process = FRESH.Process(target=hold, args=(directory, ready, end))
    process.start()
    assert ready.wait(300)
    yield directory
    end.set()
    process.join()


def test_a_link_under_a_temporary_name_is_not_followed(tmp_path):
    """The name was once always the same."""
    target, table = tmp_path / "target", tmp_path / "table.csv"
    target.write_text("mine")
    (tmp_path / ".table.csv.new").symlink_to(target)
    with replacing(table) as file:
        file.write("ours")
    assert (target.read_text(), table.read_text()) == ("mine", "ours")


def test_every_new_file_has_a_name_of_its_own(tmp_path):
    table = tmp_path / "table.csv"
    with replacing(table) as first, replacing(table) as second:
        assert first.name != second.name
        first.write("first")
        second.write("second")
    assert table.read_text() == "first"
    assert os.stat(table).st_mode & 0o777 == 0o666 & ~current_umask()
    assert [path.name for path in tmp_path.iterdir()] == ["table.csv"]


def current_umask():
    mask = os.umask(0)
    os.umask(mask)
    return mask


def test_a_link_under_the_name_of_the_lock_is_not_followed(tmp_path, cornet, data_file):
    run, target = tmp_path / "run", tmp_path / "target"
    run.mkdir()
    (run / ".lock").symlink_to(target)
    code, _, errors = cornet("train", data_file, *QUICK, "--run-dir", run)
    assert (code, errors.count("\n")) == (1, 1)
    assert not target.exists()


def test_what_a_killed_process_leaves_is_no_obstacle(tmp_path):
    process = FRESH.Process(target=lock_and_be_killed, args=(tmp_path,))
    process.start()
    process.join()
    assert process.exitcode == -9
    assert (tmp_path / ".lock").exists()
    locked(tmp_path).release()
    assert [path.name for path in tmp_path.iterdir()] == [".lock"]


def test_a_directory_in_use_is_named(held, cornet, data_file):
    for command in ("train", "compare", "sweep"):
        words = (command, data_file, *QUICK, "--run-dir", held, "--quiet")
        code, output, errors = cornet(*words)
        assert (code, output) == (1, "")
        assert errors.startswith(f"cornet {command}: another process is writing to")
        assert errors.count("\n") == 1
    assert [path.name for path in held.iterdir()] == [".lock"]
    with pytest.raises(OSError, match="another process is writing"):
        Results(held).__enter__()


def test_a_lock_is_given_back(tmp_path, cornet, data_file):
    for words in (("--lr", "nan"), ()):
        cornet("train", data_file, *QUICK, *words, "--run-dir", tmp_path / "run")
        ready, end = FRESH.Event(), FRESH.Event()
        end.set()
        process = FRESH.Process(target=hold, args=(tmp_path / "run", ready, end))
        process.start()
        process.join()
        assert process.exitcode == 0


def test_a_run_that_came_into_being_meanwhile_is_kept(
    tmp_path, cornet, data_file, monkeypatch
):
    run = tmp_path / "run"
    assert cornet("train", data_file, *QUICK, "--quiet", "--run-dir", run)[0] == 0
    before = {path.name: path.read_bytes() for path in run.iterdir()}
    answers = iter([False, True])  # as if it had been written while data was loaded
    monkeypatch.setattr(
        "cornet_nn.training.run_directory.RunDirectory.is_taken",
        lambda _: next(answers),
    )
    words = ("train", data_file, *QUICK, "--quiet", "--run-dir", run, "--metric", "ecm")
    code, _, errors = cornet(*words)
    assert code == 1 and "already holds a run" in errors
    assert {path.name: path.read_bytes() for path in run.iterdir()} == before


def test_a_test_of_writing_leaves_the_files_of_others(tmp_path):
    (tmp_path / ".writable").write_text("mine")
    make_writable(tmp_path)
    assert (tmp_path / ".writable").read_text() == "mine"


def test_figures_are_written_whole(tmp_path, cornet, data_file):
    target, run = tmp_path / "target", tmp_path / "run"
    target.write_text("mine")
    words = ("compare", data_file, "--metrics", "olm", "--epochs", 1, "--folds", 2)
    assert cornet(*words, "--run-dir", run, "--quiet")[0] == 0
    (run / "comparison.png").unlink()
    (run / "comparison.png").symlink_to(target)
    assert cornet(*words, "--run-dir", run, "--quiet", "--resume")[0] == 0
    assert target.read_text() == "mine"
    assert (run / "comparison.png").read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize("content", ["[" * 100_000, '{"a":' * 100_000, "[]", "{", "1"])
def test_json_that_is_not_ours(tmp_path, content):
    file = tmp_path / "settings.json"
    file.write_text(content)
    with pytest.raises(ValueError):
        read_object(file)
    with pytest.raises(ParameterError, match="settings.json"):
        read_settings(file)


def test_the_depth_of_json_has_a_limit(tmp_path):
    file = tmp_path / "settings.json"
    for depth, good in ((DEEPEST_JSON, True), (DEEPEST_JSON + 1, False)):
        file.write_text('{"a":' * depth + "1" + "}" * depth)
        if good:
            assert "a" in read_object(file)
        else:
            with pytest.raises(ValueError, match="nested too deeply"):
                read_object(file)


def test_a_record_that_was_changed_is_refused(tmp_path, cornet, data_file):
    run = tmp_path / "run"
    assert cornet("train", data_file, *QUICK, "--quiet", "--run-dir", run)[0] == 0
    record = json.loads((run / "run.json").read_text())
    record["data"]["fingerprint"] = record["data"]["fingerprint"][::-1]
    (run / "run.json").write_text(json.dumps(record))
    code, _, errors = cornet("evaluate", run)
    assert code == 1 and "was changed" in errors


def predictions_of(run, folder, cornet):
    with np.load(run / "expected.npz") as file:
        expected = file["probabilities"]
        np.savez(folder / "data.npz", C=file["C"], y=file["y"])
    output = folder / "predictions.csv"
    assert cornet("predict", run, folder / "data.npz", "-o", output)[0] == 0
    rows = [line.split(",") for line in output.read_text().splitlines()[1:]]
    return np.array([row[2:4] for row in rows], dtype=float), expected


def test_runs_of_the_version_before_are_loaded(tmp_path, cornet):
    """They have neither checksums of the record nor what was resolved."""
    run = tmp_path / "run"
    shutil.copytree(OLD_RUN, run)
    found, expected = predictions_of(run, tmp_path, cornet)
    np.testing.assert_allclose(found, expected, atol=1e-12)
    words = ("train", tmp_path / "data.npz", "--resume", "--epochs", 3, "--quiet")
    code, _, errors = cornet(*words, "--run-dir", run)
    assert code == 1 and "source data was 'data.npz'" in errors


@pytest.mark.parametrize("name", ["run-two-files", "run-two-files-ecm"])
def test_runs_in_two_files_are_loaded(name, tmp_path, cornet):
    """Data and estimator were once described in files of their own."""
    run = tmp_path / "run"
    shutil.copytree(OLD_RUN.parent / name, run)
    found, expected = predictions_of(run, tmp_path, cornet)
    np.testing.assert_allclose(found, expected, atol=1e-12)


def test_runs_in_two_files_are_resumed(tmp_path):
    run = tmp_path / "run"
    shutil.copytree(OLD_RUN.parent / "run-two-files-ecm", run)
    model = load_classifier(run, resume=True, max_epochs=4, progress=False)
    with np.load(run / "expected.npz") as file:
        model.fit(file["C"], file["y"])
    assert len(load_classifier(run).history_) == 4
    assert not (run / "configuration.json").exists()
    record = json.loads((run / "run.json").read_text())
    assert record["parameters"]["max_epochs"] == 4


@pytest.mark.parametrize("name", ["run-two-files", "run-two-files-ecm"])
def test_settings_of_runs_without_a_regression_have_none(name):
    """A run that is resumed, or repeated by --config, keeps its network alone."""
    settings = read_settings(OLD_RUN.parent / name / "configuration.json")
    assert settings["model"] == "cornet" and settings["C"] is None


def test_runs_with_weights_in_another_basis_are_not_resumed(tmp_path):
    run = tmp_path / "run"
    shutil.copytree(OLD_RUN.parent / "run-two-files", run)
    before = {path: path.read_bytes() for path in run.iterdir()}
    model = load_classifier(run, resume=True, max_epochs=4, progress=False)
    with np.load(run / "expected.npz") as file:
        with pytest.raises(ResumeError, match="an earlier version"):
            model.fit(file["C"], file["y"])
    assert {path: path.read_bytes() for path in before} == before


def test_runs_in_two_files_that_were_changed(tmp_path, cornet):
    for name in ("run.json", "configuration.json"):
        other = tmp_path / f"changed {name}"
        shutil.copytree(OLD_RUN.parent / "run-two-files", other)
        content = json.loads((other / name).read_text())
        part = "settings" if name == "run.json" else "parameters"
        content[part]["metric"] = "ecm"
        (other / name).write_text(json.dumps(content))
        code, _, errors = cornet("evaluate", other)
        assert code == 1 and errors.count("\n") == 1


def test_options_that_are_not_of_the_data_set(cornet):
    for option in ("directory=x", "progress=1", "cache=x"):
        code, _, errors = cornet("data", "connectomes", "--option", option)
        assert code == 1
        assert "is not an option of the data set" in errors


@pytest.mark.parametrize("option", ["window=abc", "hop=[]", "ridge=null", "hop=1e308"])
def test_values_of_another_type_are_one_line(option, cornet):
    code, output, errors = cornet("data", "emg", "--option", option)
    assert (code, output) == (1, "")
    assert errors.count("\n") == 1
    assert option.partition("=")[0] in errors


def test_names_do_not_reach_the_terminal_as_they_are(tmp_path, cornet):
    matrices, labels = correlations(20)
    names = np.where(labels == "left", "\x1b[31mred\x07", "two\nlines\u202e")
    data = tmp_path / "da\x1bta.npz"
    np.savez(data, C=matrices, y=names)
    run = tmp_path / "run"
    for words in (
        ("data", data),
        ("train", data, *QUICK, "--run-dir", run),
        ("evaluate", run),
        ("predict", run, data, "-o", tmp_path / "p\x1b.csv"),
        ("evaluate", tmp_path / "no\x1bwhere"),
    ):
        _, output, errors = cornet(*words)
        assert "\x1b" not in output + errors.replace("\x1b[A", ""), words
        assert "\x07" not in output + errors
        assert "\u202e" not in output + errors
    code, output, _ = cornet("evaluate", run, "--quiet")
    assert code == 0
    assert r"\x1b[31mred\x07" in output and r"two\nlines\u202e" in output
    table = (run / f"evaluation-{data.stem}-all" / "classes.csv").read_text()
    assert "\x1b[31mred" in table
