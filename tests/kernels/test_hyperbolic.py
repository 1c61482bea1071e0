"""Hyperbolic space: distances to many digits, geodesics, transport, and its models."""

import mpmath
import numpy as np
import pytest

from geomstats_cor import kernels as k

from .references import derivative, exact, relative_error, second_derivative

dimensions = pytest.mark.parametrize("dim", [1, 2, 5])


def random_points(rng, count, dim, radius=1.0):
    """Return points at distances of about a radius from the origin."""
    direction = rng.standard_normal((count, dim))
    direction /= np.linalg.norm(direction, axis=-1, keepdims=True)
    return np.sinh(radius * rng.uniform(0.5, 1.5, (count, 1))) * direction


def inner(u, v, point):
    """Return the products of tangent vectors: u.v - (y.u)(y.v) / (1 + |y|^2)."""
    square = 1.0 + np.sum(point**2, -1)
    products = np.sum(point * u, -1) * np.sum(point * v, -1)
    return np.sum(u * v, -1) - products / square


def lorentz_gap(a, b):
    """Return -<a, b> - 1 in the Lorentz product, as exact numbers."""
    a, b = exact(a), exact(b)
    time_a, time_b = mpmath.sqrt(1 + np.sum(a * a)), mpmath.sqrt(1 + np.sum(b * b))
    return time_a * time_b - np.sum(a * b) - 1


def pairs_of_points(rng, dim):
    """Yield pairs of points, and how many roundings their distance may lose."""
    a, b = random_points(rng, 2, dim)
    origin = np.zeros(dim)
    yield a, b, 16
    yield a, -b, 16
    yield a, -a, 16
    yield a, origin, 16
    yield 1e-8 * a, origin, 16
    yield 1e-8 * a, 1e-8 * b, 16
    yield 1e-8 * a, -1e-8 * a, 16
    yield a, 3.0 * a, 16
    yield a, -3.0 * a, 16
    for gap in (1e-2, 1e-4, 1e-6, 1e-8, 1e-12, 1e-15):
        yield a, a + gap * b, 16
        yield a, a * (1.0 + gap), 16
    far_a, far_b = random_points(rng, 2, dim, radius=12.0)
    yield far_a, far_b, 16
    yield far_a, -far_b, 16
    yield far_a, -far_a, 16
    yield far_a, b, 16
    yield far_a, origin, 16
    # Neighbours far out: the angle between them is a difference of large numbers.
    for gap in (1e-3, 1e-6):
        yield far_a, far_a + gap * b, 2 * np.linalg.norm(far_a)


