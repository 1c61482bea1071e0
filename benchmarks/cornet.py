"""The scalability experiment of the paper on CorNet: python -m benchmarks.cornet.

A fully connected layer makes matrices of size 20 of a batch of 30 matrices of size n,
and a logistic regression makes 10 logits of them; the two are fused. The floor is the
factorisation of the batch and the one product with the weights. All metrics and all
floors are timed in turn in the same rounds.

The paper: Z. Chen, X. Wu, B. Schölkopf and N. Sebe. Riemannian networks over full-rank
correlation matrices. ICML 2026, appendix "Scalability of correlation metrics".
"""

import argparse
import pathlib
import platform
import statistics
import warnings

import torch

from cornet_nn import CorFC, CorMLR, CorSequential
from geomstats_cor import METRICS, FullRankCorrelationMatrices

from . import report
from .cells import FLOORS, METRIC_FLOORS
from .matrices import correlations_of_condition
from .rows import Row
from .timing import CPU, interleave, ratio, warm_up

SIZE_OUT, CLASSES, CONDITION = 20, 10, 1e2
BOTH = "forward + backward"
_SAMPLE = 0.02  # seconds; a network runs again and again, so its code is in the cache

# Seconds of a forward pass in the table of the paper.
PAPER = {
    30: dict(ecm=0.0004, lecm=0.0018, olm=0.0012, lsm=0.0019, phcm=0.0131),
    100: dict(ecm=0.0008, lecm=0.0054, olm=0.0764, lsm=0.0781, phcm=0.0413),
    300: dict(ecm=0.0053, lecm=0.0733, olm=0.3434, lsm=0.3454, phcm=0.5732),
    1000: dict(ecm=0.0706, lecm=3.7259, olm=2.539, lsm=2.5783, phcm=1.229),
}


def networks(n, metrics, dtype):
    """Return the network of each metric; the largest weight is the same one for all."""
    models, weight = {}, None
    for key in metrics:
        space, small = (
            FullRankCorrelationMatrices(k, equip=key) for k in (n, SIZE_OUT)
        )
        fc = CorFC(space, small, dtype=dtype)
        weight = fc.weight if weight is None else weight
        fc.weight = weight
        models[key] = CorSequential(fc, CorMLR(small, CLASSES, dtype=dtype))
    return models


def forward(model, matrices):
    """Return the task of a forward pass."""

    def task():
        with torch.no_grad():
            return model(matrices)

    return task


def forward_backward(model, matrices):
    """Return the task of a forward and a backward pass, to parameters and input."""
    leaves = [matrices.clone().requires_grad_(), *model.parameters()]

    def task():
        output = model(leaves[0])
        return torch.autograd.grad(output.sum(), leaves)

    return task


def floor(factorise, matrices, weight):
    """Return the task of factorising the batch, and of one product with the weight."""
    features = matrices.new_ones(len(matrices), weight.shape[-1])
    weight = weight.detach()[:, 0]

    def task():
        factorise(matrices)
        return features @ weight.mT

    return task


def measure(n, dtype, batch, metrics, rounds, budget, backward=True):
    """Return the rows of one size and dtype."""
    tensor_dtype = getattr(torch, dtype)
    matrices = torch.as_tensor(
        correlations_of_condition(batch, n, CONDITION), dtype=tensor_dtype
    )
    torch.manual_seed(0)
    models = networks(n, metrics, tensor_dtype)
    weight = next(iter(models.values())).layers[0].weight
    tasks = {
        f"{name} + gemm": floor(FLOORS[name], matrices, weight)
        for name in dict.fromkeys(METRIC_FLOORS[key] for key in metrics)
    }
    for key, model in models.items():
        tasks[key, "forward"] = forward(model, matrices)
        if backward:
            tasks[key, BOTH] = forward_backward(model, matrices)
    times = interleave(tasks, CPU, rounds, budget, warm_up(tasks, _SAMPLE))
    rows = []
    for key in metrics:
        for quantity in ("forward", BOTH)[: 1 + backward]:
            units = {f"{METRIC_FLOORS[key]} + gemm": None}
            if "ecm" in metrics and key != "ecm":
                units["ecm"] = ("ecm", quantity)
            for unit, task in units.items():
                below = times[task or unit]
                quotient = ratio(times[key, quantity], below)
                rows.append(
                    Row(
                        "cornet",
                        f"CorNet {key}",
                        n,
                        batch,
                        dtype,
                        quantity,
                        unit,
                        quotient.typical,
                        quotient.low,
                        quotient.high,
                        "cpu",
                        statistics.median(times[key, quantity]),
                        statistics.median(below),
                        _paper(n, key, quantity, unit),
                    ).judged()
                )
    return rows


