"""Correlation matrices of signals: what is estimated, learnt, and said."""

import warnings

import numpy as np
import pandas as pd
import pytest
from scipy.stats import multivariate_normal
from sklearn.base import clone
from sklearn.covariance import OAS, LedoitWolf, ledoit_wolf
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline

import geomstats_cor as gc
from geomstats_cor import Correlations, correlations
from geomstats_cor import exceptions as ex
from geomstats_cor.data.shrinkage import split_half_shrinkage
from geomstats_cor.learning import ToCoords


@pytest.fixture
def signals(rng):
    """Twelve recordings of 15 frames of 6 variables with a common factor."""
    return rng.standard_normal((12, 6, 15)) + rng.standard_normal((12, 1, 15))


def sample(signals):
    return np.stack([np.corrcoef(signal) for signal in signals])


class TestCommonShrinkage:
    def test_is_the_same_for_all_and_for_new_recordings(self, signals):
        model = Correlations().fit(signals[:8])
        s = model.amount_
        assert 0.01 < s < 0.9
        expected = (1.0 - s) * sample(signals) + s * np.eye(6)
        np.testing.assert_allclose(model.transform(signals), expected, atol=1e-14)
        again = Correlations().fit_transform(signals[:8])
        np.testing.assert_array_equal(again, model.transform(signals[:8]))

    def test_fewer_frames_than_variables(self, rng):
        stack = correlations(rng.standard_normal((5, 20, 8)), amount=0.2)
        assert np.linalg.eigvalsh(stack.values).min() >= 0.2 - 1e-12
        assert np.all(stack.values[:, range(20), range(20)] == 1.0)

    def test_the_amount_has_the_largest_likelihood_of_new_frames(self):
        # Against the best amount for the known population, over many recordings.
        rng = np.random.default_rng(0)
        population = np.where(np.eye(8) == 1.0, 1.0, 0.4)
        root = np.linalg.cholesky(population)
        recordings = root @ rng.standard_normal((400, 8, 40))
        raw, eye = sample(recordings), np.eye(8)
        amounts = np.linspace(0.01, 0.5, 50)
        losses = []
        for amount in amounts:
            points = (1.0 - amount) * raw + amount * eye
            products = population @ np.linalg.inv(points)
            losses.append(
                np.linalg.slogdet(points)[1].mean()
                + np.trace(products, axis1=1, axis2=2).mean()
            )
        learnt = Correlations().fit(recordings).amount_
        assert learnt == pytest.approx(amounts[np.argmin(losses)], rel=0.2)

    def test_autocorrelated_frames_are_shrunk_more(self):
        # Frames that repeat carry less information than their number says.
        rng = np.random.default_rng(1)
        plain = rng.standard_normal((60, 6, 40)) + 0.7 * rng.standard_normal(
            (60, 1, 40)
        )
        slow = np.repeat(plain[:, :, ::4], 4, axis=2)
        amounts = [Correlations().fit(x).amount_ for x in (plain, slow)]
        assert amounts[1] > 2.0 * amounts[0]

    @pytest.mark.parametrize("target", ["identity", "mean"])
    def test_one_half_predicts_the_other(self, signals, target):
        signals = signals[..., :14].copy()
        signals[::2, :3] *= -1.0  # far from their mean
        # The amount of halves, by densities of frames, scaled to unit variance.
        halves = np.stack(np.split(signals, 2, axis=-1), axis=1)
        halves = halves - halves.mean(axis=-1, keepdims=True)
        halves /= halves.std(axis=-1, keepdims=True)
        raw = halves @ halves.mT / halves.shape[-1]
        centre = np.eye(6)
        if target == "mean":
            centre = 0.99 * sample(signals).mean(axis=0) + 0.01 * centre

        def likelihood(amount):
            return sum(
                multivariate_normal.logpdf(
                    frames.T, cov=(1.0 - amount) * matrix + amount * centre
                ).sum()
                for pair, both in zip(raw, halves, strict=True)
                for matrix, frames in zip(pair, both[::-1], strict=True)
            )

        s = Correlations(target=target).fit(signals).amount_
        best = 2.0 * s / (1.0 + s)
        assert likelihood(best) > likelihood(best + 0.01)
        assert likelihood(best) > likelihood(best - 0.01)

    def test_unknown_entries_are_those_of_the_target(self):
        target = np.where(np.eye(3) == 1.0, 1.0, 0.2)
        first, second = target.copy(), target.copy()
        first[1, 0] = first[0, 1] = 0.5
        second[1, 0] = second[0, 1] = 0.3
        expected = split_half_shrinkage([(first, second)], target)
        first[2, 0] = first[0, 2] = second[2, 1] = second[1, 2] = np.nan
        second[2, 2] = np.nan  # constant in this half
        assert split_half_shrinkage([(first, second)], target) == expected

    def test_the_mean_as_a_target(self, signals):
        model = Correlations(target="mean", amount=0.4).fit(signals[:8])
        raw = sample(signals)
        mixed = 0.6 * raw + 0.4 * raw[:8].mean(axis=0)
        expected = 0.99 * mixed + 0.01 * np.eye(6)
        np.testing.assert_allclose(model.transform(signals), expected, atol=1e-14)

    def test_independent_variables_are_pointed_out(self):
        noise = np.random.default_rng(2).standard_normal((3, 4, 200))
        with pytest.warns(ex.DataWarning, match="do not repeat"):
            correlations(noise)

    def test_the_floor(self, signals):
        # However well correlations repeat, eigenvalues stay above the floor.
        doubled = np.concatenate([signals[:, :5], signals[:, :1]], axis=1)
        stack = correlations(doubled, amount=0.0, min_eigenvalue=0.03)
        smallest = np.linalg.eigvalsh(stack.values)[:, 0]
        np.testing.assert_allclose(smallest, 0.03, atol=1e-12)


