"""The nearest correlation matrix: optimality, constraints, and the report."""

import numpy as np
import pandas as pd
import pytest

from geomstats_cor import CorrelationStack, nearest_correlation
from geomstats_cor import exceptions as ex


def symmetric(rng, n):
    matrix = np.tril(rng.uniform(-1.0, 1.0, (n, n)), -1)
    return matrix + matrix.T + np.eye(n)


def require_optimal(given, point, weights, fixed, floor):
    """Check the conditions of Karush, Kuhn and Tucker.

    W (X - A) - S vanishes off the prescribed entries, for a semidefinite S that is
    complementary to X - floor I.
    """
    n = len(point)
    shifted = point - floor * np.eye(n)
    values, vectors = np.linalg.eigh(shifted)
    assert values[0] > -1e-8
    np.testing.assert_array_equal(np.diag(point), 1.0)
    null = vectors[:, values < 1e-6]
    # The multiplier S = N M N' lives on the null space; find M by least squares.
    gradient = weights * (point - given)
    free = np.tril(~fixed, -1)
    k = null.shape[1]
    basis = np.stack(
        [null @ _unit(k, i, j) @ null.T for i in range(k) for j in range(i + 1)]
    )
    coefficients, *_ = np.linalg.lstsq(basis[:, free].T, gradient[free], rcond=None)
    multiplier = np.tensordot(coefficients, basis, 1)
    np.testing.assert_allclose(multiplier[free], gradient[free], atol=1e-6)
    assert np.linalg.eigvalsh(multiplier)[0] > -1e-6


def _unit(k, i, j):
    unit = np.zeros((k, k))
    unit[i, j] = unit[j, i] = 1.0
    return unit


class TestOptimality:
    @pytest.mark.parametrize("floor", [0.0, 0.05])
    @pytest.mark.parametrize("kind", ["equal", "variables", "entries"])
    @pytest.mark.parametrize("pairs", [(), ((1, 0), (4, 2))])
    def test_conditions_hold(self, rng, floor, kind, pairs):
        n = 8
        given = symmetric(rng, n)
        fixed = np.zeros((n, n), dtype=bool)
        for i, j in pairs:
            given[i, j] = given[j, i] = 0.3
            fixed[i, j] = fixed[j, i] = True
        w = rng.uniform(0.5, 2.0, n)
        entries = rng.uniform(0.1, 2.0, (n, n))
        given_weights, weights = {
            "equal": (None, np.ones((n, n))),
            "variables": (w, np.outer(w, w)),
            "entries": (entries + entries.T, entries + entries.T),
        }[kind]
        point, _ = nearest_correlation(given, given_weights, pairs or None, floor)
        require_optimal(given, point, weights, fixed, floor)
        np.testing.assert_allclose(point[fixed], 0.3, atol=1e-15)

    def test_the_example_of_higham(self):
        # N. J. Higham, IMA J. Numer. Anal. 22 (2002), section 4.
        given = [[1, 1, 0], [1, 1, 1], [0, 1, 1]]
        point, _ = nearest_correlation(given, min_eigenvalue=0.0)
        expected = [[1, 0.76069, 0.15730], [0.76069, 1, 0.76069], [0.1573, 0.76069, 1]]
        np.testing.assert_allclose(point, expected, atol=1e-5)

    def test_correlation_matrices_stay(self, rng):
        points = np.stack([np.corrcoef(rng.standard_normal((5, 9))) for _ in range(3)])
        found, report = nearest_correlation(points)
        np.testing.assert_allclose(found, points, atol=1e-10)
        assert str(report) == "none of 3 matrices moved."

    def test_large(self, rng):
        given = symmetric(rng, 120)
        point, report = nearest_correlation(given)
        assert report.steps[0] < 15
        assert np.linalg.eigvalsh(point)[0] == pytest.approx(1e-6, abs=1e-9)

    def test_missing_entries_are_filled_in(self, rng):
        whole = np.corrcoef(rng.standard_normal((5, 9)))
        given, weights = whole.copy(), np.ones((5, 5))
        for i, j in ((1, 0), (0, 1)):
            given[i, j], weights[i, j] = np.nan, 0.0
        point, report = nearest_correlation(given, weights, min_eigenvalue=0.01)
        known = weights > 0.0
        np.testing.assert_allclose(point[known], whole[known], atol=1e-6)
        assert np.linalg.eigvalsh(point)[0] >= 0.01 - 1e-9
        assert np.isnan(report.smallest_eigenvalue[0, 0])


class TestForms:
    def test_names_come_out(self):
        given = pd.DataFrame(
            [[1, 0.9, 0.7], [0.9, 1, -0.9], [0.7, -0.9, 1]], list("abc"), list("abc")
        )
        point, report = nearest_correlation(given, fixed=[("a", "b")])
        assert point.loc["a", "b"] == 0.9 and list(point.columns) == list("abc")
        moves = report.moves()
        assert set(moves.columns) >= {"variable", "with", "before", "after", "change"}
        assert len(moves) == 2 and ("b", "a") not in set(
            zip(moves["variable"], moves["with"], strict=True)
        )
        assert moves["change"].abs().is_monotonic_decreasing

    def test_stacks(self, rng):
        values = np.stack([symmetric(rng, 4), np.eye(4)])
        stack = CorrelationStack(values, list("wxyz"), ["ann", "bob"])
        found, report = nearest_correlation(stack)
        assert list(found.index) == ["ann", "bob"]
        alone = nearest_correlation(values[0])[0]
        np.testing.assert_array_equal(found.values[0], alone)
        change = found.values - values
        np.testing.assert_allclose(report.distance, np.linalg.norm(change, axis=(1, 2)))
        assert report.largest_change[1] == 0.0
        assert report.moves(3)["matrix"].tolist() == [0, 0, 0]


SQUARE = np.array([[1, 0.9, 0.7], [0.9, 1, -0.9], [0.7, -0.9, 1]])


@pytest.mark.parametrize(
    "given, options, error, message",
    [
        (np.zeros((2, 4)), {}, ex.ShapeError, "4 entries|4 columns|got .*4"),
        ([["a"]], {}, ex.ArrayTypeError, "real numbers"),
        (SQUARE + np.triu(SQUARE, 1), {}, ex.NotSymmetricError, "not symmetric"),
        (np.where(SQUARE == 0.7, np.nan, SQUARE), {}, ex.NotFiniteError, "0 and 2"),
        (SQUARE, dict(weights=[1, 1]), ex.ShapeError, r"\[3\] or \[3, 3\]"),
        (SQUARE, dict(weights=[1, 0, 1]), ex.ParameterError, r"weights\[1\].*got 0"),
        (SQUARE, dict(weights=[1, -1, 1]), ex.ParameterError, "not negative"),
        (SQUARE, dict(fixed=[(0, 5)]), ex.ParameterError, r"got \(0, 5\)"),
        (2 * SQUARE, dict(fixed=[(0, 1)]), ex.ParameterError, r"1.8 .*in \(-1, 1\)"),
        (SQUARE, dict(min_eigenvalue=1.0), ex.ParameterError, r"\[0, 1\), got 1.0"),
        (SQUARE, dict(names=["a"]), ex.ShapeError, "expected 3 names"),
        (
            SQUARE,
            dict(fixed=np.ones((3, 3), dtype=bool)),
            ex.ConvergenceError,
            "Probably no correlation matrix has the fixed entries",
        ),
    ],
)
def test_bad_input(given, options, error, message):
    with pytest.raises(error, match=message):
        nearest_correlation(given, **options)
