"""A metric that the library does not know gets all layers by being a flat pullback."""

import numpy as np
import pytest
import torch
from geomstats.geometry.lower_triangular_matrices import StrictlyLowerTriangularMatrices

from cornet_nn import CorChannelConv, CorFC, CorMLR, CorNet, TangentActivation
from geomstats_cor import FullRankCorrelationMatrices, kernels
from geomstats_cor.diffeos import CholeskyLocal, CorrelationDiffeo
from geomstats_cor.geometries.flat import StrictlyLowerMetric
from geomstats_cor.hyperplanes import FlatHyperplanes, StrictPartHyperplanes
from geomstats_cor.metrics.base import CorrelationMetric

from .networks import PRODUCTS, points, randomised, space_of

STRETCH = 3.0
DOUBLE = dict(dtype=torch.float64)


def factors(x):
    return STRETCH ** torch.arange(x.shape[-1], dtype=x.dtype)[:, None]


class Stretched(CholeskyLocal):
    def _compute_image(self):
        image = kernels.log_unit_lower(self.unit_lower)
        return factors(image) * image

    def push(self, vector):
        moved = super().push(vector)
        moved = kernels.log_unit_lower_differential(moved, self.unit_lower)
        return factors(moved) * moved

    def pull(self, vector):
        strict, vector = self.image / factors(vector), vector / factors(vector)
        return super().pull(kernels.exp_strictly_lower_differential(vector, strict))


class StretchedDiffeo(CorrelationDiffeo):
    """Row k of log Theta(C), times 3^k: not the strict part at the identity."""

    def _at(self, base_point):
        return Stretched(kernels.theta(base_point), base_point)

    def _at_image(self, image_point):
        strict = image_point / factors(image_point)
        return Stretched(kernels.exp_strictly_lower(strict), image=image_point)


class StretchedMetric(CorrelationMetric):
    def __init__(self, space):
        image_space = StrictlyLowerTriangularMatrices(n=space.n, equip=False)
        image_space.equip_with_metric(StrictlyLowerMetric)
        super().__init__(space, StretchedDiffeo(), image_space)


def stretched(n):
    return FullRankCorrelationMatrices(n, equip=StretchedMetric)


def test_logits_and_outputs_are_those_of_the_definition():
    metric = stretched(4).metric
    identity = torch.eye(4, dtype=torch.float64)
    given = points(5, (3,))
    layer = randomised(
        CorFC(stretched(5), stretched(4), dtype=torch.float64), scale=0.3
    )
    mlr = CorMLR(stretched(5), 6, dtype=torch.float64)
    mlr.load_state_dict(layer.state_dict())
    first = stretched(5).metric
    large = torch.eye(5, dtype=torch.float64)
    normals = layer.normals().detach()[:, 0]
    products = first.inner_product(first.log(given, large)[:, None], normals, large)
    expected = products - layer.gamma[:, 0] * first.norm(normals, large)
    logits = mlr(given)
    torch.testing.assert_close(logits, expected, rtol=1e-11, atol=1e-11)
    basis = metric.log(metric.from_coords(torch.eye(6, dtype=torch.float64)), identity)
    log = metric.log(layer(given), identity)
    signed = metric.inner_product(log[:, None], basis, identity)
    torch.testing.assert_close(signed, logits, rtol=1e-10, atol=1e-10)


def test_all_layers_run_and_learn():
    torch.manual_seed(0)
    given = points(5, (6, 3))
    conv = CorChannelConv(stretched(5), stretched(4), 3, 2, kernel_size=2, **DOUBLE)
    assert conv(given).shape == (6, 4, 4, 4)
    activation = TangentActivation(stretched(5), torch.tanh)
    identity = torch.eye(5, dtype=torch.float64)
    metric = stretched(5).metric
    expected = metric.exp(torch.tanh(metric.log(given, identity)), identity)
    torch.testing.assert_close(activation(given), expected, rtol=1e-10, atol=1e-11)
    model = CorNet(
        stretched(5),
        stretched(4),
        2,
        in_channels=3,
        activation=torch.tanh,
        dtype=torch.float64,
    )
    fused = model(given)
    model.fuse = False
    torch.testing.assert_close(fused, model(given), rtol=1e-10, atol=1e-10)
    (fused**2).sum().backward()
    assert all(torch.isfinite(p.grad).all() for p in model.parameters())


def test_initial_logits_are_as_large_as_coordinates_per_variable():
    torch.manual_seed(1)
    given = points(5, (2,))
    logits = CorMLR(stretched(5), 20000, 2, dtype=torch.float64)(given).detach()
    expected = (stretched(5).metric.to_coords(given).square().sum() / (5 * 2)).sqrt()
    assert float(logits.std()) == pytest.approx(float(expected), rel=0.03)


@pytest.mark.parametrize("name", PRODUCTS)
@pytest.mark.parametrize("n", [2, 3, 5])
@pytest.mark.parametrize("library", ["numpy", "torch"])
def test_closed_forms_are_what_coordinates_and_differentials_give(name, n, library):
    """The closed forms of the known metrics against the general ones."""
    metric = space_of(name, n).metric
    general, closed = FlatHyperplanes(metric), metric.hyperplanes()
    assert type(closed) is StrictPartHyperplanes
    rng = np.random.default_rng(n)
    convert = torch.as_tensor if library == "torch" else np.asarray
    given = convert(points(n, (4, 3), seed=n).numpy())
    normal = convert(rng.standard_normal((5, 3, general.dim)))
    gamma = convert(rng.standard_normal((5, 3)))
    weight = general.to_weight(normal)
    expected = general.logits(general.features(given), weight, gamma)
    np.testing.assert_allclose(general.to_normal(weight), normal, atol=1e-12)
    weight = closed.to_weight(normal)
    np.testing.assert_allclose(closed.to_normal(weight), normal, atol=1e-12)
    for features in (
        closed.features(given),
        closed.features_of_coords(metric.to_coords(given)),
    ):
        actual = closed.logits(features, weight, gamma)
        np.testing.assert_allclose(actual, expected, rtol=1e-11, atol=1e-11)
    coords = metric.to_coords(given)
    for function in (lambda x: 0.5 * x, lambda x: x**3):
        np.testing.assert_allclose(
            closed.activate(coords, function),
            general.activate(coords, function),
            rtol=1e-11,
            atol=1e-12,
        )
    assert closed.coords(coords) is coords


def test_sameness_of_metrics():
    first, second = stretched(4).metric, stretched(4).metric
    assert first.is_same(first)
    assert first.is_same(second)
    assert not first.is_same(stretched(5).metric)
    assert not first.is_same(space_of("lecm", 4).metric)
    own = space_of("olm", 4).metric
    assert own.is_same(space_of("olm", 4).metric)
    assert not own.is_same(space_of("olm, beta and gamma", 4).metric)
    second.image_space.metric.parameters = None
    assert not second.is_same(first)
    assert second.is_same(second)
