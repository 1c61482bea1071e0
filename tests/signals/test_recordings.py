"""Signals in every form: arrays, lists, dictionaries and tables."""

import numpy as np
import pandas as pd
import pytest

from geomstats_cor import Correlations, correlations
from geomstats_cor import exceptions as ex

NAMES = list("abc")


@pytest.fixture
def signals(rng):
    return rng.standard_normal((4, 3, 20))


def tables(signals):
    return [pd.DataFrame(x.T, columns=NAMES) for x in signals]


def expected(signals):
    return np.stack([0.9 * np.corrcoef(x) + 0.1 * np.eye(3) for x in signals])


def found(X, **options):
    return correlations(X, amount=0.1, **options)


class TestForms:
    def test_are_the_same(self, signals):
        long = pd.concat(tables(signals), keys=list("wxyz"), names=["who", "frame"])
        column = long.reset_index("who").sample(frac=1.0, random_state=0)
        forms = [
            (signals, {}),
            (list(signals), {}),
            (signals.tolist(), {}),
            (signals.transpose(0, 2, 1), dict(time_first=True)),
            (dict(zip("wxyz", signals, strict=True)), {}),
            (tables(signals), {}),
            (long, dict(key="who")),
            (column.sort_values("who"), dict(key="who")),
        ]
        for X, options in forms:
            np.testing.assert_allclose(
                found(X, **options), expected(signals), atol=1e-13
            )

    def test_tensors(self, signals):
        torch = pytest.importorskip("torch")
        actual = found(torch.tensor(signals, requires_grad=True))
        np.testing.assert_allclose(actual, expected(signals), atol=1e-13)

    def test_different_lengths(self, signals):
        cut = [x[:, : 10 + 2 * i] for i, x in enumerate(signals)]
        stack = found(cut)
        np.testing.assert_allclose(stack, expected(cut), atol=1e-13)
        assert stack.frames.tolist() == [10, 12, 14, 16]

    def test_names(self, signals):
        long = pd.concat(tables(signals), keys=list("wxyz"), names=["who", None])
        long["age"] = np.repeat([20, 30, 40, 50], 20)
        stack = found(long, key="who", covariates=["age"])
        assert list(stack.index) == list("wxyz") and stack.index.name == "who"
        assert list(stack.variables) == NAMES
        assert stack.covariates["age"].to_dict() == dict(
            zip("wxyz", (20, 30, 40, 50), strict=True)
        )

    def test_several_keys(self, signals):
        long = pd.concat(tables(signals))
        long["who"], long["run"] = np.repeat(["u", "v"], 40), 0
        long["run"] = np.tile(np.repeat([1, 2], 20), 2)
        stack = found(long, key=["who", "run"])
        assert list(stack.index) == [("u", 1), ("u", 2), ("v", 1), ("v", 2)]
        np.testing.assert_allclose(stack, expected(signals), atol=1e-13)

    def test_columns_are_aligned(self, signals):
        shuffled = tables(signals)
        shuffled[2] = shuffled[2][list("cab")]
        np.testing.assert_allclose(found(shuffled), expected(signals), atol=1e-13)
        model = Correlations(amount=0.1).fit(tables(signals))
        late = model.transform([t[list("bca")] for t in tables(signals)])
        np.testing.assert_allclose(late, expected(signals), atol=1e-13)


class TestWindows:
    def test_of_one_table(self, signals):
        dates = pd.date_range("2024-01-01", periods=20)
        table = tables(signals)[0].set_index(dates)
        stack = found(table, window=8, step=4)
        assert list(stack.index) == [dates[7], dates[11], dates[15], dates[19]]
        cut = [signals[0][:, s : s + 8] for s in (0, 4, 8, 12)]
        np.testing.assert_allclose(stack, expected(cut), atol=1e-13)
        rolling = table.rolling(8).corr().loc[dates[11]].to_numpy()
        np.testing.assert_allclose(
            stack.values[1], 0.9 * rolling + 0.1 * np.eye(3), atol=1e-12
        )

    def test_of_several_recordings(self, signals):
        stack = found(dict(zip("wxyz", signals, strict=True)), window=10)
        assert len(stack) == 8
        assert stack.index[3] == ("x", 19)
        np.testing.assert_allclose(
            stack.values[3], expected([signals[1][:, 10:]])[0], atol=1e-13
        )

    def test_covariates_follow(self, signals):
        long = pd.concat(tables(signals), keys=list("wxyz"), names=["who", None])
        long["age"] = np.repeat([20, 30, 40, 50], 20)
        stack = found(long, key="who", covariates=["age"], window=10)
        assert stack.covariates["age"].tolist() == [20, 20, 30, 30, 40, 40, 50, 50]


