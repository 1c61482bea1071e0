"""The five maps: values to many digits, round trips, differentials, symmetries."""

import pathlib
import warnings

import numpy as np
import pytest

from geomstats_cor import kernels as k
from geomstats_cor.exceptions import ConvergenceWarning

from .maps import MAPS
from .matrices import (
    autoregressive,
    equicorrelation,
    nearly_repeated,
    random_correlation,
    random_hollow,
    scaled_to_unit_diagonal,
)
from .references import derivative, relative_error

GOLDEN = np.load(pathlib.Path(__file__).parents[1] / "data" / "golden.npz")
CASES = range(int(GOLDEN["count"]))

every_map = pytest.mark.parametrize("key", MAPS)


def golden(case, *names):
    return [GOLDEN[f"case{case}/{name}"] for name in names]


def golden_tolerance(case):
    return {1e1: 1e-12, 1e4: 1e-10}[float(GOLDEN[f"case{case}/cond"])]


def assert_golden(case, actual, expected):
    scale = max(1.0, np.max(np.abs(expected)))
    assert np.max(np.abs(actual - expected)) <= golden_tolerance(case) * scale


class TestReferenceValues:
    """Against values computed with 60 digits from the definitions."""

    @pytest.mark.parametrize("case", CASES)
    @pytest.mark.parametrize("key", ["lecm", "olm", "lsm"])
    def test_flat_maps(self, double, key, case):
        correlation, expected = golden(case, "C", f"{key}/phi")
        assert_golden(case, double.apply(MAPS[key].forward, correlation), expected)

    @pytest.mark.parametrize("case", CASES)
    @pytest.mark.parametrize("key", ["ecm", "phcm"])
    def test_rows_of_the_cholesky_factor(self, double, key, case):
        correlation, expected = golden(case, "C", f"{key}/phi")
        actual = double.apply(k.theta, correlation)
        assert_golden(case, actual, expected + np.eye(len(expected)))

    @pytest.mark.parametrize("case", CASES)
    def test_hemisphere_of_phcm_is_the_cholesky_factor(self, double, case):
        correlation, rows = golden(case, "C", "phcm/phi")
        hemisphere = double.apply(k.hyperboloid_to_hemisphere, np.tril(rows, -1))
        factor = double.apply(k.full_rank_factor, correlation)
        space, height = hemisphere[:, :-1], hemisphere[:, -1]
        assert_golden(case, space + np.diag(height), factor)

    @pytest.mark.parametrize("case", CASES)
    @pytest.mark.parametrize("key", ["ecm", "lecm", "olm", "lsm"])
    def test_inner_product_of_differentials(self, double, key, case):
        correlation, v, w, expected = golden(case, "C", "V", "W", f"{key}/inner")
        moved_v = double.apply(MAPS[key].differential, v, correlation)
        moved_w = double.apply(MAPS[key].differential, w, correlation)
        assert_golden(case, np.sum(moved_v * moved_w), expected)

    @pytest.mark.parametrize("case", CASES)
    @pytest.mark.parametrize("key", ["ecm", "lecm", "olm", "lsm"])
    def test_logarithm_by_the_inverse_differential(self, double, key, case):
        correlation, other, expected = golden(case, "C", "B", f"{key}/log")
        base = double.apply(MAPS[key].forward, correlation)
        straight = double.apply(MAPS[key].forward, other) - base
        actual = double.apply(MAPS[key].inverse_differential, straight, base)
        assert_golden(case, actual, expected)

    @pytest.mark.parametrize("case", CASES)
    @pytest.mark.parametrize("key", ["ecm", "lecm", "olm", "lsm"])
    def test_midpoint(self, double, key, case):
        correlation, other, expected = golden(case, "C", "B", f"{key}/mid")
        start = double.apply(MAPS[key].forward, correlation)
        end = double.apply(MAPS[key].forward, other)
        actual = double.apply(MAPS[key].inverse, 0.5 * (start + end))
        assert_golden(case, actual, expected)

    @pytest.mark.parametrize("case", CASES)
    def test_hyperbolic_rows(self, double, case):
        correlation, other, v, w = golden(case, "C", "B", "V", "W")
        dist, inner, end, log, transported = golden(
            case, *(f"phcm/{name}" for name in ("dist", "inner", "exp", "log", "pt"))
        )
        unit_a, unit_b = (double.apply(k.theta, c) for c in (correlation, other))
        row_a, row_b = np.tril(unit_a, -1), np.tril(unit_b, -1)
        move_v, move_w = (
            double.apply(k.theta_differential, x, correlation) for x in (v, w)
        )

        squares = double.apply(k.hyperbolic_squared_dist, row_a, row_b)
        assert_golden(case, np.sqrt(np.sum(squares)), dist)
        frames = [
            double.apply(k.hyperbolic_orthonormal, x, row_a) for x in (move_v, move_w)
        ]
        assert_golden(case, np.sum(frames[0] * frames[1]), inner)
        identity = np.eye(len(v))
        actual = double.apply(k.hyperbolic_exp, move_v, row_a) + identity
        assert_golden(case, double.apply(k.theta_inverse, actual), end)
        actual = double.apply(k.hyperbolic_log, row_b, row_a)
        actual = double.apply(k.theta_inverse_differential, actual, unit_a)
        assert_golden(case, actual, log)
        actual = double.apply(k.hyperbolic_transport, move_v, row_a, row_b)
        actual = double.apply(k.theta_inverse_differential, actual, unit_b)
        assert_golden(case, actual, transported)


