"""Labelled stacks: selection, concatenation, files, and answers with names."""

import numpy as np
import pandas as pd
import pytest
from kernels.matrices import random_correlation
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_val_score, train_test_split
from sklearn.pipeline import make_pipeline
from strategies import KEYS, equipped

import geomstats_cor as gc
from geomstats_cor import CorrelationStack, concatenate, learning
from geomstats_cor import exceptions as ex

NAMES, PEOPLE = list("wxyz"), ["ann", "bob", "cat", "dan", "eve", "fay"]


@pytest.fixture
def points(rng):
    return random_correlation(rng, 4, 8.0, (6,))


@pytest.fixture
def stack(points):
    covariates = pd.DataFrame(
        {"age": [20, 30, 40, 50, 60, 70], "site": list("ABABAB")}, index=PEOPLE
    )
    return CorrelationStack(points, NAMES, PEOPLE, [10, 20, 30, 40, 50, 60], covariates)


class TestSelection:
    def test_one_matrix(self, stack, points):
        for table in (stack["cat"], stack[2], stack[-4]):
            assert list(table.index) == list(table.columns) == NAMES
            np.testing.assert_array_equal(table, points[2])

    @pytest.mark.parametrize(
        "key", [[4, 1], np.array([4, 1]), slice(1, 5, 3), [False, True] * 3]
    )
    def test_everything_follows(self, stack, points, key):
        rows = np.arange(6)[np.asarray(key) if not isinstance(key, slice) else key]
        part = stack[key]
        np.testing.assert_array_equal(part, points[rows])
        assert list(part.index) == [PEOPLE[i] for i in rows]
        assert part.frames.tolist() == [10 * (i + 1) for i in rows]
        assert part.covariates["age"].tolist() == [20 + 10 * i for i in rows]

    def test_by_name(self, stack, points):
        part = stack.select(["eve", "ann"], ["z", "w", "x"])
        places = np.array([3, 0, 1])
        expected = points[[4, 0]][:, places[:, None], places]
        np.testing.assert_array_equal(part, expected)
        assert list(part.variables) == ["z", "w", "x"]

    def test_groups(self, stack):
        found = dict(stack.groups("site"))
        assert list(found) == ["A", "B"]
        assert list(found["B"].index) == ["bob", "dan", "fay"]

    def test_covariates_are_aligned_by_name(self, points):
        table = pd.DataFrame({"age": range(6)}, index=PEOPLE[::-1])
        stack = CorrelationStack(points, NAMES, PEOPLE, covariates=table)
        assert stack.covariates["age"].tolist() == [5, 4, 3, 2, 1, 0]

    @pytest.mark.parametrize(
        "call, error, message",
        [
            (lambda s: s["zoe"], ex.ParameterError, "'zoe' is not there"),
            (lambda s: s[0, 1], ex.ArrayTypeError, r"stack.values\[...\]"),
            (lambda s: s[[9]], ex.ShapeError, "from 6 matrices"),
            (lambda s: s.select(variables=["q", "w"]), ex.ParameterError, "got 'q'"),
            (lambda s: s.select(variables=["w"]), ex.ShapeError, "two at least"),
            (lambda s: list(s.groups("sex")), ex.ParameterError, "age, site.*'sex'"),
            (lambda s: CorrelationStack(s, ["a"]), ex.ShapeError, "expected 4 names"),
            (lambda s: CorrelationStack(s, list("aabc")), ex.ParameterError, "twice"),
            (lambda s: CorrelationStack(s, index=[1]), ex.ShapeError, "6 names"),
            (lambda s: CorrelationStack(s, index="ann"), ex.ArrayTypeError, "sequence"),
            (lambda s: CorrelationStack(s, frames=[1] * 5), ex.ShapeError, "6 of them"),
            (lambda s: CorrelationStack(s, frames=-1), ex.ParameterError, r"frames\[0"),
            (
                lambda s: CorrelationStack(s, covariates=s.covariates[:3]),
                ex.ShapeError,
                "6 rows.*got 3",
            ),
            (
                lambda s: CorrelationStack(
                    s, covariates=s.covariates.rename({"ann": "x"})
                ),
                ex.ShapeError,
                "of other subjects",
            ),
            (lambda s: CorrelationStack(s[0]), ex.ShapeError, "single table"),
        ],
    )
    def test_bad_input(self, stack, call, error, message):
        with pytest.raises(error, match=message):
            call(stack)


