"""The maps of the five metrics pass all tests of geomstats for diffeomorphisms."""

from geomstats.test.parametrizers import DataBasedParametrizer

from .cases import DiffeoCase
from .configurations import DEFAULT, define
from .data import DiffeoData
from .generators import CorrelationGenerator, ImageGenerator


def _case(configuration):
    space = configuration.space()
    image_space = space.metric.image_space
    attributes = dict(
        space=space,
        image_space=image_space,
        diffeo=space.metric.diffeo,
        data_generator=CorrelationGenerator(space),
        image_data_generator=ImageGenerator(image_space),
        testing_data=DiffeoData(DiffeoCase, configuration),
    )
    return DataBasedParametrizer("Case", (DiffeoCase,), attributes)


define(globals(), "TestDiffeo", [(c.title, _case(c)) for c in DEFAULT])
