"""Seconds of a forward pass, by metric and size of the matrices.

The experiment of the paper: 30 random matrices, a fully connected layer to size 20 and
a logistic regression with 10 classes.
"""

import statistics
import time
from dataclasses import replace

import torch

from cornet_nn import CorFC, CorMLR, CorSequential
from geomstats_cor import FullRankCorrelationMatrices

from .accuracies import outlined
from .methods import EXACT

BATCH, HIDDEN, CLASSES = 30, 20, 10
_BUDGET = 3.0  # seconds for the repetitions of a cell, after a first pass


def runtime_cells(table, options):
    """Measure the table of runtimes.

    Parameters
    ----------
    table : str
        Name of the table.
    options : Options
        Options; `seeds` bounds the number of repetitions.

    Returns
    -------
    cells : list of Cell
        Cells, row by row.
    """
    return [
        replace(cell, seconds=seconds, runs=options.seeds, note=_conditions())
        for cell in outlined(table, options)
        if not cell.method.endswith(EXACT)
        for seconds in [forward_seconds(cell.method, int(cell.data), options.seeds)]
    ]


def forward_seconds(method, n, repetitions):
    """Return the median time of a forward pass.

    Parameters
    ----------
    method : str
        "CorNet-" and the key of a metric.
    n : int
        Size of the matrices.
    repetitions : int
        Number of passes that are timed, unless they take too long; a first one is not.

    Returns
    -------
    seconds : float
        Seconds of wall-clock time.
    """
    key = method.removeprefix("CorNet-").lower()
    torch.manual_seed(0)
    points = random_correlations(BATCH, n)
    space = FullRankCorrelationMatrices(n, equip=key)
    hidden = FullRankCorrelationMatrices(HIDDEN, equip=key)
    model = CorSequential(CorFC(space, hidden), CorMLR(hidden, CLASSES))
    times, begin = [], time.perf_counter()
    with torch.no_grad():
        model(points)
        for _ in range(repetitions):
            start = time.perf_counter()
            model(points)
            times.append(time.perf_counter() - start)
            if time.perf_counter() - begin > _BUDGET:
                break
    return statistics.median(times)


def random_correlations(number, n):
    """Return well-conditioned random correlation matrices.

    Parameters
    ----------
    number, n : int
        Number and size.

    Returns
    -------
    points : tensor, shape=[number, n, n]
        Correlation matrices of 3 n normal samples each.

    Examples
    --------
    >>> random_correlations(2, 5).diagonal(dim1=-2, dim2=-1).unique()
    tensor([1.])
    """
    from geomstats_cor import kernels

    signal = torch.randn(number, n, 3 * n)
    return kernels.cor(signal @ signal.mT)


def _conditions():
    return (
        f"CPU, threads: {torch.get_num_threads()}, torch {torch.__version__}; "
        "the paper used a GPU"
    )
