"""One Newton step for the scaling of the log-scaled metric, as the paper trains it."""

import numpy as np
import pytest
import torch

from cornet_nn import CorNet
from geomstats_cor import (
    FullRankCorrelationMatrices,
    LogScaledMetric,
    OneStepLogScaledMetric,
    kernels,
)
from geomstats_cor.exceptions import NotPositiveDefiniteError, ParameterError


def points(n, number=4, seed=0):
    return FullRankCorrelationMatrices(n, equip=False).random_point(number, rng=seed)


@pytest.mark.parametrize("library", ["numpy", "torch"])
def test_the_step_is_newtons(library):
    """By hand: x - J(x)^{-1} f(x) at x = 1, for f(x) = C x - 1 / x."""
    given = 0.5 * points(5) + 0.5 * np.eye(5)
    convert = torch.as_tensor if library == "torch" else np.asarray
    actual = np.asarray(kernels.one_step_scaling(convert(given)))
    for matrix, scaling in zip(given, actual, strict=True):
        x = np.ones(5)
        residual = matrix @ x - 1.0 / x
        jacobian = matrix + np.diag(1.0 / x**2)
        expected = x - np.linalg.inv(jacobian) @ residual
        assert expected.min() > 0.1
        np.testing.assert_allclose(scaling, expected, rtol=1e-13)


def test_the_step_stays_positive():
    """Without the guard the step leaves the positive orthant here."""
    # Eighteen variables agree, and the last is slightly opposed to all of them.
    rows = np.array([[2.0, 0.0], [1.9, 0.5], [1.9, -0.5], [-0.2, 1.0]])
    rows = np.repeat(rows, (6, 6, 6, 1), axis=0)
    many = kernels.cor(rows @ rows.T + 1e-3 * np.eye(19))
    plain = 2.0 * np.linalg.solve(many + np.eye(19), np.ones(19))
    assert plain.min() < 0.0
    guarded = kernels.one_step_scaling(many)
    np.testing.assert_allclose(guarded, np.maximum(plain, 0.1), rtol=1e-10)
    assert np.isfinite(kernels.one_step_log_scaled(many)).all()


def test_the_logarithm_is_that_of_the_scaled_matrix():
    given = points(6)
    scaling = kernels.one_step_scaling(given)
    balanced = scaling[:, :, None] * given * scaling[:, None, :]
    values, vectors = np.linalg.eigh(balanced)
    logarithm = (vectors * np.log(values)[:, None]) @ vectors.swapaxes(-1, -2)
    projection = np.eye(6) - np.full((6, 6), 1.0 / 6.0)
    expected = projection @ logarithm @ projection
    actual = kernels.one_step_log_scaled(given)
    np.testing.assert_allclose(actual, expected, atol=1e-12)
    assert np.abs(actual - kernels.log_scaled(given)).max() > 1e-3


def test_it_agrees_with_the_exact_map_to_first_order():
    direction = points(5)[0] - np.eye(5)
    errors = [
        np.abs(
            kernels.one_step_log_scaled(np.eye(5) + t * direction)
            - kernels.log_scaled(np.eye(5) + t * direction)
        ).max()
        for t in (1e-2, 1e-3)
    ]
    assert 50.0 < errors[0] / errors[1] < 200.0


def test_the_derivative_is_that_of_the_step():
    given = torch.tensor(points(4, 3, seed=2), requires_grad=True)
    weights = torch.linspace(-1.0, 2.0, 16, dtype=torch.float64).reshape(4, 4)
    (kernels.one_step_log_scaled(given) * weights).sum().backward()
    rng = np.random.default_rng(0)
    for _ in range(3):
        turn = rng.standard_normal((4, 4))
        turn = torch.tensor(np.tril(turn, -1) + np.tril(turn, -1).T)
        ends = [
            (kernels.one_step_log_scaled(given.detach() + s * 1e-6 * turn) * weights)
            for s in (1.0, -1.0)
        ]
        slope = (ends[0] - ends[1]).sum((-2, -1)) / 2e-6
        product = (given.grad * turn).sum((-2, -1))
        torch.testing.assert_close(product, slope, rtol=1e-6, atol=1e-7)


def test_networks_take_the_metric():
    torch.manual_seed(0)
    given = torch.tensor(points(6, 8)).float()
    model = CorNet(6, 4, 3, metric=OneStepLogScaledMetric)
    exact = CorNet(6, 4, 3, metric=LogScaledMetric)
    exact.load_state_dict(model.state_dict())
    logits = model(given)
    assert (logits - exact(given)).abs().max() > 1e-4
    # Between the layers, one step does not undo the map that made the matrix.
    model.fuse = False
    assert (logits - model(given)).abs().max() > 1e-5
    logits.square().sum().backward()
    assert all(torch.isfinite(p.grad).all() for p in model.parameters())


def test_no_tangent_vector_is_answered_wrongly():
    space = FullRankCorrelationMatrices(4, equip=OneStepLogScaledMetric)
    first, second = points(4, 2)
    for question in (
        lambda: space.metric.log(first, second),
        lambda: space.metric.exp(first - second, second),
        lambda: space.metric.inner_product(first - second, first - second, first),
    ):
        with pytest.raises(ParameterError, match="LogScaledMetric"):
            question()
    with pytest.raises(NotPositiveDefiniteError):
        space.metric.to_coords(1.5 * np.eye(4) - 0.5)