class TestDistance:
    @dimensions
    def test_many_digits(self, arrays, rng, dim):
        for a, b, roundings in pairs_of_points(rng, dim):
            a, b = arrays.rounded(a), arrays.rounded(b)
            if np.array_equal(a, b):
                continue
            with mpmath.workdps(100):
                gap = lorentz_gap(a, b)
                half, square = float(gap / 2), float(mpmath.acosh(1 + gap) ** 2)
            actual = arrays.apply(k.hyperbolic_half_sinh_square, a, b)
            assert actual.shape == (1,)
            assert abs(actual[0] - half) <= roundings * arrays.eps * half, (a, b)
            actual = arrays.apply(k.hyperbolic_squared_dist, a, b)
            assert actual.shape == ()
            assert abs(actual - square) <= roundings * arrays.eps * square, (a, b)

    def test_many_digits_at_all_scales(self, arrays, rng):
        size_a, size_b = 10.0 ** rng.uniform(-6.0, 4.0, (2, 300, 1))
        angle = 10.0 ** rng.uniform(-8.0, 0.5, (300, 1))
        a = arrays.rounded(size_a * np.array([1.0, 0.0]))
        b = size_b * np.concat([np.cos(angle), np.sin(angle)], axis=-1)
        b = arrays.rounded(b)
        actual = arrays.apply(k.hyperbolic_half_sinh_square, a, b)[:, 0]
        with mpmath.workdps(60):
            gaps = [lorentz_gap(*pair) for pair in zip(a, b, strict=True)]
        expected = np.array([float(gap / 2) for gap in gaps])
        # An angle is known to rounding, and the shorter vector makes it a distance.
        roundings = 4 * (1.0 + np.minimum(size_a, size_b)[:, 0])
        assert np.all(np.abs(actual / expected - 1.0) <= roundings * arrays.eps)

    @dimensions
    def test_coincident_points(self, arrays, rng, dim):
        for radius in (1e-8, 1.0, 10.0):
            point = random_points(rng, 20, dim, radius)
            assert np.all(arrays.apply(k.hyperbolic_squared_dist, point, point) == 0.0)

    @dimensions
    def test_symmetry(self, arrays, rng, dim):
        a, b = random_points(rng, 20, dim), random_points(rng, 20, dim)
        actual = arrays.apply(k.hyperbolic_squared_dist, a, b)
        expected = arrays.apply(k.hyperbolic_squared_dist, b, a)
        assert relative_error(actual, expected) <= 8 * arrays.eps

    @dimensions
    def test_symmetry_to_the_last_digit(self, arrays, rng, dim):
        # Near and far points, close to the origin and close to the boundary.
        a = random_points(rng, 2000, dim) * 10.0 ** rng.uniform(-6.0, 4.0, (2000, 1))
        b = a * 10.0 ** rng.uniform(-3.0, 3.0, (2000, 1))
        b += a * 10.0 ** rng.uniform(-8.0, 1.0, (2000, 1)) * rng.standard_normal(dim)
        for x, y in ((a, b), (a, 1.01 * a), (a, -a), (a, np.flip(b, 0).copy())):
            x, y = arrays.rounded(x), arrays.rounded(y)
            forth = arrays.apply(k.hyperbolic_half_sinh_square, x, y)
            back = arrays.apply(k.hyperbolic_half_sinh_square, y, x)
            assert np.array_equal(forth, back)

    @dimensions
    def test_padding_with_zeros(self, double, rng, dim):
        # Rows of a triangle have zeros where they have no entries.
        a, b = random_points(rng, 20, dim), random_points(rng, 20, dim)
        wide_a, wide_b = (np.pad(x, ((0, 0), (0, 3))) for x in (a, b))
        actual = double.apply(k.hyperbolic_squared_dist, wide_a, wide_b)
        expected = double.apply(k.hyperbolic_squared_dist, a, b)
        assert relative_error(actual, expected) <= 1e-15

    @dimensions
    def test_time(self, arrays, rng, dim):
        point = arrays.rounded(random_points(rng, 20, dim, 3.0))
        time = arrays.apply(k.hyperboloid_time, point)
        assert time.shape == (20, 1)
        square = np.sum(point**2, -1, keepdims=True)
        assert np.max(np.abs((time**2 - square - 1.0) / time**2)) <= 4 * arrays.eps


class TestMetric:
    @dimensions
    def test_orthonormal_components(self, arrays, rng, dim):
        point = arrays.rounded(random_points(rng, 20, dim))
        u, v = arrays.rounded(rng.standard_normal((2, 20, dim)))
        frame_u = arrays.apply(k.hyperbolic_orthonormal, u, point)
        frame_v = arrays.apply(k.hyperbolic_orthonormal, v, point)
        expected = inner(u, v, point)
        actual = np.sum(frame_u * frame_v, -1)
        assert relative_error(actual, expected) <= 32 * arrays.eps
        back = arrays.apply(k.hyperbolic_from_orthonormal, frame_u, point)
        time = np.sqrt(1.0 + np.sum(point**2, -1, keepdims=True))
        assert np.max(np.abs(back - u) / time**2) <= 32 * arrays.eps

    @dimensions
    def test_length_of_a_small_step(self, double, rng, dim):
        # The metric is the second derivative of half the squared distance.
        point = random_points(rng, 20, dim)
        vector = rng.standard_normal((20, dim))
        step = 1e-6
        ahead, behind = (
            double.apply(k.hyperbolic_squared_dist, point + s * vector, point)
            for s in (step, -step)
        )
        actual = (ahead + behind) / (2.0 * step**2)
        assert relative_error(actual, inner(vector, vector, point)) <= 1e-9


