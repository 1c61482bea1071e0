"""How often tests of covariates, edges and networks reject true hypotheses.

    python -m benchmarks.calibration [--runs 400] [--output docs/tables/calibration.md]

Matrices are exponentials of normal vectors at a point away from the identity. Under a
true hypothesis at most 5 % of the tests at the level of 5 % may reject; the last column
is the binomial 99 % interval of that. Bands count as rejecting where they miss the
truth. The last rows show what goes wrong when blocks are not told: differences between
subjects drown those within, or are taken for evidence many times over.
"""

import argparse
import functools
import warnings
from pathlib import Path

import numpy as np
import scipy.stats
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline

from geomstats_cor import FullRankCorrelationMatrices
from geomstats_cor.inference import (
    MultivariateGeodesicRegression,
    adjusted_means_test,
    coefficient_test,
)
from geomstats_cor.learning import Harmonizer, ToCoords

LEVEL = 0.05
OPTIONS = dict(n_permutations=99, progress=False)


@functools.cache
def space_of(key, n):
    return FullRankCorrelationMatrices(n, equip=key)


def matrices(key, n, coords):
    """Return matrices of given coordinates about a point away from the identity."""
    space = space_of("olm" if key == "fisher-z" else key, n)
    center = space.metric.exp_coords(np.full(space.dim, 0.3), np.eye(n))
    return space.metric.exp_coords(coords, center)


def noise(rng, number, n, scale=0.4):
    """Return vectors of unequal variances."""
    d = n * (n - 1) // 2
    return scale * rng.standard_normal((number, d)) * np.linspace(0.5, 1.5, d)


def one_term(key, rng, n=3, number=20):
    points = matrices(key, n, noise(rng, number, n))
    model = MultivariateGeodesicRegression(key).fit(
        {"x": rng.normal(size=number)}, points
    )
    return model.test("x", rng=rng, **OPTIONS).p_value


def given_another(key, rng, n=5, number=20):
    """Test x given z, where z matters and x goes with z."""
    z = rng.standard_normal(number)
    x = 0.7 * z + 0.7 * rng.standard_normal(number)
    coords = noise(rng, number, n) + 0.2 * z[:, None]
    model = MultivariateGeodesicRegression(key)
    model.fit({"x": x, "z": z}, matrices(key, n, coords))
    return model.test("x", rng=rng, **OPTIONS).p_value


def groups_given_age(key, rng, n=4, number=24):
    """Test three groups given age, in which they differ."""
    group = np.arange(number) % 3
    age = group + rng.standard_normal(number)
    coords = noise(rng, number, n) + 0.2 * age[:, None]
    points = matrices(key, n, coords)
    options = OPTIONS | {"rng": rng}
    return adjusted_means_test(points, group, key, {"age": age}, **options).p_value


def visits(key, rng, told=True, n=4, subjects=8, each=3):
    """Test the visit, within subjects that differ a lot."""
    subject = np.repeat(np.arange(subjects), each)
    coords = noise(rng, len(subject), n, 0.15) + noise(rng, subjects, n, 0.5)[subject]
    visit = np.tile(np.arange(each), subjects).astype(float)
    points = matrices(key, n, coords)
    model = MultivariateGeodesicRegression(key)
    model.fit({"visit": visit}, points, blocks=subject if told else None)
    return model.test("visit", rng=rng, **OPTIONS).p_value


def windows(key, rng, told=True, n=4, subjects=12, each=3):
    """Test a group of subjects, of each of which there are several windows."""
    subject = np.repeat(np.arange(subjects), each)
    coords = noise(rng, len(subject), n, 0.15) + noise(rng, subjects, n, 0.4)[subject]
    group = (subject % 2).astype(float)
    points = matrices(key, n, coords)
    model = MultivariateGeodesicRegression(key)
    model.fit({"group": group}, points, blocks=subject if told else None)
    return model.test("group", rng=rng, **OPTIONS).p_value


def sites(key, rng, treatment, n=4, number=40):
    """Test groups that are unequally frequent on two sites of unequal noise."""
    site = np.arange(number) % 2
    group = (rng.random(number) < np.where(site == 0, 0.25, 0.75)).astype(float)
    coords = noise(rng, number, n, 0.25) * (1.0 + 0.6 * site[:, None])
    points = matrices(key, n, coords + 0.2 * site[:, None])
    options = OPTIONS | {"rng": rng}
    if treatment == "block":
        test = functools.partial(adjusted_means_test, blocks=site, exchange="within")
        return test(points, group, key, **options).p_value
    if treatment != "covariate":
        kept = {"covariates": {"group": group}} if treatment == "group kept" else {}
        points = Harmonizer(key).fit_transform(points, sites=site, **kept)
        return adjusted_means_test(points, group, key, **options).p_value
    covariates = {"site": site.astype(str)}
    return adjusted_means_test(points, group, key, covariates, **options).p_value


