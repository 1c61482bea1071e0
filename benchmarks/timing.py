"""Interleaved timing, and ratios that survive a noisy machine."""

import contextlib
import os
import statistics
import time
from dataclasses import dataclass

import torch
from threadpoolctl import threadpool_limits

_SHORTEST = 1e-3  # seconds; shorter tasks are repeated within a sample

ALL_THREADS = os.cpu_count() or 1


@dataclass(frozen=True)
class Clock:
    """A way to measure time: a function, and the number of threads."""

    name: str
    read: callable
    threads: int

    @contextlib.contextmanager
    def running(self):
        """Set the number of threads of torch and of every BLAS in the process."""
        before = torch.get_num_threads()
        torch.set_num_threads(self.threads)
        try:
            with threadpool_limits(self.threads):
                yield
        finally:
            torch.set_num_threads(before)


CPU = Clock("cpu", time.process_time, 1)
WALL = Clock("wall", time.perf_counter, ALL_THREADS)


def interleave(tasks, clock, rounds, budget, loops=None):
    """Time tasks in turn, round after round.

    Parameters
    ----------
    tasks : dict of callables
        Tasks.
    clock : Clock
        Clock.
    rounds : int
        Number of rounds, after a warm-up.
    budget : float
        Seconds of wall-clock time after which no further round begins. There are two
        rounds at least.
    loops : dict of int
        How often a sample runs each task; found by a warm-up if it is not given.

    Returns
    -------
    times : dict of lists
        Seconds of each task in each round.
    """
    times = {name: [] for name in tasks}
    with clock.running():
        loops = loops or warm_up(tasks)
        begin = time.perf_counter()
        for done in range(rounds):
            if done >= 2 and time.perf_counter() - begin > budget:
                break
            for name, task in tasks.items():
                start = clock.read()
                for _ in range(loops[name]):
                    task()
                times[name].append((clock.read() - start) / loops[name])
    return times


def warm_up(tasks, shortest=_SHORTEST):
    """Run tasks for the first time, and return how often a sample runs each.

    Parameters
    ----------
    tasks : dict of callables
        Tasks.
    shortest : float
        Seconds that a sample is to take at least.

    Returns
    -------
    loops : dict of int
        How often a sample runs each task.
    """
    return {name: _loops(task, shortest) for name, task in tasks.items()}


def _loops(task, shortest):
    """Warm a task up, and return how often a sample runs it."""
    start = time.perf_counter()
    task()
    if time.perf_counter() - start > 20 * shortest:  # the first call may be slow
        return 1
    start = time.perf_counter()
    task()
    return max(1, round(shortest / max(time.perf_counter() - start, 1e-7)))


@dataclass(frozen=True)
class Ratio:
    """A typical ratio, and the quartiles of those taken round by round."""

    typical: float
    low: float
    high: float


def ratio(numerators, denominators, clock=CPU):
    """Return the ratio of two tasks timed in the same rounds.

    For wall-clock time it is that of the shortest times: on a shared machine most of
    the others are waiting times.
    """
    ratios = sorted(a / b for a, b in zip(numerators, denominators, strict=True))
    if len(ratios) < 2:
        return Ratio(ratios[0], ratios[0], ratios[0])
    low, _, high = statistics.quantiles(ratios, n=4, method="inclusive")
    if clock is not CPU:
        return Ratio(min(numerators) / min(denominators), low, high)
    return Ratio(statistics.median(ratios), low, high)
