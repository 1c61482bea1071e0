"""Accuracy of all networks of the paper on data that is at hand.

    python -m benchmarks.baselines --data DIR --jobs 2 --document docs/baselines.md

The fourteen networks for comparison and the five correlation networks, five seeds each,
under one budget: the same optimizer, batches and number of epochs, and a learning rate
that is chosen for each training part among the same candidates. A candidate is trained
for half of the epochs on four fifths of the training part, and judged by the other one.
Nothing is chosen by a test part: the parameters after the last epoch are tested. The
best of the last epochs is shown beside it, because published numbers mix the two. Each
run is written to a file when it is computed, and is not computed again.
"""

import argparse
import itertools
import json
import statistics
import time
import warnings
from datetime import date
from importlib.metadata import version
from pathlib import Path

import numpy as np
import torch
from joblib import Parallel, delayed
from sklearn.model_selection import StratifiedGroupKFold, StratifiedKFold

from cornet_nn import CorNet
from cornet_nn.baselines import BASELINES
from cornet_nn.baselines.classifier import AMSGrad
from cornet_nn.reproduce.report import published_results
from geomstats_cor import kernels
from geomstats_cor.exceptions import GeomstatsCorError

from .baseline_problems import PROBLEMS, load_problem
from .real_data import replace_marked

RATES = (1e-3, 5e-3, 2e-2)
BATCH, LAST, HELD_OUT, SEEDS = 30, 5, 5, 5
NETWORKS = tuple(published_results("main")["method"].unique())
# A decomposition for every sample, channel and output.
SLOW = ("GyroAI", "GyroSPD++")
# Failures of a network that ran away, and of decompositions of what it made.
_DIVERGED = (GeomstatsCorError, torch.linalg.LinAlgError)


