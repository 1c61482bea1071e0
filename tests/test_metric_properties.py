"""What holds for every Riemannian metric: distances, geodesics, transport, frames."""

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from kernels.matrices import random_correlation
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

every_metric = pytest.mark.parametrize("key", KEYS)

pytestmark = [
    pytest.mark.filterwarnings("error"),
    # Close to singular matrices may be told of lost digits; the numbers decide here.
    pytest.mark.filterwarnings("ignore::geomstats_cor.exceptions.ConvergenceWarning"),
]


def assert_close(actual, expected, tolerance):
    scale = 1.0 + np.max(np.abs(expected))
    assert np.max(np.abs(actual - expected)) <= tolerance * scale


def derivative(function, time, step):
    """Return the derivative of a function of time, by a stencil of order six."""
    ahead = [function(time + k * step) for k in (1, 2, 3)]
    behind = [function(time - k * step) for k in (1, 2, 3)]
    differences = [a - b for a, b in zip(ahead, behind, strict=True)]
    return (45 * differences[0] - 9 * differences[1] + differences[2]) / (60 * step)


class TestDistance:
    @every_metric
    @properties
    @given(data=st.data())
    def test_is_a_distance(self, key, data):
        space = data.draw(spaces(key))
        a, b, c = (data.draw(correlations(space.n)) for _ in range(3))
        dist = space.metric.dist
        tolerance = slack(a, b, c)

        assert dist(a, a) == 0.0
        assert dist(a, b) >= 0.0
        assert_close(dist(a, b), dist(b, a), 1e-15)
        assert dist(a, c) <= (dist(a, b) + dist(b, c)) * (1.0 + tolerance)

    @every_metric
    @properties
    @given(data=st.data())
    def test_separates_points(self, key, data):
        space = data.draw(spaces(key))
        a, b = data.draw(correlations(space.n)), data.draw(correlations(space.n))
        assume(np.max(np.abs(a - b)) > 1e-10)
        assert space.metric.dist(a, b) > 0.0

    @every_metric
    @properties
    @given(data=st.data())
    def test_is_the_length_of_the_logarithm(self, key, data):
        space = data.draw(spaces(key))
        a, b = data.draw(correlations(space.n)), data.draw(correlations(space.n))
        dist = space.metric.dist(a, b)
        tolerance = slack(a, b)
        vector = space.metric.log(b, a)

        assert_close(space.metric.norm(vector, a), dist, tolerance)
        assert_close(space.metric.squared_norm(vector, a), dist**2, tolerance)
        assert_close(space.metric.squared_dist(a, b), dist**2, 1e-14)

    @every_metric
    @properties
    @given(data=st.data())
    def test_is_infinitesimally_the_norm(self, key, data):
        space = data.draw(spaces(key))
        point = data.draw(correlations(space.n))
        assume(np.linalg.cond(point) < 1e3)
        vector = data.draw(tangent_vectors(space.metric, point))
        small = 1e-4 * np.linalg.eigvalsh(point)[0] * vector

        ahead = space.metric.dist(point + small, point - small)
        expected = 2.0 * space.metric.norm(small, point)
        assert abs(ahead - expected) <= 1e-6 * expected + 1e-12


