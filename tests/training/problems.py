"""Small problems for classifiers."""

import numpy as np
from kernels.matrices import random_correlation

from geomstats_cor import FullRankCorrelationMatrices


def correlations(seed=0, count=40, n=5, channels=None, classes=2, gap=0.6):
    """Return correlation matrices whose classes differ in their mean, and labels."""
    rng = np.random.default_rng(seed)
    batch = (count,) if channels is None else (count, channels)
    points = random_correlation(rng, n, 5.0, batch)
    labels = np.arange(count) % classes
    metric = FullRankCorrelationMatrices(n, equip="olm").metric
    steps = gap * rng.standard_normal((classes, n * (n - 1) // 2))[labels]
    if channels is not None:
        steps = np.repeat(steps[:, None], channels, axis=1)
    return metric.from_coords(metric.to_coords(points) + steps), labels


def covariances(seed=0, **options):
    """Return covariance matrices, the same correlations with other variances."""
    points, labels = correlations(seed, **options)
    scale = np.exp(np.random.default_rng(seed + 1).standard_normal(points.shape[:-1]))
    return scale[..., :, None] * points * scale[..., None, :], labels


def signals(seed=0, count=40, n=4, time=60):
    """Return signals whose channels mix differently in two classes, and labels."""
    rng = np.random.default_rng(seed)
    labels = np.arange(count) % 2
    mixing = np.eye(n) + 0.6 * rng.standard_normal((2, n, n))
    return mixing[labels] @ rng.standard_normal((count, n, time)), labels
