"""Why the correlation networks of `benchmarks.baselines` are behind: single changes.

    python -m benchmarks.baseline_causes --data DIR --document docs/baselines.md

Data, splits, optimizer, batches and the choice of the learning rate are those of
`benchmarks.baselines`. Each row changes one thing: what the network sees (covariance
or correlation matrices, channels or one global matrix), how long it is trained, or how
it is built. The last rows are `CorNetClassifier` with its defaults, which choose
nothing. Test parts choose nothing either.
"""

import argparse
import itertools
import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import date
from importlib.metadata import version
from pathlib import Path

import joblib
import torch

from cornet_nn import CorNet
from cornet_nn.baselines import BASELINES
from cornet_nn.spaces import ProductSpace, SPDMatrices
from cornet_nn.training import CorNetClassifier
from geomstats_cor import METRICS, FullRankCorrelationMatrices, kernels

from .baseline_problems import PROBLEMS, load_problem
from .baselines import SEEDS, chosen_rate, trained
from .real_data import replace_marked


@dataclass(frozen=True)
class Variant:
    """A network and what it sees.

    Attributes
    ----------
    form : {"channels", "covariance"}
        Key of the inputs of a problem.
    sees : {"covariances", "correlations", "both"}
        Covariance matrices, correlation matrices, or these and the variances.
    make : callable
        Returns the network for shape, problem and number of classes; None for
        `CorNetClassifier`.
    longer : int
        Factor on the number of epochs.
    metric : str
        Metric of `CorNetClassifier`.
    """

    form: str
    sees: str
    make: Callable | None = None
    longer: int = 1
    metric: str = "olm"


def _cornet(metric, **options):
    def make(shape, problem, classes):
        return CorNet(
            shape[1], problem.hidden, classes, shape[0], metric=metric, **options
        )

    return make


def _log_euclidean(**options):
    """Return what makes the same network over SPD matrices."""

    def make(shape, problem, classes):
        spaces = (SPDMatrices(n, equip="lem") for n in (shape[1], problem.hidden))
        return CorNet(*spaces, classes, shape[0], **options)

    return make


