"""
Three decades of correlations between stocks
============================================

How closely stocks move together changes with the times. Here the daily returns of
twenty large American companies from 1990 to 2022, in six sectors, become one
correlation matrix per quarter. The series of matrices is treated as a path on the
manifold of correlation matrices: it is smoothed along the way, cut where its mean
changes, and sorted into regimes. The prices ship with skfolio, which comes with
``pip install '.[examples]'``.
"""

# %%
# The data
# --------
# A sector earns the average of its stocks. A quarter has 63 trading days, and quarters
# do not overlap. ``clean_points`` would name every quarter whose matrix is not a
# full-rank correlation matrix.

import argparse
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
from skfolio.datasets import load_sp500_dataset
from sklearn.cluster import KMeans
from sklearn.metrics import adjusted_rand_score

from geomstats_cor import METRICS, FullRankCorrelationMatrices, clean_points
from geomstats_cor.learning import PrincipalGeodesicAnalysis, ToCoords, smooth

parser = argparse.ArgumentParser(description="Correlations of stocks as a path.")
parser.add_argument(
    "--output",
    type=Path,
    default=Path("build/demo/asset_returns.png"),
    help="where to write the figure (default: %(default)s)",
)
args = parser.parse_args()

SECTORS = {
    "technology": ["AAPL", "AMD", "MSFT"],
    "banks": ["BAC", "JPM"],
    "industry": ["GE", "BBY", "HD", "WMT"],
    "staples": ["KO", "PEP", "PG"],
    "health": ["JNJ", "LLY", "MRK", "PFE", "UNH"],
    "energy": ["CVX", "RRC", "XOM"],
}
QUARTER = 63

prices = load_sp500_dataset()
daily = np.log(prices).diff().iloc[1:]
returns = np.stack([daily[stocks].mean(axis=1) for stocks in SECTORS.values()], axis=-1)
n = returns.shape[1]
count = len(returns) // QUARTER
quarters = returns[: count * QUARTER].reshape(count, QUARTER, n)
centered = quarters - quarters.mean(axis=1, keepdims=True)
covariances = centered.mT @ centered
points, report = clean_points(FullRankCorrelationMatrices.from_covariance(covariances))
print(report)