def main():
    """Compute, print and write the table."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.baselines")
    parser.add_argument("--data", type=Path, required=True, help="folder of .npz files")
    parser.add_argument("--output", type=Path, default=Path("build/baselines"))
    parser.add_argument("--only", nargs="*", choices=PROBLEMS, default=list(PROBLEMS))
    parser.add_argument(
        "--networks",
        nargs="+",
        choices=NETWORKS,
        default=list(NETWORKS),
        metavar="NAME",
    )
    parser.add_argument("--jobs", type=int, default=1, help="processes")
    parser.add_argument(
        "--document", type=Path, help="Markdown file whose marked part is replaced"
    )
    arguments = parser.parse_args()
    arguments.output.mkdir(parents=True, exist_ok=True)
    cells = itertools.product(range(SEEDS), arguments.networks, arguments.only)
    cells = sorted(cells, key=lambda cell: (cell[0], _expense(cell[1])))
    Parallel(arguments.jobs, pre_dispatch=arguments.jobs)(
        delayed(compute)(name, network, seed, arguments.data, arguments.output)
        for seed, network, name in cells
    )
    text = report(arguments.output)
    print(text)
    if arguments.document:
        replace_marked(arguments.document, text, "networks")


def _expense(network):
    """Order networks by time: an interrupted run then leaves most of a table."""
    return 2 if network in SLOW else int(not network.startswith("CorNet-"))


def compute(name, network, seed, data, output):
    """Train a network on a problem with one seed, unless it is done already."""
    torch.set_num_threads(1)
    problem = load_problem(name, data, SEEDS)

    def store(seed):
        return output / f"{name} {network} {problem.epochs} {seed}.json"

    if store(seed).exists():
        return
    inputs, make = network_of(network, problem)
    start, (train, test) = time.process_time(), problem.splits[seed]
    rate = None
    for other in range(seed):  # the same training part, the same choice
        is_same = np.array_equal(train, problem.splits[other][0])
        if is_same and store(other).exists():
            rate = json.loads(store(other).read_text())["rate"]
    rate = rate or chosen_rate(make, inputs, problem, train, seed)
    parts = problem.labels, train, test
    run = trained(make, inputs, *parts, rate, problem.epochs, seed)
    result = {
        "title": problem.title,
        "last": run["accuracies"][-1],
        "best": max(run["accuracies"]),
        "rate": rate,
        "seconds": run["seconds"],
        "all_seconds": time.process_time() - start,
    }
    temporary = store(seed).with_suffix(".part")
    temporary.write_text(json.dumps(result, indent=1))
    temporary.rename(store(seed))
    print(store(seed).stem, json.dumps(result), flush=True)


def network_of(name, problem):
    """Return the inputs of a network as a tensor, and a function that makes it."""
    classes = int(problem.labels.max()) + 1
    if name.startswith("CorNet-"):
        metric = name.removeprefix("CorNet-").lower()
        inputs = kernels.cor(torch.as_tensor(problem.inputs["channels"]))
        shape = inputs.shape[1:]
        return inputs, lambda: CorNet(
            shape[1],
            problem.hidden,
            num_classes=classes,
            in_channels=shape[0],
            metric=metric,
        )
    baseline = BASELINES[name]
    inputs = torch.as_tensor(problem.inputs[baseline.form])
    shape = tuple(inputs.shape[1:]) if inputs.ndim == 4 else (1, *inputs.shape[1:])
    sizes = {"covariance": (problem.sizes,), "channels": (problem.hidden_gyro,)}
    arguments = shape, classes, sizes.get(baseline.form, ()), 1.0
    return inputs, lambda: baseline.make(*arguments)


def chosen_rate(make, inputs, problem, train, seed):
    """Return the learning rate with the best accuracy on what is held out."""
    labels = problem.labels[train]
    if problem.groups is None:
        folds = StratifiedKFold(HELD_OUT, shuffle=True, random_state=0)
        own, held_out = next(folds.split(labels, labels))
    else:
        groups = problem.groups[train]
        count = min(HELD_OUT, len(np.unique(groups)))
        folds = StratifiedGroupKFold(count, shuffle=True, random_state=0)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)
            own, held_out = next(folds.split(labels, labels, groups))
    parts = train[own], train[held_out]
    scores = [
        statistics.fmean(
            trained(
                make, inputs, problem.labels, *parts, rate, problem.epochs // 2, seed
            )["accuracies"]
        )
        for rate in RATES
    ]
    return RATES[int(np.argmax(scores))]


def trained(make, inputs, labels, train, test, rate, epochs, seed):
    """Train a network, and return test accuracies of the last epochs.

    An epoch after which the network cannot be computed has no right answer.
    """
    torch.manual_seed(seed)
    model, accuracies, seconds = make(), [], []
    with torch.no_grad():
        features = model.features(inputs).float()
    targets = torch.as_tensor(labels)
    # Correlation networks scale the rate of weights of normalised coordinates.
    groups = getattr(model, "parameter_groups", lambda lr: model.parameters())
    optimizer = AMSGrad(groups(rate), lr=rate)
    generator = torch.Generator().manual_seed(seed)
    try:
        for epoch in range(epochs):
            start = time.process_time()
            model.train()
            order = torch.as_tensor(train)[
                torch.randperm(len(train), generator=generator)
            ]
            for batch in order.split(BATCH):
                optimizer.zero_grad()
                logits = model.from_features(features[batch])
                torch.nn.functional.cross_entropy(logits, targets[batch]).backward()
                optimizer.step()
            seconds.append(time.process_time() - start)
            if epoch >= epochs - LAST:
                accuracies.append(_accuracy(model, features[test], targets[test]))
    except _DIVERGED:
        accuracies.append(0.0)
    return {
        "accuracies": accuracies,
        "seconds": statistics.median(seconds) if seconds else float("nan"),
    }


def _accuracy(model, features, targets):
    model.eval()
    with torch.no_grad():
        logits = torch.cat([model.from_features(part) for part in features.split(100)])
    return 100.0 * float((logits.argmax(-1) == targets).double().mean())


def report(folder):
    """Return the Markdown of finished runs, with the seeds that all networks have.

    Parts differ from seed to seed, so other seeds would be another problem.
    """
    versions = ", ".join(f"{k} {version(k)}" for k in ("torch", "numpy"))
    found = {name: {} for name in PROBLEMS}
    for store in sorted(folder.glob("*.json")):
        name, network, _, seed = store.stem.split(" ")
        runs = found[name].setdefault(network, {})
        runs[seed] = json.loads(store.read_text())
    problems = [_shared(networks) for networks in found.values() if networks]
    titles = [_title(networks) for networks in problems]
    lines = [
        f"Measured {date.today()} with {versions}. Test accuracy after the last epoch, "
        f"%, ± its deviation over seeds; in brackets the best of the last {LAST} "
        f"epochs, and CPU seconds of an epoch.",
        "",
        f"| network | {' | '.join(titles)} |",
        "|---" * (1 + len(titles)) + "|",
    ]
    for network in NETWORKS:
        row = [networks.get(network, ()) for networks in problems]
        if any(row):
            lines.append(f"| {network} | {' | '.join(map(_cell, row))} |")
    lines.append("")
    return "\n".join([*lines, *map(_verdict, problems, titles)])


def _shared(networks):
    """Return lists of runs with the seeds that all networks have."""
    seeds = sorted(set.intersection(*map(set, networks.values())))
    return {name: [runs[seed] for seed in seeds] for name, runs in networks.items()}


def _title(networks):
    runs = next(iter(networks.values()))
    return f"{runs[0]['title']}; {len(runs)} of {SEEDS} seeds" if runs else "no seed"


def _mean(runs, key):
    return statistics.fmean(run[key] for run in runs)


def _cell(runs):
    if not runs:
        return ""
    last = [run["last"] for run in runs]
    spread = f" ± {statistics.stdev(last):.1f}" if len(last) > 1 else ""
    seconds = statistics.median(run["seconds"] for run in runs)
    best = _mean(runs, "best")
    return f"{_mean(runs, 'last'):.1f}{spread} ({best:.1f}, {seconds:.2g} s)"


def _verdict(networks, title):
    """Say who wins on a problem."""
    means = {name: _mean(runs, "last") for name, runs in networks.items() if runs}
    ours = {k: v for k, v in means.items() if k.startswith("CorNet-")}
    others = {k: v for k, v in means.items() if k not in ours}
    best = [max(group, key=group.get) for group in (ours, others) if group]
    words = " before ".join(
        f"{network} ({means[network]:.1f})"
        for network in sorted(best, key=means.get, reverse=True)
    )
    return f"- {title}: {words}."


if __name__ == "__main__":
    main()
