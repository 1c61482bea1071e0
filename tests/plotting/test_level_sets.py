"""Level sets: vertices on the level, inside the manifold, up to the boundary."""

import numpy as np
import pytest

from geomstats_cor import FullRankCorrelationMatrices
from geomstats_cor.exceptions import ParameterError
from geomstats_cor.plotting import from_entries, level_set


def open_edges(faces):
    """Return the edges that belong to one triangle only."""
    edges = np.sort(
        np.concatenate([faces[:, [0, 1]], faces[:, [1, 2]], faces[:, [2, 0]]])
    )
    edges = np.sort(edges, axis=-1)
    found, count = np.unique(edges, axis=0, return_counts=True)
    assert count.max() <= 2
    return found[count == 1]


def test_a_plane_of_entries_is_found_exactly():
    normal = np.array([0.3, -0.5, 0.8])
    found = level_set(
        lambda points: points[:, [1, 2, 2], [0, 0, 1]] @ normal, 0.2, tolerance=1e-12
    )
    np.testing.assert_allclose(found.vertices @ normal, 0.2, atol=1e-12)
    assert np.all(FullRankCorrelationMatrices(3, equip=False).belongs(found.points))


def test_an_open_surface_ends_on_the_boundary_only():
    found = level_set(lambda points: points[:, 1, 0] + points[:, 2, 1], 0.1)
    rim = np.unique(open_edges(found.faces))
    assert len(rim) > 20
    smallest = np.linalg.eigvalsh(found.points[rim])[:, 0]
    assert smallest.max() < 1.001e-6
    # The disc of this plane in the elliptope has the area of its triangles: no holes.
    corners = found.vertices[found.faces]
    cross = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    area = 0.5 * np.linalg.norm(cross, axis=-1).sum()
    np.testing.assert_allclose(area, _area_of_the_disc(), rtol=2e-3)


def _area_of_the_disc():
    """Return the area of x + z = 0.1 inside the elliptope, by counting on a grid."""
    x, y = np.meshgrid(np.linspace(-1, 1, 1501), np.linspace(-1, 1, 1501))
    z = 0.1 - x
    inside = 1 + 2 * x * y * z - x**2 - y**2 - z**2 > 0.0
    inside &= np.abs(z) < 1.0
    return np.sqrt(2.0) * np.mean(inside) * 4.0


def test_a_closed_surface_is_closed():
    center = from_entries([0.1, 0.2, -0.1])
    found = level_set(
        lambda points: np.linalg.norm(points - center, axis=(-2, -1)), 0.5
    )
    assert len(open_edges(found.faces)) == 0
    # Euler's formula for a sphere.
    edges = len(found.faces) * 3 // 2
    assert len(found.points) - edges + len(found.faces) == 2


def test_a_jump_is_met_to_the_width():
    found = level_set(
        lambda points: np.where(points[:, 1, 0] > 0.123, 1.0, -1.0), width=1e-9
    )
    np.testing.assert_allclose(found.vertices[:, 0], 0.123, atol=1e-8)


def test_a_level_that_is_not_taken_is_empty():
    found = level_set(lambda points: points[:, 1, 0], 2.0)
    assert found.points.shape == (0, 3, 3)
    assert found.faces.shape == (0, 3)


def test_too_coarse_a_grid_is_refused():
    with pytest.raises(ParameterError, match="resolution is 1"):
        level_set(lambda points: points[:, 1, 0], resolution=1)


def test_every_vertex_is_used_once():
    found = level_set(lambda points: points[:, 1, 0] - points[:, 2, 1])
    assert np.array_equal(np.unique(found.faces), np.arange(len(found.points)))
