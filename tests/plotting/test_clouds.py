"""Points, classes and means."""

import runpy
from pathlib import Path

import matplotlib as mpl
import numpy as np
import pytest
from mpl_toolkits.mplot3d import proj3d

from geomstats_cor import METRICS, frechet_mean, plotting
from geomstats_cor.exceptions import ShapeError
from geomstats_cor.plotting.palette import class_colors


def positions(artist):
    return np.stack(artist._offsets3d, axis=-1)


def test_each_class_has_its_points_its_colour_and_its_marker(points):
    labels = np.arange(30) % 3
    artists = plotting.plot_points(points, labels)
    assert len(artists) == 3
    for k, artist in enumerate(artists):
        wanted = plotting.entries(points[labels == k])
        np.testing.assert_array_equal(positions(artist), wanted)
        assert artist.get_label() == f"class {k}"
    assert len({tuple(artist.get_facecolor()[0]) for artist in artists}) == 3
    assert len({len(artist.get_paths()[0].vertices) for artist in artists}) > 1


def test_one_cloud_without_labels(points):
    (artist,) = plotting.plot_points(points, s=3.0)
    assert len(positions(artist)) == 30
    assert artist.get_sizes() == 3.0


def test_wrong_number_of_labels_is_named(points):
    with pytest.raises(ShapeError, match="4 labels for 30 points"):
        plotting.plot_points(points, [0, 1, 0, 1])


def test_colours_follow_a_property_cycle_that_was_chosen():
    assert class_colors(2) == ["#0072B2", "#D55E00"]
    with mpl.rc_context({"axes.prop_cycle": mpl.cycler(color=["red", "lime"])}):
        assert class_colors(3) == ["red", "lime", "red"]


def test_the_mean_is_drawn_where_it_is(space, points):
    artist = plotting.plot_frechet_mean(points, space)
    wanted = plotting.entries(frechet_mean(points, space))
    np.testing.assert_allclose(positions(artist)[0], wanted)


def test_means_are_compared_across_metrics(points):
    artists = plotting.plot_mean_comparison(points, marker="P")
    assert [artist.get_label() for artist in artists] == [k.upper() for k in METRICS]
    found = np.concatenate([positions(artist) for artist in artists])
    gaps = np.linalg.norm(found[:, None] - found, axis=-1)[np.triu_indices(5, 1)]
    assert gaps.min() > 1e-3
    assert len(plotting.plot_mean_comparison(points, metrics=["olm"])) == 1


def on_screen(artists):
    """Return where the markers of artists are, in points."""
    ax = artists[0].axes
    places = np.concatenate([positions(artist) for artist in artists])
    x, y, _ = proj3d.proj_transform(*places.T, ax.get_proj())
    return ax.transData.transform(np.stack([x, y], axis=-1)) * 72 / ax.figure.dpi


def means_among(artists):
    names = [key.upper() for key in METRICS]
    return [artist for artist in artists if artist.get_label() in names]


def test_the_example_shows_five_means_apart_from_each_other():
    import matplotlib.pyplot as plt

    runpy.run_path(Path(__file__).parents[2] / "examples" / "plot_elliptope.py")
    (ax,) = (
        ax
        for number in plt.get_fignums()
        for ax in plt.figure(number).axes
        if ax.get_title() == "one cloud, five means"
    )
    ax.figure.canvas.draw()
    means = means_among(ax.collections)
    assert len(means) == 5
    apart = np.linalg.norm(on_screen(means)[:, None] - on_screen(means), axis=-1)
    diameter = np.sqrt(means[0].get_sizes()[0])
    assert apart[np.triu_indices(5, 1)].min() > diameter


def test_the_figure_of_the_command_line_hides_no_mean():
    from geomstats_cor.plotting.figures import elliptope_figure, matplotlib_figure

    figure = matplotlib_figure(elliptope_figure(tuple(METRICS)))
    figure.canvas.draw()
    means = means_among(figure.axes[0].collections)
    assert len(means) == 5
    apart = np.linalg.norm(on_screen(means)[:, None] - on_screen(means), axis=-1)
    radius = 0.5 * np.sqrt(means[0].get_sizes()[0])
    assert apart[np.triu_indices(5, 1)].min() > radius
