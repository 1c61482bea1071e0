"""
Means of brain connectomes under five metrics
=============================================

A functional connectome is a correlation matrix: an entry says how much two brain
networks of a subject at rest move together. Here 40 patients with schizophrenia and
46 healthy controls are summarised by one mean each, and the two means are joined by
a geodesic, under each of the five metrics of the library. Every metric keeps the
unit diagonal and positive definiteness; they differ in where the middle is.
"""

# %%
# The data
# --------
# One full-rank correlation matrix of 28 brain networks per subject.

import argparse
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

from geomstats_cor import METRICS, FullRankCorrelationMatrices, frechet_mean
from geomstats_cor.datasets import load_connectomes
from geomstats_cor.plotting import METRIC_COLORS, METRIC_MARKERS

parser = argparse.ArgumentParser(description="Means of connectomes, five metrics.")
parser.add_argument(
    "--output",
    type=Path,
    default=Path("build/demo/connectome_geodesics.png"),
    help="where to write the figure (default: %(default)s)",
)
args = parser.parse_args()

connectomes = load_connectomes()
controls = connectomes.correlations[connectomes.labels == 0]
patients = connectomes.correlations[connectomes.labels == 1]
n = controls.shape[-1]

# %%
# Two means and a geodesic per metric
# -----------------------------------
# The Fréchet variance of a group is the mean squared distance to its mean. Distances
# and variances have the unit of their metric, so they compare within a row of the
# table, not between rows; the smallest eigenvalue compares between rows.

times = np.linspace(0.0, 1.0, 41)
straight = times[:, None, None]

header = (
    f"{'':6}{'distance':>10}  {'Fréchet variance':^20}  {'smallest eigenvalue':^20}\n"
    f"{'metric':6}{'of means':>10}  {'controls':>10}{'patients':>10}"
    f"  {'controls':>10}{'patients':>10}"
)
print(header, "-" * len(header.splitlines()[1]), sep="\n")

geodesics, chords = {}, {}
for key in METRICS:
    space = FullRankCorrelationMatrices(n, equip=key)
    mean_controls = frechet_mean(controls, space)
    mean_patients = frechet_mean(patients, space)

    geodesic = space.metric.geodesic(
        initial_point=mean_controls, end_point=mean_patients
    )
    geodesics[key] = geodesic(times)
    chords[key] = (1.0 - straight) * mean_controls + straight * mean_patients

    distance = space.metric.dist(mean_controls, mean_patients)
    var_controls = np.mean(space.metric.squared_dist(controls, mean_controls))
    var_patients = np.mean(space.metric.squared_dist(patients, mean_patients))
    low_controls = np.linalg.eigvalsh(mean_controls)[0]
    low_patients = np.linalg.eigvalsh(mean_patients)[0]
    print(
        f"{key:6}{distance:10.3f}  {var_controls:10.2f}{var_patients:10.2f}"
        f"  {low_controls:10.4f}{low_patients:10.4f}"
    )

# %%
# What to compare
# ---------------
# The heat maps show, per metric, the mean of the controls, where it departs from the
# entrywise average of the same matrices, the step from controls to patients, and the
# bend: how far the geodesic leaves the straight line between the two means on the
# way. ECM, LECM and PHCM go through a Cholesky factor, which reads the networks in
# order: the networks read first and those read last fare differently. OLM and LSM do
# not depend on the order.
#
# The curves follow the determinant (how far from singular), the size of the bend, and
# the pair of networks on which the metrics disagree most about the step from controls
# to patients. The entrywise average, which belongs to none of the metrics, is dashed.

average = (1.0 - straight) * controls.mean(axis=0) + straight * patients.mean(axis=0)
bends = {key: geodesics[key] - chords[key] for key in METRICS}
steps = {key: path[-1] - path[0] for key, path in geodesics.items()}
disagreement = np.ptp(np.stack(list(steps.values())), axis=0)
row, col = sorted(np.unravel_index(np.argmax(disagreement), (n, n)))

