"""The metrics and maps agree with those of geomstats, where geomstats has them.

Geomstats admits fewer coefficients of the products than are positive definite for n = 2
and 3, and leaves terms with negative coefficients out of them: those here are positive
or zero. Its image of the poly-hyperbolic metric is a product of hemispheres instead of
hyperboloids, so that the map is another and the metric the same.
"""

import geomstats.geometry.full_rank_correlation_matrices as theirs
import pytest
from geomstats.exceptions import AutodiffNotImplementedError
from geomstats.geometry.full_rank_correlation_matrices import SPDScalingFinder
from geomstats.numerics.optimization import NewtonMethod
from geomstats.test.parametrizers import DataBasedParametrizer

from geomstats_cor import METRICS

from .cases import DiffeoComparisonCase, MetricComparisonCase
from .configurations import Configuration, define
from .data import ComparisonData
from .generators import CorrelationGenerator, ImageGenerator

_COEFFICIENTS = {2: (0.0, 0.0, 1.5), 3: (0.0, 2.0, 0.5), 5: (2.0, 0.25, 0.5)}
_NAMES = dict(olm=("alpha", "beta", "gamma"), lsm=("alpha", "delta", "zeta"))
CONFIGURATIONS = [
    Configuration(key, n, dict(zip(_NAMES.get(key, ()), coefficients, strict=False)))
    for n, coefficients in _COEFFICIENTS.items()
    for key in METRICS
]

# What the pullback metrics of geomstats do not implement.
MISSING = {
    "christoffels",
    "cometric_matrix",
    "covariant_riemann_tensor",
    "curvature",
    "curvature_derivative",
    "directional_curvature",
    "directional_curvature_derivative",
    "injectivity_radius",
    "inner_coproduct",
    "inner_product_derivative_matrix",
    "metric_matrix",
    "ricci_tensor",
    "riemann_tensor",
    "scalar_curvature",
    "sectional_curvature",
}
# What its products of hemispheres do not implement.
MISSING_FOR_HEMISPHERES = {"parallel_transport_bvp", "parallel_transport_ivp"}


def missing(configuration):
    """Return the names of the tests of what geomstats does not implement."""
    if configuration.key == "phcm" and configuration.n > 2:
        return MISSING | MISSING_FOR_HEMISPHERES
    return MISSING


def _with_random(names):
    return {*names, *(f"{name}_random" for name in names)}


def _spaces(configuration):
    """Return our space and theirs, whose iterations are asked for all digits."""
    key, n, parameters = configuration
    other = theirs.FullRankCorrelationMatrices(n, equip=False)
    other.equip_with_metric(getattr(theirs, METRICS[key].__name__), **parameters)
    diffeo = other.metric.diffeo
    if key == "olm":
        diffeo.unique_diag_mat = theirs.UniqueDiagonalMatrixAlgorithm(1e-13, 1000)
    elif key == "lsm":
        diffeo.unique_diag_mat = SPDScalingFinder(NewtonMethod(atol=1e-13))
    return configuration.space(), other


def _metric_case(configuration):
    space, other_space = _spaces(configuration)
    attributes = dict(
        space=space,
        other_space=other_space,
        data_generator=CorrelationGenerator(space),
        testing_data=ComparisonData(
            MetricComparisonCase, space.n, _with_random(missing(configuration))
        ),
    )
    return DataBasedParametrizer("Case", (MetricComparisonCase,), attributes)


def _diffeo_case(configuration):
    space, other_space = _spaces(configuration)
    attributes = dict(
        space=space,
        image_space=space.metric.image_space,
        diffeo=space.metric.diffeo,
        other_diffeo=other_space.metric.diffeo,
        data_generator=CorrelationGenerator(space),
        image_data_generator=ImageGenerator(space.metric.image_space),
        testing_data=ComparisonData(DiffeoComparisonCase, space.n),
    )
    return DataBasedParametrizer("Case", (DiffeoComparisonCase,), attributes)


define(
    globals(),
    "TestSameMetric",
    [(f"{c.key.upper()}{c.n}", _metric_case(c)) for c in CONFIGURATIONS],
)
define(
    globals(),
    "TestSameDiffeo",
    [
        (f"{c.key.upper()}{c.n}", _diffeo_case(c))
        for c in CONFIGURATIONS
        if c.key != "phcm"
    ],
)


@pytest.mark.parametrize(
    ("configuration", "name"),
    [(c, name) for c in CONFIGURATIONS if c.n == 5 for name in sorted(missing(c))],
    ids=lambda value: getattr(value, "key", value),
)
def test_is_missing(configuration, name):
    """What is not compared is not there to be compared with."""
    _, other_space = _spaces(configuration)
    case = MetricComparisonCase()
    case.space = case.other_space = other_space
    case.setup_method()
    data = ComparisonData(MetricComparisonCase, configuration.n)
    (arguments,) = getattr(data, f"{name}_test_data")()
    del arguments["marks"]
    with pytest.raises((NotImplementedError, AutodiffNotImplementedError)):
        getattr(case, f"test_{name}")(**arguments, atol=data.atol)
