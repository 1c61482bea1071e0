"""What a run leaves on the disk, and how it goes on from there."""

import csv
import io
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import time
import types
from concurrent.futures import ThreadPoolExecutor
from importlib.metadata import version

import numpy as np
import pytest
import torch
from processes import FRESH

from cornet_nn import CovariancePooling, TemporalCovariance
from cornet_nn._files import locked
from cornet_nn.training import (
    CorMLRClassifier,
    CorNetClassifier,
    ResumeError,
    RunDirectoryError,
    load_classifier,
    run_directory,
)
from cornet_nn.training.loop import TrainingLoop
from geomstats_cor.exceptions import ParameterError

from .problems import correlations, signals

OPTIONS = dict(
    metric="lsm",
    mlr_metric="ecm",
    output_size=3,
    validation=0.25,
    batch_size=7,
    lr=0.01,
    schedule=None,
    max_epochs=8,
    random_state=3,
    progress=False,
)


@pytest.fixture(scope="module")
def data():
    return correlations()


@pytest.fixture(scope="module")
def uninterrupted(data, tmp_path_factory):
    """Return a run that nothing disturbed, and its directory."""
    directory = tmp_path_factory.mktemp("uninterrupted")
    return CorNetClassifier(directory=directory, **OPTIONS).fit(*data), directory


def without_seconds(rows):
    return [{k: v for k, v in row.items() if k != "seconds"} for row in rows]


def assert_same_run(directory, expected):
    """Compare two run directories bit for bit, but for times and paths."""
    actual, expected = (
        run_directory.RunDirectory(path).read_checkpoint()
        for path in (directory, expected)
    )
    assert without_seconds(actual["rows"]) == without_seconds(expected["rows"])
    for part in ("last", "best"):
        assert actual[part].keys() == expected[part].keys()
        for name, value in actual[part].items():
            assert torch.equal(value, expected[part][name]), (part, name)
    states = [checkpoint["optimizer"]["state"] for checkpoint in (actual, expected)]
    for index, state in states[1].items():
        for name, value in state.items():
            assert torch.equal(states[0][index][name], value)


class TestFiles:
    def test_what_is_written(self, uninterrupted):
        model, directory = uninterrupted
        assert sorted(p.name for p in directory.iterdir()) == sorted(
            [".lock", *run_directory.FILES]
        )
        record = json.loads((directory / "run.json").read_text())
        assert record["parameters"]["metric"] == "lsm"
        assert record["parameters"]["lr"] == 0.01
        assert record["resolved"]["seed"] == model.seed_
        assert record["resolved"]["kind"] == "correlation"
        packages = json.loads((directory / "environment.json").read_text())["packages"]
        assert packages["torch"] == version("torch")  # without the kind of the build
        with open(directory / "metrics.csv", newline="") as file:
            rows = [
                {k: float(v) for k, v in row.items()} for row in csv.DictReader(file)
            ]
        assert rows == model.history_
        assert (directory / "curves.png").read_bytes().startswith(b"\x89PNG")

    def test_the_checkpoint_holds_tensors_and_plain_values_alone(self, uninterrupted):
        _, directory = uninterrupted
        checkpoint = torch.load(directory / "checkpoint.pt", weights_only=True)
        assert len(checkpoint["rows"]) == 8

    def test_a_directory_changes_nothing(self, uninterrupted, data):
        model, _ = uninterrupted
        other = CorNetClassifier(**OPTIONS).fit(*data)
        np.testing.assert_array_equal(
            other.predict_proba(data[0]), model.predict_proba(data[0])
        )


