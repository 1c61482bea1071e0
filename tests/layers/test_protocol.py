"""Layers work over every space that satisfies the protocol."""

import math

import pytest
import torch

from cornet_nn import (
    CoordinateLayer,
    CorAttention,
    CorBatchNorm,
    CorChannelConv,
    CorConv1d,
    CorDropout,
    CorFC,
    CorLayer,
    CorMLR,
    CorNet,
    CorRecurrent,
    CorResidual,
    CorResNet,
    CorSequential,
    CorTransformer,
    FrechetPool,
    FromCoords,
    TangentActivation,
    ToCoords,
)
from cornet_nn.layers.protocol import (
    FactorMetric,
    ReadableMetric,
    SpaceHyperplanes,
    WritableMetric,
)
from geomstats_cor import kernels
from geomstats_cor.exceptions import ParameterError
from geomstats_cor.hyperplanes import FlatHyperplanes

from .networks import KEYS, points, space_of

DOUBLE = dict(dtype=torch.float64)


class ReadOnlyMetric:
    """The log-Euclidean metric of SPD matrices, with what a regression needs."""

    def __init__(self, space):
        self._space = space

    def hyperplanes(self):
        return SPDHyperplanes(self)

    def to_coords(self, point):
        return self.pack(kernels.sym_log(point))

    def pack(self, matrix):
        n = self._space.n
        rows, columns = torch.tril_indices(n, n)
        scale = matrix.new_full(rows.shape, math.sqrt(2.0))
        return scale.masked_fill(rows == columns, 1.0) * matrix[..., rows, columns]


class LogEuclideanMetric(ReadOnlyMetric):
    def from_coords(self, coords):
        return kernels.sym_exp(self.unpack(coords))

    def unpack(self, coords):
        n = self._space.n
        rows, columns = torch.tril_indices(n, n)
        scale = coords.new_full(rows.shape, math.sqrt(0.5))
        scale = scale.masked_fill(rows == columns, 1.0)
        matrix = coords.new_zeros(*coords.shape[:-1], n, n)
        matrix[..., rows, columns] = scale * coords
        return matrix + matrix.tril(-1).mT

    def is_same(self, other):
        return type(self) is type(other) and self._space.n == other._space.n


class SPDHyperplanes(FlatHyperplanes):
    def _to_coords(self, packed):
        return packed

    def _from_coords(self, coords):
        return coords

    def normals(self, weight):
        return self.metric.unpack(weight)


class SPD:
    def __init__(self, n, metric=LogEuclideanMetric):
        self.n, self.dim = n, n * (n + 1) // 2
        self.metric = metric(self)


def spd_points(n, batch=()):
    scale = torch.linspace(0.5, 2.0, n, **DOUBLE)
    return scale[:, None] * points(n, batch) * scale


class BareMetric:
    """Another metric, of which nothing is left but the protocol."""

    def __init__(self, metric):
        self._metric = metric

    def hyperplanes(self):
        return BareHyperplanes(self, self._metric.hyperplanes())

    def to_coords(self, point):
        return self._metric.to_coords(point)

    def from_coords(self, coords):
        return self._metric.from_coords(coords)

    def is_same(self, other):
        return isinstance(other, BareMetric) and self._metric.is_same(other._metric)


class BareHyperplanes:
    def __init__(self, metric, planes):
        self.metric, self._planes = metric, planes

    def __getattr__(self, name):
        if name.startswith("_") or name not in dir(SpaceHyperplanes) + [
            *SpaceHyperplanes.__annotations__
        ]:
            raise AttributeError(f"the protocol has no {name}")
        return getattr(self._planes, name)


class BareSpace:
    def __init__(self, space):
        self.metric = BareMetric(space.metric)


def network_of_all_layers(large, small, **options):
    return CorSequential(
        CorBatchNorm(large, 2, **options),
        CorChannelConv(large, large, 2, 3, **options),
        ToCoords(large),
        FromCoords(large),
        CorConv1d(large, small, None, 2, 2, padding=1, **options),
        TangentActivation(small, torch.tanh),
        CorConv1d(small, small, 2, None, 1, kernels="joint", **options),
        CorAttention(small, 2, **options),
        CorResidual(CorFC(small, small, **options)),
        CorRecurrent(small, small, **options),
        CorDropout(small, 0.0),
        FrechetPool(small),
        CorMLR(small, 2, **options),
    )


def deep_network(large, small, **options):
    return CorNet(
        large, [small, small], 2, 2, normalize="coordinates", mlr=small, **options
    )


def residual_network(large, small, **options):
    return CorResNet(large, small, 2, 2, normalize="channel", **options)


def transformer(large, small, **options):
    return CorTransformer(large, small, 2, 2, normalize="center", **options)


@pytest.mark.parametrize(
    "make", [network_of_all_layers, deep_network, residual_network, transformer]
)
@pytest.mark.parametrize("key", [*KEYS, "spd"])
def test_layers_ask_for_nothing_else(make, key):
    """Not even parameter groups and initial weights do."""
    spaces = [SPD(n) if key == "spd" else space_of(key, n) for n in (4, 3)]
    given = spd_points(4, (5, 2)) if key == "spd" else points(4, (5, 2))
    results = []
    for own in (spaces, [BareSpace(space) for space in spaces]):
        torch.manual_seed(0)
        model = make(*own, **DOUBLE)
        getattr(model, "parameter_groups", lambda lr: None)(0.1)
        results.append(model(given))
    torch.testing.assert_close(*results)


