"""The cone of 2 x 2 covariance matrices."""

import numpy as np
import pytest
from matplotlib.colors import to_rgba

from geomstats_cor import FullRankCorrelationMatrices, plotting
from geomstats_cor.exceptions import ParameterError


@pytest.mark.parametrize("correlation", [-0.9, 0.0, 0.4, 1.0])
def test_a_fibre_has_one_correlation(correlation):
    a, b, d = plotting.fibre_surface(correlation, height=2.0).vertices[1:].T
    np.testing.assert_allclose(b, correlation * np.sqrt(a * d), atol=1e-15)
    np.testing.assert_allclose(a + d, 2.0)


def test_fibres_are_mapped_to_their_correlation():
    vertices = plotting.fibre_surface(0.4).vertices[2:-1]
    a, b, d = vertices.T
    covariances = np.stack([a, b, b, d], axis=-1).reshape(-1, 2, 2)
    found = FullRankCorrelationMatrices.from_covariance(covariances)
    np.testing.assert_allclose(found[:, 0, 1], 0.4)


def test_the_wire_is_on_the_boundary_of_the_cone():
    for path in plotting.cone_wire(height=2.0).paths:
        a, b, d = path.T
        np.testing.assert_allclose(a * d, b**2, atol=1e-15)


def test_the_figure_has_fibres_a_segment_and_stars():
    ax = plotting.plot_cone([-0.5, 0.1, 0.7])
    labels = ax.get_legend_handles_labels()[1]
    assert labels == ["$r$ = −0.50", "$r$ = 0.10", "$r$ = 0.70", "correlations"]
    assert ax.get_xlabel() == "variance $a$"
    assert plotting.plot_fibre(0.3, ax=ax, alpha=0.1).get_alpha() == 0.1


def test_a_correlation_beyond_one_is_refused():
    with pytest.raises(ParameterError, match=r"1\.5"):
        plotting.plot_fibre(1.5)


def test_the_colours_of_the_legend_are_in_the_picture():
    ax = plotting.plot_cone([-0.6, 0.0, 0.6])
    swatches = ax.legend(loc="upper left").get_patches()
    shown = [np.array(patch.get_facecolor()) for patch in swatches]
    ax.get_legend().remove()
    ax.set_axis_off()
    ax.figure.canvas.draw()
    pixels = np.asarray(ax.figure.canvas.buffer_rgba())[..., :3] / 255.0
    for color, base in zip(shown, plotting.palette.class_colors(3), strict=True):
        assert tuple(color[:3]) == to_rgba(base)[:3]
        # Light adds a little white or black, and what is behind shines through.
        close = np.abs(pixels - color[:3]).max(axis=-1) < 0.25
        assert close.mean() > 0.01, base