days = daily.index[: count * QUARTER].to_numpy().reshape(count, QUARTER)
starts = days[:, 0]
years = 1970.0 + days[:, QUARTER // 2].astype("datetime64[D]").astype(float) / 365.25

# %%
# Change points
# -------------
# In the coordinates of ``ToCoords`` a Fréchet mean is an average. The best cut of a
# stretch is the one that takes most off the sum of squared distances to the mean; it
# counts if fewer than 1 in 100 shuffles of the quarters have so good a cut. Then both
# sides are searched in the same way.


def gains(coords):
    """Return what each cut takes off the sum of squares, shape=[..., N - 1]."""
    size = coords.shape[-2]
    before = np.arange(1, size)
    sums = np.cumsum(coords - coords.mean(axis=-2, keepdims=True), axis=-2)[..., :-1, :]
    return np.sum(sums**2, axis=-1) * size / (before * (size - before))


def change_points(coords, rng, shuffles=300, shortest=4, first=0):
    """Return the places of changes of the mean, by binary segmentation."""
    size = len(coords)
    if size < 2 * shortest:
        return []
    inner = slice(shortest - 1, size - shortest)
    gain = gains(coords)[inner]
    orders = rng.permuted(np.tile(np.arange(size), (shuffles, 1)), axis=1)
    by_chance = gains(coords[orders])[:, inner].max(axis=1)
    if np.mean(by_chance >= gain.max()) >= 0.01:
        return []
    cut = shortest + int(np.argmax(gain))
    left = change_points(coords[:cut], rng, shuffles, shortest, first)
    right = change_points(coords[cut:], rng, shuffles, shortest, first + cut)
    return [*left, first + cut, *right]


# %%
# Regimes
# -------
# k-means in coordinates is k-means of the manifold for a flat metric, and its centres
# are Fréchet means. For PHCM it is done in the tangent space at the mean of all
# quarters. The regimes are numbered by the mean correlation of their centres.

lower = np.tril_indices(n, -1)


def regimes(key, k=3):
    """Return the regime of each quarter, and the centres as matrices."""
    to_coords = ToCoords(metric=key)
    coords = to_coords.fit_transform(points)
    means = KMeans(k, n_init=20, random_state=0).fit(coords)
    centers = to_coords.inverse_transform(means.cluster_centers_)
    order = np.argsort(centers[:, *lower].mean(axis=1))
    return coords, np.argsort(order)[means.labels_], centers[order]


print(f"\n{'metric':8}{'first PGA axis':>15}{'like OLM':>10}  changes")
results = {key: regimes(key) for key in METRICS}
changes = {}
for key, (coords, labels, _) in results.items():
    changes[key] = change_points(coords, np.random.default_rng(0))
    first = PrincipalGeodesicAnalysis(1, metric=key).fit(points)
    listed = ", ".join(str(starts[i].astype("datetime64[M]")) for i in changes[key])
    print(
        f"{key:8}{first.explained_variance_ratio_[0]:15.0%}"
        f"{adjusted_rand_score(labels, results['olm'][1]):10.2f}  {listed}"
    )

# %%
# The path
# --------
# Under OLM, which does not depend on the order of the sectors. The smooth path is the
# Fréchet mean with weights that decay over half a year; its speed is the distance
# that it covers in a year. Every point of the path is a correlation matrix.

space = FullRankCorrelationMatrices(n, equip="olm")
_, labels, centers = results["olm"]
grid = np.linspace(years[0], years[-1], 400)
path = smooth(points, years, space, bandwidth=0.5, at=grid)
speed = space.metric.dist(path[1:], path[:-1]) / np.diff(grid)
pga = PrincipalGeodesicAnalysis(2, metric="olm").fit(points)
scores, trace = pga.transform(points), pga.transform(path)

# %%
# The figure
# ----------

colors = ["#56B4E9", "#E69F00", "#8B1A4F"]
names = ["calm", "coupled", "crisis"]
markers = "os^"

figure = plt.figure(figsize=(13.0, 10.5), layout="constrained")
top, bottom = figure.subfigures(2, 1, height_ratios=(1.35, 1.0), hspace=0.04)
ax_price, ax_mean, ax_speed = top.subplots(
    3, 1, sharex=True, height_ratios=(1.2, 1.0, 0.7)
)

edges = 1970.0 + starts.astype("datetime64[D]").astype(float) / 365.25
edges = np.append(edges, 2 * edges[-1] - edges[-2])
value = np.exp(np.cumsum(quarters.sum(axis=1).mean(axis=-1)))
ax_price.plot(edges, np.append(1.0, value), color="0.15", lw=1.2)
ax_price.set(yscale="log", ylabel="value of 1 invested\nequally in 1990")
ax_price.set_yticks([1, 3, 10, 30], ["1", "3", "10", "30"])
ax_price.minorticks_off()
mean_correlation = points[:, *lower].mean(axis=1)
for regime, (color, name, marker) in enumerate(
    zip(colors, names, markers, strict=True)
):
    mine = labels == regime
    for ax in (ax_price, ax_mean, ax_speed):
        for begin, end in zip(edges[:-1][mine], edges[1:][mine], strict=True):
            ax.axvspan(begin, end, color=color, alpha=0.25, lw=0)
    style = {"color": color, "marker": marker, "ls": "", "ms": 5, "mec": "0.2"}
    ax_mean.plot(years[mine], mean_correlation[mine], label=name, mew=0.4, **style)
ax_mean.plot(
    grid, path[:, *lower].mean(axis=1), color="0.15", lw=1.5, label="smooth path"
)
ax_mean.set(ylabel="mean of the\ncorrelations")
ax_speed.plot(grid[1:], speed, color="0.15", lw=1.2)
ax_speed.set(ylabel="speed of the\npath, per year", xlim=(edges[0], edges[-1]))
ax_speed.set_ylim(bottom=0.0)
for ax in (ax_price, ax_mean, ax_speed):
    for place in changes["olm"]:
        label = "change point" if place == changes["olm"][0] else None
        ax.axvline(edges[place], color="0.15", ls="--", lw=1.0, label=label)
    ax.grid(alpha=0.3)
top.legend(*ax_mean.get_legend_handles_labels(), loc="outside upper center", ncols=5)

ax_path, *axes = bottom.subplots(1, 4, width_ratios=(1.5, 1.0, 1.0, 1.0))
ax_path.plot(*trace.T, color="0.35", lw=1.0, zorder=1)
for regime, (color, marker) in enumerate(zip(colors, markers, strict=True)):
    mine = labels == regime
    style = {"color": color, "marker": marker, "s": 22, "edgecolor": "0.2", "lw": 0.4}
    ax_path.scatter(*scores[mine].T, zorder=2, **style)
for year in (1990, 1994, 2000, 2009, 2017, 2022):
    here = trace[np.argmin(np.abs(grid - (year + 0.5)))]
    ax_path.annotate(
        str(year),
        here,
        fontsize=9,
        weight="bold",
        zorder=3,
        bbox={"boxstyle": "round,pad=0.15", "fc": "white", "ec": "0.6", "alpha": 0.85},
        ha="center",
        va="center",
    )
ratios = pga.explained_variance_ratio_
ax_path.set(
    title="quarters and smooth path, mid-years named",
    xlabel=f"first principal geodesic ({ratios[0]:.0%} of the variance)",
    ylabel=f"second ({ratios[1]:.0%})",
)
ax_path.grid(alpha=0.3)
for ax, center, name, regime in zip(axes, centers, names, range(3), strict=True):
    image = ax.imshow(center, cmap="cividis", vmin=0.0, vmax=1.0)
    for row, col in np.ndindex(n, n):
        color = "black" if center[row, col] > 0.45 else "white"
        text = f"{center[row, col]:.2f}".removeprefix("0")
        ax.text(col, row, text, ha="center", va="center", color=color, fontsize=8)
    ax.set_title(f"{name}: mean of {np.sum(labels == regime)} quarters")
    ax.set_xticks(range(n), SECTORS, rotation=45, ha="right")
    ax.set_yticks([])
axes[0].set_yticks(range(n), SECTORS)
bottom.colorbar(image, ax=axes, location="bottom", label="correlation", aspect=40)
for ax in (ax_path, *axes):
    ax.title.set_fontsize(11)

args.output.parent.mkdir(parents=True, exist_ok=True)
figure.savefig(args.output, dpi=130)
print(f"\nfigure: {args.output}")
