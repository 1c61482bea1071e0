"""What is timed: the kernels, and the operations of the metrics."""

import functools
from dataclasses import dataclass

import numpy as np
import torch

from geomstats_cor import METRICS, FullRankCorrelationMatrices, frechet_mean, kernels

from .matrices import (
    autoregressive,
    batch_size,
    correlations_of_condition,
    hollow_of_spread,
    tangent_vectors,
)

FLOORS = {"chol": torch.linalg.cholesky, "eigh": torch.linalg.eigh}
METRIC_FLOORS = {
    "ecm": "chol",
    "lecm": "chol",
    "olm": "eigh",
    "lsm": "eigh",
    "phcm": "chol",
}
CONDITION = 1e2


@dataclass(frozen=True)
class Cell:
    """One function on one input.

    Parameters
    ----------
    kind : {"kernel", "metric", "small batch"}
        What the function is.
    name : str
        Name, with the input if it is not the ordinary one.
    function : callable
        Takes the arrays, returns an array.
    arrays : tuple of numpy.ndarray
        Input, float64.
    floor : str
        Factorisation that is the floor.
    factored : tuple of numpy.ndarray
        Matrices that the floor factorises.
    units : sequence of str
        Further denominators: factorisations, or "theta" for the same quantity of theta.
    """

    kind: str
    name: str
    function: callable
    arrays: tuple
    floor: str
    factored: tuple
    units: tuple = ()

    @property
    def n(self):
        """Size of the matrices."""
        return self.arrays[0].shape[-1]

    @property
    def batch(self):
        """Number of matrices."""
        return self.arrays[0].shape[0]

    def tensors(self, dtype):
        """Return the input as tensors."""
        return tuple(
            torch.as_tensor(x, dtype=getattr(torch, dtype)) for x in self.arrays
        )

    def floors(self, dtype):
        """Return the factorisations that are denominators, as tasks."""
        matrices = torch.as_tensor(
            np.concatenate(self.factored), dtype=getattr(torch, dtype)
        )
        names = (self.floor, *(u for u in self.units if u in FLOORS))
        return {name: functools.partial(FLOORS[name], matrices) for name in names}


def forward(function, tensors):
    """Return the task of evaluating a function."""
    return lambda: function(*tensors)


def forward_backward(function, tensors):
    """Return the task of evaluating a function and its gradient in all arguments."""
    tensors = tuple(x.clone().requires_grad_() for x in tensors)
    with torch.no_grad():
        result = function(*tensors)
    generator = torch.Generator().manual_seed(0)
    cotangent = torch.randn(result.shape, generator=generator, dtype=result.dtype)

    def task():
        return torch.autograd.grad(function(*tensors), tensors, cotangent)

    return task


def _row_map(correlation):
    return kernels.hyperboloid_to_origin_tangent(kernels.strict_theta(correlation))


def _theta_log(correlation):
    return kernels.log_unit_lower(kernels.theta(correlation))


def kernel_cells(n, batch=None):
    """Return the kernels on their inputs."""
    batch = batch or batch_size(n)
    easy = correlations_of_condition(batch, n, CONDITION)
    hard = correlations_of_condition(batch, n, 1e4)
    steady = autoregressive(batch, n)

    def cell(name, function, array, floor, factored=None, units=()):
        factored = array if factored is None else factored
        return Cell("kernel", name, function, (array,), floor, (factored,), units)

    unit_lower, slow_lower = kernels.theta(easy), kernels.theta(steady)
    cells = [
        cell("theta", kernels.theta, easy, "chol"),
        cell("log_unit_lower", kernels.log_unit_lower, unit_lower, "chol", easy),
        cell(
            "log_unit_lower, AR(0.9)",
            kernels.log_unit_lower,
            slow_lower,
            "chol",
            steady,
        ),
        cell("theta + log", _theta_log, easy, "chol", units=("theta",)),
        cell(
            "exp_strictly_lower",
            kernels.exp_strictly_lower,
            _theta_log(easy),
            "chol",
            easy,
        ),
        cell("PHCM row map", _row_map, easy, "chol", units=("theta",)),
        cell("sym_log", kernels.sym_log, easy, "eigh"),
        cell("sym_exp", kernels.sym_exp, kernels.sym_log(easy), "eigh"),
        cell("off_log", kernels.off_log, easy, "eigh"),
    ]
    cells += [
        cell(
            f"off_exp, spread {spread}",
            kernels.off_exp,
            hollow_of_spread(batch, n, spread),
            "eigh",
        )
        for spread in (2, 10, 20)
    ]
    return cells + [
        cell("log_scaling", kernels.log_scaling, easy, "chol", units=("eigh",)),
        cell(
            "log_scaling, cond 1e4", kernels.log_scaling, hard, "chol", units=("eigh",)
        ),
        cell("log_scaled", kernels.log_scaled, easy, "eigh"),
        cell("exp_scaled", kernels.exp_scaled, kernels.log_scaled(easy), "eigh"),
    ]


OPERATIONS = {
    # name: the arguments among points, others and vectors, and the call
    "dist": ("po", lambda space, p, o: space.metric.dist(p, o)),
    "exp": ("pv", lambda space, p, v: space.metric.exp(v, p)),
    "log": ("po", lambda space, p, o: space.metric.log(o, p)),
    "transport": (
        "pov",
        lambda space, p, o, v: space.metric.parallel_transport(v, p, end_point=o),
    ),
    "geodesic": (
        "po",
        lambda space, p, o: space.metric.geodesic(p, end_point=o)(0.5),
    ),
    "mean": ("p", lambda space, p: frechet_mean(p, space)),
}


def metric_arrays(n, batch=None):
    """Return the points, other points and tangent vectors of the metric cells."""
    batch = batch or batch_size(n)
    return {
        "p": correlations_of_condition(batch, n, CONDITION, seed=1),
        "o": correlations_of_condition(batch, n, CONDITION, seed=2),
        "v": tangent_vectors(batch, n, seed=3),
    }


def metric_cells(n, batch=None, metrics=tuple(METRICS), operations=tuple(OPERATIONS)):
    """Return the operations of the metrics on one set of points."""
    arrays = metric_arrays(n, batch)
    cells = []
    for key in metrics:
        space = FullRankCorrelationMatrices(n, equip=key)
        for operation in operations:
            wanted, call = OPERATIONS[operation]
            cells.append(
                Cell(
                    "metric",
                    f"{key} {operation}",
                    functools.partial(call, space),
                    tuple(arrays[letter] for letter in wanted),
                    METRIC_FLOORS[key],
                    tuple(arrays[letter] for letter in wanted if letter != "v"),
                )
            )
    return cells