class TestEstimators:
    def test_sample(self, signals):
        found = correlations(signals, "sample")
        np.testing.assert_allclose(found, sample(signals), atol=1e-14)

    @pytest.mark.parametrize(
        "name, Estimator", [("ledoit-wolf", LedoitWolf), ("oas", OAS)]
    )
    def test_names_are_the_classes_of_scikit_learn(self, signals, name, Estimator):
        expected = correlations(signals, Estimator())
        found = correlations(signals * 1e6 + 1e3, name)
        np.testing.assert_allclose(found, expected, atol=1e-9)

    def test_ledoit_wolf_sees_standardised_signals(self, signals):
        z = signals[0].T
        z = (z - z.mean(axis=0)) / z.std(axis=0)
        expected = ledoit_wolf(z)[0]
        found = correlations(signals, "ledoit-wolf").values[0]
        np.testing.assert_allclose(found[1, 0], expected[1, 0] / expected[0, 0])

    def test_objects_and_functions(self, signals):
        class Own:
            def fit(self, X):
                self.covariance_ = np.cov(X, rowvar=False) + 0.1 * np.eye(6)

        own = Own()
        by_object = correlations(signals, own)
        assert not hasattr(own, "covariance_")  # a copy is fitted
        by_function = correlations(
            signals, lambda X: np.cov(X, rowvar=False) + 0.1 * np.eye(6)
        )
        np.testing.assert_array_equal(by_object, by_function)

    def test_a_function_with_the_name_of_an_estimator_is_itself(self, signals):
        def common(X):
            return np.cov(X, rowvar=False)

        model = Correlations(common).fit(signals)
        assert model.amount_ is None
        np.testing.assert_allclose(
            model.transform(signals), sample(signals), atol=1e-12
        )

    def test_classes_of_skfolio(self, signals):
        moments = pytest.importorskip("skfolio.moments")
        long = np.concatenate([signals] * 4, axis=2)
        found = correlations(long, moments.EmpiricalCovariance())
        np.testing.assert_allclose(found, sample(signals), atol=1e-12)

    def test_graphical_lasso_has_one_penalty(self, signals):
        model = Correlations("graphical-lasso").fit(signals)
        partial = Correlations("graphical-lasso", "partial", amount=0.5)
        stack = partial.fit_transform(signals)
        assert 0.0 < model.amount_ < 1.0
        assert np.mean(stack.values == 0.0) > 0.2  # a sparse precision stays sparse

    def test_partial_correlations(self, signals):
        point = correlations(signals, "sample").values[0]
        precision = np.linalg.inv(point)
        scale = np.sqrt(np.diag(precision))
        partial = -precision / scale / scale[:, None]
        found = correlations(signals, "sample", "partial").values[0]
        lower = np.tril_indices(6, -1)
        np.testing.assert_allclose(found[lower], -partial[lower], atol=1e-12)
        assert np.linalg.eigvalsh(found)[0] > 0.0

    def test_too_few_frames_are_named(self, rng):
        signals = {
            "ann": rng.standard_normal((9, 30)),
            "bob": rng.standard_normal((9, 6)),
        }
        with pytest.raises(ex.BadMatricesError, match="'bob', 6 frames of 9") as caught:
            correlations(signals, "sample")
        assert [bad.index for bad in caught.value.bad] == [1]
        assert "estimator='common'" in str(caught.value)


