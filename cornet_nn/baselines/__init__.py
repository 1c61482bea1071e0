"""The networks that correlation networks are compared with.

The layers stand on their own; `BASELINES` has the networks by their names in the paper,
and `BaselineClassifier` trains them. The SPDNet family needs the extra `baselines`.
"""

import importlib

_HOMES = {
    "GyroSPDNet": "gyro_spd",
    "GyroSPDPlusPlus": "gyro_spd",
    "GyroMLR": "gyro_spd",
    "GyroFC": "gyro_spd",
    "GyroTranslation": "gyro_spd",
    "GrNet": "grassmann",
    "GyroGrNet": "grassmann",
    "FullRankMap": "grassmann",
    "ProjectorPooling": "grassmann",
    "TopEigenspace": "grassmann",
    "GrassmannTranslation": "grassmann",
    "GrassmannScaling": "grassmann",
    "SPDResNet": "resnet",
    "SPDNetwork": "spdnet",
    "SPDRegression": "table",
    "BASELINES": "table",
    "BaselineClassifier": "classifier",
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
