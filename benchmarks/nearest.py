"""Nearest correlation matrices, beside those of statsmodels on the same input.

    python -m benchmarks.nearest

The inputs are pairwise correlations of factor models with three in ten values missing,
and random symmetric matrices with unit diagonal. statsmodels has `corr_nearest`,
alternating projections with at most 100 n steps by default, and `corr_clipped`, which
clips eigenvalues once. The table has the Frobenius distance to the input (less is
nearer, if the matrix is a correlation matrix), the smallest eigenvalue, the error of
the diagonal, and the time.
"""

import argparse
import time
import warnings

import numpy as np
from statsmodels.stats.correlation_tools import corr_clipped, corr_nearest

from geomstats_cor import nearest_correlation
from geomstats_cor.data.missing import pairwise_correlation

FLOOR = 1e-6


def incomplete(n, rng):
    """Return pairwise correlations of 60 frames with three in ten values missing."""
    signal = rng.standard_normal((60, 3)) @ rng.standard_normal((3, n))
    signal += rng.standard_normal((60, n))
    signal[rng.random(signal.shape) < 0.3] = np.nan
    return pairwise_correlation(signal)


def random(n, rng):
    """Return a symmetric matrix with unit diagonal and uniform entries."""
    matrix = rng.uniform(-1.0, 1.0, (n, n))
    matrix = np.tril(matrix, -1)
    return matrix + matrix.T + np.eye(n)


METHODS = {
    "geomstats_cor nearest_correlation": lambda a: nearest_correlation(
        a, min_eigenvalue=FLOOR
    )[0],
    "statsmodels corr_nearest": lambda a: corr_nearest(a, FLOOR),
    "statsmodels corr_clipped": lambda a: corr_clipped(a, FLOOR),
}


def main():
    """Print a table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sizes", type=int, nargs="+", default=[20, 60, 120])
    sizes = parser.parse_args().sizes
    print(
        "| input | n | method | distance | smallest eigenvalue | diagonal | seconds |"
    )
    print("|---|---|---|---|---|---|---|")
    for make in (incomplete, random):
        for n in sizes:
            given = make(n, np.random.default_rng(n))
            for name, method in METHODS.items():
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    start = time.perf_counter()
                    found = method(given)
                    seconds = time.perf_counter() - start
                print(
                    f"| {make.__name__} | {n} | {name} "
                    f"| {np.linalg.norm(found - given):.6f} "
                    f"| {np.linalg.eigvalsh(found)[0]:.1e} "
                    f"| {np.max(np.abs(np.diag(found) - 1.0)):.0e} "
                    f"| {seconds:.3f} |"
                )


if __name__ == "__main__":
    main()
