"""How the library compares with its peers, as tables of the documentation.

    pip install '.[compare]'
    python -m benchmarks.compare_libraries

writes docs/tables/features.md, what each library has, and docs/tables/compare.md, what
was measured. Times are ratios, interleaved in one process. `--parts features` or
`--parts numbers` writes one of the two tables and keeps the other.
"""

import argparse
import datetime
import os
import platform
import warnings
from importlib.metadata import version
from pathlib import Path

os.environ["GEOMSTATS_BACKEND"] = "pytorch"  # tensors, as the other libraries take

import numpy as np  # noqa: E402
import torch  # noqa: E402

from geomstats_cor import (  # noqa: E402
    METRICS,
    FullRankCorrelationMatrices,
    learning,
)

from . import features  # noqa: E402
from .cells import OPERATIONS, forward, forward_backward  # noqa: E402
from .logarithms import (  # noqa: E402
    gradient_at_gap,
    gradient_at_identity,
    logarithm,
    second_derivative_error,
)
from .matrices import correlations_of_condition  # noqa: E402
from .peer import Worker  # noqa: E402
from .probes.names import LIBRARIES  # noqa: E402
from .report import markdown  # noqa: E402
from .timing import CPU, interleave, ratio  # noqa: E402

_PARTS = ("features", "numbers")


def distances():
    """Return a distance of each library: of correlations, or of covariances."""
    import geoopt
    import pyriemann.geometry.distance
    import spd_learn.functional

    from .peer import geomstats_space

    return {
        "geomstats-cor": FullRankCorrelationMatrices(4, equip="olm").metric.dist,
        "geomstats": geomstats_space("olm", 4).metric.dist,
        "pyriemann": pyriemann.geometry.distance.distance_logeuclid,
        "spd_learn": spd_learn.functional.log_euclidean_distance,
        "geoopt": geoopt.SymmetricPositiveDefinite().dist,
    }


def geometry_table(n, batch, cap):
    """Return rows: times of geomstats over ours, both on numpy arrays."""
    worker = Worker()
    rows = []
    for key in METRICS:
        row = [key.upper()]
        for operation in OPERATIONS:
            request = {"metric": key, "operation": operation, "n": n}
            request |= {"batch": batch, "rounds": 5, "budget": cap / 8}
            row.append(_comparison(worker.ask(request, cap), cap))
        rows.append(row)
    worker.close()
    return ["metric", *OPERATIONS], rows


def _comparison(answer, cap):
    if answer is None:
        return f"more than {cap:g} s"
    if "error" in answer:
        return answer["error"].split(":")[0]
    wrong = (
        ""
        if answer["difference"] < 1e-6
        else f", differs by {answer['difference']:.0e}"
    )
    return f"{answer['ours']:.3g}{wrong}"


def logarithm_table(n, batch):
    """Return rows about the logarithm of symmetric matrices, a block all share."""
    points = torch.as_tensor(correlations_of_condition(batch, n, 100.0))
    tasks = {"eigh": lambda: torch.linalg.eigh(points)}
    functions = {library: logarithm(library) for library in LIBRARIES}
    for name, function in functions.items():
        tasks[name] = forward(function, (points,))
        tasks[name, "both"] = forward_backward(function, (points,))
    times = interleave(tasks, CPU, rounds=9, budget=20.0)

    def of(task):
        return f"{ratio(times[task], times['eigh']).typical:.2f}"

    rows = [
        ["forward, in eigendecompositions", *(of(name) for name in LIBRARIES)],
        ["forward and backward", *(of((name, "both")) for name in LIBRARIES)],
    ]
    probes = {
        "gradient at the identity": gradient_at_identity,
        "gradient where eigenvalues differ by 1e-9: error": lambda f: (
            f"{gradient_at_gap(f):.0e}"
        ),
        "second derivative: error": lambda f: f"{second_derivative_error(f):.0e}",
        "`torch.vmap`": lambda f: _works(torch.vmap(f), points[:2]),
        "`torch.compile(fullgraph=True)`": lambda f: _works(
            torch.compile(f, fullgraph=True), points[:2]
        ),
        "numpy arrays and torch tensors in one process": _takes_both,
    }
    for name, probe in probes.items():
        rows.append([name, *(_outcome(probe, functions[lib]) for lib in LIBRARIES)])
    return ["", *LIBRARIES], rows