class TestExtension:
    def test_lags(self, signals):
        stack = correlations(signals, "sample", lags=(0, 2))
        x = signals[3]
        wide = np.concatenate([x[:, 2:], x[:, :-2]])
        np.testing.assert_allclose(stack.values[3], np.corrcoef(wide), atol=1e-14)
        assert list(stack.variables[5:8]) == ["5", "0 lag 2", "1 lag 2"]
        assert stack.frames[0] == 13
        assert list(Correlations(lags=2).fit(signals).variables_)[-1] == "5 lag 2"

    def test_bands(self):
        time = np.arange(400) / 100.0
        slow, fast = np.sin(2 * np.pi * 5 * time), np.sin(2 * np.pi * 20 * time)
        noise = np.random.default_rng(0).standard_normal((2, 400))
        pair = np.stack([slow + fast, slow - fast]) + 0.01 * noise
        stack = correlations(
            pair[None], amount=0.01, bands=[(4, 6), (18, 22)], sampling_rate=100
        )
        table = stack[0]
        assert table.loc["0 4-6 Hz", "1 4-6 Hz"] > 0.95
        assert table.loc["0 18-22 Hz", "1 18-22 Hz"] < -0.95
        assert abs(table.loc["0 4-6 Hz", "0 18-22 Hz"]) < 0.05

    @pytest.mark.parametrize(
        "options, message",
        [
            (dict(bands=[(4, 6)]), "sampling_rate"),
            (dict(bands=[(4, 60)], sampling_rate=100), r"high < 50.*got \(4, 60\)"),
            (dict(bands=[5], sampling_rate=100), "pairs of frequencies, got 5"),
            (dict(bands=[], sampling_rate=100), "one band at least"),
            (dict(lags=(0, 0)), "different lags"),
            (dict(lags=1.5), "an integer or a sequence"),
            (dict(lags=13), "recording 0 has 15 frames, which leaves 2"),
            (dict(bands=[(1, 2)], sampling_rate=100), "recording 0 has 15 frames, too"),
        ],
    )
    def test_bad_options(self, signals, options, message):
        with pytest.raises(ex.ParameterError, match=message):
            correlations(signals, **options)


