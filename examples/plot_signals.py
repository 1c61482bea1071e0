"""
From signals to a classifier, with names all the way
====================================================

An armband of eight electrodes records the electric activity of the muscles of a
forearm (EMG) while a hand rests, or shows rock, paper, scissors or okay. Here the raw
recordings, a long table, become correlation matrices of named electrodes; the matrices
are classified, looked at, and saved. The same steps serve EEG: a table or an array of
signals, bands of frequencies, and a pipeline. The recordings ship with geomstats.
"""

# %%
# A long table
# ------------
# Two people, two sessions each. A column says which gesture is being shown; what has
# the same gesture without a break is one recording. The first and the last second of
# each are left out, as the hand is still moving.

import argparse
import warnings
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
from geomstats.datasets.utils import load_emg
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import LeaveOneGroupOut, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler

from geomstats_cor import METRICS, Correlations, equal_means_test, frechet_mean
from geomstats_cor.learning import (
    KNearestNeighbors,
    MinimumDistanceToMean,
    OutlierDetector,
    PrincipalGeodesicAnalysis,
    ToCoords,
)
from geomstats_cor.plotting import plot_matrix

parser = argparse.ArgumentParser(description="Correlations of muscle signals.")
parser.add_argument(
    "--output",
    type=Path,
    default=Path("build/demo/signals.png"),
    help="where to write the figure (default: %(default)s)",
)
args = parser.parse_args()

RATE = 250  # frames per second
table = load_emg().rename(columns={"label": "gesture", "exp": "session"})
table = table.rename(columns={f"c{i}": f"electrode {i + 1}" for i in range(8)})
changes = table[["gesture", "session"]].ne(table[["gesture", "session"]].shift())
table["recording"] = changes.any(axis=1).cumsum()
place = table.groupby("recording").cumcount()
length = table.groupby("recording")["time"].transform("size")
table = table[(place >= RATE) & (place < length - RATE)].drop(columns="time")
print(table.groupby("session")["recording"].nunique())

# %%
# Correlation matrices
# --------------------
# ``Correlations`` groups the table by its key, cuts recordings into windows of two
# seconds, and estimates all matrices alike: one amount of shrinkage, learnt from how
# well correlations repeat between the halves of windows. The columns that describe a
# recording become covariates, and the number of frames travels with the matrices.

estimation = Correlations(
    key="recording", covariates=["gesture", "session"], window=2 * RATE
)
stack = estimation.fit_transform(table)
print(stack)
print(stack.note)
print(stack.covariates.value_counts("gesture"))

# %%
# Means have names
# ----------------
# The Fréchet mean of each gesture is a data frame of electrodes. Neighbours on the
# forearm go together, and each gesture has its own pattern.

means = {name: frechet_mean(part, "olm") for name, part in stack.groups("gesture")}
off = 1.0 - np.eye(8)
pairs = {name: (mean * off).stack().idxmax() for name, mean in means.items()}
for name, (one, other) in pairs.items():
    print(f"{name}: most correlated are {one} and {other}")

resting = stack[(stack.covariates["gesture"] == "rest").to_numpy()]

# %%
# Which gesture?
# --------------
# Sessions are left out in turn: windows of one session resemble each other, and would
# flatter a classifier that saw some of them. Baselines beside the five metrics are the
# entries and their Fisher z-transforms. Chance is 20 %. Correlations do not know how
# strong a muscle is, which tells most about a gesture, and four sessions do not rank
# metrics: they show that the pipeline runs from end to end.


def entries(matrices):
    """Return the strict lower entries."""
    return np.asarray(matrices)[:, *np.tril_indices(8, -1)]


def linear():
    """Return the classifier that all features share."""
    return make_pipeline(StandardScaler(), LogisticRegression(max_iter=2000))


