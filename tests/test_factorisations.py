"""An operation factorises each of its points once, validation included."""

import math

import pytest

from geomstats_cor import FullRankCorrelationMatrices
from geomstats_cor.kernels import log_scaled_maps

torch = pytest.importorskip("torch")
from torch.utils._python_dispatch import TorchDispatchMode  # noqa: E402

_KINDS = {
    "aten::linalg_cholesky_ex": "cholesky",
    "aten::_linalg_eigh": "eigh",
    "aten::_linalg_svd": "svd",
}
CALLS = {
    "inner_product": lambda m, p, q, v, w: m.inner_product(v, w, p),
    "squared_norm": lambda m, p, q, v, w: m.squared_norm(v, p),
    "norm": lambda m, p, q, v, w: m.norm(v, p),
    "normalize": lambda m, p, q, v, w: m.normalize(v, p),
    "sectional_curvature": lambda m, p, q, v, w: m.sectional_curvature(v, w, p),
    "curvature": lambda m, p, q, v, w: m.curvature(v, w, v, p),
    "metric_matrix": lambda m, p, q, v, w: m.metric_matrix(p),
    "christoffels": lambda m, p, q, v, w: m.christoffels(p),
    "riemann_tensor": lambda m, p, q, v, w: m.riemann_tensor(p),
    "to_coords": lambda m, p, q, v, w: m.to_coords(p),
    "dist": lambda m, p, q, v, w: m.dist(p, q),
    "log": lambda m, p, q, v, w: m.log(q, p),
    "parallel_transport": lambda m, p, q, v, w: m.parallel_transport(v, p, end_point=q),
    "log_coords": lambda m, p, q, v, w: m.log_coords(q, p),
}
TWO_POINTS = ("dist", "log", "parallel_transport", "log_coords")


class Counter(TorchDispatchMode):
    """Count the matrices of a size that are factorised inside a `with` block."""

    def __init__(self, n):
        super().__init__()
        self.n, self.counts = n, dict.fromkeys(_KINDS.values(), 0)

    def __torch_dispatch__(self, function, types, args=(), kwargs=None):
        kind = _KINDS.get(function._schema.name)
        if kind and args[0].shape[-1] == self.n:
            self.counts[kind] += math.prod(args[0].shape[:-2])
        return function(*args, **(kwargs or {}))


def factorisations(key, name):
    """Return the counts of an operation at single points."""
    space = FullRankCorrelationMatrices(4, equip=key)
    p, q = (torch.as_tensor(x) for x in space.random_point(2, rng=0))
    v, w = (torch.as_tensor(x) for x in space.random_tangent_vec(p.numpy(), 2, rng=1))
    with Counter(space.n) as counter:
        CALLS[name](space.metric, p, q, v, w)
    return counter.counts


def expected(name):
    return 2 if name in TWO_POINTS else 1


@pytest.mark.parametrize("name", CALLS)
@pytest.mark.parametrize("key", ["ecm", "lecm", "phcm"])
def test_one_cholesky_factor_a_point(key, name):
    assert factorisations(key, name) == dict(cholesky=expected(name), eigh=0, svd=0)


@pytest.mark.parametrize("name", CALLS)
def test_one_spectrum_a_point(name):
    counts = factorisations("olm", name)
    assert (counts["eigh"], counts["svd"]) == (expected(name), 0)


@pytest.mark.parametrize("name", CALLS)
def test_one_spectrum_and_one_scaling_a_point(name, monkeypatch):
    scalings = []

    def counted(matrix):
        scalings.append(math.prod(matrix.shape[:-2]))
        return solve(matrix)

    solve = log_scaled_maps.newton_scaling
    monkeypatch.setattr(log_scaled_maps, "newton_scaling", counted)
    counts = factorisations("lsm", name)
    assert (counts["eigh"], counts["svd"]) == (expected(name), 0)
    assert sum(scalings) == expected(name)
