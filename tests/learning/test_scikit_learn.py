"""The estimators keep the conventions of scikit-learn."""

import pickle
import warnings

import numpy as np
import pytest
import scipy.sparse
from kernels.matrices import random_correlation
from sklearn.base import clone
from sklearn.decomposition import PCA
from sklearn.exceptions import NotFittedError, SkipTestWarning
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.svm import SVC
from sklearn.utils.estimator_checks import check_estimator, parametrize_with_checks
from strategies import KEYS, equipped

from geomstats_cor import clean_points, get_metric
from geomstats_cor.exceptions import BadMatricesError, CleaningWarning
from geomstats_cor.kernels import pack_strictly_lower
from geomstats_cor.learning import (
    GeodesicRegression,
    KNearestNeighbors,
    MinimumDistanceToMean,
    OutlierDetector,
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
    KNearestNeighbors,
    OutlierDetector,
)


# scikit-learn expects outliers in any data, where a threshold may find none.
EXTRA = {OutlierDetector: dict(contamination=0.1)}


@pytest.mark.filterwarnings("ignore")
@parametrize_with_checks(
    [
        Estimator(metric=key, on_bad="repair", **EXTRA.get(Estimator, {}))
        for Estimator in ESTIMATORS
        for key in KEYS
    ]
)
def test_checks_of_scikit_learn(estimator, check):
    check(estimator)


@pytest.mark.parametrize("Estimator", ESTIMATORS)
def test_checks_of_scikit_learn_with_defaults(Estimator):
    # Tables of any numbers are no correlations: the tags say so, and all is skipped.
    with pytest.warns(SkipTestWarning):
        check_estimator(Estimator())
    repairing = Estimator(on_bad="repair")
    assert not repairing.__sklearn_tags__()._skip_test


TRANSFORMERS = (ToCoords, PrincipalGeodesicAnalysis, ToKernel)
TAKING_MATRICES = (
    *TRANSFORMERS,
    MinimumDistanceToMean,
    KNearestNeighbors,
    OutlierDetector,
)

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
    methods = ("transform", "decision_function", "predict_proba")
    method = next(name for name in methods if hasattr(model, name))
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


class TestNamedVariables:
    """Lists of data frames, and tables with an index of several levels."""

    names = list("wxyz")

    def frames(self, points, order=None):
        pandas = pytest.importorskip("pandas")
        order = self.names if order is None else order
        frames = [pandas.DataFrame(p, self.names, self.names) for p in points]
        return [frame.loc[order, order] for frame in frames]

    @pytest.mark.parametrize("Estimator", TAKING_MATRICES)
    def test_the_order_of_fit_is_kept_to(self, data, Estimator):
        points, labels = data
        expected = answer(fitted(Estimator, data), data)
        model = Estimator().fit(self.frames(points), labels)
        shuffled = self.frames(points, list("yxwz"))
        actual = answer(model, (shuffled, labels))
        np.testing.assert_array_equal(actual, expected)
        with pytest.raises(ValueError, match=r"lacks \[w\]"):
            answer(
                model,
                (
                    [f.rename({"w": "v"}).rename(columns={"w": "v"}) for f in shuffled],
                    labels,
                ),
            )

    def test_orders_may_differ_within_a_list(self, data):
        points, labels = data
        frames = self.frames(points)
        frames[1::2] = self.frames(points, list("zyxw"))[1::2]
        actual = ToCoords().fit_transform(frames)
        np.testing.assert_array_equal(actual, ToCoords().fit_transform(points))
        model = GeodesicRegression().fit(labels[:, None], frames)
        expected = GeodesicRegression().fit(labels[:, None], points)
        np.testing.assert_array_equal(model.coef_, expected.coef_)

    def test_blocks(self, data):
        pandas = pytest.importorskip("pandas")
        blocks = pandas.concat(self.frames(data[0]), keys=range(30))
        actual = ToCoords().fit_transform(blocks)
        np.testing.assert_array_equal(actual, ToCoords().fit_transform(data[0]))


@pytest.mark.parametrize("Estimator", TAKING_MATRICES)
def test_masked_data_are_refused(data, Estimator):
    points, labels = data
    with pytest.raises(TypeError, match=r"X is a masked array with 30 .* \[0, 0, 0\]"):
        Estimator().fit(np.ma.masked_array(points, points * np.eye(4)[0] == 1), labels)
    with pytest.raises(TypeError, match=r"X\[0\] is a masked array"):
        Estimator().fit([np.ma.masked_array(p) for p in points], labels)


class TestRepair:
    """The treatment of bad matrices is found by `fit`, and used afterwards."""

    @pytest.fixture
    def spoilt(self, data):
        points, labels = data
        points = points.copy()
        points[3] = 1.0
        return points, labels

    @pytest.mark.parametrize("Estimator", ESTIMATORS)
    @pytest.mark.filterwarnings("ignore:X|y")
    def test_all_matrices_are_treated_alike(self, spoilt, Estimator):
        spoilt[0][6:16] = 0.98 + 0.02 * spoilt[0][6:16]  # good, close to the boundary
        with pytest.warns(CleaningWarning, match="all 30 treated alike"):
            model = fitted(Estimator, spoilt, on_bad="repair")
        assert model.min_eigenvalue_ == 0.05
        with pytest.warns(CleaningWarning):
            treated, report = clean_points(spoilt[0], "repair")
        expected = fitted(Estimator, (treated, spoilt[1]))
        data = spoilt[0][5:], spoilt[1][5:]  # all good, and still treated
        expected = answer(expected, (treated[5:], data[1]))
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            actual = answer(model, data)
        np.testing.assert_allclose(actual, expected, atol=1e-12)
        assert np.sum(report.shrinkage > 0.0) > 5

    def test_a_matrix_is_answered_for_as_in_a_batch(self, spoilt):
        with pytest.warns(CleaningWarning):
            model = fitted(ToCoords, spoilt, on_bad="repair")
            together = model.transform(spoilt[0])
            alone = [model.transform(point[None])[0] for point in spoilt[0]]
        np.testing.assert_allclose(together, alone, atol=1e-12)

    def test_without_bad_matrices_nothing_changes(self, data, spoilt):
        model = fitted(ToCoords, data, on_bad="repair")
        smallest = np.min(np.linalg.eigvalsh(data[0]))
        assert model.min_eigenvalue_ == pytest.approx(min(0.05, smallest))
        expected = fitted(ToCoords, data).transform(data[0])
        np.testing.assert_allclose(model.transform(data[0]), expected, atol=1e-12)
        with pytest.warns(CleaningWarning, match="X: all 30 treated alike"):
            features = model.transform(spoilt[0])
        np.testing.assert_allclose(features[5:], expected[5:], atol=1e-12)

    def test_what_cannot_be_repaired_is_an_error(self, data):
        points = data[0].copy()
        points[2, 0, 1] = np.nan
        with pytest.raises(BadMatricesError, match="1 of 30 cannot be repaired"):
            ToCoords(on_bad="repair").fit(points)

    def test_the_old_name_is_deprecated(self, spoilt):
        with pytest.warns(DeprecationWarning, match="repair"):
            model = fitted(ToCoords, spoilt, on_bad="mend")
        assert model.min_eigenvalue_ == 0.05

    def test_warnings_point_at_the_line_of_the_caller(self, spoilt):
        with pytest.warns(CleaningWarning) as caught:
            ToCoords(on_bad="repair").fit_transform(spoilt[0])
            clean_points(spoilt[0], "drop")
        assert [w.filename for w in caught] == 3 * [__file__]


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
