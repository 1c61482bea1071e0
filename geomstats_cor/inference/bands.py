"""Confidence bands of a regression, in units of correlation."""

from typing import Any

import numpy as np
from scipy import stats

from .. import kernels
from .._types import Array
from ..data.sampling import as_generator
from ..kernels._quotients import divide
from ..validation import require_integer, require_number
from .tables import as_matrix

_STEP = 1e-4


def confidence_bands(
    model: Any, rows: Array, level: float, simultaneous: bool, n_draws: int, rng: Any
) -> Array:
    r"""Return bands of the predictions of a fitted model.

    With :math:`a` the weights of the rows in the prediction, the standard error of a
    correlation is :math:`s |a|`, where :math:`s^2` is the residual variance of that
    correlation at the prediction; with blocks, :math:`\sqrt{\sum_b (\sum_{i \in b} a_i
    e_i)^2}`.

    Parameters
    ----------
    model : MultivariateGeodesicRegression
        Fitted model, with its matrices in memory.
    rows : numpy.ndarray, shape=[M, 1 + p]
        Rows of the design to predict.
    level : float
        Probability of covering.
    simultaneous : bool
        Whether all correlations of a matrix are covered together.
    n_draws : int
        Number of draws of signs.
    rng : int or numpy.random.Generator
        Seed or generator.

    Returns
    -------
    low, predicted, high : numpy.ndarray, shape=[M, n, n]
        Bands and predictions.
    """
    require_number("level", level, 0.0, 1.0)
    require_integer("n_draws", n_draws, 1)
    rng = as_generator(rng)
    matrix, n = model._design.matrix, model._n
    residuals = model._responses.coords - matrix @ model.coef_
    weights = rows @ model._back @ model._basis.T
    blocks, dof = model._blocks, model.dof_
    low, predicted, high = [], [], []
    for row, weight in zip(rows, weights, strict=True):
        coords = row @ model.coef_
        center = _entries(model, coords[None])[0]
        edges = _moved(model, coords, residuals)
        contributions = weight[:, None] * edges
        if blocks is None:
            variance = np.sum(edges**2, axis=0) / dof * np.sum(weight**2)
            number = dof
        else:
            sums = np.zeros((np.max(blocks) + 1, edges.shape[1]))
            np.add.at(sums, blocks, contributions)
            contributions = sums
            number = len(sums) - 1
            variance = np.sum(sums**2, axis=0) * len(sums) / max(number, 1)
        error = np.sqrt(variance)
        quantile = stats.t.ppf(0.5 * (1.0 + level), number)
        if simultaneous:
            quantile = max(
                quantile, _largest(contributions, error, level, number, n_draws, rng)
            )
        low.append(center - quantile * error)
        high.append(center + quantile * error)
        predicted.append(center)
    return tuple(
        as_matrix(np.clip(np.stack(part), -1.0, 1.0), n, 1.0)
        for part in (low, predicted, high)
    )


def _entries(model, coords):
    points = model._representation.points(coords, model.mean_)
    return kernels.pack_strictly_lower(np.asarray(points))


def _moved(model, coords, vectors):
    """Return the differential of the correlations at coordinates, along vectors."""
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    step = _STEP * divide(vectors, lengths)
    change = _entries(model, coords + step) - _entries(model, coords - step)
    return change * (lengths / (2.0 * _STEP))


def _largest(contributions, error, level, dof, n_draws, rng):
    """Return the quantile of the largest standardised error among correlations.

    Normal multipliers give the correlations among the errors; the heavier tails of the
    t-distribution are put in through a common chi-squared scale.
    """
    scaled = divide(contributions, error)
    scaled = divide(scaled, np.linalg.norm(scaled, axis=0))
    signs = rng.standard_normal((n_draws, len(scaled)))
    spread = np.sqrt(dof / rng.chisquare(dof, n_draws))
    return float(np.quantile(np.max(np.abs(signs @ scaled), axis=1) * spread, level))
