"""Run the benchmarks: python -m benchmarks --help."""

import argparse
import dataclasses
import pathlib
import platform
import sys
import time
import warnings

import geomstats
import numpy as np
import torch

from geomstats_cor import METRICS

from . import report
from .cells import OPERATIONS, kernel_cells, metric_cells
from .counts import count_rows
from .matrices import batch_size
from .measure import growth, measure
from .memory import memory_rows
from .peer import peer_rows
from .timing import ALL_THREADS, CPU, WALL

_SAVED_EVERY = 5.0  # seconds
PARTS = ("peer", "kernels", "metrics", "counts", "memory")


def arguments():
    """Return the options of the command line."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks", description="Ratios to floors, next to targets."
    )
    parser.add_argument(
        "--full",
        action="store_true",
        help="all there is: n = 1000, growth, geomstats and counts beyond n = 50, "
        "larger batches, more rounds, wall-clock time in float32",
    )
    parser.add_argument("--sizes", type=int, nargs="+", help="matrix sizes")
    parser.add_argument(
        "--batch",
        type=int,
        help="matrices in a batch, as many at every size; growth is fitted then",
    )
    parser.add_argument("--dtypes", nargs="+", default=["float64", "float32"])
    parser.add_argument("--parts", nargs="+", choices=PARTS, default=PARTS)
    parser.add_argument("--metrics", nargs="+", choices=METRICS, default=list(METRICS))
    parser.add_argument(
        "--operations", nargs="+", choices=OPERATIONS, default=list(OPERATIONS)
    )
    parser.add_argument(
        "--only",
        nargs="+",
        default=[""],
        help="kernels and operations whose name contains one of these",
    )
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument(
        "--budget",
        type=float,
        help="seconds for each cell and clock, then no new round",
    )
    parser.add_argument("--no-wall", action="store_true", help="CPU time alone")
    parser.add_argument("--cap", type=float, default=20.0, help="seconds for geomstats")
    parser.add_argument("--memory-sizes", type=int, nargs="*")
    parser.add_argument("--output", type=pathlib.Path, default="build/bench")
    options = parser.parse_args()
    options.sizes = options.sizes or [10, 28, 50, 100, 300] + [1000] * options.full
    options.budget = options.budget or (1.0 if options.full else 0.15)
    options.batches = {
        n: options.batch or batch_size(n, options.full) for n in options.sizes
    }
    options.small = [n for n in options.sizes if n <= 50 or options.full]
    if options.memory_sizes is None:
        options.memory_sizes = [300, 1000] if options.full else [300]
    return options


def is_wanted(named, options):
    """Tell whether a cell or a row is asked for."""
    return any(part in named.name for part in options.only)


class Results:
    """The rows so far, saved every few seconds so that little is ever lost."""

    def __init__(self, path):
        self.rows, self.path, self.start = [], path, time.perf_counter()
        self._saved = self.start

    def add(self, rows):
        """Take rows in, and save now and then."""
        for row in rows:
            self.rows.append(row)
            self._progress(row)
            if time.perf_counter() - self._saved > _SAVED_EVERY:
                self.save()

    def save(self):
        """Write all rows."""
        report.write_csv(self.rows, self.path)
        self._saved = time.perf_counter()

    def _progress(self, row):
        if sys.stderr.isatty():
            seconds = f"{time.perf_counter() - self.start:6.0f} s"
            cell = f"{row.kind} {row.name} n = {row.n} {row.dtype}"
            print(f"\r\033[K{seconds}  {cell}", end="", file=sys.stderr, flush=True)

    def of(self, *kinds):
        """Return the rows of some kinds."""
        return [row for row in self.rows if row.kind in kinds]


def show(title, lines):
    """Print a table."""
    print(f"\r\033[K\n{title}" if sys.stderr.isatty() else f"\n{title}")
    print("\n".join(lines), flush=True)


def run_peer(options, results):
    """Time geomstats."""
    # Matrices take geomstats seconds each from n = 50 on: few are enough for a ratio.
    few = {n: batch if n < 50 else 6 for n, batch in options.batches.items()}
    rows = peer_rows(
        sorted(options.small),
        options.batches if options.full else few,
        options.metrics,
        options.operations,
        options.cap,
        rounds=3 if options.full else 1,
    )
    results.add(row for row in rows if is_wanted(row, options))


def run_growth(options, results):
    """Time metrics at the sizes between 100 and 1000, on batches as of n = 1000.

    Growth is fitted to equal batches, and those of a full run are larger.
    """
    batch = options.batches[1000]
    for n in options.sizes:
        if not 100 <= n < 1000 or options.batches[n] == batch:
            continue
        for cell in metric_cells(n, batch, options.metrics, options.operations):
            if not is_wanted(cell, options):
                continue
            cell = dataclasses.replace(cell, kind="small batch")  # in no other table
            for dtype in options.dtypes:
                results.add(
                    measure(
                        cell,
                        dtype,
                        (CPU,),
                        options.rounds,
                        options.budget,
                        numpy_too=False,
                    )
                )


def run_cells(options, results):
    """Time kernels and metrics, size by size, and print each table."""
    for n in options.sizes:
        batch = options.batches[n]
        cells = kernel_cells(n, batch) if "kernels" in options.parts else []
        if "metrics" in options.parts:
            cells += metric_cells(n, batch, options.metrics, options.operations)
        cells = [cell for cell in cells if is_wanted(cell, options)]
        for dtype in options.dtypes:
            # Wall-clock time is for orientation: one dtype is enough in a short run.
            walled = options.full or dtype == options.dtypes[0]
            clocks = (CPU, WALL) if walled and not options.no_wall else (CPU,)
            for cell in cells:
                results.add(
                    measure(cell, dtype, clocks, options.rounds, options.budget)
                )
            rows = [
                row
                for row in results.of("kernel", "metric")
                if (row.n, row.dtype) == (n, dtype)
            ]
            peers = [
                row for row in results.of("peer") if (row.n, row.dtype) == (n, dtype)
            ]
            title = f"n = {n}, batch {batch}, {dtype}: ratios to the floor"
            if cells:
                show(title, report.timing_table(rows, peers))


def main():
    """Run what is asked for, with one thread unless wall-clock time is taken."""
    options = arguments()
    warnings.simplefilter("ignore")
    with CPU.running():
        run(options)


def run(options):
    """Run the parts, print the tables, write the CSV file and the figure."""
    print(
        f"torch {torch.__version__}, numpy {np.__version__}, geomstats "
        f"{geomstats.__version__}, Python {platform.python_version()}, "
        f"{platform.machine()}; CPU time of one thread, wall-clock time with "
        f"{ALL_THREADS}"
    )
    results = Results(options.output / "results.csv")
    if "peer" in options.parts:
        run_peer(options, results)
    run_cells(options, results)
    if "metrics" in options.parts and 1000 in options.batches:
        run_growth(options, results)
    if "counts" in options.parts:
        for n in options.small:
            batch = {300: 8, 1000: 2}.get(n, 30)
            for dtype in options.dtypes:
                results.add(count_rows(n, dtype, batch))
        show("Factorisations per iteration", report.simple_table(results.of("count")))
    if "memory" in options.parts:
        for n in options.memory_sizes:
            # A batch is computed in pieces, and a matrix of this size is one.
            batch = max(4, batch_size(n, options.full))
            found = memory_rows(
                n, options.dtypes[0], batch, options.metrics, options.operations
            )
            results.add(row for row in found if is_wanted(row, options))
        show(
            "Peak memory of forward + backward, relative to the input",
            report.simple_table(results.of("memory")),
        )
    results.add(growth(results.rows))
    if results.of("growth"):
        show(
            "Growth from n = 100 to n = 1000, exponent above that of the floor",
            report.simple_table(results.of("growth")),
        )
    if results.of("peer"):
        show(
            "geomstats, ratio to the same floor",
            report.peer_table(results.of("peer"), results.of("metric")),
        )
    results.save()
    show("Summary", report.summary(results.rows))
    figure = options.output / "cost.png"
    if results.of("metric"):
        from .figure import draw

        draw(results.rows, figure, options.cap)
    print(f"\n{results.path}, {figure}")


if __name__ == "__main__":
    main()