class TestPipelines:
    def test_from_signals_to_classes(self, signals):
        signals[::2, 0] += 2 * signals[::2, 1]
        y = np.arange(12) % 2
        model = make_pipeline(Correlations(), ToCoords(), LogisticRegression())
        assert cross_val_score(model, signals, y, cv=3).mean() > 0.7
        grid = {"correlations__amount": [0.1, 0.5], "tocoords__metric": ["ecm", "lsm"]}
        search = GridSearchCV(model, grid, cv=2).fit(signals, y)
        assert search.best_params_["correlations__amount"] in (0.1, 0.5)

    def test_clones_and_parameters(self):
        model = Correlations(LedoitWolf(), lags=1)
        assert clone(model).get_params()["lags"] == 1
        assert clone(model).estimator is not model.estimator

    def test_pandas_output_is_condensed(self, signals):
        names = [f"p{i}" for i in range(12)]
        recordings = {n: pd.DataFrame(x.T, columns=list("abcdef"))
                      for n, x in zip(names, signals, strict=True)}  # fmt: skip
        model = Correlations().set_output(transform="pandas")
        table = model.fit_transform(recordings)
        assert list(table.columns[:3]) == ["b~a", "c~a", "c~b"]
        assert list(table.index) == names
        assert list(table.columns) == list(model.get_feature_names_out())
        expected = Correlations().fit_transform(recordings)
        np.testing.assert_array_equal(gc.as_stack(table), expected)

    def test_not_fitted(self, signals):
        with pytest.raises(ValueError, match="not fitted"):
            Correlations().transform(signals)


class TestReport:
    def test_says_what_was_done(self, signals):
        model = Correlations().fit(signals)
        text = str(model.report_)
        assert "12 recordings of 6 variables, 15 frames" in text
        assert f"a learnt {model.amount_:.3g} towards the identity" in text
        assert model.transform(signals).note == text
        assert "by 0.2 towards the mean" in str(
            Correlations(amount=0.2, target="mean").fit(signals).report_
        )
        assert "each recording by itself" in correlations(signals, "oas").note
        eigenvalues = np.linalg.eigvalsh(model.transform(signals).values)
        condition = np.max(eigenvalues[:, -1] / eigenvalues[:, 0])
        assert model.report_.condition_number == pytest.approx(condition)

    def test_frames_reach_the_tests_of_groups(self, rng):
        lengths = np.repeat([20, 30], 6)
        recordings = [
            rng.standard_normal((3, t)) + rng.standard_normal(t) for t in lengths
        ]
        stack = correlations(recordings)
        np.testing.assert_array_equal(stack.frames, lengths)
        with pytest.warns(ex.UnequalFramesWarning, match="20 in group 20"):
            gc.equal_means_test(stack, lengths, "olm", n_permutations=99, rng=0)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            gc.equal_means_test(stack, [0, 1] * 6, "olm", n_permutations=99, rng=0)


@pytest.mark.parametrize(
    "options, error, message",
    [
        (dict(estimator="ledoit"), ex.ParameterError, "got 'ledoit'"),
        (dict(estimator=LedoitWolf), ex.ArrayTypeError, r"Pass LedoitWolf\(\)"),
        (dict(estimator=3), ex.ArrayTypeError, "got a int"),
        (dict(kind="full"), ex.ParameterError, "'partial', got 'full'"),
        (dict(missing="drop"), ex.ParameterError, "'em', got 'drop'"),
        (dict(target="zero"), ex.ParameterError, "'mean', got 'zero'"),
        (dict(amount=1.5), ex.ParameterError, r"\[0, 1\), got 1.5"),
        (dict(min_eigenvalue=0.0), ex.ParameterError, r"\(0, 1\), got 0.0"),
        (dict(estimator="oas", missing="em"), ex.ParameterError, "needs complete"),
        (dict(step=3), ex.ParameterError, "window as well"),
        (dict(window=40), ex.ParameterError, "the 15 frames of recording 0, got 40"),
        (dict(key="who"), ex.ParameterError, "columns of a long table"),
        (dict(estimator=LogisticRegression()), Exception, "fit"),
        (dict(estimator=lambda X: X), ex.ShapeError, r"\(6, 6\).*got \(15, 6\)"),
        (
            dict(estimator=lambda X: np.full((6, 6), np.nan)),
            ex.NotFiniteError,
            "may need more frames",
        ),
    ],
)
def test_bad_options(signals, options, error, message):
    with pytest.raises(error, match=message):
        correlations(signals, **options)