@pytest.mark.parametrize("key", KEYS)
def test_metrics_of_correlation_matrices_satisfy_it(key):
    metric = space_of(key, 4).metric
    assert isinstance(metric, FactorMetric)
    assert isinstance(metric.hyperplanes(), SpaceHyperplanes)


def test_flat_metrics_of_spd_matrices_satisfy_it():
    metric = SPD(4).metric
    assert isinstance(metric, WritableMetric) and not isinstance(metric, FactorMetric)
    assert isinstance(metric.hyperplanes(), SpaceHyperplanes)
    metric = SPD(4, ReadOnlyMetric).metric
    assert isinstance(metric, ReadableMetric)
    assert not isinstance(metric, WritableMetric)


WRITERS = {
    "fc": lambda space: CorFC(SPD(4), space),
    "conv": lambda space: CorConv1d(SPD(4), space, None, 2, 1),
    "channels": lambda space: CorChannelConv(SPD(4), space, 2),
    "activation": lambda space: TangentActivation(space, torch.tanh),
    "norm": CorBatchNorm,
    "dropout": CorDropout,
    "pool": FrechetPool,
    "attention": CorAttention,
    "recurrent": lambda space: CorRecurrent(SPD(4), space),
    "cornet": lambda space: CorNet(SPD(4), space, 2),
}


@pytest.mark.parametrize("name", WRITERS)
def test_a_space_that_cannot_be_written_to_is_refused_when_a_layer_is_built(name):
    message = "makes matrices of coordinates.*got ReadOnlyMetric without from_coords"
    with pytest.raises(ParameterError, match=message):
        WRITERS[name](SPD(3, ReadOnlyMetric))
    WRITERS[name](SPD(3))


def test_a_space_that_can_be_read_has_a_regression():
    layer = CorMLR(SPD(4, ReadOnlyMetric), 3, **DOUBLE)
    assert layer(spd_points(4, (5,))).shape == (5, 3)


def test_layers_over_spd_matrices_are_linear_in_logarithms():
    """The fully connected layer, by the matrix logarithm."""
    space, small = SPD(4), SPD(3)
    layer, given = CorFC(space, small, **DOUBLE), spd_points(4, (5,))
    torch.nn.init.constant_(layer.gamma, 0.3)
    normals = layer.normals()[:, 0]
    logs = torch.stack([_log(x) for x in given])
    products = torch.einsum("bij,kij->bk", logs, normals)
    distances = products - 0.3 * torch.linalg.matrix_norm(normals)
    expected = torch.linalg.matrix_exp(small.metric.unpack(distances))
    torch.testing.assert_close(layer(given), expected, rtol=1e-9, atol=1e-9)


def _log(matrix):
    values, vectors = torch.linalg.eigh(matrix)
    return vectors @ torch.diag(values.log()) @ vectors.mT


def test_every_layer_works_over_spd_matrices_fused_or_not():
    torch.manual_seed(0)
    large, space = SPD(4), SPD(3)
    layers = [
        CorConv1d(large, space, None, 2, 2, **DOUBLE),
        TangentActivation(space, torch.tanh),
        CorConv1d(space, space, 2, None, 1, **DOUBLE),
        CorBatchNorm(space, **DOUBLE),
        CorAttention(space, 2, **DOUBLE),
        CorResidual(CorFC(space, space, **DOUBLE)),
        CorRecurrent(space, space, **DOUBLE),
        CorDropout(space, 0.0),
        FrechetPool(space),
        CorMLR(space, 2, **DOUBLE),
    ]
    given = spd_points(4, (3, 5))
    fused = CorSequential(*layers)
    assert set(fused._links) == {"coords"}
    output = fused(given)
    unfused = CorSequential(*layers, fuse=False)
    torch.testing.assert_close(unfused(given), output, rtol=1e-8, atol=1e-8)
    output.square().sum().backward()
    assert all(torch.isfinite(p.grad).all() for p in fused.parameters())


def test_spaces_without_factors_meet_in_points():
    torch.manual_seed(0)
    first = CorFC(SPD(4), SPD(3), **DOUBLE)
    last = CorMLR(SPD(3), 2, **DOUBLE)

    class Other(LogEuclideanMetric):
        pass

    other = CorMLR(SPD(3, Other), 2, **DOUBLE)
    other.load_state_dict(dict(last.state_dict()))
    model, given = CorSequential(first, other), spd_points(4, (5,))
    assert model._links == ("points",)
    torch.testing.assert_close(model(given), CorSequential(first, last)(given))


def test_a_layer_of_ones_own():
    class Scale(CoordinateLayer):
        def __init__(self, space, factor):
            super().__init__(space)
            self.factor = factor

        def compute(self, features):
            return self.factor * features

    class Sum(CorLayer):
        def compute(self, features):
            return features.sum(-1)

    space, given = space_of("lsm", 4), points(4, (5,))
    scale, total = Scale(space, 0.5), Sum(space)
    metric, identity = space.metric, torch.eye(4, **DOUBLE)
    expected = 0.5 * metric.dist(given, identity)
    torch.testing.assert_close(metric.dist(scale(given), identity), expected)
    model = CorSequential(scale, total)
    assert model._links == ("coords",)
    torch.testing.assert_close(model(given), total(scale(given)))
    torch.testing.assert_close(model(given), 0.5 * total(given))