class TestRoundTrips:
    @staticmethod
    def check(double, key, correlation):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            image = double.apply(MAPS[key].forward, correlation)
            back = double.apply(MAPS[key].inverse, image)
        error = np.max(np.abs(back - correlation), axis=(-2, -1))
        if key != "lsm":
            assert not caught
            assert np.all(error <= 1e-12)
            return
        # On a few matrices in a thousand the row sums of X C X cancel so much that no
        # scaling in floating point satisfies its equation to 1e-11: the map says so.
        assert all(issubclass(w.category, ConvergenceWarning) for w in caught)
        assert np.all(error <= (1e-8 if caught else 1e-11))
        assert np.sum(error > 1e-11) <= 2

    @pytest.mark.parametrize("condition", [1e1, 1e4, 1e8, 1e10, 1e12])
    @pytest.mark.parametrize("n", [2, 3, 5, 10, 30, 100, 200])
    @every_map
    def test_random(self, double, rng, key, n, condition):
        batch = (20,) if n <= 30 else (1,)
        self.check(double, key, random_correlation(rng, n, condition, batch))

    @pytest.mark.parametrize("rho", [-0.9, 0.5, 0.9, 0.99, 0.999])
    @pytest.mark.parametrize("n", [4, 50, 200])
    @every_map
    def test_autoregressive(self, double, key, n, rho):
        self.check(double, key, autoregressive(n, rho))

    @pytest.mark.parametrize("n", [2, 5, 20])
    @every_map
    def test_repeated_eigenvalues(self, double, key, n):
        for rho in (-0.9 / (n - 1), 0.0, 0.4, 0.99):
            self.check(double, key, equicorrelation(n, rho))

    @pytest.mark.parametrize("rho", [0.9, 0.99])
    @pytest.mark.parametrize("n", [10, 70, 100])
    @every_map
    def test_close_pair_beside_a_process(self, double, key, n, rho):
        correlation = np.eye(n)
        correlation[:2, :2] = equicorrelation(2, 1.0 - 1e-12)
        correlation[2:, 2:] = autoregressive(n - 2, rho)
        self.check(double, key, correlation)

    @every_map
    def test_image(self, double, rng, key):
        image = 0.7 * MAPS[key].random_image(rng, 5, (4,))
        correlation = double.apply(MAPS[key].inverse, image)
        assert np.all(np.diagonal(correlation, axis1=-2, axis2=-1) == 1.0)
        assert np.all(np.linalg.eigvalsh(correlation) > 0.0)
        back = double.apply(MAPS[key].forward, correlation)
        assert relative_error(back, image) <= 1e-12

    @pytest.mark.parametrize("n", [2, 5, 20])
    @every_map
    def test_precision_of_the_array(self, arrays, rng, key, n):
        correlation = random_correlation(rng, n, 10.0, (3,))
        image = MAPS[key].forward(arrays(correlation))
        back = arrays.numbers(MAPS[key].inverse(image))
        error = np.max(np.abs(back - arrays.rounded(correlation)))
        assert error <= 32 * arrays.eps


def special_points(rng, n):
    """Yield correlation matrices, well conditioned, some with repeated eigenvalues."""
    yield np.eye(n)
    yield equicorrelation(n, 0.4)
    yield equicorrelation(n, -0.5 / (n - 1))
    yield autoregressive(n, 0.5)
    yield random_correlation(rng, n, 5.0)
    for gap in (1e-3, 1e-6, 1e-9, 1e-12, 1e-15):
        yield nearly_repeated(rng, n, gap)


