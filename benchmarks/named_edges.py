"""From recordings of subjects to named edges, on a file of several sites.

    python -m benchmarks.named_edges abide_cc200_10sites.npz [--metrics olm fisher-z]

The steps of `examples/plot_named_edges.py` on the recordings that `benchmarks.sites`
reads: the default estimation, a regression on diagnosis, age, sex and site, a test of
each term given the others, edges of diagnosis and age with corrected p-values, and
networks. Matrices are exchanged within sites.
"""

import argparse
import time
import warnings

import pandas as pd

from benchmarks.sites import read
from geomstats_cor import Correlations
from geomstats_cor.inference import MultivariateGeodesicRegression


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("data")
    parser.add_argument("--metrics", nargs="+", default=["olm", "ecm", "fisher-z"])
    parser.add_argument("--permutations", type=int, default=999)
    args = parser.parse_args()
    warnings.simplefilter("ignore")
    signals, columns = read(args.data)
    regions = [f"region {i + 1}" for i in range(signals[0].shape[1])]
    people = [f"{name}" for name in columns["id"]]
    recordings = {
        person: pd.DataFrame(signal, columns=regions)
        for person, signal in zip(people, signals, strict=True)
    }
    stack = Correlations(progress=False).fit_transform(recordings)
    print(f"{stack.note}\n")
    table = pd.DataFrame(
        {
            "diagnosis": pd.Series(columns["dx"]).map({1: "autism", 2: "control"}),
            "age": columns["age"].astype(float),
            "sex": columns["sex"].astype(str),
            "site": columns["site"].astype(str),
        }
    ).set_axis(people)
    options = dict(n_permutations=args.permutations, rng=0, progress=False)
    for metric in args.metrics:
        start = time.perf_counter()
        model = MultivariateGeodesicRegression(metric)
        model.fit(table.drop(columns="site"), stack, blocks=table["site"])
        print(f"## {metric}: R2 {model.r2_:.3f}")
        for term in ("diagnosis", "age"):
            print(model.test(term, exchange="within", **options))
            edges = model.edge_test(term, exchange="within", pooled=True, **options)
            found = edges.table(alpha=0.05)
            print(f"{edges}; {len(found)} with max-T below 0.05")
            print(f"{len(edges.table(0.05, 'fdr'))} with FDR below 0.05")
            print(found.head(8).round(4).to_string(index=False))
            networks = model.network_test(term, 3.5, exchange="within", **options)
            print(networks)
        print(f"<!-- {time.perf_counter() - start:.0f} s -->\n", flush=True)


if __name__ == "__main__":
    main()
