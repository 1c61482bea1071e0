"""Every public function and estimator takes matrices in every form, and keeps names.

The walk is over `__all__`: a new public name must be added to `CASES`, or to `EXEMPT`
with a reason.
"""

import inspect

import numpy as np
import pandas as pd
import pytest
from kernels.matrices import random_correlation
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.pipeline import make_pipeline

import geomstats_cor as gc
from geomstats_cor import distributed, inference, learning
from geomstats_cor.exceptions import (
    GeomstatsCorError,
    NotFiniteError,
    ParameterError,
    ShapeError,
    UnequalFramesWarning,
)

NAMES = list("wxyz")
LABELS, TIMES = np.array([0, 1] * 7), np.arange(14.0)
SITES, AGES = np.array(["a", "a", "b", "b"] * 3 + ["a", "b"]), np.sqrt(TIMES)
FEW = dict(n_permutations=19, rng=0)
PIPELINE = make_pipeline(learning.ToCoords("olm"), LogisticRegression())


class Sample:
    """A labelled stack, which a form turns into what a user may pass."""

    def __init__(self, stack, form="array", metric="key"):
        self.stack, self.form = stack, form
        self.olm = METRICS[metric]

    @property
    def points(self):
        """All matrices."""
        return FORMS[self.form](self.stack)

    @property
    def some(self):
        """The last five matrices."""
        return FORMS[self.form](self.stack[9:])

    @property
    def one(self):
        """One matrix: a data frame where there are names, in any order."""
        point = self.stack[0]
        if self.form in SHUFFLED:
            return point.loc[NAMES[::-1], NAMES[::-1]]
        return point if self.form in NAMED else point.to_numpy()


def shuffled(stack):
    """Return data frames whose variables are in other orders, all but in the first."""
    rng = np.random.default_rng(0)
    orders = [NAMES, *(list(rng.permutation(NAMES)) for _ in stack.values[1:])]
    return [point.loc[o, o] for point, o in zip(stack, orders, strict=True)]


FORMS = {
    "array": lambda s: s.values,
    "condensed": lambda s: s.condensed().to_numpy(),
    "nested lists": lambda s: s.values.tolist(),
    "condensed lists": lambda s: s.condensed().to_numpy().tolist(),
    "condensed table": lambda s: s.condensed(),
    "list of arrays": lambda s: list(s.values),
    "list of tables": list,
    "list of tables in several orders": shuffled,
    "blocks": lambda s: s.to_frame(),
    "CorrelationStack": lambda s: s,
}
SPACE = gc.FullRankCorrelationMatrices(4, equip="olm")
METRICS = {
    "key": "olm",
    "class": gc.OffLogMetric,
    "space": SPACE,
    "metric of a space": SPACE.metric,
}
SHUFFLED = {"list of tables in several orders"}
NAMED = {"list of tables", "blocks", "CorrelationStack", *SHUFFLED}


def gaussian(s):
    law = learning.GaussianDistribution.fit(s.points, s.olm, 0.5)
    return law.mean, law.covariance, law.logpdf(s.some), law.sample(2, rng=0)


def streaming(s):
    mean = gc.StreamingMean(s.olm).partial_fit(s.points).partial_fit(s.some)
    return mean.estimate_, mean.variance_


def of_chunks(s):
    result = gc.frechet_mean_of_chunks(s.points, s.olm, progress=False)
    return result.mean, result.variance


def nearest(s):
    points, report = gc.nearest_correlation(s.points, min_eigenvalue=0.3)
    return points, report.distance


def groups_means(s):
    found = gc.equal_means_test(s.points, LABELS, s.olm, **FEW)
    return found.statistic, found.p_value, *found.means


def groups_dispersions(s):
    found = gc.equal_dispersions_test(s.points, LABELS, s.olm, **FEW)
    return found.statistic, found.p_value, *found.means


def anova(s):
    found = gc.frechet_anova(s.points, LABELS, s.olm, **FEW)
    return found.statistic, found.p_value, *found.means


def one_mean(s):
    found = gc.mean_test(s.points, s.one, s.olm, **FEW)
    return found.statistic, found.p_value, *found.means


def adjusted(s):
    ages = {"age": AGES}
    found = gc.adjusted_means_test(s.points, LABELS, s.olm, ages, **FEW)
    return found.statistic, found.p_value