class TestLoading:
    def test_classifiers_are_restored(self, uninterrupted, data):
        model, directory = uninterrupted
        state = torch.get_rng_state()
        for again in (load_classifier(directory), CorNetClassifier.load(directory)):
            assert isinstance(again, CorNetClassifier)
            np.testing.assert_array_equal(
                again.predict_proba(data[0]), model.predict_proba(data[0])
            )
            assert again.epoch_ == model.epoch_
            assert again.history_ == model.history_
            assert again.get_params()["lr"] == 0.01
        assert torch.equal(state, torch.get_rng_state())

    @pytest.mark.parametrize("names", [["b", "a"], [4, 2], [True, False], [3.0, 1.0]])
    def test_labels_are_restored(self, data, tmp_path, names):
        X, y = data[0], np.array(names)[data[1]]
        CorMLRClassifier(
            directory=str(tmp_path),
            max_epochs=1,
            class_weight={names[0]: 2.0},
            progress=False,
        ).fit(X, y)
        again = load_classifier(tmp_path)
        assert isinstance(again, CorMLRClassifier)
        assert again.classes_.dtype == y.dtype
        assert again.classes_.tolist() == sorted(names)
        assert again.class_weight == {names[0]: 2.0}

    def test_what_files_cannot_hold_is_asked_for(self, tmp_path):
        X, y = signals(n=3)
        front_end = TemporalCovariance(3, channels=2, features=4, kernel_size=5)
        model = CorMLRClassifier(
            front_end=front_end, directory=tmp_path, max_epochs=2, progress=False
        ).fit(X, y)
        with pytest.raises(ParameterError, match=r"pass front_end \(TemporalCov"):
            load_classifier(tmp_path)
        again = load_classifier(tmp_path, front_end=front_end)
        np.testing.assert_array_equal(again.predict_proba(X), model.predict_proba(X))

    def test_the_wrong_class(self, uninterrupted):
        with pytest.raises(RunDirectoryError, match="a run of CorNetClassifier, not"):
            CorMLRClassifier.load(uninterrupted[1])

    def test_nothing_to_load(self, tmp_path):
        with pytest.raises(RunDirectoryError, match="run.json cannot be read"):
            load_classifier(tmp_path / "nowhere")

    def test_a_damaged_checkpoint(self, uninterrupted, tmp_path):
        for name in ("run.json", "checkpoint.pt"):
            content = (uninterrupted[1] / name).read_bytes()
            (tmp_path / name).write_bytes(content)
        (tmp_path / "checkpoint.pt").write_bytes(content[: len(content) // 2])
        with pytest.raises(RunDirectoryError, match="cannot be read as a checkpoint"):
            load_classifier(tmp_path)

    @pytest.mark.parametrize("part", ["last", "best"])
    def test_parameters_that_are_not_finite(self, uninterrupted, data, tmp_path, part):
        run = shutil.copytree(uninterrupted[1], tmp_path / "run")
        checkpoint = torch.load(run / "checkpoint.pt", weights_only=True)
        checkpoint[part]["mlr.weight"][0, 0, 0] = torch.nan
        torch.save(checkpoint, run / "checkpoint.pt")
        with pytest.raises(RunDirectoryError, match="mlr.weight has a NaN"):
            load_classifier(run)
        model = CorNetClassifier(**OPTIONS, directory=run, resume=True)
        with pytest.raises(RunDirectoryError, match="mlr.weight has a NaN"):
            model.fit(*data)

    @pytest.mark.parametrize(
        ("options", "difference"),
        [(dict(metric="ecm"), "metric"), (dict(random_state=4), "random_state, seed")],
    )
    def test_a_configuration_of_another_run(
        self, uninterrupted, data, tmp_path, options, difference
    ):
        other = {**OPTIONS, "max_epochs": 1, **options}
        CorNetClassifier(directory=tmp_path, **other).fit(*data)
        shutil.copy(uninterrupted[1] / "checkpoint.pt", tmp_path)
        with pytest.raises(RunDirectoryError, match=f"differ in {difference}\\."):
            load_classifier(tmp_path)

    def test_every_byte_of_a_checkpoint_counts(self, data, tmp_path):
        model = CorMLRClassifier(max_epochs=1, directory=tmp_path, progress=False)
        expected = model.fit(*data).predict_proba(data[0])
        path = tmp_path / "checkpoint.pt"
        content = path.read_bytes()
        places = np.random.default_rng(0).integers(len(content), size=150)
        refused = 0
        for place in places:
            changed = bytearray(content)
            changed[place] ^= 1 << (place % 8)
            path.write_bytes(changed)
            try:
                found = load_classifier(tmp_path).predict_proba(data[0])
            except RunDirectoryError:
                refused += 1
            else:
                np.testing.assert_array_equal(found, expected)
        assert refused > 50

    @pytest.mark.parametrize(
        ("name", "value"),
        [
            ("classes", {"array": ["a", "b"], "dtype": "<U500000000"}),
            ("classes", {"array": [0, 7], "dtype": "<i8"}),
            ("size", 10**8),
            ("kind", "covariance"),
        ],
    )
    def test_what_was_resolved_cannot_be_changed(
        self, uninterrupted, tmp_path, name, value
    ):
        run = shutil.copytree(uninterrupted[1], tmp_path / "run")
        file = run / "run.json"
        record = json.loads(file.read_text())
        record["resolved"][name] = value
        file.write_text(json.dumps(record))
        with pytest.raises(RunDirectoryError, match="was changed since it was written"):
            load_classifier(run)
        del record["digest"]
        file.write_text(json.dumps(record))
        with pytest.raises(RunDirectoryError, match="was changed since it was written"):
            load_classifier(run)
        # Also where someone took the trouble to write another digest.
        run_directory.RunDirectory(run).write_record(record)
        with pytest.raises(RunDirectoryError, match=f"differ in {name}"):
            load_classifier(run)

    def test_a_directory_is_free_again_after_fit(self, data, tmp_path):
        model = CorMLRClassifier(max_epochs=1, directory=tmp_path, progress=False)
        model.fit(*data)
        for options, error in (({}, RunDirectoryError), (dict(lr=0.5), ResumeError)):
            model.set_params(resume=bool(options), **options)
            with pytest.raises(error):
                model.fit(*data)
            with ThreadPoolExecutor(1) as thread:  # another thread is another owner
                thread.submit(lambda: locked(tmp_path).release()).result()

    def test_a_directory_that_is_in_use(self, data, tmp_path):
        lock = locked(tmp_path)
        model = CorMLRClassifier(max_epochs=1, directory=tmp_path, progress=False)
        with ThreadPoolExecutor(1) as thread:
            training = thread.submit(model.fit, *data)
            with pytest.raises(RunDirectoryError, match="another process is writing"):
                training.result()
        lock.release()
        model.fit(*data)


class TestResuming:
    def test_a_longer_run_is_the_same_run(self, uninterrupted, data, tmp_path):
        for epochs in (3, 5, 5, 8):
            model = CorNetClassifier(
                **{**OPTIONS, "max_epochs": epochs}, directory=tmp_path, resume=True
            ).fit(*data)
            assert len(model.history_) == epochs
        assert_same_run(tmp_path, uninterrupted[1])
        np.testing.assert_array_equal(
            model.predict_proba(data[0]), uninterrupted[0].predict_proba(data[0])
        )

    def test_a_longer_cycle_is_another_one(self, data, tmp_path):
        """The learning rate of the epochs that follow is that of the longer run."""
        options = {**OPTIONS, "schedule": "cycle", "directory": tmp_path}
        first = CorNetClassifier(**{**options, "max_epochs": 3}).fit(*data)
        model = CorNetClassifier(**{**options, "max_epochs": 5}, resume=True).fit(*data)
        assert model.history_[:3] == first.history_
        assert len(model.history_) == 5

    def test_random_steps_go_on_as_they_would_have(self, tmp_path):
        X, y = signals(n=3)
        noisy = torch.nn.Sequential(
            torch.nn.Dropout(0.2), torch.nn.BatchNorm1d(3), CovariancePooling()
        )
        options = dict(front_end=noisy, shrinkage=0.1, random_state=0, progress=False)
        options |= dict(optimizer="sgd", lr=0.01, schedule=None, batch_size=9)
        full = CorMLRClassifier(max_epochs=4, **options).fit(X, y)
        for epochs in (2, 4):
            model = CorMLRClassifier(
                max_epochs=epochs, directory=tmp_path, resume=True, **options
            ).fit(X, y)
        assert without_seconds(model.history_) == without_seconds(full.history_)
        states = model.module_.state_dict(), full.module_.state_dict()
        for name, value in states[0].items():
            assert torch.equal(value, states[1][name])

    @pytest.mark.parametrize("removed", range(5))
    def test_a_run_that_was_being_replaced(self, removed, data, tmp_path, monkeypatch):
        options = dict(max_epochs=1, directory=tmp_path, progress=False)
        model = CorMLRClassifier(**options).fit(*data)
        unlink, calls = pathlib.Path.unlink, []

        def killed(path, **options):
            # What is not yet complete has a name of its own.
            calls.append(path)
            if sum(call.name in run_directory.FILES for call in calls) > removed:
                raise KeyboardInterrupt
            unlink(path, **options)

        with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
            patch.setattr(pathlib.Path, "unlink", killed)
            model.set_params(overwrite=True).fit(*data)
        assert sum((tmp_path / name).exists() for name in run_directory.FILES) < 6
        model.set_params(overwrite=False, resume=True).fit(*data)
        assert len(load_classifier(tmp_path).history_) == 1

    def test_other_groups_are_another_run(self, data, tmp_path):
        groups = np.arange(len(data[1])) // 2
        model = CorMLRClassifier(
            max_epochs=1, validation=0.25, directory=tmp_path, progress=False
        )
        model.fit(*data, groups=groups).set_params(resume=True)
        model.fit(*data, groups=groups)
        with pytest.raises(ResumeError, match="data was"):
            model.fit(*data)

    def test_the_seed_of_the_run_is_kept(self, data, tmp_path):
        options = {**OPTIONS, "random_state": None, "directory": tmp_path}
        first = CorNetClassifier(**{**options, "max_epochs": 2}).fit(*data)
        second = CorNetClassifier(**options, resume=True).fit(*data)
        assert second.seed_ == first.seed_
        assert second.history_[:2] == first.history_

    def test_patience_is_not_renewed(self, data, tmp_path):
        options = {**OPTIONS, "metric": "ecm", "patience": 2, "max_epochs": 50}
        options["lr"] = 0.1
        model = CorNetClassifier(**options, directory=tmp_path).fit(*data)
        assert len(model.history_) < 50
        again = CorNetClassifier(**options, directory=tmp_path, resume=True).fit(*data)
        assert again.history_ == model.history_

    def test_other_parameters_are_refused(self, uninterrupted, data):
        directory = uninterrupted[1]
        for change, message in (
            (dict(lr=0.5), "lr was 0.01, and is 0.5"),
            (dict(metric="olm"), "metric was 'lsm', and is 'olm'"),
            (dict(random_state=4), "random_state was 3, and is 4"),
        ):
            model = CorNetClassifier(
                **{**OPTIONS, **change}, directory=directory, resume=True
            )
            with pytest.raises(ResumeError, match=message):
                model.fit(*data)

    def test_other_data_are_refused(self, uninterrupted, data):
        X, y = data
        model = CorNetClassifier(**OPTIONS, directory=uninterrupted[1], resume=True)
        moved = X.copy()
        moved[0, 0, 1] = moved[0, 1, 0] = X[0, 0, 1] + 1e-9
        for others in ((moved, y), (X, 1 - y)):
            with pytest.raises(ResumeError, match="data was '"):
                model.fit(*others)

    def test_fewer_epochs_are_refused(self, uninterrupted, data):
        model = CorNetClassifier(
            **{**OPTIONS, "max_epochs": 5}, directory=uninterrupted[1], resume=True
        )
        record = (uninterrupted[1] / "run.json").read_text()
        with pytest.raises(ParameterError, match="8 epochs, more than the 5 asked for"):
            model.fit(*data)
        assert (uninterrupted[1] / "run.json").read_text() == record

    def test_a_run_is_not_overwritten_by_accident(self, data, tmp_path):
        options = {**OPTIONS, "max_epochs": 2, "directory": tmp_path}
        CorNetClassifier(**options).fit(*data)
        (tmp_path / "notes.txt").write_text("mine")
        content = (tmp_path / "checkpoint.pt").read_bytes()
        other = CorNetClassifier(**{**options, "metric": "ecm"})
        with pytest.raises(RunDirectoryError, match="already holds a run: pass resume"):
            other.fit(*data)
        assert (tmp_path / "checkpoint.pt").read_bytes() == content
        other.set_params(overwrite=True).fit(*data)
        assert load_classifier(tmp_path).metric == "ecm"
        assert (tmp_path / "notes.txt").read_text() == "mine"

    def test_files_of_others_are_not_overwritten(self, data, tmp_path):
        (tmp_path / "run.json").write_text('{"mine": 1}')
        model = CorMLRClassifier(directory=tmp_path, max_epochs=1, progress=False)
        for resume in (False, True):
            with pytest.raises(RunDirectoryError, match="not of a run"):
                model.set_params(resume=resume).fit(*data)
        assert (tmp_path / "run.json").read_text() == '{"mine": 1}'

    def test_a_run_without_a_checkpoint_begins_anew(self, data, tmp_path):
        """As it is when a run was killed before its first epoch."""
        options = dict(max_epochs=1, progress=False, random_state=0)
        model = CorMLRClassifier(directory=tmp_path, **options).fit(*data)
        (tmp_path / "checkpoint.pt").unlink()
        again = CorMLRClassifier(directory=tmp_path, resume=True, **options).fit(*data)
        assert without_seconds(again.history_) == without_seconds(model.history_)

    def test_a_checkpoint_of_something_else(self, data, tmp_path):
        torch.save({"rows": []}, tmp_path / "checkpoint.pt")
        model = CorMLRClassifier(directory=tmp_path, resume=True, progress=False)
        with pytest.raises(RunDirectoryError, match="it has no best, identity"):
            model.fit(*data)


class TestDisk:
    def test_a_path_under_a_file(self, data, tmp_path):
        (tmp_path / "file").write_text("")
        model = CorMLRClassifier(directory=tmp_path / "file" / "run", progress=False)
        with pytest.raises(
            RunDirectoryError, match="cannot be written.*Choose another"
        ):
            model.fit(*data)

    def test_a_full_disk(self, data, tmp_path, monkeypatch):
        monkeypatch.setattr(
            run_directory.shutil,
            "disk_usage",
            lambda path: types.SimpleNamespace(free=1000),
        )
        model = CorMLRClassifier(directory=tmp_path, progress=False)
        with pytest.raises(RunDirectoryError, match="0.001 MB left"):
            model.fit(*data)
        assert [path.name for path in tmp_path.iterdir()] == [".lock"]

    def test_the_estimate_is_enough(self, uninterrupted, data, monkeypatch, tmp_path):
        """What a run needs at its peak is below the estimate."""
        asked = []
        monkeypatch.setattr(
            run_directory.shutil,
            "disk_usage",
            lambda path: types.SimpleNamespace(free=asked[0]),
        )
        written = sum(path.stat().st_size for path in uninterrupted[1].iterdir())
        peak = written + (uninterrupted[1] / "checkpoint.pt").stat().st_size
        asked.append(peak)
        model = CorNetClassifier(**OPTIONS, directory=tmp_path)
        with pytest.raises(RunDirectoryError, match="MB left"):
            model.fit(*data)

    def test_a_disk_that_fills_up_leaves_the_last_checkpoint(
        self, data, tmp_path, monkeypatch
    ):
        save, calls = torch.save, []

        def fail(value, file):
            calls.append(value)
            save(value, file)
            if len(calls) > 3:
                raise OSError(28, "No space left on device")

        monkeypatch.setattr(run_directory.torch, "save", fail)
        model = CorNetClassifier(**OPTIONS, directory=tmp_path)
        with pytest.raises(RunDirectoryError, match="No space left.*unchanged"):
            model.fit(*data)
        monkeypatch.undo()
        assert len(load_classifier(tmp_path).history_) == 2
        assert not [p for p in tmp_path.iterdir() if p.name.endswith(".new")]


def kill_at(number, owner, name):
    """Let the process be killed when a function is called for the given time."""
    original, calls = getattr(owner, name), []

    def patched(*arguments, **keywords):
        calls.append(name)
        if len(calls) == number:
            os.kill(os.getpid(), signal.SIGKILL)
        return original(*arguments, **keywords)

    setattr(owner, name, patched)


def kill_within_the_checkpoint(number):
    """Let the process be killed when half of a checkpoint is written."""
    save, saved = torch.save, []

    def save_half(value, file):
        saved.append(value)
        if len(saved) < number:
            return save(value, file)
        memory = io.BytesIO()
        save(value, memory)
        file.write(memory.getvalue()[: memory.tell() // 2])
        file.flush()
        os.kill(os.getpid(), signal.SIGKILL)

    torch.save = save_half


def train_and_be_killed(how, data, directory):
    if how == "step":
        kill_at(17, TrainingLoop, "train_step_single")
    elif how == "replace":  # two files of each epoch after three at the beginning
        kill_at(10, os, "replace")
    else:
        kill_within_the_checkpoint(5)
    CorNetClassifier(directory=directory, **OPTIONS).fit(*data)


@pytest.mark.parametrize("how", ["step", "replace", "write"])
def test_killed_and_resumed(uninterrupted, data, tmp_path, how):
    arguments = (how, data, tmp_path / "run")
    process = FRESH.Process(target=train_and_be_killed, args=arguments)
    process.start()
    process.join(timeout=300)
    assert process.exitcode == -signal.SIGKILL
    done = len(load_classifier(tmp_path / "run").history_)
    assert 0 < done < 8
    model = CorNetClassifier(**OPTIONS, directory=tmp_path / "run", resume=True)
    model.fit(*data)
    assert_same_run(tmp_path / "run", uninterrupted[1])
    np.testing.assert_array_equal(
        model.predict_proba(data[0]), uninterrupted[0].predict_proba(data[0])
    )


SLOW_TRAINING = """
import sys, time
import numpy as np
from cornet_nn.training import CorNetClassifier
from cornet_nn.training.loop import TrainingLoop

step = TrainingLoop.train_step_single


def slow_step(*arguments, **keywords):
    time.sleep(0.02)
    return step(*arguments, **keywords)


TrainingLoop.train_step_single = slow_step
data, directory, answers = sys.argv[1:]
with np.load(data) as file:
    X, y = file["X"], file["y"]
model = CorNetClassifier(directory=directory, **OPTIONS)
model.fit(X, y)
np.savez(
    answers,
    probabilities=model.predict_proba(X),
    epochs=len(model.history_),
    epoch=model.epoch_,
    interrupted=model.interrupted_,
)
"""
ROOT = pathlib.Path(__file__).parents[2]


def start_slow_training(data, folder):
    """Return a process that trains in a folder for many epochs."""
    np.savez(folder / "data.npz", X=data[0], y=data[1])
    options = {**OPTIONS, "max_epochs": 500}
    script = SLOW_TRAINING.replace("**OPTIONS", f"**{options!r}")
    path = os.pathsep.join([str(ROOT), *sys.path])
    files = (folder / name for name in ("data.npz", "run", "answers.npz"))
    return subprocess.Popen(
        [sys.executable, "-c", script, *files],
        env={**os.environ, "PYTHONPATH": path},
        stderr=subprocess.PIPE,
        text=True,
        # A shell lets processes in the background ignore it.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )


def test_interrupted_by_the_keyboard(uninterrupted, data, tmp_path):
    process = start_slow_training(data, tmp_path)
    metrics, deadline = tmp_path / "run" / "metrics.csv", time.monotonic() + 200
    while time.monotonic() < deadline and process.poll() is None:
        if metrics.exists() and len(metrics.read_text().splitlines()) > 4:
            break
        time.sleep(0.01)
    process.send_signal(signal.SIGINT)
    assert process.wait(timeout=300) == 0
    assert (
        "TrainingInterruptedWarning: training was interrupted" in process.stderr.read()
    )
    with np.load(tmp_path / "answers.npz") as answers:
        assert answers["interrupted"]
        assert 4 <= answers["epochs"] < 500
        again = load_classifier(tmp_path / "run")
        assert len(again.history_) == answers["epochs"]
        assert again.epoch_ == answers["epoch"]
        np.testing.assert_array_equal(
            again.predict_proba(data[0]), answers["probabilities"]
        )
    rows = min(8, len(again.history_))
    assert without_seconds(again.history_)[:rows] == without_seconds(
        uninterrupted[0].history_[:rows]
    )


def test_a_front_end_of_ones_own_is_part_of_the_run(tmp_path):
    X, y = signals()
    options = dict(directory=tmp_path, max_epochs=1, progress=False)
    CorMLRClassifier(front_end=CovariancePooling(), **options).fit(X, y)
    other = CorMLRClassifier(
        front_end=CovariancePooling(unbiased=True), resume=True, **options
    )
    with pytest.raises(ResumeError, match="front_end was"):
        other.fit(X, y)
