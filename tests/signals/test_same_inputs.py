"""Functions take a stack in every form, and a metric by its key."""

import numpy as np
import pandas as pd
import pytest
from kernels.matrices import random_correlation

import geomstats_cor as gc
from geomstats_cor import learning

LABELS, TIMES = [0, 1] * 7, np.arange(14.0)
ONE = dict(n_permutations=49, rng=0)

FUNCTIONS = {
    "mean": lambda x: gc.frechet_mean(x, "olm"),
    "variance": lambda x: gc.frechet_variance(x, "olm"),
    "median": lambda x: gc.geometric_median(x, "olm"),
    "trimmed": lambda x: gc.trimmed_mean(x, "olm"),
    "mean as an estimator": lambda x: gc.FrechetMean("olm").fit(x).estimate_,
    "means": lambda x: gc.equal_means_test(x, LABELS, "olm", **ONE).statistic,
    "dispersions": lambda x: (
        gc.equal_dispersions_test(x, LABELS, "olm", **ONE).statistic
    ),
    "anova": lambda x: gc.frechet_anova(x, LABELS, "olm", **ONE).statistic,
    "Gaussian": lambda x: learning.GaussianDistribution.fit(x, "olm", 0.5).mean,
    "smooth": lambda x: learning.smooth(x, TIMES, "olm", 3.0),
    "interpolate": lambda x: learning.interpolate(x, TIMES, [0.5], "olm"),
    "kernel": lambda x: learning.kernel_matrix(x, x, "olm", 1.0),
    "distances": lambda x: learning.pairwise_distances(x, x, "olm"),
    "clean": lambda x: gc.clean_points(x)[0],
    "coordinates": lambda x: learning.ToCoords("olm").fit_transform(x),
}


@pytest.fixture
def points(rng):
    # Exactly symmetric with unit diagonal, so that condensed rows lose nothing.
    points = np.tril(random_correlation(rng, 4, 8.0, (14,)), -1)
    return points + points.mT + np.eye(4)


FORMS = {
    "stack": lambda s: s,
    "condensed": lambda s: s.condensed().to_numpy(),
    "nested lists": lambda s: s.condensed().to_numpy().tolist(),
    "condensed table": lambda s: s.condensed(),
    "list of arrays": lambda s: list(s.values),
    "list of tables": list,
    "blocks": lambda s: s.to_frame(),
}


@pytest.mark.filterwarnings("ignore::geomstats_cor.exceptions.CoarseTestWarning")
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("name", FUNCTIONS)
def test_every_form_is_the_same(points, name, form):
    stack = gc.CorrelationStack(points, list("wxyz"))
    expected = np.asarray(FUNCTIONS[name](points))
    found = np.asarray(FUNCTIONS[name](FORMS[form](stack)))
    np.testing.assert_allclose(found, expected, atol=1e-7)


def test_six_rows_of_six_entries_are_not_one_matrix(points):
    rows = points[:6, *np.tril_indices(4, -1)]
    found = gc.frechet_mean(rows, "olm")
    np.testing.assert_allclose(found, gc.frechet_mean(points[:6], "olm"), atol=1e-12)
    table = pd.DataFrame(rows, columns=[f"pair {i}" for i in range(6)])
    np.testing.assert_allclose(gc.frechet_mean(table.rename(str), "olm"), found)
