"""Gyro networks on SPD matrices, against their definitions."""

import itertools

import pytest
import torch
from scipy.linalg import logm, sqrtm

from cornet_nn.baselines import (
    GyroFC,
    GyroMLR,
    GyroSPDNet,
    GyroSPDPlusPlus,
    GyroTranslation,
)
from cornet_nn.spaces import SPDMatrices
from cornet_nn.spaces.packing import unsvec
from geomstats_cor import kernels
from geomstats_cor.exceptions import ParameterError, ShapeError
from tests.spaces.matrices import spd

N, M, CHANNELS = 4, 3, 2
METRICS = ("lem", "lcm", "aim")
every_metric = pytest.mark.parametrize("key", METRICS)
TOLERANCE = dict(rtol=1e-10, atol=1e-10)


def randomised(layer, seed=0):
    generator = torch.Generator().manual_seed(seed)
    with torch.no_grad():
        for parameter in layer.double().parameters():
            noise = torch.randn(parameter.shape, generator=generator)
            parameter.copy_(0.3 * noise.double())
    return layer


def chart(matrix):
    """Return phi(S) of the log-Cholesky metric."""
    factor = torch.linalg.cholesky(matrix)
    return factor.tril(-1) + factor.diagonal().log().diag()


def score(point, p, w, key):
    """Return one score, from SPD matrices P and W by the formulas of the papers."""
    if key == "lcm":
        return ((chart(point) - chart(p)) * chart(w)).sum()
    log_w = torch.as_tensor(logm(w.numpy()))
    if key == "lem":
        difference = logm(point.numpy()) - logm(p.numpy())
        return (torch.as_tensor(difference) * log_w).sum()
    root = torch.as_tensor(sqrtm(p.numpy())).inverse()
    return (torch.as_tensor(logm((root @ point @ root).numpy())) * log_w).sum()


def scores_by_hand(layer, points, key):
    metric = layer.planes.metric
    with torch.no_grad():
        offset = layer.offset.expand_as(layer.weight)
        ps, ws = metric.from_coords(offset), metric.from_coords(layer.weight)
    return torch.stack(
        [
            torch.stack(
                [
                    sum(
                        score(point[c], ps[k, c], ws[k, c], key)
                        for c in range(CHANNELS)
                    )
                    for k in range(len(ws))
                ]
            )
            for point in points
        ]
    )


@every_metric
@pytest.mark.parametrize("shared", [False, True])
def test_logits_are_the_scores_of_the_definition(key, shared):
    space = SPDMatrices(N, equip=key)
    layer = randomised(GyroMLR(space, 3, CHANNELS, shared_offset=shared))
    points = spd(4, CHANNELS)
    expected = scores_by_hand(layer, points, key)
    torch.testing.assert_close(layer(points), expected, **TOLERANCE)


@every_metric
def test_fully_connected_layer_by_its_equations(key):
    """The output has the scores of the input for the axes through the identity."""
    spaces = SPDMatrices(N, equip=key), SPDMatrices(M, equip=key)
    layer = randomised(GyroFC(*spaces, CHANNELS))
    points = spd(5, CHANNELS)
    scores, output = layer.scores(layer._features(points)), layer(points)
    metric = spaces[1].metric
    axes = torch.eye(spaces[1].dim, dtype=torch.float64)[:, None]
    of_output = metric.hyperplanes().scores(
        metric.hyperplanes().features(output)[:, None], axes, 0.0 * axes
    )
    torch.testing.assert_close(of_output, scores, **TOLERANCE)


