"""The estimators keep the conventions of scikit-learn."""

import pickle

import numpy as np
import pytest
import scipy.sparse
from kernels.matrices import random_correlation
from sklearn.base import clone
from sklearn.decomposition import PCA
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.svm import SVC
from sklearn.utils.estimator_checks import parametrize_with_checks
from strategies import KEYS, equipped

from geomstats_cor import get_metric
from geomstats_cor.kernels import pack_strictly_lower
from geomstats_cor.learning import (
    GeodesicRegression,
    MinimumDistanceToMean,
    PrincipalGeodesicAnalysis,
    ToCoords,
    ToKernel,
)

ESTIMATORS = (
    ToCoords,
    PrincipalGeodesicAnalysis,
    GeodesicRegression,
    MinimumDistanceToMean,
    ToKernel,
)


@pytest.mark.filterwarnings("ignore")
@parametrize_with_checks(
    [Estimator(metric=key, on_bad="mend") for Estimator in ESTIMATORS for key in KEYS]
)
def test_checks_of_scikit_learn(estimator, check):
    check(estimator)


TRANSFORMERS = (ToCoords, PrincipalGeodesicAnalysis, ToKernel)
TAKING_MATRICES = (*TRANSFORMERS, MinimumDistanceToMean)

every_transformer = pytest.mark.parametrize("Transformer", TRANSFORMERS)


@pytest.fixture
def data(rng):
    """Return matrices of two groups, and their labels."""
    points = random_correlation(rng, 4, 5.0, (30,))
    labels = np.arange(30) % 2
    points[labels == 1] = equipped(4, "olm").metric.exp_coords(
        np.full(6, 0.5), points[labels == 1]
    )
    return points, labels


def fitted(Estimator, data, **parameters):
    """Return an estimator, fitted to matrices."""
    points, labels = data
    if Estimator is GeodesicRegression:
        return Estimator(**parameters).fit(labels[:, None], points)
    return Estimator(**parameters).fit(points, labels)


def answer(model, data):
    """Return what a fitted estimator has to say about the data."""
    if isinstance(model, GeodesicRegression):
        return model.predict(data[1][:, None])
    method = "transform" if hasattr(model, "transform") else "decision_function"
    return getattr(model, method)(data[0])


class TestParameters:
    @pytest.mark.parametrize("Estimator", ESTIMATORS)
    @pytest.mark.parametrize("key", KEYS)
    def test_a_key_a_class_and_a_space_are_the_same(self, data, Estimator, key):
        expected = answer(fitted(Estimator, data, metric=key), data)
        for metric in (key.upper(), get_metric(key), equipped(4, key)):
            model = fitted(Estimator, data, metric=metric)
            assert model.metric is metric
            np.testing.assert_array_equal(answer(model, data), expected)

    @pytest.mark.parametrize("Estimator", ESTIMATORS)
    def test_a_clone_of_a_space_measures_alike(self, data, Estimator):
        space = equipped(4, "phcm", weights=[3.0, 1.0, 0.5])
        model = fitted(Estimator, data, metric=space)
        copied = clone(model)
        assert not hasattr(copied, "space_")
        again = copied.fit(
            *((data[1][:, None], data[0]) if Estimator is GeodesicRegression else data)
        )
        np.testing.assert_array_equal(answer(again, data), answer(model, data))

    @pytest.mark.parametrize("Estimator", ESTIMATORS)
    @pytest.mark.parametrize("key", KEYS)
    def test_pickles_answer_alike(self, data, Estimator, key):
        model = fitted(Estimator, data, metric=key)
        again = pickle.loads(pickle.dumps(model))
        np.testing.assert_array_equal(answer(again, data), answer(model, data))

    @pytest.mark.parametrize("Estimator", TAKING_MATRICES)
    def test_sparse_data_are_refused(self, data, Estimator):
        sparse = scipy.sparse.csr_array(pack_strictly_lower(data[0]))
        with pytest.raises(TypeError, match="X is a sparse array"):
            Estimator().fit(sparse, data[1])

    @pytest.mark.parametrize("Estimator", TAKING_MATRICES)
    def test_estimators_want_to_be_fitted(self, data, Estimator):
        with pytest.raises(NotFittedError):
            answer(Estimator(), data)


class TestFeatures:
    @every_transformer
    def test_names(self, data, Transformer):
        model = fitted(Transformer, data)
        names = model.get_feature_names_out()
        prefix = Transformer.__name__.lower()
        width = model.transform(data[0]).shape[1]
        assert list(names) == [f"{prefix}{i}" for i in range(width)]

    @every_transformer
    def test_data_frames(self, data, Transformer):
        pandas = pytest.importorskip("pandas")
        condensed = pandas.DataFrame(
            pack_strictly_lower(data[0]), columns=[f"pair{i}" for i in range(6)]
        )
        model = Transformer().set_output(transform="pandas").fit(condensed)
        features = model.transform(condensed)
        assert list(features.columns) == list(model.get_feature_names_out())
        assert list(model.feature_names_in_) == list(condensed.columns)
        expected = fitted(Transformer, data).transform(data[0])
        np.testing.assert_array_equal(features.to_numpy(), expected)
        with pytest.raises(ValueError, match="feature names should match"):
            model.transform(condensed[condensed.columns[::-1]])


class TestComposition:
    def test_pipelines_take_both_forms(self, data):
        points, labels = data
        pipeline = make_pipeline(ToCoords("lsm"), PCA(3), LogisticRegression())
        scores = cross_val_score(pipeline, points, labels, cv=3)
        condensed = cross_val_score(pipeline, pack_strictly_lower(points), labels, cv=3)
        np.testing.assert_array_equal(scores, condensed)
        assert np.mean(scores) > 0.8

    @pytest.mark.parametrize(
        "pipeline",
        [
            make_pipeline(ToCoords(), LogisticRegression()),
            make_pipeline(PrincipalGeodesicAnalysis(3), LogisticRegression()),
            make_pipeline(ToKernel(), SVC(kernel="precomputed")),
        ],
    )
    def test_the_metric_is_chosen_by_cross_validation(self, data, pipeline):
        name = f"{pipeline.steps[0][0]}__metric"
        search = GridSearchCV(pipeline, {name: list(KEYS)}, cv=3, error_score="raise")
        search.fit(*data)
        tried = [str(key) for key in search.cv_results_[f"param_{name}"]]
        assert tried == list(KEYS)
        assert search.best_score_ > 0.8
        best = clone(pipeline).set_params(**search.best_params_).fit(*data)
        np.testing.assert_array_equal(search.predict(data[0]), best.predict(data[0]))

    def test_the_metric_of_a_classifier_and_of_a_regression(self, data):
        points, labels = data
        search = GridSearchCV(MinimumDistanceToMean(), {"metric": list(KEYS)}, cv=3)
        assert search.fit(points, labels).best_score_ > 0.8
        search = GridSearchCV(GeodesicRegression(), {"metric": list(KEYS)}, cv=3)
        search.fit(labels[:, None], points)
        assert search.predict(labels[:, None]).shape == points.shape
