"""Correlations of signals with missing values."""

from typing import Any

import numpy as np

from .._callers import warn_user
from .._types import Array
from ..exceptions import ConvergenceWarning, NotFiniteError, ParameterError
from .estimators import with_unit_diagonal

# Without a ridge the normal likelihood has no maximum for few frames: the ridge enters
# the prediction of missing values only, if there are fewer frames per variable than
# this.
_FRAMES_PER_VARIABLE = 3.0
_RIDGE = 0.1


def pair_counts(signal: Array) -> Array:
    """Return how many frames have both of two variables.

    Parameters
    ----------
    signal : numpy.ndarray, shape=[T, n]
        Signal; missing values are NaN.

    Returns
    -------
    counts : numpy.ndarray, shape=[n, n]
        Numbers of frames.
    """
    present = np.isfinite(signal).astype(float)
    return present.T @ present


def numbers_of_frames(recordings: Any) -> Array:
    """Return the number of frames of each recording.

    Parameters
    ----------
    recordings : Recordings
        Signals.

    Returns
    -------
    frames : numpy.ndarray, shape=[N]
        Numbers of frames; where values are missing, the number that two variables
        share, on average over pairs.
    """
    numbers = []
    for signal in recordings.signals:
        number = float(len(signal))
        if np.isnan(signal).any():
            counts = pair_counts(signal)
            number = float(counts[np.tril_indices(len(counts), -1)].mean())
        numbers.append(number)
    return np.array(numbers)


def require_complete(recordings: Any) -> None:
    """Raise if a recording has a missing value.

    Parameters
    ----------
    recordings : Recordings
        Signals.
    """
    for i, signal in enumerate(recordings.signals):
        gone = np.isnan(signal)
        if gone.any():
            frame, place = np.argwhere(gone)[0]
            raise NotFiniteError(
                f"{recordings.label(i)} has {int(gone.sum())} missing values, the "
                f"first in variable {recordings.variables[place]!r} at frame {frame}. "
                f"Use missing='em' (a normal model) or missing='pairwise' (each "
                f"correlation from the frames that have both variables), or leave the "
                f"recording out."
            )


def pairwise_correlation(
    signal: Array, label: str = "the signal", variables: list | None = None
) -> Array:
    r"""Return correlations, each from the frames that have both variables.

    The matrix is symmetric with unit diagonal, and need not be positive semidefinite.

    Parameters
    ----------
    signal : numpy.ndarray, shape=[T, n]
        Signal; missing values are NaN.
    label : str
        Name of the recording in messages.
    variables : list
        Names of the variables in messages.

    Returns
    -------
    correlation : numpy.ndarray, shape=[n, n]
        Pairwise correlations.
    """
    present = np.isfinite(signal)
    weight = present.astype(float)
    # Centred first: the moments of a large offset would cancel.
    centred = signal - np.nanmean(signal, axis=0)
    z = np.where(present, centred, 0.0)
    counts = weight.T @ weight
    with np.errstate(invalid="ignore", divide="ignore"):
        mean = (z.T @ weight) / counts  # [i, j]: of i over the frames that have j
        variance = (z**2).T @ weight / counts - mean**2
        covariance = z.T @ z / counts - mean * mean.T
        correlation = covariance / np.sqrt(variance * variance.T)
    bad = ~(np.isfinite(correlation) & (counts >= 3))
    if bad.any():
        i, j = np.argwhere(bad)[0]
        a, b = (int(i), int(j)) if variables is None else (variables[i], variables[j])
        raise ParameterError(
            f"{label} has {int(counts[i, j])} frames with both {a!r} and {b!r}, or one "
            f"of them is constant there, which gives no correlation: use missing='em', "
            f"or leave one of them out."
        )
    correlation = np.clip(0.5 * (correlation + correlation.T), -1.0, 1.0)
    np.fill_diagonal(correlation, 1.0)
    return correlation


def em_correlation(
    signal: Array,
    label: str = "the signal",
    tolerance: float = 1e-5,
    max_iterations: int = 500,
) -> Array:
    r"""Return the correlations of the most likely normal distribution.

    The EM algorithm: missing values are predicted from the others in their frame, with
    the variance that the prediction leaves, until the correlations stay.

    Parameters
    ----------
    signal : numpy.ndarray, shape=[T, n]
        Signal; missing values are NaN.
    label : str
        Name of the recording in messages.
    tolerance : float
        Largest change of a correlation at which to stop.
    max_iterations : int
        Number of iterations after which to stop with a `ConvergenceWarning`.

    Returns
    -------
    correlation : numpy.ndarray, shape=[n, n]
        Correlation matrix, positive semidefinite.

    References
    ----------
    .. [D1977] A. P. Dempster, N. M. Laird and D. B. Rubin. Maximum likelihood from
       incomplete data via the EM algorithm. J. R. Stat. Soc. B 39, 1977.
    """
    present = np.isfinite(signal)
    scale = np.nanstd(signal, axis=0)
    z = (signal - np.nanmean(signal, axis=0)) / scale
    frames, n = z.shape
    ridge = _RIDGE if frames < _FRAMES_PER_VARIABLE * n else 0.0
    patterns, which = np.unique(present, axis=0, return_inverse=True)
    members = [np.flatnonzero(which.ravel() == p) for p in range(len(patterns))]
    mean, covariance = np.zeros(n), np.eye(n)
    change = np.inf
    for _ in range(max_iterations):
        filled, left = np.where(present, z, 0.0), np.zeros((n, n))
        model = (1.0 - ridge) * covariance + ridge * np.diag(np.diag(covariance))
        for pattern, rows in zip(patterns, members, strict=True):
            if not pattern.all():
                _predict(filled, left, mean, model, pattern, rows)
        before = with_unit_diagonal(covariance)
        mean = filled.mean(axis=0)
        centred = filled - mean
        covariance = (centred.T @ centred + left) / frames
        change = np.max(np.abs(with_unit_diagonal(covariance) - before))
        if change <= tolerance:
            break
    else:
        warn_user(
            ConvergenceWarning(
                f"{label}: the EM algorithm stopped after {max_iterations} iterations, "
                f"when correlations still changed by {change:.1g}. Variables that are "
                f"almost never seen together converge slowly.",
                float(change),
            )
        )
    return with_unit_diagonal(covariance)


def _predict(filled, left, mean, model, pattern, rows):
    """Fill the missing values of frames in, and add the variance that is left."""
    here, gone = np.flatnonzero(pattern), np.flatnonzero(~pattern)
    if not len(here):
        filled[rows] = mean
        left += len(rows) * model
        return
    coefficients = np.linalg.lstsq(
        model[np.ix_(here, here)], model[np.ix_(here, gone)], rcond=None
    )[0]
    known = filled[np.ix_(rows, here)] - mean[here]
    filled[np.ix_(rows, gone)] = mean[gone] + known @ coefficients
    left[np.ix_(gone, gone)] += len(rows) * (
        model[np.ix_(gone, gone)] - model[np.ix_(gone, here)] @ coefficients
    )
