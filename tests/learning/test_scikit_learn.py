"""The estimators keep the conventions of scikit-learn."""

import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks
from strategies import KEYS

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