def _paper(n, key, quantity, unit):
    if unit != "ecm" or quantity != "forward" or n not in PAPER:
        return ""
    return f"paper {PAPER[n][key] / PAPER[n]['ecm']:.1f}"


def table(rows):
    """Return the lines of a table, a metric a line."""
    found = {}
    for row in rows:
        kind = "ecm" if row.unit == "ecm" else "floor"
        found.setdefault(row.name, {})[row.quantity, kind] = row
    lines = [
        f"{'':14}{'floor':>12}{'fwd':>8}{'fwd+bwd':>9}{'fwd / ECM':>11}"
        f"{'the paper':>11}{'fwd+bwd / ECM':>15}{'ms':>9}  targets"
    ]
    for name, cells in found.items():
        first = cells["forward", "floor"]
        numbers = [
            "-" if (row := cells.get(place)) is None else f"{row.value:.2f}"
            for place in (
                ("forward", "floor"),
                (BOTH, "floor"),
                ("forward", "ecm"),
                (BOTH, "ecm"),
            )
        ]
        against = cells.get(("forward", "ecm"))
        paper = against.note.removeprefix("paper ") if against else ""
        verdicts = [
            f"<= {row.target:g} {row.unit}: {row.verdict}"
            for row in cells.values()
            if row.verdict
        ]
        lines.append(
            f"{name:14}{first.unit:>12}{numbers[0]:>8}{numbers[1]:>9}{numbers[2]:>11}"
            f"{paper or '-':>11}{numbers[3]:>15}{1e3 * first.seconds:>9.1f}  "
            f"{'; '.join(verdicts)}".rstrip()
        )
    return lines


def arguments():
    """Return the options of the command line."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.cornet", description=__doc__.split("\n")[0]
    )
    parser.add_argument("--full", action="store_true", help="n = 1000, too")
    parser.add_argument("--sizes", type=int, nargs="+", help="matrix sizes")
    parser.add_argument("--dtypes", nargs="+", default=["float64", "float32"])
    parser.add_argument("--metrics", nargs="+", choices=METRICS, default=list(METRICS))
    parser.add_argument("--batch", type=int, default=30)
    parser.add_argument("--rounds", type=int, default=40, help="at most")
    parser.add_argument("--budget", type=float, help="seconds for a size and dtype")
    parser.add_argument("--no-backward", action="store_true", help="forward alone")
    parser.add_argument("--output", type=pathlib.Path, default="build/bench")
    options = parser.parse_args()
    options.sizes = options.sizes or [30, 100, 300] + [1000] * options.full
    options.budget = options.budget or (60.0 if options.full else 12.0)
    return options


def main():
    """Measure all sizes and dtypes, and print a table for each."""
    options = arguments()
    warnings.simplefilter("ignore")
    print(
        f"torch {torch.__version__}, Python {platform.python_version()}, "
        f"{platform.machine()}; CPU time of one thread\nCorNet: FC n -> {SIZE_OUT}, "
        f"MLR with {CLASSES} classes, batch {options.batch}, fused; medians of ratios"
    )
    rows = []
    with CPU.running():
        for n in options.sizes:
            for dtype in options.dtypes:
                new = measure(
                    n,
                    dtype,
                    options.batch,
                    options.metrics,
                    options.rounds,
                    options.budget,
                    not options.no_backward,
                )
                rows += new
                print(f"\nn = {n}, {dtype}", *table(new), sep="\n", flush=True)
                report.write_csv(rows, options.output / "cornet.csv")
    print("", *report.summary(rows), sep="\n")
    print(f"\n{options.output / 'cornet.csv'}")


if __name__ == "__main__":
    main()
