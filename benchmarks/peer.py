"""The same operations in geomstats, each under a deadline.

A worker process computes; if it does not answer in time it is ended, and the next cell
gets a new one. The worker times the floor too, in turn with the operation, so that the
ratio to the floor is comparable with ours.
"""

import json
import os
import queue
import statistics
import subprocess
import sys
import threading

from .cells import METRIC_FLOORS, OPERATIONS
from .rows import Row

_WRONG = 1e-6  # relative difference that no rounding explains
_START_UP = 120.0  # seconds to import torch and geomstats
_ENDED = {"error": "the worker process ended", "hopeless": True}


class Worker:
    """A process that times cells of geomstats, started again after a deadline."""

    def __init__(self):
        self.process = None

    def ask(self, request, deadline):
        """Return the answer to a request, or None if it takes too long."""
        if self.process is None:
            self._start()
        self.process.stdin.write(json.dumps(request) + "\n")
        self.process.stdin.flush()
        answer = self._answer(_START_UP)  # inputs are made, and the clock starts
        if answer == "started":
            answer = self._answer(deadline)
        if answer == "evaluated":  # in time; it may be repeated now
            answer = self._answer(10.0 * deadline)
        if answer is None or answer == _ENDED:
            self.close()
        return answer

    def close(self):
        """End the process."""
        if self.process is not None:
            self.process.kill()
            self.process.wait()
        self.process = None

    def _start(self):
        self.process = subprocess.Popen(
            [sys.executable, "-W", "ignore", "-m", "benchmarks.peer"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            env={**os.environ, "GEOMSTATS_BACKEND": "numpy"},
        )
        self.lines = queue.Queue()
        reader = threading.Thread(
            target=_read, args=(self.process.stdout, self.lines), daemon=True
        )
        reader.start()

    def _answer(self, deadline):
        try:
            line = self.lines.get(timeout=deadline)
        except queue.Empty:
            return None
        return json.loads(line) if line else _ENDED


def _read(stream, lines):
    for line in stream:
        lines.put(line)
    lines.put("")


def peer_rows(sizes, batches, metrics, operations, cap=20.0, rounds=3):
    """Time the operations of geomstats, from small matrices to large ones.

    An operation that exceeds the cap or the memory is not tried at larger sizes.

    Parameters
    ----------
    sizes : sequence of int
        Matrix sizes, ascending.
    batches : dict
        Batch size for each matrix size.
    metrics, operations : sequence of str
        What to time.
    cap : float
        Seconds for one evaluation.
    rounds : int
        Rounds, as far as the cap allows.

    Yields
    ------
    row : Row
        Ratio to the floor; infinite if the cap was exceeded.
    """
    worker = Worker()
    hopeless = {}
    for n in sizes:
        for key in metrics:
            for operation in operations:
                name = f"{key} {operation}"
                row = Row("peer", name, n, batches[n], "float64", "geomstats", "", 0.0)
                row.unit, row.clock = METRIC_FLOORS[key], "cpu"
                if name in hopeless:
                    row.value, row.note = hopeless[name]
                    yield row
                    continue
                request = {
                    "metric": key,
                    "operation": operation,
                    "n": n,
                    "batch": batches[n],
                    "rounds": rounds,
                    "budget": cap / 8,
                }
                answer = worker.ask(request, cap)
                if answer is None:
                    hopeless[name] = float("inf"), f"> {cap:g} s at n = {n}"
                    row.value, row.note = float("inf"), f"> {cap:g} s"
                elif "error" in answer:
                    row.value, row.note = float("nan"), answer["error"]
                    if answer.get("hopeless"):
                        hopeless[name] = row.value, f"{row.note} at n = {n}"
                else:
                    row.value, row.seconds = answer["ratio"], answer["seconds"]
                    row.unit_seconds = answer["floor"]
                    row.note = _remark(answer)
                yield row
    worker.close()


def _remark(answer):
    """Say how the answer compares with ours, numpy against numpy."""
    difference = answer["difference"]
    wrong = "" if difference < _WRONG else ": wrong"
    return f"{answer['ours']:.2f} x ours in numpy, differs by {difference:.0e}{wrong}"


def geomstats_space(key, n):
    """Return geomstats' own space, with the parameters that mean the same metric."""
    import geomstats.geometry.full_rank_correlation_matrices as peer

    from geomstats_cor import METRICS

    parameters = {
        "olm": {"alpha": 1.0, "beta": 0.0, "gamma": 0.0},
        "lsm": {"alpha": 1.0, "delta": 0.0, "zeta": 0.0},
    }
    space = peer.FullRankCorrelationMatrices(n, equip=False)
    metric = getattr(peer, METRICS[key].__name__)
    return space.equip_with_metric(metric, **parameters.get(key, {}))


def _mean(space, points):
    from geomstats.learning.frechet_mean import FrechetMean

    return FrechetMean(space).fit(points).estimate_


def _work(request):
    """Answer one request: time, ratio to the floor, difference from our result."""
    import numpy as np

    from .cells import metric_cells
    from .timing import CPU, interleave, ratio

    key, operation = request["metric"], request["operation"]
    n, batch = request["n"], request["batch"]
    (cell,) = metric_cells(n, batch, (key,), (operation,))
    expected = cell.function(*cell.arrays)
    space = geomstats_space(key, n)
    call = _mean if operation == "mean" else OPERATIONS[operation][1]
    print(json.dumps("started"), flush=True)
    try:
        begin = CPU.read()
        result = call(space, *cell.arrays)
        first = CPU.read() - begin
    except (NotImplementedError, AttributeError, ValueError, TypeError) as error:
        return {"error": f"{type(error).__name__}: {str(error)[:60]}"}
    except MemoryError:
        return {"error": "out of memory", "hopeless": True}
    print(json.dumps("evaluated"), flush=True)
    tasks = {**cell.floors("float64"), "ours": lambda: cell.function(*cell.arrays)}
    if first < request["budget"]:
        tasks["peer"] = lambda: call(space, *cell.arrays)
    times = interleave(tasks, CPU, request["rounds"], request["budget"])
    times.setdefault("peer", [first] * len(times["ours"]))
    difference = np.abs(np.reshape(result, expected.shape) - expected).max()
    difference /= np.abs(expected).max()
    return {
        "ratio": ratio(times["peer"], times[cell.floor]).typical,
        "seconds": statistics.median(times["peer"]),
        "floor": statistics.median(times[cell.floor]),
        "ours": ratio(times["peer"], times["ours"]).typical,
        "difference": float(difference),
    }


def _limit_memory():
    """Let an allocation that the machine cannot bear fail, not end other processes."""
    import resource  # not everywhere

    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    resource.setrlimit(resource.RLIMIT_AS, (memory // 2, memory // 2))


if __name__ == "__main__":
    from .timing import CPU as ONE_THREAD

    _limit_memory()
    with ONE_THREAD.running():
        for line in sys.stdin:
            print(json.dumps(_work(json.loads(line))), flush=True)
