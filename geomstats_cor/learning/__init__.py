"""Learning on correlation matrices, with the conventions of scikit-learn.

Estimators take stacks [N, n, n] or the condensed form [N, n (n - 1) / 2]; the metric is
a parameter, by its key. Names are loaded when they are first used.
"""

import importlib

_HOMES = {
    "ToCoords": "coordinates",
    "PrincipalGeodesicAnalysis": "principal_geodesics",
    "GeodesicRegression": "regression",
    "MinimumDistanceToMean": "classification",
    "KNearestNeighbors": "neighbors",
    "OutlierDetector": "outliers",
    "pairwise_distances": "distances",
    "fingerprint": "fingerprinting",
    "Identification": "fingerprinting",
    "ToKernel": "kernel",
    "kernel_matrix": "kernel",
    "GaussianDistribution": "gaussian",
    "Harmonizer": "harmonization",
    "interpolate": "interpolation",
    "smooth": "smoothing",
}

__all__ = [*_HOMES]


def __getattr__(name):
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(importlib.import_module(f"{__name__}.{_HOMES[name]}"), name)
    globals()[name] = value
    return value


def __dir__():
    return sorted({*globals(), *__all__})
