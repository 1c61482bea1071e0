"""The diffeomorphisms of the five metrics, as geomstats' Diffeo objects."""

from .base import CorrelationDiffeo
from .cholesky import (
    EuclideanCholeskyDiffeo,
    LogEuclideanCholeskyDiffeo,
    PolyHyperbolicCholeskyDiffeo,
)
from .log_scaled import LogScalingDiffeo
from .off_log import OffLogDiffeo

__all__ = [
    "CorrelationDiffeo",
    "EuclideanCholeskyDiffeo",
    "LogEuclideanCholeskyDiffeo",
    "LogScalingDiffeo",
    "OffLogDiffeo",
    "PolyHyperbolicCholeskyDiffeo",
]
