"""Peak memory of forward and backward, relative to the size of the input.

The profiler of torch records every allocation and every release of its allocator. The
peak is the largest running sum of these from the beginning of the task on, whatever the
allocator itself holds back; the input is not in it, the gradient is.
"""

import os

# The profiler reports its own beginning and end on stderr otherwise.
os.environ.setdefault("KINETO_LOG_LEVEL", "99")

from torch.profiler import ProfilerActivity, profile  # noqa: E402

from .cells import forward_backward, metric_cells  # noqa: E402
from .rows import Row  # noqa: E402


def peak_bytes(task):
    """Return the largest amount of memory a task holds at a time."""
    with profile(
        activities=[ProfilerActivity.CPU], profile_memory=True, acc_events=True
    ) as profiler:
        task()
    events = profiler.profiler.kineto_results.events()
    events = [event for event in events if event.name() == "[memory]"]
    held = peak = 0
    for event in sorted(events, key=lambda event: event.start_ns()):
        held += event.nbytes()
        peak = max(peak, held)
    return peak


def memory_row(cell, dtype):
    """Return the peak memory of one cell."""
    tensors = cell.tensors(dtype)
    size = sum(x.numel() * x.element_size() for x in tensors)
    peak = peak_bytes(forward_backward(cell.function, tensors))
    note = f"{peak / 2**20:.0f} MiB"
    return Row(
        "memory",
        cell.name,
        cell.n,
        cell.batch,
        dtype,
        "peak memory",
        "input",
        peak / size,
        note=note,
    ).judged()


def memory_rows(n, dtype, batch=None, metrics=None, operations=None):
    """Return the peak memory of the operations of the metrics, one by one."""
    keywords = {"metrics": metrics, "operations": operations}
    keywords = {name: value for name, value in keywords.items() if value}
    for cell in metric_cells(n, batch, **keywords):
        yield memory_row(cell, dtype)