def regression(s):
    model = gc.MultivariateGeodesicRegression(s.olm)
    model.fit({"age": AGES, "site": SITES}, s.points)
    new = {"age": [1.0, 2.0], "site": ["a", "b"]}
    bands = model.bands(new, n_draws=9, rng=0)
    return (
        model.coef_,
        model.predict(new),
        *(model.effects_[name] for name in model.effects_),
        *bands,
        model.diagnostics(),
        model.term_tests(**FEW, progress=False)["p"],
        model.edge_test("age", **FEW).table()["p_max_t"],
        model.edge_test("age", **FEW).matrix("effect"),
        model.network_test("age", 0.5, **FEW).statistic,
    )


def region(method):
    def case(s):
        found = gc.confidence_region(s.points, s.olm, 0.9, method, rng=0)
        return found.mean, found.excess(s.some), found.boundary(3, rng=0)

    return case


def coordinates(s):
    model = learning.ToCoords(s.olm, reference="identity").fit(s.points)
    there = learning.ToCoords(s.olm).fit(s.points)
    coords = there.transform(s.some)
    return (
        model.transform(s.some),
        coords,
        there.with_names(there.reference_),
        there.inverse_transform(np.asarray(coords)),
    )


def principal(s):
    model = learning.PrincipalGeodesicAnalysis(2, s.olm).fit(s.points)
    scores = model.transform(s.some)
    return (
        scores,
        model.component_matrix(0),
        model.geodesic(0, [-1.0, 1.0]),
        model.inverse_transform(np.asarray(scores)),
    )


def geodesic_regression(s):
    model = learning.GeodesicRegression(s.olm).fit(TIMES[:, None], s.points)
    return model.predict([[0.5]]), model.score(TIMES[9:, None], s.some)


def closest_mean(s):
    model = learning.MinimumDistanceToMean(s.olm).fit(s.points, LABELS)
    return (
        model.predict(s.some),
        model.predict_proba(s.some),
        model.distances(s.some),
        model.with_names(model.means_),
    )


def neighbours(s):
    model = learning.KNearestNeighbors(3, s.olm, "angle").fit(s.points, LABELS)
    return (
        model.predict_proba(s.some),
        *model.kneighbors(s.some),
        model.with_names(model.points_),
    )


def outliers(s):
    model = learning.OutlierDetector(s.olm).fit(s.points)
    return model.distances(s.some), model.predict(s.some)


def kernel(s):
    return (learning.ToKernel(s.olm).fit(s.points).transform(s.some),)


def harmonizer(s):
    model = learning.Harmonizer(s.olm).fit(s.points, sites=SITES)
    return (model.transform(s.some, sites=SITES[9:]),)


def identification(s):
    found = learning.fingerprint(s.some, s.points, s.olm, range(9, 14), range(14))
    return found.predicted, found.distances


def distances(s):
    return tuple(
        learning.pairwise_distances(s.some, s.points, s.olm, kind, s.one)
        for kind in ("geodesic", "angle", "entries")
    )


def coefficients(s):
    pipeline = PIPELINE.fit(s.points, LABELS)
    tested = inference.coefficient_test(pipeline, s.points, LABELS, **FEW)
    return (
        inference.coef_matrix(pipeline),
        inference.coef_matrix(pipeline, "pattern", s.points),
        tested.p_max_t,
        tested.matrix("effect"),
    )


def several_coefficients(s):
    pipeline = make_pipeline(learning.ToCoords(s.olm), LinearRegression())
    pipeline.fit(s.points, np.column_stack([AGES, TIMES]))
    return (inference.coef_matrix(pipeline),)


def concatenated(s):
    whole = gc.concatenate([gc.CorrelationStack(s.points), gc.CorrelationStack(s.some)])
    return (whole,)


