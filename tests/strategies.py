"""Strategies of hypothesis for correlation matrices, tangent vectors and metrics."""

import numpy as np
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from kernels.matrices import scaled_to_unit_diagonal

from geomstats_cor import METRICS, FullRankCorrelationMatrices

KEYS = tuple(METRICS)

SMALLEST_EIGENVALUE = 1e-6

properties = settings(max_examples=12, deadline=None, derandomize=True)


def equipped(n, key, **parameters):
    """Return the space with a metric, and parameters for it."""
    space = FullRankCorrelationMatrices(n, equip=False)
    space.equip_with_metric(key, **parameters)
    return space


def slack(*points):
    """Return the relative error that rounding of the points alone may cause."""
    return 50 * np.finfo(float).eps * max(np.linalg.cond(point) for point in points)


def hollow(entries):
    """Return symmetric hollow matrices from their strict lower entries."""
    n = round((1 + np.sqrt(1 + 8 * entries.shape[-1])) / 2)
    matrix = np.zeros((*entries.shape[:-1], n, n))
    rows, columns = np.tril_indices(n, -1)
    matrix[..., rows, columns] = matrix[..., columns, rows] = entries
    return matrix


def _entries(n):
    numbers = st.floats(-1.0, 1.0, allow_subnormal=False)
    return hnp.arrays(float, n * (n - 1) // 2, elements=numbers)


@st.composite
def correlations(draw, n):
    """Draw correlation matrices: near the identity, ordinary, or close to singular."""
    rows = np.eye(n)
    scale = draw(st.sampled_from([1.0, 0.2, 1e-7, 5.0]))
    rows[np.tril_indices(n, -1)] = scale * draw(_entries(n))
    matrix = scaled_to_unit_diagonal(rows @ rows.T)
    return scaled_to_unit_diagonal(matrix + SMALLEST_EIGENVALUE * np.eye(n))


@st.composite
def tangent_vectors(draw, metric, point):
    """Draw tangent vectors whose length in a metric is at most two."""
    vector = hollow(draw(_entries(len(point))))
    length = draw(st.sampled_from([1.0, 0.1, 2.0, 0.0]))
    norm = metric.norm(vector, point)
    return vector * (length / norm) if norm > 0.0 else vector


def positive():
    """Draw positive numbers of ordinary size."""
    return st.floats(0.2, 5.0)


@st.composite
def parameters(draw, key, n):
    """Draw parameters of a metric, one for each of its degrees of freedom."""
    if key == "phcm":
        return dict(weights=draw(st.lists(positive(), min_size=n - 1, max_size=n - 1)))
    if key not in ("olm", "lsm"):
        return {}
    # Numbers on the three pieces that permutations split the image space into.
    alpha, standard, trivial = (draw(positive()) for _ in range(3))
    first = (standard - alpha) / max(n - 2, 1) if n > 2 else 0.0
    second = (trivial - alpha) / (n - 1)
    if key == "olm":
        return dict(alpha=alpha, beta=2.0 * first, gamma=(second - 2.0 * first) / n)
    return dict(alpha=alpha, delta=n * first, zeta=second - first)


@st.composite
def spaces(draw, key):
    """Draw equipped spaces of any size, with any parameters of the metric."""
    n = draw(st.integers(2, 7))
    return equipped(n, key, **draw(parameters(key, n)))
