"""Data sets for networks over correlation matrices.

`load` takes the name of a data set, or a file or folder, and returns a `Dataset`.
"""

from .dataset import Dataset, LeftOut
from .loading import load, names, options
from .sequences import SequenceMatrices
from .skeletons import FPHA, HDM05, NTU, Skeleton

__all__ = [
    "load",
    "names",
    "options",
    "Dataset",
    "LeftOut",
    "SequenceMatrices",
    "Skeleton",
    "HDM05",
    "FPHA",
    "NTU",
]
