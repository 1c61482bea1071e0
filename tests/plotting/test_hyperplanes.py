"""Hyperplanes: the equation, the five of them, and their ends at the boundary."""

import itertools

import numpy as np
import pytest
from scipy.spatial import cKDTree
from scipy.special import beta

from geomstats_cor import METRICS, FullRankCorrelationMatrices, plotting
from geomstats_cor.exceptions import NotTangentError, ParameterError
from geomstats_cor.plotting import Hyperplane

from .test_level_sets import open_edges

POINT = plotting.from_entries([0.1, 0.025, 0.275])
NORMAL = plotting.from_entries([0.9, 0.65, 0.35]) - np.eye(3)


def ball_point(matrix):
    """Return the beta-concatenation in the Poincaré ball, from the definitions."""
    factor = np.linalg.cholesky(matrix)
    parts = []
    for i in (1, 2):
        hyperboloid = factor[i, :i] / factor[i, i]
        ball = hyperboloid / (1.0 + np.sqrt(1.0 + hyperboloid @ hyperboloid))
        size = max(np.linalg.norm(ball), 1e-300)
        logarithm = np.arctanh(size) * ball / size
        parts.append(beta(1.5, 0.5) / beta(0.5 * i, 0.5) * logarithm)
    joined = np.concatenate(parts)
    size = np.linalg.norm(joined)
    return np.tanh(size) * joined / size


def mobius_sum(x, y):
    xx, yy, xy = x @ x, y @ y, x @ y
    return ((1 + 2 * xy + yy) * x + (1 - xx) * y) / (1 + 2 * xy + xx * yy)


def ball_logarithm(x, p):
    moved = mobius_sum(-p, x)
    size = np.linalg.norm(moved)
    return (1 - p @ p) * np.arctanh(size) * moved / size


def test_the_value_is_the_inner_product_of_the_definition(points):
    for key in set(METRICS) - {"phcm"}:
        space = FullRankCorrelationMatrices(3, equip=key)
        metric = space.metric
        wanted = metric.inner_product(metric.log(points, POINT), NORMAL, POINT)
        wanted = wanted / metric.norm(NORMAL, POINT)
        found = Hyperplane(space, POINT, NORMAL)(points)
        np.testing.assert_allclose(found, wanted, atol=1e-9)


def test_the_value_in_the_ball_is_the_inner_product_of_the_definition(points):
    space = FullRankCorrelationMatrices(3, equip="phcm")
    step = 1e-6
    p = ball_point(POINT)
    a = (ball_point(POINT + step * NORMAL) - ball_point(POINT - step * NORMAL)) / (
        2 * step
    )
    a = a / np.linalg.norm(a)  # the metric is conformal
    scale = 2.0 / (1.0 - p @ p)
    wanted = [scale * ball_logarithm(ball_point(x), p) @ a for x in points]
    found = Hyperplane(space, POINT, NORMAL)(points)
    np.testing.assert_allclose(found, wanted, atol=1e-7)


def test_parameters_of_a_network_give_its_logits(points):
    """Against the formulas of the paper for the flat metrics."""
    offset = 0.4
    lower = np.tril(NORMAL, -1)
    row0 = NORMAL - np.diag(NORMAL.sum(-1))
    normals = {"ecm": lower, "lecm": lower, "olm": NORMAL, "lsm": row0}
    for key, normal in normals.items():
        space = FullRankCorrelationMatrices(3, equip=key)
        image = space.metric.diffeo(points) - (np.eye(3) if key == "ecm" else 0.0)
        wanted = np.sum(image * normal, axis=(-2, -1)) / np.linalg.norm(normal) - offset
        found = Hyperplane.from_trivialization(space, NORMAL, offset)(points)
        np.testing.assert_allclose(found, wanted, atol=1e-10)


def test_parameters_of_a_network_give_the_logits_of_the_ball(points):
    """The logit of the Poincaré ball is 2 |z| times a signed distance."""
    space = FullRankCorrelationMatrices(3, equip="phcm")
    offset = 0.4
    vector = NORMAL[[1, 2, 2], [0, 0, 1]]
    unit = vector / np.linalg.norm(vector)
    found = Hyperplane.from_trivialization(space, NORMAL, offset)(points)
    x = np.stack([ball_point(point) for point in points])
    factor = 2.0 / (1.0 - np.sum(x**2, axis=-1))
    logit = np.arcsinh(
        factor * (x @ unit) * np.cosh(2 * offset) - (factor - 1) * np.sinh(2 * offset)
    )
    p = np.tanh(offset) * unit
    distance = [2.0 * np.arctanh(np.linalg.norm(mobius_sum(-p, point))) for point in x]
    # A right triangle: sinh of the leg is sinh of the hypotenuse times the sine.
    wanted = np.sinh(logit) * np.asarray(distance) / np.sinh(distance)
    np.testing.assert_allclose(found, wanted, atol=1e-9)


