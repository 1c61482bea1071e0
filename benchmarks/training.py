"""What it saves to compute features once: python -m benchmarks.training.

A classifier is trained on the 86 connectomes of size 28, once as it is, and once with
the whole network at every step. Both are timed in turn in the same rounds, and give the
same answers up to rounding. A power makes the features more costly, as in the paper.
"""

import argparse
import platform
import statistics
from unittest import mock

import numpy as np
import torch

from cornet_nn.training import CorNetClassifier
from geomstats_cor import METRICS
from geomstats_cor.datasets import load_connectomes

from .timing import CPU, interleave, ratio


def arguments():
    """Return the options of the command line."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--metrics", nargs="+", default=list(METRICS))
    parser.add_argument("--epochs", type=int, default=50)
    parser.add_argument("--power", type=float, default=0.5)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--budget", type=float, default=60.0, help="seconds by metric")
    return parser.parse_args()


def classifier(key, options):
    """Return a classifier of the paper's size."""
    return CorNetClassifier(
        key,
        power=options.power,
        lr=1e-3,
        max_epochs=options.epochs,
        C=None,
        random_state=0,
        progress=False,
    )


def at_every_step(model, *data):
    """Train with the whole network at every step."""
    with mock.patch("cornet_nn.training.estimator.is_fixed", return_value=False):
        return model.fit(*data)


def main():
    """Print a line for each metric."""
    options = arguments()
    data = load_connectomes()
    X, y = data.correlations.astype(np.float32), data.labels
    print(
        f"torch {torch.__version__}, Python {platform.python_version()}, "
        f"{platform.machine()}; CPU time of one thread\n{len(X)} matrices of size "
        f"{X.shape[-1]}, {options.epochs} epochs, power {options.power:g}, float32\n"
    )
    print("metric  once [s]  every step [s]  ratio (quartiles)    largest difference")
    for key in options.metrics:
        once, whole = classifier(key, options), classifier(key, options)
        tasks = {
            "once": lambda once=once: once.fit(X, y),
            "whole": lambda whole=whole: at_every_step(whole, X, y),
        }
        times = interleave(tasks, CPU, options.rounds, options.budget)
        gain = ratio(times["whole"], times["once"])
        difference = np.abs(once.predict_proba(X) - whole.predict_proba(X)).max()
        print(
            f"{key:6}  {statistics.median(times['once']):8.2f}  "
            f"{statistics.median(times['whole']):14.2f}  {gain.typical:5.1f} "
            f"({gain.low:.1f} to {gain.high:.1f})      {difference:.1e}",
            flush=True,
        )


if __name__ == "__main__":
    main()
