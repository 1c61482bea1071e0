"""The output of a fully connected layer solves the equations that define it."""

import numpy as np
import pytest
import torch
from scipy.optimize import minimize, root

from cornet_nn import CorFC, CorMLR, poincare_fc
from geomstats_cor import kernels

from . import ball
from .networks import FLAT, PRODUCTS, points, randomised, space_of

every_product = pytest.mark.parametrize("name", PRODUCTS)


def fc_and_logits(space_in, space_out, given, **options):
    """Return the output of a layer, and the logits of an MLR of the same parameters.

    The input has an axis of channels.
    """
    channels = given.shape[-3]
    given = given[None] if given.ndim == 3 else given
    layer = CorFC(space_in, space_out, channels, dtype=torch.float64, **options)
    randomised(layer, scale=0.3)
    mlr = CorMLR(space_in, len(layer.weight), channels, dtype=torch.float64)
    mlr.load_state_dict(layer.state_dict())
    return layer(given).detach(), mlr(given).detach()


@every_product
@pytest.mark.parametrize("source", ["lecm", "phcm"])
def test_the_defining_equations(name, source):
    """sign(<Log_I Y, O_k>) d(Y, H_k) = v_k, for an orthonormal basis O_k at I."""
    space = space_of(name, 4)
    metric, identity = space.metric, torch.eye(4, dtype=torch.float64)
    given = points(5, (3, 2))
    output, logits = fc_and_logits(space_of(source, 5), space, given)
    basis = metric.log(metric.from_coords(torch.eye(6, dtype=torch.float64)), identity)
    gram = metric.inner_product(basis[:, None], basis, identity)
    torch.testing.assert_close(
        gram, torch.eye(6, dtype=torch.float64), atol=1e-12, rtol=0
    )
    log = metric.log(output, identity)
    along = metric.inner_product(log[:, None], basis, identity)
    foot = log[:, None] - along[..., None, None] * basis
    feet = metric.exp(foot, identity)
    assert (
        metric.inner_product(metric.log(feet, identity), basis, identity).abs().max()
        < 1e-10
    )
    left = torch.sign(along) * metric.dist(output[:, None], feet)
    torch.testing.assert_close(left, logits, rtol=1e-10, atol=1e-10)


@pytest.mark.parametrize("name", FLAT)
def test_the_foot_is_the_nearest_point_of_the_hyperplane(name):
    space = space_of(name, 3)
    metric, identity = space.metric, np.eye(3)
    output, logits = fc_and_logits(space_of("olm", 4), space, points(4, (1,)))
    output, logits = output[0], logits[0]
    basis = metric.log(metric.from_coords(np.eye(3)), identity)
    for k in range(3):
        others = np.delete(basis, k, axis=0)

        def squared_dist(x, others=others):
            foot = metric.exp(np.tensordot(x, others, axes=1), identity)
            return float(metric.squared_dist(output.numpy(), foot))

        found = minimize(squared_dist, np.zeros(2), tol=1e-9).fun
        np.testing.assert_allclose(np.sqrt(found), abs(logits[k]), rtol=1e-6)


def joint_point(coords):
    """Return the point of the ball whose beta-split has given coordinates."""
    betas = np.repeat([kernels.beta_number(i) for i in (1, 2, 3)], [1, 2, 3])
    return kernels.ball_exp(coords * kernels.beta_number(6) / betas)


@pytest.mark.parametrize("source", ["olm", "phcm"])
def test_the_defining_equations_in_the_concatenated_ball(source):
    """Before the beta-split, and once more from the matrix that comes out."""
    given = points(5, (3, 2))
    layer = CorFC(space_of(source, 5), space_of("phcm", 4), 2, dtype=torch.float64)
    randomised(layer, scale=0.3)
    coords = layer.compute(layer.read(given)).detach().numpy()
    logits = layer.logits(layer.read(given)).detach().numpy()
    output = layer(given).detach().numpy()
    for row, matrix, expected in zip(coords, output, logits, strict=True):
        y = joint_point(row)
        signed = [_signed_distance_in_ball(y, k, -1.0) for k in range(len(y))]
        np.testing.assert_allclose(signed, expected, rtol=1e-10, atol=1e-10)
        factor = np.linalg.cholesky(matrix)
        rows = [factor[i, :i] / (1.0 + factor[i, i]) for i in range(1, 4)]
        np.testing.assert_allclose(ball.concat(rows, -1.0), y, rtol=1e-7, atol=1e-9)


def test_the_output_is_that_of_the_poincare_layer():
    """Before the beta-split, to rounding."""
    torch.manual_seed(0)
    layer = randomised(
        CorFC(space_of("phcm", 5), space_of("phcm", 4), 2, dtype=torch.float64)
    )
    given = points(5, (2,))
    rows = [
        factor[i, :i] / (1.0 + factor[i, i])
        for factor in np.linalg.cholesky(given.numpy())
        for i in range(1, 5)
    ]
    weight, gamma = layer.weight.detach().numpy(), layer.gamma.detach().numpy()
    y = ball.fc(ball.concat(rows, -1.0), weight.reshape(6, -1), gamma[:, 0], -1.0)
    coords = layer.compute(layer.read(given)).detach()
    np.testing.assert_allclose(joint_point(coords.numpy()), y, rtol=1e-11)


def _signed_distance_in_ball(y, k, curvature):
    """Return sign(<Log_0 y, e_k>) d(y, H_k): the foot is that of Ganea's Theorem 5."""
    c = np.sqrt(-curvature)
    return np.arcsinh(2 * c * y[k] / (1 + curvature * (y @ y))) / c


