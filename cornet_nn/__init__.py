"""Neural layers over the geometry of full-rank correlation matrices.

Layers take spaces of `geomstats_cor` equipped with a metric, and ask the metric for all
geometry. Importing this package brings layers and models only.
"""

import importlib.util

if importlib.util.find_spec("torch") is None:
    raise ModuleNotFoundError(
        "cornet_nn needs torch: pip install 'geomstats-cor[nn]'.", name="torch"
    )

from .activation import TangentActivation
from .batch_norm import CorBatchNorm
from .conv import CorConv1d
from .cornet import CorNet
from .dropout import CorDropout
from .embedding import GaussianEmbedding, JointFeatures, TemporalPyramid
from .fc import CorFC
from .front_end import (
    CovariancePooling,
    MatrixPower,
    PowerCorrelation,
    Shrinkage,
    TemporalCovariance,
    ToCorrelation,
)
from .mlr import CorMLR
from .poincare import (
    beta_concat,
    beta_split,
    poincare_exp0,
    poincare_fc,
    poincare_log0,
    poincare_mlr,
)
from .poincare_layers import (
    BetaConcat,
    BetaSplit,
    PoincareExp0,
    PoincareFC,
    PoincareLog0,
    PoincareMLR,
)
from .sequential import CorSequential

__all__ = [
    "CorNet",
    "CorMLR",
    "CorFC",
    "CorConv1d",
    "TangentActivation",
    "CorBatchNorm",
    "CorDropout",
    "CorSequential",
    "CovariancePooling",
    "Shrinkage",
    "MatrixPower",
    "ToCorrelation",
    "PowerCorrelation",
    "TemporalCovariance",
    "JointFeatures",
    "GaussianEmbedding",
    "TemporalPyramid",
    "poincare_mlr",
    "poincare_fc",
    "poincare_exp0",
    "poincare_log0",
    "beta_concat",
    "beta_split",
    "PoincareMLR",
    "PoincareFC",
    "PoincareExp0",
    "PoincareLog0",
    "BetaConcat",
    "BetaSplit",
]
