"""The pieces of the Poincaré ball against formulas written apart from them."""

import functools
import math

import mpmath
import numpy as np
import pytest
import torch
from scipy.special import beta

import cornet_nn as nn
from geomstats_cor import kernels
from geomstats_cor.exceptions import ParameterError, ShapeError

from . import ball

every_curvature = pytest.mark.parametrize("curvature", [-1.0, -0.2, -3.0])


def ball_points(rng, shape, curvature, size=0.6):
    x = rng.standard_normal(shape)
    x = x / np.linalg.norm(x, axis=-1, keepdims=True)
    return x * size * rng.uniform(0.2, 1.0, (*shape[:-1], 1)) / math.sqrt(-curvature)


@every_curvature
def test_exp_and_log_at_the_origin(rng, curvature):
    v = rng.standard_normal((5, 3))
    x = nn.poincare_exp0(torch.as_tensor(v), curvature)
    expected = [ball.exp(np.zeros(3), row, curvature) for row in v]
    np.testing.assert_allclose(x, expected, rtol=1e-13)
    np.testing.assert_allclose(nn.poincare_log0(x, curvature), v, rtol=1e-12)
    expected = [ball.log(np.zeros(3), row, curvature) for row in x.numpy()]
    np.testing.assert_allclose(nn.poincare_log0(x, curvature), expected, rtol=1e-12)


@every_curvature
def test_mlr_of_ganea_and_of_shimizu(rng, curvature):
    x, z = ball_points(rng, (4, 5), curvature), rng.standard_normal((3, 5))
    gamma = 0.5 * rng.standard_normal(3)
    actual = nn.poincare_mlr(*map(torch.as_tensor, (x, z, gamma)), curvature)
    shimizu = [
        [ball.mlr(row, *plane, curvature) for plane in zip(z, gamma, strict=True)]
        for row in x
    ]
    np.testing.assert_allclose(actual, shimizu, rtol=1e-12)
    for k in range(3):
        unit = z[k] / np.linalg.norm(z[k])
        p = ball.exp(np.zeros(5), gamma[k] * unit, curvature)
        # The transport of z from the origin to p.
        a = 2.0 / ball.conformal(p, curvature) * z[k]
        ganea = [ball.ganea_mlr(row, p, a, curvature) for row in x]
        np.testing.assert_allclose(actual[:, k], ganea, rtol=1e-11)


@every_curvature
def test_fc_of_shimizu(rng, curvature):
    x, z = ball_points(rng, (4, 5), curvature), 0.3 * rng.standard_normal((3, 5))
    gamma = 0.5 * rng.standard_normal(3)
    actual = nn.poincare_fc(*map(torch.as_tensor, (x, z, gamma)), curvature)
    expected = [ball.fc(row, z, gamma, curvature) for row in x]
    np.testing.assert_allclose(actual, expected, rtol=1e-12)


def test_the_limit_of_no_curvature(rng):
    x, z = 0.4 * rng.standard_normal((4, 5)), rng.standard_normal((3, 5))
    gamma = rng.standard_normal(3)
    tensors = tuple(map(torch.as_tensor, (x, z, gamma)))
    flat = 4.0 * (x @ z.T - gamma * np.linalg.norm(z, axis=-1))
    for curvature, error in [
        (-1e-4, 1e-2),
        (-1e-8, 1e-6),
        (-1e-13, 1e-11),
        (-1e-30, 1e-14),
    ]:
        logits = nn.poincare_mlr(*tensors, curvature)
        np.testing.assert_allclose(logits, flat, rtol=error, atol=error)
        # y = w / 2: the coordinates of the ball are half as long as distances.
        output = nn.poincare_fc(*tensors, curvature)
        np.testing.assert_allclose(output, flat / 2.0, rtol=10 * error, atol=10 * error)
        np.testing.assert_allclose(
            nn.poincare_log0(tensors[0], curvature), x, rtol=error, atol=error
        )


