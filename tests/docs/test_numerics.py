"""The script behind the page on numerics measures what it says."""

import numpy as np
import pytest

from geomstats_cor import METRICS

pytest.importorskip("torch")
pytest.importorskip("mpmath")


@pytest.mark.parametrize("key", METRICS)
def test_errors_are_near_the_limit(key):
    from benchmarks.numerics import QUANTITIES, measure

    easy, hard = (measure(key, condition, n=4, number=1) for condition in (10.0, 1e6))
    assert 0.1 < easy.amplification < 100.0
    assert hard.amplification > 100.0 * easy.amplification
    for errors in (easy, hard):
        limit = errors.amplification * np.finfo(np.float64).eps
        for name in QUANTITIES:
            assert errors.float64[name] < 1e4 * limit, name
    assert max(easy.float32.values()) > 1e-9 > max(easy.float64.values())


@pytest.mark.parametrize("condition", [1e2, 1e3, 1e4])
@pytest.mark.parametrize("key", METRICS)
def test_maps_reach_the_limit(key, condition):
    from benchmarks.numerics import measure

    errors = measure(key, condition, n=8, number=3)
    limit = errors.amplification * np.finfo(np.float64).eps
    assert errors.float64["map"] < 10.0 * limit
    assert errors.float64["differential"] < 60.0 * limit
