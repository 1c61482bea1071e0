"""Training of correlation networks: estimators for scikit-learn, run directories.

This subpackage needs torch, skorch, tqdm and matplotlib, which the extra `nn` brings.
Names are loaded when they are first used: settings, and networks that were saved, need
none of the libraries of training.
"""

import importlib
import importlib.util

_HOMES = {
    "CorNetClassifier": "classifiers",
    "CorMLRClassifier": "classifiers",
    "CorNetRegressor": "classifiers",
    "RepresentationEnsemble": "ensemble",
    "load_classifier": "runs_on_disk",
    "plot_edge_weights": "pictures",
    "plot_learning_curves": "pictures",
    "TrainingDivergedError": "loop",
    "RunDirectoryError": "run_directory",
    "ResumeError": "run_directory",
    "TrainingInterruptedWarning": "loop",
}

__all__ = [*_HOMES]


def __getattr__(name):
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    needed = ("torch", "skorch", "tqdm", "matplotlib")
    if not all(map(importlib.util.find_spec, needed)):
        raise ModuleNotFoundError(
            "cornet_nn.training needs torch, skorch, tqdm and matplotlib: "
            "pip install 'geomstats-cor[nn]'.",
            name="skorch",
        )
    value = getattr(importlib.import_module(f"{__name__}.{_HOMES[name]}"), name)
    globals()[name] = value
    return value


def __dir__():
    return sorted({*globals(), *__all__})
