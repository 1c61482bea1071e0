"""Operations of the metrics against geomstats: the same arrays, in one process.

Both libraries are timed in turn, CPU time of one thread, our validation on. A number is
the median of geomstats' time over ours: above one, ours is faster. Tangent vectors are
logarithms of other points; along random ones, the iteration of geomstats for OLM stops
short of convergence. Cells that geomstats cannot do in a second are left out. With
GEOMSTATS_BACKEND=pytorch, arrays are tensors.

    python -m benchmarks.against_geomstats [--sizes 5 28] [--batches 30 1000] [--save F]
"""

import argparse
import contextlib
import csv
import functools
import itertools
import logging
import os
import signal
import sys
import warnings

os.environ.setdefault("GEOMSTATS_BACKEND", "numpy")

import geomstats.backend as gs
import geomstats.geometry.full_rank_correlation_matrices as theirs
import numpy as np
from geomstats.learning.frechet_mean import FrechetMean

from geomstats_cor import FullRankCorrelationMatrices, frechet_mean

from .timing import CPU, interleave

METRICS = {
    "ecm": "EuclideanCholeskyMetric",
    "lecm": "LogEuclideanCholeskyMetric",
    "olm": "OffLogMetric",
    "lsm": "LogScaledMetric",
    "phcm": "PolyHyperbolicCholeskyMetric",
}
OPERATIONS = {
    "dist": lambda m, a, b, v: m.dist(a, b),
    "log": lambda m, a, b, v: m.log(b, a),
    "exp": lambda m, a, b, v: m.exp(v, a),
    "inner_product": lambda m, a, b, v: m.inner_product(v, v, a),
    "transport": lambda m, a, b, v: m.parallel_transport(v, a, end_point=b),
    "geodesic": lambda m, a, b, v: m.geodesic(a, end_point=b)(0.3),
    "mean": lambda m, a, b, v: _mean(m._space, a),
}
_TOO_LONG = 1.0  # seconds of one evaluation, in CPU time
_PATIENCE = 10  # seconds after which an evaluation is stopped


def _mean(space, points):
    if isinstance(space, FullRankCorrelationMatrices):
        return frechet_mean(points, space)
    return FrechetMean(space).fit(points).estimate_


def metrics_of(key, n, check=True):
    """Return our metric and that of geomstats."""
    ours = FullRankCorrelationMatrices(n, equip=key, check=check).metric
    space = theirs.FullRankCorrelationMatrices(n, equip=False)
    space.equip_with_metric(getattr(theirs, METRICS[key]))
    return ours, space.metric


def samples(n, batch):
    """Return two batches of points."""
    space = FullRankCorrelationMatrices(n, equip=False)
    like = np.zeros(())
    points = space.random_point(2 * batch, rng=0, like=like)
    return tuple(map(gs.array, points.reshape(2, batch, n, n)))


def cells(options):
    """Yield a metric, an operation, a size, a batch and the ratio of the times."""
    for n, batch in itertools.product(options.sizes, options.batches):
        arrays = samples(n, batch)
        for key, (name, call) in itertools.product(options.metrics, OPERATIONS.items()):
            ours, others = metrics_of(key, n, not options.unchecked)
            arguments = *arrays, ours.log(*reversed(arrays))
            tasks = {
                "ours": functools.partial(call, ours, *arguments),
                "theirs": functools.partial(call, others, *arguments),
            }
            ratio = _ratio(tasks, options)
            if ratio is not None:
                yield key, name, n, batch, ratio


@contextlib.contextmanager
def _patience():
    """Stop what takes too long: some of geomstats' iterations take many minutes."""

    def stop(*_):
        raise TimeoutError(f"stopped after {_PATIENCE} s")

    signal.signal(signal.SIGALRM, stop)
    signal.alarm(_PATIENCE)
    try:
        yield
    finally:
        signal.alarm(0)


def _ratio(tasks, options):
    try:
        start = CPU.read()
        with _patience():
            tasks["theirs"]()
        if CPU.read() - start > _TOO_LONG:
            return None
        with CPU.running():
            times = interleave(tasks, CPU, options.rounds, options.budget)
    except Exception as error:  # of geomstats: a cell that it cannot do
        print(f"  left out: {type(error).__name__}: {error}"[:100], file=sys.stderr)
        return None
    pairs = zip(times["theirs"], times["ours"], strict=True)
    return float(np.median([a / b for a, b in pairs]))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sizes", type=int, nargs="+", default=[5, 28, 100])
    parser.add_argument("--batches", type=int, nargs="+", default=[30, 1000])
    parser.add_argument("--metrics", nargs="+", default=list(METRICS))
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--budget", type=float, default=1.0)
    parser.add_argument("--largest", type=int, default=3 * 10**6, help="entries")
    parser.add_argument("--unchecked", action="store_true", help="validate nothing")
    parser.add_argument("--save", help="CSV file for the ratios")
    options = parser.parse_args()
    logging.disable(logging.WARNING)  # of geomstats' means that do not converge
    warnings.simplefilter("ignore")
    rows, names = [], list(OPERATIONS)
    print("theirs / ours " + " ".join(f"{name:>13}" for name in names))
    for n, batch in itertools.product(options.sizes, options.batches):
        if n * n * batch > options.largest:
            continue
        one = argparse.Namespace(**{**vars(options), "sizes": [n], "batches": [batch]})
        found = list(cells(one))
        rows += found
        for key in options.metrics:
            ratios = {name: r for k, name, _, _, r in found if k == key}
            shown = (f"{ratios[x]:13.2f}" if x in ratios else " " * 13 for x in names)
            print(f"{key:5}{n:4}{batch:5} " + " ".join(shown), flush=True)
    slower = [row for row in rows if row[-1] < 1.0]
    print(f"{len(rows)} cells, of which {len(slower)} are below one")
    if options.save:
        with open(options.save, "w", newline="", encoding="utf-8") as file:
            writer = csv.writer(file)
            writer.writerow(["metric", "operation", "n", "batch", "ratio"])
            writer.writerows((*row[:-1], f"{row[-1]:.3f}") for row in rows)


if __name__ == "__main__":
    main()
