"""Scenes as figures of plotly."""

import numpy as np
import pytest

from geomstats_cor import plotting
from geomstats_cor.plotting import Curves, Markers, Scene, Surface

plotly = pytest.importorskip("plotly")

TRIANGLE = np.array([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.5]])


def test_layers_keep_their_numbers():
    scene = Scene(
        (
            Surface(TRIANGLE, np.array([[0, 1, 2]]), "#D55E00", 0.4),
            Curves((TRIANGLE, TRIANGLE[:2]), "0.5", label="curves"),
            Markers(TRIANGLE[:2], "black", "s", label="points"),
        ),
        title="$T$",
    )
    surface, curves, markers = plotting.interactive_figure(scene).data
    np.testing.assert_array_equal(
        np.stack([surface.x, surface.y, surface.z], -1), TRIANGLE
    )
    assert (surface.i[0], surface.j[0], surface.k[0]) == (0, 1, 2)
    assert (surface.color, surface.opacity) == ("#d55e00", 0.4)
    assert np.isnan(curves.x[3])
    np.testing.assert_array_equal(curves.y[4:6], TRIANGLE[:2, 1])
    assert markers.marker.symbol == "square"
    assert [trace.showlegend for trace in (surface, curves, markers)] == [
        False,
        True,
        True,
    ]


def test_a_name_is_in_the_legend_once_and_each_scene_in_its_place():
    scenes = [
        Scene((Markers(TRIANGLE, label="points"),), title=f"scene {k}")
        for k in range(4)
    ]
    figure = plotting.interactive_figure(scenes)
    assert [trace.showlegend for trace in figure.data] == [True, False, False, False]
    assert len({trace.scene for trace in figure.data}) == 4
    assert [note.text for note in figure.layout.annotations] == [
        f"scene {k}" for k in range(4)
    ]
    for k in range(1, 5):
        scene = figure.layout["scene" if k == 1 else f"scene{k}"]
        assert scene.xaxis.title.text == "C21"
        assert scene.aspectmode == "data"


def test_every_figure_has_its_scene(points):
    figure = plotting.interactive_figure(plotting.cone_scene([0.3]))
    assert {trace.type for trace in figure.data} == {"mesh3d", "scatter3d"}
