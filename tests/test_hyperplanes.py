"""Features of points, and the ball that joins the rows of a matrix."""

import numpy as np
import pytest
import torch
from scipy.special import beta
from strategies import equipped

from geomstats_cor import METRICS, FullRankCorrelationMatrices


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
        ("olm", dict(alpha=2.0, beta=0.3, gamma=-0.01)),
        ("lsm", {}),
        ("lsm", dict(alpha=2.0, delta=0.3, zeta=-0.01)),
        ("phcm", {}),
    ],
)
@pytest.mark.parametrize("n", [2, 3, 7])
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
