"""Several processes that train together, as torchrun starts them."""

import contextlib
import gc
import os
from datetime import timedelta

# The first process may convert a large data set while the others wait for it.
_PATIENCE = timedelta(hours=12)


def world():
    """Return the number of this process, and how many there are.

    Returns
    -------
    rank : int
        Number of this process, from 0.
    size : int
        Number of processes: 1 unless torchrun started them.

    Examples
    --------
    >>> world()
    (0, 1)
    """
    return int(os.environ.get("RANK", 0)), int(os.environ.get("WORLD_SIZE", 1))


@contextlib.contextmanager
def process_group():
    """Join the processes that torchrun started, for the length of a block.

    In a process of its own this does nothing. Only the first process prints.
    """
    rank, size = world()
    if size == 1:
        yield
        return
    import torch
    from torch import distributed

    # Tensors of a GPU are summed by nccl, and those of the CPU by gloo.
    backend = "cpu:gloo,cuda:nccl" if torch.cuda.is_available() else "gloo"
    distributed.init_process_group(backend, timeout=_PATIENCE)
    try:
        with contextlib.ExitStack() as stack:
            if rank > 0:
                silence = stack.enter_context(open(os.devnull, "w"))
                stack.enter_context(contextlib.redirect_stdout(silence))
            yield
    finally:
        # What still refers to the group would keep its threads alive beyond the
        # interpreter, which then aborts now and then.
        gc.collect()
        distributed.destroy_process_group()


@contextlib.contextmanager
def first_process_first():
    """Let the first process go through a block before the others do.

    What it leaves on the disk is there for the others, who would otherwise write it at
    the same time.
    """
    rank, size = world()
    if size == 1:
        yield
        return
    from torch import distributed

    if rank > 0:
        distributed.barrier()
    yield
    if rank == 0:
        distributed.barrier()
