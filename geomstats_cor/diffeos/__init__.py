"""The diffeomorphisms of the five metrics, as geomstats' Diffeo objects."""

from .base import CorrelationDiffeo, Local
from .cholesky import (
    CholeskyLocal,
    EuclideanCholeskyDiffeo,
    LogEuclideanCholeskyDiffeo,
    PolyHyperbolicCholeskyDiffeo,
)
from .log_scaled import LogScalingDiffeo
from .off_log import OffLogDiffeo

__all__ = [
    "CholeskyLocal",
    "CorrelationDiffeo",
    "EuclideanCholeskyDiffeo",
    "Local",
    "LogEuclideanCholeskyDiffeo",
    "LogScalingDiffeo",
    "OffLogDiffeo",
    "PolyHyperbolicCholeskyDiffeo",
]
