"""Accuracy on real data: correlation networks beside simple and Riemannian yardsticks.

    python -m benchmarks.real_data --data DIR --document docs/reproduce.md

All networks have the same training (`NETWORK`). The power and the width are one of
`CHOICES`: the one of highest accuracy in validation inside the training part, a subject
held out where subjects are known, else five folds, five times. A problem that does not
choose takes the first. The chosen network alone is trained on the whole training part,
and its last epoch is tested. Each score is written to a file when it is computed, and
is not computed again.
"""

import argparse
import json
import re
import statistics
import time
from datetime import date
from importlib.metadata import version
from pathlib import Path

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from cornet_nn.command_line.fitting import stopped_by_keyboard
from cornet_nn.training import CorNetClassifier
from geomstats_cor import METRICS, kernels

from .real_problems import PROBLEMS, correlations

NETWORK = dict(
    optimizer="adamw",
    lr=3e-3,
    weight_decay=1.0,
    max_epochs=30,
    batch_size=30,
    center=True,
    progress=False,
)
# Linear in coordinates, or wide with a non-linearity.
CHOICES = [
    dict(power=power, activation=activation, out_channels=channels)
    for activation, channels in ((None, 1), ("relu", 16))
    for power in (1.0, 0.5, -0.5)
]


def main():
    """Compute, print and write the table."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.real_data")
    parser.add_argument("--data", type=Path, required=True, help="folder of .npz files")
    parser.add_argument("--output", type=Path, default=Path("build/real_data"))
    parser.add_argument("--only", nargs="+", choices=PROBLEMS, default=list(PROBLEMS))
    parser.add_argument("--methods", nargs="+", help="rows to compute; all by default")
    parser.add_argument(
        "--document", type=Path, help="Markdown file whose marked part is replaced"
    )
    arguments = parser.parse_args()
    arguments.output.mkdir(parents=True, exist_ok=True)
    for name in arguments.only:
        store = arguments.output / f"{name}.json"
        finished = json.loads(store.read_text()) if store.exists() else {}
        problem = PROBLEMS[name](arguments.data)
        finished["about"] = f"{problem.title}: {problem.split}"
        for method, score in methods():
            if method in finished or method not in (arguments.methods or [method]):
                continue
            start = time.perf_counter()
            finished[method] = score(problem)
            finished[method]["minutes"] = (time.perf_counter() - start) / 60.0
            store.write_text(json.dumps(finished, indent=1))
            print(name, method, json.dumps(finished[method]), flush=True)
    text = report(arguments.output)
    print(text)
    if arguments.document:
        replace_marked(arguments.document, text)


def methods():
    """Yield the names of methods, and functions that score them on a problem."""
    yield "LR on correlations", lambda p: yardstick(p, p.yardstick, np.asarray)
    yield "LR on log C", lambda p: yardstick(p, p.yardstick, kernels.sym_log)
    yield (
        "LR on log C, matrices of the networks",
        lambda p: yardstick(p, correlations(p.matrices), kernels.sym_log),
    )
    yield "MDM (affine-invariant)", mdm
    yield "SPDNet", spdnet
    for key in METRICS:
        yield f"CorNet-{key.upper()}", lambda p, key=key: cornet(p, key)


def yardstick(problem, matrices, function):
    """Score a logistic regression on standardised strict lower entries."""
    rows, columns = np.tril_indices(matrices.shape[-1], -1)
    features = function(matrices)[:, rows, columns]
    model = make_pipeline(
        StandardScaler(), LogisticRegression(C=problem.strength, max_iter=5000)
    )
    return _summary(_test_scores(problem, features, lambda train: model))


def mdm(problem):
    """Score the nearest affine-invariant mean."""
    from pyriemann.classification import MDM

    return _summary(_test_scores(problem, problem.matrices, lambda train: MDM()))


def spdnet(problem):
    """Score SPDNet on the matrices of the networks, with fixed settings."""
    from cornet_nn.reproduce.spd_classifier import SPDClassifier

    scores = [
        score
        for seed in range(problem.seeds)
        for score in _test_scores(
            problem,
            problem.matrices,
            lambda train, seed=seed: SPDClassifier(
                "SPDNet",
                sizes=(problem.output_size,),
                max_epochs=problem.spdnet_epochs,
                random_state=seed,
                progress=False,
            ),
        )
    ]
    return _summary(scores)


def cornet(problem, metric):
    """Score a correlation network, its options chosen inside each training part."""
    scores, together, validations, chosen = [], [], [], []
    for train, test in problem.splits:
        options, validation = choose(problem, metric, train)
        probabilities = [
            _fitted(problem, metric, options, train, seed).predict_proba(
                problem.matrices[test]
            )
            for seed in range(problem.seeds)
        ]
        scores += [_accuracy(p, problem.labels[test]) for p in probabilities]
        together.append(_accuracy(sum(probabilities), problem.labels[test]))
        validations.append(validation)
        chosen.append(options)
    summary = _summary(scores)
    if problem.seeds > 1:
        summary["ensemble"] = statistics.fmean(together)
    if problem.chooses:
        summary["validation"] = statistics.fmean(validations)
        summary["chosen"] = "; ".join(sorted({_plain(options) for options in chosen}))
    return summary


def choose(problem, metric, train):
    """Return the options of highest accuracy in validation, and that accuracy.

    Of options with the same accuracy, those of the least loss are taken.
    """
    if not problem.chooses:
        return CHOICES[0], None
    parts = problem.validation(train)
    results = [_validated(problem, metric, options, parts) for options in CHOICES]
    best = max(range(len(CHOICES)), key=lambda index: results[index])
    return CHOICES[best], results[best][0]


def _validated(problem, metric, options, parts):
    """Return accuracy in per cent and negative loss over held-out samples."""
    right, losses = [], []
    for seed, (inner, held_out) in enumerate(parts):
        model = _fitted(problem, metric, options, inner, seed)
        probabilities = model.predict_proba(problem.matrices[held_out])
        places = np.searchsorted(model.classes_, problem.labels[held_out])
        own = probabilities[np.arange(len(held_out)), places]
        right.append(probabilities.argmax(-1) == places)
        losses.append(-np.log(np.maximum(own, 1e-12)))
    accuracy = 100.0 * float(np.mean(np.concatenate(right)))
    return accuracy, -float(np.mean(np.concatenate(losses)))


def _fitted(problem, metric, options, train, seed):
    model = CorNetClassifier(
        metric,
        output_size=problem.output_size,
        random_state=seed,
        **NETWORK,
        **options,
    )
    with stopped_by_keyboard():
        return model.fit(problem.matrices[train], problem.labels[train])


def _test_scores(problem, features, make):
    scores = []
    for train, test in problem.splits:
        model = make(train).fit(features[train], problem.labels[train])
        right = model.predict(features[test]) == problem.labels[test]
        scores.append(100.0 * float(np.mean(right)))
    return scores


def _accuracy(probabilities, labels):
    """Return the accuracy in per cent; classes are the numbers 0, 1, ..."""
    return 100.0 * float(np.mean(probabilities.argmax(-1) == labels))


def _summary(scores):
    deviation = statistics.pstdev(scores) if len(scores) > 1 else None
    return {"mean": statistics.fmean(scores), "deviation": deviation}


def _plain(options):
    return ", ".join(f"{key}={value}" for key, value in options.items())


def report(folder):
    """Return the Markdown of all finished problems."""
    packages = ("torch", "scikit-learn", "spd_learn", "pyriemann")
    versions = ", ".join(f"{name} {version(name)}" for name in packages)
    parts = [f"Measured {date.today()} with {versions}."]
    for name in PROBLEMS:
        store = folder / f"{name}.json"
        if store.exists():
            parts.append(_section(json.loads(store.read_text())))
    return "\n\n".join(parts)


def _section(finished):
    lines = [
        f"**{finished['about']}**",
        "",
        "| method | test accuracy, % | five together | validation, % | chosen |",
        "|---|---|---|---|---|",
    ]
    names = [name for name, _ in methods() if name in finished]
    for name in names:
        result = finished[name]
        accuracy = f"{result['mean']:.1f}"
        if result["deviation"] is not None:
            accuracy += f" ± {result['deviation']:.1f}"
        ensemble = _number(result.get("ensemble"))
        validation = _number(result.get("validation"))
        lines.append(
            f"| {name} | {accuracy} | {ensemble} | {validation} | "
            f"{result.get('chosen', '')} |"
        )
    return "\n".join([*lines, "", _verdict(finished, names)])


def _verdict(finished, names):
    """Say how far the networks are ahead of the yardsticks, or behind."""
    networks = [name for name in names if name.startswith("CorNet")]
    if len(networks) in (0, len(names)):
        return ""
    chosen = max(networks, key=lambda name: finished[name].get("validation", 0.0))
    best = max(networks, key=lambda name: finished[name]["mean"])
    picks = {"best on the test part": best}
    if "validation" in finished[best]:
        picks = {"best in validation": chosen, **picks}
    sentences = []
    for reason, name in picks.items():
        margins = [
            f"{finished[name]['mean'] - finished[other]['mean']:+.1f} against {other}"
            for other in names
            if other not in networks
        ]
        sentences.append(f"{name}, {reason}: {', '.join(margins)}.")
    return " ".join(sentences)


def _number(value):
    return "" if value is None else f"{value:.1f}"


def replace_marked(document, text):
    """Replace what stands between the two marks of a document."""
    begin, end = "<!-- real data: begin -->", "<!-- real data: end -->"
    old = document.read_text(encoding="utf-8")
    pattern = re.compile(f"{begin}.*{end}", re.DOTALL)
    if not pattern.search(old):
        raise SystemExit(f"{document} has no marks {begin} and {end}.")
    new = pattern.sub(lambda _: f"{begin}\n{text}\n{end}", old)
    document.write_text(new, encoding="utf-8")


if __name__ == "__main__":
    main()