CASES = {
    "frechet_mean": lambda s: (gc.frechet_mean(s.points, s.olm),),
    "frechet_variance": lambda s: (
        gc.frechet_variance(s.points, s.olm),
        gc.frechet_variance(s.points, s.olm, s.one),
    ),
    "FrechetMean": lambda s: (gc.FrechetMean(s.olm).fit(s.points).estimate_,),
    "geometric_median": lambda s: (gc.geometric_median(s.points, s.olm),),
    "GeometricMedian": lambda s: (gc.GeometricMedian(s.olm).fit(s.points).estimate_,),
    "trimmed_mean": lambda s: (gc.trimmed_mean(s.points, s.olm),),
    "TrimmedMean": lambda s: (gc.TrimmedMean(s.olm).fit(s.points).estimate_,),
    "StreamingMean": streaming,
    "frechet_mean_of_chunks": of_chunks,
    "equal_means_test": groups_means,
    "equal_dispersions_test": groups_dispersions,
    "frechet_anova": anova,
    "mean_test": one_mean,
    "adjusted_means_test": adjusted,
    "MultivariateGeodesicRegression": regression,
    "confidence_region": region("bootstrap"),
    "HotellingRegion": region("hotelling"),
    "as_stack": lambda s: (gc.as_stack(s.points).ravel(),),
    "clean_points": lambda s: (gc.clean_points(s.points)[0],),
    "nearest_correlation": nearest,
    "CorrelationStack": lambda s: (gc.CorrelationStack(s.points),),
    "concatenate": concatenated,
    "ToCoords": coordinates,
    "PrincipalGeodesicAnalysis": principal,
    "GeodesicRegression": geodesic_regression,
    "MinimumDistanceToMean": closest_mean,
    "KNearestNeighbors": neighbours,
    "OutlierDetector": outliers,
    "pairwise_distances": distances,
    "fingerprint": identification,
    "ToKernel": kernel,
    "kernel_matrix": lambda s: (learning.kernel_matrix(s.some, s.points, s.olm, 1.0),),
    "GaussianDistribution": gaussian,
    "Harmonizer": harmonizer,
    "interpolate": lambda s: (learning.interpolate(s.points, TIMES, [0.5], s.olm),),
    "smooth": lambda s: (learning.smooth(s.points, TIMES, s.olm, 3.0),),
    "coef_matrix": several_coefficients,
    "coefficient_test": coefficients,
}

GEOMETRY = "the geometry itself: arrays of any shape, in geomstats' manner"
RESULT = "a result, which functions return"
SIGNALS = "takes signals: see test_recordings.py"
DASK = "takes dask arrays, which have no names"
EXEMPT = {
    "FullRankCorrelationMatrices": GEOMETRY,
    "FullRankCorrelationAffineQuotientMetric": GEOMETRY,
    "OneStepLogScaledMetric": GEOMETRY,
    **{metric.__name__: GEOMETRY for metric in gc.METRICS.values()},
    "METRICS": GEOMETRY,
    "get_metric": GEOMETRY,
    "CondensedCorrelations": "converts from one form to the other",
    "Correlations": SIGNALS,
    "correlations": SIGNALS,
    "correlations_of_equal_frames": SIGNALS,
    "match_frames": "takes labels and numbers of frames",
    "adjust_fdr": "takes p-values",
    "BootstrapBall": "what confidence_region returns by default in its case",
    "coords_of_blocks": DASK,
    "dist_pairwise_of_blocks": DASK,
    **dict.fromkeys(
        [
            "SafePoint",
            "MeanOfChunks",
            "CleaningReport",
            "EstimationReport",
            "NearestReport",
            "Identification",
            "SignificanceTest",
            "EdgeTest",
            "Network",
            "NetworkTest",
        ],
        RESULT,
    ),
}


def public_names():
    names = set()
    for module in (gc, learning, inference, distributed):
        names |= {n for n in module.__all__ if not inspect.ismodule(getattr(module, n))}
    return names


def test_every_public_name_is_walked_over():
    assert not set(CASES) & set(EXEMPT)
    assert public_names() == set(CASES) | set(EXEMPT)


@pytest.fixture
def stack(rng):
    # Exactly symmetric with unit diagonal, so that condensed rows lose nothing.
    points = np.tril(random_correlation(rng, 4, 8.0, (14,)), -1)
    return gc.CorrelationStack(points + points.mT + np.eye(4), NAMES)


def numbers(result):
    return np.asarray(getattr(result, "values", result))


def assert_same(expected, found):
    found = numbers(found)
    if found.shape != expected.shape:  # condensed, as the data of fit
        expected = gc.as_stack(expected)[:, *np.tril_indices(4, -1)]
    np.testing.assert_allclose(found, expected, atol=1e-7)


def is_labelled(result):
    """Tell whether the variables of matrices are named, in the order of the first."""
    if isinstance(result, list):
        return all(map(is_labelled, result))
    if isinstance(result, pd.DataFrame):
        return list(result.index) == list(result.columns) == NAMES
    return list(getattr(result, "variables", ())) == NAMES


@pytest.mark.filterwarnings("ignore::geomstats_cor.exceptions.CoarseTestWarning")
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("name", CASES)
def test_every_form_has_the_same_numbers_and_keeps_its_names(stack, name, form):
    expected = CASES[name](Sample(stack))
    found = CASES[name](Sample(stack, form))
    for one, other in zip(expected, found, strict=True):
        values = numbers(one)
        assert_same(values, other)
        if form in NAMED and values.shape[-2:] == (4, 4):
            assert is_labelled(other), f"no names in {type(other).__name__}"


