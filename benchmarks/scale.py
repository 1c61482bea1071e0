"""Memory and time of coordinates, regression, permutations and distances over dask.

    python -m benchmarks.scale [--number 100000] [--size 100] [--metric olm]

The matrices are drawn block by block, from seeds, on workers of dask, each a process of
one thread: no process ever holds them. While a term is tested, one worker is killed.
Each step prints its time, and the peaks of resident memory so far of this process,
which holds client and scheduler, and of the largest worker.

The N^2 distances of 100,000 matrices are 80 GB and 10^14 operations. Measured here are
the distances of all matrices to some references (`--references`), reduced to the
nearest, and those of a part to each other.

At the end each step is computed on a part that fits into memory (`--part`), with
and without dask, and the largest relative difference is printed.
"""

import argparse
import contextlib
import functools
import os
import signal
import threading
import time
from pathlib import Path

import dask
import dask.array
import numpy as np
from dask import distributed

from geomstats_cor.distributed import dist_pairwise_of_blocks
from geomstats_cor.inference import MultivariateGeodesicRegression
from geomstats_cor.learning import ToCoords


@functools.cache
def bases(size, number=64):
    """Return correlation matrices of normal signals of 2 n frames."""
    signals = np.random.default_rng(0).standard_normal((number, size, 2 * size))
    return np.stack([np.corrcoef(signal) for signal in signals])


def block(seed, number, size):
    """Return random averages of these matrices: as cheap to make as to read."""
    weights = np.random.default_rng(seed).dirichlet(np.full(64, 0.1), number)
    matrices = (weights @ bases(size).reshape(64, -1)).reshape(number, size, size)
    matrices[:, np.arange(size), np.arange(size)] = 1.0
    return matrices


def blocks(number, size, chunk):
    """Return a dask array of matrices that nobody has drawn yet."""
    sizes = [min(chunk, number - start) for start in range(0, number, chunk)]
    parts = [
        dask.array.from_delayed(
            dask.delayed(block, pure=True)(i, k, size), (k, size, size), float
        )
        for i, k in enumerate(sizes)
    ]
    return dask.array.concatenate(parts)


def peak(pid):
    """Return the peak of resident memory of a process, in MiB; zero if it is gone."""
    with contextlib.suppress(OSError):
        for line in Path(f"/proc/{pid}/status").read_text().splitlines():
            if line.startswith("VmHWM"):
                return int(line.split()[1]) / 1024
    return 0.0


class Watch:
    """Prints what a step took, and kills a worker if asked to."""

    def __init__(self, cluster):
        self._cluster, self._largest, self._killed = cluster, 0.0, []
        threading.Thread(target=self._look, daemon=True).start()
        self._start = time.perf_counter()

    def _pids(self):
        return [nanny.pid for nanny in list(self._cluster.workers.values())]

    def _look(self):
        while True:
            self._largest = max(self._largest, *map(peak, filter(None, self._pids())))
            time.sleep(0.5)

    def __call__(self, step):
        seconds = time.perf_counter() - self._start
        print(
            f"| {step} | {seconds:.0f} | {peak(os.getpid()):.0f} | "
            f"{self._largest:.0f} |",
            flush=True,
        )
        self._start = time.perf_counter()

    def kill_after(self, seconds):
        """Kill a worker some seconds from now."""

        def kill():
            pid = self._pids()[0]
            os.kill(pid, signal.SIGKILL)
            self._killed.append(pid)
            print(f"<!-- killed worker {pid} -->", flush=True)

        threading.Timer(seconds, kill).start()


def covariates(number):
    rng = np.random.default_rng(0)
    return {
        "age": rng.normal(size=number),
        "group": rng.choice(["a", "b"], number),
    }


def numbers(points, metric, permutations):
    """Return results of each step for matrices in memory or in blocks."""
    options = dict(n_permutations=permutations, rng=0, progress=False)
    coords = ToCoords(metric).fit(points).transform(points)
    model = MultivariateGeodesicRegression(metric)
    model.fit(covariates(len(points)), points)
    edges = model.edge_test("group", pooled=True, **options)
    return {
        "coordinates": np.asarray(coords),
        "coefficients": model.coef_,
        "null distribution": model.test("group", **options).null_distribution,
        "largest statistics of edges": edges.max_null,
    }


def compare(points, metric, permutations):
    """Print relative differences between workers and memory."""
    there = numbers(points, metric, permutations)
    few = np.asarray(points)
    here = numbers(few, metric, permutations)
    dists = dist_pairwise_of_blocks(points[:1000], metric).compute()
    here["distances"] = (
        ToCoords(metric).fit(few[:1]).space_.metric.dist_pairwise(few[:1000])
    )
    there["distances"] = dists
    for name, expected in here.items():
        error = np.max(np.abs(there[name] - expected)) / np.max(np.abs(expected))
        print(f"<!-- {len(few)} matrices, {name}: {error:.1e} -->", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--number", type=int, default=5000)
    parser.add_argument("--size", type=int, default=100)
    parser.add_argument("--chunk", type=int, default=1000)
    parser.add_argument("--metric", default="olm")
    parser.add_argument("--permutations", type=int, default=199)
    parser.add_argument("--part", type=int, default=2000)
    parser.add_argument("--references", type=int, default=1000)
    parser.add_argument("--kill-after", type=float, default=5.0)
    parser.add_argument("--workers", type=int, default=2)
    args = parser.parse_args()
    whole = 8 * args.number * args.size**2 / 2**20
    print(
        f"{args.number} matrices of {args.size}, {args.metric}: {whole:.0f} MiB in all"
    )
    with (
        distributed.LocalCluster(
            n_workers=args.workers,
            threads_per_worker=1,
            memory_limit="2GiB",
            dashboard_address=None,
        ) as cluster,
        distributed.Client(cluster),
    ):
        run(args, Watch(cluster))


def run(args, watch):
    """Measure each step."""
    points = blocks(args.number, args.size, args.chunk)
    print("| step | seconds | client, MiB | worker, MiB |\n|---|---|---|---|")
    watch("start")
    model = ToCoords(args.metric).fit(points)
    watch("ToCoords, fit")
    norms = dask.array.linalg.norm(model.transform(points), axis=1)
    print(f"<!-- mean distance {float(norms.mean().compute()):.6f} -->")
    watch("ToCoords, norms of the coordinates")
    regression = MultivariateGeodesicRegression(args.metric)
    regression.fit(covariates(args.number), points)
    watch("regression on two covariates")
    options = dict(n_permutations=args.permutations, rng=0, progress=False)
    watch.kill_after(args.kill_after)
    test = regression.test("group", **options)
    print(f"<!-- {test} -->")
    watch(f"test of a term, {args.permutations} permutations, a worker killed")
    edges = regression.edge_test("group", pooled=True, **options)
    print(f"<!-- {edges} -->")
    watch(f"test of its edges, {args.permutations} permutations")
    for some, others in (
        (points, points[: args.references]),
        (points[: 5 * args.references], None),
    ):
        dists = dist_pairwise_of_blocks(some, args.metric, others)
        near = dask.array.where(dists == 0.0, np.inf, dists).min(axis=1)
        print(f"<!-- mean nearest distance {float(near.mean().compute()):.6f} -->")
        watch(f"{dists.shape[0]} x {dists.shape[1]} distances, nearest of each")
    compare(points[: args.part], args.metric, args.permutations)
    watch("a part, with and without dask")


if __name__ == "__main__":
    main()
