"""What harmonisation does to the prediction of site, diagnosis and age.

    python -m benchmarks.sites abide_cc200_10sites.npz [--features olm fisher-z ...]
    python -m benchmarks.sites abide_cc200_10sites.npz --shrinkage 0.1 0.3 0.5

The file holds recordings of subjects one after the other, `X` [sum of L, n], their
lengths `L`, and `dx` (1 patient, 2 control), `site`, `age` and `sex` of each. Subjects
with a constant variable are left out. Matrices are estimated by Ledoit and Wolf's
shrinkage. Features are the coordinates of a metric at the Fréchet mean, the
correlations themselves ("entries"), their Fisher z, what nilearn's
`ConnectivityMeasure` makes of the signals, and pyriemann's tangent space of the same
correlations. Means are those of all subjects, without labels.

Site is predicted in five folds; diagnosis and age with each site left out in turn,
whose location and scale are then estimated from its own matrices, without labels. All
else that is fitted is fitted on the training part. Linear support vector machine, C =
1, and kernel ridge, alpha = 1, on features scaled to a mean squared norm of one.

With `--shrinkage`, sample correlations are shrunk by each amount, the same for all
subjects, instead of Ledoit and Wolf's; the last row chooses among them by the diagnosis
with each of the training sites left out in turn.
"""

import argparse
import time
import warnings

import numpy as np
from sklearn.covariance import ledoit_wolf
from sklearn.kernel_ridge import KernelRidge
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import LeaveOneGroupOut, StratifiedKFold
from sklearn.svm import SVC

from geomstats_cor import METRICS
from geomstats_cor.inference.explained import with_few_columns
from geomstats_cor.inference.representations import representation_of
from geomstats_cor.learning._combat import Combat

PEERS = ("nilearn correlation", "nilearn tangent", "pyriemann tangent")
FEATURES = ("entries", "fisher-z", *METRICS, *PEERS)
TREATMENTS = {
    "none": None,
    "recentred": {"scale": "none", "empirical_bayes": False},
    "ComBat": {"scale": "coordinate", "empirical_bayes": True},
}


def read(path):
    """Return recordings [frames, n] of each subject, and columns of the subjects."""
    data = np.load(path, allow_pickle=True)
    ends = np.cumsum(data["L"])
    signals = np.split(data["X"], ends[:-1])
    kept = [i for i, x in enumerate(signals) if np.all(x.max(axis=0) > x.min(axis=0))]
    columns = {name: data[name][kept] for name in ("dx", "site", "age", "sex", "id")}
    return [signals[i].astype(float) for i in kept], columns


def correlations_of(signals, amount=None):
    """Return correlations [N, n, n], shrunk by an amount or by Ledoit and Wolf."""
    matrices = []
    for signal in signals:
        scaled = (signal - signal.mean(axis=0)) / signal.std(axis=0)
        if amount is None:
            covariance, _ = ledoit_wolf(scaled, assume_centered=True)
        else:
            covariance = (1.0 - amount) * scaled.T @ scaled / len(scaled)
            covariance[np.diag_indices_from(covariance)] += amount
        deviation = np.sqrt(np.diag(covariance))
        matrix = covariance / np.outer(deviation, deviation)
        matrix = 0.5 * (matrix + matrix.T)
        np.fill_diagonal(matrix, 1.0)
        matrices.append(matrix)
    return np.stack(matrices)


def features_of(signals, correlations, name):
    """Return the vectors [N, d] of a representation at the mean."""
    if name.startswith("nilearn"):
        from nilearn.connectome import ConnectivityMeasure

        kind = name.split()[1]
        measure = ConnectivityMeasure(
            kind=kind, vectorize=True, discard_diagonal=kind == "correlation"
        )
        return measure.fit_transform(signals)
    if name.startswith("pyriemann"):
        from pyriemann.tangentspace import TangentSpace

        return TangentSpace().fit_transform(correlations)
    representation = representation_of(name, correlations.shape[-1])
    base = representation.mean(correlations)
    return representation.coords(correlations, base)


def harmonized(vectors, sites, covariates, train, options):
    """Return vectors without the effects of sites, learnt from the training rows."""
    if options is None:
        return vectors
    names, members = np.unique(sites[train], return_inverse=True)
    model = Combat(**options).fit(vectors[train], members, covariates[train])
    result = vectors.copy()
    for site in np.unique(sites):
        rows = np.flatnonzero(sites == site)
        if site in names:
            effect = model.effects[int(np.flatnonzero(names == site)[0])]
        else:
            effect = model.estimate(vectors[rows], covariates[rows])
        result[rows] = model.remove(vectors[rows], covariates[rows], effect)
    return result


def gram(vectors, train):
    """Return inner products about the training mean, of mean square one."""
    centered = (vectors - vectors[train].mean(axis=0)).astype(np.float32)
    products = (centered @ centered.T).astype(float)
    return products / np.mean(np.diag(products)[train])


def predict_site(vectors, columns, options):
    """Return the accuracy of predicting the site, in five folds."""
    sites, hits = columns["site"], []
    nothing = np.zeros((len(sites), 0))
    folds = StratifiedKFold(5, shuffle=True, random_state=0)
    for train, test in folds.split(vectors, sites):
        products = gram(harmonized(vectors, sites, nothing, train, options), train)
        model = SVC(kernel="precomputed").fit(
            products[np.ix_(train, train)], sites[train]
        )
        hits.append(model.predict(products[np.ix_(test, train)]) == sites[test])
    return np.mean(np.concatenate(hits))


