"""Features of points, and the ball that joins the rows of a matrix."""

import numpy as np
import pytest
import torch
from scipy.special import beta
from strategies import equipped

from geomstats_cor import METRICS, FullRankCorrelationMatrices
from geomstats_cor.diffeos import OffLogDiffeo
from geomstats_cor.geometries.flat import StrictlyLowerMetric
from geomstats_cor.hyperplanes import FlatHyperplanes, StrictPartHyperplanes


def ball(n):
    return equipped(n, "phcm").metric.hyperplanes()


def test_each_row_is_scaled_by_a_ratio_of_beta_functions(arrays, rng):
    n = 5
    rows = np.tril(rng.standard_normal((3, n, n)), -1)
    dim = n * (n - 1) // 2
    packed = np.concatenate([rows[:, i, :i] for i in range(1, n)], axis=-1)
    wanted = np.concatenate(
        [
            rows[:, i, :i] * beta(0.5 * dim, 0.5) / beta(0.5 * i, 0.5)
            for i in range(1, n)
        ],
        axis=-1,
    )
    joined = arrays.apply(ball(n).join, packed)
    np.testing.assert_allclose(joined, wanted, rtol=8 * arrays.eps)


def test_three_rows_have_the_known_factors():
    wanted = [0.5, np.pi / 4, np.pi / 4]
    np.testing.assert_allclose(ball(3).join(np.ones(3)), wanted, rtol=1e-15)


def test_split_inverts(arrays, rng):
    coords = rng.standard_normal((2, 4, 15))
    back = arrays.apply(lambda x: ball(6).split(ball(6).join(x)), coords)
    np.testing.assert_allclose(back, arrays.rounded(coords), rtol=8 * arrays.eps)


@pytest.mark.parametrize(
    ("key", "parameters"),
    [
        ("ecm", {}),
        ("lecm", {}),
        ("olm", {}),
        ("olm", dict(alpha=2.0, beta=0.3, gamma=-0.003)),
        ("lsm", {}),
        ("lsm", dict(alpha=2.0, delta=0.3, zeta=-0.01)),
        ("phcm", {}),
    ],
)
@pytest.mark.parametrize("n", [2, 3, 7, 90])  # the last one in halves
def test_features_are_the_same_with_and_without_derivatives(key, parameters, n, rng):
    space = FullRankCorrelationMatrices(n, equip=False)
    space.equip_with_metric(METRICS[key], **parameters)
    planes = space.metric.hyperplanes()
    point = torch.as_tensor(space.random_point(6, rng=rng)).reshape(3, 2, n, n)
    plain = planes.features(point)
    recorded = planes.features(point.clone().requires_grad_())
    of_coords = planes.features_of_coords(space.metric.to_coords(point))
    scale = float(plain.abs().max())
    assert recorded.requires_grad
    torch.testing.assert_close(plain, recorded.detach(), rtol=0.0, atol=1e-13 * scale)
    torch.testing.assert_close(plain, of_coords, rtol=0.0, atol=1e-13 * scale)


class Doubled(OffLogDiffeo):
    """Another map, onto doubled images."""

    def _at(self, base_point):
        here = super()._at(base_point)
        here._image = 2.0 * here.image
        return here


def test_another_map_has_features_of_its_own(rng):
    space = equipped(4, "olm")
    point = torch.as_tensor(space.random_point(3, rng=rng))
    expected = 2.0 * space.metric.hyperplanes().features(point)
    space.metric.diffeo = Doubled()
    planes = space.metric.hyperplanes()
    for x in (point, point.clone().requires_grad_()):
        torch.testing.assert_close(planes.features(x).detach(), expected)


class Quadrupled(StrictlyLowerMetric):
    """Four times the Frobenius product, given by what a subclass has to say."""

    strict_eigenvalues = (2.0, 2.0, 2.0)

    def strict_part(self, coords):
        return 0.5 * coords

    def from_strict_part(self, packed):
        return 2.0 * packed

    def orthonormal(self, vector, base_point=None):
        return 2.0 * vector

    def to_coords(self, point):
        return 2.0 * super().to_coords(point)

    def from_coords(self, coords):
        return super().from_coords(0.5 * coords)


def test_another_product_has_logits_of_its_own(rng):
    space = equipped(4, "lecm")
    metric = space.metric
    metric.image_space.metric = Quadrupled(metric.image_space)
    assert type(metric.hyperplanes()) is StrictPartHyperplanes
    point = space.random_point(3, rng=rng)[:, None]
    normal, gamma = rng.standard_normal((5, 1, 6)), rng.standard_normal((5, 1))
    logits = []
    for planes in (metric.hyperplanes(), FlatHyperplanes(metric)):
        features = planes.features(point)
        of_coords = planes.features_of_coords(metric.to_coords(point))
        np.testing.assert_allclose(of_coords, features, rtol=1e-13)
        logits.append(planes.logits(features, planes.to_weight(normal), gamma))
    np.testing.assert_allclose(*logits, rtol=1e-12, atol=1e-13)


@pytest.mark.parametrize("key", ["ecm", "lecm", "olm", "lsm", "phcm"])
@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
def test_features_of_half_precision(key, dtype, rng):
    space = equipped(3, key)
    planes = space.metric.hyperplanes()
    point = torch.as_tensor(space.random_point(2, rng=rng)).to(dtype)
    features = planes.features(point)
    assert features.dtype == dtype
    torch.testing.assert_close(features, planes.features(point.float()).to(dtype))
