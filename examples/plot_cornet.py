"""
Build and train a CorNet in plain torch
=======================================

A network of two layers over correlation matrices, trained with an ordinary optimiser:
its parameters are free tensors. The task is to tell two processes apart by the
correlations of short recordings.
"""

# %%
# Data
# ----
# Two classes of signals with five channels. They differ a little in how channels are
# mixed, and every recording has scales of its own, which correlations do not see. It
# is cut into three windows, and each window becomes one correlation matrix: an input
# has shape [3, 5, 5], three channels for the network.

import matplotlib.pyplot as plt
import torch

from cornet_nn import CorNet
from geomstats_cor import FullRankCorrelationMatrices, frechet_mean

torch.manual_seed(0)
n, windows, length = 5, 3, 20
common = torch.eye(n) + 0.35 * torch.randn(n, n)
mixings = common + 0.1 * torch.randn(2, n, n)
labels = torch.arange(240) % 2
sources = torch.randn(240, windows, n, length)
scales = torch.exp(torch.randn(240, 1, n, 1))
signals = scales * (mixings[labels][:, None] @ sources)
covariances = signals @ signals.mT / length
points = FullRankCorrelationMatrices.from_covariance(covariances)
print(points.shape, points.dtype)

train, test = slice(0, 160), slice(160, 240)

# %%
# A network
# ---------
# A convolution takes three matrices of size 5 to one of size 4 under one metric, and a
# multinomial logistic regression separates the classes under another.

model = CorNet(n, 4, num_classes=2, in_channels=windows, metric="lecm", mlr="olm")
print(model)

# %%
# Training
# --------
# Nothing here is special to manifolds.

optimizer = torch.optim.Adam(model.parameters(), lr=0.02)
loss_function = torch.nn.CrossEntropyLoss()
losses, accuracies = [], []
for _ in range(60):
    optimizer.zero_grad()
    loss = loss_function(model(points[train]), labels[train])
    loss.backward()
    optimizer.step()
    with torch.no_grad():
        predicted = model(points[test]).argmax(dim=-1)
    losses.append(loss.item())
    accuracies.append((predicted == labels[test]).float().mean().item())
print(f"loss {losses[0]:.3f} -> {losses[-1]:.3f}, test accuracy {accuracies[-1]:.3f}")

figure, (left, right) = plt.subplots(1, 2, figsize=(9, 3.4), layout="constrained")
left.plot(losses)
left.set(xlabel="step", ylabel="training loss")
right.plot(accuracies)
right.set(xlabel="step", ylabel="test accuracy", ylim=(0.4, 1.02))

# %%
# Under the hood
# --------------
# The hidden representation is a correlation matrix again, so it can be looked at like
# one: here are the means of the hidden matrices of both classes.

with torch.no_grad():
    hidden = model.conv(points[test])[:, 0]
small = FullRankCorrelationMatrices(4, equip="lecm")
figure, axes = plt.subplots(1, 2, figsize=(6.5, 3.2), layout="constrained")
for label, ax in enumerate(axes):
    mean = frechet_mean(hidden[labels[test] == label], small)
    image = ax.imshow(mean, vmin=-1, vmax=1, cmap="RdBu_r")
    ax.set(xticks=[], yticks=[])
    ax.set_title(f"mean hidden matrix, class {label}", fontsize=10)
figure.colorbar(image, ax=axes, shrink=0.8)