@every_curvature
def test_concatenation(rng, curvature):
    parts = [ball_points(rng, (k,), curvature) for k in (1, 4, 2)]
    joined = nn.beta_concat(map(torch.as_tensor, parts), curvature)
    np.testing.assert_allclose(joined, ball.concat(parts, curvature), rtol=1e-12)
    for part, expected in zip(
        nn.beta_split(joined, (1, 4, 2), curvature), parts, strict=True
    ):
        np.testing.assert_allclose(part, expected, rtol=1e-12)
    again = nn.beta_concat(nn.beta_split(joined, [3, 3, 1], curvature), curvature)
    np.testing.assert_allclose(again, joined, rtol=1e-12)


@every_curvature
def test_the_order_of_concatenation_is_of_no_consequence(rng, curvature):
    """The theorem: over j then i, over i then j, or over both at once."""
    dims, channels = (1, 2, 3), 4
    x = [
        [torch.as_tensor(ball_points(rng, (k,), curvature)) for k in dims]
        for _ in range(channels)
    ]
    at_once = nn.beta_concat([p for row in x for p in row], curvature)
    rows_first = nn.beta_concat(
        [nn.beta_concat(row, curvature) for row in x], curvature
    )
    torch.testing.assert_close(rows_first, at_once, rtol=1e-12, atol=1e-13)
    columns = [nn.beta_concat(column, curvature) for column in zip(*x, strict=True)]
    columns_first = nn.beta_concat(columns, curvature)
    flat = nn.beta_concat(
        [p for column in zip(*x, strict=True) for p in column], curvature
    )
    torch.testing.assert_close(columns_first, flat, rtol=1e-12, atol=1e-13)
    # Splitting in steps is splitting at once, too.
    steps = [
        nn.beta_split(p, dims, curvature)
        for p in nn.beta_split(at_once, [6] * 4, curvature)
    ]
    for actual, expected in zip(steps, x, strict=True):
        for a, b in zip(actual, expected, strict=True):
            torch.testing.assert_close(a, b, rtol=1e-12, atol=1e-13)


def test_null_rows(rng):
    """A point at the origin stays one, with derivatives, and without NaN."""
    parts = [
        torch.zeros(3, dtype=torch.float64),
        torch.as_tensor(ball_points(rng, (2,), -1.0)),
    ]
    leaves = [part.requires_grad_() for part in parts]
    joined = nn.beta_concat(leaves)
    assert not joined[:3].any()
    first, _ = nn.beta_split(joined, (3, 2))
    assert not first.any()
    joined.sum().backward()
    assert all(torch.isfinite(leaf.grad).all() for leaf in leaves)
    for function in (nn.poincare_exp0, nn.poincare_log0):
        null = torch.zeros(3, dtype=torch.float64, requires_grad=True)
        jacobian = torch.autograd.functional.jacobian(function, null)
        torch.testing.assert_close(jacobian, torch.eye(3, dtype=torch.float64))


@pytest.mark.parametrize("gap", [1e-3, 1e-7, 1e-12])
def test_points_close_to_the_boundary(rng, gap):
    """The error is that of rounding the point, amplified by the way to the edge."""
    z, gamma = rng.standard_normal((3, 4)), np.array([0.3, -0.5, 0.0])
    x = rng.standard_normal(4)
    x = x / np.linalg.norm(x) * (1.0 - gap)
    logits = nn.poincare_mlr(*map(torch.as_tensor, (x, z, gamma))).numpy()
    exact = [_exact_mlr(x, *plane) for plane in zip(z, gamma, strict=True)]
    np.testing.assert_allclose(logits, exact, rtol=1e-15 / gap)
    v = nn.poincare_log0(torch.as_tensor(x))
    assert torch.linalg.vector_norm(v) == pytest.approx(
        math.atanh(1.0 - gap), rel=1e-15 / gap
    )