def _infimum_in_ball(y, k, curvature):
    axes = np.delete(np.eye(len(y)), k, axis=0)
    origin = np.zeros(len(y))

    def dist(x):
        return ball.dist(y, ball.exp(origin, x @ axes, curvature), curvature)

    sign = np.sign(ball.log(origin, y, curvature)[k])
    return sign * minimize(dist, np.zeros(len(y) - 1), tol=1e-10).fun


def test_theorem_of_ganea_on_hyperplanes_through_the_origin():
    y = np.array([0.3, -0.5, 0.2])
    for k in range(3):
        np.testing.assert_allclose(
            _signed_distance_in_ball(y, k, -0.7),
            _infimum_in_ball(y, k, -0.7),
            rtol=1e-7,
        )


@pytest.mark.parametrize("curvature", [-1.0, -0.4])
def test_the_same_definition_in_the_ball_is_the_poincare_layer(curvature):
    """The appendix on connections: solve for y, and find the printed formula."""
    rng = np.random.default_rng(3)
    weight, gamma = 0.3 * rng.standard_normal((3, 4)), 0.2 * rng.standard_normal(3)
    x = 0.3 * rng.standard_normal(4)
    logits = [ball.mlr(x, z, g, curvature) for z, g in zip(weight, gamma, strict=True)]

    def equations(y):
        return [_signed_distance_in_ball(y, k, curvature) for k in range(3)] - np.array(
            logits
        )

    solved = root(equations, np.full(3, 0.1), tol=1e-13)
    assert solved.success
    actual = poincare_fc(*map(torch.as_tensor, (x, weight, gamma)), curvature=curvature)
    np.testing.assert_allclose(actual, solved.x, rtol=1e-9)
    np.testing.assert_allclose(actual, ball.fc(x, weight, gamma, curvature), rtol=1e-12)


def test_the_same_definition_in_euclidean_space_is_the_linear_layer():
    """With z_k and gamma_k for a_k and b_k; flat coordinates are such a space."""
    space_in, space_out = space_of("olm", 4), space_of("lecm", 3)
    layer = randomised(CorFC(space_in, space_out, dtype=torch.float64))
    given = points(4, (5,))
    x = space_in.metric.to_coords(given)
    # Weights are covectors in orthonormal coordinates, for OLM.
    matrix = layer.weight[:, 0]
    bias = -layer.gamma[:, 0] * torch.linalg.vector_norm(matrix, dim=-1)
    expected = torch.nn.functional.linear(x, matrix, bias)
    actual = space_out.metric.to_coords(layer(given))
    torch.testing.assert_close(actual, expected, rtol=1e-11, atol=1e-11)
    # The definition itself, in R^3: signed distances to coordinate hyperplanes.
    for y, row in zip(actual.detach().numpy(), expected.detach().numpy(), strict=True):
        for k in range(3):
            others = np.delete(np.eye(3), k, axis=0)

            def squared_dist(c, y=y, others=others):
                return np.sum((y - c @ others) ** 2)

            found = np.sqrt(minimize(squared_dist, np.zeros(2), tol=1e-12).fun)
            np.testing.assert_allclose(np.sign(y[k]) * found, row[k], rtol=1e-6)


def _theorem(values, m):
    """Return V^LS as the theorem prints it, entry by entry."""
    matrix = np.zeros((m, m))
    pairs = [(i, j) for i in range(m - 1) for j in range(i + 1)]
    for value, (i, j) in zip(values, pairs, strict=True):
        if i > j:
            matrix[i, j] = matrix[j, i] = value / np.sqrt(6.0)
        else:
            matrix[i, i] = value / np.sqrt(3.0)
    for j in range(m - 1):
        matrix[m - 1, j] = matrix[j, m - 1] = -sum(matrix[k, j] for k in range(m - 1))
    matrix[m - 1, m - 1] = sum(matrix[:-1, :-1].ravel())
    return matrix


@pytest.mark.parametrize("m", [2, 3, 5])
def test_lsm_with_the_printed_basis_is_the_theorem(m):
    given = points(4, (1,))
    space = space_of("lsm", m)
    output, logits = fc_and_logits(space_of("lsm", 4), space, given, basis="printed")
    output, logits = output[0], logits[0]
    expected = kernels.cor(kernels.sym_exp(_theorem(logits.numpy(), m)))
    np.testing.assert_allclose(output.numpy(), expected, rtol=1e-12, atol=1e-13)
    np.testing.assert_allclose(
        kernels.row0_from_printed(logits.numpy()),
        _theorem(logits.numpy(), m),
        atol=1e-15,
    )


def test_the_printed_basis_of_lsm_is_not_orthonormal():
    basis = kernels.row0_from_printed(np.eye(10)).reshape(10, -1)
    values = np.linalg.eigvalsh(basis @ basis.T)
    np.testing.assert_allclose([values[0], values[-1]], [1 / 3, 25 / 3], rtol=1e-12)
    np.testing.assert_allclose(
        np.unique(np.round((basis**2).sum(1), 9)), [4 / 3, 5 / 3]
    )


@pytest.mark.parametrize(
    "key, matrix",
    [
        ("ecm", lambda v: kernels.theta_inverse(v + np.eye(4))),
        ("lecm", lambda v: kernels.theta_inverse(kernels.exp_strictly_lower(v))),
        ("olm", lambda v: kernels.off_exp((v + v.mT) / np.sqrt(2.0))),
    ],
)
@pytest.mark.parametrize("basis", ["printed", "orthonormal"])
def test_the_printed_formulas_of_the_others(key, matrix, basis):
    output, logits = fc_and_logits(
        space_of(key, 5), space_of(key, 4), points(5, (2, 1)), basis=basis
    )
    expected = matrix(kernels.unpack_strictly_lower(logits.numpy()))
    np.testing.assert_allclose(output.numpy(), expected, rtol=1e-11, atol=1e-12)
