"""Signed distances to hyperplanes: the interface of a metric to neural layers."""

from .ball import BallHyperplanes
from .base import Hyperplanes
from .base import require_basis as require_basis
from .flat import FlatHyperplanes, OrthonormalHyperplanes, StrictPartHyperplanes

__all__ = [
    "BallHyperplanes",
    "FlatHyperplanes",
    "Hyperplanes",
    "OrthonormalHyperplanes",
    "StrictPartHyperplanes",
]