@pytest.mark.parametrize("length", [1e-9, 1.0, 8.4, 9.9, 10.1, 18.0, 300.0])
def test_tangent_vectors_are_exact_where_points_are_not(arrays, rng, length):
    """1 - |x| = 1e-7 at a length of 8.4, and below rounding from 19 on."""
    z, gamma = rng.standard_normal((3, 4)), np.array([0.3, -0.5, 0.0])
    v = rng.standard_normal(4)
    v = v / np.linalg.norm(v) * length
    v, z, gamma = map(arrays.rounded, (v, z, gamma))
    logits = arrays.apply(kernels.ball_logits_of_tangent, v, z, gamma)
    with mpmath.workdps(400):
        size = mpmath.sqrt(sum(mpmath.mpf(a) ** 2 for a in v))
        x = [mpmath.tanh(size) * mpmath.mpf(a) / size for a in v]
        exact = [_exact_mlr(x, *plane) for plane in zip(z, gamma, strict=True)]
    np.testing.assert_allclose(logits, exact, rtol=1000 * arrays.eps)


@pytest.mark.parametrize("stretch", [0.2, 7.0, 1e3])
def test_tangent_vectors_may_be_stretched(arrays, rng, stretch):
    v, z, gamma = rng.standard_normal((5, 4)), rng.standard_normal((3, 4)), np.ones(3)
    logits = kernels.ball_logits_of_tangent
    stretched = functools.partial(logits, stretch=stretch)
    actual = arrays.apply(stretched, v, z, gamma)
    expected = arrays.apply(logits, stretch * v, z, gamma)
    np.testing.assert_allclose(actual, expected, rtol=1000 * arrays.eps)


def test_derivatives_of_long_tangent_vectors(rng):
    v = torch.as_tensor(rng.standard_normal((4, 3))) * torch.tensor(
        [[1.0], [9], [11], [99]]
    )
    z, gamma = torch.as_tensor(rng.standard_normal((2, 3))), torch.tensor([0.3, -0.4])
    leaves = [x.double().requires_grad_() for x in (v, z, gamma)]
    function = kernels.ball_logits_of_tangent
    assert torch.autograd.gradcheck(function, leaves, atol=1e-6)
    for x in leaves:
        x.data = x.data.float()
    gradients = torch.autograd.grad(
        function(*(x.float() for x in leaves)).sum(), leaves
    )
    assert all(torch.isfinite(g).all() for g in gradients)


@pytest.mark.parametrize("function", ["logits", "tangent"])
def test_a_far_neighbour_in_the_batch_changes_nothing(rng, function):
    """Neither a value nor a gradient, though more is computed for its sake."""
    z, gamma = (torch.as_tensor(rng.standard_normal(shape)) for shape in ((3, 5), 3))
    function = {
        "logits": lambda v: kernels.ball_logits_of_tangent(v, z, gamma),
        "tangent": kernels.tangent_from_distances,
    }[function]
    near = torch.as_tensor(rng.standard_normal((4, 5)), dtype=torch.float64)
    results = []
    for far in (1.0, 1e3):
        batch = torch.cat([near, far * torch.ones(1, 5, dtype=torch.float64)])
        batch.requires_grad_()
        values = function(batch)
        (gradient,) = torch.autograd.grad(torch.sin(values).sum(), batch)
        assert torch.isfinite(values).all()
        results.append((values[:4], gradient[:4]))
    for alone, beside in zip(*results, strict=True):
        torch.testing.assert_close(beside, alone, rtol=1e-14, atol=1e-15)


def _exact_mlr(x, z, gamma):
    with mpmath.workdps(400):
        x, z = [mpmath.mpf(a) for a in x], [mpmath.mpf(a) for a in z]
        gamma = mpmath.mpf(gamma)
        factor = 2 / (1 - sum(a * a for a in x))
        size = mpmath.sqrt(sum(a * a for a in z))
        along = factor * sum(a * b for a, b in zip(x, z, strict=True)) / size
        inside = along * mpmath.cosh(2 * gamma) - (factor - 1) * mpmath.sinh(2 * gamma)
        return float(2 * size * mpmath.asinh(inside))


