"""How many factorisations the two iterations need.

Torch itself reports every factorisation to a dispatch mode, so the counts do not depend
on how the kernels are written. A count is that of factorised matrices per matrix of the
batch, the first check of positive definiteness included.
"""

import math

import numpy as np
import torch
from torch.utils._python_dispatch import TorchDispatchMode

from geomstats_cor import kernels

from .matrices import correlations_of_condition, hollow_of_spread
from .rows import Row

CONDITIONS = ("1e1", "1e2", "1e4", "1e8", "1e12")
SPREADS = (2, 10, 20)
_LARGEST_RESIDUAL = 300  # beyond, that of one kind: extended precision has no BLAS
_OPERATORS = {
    "chol": ("aten::linalg_cholesky_ex", "aten::cholesky"),
    "eigh": ("aten::_linalg_eigh",),
}


class FactorisationCounter(TorchDispatchMode):
    """Count the matrices that are factorised inside a `with` block."""

    def __init__(self):
        super().__init__()
        self.counts = dict.fromkeys(_OPERATORS, 0)

    def __torch_dispatch__(self, function, types, args=(), kwargs=None):
        for name, operators in _OPERATORS.items():
            if function._schema.name in operators:
                self.counts[name] += math.prod(args[0].shape[:-2])
        return function(*args, **(kwargs or {}))


def count(name, function, matrices):
    """Return how often a function factorises each matrix of a batch, on average."""
    with FactorisationCounter() as counter:
        function(matrices)
    return counter.counts[name] / matrices.shape[0]


def count_rows(n, dtype, batch):
    """Return the counts of D and of D*, the worst over kinds of matrices."""
    tensor = getattr(torch, dtype)
    rows = []

    def add(name, unit, value, note, quantity="count"):
        rows.append(
            Row("count", name, n, batch, dtype, quantity, unit, value, note=note)
        )

    for spread in SPREADS:
        counts, errors = {}, {}
        for shape in ("dense", "one factor", "banded"):
            matrices = hollow_of_spread(batch, n, spread, shape=shape)
            matrices = torch.as_tensor(matrices, dtype=tensor)
            counts[shape] = count("eigh", kernels.off_log_diagonal, matrices)
            if n <= _LARGEST_RESIDUAL or not errors:
                errors[shape] = _residual(matrices)
        worst = max(counts, key=counts.get)
        add(f"D, spread {spread}", "eigh", counts[worst], worst)
        worst = max(errors, key=errors.get)
        unit = "eps max(1, spread)"
        add(f"D, spread {spread}", unit, errors[worst], worst, "residual")
    for condition in CONDITIONS:
        if float(condition) * torch.finfo(tensor).eps * n > 0.1:
            continue
        counts = {}
        for shape in ("even", "one small", "one large"):
            matrices = correlations_of_condition(batch, n, float(condition), 0, shape)
            matrices = torch.as_tensor(matrices, dtype=tensor)
            counts[shape] = count("chol", kernels.log_scaling, matrices)
        worst = max(counts, key=counts.get)
        add(f"D*, cond {condition}", "chol", counts[worst], worst)
    return [row.judged() for row in rows]


def _residual(hollow):
    """Return the error of the diagonal of exp(H + D), in units of rounding."""
    diagonal = kernels.off_log_diagonal(hollow)
    # In higher precision, so that it is the residual of D, not of this evaluation;
    # it is slow, and a few matrices are enough.
    few = max(1, min(len(hollow), int(3e6 / hollow.shape[-1] ** 3)))
    higher = np.float64 if hollow.dtype == torch.float32 else np.longdouble
    shifted = hollow[:few].numpy().astype(higher)
    places = np.arange(hollow.shape[-1])
    shifted[:, places, places] = diagonal[:few].numpy()
    values = np.linalg.eigvalsh(shifted.astype(float))
    spread = np.maximum(values[:, -1] - values[:, 0], 1.0)
    entries = _diagonal_of_exponential(shifted)
    error = np.abs(entries - 1.0).max(axis=-1) / spread
    return float(error.max()) / torch.finfo(hollow.dtype).eps


def _diagonal_of_exponential(matrices):
    """Return the diagonal of exp by its series, after halvings and before squarings."""
    halvings = 10
    matrices = matrices / 2**halvings
    power = matrices
    total = power + np.eye(matrices.shape[-1])
    for order in range(2, 10):
        power = power @ matrices / order
        total = total + power
    for _ in range(halvings - 1):
        total = total @ total
    return (total * total).sum(axis=-1)  # it is symmetric
