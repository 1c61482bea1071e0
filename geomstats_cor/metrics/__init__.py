"""The metrics on full-rank correlation matrices."""

from .base import CorrelationMetric
from .named import (
    METRICS,
    EuclideanCholeskyMetric,
    LogEuclideanCholeskyMetric,
    LogScaledMetric,
    OffLogMetric,
    PolyHyperbolicCholeskyMetric,
    get_metric,
)
from .named import (
    require_metric as require_metric,
)

__all__ = [
    "METRICS",
    "CorrelationMetric",
    "EuclideanCholeskyMetric",
    "LogEuclideanCholeskyMetric",
    "LogScaledMetric",
    "OffLogMetric",
    "PolyHyperbolicCholeskyMetric",
    "get_metric",
]
