"""Two processes, told what torchrun tells them, train what one trains."""

import csv
import socket

import numpy as np
import pytest
import torch
from processes import FRESH, run_cornet

from cornet_nn.training.loop import Processes


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
    with socket.socket() as free:
        free.bind(("localhost", 0))
        port = free.getsockname()[1]
    # What torchrun tells the processes that it starts.
    world = dict(WORLD_SIZE="2", MASTER_ADDR="localhost", MASTER_PORT=str(port))
    processes = []
    for rank in ("0", "1"):
        told = {**world, "RANK": rank, "LOCAL_RANK": rank, "OMP_NUM_THREADS": "1"}
        arguments = [*words, "--run-dir", two], tmp_path / rank, told
        processes.append(FRESH.Process(target=run_cornet, args=arguments))
        processes[-1].start()
    for process in processes:
        process.join(timeout=400)
        assert process.exitcode == 0
    # Only the first process speaks.
    assert (tmp_path / "0.out").read_text().count("accuracy %") == 1
    assert (tmp_path / "0.err").read_text().count("epoch 3") == 1
    assert (tmp_path / "1.out").read_text() == (tmp_path / "1.err").read_text() == ""
    assert metrics(one).shape == (3, 5)
    np.testing.assert_allclose(metrics(two), metrics(one), rtol=1e-9)
    one, two = (
        torch.load(run / "checkpoint.pt", weights_only=True)["last"]
        for run in (one, two)
    )
    for name in one:
        np.testing.assert_allclose(two[name], one[name], rtol=1e-7, atol=1e-12)


@pytest.mark.parametrize(
    ("device", "expected"), [("cuda", [1]), ("cuda:0", []), ("cpu", [])]
)
def test_every_process_has_a_device_of_its_own(device, expected, monkeypatch):
    claimed = []
    monkeypatch.setattr(torch.cuda, "set_device", claimed.append)
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 2)
    monkeypatch.setenv("LOCAL_RANK", "3")
    processes = Processes()
    processes.claim_device(device)
    assert claimed == []  # a process on its own takes what it is given
    processes.count = 4
    processes.claim_device(device)
    assert claimed == expected
