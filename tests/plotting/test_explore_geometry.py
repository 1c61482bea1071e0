"""What the page computes, against the library."""

import numpy as np
import pytest

from geomstats_cor import METRICS, FullRankCorrelationMatrices, plotting

from .interpreters import evaluate

AGREEMENT = 1e-6


@pytest.fixture(params=list(METRICS))
def key(request):
    return request.param


@pytest.fixture
def metric(key):
    return FullRankCorrelationMatrices(3, equip=key).metric


@pytest.fixture
def entries(rng):
    """Entries of matrices: uniform ones, some near the boundary, and the identity."""
    uniform = FullRankCorrelationMatrices(3, equip=False).random_point(200, rng=rng)
    angles = rng.choice([-1.0, 1.0], (40, 3)) * rng.uniform(1.4, 1.52, (40, 3))
    near = plotting.elliptope.entries_from_angles(angles)
    return np.concatenate([plotting.entries(uniform), near, np.zeros((1, 3))])


def matrices(entries):
    return plotting.from_entries(entries)


def scaled_error(found, wanted):
    wanted = np.asarray(wanted)
    return np.max(np.abs(found - wanted) / np.maximum(1.0, np.abs(wanted)))


def test_coordinates_agree(key, metric, entries):
    found = evaluate(
        "entries.map(Geometry.metrics[key].toCoords)", key=key, entries=entries.tolist()
    )
    assert scaled_error(found, metric.to_coords(matrices(entries))) < AGREEMENT


def test_inverses_agree(key, metric, rng):
    sizes = rng.uniform(0.0, 4.0, (300, 1))
    directions = rng.standard_normal((300, 3))
    coords = sizes * directions / np.linalg.norm(directions, axis=-1, keepdims=True)
    found = evaluate(
        "coords.map(Geometry.metrics[key].fromCoords)", key=key, coords=coords.tolist()
    )
    wanted = plotting.entries(metric.from_coords(coords))
    assert np.abs(found - wanted).max() < AGREEMENT


def test_inverses_undo_the_maps(key, entries):
    found = evaluate(
        "entries.map((x) => Geometry.metrics[key].fromCoords("
        "Geometry.metrics[key].toCoords(x)))",
        key=key,
        entries=entries.tolist(),
    )
    assert np.abs(found - entries).max() < AGREEMENT


def test_geodesics_agree(key, metric, entries):
    start, end = entries[:100], entries[100:200]
    times = [0.0, 0.2, 0.5, 0.9, 1.0]
    found = evaluate(
        "start.map((a, k) => times.map((t) =>"
        " Geometry.metrics[key].geodesic(a, end[k], t)))",
        key=key,
        start=start.tolist(),
        end=end.tolist(),
        times=times,
    )
    path = metric.geodesic(matrices(start), matrices(end))(np.asarray(times))
    assert np.abs(found - plotting.entries(path)).max() < AGREEMENT


def test_geodesics_between_equal_points_stay_there(key, entries):
    found = evaluate(
        "entries.map((a) => Geometry.metrics[key].geodesic(a, a, 0.3))",
        key=key,
        entries=entries[:50].tolist(),
    )
    assert np.abs(found - entries[:50]).max() < AGREEMENT


@pytest.mark.parametrize("offset", [-1.2, 0.0, 0.4])
def test_hyperplanes_agree(key, entries, rng, offset):
    space = FullRankCorrelationMatrices(3, equip=key)
    for normal in rng.standard_normal((4, 3)):
        found = evaluate(
            "entries.map((x) => Geometry.metrics[key].margin({ normal, offset })"
            "(Geometry.metrics[key].toCoords(x)))",
            key=key,
            entries=entries.tolist(),
            normal=normal.tolist(),
            offset=offset,
        )
        tangent = matrices(normal) - np.eye(3)
        plane = plotting.Hyperplane.from_trivialization(space, tangent, offset)
        assert scaled_error(found, plane(matrices(entries))) < AGREEMENT


def test_vertices_of_the_surface_satisfy_the_equation_of_the_library(key):
    normal, offset = [0.9, 0.65, 0.35], 0.2
    found = evaluate(
        """(() => {
            const metric = Geometry.metrics[key];
            const grid = Surfaces.grid(metric, 12);
            return Surfaces.levelSet(metric, grid, metric.margin({ normal, offset }));
        })()""",
        key=key,
        normal=normal,
        offset=offset,
    )
    vertices, triangles = np.array(found["vertices"]), np.array(found["triangles"])
    assert len(triangles) > 500
    assert np.array_equal(np.unique(triangles), np.arange(len(vertices)))
    space = FullRankCorrelationMatrices(3, equip=key)
    tangent = matrices(normal) - np.eye(3)
    plane = plotting.Hyperplane.from_trivialization(space, tangent, offset)
    points = matrices(vertices)
    assert np.all(space.belongs(points))
    assert np.abs(plane(points)).max() < AGREEMENT


def test_the_surface_has_no_holes(key):
    triangles = evaluate(
        """(() => {
            const metric = Geometry.metrics[key];
            const margin = metric.margin({ normal: [0.9, 0.65, 0.35], offset: 0 });
            const grid = Surfaces.grid(metric, 10);
            const { vertices, triangles } = Surfaces.levelSet(metric, grid, margin);
            return { vertices, triangles };
        })()""",
        key=key,
    )
    faces = np.array(triangles["triangles"])
    edges = np.concatenate([faces[:, [0, 1]], faces[:, [1, 2]], faces[:, [2, 0]]])
    found, count = np.unique(np.sort(edges, axis=-1), axis=0, return_counts=True)
    assert count.max() == 2
    rim = matrices(np.array(triangles["vertices"])[np.unique(found[count == 1])])
    assert np.linalg.eigvalsh(rim)[:, 0].max() < 1.001e-6
