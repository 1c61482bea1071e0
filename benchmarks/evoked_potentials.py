"""Classification of steady-state evoked potentials, from signals to accuracies.

    python -m benchmarks.evoked_potentials FILE

FILE is an .npz of EEG recordings: X [N, channels, frames], scale [N], y, subject;
256 frames per second (the exoskeleton data of S. Chevallier, CC0). Each recording is
extended by copies filtered to 13, 17 and 21 Hz. Within each subject, four folds; the
same splits for all methods, and the same classifier, logistic regression with C = 0.01
on standardised features. The first rows are correlations under our metrics, shrunk by
the learnt amount and by 0.01. Baselines on the same extended signals: entries and
Fisher z of the same correlations, and pyriemann's tangent space and minimum distance to
mean, on covariances and on correlations. Covariances also know the power of a channel
in a band, which correlations do not, unless the signal itself is among the copies
(--with-signal): the correlation between a channel and its filtered copy is the root of
the part of its power in the band.
"""

import argparse
import warnings
from pathlib import Path

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler

from geomstats_cor import METRICS, Correlations
from geomstats_cor.data.extension import extend, require_bands
from geomstats_cor.learning import MinimumDistanceToMean, ToCoords

BANDS = [(12.5, 13.5), (16.5, 17.5), (20.5, 21.5)]
RATE = 256.0


def linear():
    """Return the classifier that all features share."""
    return make_pipeline(StandardScaler(), LogisticRegression(C=0.01, max_iter=2000))


def entries(stack):
    """Return the strict lower entries of correlation matrices."""
    return np.asarray(stack)[:, *np.tril_indices(stack.shape[-1], -1)]


def fisher(stack):
    """Return the Fisher z-transforms of the entries."""
    return np.arctanh(entries(stack))


def pipelines():
    """Return the pipelines by name."""
    amounts = {"learnt": "learn", "0.01": 0.01}
    found = {
        f"{key.upper()} coordinates, shrinkage {name}": make_pipeline(
            Correlations(amount=amount), ToCoords(key), linear()
        )
        for name, amount in amounts.items()
        for key in METRICS
    }
    found |= {
        f"{key.upper()} closest mean": make_pipeline(
            Correlations(), MinimumDistanceToMean(key)
        )
        for key in METRICS
    }
    found["entries"] = make_pipeline(
        Correlations(), FunctionTransformer(entries), linear()
    )
    found["Fisher z"] = make_pipeline(
        Correlations(), FunctionTransformer(fisher), linear()
    )
    try:
        from pyriemann.classification import MDM
        from pyriemann.estimation import Covariances
        from pyriemann.tangentspace import TangentSpace
    except ModuleNotFoundError:
        print("pyriemann is not installed: its rows are left out.")
        return found
    for kind, estimate in {
        "covariances": Covariances("lwf"),
        "correlations": make_pipeline(Correlations(), FunctionTransformer(np.asarray)),
    }.items():
        found[f"pyriemann tangent space, {kind}"] = make_pipeline(
            estimate, TangentSpace(), linear()
        )
        found[f"pyriemann MDM, {kind}"] = make_pipeline(estimate, MDM())
    return found


def main():
    """Print a table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("file", type=Path)
    parser.add_argument("--only", default="", help="part of the names of pipelines")
    parser.add_argument(
        "--with-signal", action="store_true", help="keep the unfiltered signal, too"
    )
    args = parser.parse_args()
    with np.load(args.file) as file:
        X = file["X"] * file["scale"][:, None, None].astype(float)
        y, subject = file["y"], file["subject"]
    filters = require_bands([None, *BANDS] if args.with_signal else BANDS, RATE)
    X = np.stack([extend(x.T, filters, (0,), "a recording").T for x in X])
    report = Correlations().fit(X[subject == subject[0]]).report_
    print(f"<!-- first subject: {report} -->")
    print("| features and classifier | accuracy % | between subjects |")
    print("|---|---|---|")
    for name, pipeline in pipelines().items():
        if args.only not in name:
            continue
        scores = []
        for person in np.unique(subject):
            of = subject == person
            folds = StratifiedKFold(4, shuffle=True, random_state=0)
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                score = cross_val_score(pipeline, X[of], y[of], cv=folds)
            scores.append(score.mean())
        print(
            f"| {name} | {100 * np.mean(scores):.1f} | ± {100 * np.std(scores):.1f} |",
            flush=True,
        )


if __name__ == "__main__":
    main()