class TestInnerProduct:
    @every_metric
    @properties
    @given(data=st.data())
    def test_is_bilinear_and_symmetric(self, key, data):
        space = data.draw(spaces(key))
        point = data.draw(correlations(space.n))
        u, v, w = (data.draw(tangent_vectors(space.metric, point)) for _ in range(3))
        inner = space.metric.inner_product
        tolerance = slack(point)

        assert_close(inner(u, v, point), inner(v, u, point), 1e-14)
        expected = 3.0 * inner(u, w, point) - inner(v, w, point)
        assert_close(inner(3.0 * u - v, w, point), expected, tolerance)
        assert_close(inner(u, u, point), space.metric.norm(u, point) ** 2, 1e-13)

    @every_metric
    @properties
    @given(data=st.data())
    def test_has_the_components_of_the_metric_matrix(self, key, data):
        space = data.draw(spaces(key))
        point = data.draw(correlations(space.n))
        u, v = (data.draw(tangent_vectors(space.metric, point)) for _ in range(2))
        lower = np.tril_indices(space.n, -1)
        matrix = space.metric.metric_matrix(point)

        expected = u[lower] @ matrix @ v[lower]
        assert_close(space.metric.inner_product(u, v, point), expected, slack(point))
        basis = hollow(np.eye(space.dim))
        gram = space.metric.inner_product(basis[:, None], basis, point)
        np.testing.assert_allclose(matrix, gram, rtol=1e-12, atol=1e-12 * gram.max())
        assert np.linalg.eigvalsh(matrix)[0] > 0.0

    @every_metric
    @properties
    @given(data=st.data())
    def test_normalized_vectors_have_length_one(self, key, data):
        space = data.draw(spaces(key))
        point = data.draw(correlations(space.n))
        vector = data.draw(tangent_vectors(space.metric, point))
        length = space.metric.norm(vector, point)
        assume(length > 0.0)
        unit = space.metric.normalize(vector, point)

        assert_close(space.metric.norm(unit, point), 1.0, 1e-13)
        assert_close(unit * length, vector, 1e-14)

    @every_metric
    def test_has_unit_vectors(self, rng, key):
        space = equipped(4, key)
        metric = space.metric
        point = random_correlation(rng, 4)
        drawn = metric.random_unit_tangent_vec(point, n_vectors=5, rng=3)
        assert drawn.shape == (5, 4, 4)
        assert np.all(space.is_tangent(drawn))
        np.testing.assert_allclose(metric.norm(drawn, point), 1.0, rtol=1e-13)
        again = metric.random_unit_tangent_vec(point, n_vectors=5, rng=3)
        np.testing.assert_array_equal(again, drawn)

        basis = hollow(np.eye(6))
        units = metric.normal_basis(basis, point)
        lengths = metric.norm(basis, point)[:, None, None]
        np.testing.assert_allclose(units * lengths, basis, rtol=1e-13)

    @every_metric
    def test_has_a_dual_product(self, rng, key):
        metric = equipped(4, key).metric
        point = random_correlation(rng, 4)
        u, v = rng.standard_normal((2, 6))
        matrix = metric.metric_matrix(point)
        # Lowering the index of a vector keeps products.
        actual = metric.inner_coproduct(u @ matrix, v @ matrix, point)
        expected = metric.inner_product(hollow(u), hollow(v), point)
        np.testing.assert_allclose(actual, expected, rtol=1e-11)
        inverse = metric.cometric_matrix(point) @ matrix
        np.testing.assert_allclose(inverse, np.eye(6), atol=1e-12)


class TestExponential:
    @every_metric
    @properties
    @given(data=st.data())
    def test_inverts_the_logarithm(self, key, data):
        space = data.draw(spaces(key))
        a, b = data.draw(correlations(space.n)), data.draw(correlations(space.n))
        vector = space.metric.log(b, a)

        assert space.is_tangent(vector)
        assert_close(space.metric.exp(vector, a), b, slack(a, b))

    @every_metric
    @properties
    @given(data=st.data())
    def test_is_inverted_by_the_logarithm(self, key, data):
        space = data.draw(spaces(key))
        point = data.draw(correlations(space.n))
        vector = data.draw(tangent_vectors(space.metric, point))
        end = space.metric.exp(vector, point)
        error = space.metric.log(end, point) - vector

        assert space.belongs(end)
        assert space.metric.norm(error, point) <= slack(point, end)

    @every_metric
    @properties
    @given(data=st.data())
    def test_of_a_vanishing_vector(self, key, data):
        space = data.draw(spaces(key))
        point = data.draw(correlations(space.n))
        null = np.zeros_like(point)
        assert_close(space.metric.exp(null, point), point, slack(point))
        assert_close(space.metric.log(point, point), null, 1e-15)