@pytest.mark.parametrize("dtype", [torch.float64, torch.float32])
@pytest.mark.parametrize("scale", [1e-12, 1e-3, 1.0, 15.0, 19.9, 20.1, 60.0, 500.0])
def test_distances_of_any_size(dtype, scale):
    """The tangent vector of the FC layer, where sinh overflows as well."""
    values = [scale, -0.7 * scale, 0.2 * scale, 0.0]
    given = torch.tensor(values, dtype=dtype, requires_grad=True)
    actual = kernels.tangent_from_distances(given)
    with mpmath.workdps(600):
        w = [mpmath.sinh(mpmath.mpf(float(a))) for a in given.detach()]
        size = mpmath.sqrt(sum(a * a for a in w))
        exact = [float(mpmath.asinh(size) / 2 * a / size) for a in w]
    eps = torch.finfo(dtype).eps
    np.testing.assert_allclose(
        actual.detach(), exact, rtol=20 * eps * max(1.0, scale), atol=1e-37
    )
    actual.sum().backward()
    assert torch.isfinite(given.grad).all()


def test_no_distance_at_all():
    given = torch.zeros(2, 3, dtype=torch.float64, requires_grad=True)
    kernels.tangent_from_distances(given).sum().backward()
    torch.testing.assert_close(given.grad, torch.full_like(given, 0.5))


@pytest.mark.parametrize("dtype", [torch.float64, torch.float32])
def test_the_exponential_stays_inside(dtype):
    v = torch.tensor(
        [[30.0, 40.0], [0.0, 1e30], [9.0, 9.0]], dtype=dtype, requires_grad=True
    )
    x = nn.poincare_exp0(v)
    assert (torch.linalg.vector_norm(x, dim=-1) < 1.0).all()
    logits = nn.poincare_mlr(
        x, torch.ones(3, 2, dtype=dtype), torch.ones(3, dtype=dtype)
    )
    logits.sum().backward()
    assert torch.isfinite(logits).all()
    assert torch.isfinite(v.grad).all()


def test_a_null_normal_has_no_logit_and_no_nan():
    x = torch.tensor([0.1, 0.2], dtype=torch.float64)
    z = torch.zeros(1, 2, dtype=torch.float64, requires_grad=True)
    logits = nn.poincare_mlr(x, z, torch.ones(1, dtype=torch.float64))
    logits.backward()
    assert not logits.detach().any()
    assert torch.isfinite(z.grad).all()


def test_beta_numbers():
    for dimension in (1, 2, 3, 10, 299, 300, 301, 500, 499500, 10**7):
        with mpmath.workdps(40):
            exact = float(mpmath.beta(mpmath.mpf(dimension) / 2, mpmath.mpf(1) / 2))
        assert kernels.beta_number(dimension) == pytest.approx(exact, rel=3e-15)
    assert kernels.beta_number(7) == pytest.approx(beta(3.5, 0.5), rel=1e-14)


MAPS = [
    nn.poincare_exp0,
    nn.poincare_log0,
    lambda x: nn.beta_concat([x[:, :1], x], -0.5),
    lambda x: torch.cat(nn.beta_split(x, (1, 2), -0.5), -1),
]
HYPERPLANES = [
    lambda x: nn.poincare_mlr(x, x[:, :3], 0.3 * x[:, 0]),
    lambda x: nn.poincare_fc(x, x[:, :3], 0.3 * x[:, 0]),
]


@pytest.mark.parametrize(
    "function, size",
    [(f, s) for f in MAPS for s in (0.7, 1e-5, 0.0)]
    + [(f, s) for f in HYPERPLANES for s in (0.7, 0.05)],
)
def test_derivatives(rng, function, size):
    x = (size * torch.as_tensor(ball_points(rng, (2, 3), -1.0))).requires_grad_()
    assert torch.autograd.gradcheck(function, x, eps=1e-6, atol=1e-7, rtol=1e-6)
    assert torch.autograd.gradgradcheck(function, x, eps=1e-6, atol=1e-6, rtol=1e-6)