def predict_across_sites(vectors, columns, options):
    """Return accuracy and AUC of diagnosis, and errors of age, each site left out."""
    sites, dx, age = columns["site"], columns["dx"], columns["age"].astype(float)
    kept = np.column_stack([age, columns["sex"]]).astype(float)
    kept -= kept.mean(axis=0)
    nothing = np.zeros((len(sites), 0))
    right, area, ages = [], [], np.empty(len(age))
    for train, test in LeaveOneGroupOut().split(vectors, groups=sites):
        products = gram(harmonized(vectors, sites, kept, train, options), train)
        square, other = products[np.ix_(train, train)], products[np.ix_(test, train)]
        model = SVC(kernel="precomputed").fit(square, dx[train])
        right.append(model.predict(other) == dx[test])
        area.append(roc_auc_score(dx[test], model.decision_function(other)))
        # Age itself must not be kept where it is to be predicted.
        products = gram(harmonized(vectors, sites, nothing, train, options), train)
        square, other = products[np.ix_(train, train)], products[np.ix_(test, train)]
        mean = age[train].mean()
        ridge = KernelRidge(kernel="precomputed", alpha=1.0)
        ages[test] = mean + ridge.fit(square, age[train] - mean).predict(other)
    within = np.mean(
        [np.corrcoef(ages[sites == s], age[sites == s])[0, 1] for s in np.unique(sites)]
    )
    return (
        np.mean(np.concatenate(right)),
        np.mean(area),
        np.mean(np.abs(ages - age)),
        np.corrcoef(ages, age)[0, 1],
        within,
    )


def diagnosis(vectors, columns, rows, options):
    """Return how many diagnoses among rows are right, each site left out in turn."""
    some = {name: column[rows] for name, column in columns.items()}
    sites = np.unique(some["site"])
    right = [_of_site(vectors[rows], some, site, options) for site in sites]
    return np.concatenate(right)


def compare_shrinkage(signals, columns, names, amounts):
    """Print the accuracy of diagnosis by amount of shrinkage, and by a choice of it."""
    print("| features | shrinkage | as they are | recentred |\n|---|---|---|---|")
    treatments = [TREATMENTS["none"], TREATMENTS["recentred"]]
    everybody, sites = np.arange(len(signals)), columns["site"]
    for name in names:
        by_amount = {}
        for amount in amounts:
            correlations = correlations_of(signals, amount)
            vectors = with_few_columns(features_of(signals, correlations, name))
            by_amount[amount] = vectors
            row = [
                np.mean(diagnosis(vectors, columns, everybody, options))
                for options in treatments
            ]
            print(f"| {name} | {amount} | {_percents(row)} |", flush=True)
        row = []
        for options in treatments:
            right = []
            for site in np.unique(sites):
                inside = np.flatnonzero(sites != site)
                scores = {
                    amount: np.mean(diagnosis(vectors, columns, inside, options))
                    for amount, vectors in by_amount.items()
                }
                best = by_amount[max(scores, key=scores.get)]
                right.append(_of_site(best, columns, site, options))
            row.append(np.mean(np.concatenate(right)))
        print(f"| {name} | chosen | {_percents(row)} |", flush=True)


def _of_site(vectors, columns, site, options):
    """Return which diagnoses of a site are right, learnt from all others."""
    sites, dx = columns["site"], columns["dx"]
    kept = np.column_stack([columns["age"], columns["sex"]]).astype(float)
    train, test = np.flatnonzero(sites != site), np.flatnonzero(sites == site)
    products = gram(harmonized(vectors, sites, kept, train, options), train)
    model = SVC(kernel="precomputed")
    model.fit(products[np.ix_(train, train)], dx[train])
    return model.predict(products[np.ix_(test, train)]) == dx[test]


def _percents(numbers):
    return " | ".join(f"{100 * number:.1f}" for number in numbers)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("data")
    parser.add_argument("--features", nargs="+", default=FEATURES, choices=FEATURES)
    parser.add_argument("--treatments", nargs="+", default=tuple(TREATMENTS))
    parser.add_argument("--shrinkage", nargs="+", type=float)
    args = parser.parse_args()
    warnings.simplefilter("ignore")
    signals, columns = read(args.data)
    if args.shrinkage:
        compare_shrinkage(signals, columns, args.features, args.shrinkage)
        return
    correlations = correlations_of(signals)
    sites = columns["site"]
    _, sizes = np.unique(sites, return_counts=True)
    patients, age = np.mean(columns["dx"] == 1), columns["age"]
    print(
        f"{len(sites)} subjects, {len(sizes)} sites; always the largest site: "
        f"{100 * sizes.max() / len(sites):.1f} %; always the larger diagnosis: "
        f"{100 * max(patients, 1 - patients):.1f} %; always the mean age: "
        f"{np.abs(age - age.mean()).mean():.2f} years"
    )
    print("| features | sites | site % | diagnosis % | AUC | age MAE | r | within |")
    print("|---|---|---|---|---|---|---|---|")
    for name in args.features:
        start = time.perf_counter()
        whole = features_of(signals, correlations, name)
        few = with_few_columns(whole)
        for treatment in args.treatments:
            options = TREATMENTS[treatment]
            # A scale for each coordinate is all that depends on the axes.
            vectors = whole if treatment == "ComBat" else few
            site = predict_site(vectors, columns, options)
            accuracy, area, error, r, within = predict_across_sites(
                vectors, columns, options
            )
            print(
                f"| {name} | {treatment} | {100 * site:.1f} | {100 * accuracy:.1f} | "
                f"{area:.3f} | {error:.2f} | {r:.2f} | {within:.2f} |",
                flush=True,
            )
        print(f"<!-- {name}: {time.perf_counter() - start:.0f} s -->", flush=True)


if __name__ == "__main__":
    main()
