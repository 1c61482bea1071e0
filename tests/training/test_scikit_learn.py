"""The classifiers keep the conventions of scikit-learn."""

import pickle

import numpy as np
import pytest
import torch
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer
from sklearn.utils.estimator_checks import parametrize_with_checks

from cornet_nn.training import CorMLRClassifier, CorNetClassifier
from geomstats_cor import get_metric

from .problems import correlations, covariances, signals

BOTH = pytest.mark.parametrize("Classifier", [CorNetClassifier, CorMLRClassifier])
QUIET = dict(progress=False, random_state=0)


class RowsToCovariances(torch.nn.Module):
    """A front end for the tables of scikit-learn: I + x x^T / (1 + |x|^2)."""

    def forward(self, rows):
        # One more variable, for tables of a single column.
        rows = torch.nn.functional.pad(rows, (0, 1), value=1.0)
        squares = rows.square().sum(-1)[:, None, None]
        outer = rows[:, :, None] * rows[:, None, :] / (1.0 + squares)
        return outer + torch.eye(rows.shape[-1], dtype=rows.dtype)


@pytest.mark.filterwarnings("ignore")
@parametrize_with_checks(
    [
        Classifier(
            metric="ecm",
            front_end=RowsToCovariances(),
            max_epochs=15,
            batch_size=64,
            lr=0.1,
            dtype="float64",
            **QUIET,
        )
        for Classifier in (CorNetClassifier, CorMLRClassifier)
    ],
    expected_failed_checks=lambda _: {
        "check_sample_weight_equivalence_on_dense_data": "weights are those of the "
        "loss: normalisation, folds and batches count samples",
    },
)
def test_checks_of_scikit_learn(estimator, check):
    check(estimator)


@BOTH
class TestConventions:
    def test_learns_and_answers(self, Classifier):
        X, y = correlations(count=60, classes=3)
        model = Classifier(max_epochs=40, **QUIET)
        assert model.fit(X, y) is model
        probabilities = model.predict_proba(X)
        assert probabilities.shape == (60, 3)
        np.testing.assert_allclose(probabilities.sum(1), 1.0, rtol=1e-12)
        np.testing.assert_array_equal(model.predict(X), probabilities.argmax(1))
        assert model.score(X, y) == np.mean(model.predict(X) == y) > 0.9

    @pytest.mark.parametrize(
        "names",
        [
            ["control", "patient"],
            [7, -3],
            [True, False],
            [2.0, 5.0],
            np.array(["b", "a"], dtype=object),
        ],
    )
    def test_labels_of_any_type(self, Classifier, names):
        X, y = correlations()
        labels = np.array(names)[y]
        model = Classifier(max_epochs=30, **QUIET).fit(X, labels)
        assert model.classes_.tolist() == sorted(names)
        assert set(model.predict(X)) <= set(names)
        assert model.score(X, labels) > 0.8

    def test_a_list_of_labels(self, Classifier):
        X, y = correlations()
        model = Classifier(max_epochs=2, **QUIET).fit(X.tolist(), y.tolist())
        other = Classifier(max_epochs=2, **QUIET).fit(torch.as_tensor(X), y)
        np.testing.assert_array_equal(model.predict_proba(X), other.predict_proba(X))

    def test_pickles_answer_alike(self, Classifier):
        X, y = signals()
        model = Classifier(metric="lsm", max_epochs=3, power=0.5, **QUIET).fit(X, y)
        again = pickle.loads(pickle.dumps(model))
        np.testing.assert_array_equal(model.predict_proba(X), again.predict_proba(X))
        assert again.history_ == model.history_

    def test_clones_are_not_fitted(self, Classifier):
        X, y = correlations()
        model = Classifier(metric=get_metric("lecm"), max_epochs=2, **QUIET).fit(X, y)
        copied = clone(model)
        assert copied.get_params() == model.get_params()
        with pytest.raises(NotFittedError):
            copied.predict(X)
        again = copied.fit(X, y)
        np.testing.assert_array_equal(model.predict_proba(X), again.predict_proba(X))

    def test_the_same_seed_is_the_same_network(self, Classifier):
        X, y = correlations()
        state = torch.get_rng_state()
        options = dict(max_epochs=3, batch_size=7, validation=0.25, progress=False)
        first, again, other = (
            Classifier(random_state=seed, **options).fit(X, y) for seed in (5, 5, 6)
        )
        for a, b in zip(
            first.module_.parameters(), again.module_.parameters(), strict=True
        ):
            assert torch.equal(a, b)
        assert not np.allclose(first.predict_proba(X), other.predict_proba(X))
        assert torch.equal(state, torch.get_rng_state())

    def test_a_generator_as_seed(self, Classifier):
        X, y = correlations()
        state = np.random.RandomState(3)
        first, other = (
            Classifier(random_state=state, max_epochs=1, progress=False).fit(X, y)
            for _ in range(2)
        )
        assert first.seed_ != other.seed_

    def test_pipelines(self, Classifier):
        X, y = covariances()
        halve = FunctionTransformer(lambda x: x / 2.0)
        model = make_pipeline(halve, Classifier(max_epochs=60, **QUIET))
        assert np.mean(cross_val_score(model, X, y, cv=4)) > 0.8


def test_metric_power_and_size_are_chosen_by_cross_validation():
    X, y = covariances(count=30)
    grid = {"metric": ["ecm", "phcm"], "power": [0.5, 1.0], "output_size": [2, 3]}
    model = CorNetClassifier(max_epochs=4, **QUIET)
    search = GridSearchCV(model, grid, cv=2, error_score="raise").fit(X, y)
    assert len(search.cv_results_["params"]) == 8
    best = clone(model).set_params(**search.best_params_).fit(X, y)
    np.testing.assert_array_equal(search.predict_proba(X), best.predict_proba(X))


def test_a_network_is_what_it_says():
    X, y = correlations(channels=3, classes=4)
    model = CorNetClassifier(
        "lecm",
        mlr_metric="ecm",
        output_size=3,
        out_channels=2,
        kernel_size=2,
        activation="tanh",
        max_epochs=1,
        dtype="float64",
        **QUIET,
    ).fit(X, y)
    network = model.module_
    assert network.conv.weight.shape == (2 * 3, 2, 10)
    assert network.mlr.weight.shape == (4, 4, 3)
    assert network.activation.function is torch.tanh
    assert network.mlr.weight.dtype == torch.float64
    logits = network(torch.as_tensor(X)).detach()
    np.testing.assert_allclose(
        model.predict_proba(X), logits.softmax(-1).numpy(), rtol=1e-9
    )
