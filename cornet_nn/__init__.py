"""Neural layers over the geometry of full-rank correlation matrices.

Layers take spaces of `geomstats_cor` equipped with a metric, and ask the metric for all
geometry. The names below, layers and models, are loaded when they are first used: the
command line can help, and say what is missing, without torch.
"""

import importlib

_HOMES = {
    "CorNet": "cornet",
    "CorMLR": "mlr",
    "CorFC": "fc",
    "CorConv1d": "conv",
    "TangentActivation": "activation",
    "CorBatchNorm": "batch_norm",
    "CorDropout": "dropout",
    "CorSequential": "sequential",
    "CorBranches": "branches",
    "CovariancePooling": "front_end",
    "Shrinkage": "front_end",
    "MatrixPower": "front_end",
    "ToCorrelation": "front_end",
    "PowerCorrelation": "front_end",
    "TemporalCovariance": "front_end",
    "JointFeatures": "embedding",
    "GaussianEmbedding": "embedding",
    "TemporalPyramid": "embedding",
    "poincare_mlr": "poincare",
    "poincare_fc": "poincare",
    "poincare_exp0": "poincare",
    "poincare_log0": "poincare",
    "beta_concat": "poincare",
    "beta_split": "poincare",
    "PoincareMLR": "poincare_layers",
    "PoincareFC": "poincare_layers",
    "PoincareExp0": "poincare_layers",
    "PoincareLog0": "poincare_layers",
    "BetaConcat": "poincare_layers",
    "BetaSplit": "poincare_layers",
    "save_model": "export",
    "load_model": "export",
    "export_model": "export",
}

__all__ = [*_HOMES]


def __getattr__(name):
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    try:
        importlib.import_module("torch")
    except ModuleNotFoundError as error:
        raise ModuleNotFoundError(
            "cornet_nn needs torch: pip install 'geomstats-cor[nn]'.", name="torch"
        ) from error
    value = getattr(importlib.import_module(f"{__name__}.{_HOMES[name]}"), name)
    globals()[name] = value
    return value


def __dir__():
    return sorted({*globals(), *__all__})