class TestGeodesic:
    @every_metric
    @properties
    @given(data=st.data())
    def test_joins_its_ends_at_constant_speed(self, key, data):
        space = data.draw(spaces(key))
        a, b = data.draw(correlations(space.n)), data.draw(correlations(space.n))
        times = np.array([0.0, 0.25, 0.5, 1.0])
        path = space.metric.geodesic(a, b)(times)
        tolerance = slack(a, b, *path)

        assert np.all(space.belongs(path))
        assert_close(path[0], a, tolerance)
        assert_close(path[-1], b, tolerance)
        dist = space.metric.dist(a, b)
        expected = np.abs(times[:, None] - times) * dist
        assert_close(space.metric.dist(path[:, None], path), expected, tolerance)

    @every_metric
    @properties
    @given(data=st.data())
    def test_has_the_velocity_it_was_given(self, key, data):
        space = data.draw(spaces(key))
        point = data.draw(correlations(space.n))
        vector = data.draw(tangent_vectors(space.metric, point))
        path = space.metric.geodesic(point, initial_tangent_vec=vector)

        assert_close(path(1.0)[0], space.metric.exp(vector, point), 1e-15)
        velocity = derivative(lambda t: path(t)[0], 0.0, 1e-3)
        assert_close(velocity, vector, 1e-10)

    @every_metric
    @properties
    @given(data=st.data())
    def test_satisfies_the_geodesic_equation(self, key, data):
        space = data.draw(spaces(key))
        point = data.draw(correlations(space.n))
        vector = data.draw(tangent_vectors(space.metric, point))
        path = space.metric.geodesic(point, initial_tangent_vec=vector)
        moved, acceleration = space.metric.geodesic_equation(np.stack([point, vector]))

        assert_close(moved, vector, 0.0)

        def velocity(time):
            return derivative(lambda t: path(t)[0], time, 0.01)

        assert_close(acceleration, derivative(velocity, 0.0, 0.01), 1e-6)

    @every_metric
    @pytest.mark.parametrize("shape", [(), (1,), (4,), (2, 3), (0,)])
    def test_takes_times_of_any_shape(self, double, rng, key, shape):
        space = equipped(4, key)
        a, b = random_correlation(rng, 4, batch=(2,))
        times = rng.uniform(size=shape)
        path = space.metric.geodesic(double(a), double(b))
        points = double.numbers(path(double(times)))

        assert points.shape == (times.size, 4, 4)
        for point, time in zip(points, times.flat, strict=True):
            expected = double.numbers(path(float(time)))
            np.testing.assert_allclose(point, expected[0], rtol=0.0, atol=1e-14)

    @every_metric
    def test_takes_times_as_numbers_and_lists(self, double, rng, key):
        space = equipped(4, key)
        a, b = random_correlation(rng, 4, batch=(2,))
        path = space.metric.geodesic(double(a), double(b))
        np.testing.assert_allclose(double.numbers(path(1)), b[None], rtol=1e-12)
        np.testing.assert_allclose(
            double.numbers(path([0, 1])), [a, b], rtol=1e-12, atol=1e-14
        )