def _outcome(probe, *arguments):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return probe(*arguments)
        except Exception as error:
            return f"raises {type(error).__name__}"


def _works(function, *arguments):
    try:
        function(*arguments)
    except Exception:
        return "no"
    return "yes"


def _takes_both(function):
    point = np.eye(3)[None]
    answers = function(point), function(torch.as_tensor(point))
    kinds = [type(x).__module__.split(".")[0] for x in answers]
    return "yes" if kinds == ["numpy", "torch"] else "no"


def behaviour_table():
    """Return rows about bad input and scikit-learn's checks."""
    found = distances()
    batch = torch.eye(4, dtype=torch.float64).repeat(3, 1, 1)
    batch[1, 0, 1] = batch[1, 1, 0] = 1.5
    rows = [
        [
            "distance, second matrix of three indefinite",
            *(_outcome(_on_bad_input, found[lib], batch) for lib in LIBRARIES),
        ],
        ["scikit-learn's `check_estimator`", *_estimator_checks()],
    ]
    return ["", *LIBRARIES], rows


def _on_bad_input(dist, batch):
    try:
        answer = dist(batch, torch.eye(4, dtype=torch.float64).expand(3, 4, 4))
    except Exception as error:
        named = "[1]" in str(error) or "Batch element 1" in str(error)
        return f"{type(error).__name__}, {'names' if named else 'does not name'} it"
    return (
        "NaN, in silence" if bool(torch.isnan(answer).any()) else "a number, in silence"
    )


def _estimator_checks():
    from geomstats.learning.frechet_mean import FrechetMean
    from pyriemann.classification import MDM
    from sklearn.utils.estimator_checks import check_estimator

    from .peer import geomstats_space

    estimators = {
        "geomstats-cor": learning.MinimumDistanceToMean(on_bad="repair"),
        "geomstats": FrechetMean(geomstats_space("olm", 4)),
        "pyriemann": MDM(),
    }
    cells = []
    for library in LIBRARIES:
        if library not in estimators:
            cells.append("no estimators")
            continue
        name = type(estimators[library]).__name__
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            results = check_estimator(estimators[library], on_fail=None, on_skip=None)
        passed = sum(result["status"] == "passed" for result in results)
        failed = sum(result["status"] == "failed" for result in results)
        cells.append(f"`{name}`: {passed} pass, {failed} fail")
    return cells


def _geometry_lines(n, args):
    return [
        f"**Time of geomstats divided by ours**, numpy arrays, float64, n = {n}, "
        f"batch {args.batch}.",
        "",
        *markdown(*geometry_table(n, args.batch, args.cap)),
    ]


def main():
    """Write the tables."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--output", type=Path, default=Path("docs/tables/compare.md"))
    parser.add_argument("--parts", nargs="+", choices=_PARTS, default=_PARTS)
    parser.add_argument("--sizes", type=int, nargs="+", default=[5, 28])
    parser.add_argument("--batch", type=int, default=30)
    parser.add_argument("--cap", type=float, default=20.0, help="seconds for one call")
    args = parser.parse_args()
    if "features" in args.parts:
        features.write(args.output.with_name("features.md"))
    if "numbers" in args.parts:
        write_numbers(args)


def write_numbers(args):
    """Write what was measured, with the date and the versions."""
    versions = [f"{name} {version(name)}" for name in LIBRARIES]
    versions += [
        f"{name} {version(name)}" for name in ("numpy", "torch", "scikit-learn")
    ]
    lines = [
        "<!-- python -m benchmarks.compare_libraries -->",
        "",
        f"Measured on {datetime.date.today()} with {', '.join(versions)}, Python "
        f"{platform.python_version()}, one thread of a {platform.machine()} processor.",
        "",
        *(line for n in args.sizes for line in _geometry_lines(n, args)),
        "**The logarithm of symmetric positive definite matrices**, a building block "
        "that all five libraries have; torch, float64, "
        f"n = {args.sizes[-1]}, batch {args.batch}.",
        "",
        *markdown(*logarithm_table(args.sizes[-1], args.batch)),
        "**Behaviour.**",
        "",
        *markdown(*behaviour_table()),
    ]
    args.output.parent.mkdir(parents=True, exist_ok=True)
    args.output.write_text("\n".join(lines), encoding="utf-8")
    print("\n".join(lines))


if __name__ == "__main__":
    main()
