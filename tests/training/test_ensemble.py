"""Classifiers on representations of their own, whose log-probabilities are averaged."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV

from cornet_nn.training import (
    CorMLRClassifier,
    CorNetClassifier,
    RepresentationEnsemble,
)
from geomstats_cor.exceptions import ParameterError, ShapeError

from .problems import correlations

QUIET = dict(random_state=0, progress=False)


def members():
    return [
        ("small", CorMLRClassifier("lsm", C=1.0, **QUIET)),
        ("large", CorNetClassifier("ecm", max_epochs=2, **QUIET)),
    ]


def data():
    small, y = correlations(n=3, count=30, classes=3, gap=0.3)
    large, _ = correlations(seed=1, n=6, count=30, classes=3, gap=0.3, channels=2)
    return {"small": small, "large": large}, np.array(["a", "b", "c"])[y]


@pytest.mark.parametrize("weights", [None, [1.0, 3.0]])
def test_probabilities_are_weighted_geometric_means(weights):
    X, y = data()
    model = RepresentationEnsemble(members(), weights=weights).fit(X, y)
    alone = [
        member.fit(X[name], y).predict_proba(X[name]) for name, member in members()
    ]
    first, second = (0.5, 0.5) if weights is None else (0.25, 0.75)
    expected = alone[0] ** first * alone[1] ** second
    expected /= expected.sum(1, keepdims=True)
    np.testing.assert_allclose(model.predict_proba(X), expected, rtol=1e-6)
    np.testing.assert_array_equal(model.predict(X), model.classes_[expected.argmax(1)])
    assert model.score(X, y) == np.mean(model.predict(X) == y)
    np.testing.assert_array_equal(model.classes_, ["a", "b", "c"])
    log = model.predict_log_proba(X)
    np.testing.assert_allclose(np.exp(log).sum(1), 1.0)


def test_one_representation_for_all():
    X, y = data()
    estimators = [
        (key, CorMLRClassifier(key, C=1.0, **QUIET)) for key in ("ecm", "olm")
    ]
    model = RepresentationEnsemble(estimators).fit(X["small"], y)
    same = RepresentationEnsemble(estimators).fit(
        dict.fromkeys(["ecm", "olm"], X["small"]), y
    )
    np.testing.assert_array_equal(
        model.predict_proba(X["small"]),
        same.predict_proba({"olm": X["small"], "ecm": X["small"]}),
    )


def test_groups_reach_the_members():
    X, y = data()
    model = RepresentationEnsemble(members())
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        model.fit(X, y, groups=np.arange(29))
    model.fit(X, y, groups=np.arange(30))


def test_parameters_of_members():
    model = RepresentationEnsemble(members())
    assert model.get_params()["small__metric"] == "lsm"
    assert set(model.get_params(deep=False)) == {"estimators", "weights", "n_jobs"}
    model.set_params(small__metric="olm", weights=[1.0, 2.0])
    assert dict(model.estimators)["small"].metric == "olm"
    copy = clone(model)
    assert copy.get_params()["small__metric"] == "olm"
    assert copy.weights == [1.0, 2.0]
    assert not hasattr(copy, "estimators_")
    other = CorMLRClassifier("ecm", **QUIET)
    model.set_params(small=other)
    assert dict(model.estimators)["small"] is other


def test_a_search_over_parameters_of_members():
    X, y = correlations(n=3, count=30, classes=2)
    estimators = [
        (key, CorMLRClassifier(key, C=1.0, **QUIET)) for key in ("ecm", "olm")
    ]
    search = GridSearchCV(
        RepresentationEnsemble(estimators), {"ecm__C": [0.1, 10.0]}, cv=2
    ).fit(X, y)
    assert search.best_params_["ecm__C"] in (0.1, 10.0)
    assert search.best_estimator_.estimators_["ecm"].C == search.best_params_["ecm__C"]
    assert np.isfinite(search.cv_results_["mean_test_score"]).all()


class TestErrors:
    def test_names(self):
        X, y = data()
        for estimators in ([], [members()[0], members()[0]]):
            with pytest.raises(ParameterError, match="different names"):
                RepresentationEnsemble(estimators).fit(X, y)

    @pytest.mark.parametrize("weights", [[1.0], [-1.0, 2.0], [0.0, 0.0], [np.nan, 1.0]])
    def test_weights(self, weights):
        with pytest.raises(ParameterError, match="weights must be 2 numbers"):
            RepresentationEnsemble(members(), weights=weights).fit(*data())

    def test_missing_representation(self):
        X, y = data()
        with pytest.raises(ParameterError, match="no representation for 'large'"):
            RepresentationEnsemble(members()).fit({"small": X["small"]}, y)

    def test_numbers_of_samples(self):
        X, y = data()
        X["large"] = X["large"][:-1]
        with pytest.raises(ShapeError, match="'large' has 29 samples, but y has 30"):
            RepresentationEnsemble(members()).fit(X, y)

    def test_not_fitted(self):
        with pytest.raises(ValueError, match="not fitted"):
            RepresentationEnsemble(members()).predict(data()[0])