class TestTransport:
    @every_metric
    @properties
    @given(data=st.data())
    def test_is_a_linear_isometry(self, key, data):
        space = data.draw(spaces(key))
        a, b = data.draw(correlations(space.n)), data.draw(correlations(space.n))
        u, v = (data.draw(tangent_vectors(space.metric, a)) for _ in range(2))
        metric, tolerance = space.metric, slack(a, b)

        moved_u = metric.parallel_transport(u, a, end_point=b)
        moved_v = metric.parallel_transport(v, a, end_point=b)
        assert np.all(space.is_tangent(moved_u))
        expected = metric.inner_product(u, v, a)
        assert_close(metric.inner_product(moved_u, moved_v, b), expected, tolerance)
        moved = metric.parallel_transport(2.0 * u - v, a, end_point=b)
        assert metric.norm(moved - (2.0 * moved_u - moved_v), b) <= tolerance

    @every_metric
    @properties
    @given(data=st.data())
    def test_keeps_the_velocity_of_the_geodesic(self, key, data):
        space = data.draw(spaces(key))
        a, b = data.draw(correlations(space.n)), data.draw(correlations(space.n))
        there, back = space.metric.log(b, a), space.metric.log(a, b)
        moved = space.metric.parallel_transport(there, a, end_point=b)
        error = space.metric.norm(moved + back, b)
        assert error <= slack(a, b) * (1.0 + space.metric.dist(a, b))

    @every_metric
    @properties
    @given(data=st.data())
    def test_by_direction_is_that_to_the_end_point(self, key, data):
        space = data.draw(spaces(key))
        point = data.draw(correlations(space.n))
        u, v = (data.draw(tangent_vectors(space.metric, point)) for _ in range(2))
        end = space.metric.exp(v, point)

        to_end = space.metric.parallel_transport(u, point, end_point=end)
        along = space.metric.parallel_transport(u, point, direction=v)
        assert space.metric.norm(to_end - along, end) <= slack(point, end)

    @every_metric
    @properties
    @given(data=st.data())
    def test_back_undoes_it(self, key, data):
        space = data.draw(spaces(key))
        a, b = data.draw(correlations(space.n)), data.draw(correlations(space.n))
        vector = data.draw(tangent_vectors(space.metric, a))
        moved = space.metric.parallel_transport(vector, a, end_point=b)
        back = space.metric.parallel_transport(moved, b, end_point=a)
        assert space.metric.norm(back - vector, a) <= slack(a, b)


class TestCoordinates:
    @every_metric
    @properties
    @given(data=st.data())
    def test_are_inverted(self, key, data):
        space = data.draw(spaces(key))
        point = data.draw(correlations(space.n))
        coords = space.metric.to_coords(point)
        assert coords.shape == (space.dim,)
        assert_close(space.metric.from_coords(coords), point, slack(point))
        origin = space.metric.origin(like=point)
        np.testing.assert_array_equal(origin, np.eye(space.n))
        assert_close(space.metric.to_coords(origin), np.zeros(space.dim), 1e-15)

    @pytest.mark.parametrize("key", ["ecm", "lecm", "olm", "lsm"])
    @properties
    @given(data=st.data())
    def test_are_an_isometry_of_a_flat_metric(self, key, data):
        space = data.draw(spaces(key))
        a, b = data.draw(correlations(space.n)), data.draw(correlations(space.n))
        difference = space.metric.to_coords(a) - space.metric.to_coords(b)
        expected = space.metric.dist(a, b)
        assert_close(np.linalg.norm(difference), expected, 1e-13)

    @every_metric
    @properties
    @given(data=st.data())
    def test_of_logarithms(self, key, data):
        space = data.draw(spaces(key))
        base = data.draw(correlations(space.n))
        vectors = [data.draw(tangent_vectors(space.metric, base)) for _ in range(2)]
        ends = [space.metric.exp(vector, base) for vector in vectors]
        coords = [space.metric.log_coords(end, base) for end in ends]
        loss = 10.0 * slack(base, *ends)
        assert_close(np.linalg.norm(coords[0]), space.metric.dist(ends[0], base), loss)
        expected = space.metric.inner_product(*vectors, base)
        assert_close(coords[0] @ coords[1], expected, loss)
        back = space.metric.exp_coords(coords[0], base)
        assert_close(back, ends[0], loss)

    @properties
    @given(data=st.data())
    def test_of_rows_are_half_as_long_as_the_hyperbolic_distance(self, data):
        space = data.draw(spaces("phcm"))
        point = data.draw(correlations(space.n))
        matrix = np.zeros((space.n, space.n))
        matrix[np.tril_indices(space.n, -1)] = space.metric.to_coords(point)
        pivots = np.diagonal(np.linalg.cholesky(point))
        # A point of the hemisphere at height h is at distance arccosh(1 / h).
        expected = 0.5 * np.arctanh(np.sqrt((1.0 - pivots) * (1.0 + pivots)))
        lengths = np.linalg.norm(matrix, axis=-1)
        assert_close(lengths, expected, 1e-7 + slack(point))
