"""What an iteration says when it stops short of its goal."""

import warnings

import numpy as np

from ..exceptions import ConvergenceWarning
from ._arrays import namespace


def report_unfinished(name, residual, done, matrix):
    """Warn of the iterations that stopped short, and describe the worst.

    Parameters
    ----------
    name : str
        What is computed.
    residual : array, shape=[...]
        Residuals.
    done : array of bool, shape=[...]
        Which iterations reached their goal.
    matrix : array, shape=[..., n, n]
        The positive definite matrices whose condition number explains the failure.
    """

    def condition(index):
        worst = xp.reshape(matrix, (-1, *matrix.shape[-2:]))[index]
        values = xp.linalg.eigvalsh(worst)
        return values[-1] / values[0] if float(values[0]) > 0.0 else float("inf")

    xp = namespace(matrix)
    warn_unfinished(name, residual, done, condition)


def warn_unfinished(name, residual, done, condition):
    """Warn of the iterations that stopped short, given how hard they are.

    Parameters
    ----------
    name : str
        What is computed.
    residual : array, shape=[...]
        Residuals.
    done : array of bool, shape=[...]
        Which iterations reached their goal.
    condition : callable
        Takes an index into the flattened batch, returns the condition number there.
    """
    xp = namespace(residual)
    count = int(xp.sum(xp.astype(~done, xp.int64)))
    unfinished = xp.reshape(xp.where(done, 0.0, residual), (-1,))
    worst = int(xp.argmax(unfinished))
    where = tuple(int(i) for i in np.unravel_index(worst, tuple(residual.shape)))
    warnings.warn(
        f"{name}: {count} of {unfinished.shape[0]} matrices did not reach rounding "
        f"accuracy. The worst is that at index {where}, with residual "
        f"{float(unfinished[worst]):.1e} and condition number "
        f"{float(condition(worst)):.1e}. Keep away from the boundary: "
        f"FullRankCorrelationMatrices.nearest_safe_point.",
        ConvergenceWarning,
        stacklevel=4,
    )
