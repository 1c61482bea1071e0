"""Geometry and statistics of full-rank correlation matrices, for numpy and torch.

The names below are loaded when they are first used: importing the package is quick, and
never imports torch.
"""

import importlib

_HOMES = {
    "FullRankCorrelationMatrices": "correlation_matrices",
    "SafePoint": "correlation_matrices",
    "FullRankCorrelationAffineQuotientMetric": "correlation_matrices",
    "EuclideanCholeskyMetric": "metrics",
    "LogEuclideanCholeskyMetric": "metrics",
    "OffLogMetric": "metrics",
    "LogScaledMetric": "metrics",
    "PolyHyperbolicCholeskyMetric": "metrics",
    "OneStepLogScaledMetric": "one_step",
    "METRICS": "metrics",
    "get_metric": "metrics",
    "FrechetMean": "means",
    "frechet_mean": "means",
    "frechet_variance": "means",
    "GeometricMedian": "robust_means",
    "geometric_median": "robust_means",
    "TrimmedMean": "robust_means",
    "trimmed_mean": "robust_means",
    "StreamingMean": "streaming",
    "frechet_mean_of_chunks": "streaming",
    "MeanOfChunks": "streaming",
    "CondensedCorrelations": "condensed",
    "equal_means_test": "inference.mean_tests",
    "equal_dispersions_test": "inference.dispersion_tests",
    "frechet_anova": "inference.anova",
    "mean_test": "inference.mean_tests",
    "confidence_region": "inference.regions",
    "as_stack": "stacks",
    "clean_points": "stacks",
    "CleaningReport": "stacks",
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
