"""Bars of permutations and resamples can be turned off, and names come out."""

import inspect

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline

from geomstats_cor import Correlations, FullRankCorrelationMatrices, _progress
from geomstats_cor.inference import (
    adjusted_means_test,
    coef_matrix,
    coefficient_test,
    confidence_region,
    equal_dispersions_test,
    equal_means_test,
    frechet_anova,
    mean_test,
)
from geomstats_cor.learning import ToCoords

LABELS = ["a", "b"] * 8
CALLS = {
    equal_means_test: lambda f, x, o: f(x, LABELS, "olm", n_permutations=39, **o),
    equal_dispersions_test: lambda f, x, o: f(x, LABELS, "olm", n_permutations=39, **o),
    frechet_anova: lambda f, x, o: f(x, LABELS, "olm", n_permutations=39, **o),
    mean_test: lambda f, x, o: f(x, np.eye(3), "olm", n_permutations=39, **o),
    confidence_region: lambda f, x, o: f(x, "olm", method="bootstrap", **o),
}


class Bars:
    """Stands for tqdm, and counts its bars and steps."""

    def __init__(self):
        self.units, self.done = [], 0

    def __call__(self, total, unit, **options):
        self.units.append((total, unit))
        return self

    def __enter__(self):
        return self

    def __exit__(self, *error):
        return None

    def update(self, number):
        self.done += number


@pytest.fixture
def bars(monkeypatch):
    found = Bars()
    monkeypatch.setattr(_progress, "_tqdm", lambda: found)
    return found


@pytest.fixture
def points(rng):
    return FullRankCorrelationMatrices(3).random_point(16, rng=rng)


@pytest.mark.parametrize("function", CALLS)
def test_each_test_shows_a_bar_unless_told_not_to(function, points, bars):
    CALLS[function](function, points, {"rng": 0})
    ((total, _),) = bars.units
    assert bars.done == total > 0
    CALLS[function](function, points, {"rng": 0, "progress": False})
    assert len(bars.units) == 1


def test_all_of_them_have_the_same_option():
    for function in (*CALLS, adjusted_means_test, coefficient_test):
        assert inspect.signature(function).parameters["progress"].default is True


def test_estimation_shows_recordings(rng, bars):
    signals = rng.standard_normal((7, 3, 30))
    Correlations("graphical-lasso").fit(signals)
    assert (7, " recordings") in bars.units
    assert bars.done == sum(total for total, _ in bars.units)
    before = len(bars.units)
    Correlations("graphical-lasso", progress=False).fit(signals)
    assert len(bars.units) == before


def test_coefficients_carry_the_names_of_variables(points):
    names = ["Cz", "Pz", "Oz"]
    named = [pd.DataFrame(point, names, names) for point in points]
    pipeline = make_pipeline(ToCoords("olm"), LogisticRegression())
    matrix = coef_matrix(pipeline.fit(named, LABELS))
    assert list(matrix.index) == list(matrix.columns) == names
    plain = coef_matrix(pipeline.fit(points, LABELS))
    np.testing.assert_array_equal(matrix.to_numpy(), plain)
