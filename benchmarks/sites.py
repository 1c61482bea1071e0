"""What harmonisation does to the prediction of site, diagnosis and age.

    python -m benchmarks.sites abide_cc200_10sites.npz [--features olm fisher-z ...]

The file holds recordings of subjects one after the other, `X` [sum of L, n], their
lengths `L`, and `dx` (1 patient, 2 control), `site`, `age` and `sex` of each. Subjects
with a constant variable are left out. Matrices are estimated by Ledoit and Wolf's
shrinkage. Features are the coordinates of a metric at the Fréchet mean, the
correlations themselves ("entries") or their Fisher z.

Site is predicted in five folds; diagnosis and age with each site left out in turn,
whose location and scale are then estimated from its own matrices, without labels. All
else that is fitted is fitted on the training part. Linear support vector machine, C =
1, and kernel ridge, alpha = 1, on features scaled to a mean squared norm of one.
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
from geomstats_cor.inference.representations import representation_of
from geomstats_cor.learning._combat import Combat

FEATURES = ("entries", "fisher-z", *METRICS)
TREATMENTS = {
    "none": None,
    "recentred": {"scale": "none", "empirical_bayes": False},
    "ComBat": {"scale": "coordinate", "empirical_bayes": True},
}


def read(path):
    """Return correlations [N, n, n], and columns of the subjects."""
    data = np.load(path, allow_pickle=True)
    ends = np.cumsum(data["L"])
    signals = np.split(data["X"], ends[:-1])
    kept = [i for i, x in enumerate(signals) if np.all(x.max(axis=0) > x.min(axis=0))]
    correlations = []
    for i in kept:
        signal = signals[i].astype(float)
        covariance, _ = ledoit_wolf(
            (signal - signal.mean(axis=0)) / signal.std(axis=0), assume_centered=True
        )
        deviation = np.sqrt(np.diag(covariance))
        matrix = covariance / np.outer(deviation, deviation)
        matrix = 0.5 * (matrix + matrix.T)
        np.fill_diagonal(matrix, 1.0)
        correlations.append(matrix)
    columns = {name: data[name][kept] for name in ("dx", "site", "age", "sex", "id")}
    return np.stack(correlations), columns | {"frames": data["L"][kept]}


def features_of(correlations, name):
    """Return the vectors [N, d] of a representation at the mean."""
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


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("data")
    parser.add_argument("--features", nargs="+", default=FEATURES, choices=FEATURES)
    args = parser.parse_args()
    warnings.simplefilter("ignore")
    correlations, columns = read(args.data)
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
        vectors = features_of(correlations, name)
        for treatment, options in TREATMENTS.items():
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