MODULES = {
    "mlr": nn.PoincareMLR(4, 3, curvature=-0.5, dtype=torch.float64),
    "fc": nn.PoincareFC(4, 3, curvature=-0.5, dtype=torch.float64),
    "exp": nn.PoincareExp0(-0.5),
    "log": nn.PoincareLog0(-0.5),
    "split": nn.BetaSplit((1, 3), -0.5),
}


@pytest.mark.parametrize("name", MODULES)
def test_modules_are_the_functions(rng, name):
    module = MODULES[name]
    x = torch.as_tensor(ball_points(rng, (5, 4), -0.5))
    parameters = [p.detach() for p in module.parameters()]
    expected = {
        "mlr": lambda: nn.poincare_mlr(x, *parameters, -0.5),
        "fc": lambda: nn.poincare_fc(x, *parameters, -0.5),
        "exp": lambda: nn.poincare_exp0(x, -0.5),
        "log": lambda: nn.poincare_log0(x, -0.5),
        "split": lambda: nn.beta_split(x, (1, 3), -0.5),
    }[name]()
    torch.testing.assert_close(module(x), expected, rtol=0, atol=0)
    assert "curvature=-0.5" in repr(module)
    compiled = torch.compile(module, fullgraph=True, backend="eager")
    torch.testing.assert_close(compiled(x), expected, rtol=1e-12, atol=1e-14)


def test_module_of_concatenation(rng):
    parts = [torch.as_tensor(ball_points(rng, (5, k), -0.5)) for k in (1, 3)]
    joined = nn.BetaConcat(-0.5)(parts)
    torch.testing.assert_close(nn.BetaSplit((1, 3), -0.5)(joined)[1], parts[1])


def test_sizes_after_initialisation():
    """Logits are as large as the logarithm of the input, outputs as far as inputs."""
    torch.manual_seed(0)
    v = torch.randn(200, 300, dtype=torch.float64)
    v = 0.5 * v / torch.linalg.vector_norm(v, dim=-1, keepdim=True)
    x = nn.poincare_exp0(v)
    logits = nn.PoincareMLR(300, 50, dtype=torch.float64)(x)
    assert 0.4 < float(logits.detach().std()) < 0.7
    for width in (10, 1000):
        output = nn.poincare_log0(nn.PoincareFC(300, width, dtype=torch.float64)(x))
        lengths = torch.linalg.vector_norm(output, dim=-1)
        assert 0.3 < float(lengths.detach().mean()) < 0.7


def test_errors():
    x = torch.zeros(2, 4)
    with pytest.raises(
        ParameterError, match="curvature of a Poincaré ball is negative"
    ):
        nn.poincare_exp0(x, 0.0)
    with pytest.raises(ParameterError, match="negative"):
        nn.PoincareFC(4, 3, curvature=1.0)
    with pytest.raises(ParameterError, match="in_features must be a positive integer"):
        nn.PoincareMLR(0, 3)
    with pytest.raises(ShapeError, match=r"expected shape \[\.\.\., 5\]"):
        nn.poincare_mlr(x, torch.zeros(3, 5), torch.zeros(3))
    with pytest.raises(ShapeError, match=r"\[out, k\] and gamma of shape \[out\]"):
        nn.poincare_fc(x, torch.zeros(3, 4), torch.zeros(2))
    with pytest.raises(ShapeError, match="do not add up"):
        nn.beta_split(x, (1, 2))
    with pytest.raises(ShapeError, match="no points"):
        nn.beta_concat([])


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
@every_curvature
def test_points_that_rounding_puts_on_the_boundary(rng, dtype, curvature):
    """Directions are right, and lengths as large as rounding can tell, or larger."""
    x = torch.as_tensor(rng.standard_normal((2000, 5)))
    x = x / x.norm(dim=-1, keepdim=True) / math.sqrt(-curvature)
    x = ((1.0 - 0.5 * torch.finfo(dtype).eps) * x).to(dtype).requires_grad_()
    weight, gamma = (torch.as_tensor(rng.standard_normal(k)) for k in ((3, 5), 3))
    planes = weight.to(dtype), gamma.to(dtype)
    vector = nn.poincare_log0(x, curvature)
    length = math.sqrt(-curvature) * vector.norm(dim=-1)
    assert length.min() >= math.atanh(1.0 - 8 * torch.finfo(dtype).eps)
    cosine = torch.nn.functional.cosine_similarity(vector, x)
    assert (cosine - 1.0).abs().max() <= 16 * torch.finfo(dtype).eps
    for result in (
        vector,
        nn.poincare_mlr(x, *planes, curvature),
        nn.poincare_fc(x, *planes, curvature),
        nn.beta_concat([x, x], curvature),
        torch.cat(nn.beta_split(x, (2, 3), curvature), -1),
    ):
        (gradient,) = torch.autograd.grad(result.sum(), x, retain_graph=True)
        assert torch.isfinite(result).all() and torch.isfinite(gradient).all()