class TestGeodesics:
    @dimensions
    @pytest.mark.parametrize("radius", [1e-6, 0.3, 1.0, 3.0])
    def test_exp_inverts_log(self, arrays, rng, dim, radius):
        a, b = (random_points(rng, 20, dim, radius) for _ in range(2))
        a, b = arrays.rounded(a), arrays.rounded(b)
        vector = arrays.apply(k.hyperbolic_log, b, a)
        back = arrays.apply(k.hyperbolic_exp, vector, a)
        # An error in the direction grows as the geodesics spread.
        assert relative_error(back, b) <= 16 * arrays.eps * np.exp(3.0 * radius)

    @dimensions
    @pytest.mark.parametrize("size", [1e-6, 0.3, 1.0, 3.0])
    def test_log_inverts_exp(self, arrays, rng, dim, size):
        point = arrays.rounded(random_points(rng, 20, dim))
        vector = arrays.rounded(size * rng.standard_normal((20, dim)))
        end = arrays.apply(k.hyperbolic_exp, vector, point)
        back = arrays.apply(k.hyperbolic_log, end, point)
        # A small vector is a small difference of points.
        scale = max(1.0, np.max(np.abs(vector)))
        assert np.max(np.abs(back - vector)) <= 200 * arrays.eps * scale

    @dimensions
    def test_length_of_the_logarithm(self, double, rng, dim):
        a, b = random_points(rng, 20, dim), random_points(rng, 20, dim)
        vector = double.apply(k.hyperbolic_log, b, a)
        expected = double.apply(k.hyperbolic_squared_dist, a, b)
        assert relative_error(inner(vector, vector, a), expected) <= 1e-13

    @dimensions
    def test_logarithm_of_a_close_point(self, double, rng, dim):
        point = random_points(rng, 20, dim)
        vector = 1e-9 * rng.standard_normal((20, dim))
        end = point + vector
        actual = double.apply(k.hyperbolic_log, end, point)
        assert relative_error(actual, end - point) <= 1e-8

    @dimensions
    def test_still_geodesic(self, arrays, rng, dim):
        point = random_points(rng, 20, dim)
        zero = np.zeros((20, dim))
        end = arrays.apply(k.hyperbolic_exp, zero, point)
        assert np.array_equal(end, arrays.rounded(point))
        assert np.all(arrays.apply(k.hyperbolic_log, point, point) == 0.0)

    @dimensions
    def test_equal_pieces(self, double, rng, dim):
        # A geodesic is the shortest curve, run through at constant speed.
        point = random_points(rng, 20, dim)
        vector = rng.standard_normal((20, dim))
        third, end = (
            double.apply(k.hyperbolic_exp, t * vector, point) for t in (1 / 3, 1.0)
        )
        speed = np.sqrt(inner(vector, vector, point))
        first = np.sqrt(double.apply(k.hyperbolic_squared_dist, point, third))
        rest = np.sqrt(double.apply(k.hyperbolic_squared_dist, third, end))
        assert relative_error(first, speed / 3.0) <= 1e-13
        assert relative_error(rest, 2.0 * speed / 3.0) <= 1e-13

    @dimensions
    def test_differential_equation(self, double, rng, dim):
        # On the hyperboloid, a geodesic of unit speed is its own acceleration.
        point = random_points(rng, 20, dim)
        vector = rng.standard_normal((20, dim))
        vector /= np.sqrt(inner(vector, vector, point))[:, None]

        def position(time):
            return double.apply(k.hyperbolic_exp, time * vector, point)

        acceleration = second_derivative(position, 0.0, 1.0)
        assert relative_error(acceleration, point) <= 1e-10


