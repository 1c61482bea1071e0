"""Connection and curvature: by difference quotients of the metric, and by loops."""

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from kernels.matrices import random_correlation, random_hollow
from scipy.integrate import solve_ivp
from strategies import (
    KEYS,
    correlations,
    equipped,
    hollow,
    properties,
    slack,
    spaces,
    tangent_vectors,
)

FLAT = ["ecm", "lecm", "olm", "lsm"]
PARAMETERS = {
    "ecm": {},
    "lecm": {},
    "olm": dict(alpha=0.7, beta=-0.2, gamma=0.3),
    "lsm": dict(alpha=0.7, delta=-0.2, zeta=0.3),
    "phcm": dict(weights=(0.5, 0.4)),
}

every_metric = pytest.mark.parametrize("key", KEYS)

pytestmark = [
    pytest.mark.filterwarnings("error"),
    # Close to singular matrices may be told of lost digits; the numbers decide here.
    pytest.mark.filterwarnings("ignore::geomstats_cor.exceptions.ConvergenceWarning"),
]


@pytest.fixture
def point(rng):
    return random_correlation(rng, 3, 10.0)


def lower(matrix):
    rows, columns = np.tril_indices(matrix.shape[-1], -1)
    return matrix[..., rows, columns]


def gradient(function, point, step=1e-3):
    """Return the derivatives along the basis of tangent vectors, the index last."""
    basis = hollow(np.eye(point.shape[-1] * (point.shape[-1] - 1) // 2))
    stencil = {1: 3 / 4, 2: -3 / 20, 3: 1 / 60, -1: -3 / 4, -2: 3 / 20, -3: -1 / 60}
    shifts = step * np.array(list(stencil))[:, None, None, None]
    values = function(point + shifts * basis)
    weights = np.array(list(stencil.values())) / step
    return np.moveaxis(np.tensordot(weights, values, axes=1), 0, -1)


def christoffels_from(metric_matrix, point):
    """Return the symbols of the Levi-Civita connection of a metric matrix."""
    slopes = gradient(metric_matrix, point)
    lowered = 0.5 * (np.moveaxis(slopes, -1, 0) + np.moveaxis(slopes, -1, 1) - slopes)
    inverse = np.linalg.inv(metric_matrix(point))
    return np.einsum("kl,ijl->kij", inverse, lowered)


def in_row(point, row, entries):
    """Return the tangent vector that moves one row of the Cholesky factor only."""
    factor = np.linalg.cholesky(point)
    moved = np.zeros_like(point)
    moved[row, : len(entries)] = entries
    moved[row] -= moved[row] @ factor[row] * factor[row]
    return moved @ factor.T + factor @ moved.T


class TestConnection:
    @every_metric
    def test_christoffels_are_those_of_the_metric_matrix(self, point, key):
        metric = equipped(3, key, **PARAMETERS[key]).metric
        expected = christoffels_from(metric.metric_matrix, point)
        np.testing.assert_allclose(
            metric.christoffels(point), expected, rtol=1e-8, atol=1e-8
        )
        np.testing.assert_allclose(
            metric.inner_product_derivative_matrix(point),
            gradient(metric.metric_matrix, point),
            rtol=1e-8,
            atol=1e-8,
        )

    @every_metric
    def test_geodesics_and_transport_solve_their_equations(self, point, rng, key):
        metric = equipped(3, key, **PARAMETERS[key]).metric
        velocity, vector = metric.normalize(random_hollow(rng, 3, (2,)), point)

        def equations(_, state):
            position, speed, moved = state.reshape(3, 3)
            here = np.eye(3) + hollow(position)
            symbols = christoffels_from(metric.metric_matrix, here)
            along = -np.einsum("kij,i->kj", symbols, speed)
            return np.concatenate([speed, along @ speed, along @ moved])

        start = np.concatenate([lower(point), lower(velocity), lower(vector)])
        solution = solve_ivp(equations, (0.0, 1.0), start, rtol=1e-9, atol=1e-10)
        end, _, transported = solution.y[:, -1].reshape(3, 3)
        np.testing.assert_allclose(lower(metric.exp(velocity, point)), end, atol=1e-6)
        moved = metric.parallel_transport(vector, point, direction=velocity)
        np.testing.assert_allclose(lower(moved), transported, atol=1e-5)

    @every_metric
    @properties
    @given(data=st.data())
    def test_transport_is_the_pole_ladder(self, key, data):
        # One rung is exact, because the spaces are symmetric: the reflection of
        # exp(v) in the middle of the geodesic is exp(-w), with w the transported v.
        space = data.draw(spaces(key))
        metric = space.metric
        a, b = data.draw(correlations(space.n)), data.draw(correlations(space.n))
        assume(metric.dist(a, b) < 20.0)
        vector = data.draw(tangent_vectors(metric, a))
        middle = metric.geodesic(a, b)(0.5)[0]
        tip = metric.exp(vector, a)
        reflected = metric.exp(-metric.log(tip, middle), middle)
        ladder = -metric.log(reflected, b)

        error = metric.norm(
            metric.parallel_transport(vector, a, end_point=b) - ladder, b
        )
        assert error <= slack(a, b, middle, tip, reflected)


class TestCurvature:
    @every_metric
    def test_riemann_tensor_is_that_of_the_christoffels(self, point, key):
        metric = equipped(3, key, **PARAMETERS[key]).metric
        symbols = metric.christoffels(point)
        slopes = gradient(metric.christoffels, point)  # indices l, k, i, derivative j
        products = np.einsum("ljm,mki->lkij", symbols, symbols)
        half = np.moveaxis(slopes + products, 0, -1)  # k, i, j, l
        expected = np.einsum("kijl->ijkl", half) - np.einsum("jikl->ijkl", half)
        np.testing.assert_allclose(
            metric.riemann_tensor(point), expected, rtol=1e-7, atol=1e-7
        )

    @every_metric
    def test_is_the_holonomy_of_small_triangles(self, point, rng, key):
        metric = equipped(3, key, **PARAMETERS[key]).metric
        u, v, w = metric.normalize(random_hollow(rng, 3, (3,)), point)

        def holonomy(size):
            corner_u, corner_v = metric.exp(np.stack([size * u, size * v]), point)
            moved = metric.parallel_transport(w, point, end_point=corner_u)
            moved = metric.parallel_transport(moved, corner_u, end_point=corner_v)
            moved = metric.parallel_transport(moved, corner_v, end_point=point)
            return 2.0 * (w - moved) / size**2

        # The odd powers of the size drop out of the average.
        even = [0.5 * (holonomy(s) + holonomy(-s)) for s in (0.02, 0.04)]
        actual = (4.0 * even[0] - even[1]) / 3.0
        expected = metric.curvature(u, v, w, point)
        assert metric.norm(actual - expected, point) <= 1e-5

    @every_metric
    def test_makes_geodesics_spread(self, point, rng, key):
        metric = equipped(3, key, **PARAMETERS[key]).metric
        u, v = metric.normalize(random_hollow(rng, 3, (2,)), point)
        area = 1.0 - metric.inner_product(u, v, point) ** 2
        straight = metric.squared_norm(u - v, point)

        def excess(size):
            ends = metric.exp(np.stack([size * u, size * v]), point)
            return (metric.squared_dist(*ends) - size**2 * straight) / size**4

        even = [0.5 * (excess(s) + excess(-s)) for s in (0.02, 0.04)]
        actual = -3.0 * (4.0 * even[0] - even[1]) / 3.0 / area
        expected = metric.sectional_curvature(u, v, point)
        np.testing.assert_allclose(actual, expected, atol=1e-6)

    @every_metric
    @properties
    @given(data=st.data())
    def test_has_the_symmetries_of_a_curvature_tensor(self, key, data):
        space = data.draw(spaces(key))
        point = data.draw(correlations(space.n))
        a, b, c, d = (data.draw(tangent_vectors(space.metric, point)) for _ in range(4))

        def curvature(*vectors):
            return space.metric.curvature(*vectors, point)

        def product(a, b, c, d):
            return space.metric.inner_product(curvature(a, b, c), d, point)

        # The lengths are at most two, and the curvatures at most five.
        tolerance = 100 * slack(point)
        assert np.all(space.is_tangent(curvature(a, b, c)))
        assert abs(product(a, b, c, d) + product(b, a, c, d)) <= tolerance
        assert abs(product(a, b, c, d) + product(a, b, d, c)) <= tolerance
        assert abs(product(a, b, c, d) - product(c, d, a, b)) <= tolerance
        cycle = curvature(a, b, c) + curvature(b, c, a) + curvature(c, a, b)
        assert space.metric.norm(cycle, point) <= tolerance

    @pytest.mark.parametrize("key", FLAT)
    @properties
    @given(data=st.data())
    def test_of_flat_metrics_vanishes(self, key, data):
        space = data.draw(spaces(key))
        point = data.draw(correlations(space.n))
        u, v, w = (data.draw(tangent_vectors(space.metric, point)) for _ in range(3))
        assert not np.any(space.metric.curvature(u, v, w, point))
        assert space.metric.sectional_curvature(u, v, point) == 0.0

    @every_metric
    def test_does_not_change_under_transport(self, rng, key):
        # All five are locally symmetric, which is what curvature_derivative says.
        metric = equipped(3, key, **PARAMETERS[key]).metric
        a, b = random_correlation(rng, 3, 10.0, batch=(2,))
        vectors = random_hollow(rng, 3, (3,))
        moved = metric.parallel_transport(vectors, a, end_point=b)
        carried = metric.parallel_transport(
            metric.curvature(*vectors, a), a, end_point=b
        )
        np.testing.assert_allclose(
            metric.curvature(*moved, b), carried, rtol=1e-9, atol=1e-9
        )
        derivative = metric.curvature_derivative(vectors[0], *vectors, a)
        np.testing.assert_array_equal(derivative, np.zeros((3, 3)))


class TestPolyHyperbolicCurvature:
    @properties
    @given(data=st.data())
    def test_lies_between_its_bounds(self, data):
        space = data.draw(spaces("phcm"))
        point = data.draw(correlations(space.n))
        u, v = (data.draw(tangent_vectors(space.metric, point)) for _ in range(2))
        weights = space.metric.image_space.metric.weights[1:]
        lowest = -1.0 / min(weights) if weights else 0.0
        actual = space.metric.sectional_curvature(u, v, point)
        assert lowest * (1.0 + slack(point)) <= actual <= slack(point)

    @pytest.mark.parametrize("n", [3, 4, 6])
    @pytest.mark.parametrize("weighted", [False, True])
    def test_attains_its_bounds(self, rng, n, weighted):
        weights = rng.uniform(0.3, 3.0, n - 1) if weighted else np.ones(n - 1)
        metric = equipped(n, "phcm", weights=weights).metric
        point = random_correlation(rng, n, 10.0)
        attained = []
        for row in range(2, n):
            u, v = (in_row(point, row, rng.standard_normal(row)) for _ in range(2))
            actual = metric.sectional_curvature(u, v, point)
            np.testing.assert_allclose(actual, -1.0 / weights[row - 1], rtol=1e-10)
            attained.append(actual)
            w = in_row(point, row - 1, rng.standard_normal(row - 1))
            actual = metric.sectional_curvature(u, w, point)
            np.testing.assert_allclose(actual, 0.0, atol=1e-13)
        np.testing.assert_allclose(min(attained), -1.0 / min(weights[1:]), rtol=1e-10)

    def test_of_dependent_vectors_is_zero(self, point, rng):
        metric = equipped(3, "phcm").metric
        vector = random_hollow(rng, 3)
        assert metric.sectional_curvature(vector, -2.0 * vector, point) == 0.0
        assert metric.sectional_curvature(vector, 0.0 * vector, point) == 0.0

    @pytest.mark.parametrize("n", [2, 3, 4])
    def test_traces_are_those_of_a_product_of_hyperbolic_spaces(self, rng, n):
        # Ricci is -(k - 1) g / alpha on a factor of dimension k and weight alpha.
        weights = rng.uniform(0.3, 3.0, n - 1)
        metric = equipped(n, "phcm", weights=weights).metric
        point = random_correlation(rng, n, 10.0)
        dimensions = np.arange(1, n)
        expected = -np.sum(dimensions * (dimensions - 1) / weights)
        actual = metric.scalar_curvature(point)
        np.testing.assert_allclose(actual, expected, rtol=1e-10, atol=1e-12)

        row = n - 1
        vector = in_row(point, row, rng.standard_normal(row))
        ricci = lower(vector) @ metric.ricci_tensor(point) @ lower(vector)
        expected = -(row - 1) / weights[-1] * metric.squared_norm(vector, point)
        np.testing.assert_allclose(ricci, expected, rtol=1e-10, atol=1e-12)

    def test_covariant_tensor_is_the_lowered_one(self, point):
        metric = equipped(3, "phcm", **PARAMETERS["phcm"]).metric
        basis = hollow(np.eye(3))
        curvature = metric.curvature(basis[:, None], basis, basis[:, None, None], point)
        products = metric.inner_product(
            curvature, basis[:, None, None, None], point
        )  # i, j, k, l of <R(e_k, e_l) e_j, e_i>
        np.testing.assert_allclose(
            metric.covariant_riemann_tensor(point), products, rtol=1e-10, atol=1e-12
        )
