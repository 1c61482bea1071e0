"""What the tests of plotting share: no windows, data, and interpreters."""

import matplotlib
import numpy as np
import pytest

from geomstats_cor import METRICS, FullRankCorrelationMatrices
from geomstats_cor.plotting import from_entries

matplotlib.use("Agg")


@pytest.fixture(autouse=True)
def no_figure_stays_open():
    import matplotlib.pyplot as plt

    yield
    plt.close("all")


@pytest.fixture(params=list(METRICS))
def space(request):
    """3 x 3 matrices under each metric."""
    return FullRankCorrelationMatrices(3, equip=request.param)


@pytest.fixture
def start():
    return from_entries([0.77, 0.68, 0.58])


@pytest.fixture
def end():
    return from_entries([-0.61, -0.8, 0.18])


@pytest.fixture
def points(rng):
    """Correlation matrices of moderate size."""
    metric = FullRankCorrelationMatrices(3, equip="olm").metric
    return np.asarray(metric.from_coords(rng.standard_normal((30, 3))))
