"""
What tells the five metrics apart
=================================

Three questions about a metric, each answered by a computation: which changes of the
variables does it not notice, how is it curved, and how fast do distances grow towards
the boundary?
"""

# %%
# Invariances
# -----------
# Take pairs of matrices, reorder the variables, flip signs of variables, or pass to the
# correlations of the inverse. By how much does the distance change?

import matplotlib.pyplot as plt
import numpy as np

from geomstats_cor import METRICS, FullRankCorrelationMatrices
from geomstats_cor.plotting import METRIC_COLORS, METRIC_MARKERS

n = 6
plain = FullRankCorrelationMatrices(n, equip=False)
first, second = plain.random_point(100, rng=0), plain.random_point(100, rng=1)
order = np.array([3, 0, 5, 1, 4, 2])
signs = np.array([1.0, -1.0, 1.0, 1.0, -1.0, -1.0])
changes = {
    "order of variables": lambda c: c[:, order][:, :, order],
    "signs of variables": lambda c: c * np.outer(signs, signs),
    "inverse": plain.cor_inversion,
}

figure, axes = plt.subplots(1, 3, figsize=(11, 3.4), sharey=True, layout="constrained")
for (name, change), ax in zip(changes.items(), axes, strict=True):
    for place, key in enumerate(METRICS):
        metric = FullRankCorrelationMatrices(n, equip=key).metric
        before = metric.dist(first, second)
        after = metric.dist(change(first), change(second))
        largest = np.max(np.abs(after / before - 1.0))
        print(f"{name:20}{key:6}{largest:10.1e}")
        ax.bar(place, max(largest, 1e-16), bottom=1e-17, color=METRIC_COLORS[key])
    ax.set(yscale="log", ylim=(1e-17, 20.0), title=name)
    ax.set_xticks(range(5), [key.upper() for key in METRICS])
axes[0].set_ylabel("largest relative change\nof the distance")

# %%
# Bars at the level of rounding mean *invariant*: order for OLM and LSM, signs for all
# but LSM, the inverse for LSM alone.

# %%
# Curvature
# ---------
# Four metrics are flat. PHCM is a product of hyperbolic spaces: its sectional curvature
# lies between -1, for planes within one row of the Cholesky factor, and 0, for planes
# across rows.

metric = FullRankCorrelationMatrices(n, equip="phcm").metric
base = plain.random_point(rng=2)
a, b = (plain.random_tangent_vec(base, 4000, rng=seed) for seed in (3, 4))
curvatures = metric.sectional_curvature(a, b, base)
print(f"PHCM: from {curvatures.min():.2f} to {curvatures.max():.2f}")

figure, ax = plt.subplots(figsize=(5.5, 3.2), layout="constrained")
ax.hist(curvatures, bins=60, color=METRIC_COLORS["phcm"])
ax.set(xlabel="sectional curvature of random planes", ylabel="number of planes")
ax.set_title("PHCM")

# %%
# How far the boundary is
# -----------------------
# Two variables with correlation *r*, and their distance from independence. The boundary
# is at infinite distance under all five, but distances grow differently: under ECM and
# LECM, which are the same for two variables, like 1 / sqrt(1 - r), under the others
# like a logarithm.

gaps = np.geomspace(1e-8, 0.9, 80)
pairs = np.array([[[1.0, 1.0 - gap], [1.0 - gap, 1.0]] for gap in gaps])
figure, ax = plt.subplots(figsize=(6, 4), layout="constrained")
for key in METRICS:
    metric = FullRankCorrelationMatrices(2, equip=key).metric
    distances = metric.dist(pairs, np.eye(2))
    style = {"color": METRIC_COLORS[key], "marker": METRIC_MARKERS[key]}
    if key == "ecm":  # below LECM, which is the same here
        style |= {"linewidth": 5.0, "markersize": 11.0}
    ax.plot(gaps, distances, label=key.upper(), markevery=8, **style)
ax.set(xscale="log", yscale="log", xlabel="1 − r", ylabel="distance from r = 0")
ax.invert_xaxis()
ax.grid(alpha=0.3)
ax.legend()