class TestTransport:
    @dimensions
    def test_preserves_products(self, arrays, rng, dim):
        a, b = (arrays.rounded(random_points(rng, 20, dim)) for _ in range(2))
        u, v = arrays.rounded(rng.standard_normal((2, 20, dim)))
        moved_u = arrays.apply(k.hyperbolic_transport, u, a, b)
        moved_v = arrays.apply(k.hyperbolic_transport, v, a, b)
        expected = inner(u, v, a)
        assert relative_error(inner(moved_u, moved_v, b), expected) <= 500 * arrays.eps

    @dimensions
    def test_velocity(self, arrays, rng, dim):
        a, b = (arrays.rounded(random_points(rng, 20, dim)) for _ in range(2))
        velocity = arrays.apply(k.hyperbolic_log, b, a)
        actual = arrays.apply(k.hyperbolic_transport, velocity, a, b)
        expected = -arrays.apply(k.hyperbolic_log, a, b)
        assert relative_error(actual, expected) <= 200 * arrays.eps

    @dimensions
    def test_there_and_back(self, arrays, rng, dim):
        a, b = (arrays.rounded(random_points(rng, 20, dim)) for _ in range(2))
        vector = arrays.rounded(rng.standard_normal((20, dim)))
        moved = arrays.apply(k.hyperbolic_transport, vector, a, b)
        back = arrays.apply(k.hyperbolic_transport, moved, b, a)
        assert relative_error(back, vector) <= 200 * arrays.eps

    @dimensions
    def test_nowhere(self, arrays, rng, dim):
        point = random_points(rng, 20, dim)
        vector = rng.standard_normal((20, dim))
        moved = arrays.apply(k.hyperbolic_transport, vector, point, point)
        assert relative_error(moved, arrays.rounded(vector)) <= 4 * arrays.eps

    @dimensions
    def test_frame(self, double, rng, dim):
        # The orthonormal frame is carried from the origin.
        point = random_points(rng, 20, dim)
        vector = rng.standard_normal((20, dim))
        home = double.apply(k.hyperbolic_transport, vector, point, np.zeros(dim))
        actual = double.apply(k.hyperbolic_orthonormal, vector, point)
        assert relative_error(actual, home) <= 1e-13

    def test_turns_by_the_area_of_a_triangle(self, double, rng):
        corners = random_points(rng, 3, 2, radius=0.7)
        angles = []
        for i in range(3):
            here, ahead, behind = (corners[(i + j) % 3] for j in (0, 1, 2))
            u = double.apply(k.hyperbolic_log, ahead, here)
            v = double.apply(k.hyperbolic_log, behind, here)
            lengths = inner(u, u, here) * inner(v, v, here)
            angles.append(np.arccos(inner(u, v, here) / np.sqrt(lengths)))
        vector = rng.standard_normal(2)
        moved = vector
        for i in range(3):
            here, ahead = corners[i], corners[(i + 1) % 3]
            moved = double.apply(k.hyperbolic_transport, moved, here, ahead)
        cosine = inner(vector, moved, corners[0]) / inner(vector, vector, corners[0])
        # The area is the defect of the angles, where the curvature is -1.
        assert abs(np.arccos(cosine) - (np.pi - sum(angles))) <= 1e-10