models = {
    "entries": make_pipeline(FunctionTransformer(entries), linear()),
    "Fisher z": make_pipeline(
        FunctionTransformer(lambda x: np.arctanh(entries(x))), linear()
    ),
}
models |= {key.upper(): make_pipeline(ToCoords(key), linear()) for key in METRICS}
models["closest mean, OLM"] = MinimumDistanceToMean("olm")
models["neighbours, OLM"] = KNearestNeighbors(9, "olm")
models["neighbours by angle, OLM"] = KNearestNeighbors(9, "olm", "angle")
gesture, session = (stack.covariates[c].to_numpy(dtype=str) for c in stack.covariates)
scores = {
    name: cross_val_score(model, stack, gesture, groups=session, cv=LeaveOneGroupOut())
    for name, model in models.items()
}
for name, score in scores.items():
    print(f"{name}: {score.mean():.1%}")

# %%
# Probabilities, outliers, components
# -----------------------------------
# ``predict_proba`` of the closest mean is calibrated in ``fit``. Windows that are far
# from all others of their gesture are worth a look at the recording. The first
# principal geodesic of the gestures says which correlations change most.

train, test = session != session[-1], session == session[-1]
closest = MinimumDistanceToMean("olm").fit(stack[train], gesture[train])
confidence = closest.predict_proba(stack[test]).max(axis=1)
correct = closest.predict(stack[test]) == gesture[test]
print(f"mean confidence {confidence.mean():.2f}, correct {correct.mean():.2f}")

detector = OutlierDetector("olm").fit(resting)
strange = resting[detector.predict(resting) == -1]
print(f"{len(strange)} of {len(resting)} windows of rest are outliers")

pga = PrincipalGeodesicAnalysis(n_components=2, metric="olm").fit(stack)
component = pga.component_matrix(0)
print(f"first component: {pga.explained_variance_ratio_[0]:.0%} of the variance")

# %%
# Do the means of two gestures differ? The test takes the labelled matrices, and would
# warn if the groups were recorded with different numbers of frames. Windows of one
# recording are not independent; one matrix per recording is.

whole = Correlations(key="recording", covariates=["gesture", "session"])
recordings = whole.fit_transform(table)
two = recordings[recordings.covariates["gesture"].isin(["rest", "rock"]).to_numpy()]
with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # recordings differ in length by a few frames
    print(equal_means_test(two, two.covariates["gesture"], "olm", rng=0))

# %%
# Save and read
# -------------
# One file holds the matrices, the names of electrodes, the covariates and how the
# matrices were made.

args.output.parent.mkdir(parents=True, exist_ok=True)
stack.save(args.output.with_suffix(".npz"))
again = type(stack).load(args.output.with_suffix(".npz"))
print(again, again.covariates.columns.tolist())

# %%
# A figure
# --------

figure = plt.figure(figsize=(12, 7), layout="constrained")
upper, lower = figure.subfigures(2, 1, height_ratios=(1.1, 1.0))
axes = upper.subplots(1, 5)
for ax, (name, mean) in zip(axes, means.items(), strict=True):
    image = plot_matrix(mean, ax=ax)
    ax.set_title(name)
    if ax is not axes[0]:
        ax.set_yticklabels([])
upper.colorbar(image, ax=list(axes), label="mean correlation", shrink=0.8)
left, right = lower.subplots(1, 2, width_ratios=(1.0, 1.4))
limit = float(np.abs(component.to_numpy()).max())
image = plot_matrix(component, ax=left, vmin=-limit, vmax=limit)
left.set_title("first component: change of correlations")
lower.colorbar(image, ax=left)
order = list(scores)[::-1]
right.barh(order, [100.0 * scores[name].mean() for name in order], color="#4477AA")
for row, name in enumerate(order):
    right.plot(100.0 * scores[name], [row] * len(scores[name]), "k.", markersize=4)
right.axvline(20.0, color="gray", linewidth=0.8, linestyle="--")
right.set(xlabel="accuracy in a session that was left out, %", xlim=(0.0, 100.0))
figure.savefig(args.output, dpi=120)
