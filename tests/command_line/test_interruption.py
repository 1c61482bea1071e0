"""A training that is killed or stopped goes on as if nothing had happened."""

import os
import shlex
import signal
import time

import pytest
from processes import FRESH, run_cornet

from .test_train import assert_same_parameters

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
        arguments = [*words, "--run-dir", run], tmp_path / run.name
        process = FRESH.Process(target=run_cornet, args=arguments)
        process.start()
        deadline = time.monotonic() + 300
        while epochs_done(run) < 3 and time.monotonic() < deadline:
            assert process.is_alive()
            time.sleep(0.002)
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
    process.join()
    assert 3 <= epochs_done(killed) < EPOCHS

    process = start(*words, run=stopped)
    os.kill(process.pid, signal.SIGINT)
    process.join(timeout=300)
    assert process.exitcode == 130
    errors = (tmp_path / "stopped.err").read_text()
    assert 3 <= epochs_done(stopped) < EPOCHS
    assert "Traceback" not in errors
    advice = errors.splitlines()[-1]
    assert advice.startswith("cornet train: stopped")

    assert cornet(*words, "--run-dir", whole, "--quiet")[0] == 0
    assert cornet("train", "--run-dir", killed, "--resume", "--quiet")[0] == 0
    again = shlex.split(advice.partition("To resume: cornet ")[2])
    assert cornet(*again, "--quiet")[0] == 0
    for run in (killed, stopped):
        assert epochs_done(run) == EPOCHS
        assert_same_parameters(whole, run)
        assert (run / "result.json").read_text() == (whole / "result.json").read_text()
