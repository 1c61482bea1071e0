"""Layers under different metrics: hidden points go over as factors, and never fail."""

import itertools
import warnings

import numpy as np
import pytest
import torch

from cornet_nn import CorFC, CorMLR, CorNet, CorSequential
from geomstats_cor import FullRankCorrelationMatrices, OneStepLogScaledMetric
from geomstats_cor.exceptions import (
    GeomstatsCorError,
    HiddenMatrixError,
    NotPositiveDefiniteError,
)

from .networks import KEYS, points, randomised, space_of

PAIRS = list(itertools.product(KEYS, KEYS))
MIXED = [(key, other) for key, other in PAIRS if key != other]
# Root mean square of ordinary coordinates.
ORDINARY = dict(ecm=1.0, lecm=1.0, olm=0.5, lsm=0.5, phcm=0.3)
DTYPES = (torch.float32, torch.float64)

pytestmark = [
    pytest.mark.filterwarnings(f"error::geomstats_cor.exceptions.{name}")
    for name in ("ConvergenceWarning", "NearBoundaryWarning")
]


def metric_of(key, n):
    return FullRankCorrelationMatrices(n, equip=key).metric


def handed_over(coords, before, after, guard=True):
    coords = before.bounded_coords(coords) if guard else coords
    factor = before.factor_from_coords(coords)
    return after.coords_from_factor(factor, before.diffeo.has_lower_factor)


