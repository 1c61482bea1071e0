"""Public operations take arguments as Python does, and validate them once."""

import numpy as np
import pytest

from geomstats_cor import FullRankCorrelationMatrices, validation

SPACE = FullRankCorrelationMatrices(3, equip="olm")
POINT = np.eye(3)


@pytest.mark.parametrize(
    ("arguments", "keywords", "message"),
    [
        ((POINT,), {}, "missing 1 required positional argument: 'point_b'"),
        ((POINT, POINT, POINT), {}, "takes 3 positional arguments but 4 were given"),
        ((POINT,), {"end": POINT}, "unexpected keyword argument 'end'"),
        ((POINT, POINT), {"end": POINT}, "unexpected keyword argument 'end'"),
        ((POINT, POINT), {"point_a": POINT}, "multiple values for argument 'point_a'"),
    ],
)
def test_wrong_calls(arguments, keywords, message):
    with pytest.raises(TypeError, match=message):
        SPACE.metric.dist(*arguments, **keywords)


def test_keywords_in_any_order():
    a, b = SPACE.random_point(2, rng=0)
    expected = SPACE.metric.log(a, b)
    np.testing.assert_array_equal(SPACE.metric.log(base_point=b, point=a), expected)


@pytest.mark.parametrize("key", ["ecm", "lecm", "olm", "lsm", "phcm"])
def test_each_point_is_validated_once(key, monkeypatch):
    space = FullRankCorrelationMatrices(3, equip=key)
    a, b = space.random_point(2, rng=0)
    vector = space.random_tangent_vec(a, rng=1)
    seen = []
    compare = validation._is_close

    def counted(x, value):
        seen.append(value)
        return compare(x, value)

    monkeypatch.setattr(validation, "_is_close", counted)
    metric = space.metric
    for call, expected in {
        lambda: metric.dist(a, b): [1.0, 1.0],
        lambda: metric.log(b, a): [1.0, 1.0],
        lambda: metric.exp(vector, a): [0.0, 1.0],
        lambda: metric.parallel_transport(vector, a, end_point=b): [0.0, 1.0, 1.0],
        lambda: metric.sectional_curvature(vector, vector, a): [0.0, 0.0, 1.0],
        lambda: metric.christoffels(a): [1.0],
        lambda: metric.normalize(vector, a): [0.0, 1.0],
        lambda: metric.dist_pairwise(np.stack([a, b])): [1.0],
    }.items():
        seen.clear()
        call()
        assert sorted(seen) == expected
