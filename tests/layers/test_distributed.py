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

rank, key, meeting, data, results = int(sys.argv[1]), *sys.argv[2:]
torch.set_num_threads(1)
meeting = f"file://{meeting}"
dist.init_process_group("gloo", init_method=meeting, rank=rank, world_size=2)
with np.load(data) as file:
    x, y = (torch.as_tensor(file[name]).chunk(2)[rank] for name in "xy")
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
    np.savez(results, *(p.detach().numpy() for p in model.parameters()))
dist.destroy_process_group()
"""


@pytest.mark.skipif(
    not torch.distributed.is_available(), reason="this torch has no processes"
)
@pytest.mark.parametrize("key", ["lsm", "phcm"])
def test_two_processes_are_one(tmp_path, key):
    x, y = points(4, (8, 2)), torch.arange(8) % 2
    np.savez(tmp_path / "data.npz", x=x.numpy(), y=y.numpy())
    arguments = [
        key,
        *(str(tmp_path / name) for name in ("meet", "data.npz", "out.npz")),
    ]
    processes = [
        subprocess.Popen([sys.executable, "-c", SCRIPT, str(rank), *arguments])
        for rank in (0, 1)
    ]
    assert [process.wait(timeout=300) for process in processes] == [0, 0]
    model = CorNet(4, 3, 2, in_channels=2, metric=key, mlr="ecm", dtype=torch.float64)
    torch.manual_seed(7)
    model.reset_parameters()
    start = [p.detach().clone() for p in model.parameters()]
    optimizer = torch.optim.Adam(model.parameters(), lr=0.05)
    for _ in range(3):
        optimizer.zero_grad()
        torch.nn.functional.cross_entropy(model(x), y).backward()
        optimizer.step()
    with np.load(tmp_path / "out.npz") as file:
        found = [file[name] for name in file.files]
    for actual, expected, before in zip(found, model.parameters(), start, strict=True):
        assert not np.allclose(actual, before)
        np.testing.assert_allclose(actual, expected.detach(), rtol=1e-9, atol=1e-10)