class TestDifferentials:
    @pytest.mark.parametrize("n", [2, 3, 6])
    @every_map
    def test_forward(self, double, rng, key, n):
        for point in special_points(rng, n):
            vector = random_hollow(rng, n)
            vector /= np.linalg.norm(vector)
            expected = derivative(
                lambda c: double.apply(MAPS[key].forward, c), point, vector
            )
            actual = double.apply(MAPS[key].differential, vector, point)
            assert relative_error(actual, expected) <= 1e-9

    @pytest.mark.parametrize("n", [2, 3, 6])
    @every_map
    def test_inverse(self, double, rng, key, n):
        for point in special_points(rng, n):
            base = double.apply(MAPS[key].forward, point)
            vector = MAPS[key].random_image(rng, n)
            vector /= np.linalg.norm(vector)
            expected = derivative(
                lambda x: double.apply(MAPS[key].inverse, x), base, vector, step=1e-2
            )
            actual = double.apply(MAPS[key].inverse_differential, vector, base)
            assert relative_error(actual, expected) <= 1e-9

    @pytest.mark.parametrize("n", [2, 3, 6, 30])
    @every_map
    def test_inverse_to_each_other(self, double, rng, key, n):
        for point in special_points(rng, n):
            base = double.apply(MAPS[key].forward, point)
            vector = random_hollow(rng, n)
            moved = double.apply(MAPS[key].differential, vector, point)
            back = double.apply(MAPS[key].inverse_differential, moved, base)
            assert relative_error(back, vector) <= 1e-12

            image = MAPS[key].random_image(rng, n)
            moved = double.apply(MAPS[key].inverse_differential, image, base)
            back = double.apply(MAPS[key].differential, moved, point)
            assert relative_error(back, image) <= 1e-12

    @pytest.mark.parametrize(
        ("key", "both"),
        [("olm", k.off_log_and_differential), ("lsm", k.log_scaled_and_differential)],
    )
    def test_together_with_the_value(self, arrays, rng, key, both):
        point = random_correlation(rng, 5, 10.0, (3,))
        vector = random_hollow(rng, 5)
        value, moved = (arrays.numbers(x) for x in both(arrays(vector), arrays(point)))
        expected = arrays.apply(MAPS[key].forward, point)
        assert relative_error(value, expected) <= 32 * arrays.eps
        expected = arrays.apply(MAPS[key].differential, vector, point)
        assert relative_error(moved, expected) <= 32 * arrays.eps

    def test_theta_given_its_value(self, arrays, rng):
        point = random_correlation(rng, 5, 10.0, (3,))
        vector = random_hollow(rng, 5)
        unit_lower = arrays.apply(k.theta, point)
        actual = arrays.apply(k.theta_differential_at, vector, unit_lower)
        expected = arrays.apply(k.theta_differential, vector, point)
        assert relative_error(actual, expected) <= 64 * arrays.eps

    @pytest.mark.parametrize("n", [2, 3, 6, 30])
    def test_off_log_from_the_other_end(self, double, rng, n):
        for point in special_points(rng, n):
            vector = random_hollow(rng, n)
            moved = double.apply(k.off_log_differential_inverse, vector, point)
            back = double.apply(k.off_log_differential, moved, point)
            assert relative_error(back, vector) <= 1e-12

    @every_map
    def test_precision_of_the_array(self, arrays, rng, key):
        point = arrays.rounded(random_correlation(rng, 5, 10.0, (3,)))
        vector = arrays.rounded(random_hollow(rng, 5, (3,)))
        expected = MAPS[key].differential(vector, point)
        actual = arrays.apply(MAPS[key].differential, vector, point)
        assert relative_error(actual, expected) <= 100 * arrays.eps

        image = arrays.rounded(MAPS[key].random_image(rng, 5, (3,)))
        base = arrays.rounded(MAPS[key].forward(point))
        expected = MAPS[key].inverse_differential(image, base)
        actual = arrays.apply(MAPS[key].inverse_differential, image, base)
        assert relative_error(actual, expected) <= 100 * arrays.eps


class TestSymmetries:
    def test_off_log_commutes_with_signed_permutations(self, double, rng):
        n = 6
        signed = np.eye(n)[rng.permutation(n)] * rng.choice([-1.0, 1.0], n)
        correlation = random_correlation(rng, n, 100.0)
        actual = double.apply(k.off_log, signed @ correlation @ signed.T)
        expected = signed @ double.apply(k.off_log, correlation) @ signed.T
        assert relative_error(actual, expected) <= 1e-13

    def test_log_scaled_commutes_with_permutations(self, double, rng):
        n = 6
        permutation = np.eye(n)[rng.permutation(n)]
        correlation = random_correlation(rng, n, 100.0)
        actual = double.apply(k.log_scaled, permutation @ correlation @ permutation.T)
        expected = permutation @ double.apply(k.log_scaled, correlation) @ permutation.T
        assert relative_error(actual, expected) <= 1e-13

    def test_log_scaled_turns_inversion_into_a_sign(self, double, rng):
        correlation = random_correlation(rng, 6, 100.0)
        inverse = scaled_to_unit_diagonal(np.linalg.inv(correlation))
        actual = double.apply(k.log_scaled, inverse)
        expected = -double.apply(k.log_scaled, correlation)
        assert relative_error(actual, expected) <= 1e-12
