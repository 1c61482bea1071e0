"""A training that is killed or stopped goes on as if nothing had happened."""

import os
import shlex
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from .test_train import assert_same_parameters

ROOT = Path(__file__).parents[2]
EPOCHS = 80


def epochs_done(run):
    try:
        return len((run / "metrics.csv").read_text().splitlines()) - 1
    except FileNotFoundError:
        return 0


@pytest.fixture
def start(tmp_path):
    """Return a function that starts cornet and waits for some epochs of a run."""

    def start(*words, run):
        path = os.pathsep.join([str(ROOT), *sys.path])
        command = [sys.executable, "-m", "cornet_nn", *map(str, words)]
        process = subprocess.Popen(
            [*command, "--run-dir", str(run)],
            env={**os.environ, "PYTHONPATH": path},
            stderr=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            # A shell lets processes in the background ignore it.
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
        )
        deadline = time.monotonic() + 300
        while epochs_done(run) < 3 and time.monotonic() < deadline:
            assert process.poll() is None, process.communicate()
            time.sleep(0.005)
        return process

    return start


def test_killed_or_stopped_and_resumed_is_uninterrupted(
    data_file, tmp_path, cornet, start
):
    words = ("train", data_file, "--epochs", EPOCHS, "--batch-size", 7)
    words += ("--output-size", 3, "--validation", 0.2)
    whole, killed, stopped = (tmp_path / n for n in ("whole", "killed", "stopped"))

    process = start(*words, run=killed)
    process.kill()
    process.communicate()
    assert 3 <= epochs_done(killed) < EPOCHS

    process = start(*words, run=stopped)
    process.send_signal(signal.SIGINT)
    output, errors = process.communicate(timeout=300)
    assert process.returncode == 130
    assert 3 <= epochs_done(stopped) < EPOCHS
    assert "Traceback" not in errors
    advice = errors.splitlines()[-1]
    assert advice.startswith("cornet train: stopped")

    assert cornet(*words, "--run-dir", whole, "--quiet")[0] == 0
    assert cornet("train", "--run-dir", killed, "--resume", "--quiet")[0] == 0
    again = shlex.split(advice.partition("To go on: cornet ")[2])
    assert cornet(*again, "--quiet")[0] == 0
    for run in (killed, stopped):
        assert epochs_done(run) == EPOCHS
        assert_same_parameters(whole, run)
        assert (run / "result.json").read_text() == (whole / "result.json").read_text()