class TestConcatenation:
    def test_variables_are_aligned(self, stack):
        other = stack[3:].select(variables=list("zxyw"))
        joined = concatenate([stack[:3], other])
        np.testing.assert_array_equal(joined, stack)
        assert list(joined.index) == PEOPLE
        pd.testing.assert_frame_equal(joined.covariates, stack.covariates)
        np.testing.assert_array_equal(joined.frames, stack.frames)

    @pytest.mark.parametrize(
        "change, message",
        [
            (lambda s: s.select(variables=list("wxy")), r"lacks \[z\]"),
            (lambda s: CorrelationStack(s.values, NAMES), "has no frames"),
            (
                lambda s: s._with(covariates=s.covariates.rename(columns={"age": "a"})),
                r"covariates \[a, site\]",
            ),
        ],
    )
    def test_different_sets_are_refused(self, stack, change, message):
        with pytest.raises(ValueError, match=message):
            concatenate([stack, change(stack)])


class TestFiles:
    def require_same(self, found, stack):
        # Tables keep the lower entries alone.
        np.testing.assert_allclose(found, stack, rtol=0.0, atol=1e-15)
        pd.testing.assert_index_equal(found.index, stack.index, check_names=True)
        assert list(found.variables) == list(stack.variables)
        if stack.frames is None:
            assert found.frames is None
        else:
            np.testing.assert_array_equal(found.frames, stack.frames)
        if stack.covariates is not None:
            pd.testing.assert_frame_equal(found.covariates, stack.covariates)
        assert found.note == stack.note

    @pytest.mark.parametrize("suffix", [".npz", ".parquet"])
    def test_round_trip(self, stack, tmp_path, suffix):
        if suffix == ".parquet":
            pytest.importorskip("pyarrow")
        table = stack.covariates.assign(
            day=pd.date_range("2024-01-01", periods=6),
            dose=pd.Categorical(list("lhlhlh"), ["l", "h"], ordered=True),
            weight=[1.5, np.nan, 2.0, 3.0, 4.0, 5.0],
        )
        labelled = stack._with(covariates=table, note="by hand")
        labelled.save(tmp_path / f"a{suffix}")
        self.require_same(CorrelationStack.load(tmp_path / f"a{suffix}"), labelled)

    @pytest.mark.parametrize("suffix", [".npz", ".parquet"])
    def test_dates_and_several_levels(self, points, tmp_path, suffix):
        if suffix == ".parquet":
            pytest.importorskip("pyarrow")
        dates = pd.date_range("2024-01-01", periods=6, name="day")
        levels = pd.MultiIndex.from_arrays([PEOPLE, dates], names=["who", "day"])
        for index in (dates, levels):
            stack = CorrelationStack(points, NAMES, index)
            stack.save(tmp_path / f"a{suffix}")
            found = CorrelationStack.load(tmp_path / f"a{suffix}")
            np.testing.assert_allclose(found, stack, rtol=0.0, atol=1e-15)
            assert found.index.tolist() == stack.index.tolist()
            assert found.index.names == stack.index.names

    def test_what_cannot_be_kept(self, stack, tmp_path):
        strange = stack._with(covariates=stack.covariates.assign(x=[[1]] * 6))
        with pytest.raises(ex.ParameterError, match="'x' holds .1., a list"):
            strange.save(tmp_path / "a.npz")
        with pytest.raises(ex.ParameterError, match="ends in .npz or .parquet"):
            stack.save(tmp_path / "a.csv")
        np.savez(tmp_path / "b.npz", x=1)
        with pytest.raises(ex.DataError, match="no file of a CorrelationStack"):
            CorrelationStack.load(tmp_path / "b.npz")
        with pytest.raises(FileNotFoundError):
            CorrelationStack.load(tmp_path / "c.npz")

    def test_parquet_keeps_correlations_only(self, stack, tmp_path):
        pandas_parquet = pytest.importorskip("pyarrow.parquet")
        with pytest.raises(ex.ParameterError, match="diagonal that is not one"):
            stack._with(values=2 * stack.values).save(tmp_path / "a.parquet")
        stack.save(tmp_path / "a.parquet")
        table = pandas_parquet.read_table(tmp_path / "a.parquet").to_pandas()
        assert table["x~w"].tolist() == stack.values[:, 1, 0].tolist()
        table.to_parquet(tmp_path / "b.parquet")
        with pytest.raises(ex.DataError, match="no file of a CorrelationStack"):
            CorrelationStack.load(tmp_path / "b.parquet")


