"""Residual networks on SPD matrices, against their definition."""

import pytest
import torch
from geomstats.geometry.spd_matrices import SPDAffineMetric, SPDMatrices
from scipy.linalg import logm

from cornet_nn.baselines import SPDResNet
from geomstats_cor.exceptions import NotPositiveDefiniteError, ParameterError
from tests.spaces.matrices import spd

N, M = 6, 4
every_metric = pytest.mark.parametrize("metric", ["lem", "aim"])


def model_of(metric, **options):
    torch.manual_seed(0)
    return SPDResNet(N, M, 3, metric, **options).double().eval()


def parts(model, points):
    """Return the matrices after BiMap and the field there, by numpy."""
    with torch.no_grad():
        weight, frame = model.bimap(), model.frame()
        matrices = weight @ points @ weight.mT
        values = torch.linalg.eigvalsh(matrices)
        changes = model.spectrum(values[:, None])[:, 0]
        fields = frame @ torch.diag_embed(changes) @ frame.mT
    return matrices.numpy(), fields.numpy()


def test_log_euclidean_step():
    model, points = model_of("lem"), spd(4, n=N)
    matrices, fields = parts(model, points)
    pairs = zip(matrices, fields, strict=True)
    logs = torch.stack([torch.as_tensor(logm(x) + field) for x, field in pairs])
    expected = model.linear(logs.flatten(1))
    torch.testing.assert_close(model(points), expected, rtol=1e-10, atol=1e-10)


@pytest.mark.parametrize("unit", [True, False])
def test_affine_invariant_step_is_the_exponential_of_geomstats(unit):
    model, points = model_of("aim", unit_step=unit), spd(4, n=N)
    space = SPDMatrices(M, equip=False)
    space.equip_with_metric(SPDAffineMetric)
    logs = []
    for matrix, field in zip(*parts(model, points), strict=True):
        if unit:
            field = field / space.metric.norm(field, matrix)
        logs.append(torch.as_tensor(logm(space.metric.exp(field, matrix))))
    expected = model.linear(torch.stack(logs).flatten(1))
    torch.testing.assert_close(model(points), expected, rtol=1e-10, atol=1e-10)


def test_the_authors_normalise_the_field_under_aim_alone():
    assert model_of("aim").unit_step and not model_of("lem").unit_step


@every_metric
def test_gradcheck(metric):
    model, points = model_of(metric), spd(2, n=N)
    names = [name for name, _ in model.named_parameters()]
    values = [p.detach().clone().requires_grad_() for p in model.parameters()]

    def logits(*values):
        given = dict(zip(names, values, strict=True))
        return torch.func.functional_call(model, given, points)

    assert torch.autograd.gradcheck(logits, values, fast_mode=True, atol=1e-4)


@every_metric
def test_repeated_eigenvalues_have_finite_gradients(metric):
    model = model_of(metric).train()
    points = (2.0 * torch.eye(N).double()).expand(3, N, N).clone().requires_grad_()
    gradients = torch.autograd.grad(
        model(points).square().sum(), [points, *model.parameters()]
    )
    assert all(gradient.isfinite().all() for gradient in gradients)


def test_errors():
    with pytest.raises(ParameterError, match="m = 7 and n = 6"):
        SPDResNet(6, 7, 3)
    with pytest.raises(ParameterError, match="'lem', 'aim'"):
        SPDResNet(6, 4, 3, metric="lcm")
    points = spd(3, n=N)
    points[1] -= 10.0 * torch.eye(N)
    with pytest.raises(NotPositiveDefiniteError, match=r"point\[1\]"):
        model_of("lem")(points)
