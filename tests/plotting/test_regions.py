"""Decision regions of anything that decides."""

import numpy as np
import pytest
from matplotlib.colors import to_rgba
from scipy.spatial import cKDTree

from geomstats_cor import (
    METRICS,
    FullRankCorrelationMatrices,
    frechet_mean,
    plotting,
)
from geomstats_cor.exceptions import ParameterError
from geomstats_cor.plotting import Hyperplane


class NearestMean:
    """Assign a matrix to the closest of some means, by name."""

    def __init__(self, space, means, names):
        self.space, self.means, self.names = space, means, np.asarray(names)

    def predict(self, points):
        dists = self.space.metric.dist_broadcast(points, self.means)
        return self.names[np.argmin(dists, axis=-1)]


@pytest.fixture
def classifier(points):
    space = FullRankCorrelationMatrices(3, equip="olm")
    means = np.stack([frechet_mean(points[k::3], space) for k in range(3)])
    return NearestMean(space, means, ["a", "b", "c"])


def test_boundaries_lie_between_the_two_closest_means(classifier):
    boundaries = plotting.decision_boundaries(classifier, 16)
    assert list(boundaries) == ["a", "b", "c"]
    for k, (name, found) in enumerate(boundaries.items()):
        dists = classifier.space.metric.dist_broadcast(found.points, classifier.means)
        own, best = dists[:, k], np.delete(dists, k, axis=-1).min(axis=-1)
        inner = np.linalg.eigvalsh(found.points)[:, 0] > 1e-3
        np.testing.assert_allclose(own[inner], best[inner], atol=1e-3, err_msg=name)


def test_two_classes_are_drawn_once(classifier):
    classifier.names = np.array(["a", "b", "b"])
    artists = plotting.plot_decision_regions(classifier, 8, alpha=0.7)
    assert list(artists) == ["b"]
    assert artists["b"].get_alpha() == 0.7
    both = plotting.plot_decision_regions(classifier, 8, ["a", "b"])
    assert list(both) == ["a", "b"]


def test_a_class_that_does_not_occur_is_named(classifier):
    with pytest.raises(ParameterError, match="'d'.*'a', 'b', 'c'"):
        plotting.plot_decision_regions(classifier, 4, ["d"])


def test_a_network_is_called_with_tensors_of_its_own_kind(space):
    torch = pytest.importorskip("torch")
    normal = np.ones((3, 3)) - np.eye(3)
    plane = Hyperplane.from_trivialization(space, normal, 0.1)

    class Margin(torch.nn.Module):
        """Two logits, whose difference is the margin of a hyperplane."""

        def __init__(self):
            super().__init__()
            self.scale = torch.nn.Parameter(torch.ones((), dtype=torch.float32))

        def forward(self, points):
            assert points.dtype == torch.float32
            margin = torch.tensor(plane(points), dtype=torch.float32)
            return torch.stack([-margin, margin], dim=-1) * self.scale

    found = plotting.decision_boundaries(Margin(), 12)
    assert list(found) == [0, 1]
    inner = np.linalg.eigvalsh(found[1].points)[:, 0] > 1e-2
    assert np.abs(plane(found[1].points[inner])).max() < 1e-3


@pytest.mark.parametrize("key", METRICS)
def test_regions_of_a_logistic_regression(key):
    torch = pytest.importorskip("torch")
    from cornet_nn import CorMLR

    torch.manual_seed(3)
    space = FullRankCorrelationMatrices(3, equip=key)
    layer = CorMLR(space, num_classes=3, dtype=torch.float64)
    found = plotting.decision_boundaries(layer, 12)
    assert sum(len(surface.faces) > 0 for surface in found.values()) >= 2
    for k, surface in found.items():
        logits = layer(torch.as_tensor(surface.points)).detach().numpy()
        others = np.delete(logits, k, axis=-1).max(axis=-1)
        inner = np.linalg.eigvalsh(surface.points)[:, 0] > 1e-2
        np.testing.assert_allclose(logits[inner, k], others[inner], atol=1e-3)


@pytest.mark.parametrize("shape", [(-1,), (-1, 1)])
def test_one_logit_decides_between_two_classes(shape):
    found = plotting.decision_boundaries(
        lambda points: (points[:, 1, 0] - 0.3).reshape(shape), 8
    )
    np.testing.assert_allclose(found[1].vertices[:, 0], 0.3, atol=1e-5)


def test_a_classifier_of_one_mind_has_no_boundary():
    found = plotting.decision_boundaries(lambda points: np.ones((len(points), 1)), 4)
    assert list(found) == [1]
    assert len(found[1].faces) == 0
    assert plotting.plot_decision_regions(lambda p: np.ones((len(p), 1)), 4) == {}


@pytest.fixture(scope="module")
def four_classes():
    """Return the closest of four means, one near each corner of the elliptope."""
    space = FullRankCorrelationMatrices(3, equip="olm")
    means = [[0.55, 0.52, 0.5], [0.5, -0.5, -0.4], [-0.5, 0.6, -0.5], [-0.4, -0.5, 0.5]]
    return NearestMean(space, plotting.from_entries(means), [0, 1, 2, 3])


def test_regions_share_their_vertices_where_they_meet(four_classes):
    boundaries = plotting.decision_boundaries(four_classes, 12)
    for name, found in boundaries.items():
        others = [x.vertices for key, x in boundaries.items() if key != name]
        apart, _ = cKDTree(np.concatenate(others)).query(found.vertices)
        assert apart.max() < 1e-8, name


def test_normals_point_out_of_the_region(four_classes):
    for name, found in plotting.decision_boundaries(four_classes, 12).items():
        corners = found.vertices[found.faces]
        normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
        area = np.linalg.norm(normals, axis=-1)
        step = 0.03 * normals / area[:, None]
        inside, outside = (
            plotting.from_entries(corners.mean(axis=1) + sign * step)
            for sign in (-1, 1)
        )
        full = np.linalg.eigvalsh(np.stack([inside, outside])).min(axis=(0, 2)) > 1e-4
        known = full & (area > 1e-4)
        right = four_classes.predict(inside[known]) == name
        right &= four_classes.predict(outside[known]) != name
        assert right.mean() > 0.95


def test_the_legend_shows_the_colours_of_the_picture(four_classes):
    artists = plotting.plot_decision_regions(four_classes, 8)
    ax = artists[0].axes
    legend = ax.legend(loc="upper left")
    ax.figure.canvas.draw()
    colors = plotting.palette.class_colors(4)
    for color, patch, artist in zip(
        colors, legend.get_patches(), artists.values(), strict=True
    ):
        assert patch.get_facecolor() == to_rgba(color, artist.get_alpha())
        shades = artist.get_facecolor() - patch.get_facecolor()
        assert np.abs(shades).max() <= 0.2
    assert [text.get_text() for text in legend.get_texts()] == [
        f"region of class {k}" for k in range(4)
    ]


def test_every_class_is_seen_from_every_side(four_classes):
    artists = plotting.plot_decision_regions(four_classes, 8)
    ax = artists[0].axes
    ax.set_axis_off()
    for azimuth in (-62, 28, 118, 208):
        ax.view_init(20, azimuth)
        ax.figure.canvas.draw()
        pixels = np.asarray(ax.figure.canvas.buffer_rgba())[..., :3] / 255.0
        for color in plotting.palette.class_colors(4):
            close = np.abs(pixels - to_rgba(color)[:3]).max(axis=-1) < 0.2
            assert close.sum() > 100, (azimuth, color)
