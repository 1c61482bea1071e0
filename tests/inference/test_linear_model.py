"""Regression on several covariates: what is fitted, predicted and tested."""

import warnings

import numpy as np
import pytest
from sklearn.base import clone
from strategies import KEYS, equipped

from geomstats_cor import CorrelationStack, equal_means_test
from geomstats_cor.exceptions import (
    BadMatricesError,
    CoarseTestWarning,
    ParameterError,
    ShapeError,
    UnequalFramesWarning,
)
from geomstats_cor.inference import (
    MultivariateGeodesicRegression,
    adjusted_means_test,
)
from geomstats_cor.kernels import pack_strictly_lower
from geomstats_cor.learning import GeodesicRegression

from .samples import normal_sample

pd = pytest.importorskip("pandas")

every_metric = pytest.mark.parametrize("key", KEYS)
every_flat_metric = pytest.mark.parametrize("key", KEYS[:-1])
every_representation = pytest.mark.parametrize("key", (*KEYS, "entries", "fisher-z"))


@pytest.fixture
def covariates(rng):
    return pd.DataFrame(
        {
            "age": rng.normal(40.0, 10.0, 24),
            "site": rng.permutation(np.repeat(["a", "b", "c"], 8)),
            "dose": rng.uniform(size=24),
        }
    )


@pytest.fixture
def points(rng):
    return normal_sample(equipped(4, "olm"), rng, 24, 0.4)


