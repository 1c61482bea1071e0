"""The manifold passes all tests of geomstats for full-rank correlation matrices."""

from geomstats.test.parametrizers import DataBasedParametrizer

from geomstats_cor import FullRankCorrelationMatrices

from .cases import ManifoldCase
from .configurations import SIZES, define
from .data import ManifoldData


def _case(n):
    space = FullRankCorrelationMatrices(n, equip=False)
    testing_data = ManifoldData(ManifoldCase, space)
    attributes = dict(space=space, testing_data=testing_data)
    return DataBasedParametrizer("Case", (ManifoldCase,), attributes)


# The random points are those of the manifold itself.
define(globals(), "TestManifold", [(str(n), _case(n)) for n in SIZES])
