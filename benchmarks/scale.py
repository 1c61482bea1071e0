"""Memory and time of coordinates, regression, permutations and distances over dask.

    python -m benchmarks.scale [--number 100000] [--size 100] [--metric olm]

The matrices are drawn block by block, from seeds, on the workers: no process ever holds
them. Each step prints its time and the peak of resident memory of the process so far.
Threads of this process are the workers, two by default. Distances are reduced to the
nearest neighbour of each matrix; they take N^2 and are the longest step by far, and
`--distances` limits their number of matrices.
"""

import argparse
import resource
import time

import dask
import dask.array
import numpy as np

from geomstats_cor.distributed import dist_pairwise_of_blocks
from geomstats_cor.inference import MultivariateGeodesicRegression
from geomstats_cor.learning import ToCoords


def block(seed, number, size):
    """Return correlation matrices of normal signals of 3 n frames."""
    rng = np.random.default_rng(seed)
    signals = rng.standard_normal((number, size, 3 * size), dtype=np.float32)
    signals = signals.astype(float)
    signals += 0.5 * rng.standard_normal((number, 1, 3 * size))
    signals -= signals.mean(axis=-1, keepdims=True)
    signals /= np.linalg.norm(signals, axis=-1, keepdims=True)
    matrices = signals @ np.swapaxes(signals, -1, -2)
    matrices[:, np.arange(size), np.arange(size)] = 1.0
    return 0.5 * (matrices + np.swapaxes(matrices, -1, -2))


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


def peak():
    """Return the peak of resident memory so far, in MiB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


class Clock:
    """Prints what a step took."""

    def __init__(self):
        self._start = time.perf_counter()

    def __call__(self, what):
        now = time.perf_counter()
        print(f"| {what} | {now - self._start:.1f} | {peak():.0f} |", flush=True)
        self._start = time.perf_counter()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--number", type=int, default=5000)
    parser.add_argument("--size", type=int, default=100)
    parser.add_argument("--chunk", type=int, default=250)
    parser.add_argument("--metric", default="olm")
    parser.add_argument("--permutations", type=int, default=199)
    parser.add_argument("--distances", type=int, default=5000)
    parser.add_argument("--workers", type=int, default=2)
    args = parser.parse_args()
    dask.config.set(scheduler="threads", num_workers=args.workers)
    points = blocks(args.number, args.size, args.chunk)
    whole = 8 * args.number * args.size**2 / 2**20
    print(
        f"{args.number} matrices of {args.size}, {args.metric}: {whole:.0f} MiB in all"
    )
    print("| step | seconds | peak MiB |\n|---|---|---|")
    clock = Clock()
    clock("imports")
    rng = np.random.default_rng(0)
    covariates = {
        "age": rng.normal(size=args.number),
        "group": rng.choice(["a", "b"], args.number),
    }
    model = ToCoords(args.metric).fit(points)
    clock("ToCoords, fit")
    norms = dask.array.linalg.norm(model.transform(points), axis=1)
    print(f"<!-- mean distance {float(norms.mean().compute()):.6f} -->")
    clock("ToCoords, norms of the coordinates")
    regression = MultivariateGeodesicRegression(args.metric).fit(covariates, points)
    clock("regression on two covariates")
    options = dict(n_permutations=args.permutations, rng=0, progress=False)
    test = regression.test("group", **options)
    print(f"<!-- {test} -->")
    clock(f"test of a term, {args.permutations} permutations")
    edges = regression.edge_test("group", pooled=True, **options)
    print(f"<!-- {edges} -->")
    clock(f"test of its edges, {args.permutations} permutations")
    few = points[: min(args.distances, args.number)]
    dists = dist_pairwise_of_blocks(few, args.metric)
    far = dask.array.where(dists == 0.0, np.inf, dists).min(axis=1)
    print(f"<!-- mean nearest distance {float(far.mean().compute()):.6f} -->")
    clock(f"distances of {len(few)} matrices, nearest of each")


if __name__ == "__main__":
    main()