class TestAnswers:
    """What goes in with names comes out with them, and with the same numbers."""

    @pytest.mark.parametrize("key", KEYS)
    @pytest.mark.parametrize(
        "function", [gc.frechet_mean, gc.geometric_median, gc.trimmed_mean]
    )
    def test_centres(self, stack, points, function, key):
        expected = function(points, key)
        forms = [stack, list(stack), stack.to_frame()]
        for form in forms:
            found = function(form, key)
            assert list(found.index) == list(found.columns) == NAMES
            np.testing.assert_allclose(found, expected, atol=1e-13)

    def test_condensed_rows(self, stack, points):
        expected = gc.frechet_mean(points, "olm")
        rows = stack.condensed()
        for form in (rows, rows.to_numpy(), rows.to_numpy().tolist()):
            found = gc.frechet_mean(form, "olm")
            np.testing.assert_allclose(found, expected, atol=1e-15)
            assert not isinstance(found, pd.DataFrame)
        # Six rows of six entries are no matrix, as no entry is one.
        assert rows.shape == (6, 6)
        assert gc.frechet_variance(rows.to_numpy(), "olm") == pytest.approx(
            gc.frechet_variance(points, "olm")
        )
        with pytest.raises(ex.ShapeError, match="single matrix"):
            gc.frechet_mean(points[0], "olm")

    def test_paths(self, stack, points):
        times = np.arange(6.0)
        path = learning.smooth(stack, times, "olm", 2.0, at=[1.5, 2.5])
        assert list(path.index) == [1.5, 2.5] and list(path.variables) == NAMES
        expected = learning.smooth(points, times, "olm", 2.0, at=[1.5, 2.5])
        np.testing.assert_array_equal(path, expected)
        path = learning.interpolate(stack, times, [0.5], "olm")
        assert list(path.index) == [0.5]

    def test_cleaning(self, stack):
        spoilt = stack.values.copy()
        spoilt[1] = 2.0
        with pytest.warns(ex.CleaningWarning):
            kept, report = gc.clean_points(stack._with(values=spoilt), "drop")
        assert list(kept.index) == [p for p in PEOPLE if p != "bob"]
        assert kept.covariates["age"].tolist() == [20, 40, 50, 60, 70]
        assert "1 dropped" in kept.note

    def test_estimators(self, stack, points):
        y = [0, 1] * 3
        plain = learning.PrincipalGeodesicAnalysis(2).fit(points)
        model = learning.PrincipalGeodesicAnalysis(2).fit(stack)
        np.testing.assert_array_equal(model.mean_, plain.mean_)
        assert list(model.with_names(model.mean_).columns) == NAMES
        path = model.geodesic(0, [-1.0, 1.0])
        assert list(path.index) == [-1.0, 1.0] and list(path.variables) == NAMES
        back = model.inverse_transform(model.transform(stack))
        assert list(back.variables) == NAMES
        regression = learning.GeodesicRegression().fit(np.arange(6)[:, None], stack)
        assert list(regression.predict([[2.0]])[0].columns) == NAMES
        closest = learning.MinimumDistanceToMean().fit(stack, y)
        means = closest.with_names(closest.means_, closest.classes_)
        assert list(means.index) == [0, 1]
        assert plain.with_names(plain.mean_) is plain.mean_

    @pytest.mark.parametrize("key", KEYS)
    def test_components_are_changes_of_correlations(self, points, key):
        model = learning.PrincipalGeodesicAnalysis(metric=key).fit(points)
        ahead, behind = model.geodesic(1, [1e-4, -1e-4])
        expected = (ahead - behind) / 2e-4
        np.testing.assert_allclose(model.component_matrix(1), expected, atol=1e-6)

    def test_columns_in_another_order(self, stack, points):
        model = learning.ToCoords().fit(stack)
        shuffled = stack.select(variables=list("zwyx"))
        np.testing.assert_allclose(
            model.transform(shuffled), model.transform(points), atol=1e-12
        )
        dist = equipped(4, "olm").metric.dist(stack[0], shuffled[0])
        assert dist < 1e-12

    def test_splits_of_scikit_learn(self, stack):
        y = np.array([0, 1] * 3)
        train, test = train_test_split(stack, test_size=2, random_state=0)
        assert isinstance(train, CorrelationStack) and len(test) == 2
        model = make_pipeline(learning.ToCoords(), LogisticRegression())
        assert len(cross_val_score(model, stack, y, cv=3)) == 3

    def test_repr(self, stack):
        text = repr(stack)
        assert text == (
            "<CorrelationStack of 6 matrices, 4 variables: w, x, y, z; 10 to 60 frames>"
        )
