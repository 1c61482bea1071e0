"""Which changes of the variables are isometries of which metric, and which are not."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import (
    correlations,
    equipped,
    properties,
    slack,
    spaces,
    tangent_vectors,
)

from geomstats_cor import FullRankCorrelationMatrices

PERMUTATION_INVARIANT = ["olm", "lsm"]
SIGN_INVARIANT = ["ecm", "lecm", "olm", "phcm"]

# Strong correlations of both signs: no accident makes two distances equal.
STRONG = np.array([[1.0, 0.9, -0.7], [0.9, 1.0, -0.5], [-0.7, -0.5, 1.0]])
OTHER = np.array([[1.0, 0.2, 0.6], [0.2, 1.0, 0.8], [0.6, 0.8, 1.0]])

pytestmark = [
    pytest.mark.filterwarnings("error"),
    # Close to singular matrices may be told of lost digits; the numbers decide here.
    pytest.mark.filterwarnings("ignore::geomstats_cor.exceptions.ConvergenceWarning"),
]


def signs(n):
    return st.lists(st.sampled_from([1.0, -1.0]), min_size=n, max_size=n)


def assert_isometry(space, action, a, b, u):
    """Assert that an action on points and vectors keeps all that a metric measures."""
    metric = space.metric
    tolerance = slack(a, b)
    dist = metric.dist(a, b)
    assert abs(metric.dist(action(a), action(b)) - dist) <= tolerance * (1.0 + dist)
    norm = metric.norm(u, a)
    assert abs(metric.norm(action(u), action(a)) - norm) <= tolerance * (1.0 + norm)
    end, moved = metric.exp(u, a), metric.exp(action(u), action(a))
    assert np.max(np.abs(moved - action(end))) <= slack(a, end)


class TestPermutations:
    @pytest.mark.parametrize("key", PERMUTATION_INVARIANT)
    @properties
    @given(data=st.data())
    def test_are_isometries(self, key, data):
        space = data.draw(spaces(key))
        a, b = data.draw(correlations(space.n)), data.draw(correlations(space.n))
        order = data.draw(st.permutations(range(space.n)))
        vector = data.draw(tangent_vectors(space.metric, a))

        def action(matrix):
            return space.permutation_action(order, matrix)

        assert_isometry(space, action, a, b, vector)

    @pytest.mark.parametrize("key", ["ecm", "lecm", "phcm"])
    def test_are_not_isometries_of_the_cholesky_metrics(self, key):
        space = equipped(3, key)
        permuted = [space.permutation_action([2, 0, 1], c) for c in (STRONG, OTHER)]
        before, after = space.metric.dist(STRONG, OTHER), space.metric.dist(*permuted)
        assert abs(after - before) > 1e-3 * before


class TestSigns:
    @pytest.mark.parametrize("key", SIGN_INVARIANT)
    @properties
    @given(data=st.data())
    def test_are_isometries(self, key, data):
        n = data.draw(st.integers(2, 7))
        space = equipped(n, key)
        a, b = data.draw(correlations(n)), data.draw(correlations(n))
        flips = data.draw(signs(n))
        vector = data.draw(tangent_vectors(space.metric, a))

        def action(matrix):
            return space.signed_permutation_action(range(n), flips, matrix)

        assert_isometry(space, action, a, b, vector)

    @properties
    @given(data=st.data())
    def test_with_permutations_are_isometries_of_the_off_log_metric(self, data):
        n = data.draw(st.integers(2, 7))
        space = equipped(n, "olm", alpha=data.draw(st.floats(0.2, 5.0)))
        a, b = data.draw(correlations(n)), data.draw(correlations(n))
        order, flips = data.draw(st.permutations(range(n))), data.draw(signs(n))
        vector = data.draw(tangent_vectors(space.metric, a))

        def action(matrix):
            return space.signed_permutation_action(order, flips, matrix)

        assert_isometry(space, action, a, b, vector)

    @pytest.mark.parametrize(
        "key, parameters",
        [("lsm", {}), ("olm", dict(beta=0.5)), ("olm", dict(gamma=0.5))],
    )
    def test_are_not_isometries_otherwise(self, key, parameters):
        space = equipped(3, key, **parameters)
        flipped = [
            space.signed_permutation_action([0, 1, 2], [1, -1, 1], c)
            for c in (STRONG, OTHER)
        ]
        before, after = space.metric.dist(STRONG, OTHER), space.metric.dist(*flipped)
        assert abs(after - before) > 1e-3 * before


class TestCorInversion:
    @properties
    @given(data=st.data())
    def test_is_an_isometry_of_the_log_scaled_metric(self, data):
        space = data.draw(spaces("lsm"))
        a, b = data.draw(correlations(space.n)), data.draw(correlations(space.n))
        inverse_a, inverse_b = space.cor_inversion(a), space.cor_inversion(b)
        dist = space.metric.dist(a, b)
        error = abs(space.metric.dist(inverse_a, inverse_b) - dist)
        assert error <= slack(a, b, inverse_a, inverse_b) * (1.0 + dist)

    @properties
    @given(data=st.data())
    def test_negates_the_log_scaling(self, data):
        space = data.draw(spaces("lsm"))
        point = data.draw(correlations(space.n))
        inverse = space.cor_inversion(point)
        image = space.metric.diffeo(point)
        error = np.max(np.abs(space.metric.diffeo(inverse) + image))
        assert error <= slack(point, inverse) * (1.0 + np.max(np.abs(image)))

    @pytest.mark.parametrize("key", ["ecm", "lecm", "olm", "phcm"])
    def test_is_not_an_isometry_of_the_others(self, key):
        space = equipped(3, key)
        inverses = [space.cor_inversion(c) for c in (STRONG, OTHER)]
        before, after = space.metric.dist(STRONG, OTHER), space.metric.dist(*inverses)
        assert abs(after - before) > 1e-3 * before


@pytest.mark.parametrize("matrix", [STRONG, OTHER])
def test_counterexamples_are_correlation_matrices(matrix):
    assert FullRankCorrelationMatrices(3, equip=False).belongs(matrix)
