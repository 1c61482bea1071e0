"""What an iteration says when it stops short of its goal."""

import warnings

from ..exceptions import ConvergenceWarning
from ._arrays import namespace


def report_unfinished(name, residual, done):
    """Warn with the largest residual of the matrices that did not converge."""
    xp = namespace(residual)
    unfinished = xp.where(done, 0.0, residual)
    worst = float(xp.max(unfinished))
    count = int(xp.sum(xp.astype(~done, xp.int64)))
    warnings.warn(
        f"{name}: {count} matrices did not reach rounding accuracy; the largest "
        f"residual is {worst:.1e}. They are close to singular: see "
        f"FullRankCorrelationMatrices.nearest_safe_point.",
        ConvergenceWarning,
        stacklevel=3,
    )
