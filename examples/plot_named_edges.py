"""
From recordings to a table of named edges
=========================================

Which pairs of stocks move together more when the market is nervous? The way from
signals to an answer with names and corrected p-values: estimate a correlation matrix
for each recording, look at what else differs between recordings, test the covariate
given the others, and list the edges. The recordings are quarters of daily returns of
twenty stocks; brain recordings of subjects, with age and site in the place of
volatility and era, take the same steps.
"""

# %%
# Recordings and covariates
# -------------------------
# Prices of twenty stocks from 1990 to 2022, which ship with skfolio. A recording is a
# quarter of a year, about 63 days of returns. Its covariates: the volatility of a
# stock, as the average of the logarithms over stocks; the average return; and the era,
# which plays the part of a site. The volatility of an index would not do: it grows with
# the correlations of its stocks by definition.

import argparse
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from skfolio.datasets import load_sp500_dataset
from sklearn.linear_model import RidgeCV
from sklearn.model_selection import LeaveOneGroupOut
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from geomstats_cor import METRICS, correlations
from geomstats_cor.inference import MultivariateGeodesicRegression
from geomstats_cor.learning import Harmonizer, ToCoords

parser = argparse.ArgumentParser(description="Named edges of stocks.")
parser.add_argument(
    "--output",
    type=Path,
    default=Path("build/examples/named_edges.png"),
    help="where to write the figure (default: %(default)s)",
)
args = parser.parse_args()

returns = np.log(load_sp500_dataset()).diff().dropna()
recordings = {
    str(quarter): table
    for quarter, table in returns.groupby(returns.index.to_period("Q"))
    if len(table) > 50 and np.all(table.std() > 0.0)
}
print(f"{len(recordings)} quarters; a quarter in which a stock stood still is left out")
covariates = pd.DataFrame(
    {
        "volatility": {k: np.log(x.std()).mean() for k, x in recordings.items()},
        "trend": {k: 100 * x.mean().mean() for k, x in recordings.items()},
        "era": {
            k: "1990s" if k < "2000" else "2000s" if k < "2010" else "since 2010"
            for k in recordings
        },
    }
)
year = [name[:4] for name in recordings]
print(covariates.groupby("era").agg(["mean", "count"]).round(2))

# %%
# Matrices
# --------
# Sixty days for twenty stocks: sample correlations are far from the truth. All
# recordings are shrunk alike, by an amount that is learnt from how well one half of a
# quarter predicts the other. The names of stocks and quarters stay with the matrices.

stack = correlations(recordings)
print(f"\n{stack.note}")

# %%
# Which covariates matter?
# ------------------------
# Each term is tested given the others. Quarters of one year resemble each other, so
# years are blocks, and permutations exchange the quarters of a year among themselves;
# what distinguishes years, the era among it, is part of the model. One metric, OLM, is
# chosen before the test; the others, and two baselines that take correlations for free
# numbers, stand beside it to be compared, not to be picked from.

print("\np-values of the terms")
for key in ("entries", "fisher-z", *METRICS):
    model = MultivariateGeodesicRegression(key)
    model.fit(covariates, stack, blocks=year)
    tests = {
        term: model.test(term, n_permutations=999, rng=0, progress=False)
        for term in ("volatility", "trend")
    }
    print(f"{key:9}", *(f"{name} {t.p_value:.3f}  " for name, t in tests.items()))

# %%
# Which edges?
# ------------
# The effects are in units of correlation: by how much a correlation changes when
# volatility grows by a factor of e, at the mean matrix. The column `p_max_t` is
# corrected for all 190 pairs.

model = MultivariateGeodesicRegression("olm").fit(covariates, stack, blocks=year)
edges = model.edge_test("volatility", n_permutations=3999, rng=0, progress=False)
table = edges.table(alpha=0.05)
print(f"\n{edges}")
print(f"{len(table)} of {len(edges.p)} edges at the level of 5 %, corrected")
print(table.head(10).round(4).to_string())
network = model.network_test("volatility", n_permutations=999, rng=0, progress=False)
print(network)
worst = model.diagnostics().sort_values("cook").tail(3)
print(f"\nmost influential quarters\n{worst.round(3)}")

# %%
# Harmonise eras, and predict across them
# ---------------------------------------
# Is the relation of correlations and volatility the same in an era that the model has
# not seen? Each era is left out in turn. `Harmonizer` removes what is common to an era;
# that of the era left out is estimated from its matrices, without their volatility. It
# must not keep volatility as a covariate, since that is to be predicted.

volatility, era = covariates["volatility"].to_numpy(), covariates["era"].to_numpy()


def errors(features):
    """Return the share of variance within eras that is predicted in eras left out."""
    predicted, expected = np.empty(len(era)), np.empty(len(era))
    for train, test in LeaveOneGroupOut().split(era, groups=era):
        x = features(train)
        ridge = make_pipeline(StandardScaler(), RidgeCV(np.logspace(0, 4, 9)))
        answer = ridge.fit(x[train], volatility[train]).predict(x[test])
        predicted[test] = answer - answer.mean()
        expected[test] = volatility[test] - volatility[test].mean()
    return np.corrcoef(predicted, expected)[0, 1]


rows, columns = np.tril_indices(len(stack.variables), -1)
treatments = {
    "Fisher z": lambda train: np.arctanh(stack.values[:, rows, columns]),
    "OLM": lambda train: ToCoords("olm").fit(stack[train]).transform(stack),
}
for method in ("combat", "recentre"):

    def harmonized(train, method=method):
        harmonizer = Harmonizer("olm", method=method, new_sites="estimate")
        harmonizer.fit(stack[train], sites=era[train])
        moved = harmonizer.transform(stack, sites=era)
        return ToCoords("olm").fit(moved[train]).transform(moved)

    treatments[f"OLM, {method}"] = harmonized
print("\ncorrelation of predicted and true volatility within eras left out")
for name, features in treatments.items():
    print(f"{name:14} {errors(features):.2f}")

# %%
# The map
# -------
# On the left the effect of volatility on each correlation; on the right the edges that
# remain after correction.

names = list(edges.variables)
figure, axes = plt.subplots(1, 2, figsize=(12.0, 5.5), layout="constrained")
effect = edges.matrix()
limit = np.max(np.abs(effect))
for ax, matrix, title in zip(
    axes,
    (effect, np.where(edges.matrix("p_max_t") <= 0.05, effect, np.nan)),
    ("effect of volatility on correlations", "corrected p ≤ 0.05 (max-T)"),
    strict=True,
):
    image = ax.imshow(matrix, cmap="RdBu_r", vmin=-limit, vmax=limit)
    ax.set(title=title, xticks=range(len(names)), yticks=range(len(names)))
    ax.set_xticklabels(names, rotation=90)
    ax.set_yticklabels(names)
figure.colorbar(image, ax=axes, label="change of correlation per factor e")
args.output.parent.mkdir(parents=True, exist_ok=True)
figure.savefig(args.output, dpi=120)
print(f"\nfigure: {args.output}")
