r"""One amount of shrinkage for all recordings, learnt from their halves.

Matrices of recordings that are each shrunk by an amount of their own differ by their
treatment. Here all are shrunk by the same :math:`s`, towards the same target. It is
learnt from how well correlations repeat between the first and the second half of a
recording, which takes the autocorrelation of the frames into account.
"""

import numpy as np

from .._types import Array, ArrayLike

LARGEST = 0.9  # more would leave nothing to compare


def split_half_shrinkage(halves: ArrayLike, target: Array = None) -> float:
    r"""Return the amount of shrinkage that minimises the expected squared error.

    .. math:: s = \frac{V}{V + \Sigma} , \quad
              \Sigma = \sum_i \langle A_i - T, B_i - T \rangle , \quad
              V = \tfrac14 \sum_i |A_i - B_i|^2 ,

    for the matrices :math:`A_i` and :math:`B_i` of the halves of recordings, off the
    diagonal. The noise of a whole recording has half the variance of that of a half,
    :math:`|A - B|^2` twice that of a half, and the inner product of two halves has the
    noise of neither.

    Parameters
    ----------
    halves : sequence of pairs of numpy.ndarray, shape=[n, n]
        Correlations of both halves of each recording; unknown entries are NaN.
    target : numpy.ndarray, shape=[n, n]
        Target :math:`T`; the identity if None.

    Returns
    -------
    amount : float
        Amount of shrinkage, at most 0.9.
    """
    signal = noise = 0.0
    for first, second in halves:
        i, j = np.tril_indices(len(first), -1)
        a, b = first[i, j], second[i, j]
        centre = 0.0 if target is None else target[i, j]
        known = np.isfinite(a) & np.isfinite(b)
        product, squares = (a - centre) * (b - centre), (a - b) ** 2
        signal += np.sum(product[known])
        noise += 0.25 * np.sum(squares[known])
    if not signal > 0.0:
        return LARGEST
    return float(min(noise / (noise + signal), LARGEST))


def halves_of(signal: Array) -> Array:
    """Return the correlations of the first and of the second half of a signal.

    Parameters
    ----------
    signal : numpy.ndarray, shape=[T, n]
        Signal; missing values are NaN.

    Returns
    -------
    first, second : numpy.ndarray, shape=[n, n]
        Correlations; NaN for pairs with fewer than two frames, or constant in them.
    """
    middle = len(signal) // 2
    return _correlation(signal[:middle]), _correlation(signal[-middle:])


def _correlation(signal):
    present = np.isfinite(signal)
    weight = present.astype(float)
    counts = np.maximum(weight.sum(axis=0), 1.0)
    mean = np.where(present, signal, 0.0).sum(axis=0) / counts
    z = np.where(present, signal - mean, 0.0)
    squares = z.T**2 @ weight  # [i, j]: of i over the frames that have j
    with np.errstate(invalid="ignore", divide="ignore"):
        found = z.T @ z / np.sqrt(squares * squares.T)
    return np.where(weight.T @ weight >= 2.0, found, np.nan)