def test_points_outside_of_the_ball():
    outside = torch.tensor([[0.1, 0.2], [1.2, 0.0]])
    planes = torch.ones(3, 2), torch.zeros(3)
    for function in (
        nn.poincare_log0,
        lambda x: nn.poincare_mlr(x, *planes),
        lambda x: nn.poincare_fc(x, *planes),
        lambda x: nn.beta_concat([x]),
        lambda x: nn.beta_split(x, (1, 1)),
    ):
        with pytest.raises(ParameterError, match=r"point\[1\] is outside of the ball"):
            function(outside)
    assert nn.poincare_log0(outside, -0.5).isfinite().all()


@pytest.mark.parametrize("gamma", [9.0, 11.0, -23.0, 44.0, -50.0, 300.0])
def test_offsets_of_any_size(arrays, rng, gamma):
    """Far beyond where the hyperbolic sine of the offset overflows."""
    x, z = ball_points(rng, (4, 3), -1.0), rng.standard_normal((2, 3))
    x, z, gammas = map(arrays.rounded, (x, z, np.array([gamma, 0.3])))
    logits = arrays.apply(kernels.ball_logits, x, z, gammas)
    with mpmath.workdps(400):
        exact = [
            [_exact_mlr(row, *plane) for plane in zip(z, gammas, strict=True)]
            for row in x
        ]
    np.testing.assert_allclose(logits, exact, rtol=100 * arrays.eps)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
@pytest.mark.parametrize("gamma", [9.0, 11.0, -23.0, 44.0, -50.0, 300.0])
def test_derivatives_in_large_offsets(rng, gamma, dtype):
    """Farther than all points are, the distance to a plane grows as the offset does."""
    x, z = ball_points(rng, (4, 3), -1.0), rng.standard_normal((2, 3))
    x, z = (torch.as_tensor(a).to(dtype) for a in (x, z))
    offset = torch.full((2,), gamma, dtype=dtype, requires_grad=True)
    logits = nn.poincare_mlr(x, z, offset).sum(0)
    (slope,) = torch.autograd.grad(logits.sum(), offset)
    torch.testing.assert_close(slope / 4, -4.0 * z.norm(dim=-1), rtol=1e-5, atol=0.0)


def test_curvatures():
    point = torch.tensor([0.1])
    for curvature in (0.0, 1.0, -math.inf, math.nan, -1e-90, -1e80):
        with pytest.raises(
            ParameterError, match="curvature of a Poincaré ball is negative"
        ):
            nn.poincare_log0(point, curvature)
    with pytest.raises(ParameterError, match="no gradient flows to it"):
        nn.poincare_log0(point, torch.tensor(-1.0, requires_grad=True))
    for curvature in (-1e-59, -1e-30):
        torch.testing.assert_close(nn.poincare_log0(point, curvature), point)
        logits = nn.poincare_mlr(point, torch.ones(1, 1), torch.ones(1), curvature)
        torch.testing.assert_close(logits, 4.0 * (point - 1.0))