def _with_variances(shape, problem, classes):
    """Return the network over the product of correlations and each of n variances."""
    factors = [FullRankCorrelationMatrices(shape[1] // 2, equip="olm")]
    factors += [SPDMatrices(1, equip="lem") for _ in range(shape[1] // 2)]
    space_out = FullRankCorrelationMatrices(problem.hidden, equip="olm")
    return CorNet(ProductSpace(*factors), space_out, classes, shape[0])


def _baseline(name):
    def make(shape, problem, classes):
        sizes = (problem.sizes,) if BASELINES[name].form == "covariance" else ()
        return BASELINES[name].make(shape, classes, sizes, 1.0)

    return make


NORMALIZED = dict(normalize="coordinates", gain=0.5)
WIDE = dict(out_channels=16, activation=torch.relu)
VARIANTS = {
    "CorNet-OLM": Variant("channels", "correlations", _cornet("olm")),
    "ten times the epochs": Variant("channels", "correlations", _cornet("olm"), 10),
    "normalised": Variant("channels", "correlations", _cornet("olm", **NORMALIZED)),
    "normalised, 16 kernels, ReLU": Variant(
        "channels", "correlations", _cornet("olm", **NORMALIZED, **WIDE)
    ),
    "of the global matrix": Variant("covariance", "correlations", _cornet("olm")),
    "with variances beside": Variant("channels", "both", _with_variances),
    "with variances, of the global matrix": Variant(
        "covariance", "both", _with_variances
    ),
    "over SPD matrices (LEM)": Variant("channels", "covariances", _log_euclidean()),
    "the same of correlations": Variant("channels", "correlations", _log_euclidean()),
    "over SPD, of the global matrix": Variant(
        "covariance", "covariances", _log_euclidean()
    ),
    "over SPD, normalised, 16 kernels, ReLU": Variant(
        "channels", "covariances", _log_euclidean(**NORMALIZED, **WIDE)
    ),
    "GyroLE": Variant("channels", "covariances", _baseline("GyroLE")),
    "GyroLE of correlations": Variant("channels", "correlations", _baseline("GyroLE")),
    "SPDNet": Variant("covariance", "covariances", _baseline("SPDNet")),
    "SPDNet of correlations": Variant(
        "covariance", "correlations", _baseline("SPDNet")
    ),
    "SPDNetMLR": Variant("covariance", "covariances", _baseline("SPDNetMLR")),
    "SPDNetMLR of correlations": Variant(
        "covariance", "correlations", _baseline("SPDNetMLR")
    ),
    **{
        f"CorNetClassifier(), {key.upper()}": Variant(
            "channels", "correlations", metric=key
        )
        for key in METRICS
    },
    "CorNetClassifier(), OLM, of the global matrix": Variant(
        "covariance", "correlations"
    ),
}


def main():
    """Compute, print and write the table."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.baseline_causes")
    parser.add_argument("--data", type=Path, required=True, help="folder of .npz files")
    parser.add_argument("--output", type=Path, default=Path("build/baseline_causes"))
    parser.add_argument("--only", nargs="*", choices=PROBLEMS, default=list(PROBLEMS))
    parser.add_argument("--seeds", type=int, default=SEEDS)
    parser.add_argument("--jobs", type=int, default=1, help="processes")
    parser.add_argument(
        "--document", type=Path, help="Markdown file whose marked part is replaced"
    )
    options = parser.parse_args()
    run = joblib.Memory(options.output, verbose=0).cache(accuracy)
    cells = list(itertools.product(range(options.seeds), options.only, VARIANTS))
    results = joblib.Parallel(options.jobs, verbose=1)(
        joblib.delayed(run)(name, variant, seed, options.data)
        for seed, name, variant in cells
    )
    text = report(options.only, dict(zip(cells, results, strict=True)), options.seeds)
    print(text)
    if options.document:
        replace_marked(options.document, text, "causes")


def accuracy(name, variant, seed, data):
    """Return test accuracy after the last epoch, and CPU seconds of the whole run."""
    torch.set_num_threads(1)
    problem, chosen = load_problem(name, data, SEEDS), VARIANTS[variant]
    inputs = torch.as_tensor(problem.inputs[chosen.form])
    if chosen.sees != "covariances":
        variances = torch.diag_embed(inputs.diagonal(dim1=-2, dim2=-1))
        inputs = kernels.cor(inputs)
        if chosen.sees == "both":
            inputs = _block_diagonal(inputs, variances)
    start, (train, test) = time.process_time(), problem.splits[seed]
    if chosen.make is None:
        model = CorNetClassifier(chosen.metric, random_state=seed, progress=False)
        model.fit(inputs[train].numpy(), problem.labels[train])
        score = 100.0 * model.score(inputs[test].numpy(), problem.labels[test])
        return score, time.process_time() - start
    problem = replace(problem, epochs=chosen.longer * problem.epochs)
    classes = int(problem.labels.max()) + 1
    shape = tuple(inputs.shape[1:]) if inputs.ndim == 4 else (1, *inputs.shape[1:])

    def make():
        return chosen.make(shape, problem, classes)

    rate = chosen_rate(make, inputs, problem, train, seed)
    parts = problem.labels, train, test
    run = trained(make, inputs, *parts, rate, problem.epochs, seed)
    return run["accuracies"][-1], time.process_time() - start


def _block_diagonal(first, second):
    above = torch.cat([first, torch.zeros_like(first)], dim=-1)
    return torch.cat([above, torch.cat([torch.zeros_like(first), second], -1)], -2)


def report(names, results, seeds):
    """Return the Markdown of all runs."""
    versions = ", ".join(f"{k} {version(k)}" for k in ("torch", "numpy"))
    lines = [
        f"Measured {date.today()} with {versions}. Test accuracy after the last epoch, "
        f"%, mean of {seeds} seeds ± deviation.",
        "",
        f"| network | sees | {' | '.join(names)} |",
        "|---" * (2 + len(names)) + "|",
    ]
    for label, variant in VARIANTS.items():
        form = "channels" if variant.form == "channels" else "global"
        what = f"{variant.sees}, {form}"
        row = [[results[s, name, label][0] for s in range(seeds)] for name in names]
        lines.append(f"| {label} | {what} | {' | '.join(map(_cell, row))} |")
    minutes = sum(seconds for _, seconds in results.values()) / 60.0
    return "\n".join([*lines, "", f"All runs took {minutes:.0f} CPU minutes."])


def _cell(scores):
    spread = f" ± {statistics.stdev(scores):.1f}" if len(scores) > 1 else ""
    return f"{statistics.fmean(scores):.1f}{spread}"


if __name__ == "__main__":
    main()
