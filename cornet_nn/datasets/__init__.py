"""Data sets for networks over correlation matrices.

`load` takes the name of a data set, or a file or folder, and returns a `Dataset`.
"""

from geomstats_cor import _renamed

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

# Modules of version 0.1, which can be imported by their former names for one release.
_MOVED = {
    "acclaim": "hdm05",
    "autoregressive": "radar",
    "labels": "dataset",
    "preprocessing": "skeletons",
    "subspaces": "matrices",
    "texts": "conversion",
}
_renamed.install(__name__, _MOVED)
