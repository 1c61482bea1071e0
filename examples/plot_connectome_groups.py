"""
Telling patients from controls by their connectomes
===================================================

Do the brain networks of patients with schizophrenia move together differently from
those of healthy controls? Three answers, each under the five metrics of the library:
the means of the two groups, tests of equal means and equal dispersions, and how well a
classifier tells the groups apart. The correlations taken as numbers in a Euclidean
space, off the diagonal, are there for comparison.
"""

# %%
# The data
# --------
# One full-rank correlation matrix of 28 brain networks for each of 46 controls and 40
# patients. Its 378 coordinates outnumber the subjects by far: Hotelling's test is out
# of the question, and what stands in for it is made for high dimensions.

import argparse
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import RepeatedStratifiedKFold, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from geomstats_cor import (
    METRICS,
    FullRankCorrelationMatrices,
    equal_dispersions_test,
    equal_means_test,
)
from geomstats_cor.datasets import load_connectomes
from geomstats_cor.plotting import METRIC_COLORS

parser = argparse.ArgumentParser(description="Connectomes of patients and controls.")
parser.add_argument(
    "--output",
    type=Path,
    default=Path("build/examples/connectome_groups.png"),
    help="where to write the figure (default: %(default)s)",
)
args = parser.parse_args()

correlations, labels, _ = load_connectomes()
groups = np.array(["control", "patient"])[labels]
n = correlations.shape[-1]

# %%
# Means, and tests between the groups
# -----------------------------------
# Under the hypothesis that diagnosis tells nothing of the connectome, labels can be
# permuted. The statistics of the permuted groups are the distribution to compare with.

spaces = {key: FullRankCorrelationMatrices(n, equip=key) for key in METRICS}
means, dispersions = {}, {}
for key, space in spaces.items():
    means[key] = equal_means_test(correlations, groups, space, rng=0)
    dispersions[key] = equal_dispersions_test(correlations, groups, space, rng=0)

# %%
# A classifier
# ------------
# Logistic regression with a strong penalty, on standardised coordinates of the metric
# or on the correlations themselves, in 20 repetitions of 5-fold cross-validation. The
# coordinates of a subject depend on no other, so they may be computed once. All columns
# of features see the same splits.

rows, cols = np.tril_indices(n, k=-1)
features = {"correlations": correlations[:, rows, cols]}
features |= {key: space.metric.to_coords(correlations) for key, space in spaces.items()}

classifier = make_pipeline(StandardScaler(), LogisticRegression(C=0.01))
splits = RepeatedStratifiedKFold(n_splits=5, n_repeats=20, random_state=0)
accuracy = {
    name: cross_val_score(classifier, x, labels, cv=splits)
    for name, x in features.items()
}

header = f"{'':14}{'equal means':^20}{'equal dispersions':^20}{'accuracy':^18}"
print(header, f"{'':14}{'pseudo-F':>10}{'p':>8}", sep="\n", end="")
print(f"{'F':>12}{'p':>8}{'mean':>9}{'sd':>8}")
for name, scores in accuracy.items():
    row = f"{name:14}"
    if name in METRICS:
        row += f"{means[name].statistic:10.2f}{means[name].p_value:8.4f}"
        row += f"{dispersions[name].statistic:12.2f}{dispersions[name].p_value:8.3f}"
    else:
        row += " " * 38
    print(f"{row}{100 * scores.mean():8.1f}%{100 * scores.std(ddof=1):7.1f}%")

# %%
# The figure
# ----------
# Above, the mean of the controls and the step from there to the mean of the patients,
# under each metric. Below, on the left, the statistic of equal means beside its values
# for permuted labels; on the right, the accuracies of the classifier, one for each
# repetition.

palette = list(METRIC_COLORS.values())
figure = plt.figure(figsize=(14.0, 11.0), layout="constrained")
above, below = figure.subfigures(2, 1, height_ratios=(1.4, 1.0))

axes = above.subplots(2, len(METRICS), sharex=True, sharey=True)
for (ax_mean, ax_step), (key, test) in zip(axes.T, means.items(), strict=True):
    control, patient = test.means
    extent = (0.5, n + 0.5, n + 0.5, 0.5)
    ax_mean.imshow(control, cmap="RdBu_r", vmin=-0.8, vmax=0.8, extent=extent)
    ax_step.imshow(patient - control, cmap="PiYG_r", vmin=-0.3, vmax=0.3, extent=extent)
    ax_mean.set(title=key.upper(), yticks=[1, 10, 19, 28])
    ax_step.set(xlabel="network", xticks=[1, 10, 19, 28])
titles = {"controls": "correlation", "patients − controls": "difference"}
for row, (title, label) in zip(axes, titles.items(), strict=True):
    row[0].set_ylabel(f"{title}\nnetwork")
    above.colorbar(row[0].images[0], ax=row, extend="both", label=label)

ax_test, ax_accuracy = below.subplots(1, 2)
for place, (test, color) in enumerate(zip(means.values(), palette, strict=True)):
    null = test.null_distribution
    violin = ax_test.violinplot(null, [place], orientation="horizontal", widths=0.8)
    for body in violin["bodies"]:
        body.set(facecolor=color, alpha=0.5)
    for part in ("cbars", "cmins", "cmaxes"):
        violin[part].set(color=color, linewidth=1.0)
    ax_test.plot(test.statistic, place, "D", color=color, markeredgecolor="black")
    ax_test.annotate(
        f"p = {test.p_value:.4f}",
        (test.statistic, place),
        xytext=(0, 9),
        textcoords="offset points",
        ha="center",
    )
ax_test.set(
    title="equal means: observed statistic (diamond) and permuted labels",
    xlabel="pseudo-F",
    yticks=range(len(METRICS)),
    yticklabels=[key.upper() for key in METRICS],
)
ax_test.invert_yaxis()

names = list(accuracy)
scores = np.stack([100 * accuracy[name].reshape(20, 5).mean(axis=1) for name in names])
boxes = ax_accuracy.boxplot(
    scores.T, orientation="horizontal", patch_artist=True, widths=0.6
)
for box, color in zip(boxes["boxes"], ["0.7", *palette], strict=True):
    box.set(facecolor=color, alpha=0.6)
for median in boxes["medians"]:
    median.set(color="black")
ax_accuracy.axvline(100 * np.mean(labels == 0), color="0.45", ls="--")
ax_accuracy.annotate(
    "always “control”",
    (100 * np.mean(labels == 0), 0.03),
    xycoords=("data", "axes fraction"),
    xytext=(5, 0),
    textcoords="offset points",
    color="0.35",
)
ax_accuracy.set(
    title="accuracy of 5-fold cross-validation, 20 repetitions",
    xlabel="accuracy (%)",
    yticklabels=[name.upper() if name in METRICS else name for name in names],
)
ax_accuracy.invert_yaxis()
for ax in (ax_test, ax_accuracy):
    ax.title.set_fontsize(11)
    ax.grid(axis="x", alpha=0.3)

args.output.parent.mkdir(parents=True, exist_ok=True)
figure.savefig(args.output, dpi=130)
print(f"\nfigure: {args.output}")