@pytest.mark.filterwarnings("error")
def test_every_vertex_satisfies_the_equation_inside_the_manifold(space):
    plane = Hyperplane(space, POINT, NORMAL)
    found = plane.level_set(24)
    assert len(found.faces) > 500
    assert np.abs(plane(found.points)).max() < 1e-3
    assert np.all(space.belongs(found.points))


@pytest.mark.filterwarnings("ignore::geomstats_cor.exceptions.ConvergenceWarning")
def test_no_vertex_is_off_by_the_definition(space):
    """The same by Log and the inner product, apart from the code of hyperplanes."""
    found = Hyperplane(space, POINT, NORMAL).level_set(16)
    if space.metric.image_space.metric.is_flat:
        metric = space.metric
        value = metric.inner_product(metric.log(found.points, POINT), NORMAL, POINT)
        value = value / metric.norm(NORMAL, POINT)
    else:
        p, step = ball_point(POINT), 1e-6
        a = ball_point(POINT + step * NORMAL) - ball_point(POINT - step * NORMAL)
        a = a / np.linalg.norm(a)
        value = [
            2.0 / (1.0 - p @ p) * ball_logarithm(ball_point(x), p) @ a
            for x in found.points
        ]
    assert np.abs(value).max() < 1e-3


def test_surfaces_end_on_the_boundary_only(space):
    found = Hyperplane(space, POINT, NORMAL).level_set(24)
    rim = np.unique(open_edges(found.faces))
    assert len(rim) > 20
    assert np.linalg.eigvalsh(found.points[rim])[:, 0].max() < 1.001e-6


def test_the_point_is_on_the_hyperplane(space):
    assert abs(Hyperplane(space, POINT, NORMAL)(POINT)) < 1e-12


def test_the_five_hyperplanes_differ():
    surfaces = {
        key: Hyperplane(FullRankCorrelationMatrices(3, equip=key), POINT, NORMAL)
        .level_set(20)
        .vertices
        for key in METRICS
    }
    for one, other in itertools.combinations(METRICS, 2):
        apart, _ = cKDTree(surfaces[other]).query(surfaces[one])
        assert apart.max() > 0.1, (one, other)
    # The measure is of differences, not of meshes: a finer grid gives the same surface.
    space = FullRankCorrelationMatrices(3, equip="olm")
    finer = Hyperplane(space, POINT, NORMAL).level_set(26).vertices
    apart, _ = cKDTree(finer).query(surfaces["olm"])
    assert apart.max() < 0.1


def test_torch_tensors_are_drawn_alike(space):
    torch = pytest.importorskip("torch")
    plane = Hyperplane(space, torch.tensor(POINT), torch.tensor(NORMAL))
    points = torch.tensor(plotting.from_entries([[0.3, 0.2, 0.1]]))
    np.testing.assert_array_equal(
        plane(points), Hyperplane(space, POINT, NORMAL)(points.numpy())
    )


def test_plot_returns_the_surface(space):
    artist = plotting.plot_hyperplane(space, POINT, NORMAL, 8, alpha=0.3)
    assert artist.get_alpha() == 0.3
    again = plotting.plot_hyperplane(space, POINT, NORMAL, 8, ax=artist.axes)
    assert again.axes is artist.axes


def test_a_zero_normal_is_refused(space):
    for make in (
        lambda: Hyperplane(space, POINT, np.zeros((3, 3))),
        lambda: Hyperplane.from_trivialization(space, np.zeros((3, 3))),
    ):
        with pytest.raises(ParameterError, match="normal is zero"):
            make()


def test_a_normal_that_is_not_tangent_is_refused(space):
    for make in (
        lambda: Hyperplane(space, POINT, np.eye(3)),
        lambda: Hyperplane.from_trivialization(space, np.eye(3)),
    ):
        with pytest.raises(NotTangentError, match="normal"):
            make()


def test_only_three_by_three_matrices_have_a_picture():
    space = FullRankCorrelationMatrices(4, equip="olm")
    plane = Hyperplane(space, np.eye(4), np.ones((4, 4)) - np.eye(4))
    assert np.isfinite(plane(np.eye(4)))
    with pytest.raises(ParameterError, match="n = 4"):
        plane.level_set()


def test_a_space_without_one_of_the_metrics_is_refused():
    with pytest.raises(ParameterError, match="equip_with_metric"):
        Hyperplane(FullRankCorrelationMatrices(3), POINT, NORMAL)
