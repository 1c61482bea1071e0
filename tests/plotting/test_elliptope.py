"""The elliptope: its boundary, its angles, and how it is drawn."""

import numpy as np
import pytest

from geomstats_cor import FullRankCorrelationMatrices, plotting
from geomstats_cor.exceptions import ParameterError, ShapeError
from geomstats_cor.plotting.elliptope import entries_from_angles


def test_entries_are_those_below_the_diagonal(points):
    entries = plotting.entries(points)
    np.testing.assert_array_equal(entries[:, 0], points[:, 1, 0])
    np.testing.assert_array_equal(entries[:, 1], points[:, 2, 0])
    np.testing.assert_array_equal(entries[:, 2], points[:, 2, 1])
    np.testing.assert_allclose(plotting.from_entries(entries), points, atol=1e-15)


def test_entries_of_another_size_are_refused():
    with pytest.raises(ShapeError, match="size 4"):
        plotting.entries(np.eye(4))


def test_determinant_is_that_of_the_matrix(points):
    wanted = np.linalg.det(points)
    found = plotting.determinant(plotting.entries(points))
    np.testing.assert_allclose(found, wanted, atol=1e-14)


def test_angles_of_the_open_cube_give_the_manifold(rng):
    angles = rng.uniform(-1.5, 1.5, (500, 3))
    points = plotting.from_entries(entries_from_angles(angles))
    space = FullRankCorrelationMatrices(3, equip=False)
    assert np.all(space.belongs(points))
    # Their sines are two correlations and a partial one.
    partial = -np.linalg.inv(points)[:, 2, 1] / np.sqrt(
        np.linalg.inv(points)[:, 1, 1] * np.linalg.inv(points)[:, 2, 2]
    )
    sines = np.stack([points[:, 1, 0], points[:, 2, 0], partial], axis=-1)
    np.testing.assert_allclose(sines, np.sin(angles), atol=1e-9)


def test_boundary_surface_is_on_the_boundary_and_closed():
    surface = plotting.boundary_surface(20)
    corners = plotting.from_entries(surface.vertices)
    np.testing.assert_allclose(np.linalg.eigvalsh(corners)[:, 0], 0.0, atol=1e-7)
    # Volume by the divergence theorem: that of the elliptope is pi^2 / 2.
    a, b, c = (surface.vertices[surface.faces[:, k]] for k in range(3))
    volume = np.sum(a * np.cross(b, c)) / 6.0
    np.testing.assert_allclose(volume, np.pi**2 / 2.0, rtol=1e-2)


def test_boundary_wire_is_on_the_boundary():
    for path in plotting.boundary_wire(levels=4).paths:
        values = np.linalg.eigvalsh(plotting.from_entries(path))
        np.testing.assert_allclose(values[:, 0], 0.0, atol=1e-7)


@pytest.mark.parametrize("kind", ["wire", "surface"])
def test_plot_elliptope_follows_the_habits_of_matplotlib(kind):
    artist = plotting.plot_elliptope(kind)
    ax = artist.axes
    assert (ax.get_xlabel(), ax.get_zlabel()) == ("$C_{21}$", "$C_{32}$")
    again = plotting.plot_elliptope(kind, ax=ax, alpha=0.9)
    assert again.axes is ax
    assert again.get_alpha() == 0.9


def test_unknown_kind_is_named():
    with pytest.raises(ParameterError, match="'solid'"):
        plotting.plot_elliptope("solid")


def test_given_axes_keep_their_view_and_labels():
    import matplotlib.pyplot as plt

    ax = plt.figure().add_subplot(projection="3d")
    ax.view_init(10, 20)
    ax.set_xlabel("mine")
    plotting.plot_elliptope(ax=ax)
    assert (ax.elev, ax.azim, ax.get_xlabel()) == (10, 20, "mine")
    assert plotting.elliptope_axes(ax) is ax
    assert ax.get_xlabel() == "$C_{21}$"
    assert np.ptp(ax.get_box_aspect()) == 0.0


@pytest.mark.parametrize("name", ["color", "colors", "edgecolor"])
def test_curves_take_the_names_of_matplotlib(name):
    artist = plotting.plot_elliptope("wire", **{name: "red"}, lw=2.0)
    np.testing.assert_array_equal(artist.get_edgecolor()[0][:3], [1.0, 0.0, 0.0])
    assert artist.get_linewidth()[0] == 2.0