def spoilt(signals, value, place=(2, 1, 5)):
    signals = signals.copy()
    signals[place] = value
    return signals


class TestBadInput:
    @pytest.mark.parametrize(
        "make, error, message",
        [
            (lambda s: s[0], ex.ShapeError, r"\[N, variables, time\], got \(3, 20\)"),
            (lambda s: [], ex.ShapeError, "empty"),
            (lambda s: s[:, :1], ex.ShapeError, "recording 0 has 1 variable"),
            (lambda s: s[:, :, :3], ex.ShapeError, "recording 0 has 3 frames"),
            (lambda s: s.astype(complex), ex.ArrayTypeError, "complex"),
            (lambda s: s.astype(str), ex.ArrayTypeError, "real numbers"),
            (lambda s: [s[0], s[1, 0]], ex.ShapeError, r"X\[1\]: expected a recording"),
            (lambda s: [s[0], s[1, :2]], ex.ShapeError, r"X\[1\] has 2 variables"),
            (
                lambda s: [s[0].T[:9], s[1].T],
                ex.ShapeError,
                "pass time_first=True",
            ),
            (
                lambda s: spoilt(s, np.inf),
                ex.NotFiniteError,
                "recording 2 has an infinity in variable 1 at frame 5",
            ),
            (
                lambda s: spoilt(s, np.nan),
                ex.NotFiniteError,
                "recording 2 has 1 missing.*variable 1 at frame 5.*'em'.*'pairwise'",
            ),
            (
                lambda s: spoilt(s, 1.0, (3, 0)),
                ex.ParameterError,
                "recording 3 is constant in variable 0",
            ),
            (
                lambda s: spoilt(s, np.nan, (3, 0)),
                ex.ParameterError,
                "recording 3 has 0 values of variable 0",
            ),
            (
                lambda s: [tables(s)[0], s[1]],
                ex.ArrayTypeError,
                "mixes tables and arrays",
            ),
            (
                lambda s: [tables(s)[0], tables(s)[1].rename(columns={"a": "q"})],
                ex.ShapeError,
                r"X\[1\].*adds \[q\] and lacks \[a\]",
            ),
            (
                lambda s: [tables(s)[0].assign(b="x")],
                ex.ArrayTypeError,
                "numbers in column 'b'",
            ),
            (
                lambda s: [tables(s)[0].set_axis(list("aab"), axis=1)],
                ex.ShapeError,
                "several columns named 'a'",
            ),
            (lambda s: correlations(s, amount=0.1), ex.ArrayTypeError, "expected sig"),
            (lambda s: np.ma.masked_array(s, s > 0), ex.ArrayTypeError, "masked"),
        ],
    )
    def test_names_the_recording_and_the_variable(self, signals, make, error, message):
        with pytest.raises(error, match=message):
            found(make(signals))

    def test_a_window_without_variation(self, signals):
        flat = spoilt(signals, 0.0, (1, 2, slice(10, 20)))
        with pytest.raises(
            ex.ParameterError, match=r"\(1, 19\) is constant.*variable 2"
        ):
            found(flat, window=10)

    def test_other_variables_than_in_fit(self, signals):
        model = Correlations(amount=0.1).fit(tables(signals))
        with pytest.raises(ex.ShapeError, match="lacks .a, b, c."):
            model.transform(signals)

    @pytest.mark.parametrize(
        "options, message",
        [
            (dict(key="whom"), "key: expected a column.*got 'whom'"),
            (dict(key="who", covariates=["ag"]), "covariates: expected.*got 'ag'"),
            (dict(covariates=["age"]), "key as well"),
            (dict(key="who", covariates=["frame"]), "one value of 'frame'.*'w'"),
        ],
    )
    def test_long_tables(self, signals, options, message):
        long = pd.concat(tables(signals), keys=list("wxyz"), names=["who", "frame"])
        long = long.reset_index().assign(age=1.0)
        with pytest.raises(ex.ParameterError, match=message):
            found(long, **options)

    def test_a_missing_key(self, signals):
        long = pd.concat(tables(signals), keys=list("wxyz"), names=["who", None])
        long = long.reset_index("who").reset_index(drop=True)
        long.loc[7, "who"] = None
        with pytest.raises(ex.ParameterError, match="missing in row 7"):
            found(long, key="who")
