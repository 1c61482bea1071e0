"""The networks learn."""

import numpy as np
import pytest
import torch
from kernels.matrices import random_correlation
from sklearn.linear_model import LogisticRegression

from cornet_nn import CorNet
from geomstats_cor import kernels

from .networks import KEYS


def train(model, x, y, steps, lr):
    optimizer = torch.optim.Adam(model.parameters(), lr=lr)
    for _ in range(steps):
        optimizer.zero_grad()
        torch.nn.functional.cross_entropy(model(x), y).backward()
        optimizer.step()
    return model


def accuracy(model, x, y):
    with torch.no_grad():
        return float((model(x).argmax(-1) == y).double().mean())


@pytest.mark.parametrize("key", KEYS)
def test_random_labels_are_learnt_by_heart(key):
    torch.manual_seed(0)
    rng = np.random.default_rng(1)
    x = torch.as_tensor(random_correlation(rng, 8, 30.0, (32, 2))).float()
    y = torch.as_tensor(rng.integers(0, 4, 32))
    model = CorNet(8, 5, 4, in_channels=2, metric=key)
    train(model, x, y, steps=150, lr=0.05)
    assert accuracy(model, x, y) == 1.0


def learnable_problem(seed, n=3, samples=400):
    """Return correlations whose label is hidden from linear functions of the entries.

    The class is the sign of a product of two entries of Theta.
    """
    rng = np.random.default_rng(seed)
    lower = np.tril(rng.standard_normal((samples, n, n)), -1)
    labels = (lower[:, 1, 0] * lower[:, 2, 1] > 0).astype(int)
    points = kernels.theta_inverse(lower + np.eye(n))
    return torch.as_tensor(points).float(), torch.as_tensor(labels)


@pytest.mark.parametrize("key", KEYS)
@pytest.mark.parametrize("seed", range(5))
def test_better_than_a_logistic_regression_on_entries(key, seed):
    torch.manual_seed(seed)
    x, y = learnable_problem(seed)
    fit, test = slice(0, 250), slice(250, None)
    rows, columns = np.tril_indices(3, -1)
    entries = x[:, rows, columns].numpy()
    baseline = LogisticRegression(max_iter=1000).fit(entries[fit], y[fit])
    linear = baseline.score(entries[test], y[test])
    model = CorNet(3, 6, 2, metric=key, activation=torch.tanh)
    train(model, x[fit], y[fit], steps=120, lr=0.05)
    assert accuracy(model, x[test], y[test]) > linear + 0.15
