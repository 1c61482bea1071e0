"""Data sets for networks over correlation matrices.

`load` takes the name of a data set, or a file or folder, and returns a `Dataset`.
"""

from .dataset import Dataset
from .loading import load, names

__all__ = ["load", "names", "Dataset"]