def random_coords(key, n, batch=(), scale=1.0, seed=0, dtype=torch.float64):
    rng = np.random.default_rng(seed)
    coords = rng.standard_normal((*batch, n * (n - 1) // 2))
    return torch.as_tensor(scale * ORDINARY[key] * coords).to(dtype)


def length(x):
    return torch.linalg.vector_norm(x.double(), dim=-1)


@pytest.mark.parametrize("key, other", PAIRS)
@pytest.mark.parametrize("n", [2, 6])
def test_factors_give_what_matrices_give(key, other, n, library):
    before, after = metric_of(key, n), metric_of(other, n)
    coords = random_coords(key, n, (2, 3))
    coords = coords if library == "torch" else coords.numpy()
    actual = handed_over(coords, before, after)
    expected = after.to_coords(before.from_coords(coords))
    assert type(actual) is type(coords)
    np.testing.assert_allclose(actual, expected, rtol=1e-10, atol=1e-10)
    factor = before.factor_from_coords(coords)
    np.testing.assert_allclose((factor * factor).sum(-1), 1.0, rtol=1e-13)
    if before.diffeo.has_lower_factor:
        np.testing.assert_array_equal(np.triu(factor, 1), 0.0)


@pytest.mark.parametrize("name", ["olm, beta and gamma", "lsm, delta and zeta"])
def test_other_products(name):
    before, after = space_of(name, 5).metric, metric_of("ecm", 5)
    coords = random_coords("olm", 5, (3,))
    expected = after.to_coords(before.from_coords(coords))
    torch.testing.assert_close(handed_over(coords, before, after), expected)
    huge = before.bounded_coords(1e6 * coords)
    norm = torch.linalg.matrix_norm(before.image_space.metric.from_coords(huge))
    radius = before.diffeo.largest_safe_coords(torch.finfo(huge.dtype))
    assert float(norm.max()) <= radius * (1.0 + 1e-12)


@pytest.mark.parametrize("key", ["ecm", "olm"])
def test_the_map_of_one_step_reads_factors_too(key):
    before = metric_of(key, 5)
    after = FullRankCorrelationMatrices(5, equip=OneStepLogScaledMetric).metric
    coords = random_coords(key, 5, (3,), scale=0.5)
    expected = after.to_coords(before.from_coords(coords))
    torch.testing.assert_close(handed_over(coords, before, after), expected)


@pytest.mark.parametrize("key, other", MIXED)
def test_derivatives(key, other):
    before, after = metric_of(key, 3), metric_of(other, 3)

    def function(coords):
        return handed_over(coords, before, after)

    for scale in (1.0, 0.0):  # the identity has equal singular values
        coords = random_coords(key, 3, (2,), scale).requires_grad_()
        assert torch.autograd.gradcheck(function, coords, check_forward_ad=True)
        assert torch.autograd.gradgradcheck(function, coords)
    coords = coords.detach()
    mapped = torch.vmap(torch.func.jacrev(function))(coords)
    torch.testing.assert_close(mapped[0], torch.func.jacfwd(function)(coords[0]))


@pytest.mark.parametrize("key, other", MIXED)
def test_single_precision_near_singular_matrices(key, other):
    """The error is that of rounding times the condition number of the factor."""
    n = 6
    before, after = metric_of(key, n), metric_of(other, n)
    coords, weights = random_coords(key, n, (300,)), random_coords(key, n, (1,), seed=1)
    # Scaled so that condition numbers of matrices run from 1 to 1e13.
    scales = torch.linspace(0.1, 12.0, 300, dtype=coords.dtype)
    coords = (scales[:, None] * coords).float()
    roots = torch.linalg.svdvals(before.factor_from_coords(coords.double()))
    condition = roots[:, 0] / roots[:, -1]
    coords, condition = coords[condition < 3e6], condition[condition < 3e6]
    assert float(condition.max()) > 1e5
    results = []
    for dtype in (torch.float32, torch.float64):
        given = coords.to(dtype, copy=True).requires_grad_()
        result = handed_over(given, before, after)
        gradient = torch.autograd.grad((weights.to(dtype) * result).sum(), given)[0]
        results.append((result.detach(), gradient))
    (single, gradient), (double, expected) = results
    unit = torch.finfo(torch.float32).eps * condition
    error = length(single - double) / (1.0 + length(double))
    assert bool((error < 20.0 * unit).all())
    assert bool(torch.isfinite(gradient).all())
    error = length(gradient - expected) / length(expected)
    known = condition < 1e4
    assert bool((error < 100.0 * unit)[known].all())


@pytest.mark.parametrize("key, other", MIXED)
@pytest.mark.parametrize("dtype", DTYPES)
def test_huge_coordinates(key, other, dtype):
    for n, scale in itertools.product((2, 8), (1e1, 1e2, 1e4)):
        before, after = metric_of(key, n), metric_of(other, n)
        given = random_coords(key, n, (8,), scale, dtype=dtype).requires_grad_()
        result = handed_over(given, before, after)
        (gradient,) = torch.autograd.grad(result.sum(), given)
        assert torch.isfinite(result).all()
        assert torch.isfinite(gradient).all()


@pytest.mark.parametrize("key, other", MIXED)
@pytest.mark.parametrize("dtype", DTYPES)
def test_the_guard_leaves_ordinary_coordinates_alone(key, other, dtype):
    coords = random_coords(key, 8, (20,), scale=2.0, dtype=dtype)
    before = metric_of(key, 8)
    limit = 2.0 * torch.finfo(dtype).eps
    torch.testing.assert_close(
        before.bounded_coords(coords), coords, rtol=limit, atol=0.0
    )


@pytest.mark.parametrize("key, other", MIXED)
@pytest.mark.parametrize("gain", [1.0, 1e2, 1e4])
def test_networks_of_any_gain(key, other, gain):
    """Logits and gradients are finite where hidden matrices would be indefinite."""
    torch.manual_seed(0)
    model = CorNet(6, 5, 3, metric=key, mlr=other, gain=gain)
    given = points(6, (16,), condition=1e3, dtype=torch.float32).requires_grad_()
    logits = model(given)
    gradients = torch.autograd.grad(logits.sum(), [given, *model.parameters()])
    for tensor in (logits, *gradients):
        assert torch.isfinite(tensor).all()


def test_without_factors_such_matrices_fail():
    """What the tests above guard against, so that they are able to fail."""
    failures = 0
    for key, other in MIXED:
        torch.manual_seed(0)
        model = CorNet(6, 5, 3, metric=key, mlr=other, gain=1e2)
        model.fuse, model.guard = False, False
        given = points(6, (16,), condition=1e3, dtype=torch.float32)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                model(given)
            except HiddenMatrixError:
                failures += 1
    assert failures > 5


@pytest.mark.parametrize("key, other", [("ecm", "lsm"), ("olm", "lecm")])
def test_compiled(key, other):
    torch._dynamo.reset()
    model = CorNet(5, 4, 3, metric=key, mlr=other, dtype=torch.float64)
    model = randomised(model, scale=0.2)
    given = points(5, (4,))
    compiled = torch.compile(model, fullgraph=True, backend="aot_eager")
    parameters = list(model.parameters())
    for actual, expected in zip(
        torch.autograd.grad(compiled(given).square().sum(), parameters),
        torch.autograd.grad(model(given).square().sum(), parameters),
        strict=True,
    ):
        scale = float(expected.abs().max())
        torch.testing.assert_close(actual, expected, rtol=1e-8, atol=1e-8 * scale)


@pytest.mark.parametrize("key, other", MIXED)
def test_vmap(key, other):
    model = CorNet(5, 4, 3, metric=key, mlr=other, dtype=torch.float64, gain=0.5)
    given = points(5, (4,))
    torch.testing.assert_close(torch.vmap(model)(given), model(given))


@pytest.mark.parametrize("key, other", MIXED)
def test_autocast(key, other):
    model = CorNet(5, 4, 3, metric=key, mlr=other)
    given = points(5, (4,), dtype=torch.float32)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        logits = model(given)
    assert logits.dtype == torch.float32
    torch.testing.assert_close(logits, model(given))


def test_bad_input_is_still_the_fault_of_the_input():
    given = points(5, (3,), dtype=torch.float32)
    given[1] = 1.0
    model = CorNet(5, 4, 3, metric="ecm", mlr="olm")
    with pytest.raises(NotPositiveDefiniteError, match=r"point\[1\]"):
        model(given)


@pytest.mark.parametrize("fuse", [True, False])
@pytest.mark.parametrize("key, other", [("ecm", "olm"), ("lsm", "phcm")])
def test_a_hidden_matrix_that_fails_is_named(key, other, fuse):
    model = CorNet(5, 4, 3, metric=key, mlr=other, fuse=fuse)
    torch.nn.init.constant_(model.conv.weight, float("nan"))
    message = "hidden matrix.*CorChannelConv and CorMLR.*float32.*lr.*gain.*dtype"
    with pytest.raises(HiddenMatrixError, match=message) as caught:
        model(points(5, (3,), dtype=torch.float32))
    assert isinstance(caught.value, GeomstatsCorError)
    assert isinstance(caught.value, ValueError)


def test_the_guard_is_an_option():
    small = space_of("phcm", 4)
    fc = CorFC(space_of("phcm", 5), small, dtype=torch.float32)
    with torch.no_grad():
        fc.weight.mul_(1e4)
    mlr = CorMLR(space_of("olm", 4), 3)
    given = points(5, (3,), dtype=torch.float32)
    assert torch.isfinite(CorSequential(fc, mlr)(given)).all()
    bold = CorSequential(fc, mlr, guard=False)
    assert not bold[:].guard
    logits = CorSequential(fc, mlr, guard=True)[:](given)
    torch.testing.assert_close(logits, CorSequential(fc, mlr)(given))
    model = CorNet(5, 4, 3, metric="phcm", mlr="olm", gain=1e6, guard=False)
    with pytest.raises(HiddenMatrixError):
        model(points(5, (30,), condition=1e4, dtype=torch.float32))
