r"""One amount of shrinkage for all recordings, learnt from their halves.

Matrices of recordings that are each shrunk by an amount of their own differ by their
treatment. Here all are shrunk by the same :math:`s`, towards the same target. It is the
amount with which one half of a recording predicts the other best, which takes the
autocorrelation of the frames into account.
"""

import numpy as np
import scipy.linalg
from scipy.optimize import minimize_scalar

from .._types import Array, ArrayLike

LARGEST = 0.9  # more would leave nothing to compare


def split_half_shrinkage(halves: ArrayLike, target: Array) -> float:
    r"""Return the amount of shrinkage of the largest likelihood.

    .. math:: s = \frac{s'}{2 - s'} , \quad s' = \operatorname{argmin} \sum_i
              \ell(A_i, B_i) + \ell(B_i, A_i) , \quad
              \ell(A, B) = \log \det C + \operatorname{tr} C^{-1} B , \quad
              C = (1 - s') A + s' T ,

    for the matrices :math:`A_i` and :math:`B_i` of the halves of recordings and a
    target :math:`T`. The noise of a whole recording has half the variance :math:`V` of
    that of a half. With a signal of variance :math:`\Sigma`, a half needs :math:`s' =
    2 V / (2 V + \Sigma)` and a whole :math:`s = V / (V + \Sigma)`, which is less.

    Parameters
    ----------
    halves : sequence of pairs of numpy.ndarray, shape=[n, n]
        Correlations of both halves of each recording; unknown entries are NaN.
    target : numpy.ndarray, shape=[n, n]
        Target, positive definite.

    Returns
    -------
    amount : float
        Amount of shrinkage, at most 0.9.
    """
    parts = []
    for pair in halves:
        one, other = (np.where(np.isfinite(half), half, target) for half in pair)
        parts += [_against(one, other, target), _against(other, one, target)]
    values, squares = (np.concatenate(part) for part in zip(*parts, strict=True))

    def loss(amount):
        shrunk = (1.0 - amount) * values + amount
        return np.sum(np.log(shrunk) + squares / shrunk)

    largest = 2.0 * LARGEST / (1.0 + LARGEST)
    found = minimize_scalar(loss, bounds=(1e-4, largest), method="bounded")
    half = largest if loss(largest) <= found.fun else float(found.x)
    return half / (2.0 - half)


def _against(one, other, target):
    """Return one matrix and the diagonal of another, in the frame where T is I."""
    values, vectors = scipy.linalg.eigh(one, target)
    # Correlations of pairs of which some values are missing may be indefinite.
    return np.maximum(values, 0.0), np.sum(vectors * (other @ vectors), axis=0)


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