class TestCurvature:
    @dimensions
    def test_sectional_curvature(self, arrays, rng, dim):
        point = arrays.rounded(random_points(rng, 20, dim))
        u, v = arrays.rounded(rng.standard_normal((2, 20, dim)))
        curved = arrays.apply(k.hyperbolic_curvature, u, v, v, point)
        area = inner(u, u, point) * inner(v, v, point) - inner(u, v, point) ** 2
        scale = np.max(inner(u, u, point) * inner(v, v, point))
        error = np.max(np.abs(inner(curved, u, point) + area))
        assert error <= 64 * arrays.eps * scale

    def test_holonomy_of_a_small_triangle(self, double, rng):
        point = random_points(rng, 1, 3)[0]
        u, v, w = rng.standard_normal((3, 3))

        def around(size):
            corners = [
                point,
                double.apply(k.hyperbolic_exp, size * u, point),
                double.apply(k.hyperbolic_exp, size * v, point),
            ]
            moved = w
            for i in range(3):
                here, ahead = corners[i], corners[(i + 1) % 3]
                moved = double.apply(k.hyperbolic_transport, moved, here, ahead)
            return (w - moved) / (0.5 * size**2)

        # The error is of first order: one step of Richardson's extrapolation.
        limit = 2.0 * around(5e-5) - around(1e-4)
        expected = double.apply(k.hyperbolic_curvature, u, v, w, point)
        assert relative_error(limit, expected) <= 1e-5

    @dimensions
    def test_first_bianchi_identity(self, double, rng, dim):
        point = random_points(rng, 20, dim)
        u, v, w = rng.standard_normal((3, 20, dim))
        cyclic = [
            double.apply(k.hyperbolic_curvature, *vectors, point)
            for vectors in ((u, v, w), (v, w, u), (w, u, v))
        ]
        assert np.max(np.abs(sum(cyclic))) <= 1e-13 * np.max(np.abs(cyclic))


def origin_tangent_points(rng, dim):
    return rng.standard_normal((20, dim))


def ball_points(rng, dim):
    points = rng.standard_normal((20, dim))
    lengths = np.linalg.norm(points, axis=-1, keepdims=True)
    return points / lengths * rng.uniform(0.1, 0.9, (20, 1))


def hemisphere_points(rng, dim):
    points = rng.standard_normal((20, dim + 1))
    points[:, -1] = np.abs(points[:, -1]) + 0.1
    return points / np.linalg.norm(points, axis=-1, keepdims=True)


def tangent_to_sphere(rng, points):
    vectors = rng.standard_normal(points.shape)
    return vectors - np.sum(vectors * points, -1, keepdims=True) * points


MODELS = {
    "origin_tangent": origin_tangent_points,
    "ball": ball_points,
    "hemisphere": hemisphere_points,
}


def conversions(name):
    """Return the maps to a model and from it, and their differentials."""
    names = (f"to_{name}", f"from_{name}")
    maps = [getattr(k, f"hyperboloid_{x}") for x in names]
    return maps + [getattr(k, f"hyperboloid_{x}_differential") for x in names]


