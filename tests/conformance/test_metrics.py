"""The five metrics pass all tests of geomstats for pullback metrics."""

from geomstats.test.parametrizers import DataBasedParametrizer

from .cases import MetricCase
from .configurations import CONFIGURATIONS, define, exceptions
from .data import MetricData
from .generators import CorrelationGenerator


def _case(configuration):
    space = configuration.space()
    attributes = dict(
        space=space,
        data_generator=CorrelationGenerator(space),
        testing_data=MetricData(
            MetricCase, configuration, space, exceptions(configuration)
        ),
    )
    return DataBasedParametrizer("Case", (MetricCase,), attributes)


define(globals(), "TestMetric", [(c.title, _case(c)) for c in CONFIGURATIONS])
