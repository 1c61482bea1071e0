"""Covariates become columns, and bad ones are named."""

import numpy as np
import pytest

from geomstats_cor.exceptions import NotFiniteError, ParameterError, ShapeError
from geomstats_cor.inference.designs import make_design

pd = pytest.importorskip("pandas")


def test_columns_of_every_kind():
    X = pd.DataFrame(
        {
            "age": [20, 30, 40, 50, 60, 70, 45],
            "sex": ["f", "m", "f", "m", "m", "f", "f"],
            "site": pd.Categorical(list("abcabcb"), categories=["c", "b", "a", "z"]),
            "smokes": [True, False, False, True, True, True, True],
        }
    )
    design = make_design(X, 7)
    assert design.columns == (
        "intercept",
        "age",
        "sex[m]",
        "site[b]",
        "site[a]",
        "smokes[True]",
    )
    np.testing.assert_allclose(design.matrix[:, 1], np.array(X["age"]) - 45.0)
    np.testing.assert_array_equal(design.matrix[:, 2], [0, 1, 0, 1, 1, 0, 0])
    np.testing.assert_array_equal(design.matrix[:, 3], [0, 1, 0, 0, 1, 0, 1])
    np.testing.assert_array_equal(design.places("site"), [3, 4])
    np.testing.assert_allclose(design.rows(X[1:3]), design.matrix[1:3])


def test_arrays_dicts_and_codes():
    values = np.array([[1.0, 2.0], [2.0, 1.0], [3.0, 2.0], [4.0, 3.0], [5.0, 1.0]])
    assert make_design(values, 5).columns == ("intercept", "x0", "x1")
    design = make_design({"visit": values[:, 1]}, 5, categorical=("visit",))
    assert design.columns == ("intercept", "visit[2.0]", "visit[3.0]")
    design = make_design({"visit": values[:, 1]}, 5, categorical="visit")
    assert design.columns == ("intercept", "visit[2.0]", "visit[3.0]")


def test_rows_follow_the_subjects():
    X = pd.DataFrame({"age": [1.0, 2.0, 5.0]}, index=["s1", "s2", "s3"])
    design = make_design(X, 3, subjects=("s3", "s1", "s2"))
    np.testing.assert_allclose(design.matrix[:, 1] + 8 / 3, [5.0, 1.0, 2.0])
    with pytest.raises(ShapeError, match=r"lack \['s9'\] and add \['s3'\]"):
        make_design(X, 3, subjects=("s1", "s2", "s9"))


@pytest.mark.parametrize("missing", [None, np.nan, pd.NA, np.inf])
def test_missing_values_are_named(missing):
    X = pd.DataFrame({"dose": [1.0, 2.0, missing, 3.0]}, index=list("abcd"))
    with pytest.raises(NotFiniteError, match="'dose' is missing for subject 'c'"):
        make_design(X, 4)
    X = {"group": np.array(["x", None, "y", None], dtype=object)}
    with pytest.raises(NotFiniteError, match="'group' is missing for row 1, row 3"):
        make_design(X, 4)


@pytest.mark.parametrize(
    ("X", "error", "message"),
    [
        ({"a": [1.0, 1.0, 1.0, 1.0]}, ParameterError, "'a' is 1 for every matrix"),
        ({"a": list("xxxx")}, ParameterError, "'a' is 'x' for every matrix"),
        (
            {"a": [1.0, 2.0, 3.0, 5.0], "b": [2.0, 4.0, 6.0, 10.0]},
            ParameterError,
            "'b' is a linear combination of the intercept and 'a'",
        ),
        ({"a": [1.0, 2.0, 4.0]}, ShapeError, "expected 4 rows"),
        ({"a": [1, 2, 3, 4], "b": [1, 2]}, ShapeError, "different lengths"),
        ({"a": np.ones((4, 2))}, ShapeError, "one value for each matrix"),
        ({"a": np.array([1, "x", 2.0, 3], dtype=object)}, ParameterError, "mixes"),
        ({"a": np.arange(4).astype("M8[D]")}, ParameterError, "Turn dates"),
        ({"a": list("wxyz")}, ShapeError, "do not suffice"),
        ({}, ShapeError, "at least one column"),
        (np.ones((4, 2, 2)), ShapeError, r"expected shape \[N, p\]"),
    ],
)
def test_useless_covariates_are_refused(X, error, message):
    with pytest.raises(error, match=message):
        make_design(X, 4)


def test_new_covariates_must_be_known():
    design = make_design({"a": list("xyxyz"), "b": [1.0, 2.0, 4.0, 1.0, 3.0]}, 5)
    with pytest.raises(ParameterError, match="got 'w' for row 1"):
        design.rows({"a": ["x", "w"], "b": [1.0, 2.0]})
    with pytest.raises(ParameterError, match="'b' is missing"):
        design.rows({"a": ["x"]})
    with pytest.raises(ParameterError, match="'b' was a number"):
        design.rows({"a": ["x"], "b": ["much"]})
    with pytest.raises(ParameterError, match="expected one of 'a', 'b', got 'c'"):
        design.places("c")
    with pytest.raises(ParameterError, match="categorical names 'c'"):
        make_design({"a": list("xyxyz")}, 5, categorical=("c",))


def test_a_subject_with_two_rows_raises():
    X = pd.DataFrame({"age": [1.0, 2.0, 5.0, 7.0]}, index=["s1", "s2", "s2", "s3"])
    with pytest.raises(ShapeError, match="covariates have several rows for 's2'"):
        make_design(X, 3, subjects=("s3", "s1", "s2"))


def test_series_in_a_dictionary_are_aligned():
    names = ["s1", "s2", "s3", "s4"]
    age = pd.Series([1.0, 2.0, 5.0, 4.0], names)
    dose = pd.Series([3.0, 9.0, 1.0, 1.0], names)
    expected = make_design(pd.DataFrame({"age": age, "dose": dose}), 4)
    design = make_design({"age": age, "dose": dose[::-1]}, 4)
    np.testing.assert_allclose(design.matrix, expected.matrix)
    assert design.subjects == tuple(names)
