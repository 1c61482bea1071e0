"""Bootstrap and smoothing under PHCM, against OLM.

    python -m benchmarks.warm_starts

Processor time, the least of three; matrices are drawn uniformly by `random_point`, or
are correlations of normal signals with twice as many frames as variables.
"""

import functools
import time

import numpy as np

from geomstats_cor import FullRankCorrelationMatrices, confidence_region
from geomstats_cor.learning import smooth

SIZES = ((5, 30), (10, 50), (20, 100), (28, 86), (20, 500))


def samples(n, number):
    rng = np.random.default_rng(0)
    signals = rng.standard_normal((number, n, 2 * n))
    yield "uniform", FullRankCorrelationMatrices(n).random_point(number, rng=0)
    yield "signals", np.stack([np.corrcoef(signal) for signal in signals])


def least_time(function, repeats=3):
    times = []
    for _ in range(repeats):
        start = time.process_time()
        function()
        times.append(time.process_time() - start)
    return min(times)


def main():
    print("| n | N | matrices | bootstrap, ms: OLM | PHCM | ratio |", end="")
    print(" smooth, ms: OLM | PHCM | ratio |\n" + "|---" * 9 + "|")
    for n, number in SIZES:
        spaces = [FullRankCorrelationMatrices(n, equip=key) for key in ("olm", "phcm")]
        times = np.linspace(0.0, 1.0, number)
        for name, points in samples(n, number):
            functions = (
                functools.partial(
                    confidence_region,
                    points,
                    method="bootstrap",
                    n_resamples=499,
                    rng=0,
                    progress=False,
                ),
                functools.partial(smooth, points, times, bandwidth=0.1),
            )
            row = [f"{n} | {number} | {name}"]
            for function in functions:
                flat, curved = (
                    least_time(functools.partial(function, space=s)) for s in spaces
                )
                row.append(
                    f"{1e3 * flat:.0f} | {1e3 * curved:.0f} | {curved / flat:.1f}"
                )
            print(f"| {' | '.join(row)} |", flush=True)


if __name__ == "__main__":
    main()
