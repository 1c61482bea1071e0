"""Two processes of torchrun train what one trains."""

import csv
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import torch

ROOT = Path(__file__).parents[2]


def metrics(run):
    with open(run / "metrics.csv") as file:
        rows = list(csv.DictReader(file))
    return np.array([[float(row[k]) for k in row if k != "seconds"] for row in rows])


@pytest.mark.skipif(
    not torch.distributed.is_available(), reason="this torch has no processes"
)
def test_two_processes_are_one(split_file, tmp_path, cornet):
    one, two = tmp_path / "one", tmp_path / "two"
    # Batches of 13, of which the last has one sample: the second process has none.
    words = ["train", split_file, "--epochs", 3, "--batch-size", 13, "--metric", "lsm"]
    words += ["--output-size", 3, "--dtype", "float64", "--class-weight", "balanced"]
    words += ["--validation", 0.325, "--no-refit", "--dropout", 0]
    assert cornet(*words, "--run-dir", one, "--quiet")[0] == 0
    launch = [sys.executable, "-m", "torch.distributed.run", "--nproc-per-node=2"]
    launch += ["--master-port=0", "--rdzv-backend=c10d", "--rdzv-endpoint=localhost:0"]
    command = [*launch, "-m", "cornet_nn", *map(str, words), "--run-dir", str(two)]
    environment = {**os.environ, "OMP_NUM_THREADS": "1"}
    environment["PYTHONPATH"] = os.pathsep.join([str(ROOT), *sys.path])
    done = subprocess.run(
        command, env=environment, capture_output=True, text=True, timeout=400
    )
    assert done.returncode == 0, done.stderr
    # Only the first process speaks.
    assert done.stdout.count("accuracy %") == 1
    assert done.stderr.count("epoch 3") == 1
    assert metrics(one).shape == (3, 5)
    np.testing.assert_allclose(metrics(two), metrics(one), rtol=1e-9)
    one, two = (
        torch.load(run / "checkpoint.pt", weights_only=True)["last"]
        for run in (one, two)
    )
    for name in one:
        np.testing.assert_allclose(two[name], one[name], rtol=1e-7, atol=1e-12)
