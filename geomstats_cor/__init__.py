"""Geometry and statistics of full-rank correlation matrices, for numpy and torch.

The names below are loaded when they are first used: importing the package is quick, and
never imports torch.
"""

import importlib

from . import _renamed

_HOMES = {
    "FullRankCorrelationMatrices": "space",
    "SafePoint": "space",
    "FullRankCorrelationAffineQuotientMetric": "space",
    "EuclideanCholeskyMetric": "metrics",
    "LogEuclideanCholeskyMetric": "metrics",
    "OffLogMetric": "metrics",
    "LogScaledMetric": "metrics",
    "PolyHyperbolicCholeskyMetric": "metrics",
    "OneStepLogScaledMetric": "metrics.one_step",
    "METRICS": "metrics",
    "get_metric": "metrics",
    "FrechetMean": "statistics.mean",
    "frechet_mean": "statistics.mean",
    "frechet_variance": "statistics.mean",
    "GeometricMedian": "statistics.median",
    "geometric_median": "statistics.median",
    "TrimmedMean": "statistics.trimmed",
    "trimmed_mean": "statistics.trimmed",
    "StreamingMean": "statistics.streaming",
    "frechet_mean_of_chunks": "statistics.streaming",
    "MeanOfChunks": "statistics.streaming",
    "CondensedCorrelations": "data.condensed",
    "equal_means_test": "inference.mean_tests",
    "equal_dispersions_test": "inference.dispersion_tests",
    "frechet_anova": "inference.anova",
    "mean_test": "inference.mean_tests",
    "adjusted_means_test": "inference.adjusted_tests",
    "MultivariateGeodesicRegression": "inference.linear_model",
    "confidence_region": "inference.regions",
    "as_stack": "data.cleaning",
    "clean_points": "data.cleaning",
    "CleaningReport": "data.cleaning",
    "Correlations": "data.estimation",
    "correlations": "data.estimation",
    "EstimationReport": "data.estimation_report",
    "nearest_correlation": "data.nearest",
    "NearestReport": "data.nearest",
    "CorrelationStack": "data.stack",
    "concatenate": "data.stack",
}
_SUBMODULES = ("kernels", "diffeos", "exceptions", "datasets", "learning")

__all__ = [*_HOMES, *_SUBMODULES]
__version__ = "0.1.0"


def __getattr__(name):
    if name in _HOMES:
        module = importlib.import_module(f"{__name__}.{_HOMES[name]}")
        value = getattr(module, name)
    elif name in _SUBMODULES:
        value = importlib.import_module(f"{__name__}.{name}")
    else:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    globals()[name] = value
    return value


def __dir__():
    return sorted({*globals(), *__all__})


_renamed.install(__name__, _renamed.MODULES)
