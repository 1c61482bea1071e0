"""Data that comes with geomstats."""

import numpy as np

from geomstats_cor.datasets import load_connectomes as load_matrices
from geomstats_cor.exceptions import ParameterError

from .dataset import Dataset
from .matrices import screened


def load_connectomes() -> Dataset:
    """Load the functional connectomes of the MLSP 2014 schizophrenia challenge.

    Returns
    -------
    dataset : Dataset
        86 correlation matrices [28, 28] of controls and patients.

    See Also
    --------
    geomstats_cor.datasets.load_connectomes : The matrices, with references.

    Examples
    --------
    >>> load_connectomes()
    Dataset connectomes: 86 correlation [28, 28], 2 classes
    """
    correlations, labels, _ = load_matrices()
    classes = ("control", "patient")
    return Dataset("connectomes", correlations, labels, classes, "correlation")


def load_emg(
    *,
    window: int = 128,
    hop: int = 128,
    rest: bool = True,
    shrinkage: float = 0.0,
    ridge: float = 0.0,
) -> Dataset:
    """Load the electromyograms of hand gestures that come with geomstats.

    Eight electrodes about the forearm of two persons, two sessions each, while the hand
    shows rock, paper, scissors, ok, or rests. A recording is cut where the gesture
    changes or the clock starts again; every window lies within one piece, and what is
    left of a piece is not used.

    Parameters
    ----------
    window : int
        Number of samples of a window, of about 4 ms each.
    hop : int
        Samples from one window to the next; overlapping windows belong to the same
        group.
    rest : bool
        Whether to keep the class "rest".
    shrinkage : float
        Shrinkage of the covariance.
    ridge : float
        Ridge of the covariance.

    Returns
    -------
    dataset : Dataset
        Covariance matrices [8, 8]; `groups` are the four sessions.

    Examples
    --------
    >>> load_emg(window=1000, hop=1000).inputs.shape[1:]
    (8, 8)
    """
    from geomstats.datasets.utils import load_emg as load_table

    if window < 9 or hop < 1:
        raise ParameterError(
            f"window is {window} and hop {hop}: expected at least 9, for matrices of "
            f"full rank, and 1"
        )
    table = load_table()
    gestures = table["label"].to_numpy(dtype=str)
    sessions = table["exp"].to_numpy(dtype=str)
    times = table["time"].to_numpy()
    samples = table[[f"c{channel}" for channel in range(8)]].to_numpy(dtype=np.float64)

    changes = (gestures[1:] != gestures[:-1]) | (sessions[1:] != sessions[:-1])
    changes |= np.diff(times) < 0
    bounds = [0, *np.flatnonzero(changes) + 1, len(times)]
    pieces = zip(bounds[:-1], bounds[1:], strict=True)
    starts = np.concatenate([np.arange(a, b - window + 1, hop) for a, b in pieces])
    if not rest:
        starts = starts[gestures[starts] != "rest"]
    if not len(starts):
        raise ParameterError(f"no gesture lasts {window} samples: use a shorter window")
    windows = np.lib.stride_tricks.sliding_window_view(samples, window, axis=0)[starts]
    centered = windows - windows.mean(axis=-1, keepdims=True)
    covariances = centered @ centered.swapaxes(-1, -2) / (window - 1)
    names = [f"window at row {start}" for start in starts]
    converted = screened(covariances, names, "covariance", shrinkage, ridge)
    groups = sessions[starts]
    return converted.dataset("emg", "covariance", gestures[starts], groups=groups)