@every_metric
def test_fully_connected_layer_as_printed(key):
    spaces = SPDMatrices(N, equip=key), SPDMatrices(M, equip=key)
    layer = randomised(GyroFC(*spaces, CHANNELS))
    points = spd(5, CHANNELS)
    scores = layer.scores(layer._features(points))
    v = torch.zeros(5, M, M, dtype=torch.float64)
    rows, columns = torch.tril_indices(M, M)
    v[:, rows, columns] = scores
    diagonal = torch.diag_embed(v.diagonal(dim1=-2, dim2=-1))
    if key == "lcm":
        factor = v.tril(-1) + torch.diag_embed(v.diagonal(dim1=-2, dim2=-1).exp())
        expected = factor @ factor.mT
    else:
        below = v.tril(-1) / 2.0**0.5
        expected = torch.matrix_exp(diagonal + below + below.mT)
    torch.testing.assert_close(layer(points), expected, **TOLERANCE)


def test_translation():
    layer = randomised(GyroTranslation(N, CHANNELS))
    w = kernels.sym_exp(unsvec(layer.weight.detach()))
    points = spd(3, CHANNELS)
    moved = layer(points)
    for c in range(CHANNELS):
        root = torch.as_tensor(sqrtm(w[c].numpy()))
        torch.testing.assert_close(moved[:, c], root @ points[:, c] @ root)


@pytest.mark.parametrize(("conv", "mlr"), [*itertools.product(METRICS, METRICS)])
def test_layers_may_skip_matrices_between_them(conv, mlr):
    model = randomised(GyroSPDPlusPlus(N, M, 3, CHANNELS, conv=conv, mlr=mlr))
    points = spd(5, CHANNELS)
    expected = model.mlr(model.conv(points))
    torch.testing.assert_close(model(points), expected, **TOLERANCE)


def test_commuting_matrices_have_log_euclidean_scores_under_aim():
    vectors = torch.linalg.qr(spd())[0]
    values = 0.5 + torch.rand(3, 1, N, dtype=torch.float64)
    points, p, w = kernels.spectral(values, vectors).unbind()
    layers = []
    for name in ("lem", "aim"):
        layer = GyroMLR(SPDMatrices(N, equip=name), 1).double()
        with torch.no_grad():
            metric = layer.planes.metric
            layer.weight.copy_(metric.to_coords(w))
            layer.offset.copy_(metric.to_coords(p))
        layers.append(layer(points))
    torch.testing.assert_close(*layers, **TOLERANCE)


def models():
    yield from (GyroSPDNet(N, 2, CHANNELS, metric=key) for key in METRICS)
    yield GyroSPDPlusPlus(N, 2, 2, CHANNELS, conv="aim", mlr="lem")
    yield GyroSPDPlusPlus(N, 2, 2, CHANNELS, conv="lcm", mlr="aim")
    yield GyroSPDPlusPlus(N, 2, 2, CHANNELS, shared_offset=True)


@pytest.mark.parametrize("number", range(6))
@pytest.mark.parametrize("where", ["generic", "repeated"])
def test_gradcheck(number, where):
    """At generic points, and at multiples of the identity."""
    model = randomised(list(models())[number])
    points = spd(2, CHANNELS)
    if where == "repeated":
        points = 2.0 * torch.eye(N, dtype=torch.float64).expand(2, CHANNELS, N, N)
    names = [name for name, _ in model.named_parameters()]
    values = [p.detach().clone().requires_grad_() for p in model.parameters()]

    def logits(x, *values):
        parts = dict(zip(names, values, strict=True))
        return torch.func.functional_call(model, parts, 0.5 * (x + x.mT))

    inputs = [points.clone().requires_grad_(), *values]
    assert torch.autograd.gradcheck(logits, inputs, fast_mode=True)


def test_errors():
    with pytest.raises(ParameterError, match="'lem', 'lcm', 'aim'"):
        GyroSPDNet(N, 2, metric="affine")
    with pytest.raises(ParameterError, match="conv"):
        GyroSPDPlusPlus(N, M, 2, conv="olm")
    with pytest.raises(ShapeError, match=r"\[..., 2, 4, 4\].*got \(3, 5, 4, 4\)"):
        GyroSPDNet(N, 2, CHANNELS).double()(spd(3, 5))
