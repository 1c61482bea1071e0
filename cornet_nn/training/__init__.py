"""Training of correlation networks: estimators for scikit-learn, run directories.

This subpackage needs torch, skorch, tqdm and matplotlib, which the extra `nn` brings.
Names are loaded when they are first used: settings, and networks that were saved, need
none of the libraries of training.
"""

from .._lazy import lazy

_HOMES = {
    "classifiers": "CorNetClassifier CorMLRClassifier CorNetRegressor",
    "ensemble": "RepresentationEnsemble",
    "run_directory": "RunDirectoryError ResumeError load_classifier",
    "pictures": "plot_edge_weights plot_learning_curves",
    "loop": "TrainingDivergedError TrainingInterruptedWarning",
}
_NEEDED = ("torch", "skorch", "tqdm", "matplotlib")

__all__, __getattr__, __dir__ = lazy(globals(), _HOMES, _NEEDED)