def quick(function, *arguments, **options):
    """Call a test with few permutations, and without its warning."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", CoarseTestWarning)
        return function(*arguments, n_permutations=19, rng=0, progress=False, **options)


@every_representation
def test_an_exact_relation_is_found(key, covariates, rng):
    model = MultivariateGeodesicRegression(key)
    base = normal_sample(equipped(4, "olm"), rng, 24, 0.05)
    model.fit(covariates, base)
    coef = 0.1 * rng.standard_normal(model.coef_.shape)
    exact = model._representation.points(model._design.matrix @ coef, model.mean_)
    again = MultivariateGeodesicRegression(key).fit(covariates, exact)
    is_flat = key != "phcm"
    np.testing.assert_allclose(again.r2_, 1.0, atol=1e-12 if is_flat else 0.05)
    if is_flat:
        np.testing.assert_allclose(again.predict(covariates), exact, atol=1e-10)
        np.testing.assert_allclose(again.coef_[1:], coef[1:], atol=1e-9)


@every_flat_metric
def test_one_covariate_is_a_geodesic(key, covariates, points):
    X = covariates[["age", "dose"]]
    model = MultivariateGeodesicRegression(key).fit(X, points)
    other = GeodesicRegression(key).fit(X.to_numpy(), points)
    np.testing.assert_allclose(model.coef_[1:], other.coef_, atol=1e-10)
    np.testing.assert_allclose(
        model.predict(X), other.predict(X.to_numpy()), atol=1e-10
    )
    np.testing.assert_allclose(model.r2_, other.score(X.to_numpy(), points), rtol=1e-9)


@every_representation
def test_effects_are_derivatives_of_predictions(key, covariates, points):
    model = MultivariateGeodesicRegression(key).fit(covariates, points)
    step = 1e-5
    for j, (name, effect) in enumerate(model.effects_.items()):
        coords = step * model.coef_[1 + j]
        ahead = model._representation.points(np.stack([coords, -coords]), model.mean_)
        slope = (ahead[0] - ahead[1]) / (2.0 * step)
        np.testing.assert_allclose(slope, effect, atol=1e-7, err_msg=name)


def test_names_go_in_and_come_out(covariates, points):
    names = ["w", "x", "y", "z"]
    frames = [pd.DataFrame(p, index=names, columns=names) for p in points]
    frames[3] = frames[3].loc[names[::-1], names[::-1]]
    subjects = [f"s{i}" for i in range(24)]
    model = MultivariateGeodesicRegression().fit(covariates, frames, subjects=subjects)
    plain = MultivariateGeodesicRegression().fit(covariates, points)
    assert model.variables_ == tuple(names)
    assert list(model.effects_["age"].columns) == names
    np.testing.assert_allclose(model.effects_["age"], plain.effects_["age"], atol=1e-12)
    table = quick(model.edge_test, "age").table()
    assert set(table["variable_i"]) | set(table["variable_j"]) == set(names)
    assert list(model.diagnostics().index) == subjects


def test_stacks_bring_their_names_and_covariates(covariates, points):
    class Stack:
        values, variables = points, pd.Index(["w", "x", "y", "z"])
        index = pd.Index([f"s{i}" for i in range(24)])

    stack = Stack()
    with pytest.raises(ParameterError, match="expected covariates, got None"):
        MultivariateGeodesicRegression().fit(None, stack)
    stack.covariates = covariates.set_index(stack.index)[::-1]
    model = MultivariateGeodesicRegression().fit(None, stack)
    plain = MultivariateGeodesicRegression().fit(covariates, points)
    np.testing.assert_allclose(model.coef_, plain.coef_, atol=1e-12)
    assert model.variables_ == ("w", "x", "y", "z")
    assert list(model.diagnostics().index) == list(stack.index)


@every_flat_metric
def test_the_statistic_is_that_of_least_squares(key, covariates, points):
    model = MultivariateGeodesicRegression(key).fit(covariates, points)
    test = quick(model.test, "site")
    space = equipped(4, key)
    coords = space.metric.to_coords(points)
    full, reduced = model._design.matrix, np.delete(model._design.matrix, [2, 3], 1)
    rss = [np.linalg.lstsq(m, coords, rcond=None)[1].sum() for m in (reduced, full)]
    expected = ((rss[0] - rss[1]) / 2) / (rss[1] / (24 - 5))
    np.testing.assert_allclose(test.statistic, expected, rtol=1e-9)
    assert test.dof == (2, 19)
    table = quick(model.term_tests)
    np.testing.assert_allclose(table.loc["site", "pseudo_f"], expected, rtol=1e-9)
    np.testing.assert_allclose(
        table.loc["site", "partial_r2"], 1.0 - rss[1] / rss[0], rtol=1e-9
    )


@every_metric
def test_groups_alone_are_permanova(key, points):
    labels = np.repeat(["a", "b"], 12)
    expected = equal_means_test(points, labels, key, n_permutations=19, rng=0)
    test = quick(adjusted_means_test, points, labels, key)
    np.testing.assert_allclose(test.statistic, expected.statistic, rtol=1e-8)


@every_metric
def test_pairs_are_compared_within(key, rng):
    # Subjects differ a lot, conditions a little, but always alike.
    space = equipped(3, key)
    before = normal_sample(space, rng, 9, 0.6)
    after = space.metric.exp_coords(np.full(3, 0.1), before)
    points = np.concatenate([before, after])
    labels, subjects = np.repeat(["before", "after"], 9), np.tile(np.arange(9), 2)
    apart = quick(adjusted_means_test, points, labels, key)
    paired = adjusted_means_test(points, labels, key, blocks=subjects, progress=False)
    assert (paired.n_permutations, paired.exhaustive) == (2**9, True)
    assert paired.p_value == 2 / 2**9  # as they are, and all exchanged
    assert paired.p_value < apart.p_value


def test_covariates_are_allowed_for(rng):
    # The groups differ in age, the matrices with age alone.
    space = equipped(3, "olm")
    group = np.repeat([0, 1], 30)
    age = group + 0.5 * rng.standard_normal(60)
    coords = 0.3 * age[:, None] * np.ones(3) + 0.2 * rng.standard_normal((60, 3))
    points = space.metric.from_coords(coords)
    raw = adjusted_means_test(points, group, "olm", n_permutations=199, rng=0)
    adjusted = adjusted_means_test(
        points, group, "olm", {"age": age}, n_permutations=199, rng=0
    )
    assert raw.p_value == 0.005
    assert adjusted.p_value > 0.05
    with pytest.raises(ParameterError, match="named 'labels'"):
        adjusted_means_test(points, group, "olm", {"labels": age})
    with pytest.warns(UnequalFramesWarning, match="from 30 to 40, differs along 'la"):
        adjusted_means_test(
            points, group, "olm", n_permutations=19, frames=30 + 10 * group
        )


def test_terms_along_which_frames_differ_are_named(rng):
    site = np.repeat(["a", "b", "c"], 20)
    frames = np.repeat([60, 80, 90], 20)
    age, dose = rng.standard_normal((2, 60))
    points = equipped(3, "olm").random_point(60, rng=rng)

    def named(covariates, frames):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            stack = CorrelationStack(points, frames=frames)
            MultivariateGeodesicRegression("olm").fit(covariates, stack)
        assert all(w.category is UnequalFramesWarning for w in caught)
        return [str(w.message).split("along ")[1].split(",")[0] for w in caught]

    assert named({"site": site, "age": age}, frames) == ["'site'"]
    # Sites explain all of it, so that age within sites does not.
    older = age + frames / 10
    assert named({"age": older}, frames) == ["'age'"]
    assert named({"age": older, "site": site}, frames) == ["'site'"]
    # With the number of frames as a covariate it is corrected for.
    assert named({"dose": dose, "frames": frames}, frames) == []
    assert named({"site": site}, np.full(60, 80)) == []
    inverse = {"dose": dose + frames / 10, "inverse": 1.0 / frames}
    assert named(inverse, frames) == []
    # A number that stands for one of two groups corrects for nothing.
    patient = np.repeat([0, 1], 30)
    assert named({"patient": patient}, 60 + 20 * patient) == ["'patient'"]
    # Chance is not named, but in one of twenty cases.
    scans = rng.integers(60, 90, (200, 60))
    doses = rng.standard_normal((200, 60))
    alarms = sum(named({"dose": d}, f) != [] for d, f in zip(doses, scans, strict=True))
    assert 1 <= alarms <= 25


def test_the_test_of_groups_names_groups_alone(rng):
    # Sites differ in the number of frames, the groups within them do not.
    group, site = np.tile(["x", "y"], 20), np.repeat(["a", "b"], 20)
    stack = CorrelationStack(
        equipped(3, "olm").random_point(40, rng=rng), frames=np.repeat([60, 90], 20)
    )
    options = {"n_permutations": 19, "rng": 0}
    with warnings.catch_warnings():
        warnings.simplefilter("error", UnequalFramesWarning)
        adjusted_means_test(stack, group, "olm", {"site": site}, **options)
    with pytest.warns(UnequalFramesWarning, match="differs along 'labels'"):
        adjusted_means_test(stack, site, "olm", {"group": group}, **options)


def test_the_frames_of_a_block_count_once(rng):
    # Five scans of a person are equally long: by chance, groups of people differ.
    points = equipped(2, "olm").random_point(100, rng=rng)
    people, alarms = np.repeat(np.arange(20), 5), 0
    for _ in range(100):
        group = rng.permutation(np.arange(20) % 2)[people]
        frames = rng.integers(60, 90, 20)[people]
        model = MultivariateGeodesicRegression("ecm")
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            model.fit({"group": group}, points, blocks=people, frames=frames)
        alarms += len(caught)
    assert alarms <= 15


@every_representation
def test_diagnostics_find_the_outlier(key, covariates, points, rng):
    space = equipped(4, "olm")
    points[5] = space.metric.exp_coords(np.full(6, 1.2), points[5])
    model = MultivariateGeodesicRegression(key).fit(covariates, points)
    table = model.diagnostics()
    assert table["standardized"].idxmax() == 5
    np.testing.assert_allclose(table["leverage"].sum(), 5.0)
    # Cook's distance is how far the fit moves without the matrix.
    if key in KEYS[:-1]:
        kept = np.arange(24) != 5
        other = MultivariateGeodesicRegression(key).fit(covariates[kept], points[kept])
        coords = space_coords(key, model.predict(covariates))
        moved = coords - space_coords(key, other.predict(covariates))
        variance = np.sum(table["distance"] ** 2) / model.dof_
        expected = np.sum(moved**2) / (5 * variance)
        np.testing.assert_allclose(table["cook"][5], expected, rtol=1e-6)


def space_coords(key, points):
    return equipped(4, key).metric.to_coords(points)


def test_inflation(covariates, points):
    covariates["older"] = covariates["age"] + 0.5 * np.arange(24)
    model = MultivariateGeodesicRegression().fit(covariates, points)
    factors = model.inflation()
    assert factors["age"] > 2.0 > factors["dose"] >= 1.0


@every_representation
def test_bands_are_those_of_least_squares_at_the_mean(key, points):
    # With groups alone, the prediction is the mean of a group.
    X = {"group": np.repeat(["a", "b"], 12)}
    model = MultivariateGeodesicRegression(key).fit(X, points)
    low, middle, high = model.bands({"group": ["a"]}, simultaneous=False)
    np.testing.assert_allclose(middle, model.predict({"group": ["a"]}), atol=1e-12)
    assert np.all(low <= middle) and np.all(middle <= high)
    wide_low, _, wide_high = model.bands({"group": ["a"]}, rng=0)
    rows, columns = np.tril_indices(4, -1)
    assert np.all((wide_high - wide_low > high - low)[0, rows, columns])
    if key == "entries":
        entries = pack_strictly_lower(points)
        within = np.concatenate([e - e.mean(axis=0) for e in np.split(entries, 2)])
        error = np.sqrt(np.sum(within**2, axis=0) / 22 / 12)
        half = (high - low)[0, rows, columns] / 2
        np.testing.assert_allclose(half, 2.0738730679 * error, rtol=1e-6)


def test_blocks_widen_bands(rng, points):
    # The same matrices four times over tell no more.
    X = {"dose": np.tile(rng.uniform(size=24), 4)}
    many = np.concatenate([points] * 4)
    options = dict(simultaneous=False)
    free = MultivariateGeodesicRegression().fit(X, many)
    tied = MultivariateGeodesicRegression().fit(X, many, np.tile(np.arange(24), 4))
    widths = [
        (high - low)[0, 1, 0]
        for low, _, high in (m.bands({"dose": [0.5]}, **options) for m in (free, tied))
    ]
    assert 1.5 < widths[1] / widths[0] < 2.7


def test_a_model_can_be_cloned_and_fitted_again(covariates, points):
    model = MultivariateGeodesicRegression("lsm")
    first = clone(model).fit(covariates, points)
    again = first.fit(covariates[["age"]], points)
    assert list(again.effects_) == ["age"]
    assert clone(again).metric == "lsm"


class TestBadInput:
    def fit(self, X, y, **options):
        return MultivariateGeodesicRegression().fit(X, y, **options)

    def test_matrices_are_named(self, covariates, points):
        points[7] = 1.0
        points[9, 2, :] = points[9, :, 2] = np.nan
        names = dict(variables=list("wxyz"), subjects=[f"s{i}" for i in range(24)])
        with pytest.raises(BadMatricesError, match=r"\[7\].*'s7', 's9'.*'y'") as caught:
            self.fit(covariates, points, **names)
        assert [m.index for m in caught.value.bad] == [7, 9]

    def test_names_must_fit(self, covariates, points):
        with pytest.raises(ShapeError, match="variables: expected 4 names, got 2"):
            self.fit(covariates, points, variables=["a", "b"])
        with pytest.raises(ShapeError, match="distinct names, got 'a'"):
            self.fit(covariates, points, variables=list("aabc"))
        with pytest.raises(ShapeError, match="subjects: expected 24 names"):
            self.fit(covariates, points, subjects=["a"])

    def test_numbers_of_matrices(self, covariates, points):
        with pytest.raises(ShapeError, match="expected 23 rows"):
            self.fit(covariates, points[1:])
        with pytest.raises(ShapeError, match="at least 2 matrices, got 1"):
            self.fit(covariates[:1], points[:1])

    def test_terms_and_options(self, covariates, points):
        model = self.fit(covariates, points)
        with pytest.raises(ParameterError, match="'age', 'site', 'dose', got 'sex'"):
            model.test("sex")
        with pytest.raises(ParameterError, match="n_permutations"):
            model.test("age", n_permutations=0)
        with pytest.raises(ParameterError, match="level: expected a number"):
            model.bands(covariates, level=95)
        with pytest.warns(CoarseTestWarning, match="n_permutations >= 19"):
            model.test("age", n_permutations=9)
        with pytest.raises(ParameterError, match="there is no metric 'fisher'"):
            MultivariateGeodesicRegression("fisher").fit(covariates, points)

    def test_a_term_must_vary_where_rows_are_exchanged(self, covariates, points):
        blocks = np.repeat(np.arange(8), 3)
        covariates["group"] = np.repeat(["p", "q"], 12)
        model = self.fit(covariates, points, blocks=blocks)
        with pytest.raises(ParameterError, match="'group' does not vary within blocks"):
            model.test("group", exchange="within")

    def test_fisher_z_needs_correlations_below_one(self, covariates, points):
        points[2, 0, 1] = points[2, 1, 0] = 1.0
        with pytest.raises(ParameterError, match="matrix 2 .* no Fisher z"):
            MultivariateGeodesicRegression("fisher-z").fit(covariates, points)