def edges(key, rng, what, pooled=False, n=6, number=24):
    """Return the smallest corrected p-value of the edges of x given z."""
    z = rng.standard_normal(number)
    x = 0.5 * z + rng.standard_normal(number)
    coords = noise(rng, number, n) + 0.2 * z[:, None]
    model = MultivariateGeodesicRegression(key)
    model.fit({"x": x, "z": z}, matrices(key, n, coords))
    # A p-value of one edge must be able to pass the correction for all.
    options = (
        OPTIONS if pooled or what != "p_fdr" else OPTIONS | {"n_permutations": 399}
    )
    return np.min(
        getattr(model.edge_test("x", rng=rng, pooled=pooled, **options), what)
    )


def networks(key, rng, measure, n=8, number=24):
    """Return the p-value of the largest network of x given z."""
    z = rng.standard_normal(number)
    x = 0.5 * z + rng.standard_normal(number)
    coords = noise(rng, number, n) + 0.2 * z[:, None]
    model = MultivariateGeodesicRegression(key)
    model.fit({"x": x, "z": z}, matrices(key, n, coords))
    test = model.network_test("x", 2.0, measure, rng=rng, **OPTIONS)
    return test.networks[0].p_value if test.networks else 1.0


def coefficients(key, rng, kind, n=4, number=20):
    points = matrices(key, n, noise(rng, number, n))
    pipeline = make_pipeline(ToCoords(key), LogisticRegression(C=0.1))
    options = OPTIONS | {"n_permutations": 39, "rng": rng}
    labels = np.arange(number) % 2
    test = coefficient_test(pipeline, points, labels, kind=kind, **options)
    return np.min(test.p_max_t)


def bands(key, rng, simultaneous, n=4, number=30):
    """Return zero if bands at x = 1 miss the truth, one otherwise."""
    x = rng.standard_normal(number)
    slope = 0.1 * np.ones(n * (n - 1) // 2)
    points = matrices(key, n, noise(rng, number, n, 0.2) + x[:, None] * slope)
    model = MultivariateGeodesicRegression(key).fit({"x": x}, points)
    low, _, high = model.bands({"x": [1.0]}, 1 - LEVEL, simultaneous, 399, rng)
    truth = matrices(key, n, slope)
    inside = (low[0] <= truth) & (truth <= high[0])
    return float(np.all(inside)) if simultaneous else float(inside[1, 0])


TRUE = {
    "a covariate alone": one_term,
    "a covariate given another": given_another,
    "three groups given age": groups_given_age,
    "visits within subjects": visits,
    "groups of subjects with three windows each": windows,
    "groups on two sites, the site a covariate": functools.partial(
        sites, treatment="covariate"
    ),
    "groups on two sites, exchanged within": functools.partial(
        sites, treatment="block"
    ),
    "edges, max-T: any edge": functools.partial(edges, what="p_max_t"),
    "edges, FDR: any edge": functools.partial(edges, what="p_fdr"),
    "edges, pooled FDR: any edge": functools.partial(edges, what="p_fdr", pooled=True),
    "networks, extent": functools.partial(networks, measure="extent"),
    "networks, intensity": functools.partial(networks, measure="intensity"),
    "coefficients, pattern: any edge": functools.partial(coefficients, kind="pattern"),
    "coefficients, weights: any edge": functools.partial(coefficients, kind="weights"),
    "bands of one correlation": functools.partial(bands, simultaneous=False),
    "bands of all correlations": functools.partial(bands, simultaneous=True),
}
WRONG = {
    "visits, subjects not told": functools.partial(visits, told=False),
    "groups of subjects with windows, not told": functools.partial(windows, told=False),
    "groups, sites harmonised with the group kept": functools.partial(
        sites, treatment="group kept"
    ),
    "groups, sites harmonised, group not kept": functools.partial(
        sites, treatment="group not kept"
    ),
}


NO_BASELINE = ("coefficients", "bands", "groups, sites harmonised")
WRONG_WAY = {
    "visits, subjects not told": "too few: no power",
    "groups of subjects with windows, not told": "too many",
    "groups, sites harmonised with the group kept": "too many",
    "groups, sites harmonised, group not kept": "too few: less power",
}


def rejections(p_value, key, runs):
    """Return how many of the p-values are at most the level."""
    values = [p_value(key, np.random.default_rng([2026, run])) for run in range(runs)]
    return sum(value <= LEVEL + 1e-12 for value in values)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=400)
    parser.add_argument("--output", type=Path, default=None)
    parser.add_argument("--metrics", nargs="+", default=["olm", "phcm", "fisher-z"])
    args = parser.parse_args()
    warnings.simplefilter("ignore")
    low, high = scipy.stats.binom.interval(0.99, args.runs, LEVEL) / np.array(args.runs)
    names = " | ".join(key.upper() if len(key) < 5 else key for key in args.metrics)
    lines = [f"| test | {names} | expected |", "|---" * (2 + len(args.metrics)) + "|"]
    print(*lines, sep="\n", flush=True)
    for name, p_value in (TRUE | WRONG).items():
        cells = []
        for key in args.metrics:
            if key == "fisher-z" and name.startswith(NO_BASELINE):
                cells.append("–")
                continue
            share = rejections(p_value, key, args.runs) / args.runs
            cells.append(f"{100 * share:.1f}")
        expected = WRONG_WAY.get(name, f"{100 * low:.1f} to {100 * high:.1f}")
        lines.append(f"| {name} | {' | '.join(cells)} | {expected} |")
        print(lines[-1], flush=True)
    if args.output:
        args.output.write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
