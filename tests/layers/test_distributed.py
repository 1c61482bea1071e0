"""Two processes with half a batch each learn what one learns from the whole."""

import pytest
import torch
import torch.distributed as dist
from processes import FRESH
from torch.nn.parallel import DistributedDataParallel

from cornet_nn import CorNet

from .networks import points

KEYS = ("ecm", "lecm", "olm", "lsm", "phcm")


def network(key, seed):
    torch.manual_seed(seed)
    return CorNet(4, 3, 2, in_channels=2, metric=key, mlr="ecm", dtype=torch.float64)


def take_steps(model, part=slice(None)):
    """Fit a network to a part of eight samples."""
    x, y = points(4, (8, 2))[part], (torch.arange(8) % 2)[part]
    optimizer = torch.optim.Adam(model.parameters(), lr=0.05)
    for _ in range(3):
        optimizer.zero_grad()
        torch.nn.functional.cross_entropy(model(x), y).backward()
        optimizer.step()


def learn_from_half(rank, folder):
    torch.set_num_threads(1)
    meeting = f"file://{folder}/meeting"
    dist.init_process_group("gloo", init_method=meeting, rank=rank, world_size=2)
    for key in KEYS:
        model = network(key, seed=rank)  # the first process decides where to start
        half = slice(4 * rank, 4 * rank + 4)
        take_steps(DistributedDataParallel(model), half)
        torch.save(model.state_dict(), folder / f"{key} {rank}.pt")
    dist.destroy_process_group()


@pytest.mark.skipif(not dist.is_available(), reason="this torch has no processes")
def test_two_processes_are_one(tmp_path):
    processes = [
        FRESH.Process(target=learn_from_half, args=(rank, tmp_path)) for rank in (0, 1)
    ]
    for process in processes:
        process.start()
    for process in processes:
        process.join(timeout=300)
        assert process.exitcode == 0
    for key in KEYS:
        alone, start = network(key, seed=0), network(key, seed=0).state_dict()
        take_steps(alone)
        for rank in (0, 1):
            found = torch.load(tmp_path / f"{key} {rank}.pt", weights_only=True)
            for name, expected in alone.state_dict().items():
                assert not torch.allclose(found[name], start[name])
                torch.testing.assert_close(found[name], expected, rtol=1e-9, atol=1e-10)
