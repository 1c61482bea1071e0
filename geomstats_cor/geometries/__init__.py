"""The geometries of the image spaces, which the metrics pull back."""

from .base import ImageMetric
from .flat import (
    FlatMetric,
    HollowMetric,
    NullRowSumsMetric,
    StrictlyLowerMetric,
    UnitLowerMetric,
)
from .hyperbolic import HyperbolicRowsMetric as HyperbolicRowsMetric
from .invariant_product import InvariantProduct

__all__ = [
    "FlatMetric",
    "HollowMetric",
    "ImageMetric",
    "InvariantProduct",
    "NullRowSumsMetric",
    "StrictlyLowerMetric",
    "UnitLowerMetric",
]
