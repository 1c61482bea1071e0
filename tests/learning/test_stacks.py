"""Reading stacks, and naming, dropping or mending their bad matrices."""

import numpy as np
import pytest
import scipy.sparse
from kernels.matrices import random_correlation
from strategies import hollow

from geomstats_cor import FullRankCorrelationMatrices, as_stack, clean_points
from geomstats_cor.exceptions import (
    BadMatricesError,
    MendedWarning,
    ParameterError,
    ShapeError,
)
from geomstats_cor.stacks import find_bad, triangle_size


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
        with pytest.raises(TypeError, match=r"X is sparse.*toarray"):
            as_stack(scipy.sparse.csr_array(np.eye(3)))

    def test_mixed_sizes_are_told(self):
        with pytest.raises(ShapeError, match=r"mixes sizes: .*X\[2\] has shape \(4, 4"):
            as_stack([np.eye(3), np.eye(3), np.eye(4)])
        with pytest.raises(ShapeError, match=r"X\[1\] has shape \(1,\)"):
            as_stack([[0.1, 0.2, 0.3], [0.1]])

    @pytest.mark.parametrize("shape", [(3,), (2, 3, 4), (2, 2, 3, 3), (2, 0)])
    def test_other_shapes_are_refused(self, shape):
        with pytest.raises(ShapeError, match="strict lower entries"):
            as_stack(np.zeros(shape))


class TestBadMatrices:
    def test_all_are_named_with_a_reason(self, double, stack):
        bad = find_bad(double(stack))
        assert [m.index for m in bad] == [1, 2, 4, 6]
        assert [m.mendable for m in bad] == [False, True, True, True]
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

    def test_an_error_names_all_of_many(self):
        points = np.broadcast_to(np.ones((3, 3)), (50, 3, 3))
        with pytest.raises(BadMatricesError) as error:
            clean_points(points)
        message = str(error.value)
        assert all(f"[{i}]" in message or f" {i}," in message for i in range(49))
        assert " 49." in message

    def test_good_stacks_pass_untouched(self, arrays, rng):
        points = arrays(random_correlation(rng, 4, 100.0, (5,)))
        cleaned, report = clean_points(points)
        assert cleaned is points
        assert report.bad == report.dropped == report.mended == ()
        assert "all 5 matrices are" in str(report)

    def test_drop_keeps_the_others_and_says_so(self, double, stack):
        with pytest.warns(MendedWarning, match=r"4 dropped: \[1\] has a NaN"):
            cleaned, report = clean_points(double(stack), on_bad="drop")
        assert report.dropped == (1, 2, 4, 6)
        np.testing.assert_array_equal(report.kept, [0, 3, 5])
        np.testing.assert_array_equal(double.numbers(cleaned), stack[[0, 3, 5]])

    def test_mend_shrinks_the_bad_and_leaves_the_good(self, arrays, stack):
        stack = arrays.rounded(np.delete(stack, 1, axis=0))
        with pytest.warns(MendedWarning, match="3 mended, .*up to 0.45.* towards"):
            cleaned, report = clean_points(arrays(stack), "mend", min_eigenvalue=0.02)
        mended = arrays.numbers(cleaned)
        assert report.mended == (1, 3, 5)
        np.testing.assert_array_equal(mended[[0, 2, 4]], stack[[0, 2, 4]])
        symmetric = (stack[1] + stack[1].T) / 2
        np.testing.assert_allclose(mended[1], symmetric, atol=4 * arrays.eps)
        np.testing.assert_allclose(mended[3], stack[3] / 2, atol=4 * arrays.eps)
        s = (0.02 + 0.8) / 1.8
        np.testing.assert_allclose(report.shrinkage, [0, 0, 0, 0, 0, s], rtol=1e-5)
        expected = (1 - s) * stack[5] + s * np.eye(3)
        np.testing.assert_allclose(mended[5], expected, atol=4 * arrays.eps)
        assert all(FullRankCorrelationMatrices(3, equip=False).belongs(cleaned))

    def test_what_cannot_be_mended_is_an_error(self, stack):
        stack[2, 1, 1] = -1.0
        with pytest.raises(BadMatricesError, match="2 of 7 are beyond mending") as e:
            clean_points(stack, on_bad="mend")
        assert [m.index for m in e.value.bad] == [1, 2]

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
        with pytest.raises(ParameterError, match="on_bad is 'ignore'"):
            clean_points(stack, on_bad="ignore")
