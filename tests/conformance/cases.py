"""The abstract test cases, as they run on matrices of correlations."""

import geomstats.backend as gs
import pytest
from geomstats.geometry.spd_matrices import SPDMatrices
from geomstats.test_cases.geometry.diffeo import (
    DiffeoComparisonTestCase,
    DiffeoTestCase,
)
from geomstats.test_cases.geometry.full_rank_correlation_matrices import (
    FullRankCorrelationMatricesTestCase,
)
from geomstats.test_cases.geometry.pullback_metric import PullbackDiffeoMetricTestCase
from geomstats.test_cases.geometry.riemannian_metric import (
    RiemannianMetricComparisonTestCase,
)
from geomstats.vectorization import get_batch_shape


class _Strict:
    """Compare with a relative tolerance no larger than the absolute one.

    Geomstats' own relative tolerance is 1e-6 or 1e-5.
    """

    # All tangent spaces are the same: vectors repeat along with points or without them.
    tangent_to_multiple = True

    def assertAllClose(self, a, b, rtol=None, atol=gs.atol):  # noqa: N802
        """Fail unless shapes are the same and entries are close."""
        return super().assertAllClose(a, b, rtol=atol, atol=atol)


class ManifoldCase(_Strict, FullRankCorrelationMatricesTestCase):
    """The manifold."""


class DiffeoCase(_Strict, DiffeoTestCase):
    """A diffeomorphism."""


class MetricCase(_Strict, PullbackDiffeoMetricTestCase):
    """A metric."""

    @pytest.mark.random
    def test_metric_matrix_is_spd(self, n_points, atol):
        """Check that metric matrices are symmetric positive definite.

        The test of geomstats is for points that are vectors: it asks for a matrix of
        the size of the ambient space, here n^2, instead of the dimension.
        """
        base_point = self.data_generator.random_point(n_points)
        metric_matrix = self.space.metric.metric_matrix(base_point)
        belongs = SPDMatrices(n=self.space.dim, equip=False).belongs(
            metric_matrix, atol=atol
        )
        batch_shape = get_batch_shape(self.space.point_ndim, base_point)
        self.assertAllEqual(belongs, gs.ones(batch_shape, dtype=bool))


class MetricComparisonCase(_Strict, RiemannianMetricComparisonTestCase):
    """Two metrics that should be one."""


class DiffeoComparisonCase(_Strict, DiffeoComparisonTestCase):
    """Two diffeomorphisms that should be one."""


# The tests of the cases of geomstats that are replaced here.
REPLACED = {"metric_matrix_is_spd"}