class TestModels:
    @dimensions
    @pytest.mark.parametrize("radius", [0.0, 1e-9, 0.1, 1.0, 3.0])
    @pytest.mark.parametrize("name", MODELS)
    def test_round_trip_from_the_hyperboloid(self, arrays, rng, name, radius, dim):
        there, back, _, _ = conversions(name)
        point = arrays.rounded(random_points(rng, 20, dim, radius))
        image = arrays.apply(there, point)
        error = np.abs(arrays.apply(back, image) - point)
        # The rim of the ball is close, and its points are numbers below one.
        growth = np.exp(3.0 * radius) if name == "ball" else 1.0 + radius
        assert np.max(error) <= 16 * arrays.eps * growth * np.max(np.abs(point))

    @dimensions
    @pytest.mark.parametrize("name", MODELS)
    def test_round_trip_from_the_model(self, arrays, rng, name, dim):
        there, back, _, _ = conversions(name)
        image = arrays.rounded(MODELS[name](rng, dim))
        again = arrays.apply(there, arrays.apply(back, image))
        assert relative_error(again, image) <= 32 * arrays.eps

    @dimensions
    @pytest.mark.parametrize("radius", [0.0, 1e-5, 0.1, 0.3, 1.0, 3.0])
    @pytest.mark.parametrize("name", MODELS)
    def test_differential_to_the_model(self, double, rng, name, radius, dim):
        there, _, differential, _ = conversions(name)
        point = random_points(rng, 20, dim, radius)
        vector = rng.standard_normal((20, dim))
        vector /= np.linalg.norm(vector, axis=-1, keepdims=True)
        expected = derivative(
            lambda y: double.apply(there, y), point, vector, step=5e-3
        )
        actual = double.apply(differential, vector, point)
        assert relative_error(actual, expected) <= 1e-9

    @dimensions
    @pytest.mark.parametrize("name", MODELS)
    def test_differential_from_the_model(self, double, rng, name, dim):
        _, back, _, differential = conversions(name)
        image = MODELS[name](rng, dim)
        vector = 0.1 * rng.standard_normal(image.shape)
        expected = derivative(lambda x: double.apply(back, x), image, vector, step=5e-3)
        actual = double.apply(differential, vector, image)
        assert relative_error(actual, expected) <= 1e-9

    @dimensions
    @pytest.mark.parametrize("radius", [0.0, 1e-5, 0.1, 0.3, 1.0, 3.0])
    @pytest.mark.parametrize("name", MODELS)
    def test_differentials_invert_each_other(self, double, rng, name, radius, dim):
        there, _, to_model, from_model = conversions(name)
        point = random_points(rng, 20, dim, radius)
        vector = rng.standard_normal((20, dim))
        moved = double.apply(to_model, vector, point)
        back = double.apply(from_model, moved, double.apply(there, point))
        assert relative_error(back, vector) <= 1e-14 * np.exp(4.0 * radius)

    @dimensions
    def test_ball_is_isometric(self, arrays, rng, dim):
        ball_point = arrays.rounded(ball_points(rng, dim))
        vector = arrays.rounded(rng.standard_normal((20, dim)))
        point = k.hyperboloid_from_ball(ball_point)
        moved = arrays.apply(k.hyperboloid_from_ball_differential, vector, ball_point)
        expected = np.sum(vector**2, -1) * 4.0
        expected = expected / (1.0 - np.sum(ball_point**2, -1)) ** 2
        assert relative_error(inner(moved, moved, point), expected) <= 500 * arrays.eps

    @dimensions
    def test_hemisphere_is_isometric(self, arrays, rng, dim):
        hemisphere_point = arrays.rounded(hemisphere_points(rng, dim))
        vector = arrays.rounded(tangent_to_sphere(rng, hemisphere_point))
        point = k.hyperboloid_from_hemisphere(hemisphere_point)
        moved = arrays.apply(
            k.hyperboloid_from_hemisphere_differential, vector, hemisphere_point
        )
        expected = np.sum(vector**2, -1) / hemisphere_point[:, -1] ** 2
        assert relative_error(inner(moved, moved, point), expected) <= 1000 * arrays.eps

    @dimensions
    def test_hemisphere_is_a_part_of_the_sphere(self, arrays, rng, dim):
        point = random_points(rng, 20, dim, 2.0)
        image = arrays.apply(k.hyperboloid_to_hemisphere, point)
        assert np.max(np.abs(np.linalg.norm(image, axis=-1) - 1.0)) <= 4 * arrays.eps
        assert np.all(image[:, -1] > 0.0)
        vector = rng.standard_normal((20, dim))
        moved = arrays.apply(k.hyperboloid_to_hemisphere_differential, vector, point)
        assert np.max(np.abs(np.sum(moved * image, -1))) <= 16 * arrays.eps

    @dimensions
    @pytest.mark.parametrize("radius", [1e-9, 1e-3, 0.2, 0.4, 1.0, 5.0])
    def test_origin_tangent_has_half_the_distance(self, arrays, rng, radius, dim):
        point = arrays.rounded(random_points(rng, 20, dim, radius))
        vector = arrays.apply(k.hyperboloid_to_origin_tangent, point)
        length = np.linalg.norm(vector, axis=-1)
        expected = np.arcsinh(np.linalg.norm(point, axis=-1)) / 2.0
        assert np.max(np.abs(length / expected - 1.0)) <= 8 * arrays.eps
        parallel = vector * np.linalg.norm(point, axis=-1, keepdims=True)
        assert relative_error(parallel, point * length[:, None]) <= 8 * arrays.eps

    @dimensions
    def test_ball_point_at_the_origin_tangent(self, double, rng, dim):
        # Along a diameter the ball is the hyperbolic tangent of its origin's tangent.
        vector = rng.standard_normal((20, dim))
        length = np.linalg.norm(vector, axis=-1, keepdims=True)
        point = double.apply(k.hyperboloid_from_origin_tangent, vector)
        actual = double.apply(k.hyperboloid_to_ball, point)
        assert relative_error(actual, np.tanh(length) * vector / length) <= 1e-14


