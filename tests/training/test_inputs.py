"""What the classifiers accept, and what they say of the rest."""

import numpy as np
import pytest
import torch

from cornet_nn import CovariancePooling, PowerCorrelation, TemporalCovariance
from cornet_nn.training import CorMLRClassifier, CorNetClassifier
from geomstats_cor import kernels
from geomstats_cor.exceptions import (
    BadMatricesError,
    NotFiniteError,
    ParameterError,
    ShapeError,
)

from .problems import correlations, covariances, signals

QUIET = dict(progress=False, random_state=0, max_epochs=2, dtype="float64")


def probabilities(X, y, **options):
    model = CorNetClassifier("olm", **{**QUIET, **options}).fit(X, y)
    return model.predict_proba(X), model


class TestKinds:
    @pytest.mark.parametrize("channels", [None, 2])
    def test_covariances_are_scaled_to_correlations(self, channels):
        S, y = covariances(channels=channels)
        expected, correlation = probabilities(kernels.cor(S), y)
        actual, covariance = probabilities(S, y)
        assert (correlation.kind_, covariance.kind_) == ("correlation", "covariance")
        np.testing.assert_allclose(actual, expected, rtol=1e-9)

    def test_one_channel_may_be_left_out(self):
        X, y = correlations()
        expected, _ = probabilities(X, y)
        np.testing.assert_allclose(probabilities(X[:, None], y)[0], expected)

    def test_signals(self):
        X, y = signals()
        S = np.stack([np.cov(x, bias=True) for x in X])
        expected, _ = probabilities(S, y, power=-0.5, shrinkage=0.01)
        actual, model = probabilities(X, y, power=-0.5, shrinkage=0.01)
        assert model.kind_ == "signal"
        np.testing.assert_allclose(actual, expected, rtol=1e-8)
        assert model.predict(X[:, :, :30]).shape == (40,)

    def test_windows_of_signals(self):
        X, y = signals(time=60)
        windows = X.reshape(40, 4, 3, 20).swapaxes(1, 2)
        actual, model = probabilities(windows, y)
        assert model.module_.conv.in_channels == 3
        S = CovariancePooling()(torch.as_tensor(windows)).numpy()
        np.testing.assert_allclose(actual, probabilities(S, y)[0], rtol=1e-8)

    def test_powers_and_shrinkage_of_correlations(self):
        X, y = correlations()
        front_end = PowerCorrelation(0.5, shrinkage=0.1)
        expected, _ = probabilities(front_end(torch.as_tensor(X)).numpy(), y)
        actual, _ = probabilities(X, y, power=0.5, shrinkage=0.1)
        np.testing.assert_allclose(actual, expected, rtol=1e-9)

    def test_the_kind_may_be_said(self):
        X, y = signals(n=5, time=5)
        with pytest.raises(ParameterError, match="not symmetric: say kind='signal'"):
            probabilities(X, y)
        assert probabilities(X, y, kind="signal", shrinkage=0.1)[1].kind_ == "signal"
        X, y = correlations()
        assert probabilities(X, y, kind="covariance")[1].kind_ == "covariance"

    def test_single_precision(self):
        X, y = correlations()
        model = CorNetClassifier(**{**QUIET, "dtype": "float32"})
        model.fit(X.astype(np.float32), y)
        assert model.module_.conv.weight.dtype == torch.float32
        double = CorNetClassifier(**QUIET).fit(X.astype(np.float32), y)
        assert double.module_.conv.weight.dtype == torch.float64


class TestFrontEnds:
    def test_a_front_end_with_parameters_learns(self):
        X, y = signals(n=3)
        front_end = TemporalCovariance(3, channels=2, features=4, kernel_size=5)
        before = front_end.conv.weight.detach().clone()
        model = CorNetClassifier(
            "ecm", front_end=front_end, power=0.5, **{**QUIET, "max_epochs": 30}
        ).fit(X, y)
        assert not model._is_prepared
        assert torch.equal(front_end.conv.weight, before)
        learnt = model.module_.front_end[0].conv.weight
        assert learnt.dtype == torch.float64
        assert float((learnt - before).abs().max().detach()) > 1e-3
        assert model.module_.conv.in_channels == 2
        assert model.score(X, y) > 0.8

    def test_a_function_that_makes_a_front_end_is_seeded(self):
        X, y = signals(n=3)

        def make():
            return TemporalCovariance(3, channels=2, features=4, kernel_size=5)

        options = {**QUIET, "front_end": make}
        first, again = (CorMLRClassifier(**options).fit(X, y) for _ in range(2))
        other = CorMLRClassifier(**{**options, "random_state": 1}).fit(X, y)
        np.testing.assert_array_equal(first.predict_proba(X), again.predict_proba(X))
        assert not np.allclose(first.predict_proba(X), other.predict_proba(X))

    def test_what_is_random_is_done_at_every_step(self):
        X, y = signals()
        noisy = torch.nn.Sequential(torch.nn.Dropout(0.2), CovariancePooling())
        model = CorMLRClassifier(front_end=noisy, shrinkage=0.1, **QUIET).fit(X, y)
        assert not model._is_prepared
        # It is off when the classifier answers.
        np.testing.assert_array_equal(model.predict_proba(X), model.predict_proba(X))
        fixed = CorMLRClassifier(
            front_end=CovariancePooling(), shrinkage=0.1, **QUIET
        ).fit(X, y)
        assert fixed._is_prepared


