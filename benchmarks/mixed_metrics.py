"""Do networks under two metrics hold? 25 pairs, several seeds, three sizes of matrices.

    python -m benchmarks.mixed_metrics --data DIR

`CorNetClassifier` with its defaults in float32: `fit` on a part of the samples, and
`predict` on the others. Counts errors, NaN probabilities, and the accuracy. Then SGD
with a learning rate of 0.1 under each metric, with nothing else set.
"""

import argparse
import itertools
import statistics
from pathlib import Path

import numpy as np
from joblib import Parallel, delayed

from cornet_nn.training import CorNetClassifier
from geomstats_cor import METRICS
from geomstats_cor.exceptions import GeomstatsCorError

TRAINING = 60


def main():
    """Run all networks and print the counts."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.mixed_metrics")
    parser.add_argument("--data", type=Path, required=True, help="folder of .npz files")
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--jobs", type=int, default=1, help="processes")
    options = parser.parse_args()
    problems = dict(load(options.data))
    for name, problem in problems.items():
        pairs = itertools.product(METRICS, METRICS, range(options.seeds))
        cells = Parallel(options.jobs)(
            delayed(outcome)(*problem, seed, metric=metric, mlr_metric=mlr)
            for metric, mlr, seed in pairs
        )
        show(f"25 pairs, {options.seeds} seeds, {name}", cells)
    for name, problem in problems.items():
        cells = [
            outcome(*problem, seed, metric=metric, optimizer="sgd", lr=0.1)
            for metric in METRICS
            for seed in range(options.seeds)
        ]
        show(f"SGD, lr 0.1, {name}", cells)


def load(folder):
    """Yield names, samples and labels of problems."""
    vowels = np.load(folder / "japanesevowels_corr.npz")
    own = vowels["y"] < 3
    yield "6 x 6 (JapaneseVowels)", (vowels["C"][own][:, :6, :6], vowels["y"][own])
    yield "12 x 12 (JapaneseVowels)", (vowels["C"][own], vowels["y"][own])
    brains = np.load(folder / "connectomes.npz")
    yield "28 x 28 (connectomes)", (brains["C"], brains["y"])


def outcome(points, labels, seed, **parameters):
    """Return the accuracy on samples that were not trained on, or the error."""
    order = np.random.default_rng(seed).permutation(len(points))
    train, test = order[:TRAINING], order[TRAINING:]
    model = CorNetClassifier(random_state=seed, progress=False, **parameters)
    try:
        model.fit(points[train], labels[train])
        probabilities = model.predict_proba(points[test])
    except GeomstatsCorError as error:
        return f"{parameters}: {type(error).__name__}: {error}"
    if not np.isfinite(probabilities).all():
        return f"{parameters}: probabilities are not finite"
    right = model.classes_[probabilities.argmax(-1)] == labels[test]
    return 100.0 * float(np.mean(right))


def show(title, cells):
    """Print how many networks failed, and the accuracies of the others."""
    failures = [cell for cell in cells if isinstance(cell, str)]
    accuracies = [cell for cell in cells if not isinstance(cell, str)]
    print(f"{title}: {len(failures)} of {len(cells)} fail", end="")
    if accuracies:
        print(
            f"; accuracy {statistics.fmean(accuracies):.1f} %, "
            f"lowest {min(accuracies):.1f}",
            end="",
        )
    print(flush=True)
    for failure in failures:
        print(f"  {failure}")


if __name__ == "__main__":
    main()
