"""Neural layers over the geometry of full-rank correlation matrices.

Layers take spaces of `geomstats_cor` equipped with a metric, and use the metric for all
geometry. The names below, layers and models, are loaded when they are first used: the
command line can help, and say what is missing, without torch.
"""

import importlib
import importlib.abc
import importlib.machinery
import sys
import warnings

_HOMES = {
    "CorLayer": "layers.base",
    "CoordinateLayer": "layers.base",
    "CorMLR": "layers.mlr",
    "CorFC": "layers.fc",
    "CorConv1d": "layers.conv",
    "CorChannelConv": "layers.conv",
    "TangentActivation": "layers.activation",
    "CorBatchNorm": "layers.norm",
    "CorDropout": "layers.dropout",
    "ToCoords": "layers.coords",
    "FromCoords": "layers.coords",
    "CorResidual": "layers.residual",
    "FrechetPool": "layers.pooling",
    "CorAttention": "layers.attention",
    "CorRecurrent": "layers.recurrent",
    "CorSequential": "layers.sequential",
    "PoincareMLR": "layers.poincare",
    "PoincareFC": "layers.poincare",
    "PoincareExp0": "layers.poincare",
    "PoincareLog0": "layers.poincare",
    "BetaConcat": "layers.poincare",
    "BetaSplit": "layers.poincare",
    "Network": "models.base",
    "CorMLRNet": "models.mlr",
    "CorNet": "models.cornet",
    "CorResNet": "models.resnet",
    "CorTransformer": "models.transformer",
    "CorPositions": "models.transformer",
    "CorBranches": "models.branches",
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
    "save_model": "export",
    "load_model": "export",
    "export_model": "export",
}

# Modules of version 0.1, which can be imported by their former names for one release.
_MOVED = {
    "activation": "layers.activation",
    "batch_norm": "layers.norm",
    "conv": "layers.conv",
    "dropout": "layers.dropout",
    "fc": "layers.fc",
    "mlr": "layers.mlr",
    "poincare_layers": "layers.poincare",
    "sequential": "layers.sequential",
    "branches": "models.branches",
    "cornet": "models.cornet",
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


class _FormerNames(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Import a module that was moved, and warn."""

    def find_spec(self, fullname, path=None, target=None):
        """Find modules of `_MOVED`."""
        package, _, name = fullname.rpartition(".")
        if package != __name__ or name not in _MOVED:
            return None
        return importlib.machinery.ModuleSpec(fullname, self)

    def exec_module(self, module):
        """Put the module of the present name in its place."""
        former = module.__name__
        present = f"{__name__}.{_MOVED[former.rpartition('.')[2]]}"
        warnings.warn(
            f"{former} is now {present}; the former name goes with the next release.",
            DeprecationWarning,
            stacklevel=2,
        )
        sys.modules[former] = importlib.import_module(present)


if not any(type(finder).__name__ == "_FormerNames" for finder in sys.meta_path):
    sys.meta_path.insert(0, _FormerNames())