class TestErrors:
    @pytest.mark.parametrize(
        "shape", [(6, 4), (6,), (6, 2, 3, 4, 4)], ids=["table", "vector", "five axes"]
    )
    def test_wrong_shapes(self, shape):
        with pytest.raises(ValueError, match="shape|2D array"):
            CorNetClassifier(**QUIET).fit(np.ones(shape), np.arange(6) % 2)

    def test_a_kind_that_does_not_fit(self):
        X, y = signals()
        with pytest.raises(ShapeError, match="expected square covariance matrices"):
            CorNetClassifier(kind="covariance", **QUIET).fit(X, y)
        with pytest.raises(ParameterError, match="kind is 'matrix': choose 'auto'"):
            CorNetClassifier(kind="matrix", **QUIET).fit(X, y)
        with pytest.raises(ShapeError, match="at least two time steps"):
            CorNetClassifier(**QUIET).fit(X[:, :, :1], y)

    @pytest.mark.parametrize("make", [np.asarray, torch.as_tensor])
    def test_complex_signals(self, make):
        X, y = signals()
        with pytest.raises(ParameterError, match="real and imaginary parts"):
            CorNetClassifier(**QUIET).fit(make(X + 1j * X), y)

    def test_lengths_that_differ(self):
        X, y = correlations()
        with pytest.raises(ValueError, match="inconsistent numbers of samples"):
            CorNetClassifier(**QUIET).fit(X, y[:-1])

    @pytest.mark.parametrize("value", [np.nan, np.inf])
    def test_gaps_are_named_by_sample(self, value):
        X, y = correlations()
        model = CorNetClassifier(**QUIET).fit(X, y)
        X[3, 1, 2] = X[17, 0, 0] = value
        for call in (lambda: model.fit(X, y), lambda: model.predict(X)):
            with pytest.raises(NotFiniteError, match=r"X\[3\], X\[17\] have a NaN"):
                call()

    def test_singular_matrices_are_named(self):
        X, y = correlations(channels=2)
        X[5, 1] = 1.0
        with pytest.raises(BadMatricesError, match=r"X\[5, 1\] is not positive") as no:
            CorNetClassifier(**QUIET).fit(X, y)
        assert "shrinkage=1e-3" in str(no.value)
        CorNetClassifier(shrinkage=1e-2, **QUIET).fit(X, y)

    def test_singular_signals_are_named(self):
        X, y = signals()
        X[7, 2] = 5.0
        with pytest.raises(
            BadMatricesError, match=r"X\[7\] .* variance is not positive"
        ):
            CorNetClassifier(**QUIET).fit(X, y)
        with pytest.raises(BadMatricesError, match="fewer time steps than channels"):
            CorNetClassifier(**QUIET).fit(X[:, :, :3], y)
        CorNetClassifier(shrinkage=0.1, **QUIET).fit(X[:, :, :3], y)

    def test_indefinite_covariances_when_answering(self):
        S, y = covariances()
        model = CorNetClassifier(**QUIET).fit(S, y)
        S[2] = np.diag([1.0, 1.0, 1.0, 1.0, -1.0])
        with pytest.raises(BadMatricesError, match=r"1 of 40 .* X\[2\]"):
            model.predict(S)

    def test_samples_of_another_form(self):
        X, y = correlations()
        model = CorNetClassifier(**QUIET).fit(X, y)
        with pytest.raises(ShapeError, match=r"expected shape \[N, 5, 5\]"):
            model.predict(X[:, :4, :4])
        with pytest.raises(BadMatricesError, match="diagonal that is off one"):
            model.predict(2.0 * X)
        with pytest.raises(ShapeError, match=r"X\[None\] for a single"):
            model.predict(X[0])

    def test_one_class(self):
        X, y = correlations()
        with pytest.raises(ParameterError, match="one class only, 1"):
            CorNetClassifier(**QUIET).fit(X, np.ones_like(y))

    @pytest.mark.parametrize(
        "options, message",
        [
            (dict(metric="euclid"), "there is no metric 'euclid': choose one of ecm"),
            (dict(mlr_metric="euclid"), "there is no metric 'euclid'"),
            (dict(optimizer="newton"), "no optimizer 'newton': choose one of adam"),
            (dict(activation="cubic"), "no activation 'cubic': choose one of relu"),
            (dict(dtype="float16"), "choose 'float32' or 'float64'"),
            (dict(device="abacus"), "there is no device 'abacus' here"),
            (dict(power=np.inf), "power must be a finite number"),
            (dict(power=0.0), "the power zero of every matrix is the identity"),
            (dict(power="half"), "power must be a number, not 'half'"),
            (dict(lr="0.1"), "lr must be a number"),
            (dict(validation="some"), "validation must be a number"),
            (dict(shrinkage=None), "shrinkage must be a number"),
            (dict(lr=0.0), "lr must be a positive number"),
            (dict(lr=np.nan), "lr must be a positive number"),
            (dict(weight_decay=-1.0), "weight_decay must not be negative"),
            (dict(max_epochs=0), "max_epochs must be a positive integer"),
            (dict(batch_size=2.5), "batch_size must be a positive integer"),
            (dict(patience=3), "pass validation"),
            (dict(patience=0, validation=0.2), "patience must be a positive integer"),
            (dict(validation=1.5), "between 0 and 1"),
            (dict(validation=0.01), "cannot have its share of every class"),
            (dict(shrinkage=2.0), "amount of shrinkage is from 0 to 1"),
            (dict(class_weight="equal"), "pass 'balanced', a dictionary"),
            (dict(class_weight={5: 2.0}), "not in y: 5. The classes are 0, 1"),
            (dict(class_weight={0: -1.0}), "class_weight must be positive"),
            (dict(resume=True), "pass directory"),
            (dict(resume=True, overwrite=True, directory="x"), "exclude each other"),
            (dict(output_size=0), "n|size"),
        ],
    )
    def test_parameters(self, options, message):
        X, y = correlations()
        with pytest.raises(ParameterError, match=message):
            CorNetClassifier(**{**QUIET, **options}).fit(X, y)
