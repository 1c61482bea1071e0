"""Geodesics, fans, spheres, frames and grids, by what defines them."""

import numpy as np
import pytest

from geomstats_cor import FullRankCorrelationMatrices, plotting
from geomstats_cor.exceptions import ParameterError

CENTER = plotting.from_entries([0.3, -0.2, 0.25])


def distances(space, vertices, center=CENTER):
    return space.metric.dist(plotting.from_entries(vertices), center)


def test_a_path_advances_by_equal_distances(space, start, end):
    path = plotting.geodesic_path(space, start, end, 10)
    np.testing.assert_allclose(path[[0, -1]], [start, end], atol=1e-9)
    steps = space.metric.dist(path[1:], path[:-1])
    np.testing.assert_allclose(steps, space.metric.dist(start, end) / 10, rtol=1e-7)


def test_a_fan_has_one_length_in_all_directions(space):
    fan = plotting.fan_curves(space, CENTER, radius=0.7, count=12, steps=4)
    assert len(fan.paths) == 12
    lengths = distances(space, np.stack(fan.paths))
    np.testing.assert_allclose(
        lengths, np.tile([0, 0.175, 0.35, 0.525, 0.7], (12, 1)), atol=1e-7
    )
    # Evenly spread: the unit vectors at the start nearly cancel.
    ends = plotting.from_entries(np.stack(fan.paths)[:, -1])
    vectors = space.metric.log_coords(ends, CENTER) / 0.7
    assert np.linalg.norm(vectors.mean(axis=0)) < 0.05


def test_spheres_have_one_radius(space):
    surface = plotting.sphere_surface(space, CENTER, 0.8, 10)
    np.testing.assert_allclose(distances(space, surface.vertices), 0.8, rtol=1e-7)
    wire = plotting.sphere_wire(space, CENTER, 0.8, lines=4, steps=16)
    np.testing.assert_allclose(distances(space, np.stack(wire.paths)), 0.8, rtol=1e-7)


def test_the_surface_of_a_ball_is_closed(space):
    faces = plotting.sphere_surface(space, CENTER, 0.8, 6).faces
    edges = np.concatenate([faces[:, [0, 1]], faces[:, [1, 2]], faces[:, [2, 0]]])
    poles = np.arange(12), np.arange(6 * 12, 7 * 12)
    for pole in poles:  # all vertices of a pole are one point
        edges[np.isin(edges, pole)] = pole[0]
    _, count = np.unique(np.sort(edges, axis=-1), axis=0, return_counts=True)
    assert np.all(count == 2)


def test_a_transported_frame_stays_orthonormal_and_parallel(space, start, end):
    points, frames = plotting.transported_frame(space, start, end, 4)
    metric = space.metric
    gram = metric.inner_product(frames[:, None], frames[None], points)
    wanted = np.broadcast_to(np.eye(3)[..., None], gram.shape)
    np.testing.assert_allclose(gram, wanted, atol=1e-7)
    moved = metric.parallel_transport(frames[:, 0], start, end_point=end)
    np.testing.assert_allclose(frames[:, -1], moved, atol=1e-9)


def test_a_grid_of_a_flat_metric_consists_of_cubes(space):
    families = plotting.grid_curves(space, CENTER, extent=0.6, lines=3, steps=2)
    for axis, family in enumerate(families):
        points = plotting.from_entries(np.stack(family.paths))
        assert points.shape == (9, 3, 3, 3)
        coords = space.metric.log_coords(points, CENTER)
        along = np.delete(coords, axis, axis=-1)
        np.testing.assert_allclose(np.ptp(along, axis=1), 0.0, atol=1e-7)
        np.testing.assert_allclose(
            coords[:, :, axis], [[-0.6, 0.0, 0.6]] * 9, atol=1e-7
        )


def test_plots_return_their_artists_and_take_styles(space, start, end):
    line = plotting.plot_geodesic(space, start, end, color="red", linewidth=4)
    ax = line.axes
    assert (line.get_color(), line.get_linewidth()) == ("red", 4)
    fan = plotting.plot_geodesic_fan(space, CENTER, count=5, ax=ax, linewidths=2.5)
    assert fan.axes is ax
    assert fan.get_linewidth() == 2.5
    ball = plotting.plot_geodesic_ball(space, CENTER, 0.5, 6, ax=ax, alpha=0.2)
    assert ball.get_alpha() == 0.2
    sphere = plotting.plot_metric_sphere(space, CENTER, 0.5, 3, ax=ax, color="black")
    np.testing.assert_array_equal(sphere.get_color()[0][:3], 0.0)
    arrows = plotting.plot_transported_frame(space, start, end, ax=ax, linewidth=1.0)
    assert [arrow.axes for arrow in arrows] == [ax] * 3
    grid = plotting.plot_coordinate_grid(space, lines=2, ax=ax, linestyle=":")
    assert len(grid) == 3
    ax.figure.canvas.draw()


def test_torch_tensors_are_drawn_alike(space, start, end):
    torch = pytest.importorskip("torch")
    ends = torch.tensor(start, requires_grad=True), torch.tensor(end)
    found = plotting.plot_geodesic(space, *ends)
    wanted = plotting.plot_geodesic(space, start, end)
    np.testing.assert_array_equal(found.get_data_3d(), wanted.get_data_3d())


def test_line_widths_follow_rcparams(space, start, end):
    import matplotlib as mpl

    with mpl.rc_context({"lines.linewidth": 7.0}):
        assert plotting.plot_geodesic(space, start, end).get_linewidth() == 7.0


def test_other_sizes_are_refused():
    space = FullRankCorrelationMatrices(4, equip="ecm")
    for plot in (
        lambda: plotting.plot_geodesic(space, np.eye(4), np.eye(4)),
        lambda: plotting.plot_geodesic_fan(space, np.eye(4)),
        lambda: plotting.plot_geodesic_ball(space, np.eye(4), 1.0),
        lambda: plotting.plot_transported_frame(space, np.eye(4), np.eye(4)),
        lambda: plotting.plot_coordinate_grid(space),
    ):
        with pytest.raises(ParameterError, match="n = 4"):
            plot()
