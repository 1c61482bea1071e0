"""What the metrics cost beside each other, in Cholesky factorisations.

    python -m benchmarks.cost

writes docs/tables/cost.md, the table of the page on the choice of a metric.
"""

import argparse
import datetime
from pathlib import Path

import torch

from geomstats_cor import METRICS

from .cells import forward, metric_arrays, metric_cells
from .matrices import batch_size
from .report import markdown
from .timing import CPU, interleave, ratio

_SHOWN = ("dist", "log", "exp", "mean")


def costs(n, budget=12.0):
    """Return the cost of every metric and operation, timed in the same rounds.

    Parameters
    ----------
    n : int
        Size of the matrices.
    budget : float
        Seconds.

    Returns
    -------
    costs : dict
        Factorisations of the batch for each pair of a metric and an operation.
    """
    points = torch.as_tensor(metric_arrays(n)["p"])
    tasks = {"cholesky": lambda: torch.linalg.cholesky(points)}
    for cell in metric_cells(n, operations=_SHOWN):
        tasks[cell.name] = forward(cell.function, cell.tensors("float64"))
    times = interleave(tasks, CPU, rounds=9, budget=budget)
    return {
        name: ratio(times[name], times["cholesky"]).typical
        for name in tasks
        if name != "cholesky"
    }


def main():
    """Write the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--output", type=Path, default=Path("docs/tables/cost.md"))
    parser.add_argument("--sizes", type=int, nargs="+", default=[28, 100])
    args = parser.parse_args()
    found = {n: costs(n) for n in args.sizes}
    header = ["metric", *(f"{name}, n = {n}" for n in args.sizes for name in _SHOWN)]
    rows = [
        [
            key.upper(),
            *(
                f"{found[n][f'{key} {name}']:.3g}"
                for n in args.sizes
                for name in _SHOWN
            ),
        ]
        for key in METRICS
    ]
    lines = [
        "<!-- python -m benchmarks.cost -->",
        "",
        "Time in units of one Cholesky factorisation of the same batch of "
        f"{batch_size(args.sizes[0])} matrices; torch {torch.__version__}, float64, "
        f"one thread, condition number 100, {datetime.date.today()}.",
        "",
        *markdown(header, rows),
    ]
    args.output.parent.mkdir(parents=True, exist_ok=True)
    args.output.write_text("\n".join(lines), encoding="utf-8")
    print("\n".join(lines))


if __name__ == "__main__":
    main()
