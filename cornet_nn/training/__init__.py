"""Training of correlation networks: classifiers for scikit-learn, run directories.

This subpackage needs torch, skorch, tqdm and matplotlib, which the extra `nn` brings.
It is not imported by `import cornet_nn`.
"""

import importlib.util

if not all(map(importlib.util.find_spec, ("torch", "skorch", "tqdm", "matplotlib"))):
    raise ModuleNotFoundError(
        "cornet_nn.training needs torch, skorch, tqdm and matplotlib: "
        "pip install 'geomstats-cor[nn]'.",
        name="skorch",
    )

from .classifiers import CorMLRClassifier, CorNetClassifier
from .curves import plot_learning_curves
from .edges import plot_edge_weights
from .ensemble import RepresentationEnsemble
from .errors import (
    ResumeError,
    RunDirectoryError,
    TrainingDivergedError,
    TrainingInterruptedWarning,
)
from .loading import load_classifier

__all__ = [
    "CorNetClassifier",
    "CorMLRClassifier",
    "RepresentationEnsemble",
    "load_classifier",
    "plot_edge_weights",
    "plot_learning_curves",
    "TrainingDivergedError",
    "RunDirectoryError",
    "ResumeError",
    "TrainingInterruptedWarning",
]