@pytest.mark.filterwarnings("ignore::geomstats_cor.exceptions.CoarseTestWarning")
@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize("name", CASES)
def test_a_metric_has_four_forms(stack, name, metric):
    expected = CASES[name](Sample(stack))
    found = CASES[name](Sample(stack, metric=metric))
    for one, other in zip(expected, found, strict=True):
        assert_same(numbers(one), other)


TAKES_ANY_MATRIX = {
    "as_stack",
    "nearest_correlation",
    "CorrelationStack",
    "concatenate",
}


@pytest.mark.parametrize("name", sorted(set(CASES) - TAKES_ANY_MATRIX))
def test_the_subject_of_a_bad_matrix_is_named(stack, name):
    values = stack.values.copy()
    values[10] = 1.0
    people = [f"person {i}" for i in range(14)]
    with pytest.raises(GeomstatsCorError, match="The subject is 'person 10'"):
        CASES[name](
            Sample(gc.CorrelationStack(values, NAMES, people), "CorrelationStack")
        )


@pytest.mark.parametrize("unknown", [np.nan, None])
@pytest.mark.parametrize(
    "model", [learning.MinimumDistanceToMean("olm"), learning.KNearestNeighbors(3)]
)
def test_a_missing_class_is_named(stack, model, unknown):
    people = [f"person {i}" for i in range(14)]
    classes = [0.0, 1.0, unknown, *[0.0, 1.0] * 5, 0.0]
    with pytest.raises(NotFiniteError, match=r"missing for \['person 2'\]"):
        model.fit(gc.CorrelationStack(stack, NAMES, people), classes)
    with pytest.raises(NotFiniteError, match=r"missing for \[2\]"):
        model.fit(stack.values, classes)


def test_six_rows_of_six_entries_are_not_one_matrix(stack):
    points = stack.values
    rows = points[:6, *np.tril_indices(4, -1)]
    found = gc.frechet_mean(rows, "olm")
    np.testing.assert_allclose(found, gc.frechet_mean(points[:6], "olm"), atol=1e-12)
    table = pd.DataFrame(rows, columns=[f"pair {i}" for i in range(6)])
    np.testing.assert_allclose(gc.frechet_mean(table.rename(str), "olm"), found)


def test_blocks_in_several_orders_are_aligned(stack):
    there, back = stack[:7], stack[7:].select(variables=NAMES[::-1])
    expected = gc.frechet_mean(stack, "olm")
    found = gc.frechet_mean_of_chunks([there, back], "olm", progress=False).mean
    pd.testing.assert_frame_equal(found, expected)
    one = gc.StreamingMean("olm").partial_fit(there).partial_fit(back)
    pd.testing.assert_frame_equal(one.estimate_, expected)
    with pytest.raises(ParameterError, match=r"\[w, x, y, z\] and \[z, y, x, w\]"):
        gc.StreamingMean("olm").fit(there).merge(gc.StreamingMean("olm").fit(back))


def test_an_iterator_of_blocks_needs_no_space(stack):
    blocks = iter([stack.values[:5], stack.values[5:]])
    found = gc.frechet_mean_of_chunks(blocks, "olm", progress=False).mean
    np.testing.assert_allclose(found, gc.frechet_mean(stack.values, "olm"), atol=1e-12)


def test_other_variables_are_refused(stack):
    strange = stack[0].rename(index={"w": "v"}, columns={"w": "v"})
    for call in (
        lambda: gc.mean_test(stack, strange, "olm", **FEW),
        lambda: gc.frechet_variance(stack, "olm", strange),
        lambda: learning.pairwise_distances(stack, stack, "olm", "angle", strange),
        lambda: gc.confidence_region(stack, "olm").contains(strange),
        lambda: learning.GaussianDistribution.fit(stack, "olm", 0.5).logpdf(strange),
    ):
        with pytest.raises(ShapeError, match=r"adds \[v\] and lacks \[w\]"):
            call()


@pytest.mark.filterwarnings("ignore::geomstats_cor.exceptions.CoarseTestWarning")
@pytest.mark.parametrize(
    "test",
    [
        gc.equal_means_test,
        gc.equal_dispersions_test,
        gc.frechet_anova,
        gc.adjusted_means_test,
    ],
)
def test_frames_travel_with_the_stack(stack, test):
    few = gc.CorrelationStack(stack, frames=np.where(LABELS, 40, 60))
    said = "60 in group '?0'?, 40|from 40 to 60, differs along 'labels'"
    with pytest.warns(UnequalFramesWarning, match=said):
        test(few, LABELS, "olm", **FEW)
