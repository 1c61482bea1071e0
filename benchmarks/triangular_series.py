"""The logarithm of unit lower triangles: the whole series against counted nodes.

For the sizes of `triangular._SIZES_FOR_SERIES` the finite series is summed, elsewhere
a Gauss rule whose nodes are counted. This times both in turn; above one, the
series is faster.

    python -m benchmarks.triangular_series
"""

import statistics

import torch

from geomstats_cor import FullRankCorrelationMatrices, kernels
from geomstats_cor.kernels import triangular

from .timing import CPU, interleave


def with_sizes(sizes, matrices):
    triangular._SIZES_FOR_SERIES = {"numpy": sizes, "torch": sizes}
    return kernels.log_unit_lower(matrices)


def main():
    kept = triangular._SIZES_FOR_SERIES
    print("n: time of the rule / time of the series, numpy and torch, 100 matrices")
    for n in (5, 12, 16, 20, 24, 28, 32, 40, 48, 60):
        points = FullRankCorrelationMatrices(n, equip=False).random_point(100, rng=0)
        unit_lower = kernels.theta(points)
        ratios = []
        for matrices in (unit_lower, torch.as_tensor(unit_lower)):
            tasks = {
                "series": lambda x=matrices, n=n: with_sizes((n,), x),
                "rule": lambda x=matrices: with_sizes((), x),
            }
            with CPU.running():
                times = interleave(tasks, CPU, rounds=7, budget=1.0)
            pairs = zip(times["rule"], times["series"], strict=True)
            ratios.append(statistics.median(a / b for a, b in pairs))
        print(f"{n:3}: {ratios[0]:.2f} {ratios[1]:.2f}", flush=True)
    triangular._SIZES_FOR_SERIES = kept


if __name__ == "__main__":
    main()
