"""What is named after the matrices is brought into their order."""

import numpy as np
import pandas as pd
import pytest
from strategies import equipped

from geomstats_cor import CorrelationStack, equal_means_test, frechet_mean
from geomstats_cor.exceptions import NotFiniteError, ShapeError
from geomstats_cor.inference import MultivariateGeodesicRegression, adjusted_means_test
from geomstats_cor.learning import GeodesicRegression, Harmonizer, smooth

NAMES = [f"s{i}" for i in range(24)]
OPTIONS = {"n_permutations": 19, "rng": 0}


@pytest.fixture
def stack():
    points = equipped(3, "olm").random_point(24, rng=0)
    return CorrelationStack(points, ["a", "b", "c"], NAMES)


@pytest.fixture
def table(rng):
    return pd.DataFrame(
        {
            "group": np.where(np.arange(24) % 3 == 0, "x", "y"),
            "site": np.array(["u", "v", "w"])[np.arange(24) // 8],
            "age": rng.normal(size=24),
        },
        NAMES,
    )


def test_frames(stack):
    frames = pd.Series(range(50, 74), NAMES)
    turned = CorrelationStack(stack, frames=frames[::-1])
    np.testing.assert_array_equal(turned.frames, frames)


def test_labels(stack, table):
    expected = equal_means_test(stack, table["group"].to_numpy(), "olm", **OPTIONS)
    result = equal_means_test(stack, table["group"][::-1], "olm", **OPTIONS)
    assert result.statistic == expected.statistic
    numbered = table["group"][::-1].reset_index(drop=True)
    result = equal_means_test(stack, numbered, "olm", **OPTIONS)
    assert result.statistic != expected.statistic
    with pytest.raises(ShapeError, match=r"labels are of other .*\['s0'\]"):
        equal_means_test(stack, table["group"].rename({"s0": "t"}), "olm", **OPTIONS)
    strangers = table["group"].set_axis(range(100, 124))
    with pytest.raises(ShapeError, match="without names, as in labels.reset_index"):
        equal_means_test(stack, strangers, "olm", **OPTIONS)


def test_labels_covariates_and_blocks(stack, table):
    def statistic(labels, covariates, blocks):
        return adjusted_means_test(
            stack, labels, "olm", covariates, blocks, **OPTIONS
        ).statistic

    expected = statistic(
        table["group"].to_numpy(), table[["age"]].to_numpy(), table["site"].to_numpy()
    )
    mixed = table.sample(frac=1, random_state=0)
    result = statistic(table["group"][::-1], mixed[["age"]], mixed["site"])
    assert result == pytest.approx(expected)


def test_blocks_of_a_regression(stack, table):
    def permuted(blocks):
        model = MultivariateGeodesicRegression("olm")
        model.fit(table[["age"]], stack, blocks=blocks)
        return model.test("age", **OPTIONS).null_distribution

    expected = permuted(table["site"].to_numpy())
    np.testing.assert_array_equal(permuted(table["site"][::-1]), expected)
    with pytest.raises(NotFiniteError, match="blocks has a missing label in row 2"):
        permuted([0, 1, None, *range(3, 24)])


def test_sites_and_covariates_of_a_harmonizer(stack, table):
    harmonizer = Harmonizer("olm")
    sites, covariates = table["site"], table[["age"]]
    with pytest.raises(NotFiniteError, match="no site for subject 's3', one of 1:"):
        harmonizer.fit(stack, sites=sites.mask(sites.index == "s3"))
    expected = harmonizer.fit_transform(stack, None, sites, covariates).values
    alike = harmonizer.fit_transform(stack, None, sites[::-1], covariates[::-1])
    np.testing.assert_allclose(alike.values, expected)


def test_a_harmonised_stack_keeps_its_labels(stack, table):
    covariates = table[["age"]]
    named = CorrelationStack(stack, frames=range(50, 74), covariates=covariates)
    alike = Harmonizer("olm").fit_transform(named, sites=table["site"])
    assert list(alike.index) == NAMES
    np.testing.assert_array_equal(alike.frames, named.frames)
    pd.testing.assert_frame_equal(alike.covariates, covariates)
    harmonizer = Harmonizer("olm").fit(named, sites=table["site"])
    turned = named.select(NAMES[3::-1], ["c", "a", "b"])
    few = harmonizer.transform(turned, sites=table["site"][:4])
    assert list(few.variables) == ["a", "b", "c"]
    np.testing.assert_allclose(few.values, alike.select(NAMES[3::-1]).values)


def test_covariates_of_a_geodesic(stack, table):
    X = table[["age"]]
    expected = GeodesicRegression("olm").fit(X, stack)
    model = GeodesicRegression("olm").fit(X[::-1], stack)
    np.testing.assert_allclose(model.coef_, expected.coef_)
    assert model.score(X[::-1], stack) == pytest.approx(expected.score(X, stack))


def test_weights_and_times(stack, table):
    weights = table["age"] ** 2
    expected = frechet_mean(stack, "olm", weights.to_numpy())
    pd.testing.assert_frame_equal(frechet_mean(stack, "olm", weights[::-1]), expected)
    times = table["age"]
    path = smooth(stack, times[::-1], "olm", bandwidth=0.5)
    expected = smooth(stack, times.to_numpy(), "olm", bandwidth=0.5)
    np.testing.assert_array_equal(path.values, expected.values)


@pytest.mark.parametrize("own", [["b", "b", "a", "a"], ["a", "a", "a", "b"]])
def test_names_that_match_several_rows_raise(stack, own):
    ages = pd.DataFrame({"age": range(4)}, own)
    with pytest.raises(ShapeError, match="covariates have several rows for"):
        CorrelationStack(stack.values[:4], index=list("aabb"), covariates=ages)
    same = CorrelationStack(
        stack.values[:4], index=list("aabb"), covariates=ages.set_axis(list("aabb"))
    )
    assert list(same.covariates["age"]) == [0, 1, 2, 3]
