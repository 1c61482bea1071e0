"""Sites are removed, covariates are kept, and new sites are dealt with as told."""

import numpy as np
import pytest
import sklearn
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import LeaveOneGroupOut, cross_validate
from sklearn.pipeline import make_pipeline
from strategies import KEYS, equipped

from geomstats_cor import frechet_mean, frechet_variance
from geomstats_cor.exceptions import NotFiniteError, ParameterError, ShapeError
from geomstats_cor.kernels import pack_strictly_lower
from geomstats_cor.learning import Harmonizer, ToCoords
from geomstats_cor.learning._combat import Combat

every_metric = pytest.mark.parametrize("key", KEYS)


@pytest.fixture
def data(rng):
    """Return matrices of three sites, their sites, and ages with an effect."""
    sites, age = np.repeat(["a", "b", "c"], 20), rng.normal(size=60)
    shift = np.repeat([0.0, 0.5, -0.3], 20)[:, None]
    spread = np.repeat([0.2, 0.4, 0.2], 20)[:, None]
    coords = shift + spread * rng.standard_normal((60, 6)) + 0.15 * age[:, None]
    return equipped(4, "olm").metric.from_coords(coords), sites, age


def by_site(points):
    return points.reshape(3, 20, 4, 4)


@every_metric
def test_recentred_sites_have_one_mean(key, data):
    points, sites, _ = data
    space = equipped(4, key)
    harmonizer = Harmonizer(key, method="recentre").fit(points, sites=sites)
    alike = harmonizer.transform(points, sites=sites)
    for mean in frechet_mean(by_site(alike), space):
        np.testing.assert_allclose(mean, harmonizer.mean_, atol=1e-9)
    # Transport is an isometry: distances within a site are what they were, from the
    # mean for every metric.
    for site in range(3):
        before = space.metric.dist(by_site(points)[site], harmonizer.site_means_[site])
        after = space.metric.dist(by_site(alike)[site], harmonizer.mean_)
        np.testing.assert_allclose(after, before, rtol=1e-8)


@every_metric
def test_one_scale_makes_dispersions_equal(key, data):
    points, sites, _ = data
    harmonizer = Harmonizer(key, method="recentre", scale="common")
    alike = harmonizer.fit_transform(points, sites=sites)
    variances = frechet_variance(by_site(alike), equipped(4, key))
    np.testing.assert_allclose(variances, variances[0], rtol=1e-7)


@pytest.mark.parametrize("key", KEYS[:-1])
def test_location_and_scale_without_empirical_bayes(key, data):
    points, sites, _ = data
    harmonizer = Harmonizer(key, empirical_bayes=False)
    alike = harmonizer.fit_transform(points, sites=sites)
    coords = equipped(4, key).metric.to_coords(alike).reshape(3, 20, 6)
    means, deviations = coords.mean(axis=1), coords.std(axis=1)
    np.testing.assert_allclose(means, np.tile(means[0], (3, 1)), atol=1e-9)
    np.testing.assert_allclose(deviations, np.tile(deviations[0], (3, 1)), rtol=1e-8)


def test_covariates_are_kept(rng):
    # All of site b are old: without the covariate, age goes with the site.
    age = np.concatenate([rng.uniform(20, 40, 40), rng.uniform(35, 70, 40)])
    member = np.repeat([0, 1], 40)
    vectors = 0.05 * age[:, None] * np.ones(5) + 1.5 * member[:, None]
    vectors = vectors + 0.1 * rng.standard_normal((80, 5))
    for covariates, slope in ((age[:, None], 0.05), (np.zeros((80, 0)), None)):
        model = Combat(empirical_bayes=False).fit(vectors, member, covariates)
        parts = [
            model.remove(vectors[member == s], covariates[member == s], e)
            for s, e in enumerate(model.effects)
        ]
        found = np.polyfit(age, np.concatenate(parts).mean(axis=1), 1)[0]
        if slope is None:
            assert found < 0.04
        else:
            assert found == pytest.approx(slope, abs=0.002)


def test_small_sites_borrow_strength(rng):
    # Many coordinates share a shift; a site of four shrinks towards the average shift.
    vectors = rng.standard_normal((44, 300))
    member = np.repeat([0, 1], [40, 4])
    vectors[member == 1] += 0.8
    nothing = np.zeros((44, 0))
    fits = [Combat("none", eb).fit(vectors, member, nothing) for eb in (False, True)]
    spreads = [np.std(model.effects[1].location) for model in fits]
    assert spreads[1] < 0.8 * spreads[0]
    averages = [np.mean(model.effects[1].location) for model in fits]
    np.testing.assert_allclose(averages[1], averages[0], rtol=0.05)


