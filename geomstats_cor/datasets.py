"""Data sets of correlation matrices."""

from typing import NamedTuple

import numpy as np


class Connectomes(NamedTuple):
    """Functional connectomes with their diagnosis.

    Parameters
    ----------
    correlations : array, shape=[86, 28, 28]
        Full-rank correlation matrices, one per subject.
    labels : array, shape=[86]
        Diagnosis: 1 for a patient with schizophrenia, 0 for a healthy control.
    ids : array, shape=[86]
        Subject identifiers of the challenge.

    Examples
    --------
    >>> from geomstats_cor.datasets import load_connectomes
    >>> load_connectomes()._fields
    ('correlations', 'labels', 'ids')
    """

    correlations: np.ndarray
    labels: np.ndarray
    ids: np.ndarray


def load_connectomes():
    r"""Load the functional connectomes of the MLSP 2014 schizophrenia challenge.

    An entry is the correlation between the time courses of two of 28 brain networks
    of a subject at rest. The data are the training set of the challenge [S2014]_ as
    shipped with geomstats: 40 patients and 46 controls.

    Returns
    -------
    connectomes : Connectomes
        Named tuple of correlations, labels and ids, in the order of the challenge.

    Notes
    -----
    The challenge stores the :math:`28 \cdot 27 / 2` correlations of a subject row by
    row of the upper triangle; in this order all 86 matrices are positive definite.
    They differ off the diagonal from the matrices that
    :func:`geomstats.datasets.utils.load_connectomes` returns by default in geomstats
    2.8.0, where each of these entries is halved.

    References
    ----------
    .. [S2014] Rogers F. Silva, Eduardo Castro, Cota Navin Gupta, Mustafa Cetin,
        Mohammad Arbabshirani, Vamsi K. Potluru, Sergey M. Plis, Vince D. Calhoun.
        The tenth annual MLSP competition: schizophrenia classification challenge.
        IEEE International Workshop on Machine Learning for Signal Processing, 2014.

    Examples
    --------
    >>> from geomstats_cor.datasets import load_connectomes
    >>> data = load_connectomes()
    >>> data.correlations.shape, int(data.labels.sum())
    ((86, 28, 28), 40)
    """
    from geomstats.datasets.utils import load_connectomes as load_raw

    upper, ids, labels = (np.asarray(column) for column in load_raw(as_vectors=True))
    n = 28
    rows, cols = np.triu_indices(n, k=1)

    correlations = np.broadcast_to(np.eye(n), (len(upper), n, n)).copy()
    correlations[:, rows, cols] = upper
    correlations[:, cols, rows] = upper
    return Connectomes(correlations, labels, ids)