# %%
# The figure
# ----------
# A colour map stands for one scale; all its panels share it.

scales = {
    "correlation": ("RdBu_r", 0.8),
    "difference of correlations": ("PiYG_r", 0.3),
    "geodesic − straight line": ("PuOr_r", 0.02),
}
correlation, difference, bend = scales
columns = [
    ("controls", correlation, lambda key: geodesics[key][0]),
    ("controls − average", difference, lambda key: geodesics[key][0] - average[0]),
    ("patients − controls", difference, lambda key: steps[key]),
    ("bend at $t$ = ¼", bend, lambda key: bends[key][10]),
    ("bend at $t$ = ½", bend, lambda key: bends[key][20]),
    ("bend at $t$ = ¾", bend, lambda key: bends[key][30]),
]

figure = plt.figure(figsize=(16.5, 10.0), layout="constrained")
maps, curves = figure.subfigures(1, 2, width_ratios=(2.7, 1.0), wspace=0.02)

axes = maps.subplots(len(METRICS), len(columns), sharex=True, sharey=True)
for axes_row, key in zip(axes, METRICS, strict=True):
    for ax, (_, scale, select) in zip(axes_row, columns, strict=True):
        cmap, limit = scales[scale]
        extent = (0.5, n + 0.5, n + 0.5, 0.5)
        ax.imshow(select(key), cmap=cmap, vmin=-limit, vmax=limit, extent=extent)
    axes_row[0].set_ylabel(f"{key.upper()}\nnetwork")
for ax, (title, _, _) in zip(axes[0], columns, strict=True):
    ax.set_title(title, fontsize=11)
    ax.set(xticks=[1, 10, 19, 28], yticks=[1, 10, 19, 28])
for ax in axes[-1]:
    ax.set_xlabel("network")
for scale, (_, limit) in scales.items():
    shared = axes[:, [column[1] == scale for column in columns]]
    maps.colorbar(
        shared[0, 0].images[0],
        ax=shared,
        location="bottom",
        extend="both",
        fraction=0.03,
        aspect=12 * shared.shape[1],
        ticks=np.linspace(-limit, limit, 3 if shared.shape[1] == 1 else 5),
        label=scale,
    )

ax_det, ax_bend, ax_entry = curves.subplots(3, 1, sharex=True)
for offset, key in enumerate(METRICS):
    style = {"color": METRIC_COLORS[key], "lw": 2.0, "label": key.upper()}
    style |= {"marker": METRIC_MARKERS[key], "markevery": (1 + 2 * offset, 10)}
    ax_det.plot(times, np.linalg.slogdet(geodesics[key])[1], **style)
    ax_bend.plot(times, np.linalg.norm(bends[key], axis=(-2, -1)), **style)
    ax_entry.plot(times, geodesics[key][:, row, col], **style)
dashed = {"color": "0.45", "lw": 1.5, "ls": "--", "label": "average"}
ax_det.plot(times, np.linalg.slogdet(average)[1], **dashed)
ax_entry.plot(times, average[:, row, col], **dashed)

ax_det.set(title="determinant along the geodesic", ylabel="log det")
ax_bend.set(title="size of the bend", ylabel="Frobenius norm")
ax_entry.set(
    title=f"the most disputed pair: networks {row + 1} and {col + 1}",
    ylabel="correlation",
    xlabel="$t$  (0: mean of controls, 1: mean of patients)",
    xlim=(0.0, 1.0),
)
for ax in (ax_det, ax_bend, ax_entry):
    ax.title.set_fontsize(11)
    ax.grid(alpha=0.3)
curves.legend(*ax_det.get_legend_handles_labels(), loc="outside upper center", ncols=3)

args.output.parent.mkdir(parents=True, exist_ok=True)
figure.savefig(args.output, dpi=160)
print(f"\nfigure: {args.output}")