@every_metric
@pytest.mark.parametrize("method", ["combat", "recentre"])
def test_answers_are_matrices_and_do_not_depend_on_the_batch(key, method, data):
    points, sites, _ = data
    harmonizer = Harmonizer(key, method=method).fit(points, sites=sites)
    together = harmonizer.transform(points, sites=sites)
    assert np.all(equipped(4, key).belongs(together))
    alone = harmonizer.transform(points[25:26], sites=sites[25:26])
    np.testing.assert_allclose(alone[0], together[25], atol=1e-12)
    condensed = pack_strictly_lower(points)
    again = clone(harmonizer).fit_transform(condensed, sites=sites)
    np.testing.assert_allclose(again, pack_strictly_lower(together), atol=1e-12)


@pytest.mark.parametrize("method", ["combat", "recentre"])
def test_new_sites(method, data):
    points, sites, _ = data
    train = sites != "c"
    harmonizer = Harmonizer("olm", method=method).fit(points[train], sites=sites[train])
    with pytest.raises(ParameterError, match="'c' was not in fit, which saw 'a', 'b'"):
        harmonizer.transform(points, sites=sites)
    harmonizer.set_params(new_sites="pass")
    left = harmonizer.transform(points, sites=sites)
    np.testing.assert_array_equal(left[~train], points[~train])
    harmonizer.set_params(new_sites="estimate")
    moved = harmonizer.transform(points[~train], sites=sites[~train])
    space = equipped(4, "olm")
    old, new = (
        space.metric.dist(frechet_mean(p, space), harmonizer.mean_)
        for p in (points[~train], moved)
    )
    assert new < 0.5 * old
    with pytest.raises(ShapeError, match="site 'c' has 2 of the matrices"):
        harmonizer.transform(points[-2:], sites=sites[-2:])


def test_pipelines_route_sites(data, rng):
    points, sites, age = data
    labels = rng.permutation([0, 1] * 30)
    with sklearn.config_context(enable_metadata_routing=True):
        request = dict(sites=True, covariates=True)
        harmonizer = Harmonizer("olm", new_sites="estimate")
        harmonizer.set_fit_request(**request).set_transform_request(**request)
        pipeline = make_pipeline(harmonizer, ToCoords("olm"), LogisticRegression())
        given = {"sites": sites, "covariates": age}
        pipeline.fit(points, labels, **given)
        assert pipeline.predict(points, **given).shape == (60,)
        scores = cross_validate(
            pipeline,
            points,
            labels,
            cv=LeaveOneGroupOut(),
            params={"groups": sites, **given},
            error_score="raise",
        )
        assert scores["test_score"].shape == (3,)


class TestBadInput:
    @pytest.mark.parametrize(
        ("parameters", "message"),
        [
            ({"method": "mean"}, "method: expected one of"),
            ({"scale": "big"}, "scale: expected one of"),
            ({"new_sites": "guess"}, "new_sites: expected one of"),
            (
                {"method": "recentre", "scale": "coordinate"},
                'goes with method="combat"',
            ),
        ],
    )
    def test_options(self, data, parameters, message):
        with pytest.raises(ParameterError, match=message):
            Harmonizer(**parameters).fit(data[0], sites=data[1])

    def test_sites(self, data):
        points, sites, _ = data
        with pytest.raises(ParameterError, match="set_fit_request"):
            Harmonizer().fit(points)
        with pytest.raises(ShapeError, match=r"sites: expected shape \[60\]"):
            Harmonizer().fit(points, sites=sites[1:])
        missing = sites.astype(object)
        missing[7] = None
        with pytest.raises(NotFiniteError, match="no site for matrix 7"):
            Harmonizer().fit(points, sites=missing)
        sites = np.array(["lonely", *sites[1:]])
        with pytest.raises(ShapeError, match="site 'lonely' has 1 of the matrices"):
            Harmonizer().fit(points, sites=sites)

    def test_covariates(self, data):
        points, sites, age = data
        with pytest.raises(ParameterError, match="'scanner' is determined by the site"):
            Harmonizer().fit(
                points, sites=sites, covariates={"scanner": (sites == "a") * 1.0}
            )
        with pytest.raises(ParameterError, match="keeps no effects"):
            Harmonizer(method="recentre").fit(points, sites=sites, covariates=age)
        harmonizer = Harmonizer().fit(points, sites=sites, covariates={"age": age})
        with pytest.raises(ParameterError, match=r"those of fit \(age\), got none"):
            harmonizer.transform(points, sites=sites)
        with pytest.raises(NotFiniteError, match="'age' is missing for row 3"):
            age[3] = np.nan
            harmonizer.transform(points, sites=sites, covariates={"age": age})
        with pytest.raises(ShapeError, match="expected 60 rows"):
            harmonizer.transform(points, sites=sites, covariates={"age": age[:3]})
