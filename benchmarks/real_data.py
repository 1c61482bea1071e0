"""Accuracy on real data: the classifiers with their defaults beside a regression.

    python -m benchmarks.real_data --data DIR --document docs/reproduce.md

For each metric, `CorMLRClassifier` and `CorNetClassifier` with nothing set but the
metric and the seed, beside scikit-learn's logistic regression on the coordinates of the
same metric, standardised, with its C chosen by cross-validation inside the training
part. Nothing is chosen by a test part. Each score is written to a file when it is
computed, and is not computed again.
"""

import argparse
import re
import statistics
import warnings
from datetime import date
from importlib.metadata import version
from pathlib import Path

import numpy as np
from sklearn.decomposition import PCA
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, StratifiedGroupKFold, StratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from cornet_nn.runner import Results, Trial, on_cluster
from cornet_nn.training import CorMLRClassifier, CorNetClassifier
from geomstats_cor import METRICS, FullRankCorrelationMatrices, kernels

from .real_problems import FURTHER, PROBLEMS, correlations

METHODS = ("LR", "CorMLR", "network", "CorNet")
STRENGTHS = 10.0 ** np.arange(-4.0, 2.1)
FOLDS = 5


def main():
    """Compute, print and write the table."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.real_data")
    parser.add_argument("--data", type=Path, help="folder of .npz files")
    parser.add_argument("--output", type=Path, default=Path("build/real_data"))
    known = PROBLEMS | FURTHER
    parser.add_argument("--only", nargs="+", choices=known, default=list(PROBLEMS))
    parser.add_argument("--methods", nargs="+", choices=METHODS, default=list(METHODS))
    parser.add_argument("--jobs", type=int, help="trainings at a time")
    parser.add_argument("--cluster", help="address of a scheduler of dask")
    parser.add_argument(
        "--document", type=Path, help="Markdown file whose marked part is replaced"
    )
    arguments = parser.parse_args()
    if arguments.data is None and not FURTHER.keys() >= {*arguments.only}:
        parser.error("--data is required: the folder of the .npz files")
    titles, rows = {}, []
    stored = Results(arguments.output, resume=True)
    with on_cluster(arguments.cluster), stored as results:
        for name in arguments.only:
            problem = known[name](arguments.data)
            titles[name] = f"{problem.title}: {problem.split}"
            for method in arguments.methods:
                for metric in METRICS:
                    what = problem, name, method, metric
                    rows += compute(results, *what, arguments.jobs)
    text = report(rows, titles)
    print(text)
    if arguments.document:
        replace_marked(arguments.document, text)


def compute(results, problem, name, method, metric, jobs):
    """Return the scores of a method on a problem, kept or computed."""
    inputs, seeds = problem.matrices, 1 if "LR" in method else problem.seeds
    if method == "LR":
        matrices = correlations(problem.matrices)
        space = FullRankCorrelationMatrices(matrices.shape[-1], equip=metric)
        inputs = space.metric.to_coords(kernels.cor(matrices))
    trials = [
        Trial(
            dict(problem=name, method=method, metric=metric, split=split, seed=seed),
            estimator(problem, method, metric, seed, train),
            train,
            test,
        )
        for split, (train, test) in enumerate(problem.splits)
        for seed in range(seeds)
    ]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        samples = inputs, problem.labels, problem.groups
        table = results.run(trials, *samples, jobs=jobs, progress=True)
    return table.to_dict("records")


def estimator(problem, method, metric, seed, train):
    """Return a classifier with its defaults, or the regression to compare with.

    scikit-learn's logistic regression takes standardised coordinates; rotations leave
    it as it is, and save time for few samples.
    """
    if method == "LR":
        model = make_pipeline(
            StandardScaler(), PCA(), LogisticRegression(max_iter=1000)
        )
        grid = {"logisticregression__C": STRENGTHS}
        return GridSearchCV(model, grid, cv=_folds(problem, train))
    options = dict(random_state=seed, progress=False)
    if method == "CorMLR":
        return CorMLRClassifier(metric, **options)
    if method == "network":  # without the regression beside it
        options["C"] = None
    return CorNetClassifier(metric, **options)


def _folds(problem, train):
    """Return folds of a training part, whole subjects where they are known."""
    labels = problem.labels[train]
    if problem.groups is None:
        folds = StratifiedKFold(FOLDS, shuffle=True, random_state=0)
        return list(folds.split(labels, labels))
    groups = problem.groups[train]
    count = min(FOLDS, len(np.unique(groups)))
    folds = StratifiedGroupKFold(count, shuffle=True, random_state=0)
    return list(folds.split(labels, labels, groups))


def report(rows, titles):
    """Return the Markdown of all finished cells."""
    versions = ", ".join(f"{k} {version(k)}" for k in ("torch", "scikit-learn"))
    scores = {}
    for row in rows:
        place = row["problem"], row["method"], row["metric"]
        scores.setdefault(place, []).append(100.0 * row["accuracy"])
    results = {
        place: dict(
            mean=statistics.fmean(values),
            deviation=statistics.stdev(values) if len(values) > 1 else None,
        )
        for place, values in scores.items()
    }
    lines = [
        f"Measured {date.today()} with {versions}. Test accuracy, %; ± is the "
        f"deviation over splits and seeds.",
        "",
        "| data | metric | LR | `CorMLRClassifier()` | network alone | "
        "`CorNetClassifier()` |",
        "|---|---|---|---|---|---|",
    ]
    for name, title in titles.items():
        for metric in METRICS:
            row = [results.get((name, method, metric)) for method in METHODS]
            if any(row):
                words = " | ".join(map(_cell, row))
                lines.append(f"| {title} | {metric} | {words} |")
    return "\n".join(
        [*lines, "", *(_verdict(results, method) for method in METHODS[1:])]
    )


def _cell(result):
    if result is None:
        return ""
    if result["deviation"] is None:
        return f"{result['mean']:.1f}"
    return f"{result['mean']:.1f} ± {result['deviation']:.1f}"


def _verdict(results, method):
    """Say how far a classifier is ahead of the regression, or behind."""
    margins = {
        (name, metric): result["mean"] - results[name, "LR", metric]["mean"]
        for (name, own, metric), result in results.items()
        if own == method and (name, "LR", metric) in results
    }
    if not margins:
        return ""
    by_problem = [
        statistics.fmean(v for (other, _), v in margins.items() if other == name)
        for name in {name for name, _ in margins}
    ]
    behind = sorted((v, k) for k, v in margins.items() if v < -1.0)
    listed = ", ".join(f"{name} {metric} {v:+.1f}" for v, (name, metric) in behind)
    return (
        f"- {method} - LR: {statistics.fmean(margins.values()):+.2f} points over "
        f"{len(margins)} cells; above it on average on "
        f"{sum(v > 0 for v in by_problem)} of {len(by_problem)} data sets; more than "
        f"one point below in {len(behind)} cells{': ' + listed if listed else ''}."
    )


def replace_marked(document, text, name="real data"):
    """Replace what stands between the two marks of a document with a name."""
    begin, end = f"<!-- {name}: begin -->", f"<!-- {name}: end -->"
    old = document.read_text(encoding="utf-8")
    pattern = re.compile(f"{begin}.*{end}", re.DOTALL)
    if not pattern.search(old):
        raise SystemExit(f"{document} has no marks {begin} and {end}.")
    new = pattern.sub(lambda _: f"{begin}\n{text}\n{end}", old)
    document.write_text(new, encoding="utf-8")


if __name__ == "__main__":
    main()