class TestMean:
    @staticmethod
    def gradient(points, weights, mean):
        logs = k.hyperbolic_log(points, mean[..., None, :])
        return np.sum(weights[..., None] * logs, axis=-2)

    @pytest.mark.parametrize("radius", [1e-4, 0.3, 1.0, 4.0])
    @dimensions
    def test_gradient_vanishes(self, arrays, rng, dim, radius):
        points = arrays.rounded(random_points(rng, 12, dim, radius).reshape(2, 6, dim))
        weights = rng.uniform(0.1, 1.0, (2, 6))
        weights = arrays.rounded(weights / np.sum(weights, -1, keepdims=True))
        mean = arrays.apply(k.hyperbolic_mean, points, weights)
        assert mean.shape == (2, dim)
        gradient = self.gradient(points, weights, mean)
        length = np.sqrt(inner(gradient, gradient, mean))
        # A rounding of the mean moves it farther, the farther out it is.
        time = np.sqrt(1.0 + np.sum(mean**2, -1))
        assert np.all(length <= 32 * arrays.eps * (1.0 + radius) * time)

    @dimensions
    def test_midpoint(self, double, rng, dim):
        a, b = random_points(rng, 20, dim), random_points(rng, 20, dim)
        log = double.apply(k.hyperbolic_log, b, a)
        for weight in (0.0, 0.25, 0.5, 1.0):
            weights = np.array([1.0 - weight, weight])
            actual = double.apply(k.hyperbolic_mean, np.stack([a, b], -2), weights)
            expected = double.apply(k.hyperbolic_exp, weight * log, a)
            assert relative_error(actual, expected) <= 1e-13

    @dimensions
    def test_minimiser(self, double, rng, dim):
        points = random_points(rng, 7, dim, 1.5)
        weights = np.full(7, 1 / 7)
        mean = double.apply(k.hyperbolic_mean, points, weights)

        def variance(center):
            return np.mean(k.hyperbolic_squared_dist(points, center[..., None, :]), -1)

        for size in (1e-3, 0.1, 1.0):
            nearby = mean + size * rng.standard_normal((50, dim))
            assert np.all(variance(nearby) > variance(mean))

    @dimensions
    def test_equal_points(self, arrays, rng, dim):
        point = random_points(rng, 1, dim)
        points = np.repeat(point, 5, axis=0)
        actual = arrays.apply(k.hyperbolic_mean, points, np.full(5, 0.2))
        assert relative_error(actual, point[0]) <= 32 * arrays.eps


@pytest.mark.parametrize("distance", [1.0, 10.0, 18.0, 26.0])
def test_mean_far_from_the_origin(distance):
    """On a line it is the average of signed distances, however far they are."""
    lengths = distance + np.array([-1.5, 0.0, 0.5, 0.7])
    weights = np.array([0.4, 0.3, 0.2, 0.1])
    mean = k.hyperbolic_mean(np.sinh(lengths)[:, None], weights)
    np.testing.assert_allclose(np.arcsinh(mean), [weights @ lengths], rtol=1e-7)
    plane = np.stack([np.sinh(lengths), 0.01 * np.sinh(lengths)], -1)
    unit = np.array([1.0, 0.01]) / np.hypot(1.0, 0.01)
    mean = k.hyperbolic_mean(plane / np.hypot(1.0, 0.01), weights)
    np.testing.assert_allclose(mean / np.sinh(weights @ lengths), unit, rtol=1e-6)
