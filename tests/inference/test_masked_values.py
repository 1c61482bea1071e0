"""Masked arrays raise: what they mask would otherwise count as data."""

import numpy as np
import pytest
from strategies import equipped

from geomstats_cor import CorrelationStack, equal_means_test
from geomstats_cor.exceptions import ArrayTypeError
from geomstats_cor.inference import MultivariateGeodesicRegression
from geomstats_cor.learning import GeodesicRegression, Harmonizer, MinimumDistanceToMean

POINTS = equipped(3, "olm").random_point(12, rng=0)
MASKED = np.ma.masked_equal(np.arange(12) % 3, 2)


@pytest.mark.parametrize(
    "call, name",
    [
        (lambda m: equal_means_test(POINTS, MASKED, "olm"), "labels"),
        (lambda m: m.fit({"dose": MASKED}, POINTS), "covariate 'dose'"),
        (lambda m: m.fit({"x": range(12)}, POINTS, blocks=MASKED), "blocks"),
        (lambda m: Harmonizer("olm").fit(POINTS, sites=MASKED), "sites"),
        (lambda m: GeodesicRegression().fit(MASKED[:, None], POINTS), "X"),
        (
            lambda m: MinimumDistanceToMean().fit(POINTS, [0, 1] * 6, MASKED + 1),
            "sample_weight",
        ),
        (lambda m: CorrelationStack(POINTS, frames=MASKED), "frames"),
    ],
)
def test_masked_values_raise(call, name):
    with pytest.raises(ArrayTypeError, match=f"{name} is a masked array with 4 of 12"):
        call(MultivariateGeodesicRegression("olm"))
