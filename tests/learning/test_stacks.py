"""Reading stacks, and naming, dropping or repairing their bad matrices."""

import numpy as np
import pytest
import scipy.sparse
from kernels.matrices import random_correlation
from strategies import hollow

from geomstats_cor import FullRankCorrelationMatrices, as_stack, clean_points
from geomstats_cor.data.cleaning import find_bad, triangle_size
from geomstats_cor.exceptions import (
    BadMatricesError,
    CleaningWarning,
    ParameterError,
    ShapeError,
)


@pytest.fixture
def stack(rng):
    """Seven matrices: bad are 1 (NaN), 2 (asymmetric), 4 (scaled), 6 (indefinite)."""
    points = random_correlation(rng, 3, 10.0, (7,))
    points[1, 0, 2] = np.nan
    points[2, 0, 1] += 0.1
    points[4] *= 2.0
    points[6] = [[1.0, 0.9, -0.9], [0.9, 1.0, 0.9], [-0.9, 0.9, 1.0]]
    return points


class TestReading:
    def test_condensed_form_lists_the_lower_triangle_row_by_row(self, arrays, rng):
        points = random_correlation(rng, 5, 10.0, (4,)).astype(arrays.precision)
        points = (points + points.mT) / 2
        condensed = np.stack([p[np.tril(np.ones((5, 5)), -1) > 0] for p in points])
        np.testing.assert_array_equal(
            arrays.apply(as_stack, condensed), arrays.rounded(points)
        )
        np.testing.assert_array_equal(
            arrays.apply(as_stack, points), arrays.rounded(points)
        )

    def test_short_rows_are_completed_on_demand_only(self, rng):
        short = rng.uniform(-0.3, 0.3, size=(2, 4))
        with pytest.raises(ShapeError, match="4 columns, but .* 1, 3, 6, 10"):
            as_stack(short)
        expected = hollow(np.pad(short, ((0, 0), (0, 2)))) + np.eye(4)
        np.testing.assert_array_equal(as_stack(short, complete=True), expected)

    def test_triangle_sizes(self):
        triangles = [n * (n - 1) // 2 for n in range(2, 60)]
        for count in range(1, triangles[-1] + 1):
            assert triangle_size(count) == min(t for t in triangles if t >= count)

    def test_sparse_input_is_refused(self):
        with pytest.raises(TypeError, match=r"X is a sparse array.*toarray"):
            as_stack(scipy.sparse.csr_array(np.eye(3)))

    def test_mixed_sizes_are_told(self):
        with pytest.raises(ShapeError, match=r"mixes sizes: .*X\[2\] has shape \(4, 4"):
            as_stack([np.eye(3), np.eye(3), np.eye(4)])
        with pytest.raises(ShapeError, match=r"X\[1\] has shape \(1,\)"):
            as_stack([[0.1, 0.2, 0.3], [0.1]])

    @pytest.mark.parametrize("shape", [(3,), (2, 3, 4), (2, 2, 3, 3), (2, 0)])
    def test_other_shapes_are_refused(self, shape):
        with pytest.raises(ShapeError, match="strict lower entries.*, got"):
            as_stack(np.zeros(shape))


class TestBadMatrices:
    def test_all_are_named_with_a_reason(self, double, stack):
        bad = find_bad(double(stack))
        assert [m.index for m in bad] == [1, 2, 4, 6]
        assert [m.repairable for m in bad] == [False, True, True, True]
        expected = ("NaN", "not symmetric.*0.1", "diagonal.* 1$", "eigenvalue is -0.8")
        for matrix, reason in zip(bad, expected, strict=True):
            with pytest.raises(ValueError, match=reason):
                raise ValueError(matrix.reason)

    def test_the_error_names_all(self, stack):
        with pytest.raises(BadMatricesError, match="data: 4 of 7 are not") as error:
            clean_points(stack, name="data")
        for index in (1, 2, 4, 6):
            assert f"[{index}] " in str(error.value)
        assert [m.index for m in error.value.bad] == [1, 2, 4, 6]

    def test_an_error_names_ten_of_many_and_counts_the_rest(self):
        points = np.broadcast_to(np.ones((3, 3)), (992, 3, 3))
        with pytest.raises(BadMatricesError, match="992 of 992") as error:
            clean_points(points)
        message = str(error.value)
        assert all(f"[{i}]" in message for i in range(10))
        assert "[10]" not in message
        assert "and 982 more" in message
        assert len(message) < 1200
        assert len(error.value.bad) == 992

    def test_good_stacks_pass_untouched(self, arrays, rng):
        points = arrays(random_correlation(rng, 4, 100.0, (5,)))
        cleaned, report = clean_points(points)
        assert cleaned is points
        assert report.bad == report.dropped == report.repaired == ()
        assert "all 5 matrices are" in str(report)

    def test_drop_keeps_the_others_and_says_so(self, double, stack):
        with pytest.warns(CleaningWarning, match=r"4 dropped: \[1\] has a NaN"):
            cleaned, report = clean_points(double(stack), on_bad="drop")
        assert report.dropped == (1, 2, 4, 6)
        np.testing.assert_array_equal(report.kept, [0, 3, 5])
        np.testing.assert_array_equal(double.numbers(cleaned), stack[[0, 3, 5]])

    def test_repair_treats_all_alike(self, arrays, stack):
        stack = arrays.rounded(np.delete(stack, 1, axis=0))
        with pytest.warns(CleaningWarning, match="all 6 treated alike") as caught:
            cleaned, report = clean_points(arrays(stack), "repair", min_eigenvalue=0.4)
        assert "below 0.4, by up to 0.66" in str(caught[0].message)
        repaired = arrays.numbers(cleaned)
        assert report.min_eigenvalue == 0.4
        scale = np.sqrt(np.diagonal(stack, axis1=1, axis2=2))
        expected = (stack + stack.mT) / 2 / scale[:, None] / scale[..., None]
        smallest = np.linalg.eigvalsh(expected)[:, 0]
        s = np.maximum((0.4 - smallest) / (1.0 - smallest), 0.0)
        assert np.sum(s > 0.0) > 3  # good ones change as well
        np.testing.assert_allclose(report.shrinkage, s, rtol=1e-4, atol=1e-6)
        expected = expected + s[:, None, None] * (np.eye(3) - expected)
        np.testing.assert_allclose(repaired, expected, atol=8 * arrays.eps)
        assert all(FullRankCorrelationMatrices(3, equip=False).belongs(cleaned))

    def test_repair_of_the_bad_alone_says_so(self, arrays, stack):
        stack = arrays.rounded(np.delete(stack, 1, axis=0))
        with pytest.warns(CleaningWarning, match="3 bad ones alone .*up to 0.456"):
            cleaned, report = clean_points(
                arrays(stack), "repair_each", min_eigenvalue=0.02
            )
        repaired = arrays.numbers(cleaned)
        assert report.repaired == (1, 3, 5)
        assert report.min_eigenvalue is None
        np.testing.assert_array_equal(repaired[[0, 2, 4]], stack[[0, 2, 4]])
        symmetric = (stack[1] + stack[1].T) / 2
        np.testing.assert_allclose(repaired[1], symmetric, atol=4 * arrays.eps)
        np.testing.assert_allclose(repaired[3], stack[3] / 2, atol=4 * arrays.eps)
        s = (0.02 + 0.8) / 1.8
        np.testing.assert_allclose(report.shrinkage, [0, 0, 0, 0, 0, s], rtol=1e-5)
        expected = (1 - s) * stack[5] + s * np.eye(3)
        np.testing.assert_allclose(repaired[5], expected, atol=4 * arrays.eps)

    def test_the_old_name_is_deprecated_and_safe(self, stack):
        stack = np.delete(stack, 1, axis=0)
        with pytest.warns(CleaningWarning):
            expected, _ = clean_points(stack, "repair")
        with pytest.warns(DeprecationWarning, match="repair_each"):
            actual, report = clean_points(stack, "mend")
        np.testing.assert_array_equal(actual, expected)
        assert report.min_eigenvalue == 0.05

    @pytest.mark.parametrize("on_bad", ["repair", "repair_each"])
    def test_what_cannot_be_repaired_is_an_error(self, stack, on_bad):
        stack[2, 1, 1] = -1.0
        with pytest.raises(BadMatricesError, match="2 of 7 cannot be repaired") as e:
            clean_points(stack, on_bad=on_bad)
        assert [m.index for m in e.value.bad] == [1, 2]
        assert "on_bad='drop'" in str(e.value)
        assert "repair'" not in str(e.value)

    def test_a_nan_is_never_called_repairable(self, stack):
        nan = np.full((2, 3, 3), np.nan)
        assert not any(m.repairable for m in find_bad(nan))
        with pytest.raises(BadMatricesError) as error:
            clean_points(np.stack([stack[0], *nan]))
        assert "repair" not in str(error.value)
        with pytest.raises(BadMatricesError, match="drop_and_repair.*cannot"):
            clean_points(stack)

    def test_drop_what_cannot_be_repaired_and_repair_the_rest(self, double, stack):
        with pytest.warns(CleaningWarning, match="1 dropped, all 6 treated alike"):
            cleaned, report = clean_points(double(stack), "drop_and_repair")
        assert report.dropped == (1,)
        np.testing.assert_array_equal(report.kept, [0, 2, 3, 4, 5, 6])
        with pytest.warns(CleaningWarning):
            expected, _ = clean_points(np.delete(stack, 1, axis=0), "repair")
        np.testing.assert_allclose(double.numbers(cleaned), expected, atol=1e-15)
        assert report.shrinkage[1] == 0.0
        assert report.shrinkage[6] > 0.4

    def test_dropping_alone_leaves_the_rest_as_it_is(self, stack):
        points = np.stack([stack[0], stack[1]])
        with pytest.warns(CleaningWarning, match="^points: 1 dropped"):
            cleaned, report = clean_points(points, "drop_and_repair")
        np.testing.assert_array_equal(cleaned, points[:1])
        assert report.min_eigenvalue is None

    @pytest.mark.parametrize("on_bad", ["drop", "drop_and_repair"])
    def test_dropping_everything_is_an_error(self, on_bad):
        with pytest.raises(BadMatricesError, match="all 2 would be dropped") as error:
            clean_points(np.full((2, 3, 3), np.nan), on_bad=on_bad)
        assert len(error.value.bad) == 2

    def test_rank_deficient_sample_correlations_are_found(self, rng):
        points = np.stack(
            [
                np.corrcoef(rng.standard_normal((k, 8)), rowvar=False)
                for k in (5, 8, 9, 20)
            ]
        )
        assert [m.index for m in find_bad(points)] == [0, 1]

    def test_pivots_at_the_level_of_rounding_are_singular(self, arrays):
        rho = 1.0 - np.array([1.0, 2.0, 40.0]) * arrays.eps
        points = np.where(np.eye(2) == 1.0, 1.0, rho[:, None, None])
        assert np.linalg.cholesky(points).all(axis=-1)[:, 1].all()
        assert [m.index for m in find_bad(arrays(points))] == [0, 1]

    def test_unknown_choices_are_refused(self, stack):
        with pytest.raises(ParameterError, match="expected one of .*, got 'ignore'"):
            clean_points(stack, on_bad="ignore")

    @pytest.mark.parametrize("value", [0.0, 1.0, -1.0, np.nan, "small"])
    def test_wrong_eigenvalues_are_refused(self, stack, value):
        with pytest.raises(ParameterError, match="min_eigenvalue: expected a number"):
            clean_points(stack, "repair", min_eigenvalue=value)


class TestConfoundedForms:
    """Data of another layout are not read as strict lower entries."""

    def test_rows_of_matrices(self, rng):
        points = random_correlation(rng, 10, 10.0, (71,))
        with pytest.raises(ShapeError, match=r"row 0 holds a 1 at column 0.*reshape"):
            as_stack(points.reshape(710, 10))
        with pytest.raises(ShapeError, match=r"single matrix is X\[None\]"):
            as_stack(points[0])

    def test_rows_with_the_diagonal(self, rng):
        points = random_correlation(rng, 4, 10.0, (7,))
        rows = points[:, *np.tril_indices(4)]
        for on_bad in ("raise", "drop", "repair"):
            with pytest.raises(ShapeError, match="without the diagonal"):
                clean_points(rows, on_bad)
        with pytest.raises(ShapeError, match="without the diagonal"):
            as_stack(rows, complete=True)

    def test_single_rows_that_hold_ones(self):
        rows = [[0.1, 0.2, 0.3], [0.5, 1.0, 0.5]]
        with pytest.raises(ShapeError, match="row 1 holds a 1 at column 1"):
            as_stack(rows)
        with pytest.warns(CleaningWarning, match=r"1 dropped: \[1\] is not positive"):
            assert len(clean_points(rows, "drop")[0]) == 1
