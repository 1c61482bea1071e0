"""The logarithm of unit lower triangles: the whole series against counted nodes.

Up to the size of `triangular._SERIES_UP_TO` the finite series is summed, for numpy
arrays, beyond it a Gauss rule whose nodes are counted. This times both in turn, by the
whole distance under LECM; above one, the series is faster.

    python -m benchmarks.triangular_series
"""

import statistics

from geomstats_cor import FullRankCorrelationMatrices
from geomstats_cor.kernels import triangular

from .timing import CPU, interleave


def with_limit(limit, operation):
    triangular._SERIES_UP_TO = limit
    operation()


def main():
    kept = triangular._SERIES_UP_TO
    print("n: time of the rule / time of the series, 100 pairs")
    for n in (5, 12, 16, 20, 24, 28, 32, 40, 48, 60, 80):
        space = FullRankCorrelationMatrices(n, equip="lecm")
        points = [space.random_point(100, rng=seed) for seed in (0, 1)]

        def dist(metric=space.metric, points=points):
            return metric.dist(*points)

        tasks = {
            "series": lambda dist=dist, n=n: with_limit(n, dist),
            "rule": lambda dist=dist: with_limit(0, dist),
        }
        with CPU.running():
            times = interleave(tasks, CPU, rounds=7, budget=1.0)
        pairs = zip(times["rule"], times["series"], strict=True)
        print(f"{n:3}: {statistics.median(a / b for a, b in pairs):.2f}", flush=True)
    triangular._SERIES_UP_TO = kept


if __name__ == "__main__":
    main()
