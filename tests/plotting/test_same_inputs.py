"""Plots take matrices in every form, and a metric by its key."""

import matplotlib.pyplot as plt
import numpy as np
import pytest

import geomstats_cor as gc
from geomstats_cor import plotting

SPACE = gc.FullRankCorrelationMatrices(3, equip="olm")
NAMES = list("abc")
STACKS = {
    "condensed": lambda s: s.condensed().to_numpy(),
    "condensed table": lambda s: s.condensed(),
    "list of arrays": lambda s: list(s.values),
    "list of tables": list,
    "blocks": lambda s: s.to_frame(),
    "CorrelationStack": lambda s: s,
}
CLOUDS = {
    "entries": plotting.entries,
    "class_markers": lambda x: plotting.class_markers(x, [0, 1] * 3)[1].points,
    "mean_markers": lambda x: plotting.mean_markers(x)[2].points,
    "plot_frechet_mean": lambda x: plotting.plot_frechet_mean(x, "olm")._offsets3d,
    "plot_matrices": lambda x: [
        np.asarray(ax.images[0].get_array()) for ax in plotting.plot_matrices(x)
    ],
}
PATHS = {
    "geodesic_path": lambda *ends: plotting.geodesic_path("olm", *ends),
    "transported_frame": lambda *ends: plotting.transported_frame("olm", *ends, 3)[1],
    "plot_film_strip": lambda *ends: np.asarray(
        plotting.plot_film_strip("olm", *ends)[-1].images[0].get_array()
    ),
}


@pytest.fixture
def stack():
    points = np.tril(SPACE.random_point(6, rng=0), -1)
    return gc.CorrelationStack(points + points.mT + np.eye(3), NAMES)


@pytest.mark.parametrize("form", STACKS)
@pytest.mark.parametrize("name", CLOUDS)
def test_stacks(stack, name, form):
    found = CLOUDS[name](STACKS[form](stack))
    np.testing.assert_allclose(found, CLOUDS[name](stack.values), atol=1e-12)
    plt.close("all")


@pytest.mark.parametrize("name", PATHS)
def test_ends_are_aligned_by_name(stack, name):
    back = stack[1].loc[NAMES[::-1], NAMES[::-1]]
    found = PATHS[name](stack[0], back)
    np.testing.assert_allclose(found, PATHS[name](*stack.values[:2]), atol=1e-12)
    plt.close("all")


def test_a_film_strip_has_the_names(stack):
    axes = plotting.plot_film_strip("olm", stack[0], stack[1])
    assert [label.get_text() for label in axes[0].get_xticklabels()] == NAMES
    plt.close("all")


@pytest.mark.parametrize("metric", ["olm", gc.OffLogMetric, SPACE.metric])
def test_a_metric_has_four_forms(stack, metric):
    found = plotting.plot_frechet_mean(stack, metric)._offsets3d
    expected = plotting.plot_frechet_mean(stack, SPACE)._offsets3d
    np.testing.assert_allclose(np.asarray(found), np.asarray(expected))
    plt.close("all")
