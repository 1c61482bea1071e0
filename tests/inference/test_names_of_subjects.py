"""What is named after the matrices is brought into their order."""

import numpy as np
import pandas as pd
import pytest
from strategies import equipped

from geomstats_cor import CorrelationStack, equal_means_test
from geomstats_cor.exceptions import ShapeError
from geomstats_cor.inference import MultivariateGeodesicRegression, adjusted_means_test
from geomstats_cor.learning import GeodesicRegression, Harmonizer

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


def test_labels(stack, table):
    expected = equal_means_test(stack, table["group"].to_numpy(), "olm", **OPTIONS)
    result = equal_means_test(stack, table["group"][::-1], "olm", **OPTIONS)
    assert result.statistic == expected.statistic
    numbered = table["group"][::-1].reset_index(drop=True)
    result = equal_means_test(stack, numbered, "olm", **OPTIONS)
    assert result.statistic != expected.statistic
    with pytest.raises(ShapeError, match=r"labels are of other .*\['s0'\]"):
        equal_means_test(stack, table["group"].rename({"s0": "t"}), "olm", **OPTIONS)
    elsewhere = table["group"].set_axis(range(100, 124))  # no name in common
    result = equal_means_test(stack, elsewhere, "olm", **OPTIONS)
    assert result.statistic == expected.statistic


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


def test_sites_and_covariates_of_a_harmonizer(stack, table):
    harmonizer = Harmonizer("olm")
    sites, covariates = table["site"], table[["age"]]
    expected = harmonizer.fit_transform(stack, None, sites, covariates).values
    alike = harmonizer.fit_transform(stack, None, sites[::-1], covariates[::-1])
    np.testing.assert_allclose(alike.values, expected)


def test_covariates_of_a_geodesic(stack, table):
    X = table[["age"]]
    expected = GeodesicRegression("olm").fit(X, stack)
    model = GeodesicRegression("olm").fit(X[::-1], stack)
    np.testing.assert_allclose(model.coef_, expected.coef_)
    assert model.score(X[::-1], stack) == pytest.approx(expected.score(X, stack))
