"""The laws of gyrovector spaces, and scores as signed distances."""

import pytest
import torch
from geomstats.geometry.spd_matrices import SPDAffineMetric
from geomstats.geometry.spd_matrices import SPDMatrices as PlainSPDMatrices

from cornet_nn.spaces import SPDMatrices
from cornet_nn.spaces.gyrovectors import Gyrovectors
from cornet_nn.spaces.packing import svec, unsvec
from geomstats_cor import kernels

from .matrices import spd, symmetric

TOLERANCE = dict(rtol=1e-10, atol=1e-10)
every_metric = pytest.mark.parametrize("key", ["lem", "lcm", "aim"])


def gyro_of(key, n=4):
    return Gyrovectors(SPDMatrices(n, equip=key))


def three(n=4):
    return (spd(5, n=n, seed=seed) for seed in (1, 2, 3))


@every_metric
def test_inverse_and_left_cancellation(key):
    gyro = gyro_of(key)
    p, q, _ = three()
    identity = torch.eye(4, dtype=torch.float64).expand(5, 4, 4)
    torch.testing.assert_close(gyro.add(gyro.inverse(p), p), identity, **TOLERANCE)
    torch.testing.assert_close(gyro.add(identity, p), p, **TOLERANCE)
    cancelled = gyro.add(gyro.inverse(p), gyro.add(p, q))
    torch.testing.assert_close(cancelled, q, **TOLERANCE)


@every_metric
def test_left_gyroassociativity_and_loop_property(key):
    gyro = gyro_of(key)
    p, q, r = three()
    left = gyro.add(p, gyro.add(q, r))
    right = gyro.add(gyro.add(p, q), gyro.gyration(p, q, r))
    torch.testing.assert_close(left, right, **TOLERANCE)
    reduced = gyro.gyration(gyro.add(p, q), q, r)
    torch.testing.assert_close(reduced, gyro.gyration(p, q, r), **TOLERANCE)


@every_metric
def test_gyrations_are_automorphisms_and_isometries(key):
    gyro = gyro_of(key)
    p, q, r = three()
    s = spd(5, seed=4)
    turned = gyro.gyration(p, q, gyro.add(r, s))
    apart = gyro.add(gyro.gyration(p, q, r), gyro.gyration(p, q, s))
    torch.testing.assert_close(turned, apart, **TOLERANCE)
    inner = gyro.inner(gyro.gyration(p, q, r), gyro.gyration(p, q, s))
    torch.testing.assert_close(inner, gyro.inner(r, s), **TOLERANCE)


@every_metric
def test_scaling(key):
    gyro = gyro_of(key)
    p, _, _ = three()
    torch.testing.assert_close(gyro.scale(1.0, p), p, **TOLERANCE)
    torch.testing.assert_close(gyro.scale(2.0, p), gyro.add(p, p), **TOLERANCE)
    halves = gyro.scale(0.5, gyro.scale(2.0, p))
    torch.testing.assert_close(halves, p, **TOLERANCE)


def test_affine_invariant_addition_is_the_definition():
    """Exp, parallel transport and Log of geomstats."""
    p, q, _ = three()
    space = PlainSPDMatrices(4, equip=False)
    space.equip_with_metric(SPDAffineMetric)
    metric, identity = space.metric, torch.eye(4, dtype=torch.float64).numpy()
    sums = gyro_of("aim").add(p, q)
    for a, b, total in zip(p.numpy(), q.numpy(), sums, strict=True):
        carried = metric.parallel_transport(metric.log(b, identity), identity, None, a)
        expected = torch.as_tensor(metric.exp(carried, a))
        torch.testing.assert_close(total, expected, **TOLERANCE)


def test_affine_invariant_addition_of_commuting_matrices_is_log_euclidean():
    vectors = torch.linalg.qr(symmetric(5))[0]
    values = torch.rand(2, 5, 4, dtype=torch.float64) + 0.1
    p, q = (kernels.spectral(v, vectors) for v in values)
    sums = [gyro_of(key).add(p, q) for key in ("aim", "lem")]
    torch.testing.assert_close(*sums, **TOLERANCE)


@every_metric
def test_score_is_the_product_of_gyrovectors(key):
    space, gyro = SPDMatrices(4, equip=key), gyro_of(key)
    planes, metric = space.metric.hyperplanes(), space.metric
    p, w, s = three()
    weight, offset = metric.to_coords(w)[:, None], metric.to_coords(p)[:, None]
    scores = planes.scores(planes.features(s)[:, None], weight, offset)
    moved = gyro.add(gyro.inverse(p)[None], s[:, None])
    torch.testing.assert_close(scores, gyro.inner(moved, w[None]), **TOLERANCE)


@every_metric
def test_score_is_the_signed_distance(key):
    """The foot of a point has score zero, and is as far away as the score says.

    Distances are those of the metric where it is flat. Under AIM they are those of
    gyrovectors seen from P: the pseudo-distance of the definition.
    """
    space, gyro = SPDMatrices(4, equip=key), gyro_of(key)
    planes, metric = space.metric.hyperplanes(), space.metric
    p, w, s = three()
    weight, offset = metric.to_coords(w), metric.to_coords(p)
    score = planes.scores(
        planes.features(s)[:, None], weight[:, None], offset[:, None]
    ).diagonal()
    seen = metric.to_coords(gyro.add(gyro.inverse(p), s))
    length = weight.norm(dim=-1)
    signed = score / length
    on_plane = seen - (signed / length)[:, None] * weight
    foot = gyro.add(p, metric.from_coords(on_plane))
    zero = planes.scores(
        planes.features(foot)[:, None], weight[:, None], offset[:, None]
    ).diagonal()
    torch.testing.assert_close(zero, torch.zeros_like(zero), **TOLERANCE)
    if key == "aim":
        distance = (seen - on_plane).norm(dim=-1)
    else:
        distance = (metric.to_coords(s) - metric.to_coords(foot)).norm(dim=-1)
    torch.testing.assert_close(distance, signed.abs(), **TOLERANCE)
    # No other point of the hyperplane is nearer.
    noise = torch.randn(200, *on_plane.shape, dtype=torch.float64)
    along = (noise * weight).sum(-1, keepdim=True) / length[:, None] ** 2
    others = on_plane + noise - along * weight
    assert bool(((seen - others).norm(dim=-1) >= distance - 1e-12).all())


def test_svec_is_an_isometry():
    a, b = symmetric(3, seed=1), symmetric(3, seed=2)
    torch.testing.assert_close((svec(a) * svec(b)).sum(-1), (a * b).sum((-2, -1)))
    torch.testing.assert_close(unsvec(svec(a)), a)
