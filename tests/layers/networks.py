"""Spaces, layers and inputs that the tests of the layers work on."""

import numpy as np
import torch
from kernels.matrices import equicorrelation, random_correlation
from strategies import equipped

from cornet_nn import (
    CorAttention,
    CorBatchNorm,
    CorChannelConv,
    CorConv1d,
    CorDropout,
    CorFC,
    CorMLR,
    CorNet,
    CorRecurrent,
    CorResidual,
    FrechetPool,
    FromCoords,
    TangentActivation,
    ToCoords,
)
from geomstats_cor import METRICS, FullRankCorrelationMatrices

KEYS = tuple(METRICS)
FLAT = tuple(key for key in KEYS if key != "phcm")

# The flat metrics with their own and with other inner products.
PRODUCTS = {
    **{key: (key, {}) for key in FLAT},
    "olm, beta and gamma": ("olm", dict(alpha=1.3, beta=0.4, gamma=0.2)),
    "lsm, delta and zeta": ("lsm", dict(alpha=0.8, delta=0.5, zeta=0.3)),
}


def space_of(name, n):
    """Return a space with one of the flat metrics above, or by its key."""
    key, parameters = PRODUCTS.get(name, (name, {}))
    return equipped(n, key, **parameters)


def points(n, batch=(), seed=0, condition=20.0, dtype=torch.float64):
    """Return random correlation matrices."""
    rng = np.random.default_rng(seed)
    return torch.as_tensor(random_correlation(rng, n, condition, batch)).to(dtype)


def randomised(layer, seed=1, scale=1.0):
    """Return a layer whose offsets are not zero."""
    generator = torch.Generator().manual_seed(seed)
    with torch.no_grad():
        for name, parameter in layer.named_parameters():
            if name.endswith("gamma"):
                noise = torch.randn(parameter.shape, generator=generator)
                parameter.copy_(scale * noise)
    return layer


def _space(n, key):
    return FullRankCorrelationMatrices(n, equip=key)


# Layers of every kind for matrices of size 4 and two channels, by metric and dtype.
LAYERS = {
    "mlr": lambda key, **to: CorMLR(_space(4, key), 3, 2, **to),
    "fc": lambda key, **to: CorFC(_space(4, key), _space(3, key), 2, **to),
    "conv": lambda key, **to: CorChannelConv(
        _space(4, key), _space(3, key), 2, 2, kernel_size=1, **to
    ),
    "activation": lambda key, **to: TangentActivation(_space(4, key), torch.tanh),
    "conv1d": lambda key, **to: CorConv1d(
        4, 3, None, 2, 2, padding=1, metric=key, **to
    ),
    "norm": lambda key, **to: CorBatchNorm(4, 2, metric=key, **to).eval(),
    "dropout": lambda key, **to: CorDropout(4, metric=key).eval(),
    "coords": lambda key, **to: torch.nn.Sequential(
        ToCoords(4, metric=key), FromCoords(4, metric=key)
    ),
    "residual": lambda key, **to: CorResidual(
        TangentActivation(_space(4, key), torch.tanh), CorFC(4, 4, metric=key, **to)
    ),
    "pool": lambda key, **to: FrechetPool(4, 2, metric=key, **to),
    "attention": lambda key, **to: CorAttention(4, 2, space_head=3, metric=key, **to),
    "recurrent": lambda key, **to: CorRecurrent(4, 3, metric=key, **to),
    "cornet": lambda key, **to: CorNet(
        4, 3, 2, in_channels=2, metric=key, activation=torch.tanh, **to
    ),
}


def layer_of(kind, key, dtype=torch.float64, seed=3):
    """Return a layer with random parameters."""
    torch.manual_seed(seed)
    return randomised(LAYERS[kind](key, dtype=dtype), scale=0.3)


# Where derivatives are taken: two channels each.
PLACES = {
    "generic": random_correlation(np.random.default_rng(4), 4, 20.0, (2,)),
    "identity": np.broadcast_to(np.eye(4), (2, 4, 4)).copy(),
    "repeated": np.stack([equicorrelation(4, 0.4), equicorrelation(4, -0.2)]),
}


def hollow(entries):
    """Return symmetric hollow matrices from packed strict lower entries."""
    n = round((1 + np.sqrt(1 + 8 * entries.shape[-1])) / 2)
    rows, columns = np.tril_indices(n, -1)
    matrix = entries.new_zeros((*entries.shape[:-1], n, n))
    matrix[..., rows, columns] = entries
    return matrix + matrix.mT
