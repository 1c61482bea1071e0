"""Networks on subspaces: the published chains, and independence of the basis."""

import pytest
import torch

from cornet_nn.baselines import (
    FullRankMap,
    GrassmannScaling,
    GrassmannTranslation,
    GrNet,
    GyroGrNet,
    ProjectorPooling,
    TopEigenspace,
)
from cornet_nn.baselines.grassmann import pooled_rows
from cornet_nn.spaces import orthonormal_basis, projector
from geomstats_cor.exceptions import ParameterError, ShapeError, SubspaceError
from tests.spaces.matrices import bases, rotations

N, P, CHANNELS = 9, 2, 4
NETWORKS = {
    "GrNet": lambda: GrNet(N, P, 3, CHANNELS, m=7),
    "GrNet with means of channels": lambda: GrNet(N, P, 3, CHANNELS, instances=2),
    "GyroGr": lambda: GyroGrNet(N, P, 3, CHANNELS),
    "GyroGr-Scaling": lambda: GyroGrNet(N, P, 3, CHANNELS, scaling=True, initial=0.8),
}
every_network = pytest.mark.parametrize("name", NETWORKS)


def points(number=5):
    return bases(number, CHANNELS, n=N, p=P)


@every_network
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_logits_do_not_depend_on_the_basis(name, dtype):
    torch.manual_seed(0)
    model = NETWORKS[name]().to(dtype)
    given = points()
    turned = given @ rotations(5, CHANNELS, p=P, seed=1)
    logits = [model(x.to(dtype)) for x in (given, turned)]
    assert logits[0].dtype == dtype
    torch.testing.assert_close(*logits, rtol=1e-3, atol=1e-4)


@every_network
def test_pooled_bases_replace_eigendecompositions(name):
    """Projectors, means over blocks, leading eigenvectors, projectors, linear."""
    torch.manual_seed(0)
    model, given = NETWORKS[name]().double(), points()
    moved = (model.map if "GrNet" in name and hasattr(model, "map") else model.motion)(
        given
    )
    pooled = ProjectorPooling(2, model.instances)(projector(moved))
    published = model.linear(projector(TopEigenspace(P)(pooled)).flatten(-3))
    torch.testing.assert_close(model(given), published, rtol=1e-10, atol=1e-10)


@every_network
def test_gradcheck(name):
    torch.manual_seed(0)
    model, given = NETWORKS[name]().double(), points(2)
    names = [key for key, _ in model.named_parameters()]
    values = [p.detach().clone().requires_grad_() for p in model.parameters()]

    def logits(*values):
        parts = dict(zip(names, values, strict=True))
        return torch.func.functional_call(model, parts, given)

    assert torch.autograd.gradcheck(logits, values, fast_mode=True)


def test_scaling_by_one_is_the_identity():
    given = points()
    moved = GrassmannScaling(N, P, CHANNELS).double()(given)
    torch.testing.assert_close(projector(moved), projector(given))


def test_translation_by_nothing_is_the_identity():
    layer = GrassmannTranslation(N, P, CHANNELS).double()
    torch.nn.init.zeros_(layer.weight)
    torch.testing.assert_close(layer(points()), points())


def test_pooling_by_hand():
    given = projector(bases(3, CHANNELS, n=5, p=2))
    pooled = ProjectorPooling(2, 2)(given)
    padded = torch.nn.functional.pad(given, (0, 1, 0, 1))
    for i in range(3):
        for j in range(3):
            block = padded[..., 2 * i : 2 * i + 2, 2 * j : 2 * j + 2].mean((-2, -1))
            expected = torch.stack([block[:, :2].mean(1), block[:, 2:].mean(1)], 1)
            torch.testing.assert_close(pooled[..., i, j], expected)


def test_pooled_projectors_of_full_rank_are_constant():
    """[8, 20, 8] with a map 20 -> 16 and pooling to 8, as printed for Radar."""
    torch.manual_seed(0)
    given = bases(3, 2, n=20, p=8)
    span = orthonormal_basis(pooled_rows(FullRankMap(20, 16, 2).double()(given), 2))
    identity = torch.eye(8, dtype=torch.float64).expand(3, 2, 8, 8)
    torch.testing.assert_close(projector(span), identity)


def test_full_rank_map_has_orthonormal_rows_whatever_the_optimizer():
    torch.manual_seed(0)
    layer = FullRankMap(N, 6, CHANNELS).double()
    optimizer = torch.optim.SGD(layer.parameters(), lr=1.0, weight_decay=0.1)
    for _ in range(3):
        optimizer.zero_grad()
        projector(layer(points())).pow(3).sum().backward()
        optimizer.step()
    weight = layer.map()
    identity = torch.eye(6, dtype=torch.float64).expand(CHANNELS, 6, 6)
    torch.testing.assert_close(weight @ weight.mT, identity)
    before = weight.detach()
    layer.reset_parameters()
    assert not torch.allclose(layer.map(), before)


def test_errors():
    with pytest.raises(ParameterError, match="p = 9 and n = 9"):
        GyroGrNet(N, N, 3)
    with pytest.raises(ParameterError, match="expected p < 4"):
        GrNet(N, 4, 3, m=7)
    with pytest.raises(ParameterError, match="divisor of the 4 channels, got 3"):
        GrNet(N, P, 3, CHANNELS, instances=3)
    model = NETWORKS["GyroGr"]().double()
    with pytest.raises(ShapeError, match=r"expected shape \[..., 4, 9, 2\]"):
        model(bases(5, 3, n=N, p=P))
    given = points()
    given[3, 1, :, 1] = given[3, 1, :, 0]
    with pytest.raises(SubspaceError, match=r"point\[3, 1\]"):
        model(given)
