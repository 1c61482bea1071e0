"""Layers over SPD matrices and products: what the protocol promises."""

import pytest
import torch

from cornet_nn import (
    CorAttention,
    CorBatchNorm,
    CorChannelConv,
    CorDropout,
    CorFC,
    CorMLR,
    CorSequential,
    FrechetPool,
    TangentActivation,
)
from cornet_nn.layers.protocol import WritableMetric
from cornet_nn.spaces import ProductSpace, SPDMatrices
from geomstats_cor import FullRankCorrelationMatrices
from geomstats_cor.exceptions import (
    NotPositiveDefiniteError,
    ParameterError,
    ShapeError,
)

from .matrices import spd

SPACES = {
    "lem": lambda n: SPDMatrices(n, equip="lem"),
    "lcm": lambda n: SPDMatrices(n, equip="lcm"),
    "product": lambda n: ProductSpace(
        SPDMatrices(n - 1, equip="lcm"),
        FullRankCorrelationMatrices(n, equip="olm"),
        SPDMatrices(2, equip="lem"),
    ),
}
every_flat = pytest.mark.parametrize("key", SPACES)


def point_of(space, *batch, seed=0):
    coords = torch.randn(
        *batch,
        space.dim,
        generator=torch.Generator().manual_seed(seed),
        dtype=torch.float64,
    )
    return space.metric.from_coords(0.5 * coords)


@every_flat
def test_coordinates_invert_each_other(key):
    space = SPACES[key](4)
    assert isinstance(space.metric, WritableMetric)
    point = point_of(space, 5)
    coords = space.metric.to_coords(point)
    assert coords.shape == (5, space.dim)
    torch.testing.assert_close(space.metric.from_coords(coords), point)
    assert space.metric.is_same(SPACES[key](4).metric)
    assert not space.metric.is_same(SPACES[key](5).metric)


@every_flat
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_every_layer_works_over_a_flat_space(key, dtype):
    torch.manual_seed(0)
    space, small = SPACES[key](4), SPACES[key](3)
    model = CorSequential(
        CorBatchNorm(space, 2),
        CorChannelConv(space, small, 2, num_kernels=3),
        TangentActivation(small, torch.nn.functional.leaky_relu),
        CorDropout(small, 0.1),
        CorFC(small, small, in_channels=3),
        CorMLR(small, 5),
    ).to(dtype)
    point = point_of(space, 6, 2).to(dtype).requires_grad_()
    logits = model(point)
    assert logits.shape == (6, 5) and logits.dtype == dtype
    gradients = torch.autograd.grad(logits.square().sum(), [point, *model.parameters()])
    assert all(gradient.isfinite().all() for gradient in gradients)
    assert all(gradient.abs().max() > 0.0 for gradient in gradients)


@every_flat
def test_a_fully_connected_layer_has_its_logits_as_coordinates(key):
    torch.manual_seed(0)
    space, small = SPACES[key](4), SPACES[key](3)
    layer = CorFC(space, small, in_channels=2).double()
    point = point_of(space, 6, 2)
    features = layer.hyperplanes_in.features(point)
    coords = small.metric.to_coords(layer(point))
    torch.testing.assert_close(coords, layer.logits(features))


def test_affine_invariant_layer_has_its_logits_as_coordinates():
    torch.manual_seed(0)
    space, small = SPDMatrices(4, equip="aim"), SPDMatrices(3, equip="aim")
    layer = CorFC(space, small, in_channels=2).double()
    point = spd(6, 2)
    logits = layer.logits(layer.hyperplanes_in.features(point))
    torch.testing.assert_close(small.metric.to_coords(layer(point)), logits)
    parameters = [p.detach().requires_grad_() for p in layer.parameters()]
    names = [name for name, _ in layer.named_parameters()]

    def output(*values):
        parts = dict(zip(names, values, strict=True))
        return torch.func.functional_call(layer, parts, point[:1])

    assert torch.autograd.gradcheck(output, parameters, fast_mode=True)


def test_null_normals_under_the_affine_invariant_metric():
    layer = CorMLR(SPDMatrices(3, equip="aim"), 2).double()
    with torch.no_grad():
        layer.weight.zero_()
        layer.gamma.fill_(0.5)
    layer(spd(4, n=3)).square().sum().backward()
    assert layer.weight.grad.isfinite().all()


def test_a_metric_without_means_refuses_the_layers_that_need_them():
    """When they are built, and alone or in a product."""
    space, other = SPDMatrices(3, equip="aim"), SPDMatrices(2, equip="lem")
    for refused in (space, ProductSpace(space, other)):
        for layer in (CorBatchNorm, FrechetPool, CorAttention):
            message = f'{layer.__name__} needs Fréchet means.*equip="lem"'
            with pytest.raises(ParameterError, match=message):
                layer(refused)
    CorBatchNorm(space, motion="tangent")


def test_logits_of_a_product_are_sums():
    torch.manual_seed(0)
    factors = [SPDMatrices(3, equip="lem"), FullRankCorrelationMatrices(4, equip="ecm")]
    space = ProductSpace(*factors)
    points = [spd(5, n=3), factors[1].metric.from_coords(torch.randn(5, 6).double())]
    layer = CorMLR(space, 2).double()
    with torch.no_grad():
        layer.gamma.normal_()
    logits, start = 0.0, 0
    for number, (factor, point) in enumerate(zip(factors, points, strict=True)):
        planes = factor.metric.hyperplanes()
        weight = layer.weight[..., start : start + planes.dim]
        gamma = layer.gamma[:, number : number + 1]
        logits = logits + planes.logits(planes.features(point)[:, None], weight, gamma)
        start += planes.dim
    torch.testing.assert_close(layer(space.join(*points)), logits)
    for block, point in zip(space.split(space.join(*points)), points, strict=True):
        torch.testing.assert_close(block, point)


@pytest.mark.parametrize("key", ["lem", "lcm", "aim"])
def test_a_singular_covariance_is_named(key):
    point = spd(4, n=3)
    point[2, 0] = point[2, :, 0] = 0.0
    with pytest.raises(NotPositiveDefiniteError, match=r"point\[2\]|point\[2, 0\]"):
        CorMLR(SPDMatrices(3, equip=key), 2).double()(point)


def test_errors_of_products():
    space = SPDMatrices(3, equip="lem")
    with pytest.raises(ParameterError, match="at least two spaces"):
        ProductSpace(space)
    with pytest.raises(ParameterError, match=r"\[1\] have no metric"):
        ProductSpace(space, SPDMatrices(3, equip=None))
    product = ProductSpace(space, space)
    with pytest.raises(ShapeError, match="same batch axes"):
        product.join(spd(2, n=3), spd(3, n=3))
    with pytest.raises(ShapeError, match=r"\[..., 6, 6\]"):
        product.split(spd(n=3))
    full = spd(2, n=6)
    for read in (product.metric.to_coords, product.metric.hyperplanes().features):
        with pytest.raises(ShapeError, match="blocks of sizes 3, 3.*outside"):
            read(full)
    product.metric.to_coords(product.join(*product.split(full)))
