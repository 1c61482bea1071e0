"""Neural layers over the geometry of full-rank correlation matrices.

Layers take spaces of `geomstats_cor` equipped with a metric, and use the metric for all
geometry. The names below, layers and models, are loaded when they are first used: the
command line can help, and say what is missing, without torch.
"""

from geomstats_cor import _renamed

from ._lazy import lazy

_HOMES = {
    "layers.base": "CorLayer CoordinateLayer",
    "layers.mlr": "CorMLR",
    "layers.fc": "CorFC",
    "layers.conv": "CorConv1d CorChannelConv",
    "layers.activation": "TangentActivation",
    "layers.norm": "CorBatchNorm",
    "layers.dropout": "CorDropout",
    "layers.coords": "ToCoords FromCoords",
    "layers.residual": "CorResidual",
    "layers.pooling": "FrechetPool",
    "layers.attention": "CorAttention",
    "layers.recurrent": "CorRecurrent",
    "layers.sequential": "CorSequential",
    "layers.poincare": "PoincareMLR PoincareFC PoincareExp0 PoincareLog0 BetaConcat "
    "BetaSplit",
    "models.base": "Network",
    "models.mlr": "CorMLRNet CorBranches",
    "models.cornet": "CorNet",
    "models.resnet": "CorResNet",
    "models.transformer": "CorTransformer CorPositions",
    "front_end": "CovariancePooling Shrinkage MatrixPower ToCorrelation "
    "PowerCorrelation TemporalCovariance",
    "embedding": "JointFeatures GaussianEmbedding TemporalPyramid",
    "poincare": "poincare_mlr poincare_fc poincare_exp0 poincare_log0 beta_concat "
    "beta_split",
    "export": "save_model load_model export_model",
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
    "branches": "models.mlr",
    "cornet": "models.cornet",
    "models.branches": "models.mlr",
    "reproduce.accuracies": "reproduce.experiments",
    "reproduce.published": "reproduce.report",
    "reproduce.runtime": "reproduce.experiments",
    "reproduce.sources": "reproduce.methods",
    "reproduce.variances": "reproduce.experiments",
    "training.callbacks": "training.loop",
    "training.inputs": "training.data",
    "training.networks": "models.mlr",
    "training.samples": "training.data",
    "training.training": "training.loop",
}

__all__, __getattr__, __dir__ = lazy(globals(), _HOMES, ("torch",))
_renamed.install(__name__, _MOVED)
