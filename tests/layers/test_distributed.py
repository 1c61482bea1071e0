"""Two processes with half a batch each learn what one learns from the whole."""

import subprocess
import sys

import numpy as np
import pytest
import torch

from cornet_nn import CorNet

from .networks import points

SCRIPT = """
import sys
import numpy as np
import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel
from cornet_nn import CorNet

rank, folder, keys = int(sys.argv[1]), sys.argv[2], sys.argv[3:]
torch.set_num_threads(1)
meeting = f"file://{folder}/meeting"
dist.init_process_group("gloo", init_method=meeting, rank=rank, world_size=2)
with np.load(f"{folder}/data.npz") as file:
    x, y = (torch.as_tensor(file[name]).chunk(2)[rank] for name in "xy")
for key in keys:
    torch.manual_seed(rank)  # the first process decides where to start
    model = CorNet(4, 3, 2, in_channels=2, metric=key, mlr="ecm", dtype=torch.float64)
    if rank == 0:
        torch.manual_seed(7)
        model.reset_parameters()
    model = DistributedDataParallel(model)
    optimizer = torch.optim.Adam(model.parameters(), lr=0.05)
    for _ in range(3):
        optimizer.zero_grad()
        torch.nn.functional.cross_entropy(model(x), y).backward()
        optimizer.step()
    if rank == 0:
        learnt = (p.detach().numpy() for p in model.parameters())
        np.savez(f"{folder}/{key}.npz", *learnt)
dist.destroy_process_group()
"""


KEYS = ("lsm", "phcm")


def learnt_alone(key, x, y):
    """Return the parameters of a network before and after three steps."""
    model = CorNet(4, 3, 2, in_channels=2, metric=key, mlr="ecm", dtype=torch.float64)
    torch.manual_seed(7)
    model.reset_parameters()
    start = [p.detach().clone() for p in model.parameters()]
    optimizer = torch.optim.Adam(model.parameters(), lr=0.05)
    for _ in range(3):
        optimizer.zero_grad()
        torch.nn.functional.cross_entropy(model(x), y).backward()
        optimizer.step()
    return start, [p.detach() for p in model.parameters()]


@pytest.mark.skipif(
    not torch.distributed.is_available(), reason="this torch has no processes"
)
def test_two_processes_are_one(tmp_path):
    x, y = points(4, (8, 2)), torch.arange(8) % 2
    np.savez(tmp_path / "data.npz", x=x.numpy(), y=y.numpy())
    processes = [
        subprocess.Popen([sys.executable, "-c", SCRIPT, str(rank), tmp_path, *KEYS])
        for rank in (0, 1)
    ]
    assert [process.wait(timeout=300) for process in processes] == [0, 0]
    for key in KEYS:
        with np.load(tmp_path / f"{key}.npz") as file:
            found = [file[name] for name in file.files]
        for actual, before, after in zip(found, *learnt_alone(key, x, y), strict=True):
            assert not np.allclose(actual, before)
            np.testing.assert_allclose(actual, after, rtol=1e-9, atol=1e-10)
