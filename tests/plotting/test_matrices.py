"""Heat maps, film strips, entries along geodesics, and animations."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from PIL import Image

from geomstats_cor import (
    METRICS,
    CorrelationStack,
    FullRankCorrelationMatrices,
    plotting,
)
from geomstats_cor.exceptions import ParameterError, ShapeError


@pytest.fixture
def five():
    """Two 5 x 5 matrices."""
    return FullRankCorrelationMatrices(5, equip=False).random_point(2, rng=1)


def shown(ax):
    return np.asarray(ax.images[0].get_array())


def test_heat_maps_share_a_scale(five):
    axes = plotting.plot_matrices(five, ["one", "other"], cmap="viridis")
    for ax, matrix, title in zip(axes, five, ["one", "other"], strict=True):
        np.testing.assert_array_equal(shown(ax), matrix)
        assert ax.get_title() == title
        assert ax.images[0].get_clim() == (-1.0, 1.0)
        assert ax.images[0].get_cmap().name == "viridis"


def test_heat_maps_on_given_axes(five):
    given = plt.figure().subplots(1, 2)
    assert list(plotting.plot_matrices(five, axes=given)) == list(given)
    assert len(given[0].figure.axes) == 2  # no colour bar is added


def test_rows_of_panels(five):
    axes = plotting.plot_matrices(np.concatenate([five] * 4), columns=3)
    assert len(axes) == 8
    assert len(axes[0].figure.axes) == 9  # and the colour bar


def test_few_entries_are_named_where_they_end(five):
    lines = plotting.plot_entries(*five, ["ecm"], [(3, 1), (4, 0)])["ecm"]
    names = {note.get_text(): note.xy for note in lines[0].axes.texts}
    assert names.keys() == {"$C_{4,2}$", "$C_{5,1}$"}
    np.testing.assert_allclose(names["$C_{4,2}$"], (1.0, five[1][3, 1]))


def test_bad_stacks_are_named(five):
    with pytest.raises(ShapeError, match="stack"):
        plotting.plot_matrices(five[0])
    with pytest.raises(ShapeError, match="1 titles for 2"):
        plotting.plot_matrices(five, ["one"])
    with pytest.raises(ShapeError, match="1 axes for 2"):
        plotting.plot_matrices(five, axes=[plt.figure().add_subplot()])


def test_a_film_strip_shows_the_geodesic(five):
    space = FullRankCorrelationMatrices(5, equip="lsm")
    axes = plotting.plot_film_strip(space, *five, count=3)
    middle = space.metric.geodesic(*five)([0.5])[0]
    for ax, matrix in zip(axes, [five[0], middle, five[1]], strict=True):
        np.testing.assert_allclose(shown(ax), matrix, atol=1e-9)
    assert axes[1].get_title() == "$t$ = 0.50"
    with pytest.raises(ParameterError, match="count is 1"):
        plotting.plot_film_strip(space, *five, count=1)


def test_entries_follow_the_geodesic_of_each_metric(five):
    artists = plotting.plot_entries(*five, steps=4, linewidth=0.5)
    assert list(artists) == list(METRICS)
    for key, lines in artists.items():
        assert len(lines) == 10
        space = FullRankCorrelationMatrices(5, equip=key)
        path = space.metric.geodesic(*five)(np.linspace(0, 1, 5))
        np.testing.assert_allclose(lines[0].get_ydata(), path[:, 1, 0], atol=1e-12)
        np.testing.assert_allclose(lines[-1].get_ydata(), path[:, 4, 3], atol=1e-12)
        assert lines[0].get_linewidth() == 0.5
    ax = plt.figure().add_subplot()
    chosen = plotting.plot_entries(*five, ["olm"], [(3, 1), (4, 0)], ax=ax)
    assert len(chosen["olm"]) == 2
    assert chosen["olm"][0].axes is ax
    assert chosen["olm"][0].get_ydata()[0] == pytest.approx(five[0][3, 1])


def test_an_animation_goes_there_and_back(five, tmp_path):
    space = FullRankCorrelationMatrices(5, equip="ecm")
    animation = plotting.animate_geodesic(space, *five, frames=4, interval=50)
    path = plotting.save_animation(animation, tmp_path / "geodesic.gif", dpi=40)
    with Image.open(path) as pictures:
        assert pictures.n_frames == 6
        first = np.asarray(pictures.convert("RGB"))
        pictures.seek(3)
        assert np.any(np.asarray(pictures.convert("RGB")) != first)
        assert pictures.info["duration"] == 50


def test_an_animation_as_a_page(five, tmp_path):
    space = FullRankCorrelationMatrices(5, equip="ecm")
    animation = plotting.animate_geodesic(space, *five, frames=2)
    path = plotting.save_animation(animation, tmp_path / "geodesic.html", dpi=40)
    page = path.read_text(encoding="utf-8")
    assert page.count("data:image/png;base64") == 2
    with pytest.raises(ParameterError, match=r"\.mov"):
        plotting.save_animation(animation, tmp_path / "geodesic.mov")


def test_no_figure_is_made_current_when_axes_are_given(five):
    figure = plt.Figure()
    plotting.plot_matrix(five[0], ax=figure.add_subplot())
    assert plt.get_fignums() == []


class TestNames:
    def test_of_a_data_frame_label_the_axes(self):
        names = ["Cz", "Pz", "Oz"]
        table = pd.DataFrame(np.eye(3), names, names)
        image = plotting.plot_matrix(table)
        for axis in (image.axes.xaxis, image.axes.yaxis):
            assert [label.get_text() for label in axis.get_ticklabels()] == names
        other = plotting.plot_matrix(np.eye(3), names=["a", "b", "c"])
        assert other.axes.get_xticklabels()[1].get_text() == "b"
        with pytest.raises(ShapeError, match="expected 3 names.*got 2"):
            plotting.plot_matrix(np.eye(3), names=["a", "b"])

    def test_of_a_stack_are_titles_and_labels(self):
        stack = CorrelationStack([np.eye(3)] * 2, ["Cz", "Pz", "Oz"], ["ann", "bob"])
        axes = plotting.plot_matrices(stack)
        assert [ax.get_title() for ax in axes] == ["ann", "bob"]
        assert axes[1].get_yticklabels()[2].get_text() == "Oz"

    def test_of_many_variables_some_are_written(self):
        names = [f"v{i}" for i in range(60)]
        axes = plotting.plot_matrix(pd.DataFrame(np.eye(60), names, names)).axes
        labels = [label.get_text() for label in axes.get_xticklabels()]
        assert labels[0] == "v0" and labels[-1] == "v59" and len(labels) == 16
