"""What one Newton step for the scaling of the log-scaled metric does to row sums.

    python -m benchmarks.row_sums [--data DIR]

The exact scaling x gives X C X unit row sums. After one undamped step from x = 1 they
are approximate: the table has the largest and the median deviation from one over all
rows, the part of entries that the guard of positivity holds, and how far coordinates
of the metric are from the exact ones, relative to their length.
"""

import argparse
from pathlib import Path

import numpy as np

from geomstats_cor import FullRankCorrelationMatrices, kernels
from geomstats_cor.datasets import load_connectomes

from .real_problems import correlations, hdm05_11, japanese_vowels


def main():
    parser = argparse.ArgumentParser(prog="python -m benchmarks.row_sums")
    parser.add_argument("--data", type=Path, help="folder of .npz files")
    arguments = parser.parse_args()
    print("| matrices | n | worst | median | guarded, % | coordinates off by, % |")
    print("|---|---|---|---|---|---|")
    for name, points in stacks(arguments.data):
        print(line(name, points))


def stacks(folder):
    """Yield names and stacks of correlation matrices."""
    yield "connectomes", load_connectomes().correlations
    for n in (5, 28):
        space = FullRankCorrelationMatrices(n, equip=False)
        yield f"uniform (LKJ), n = {n}", space.random_point(200, rng=0)
    steps = np.abs(np.subtract.outer(np.arange(28), np.arange(28)))
    yield "autoregressive, 0.3", 0.3 ** steps[None]
    yield "autoregressive, 0.9", 0.9 ** steps[None]
    if folder is not None:
        yield "JapaneseVowels", japanese_vowels(folder).matrices
        for relative in (False, True):
            problem = hdm05_11(folder, relative)
            yield problem.title, correlations(problem.matrices)


def line(name, points):
    """Return a line of the table."""
    scaling = kernels.one_step_scaling(points)
    sums = scaling * (points @ scaling[..., None])[..., 0]
    deviations = np.abs(sums - 1.0)
    guarded = 100.0 * np.mean(scaling <= 0.1)
    exact = kernels.log_scaled(points)
    error = np.linalg.norm(kernels.one_step_log_scaled(points) - exact, axis=(-2, -1))
    relative = 100.0 * np.median(error / np.linalg.norm(exact, axis=(-2, -1)))
    return (
        f"| {name} | {points.shape[-1]} | {deviations.max():.3g} | "
        f"{np.median(deviations):.3g} | {guarded:.1f} | {relative:.0f} |"
    )


if __name__ == "__main__":
    main()
