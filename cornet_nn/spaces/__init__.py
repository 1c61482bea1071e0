"""Spaces for the layers beside correlation matrices.

`SPDMatrices` under three metrics and `ProductSpace` have the protocol of
`cornet_nn.layers.protocol`. The functions of `cornet_nn.spaces.grassmann` are the
geometry of the networks on subspaces.
"""

import importlib

_HOMES = {
    "SPDMatrices": "spd",
    "ProductSpace": "product",
    "grassmann_exp": "grassmann",
    "grassmann_log": "grassmann",
    "grassmann_translate": "grassmann",
    "orthonormal_basis": "grassmann",
    "projector": "grassmann",
    "top_eigenspace": "grassmann",
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
