"""Attacks on runs on disk: python -m benchmarks.attacks bytes|races|kills|crafted.

Each attack prints what came of its trials, and ends with 1 if a trial did anything but
what the documentation promises.
"""

import argparse
import contextlib
import io
import json
import math
import multiprocessing
import os
import random
import resource
import shutil
import signal
import sys
import tempfile
import time
import traceback
import warnings
from collections import Counter
from pathlib import Path

import numpy as np
import torch

from cornet_nn.command_line import main
from cornet_nn.training.run_directory import RunDirectory
from geomstats_cor import FullRankCorrelationMatrices

from .crafted import CASES

# Processes are forked from one that has imported everything.
FRESH = multiprocessing.get_context("forkserver")
FRESH.set_forkserver_preload(
    [
        "cornet_nn.training.classifiers",
        "cornet_nn.command_line.train",
        "cornet_nn.datasets",
        "matplotlib.figure",
    ]
)
METRICS = ("olm", "ecm")
MOST_MEMORY = 1 << 30


def write_data(folder, n=4, count=40):
    """Write correlation matrices of two classes to a file, and return its path."""
    rng = np.random.default_rng(0)
    labels = np.arange(count) % 2
    metric = FullRankCorrelationMatrices(n, equip="lecm").metric
    coords = rng.normal(size=(count, n * (n - 1) // 2)) + 0.8 * labels[:, None]
    path = Path(folder) / "data.npz"
    np.savez(path, C=metric.from_coords(coords), y=np.array(["no", "yes"])[labels])
    return path


def training(data, run, epochs=4, metric="olm"):
    """Return the words of a small training."""
    words = ("train", data, "--run-dir", run, "--metric", metric, "--epochs", epochs)
    return [*words, "--output-size", 3, "--validation", 0.25, "--quiet"]


def called(words):
    """Run a command in this process; return its code, output and errors."""
    output, errors = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(output), contextlib.redirect_stderr(errors):
        try:
            code = main([str(word) for word in words])
        except SystemExit as end:
            code = end.code
        except BaseException:
            traceback.print_exc()
            code = None
    return code, output.getvalue(), errors.getvalue()


def is_refused(code, errors):
    """Tell whether a command ended with 1 and one line."""
    return code == 1 and errors.count("\n") == 1 and errors.startswith("cornet ")


def state_of(run):
    """Return all that training leaves, without times."""
    checkpoint = RunDirectory(run).read_checkpoint()
    for row in checkpoint["rows"]:
        row.pop("seconds")
    result = (Path(run) / "result.json").read_text()
    return plain(checkpoint), (Path(run) / "run.json").read_text(), result


def plain(value):
    """Return nested values with the bytes of tensors, which compare exactly."""
    if isinstance(value, torch.Tensor):
        return str(value.dtype), tuple(value.shape), value.numpy().tobytes()
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items()}
    return [plain(item) for item in value] if isinstance(value, list) else value


def attack_bytes(folder, count, rng):
    """Change one byte of a run directory: identical predictions, or one line."""
    data, run = write_data(folder), folder / "run"
    assert called(training(data, run))[0] == 0
    table = folder / "predictions.csv"
    words = ("predict", run, data, "-o", table, "--quiet")
    evaluation = ("evaluate", run, "-o", folder / "evaluation", "--quiet")
    expected = [called(words), called(evaluation)]
    assert all(code == 0 for code, *_ in expected), expected
    predictions = table.read_bytes()
    files = sorted(file for file in run.iterdir() if file.stat().st_size)
    outcomes = Counter()
    for _ in range(count):
        file = rng.choice(files)
        content = file.read_bytes()
        changed = bytearray(content)
        changed[rng.randrange(len(content))] ^= rng.randrange(1, 256)
        file.write_bytes(changed)
        table.unlink(missing_ok=True)
        found = [called(words), called(evaluation)]
        if found == expected and table.read_bytes() == predictions:
            outcome = "loaded, identical"
        elif all(is_refused(code, errors) for code, _, errors in found):
            outcome = "one line"
        elif found[0] == expected[0] and is_refused(found[1][0], found[1][2]):
            outcome = "one line"  # what only one of the commands reads
        else:
            outcome = "FAILED"
            print(file.name, found)
        outcomes[f"{file.name}: {outcome}"] += 1
        file.write_bytes(content)
    return outcomes


def _race(words, barrier, answers):
    barrier.wait()
    answers.put((words[words.index("--metric") + 1], *called(words)))


def attack_races(folder, count, rng):
    """Start two trainings on one fresh directory: one wins whole, one is told."""
    data, outcomes, expected = write_data(folder), Counter(), {}
    for metric in METRICS:
        assert called(training(data, folder / metric, metric=metric))[0] == 0
        expected[metric] = state_of(folder / metric)
    for number in range(count):
        run, barrier, answers = folder / f"run{number}", FRESH.Barrier(2), FRESH.Queue()
        racers = [
            FRESH.Process(
                target=_race,
                args=(training(data, run, metric=metric), barrier, answers),
            )
            for metric in METRICS
        ]
        for racer in racers:
            racer.start()
        results = [answers.get(timeout=600) for _ in racers]
        for racer in racers:
            racer.join()
        won = [metric for metric, code, *_ in results if code == 0]
        told = [is_refused(code, errors) for _, code, _, errors in results if code]
        good = len(won) == 1 and all(told) and state_of(run) == expected[won[0]]
        good = good and called(("evaluate", run, "--quiet"))[0] == 0
        outcomes["one whole, the other told" if good else "FAILED"] += 1
        if not good:
            print(run, results)
        shutil.rmtree(run)
    return outcomes


def _train(words):
    sys.exit(called(words)[0])


def epochs_done(run):
    """Return the number of epochs that a run has written down."""
    with contextlib.suppress(OSError):
        return max(0, len((run / "metrics.csv").read_text().splitlines()) - 1)
    return 0


def attack_kills(folder, count, rng, epochs=40):
    """Kill a training at a random moment, and resume it: bit for bit the same."""
    data, outcomes = write_data(folder), Counter()
    for name in ("first", "whole"):  # the first one starts the server of processes
        start = time.monotonic()
        words = training(data, folder / name, epochs)
        process = FRESH.Process(target=_train, args=(words,))
        process.start()
        process.join()
        assert process.exitcode == 0
        length = time.monotonic() - start
    expected = state_of(folder / "whole")
    for number in range(count):
        run = folder / f"run{number}"
        words = training(data, run, epochs)
        process = FRESH.Process(target=_train, args=(words,))
        process.start()
        # Somewhere before, within or after an epoch that is drawn.
        wanted = rng.randrange(epochs)
        while process.is_alive() and epochs_done(run) < wanted:
            time.sleep(0.001)
        time.sleep(rng.uniform(0.0, length / epochs if wanted else length))
        with contextlib.suppress(ProcessLookupError):
            os.kill(process.pid, signal.SIGKILL)
        process.join()
        rows = epochs_done(run)
        done = "between epochs" if rows else "before the first epoch"
        done = "after the last epoch" if rows == epochs else done
        if (run / "run.json").exists():
            words = ("train", "--run-dir", run, "--resume", "--quiet")
        code, _, errors = called(words)
        left = [p.name for p in run.iterdir() if p.name.endswith(".new")]
        good = code == 0 and not left and state_of(run) == expected
        outcomes[f"killed {done}: {'identical' if good else 'FAILED'}"] += 1
        if not good:
            print(run, code, left, errors)
        shutil.rmtree(run)
    return outcomes


def attack_crafted(folder, count, rng):
    """Hand crafted run directories and files over: one line and exit 1, always."""
    data, good = write_data(folder), folder / "good"
    assert called(training(data, good))[0] == 0
    outcomes = Counter()
    step = max(1, len(CASES) // count)
    for name in list(CASES)[::step]:
        case = folder / "case"
        shutil.copytree(good, case)
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            words = CASES[name](case, data)
        signal.alarm(300)  # what waits for ever fails
        code, output, errors = called(words)
        signal.alarm(0)
        taken = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
        good_answer = is_refused(code, errors) and taken << 10 < MOST_MEMORY
        outcomes["one line and exit 1" if good_answer else "FAILED"] += 1
        if not good_answer:
            print(f"{name}: exit {code}, {taken >> 10} MB more", output, errors[-600:])
        shutil.rmtree(case)
    return outcomes


ATTACKS = {
    "bytes": (attack_bytes, 1000),
    "races": (attack_races, 50),
    "kills": (attack_kills, 50),
    "crafted": (attack_crafted, math.inf),
}


def attack(name, count=None, seed=0):
    """Return what came of the trials of an attack.

    Parameters
    ----------
    name : str
        Key of `ATTACKS`.
    count : int
        Number of trials; as many as the documentation reports if None.
    seed : int
        Seed of all that is drawn.

    Returns
    -------
    outcomes : collections.Counter
        Trials by what came of them; what must not be is "FAILED".
    """
    function, usual = ATTACKS[name]
    with tempfile.TemporaryDirectory() as folder:
        return function(Path(folder), count or usual, random.Random(seed))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("attacks", nargs="*", choices=[*ATTACKS, []], default=[])
    parser.add_argument("--count", type=int, help="number of trials")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    failed = False
    for chosen in options.attacks or ATTACKS:
        found = attack(chosen, options.count, options.seed)
        print(json.dumps({chosen: dict(sorted(found.items()))}, indent=2), flush=True)
        failed |= any("FAILED" in outcome for outcome in found)
    sys.exit(failed)
